from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.lab.papers.medico_results import compare, make_games, make_results
from tetrion.board import Board, Placement
from tetrion.evaluation.workers import start_threads
from tetrion.lab.papers.medico import (
    medico_answers,
    medico_findings,
    medico_games,
    medico_published_runs,
    medico_variants,
)
from tetrion.lab.papers.medico.medico_games import can_clear_line, count_game_events, is_flat, is_tuck
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
from tetrion.lab.papers.medico.medico_variants import (
    CHANGED_WEIGHTS,
    DANGER_ZONES,
    MEDICO_BOT,
    DangerZone,
    change_mode_selector,
    make_equivalent_without_board_fill,
    remove_parameters,
)
from tetrion.lab.reproduction.measurements import MeasurementContext
from tetrion.lab.reproduction.published_values import Verdict
from tetrion.position import Position


def test_published_runs_are_consistent(monkeypatch: pytest.MonkeyPatch) -> None:
    assert compute_published_statistic("mean") == 14_304
    assert sum(run.lines for run in MEDICO_RUNS) == 1302
    assert compute_published_statistic("points per line") == pytest.approx(143_040 / 1302)
    assert medico_findings.check_table_averages({}).holds
    monkeypatch.setattr(medico_findings, "MEDICO_RUNS", [PublishedRun(50, 1, 50)])
    assert not medico_findings.check_table_averages({}).holds


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


def test_distance_of_distributions_is_that_of_kolmogorov_and_smirnov() -> None:
    reference = np.arange(100)
    scores = np.array([[10, 20, 30, 40, 50], [200, 200, 200, 200, 200], [9, 29, 49, 69, 89]])
    assert medico_published_runs.compute_distances(scores, reference) == pytest.approx([0.49, 1, 0.1], abs=0.011)


@pytest.mark.parametrize(
    ("games", "verdict"),
    [(make_games(14_304), Verdict.AGREES), (make_games(14_304, deviation=0.1), Verdict.DIFFERS)],
)
def test_distribution_of_the_ten_scores_is_compared(games: dict[str, Any], verdict: Verdict) -> None:
    assert compare("distribution of the ten scores", {"medico": games}).verdict == verdict


def test_distribution_at_the_significance_level_is_undecided(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(medico_findings, "compute_distance_p_value", lambda data: (0.4, 500, 10_000))
    assert medico_findings.check_score_distribution({"medico": make_games(14_304)}).holds is None


def test_ten_runs_name_the_readings_of_the_fill_level_that_fit() -> None:
    row = compare("mean score of the ten runs", make_results() | {"medico": make_games(14_000, deviation=0.9)})
    assert row.verdict == Verdict.AGREES
    assert row.headline
    assert "21 of the 22 in the table of its interpretations have a p-value of 5 % or more" in row.basis
    assert row.published == "computed from the table: 14,304 (10 games)"
    assert compare("mean score of the ten runs", make_results() | {"medico": make_games(60_000)}).verdict == (
        Verdict.DIFFERS
    )


def test_points_per_line_of_the_ten_runs_are_compared() -> None:
    statement = "points per line of the ten runs together"
    games = make_games(14_000, compute_published_statistic("points per line"))
    scores, lines = (np.array(games["sample"][name]) for name in ("score", "lines"))
    varied = games | {"sample": {"score": scores, "lines": lines * np.resize([0.9, 1.1], len(lines))}}
    assert compare(statement, make_results() | {"medico": varied}).verdict == Verdict.AGREES
    assert compare(statement, make_results() | {"medico": make_games(14_000, 60)}).verdict == Verdict.DIFFERS


@pytest.mark.parametrize(("deviation", "holds"), [(1, True), (0.2, False), (0.5, None)])
def test_variation_is_compared_with_half_of_the_mean(deviation: float, holds: bool | None) -> None:
    games = make_games(14_000, deviation=deviation)
    measured = medico_findings.check_variation({"medico": games})
    assert measured.holds is holds
    assert "The report's ten runs: 13,553, 14,304: 0.95 times" in measured.text


def test_points_per_line_rise_with_tetrises_or_not() -> None:
    statement = "points per line and four-line clears rise together"
    assert compare(statement, make_results()).verdict == Verdict.AGREES
    opposite = make_results() | {"threshold-200": make_games(14_000, 200) | {"tetris_rate": 0.01}}
    assert compare(statement, opposite).verdict == Verdict.DIFFERS


def test_points_per_line_have_no_spread_if_all_games_are_equal() -> None:
    ours = compute_points_per_line(make_games(1000, 80))
    assert ours.value == 80
    assert ours.interval == pytest.approx((80, 80))


def test_tuck_rests_below_filled_cells() -> None:
    board = Board.from_text("XX........\n..........\nX.........", rows=20)
    assert is_tuck(board, Placement("I", 0, 1, 0))
    assert not is_tuck(board, Placement("I", 0, 2, 0))


def test_flat_piece_is_wider_than_high() -> None:
    assert is_flat(Placement("I", 0, 0, 0))
    assert not is_flat(Placement("I", 1, 0, 0))
    assert not is_flat(Placement("O", 0, 0, 0))


@pytest.mark.parametrize(("drawing", "is_possible"), [("XXXXXX....", True), ("XXXXX.....", False)])
def test_line_that_the_piece_can_clear_is_found(drawing: str, is_possible: bool) -> None:
    position = Position.from_board(Board.from_text(drawing, rows=20), "I", next="O", rules="medico")
    assert can_clear_line(position) is is_possible


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


def test_changed_scoring_weights_leave_recovery_mode_unchanged() -> None:
    for name in ("scoring mode without 1, 2 and 3 lines", "scoring mode with recovery rewards"):
        changed = CHANGED_WEIGHTS[name]
        assert changed.second_mode == MEDICO_BOT.second_mode
        assert changed.weights["four_lines"] == MEDICO_BOT.weights["four_lines"]
        assert changed.weights["two_lines"] == (400 if "rewards" in name else 0)
    assert CHANGED_WEIGHTS["low weight of holes"].weights["holes"] == -1
    assert CHANGED_WEIGHTS["low weights of lines"].weights["four_lines"] == 100


@pytest.mark.parametrize(
    ("zone", "row", "expected"),
    [(DangerZone(4, 3, 7), 16, 1), (DangerZone(4, 3, 7), 15, 0), (DangerZone(2, 3, 7), 16, 0)],
)
def test_danger_zone_contains_the_top_rows(zone: DangerZone, row: int, expected: int) -> None:
    feature = zone.make_feature()
    columns = tuple(1 << row if column == 4 else 0 for column in range(10))

    class TopCell:
        """An outcome with one cell."""

        rows = 20
        piece_columns = columns

    assert feature.function(TopCell()) == expected  # type: ignore[arg-type]


@pytest.mark.parametrize("zone", DANGER_ZONES.values())
def test_danger_zone_can_be_measured_on_boards_of_any_height(zone: DangerZone) -> None:
    assert zone.make_feature().get_address()  # compiles the feature and tests it on boards of 4 to 28 rows


def test_zone_of_the_agent_as_custom_feature_gives_the_same_games(tmp_path: Path) -> None:
    with start_threads(1) as workers:
        context = MeasurementContext(tmp_path, 1, True, workers)
        ours = context.play(MEDICO_BOT, games=3)
        same = context.play(DangerZone(4, 3, 7).make_agent(), games=3)
    assert same.per_game["score"].tolist() == ours.per_game["score"].tolist()


def test_game_events_are_counted() -> None:
    others = {
        "itself": MEDICO_BOT,
        "one": MEDICO_BOT.with_(depth=1),
        "equivalent": make_equivalent_without_board_fill(),
    }
    counts = count_game_events(MEDICO_BOT, 3, 0, others=others)
    assert counts["scoring pieces"] + counts["recovery pieces"] == counts["pieces"] > 20
    assert counts["recoveries"] <= counts["troubles"]
    assert counts["filled"] <= counts["tucks"] == counts["itself tucks"]
    assert counts["flat"] == counts["itself flat"] < counts["orientable"] < counts["pieces"]
    assert counts["itself"] == counts["equivalent"] == 0
    assert 0 < counts["one"] < counts["pieces"]
    assert counts["recovery cleared"] <= counts["recovery clearable"]
    assert counts["low space"] > counts["pieces"]


def test_decisions_are_measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(medico_games, "QUICK_EXAMINED_DECISIONS", 2)
    with start_threads(1) as workers:
        context = MeasurementContext(tmp_path, 1, True, workers)
        decisions = medico_games.measure_decisions(context)
    assert decisions["looked"] == len(decisions["near"]) == 2
    assert decisions["placements"] < decisions["leaves"] <= decisions["most"]
    assert 0 < decisions["time"]["decision"] <= decisions["time"]["longest"]
    assert decisions["scoring_pieces"] == 10  # a game begins in scoring mode


def test_learnt_weights_are_measured_with_the_threshold_of_the_bot(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    played = []

    class Run:
        best_agent = MEDICO_BOT.with_(threshold=60)

    class Context(MeasurementContext):
        def train_seeds(self, *settings: Any, **options: Any) -> Any:
            return [Run]

        def play(self, agent: Any, *settings: Any, **options: Any) -> Any:
            played.append(agent.second_mode.threshold)
            return MeasurementContext.play(self, agent, games=3, max_pieces=50)

    with start_threads(1) as workers:
        learnt = medico_variants.measure_learnt_weights(Context(tmp_path, 1, True, workers))
    assert played == [100]
    assert set(learnt["runs"][0]["result"]["uncorrected"]["score"]) == {"mean", "ci95"}


def test_answers_follow_results() -> None:
    assert "loses more because games are shorter" in medico_answers.describe_modes(make_results())
    assert "gains more from points per line" in medico_answers.describe_modes(make_results(recovery=5000))
    assert "do not differ measurably" in medico_answers.describe_modes(make_results(recovery=14_100))
    assert "recovery mode alone is best" in medico_answers.describe_thresholds(make_results())
    assert "the best threshold is" in medico_answers.describe_thresholds(make_results(recovery=5000))
    assert "the loss comes from the path along the top" in medico_answers.describe_tucks(make_results(straight=15_000))
    for others in (make_results(straight=17_000), make_results(drop=14_000)):
        assert "the loss comes from the path along the top" not in medico_answers.describe_tucks(others)
    assert "learnt compared with recovery mode alone: less" in medico_answers.describe_learnt_weights(make_results())
    assert "learnt compared with recovery mode alone: more" in medico_answers.describe_learnt_weights(
        make_results(learnt=200_000)
    )
