"""Becker's slides: the constants of the slides, and the calculations of the paper."""

from typing import Any

import pytest

from tetrion.papers.becker.measure import (
    SLIDE_PARAMETERS,
    compute_curve,
    parameter_changes,
)

SLIDE_CURVE_POINTS = {  # feature value to curve value; "basically 0" and "~0.5" within 0.02
    "holes": {0: 1, 8: 0.5, 20: 0},
    "aggregate_height": {0: 1, 100: 0.5, 200: 0},
    "bumpiness": {0: 1, 8: 0.5, 20: 0},
    "max_height": {0: 1, 8: 0.5, 20: 0},
}


@pytest.mark.parametrize("feature", SLIDE_CURVE_POINTS)
def test_curves_pass_through_the_points_of_the_slides(feature: str) -> None:
    curve = compute_curve(feature)
    for value, expected in SLIDE_CURVE_POINTS[feature].items():
        assert curve[value] == pytest.approx(expected, abs=0.02)
    assert all(0 <= value <= 1 for value in curve)  # so that the evaluation lies between 0 and 1


def test_parameters_that_change_most_come_first() -> None:
    runs: list[dict[str, Any]] = [
        {"result": {"parameters": SLIDE_PARAMETERS | {"holes weight": factor * 0.2}}} for factor in (8, 10, 12)
    ]
    first, second = parameter_changes({"runs": runs})[:2]
    assert (first["label"], first["given"], first["learned"]) == ("holes weight", "0.2", "2")
    assert (first["range"], first["ratio"], first["is_consistent"]) == ("1.6 to 2.4", "10", True)
    assert (second["ratio"], second["is_consistent"]) == ("1", False)
