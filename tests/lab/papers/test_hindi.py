"""Tests of the reproduction of Hindi et al.: statistics of tables and runs, and answers that follow from results."""

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from tests.lab.papers.hindi_runs import add_lines, make_run
from tetrion.agents import load_weighted_agent
from tetrion.evaluation.workers import start_threads
from tetrion.lab.papers.hindi.hindi_answers import (
    choose_text_by_interval,
    describe_best_feature_count,
    describe_consensus_crowd,
    describe_first_generation_effect,
)
from tetrion.lab.papers.hindi.hindi_configurations import (
    CONFIGURATION_GRID,
    FIGURE_7_CONFIGURATION,
    HINDI_PUBLISHED_FIGURES,
    LOOKAHEAD_CONFIGURATIONS,
    MAIN_CONFIGURATION,
    SINGLE_PIECE_COMBINATIONS,
    TABLE_I_AGENTS,
    TABLE_II_AGENTS,
)
from tetrion.lab.papers.hindi.hindi_figures import find_typical_run
from tetrion.lab.papers.hindi.hindi_games import (
    HINDI_MAX_PIECES,
    HINDI_RULES_NAME,
    compute_best_of_generation,
    measure_game_scores,
    measure_pieces_placed_effect,
)
from tetrion.lab.papers.hindi.hindi_measurements import (
    CROWDS_TRAINING,
    FEATURE_COUNTS,
    format_feature_count_name,
)
from tetrion.lab.papers.hindi.hindi_paper import HINDI_PAPER
from tetrion.lab.papers.hindi.hindi_published_agents import (
    compute_published_weight,
)
from tetrion.lab.papers.hindi.hindi_statistics import (
    compute_explained_variance,
    compute_trend,
    count_drops,
)
from tetrion.lab.papers.hindi.hindi_table_iii import (
    PUBLISHED_DROP_COUNTS,
    TABLE_III_GENERATIONS,
)
from tetrion.lab.reproduction.measurements import MeasurementContext, TrainingMeasurement
from tetrion.lab.reproduction.published_values import MeasuredValue
from tetrion.lab.reproduction.rank_correlation import (
    compute_correlation_interval,
    compute_rank_correlation,
    compute_ranks,
)
from tetrion.training.recipe import Recipe


def test_table_iii_implies_population_of_50() -> None:
    # A score is a multiple of 20, so an average over 50 candidates is a multiple of 0.4.
    assert len(TABLE_III_GENERATIONS) == 26
    assert all(score % 20 == 0 for row in TABLE_III_GENERATIONS for score in row[3:5])
    assert all(abs(row[5] / 0.4 - round(row[5] / 0.4)) < 1e-6 for row in TABLE_III_GENERATIONS)
    assert not all(abs(row[5] - round(row[5])) < 1e-6 for row in TABLE_III_GENERATIONS)
    assert all(low <= q1 <= median <= q3 <= high for median, q1, q3, low, high, _ in TABLE_III_GENERATIONS)


def test_drops_in_table_iii() -> None:
    assert PUBLISHED_DROP_COUNTS == {"max": 5, "mean": 4}


def test_row_3_of_table_ii_is_not_of_length_one() -> None:
    weights = [load_weighted_agent(row.agent).weights for row in TABLE_II_AGENTS]
    lengths = [np.linalg.norm([float(str(value)) for value in each.values()]) for each in weights]
    assert lengths == pytest.approx([1, 1, 1.0112], abs=1e-4)
    assert weights[1]["holes"] == weights[2]["holes"]


def test_published_scores_are_multiples_of_twenty_and_possible_in_one_game() -> None:
    # 500 pieces fill at most 200 rows; a tetris gives 1,200 points times (level + 1).
    maximum = sum(1200 * (row // 10 + 1) for row in range(0, 4 * HINDI_MAX_PIECES // 10, 4))
    assert all(row.score % 20 == 0 and row.score < maximum for row in (*TABLE_I_AGENTS, *TABLE_II_AGENTS))


def test_all_configurations_are_valid_recipes() -> None:
    names = [measurement.name for measurement in HINDI_PAPER.measurements]
    assert len(set(names)) == len(names)
    for measurement in HINDI_PAPER.measurements:
        if isinstance(measurement, TrainingMeasurement):
            recipe = Recipe.load(measurement.recipe, measurement.get_plan(True)[1])
            assert recipe.rules == HINDI_RULES_NAME
    sizes = {
        (configuration.population, configuration.mutation, configuration.elitism)
        for configuration in CONFIGURATION_GRID
    }
    assert len(sizes) == 27
    assert len(SINGLE_PIECE_COMBINATIONS) == 18
    assert all(configuration.generations in (14, 15) for configuration in LOOKAHEAD_CONFIGURATIONS)
    assert set(HINDI_PUBLISHED_FIGURES) == {1, 2, 3, 4, 5, 6, 7, 10, 11}


def test_height_and_holes_are_one_feature_before_rows_are_removed(tmp_path: Path) -> None:
    published = (-0.81250625 - 0.32742803, -0.71291201 - 0.40281927, -0.86267829 - 0.26246908, -0.77999803 - 0.34971617)
    assert compute_published_weight("holes", "aggregate_height") == pytest.approx(sum(published) / 4)
    agent = load_weighted_agent("hindi-3")
    weights = ({"holes": -1.0, "aggregate_height": 0.0}, {"holes": 0.0, "aggregate_height": -1.0}, {"holes": 0.0})
    agents = [replace(agent, weights={**agent.weights, **changed}) for changed in weights]
    with start_threads(1) as workers:
        context = MeasurementContext(tmp_path, 1, True, workers)
        holes, height, neither = (measure_game_scores(agent, 100, context) for agent in agents)
    assert (holes == height).all()
    assert not (holes == neither).all()


def test_ranks_and_trends() -> None:
    assert compute_ranks(np.array([5, 1, 5, 9])).tolist() == [1.5, 0, 1.5, 3]
    assert compute_rank_correlation(np.arange(5), np.array([1, 4, 9, 16, 25])) == pytest.approx(1)
    assert compute_rank_correlation(np.arange(5), np.ones(5)) == 0
    assert compute_trend(make_run([5, 4, 3, 2, 1])) == pytest.approx(-1)
    assert count_drops(make_run([100, 49, 30, 10, 20]), "max") == 2
    assert compute_correlation_interval(0.9, 4) == (-1, 1)
    low, high = compute_correlation_interval(0.0, 103)
    assert (low, high) == pytest.approx((-0.194, 0.194), abs=0.002)


def test_explained_variance_of_settings() -> None:
    groups = [0, 0, 0, 1, 1, 1]
    assert compute_explained_variance(np.array([1.0, 1, 1, 5, 5, 5]), [groups]) == pytest.approx(1)
    assert compute_explained_variance(np.array([1.0, 5, 3, 1, 5, 3]), [groups]) < 0.01


def test_best_of_more_summed_games_is_higher() -> None:
    scores = np.arange(1000.0)
    bests = [compute_best_of_generation(scores, TABLE_I_AGENTS[2], count, 1) for count in (1, 2, 5)]
    assert all(first["high"] < second["low"] for first, second in pairwise(bests))
    assert bests[0]["high"] <= 999
    assert bests[0] == compute_best_of_generation(scores, TABLE_I_AGENTS[2], 1, 1)


def test_text_follows_interval() -> None:
    intervals = [(1.0, 9.0), (-9.0, -1.0), (-1.0, 11.0)]
    assert [choose_text_by_interval(MeasuredValue(0, ends), "more", "less", "unknown") for ends in intervals] == [
        "more",
        "less",
        "unknown",
    ]


@pytest.mark.parametrize(("sign", "verdict"), [(1, "end weaker"), (-1, "end stronger")])
def test_first_generation_effect_follows_correlation(sign: int, verdict: str) -> None:
    runs = [make_run([start, 5], held_out=sign * start + 100) for start in range(40)]
    assert verdict in describe_first_generation_effect(
        {MAIN_CONFIGURATION.name: {"runs": runs}, FIGURE_7_CONFIGURATION.name: {"runs": runs}}
    )


def test_missing_correlation_is_described() -> None:
    scores = np.random.default_rng(1).permutation(60)
    runs = [make_run([start, 5], held_out=float(score)) for start, score in enumerate(scores)]
    assert "No correlation was found" in describe_first_generation_effect(
        {MAIN_CONFIGURATION.name: {"runs": runs}, FIGURE_7_CONFIGURATION.name: {"runs": runs}}
    )


def test_consensus_crowd_is_compared_with_experts() -> None:
    crowds = [
        {"crowd (mean)": 50 + seed, "crowd (consensus)": 90 + 2 * seed, "average expert": 40, "best expert": 99 - seed}
        for seed in range(4)
    ]
    answer = describe_consensus_crowd({CROWDS_TRAINING: {"runs": [make_run([1, 2], crowd=crowd) for crowd in crowds]}})
    assert "compared with the mean of all experts (significantly more)" in answer
    assert "compared with the best expert (no difference was found)" in answer


def test_best_feature_count_is_named_for_each_learner() -> None:
    results = {
        format_feature_count_name(learner, count): {"runs": [make_run([1], 1000 * rank + seed) for seed in range(4)]}
        for learner in ("genetic", "entropy")
        for rank, count in enumerate(FEATURE_COUNTS if learner == "entropy" else FEATURE_COUNTS[::-1], 1)
    }
    answer = describe_best_feature_count(add_lines(results))
    assert f"The cross-entropy method reaches its best score with {FEATURE_COUNTS[-1]} features" in answer
    assert f"Their algorithm reaches its best score with {FEATURE_COUNTS[0]} features" in answer
    assert "(significantly less)" in answer


def test_typical_run_is_the_median() -> None:
    runs = [make_run([0, last]) for last in (9, 1, 5)]
    assert find_typical_run(runs) is runs[2]


def test_weight_for_pieces_placed_changes_no_game(tmp_path: Path) -> None:
    with start_threads(1) as workers:
        effect = measure_pieces_placed_effect(MeasurementContext(tmp_path, 1, True, workers))
    assert effect["same"] == effect["games"] > 0
