"""Tests of the claims of Hindi et al. about published agents: each check holds, does not hold and is undecided."""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.lab.papers.hindi_runs import (
    OUTCOMES,
    Scores,
    make_curves,
)
from tetrion.evaluation.workers import start_threads
from tetrion.lab.papers.hindi.hindi_configurations import (
    TABLE_I_AGENTS,
    TABLE_II_AGENTS,
)
from tetrion.lab.papers.hindi.hindi_games import (
    REMOVED_WEIGHTS,
    measure_single_agent_sums,
    measure_weight_removal,
)
from tetrion.lab.papers.hindi.hindi_measurements import (
    FIVE_GAMES_LOOKAHEAD_TRAINING,
    FIVE_GAMES_TRAINING,
)
from tetrion.lab.papers.hindi.hindi_published_agents import (
    check_height_is_most_negative,
    check_height_outweighs_lines,
    check_lookahead_agents,
    check_scores_are_sums,
    check_strongest_agent,
    collect_score_readings,
    count_negative_line_weights,
    make_last_generation_reader,
    make_weight_reader,
)
from tetrion.lab.reproduction.measurements import MeasurementContext
from tetrion.lab.reproduction.published_values import PublishedSample, Verdict


def make_published(means: Sequence[float], margin: float = 100) -> dict[str, Any]:
    """Return the results of the published agents with these means."""
    rows = (*TABLE_I_AGENTS, *TABLE_II_AGENTS)
    return {
        "published": {
            row.agent: {"mean": mean, "ci95": [mean - margin, mean + margin], "games": 10}
            for row, mean in zip(rows, means, strict=True)
        }
    }


def test_published_lookahead_agents_are_compared() -> None:
    assert check_lookahead_agents(make_published([1000] * 4 + [5000] * 3)).holds
    assert check_lookahead_agents(make_published([1000] * 7)).holds is False
    assert check_lookahead_agents(make_published([1000] * 4 + [1250] * 3)).holds is None


@pytest.mark.parametrize(
    ("means", "expected"), list(zip(([1, 2, 9e3, 3], [1, 9e3, 2, 3], [1e4] * 4), OUTCOMES, strict=True))
)
def test_strongest_agent_is_that_of_row_three(means: Sequence[float], expected: bool | None) -> None:
    assert check_strongest_agent(make_published([*means, 0, 0, 0])).holds is expected


def make_score_results(best_count: int, single_count: int, run_scores: tuple[float, float], runs: int = 40) -> Any:
    """Return results in which the scores fit only with these numbers of games; runs end with one and five games."""
    rows = (*TABLE_I_AGENTS, *TABLE_II_AGENTS)

    def make_ranges(row: Any, fitting: int) -> dict[str, Any]:
        return {
            str(count): {"low": row.score - 1, "high": row.score + 1} if count == fitting else {"low": -2, "high": -1}
            for count in (1, 2, 3, 5)
        }

    results: dict[str, Any] = {
        "published": {row.agent: {"best": make_ranges(row, best_count)} for row in rows},
        "published-sums": {row.agent: make_ranges(row, single_count) for row in rows},
    }
    for row in (TABLE_I_AGENTS[2], TABLE_II_AGENTS[0]):
        five = FIVE_GAMES_TRAINING if row in TABLE_I_AGENTS else FIVE_GAMES_LOOKAHEAD_TRAINING
        for name, factor in zip((row.configuration.name, five), run_scores, strict=True):
            results[name] = make_curves([[0, factor * row.score]] * runs)
    return results


@pytest.mark.parametrize(
    ("best_count", "single_count", "run_scores", "expected"),
    [(5, 2, (5, 1), True), (1, 1, (1, 5), False), (1, 5, (1, 5), None), (1, 1, (1, 1), None), (5, 5, (1, 5), None)],
)
def test_scores_are_sums_if_they_fit_under_every_reading(
    best_count: int, single_count: int, run_scores: tuple[float, float], expected: bool | None
) -> None:
    results = make_score_results(best_count, single_count, run_scores)
    assert check_scores_are_sums(results).holds is expected
    assert [reading.score_count for reading in collect_score_readings(results)] == [7, 7, 2]


def test_too_few_runs_are_no_reading_of_scores() -> None:
    readings = collect_score_readings(make_score_results(1, 1, (1, 5), runs=3))
    assert [reading.score_count for reading in readings] == [7, 7]


def test_sums_of_single_agents_grow(tmp_path: Path) -> None:
    with start_threads(1) as workers:
        ranges = measure_single_agent_sums(MeasurementContext(tmp_path, 1, True, workers))
    assert set(ranges) == {row.agent for row in (*TABLE_I_AGENTS, *TABLE_II_AGENTS)}
    assert all(each["1"]["high"] < each["5"]["high"] for each in ranges.values())


def add_weights(training: dict[str, Any], weights: Mapping[str, Scores]) -> dict[str, Any]:
    """Add the weights of the last incumbents to the runs of a training."""
    for number, run in enumerate(training["runs"]):
        run["metrics"] |= {f"incumbent {name}": [0.0, values[number]] for name, values in weights.items()}
    return training


def make_table_i_results(lines: Sequence[Scores], score: float = 30_000) -> dict[str, Any]:
    """Return results of Table I's configurations, with weights for lines and the best score of the last generation."""
    results = {}
    for row, weights in zip(TABLE_I_AGENTS, lines, strict=True):
        other = [-0.5] * len(weights)
        training = make_curves([[0, score]] * len(weights))
        results[row.configuration.name] = add_weights(
            training, {"bumpiness": other, "holes": other, "aggregate_height": other, "full_rows": weights}
        )
    return results


@pytest.mark.parametrize(
    ("lines", "verdict"),
    [
        ([[-1.0] * 40, [-1.0] * 40, [-1.0] * 40, [1.0] * 40], Verdict.AGREES),
        ([[1.0] * 40] * 4, Verdict.DIFFERS),
        ([[-1.0, 1.0] * 20] * 4, Verdict.UNDECIDED),
        ([[-1.0] * 10, [-1.0] * 10, [-1.0] * 10, [1.0] * 10], Verdict.UNDECIDED),
    ],
)
def test_lines_weights_of_strong_agents(lines: Sequence[Scores], verdict: Verdict) -> None:
    measured = count_negative_line_weights(make_table_i_results(lines))
    assert PublishedSample(value=3, sample="four agents").compare(measured).verdict == verdict


def test_weak_agents_have_no_range_of_lines_weights() -> None:
    assert math.isnan(count_negative_line_weights(make_table_i_results([[-1.0] * 40] * 4, 100)).interval[0])


def test_weights_of_few_runs_have_no_range() -> None:
    few = make_table_i_results([[-1.0] * 10] * 4)
    assert math.isnan(make_weight_reader("holes", "aggregate_height")(few).interval[0])


def test_weights_have_a_range_with_enough_runs() -> None:
    weights = dict.fromkeys(("bumpiness", "holes", "aggregate_height", "full_rows"), [-0.5] * 39)
    strong = {row.configuration.name: add_weights(make_curves([[0, 30_000]] * 39), weights) for row in TABLE_I_AGENTS}
    assert make_weight_reader("holes", "aggregate_height")(strong).interval == pytest.approx((-1, -1))


@pytest.mark.parametrize(
    ("height", "expected"), list(zip(([-0.9] * 10, [-0.1] * 10, [-0.9, -0.1] * 5), OUTCOMES, strict=True))
)
def test_height_must_be_most_negative(height: Scores, expected: bool | None) -> None:
    other = [-0.5] * 10
    weights = {"bumpiness": other, "holes": other, "aggregate_height": height, "full_rows": other}
    strong = {row.configuration.name: add_weights(make_curves([[0, 30_000]] * 10), weights) for row in TABLE_I_AGENTS}
    assert check_height_is_most_negative(strong).holds is expected


@pytest.mark.parametrize(("height", "expected"), list(zip((9, 1, 4), OUTCOMES, strict=True)))
def test_far_greater_impact_is_twice_the_change(height: float, expected: bool | None) -> None:
    noise = np.array([1, -1] * 50)
    changes = dict(zip(REMOVED_WEIGHTS, ((height + noise).tolist(), [2.0] * 100), strict=True))
    means = {"hindi-1": {"all": 5.0, "aggregate_height": 1.0, "full_rows": 7.0}}
    measured = check_height_outweighs_lines({"weights-set-to-zero": {"changes": changes, "means": means}})
    assert measured.holds is expected
    assert "row 1: −4 without height, +2 without lines" in measured.text


def test_weights_are_set_to_zero(tmp_path: Path) -> None:
    with start_threads(1) as workers:
        removal = measure_weight_removal(MeasurementContext(tmp_path, 1, True, workers))
    means = removal["means"]["hindi-3"]
    assert means["all"] > means["full_rows"]
    assert means["all"] > means["aggregate_height"]
    assert np.mean(removal["changes"]["aggregate_height"]) > 0


def test_range_of_runs_needs_39_runs() -> None:
    row = TABLE_I_AGENTS[2]
    reader = make_last_generation_reader(row)
    few, many = (reader({row.configuration.name: make_curves([[0, row.score]] * count)}) for count in (38, 39))
    published = PublishedSample(value=row.score)
    assert published.compare(few).verdict == Verdict.UNDECIDED
    assert "needs at least 39" in published.compare(few).reason
    assert "our range is unknown" in published.compare(few).reason
    assert published.compare(many).verdict == Verdict.AGREES
