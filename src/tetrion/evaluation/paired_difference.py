"""One agent against another on the same games."""

import math
from dataclasses import dataclass

from tetrion.evaluation.confidence_intervals import (
    NORMAL_QUANTILE,
    Interval,
    SampleArray,
    compute_difference_interval,
    get_student_quantile,
)
from tetrion.evaluation.number_format import choose_decimals, format_number

MAX_SUGGESTED_GAMES = 10**7
POWER_STANDARD_ERRORS = NORMAL_QUANTILE + 0.8416  # so many standard errors are told from nothing four times in five


@dataclass(frozen=True)
class PairedDifference:
    """Lines a game more, or if negative fewer, than another agent; `capped` if some of the games were cut short."""

    mean: float
    ci95: Interval | None
    games: int
    capped: bool

    @classmethod
    def from_lines(cls, lines: SampleArray, first: SampleArray, capped: bool) -> "PairedDifference":
        """Compare the lines of the same games."""
        differences = lines - first
        return cls(float(differences.mean()), compute_difference_interval(differences), len(differences), capped)

    def describe(self, name: str, first: str) -> str:
        """What can be said of agent `name` beside agent `first`."""
        where = " in capped games" if self.capped else ""
        if self.ci95 is None:
            return (
                f"{name} and {first} finished one game in common ({self.format_mean()} lines{where}): too few to tell "
                "their difference."
            )
        if self.ci95 == (0, 0):
            return f"{name} clears exactly as many lines as {first} in each of {self.games:,} games."
        sign, digits = math.copysign(1, self.mean), choose_decimals(self.mean)
        low, high = sorted(sign * end for end in self.ci95)
        interval = f"(95 % interval {format_number(low, digits)} to {format_number(high, digits)})"
        more = "more" if sign > 0 else "fewer"
        amount = f"{format_number(abs(self.mean))} lines a game {more} than {first}{where}"
        return f"{name} clears {amount} {interval}: {self.describe_significance(low)}"

    def format_mean(self) -> str:
        """The mean with its sign."""
        return ("+" if self.mean >= 0 else "") + format_number(self.mean, 0)

    def describe_significance(self, low: float) -> str:
        """Whether it is real, given the end of the interval that is nearer to nothing."""
        if low > 0:
            return "the difference is real."
        wanted = self.estimate_games_needed()
        if wanted is None:
            return f"that may be chance; even {MAX_SUGGESTED_GAMES:,} games might not tell."
        return f"that may be chance; about {wanted:,} games would tell."

    def estimate_games_needed(self) -> int | None:
        """How many games find a difference of this size four times in five; None if they are too many to play."""
        if self.ci95 is None or not self.mean:
            return None
        error = (self.ci95[1] - self.ci95[0]) / 2 / get_student_quantile(self.games - 1)
        wanted = max(self.games * (POWER_STANDARD_ERRORS * error / self.mean) ** 2, self.games + 1)
        if wanted > MAX_SUGGESTED_GAMES:
            return None
        step = int(10 ** max(math.floor(math.log10(wanted)) - 1, 0))
        return math.ceil(wanted / step) * step
