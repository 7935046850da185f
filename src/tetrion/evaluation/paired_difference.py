"""The paired difference between two agents on the same games."""

import math
from dataclasses import dataclass

from tetrion.evaluation.confidence_intervals import (
    NORMAL_QUANTILE,
    Interval,
    SampleArray,
    compute_difference_interval,
    get_student_quantile,
)
from tetrion.evaluation.number_format import choose_decimals, format_mean_interval, format_number
from tetrion.notebook_display import make_short_repr, render_html_table

MAX_SUGGESTED_GAMES = 10**7
POWER_STANDARD_ERRORS = NORMAL_QUANTILE + 0.8416  # a difference this large is detected with a power of 80 %


@dataclass(frozen=True)
class PairedDifference:
    """Mean difference in lines per game to another agent; `capped` if some of the games were capped.

    >>> import tetrion
    >>> du, lee = (tetrion.evaluate(name, "standard-10x10", games=50, seed=1) for name in ("du", "lee"))
    >>> du.compare_to(lee)
    <PairedDifference lines per game +3,494 ± 1,024, games 50>
    """

    mean: float
    ci95: Interval | None
    games: int
    capped: bool

    @classmethod
    def from_lines(cls, lines: SampleArray, other_lines: SampleArray, capped: bool) -> "PairedDifference":
        """Compare the lines of two agents in the same games, given in the same order."""
        differences = lines - other_lines
        return cls(float(differences.mean()), compute_difference_interval(differences), len(differences), capped)

    def describe(self, name: str, other: str) -> str:
        """Describe the difference between agent `name` and agent `other` in a sentence."""
        suffix = " in capped games" if self.capped else ""
        if self.ci95 is None:
            return (
                f"{name} and {other} have one game in common ({self.format_mean()} lines{suffix}): too few games to "
                "compare them."
            )
        if self.ci95 == (0, 0):
            return f"{name} clears exactly as many lines as {other} in each of {self.games:,} games."
        sign, decimals = math.copysign(1, self.mean), choose_decimals(self.mean)
        low, high = sorted(sign * end for end in self.ci95)
        interval = f"(95 % interval {format_number(low, decimals)} to {format_number(high, decimals)})"
        comparison = "more" if sign > 0 else "fewer"
        amount = f"{format_number(abs(self.mean))} {comparison} lines per game than {other}{suffix}"
        return f"{name} clears {amount} {interval}: {self.describe_significance(low)}"

    def list_facts(self) -> list[tuple[str, str]]:
        """Return names and values that describe the difference."""
        lines = ("+" if self.mean > 0 else "") + format_mean_interval(self.mean, self.ci95)
        return [("lines per game", lines), ("games", f"{self.games:,}{', some of them capped' if self.capped else ''}")]

    def __repr__(self) -> str:
        return make_short_repr("PairedDifference", ", ".join(f"{name} {value}" for name, value in self.list_facts()))

    def _repr_html_(self) -> str:
        note = self.describe("The agent", "the other agent")
        return render_html_table("Paired difference", [], self.list_facts(), note=note, text_columns=2)

    def format_mean(self) -> str:
        """Format the mean with its sign."""
        return ("+" if self.mean >= 0 else "") + format_number(self.mean, 0)

    def describe_significance(self, low: float) -> str:
        """Describe whether the difference is significant, given the end of the interval that is closer to 0."""
        if low > 0:
            return "the difference is statistically significant."
        games = self.estimate_games_needed()
        if games is None:
            return f"not statistically significant; even {MAX_SUGGESTED_GAMES:,} games might not be enough."
        return f"not statistically significant; about {games:,} games would be needed."

    def estimate_games_needed(self) -> int | None:
        """Estimate how many games detect a difference of this size with a power of 80 %; None if too many to play."""
        if self.ci95 is None or not self.mean:
            return None
        error = (self.ci95[1] - self.ci95[0]) / 2 / get_student_quantile(self.games - 1)
        games = max(self.games * (POWER_STANDARD_ERRORS * error / self.mean) ** 2, self.games + 1)
        if games > MAX_SUGGESTED_GAMES:
            return None
        step = int(10 ** max(math.floor(math.log10(games)) - 1, 0))  # two significant digits
        return math.ceil(games / step) * step
