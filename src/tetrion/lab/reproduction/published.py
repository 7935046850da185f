"""What a document publishes, and when a figure of ours agrees with it."""

import math
from dataclasses import dataclass
from typing import NamedTuple

from tetrion.evaluation.intervals import NORMAL, Interval
from tetrion.evaluation.words import counted, figure, with_interval


@dataclass(frozen=True)
class Ours:
    """What we find: a number with its 95 % interval, or whether something holds; and what it was found from.

    `deviation` is the spread of single games, which tells how far off the mean of a document's few games may be.
    `words` are shown instead of the number, `basis` beside it; `because` is the evidence that something holds. What
    `varies` is another time on another machine.
    """

    value: float | None = None
    ci95: Interval | None = None
    holds: bool | None = None
    deviation: float | None = None
    words: str = ""
    basis: str = ""
    because: str = ""
    varies: bool = False

    @property
    def shown(self) -> str:
        """The number as people read it."""
        return self.words or with_interval(self.value, self.ci95)

    @property
    def interval(self) -> Interval:
        """Where the number lies; a number without an interval lies where it is."""
        if self.ci95 is not None:
            return self.ci95
        return (math.nan, math.nan) if self.value is None else (self.value, self.value)


class Verdict(NamedTuple):
    """Whether a document and we agree, and how one sees that."""

    agrees: bool
    reason: str


@dataclass(frozen=True)
class Published:
    """A figure of a document; `words` are its own, where a number alone would say too little."""

    words: str = ""

    @property
    def shown(self) -> str:
        """The figure as the document has it."""
        return self.words

    def verdict(self, ours: Ours) -> Verdict:
        """Whether ours agrees."""
        raise NotImplementedError


def compared(ours: Ours, low: float, high: float, room: str) -> Verdict:
    """Whether our interval meets one of theirs, which `room` describes."""
    least, most = ours.interval
    if math.isnan(least):
        return Verdict(False, f"ours is not known{', ' + ours.basis if ours.basis else ''}")
    if least <= high and most >= low:
        return Verdict(True, f"ours meets {room}")
    return Verdict(False, f"ours is {'above' if least > high else 'below'} {room}")


@dataclass(frozen=True)
class Mean(Published):
    """The mean of so many games, which is itself a measurement: it may be off by what so few games leave open."""

    value: float = 0
    games: int = 1

    @property
    def shown(self) -> str:
        """The mean, and of how many games."""
        return f"{self.words or figure(self.value)} ({counted(self.games, 'game')})"

    def verdict(self, ours: Ours) -> Verdict:
        """Whether our interval meets the one that the document's games leave around its mean, by our spread."""
        margin = NORMAL * (ours.deviation or 0) / math.sqrt(self.games)
        low, high = self.value - margin, self.value + margin
        room = f"what {counted(self.games, 'game')} leave open ({figure(max(low, 0))} to {figure(high)})"
        return compared(ours, low, high, room)


@dataclass(frozen=True)
class Range(Published):
    """A range that a document gives."""

    low: float = 0
    high: float = 0

    @property
    def shown(self) -> str:
        """The range."""
        return self.words or f"{figure(self.low)} to {figure(self.high)}"

    def verdict(self, ours: Ours) -> Verdict:
        """Whether our interval meets the range."""
        return compared(
            ours, self.low, self.high, "the published range" if self.low < self.high else "the published value"
        )


@dataclass(frozen=True)
class Around(Published):
    """A figure with a margin that is a share of it."""

    value: float = 0
    share: float = 0.2

    @property
    def shown(self) -> str:
        """The figure with its margin."""
        return self.words or f"{figure(self.value)} ± {100 * self.share:g} %"

    def verdict(self, ours: Ours) -> Verdict:
        """Whether our interval meets theirs."""
        low, high = self.value * (1 - self.share), self.value * (1 + self.share)
        return compared(ours, low, high, f"the published figure ± {100 * self.share:g} %")


@dataclass(frozen=True)
class More(Published):
    """A number that is exceeded."""

    than: float = 0

    @property
    def shown(self) -> str:
        """The number."""
        return self.words or f"> {figure(self.than)}"

    def verdict(self, ours: Ours) -> Verdict:
        """Whether ours is more too; what we know only to be more than something counts by that."""
        number = ours.interval[0] if ours.value is None else ours.value
        if number > self.than:
            return Verdict(True, f"ours is more than {figure(self.than)} too")
        return Verdict(False, f"ours is not more than {figure(self.than)}")


@dataclass(frozen=True)
class Statement(Published):
    """Something that a document says without a number to compare; ours `holds` or does not."""

    def verdict(self, ours: Ours) -> Verdict:
        """Whether it holds for us."""
        return Verdict(True, ours.because or "so it is here") if ours.holds else Verdict(False, "it is not so here")


@dataclass(frozen=True)
class Ahead(Published):
    """That one is more than another; ours is how many times the other it is."""

    def verdict(self, ours: Ours) -> Verdict:
        """Whether it is surely more here too: our whole interval is above 1."""
        if ours.value is None:
            return Verdict(False, f"not decided here, {ours.basis}")
        low, high = ours.ci95 or (0, math.inf)
        if low > 1 or high < 1:
            return Verdict(low > 1, f"the whole interval is {'above' if low > 1 else 'below'} 1")
        way = "the same" if ours.value > 1 else "the other"
        doubt = "its interval contains 1" if ours.ci95 else "too few have been tried to know how far off it may be"
        return Verdict(False, f"no difference was found: ours points {way} way, but {doubt}")
