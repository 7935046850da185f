from pathlib import Path
from typing import Any

import pytest

from tetrion.board import Board
from tetrion.evaluation.workers import start_threads
from tetrion.lab.papers.becker import becker_paper as becker
from tetrion.lab.reproduction.measurements import MeasurementContext
from tetrion.lab.reproduction.reproduction_observer import ReproductionObserver


def games(lines: float, spread: float = 0.02) -> dict[str, Any]:
    """What is kept of games with a mean of lines."""
    ends = (lines * (1 - spread), lines * (1 + spread))
    told = {"mean": lines, "ci95": ends, "played": lines, "played_ci95": ends, "deviation": lines}
    return {"games": 100, "capped": 0, "cap": None, "lines": told}


def results(lines: float = 36, **others: float) -> dict[str, Any]:
    """Results in which every agent clears as many lines, but for those that are named (_ for a hyphen)."""
    told = {measurement.name: games(lines) for measurement in becker.BECKER_PAPER.measurements}
    return told | {name.replace("_", "-"): games(value) for name, value in others.items()}


def learnt(**factors: float) -> dict[str, Any]:
    """A training whose seed left every number as it was, but for these factors."""
    numbers = {name: given * factors.get(name.replace(" ", "_"), 1) for name, given in becker.SLIDE_PARAMETERS.items()}
    return {"runs": [{"result": {"parameters": numbers, "uncorrected": {"lines": {"mean": 500, "ci95": (450, 550)}}}}]}


def test_the_curves_go_through_the_points_of_the_slides() -> None:
    assert all(becker.check_curve_points(feature, {}).holds for feature in becker.SLIDE_CURVE_POINTS)
    assert becker.check_weight_sum({}).holds


def test_an_empty_board_is_worth_one_and_a_bad_one_less() -> None:
    assert becker.evaluate_board(Board()) == pytest.approx(1)
    assert 0 <= becker.evaluate_board(Board.from_text("\n".join(["X.X.X.X.X.", ".X.X.X.X.X"] * 9), rows=20)) < 0.2


def test_decisions_are_measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(becker, "TIMED_DECISIONS", 3)
    with start_threads(1) as workers:
        told = becker.measure_decisions(MeasurementContext(tmp_path, 1, True, workers, ReproductionObserver()))
    assert becker.check_evaluation_range({"decisions": told}).holds
    assert becker.check_decision_time({"decisions": told}).is_machine_dependent


@pytest.mark.parametrize(("seconds", "holds"), [(0.000131, True), (0.5, False)])
def test_times_are_written_without_powers_of_ten(seconds: float, holds: bool) -> None:
    ours = becker.check_decision_time({"decisions": {"placements": 20, "time": {"decision": seconds}}})
    assert ours.holds is holds
    assert "e+" not in ours.text


def test_a_variant_is_changed_in_one_thing() -> None:
    variants = becker.make_variants()
    assert "max_height" not in variants["without max height"].weights
    assert len(variants["with a term for lines"].weights) == 5
    assert set(variants["straight lines for curves"].weights) == set(becker.SLIDE_CURVE_POINTS)


def test_whether_the_decision_costs_lines_follows_the_games() -> None:
    assert becker.check_thinking_time_cost(results()).holds
    assert not becker.check_thinking_time_cost(results(thinking_1=20)).holds
    assert becker.describe_thinking_time(results()).startswith("Even 6 seconds")
    assert "3 seconds are the first" in becker.describe_thinking_time(results(thinking_3000=20, thinking_6000=10))


def test_what_holds_it_back_is_said_only_if_something_does() -> None:
    name = "without max height"
    assert "The most comes" not in becker.describe_limits(results())
    assert f"The most comes from playing {name}" in becker.describe_limits(results() | {name: games(90)})


def test_readings_fit_by_the_slides_range() -> None:
    rows = {
        row[0]: row[-1]
        for row in becker.make_interpretations_table(results() | {becker.BECKER_BEFORE_CLEARING: games(25)})
    }
    assert rows["full rows seen"] == "yes"
    assert rows["as the slides' code"] == "no"


def test_what_learning_changed_most_comes_first() -> None:
    told = {"tuned": learnt(max_height_weight=0.01, holes_slope=3)}
    assert [row[0] for row in becker.make_learnt_parameters_table(told)][:2] == ["max height weight", "holes slope"]
    assert "max height weight (from 0.35 to 0.0035)" in becker.describe_parameter_changes(told)
    both = learnt(max_height_weight=0.01, holes_slope=3)["runs"] + learnt(max_height_weight=5, holes_slope=2)["runs"]
    words = becker.describe_parameter_changes({"tuned": {"runs": both}})
    assert "holes slope (from 0.5 to 1.25)" in words
    assert "Not the same way with every seed: max height weight" in words


@pytest.mark.parametrize(
    ("number", "words"), [(0.00373, "0.00373"), (12.34, "12.3"), (4321, "4,321"), (1e-9, "almost 0")]
)
def test_small_numbers_keep_their_figures(number: float, words: str) -> None:
    assert becker.format_small_number(number) == words
