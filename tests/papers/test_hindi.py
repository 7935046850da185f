"""Hindi et al.: the tables of the document, and the calculations of the paper."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest

from tetrion.agents import load_weighted_agent
from tetrion.agents.named.hindi_agents import HINDI_FEATURES
from tetrion.papers.hindi import measure
from tetrion.papers.hindi.measure import MEASUREMENTS, TABLE_AGENTS, TABLE_III, TABLE_III_COLUMNS
from tetrion.papers.measurements import TrainingMeasurement
from tetrion.training.recipe import Recipe

RISING, FALLING = list(range(25)), list(range(25, 0, -1))
LATE_CLIMB = [10.0] * 8 + [20_000.0] * 17


def make_run(scores: Sequence[float], held_out: float = 1000.0, seed: int = 1) -> dict[str, Any]:
    """Return a run whose generations have these averages and best scores."""
    result = {"uncorrected": {"score": {"mean": held_out}}, "parameters": {"holes": -1.0}}
    metrics = {"mean": list(scores), "max": list(scores), "validation": [100.0], "incumbent holes": [-0.5]}
    return {"seed": seed, "settings": "2-15", "metrics": metrics, "result": result}


def make_training(*runs: dict[str, Any]) -> dict[str, Any]:
    """Return a training with these runs, with seeds from 1 on."""
    return {"runs": [{**run, "seed": seed} for seed, run in enumerate(runs, 1)]}


def make_agents(score: float, *weights: Mapping[str, float]) -> dict[str, Any]:
    """Return a training of 40 runs that end with agents of these weights and this score; other weights are −0.5."""
    common = dict.fromkeys(HINDI_FEATURES, -0.5)
    runs = [make_run([0, score]) for _ in range(40)]
    for number, run in enumerate(runs):
        agent = {**common, **weights[number % len(weights)]}
        run["metrics"] |= {f"incumbent {name}": [0.0, weight] for name, weight in agent.items()}
    return make_training(*runs)


# The document


def test_table_iii_implies_population_of_50() -> None:
    # A score is a multiple of 20, so an average over 50 candidates is a multiple of 0.4.
    assert TABLE_III.shape == (26, 6)
    median, q1, q3, low, high, average = TABLE_III.T
    assert not (np.concatenate([low, high]) % 20).any()
    assert average / 0.4 == pytest.approx(np.round(average / 0.4), abs=1e-6)
    assert (average % 1 != 0).any()
    assert all(np.all(first <= second) for first, second in ((low, q1), (q1, median), (median, q3), (q3, high)))


def test_three_rows_of_table_i_have_equal_weights() -> None:
    for name, is_equal in (("hindi-1", True), ("hindi-2", True), ("hindi-3", False), ("hindi-4", True)):
        weights = load_weighted_agent(name).weights
        training = make_agents(30_000, {feature: float(str(weights[feature])) for feature in HINDI_FEATURES})
        assert measure.equal_weights([training]).value == is_equal


# Measurements


def test_all_measurements_have_valid_recipes() -> None:
    assert len({measurement.name for measurement in MEASUREMENTS}) == len(MEASUREMENTS)
    grids = [part.trainings.values() for part in MEASUREMENTS if isinstance(part, measure.GridMeasurement)]
    trainings = [part for part in MEASUREMENTS if isinstance(part, TrainingMeasurement)]
    for training in (*trainings, *(training for grid in grids for training in grid)):
        for is_quick in (True, False):
            assert Recipe.load(training.recipe, training.get_plan(is_quick)[1]).rules == "hindi"


# Functions of expressions


@pytest.mark.parametrize(
    ("condition", "scores", "expected"),
    [
        ("rises", RISING, True),
        ("rises", FALLING, False),
        ("average spikes", [100, 60, 40], False),
        ("best score spikes", [100, 49, 60], True),
        ("earlier best", [1, 3, 2], True),
        ("earlier best", [1, 2, 3], False),
        ("climbs late", LATE_CLIMB, True),
        ("climbs late", [10.0] * 5 + LATE_CLIMB[8:], False),
        ("climbs late", [score / 10 for score in LATE_CLIMB], False),
    ],
)
def test_conditions_of_runs(condition: str, scores: Sequence[float], expected: bool) -> None:
    assert measure.CONDITIONS[condition](make_run(scores)) is expected


def test_leads_have_wider_intervals_for_several_comparisons() -> None:
    first = make_training(*(make_run([0, 1, 2, 3, 2 + number % 3]) for number in range(20)))
    others = [make_training(*(make_run([2, 3, number % 3, 1, 0]) for number in range(20)))] * 13
    alone, together = measure.leads(first, others[:1])[0], measure.leads(first, others)[0]
    assert alone.value == together.value
    assert together.interval[0] < alone.interval[0] < alone.interval[1] < together.interval[1]


def test_weights_of_strong_agents() -> None:
    low, equal = {"aggregate_height": -0.8}, {"full_rows": 0.5}
    assert measure.height_lowest(make_agents(30_000, low, equal)).value == 0.5
    assert measure.height_lowest(make_agents(20_000, low)).value is None
    negative, positive = make_agents(30_000, {}), make_agents(30_000, equal)
    assert measure.negative_lines([negative, negative], negative, positive).value == 3
    assert measure.negative_lines(negative, make_agents(20_000, {})).text == "unknown"


def test_sums_of_more_games_are_higher() -> None:
    scores = list(range(1000))
    one, five = (measure.best_of_generation(scores, 20, games) for games in (1, 5))
    assert one.interval[1] <= 999 < five.interval[0]
    games = {name.removeprefix("hindi-").replace("-", "_"): {"sample": {"score": [0]}} for name in TABLE_AGENTS}
    games["3"] = {"sample": {"score": [103_220]}}
    assert (measure.fitting_scores(games, 1), measure.fitting_scores(games, 5)) == (1, 0)


def test_table_iii_is_compared_with_runs() -> None:
    generator = np.random.default_rng(1)

    def make_runs(generations: int, centre: float) -> dict[str, Any]:
        columns = dict(zip(TABLE_III_COLUMNS, TABLE_III[:generations].T, strict=True))
        return {
            "runs": [
                {
                    "metrics": {
                        name: values + centre + generator.uniform(0, 99, len(values))
                        for name, values in columns.items()
                    }
                }
                for _ in range(40)
            ]
        }

    similar, others = measure.table_iii_likelihood(make_runs(25, 50)), measure.table_iii_likelihood(make_runs(26, 9e5))
    assert "of 150 values" in similar.basis
    assert others.basis.startswith("0 of 156 values")
    assert others.value == pytest.approx(1 / 41)
    few = make_runs(26, 9e5)["runs"][:3]
    assert measure.table_iii_likelihood({"runs": few}).value is None
