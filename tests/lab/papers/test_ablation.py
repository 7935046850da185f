"""What each feature is worth: the search that adds them, and answers that follow the figures."""

from types import SimpleNamespace
from typing import Any, cast

import pytest

from tetrion.lab.papers.ablation import ablation_paper as ablation
from tetrion.lab.reproduction.measurements import MeasurementContext
from tetrion.lab.reproduction.reproduction_observer import ReproductionObserver

WORTH = {feature: 10.0 - place for place, feature in enumerate(ablation.GABILLON_FEATURES)}


class Pretended:
    """A laboratory whose trainings come to what their features are worth."""

    quick = True
    seed = 1
    watcher = ReproductionObserver()

    def train(self, recipe: str, name: str, seed: int, changes: tuple[str, ...]) -> SimpleNamespace:
        kind, _, features = name.partition("-")
        lines = sum(WORTH[feature] for feature in features.split("+")) + (0.01 * seed if kind == "step" else 0)
        recipe_of = SimpleNamespace(
            name=recipe, rules="", learner="cma", games=SimpleNamespace(fitness="lines"), seed=seed
        )
        result = {"uncorrected": {"lines": {"mean": lines}}}
        return SimpleNamespace(recipe=recipe_of, names=[], metrics={}, result=result)


def trained(*lines: float) -> dict[str, Any]:
    return {"runs": [{"result": {"uncorrected": {"lines": {"mean": mean, "ci95": [mean, mean]}}}} for mean in lines]}


def played(lines: float) -> dict[str, Any]:
    told = {"mean": lines, "ci95": [0.98 * lines, 1.02 * lines], "deviation": lines}
    return {"lines": told, "games": 4000, "capped": 0}


def made_up(**changed: tuple[float, ...]) -> dict[str, Any]:
    """Results in which every feature is idle but those that are named, and each step is as good as the last."""
    results: dict[str, Any] = {name: trained(*changed.get(name, (99, 100, 101))) for name in ablation.FEATURE_SETS}
    for name in ablation.ABLATED_CONTROLLERS:
        results[name] = played(100)
        results |= {f"{name}-without-{feature}": played(20) for feature in ablation.GABILLON_FEATURES}
    steps = [
        {"feature": feature, "tried": {feature: [1.0]}, "lines": [99.0, 100, 101]}
        for feature in ablation.GABILLON_FEATURES
    ]
    return results | {"greedy": {"steps": steps}}


def test_the_best_feature_comes_next() -> None:
    steps = ablation.measure_greedy_selection(cast(MeasurementContext, Pretended()))["steps"]
    assert [step["feature"] for step in steps] == list(ablation.GABILLON_FEATURES)
    assert steps[0]["lines"] == pytest.approx([11.01, 11.02, 11.03])  # by seeds that the choice did not see
    assert list(steps[7]["tried"]) == list(ablation.GABILLON_FEATURES[7:])


def test_a_feature_is_missed_only_if_its_interval_says_so() -> None:
    results = made_up(**{"without-wells": (49, 50, 51)})
    words = ablation.describe_dispensable_features(results)
    assert words.startswith("Missed, when all others are learnt anew: wells (0.50 ± 0.03 times the lines).")
    assert "holes" in words.partition("Without")[2]
    assert ablation.describe_dispensable_features(made_up()).startswith(
        "No feature is missed beyond doubt. Without landing height,"
    )


def test_weights_that_adapt() -> None:
    assert ablation.describe_weight_adaptation(made_up()).startswith("For 9 of 9 features more is left")
    lost = {f"without-{feature}": (19.0, 20, 21) for feature in ablation.GABILLON_FEATURES}
    assert ablation.describe_weight_adaptation(made_up(**lost)).startswith("For no feature is more left")


def test_when_features_stop_helping() -> None:
    results = made_up()
    assert "from 1 on no further gain" in ablation.describe_sufficient_features(results)
    for number, step in enumerate(results["greedy"]["steps"]):
        step["lines"] = [2.0**number * share for share in (0.99, 1, 1.01)]
    assert "none of them is idle" in ablation.describe_sufficient_features(results)


def test_what_holes_are_worth() -> None:
    words = ablation.describe_hole_weights(made_up())
    assert "dt10 +0.95, dt20 +2.03" in words
    assert "no less than with them" in words
    assert ", less than with them" in ablation.describe_hole_weights(made_up(**{"without-holes": (49, 50, 51)}))


def test_tables_have_a_row_for_every_feature_and_step() -> None:
    results = made_up()
    rows = ablation.make_feature_table(results)
    assert [row[0] for row in rows] == [name.replace("_", " ") for name in ablation.GABILLON_FEATURES]
    assert rows[-1][2] == "not in it"  # Thiery and Scherrer's eight are without diversity
    assert [row[0] for row in ablation.make_greedy_step_table(results)] == [str(number) for number in range(1, 10)]
    assert len(ablation.make_feature_set_table(results)) == len(ablation.FEATURE_SET_LABELS)


def test_sets_of_features() -> None:
    sizes = {name: len(features) for name, features in ablation.FEATURE_SETS.items()}
    assert (sizes["nine"], sizes["without-diversity"], sizes["six"], sizes["four"], sizes["bertsekas"]) == (
        9,
        8,
        6,
        4,
        21,
    )
    assert "holes" not in ablation.remove_feature("du", "holes").weights
