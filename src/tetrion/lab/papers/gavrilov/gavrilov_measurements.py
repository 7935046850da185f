"""The measurements of Gavrilov's report."""

import json
from functools import partial
from typing import Any

import numpy as np

from tetrion.agents import WeightedAgent
from tetrion.lab.papers.gavrilov.gavrilov_findings import (
    ADDED_FEATURES,
    AGENTS_BY_FEATURE_COUNT,
    BUMPINESS_WEIGHTS,
    GAVRILOV_AGENT_NAMES,
    GAVRILOV_FEATURE_NAMES,
    GAVRILOV_RANDOMISERS,
    GAVRILOV_TRAINED_WEIGHTS,
    HEAVY_HOLES_WITHOUT_BUMPINESS,
    HOLES_WEIGHTS,
    format_ablation_name,
    format_randomiser_measurement_name,
    format_weighting_name,
)
from tetrion.lab.papers.gavrilov.gavrilov_games import (
    measure_key_rates,
    measure_line_clear_bug,
    measure_piece_sequences,
)
from tetrion.lab.papers.gavrilov.gavrilov_real_time import (
    FAST_KEY_RATES,
    REAL_TIME_KEY_RATES,
    measure_real_time_games,
)
from tetrion.lab.reproduction.measurements import (
    CustomMeasurement,
    GameMeasurement,
    Measurement,
    MeasurementContext,
    TrainingMeasurement,
)

_GAVRILOV_RULES = "gavrilov"
_EVOLUTION_TRAINING = TrainingMeasurement("evolution", "gavrilov", seed_count=100, quick_seed_count=8)


def make_weighting_measurement(name: str, holes: float, bumpiness: float) -> GameMeasurement:
    """Return the games of an agent with other weights of holes and bumpiness; long games are capped."""
    weights = {"piece_top": 1.0, "holes": -holes, "bumpiness": -bumpiness}
    agent = WeightedAgent(format_weighting_name(name), weights, "before", rules=_GAVRILOV_RULES)
    return GameMeasurement(format_weighting_name(name), agent, games=2000, quick_games=300, max_pieces=50_000)


def make_ablation_measurement(feature: str) -> GameMeasurement:
    """Return the games of the trained agent without a feature."""
    weights = {name: weight for name, weight in GAVRILOV_TRAINED_WEIGHTS.items() if name != feature}
    agent = WeightedAgent(format_ablation_name(feature), weights, "before", rules=_GAVRILOV_RULES)
    return GameMeasurement(
        format_ablation_name(feature), agent, games=1000, quick_games=100, max_pieces=200_000, quick_max_pieces=20_000
    )


def measure_candidates(context: MeasurementContext) -> dict[str, Any]:
    """Return the lines of every candidate in the run whose held-out result is the median of all seeds."""
    count, changes = _EVOLUTION_TRAINING.get_plan(context.is_quick)
    numbers = range(context.seed, context.seed + count)
    runs = [context.train(_EVOLUTION_TRAINING.recipe, _EVOLUTION_TRAINING.name, seed, changes) for seed in numbers]
    means = [run.result["uncorrected"]["lines"]["mean"] if run.result else 0.0 for run in runs]
    median_index = int(np.argsort(means, kind="stable")[len(means) // 2])
    run = runs[median_index]
    return {
        "run": median_index,
        "fitness": [run.load_population(number).fitness.tolist() for number in range(run.generation_count)],
    }


def make_randomiser_measurements(randomiser: str) -> list[GameMeasurement]:
    """Return the games of every agent with a randomiser other than the report's."""
    rules = f"{_GAVRILOV_RULES}:randomiser={randomiser}"
    return [
        GameMeasurement(
            format_randomiser_measurement_name(agent, randomiser), agent, games=500, quick_games=50, rules=rules
        )
        if agent == "random-keys"
        else GameMeasurement(
            format_randomiser_measurement_name(agent, randomiser), agent, games=4000, quick_games=300, rules=rules
        )
        for agent in GAVRILOV_AGENT_NAMES
    ]


def make_variant_training(name: str, change: str) -> TrainingMeasurement:
    """Return the training with one recipe change, to compare means over seeds."""
    return TrainingMeasurement(name, "gavrilov", seed_count=20, quick_seed_count=3, changes=(change,))


def make_reading_training(name: str, change: str) -> TrainingMeasurement:
    """Return the training with one recipe change and enough seeds for the 95 % range of a single run."""
    return TrainingMeasurement(name, "gavrilov", seed_count=40, quick_seed_count=2, changes=(change,))


def format_added_features_change(features: tuple[str, ...]) -> str:
    """Return the recipe change that adds features to the four of the report."""
    return f"agent.features={json.dumps([*GAVRILOV_FEATURE_NAMES, *features])}"


GAVRILOV_MEASUREMENTS: list[Measurement] = [
    GameMeasurement("random-keys", "random-keys", games=2000, quick_games=200),
    *(GameMeasurement(name, name, games=20_000, quick_games=2000) for name in AGENTS_BY_FEATURE_COUNT),
    GameMeasurement("gavrilov", "gavrilov", games=2000, quick_games=100, batch_count=8),
    GameMeasurement(
        "reach", "gavrilov", games=1000, quick_games=60, rules=f"{_GAVRILOV_RULES}:movement=reach", batch_count=8
    ),
    GameMeasurement(
        "low-entry", "gavrilov", games=500, quick_games=50, rules=f"{_GAVRILOV_RULES}:movement=reach,spawn_height=0"
    ),
    *(make_weighting_measurement(f"bumpiness-{value}", 1, float(value)) for value in BUMPINESS_WEIGHTS),
    *(make_weighting_measurement(f"holes-{value}", float(value), 1) for value in HOLES_WEIGHTS),
    make_weighting_measurement(HEAVY_HOLES_WITHOUT_BUMPINESS, 10, 0),
    *(make_ablation_measurement(feature) for feature in GAVRILOV_FEATURE_NAMES),
    CustomMeasurement("key-rates", measure_key_rates),
    CustomMeasurement("hanging-rows", partial(measure_line_clear_bug, "gavrilov"), version=2),
    CustomMeasurement("hanging-rows-gavrilov-2", partial(measure_line_clear_bug, "gavrilov-2")),
    CustomMeasurement("real-time", partial(measure_real_time_games, REAL_TIME_KEY_RATES)),
    CustomMeasurement("real-time-fast", partial(measure_real_time_games, FAST_KEY_RATES)),
    CustomMeasurement("sequences", measure_piece_sequences),
    *(
        measurement
        for randomiser in GAVRILOV_RANDOMISERS[1:]
        for measurement in make_randomiser_measurements(randomiser)
    ),
    _EVOLUTION_TRAINING,
    CustomMeasurement("individuals", measure_candidates, version=2),
    make_reading_training("normal-start", 'genetic.initial_weights="normal"'),
    make_reading_training("best-two", 'genetic.selection="best-two"'),
    *(make_variant_training(name, format_added_features_change(added)) for name, added in ADDED_FEATURES.items()),
    make_variant_training("evolution-reach", f'rules="{_GAVRILOV_RULES}:movement=reach"'),
]
