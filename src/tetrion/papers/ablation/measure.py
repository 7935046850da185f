"""Measurements of the value of features: controllers without one, retraining without one, and greedy selection."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tetrion.agents import WeightedAgent, load_weighted_agent
from tetrion.evaluation.number_format import format_name
from tetrion.papers.measured_values import MeasuredValue, get_part, mean, ratio
from tetrion.papers.measurements import (
    CustomMeasurement,
    GameMeasurement,
    MeasurementContext,
    TrainingMeasurement,
    summarise_run,
)

SMALL_BOARD = "standard-10x10"  # where every game ends
PUBLISHED_CONTROLLERS = {
    name: load_weighted_agent(name).weights for name in ("dt20", "du")
}  # one feature at a time is removed
NINE_FEATURES = tuple(PUBLISHED_CONTROLLERS["dt20"])
TRAINED_SETS = {
    "nine": NINE_FEATURES,
    **{f"without-{feature}": tuple(name for name in NINE_FEATURES if name != feature) for feature in NINE_FEATURES},
    "six": tuple(load_weighted_agent("dellacherie").weights),
    "four": tuple(load_weighted_agent("lee").weights),
    "bertsekas": tuple(load_weighted_agent("ce-bertsekas").weights),
}
_VALIDATION = ("validation.games=60", "validation.finalists=2")
_FULL_BUDGET = ("stop.total_pieces=10000000", *_VALIDATION, "validation.final_games=400")
_TRIAL_BUDGET = ("stop.total_pieces=2000000", "games.count=5", *_VALIDATION, "validation.final_games=200")
_QUICK_SETTINGS = (
    *("games.count=2", "games.halving_rounds=1"),
    *("validation.every=3", "validation.games=10", "validation.finalists=2"),
)
_QUICK_BUDGET = ("stop.total_pieces=300000", *_QUICK_SETTINGS, "validation.final_games=60")
_QUICK_TRIAL_BUDGET = ("stop.total_pieces=100000", "stop.generations=12", *_QUICK_SETTINGS, "validation.final_games=30")
_SEED_COUNT = 3
_TRIAL_SEED_COUNT = 2
_FRESH_SEED_OFFSET = 100  # added to seeds, so that the final training does not reuse the seeds of the selection


def remove_feature(controller: str, feature: str) -> WeightedAgent:
    """Return a published controller without one of its features."""
    weights = {name: weight for name, weight in PUBLISHED_CONTROLLERS[controller].items() if name != feature}
    return WeightedAgent(f"{controller} without {feature}", weights)


def set_features(features: Sequence[str]) -> str:
    """Return the recipe change that sets the features of the agent."""
    return f"agent.features={json.dumps(list(features))}"


def measure_greedy_selection(context: MeasurementContext) -> dict[str, Any]:
    """Add features one by one, each time the one that gives the most lines after a short training.

    Every step is then trained again with other seeds and the full budget.
    """
    trial_budget = _QUICK_TRIAL_BUDGET if context.is_quick else _TRIAL_BUDGET
    full_budget = (*_FULL_BUDGET, *_QUICK_BUDGET) if context.is_quick else _FULL_BUDGET
    trial_seeds = range(1 if context.is_quick else _TRIAL_SEED_COUNT)
    step_seeds = range(_FRESH_SEED_OFFSET, _FRESH_SEED_OFFSET + _SEED_COUNT)
    chosen: list[str] = []
    steps: list[dict[str, Any]] = []
    while len(chosen) < len(NINE_FEATURES):
        trials = {
            feature: _train(context, "trial", (*chosen, feature), trial_seeds, trial_budget)
            for feature in NINE_FEATURES
            if feature not in chosen
        }
        chosen.append(max(trials, key=lambda feature: float(np.mean(trials[feature]))))
        lines = _train(context, "step", chosen, step_seeds, full_budget)
        steps.append({"feature": chosen[-1], "tried": trials, "lines": lines})
    return {"steps": steps}


def _train(
    context: MeasurementContext, name: str, features: Sequence[str], seeds: range, changes: Sequence[str]
) -> list[float]:
    """Train weights for the features and return the mean lines in held-out games, one per seed."""
    folder = f"{name}-{'+'.join(features)}"
    all_changes = (set_features(features), *changes)
    runs = [summarise_run(context.train("cma-dt", folder, context.seed + seed, all_changes)) for seed in seeds]
    return [float(run["result"]["uncorrected"]["lines"]["mean"]) for run in runs]


# Functions of expressions


def added_features(greedy: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return each step of the greedy selection: feature, lines, ratio to the step before, and the second choice."""
    rows: list[dict[str, Any]] = []
    for step in greedy["steps"]:
        others = {name: float(np.mean(lines)) for name, lines in step["tried"].items() if name != step["feature"]}
        lines = mean(step["lines"])
        rows.append(
            {
                "feature": format_name(step["feature"]),
                "lines": lines,
                "gain": ratio(lines, rows[-1]["lines"]) if rows else "–",
                "second": format_name(max(others, key=others.__getitem__, default="–")),
            }
        )
    return rows


def remaining(group: Mapping[str, Any], whole: MeasuredValue) -> dict[str, MeasuredValue]:
    """Return the lines without each feature relative to those with all, by feature."""
    return {feature: ratio(get_part(data, "lines"), whole) for feature, data in group.items()}


def weight_sizes(controller: str) -> list[float]:
    """Return the sizes of the weights of a controller, by feature."""
    return [abs(float(np.asarray(weight))) for weight in PUBLISHED_CONTROLLERS[controller].values()]


def losses(group: Mapping[str, Any]) -> list[float]:
    """Return minus the mean lines without each feature, so that more is a larger loss."""
    return [-get_part(data, "lines").value for data in group.values()]


def recovered(retrained: Mapping[str, MeasuredValue], unchanged: Mapping[str, MeasuredValue]) -> list[str]:
    """Return the features without which retrained weights keep more than unchanged ones; intervals do not overlap."""
    return [name for name in retrained if retrained[name].interval[0] > unchanged[name].interval[1]]


FUNCTIONS = (added_features, remaining, weight_sizes, losses, recovered)

MEASUREMENTS = [
    *(GameMeasurement(name, name, 6000, 400, SMALL_BOARD) for name in PUBLISHED_CONTROLLERS),
    *(
        GameMeasurement(f"{name}-without-{feature}", remove_feature(name, feature), 4000, 150, SMALL_BOARD)
        for name, weights in PUBLISHED_CONTROLLERS.items()
        for feature in weights
    ),
    *(
        TrainingMeasurement(
            name, "cma-dt", _SEED_COUNT, _SEED_COUNT, (set_features(features), *_FULL_BUDGET), _QUICK_BUDGET
        )
        for name, features in TRAINED_SETS.items()
    ),
    CustomMeasurement("greedy", measure_greedy_selection),
]
