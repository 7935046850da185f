"""TetrAIs reproduced: what few runs leave open, the readings, and answers that follow the figures."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tetrion.board import Placement
from tetrion.evaluation import start_threads
from tetrion.game import Game
from tetrion.lab.papers import load_paper
from tetrion.lab.papers.tetrais import tetrais_findings as found
from tetrion.lab.papers.tetrais import tetrais_measurements as tetrais_measuring
from tetrion.lab.papers.tetrais.tetrais_figures import (
    TETRAIS_PUBLISHED_VALUES,
    make_published_statistic,
    make_weights_table,
)
from tetrion.lab.reproduction.measurements import MeasurementContext
from tetrion.lab.reproduction.published_values import MeasuredValue
from tetrion.lab.reproduction.reproduction_observer import ReproductionObserver


@pytest.fixture
def laboratory(tmp_path: Path) -> Any:
    with start_threads(1) as team:
        yield MeasurementContext(tmp_path, 1, True, team, ReproductionObserver())


def games_of(lines: float, low: float | None = None, high: float | None = None, capped: int = 0) -> dict[str, Any]:
    """Made-up games of a mean, which is not known if an end of its interval is not."""
    told = {"mean": lines, "ci95": [low or 0.9 * lines, high or 1.1 * lines], "deviation": 1.0}
    told |= {"played": told["mean"], "played_ci95": told["ci95"]}
    return {"games": 10, "capped": capped, "cap": 1000, "lines": told, "score": dict(told)}


def test_more_runs_leave_less_open() -> None:
    scores = np.random.default_rng(1).integers(10, 50, 2000)
    left = tetrais_measuring.resample_statistics(scores, 1)
    widths = [left[runs]["mean"][2] - left[runs]["mean"][0] for runs in ("10", "100", "1000")]
    assert widths == sorted(widths, reverse=True)
    low, _, high = left["1000"]["mean"]
    assert low < scores.mean() < high
    # The mean of n numbers is off by 1.96 deviations over √n, and by what our own 2,000 leave open.
    expected = 2 * 1.96 * scores.std() * np.sqrt(1 / 1000 + 1 / 2000)
    assert high - low == pytest.approx(expected, rel=0.15)
    assert left == tetrais_measuring.resample_statistics(scores, 1)


@pytest.mark.parametrize(("value", "agrees", "where"), [(24, True, "in"), (30, False, "above"), (10, False, "below")])
def test_a_cell_agrees_if_so_many_games_have_it(value: float, agrees: bool, where: str) -> None:
    verdict = found.PublishedRunStatistic(value=value, runs=10).compare(MeasuredValue(23, (20, 28)))
    assert verdict.agrees is agrees
    assert verdict.reason.startswith(f"it lies {where} what 10 games leave open (20.0 to 28.0)")


def test_the_published_cells_have_their_own_words() -> None:
    assert make_published_statistic("random", 10, found.MEAN_STATISTIC).formatted == "24 (10 games)"
    assert make_published_statistic("greedy", 1000, found.MEAN_STATISTIC).formatted == "6,883.101 (1,000 games)"
    assert make_published_statistic("min-height", 100, found.VARIANCE_STATISTIC).formatted == "0.464 (100 games)"
    assert all(len(cells) == 3 for figure in TETRAIS_PUBLISHED_VALUES.values() for cells in figure.values())


def test_a_piece_is_pushed_back_to_the_right_wall() -> None:
    lying = {place.column: place for place in Game("tetrais:randomiser=only-I").placements() if place.rotation == 0}
    assert tetrais_measuring.count_wall_push_columns(lying[0], 10) == 1
    assert tetrais_measuring.count_wall_push_columns(lying[6], 10) == 4  # columns 6, 7, 8 and 9
    assert tetrais_measuring.count_wall_push_columns(lying[6], 11) == 5
    assert tetrais_measuring.count_wall_push_columns(Placement("I", 1, 9, 0), 10) == 1
    placements = Game("tetrais:randomiser=only-T").placements()
    assert (
        sum(tetrais_measuring.count_wall_push_columns(place, 10) for place in placements) == 40
    )  # the report's forty actions


def test_random_games_pushed_back_are_the_same_again(
    laboratory: MeasurementContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tetrais_measuring, "QUICK_WALL_PUSH_GAMES", 12)
    first, second = (tetrais_measuring.measure_wall_push_games(10, laboratory) for _ in range(2))
    assert first == second
    assert first["games"] == 12
    assert 15 < first["score"]["mean"] < 35


def test_raw_weights_diverge_and_differences_do_not(laboratory: MeasurementContext) -> None:
    results = {"divergence": tetrais_measuring.measure_divergence(laboratory)}
    assert found.check_weights_explode(results).holds
    assert found.check_weights_reach_figure_12(results).holds
    assert found.check_difference_weights_bounded(results).holds
    assert not found.has_small_weights(results, 0.2)
    table = make_weights_table(results)
    assert table[0] == ["the report, to begin with", "4.00", "−2.00", "−1.00", "−1.00", "−1.00"]
    assert table[2][-1] == "−5.46 × 10¹²²"


def test_placements_of_each_piece(laboratory: MeasurementContext) -> None:
    results = {"thinking": tetrais_measuring.measure_thinking_time(laboratory)}
    assert found.compute_placement_counts(results).text == "O 9; ISZ 17; JLT 34"
    assert found.check_decision_time(3, 1.0, results).is_machine_dependent


def test_comparisons_follow_the_intervals() -> None:
    few = MeasuredValue(100, (90, 110))
    many = MeasuredValue(200, (180, 220))
    unknown = MeasuredValue(None, (150, float("inf")))
    assert found.compare_by_ratio(many, few) == "more"
    assert found.compare_by_ratio(few, many) == "less"
    assert found.compare_by_ratio(few, MeasuredValue(105, (95, 115))) == "no different"
    assert found.compare_by_ratio(few, unknown) == "less"
    assert found.compare_by_ratio(many, unknown) == "no different"
    assert found.format_in_sentence(unknown) == "more than 150"


def test_the_answer_about_soft_drop_follows_the_games() -> None:
    results = {name: games_of(100) for name in ("greedy", "q-drop", "depth2")}
    results |= {f"{name}-stiff": games_of(100) for name in ("greedy", "q", "depth2")}
    results |= {"greedy-soft": games_of(200), "q-soft": games_of(50), "depth2-soft": games_of(104)}
    answer = found.describe_soft_drop(results)
    greedy, q, depth2, _ = answer.split(";")
    assert "it helps" in greedy
    assert "it harms" in q
    assert "no difference found" in depth2


@pytest.mark.parametrize(("lines", "words"), [(5, "less than"), (1e6, "more than"), (1000, "not to be told from")])
def test_the_answer_about_the_genetic_agent_follows_the_games(lines: float, words: str) -> None:
    games: dict[str, Any] = {name: games_of(lines) for name in ("depth-1", "looking-ahead", "learnt-ahead")}
    results = {"depth2": games_of(1000), "genetic-games": {**games, "time": {"depth-1": 40.0, "by-hand": 2.0}}}
    answer = found.describe_genetic_agent(results)
    assert answer.count(words) == 3
    assert found.check_genetic_speed(results).text == "20.0 times the pieces a second"
    assert found.check_genetic_lines(results).holds is (lines > 1000)


def test_games_that_end_are_not_endless() -> None:
    assert not found.check_endless("a", {"a": games_of(1000, capped=4)}).holds
    assert found.check_endless("a", {"a": games_of(1000, capped=10)}).holds


def test_numbers_of_every_size_have_words() -> None:
    assert found.format_power_of_ten(-2) == "−2.00"
    assert found.format_power_of_ten(1.05e59) == "1.05 × 10⁵⁹"


def test_every_measurement_has_a_name_of_its_own() -> None:
    names = [measurement.name for measurement in load_paper("tetrais").measurements]
    assert len(names) == len(set(names))
