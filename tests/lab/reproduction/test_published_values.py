"""Agreement of measured values with published ones."""

import math

import pytest

from tetrion.lab.reproduction.measured_values import compute_ratio, describe_difference
from tetrion.lab.reproduction.published_values import (
    MeasuredValue,
    PublishedLowerBound,
    PublishedMean,
    PublishedOrdering,
    PublishedRange,
    PublishedSample,
    PublishedStatement,
    PublishedValue,
    PublishedWithMargin,
    Verdict,
    decide_above,
)

AGREES = Verdict.AGREES
DIFFERS = Verdict.DIFFERS
UNDECIDED = Verdict.UNDECIDED


@pytest.mark.parametrize(
    ("published", "measured", "verdict"),
    [
        (PublishedRange(low=20, high=30), MeasuredValue(36.7, (35.8, 37.6)), DIFFERS),
        (PublishedRange(low=20, high=30), MeasuredValue(31, (29, 33)), AGREES),
        (PublishedRange(low=20, high=30), MeasuredValue(24), AGREES),
        (PublishedWithMargin(value=100, margin_share=0.1), MeasuredValue(115, (109, 121)), AGREES),
        (PublishedWithMargin(value=100, margin_share=0.1), MeasuredValue(115, (111, 119)), DIFFERS),
        (PublishedLowerBound(bound=10_000), MeasuredValue(10_001), AGREES),
        (PublishedLowerBound(bound=10_000), MeasuredValue(9_999), DIFFERS),
        (PublishedLowerBound(bound=10_000), MeasuredValue(None, (50_000, math.inf)), AGREES),
        (PublishedMean(value=7.5, game_count=10), MeasuredValue(6.2, (6.1, 6.3), standard_deviation=4), AGREES),
        (PublishedMean(value=7.5, game_count=1000), MeasuredValue(6.2, (6.1, 6.3), standard_deviation=4), DIFFERS),
        (PublishedLowerBound(bound=10_000), MeasuredValue(15_000, (9_000, 20_000)), UNDECIDED),
        (PublishedRange(low=4, high=4), MeasuredValue(5, (3, 30)), UNDECIDED),
        (PublishedRange(low=0.5, high=0.5), MeasuredValue(1.6, (-0.4, 4.9)), UNDECIDED),
        (PublishedRange(low=-9, high=-9), MeasuredValue(-8, (-10, -5)), AGREES),
        (PublishedRange(low=0, high=0), MeasuredValue(0, (0, 0)), AGREES),
        (PublishedWithMargin(value=100, margin_share=0.1), MeasuredValue(None, (90, math.inf)), UNDECIDED),
        (PublishedSample(value=90), MeasuredValue(50, (30, 90)), AGREES),
        (PublishedSample(value=91), MeasuredValue(50, (30, 90)), DIFFERS),
        (PublishedSample(value=29), MeasuredValue(50, (30, 90)), DIFFERS),
        (PublishedSample(value=50), MeasuredValue(50, (10, 90)), UNDECIDED),
        (PublishedOrdering("more"), MeasuredValue(2, (1.5, 3)), AGREES),
        (PublishedOrdering("more"), MeasuredValue(0.5, (0.4, 0.9)), DIFFERS),
        (PublishedOrdering("more"), MeasuredValue(1.2, (0.8, 1.6)), UNDECIDED),
        (PublishedOrdering("more"), MeasuredValue(1.2), UNDECIDED),
        (PublishedOrdering("more"), MeasuredValue(basis="too few games have ended"), UNDECIDED),
        (PublishedStatement("a statement"), MeasuredValue(holds=True), AGREES),
        (PublishedStatement("a statement"), MeasuredValue(holds=False), DIFFERS),
        (PublishedStatement("a statement"), MeasuredValue(holds=None), UNDECIDED),
    ],
)
def test_verdicts(published: PublishedValue, measured: MeasuredValue, verdict: Verdict) -> None:
    comparison = published.compare(measured)
    assert comparison.verdict == verdict
    assert comparison.reason


def test_unknown_values_are_undecided() -> None:
    for published in (
        PublishedRange(low=0, high=1),
        PublishedWithMargin(value=1),
        PublishedMean(value=1, game_count=10),
        PublishedLowerBound(bound=0),
        PublishedSample(value=1),
        PublishedOrdering("more"),
        PublishedStatement("a statement"),
    ):
        assert published.compare(MeasuredValue()).verdict == UNDECIDED


def test_reason_names_the_direction_of_a_difference() -> None:
    assert "above" in PublishedRange(low=20, high=30).compare(MeasuredValue(36)).reason
    assert "below" in PublishedRange(low=20, high=30).compare(MeasuredValue(6)).reason


@pytest.mark.parametrize(("value", "where"), [(24, "within"), (30, "above"), (10, "below")])
def test_reason_names_the_range_of_as_many_games(value: float, where: str) -> None:
    comparison = PublishedSample(value=value, sample="10 games").compare(MeasuredValue(23, (20, 28)))
    assert comparison.reason == f"the published value lies {where} the 95 % range of 10 games (20.0 to 28.0)"


def test_undecided_reason_names_all_values_that_would_agree() -> None:
    reason = PublishedRange(low=4, high=4).compare(MeasuredValue(5, (3, 30))).reason
    assert reason == "our interval overlaps the published value, but any value from 3.00 to 30.0 would agree"


def test_criterion_of_ours_stands_beside_the_published_word() -> None:
    published = PublishedStatement("rare", criterion="less than once per 100 lines")
    assert published.formatted == "rare; our criterion: less than once per 100 lines"


def test_interval_around_a_bound_does_not_decide() -> None:
    assert decide_above((2, 3), 1) is True
    assert decide_above((0.1, 1), 1) is False
    assert decide_above((0.5, 2), 1) is None


def test_formatted_values() -> None:
    assert PublishedMean(value=14_304, game_count=10).formatted == "14,304 (10 games)"
    assert PublishedRange("20–30, best 90", low=20, high=30).formatted == "20–30, best 90"
    assert PublishedRange(low=20, high=30).formatted == "20.0 to 30.0"
    assert PublishedLowerBound(bound=1500).formatted == "> 1,500"
    assert PublishedWithMargin(value=3906, margin_share=0.007).formatted == "3,906 ± 0.7 %"
    assert MeasuredValue(3906, (3900, 3912)).formatted == "3,906 ± 6"
    assert MeasuredValue(None, (5, math.inf)).formatted == "> 5.00"


def test_ratio_to_an_interval_with_zero_is_unbounded() -> None:
    assert compute_ratio(MeasuredValue(4, (2, 8)), MeasuredValue(2, (0, 4))).interval[1] == math.inf
    assert compute_ratio(MeasuredValue(4, (0, 8)), MeasuredValue(2, (1, 4))).interval[0] == 0
    assert describe_difference(MeasuredValue(4, (0, 8)), MeasuredValue(2, (1, 4))) == "no significant difference"
    low, high = compute_ratio(MeasuredValue(4, (2, 8)), MeasuredValue(2)).interval
    assert (round(low, 9), round(high, 9)) == (1, 4)


def test_reason_for_an_unknown_value() -> None:
    assert (
        PublishedRange(low=0, high=1).compare(MeasuredValue(basis="no game ended")).reason
        == "the measured value is unknown: no game ended"
    )
