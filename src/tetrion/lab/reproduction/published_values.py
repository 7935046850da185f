"""Published values, and the verdict when a measured value is compared with them."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

from tetrion.evaluation.confidence_intervals import NORMAL_QUANTILE, Interval
from tetrion.evaluation.number_format import format_count, format_mean_interval, format_number

DECISIVE_FACTOR = 4  # a comparison is undecided if published values that differ by more than this factor would agree


@dataclass(frozen=True)
class MeasuredValue:
    """A measured number with its 95 % confidence interval, or whether a statement holds (None: undecided).

    `standard_deviation` is that of single games; it gives the uncertainty of a published mean of few games. `text`
    replaces the formatted number, `basis` describes what the value is based on, and `evidence` explains why a statement
    holds, does not hold, or is undecided. A machine-dependent value, such as a time, is not reproducible.
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


class Verdict(StrEnum):
    """The result of comparing a claim with our measurement."""

    AGREES = "agrees"
    DIFFERS = "differs"
    UNDECIDED = "undecided"
    CHOSEN_READING = "only under a chosen reading"

    @property
    def css_class(self) -> str:
        """The name of its style in the reports."""
        return "chosen-reading" if self is Verdict.CHOSEN_READING else self.value


_STATEMENT_VERDICTS = {True: Verdict.AGREES, False: Verdict.DIFFERS, None: Verdict.UNDECIDED}


class Comparison(NamedTuple):
    """The verdict on a published and a measured value, and the reason."""

    verdict: Verdict
    reason: str


@dataclass(frozen=True)
class PublishedValue:
    """A value published in a document; `text` is its wording there, if a number is not enough.

    `criterion` is our own threshold for a word that the document leaves vague, such as "rare" or "decent".
    """

    text: str = ""
    criterion: str = field(default="", kw_only=True)

    @property
    def formatted(self) -> str:
        """The value as text, with our criterion."""
        wording = self.format_wording()
        return f"{wording}; our criterion: {self.criterion}" if self.criterion else wording

    def format_wording(self) -> str:
        """Return the value as text, without our criterion."""
        return self.text

    def compare(self, measured: MeasuredValue) -> Comparison:
        """Compare with a measured value."""
        raise NotImplementedError


def decide_above(interval: Interval, bound: float) -> bool | None:
    """Return whether an interval lies above a bound; None if it contains the bound and so does not decide."""
    low, high = interval
    if low > bound:
        return True
    return False if high <= bound else None


def compare_statement(holds: bool | None, reasons: Mapping[bool | None, str]) -> Comparison:
    """Return the verdict on a statement; `reasons` are those if it holds, if it does not, and if it is undecided."""
    return Comparison(_STATEMENT_VERDICTS[holds], reasons[holds])


def compare_intervals(
    measured: MeasuredValue, published: Interval, description: str, *, chance_margin: float = 0
) -> Comparison:
    """Compare the measured interval with a published one.

    They agree if they overlap, unless the published value could be anything: if values that differ by more than
    `DECISIVE_FACTOR`, or values of both signs, would also agree, the comparison is undecided. `chance_margin` is the
    part of the published interval that comes from chance, such as a small number of games.
    """
    low, high = published
    measured_low, measured_high = measured.interval
    if math.isnan(measured_low):
        subject = "the measured value" if measured.value is None else "our range"
        unknown = f"{subject} is unknown{': ' + measured.basis if measured.basis else ''}"
        return Comparison(Verdict.UNDECIDED, unknown)
    if measured_low > high or measured_high < low:
        direction = "above" if measured_low > high else "below"
        return Comparison(Verdict.DIFFERS, f"our value is {direction} {description}")
    accepted_low, accepted_high = measured_low - chance_margin, measured_high + chance_margin
    if is_decisive((accepted_low, accepted_high)):
        return Comparison(Verdict.AGREES, f"our interval overlaps {description}")
    accepted = f"{format_number(accepted_low)} " + (
        "upwards" if math.isinf(accepted_high) else f"to {format_number(accepted_high)}"
    )
    return Comparison(
        Verdict.UNDECIDED, f"our interval overlaps {description}, but any value from {accepted} would agree"
    )


def is_decisive(accepted: Interval) -> bool:
    """Return whether the values that would agree have one sign and differ by at most `DECISIVE_FACTOR`."""
    low, high = accepted
    if low == high:
        return True
    return low * high > 0 and max(abs(low), abs(high)) <= DECISIVE_FACTOR * min(abs(low), abs(high))


@dataclass(frozen=True)
class PublishedMean(PublishedValue):
    """A mean of a number of games, which has an uncertainty of its own."""

    value: float = 0
    game_count: int = 1

    def format_wording(self) -> str:
        """Return the mean and the number of games."""
        return f"{self.text or format_number(self.value)} ({format_count(self.game_count, 'game')})"

    def compare(self, measured: MeasuredValue) -> Comparison:
        """Compare with the 95 % interval of the published mean, from our standard deviation."""
        margin = NORMAL_QUANTILE * (measured.standard_deviation or 0) / math.sqrt(self.game_count)
        low, high = self.value - margin, self.value + margin
        games = format_count(self.game_count, "game")
        description = f"the uncertainty of {games} ({format_number(max(low, 0))} to {format_number(high)})"
        return compare_intervals(measured, (low, high), description, chance_margin=margin)


@dataclass(frozen=True)
class PublishedSample(PublishedValue):
    """A value from one run or from a few games; our interval is the 95 % range of as many of ours.

    `sample` describes what the range is of, such as "10 games"; `decimals` are those of the numbers in the reason.
    """

    value: float = 0
    sample: str = ""
    decimals: int | None = None

    def format_wording(self) -> str:
        """Return the value, with what it is a value of."""
        number = self.text or format_number(self.value, self.decimals)
        return f"{number} ({self.sample})" if self.sample else number

    def compare(self, measured: MeasuredValue) -> Comparison:
        """Return whether the published value lies within our range, and whether the range is narrow enough."""
        low, high = measured.interval
        ends = f"{format_number(low, self.decimals)} to {format_number(high, self.decimals)}"
        description = f"the 95 % range of {self.sample or 'ours'} ({ends})"
        if math.isnan(low):
            return compare_intervals(measured, (self.value, self.value), description)
        if not low <= self.value <= high:
            side = "above" if self.value > high else "below"
            return Comparison(Verdict.DIFFERS, f"the published value lies {side} {description}")
        within = f"the published value lies within {description}"
        if is_decisive((low, high)):
            return Comparison(Verdict.AGREES, within)
        return Comparison(Verdict.UNDECIDED, f"{within}, which is too wide to decide")


@dataclass(frozen=True)
class PublishedRange(PublishedValue):
    """A published range."""

    low: float = 0
    high: float = 0

    def format_wording(self) -> str:
        """Return the range as text."""
        return self.text or f"{format_number(self.low)} to {format_number(self.high)}"

    def compare(self, measured: MeasuredValue) -> Comparison:
        """Compare with the range."""
        return compare_intervals(
            measured, (self.low, self.high), "the published range" if self.low < self.high else "the published value"
        )


@dataclass(frozen=True)
class PublishedWithMargin(PublishedValue):
    """A value with a relative margin."""

    value: float = 0
    margin_share: float = 0.2

    def format_wording(self) -> str:
        """Return the value with its margin in percent."""
        return self.text or f"{format_number(self.value)} ± {100 * self.margin_share:g} %"

    def compare(self, measured: MeasuredValue) -> Comparison:
        """Compare with the value and its margin."""
        low, high = self.value * (1 - self.margin_share), self.value * (1 + self.margin_share)
        return compare_intervals(measured, (low, high), f"the published value ± {100 * self.margin_share:g} %")


@dataclass(frozen=True)
class PublishedLowerBound(PublishedValue):
    """A published lower bound, which the value exceeds."""

    bound: float = 0

    def format_wording(self) -> str:
        """Return the bound as text."""
        return self.text or f"> {format_number(self.bound)}"

    def compare(self, measured: MeasuredValue) -> Comparison:
        """Check that our whole interval exceeds the bound."""
        if math.isnan(measured.interval[0]):
            return compare_intervals(measured, (self.bound, math.inf), "the bound")
        bound = format_number(self.bound)
        reasons: dict[bool | None, str] = {
            True: f"ours is also above {bound}",
            False: f"ours is not above {bound}",
            None: f"our interval contains {bound}",
        }
        return compare_statement(decide_above(measured.interval, self.bound), reasons)


@dataclass(frozen=True)
class PublishedStatement(PublishedValue):
    """A statement without a number; it agrees if `holds` of the measured value is true."""

    def compare(self, measured: MeasuredValue) -> Comparison:
        """Check whether the statement holds."""
        reasons: dict[bool | None, str] = {
            True: "confirmed by our measurement",
            False: "not confirmed by our measurement",
            None: "our measurement does not decide it",
        }
        comparison = compare_statement(measured.holds, reasons)
        return comparison._replace(reason=measured.evidence or comparison.reason)


@dataclass(frozen=True)
class PublishedOrdering(PublishedValue):
    """A statement that one value is larger than another; our value is their ratio."""

    def compare(self, measured: MeasuredValue) -> Comparison:
        """Check that the whole interval of our ratio is above 1."""
        if measured.value is None:
            return Comparison(Verdict.UNDECIDED, measured.basis or "the ratio is unknown")
        direction = "the same" if measured.value > 1 else "the opposite"
        doubt = "its interval contains 1" if measured.ci95 else "there are too few runs for a confidence interval"
        undecided = f"our ratio has {direction} direction, but {doubt}"
        reasons: dict[bool | None, str] = {
            True: "the whole interval is above 1",
            False: "the whole interval is below 1",
            None: undecided,
        }
        return compare_statement(decide_above(measured.ci95 or (0, math.inf), 1), reasons)
