"""Tests of the comparison of learners: equal settings for all, and calculations with results that are given."""

from dataclasses import asdict
from typing import Any

import pytest

from tetrion.papers.comparison import measure as comparison
from tetrion.training.recipe import Recipe

SEED_FACTORS = (0.95, 1.0, 1.05, 0.97, 1.03)  # lines of each seed relative to the mean


def make_group(**lines: float) -> dict[str, Any]:
    """Return five runs of each named training, and of the crowds; a crowd clears 60 lines and its best expert 80."""
    trainings = {name: [make_run(factor * mean) for factor in SEED_FACTORS] for name, mean in lines.items()}
    return {name: {"runs": runs} for name, runs in {**trainings, "crowds": [make_run(80)] * 5}.items()}


def make_run(lines: float) -> dict[str, Any]:
    return {
        "result": {
            "uncorrected": {"lines": {"mean": lines}},
            "crowd": {"best expert": 80, "crowd (mean)": 60, "crowd (consensus)": 50},
        },
        "metrics": {"pieces": [400, 600], "validation": [10, 9]},
    }


def load_recipes(set_name: str, quick: bool) -> dict[str, Recipe]:
    trainings = [training for training in comparison.MEASUREMENTS if training.name.startswith(f"{set_name}-")]
    return {training.name: Recipe.load(training.recipe, training.get_plan(quick)[1]) for training in trainings}


@pytest.mark.parametrize("quick", [False, True])
@pytest.mark.parametrize("set_name", comparison.FEATURE_SETS)
def test_all_learners_share_features_games_budget_and_validation(set_name: str, quick: bool) -> None:
    recipes = load_recipes(set_name, quick)
    evolving = [recipe for recipe in recipes.values() if recipe.learner_type.has_population]
    assert {recipe.rules for recipe in recipes.values()} == {comparison.COMPARISON_RULES}
    assert {(recipe.agent, recipe.games, recipe.stop) for recipe in evolving} == {
        (evolving[0].agent, evolving[0].games, evolving[0].stop)
    }
    features = comparison.FEATURE_SETS[set_name]
    assert evolving[0].agent.features == tuple(features.features)
    assert evolving[0].stop.total_pieces == features.pieces[quick]
    for recipe in recipes.values():
        if not recipe.learner_type.has_population:
            assert recipe.settings.total_pieces == features.pieces[quick]
    validations = [asdict(recipe.validation) | {"every": 0} for recipe in recipes.values()]
    assert all(validation == validations[0] for validation in validations)


def test_learners_are_ranked_by_their_mean_lines() -> None:
    group = make_group(cma=100, harmony=99, genetic_uniform=50)
    rows = {row["learner"]: row for row in comparison.ranking(group)}
    assert list(rows) == [
        *("CMA-ES", "harmony search", "genetic (Hindi et al.)"),
        *("crowd (mean)", "genetic (uniform)", "crowd (consensus)"),
    ]
    assert [learner for learner, row in rows.items() if row["is_worse"]] == list(rows)[2:]
    assert (rows["CMA-ES"]["worst"], rows["CMA-ES"]["best"]) == pytest.approx((95, 105))
    assert (rows["CMA-ES"]["pieces"], rows["CMA-ES"]["generations"]) == (1000, 2)
    assert comparison.best_to_worst(group).value == pytest.approx(2)
    assert comparison.best_other(group, "CMA-ES").value == pytest.approx(100 / 99)
    assert comparison.seed_spread(group).interval == pytest.approx((1, 105 / 95))


def test_only_significantly_better_learners_are_counted() -> None:
    groups = [make_group(cma=100, harmony=101), make_group(cma=100, harmony=150)]
    better = comparison.better_learners("CMA-ES", *groups)
    assert (better.value, better.basis) == (1, "of 8 comparisons")


def test_runs_are_compared_in_pairs() -> None:
    assert comparison.paired_ratio([20, 40, 60], [10, 20, 30]).interval == pytest.approx((2, 2))
    assert comparison.paired_ratio([20], [0]).value is None
    assert comparison.wins([2, 1, 3], [1, 2, 3]).text == "in 1 of 3 runs"
    assert comparison.pool(*make_group(cma=10, harmony=20).values()).value == pytest.approx((10 + 20 + 80) / 3)
