"""Published values, and when a measured value agrees with them."""

import math
from dataclasses import dataclass
from typing import NamedTuple

from tetrion.evaluation.confidence_intervals import NORMAL_QUANTILE, Interval
from tetrion.evaluation.number_format import format_count, format_mean_interval, format_number


@dataclass(frozen=True)
class MeasuredValue:
    """A measured number with its 95 % confidence interval, or whether a statement holds.

    `standard_deviation` is that of single games; it gives the uncertainty of a published mean of few games. `text`
    replaces the formatted number, `basis` describes what the value is based on, and `evidence` explains why a statement
    holds. A machine-dependent value, such as a time, is not reproducible.
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
        """The value as text."""
        return self.text or format_mean_interval(self.value, self.ci95)

    @property
    def interval(self) -> Interval:
        """Confidence interval; both ends are the value itself if it has none."""
        if self.ci95 is not None:
            return self.ci95
        return (math.nan, math.nan) if self.value is None else (self.value, self.value)


class Verdict(NamedTuple):
    """Whether a published and a measured value agree, and the reason."""

    agrees: bool
    reason: str


@dataclass(frozen=True)
class PublishedValue:
    """A value published in a document; `text` is its wording there, if a number is not enough."""

    text: str = ""

    @property
    def formatted(self) -> str:
        """The value as text."""
        return self.text

    def compare(self, measured: MeasuredValue) -> Verdict:
        """Compare with a measured value."""
        raise NotImplementedError


def compare_intervals(measured: MeasuredValue, low: float, high: float, description: str) -> Verdict:
    """Compare the measured interval with a published one; they agree if they overlap."""
    measured_low, measured_high = measured.interval
    if math.isnan(measured_low):
        return Verdict(False, f"the measured value is unknown{': ' + measured.basis if measured.basis else ''}")
    if measured_low <= high and measured_high >= low:
        return Verdict(True, f"our interval overlaps {description}")
    return Verdict(False, f"our value is {'above' if measured_low > high else 'below'} {description}")


@dataclass(frozen=True)
class PublishedMean(PublishedValue):
    """A mean of a number of games, which has an uncertainty of its own."""

    value: float = 0
    game_count: int = 1

    @property
    def formatted(self) -> str:
        """The mean and the number of games."""
        return f"{self.text or format_number(self.value)} ({format_count(self.game_count, 'game')})"

    def compare(self, measured: MeasuredValue) -> Verdict:
        """Compare with the 95 % interval of the published mean, from our standard deviation."""
        margin = NORMAL_QUANTILE * (measured.standard_deviation or 0) / math.sqrt(self.game_count)
        low, high = self.value - margin, self.value + margin
        games = format_count(self.game_count, "game")
        description = f"the uncertainty of {games} ({format_number(max(low, 0))} to {format_number(high)})"
        return compare_intervals(measured, low, high, description)


@dataclass(frozen=True)
class PublishedRange(PublishedValue):
    """A published range."""

    low: float = 0
    high: float = 0

    @property
    def formatted(self) -> str:
        """The range as text."""
        return self.text or f"{format_number(self.low)} to {format_number(self.high)}"

    def compare(self, measured: MeasuredValue) -> Verdict:
        """Compare with the range."""
        return compare_intervals(
            measured, self.low, self.high, "the published range" if self.low < self.high else "the published value"
        )


@dataclass(frozen=True)
class PublishedWithMargin(PublishedValue):
    """A value with a relative margin."""

    value: float = 0
    margin_share: float = 0.2

    @property
    def formatted(self) -> str:
        """The value with its margin in percent."""
        return self.text or f"{format_number(self.value)} ± {100 * self.margin_share:g} %"

    def compare(self, measured: MeasuredValue) -> Verdict:
        """Compare with the value and its margin."""
        low, high = self.value * (1 - self.margin_share), self.value * (1 + self.margin_share)
        return compare_intervals(measured, low, high, f"the published value ± {100 * self.margin_share:g} %")


@dataclass(frozen=True)
class PublishedLowerBound(PublishedValue):
    """A published lower bound, which the value exceeds."""

    bound: float = 0

    @property
    def formatted(self) -> str:
        """The bound as text."""
        return self.text or f"> {format_number(self.bound)}"

    def compare(self, measured: MeasuredValue) -> Verdict:
        """Check that our value, or its lower bound if the value is unknown, exceeds the bound."""
        number = measured.interval[0] if measured.value is None else measured.value
        if number > self.bound:
            return Verdict(True, f"our value is also above {format_number(self.bound)}")
        return Verdict(False, f"our value is not above {format_number(self.bound)}")


@dataclass(frozen=True)
class PublishedStatement(PublishedValue):
    """A statement without a number; it agrees if `holds` of the measured value is true."""

    def compare(self, measured: MeasuredValue) -> Verdict:
        """Check whether the statement holds."""
        return (
            Verdict(True, measured.evidence or "confirmed by our measurement")
            if measured.holds
            else Verdict(False, "not confirmed by our measurement")
        )


@dataclass(frozen=True)
class PublishedOrdering(PublishedValue):
    """A statement that one value is larger than another; our value is their ratio."""

    def compare(self, measured: MeasuredValue) -> Verdict:
        """Check that the whole interval of our ratio is above 1."""
        if measured.value is None:
            return Verdict(False, f"undecided: {measured.basis}")
        low, high = measured.ci95 or (0, math.inf)
        if low > 1 or high < 1:
            return Verdict(low > 1, f"the whole interval is {'above' if low > 1 else 'below'} 1")
        direction = "the same" if measured.value > 1 else "the opposite"
        doubt = "its interval contains 1" if measured.ci95 else "there are too few runs for a confidence interval"
        return Verdict(False, f"no significant difference: our ratio has {direction} direction, but {doubt}")
