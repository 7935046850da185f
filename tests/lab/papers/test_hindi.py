"""The reproduction of Hindi et al.: what is read from tables and runs, and sentences that follow their numbers."""

from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tetrion.agents import load_weighted_agent
from tetrion.evaluation.workers import start_threads
from tetrion.lab.papers.hindi.hindi_answers import (
    choose_text_by_interval,
    describe_best_feature_count,
    describe_consensus_crowd,
    describe_first_generation_effect,
)
from tetrion.lab.papers.hindi.hindi_figures import HINDI_PUBLISHED_FIGURES, TABLE_III_GENERATIONS, find_typical_run
from tetrion.lab.papers.hindi.hindi_findings import find_published_weight_range
from tetrion.lab.papers.hindi.hindi_measurements import (
    CONFIGURATION_GRID,
    CROWDS_TRAINING,
    FEATURE_COUNTS,
    FIGURE_7_CONFIGURATION,
    HINDI_MAX_PIECES,
    HINDI_RULES_NAME,
    LOOKAHEAD_CONFIGURATIONS,
    MAIN_CONFIGURATION,
    TABLE_I_AGENTS,
    TABLE_II_AGENTS,
    compute_best_of_generation,
    format_feature_count_name,
    measure_game_scores,
    measure_pieces_placed_effect,
)
from tetrion.lab.papers.hindi.hindi_paper import HINDI_PAPER
from tetrion.lab.papers.hindi.hindi_statistics import (
    PublishedSingleRun,
    compute_explained_variance,
    compute_trend,
    count_score_drops,
)
from tetrion.lab.reproduction.measurements import MeasurementContext, TrainingMeasurement
from tetrion.lab.reproduction.published_values import MeasuredValue
from tetrion.lab.reproduction.rank_correlation import (
    compute_correlation_interval,
    compute_rank_correlation,
    compute_ranks,
)
from tetrion.lab.reproduction.reproduction_observer import ReproductionObserver
from tetrion.training.recipe import Recipe


def run(scores: Any, held_out: float = 1000.0, crowd: Mapping[str, float] | None = None) -> dict[str, Any]:
    """A made-up run whose generations have these averages and best scores."""
    result = {"uncorrected": {"score": {"mean": held_out, "ci95": [held_out, held_out]}}, "crowd": dict(crowd or {})}
    return {"metrics": {"mean": list(scores), "max": list(scores)}, "result": result}


def test_table_three_says_how_large_the_population_was() -> None:
    # a score is a multiple of 20, so that an average of 50 is one of 0.4; of 20 or 100 candidates it would not be
    assert len(TABLE_III_GENERATIONS) == 26
    assert all(score % 20 == 0 for row in TABLE_III_GENERATIONS for score in row[3:5])
    assert all(abs(row[5] / 0.4 - round(row[5] / 0.4)) < 1e-6 for row in TABLE_III_GENERATIONS)
    assert not all(abs(row[5] - round(row[5])) < 1e-6 for row in TABLE_III_GENERATIONS)
    assert all(least <= q1 <= median <= q3 <= most for median, q1, q3, least, most, _ in TABLE_III_GENERATIONS)


def test_scores_of_the_tables_are_multiples_of_twenty_and_within_one_game() -> None:
    # 500 pieces fill 200 rows at most; four at a time they bring 1,200 points times the level and one
    most = sum(1200 * (row // 10 + 1) for row in range(0, 4 * HINDI_MAX_PIECES // 10, 4))
    assert all(row.score % 20 == 0 and row.score < most for row in (*TABLE_I_AGENTS, *TABLE_II_AGENTS))


def test_every_configuration_is_a_recipe() -> None:
    names = [measurement.name for measurement in HINDI_PAPER.measurements]
    assert len(set(names)) == len(names)
    for measurement in HINDI_PAPER.measurements:
        if isinstance(measurement, TrainingMeasurement):
            recipe = Recipe.load(measurement.recipe, measurement.get_plan(True)[1])
            assert recipe.rules == HINDI_RULES_NAME
    sizes = {(setup.population, setup.mutation, setup.elitism) for setup in CONFIGURATION_GRID}
    assert len(sizes) == 27
    assert all(setup.generations in (14, 15) for setup in LOOKAHEAD_CONFIGURATIONS)
    assert set(HINDI_PUBLISHED_FIGURES) == {1, 2, 3, 4, 5, 6, 7, 10, 11}


def test_height_and_holes_are_one_feature_before_rows_are_removed(tmp_path: Path) -> None:
    low, high = find_published_weight_range("holes", "aggregate_height")
    assert (low, high) == pytest.approx((-0.81250625 - 0.32742803, -0.71291201 - 0.40281927))
    agent = load_weighted_agent("hindi-3")
    weights = ({"holes": -1.0, "aggregate_height": 0.0}, {"holes": 0.0, "aggregate_height": -1.0}, {"holes": 0.0})
    agents = [replace(agent, weights={**agent.weights, **changed}) for changed in weights]
    with start_threads(1) as workers:
        laboratory = MeasurementContext(tmp_path, 1, True, workers, ReproductionObserver())
        holes, height, less = (measure_game_scores(one, 100, laboratory) for one in agents)
    assert (holes == height).all()
    assert not (holes == less).all()


def test_ranks_and_trends() -> None:
    assert compute_ranks(np.array([5, 1, 5, 9])).tolist() == [1.5, 0, 1.5, 3]
    assert compute_rank_correlation(np.arange(5), np.array([1, 4, 9, 16, 25])) == pytest.approx(1)
    assert compute_rank_correlation(np.arange(5), np.ones(5)) == 0
    assert compute_trend(run([5, 4, 3, 2, 1])) == pytest.approx(-1)
    assert count_score_drops(run([100, 49, 30, 10, 20])) == 2
    assert compute_correlation_interval(0.9, 4) == (-1, 1)
    low, high = compute_correlation_interval(0.0, 103)
    assert (low, high) == pytest.approx((-0.194, 0.194), abs=0.002)


def test_variance_that_settings_explain() -> None:
    groups = [0, 0, 0, 1, 1, 1]
    assert compute_explained_variance(np.array([1.0, 1, 1, 5, 5, 5]), [groups]) == pytest.approx(1)
    assert compute_explained_variance(np.array([1.0, 5, 3, 1, 5, 3]), [groups]) < 0.01


def test_a_figure_of_one_run_lies_among_ours_or_not() -> None:
    ours = MeasuredValue(50, (10, 90))
    assert PublishedSingleRun(value=90).compare(ours).agrees
    assert "above" in PublishedSingleRun(value=91).compare(ours).reason
    assert "below" in PublishedSingleRun(value=9).compare(ours).reason


def test_the_best_of_more_games_is_higher() -> None:
    scores = np.arange(1000.0)
    bests = [compute_best_of_generation(scores, TABLE_I_AGENTS[2], count, 1) for count in (1, 2, 5)]
    assert all(first["high"] < second["low"] for first, second in pairwise(bests))
    assert bests[0]["high"] <= 999
    assert bests[0] == compute_best_of_generation(scores, TABLE_I_AGENTS[2], 1, 1)


def test_words_follow_the_interval() -> None:
    intervals = [(1.0, 9.0), (-9.0, -1.0), (-1.0, 11.0)]
    assert [choose_text_by_interval(MeasuredValue(0, ends), "more", "less", "unknown") for ends in intervals] == [
        "more",
        "less",
        "unknown",
    ]


@pytest.mark.parametrize(("sign", "told"), [(1, "end weaker"), (-1, "end stronger")])
def test_poor_beginnings(sign: int, told: str) -> None:
    runs = [run([start, 5], held_out=sign * start + 100) for start in range(40)]
    assert told in describe_first_generation_effect(
        {MAIN_CONFIGURATION.name: {"runs": runs}, FIGURE_7_CONFIGURATION.name: {"runs": runs}}
    )


def test_no_connection_is_called_none() -> None:
    scores = np.random.default_rng(1).permutation(60)
    runs = [run([start, 5], held_out=float(score)) for start, score in enumerate(scores)]
    assert "No connection was found" in describe_first_generation_effect(
        {MAIN_CONFIGURATION.name: {"runs": runs}, FIGURE_7_CONFIGURATION.name: {"runs": runs}}
    )


def test_crowds_of_those_who_agree() -> None:
    crowds = [
        {"crowd (mean)": 50 + seed, "crowd (consensus)": 90 + 2 * seed, "average expert": 40, "best expert": 99 - seed}
        for seed in range(4)
    ]
    words = describe_consensus_crowd({CROWDS_TRAINING: {"runs": [run([1, 2], crowd=crowd) for crowd in crowds]}})
    assert "against the mean of all experts (surely more)" in words
    assert "against the best (no difference was found)" in words


def test_the_curve_of_features_names_its_best() -> None:
    results = {
        format_feature_count_name(learner, count): {"runs": [run([1], 1000 * place + seed) for seed in range(4)]}
        for learner in ("genetic", "entropy")
        for place, count in enumerate(FEATURE_COUNTS if learner == "entropy" else FEATURE_COUNTS[::-1], 1)
    }
    words = describe_best_feature_count(with_lines(results))
    assert f"the cross-entropy method comes furthest with {FEATURE_COUNTS[-1]} features" in words
    assert f"their algorithm comes furthest with {FEATURE_COUNTS[0]} features" in words
    assert "surely falls off" in words


def with_lines(results: dict[str, Any]) -> dict[str, Any]:
    """The same with lines, whose number of seeds is named."""
    for training in results.values():
        for one in training["runs"]:
            one["result"]["uncorrected"]["lines"] = {"mean": 1.0, "ci95": [1.0, 1.0]}
    return results


def test_the_typical_run_is_the_middle_one() -> None:
    runs = [run([0, last]) for last in (9, 1, 5)]
    assert find_typical_run(runs) is runs[2]


def test_pieces_placed_choose_nothing(tmp_path: Path) -> None:
    with start_threads(1) as workers:
        found = measure_pieces_placed_effect(MeasurementContext(tmp_path, 1, True, workers, ReproductionObserver()))
    assert found["same"] == found["games"] > 0
