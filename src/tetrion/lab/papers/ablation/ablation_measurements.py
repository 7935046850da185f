"""Measurements of the value of features: controllers without one, retraining without one, and greedy selection."""

import json
from collections.abc import Sequence
from typing import Any

import numpy as np

from tetrion.agents import WeightedAgent, load_weighted_agent
from tetrion.lab.reproduction.measurements import (
    CustomMeasurement,
    GameMeasurement,
    Measurement,
    MeasurementContext,
    TrainingMeasurement,
    summarise_run,
)

ABLATED_CONTROLLERS = ("dt20", "du")  # one feature at a time is removed from their weights
GABILLON_FEATURES = tuple(load_weighted_agent("dt20").weights)
_DELLACHERIE_FEATURES = tuple(load_weighted_agent("dellacherie").weights)
FEATURE_SETS = {
    "nine": GABILLON_FEATURES,
    **{
        f"without-{feature}": tuple(name for name in GABILLON_FEATURES if name != feature)
        for feature in GABILLON_FEATURES
    },
    "six": _DELLACHERIE_FEATURES,
    "four": tuple(load_weighted_agent("lee").weights),
    "bertsekas": tuple(load_weighted_agent("ce-bertsekas").weights),
}
FEATURE_SET_LABELS = {
    "nine": "the nine of Gabillon et al. 2013",
    "without-diversity": "the eight of Thiery and Scherrer 2009",
    "six": "the six of Dellacherie 2003",
    "four": "the four of Lee 2013",
    "bertsekas": "the 21 of Bertsekas and Ioffe 1996",
}
_FULL_BUDGET = (
    "stop.total_pieces=10000000",
    "validation.games=60",
    "validation.finalists=2",
    "validation.final_games=400",
)
_TRIAL_BUDGET = (
    "stop.total_pieces=2000000",
    "games.count=5",
    "validation.games=60",
    "validation.finalists=2",
    "validation.final_games=200",
)
_QUICK_SETTINGS = (
    "games.count=2",
    "games.halving_rounds=1",
    "validation.every=3",
    "validation.games=10",
    "validation.finalists=2",
)
_QUICK_BUDGET = ("stop.total_pieces=300000", *_QUICK_SETTINGS, "validation.final_games=60")
_QUICK_TRIAL_BUDGET = ("stop.total_pieces=100000", "stop.generations=12", *_QUICK_SETTINGS, "validation.final_games=30")
_SEED_COUNT = 3
_QUICK_SEED_COUNT = 3
_TRIAL_SEED_COUNT = 2
_FRESH_SEED_OFFSET = 100  # added to seeds, so that the final training does not reuse the seeds of the selection


def format_features_change(features: Sequence[str]) -> str:
    """Return the recipe change that sets the features of the agent."""
    return f"agent.features={json.dumps(list(features))}"


def remove_feature(controller: str, feature: str) -> WeightedAgent:
    """Return a published controller without one of its features."""
    weights = {name: weight for name, weight in load_weighted_agent(controller).weights.items() if name != feature}
    return WeightedAgent(f"{controller} without {feature}", weights)


def measure_greedy_selection(context: MeasurementContext) -> dict[str, Any]:
    """Add features one by one, each time the one that gives the most lines after a short training.

    Every step is then trained again with other seeds and the full budget.
    """
    quick = context.is_quick
    trial_budget = _QUICK_TRIAL_BUDGET if quick else _TRIAL_BUDGET
    full_budget = (*_FULL_BUDGET, *_QUICK_BUDGET) if quick else _FULL_BUDGET
    trial_seeds = range(1 if quick else _TRIAL_SEED_COUNT)
    first_seed = _FRESH_SEED_OFFSET
    step_seeds = range(first_seed, first_seed + (_QUICK_SEED_COUNT if quick else _SEED_COUNT))
    chosen: list[str] = []
    steps: list[dict[str, Any]] = []
    while len(chosen) < len(GABILLON_FEATURES):
        remaining = [feature for feature in GABILLON_FEATURES if feature not in chosen]
        trials = {
            feature: train_with_features(context, "trial", (*chosen, feature), trial_seeds, trial_budget)
            for feature in remaining
        }
        chosen.append(max(remaining, key=lambda feature: float(np.mean(trials[feature]))))
        lines = train_with_features(context, "step", chosen, step_seeds, full_budget)
        steps.append({"feature": chosen[-1], "tried": trials, "lines": lines})
    return {"steps": steps}


def train_with_features(
    context: MeasurementContext, name: str, features: Sequence[str], seeds: range, changes: Sequence[str]
) -> list[float]:
    """Train weights for the features and return the mean lines in held-out games, one per seed.

    `seeds` are added to the seed of the context.
    """
    all_changes = (format_features_change(features), *changes)
    folder = f"{name}-{'+'.join(features)}"
    runs = [summarise_run(context.train("cma-dt", folder, context.seed + seed, all_changes)) for seed in seeds]
    return [float(run["result"]["uncorrected"]["lines"]["mean"]) for run in runs]


ABLATION_MEASUREMENTS: list[Measurement] = [
    *(GameMeasurement(name, name, games=6000, quick_games=400, rules="standard-10x10") for name in ABLATED_CONTROLLERS),
    *(
        GameMeasurement(
            f"{name}-without-{feature}",
            remove_feature(name, feature),
            games=4000,
            quick_games=150,
            rules="standard-10x10",
        )
        for name in ABLATED_CONTROLLERS
        for feature in load_weighted_agent(name).weights
    ),
    *(
        TrainingMeasurement(
            name,
            "cma-dt",
            _SEED_COUNT,
            _QUICK_SEED_COUNT,
            (format_features_change(features), *_FULL_BUDGET),
            _QUICK_BUDGET,
        )
        for name, features in FEATURE_SETS.items()
    ),
    CustomMeasurement("greedy", measure_greedy_selection),
]
