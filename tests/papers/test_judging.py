"""Verdicts on measured values, and on documents."""

import math
from typing import Any

import pytest

from tetrion.papers.judging import Criterion, DocumentVerdict, Verdict, judge_document
from tetrion.papers.measured_values import MeasuredValue, more_or_less, rank_correlation, ratio, share

AGREES, DIFFERS, UNDECIDED = Verdict.AGREES, Verdict.DIFFERS, Verdict.UNDECIDED
RANGE = {"low": 20, "high": 30}
NEAR = {"value": 100, "margin": 0.1}
EFFECT = {"value": 1, "margin": 0.05}


def judge(comparison: str, measured: MeasuredValue, **parameters: Any) -> tuple[Verdict, str]:
    return Criterion(comparison, parameters).compare(measured)


@pytest.mark.parametrize(
    ("comparison", "parameters", "measured", "verdict"),
    [
        ("between", RANGE, MeasuredValue(36.7, (35.8, 37.6)), DIFFERS),
        ("between", RANGE, MeasuredValue(31, (29, 33)), AGREES),
        ("between", RANGE, MeasuredValue(24), AGREES),
        ("between", {"low": 4, "high": 4}, MeasuredValue(5, (3, 30)), UNDECIDED),
        ("between", {"low": 0.5, "high": 0.5}, MeasuredValue(1.6, (-0.4, 4.9)), UNDECIDED),
        ("between", {"low": -9, "high": -9}, MeasuredValue(-8, (-10, -5)), AGREES),
        ("between", {"low": 0, "high": 0}, MeasuredValue(0, (0, 0)), AGREES),
        ("near", NEAR, MeasuredValue(115, (109, 121)), AGREES),
        ("near", NEAR, MeasuredValue(115, (111, 119)), DIFFERS),
        ("near", NEAR, MeasuredValue(None, (90, math.inf)), UNDECIDED),
        ("published_mean", {"value": 7.5, "games": 10}, MeasuredValue(6.2, (6.1, 6.3), standard_deviation=4), AGREES),
        ("published_mean", {"value": 7.5, "games": 999}, MeasuredValue(6.2, (6.1, 6.3), standard_deviation=4), DIFFERS),
        ("single_result", {"value": 90}, MeasuredValue(50, (30, 90)), AGREES),
        ("single_result", {"value": 91}, MeasuredValue(50, (30, 90)), DIFFERS),
        ("single_result", {"value": 29}, MeasuredValue(50, (30, 90)), DIFFERS),
        ("single_result", {"value": 50}, MeasuredValue(50, (10, 90)), UNDECIDED),
        ("above", {"bound": 10_000}, MeasuredValue(10_001), AGREES),
        ("above", {"bound": 10_000}, MeasuredValue(9_999), DIFFERS),
        ("above", {"bound": 10_000}, MeasuredValue(None, (50_000, math.inf)), AGREES),
        ("above", {"bound": 10_000}, MeasuredValue(15_000, (9_000, 20_000)), UNDECIDED),
        ("above", {"bound": 1}, MeasuredValue(1, (0.99, 1.01)), UNDECIDED),
        ("above", {"bound": 1, "margin": 0.05}, MeasuredValue(1, (0.99, 1.01)), DIFFERS),
        ("above", {"bound": 1, "margin": 0.05}, MeasuredValue(1.1, (0.99, 1.2)), UNDECIDED),
        ("above", {"bound": 1, "margin": 0.05}, MeasuredValue(1.1, (1.01, 1.2)), AGREES),
        ("below", {"bound": 1}, MeasuredValue(0.9, (0.8, 0.95)), AGREES),
        ("below", {"bound": 1}, MeasuredValue(1.1, (1.05, 1.2)), DIFFERS),
        ("below", {"bound": 1, "margin": 0.05}, MeasuredValue(1, (0.99, 1.01)), DIFFERS),
        ("below", {"bound": 1}, MeasuredValue(1, (0.99, 1.01)), UNDECIDED),
        ("equivalent", EFFECT, MeasuredValue(1, (0.97, 1.03)), AGREES),
        ("equivalent", EFFECT, MeasuredValue(1.2, (1.1, 1.3)), DIFFERS),
        ("equivalent", EFFECT, MeasuredValue(1, (0.9, 1.1)), UNDECIDED),
        ("changed", EFFECT, MeasuredValue(1, (0.97, 1.03)), DIFFERS),
        ("changed", EFFECT, MeasuredValue(0.8, (0.7, 0.9)), AGREES),
        ("changed", EFFECT, MeasuredValue(1, (0.9, 1.1)), UNDECIDED),
        ("holds", {}, MeasuredValue(holds=True), AGREES),
        ("holds", {"expected": False}, MeasuredValue(holds=True), DIFFERS),
        ("holds", {}, MeasuredValue(holds=None), UNDECIDED),
    ],
)
def test_verdicts(comparison: str, parameters: dict[str, Any], measured: MeasuredValue, verdict: Verdict) -> None:
    assert judge(comparison, measured, **parameters)[0] == verdict
    assert judge(comparison, measured, **parameters)[1]


def test_reasons_name_directions_and_ranges() -> None:
    assert judge("between", MeasuredValue(36), **RANGE)[1] == "our value is above the published range"
    assert judge("between", MeasuredValue(6), **RANGE)[1] == "our value is below the published range"
    undecided = "our interval overlaps the published value, but any value from 3.00 to 30.0 would agree"
    assert judge("between", MeasuredValue(5, (3, 30)), low=4, high=4)[1] == undecided
    within = "24.0 lies within the 95 % range of 10 games (20.0 to 28.0)"
    assert judge("single_result", MeasuredValue(23, (20, 28)), value=24, sample="10 games")[1] == within
    unknown = "the measured value is unknown: no game ended"
    assert judge("between", MeasuredValue(basis="no game ended"), **RANGE)[1] == unknown


def test_all_or_any_of_several_values() -> None:
    above, below, around = MeasuredValue(2, (1.5, 3)), MeasuredValue(0.5, (0.4, 0.9)), MeasuredValue(1, (0.5, 2))
    every = Criterion("above", {"bound": 1})
    some = Criterion("above", {"bound": 1}, "any")
    assert every.compare([above, above]).verdict == AGREES
    assert every.compare([above, around]).verdict == UNDECIDED
    assert every.compare([above, around, below]).verdict == DIFFERS
    assert every.compare([above, below]).reason == "the 95 % interval (0.40 to 0.90) is not above 1.00"
    assert some.compare([above, below, around]).verdict == AGREES
    assert some.compare([below, around]).verdict == UNDECIDED
    assert some.compare([below, below]).verdict == DIFFERS


@pytest.mark.parametrize(
    ("verdicts", "label"),
    [
        ([AGREES, AGREES, UNDECIDED], DocumentVerdict.HOLDS),
        ([AGREES, DIFFERS], DocumentVerdict.IN_PART),
        ([DIFFERS, Verdict.OTHER_READING], DocumentVerdict.IN_PART),
        ([DIFFERS, Verdict.FITTED], DocumentVerdict.DOES_NOT_HOLD),
        ([AGREES, UNDECIDED, UNDECIDED], DocumentVerdict.UNJUDGED),
        ([], DocumentVerdict.UNJUDGED),
    ],
)
def test_label_of_a_document(verdicts: list[Verdict], label: DocumentVerdict) -> None:
    assert judge_document(verdicts) == label


def test_ratio_to_an_interval_with_zero_is_unbounded() -> None:
    assert ratio(MeasuredValue(4, (2, 8)), MeasuredValue(2, (0, 4))).interval[1] == math.inf
    assert ratio(MeasuredValue(4, (0, 8)), MeasuredValue(2, (1, 4))).interval[0] == 0
    assert more_or_less(MeasuredValue(4, (0, 8)), MeasuredValue(2, (1, 4))) == "no significant difference"
    assert judge("above", ratio(MeasuredValue(4), MeasuredValue(2)), bound=1)[0] == UNDECIDED
    low, high = ratio(MeasuredValue(4, (2, 8)), MeasuredValue(2, (2, 2))).interval
    assert (round(low, 9), round(high, 9)) == (1, 4)


def test_share_and_rank_correlation() -> None:
    assert str(share(96, 100)) == "96 % (90 % to 98 %)"
    assert rank_correlation([1, 2, 3, 4, 5], [2, 3, 5, 7, 11]).value == pytest.approx(1)
    assert rank_correlation([1, 2, 2, 3], [1, 2, 2, 1]).value == pytest.approx(0)
    assert rank_correlation([1, 1, 1], [1, 2, 3]).value == 0
    assert rank_correlation([1, 2, 3], [3, 2, 1]).ci95 == (-1, 1)
    assert MeasuredValue(None, (5, math.inf)).ends == "5.00 upwards"
