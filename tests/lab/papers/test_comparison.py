"""Tests of the comparison of learners: equal settings for all, and answers that follow from the results."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tetrion.evaluation import start_threads
from tetrion.lab.figure_charts import FigureSize
from tetrion.lab.papers.comparison.comparison_findings import (
    compute_learner_ratio,
    compute_learning_curve,
    compute_paired_ratio,
    describe_best_learner,
    describe_crowd_difference,
    describe_order_change,
    describe_seed_variation,
    make_learner_table,
    make_not_worse_check,
    make_unlearning_check,
)
from tetrion.lab.papers.comparison.comparison_learners import (
    BEST_EXPERT_LABEL,
    CONSENSUS_CROWD_LABEL,
    EIGHT_FEATURE_COMPARISON,
    FOUR_FEATURE_COMPARISON,
    GENETIC_ONE_POINT_LABEL,
    GENETIC_UNIFORM_LABEL,
    HARMONY_SEARCH_LABEL,
    LEARNER_COMPARISONS,
    MEAN_CROWD_LABEL,
    NO_NOISE_LABEL,
    Q_LEARNING_LABEL,
)
from tetrion.lab.papers.comparison.comparison_paper import COMPARISON_PAPER
from tetrion.lab.reproduction.measured_values import join_names
from tetrion.lab.reproduction.measurements import MeasurementContext, TrainingMeasurement
from tetrion.lab.reproduction.paper_definition import ClaimKind
from tetrion.lab.reproduction.rank_correlation import compute_rank_correlation
from tetrion.lab.reproduction.reproduction import Reproduction
from tetrion.training.recipe import Recipe

SEED_FACTORS = (0.95, 1.0, 1.05, 0.97, 1.03)  # lines of each seed relative to the mean


def make_results(
    lines: Mapping[str, float] | None = None, validation_scores: Sequence[float] = (10, 100, 90)
) -> dict[str, Any]:
    """Return results of all learners; learners that are not named clear 100 lines."""
    known_lines = {} if lines is None else lines
    return {
        f"{comparison.name}-{row.training_name}": {
            "runs": [make_run(known_lines, share, validation_scores, row.training_name) for share in SEED_FACTORS],
            "time": {"seconds": [2.0]},
        }
        for comparison in LEARNER_COMPARISONS
        for row in comparison.learners.values()
    }


def make_run(
    lines: Mapping[str, float], share: float, validation_scores: Sequence[float], training: str
) -> dict[str, Any]:
    by_name = {
        row.training_name: name for name, row in FOUR_FEATURE_COMPARISON.learners.items() if not row.crowd_member
    }
    crowd = {
        row.crowd_member: share * lines.get(name, 100)
        for name, row in FOUR_FEATURE_COMPARISON.learners.items()
        if row.crowd_member
    }
    mean = share * lines.get(by_name.get(training, ""), 100)
    return {
        "result": {"uncorrected": {"lines": {"mean": mean}}, "crowd": crowd | {"average expert": 50 * share}},
        "metrics": {
            "pieces": [
                0.4 * FOUR_FEATURE_COMPARISON.piece_budget,
                0.3 * FOUR_FEATURE_COMPARISON.piece_budget,
                0.31 * FOUR_FEATURE_COMPARISON.piece_budget,
            ],
            "validation": list(validation_scores),
        },
    }


def load_recipes(quick: bool) -> dict[str, Recipe]:
    trainings = [
        measurement for measurement in COMPARISON_PAPER.measurements if isinstance(measurement, TrainingMeasurement)
    ]
    return {training.name: Recipe.load(training.recipe, training.get_plan(quick)[1]) for training in trainings}


@pytest.mark.parametrize("quick", [False, True])
def test_all_learners_share_features_games_budget_and_validation(quick: bool) -> None:
    for comparison in LEARNER_COMPARISONS:
        recipes = {
            name: recipe for name, recipe in load_recipes(quick).items() if name.startswith(f"{comparison.name}-")
        }
        assert {name.partition("-")[2] for name in recipes} == {
            row.training_name for row in comparison.learners.values()
        }
        evolving = [recipe for recipe in recipes.values() if recipe.learner_type.has_population]
        assert {recipe.rules for recipe in recipes.values()} == {"standard-10x10"}
        assert {(recipe.agent, recipe.games, recipe.stop) for recipe in evolving} == {
            (evolving[0].agent, evolving[0].games, evolving[0].stop)
        }
        assert evolving[0].agent.features == tuple(comparison.features)
        budget = comparison.quick_piece_budget if quick else comparison.piece_budget
        assert evolving[0].stop.total_pieces == budget
        assert [
            recipe.settings.total_pieces for recipe in recipes.values() if not recipe.learner_type.has_population
        ] in (
            [],
            [budget],
        )
        validations = [
            {key: value for key, value in asdict(recipe.validation).items() if key != "every"}
            for recipe in recipes.values()
        ]
        assert all(validation == validations[0] for validation in validations)


def test_one_incumbent_is_validated_per_hundred_candidates() -> None:
    for recipe in load_recipes(quick=False).values():
        size = getattr(recipe.settings, "population", 40)  # harmony search plays its memory and as many new candidates
        if recipe.learner_type.has_population:
            assert recipe.validation.every == 100 // size


def test_ratio_has_interval_only_with_enough_seeds() -> None:
    few, many = np.array([100.0, 101.0, 99.0]), np.array([200.0, 202.0, 198.0])
    assert math.isclose(compute_learner_ratio(many, few).value or 0, 2)
    assert compute_learner_ratio(many, few).interval[0] > 1.9
    assert compute_learner_ratio(many[:2], few).ci95 is None
    assert compute_paired_ratio(many, few).interval == pytest.approx((2, 2))
    assert compute_paired_ratio(few, np.zeros(3)).value is None


def test_verdicts_follow_results() -> None:
    def row(results: Mapping[str, Any], claim: str) -> tuple[str, str]:
        rows = {row.claim: row for row in Reproduction(COMPARISON_PAPER, 1, False, results, {}).rows}
        return rows[claim].verdict, rows[claim].measured

    worst = "one-point is worse than the other three of four crossovers, four features"
    assert row(make_results({GENETIC_ONE_POINT_LABEL: 40}), worst)[0] == "agrees"
    verdict, ours = row(make_results(), worst)
    assert verdict == "undecided"
    assert "no difference found" in ours
    verdict, ours = row(make_results({GENETIC_ONE_POINT_LABEL: 200}), worst)
    assert verdict == "differs"
    assert "fewer" in ours
    crowd = "a crowd is better than its average expert, eight features"
    assert row(make_results(), crowd)[0] == "agrees"
    assert row(make_results({MEAN_CROWD_LABEL: 30}), crowd)[0] == "differs"
    expert = "in some runs an expert is better than the crowd, eight features"
    assert row(make_results({BEST_EXPERT_LABEL: 101}), expert) == ("agrees", "in 5 of 5 runs")
    assert row(make_results({BEST_EXPERT_LABEL: 99}), expert)[0] == "differs"


def test_learner_is_as_good_if_a_larger_loss_is_excluded() -> None:
    check = make_not_worse_check(FOUR_FEATURE_COMPARISON, HARMONY_SEARCH_LABEL, GENETIC_UNIFORM_LABEL)
    measured = [check(make_results({HARMONY_SEARCH_LABEL: lines})) for lines in (100, 60, 150, 92)]
    assert [value.holds for value in measured] == [True, False, True, None]
    assert measured[1].evidence == "the whole interval is below 0.9"
    assert measured[3].evidence == "the interval contains 0.9, so it does not decide"


def test_two_seeds_do_not_decide() -> None:
    results = make_results({HARMONY_SEARCH_LABEL: 300})
    results["four-harmony"]["runs"] = results["four-harmony"]["runs"][:2]
    measured = make_not_worse_check(FOUR_FEATURE_COMPARISON, HARMONY_SEARCH_LABEL, GENETIC_UNIFORM_LABEL)(results)
    assert measured.holds is None
    assert measured.evidence == "there are too few seeds for a confidence interval"


def test_all_rows_are_our_own_comparisons() -> None:
    assert {claim.kind for claim in COMPARISON_PAPER.claims} == {ClaimKind.OWN}


def test_run_that_ends_below_half_of_its_best_has_unlearnt() -> None:
    assert make_unlearning_check(FOUR_FEATURE_COMPARISON, Q_LEARNING_LABEL)(
        make_results(validation_scores=(10, 100, 49))
    ).holds
    assert not make_unlearning_check(FOUR_FEATURE_COMPARISON, Q_LEARNING_LABEL)(
        make_results(validation_scores=(10, 100, 51))
    ).holds


def test_best_learner_names_learners_without_difference() -> None:
    alone = describe_best_learner(FOUR_FEATURE_COMPARISON, make_results({GENETIC_UNIFORM_LABEL: 300}))
    assert alone.startswith("With four features, genetic (uniform) clears the most lines (300 ")
    assert alone.endswith("more than all others.")
    some = describe_best_learner(
        FOUR_FEATURE_COMPARISON, make_results({GENETIC_UNIFORM_LABEL: 300, HARMONY_SEARCH_LABEL: 299})
    )
    assert "no difference from it was found for harmony search, while" in some
    assert some.endswith("clear fewer.")
    assert describe_best_learner(FOUR_FEATURE_COMPARISON, make_results()).count("fewer") == 0


def test_answers_about_seeds_and_features_follow_results() -> None:
    results = make_results({GENETIC_UNIFORM_LABEL: 300, HARMONY_SEARCH_LABEL: 50})
    assert "The mean of the best learner is 6.00 times that of the worst" in describe_seed_variation(
        FOUR_FEATURE_COMPARISON, results
    )
    assert "1.11 times the lines of its worst seed" in describe_seed_variation(FOUR_FEATURE_COMPARISON, results)
    assert "is nearly the same: the rank correlation is 1.00" in describe_order_change(
        FOUR_FEATURE_COMPARISON, EIGHT_FEATURE_COMPARISON, results
    )
    assert compute_rank_correlation(np.array([1, 2, 3]), np.array([30, 20, 10])) == pytest.approx(-1)
    assert "no difference was found" in describe_crowd_difference(
        FOUR_FEATURE_COMPARISON, make_results(), CONSENSUS_CROWD_LABEL, MEAN_CROWD_LABEL
    )
    assert "the consensus clears more lines" in describe_crowd_difference(
        FOUR_FEATURE_COMPARISON, make_results({CONSENSUS_CROWD_LABEL: 130}), CONSENSUS_CROWD_LABEL, MEAN_CROWD_LABEL
    )
    assert "the consensus clears fewer lines" in describe_crowd_difference(
        FOUR_FEATURE_COMPARISON, make_results({CONSENSUS_CROWD_LABEL: 70}), CONSENSUS_CROWD_LABEL, MEAN_CROWD_LABEL
    )
    assert join_names(["a", "b", "c"]) == "a, b and c"
    assert join_names(["a"]) == "a"


def test_learner_table_shows_used_budget() -> None:
    rows = {
        row[0]: row for row in make_learner_table(FOUR_FEATURE_COMPARISON, make_results({GENETIC_UNIFORM_LABEL: 200}))
    }
    assert next(iter(rows)) == GENETIC_UNIFORM_LABEL
    assert rows[NO_NOISE_LABEL][2:7] == [
        "95.0",
        "105",
        f"{1.01 * FOUR_FEATURE_COMPARISON.piece_budget:,.0f}",
        "1 %",
        "3",
    ]


def test_learning_curve_is_last_validated_incumbent() -> None:
    metrics: dict[str, list[float | None]] = {
        "pieces": [10.0, 10.0, 10.0, 10.0],
        "validation": [None, 5.0, math.nan, 7.0],
    }
    assert compute_learning_curve(metrics, [5, 20, 39, 40]).tolist()[1:] == [5, 5, 7]
    assert math.isnan(compute_learning_curve(metrics, [5])[0])


def test_all_figures_can_be_drawn() -> None:
    for figure in COMPARISON_PAPER.figures:
        assert figure.draw(make_results({GENETIC_UNIFORM_LABEL: 3000}), FigureSize(560, 360)).axes


def test_learner_is_trained_and_summarised(tmp_path: Path) -> None:
    training = next(measurement for measurement in COMPARISON_PAPER.measurements if measurement.name == "four-crowds")
    assert isinstance(training, TrainingMeasurement)
    small = TrainingMeasurement(
        training.name,
        training.recipe,
        3,
        changes=(*training.get_plan(True)[1], "stop.total_pieces=3000", "validation.final_games=5"),
    )
    with start_threads(2) as workers:
        data = small.measure(MeasurementContext(tmp_path / "measurements", 1, False, workers))
    results = {training.name: data}
    assert len(FOUR_FEATURE_COMPARISON.get_lines(results, MEAN_CROWD_LABEL)) == 3
    assert FOUR_FEATURE_COMPARISON.get_lines(results, MEAN_CROWD_LABEL, CONSENSUS_CROWD_LABEL).shape == (6,)
    assert all(sum(run["metrics"]["pieces"]) >= 3000 for run in data["runs"])
