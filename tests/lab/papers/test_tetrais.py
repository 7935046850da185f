"""Tests of TetrAIs: resampled statistics, interpretations, and answers that follow from the results."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tetrion.board import Placement
from tetrion.evaluation import start_threads
from tetrion.game import Game
from tetrion.lab.papers import load_paper
from tetrion.lab.papers.tetrais import tetrais_findings, tetrais_measurements
from tetrion.lab.papers.tetrais.tetrais_figures import (
    TETRAIS_PUBLISHED_VALUES,
    make_published_statistic,
    make_weights_table,
)
from tetrion.lab.reproduction.measurements import MeasurementContext
from tetrion.lab.reproduction.published_values import MeasuredValue


@pytest.fixture
def context(tmp_path: Path) -> Any:
    with start_threads(1) as workers:
        yield MeasurementContext(tmp_path, 1, True, workers)


def make_games(lines: float, low: float | None = None, high: float | None = None, capped: int = 0) -> dict[str, Any]:
    """Return the summary of ten games with the given mean lines and interval."""
    summary = {"mean": lines, "ci95": [low or 0.9 * lines, high or 1.1 * lines], "deviation": 1.0}
    summary |= {"played": summary["mean"], "played_ci95": summary["ci95"]}
    return {"games": 10, "capped": capped, "cap": 1000, "lines": summary, "score": dict(summary)}


def test_ranges_become_narrower_with_more_games() -> None:
    scores = np.random.default_rng(1).integers(10, 50, 2000)
    statistics = tetrais_measurements.resample_statistics(scores, 1)
    widths = [statistics[runs]["mean"][2] - statistics[runs]["mean"][0] for runs in ("10", "100", "1000")]
    assert widths == sorted(widths, reverse=True)
    low, _, high = statistics["1000"]["mean"]
    assert low < scores.mean() < high
    # The margin of a mean of n values is 1.96 deviations over √n; the sample of 2,000 adds its own margin.
    expected = 2 * 1.96 * scores.std() * np.sqrt(1 / 1000 + 1 / 2000)
    assert high - low == pytest.approx(expected, rel=0.15)
    assert statistics == tetrais_measurements.resample_statistics(scores, 1)


def test_published_cells_are_formatted() -> None:
    assert make_published_statistic("random", 10, tetrais_findings.MEAN_STATISTIC).formatted == "24 (10 games)"
    assert (
        make_published_statistic("greedy", 1000, tetrais_findings.MEAN_STATISTIC).formatted == "6,883.101 (1,000 games)"
    )
    assert (
        make_published_statistic("min-height", 100, tetrais_findings.VARIANCE_STATISTIC).formatted
        == "0.464 (100 games)"
    )
    assert all(len(cells) == 3 for figure in TETRAIS_PUBLISHED_VALUES.values() for cells in figure.values())


def test_piece_is_pushed_back_to_right_wall() -> None:
    game = Game("tetrais:randomiser=only-I")
    horizontal = {placement.column: placement for placement in game.placements() if placement.rotation == 0}
    assert tetrais_measurements.count_wall_push_columns(horizontal[0], 10) == 1
    assert tetrais_measurements.count_wall_push_columns(horizontal[6], 10) == 4  # columns 6, 7, 8 and 9
    assert tetrais_measurements.count_wall_push_columns(horizontal[6], 11) == 5
    assert tetrais_measurements.count_wall_push_columns(Placement("I", 1, 9, 0), 10) == 1
    placements = Game("tetrais:randomiser=only-T").placements()
    actions = sum(tetrais_measurements.count_wall_push_columns(placement, 10) for placement in placements)
    assert actions == 40  # as in the report


def test_wall_push_games_are_reproducible(context: MeasurementContext, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tetrais_measurements, "QUICK_WALL_PUSH_GAMES", 12)
    first, second = (tetrais_measurements.measure_wall_push_games(10, context) for _ in range(2))
    assert first == second
    assert first["games"] == 12
    assert 15 < first["score"]["mean"] < 35


def test_raw_weights_diverge_and_differences_do_not(context: MeasurementContext) -> None:
    results = {"divergence": tetrais_measurements.measure_divergence(context)}
    assert tetrais_findings.check_weights_explode(results).holds
    assert tetrais_findings.check_weights_reach_figure_12(results).holds
    assert tetrais_findings.check_difference_weights_bounded(results).holds
    assert not tetrais_findings.has_small_weights(results, 0.2)
    table = make_weights_table(results)
    assert table[0] == ["the report, initial", "4.00", "−2.00", "−1.00", "−1.00", "−1.00"]
    assert table[2][-1] == "−5.46 × 10¹²²"


def test_placement_counts_of_each_piece(context: MeasurementContext) -> None:
    results = {"thinking": tetrais_measurements.measure_thinking_time(context)}
    assert tetrais_findings.compute_placement_counts(results).text == "O 9; ISZ 17; JLT 34"
    assert tetrais_findings.check_decision_time(3, 1.0, results).is_machine_dependent


def test_comparisons_follow_intervals() -> None:
    few = MeasuredValue(100, (90, 110))
    many = MeasuredValue(200, (180, 220))
    unknown = MeasuredValue(None, (150, float("inf")))
    assert tetrais_findings.compare_by_ratio(many, few) == "more"
    assert tetrais_findings.compare_by_ratio(few, many) == "less"
    assert tetrais_findings.compare_by_ratio(few, MeasuredValue(105, (95, 115))) == "no different"
    assert tetrais_findings.compare_by_ratio(few, unknown) == "less"
    assert tetrais_findings.compare_by_ratio(many, unknown) == "no different"
    assert tetrais_findings.format_in_sentence(unknown) == "more than 150"


def test_answer_about_soft_drop_follows_results() -> None:
    results = {name: make_games(100) for name in ("greedy", "q-drop", "depth2")}
    results |= {f"{name}-stiff": make_games(100) for name in ("greedy", "q", "depth2")}
    results |= {"greedy-soft": make_games(200), "q-soft": make_games(50), "depth2-soft": make_games(104)}
    answer = tetrais_findings.describe_soft_drop(results)
    greedy, q, depth2, _ = answer.split(";")
    assert "it helps" in greedy
    assert "it harms" in q
    assert "no difference found" in depth2


@pytest.mark.parametrize(
    ("lines", "text"), [(5, "less than"), (1e6, "more than"), (1000, "not measurably different from")]
)
def test_answer_about_genetic_agent_follows_results(lines: float, text: str) -> None:
    games: dict[str, Any] = {name: make_games(lines) for name in ("depth-1", "looking-ahead", "learnt-ahead")}
    results = {"depth2": make_games(1000), "genetic-games": {**games, "time": {"depth-1": 40.0, "by-hand": 2.0}}}
    answer = tetrais_findings.describe_genetic_agent(results)
    assert answer.count(text) == 3
    assert tetrais_findings.check_genetic_speed(results).text == "20.0 times the pieces per second"
    assert tetrais_findings.check_genetic_lines(results).holds is (lines > 1000)


def test_games_are_endless_only_if_all_are_capped() -> None:
    assert not tetrais_findings.check_endless("a", {"a": make_games(1000, capped=4)}).holds
    assert tetrais_findings.check_endless("a", {"a": make_games(1000, capped=10)}).holds


def test_large_numbers_are_formatted_with_powers_of_ten() -> None:
    assert tetrais_findings.format_power_of_ten(-2) == "−2.00"
    assert tetrais_findings.format_power_of_ten(1.05e59) == "1.05 × 10⁵⁹"


def test_measurement_names_are_unique() -> None:
    names = [measurement.name for measurement in load_paper("tetrais").measurements]
    assert len(names) == len(set(names))
