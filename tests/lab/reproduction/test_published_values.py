"""Agreement of measured values with published ones."""

import math

import pytest

from tetrion.lab.reproduction.measured_values import compute_ratio, describe_difference
from tetrion.lab.reproduction.published_values import (
    MeasuredValue,
    PublishedLowerBound,
    PublishedMean,
    PublishedRange,
    PublishedStatement,
    PublishedValue,
    PublishedWithMargin,
)


@pytest.mark.parametrize(
    ("published", "measured", "agrees"),
    [
        (PublishedRange(low=20, high=30), MeasuredValue(36.7, (35.8, 37.6)), False),
        (PublishedRange(low=20, high=30), MeasuredValue(31, (29, 33)), True),
        (PublishedRange(low=20, high=30), MeasuredValue(24), True),
        (PublishedWithMargin(value=100, margin_share=0.1), MeasuredValue(115, (109, 121)), True),
        (PublishedWithMargin(value=100, margin_share=0.1), MeasuredValue(115, (111, 119)), False),
        (PublishedLowerBound(bound=10_000), MeasuredValue(10_001), True),
        (PublishedLowerBound(bound=10_000), MeasuredValue(9_999, (1, 20_000)), False),
        (PublishedLowerBound(bound=10_000), MeasuredValue(None, (50_000, math.inf)), True),
        (PublishedMean(value=7.5, game_count=10), MeasuredValue(6.2, (6.1, 6.3), standard_deviation=4), True),
        (PublishedMean(value=7.5, game_count=1000), MeasuredValue(6.2, (6.1, 6.3), standard_deviation=4), False),
        (PublishedStatement("a statement"), MeasuredValue(holds=True), True),
        (PublishedStatement("a statement"), MeasuredValue(holds=False), False),
    ],
)
def test_verdicts(published: PublishedValue, measured: MeasuredValue, agrees: bool) -> None:
    verdict = published.compare(measured)
    assert verdict.agrees == agrees
    assert verdict.reason


def test_unknown_values_do_not_agree() -> None:
    for published in (
        PublishedRange(low=0, high=1),
        PublishedWithMargin(value=1),
        PublishedMean(value=1, game_count=10),
        PublishedLowerBound(bound=0),
        PublishedStatement("a statement"),
    ):
        assert not published.compare(MeasuredValue()).agrees


def test_reason_names_the_direction_of_a_difference() -> None:
    assert "above" in PublishedRange(low=20, high=30).compare(MeasuredValue(36)).reason
    assert "below" in PublishedRange(low=20, high=30).compare(MeasuredValue(6)).reason


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
