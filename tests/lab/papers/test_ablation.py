"""Tests of the ablation study: the greedy selection, and answers that follow from the results."""

from types import SimpleNamespace
from typing import Any, cast

import pytest

from tetrion.lab.papers.ablation import ablation_findings, ablation_measurements as ablation
from tetrion.lab.papers.ablation.ablation_paper import ABLATION_PAPER
from tetrion.lab.reproduction.measurements import MeasurementContext
from tetrion.lab.reproduction.paper_definition import ClaimKind
from tetrion.lab.reproduction.reproduction import compare_claim

FEATURE_VALUES = {feature: 10.0 - number for number, feature in enumerate(ablation.GABILLON_FEATURES)}


class FakeContext:
    """A context in which a training reaches the sum of its features' values."""

    is_quick = True
    seed = 1

    def train(self, recipe: str, name: str, seed: int, changes: tuple[str, ...]) -> SimpleNamespace:
        kind, _, features = name.partition("-")
        lines = sum(FEATURE_VALUES[feature] for feature in features.split("+")) + (0.01 * seed if kind == "step" else 0)
        run_recipe = SimpleNamespace(
            name=recipe, rules="", learner="cma", games=SimpleNamespace(fitness="lines"), seed=seed
        )
        result = {"uncorrected": {"lines": {"mean": lines}}}
        return SimpleNamespace(recipe=run_recipe, parameter_names=[], metrics={}, result=result)


def make_training(*lines: float) -> dict[str, Any]:
    return {"runs": [{"result": {"uncorrected": {"lines": {"mean": mean, "ci95": [mean, mean]}}}} for mean in lines]}


def make_games(lines: float) -> dict[str, Any]:
    summary = {"mean": lines, "ci95": [0.98 * lines, 1.02 * lines], "deviation": lines}
    return {"lines": summary, "games": 4000, "capped": 0}


def make_results(**changed: tuple[float, ...]) -> dict[str, Any]:
    """Return results in which only the named feature sets change the lines, and all greedy steps are equally good."""
    results: dict[str, Any] = {
        name: make_training(*changed.get(name, (99, 100, 101))) for name in ablation.FEATURE_SETS
    }
    for name in ablation.ABLATED_CONTROLLERS:
        results[name] = make_games(100)
        results |= {f"{name}-without-{feature}": make_games(20) for feature in ablation.GABILLON_FEATURES}
    steps = [
        {"feature": feature, "tried": {feature: [1.0]}, "lines": [99.0, 100, 101]}
        for feature in ablation.GABILLON_FEATURES
    ]
    return results | {"greedy": {"steps": steps}}


def test_greedy_selection_adds_best_feature_next() -> None:
    steps = ablation.measure_greedy_selection(cast(MeasurementContext, FakeContext()))["steps"]
    assert [step["feature"] for step in steps] == list(ablation.GABILLON_FEATURES)
    assert steps[0]["lines"] == pytest.approx([11.01, 11.02, 11.03])  # other seeds than those of the selection
    assert list(steps[7]["tried"]) == list(ablation.GABILLON_FEATURES[7:])


def test_feature_is_needed_only_if_its_interval_is_below_one() -> None:
    results = make_results(**{"without-wells": (49, 50, 51)})
    answer = ablation_findings.describe_dispensable_features(results)
    assert answer.startswith(
        "Lines are lost without these, even after retraining: wells (0.50 ± 0.03 times the lines)."
    )
    assert "holes" in answer.partition("Without")[2]
    assert ablation_findings.describe_dispensable_features(make_results()).startswith(
        "No loss is certain. Without landing height,"
    )


def test_weight_adaptation_compares_retrained_with_unchanged_weights() -> None:
    start = "For 9 of 9 features, retraining the other weights gives more lines"
    assert ablation_findings.describe_weight_adaptation(make_results()).startswith(start)
    lost = {f"without-{feature}": (19.0, 20, 21) for feature in ablation.GABILLON_FEATURES}
    assert ablation_findings.describe_weight_adaptation(make_results(**lost)).startswith(
        "For no feature does retraining"
    )


def test_sufficient_features_follow_step_means() -> None:
    results = make_results()
    assert "beyond 1 features, no further gain" in ablation_findings.describe_sufficient_features(results)
    for number, step in enumerate(results["greedy"]["steps"]):
        step["lines"] = [2.0**number * share for share in (0.99, 1, 1.01)]
    assert "all of them contribute" in ablation_findings.describe_sufficient_features(results)


def test_hole_weights_are_described() -> None:
    answer = ablation_findings.describe_hole_weights(make_results())
    assert "dt10 +0.95, dt20 +2.03" in answer
    assert "not measurably less than with holes" in answer
    assert ", less than with holes" in ablation_findings.describe_hole_weights(
        make_results(**{"without-holes": (49, 50, 51)})
    )


def test_tables_have_one_row_per_feature_and_step() -> None:
    results = make_results()
    rows = ablation_findings.make_feature_table(results)
    assert [row[0] for row in rows] == [name.replace("_", " ") for name in ablation.GABILLON_FEATURES]
    assert rows[-1][2] == "not used"  # Thiery and Scherrer's eight features do not include diversity
    assert [row[0] for row in ablation_findings.make_greedy_step_table(results)] == [
        str(number) for number in range(1, 10)
    ]
    assert len(ablation_findings.make_feature_set_table(results)) == len(ablation.FEATURE_SET_LABELS)


def test_feature_sets_have_expected_sizes() -> None:
    sizes = {name: len(ablation.FEATURE_SETS[name]) for name in ablation.FEATURE_SET_LABELS}
    assert sizes == {"nine": 9, "without-diversity": 8, "six": 6, "four": 4, "bertsekas": 21}
    assert "holes" not in ablation.remove_feature("du", "holes").weights


@pytest.mark.parametrize(
    ("lines", "verdict"), [((49, 50, 51), "agrees"), ((199, 200, 201), "differs"), ((40, 100, 160), "undecided")]
)
def test_feature_sets_are_compared_by_intervals_over_seeds(lines: tuple[float, ...], verdict: str) -> None:
    claim = ABLATION_PAPER.claims[0]
    assert claim.kind == ClaimKind.OWN
    assert compare_claim(claim, make_results(six=lines)).verdict == verdict
