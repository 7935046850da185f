"""One agent against another on the same games."""

import math
from dataclasses import dataclass

from tetrion.evaluation.intervals import NORMAL, Interval, Numbers, of_difference, student
from tetrion.evaluation.words import digits_of, figure

MOST_GAMES_TO_NAME = 10**7
POWER = NORMAL + 0.8416  # so many standard errors are told from nothing four times in five


@dataclass(frozen=True)
class Difference:
    """Lines a game more, or if negative fewer, than another agent; `capped` if some of the games were cut short."""

    mean: float
    ci95: Interval | None
    games: int
    capped: bool

    @classmethod
    def of(cls, lines: Numbers, first: Numbers, capped: bool) -> "Difference":
        """Compare the lines of the same games."""
        differences = lines - first
        return cls(float(differences.mean()), of_difference(differences), len(differences), capped)

    def sentence(self, name: str, first: str) -> str:
        """What can be said of agent `name` beside agent `first`."""
        where = " in capped games" if self.capped else ""
        if self.ci95 is None:
            return (
                f"{name} and {first} finished one game in common ({self.amount()} lines{where}): too few to tell "
                "their difference."
            )
        if self.ci95 == (0, 0):
            return f"{name} clears exactly as many lines as {first} in each of {self.games:,} games."
        sign, digits = math.copysign(1, self.mean), digits_of(self.mean)
        low, high = sorted(sign * end for end in self.ci95)
        interval = f"(95 % interval {figure(low, digits)} to {figure(high, digits)})"
        more = "more" if sign > 0 else "fewer"
        amount = f"{figure(abs(self.mean))} lines a game {more} than {first}{where}"
        return f"{name} clears {amount} {interval}: {self.verdict(low)}"

    def amount(self) -> str:
        """The mean with its sign."""
        return ("+" if self.mean >= 0 else "") + figure(self.mean, 0)

    def verdict(self, low: float) -> str:
        """Whether it is real, given the end of the interval that is nearer to nothing."""
        if low > 0:
            return "the difference is real."
        wanted = self.games_that_would_tell()
        if wanted is None:
            return f"that may be chance; even {MOST_GAMES_TO_NAME:,} games might not tell."
        return f"that may be chance; about {wanted:,} games would tell."

    def games_that_would_tell(self) -> int | None:
        """How many games find a difference of this size four times in five; None if they are too many to play."""
        if self.ci95 is None or not self.mean:
            return None
        error = (self.ci95[1] - self.ci95[0]) / 2 / student(self.games - 1)
        wanted = max(self.games * (POWER * error / self.mean) ** 2, self.games + 1)
        if wanted > MOST_GAMES_TO_NAME:
            return None
        step = int(10 ** max(math.floor(math.log10(wanted)) - 1, 0))
        return math.ceil(wanted / step) * step
