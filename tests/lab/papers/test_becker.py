from pathlib import Path
from typing import Any

import pytest

from tetrion.board import Board
from tetrion.evaluation.workers import threads
from tetrion.lab.papers.becker import paper as becker
from tetrion.lab.reproduction.measuring import Laboratory
from tetrion.lab.reproduction.watching import Watcher


def games(lines: float, spread: float = 0.02) -> dict[str, Any]:
    """What is kept of games with a mean of lines."""
    ends = (lines * (1 - spread), lines * (1 + spread))
    told = {"mean": lines, "ci95": ends, "played": lines, "played_ci95": ends, "deviation": lines}
    return {"games": 100, "capped": 0, "cap": None, "lines": told}


def results(lines: float = 36, **others: float) -> dict[str, Any]:
    """Results in which every agent clears as many lines, but for those that are named (_ for a hyphen)."""
    told = {measurement.name: games(lines) for measurement in becker.PAPER.measurements}
    return told | {name.replace("_", "-"): games(value) for name, value in others.items()}


def learnt(**factors: float) -> dict[str, Any]:
    """A training whose seed left every number as it was, but for these factors."""
    numbers = {name: given * factors.get(name.replace(" ", "_"), 1) for name, given in becker.NUMBERS.items()}
    return {"runs": [{"result": {"numbers": numbers, "as_played": {"lines": {"mean": 500, "ci95": (450, 550)}}}}]}


def test_the_curves_go_through_the_points_of_the_slides() -> None:
    assert all(becker.follows(feature, {}).holds for feature in becker.SLIDES)
    assert becker.weights_add_up({}).holds


def test_an_empty_board_is_worth_one_and_a_bad_one_less() -> None:
    assert becker.evaluation(Board()) == pytest.approx(1)
    assert 0 <= becker.evaluation(Board.from_text("\n".join(["X.X.X.X.X.", ".X.X.X.X.X"] * 9), height=20)) < 0.2


def test_decisions_are_measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(becker, "DECISIONS", 3)
    with threads(1) as workers:
        told = becker.decisions(Laboratory(tmp_path, 1, True, workers, Watcher()))
    assert becker.within_one({"decisions": told}).holds
    assert becker.a_decision({"decisions": told}).varies


@pytest.mark.parametrize(("seconds", "holds"), [(0.000131, True), (0.5, False)])
def test_times_are_written_without_powers_of_ten(seconds: float, holds: bool) -> None:
    ours = becker.a_decision({"decisions": {"placements": 20, "time": {"decision": seconds}}})
    assert ours.holds is holds
    assert "e+" not in ours.words


def test_a_variant_is_changed_in_one_thing() -> None:
    variants = becker.variants()
    assert "max_height" not in variants["without max height"].weights
    assert len(variants["with a term for lines"].weights) == 5
    assert set(variants["straight lines for curves"].weights) == set(becker.SLIDES)


def test_whether_the_decision_costs_lines_follows_the_games() -> None:
    assert becker.not_needed(results()).holds
    assert not becker.not_needed(results(thinking_1=20)).holds
    assert becker.thinking_words(results()).startswith("Even 6 seconds")
    assert "3 seconds are the first" in becker.thinking_words(results(thinking_3000=20, thinking_6000=10))


def test_what_holds_it_back_is_said_only_if_something_does() -> None:
    name = "without max height"
    assert "The most comes" not in becker.limits_words(results())
    assert f"The most comes from playing {name}" in becker.limits_words(results() | {name: games(90)})


def test_readings_fit_by_the_slides_range() -> None:
    rows = {row[0]: row[-1] for row in becker.reading_rows(results() | {becker.BEFORE: games(25)})}
    assert rows["full rows seen"] == "yes"
    assert rows["as the slides' code"] == "no"


def test_what_learning_changed_most_comes_first() -> None:
    told = {"tuned": learnt(max_height_weight=0.01, holes_slope=3)}
    assert [row[0] for row in becker.learnt_rows(told)][:2] == ["max height weight", "holes slope"]
    assert "max height weight (from 0.35 to 0.0035)" in becker.changed_words(told)
    both = learnt(max_height_weight=0.01, holes_slope=3)["runs"] + learnt(max_height_weight=5, holes_slope=2)["runs"]
    words = becker.changed_words({"tuned": {"runs": both}})
    assert "holes slope (from 0.5 to 1.25)" in words
    assert "Not the same way with every seed: max height weight" in words


@pytest.mark.parametrize(
    ("number", "words"), [(0.00373, "0.00373"), (12.34, "12.3"), (4321, "4,321"), (1e-9, "almost 0")]
)
def test_small_numbers_keep_their_figures(number: float, words: str) -> None:
    assert becker.number_words(number) == words
