from pathlib import Path
from typing import Any

import pytest

from tetrion.board import Board
from tetrion.evaluation.workers import start_threads
from tetrion.lab.papers.becker import becker_paper as becker
from tetrion.lab.reproduction.measurements import MeasurementContext


def make_games(lines: float, spread: float = 0.02) -> dict[str, Any]:
    """Return the summary of games with the given mean number of lines."""
    interval = (lines * (1 - spread), lines * (1 + spread))
    summary = {"mean": lines, "ci95": interval, "played": lines, "played_ci95": interval, "deviation": lines}
    return {"games": 100, "capped": 0, "cap": None, "lines": summary}


def make_results(lines: float = 36, **others: float) -> dict[str, Any]:
    """Return results in which all measurements have the same lines, except the named ones ("_" for "-")."""
    results = {measurement.name: make_games(lines) for measurement in becker.BECKER_PAPER.measurements}
    return results | {name.replace("_", "-"): make_games(value) for name, value in others.items()}


def make_training(**factors: float) -> dict[str, Any]:
    """Return a training with one seed in which the named parameters were multiplied by these factors."""
    numbers = {name: given * factors.get(name.replace(" ", "_"), 1) for name, given in becker.SLIDE_PARAMETERS.items()}
    return {"runs": [{"result": {"parameters": numbers, "uncorrected": {"lines": {"mean": 500, "ci95": (450, 550)}}}}]}


def test_curves_go_through_points_of_slides() -> None:
    assert all(becker.check_curve_points(feature, {}).holds for feature in becker.SLIDE_CURVE_POINTS)
    assert becker.check_weight_sum({}).holds


def test_evaluation_is_one_for_empty_board_and_less_for_bad_board() -> None:
    assert becker.evaluate_board(Board()) == pytest.approx(1)
    assert 0 <= becker.evaluate_board(Board.from_text("\n".join(["X.X.X.X.X.", ".X.X.X.X.X"] * 9), rows=20)) < 0.2


def test_decisions_are_measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(becker, "TIMED_DECISIONS", 3)
    with start_threads(1) as workers:
        decisions = becker.measure_decisions(MeasurementContext(tmp_path, 1, True, workers))
    assert becker.check_evaluation_range({"decisions": decisions}).holds
    assert becker.check_decision_time({"decisions": decisions}).is_machine_dependent


@pytest.mark.parametrize(("seconds", "holds"), [(0.000131, True), (0.5, False)])
def test_times_are_written_without_powers_of_ten(seconds: float, holds: bool) -> None:
    ours = becker.check_decision_time({"decisions": {"placements": 20, "time": {"decision": seconds}}})
    assert ours.holds is holds
    assert "e+" not in ours.text


def test_each_variant_has_one_change() -> None:
    variants = becker.make_variants()
    assert "max_height" not in variants["without max height"].weights
    assert len(variants["with a term for cleared lines"].weights) == 5
    assert set(variants["straight lines instead of curves"].weights) == set(becker.SLIDE_CURVE_POINTS)


def test_cost_of_decision_time_follows_results() -> None:
    assert becker.check_thinking_time_cost(make_results()).holds
    assert not becker.check_thinking_time_cost(make_results(thinking_1=20)).holds
    assert becker.describe_thinking_time(make_results()).startswith("Even 6 seconds")
    answer = becker.describe_thinking_time(make_results(thinking_3000=20, thinking_6000=10))
    assert "that costs lines is 3 seconds" in answer


def test_largest_gain_is_named_only_if_a_variant_is_better() -> None:
    name = "without max height"
    assert "The largest gain" not in becker.describe_limits(make_results())
    answer = becker.describe_limits(make_results() | {name: make_games(90)})
    assert f"The largest gain comes from this change: {name}" in answer


def test_interpretations_are_compared_with_published_range() -> None:
    results = make_results() | {becker.BECKER_BEFORE_CLEARING: make_games(25)}
    fits = {row[0]: row[-1] for row in becker.make_interpretations_table(results)}
    assert fits["evaluated before full rows are removed"] == "yes"
    assert fits["as in the slides' code"] == "no"


def test_largest_parameter_changes_come_first() -> None:
    results = {"tuned": make_training(max_height_weight=0.01, holes_slope=3)}
    assert [row[0] for row in becker.make_learnt_parameters_table(results)][:2] == ["max height weight", "holes slope"]
    assert "max height weight (from 0.35 to 0.0035)" in becker.describe_parameter_changes(results)
    first = make_training(max_height_weight=0.01, holes_slope=3)["runs"]
    second = make_training(max_height_weight=5, holes_slope=2)["runs"]
    answer = becker.describe_parameter_changes({"tuned": {"runs": first + second}})
    assert "holes slope (from 0.5 to 1.25)" in answer
    assert "Different directions with different seeds: max height weight" in answer


@pytest.mark.parametrize(
    ("number", "text"), [(0.00373, "0.00373"), (12.34, "12.3"), (4321, "4,321"), (1e-9, "almost 0")]
)
def test_small_numbers_have_three_significant_digits(number: float, text: str) -> None:
    assert becker.format_small_number(number) == text
