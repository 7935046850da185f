"""Tests of the ablation study: the greedy selection, and calculations with results that are given."""

from types import SimpleNamespace
from typing import Any, cast

import pytest

from tetrion.papers.ablation import measure as ablation
from tetrion.papers.measured_values import MeasuredValue
from tetrion.papers.measurements import MeasurementContext

FEATURE_VALUES = {feature: 10.0 - number for number, feature in enumerate(ablation.NINE_FEATURES)}


class FakeContext:
    """A context in which a training reaches the sum of its features' values."""

    is_quick = True
    seed = 1

    def train(self, recipe: str, name: str, seed: int, changes: tuple[str, ...]) -> SimpleNamespace:
        kind, _, features = name.partition("-")
        lines = sum(FEATURE_VALUES[feature] for feature in features.split("+")) + (0.01 * seed if kind == "step" else 0)
        games = SimpleNamespace(fitness="lines")
        run_recipe = SimpleNamespace(name=recipe, rules="", learner="cma", games=games, seed=seed)
        result = {"uncorrected": {"lines": {"mean": lines}}}
        return SimpleNamespace(recipe=run_recipe, parameter_names=[], metrics={}, result=result)


def make_training(*lines: float) -> dict[str, Any]:
    return {"runs": [{"result": {"uncorrected": {"lines": {"mean": mean}}}} for mean in lines]}


def test_greedy_selection_adds_best_feature_next() -> None:
    greedy = ablation.measure_greedy_selection(cast(MeasurementContext, FakeContext()))
    steps = greedy["steps"]
    assert [step["feature"] for step in steps] == list(ablation.NINE_FEATURES)
    assert steps[0]["lines"] == pytest.approx([11.01, 11.02, 11.03])  # other seeds than those of the selection
    assert list(steps[7]["tried"]) == list(ablation.NINE_FEATURES[7:])
    first, second, *_, last = ablation.added_features(greedy)
    assert (first["feature"], first["gain"], first["second"]) == ("landing height", "–", "eroded cells")
    assert second["gain"].value == pytest.approx(20.02 / 11.02)
    assert last["second"] == "–"


def test_features_are_compared_with_all_and_with_other_weights() -> None:
    group = {"wells": make_training(49, 50, 51), "holes": make_training(99, 100, 101)}
    retrained = ablation.remaining(group, MeasuredValue(100, (99, 101)))
    assert [value.value for value in retrained.values()] == pytest.approx([0.5, 1])
    assert ablation.losses(group) == pytest.approx([-50, -100])
    unchanged = {"wells": MeasuredValue(0.1, (0.09, 0.11)), "holes": MeasuredValue(0.95, (0.9, 1.05))}
    assert ablation.recovered(retrained, unchanged) == ["wells"]
