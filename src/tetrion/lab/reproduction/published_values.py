"""What a document publishes, and when a figure of ours agrees with it."""

import math
from dataclasses import dataclass
from typing import NamedTuple

from tetrion.evaluation.confidence_intervals import NORMAL_QUANTILE, Interval
from tetrion.evaluation.number_format import format_count, format_mean_interval, format_number


@dataclass(frozen=True)
class MeasuredValue:
    """What we find: a number with its 95 % interval, or whether something holds; and what it was found from.

    `deviation` is the spread of single games, which tells how far off the mean of a document's few games may be.
    `words` are shown instead of the number, `basis` beside it; `because` is the evidence that something holds. What
    `varies` is another time on another machine.
    """

    value: float | None = None
    ci95: Interval | None = None
    holds: bool | None = None
    standard_deviation: float | None = None
    text: str = ""
    basis: str = ""
    evidence: str = ""
    is_machine_dependent: bool = False

    @property
    def formatted(self) -> str:
        """The number as people read it."""
        return self.text or format_mean_interval(self.value, self.ci95)

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
class PublishedValue:
    """A figure of a document; `words` are its own, where a number alone would say too little."""

    text: str = ""

    @property
    def formatted(self) -> str:
        """The figure as the document has it."""
        return self.text

    def compare(self, measured: MeasuredValue) -> Verdict:
        """Whether ours agrees."""
        raise NotImplementedError


def compare_intervals(measured: MeasuredValue, low: float, high: float, description: str) -> Verdict:
    """Whether our interval meets one of theirs, which `room` describes."""
    least, most = measured.interval
    if math.isnan(least):
        return Verdict(False, f"ours is not known{', ' + measured.basis if measured.basis else ''}")
    if least <= high and most >= low:
        return Verdict(True, f"ours meets {description}")
    return Verdict(False, f"ours is {'above' if least > high else 'below'} {description}")


@dataclass(frozen=True)
class PublishedMean(PublishedValue):
    """The mean of so many games, which is itself a measurement: it may be off by what so few games leave open."""

    value: float = 0
    game_count: int = 1

    @property
    def formatted(self) -> str:
        """The mean, and of how many games."""
        return f"{self.text or format_number(self.value)} ({format_count(self.game_count, 'game')})"

    def compare(self, measured: MeasuredValue) -> Verdict:
        """Whether our interval meets the one that the document's games leave around its mean, by our spread."""
        margin = NORMAL_QUANTILE * (measured.standard_deviation or 0) / math.sqrt(self.game_count)
        low, high = self.value - margin, self.value + margin
        room = f"what {format_count(self.game_count, 'game')} leave open ({format_number(max(low, 0))} to {format_number(high)})"
        return compare_intervals(measured, low, high, room)


@dataclass(frozen=True)
class PublishedRange(PublishedValue):
    """A range that a document gives."""

    low: float = 0
    high: float = 0

    @property
    def formatted(self) -> str:
        """The range."""
        return self.text or f"{format_number(self.low)} to {format_number(self.high)}"

    def compare(self, measured: MeasuredValue) -> Verdict:
        """Whether our interval meets the range."""
        return compare_intervals(
            measured, self.low, self.high, "the published range" if self.low < self.high else "the published value"
        )


@dataclass(frozen=True)
class PublishedWithMargin(PublishedValue):
    """A figure with a margin that is a share of it."""

    value: float = 0
    margin_share: float = 0.2

    @property
    def formatted(self) -> str:
        """The figure with its margin."""
        return self.text or f"{format_number(self.value)} ± {100 * self.margin_share:g} %"

    def compare(self, measured: MeasuredValue) -> Verdict:
        """Whether our interval meets theirs."""
        low, high = self.value * (1 - self.margin_share), self.value * (1 + self.margin_share)
        return compare_intervals(measured, low, high, f"the published figure ± {100 * self.margin_share:g} %")


@dataclass(frozen=True)
class PublishedLowerBound(PublishedValue):
    """A number that is exceeded."""

    bound: float = 0

    @property
    def formatted(self) -> str:
        """The number."""
        return self.text or f"> {format_number(self.bound)}"

    def compare(self, measured: MeasuredValue) -> Verdict:
        """Whether ours is more too; what we know only to be more than something counts by that."""
        number = measured.interval[0] if measured.value is None else measured.value
        if number > self.bound:
            return Verdict(True, f"ours is more than {format_number(self.bound)} too")
        return Verdict(False, f"ours is not more than {format_number(self.bound)}")


@dataclass(frozen=True)
class PublishedStatement(PublishedValue):
    """Something that a document says without a number to compare; ours `holds` or does not."""

    def compare(self, measured: MeasuredValue) -> Verdict:
        """Whether it holds for us."""
        return (
            Verdict(True, measured.evidence or "so it is here")
            if measured.holds
            else Verdict(False, "it is not so here")
        )


@dataclass(frozen=True)
class PublishedOrdering(PublishedValue):
    """That one is more than another; ours is how many times the other it is."""

    def compare(self, measured: MeasuredValue) -> Verdict:
        """Whether it is surely more here too: our whole interval is above 1."""
        if measured.value is None:
            return Verdict(False, f"not decided here, {measured.basis}")
        low, high = measured.ci95 or (0, math.inf)
        if low > 1 or high < 1:
            return Verdict(low > 1, f"the whole interval is {'above' if low > 1 else 'below'} 1")
        way = "the same" if measured.value > 1 else "the other"
        doubt = "its interval contains 1" if measured.ci95 else "too few have been tried to know how far off it may be"
        return Verdict(False, f"no difference was found: ours points {way} way, but {doubt}")
