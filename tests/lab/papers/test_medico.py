from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tetrion.board import Board, Placement
from tetrion.evaluation.workers import start_threads
from tetrion.lab.papers.medico import medico_findings, medico_games
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


def make_games(score: float, line: float = 110, spread: float = 0.02, number: int = 1000) -> dict[str, Any]:
    """Return the summary of games with exponentially distributed scores and the given points per line."""
    scores = score * -np.log(1 - (np.arange(number) + 0.5) / number)
    lines = scores / line

    def summarise(values: Any) -> dict[str, Any]:
        mean = float(values.mean())
        ends = (mean * (1 - spread), mean * (1 + spread))
        shape = dict(zip(("min", "q1", "median", "q3", "max"), np.percentile(values, range(0, 101, 25)), strict=True))
        return {"mean": mean, "ci95": ends, "played": mean, "played_ci95": ends, "deviation": mean, **shape}

    return {
        "games": number,
        "capped": 0,
        "cap": None,
        "score": summarise(scores),
        "lines": summarise(lines),
        "points_per_line": line,
        "tetris_rate": (line - 40) / 260,
        "normalised_variance": 1.0,
        "sample": {"score": scores.tolist(), "lines": lines.tolist()},
    }


def test_published_runs_are_consistent() -> None:
    assert compute_published_statistic("mean") == 14_304
    assert compute_published_statistic("best") == 38_620
    assert compute_published_statistic("worst") == 1580
    assert sum(run.lines for run in MEDICO_RUNS) == 1302
    assert compute_published_statistic("points per line") == pytest.approx(143_040 / 1302)
    assert medico_findings.check_table_averages({}).holds


def test_possible_tetrises_follow_from_points_and_lines() -> None:
    assert MEDICO_RUNS[7].possible_tetrises == [1]  # 1,580 points with 12 lines
    assert PublishedRun(1200, 4, 300).possible_tetrises == [1]
    assert PublishedRun(300, 3, 100).possible_tetrises == [0]
    assert PublishedRun(200, 4, 50).possible_tetrises == [0]
    assert PublishedRun(50, 1, 50).possible_tetrises == []
    assert 0 < MEDICO_TETRIS_SHARES[0] < MEDICO_TETRIS_SHARES[1] < 1


def test_published_runs_fit_only_similar_games() -> None:
    same = make_games(14_304, compute_published_statistic("points per line"))
    assert fits_published_runs(same)
    assert compute_p_value(make_games(100_000), "mean") < 0.01
    assert not fits_published_runs(make_games(100_000, compute_published_statistic("points per line")))
    assert not fits_published_runs(make_games(14_304, 50))
    assert compute_share_below(same, 0) < 0.01 < 0.99 < compute_share_below(same, 10**6)
    assert medico_findings.check_each_run({"medico": same}).holds
    assert not medico_findings.check_each_run({"medico": make_games(1_000_000)}).holds


def test_points_per_line_have_no_spread_if_all_games_are_equal() -> None:
    ours = compute_points_per_line(make_games(1000, 80))
    assert ours.value == 80
    assert ours.interval == pytest.approx((80, 80))


def test_tuck_rests_below_filled_cells() -> None:
    board = Board.from_text("XX........\n..........\nX.........", rows=20)
    assert is_tuck(board, Placement("I", 0, 1, 0))
    assert not is_tuck(board, Placement("I", 0, 2, 0))


def test_sum_of_heights_is_filled_cells_plus_holes() -> None:
    features = Board.from_text("XX....XXX.\n..X.......\nX.X..X....", rows=20).measure_features()
    assert features["aggregate_height"] == features["filled_cells"] + features["holes"]


def test_parameters_are_removed_from_both_modes() -> None:
    agent = remove_parameters("danger", "holes")
    assert agent.second_mode is not None
    for weights in (agent.weights, agent.second_mode.weights):
        assert not {"danger", "holes"} & set(weights)
    other = change_mode_selector("max_height", 12).second_mode
    assert other is not None
    assert (other.selector, other.threshold) == ("max_height", 12)


def test_game_events_are_counted() -> None:
    others = {"itself": MEDICO_BOT, "one": MEDICO_BOT.with_(depth=1)}
    counts = count_game_events(MEDICO_BOT, 3, 1, others=others)
    assert counts["scoring pieces"] + counts["recovery pieces"] == counts["pieces"] > 20
    assert counts["recoveries"] <= counts["troubles"]
    assert counts["filled"] <= counts["tucks"]
    assert "itself" not in counts
    assert 0 < counts["one"] < counts["pieces"]
    assert 0 < counts["one, left"] / counts["one"] < counts["pieces"]


def test_decisions_are_measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(medico_games, "QUICK_EXAMINED_DECISIONS", 2)
    with start_threads(1) as workers:
        context = MeasurementContext(tmp_path, 1, True, workers)
        decisions = medico_games.measure_decisions(context)
    assert decisions["looked"] == 2
    assert decisions["placements"] < decisions["leaves"] <= decisions["most"]
    assert medico_findings.check_search_size({"decisions": decisions}).is_machine_dependent


def make_results(
    recovery: float = 70_000, drop: float = 16_000, straight: float = 15_500, learnt: float = 50_000
) -> Any:
    """Return results of all measurements with the given scores."""
    counts = {"pieces": 100, "scoring pieces": 60, "troubles": 10, "recoveries": 9, "tucks": 5, "one piece": 30}
    summaries: dict[str, Any] = {measurement.name: make_games(14_000) for measurement in MEDICO_PAPER.measurements}
    ends = (0.9 * learnt, 1.1 * learnt)
    run = {"uncorrected": {"score": {"mean": learnt, "ci95": ends}}, "held_out": {"points_per_line": 90.0}}
    return summaries | {
        "threshold-0": make_games(recovery, 50),
        "recovery, cut": make_games(recovery),
        "drop": make_games(drop),
        "above": make_games(15_000),
        "above, drop": make_games(straight),
        "tuned": {"runs": [{"result": run}]},
        "followed": {"games": 6}
        | dict.fromkeys(("both", "one", "unfilled", "unholed", "above", "above, drop"), counts),
    }


def test_answers_follow_results() -> None:
    assert "loses more because games are shorter" in medico_findings.describe_modes(make_results())
    assert "gains more from points per line" in medico_findings.describe_modes(make_results(recovery=5000))
    assert "do not differ measurably" in medico_findings.describe_modes(make_results(recovery=14_100))
    assert "recovery mode alone is best" in medico_findings.describe_thresholds(make_results())
    assert "the best threshold is" in medico_findings.describe_thresholds(make_results(recovery=5000))
    assert "the loss comes from the path along the top" in medico_findings.describe_tucks(make_results(straight=15_000))
    for others in (make_results(straight=17_000), make_results(drop=14_000)):
        assert "the loss comes from the path along the top" not in medico_findings.describe_tucks(others)
    assert "learnt compared with recovery mode alone: less" in medico_findings.describe_learnt_weights(make_results())
    assert "learnt compared with recovery mode alone: more" in medico_findings.describe_learnt_weights(
        make_results(learnt=200_000)
    )


def test_claims_follow_results() -> None:
    assert medico_findings.check_scoring_mode_risk(make_results()).holds
    assert not medico_findings.check_scoring_mode_risk(make_results(recovery=5000)).holds
    assert medico_findings.check_learnt_weights(make_results()).holds
    assert not medico_findings.check_learnt_weights(make_results(learnt=14_000)).holds
    assert not medico_findings.make_parameter_gain_check("holes")(make_results()).holds


def test_difference_is_named_only_if_measurable() -> None:
    assert describe_difference(MeasuredValue(2, (1.9, 2.1)), MeasuredValue(1, (0.9, 1.1))) == "more"
    assert describe_difference(MeasuredValue(1, (0.9, 1.1)), MeasuredValue(2, (1.9, 2.1))) == "less"
    assert describe_difference(MeasuredValue(1, (0.5, 2)), MeasuredValue(1.2, (1, 1.4))) == "no significant difference"
