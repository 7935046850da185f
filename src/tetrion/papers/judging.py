"""Published values, and the verdicts when measured values are compared with them."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import StrEnum
from typing import Any, NamedTuple

from tetrion.evaluation.confidence_intervals import NORMAL_QUANTILE, Interval
from tetrion.evaluation.number_format import format_count, format_number
from tetrion.papers.measured_values import MeasuredValue

DECISIVE_FACTOR = 4  # a comparison is undecided if published values that differ by more than this factor would agree


class Verdict(StrEnum):
    """The result of comparing a claim with our measurement."""

    AGREES = "agrees"
    DIFFERS = "differs"
    UNDECIDED = "undecided"
    OTHER_READING = "agrees under another reading"
    FITTED = "agrees only when fitted"

    @property
    def css_class(self) -> str:
        """The name of its style in the reports."""
        return {Verdict.OTHER_READING: "other-reading", Verdict.FITTED: "fitted"}.get(self, self.value)


class DocumentVerdict(StrEnum):
    """Whether a document holds up, from the verdicts on its central results."""

    HOLDS = "holds"
    IN_PART = "holds in part"
    DOES_NOT_HOLD = "does not hold"
    UNJUDGED = "cannot be judged"


class Comparison(NamedTuple):
    """The verdict on a published and a measured value, and the reason."""

    verdict: Verdict
    reason: str


def judge_document(verdicts: Sequence[Verdict]) -> DocumentVerdict:
    """Return the label of a document.

    It cannot be judged if most of its central results are undecided; it holds if all others agree, does not hold if
    none agrees, and otherwise holds in part.
    """
    decided = [verdict for verdict in verdicts if verdict != Verdict.UNDECIDED]
    if 2 * len(decided) < len(verdicts) or not decided:
        return DocumentVerdict.UNJUDGED
    agreeing = sum(verdict == Verdict.AGREES for verdict in decided)
    if agreeing == len(decided):
        return DocumentVerdict.HOLDS
    partly = any(verdict in {Verdict.AGREES, Verdict.OTHER_READING} for verdict in decided)
    return DocumentVerdict.IN_PART if partly else DocumentVerdict.DOES_NOT_HOLD


# Comparisons. Each takes one measured value and the parameters that the claim gives.


def compare_between(measured: MeasuredValue, low: float, high: float, from_chance: bool = False) -> Comparison:
    """Compare with a published range: the intervals overlap. `from_chance` says that the range is a 95 % interval."""
    description = "the published range" if low < high else "the published value"
    return compare_intervals(measured, (low, high), description, chance_margin=(high - low) / 2 if from_chance else 0)


def compare_near(measured: MeasuredValue, value: float, margin: float) -> Comparison:
    """Compare with a published value and a margin relative to it."""
    ends = (value * (1 - margin), value * (1 + margin))
    return compare_intervals(measured, ends, f"the published value ± {100 * margin:g} %")


def compare_published_mean(measured: MeasuredValue, value: float, games: int) -> Comparison:
    """Compare with a mean of a number of games, whose uncertainty follows from our standard deviation."""
    margin = NORMAL_QUANTILE * (measured.standard_deviation or 0) / math.sqrt(games)
    low, high = value - margin, value + margin
    ends = f"{format_number(max(low, 0))} to {format_number(high)}"
    description = f"the uncertainty of {format_count(games, 'game')} ({ends})"
    return compare_intervals(measured, (low, high), description, chance_margin=margin)


def compare_single_result(
    measured: MeasuredValue, value: float, sample: str = "", decimals: int | None = None
) -> Comparison:
    """Compare with a single result, such as the best game or one run; our interval is the range of as many of ours."""
    low, high = measured.interval
    ends = f"{format_number(low, decimals)} to {format_number(high, decimals)}"
    description = f"the 95 % range of {sample or 'ours'} ({ends})"
    if math.isnan(low):
        return compare_intervals(measured, (value, value), description)
    if not low <= value <= high:
        return Comparison(
            Verdict.DIFFERS,
            f"{format_number(value, decimals)} lies {'above' if value > high else 'below'} {description}",
        )
    within = f"{format_number(value, decimals)} lies within {description}"
    if is_decisive((low, high)):
        return Comparison(Verdict.AGREES, within)
    return Comparison(Verdict.UNDECIDED, f"{within}, which is too wide to decide")


def compare_above(measured: MeasuredValue, bound: float, margin: float = 0) -> Comparison:
    """Check that the whole interval lies above a bound.

    With a margin, an interval that lies wholly below the bound plus the margin refutes the claim: the effect is then
    known to be negligible, even if the interval contains the bound.
    """
    return _compare_side(measured, bound, margin, is_above=True)


def compare_below(measured: MeasuredValue, bound: float, margin: float = 0) -> Comparison:
    """Check that the whole interval lies below a bound; a margin works as in `compare_above`."""
    return _compare_side(measured, bound, margin, is_above=False)


def _compare_side(measured: MeasuredValue, bound: float, margin: float, *, is_above: bool) -> Comparison:
    low, high = measured.interval
    if math.isnan(low):
        return compare_intervals(measured, (bound, math.inf) if is_above else (-math.inf, bound), "the bound")
    wanted, opposite, sign = ("above", "below", 1) if is_above else ("below", "above", -1)
    near, far = (low, high) if is_above else (-high, -low)  # mirrored, so that larger supports the claim
    interval, limit = describe_interval(measured), bound + sign * margin
    if margin and far < sign * limit:
        return Comparison(Verdict.DIFFERS, f"{interval} is {opposite} {format_number(limit)}: no effect of that size")
    if near > sign * bound:
        return Comparison(Verdict.AGREES, f"{interval} is {wanted} {format_number(bound)}")
    if far <= sign * bound:
        return Comparison(Verdict.DIFFERS, f"{interval} is not {wanted} {format_number(bound)}")
    return Comparison(Verdict.UNDECIDED, f"{interval} contains {format_number(bound)}")


def compare_equivalent(measured: MeasuredValue, value: float, margin: float) -> Comparison:
    """Check that the whole interval lies within an absolute margin around a value."""
    low, high = measured.interval
    ends = f"{format_number(value - margin)} to {format_number(value + margin)}"
    interval = describe_interval(measured)
    if math.isnan(low):
        return compare_intervals(measured, (value - margin, value + margin), "the margin")
    if value - margin <= low and high <= value + margin:
        return Comparison(Verdict.AGREES, f"{interval} lies within {ends}")
    if high < value - margin or low > value + margin:
        return Comparison(Verdict.DIFFERS, f"{interval} lies outside {ends}")
    return Comparison(Verdict.UNDECIDED, f"{interval} lies only in part within {ends}")


def compare_changed(measured: MeasuredValue, value: float, margin: float) -> Comparison:
    """Check that there is an effect: the interval excludes a value. A precise zero refutes it.

    If the whole interval lies within the margin around the value, there is no effect of a size that matters.
    """
    verdict = compare_equivalent(measured, value, margin)
    if verdict.verdict == Verdict.AGREES:
        return Comparison(Verdict.DIFFERS, f"{verdict.reason}: no effect of that size")
    low, high = measured.interval
    interval = describe_interval(measured)
    if low > value or high < value:
        return Comparison(Verdict.AGREES, f"{interval} excludes {format_number(value)}")
    return Comparison(
        Verdict.UNDECIDED, verdict.reason if math.isnan(low) else f"{interval} contains {format_number(value)}"
    )


def compare_holds(measured: MeasuredValue, expected: bool = True) -> Comparison:
    """Check a statement that a calculation has decided."""
    holds = measured.holds if measured.holds is None else measured.holds == expected
    verdict = {True: Verdict.AGREES, False: Verdict.DIFFERS, None: Verdict.UNDECIDED}[holds]
    reasons = {
        Verdict.AGREES: "confirmed by our measurement",
        Verdict.DIFFERS: "not confirmed by our measurement",
        Verdict.UNDECIDED: "our measurement does not decide it",
    }
    return Comparison(verdict, measured.evidence or reasons[verdict])


COMPARISONS: dict[str, Callable[..., Comparison]] = {
    "between": compare_between,
    "near": compare_near,
    "published_mean": compare_published_mean,
    "single_result": compare_single_result,
    "above": compare_above,
    "below": compare_below,
    "equivalent": compare_equivalent,
    "changed": compare_changed,
    "holds": compare_holds,
}


class Criterion(NamedTuple):
    """A comparison with its parameters; of several measured values, all must agree, or with `any` one of them."""

    comparison: str
    parameters: Mapping[str, Any]
    quantifier: str = "all"

    def compare(self, measured: MeasuredValue | Sequence[MeasuredValue]) -> Comparison:
        """Compare one measured value, or several."""
        function = COMPARISONS[self.comparison]
        if isinstance(measured, MeasuredValue):
            return function(measured, **self.parameters)
        comparisons = [function(value, **self.parameters) for value in measured]
        return combine_comparisons(comparisons, self.quantifier)


def combine_comparisons(comparisons: Iterable[Comparison], quantifier: str) -> Comparison:
    """Return the verdict on several comparisons, with the reasons of those that decide it."""
    parts = list(comparisons)
    decisive, other = (Verdict.DIFFERS, Verdict.AGREES) if quantifier == "all" else (Verdict.AGREES, Verdict.DIFFERS)
    verdicts = [part.verdict for part in parts]
    verdict = decisive if decisive in verdicts else Verdict.UNDECIDED if Verdict.UNDECIDED in verdicts else other
    reasons = dict.fromkeys(part.reason for part in parts if part.verdict == verdict)
    return Comparison(verdict, "; ".join(reasons))


def describe_interval(measured: MeasuredValue) -> str:
    """Return “the 95 % interval (1 to 2)”, another kind of range, or “our value (1)” if there is none."""
    if measured.ci95 is None:
        return f"our value ({measured.text or format_number(measured.value or 0)})"
    return f"the {measured.interval_kind} ({measured.ends})"


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
