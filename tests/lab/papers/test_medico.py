from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tetrion.board import Board, Placement
from tetrion.evaluation.workers import start_threads
from tetrion.lab.papers.medico import medico_findings as found
from tetrion.lab.papers.medico import medico_games
from tetrion.lab.papers.medico.medico_games import (
    MEDICO_BOT,
    change_mode_selector,
    count_game_events,
    is_tuck,
    remove_parameters,
)
from tetrion.lab.papers.medico.medico_paper import MEDICO_PAPER
from tetrion.lab.papers.medico.medico_published_runs import (
    MEDICO_RUNS,
    MEDICO_TETRIS_SHARES,
    PublishedRun,
    compute_p_value,
    compute_points_per_line,
    compute_published_statistic,
    compute_share_below,
    fits_published_runs,
)
from tetrion.lab.reproduction.measured_values import describe_difference
from tetrion.lab.reproduction.measurements import MeasurementContext
from tetrion.lab.reproduction.published_values import MeasuredValue
from tetrion.lab.reproduction.reproduction_observer import ReproductionObserver


def games(score: float, line: float = 110, spread: float = 0.02, number: int = 1000) -> dict[str, Any]:
    """What is kept of games with a mean score, spread like an exponential, and points a line."""
    scores = score * -np.log(1 - (np.arange(number) + 0.5) / number)
    lines = scores / line

    def told(numbers: Any) -> dict[str, Any]:
        value = float(numbers.mean())
        ends = (value * (1 - spread), value * (1 + spread))
        shape = dict(zip(("min", "q1", "median", "q3", "max"), np.percentile(numbers, range(0, 101, 25)), strict=True))
        return {"mean": value, "ci95": ends, "played": value, "played_ci95": ends, "deviation": value, **shape}

    return {
        "games": number,
        "capped": 0,
        "cap": None,
        "score": told(scores),
        "lines": told(lines),
        "points_per_line": line,
        "tetris_rate": (line - 40) / 260,
        "normalised_variance": 1.0,
        "sample": {"score": scores.tolist(), "lines": lines.tolist()},
    }


def test_the_ten_runs_add_up() -> None:
    assert compute_published_statistic("mean") == 14_304
    assert compute_published_statistic("best") == 38_620
    assert compute_published_statistic("worst") == 1580
    assert sum(run.lines for run in MEDICO_RUNS) == 1302
    assert compute_published_statistic("points a line") == pytest.approx(143_040 / 1302)
    assert found.check_table_averages({}).holds


def test_points_and_lines_tell_how_many_fours_a_run_can_have_had() -> None:
    assert MEDICO_RUNS[7].possible_tetrises == [1]  # 1,580 points by 12 lines
    assert PublishedRun(1200, 4, 300).possible_tetrises == [1]
    assert PublishedRun(300, 3, 100).possible_tetrises == [0]
    assert PublishedRun(200, 4, 50).possible_tetrises == [0]
    assert PublishedRun(50, 1, 50).possible_tetrises == []
    assert 0 < MEDICO_TETRIS_SHARES[0] < MEDICO_TETRIS_SHARES[1] < 1


def test_ten_runs_fit_games_like_them_and_no_others() -> None:
    same = games(14_304, compute_published_statistic("points a line"))
    assert fits_published_runs(same)
    assert compute_p_value(games(100_000), "mean") < 0.01
    assert not fits_published_runs(games(100_000, compute_published_statistic("points a line")))
    assert not fits_published_runs(games(14_304, 50))
    assert compute_share_below(same, 0) < 0.01 < 0.99 < compute_share_below(same, 10**6)
    assert found.check_each_run({"medico": same}).holds
    assert not found.check_each_run({"medico": games(1_000_000)}).holds


def test_points_a_line_are_certain_where_every_game_has_the_same() -> None:
    ours = compute_points_per_line(games(1000, 80))
    assert ours.value == 80
    assert ours.interval == pytest.approx((80, 80))


def test_a_tuck_rests_below_something() -> None:
    board = Board.from_text("XX........\n..........\nX.........", rows=20)
    assert is_tuck(board, Placement("I", 0, 1, 0))
    assert not is_tuck(board, Placement("I", 0, 2, 0))


def test_the_sum_of_heights_is_filled_cells_and_holes() -> None:
    features = Board.from_text("XX....XXX.\n..X.......\nX.X..X....", rows=20).measure_features()
    assert features["aggregate_height"] == features["filled_cells"] + features["holes"]


def test_parameters_are_left_out_of_both_modes() -> None:
    agent = remove_parameters("danger", "holes")
    assert agent.second_mode is not None
    for weights in (agent.weights, agent.second_mode.weights):
        assert not {"danger", "holes"} & set(weights)
    other = change_mode_selector("max_height", 12).second_mode
    assert other is not None
    assert (other.selector, other.threshold) == ("max_height", 12)


def test_games_are_followed_piece_by_piece() -> None:
    others = {"itself": MEDICO_BOT, "one": MEDICO_BOT.with_(depth=1)}
    counts = count_game_events(MEDICO_BOT, 3, 1, others=others)
    assert counts["scoring pieces"] + counts["recovery pieces"] == counts["pieces"] > 20
    assert counts["recoveries"] <= counts["troubles"]
    assert counts["filled"] <= counts["tucks"]
    assert "itself" not in counts
    assert 0 < counts["one"] < counts["pieces"]
    assert 0 < counts["one, left"] / counts["one"] < counts["pieces"]


def test_a_decision_is_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(medico_games, "QUICK_EXAMINED_DECISIONS", 2)
    with start_threads(1) as workers:
        told = medico_games.measure_decisions(MeasurementContext(tmp_path, 1, True, workers, ReproductionObserver()))
    assert told["looked"] == 2
    assert told["placements"] < told["leaves"] <= told["most"]
    assert found.check_search_size({"decisions": told}).is_machine_dependent


def results(recovery: float = 70_000, drop: float = 16_000, straight: float = 15_500, learnt: float = 50_000) -> Any:
    """Results of every kind, in which these are the scores that decide."""
    counts = {"pieces": 100, "scoring pieces": 60, "troubles": 10, "recoveries": 9, "tucks": 5, "one piece": 30}
    told: dict[str, Any] = {measurement.name: games(14_000) for measurement in MEDICO_PAPER.measurements}
    ends = (0.9 * learnt, 1.1 * learnt)
    run = {"uncorrected": {"score": {"mean": learnt, "ci95": ends}}, "held_out": {"points_per_line": 90.0}}
    return told | {
        "threshold-0": games(recovery, 50),
        "recovery, cut": games(recovery),
        "drop": games(drop),
        "above": games(15_000),
        "above, drop": games(straight),
        "tuned": {"runs": [{"result": run}]},
        "followed": {"games": 6}
        | dict.fromkeys(("both", "one", "unfilled", "unholed", "above", "above, drop"), counts),
    }


def test_answers_follow_the_numbers() -> None:
    assert "gains by worthier lines it loses" in found.describe_modes(results())
    assert "gains more by worthier lines" in found.describe_modes(results(recovery=5000))
    assert "cannot be told apart" in found.describe_modes(results(recovery=14_100))
    assert "recovery mode alone is the best" in found.describe_thresholds(results())
    assert "the best threshold is" in found.describe_thresholds(results(recovery=5000))
    assert "it is the way along the top that costs points" in found.describe_tucks(results(straight=15_000))
    for others in (results(straight=17_000), results(drop=14_000)):
        assert "it is the way along the top" not in found.describe_tucks(others)
    assert "learnt beside that: less" in found.describe_learnt_weights(results())
    assert "learnt beside that: more" in found.describe_learnt_weights(results(learnt=200_000))


def test_claims_hold_or_not_by_the_numbers() -> None:
    assert found.check_scoring_mode_risk(results()).holds
    assert not found.check_scoring_mode_risk(results(recovery=5000)).holds
    assert found.check_learnt_weights(results()).holds
    assert not found.check_learnt_weights(results(learnt=14_000)).holds
    assert not found.make_parameter_gain_check("holes")(results()).holds


def test_more_and_less_are_said_only_where_the_games_show_it() -> None:
    assert describe_difference(MeasuredValue(2, (1.9, 2.1)), MeasuredValue(1, (0.9, 1.1))) == "more"
    assert describe_difference(MeasuredValue(1, (0.9, 1.1)), MeasuredValue(2, (1.9, 2.1))) == "less"
    assert describe_difference(MeasuredValue(1, (0.5, 2)), MeasuredValue(1.2, (1, 1.4))).startswith("no difference")
