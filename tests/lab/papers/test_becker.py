from pathlib import Path
from typing import Any

import pytest

from tetrion.board import Board
from tetrion.evaluation.workers import start_threads
from tetrion.lab.papers.becker import becker_figures, becker_findings, becker_games
from tetrion.lab.papers.becker.becker_games import BECKER_BEFORE_CLEARING, BECKER_CODE_READING, BECKER_READINGS
from tetrion.lab.papers.becker.becker_paper import BECKER_PAPER
from tetrion.lab.reproduction.measurements import GameMeasurement, MeasurementContext
from tetrion.lab.reproduction.paper_definition import Claim, ClaimKind
from tetrion.lab.reproduction.published_values import Verdict
from tetrion.lab.reproduction.reproduction import compare_claim


def make_games(lines: float, spread: float = 0.02) -> dict[str, Any]:
    """Return the summary of games with the given mean number of lines."""
    interval = (lines * (1 - spread), lines * (1 + spread))
    summary = {"mean": lines, "ci95": interval, "played": lines, "played_ci95": interval, "deviation": lines}
    return {"games": 100, "capped": 0, "cap": None, "lines": summary}


def make_results(lines: float = 36, **others: float) -> dict[str, Any]:
    """Return results in which all measurements have the same lines, except the named ones ("_" for "-")."""
    results = {measurement.name: make_games(lines) for measurement in BECKER_PAPER.measurements}
    return results | {name.replace("_", "-"): make_games(value) for name, value in others.items()}


def make_training(**factors: float) -> dict[str, Any]:
    """Return a training with one seed in which the named parameters were multiplied by these factors."""
    numbers = {
        name: given * factors.get(name.replace(" ", "_"), 1) for name, given in becker_findings.SLIDE_PARAMETERS.items()
    }
    return {"runs": [{"result": {"parameters": numbers, "uncorrected": {"lines": {"mean": 500, "ci95": (450, 550)}}}}]}


def make_distribution(**games: int) -> list[int]:
    """Return the numbers of games with 0 to 120 lines, of which the named ones are not 0: `lines_90=5`."""
    return [games.get(f"lines_{lines}", 0) for lines in range(121)]


def get_claim(statement: str) -> Claim:
    """Return a claim of the paper."""
    return next(claim for claim in BECKER_PAPER.claims if claim.statement == statement)


def test_constants_of_the_slides_are_not_counted_as_reproduced() -> None:
    transcribed = [claim.statement for claim in BECKER_PAPER.claims if claim.kind == ClaimKind.TRANSCRIPTION]
    assert len(transcribed) == 6
    assert all(becker_findings.check_curve_points(feature, {}).holds for feature in becker_findings.SLIDE_CURVE_POINTS)
    assert becker_findings.check_weight_sum({}).holds


def test_curve_that_misses_a_point_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(becker_findings.SLIDE_CURVE_POINTS, "holes", {0: 1, 8: 0.6})
    assert becker_findings.check_curve_points("holes", {}).holds is False


def test_evaluation_is_one_for_empty_board_and_less_for_bad_board() -> None:
    assert becker_games.evaluate_board(Board()) == pytest.approx(1)
    board = Board.from_text("\n".join(["X.X.X.X.X.", ".X.X.X.X.X"] * 9), rows=20)
    assert 0 <= becker_games.evaluate_board(board) < 0.2


def test_decisions_are_measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(becker_games, "TIMED_DECISIONS", 3)
    with start_threads(1) as workers:
        decisions = becker_games.measure_decisions(MeasurementContext(tmp_path, 1, True, workers))
    assert 9 <= decisions["placements"] <= decisions["most_placements"] <= 34
    assert becker_findings.check_evaluation_range({"decisions": decisions}).holds
    assert becker_findings.compute_evaluation_seconds({"decisions": decisions}).is_machine_dependent


def test_distributions_are_measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(becker_games, "_QUICK_DISTRIBUTION_GAMES", 20)
    with start_threads(1) as workers:
        distributions = becker_games.measure_distributions(MeasurementContext(tmp_path, 1, True, workers))
    assert {name: sum(counts) for name, counts in distributions.items()} == dict.fromkeys(BECKER_READINGS, 20)


@pytest.mark.parametrize(("decision", "verdict"), [(0.006, Verdict.AGREES), (0.00001, Verdict.DIFFERS)])
def test_time_is_our_own_comparison_without_other_readings(decision: float, verdict: Verdict) -> None:
    results = {"decisions": {"placements": 20, "time": {"decision": decision}}}
    row = compare_claim(get_claim("time per evaluation"), results)
    assert (row.verdict, row.kind, row.readings) == (verdict, ClaimKind.OWN, ())
    assert row.is_machine_dependent
    assert "e-" not in row.measured
    assert "per decision about one piece" in row.measured


@pytest.mark.parametrize(
    ("lines", "most", "verdict"),
    [
        (36, 34, Verdict.AGREES),
        (30, 34, Verdict.DIFFERS),
        (34.2, 34, Verdict.UNDECIDED),
        (36, 60, Verdict.UNDECIDED),  # the longest decision is longer than the tested time
    ],
)
def test_thread_is_needed_if_decision_time_costs_lines(lines: float, most: int, verdict: Verdict) -> None:
    results = make_results(thinking_11=lines) | {
        becker_games.BECKER_FAST_FALL_THINKING: make_games(lines),
        "decisions": {"placements": 24, "most_placements": most},
    }
    row = compare_claim(get_claim("a second thread for the decision is probably not needed"), results)
    assert row.verdict == verdict
    assert row.readings[0].verdict == (Verdict.AGREES if most == 60 else verdict)
    slow = becker_findings.check_thread_need(results | {"thinking-3000": make_games(20)})
    assert ("3 s is the shortest" in slow.evidence) is (lines != 30)


def test_best_of_more_games_is_higher() -> None:
    counts = make_distribution(lines_20=900, lines_60=90, lines_100=10)
    assert [becker_findings.compute_best_of_games(counts, games).value for games in (1, 10, 100)] == [20, 60, 100]
    assert becker_findings.compute_best_of_games(counts, 10).interval == (20, 100)


@pytest.mark.parametrize(
    ("counts", "verdict"),
    [
        (make_distribution(lines_60=900, lines_90=100), Verdict.AGREES),
        (make_distribution(lines_20=1000), Verdict.DIFFERS),
        (make_distribution(lines_10=970, lines_100=30), Verdict.UNDECIDED),
    ],
)
def test_best_game_is_compared_under_each_reading(counts: list[int], verdict: Verdict) -> None:
    row = compare_claim(get_claim("the best game"), {"distributions": dict.fromkeys(BECKER_READINGS, counts)})
    assert row.verdict == verdict
    assert len(row.readings) == 4
    assert ("10, 20, 50 and 100 games alike" in row.basis) is (verdict != Verdict.DIFFERS)
    fits = becker_figures.make_best_games_table({"distributions": dict.fromkeys(BECKER_READINGS, counts)})
    assert len(fits) == len(BECKER_READINGS) * len(becker_findings.BEST_GAME_SERIES)
    assert fits[1][-1] == ("no" if verdict == Verdict.DIFFERS else "yes")


@pytest.mark.parametrize(
    ("ours", "fast", "verdict"),
    [(25, 25, Verdict.AGREES), (36, 25, Verdict.CHOSEN_READING), (36, 36, Verdict.DIFFERS)],
)
def test_lines_are_compared_under_each_reading(ours: float, fast: float, verdict: Verdict) -> None:
    results = make_results(ours, falling_60=fast, falling_75=33, falling_50=19)
    row = compare_claim(get_claim("lines per game"), results)
    assert row.verdict == verdict
    assert "33.0 ± 0.7 with 0.75 times and 19.0 ± 0.4 with 0.5 times" in row.readings[0].basis


def test_what_contradicts_the_code_is_no_reading() -> None:
    readings = [reading.description for claim in BECKER_PAPER.claims for reading in claim.readings]
    assert BECKER_READINGS[BECKER_BEFORE_CLEARING].description not in readings


def test_readings_of_lines_and_best_game_have_as_many_games() -> None:
    budgets = {
        measurement.name: measurement.games
        for measurement in BECKER_PAPER.measurements
        if isinstance(measurement, GameMeasurement)
    }
    assert {budgets[name] for name in BECKER_READINGS} == {becker_games._DISTRIBUTION_GAMES}


@pytest.mark.parametrize(("clearing", "holds"), [(90, True), (10, False), (50, None)])
def test_usually_means_in_more_than_half_of_the_games(clearing: int, holds: bool | None) -> None:
    counts = make_distribution(lines_0=100 - clearing, lines_2=clearing)
    measured = becker_findings.check_usually_clears_lines({"distributions": {BECKER_CODE_READING: counts}})
    assert measured.holds is holds


def test_share_of_nearly_all_games_is_shown_as_a_bound() -> None:
    counts = make_distribution(lines_2=20_000)
    measured = becker_findings.check_usually_clears_lines({"distributions": {BECKER_CODE_READING: counts}})
    assert measured.evidence == "95 % interval of the share: above 99.9 %"


def test_answer_on_learning_names_straight_lines() -> None:
    results = make_results() | {"tuned": make_training(), becker_games.STRAIGHT_LINES: make_games(67)}
    answer = becker_findings.describe_learning_gain(results)
    assert "can be chosen far better" in answer
    assert "67.0 ± 1.3 (more than the slides' curves)" in answer


@pytest.mark.parametrize(
    ("lines", "verdict"), [(36, Verdict.AGREES), (5000, Verdict.DIFFERS), (500, Verdict.UNDECIDED)]
)
def test_learning_is_compared_with_the_slides(lines: float, verdict: Verdict) -> None:
    results = {BECKER_CODE_READING: make_games(lines), "tuned": make_training()}
    assert compare_claim(get_claim("machine learning gives a better agent"), results).verdict == verdict


def test_each_variant_has_one_change() -> None:
    variants = becker_games.make_variants()
    assert "max_height" not in variants["without max height"].weights
    assert len(variants["with a term for cleared lines"].weights) == 5
    assert set(variants["straight lines instead of curves"].weights) == set(becker_findings.SLIDE_CURVE_POINTS)


def test_cost_of_decision_time_follows_results() -> None:
    assert becker_findings.describe_thinking_time(make_results()).startswith("Even 6 seconds")
    answer = becker_findings.describe_thinking_time(make_results(thinking_3000=20, thinking_6000=10))
    assert "that costs lines is 3 seconds" in answer


def test_largest_gain_is_named_only_if_a_variant_is_better() -> None:
    name = "without max height"
    assert "The largest gain" not in becker_findings.describe_limits(make_results())
    answer = becker_findings.describe_limits(make_results() | {name: make_games(90)})
    assert f"The largest gain comes from this change: {name}" in answer


def test_interpretations_are_compared_with_published_range() -> None:
    results = make_results() | {BECKER_BEFORE_CLEARING: make_games(25)}
    fits = {row[0]: row[-1] for row in becker_figures.make_interpretations_table(results)}
    assert fits["boards are evaluated before full rows are removed (contradicts the code)"] == "yes"
    assert fits[f"as in the slides' code; {becker_games.DEFAULT_GAME_END}"] == "no"


def test_largest_parameter_changes_come_first() -> None:
    results = {"tuned": make_training(max_height_weight=0.01, holes_slope=3)}
    table = becker_figures.make_learnt_parameters_table(results)
    assert [row[0] for row in table][:2] == ["max height weight", "holes slope"]
    assert "max height weight (from 0.35 to 0.0035)" in becker_findings.describe_parameter_changes(results)
    first = make_training(max_height_weight=0.01, holes_slope=3)["runs"]
    second = make_training(max_height_weight=5, holes_slope=2)["runs"]
    answer = becker_findings.describe_parameter_changes({"tuned": {"runs": first + second}})
    assert "holes slope (from 0.5 to 1.25)" in answer
    assert "Different directions with different seeds: max height weight" in answer


@pytest.mark.parametrize(
    ("number", "text"), [(0.00373, "0.00373"), (12.34, "12.3"), (4321, "4,321"), (1e-9, "almost 0")]
)
def test_small_numbers_have_three_significant_digits(number: float, text: str) -> None:
    assert becker_findings.format_small_number(number) == text
