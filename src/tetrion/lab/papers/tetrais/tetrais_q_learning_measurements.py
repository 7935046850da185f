"""Measurements of TetrAIs' Q-learning: variants of the recipes, and how fast weights grow with raw features."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tetrion.agents import WeightedAgent
from tetrion.engine.rules import Rules
from tetrion.lab.reproduction.measurements import (
    CustomMeasurement,
    GameMeasurement,
    Measurement,
    MeasurementContext,
    TrainingMeasurement,
)
from tetrion.training.q_learning import INITIAL_WEIGHTS, QLearning, QLearningSettings
from tetrion.training.recipe import Recipe

REPORT_RECIPE, OWN_RECIPE = "tetrais-q-report", "tetrais-q"
RECIPE_LEARNING_RATE = 0.001  # of the recipe tetrais-q-report
DIVERGENCE_EPISODES = 5  # episodes in Figure 12
FIGURE_12_EPISODES = (1, 3, 5)  # episodes whose weights Figure 12 and section 6.5 give
_DIVERGENCE_RATES = (0.0001, 0.001, 0.01, 0.1)
_QUICK_DIVERGENCE_PIECES = 200

# The scan of learning rates: twelve per power of ten. The discount factors are that of the recipe and that of the
# Berkeley Pacman project, which the report cites. Rates above 0.1 give numbers beyond the range of floats.
SCAN_RATES = tuple(10 ** (exponent / 12) for exponent in range(-60, -11))
FASTEST_RATE = 0.2  # measured with differences only, because raw weights exceed the range of floats
_SCAN_DISCOUNTS = (0.995, 0.8)
_SCAN_SEEDS, _QUICK_SCAN_SEEDS = 5, 2
_QUICK_RATE_STEP = 6


@dataclass(frozen=True)
class QLearningVariant:
    """A recipe with changes: its label in the table, and the number of seeds in a full reproduction."""

    label: str
    recipe: str = REPORT_RECIPE
    changes: tuple[str, ...] = ()
    seed_count: int = 5

    @property
    def has_average(self) -> bool:
        """Whether the weights are averaged."""
        return self.recipe == OWN_RECIPE or "average_from=501" in self.changes


_CONSTANT_CHANGES = ("bias=true", "initial_bias=80")
_NO_EXPLORATION = ("epsilon=0", "epsilon_end=0")

Q_LEARNING_VARIANTS = {
    "q-report": QLearningVariant("as the report writes it (recipe `tetrais-q-report`)"),
    "q-report-constant": QLearningVariant("… with a constant feature", changes=_CONSTANT_CHANGES),
    "q-report-traces": QLearningVariant("… with traces", changes=("trace_decay=0.9",)),
    "q-report-both": QLearningVariant(
        "… with a constant feature and traces", changes=(*_CONSTANT_CHANGES, "trace_decay=0.9")
    ),
    "q-report-greedy": QLearningVariant("… without exploration", changes=_NO_EXPLORATION),
    "q-report-random": QLearningVariant(
        "… with 20 % of random placements instead of 5 %", changes=("epsilon=0.2", "epsilon_end=0.2")
    ),
    "q-report-fast": QLearningVariant(
        "… with the learning rate 0.01 instead of 0.001", changes=("alpha=0.01", "alpha_end=0.01")
    ),
    "q-report-slow": QLearningVariant(
        "… with the learning rate 0.0001 instead of 0.001", changes=("alpha=0.0001", "alpha_end=0.0001")
    ),
    "q-report-discount": QLearningVariant(
        "… with the discount factor 0.8 instead of 0.995", changes=("gamma=0.8", "gamma_end=0.8")
    ),
    "q-report-average": QLearningVariant("… with averaged weights", changes=("average_from=501",)),
    "q-report-selection": QLearningVariant("… with selection by validation games", changes=("validation.every=50",)),
    "q": QLearningVariant("with our additions (recipe `tetrais-q`)", OWN_RECIPE, seed_count=3),
    "q-no-constant": QLearningVariant("… without the constant feature", OWN_RECIPE, ("bias=false",), 3),
    "q-no-traces": QLearningVariant("… without traces", OWN_RECIPE, ("trace_decay=0",), 3),
    "q-no-additions": QLearningVariant("… without both", OWN_RECIPE, ("trace_decay=0", "bias=false"), 3),
    "q-random": QLearningVariant(
        "… with 5 % of random placements", OWN_RECIPE, ("epsilon=0.05", "epsilon_end=0.05"), 3
    ),
}


def make_variant_measurement(name: str, variant: QLearningVariant) -> TrainingMeasurement:
    """Return the training of a variant; a quick reproduction trains it for few episodes."""
    quick_changes = ["episodes=60", "validation.games=10", "validation.final_games=50"]
    quick_changes += ["average_from=31"] if variant.has_average else []
    quick_changes += ["alpha_episodes=60"] if variant.recipe == OWN_RECIPE else []
    return TrainingMeasurement(
        name, variant.recipe, variant.seed_count, changes=variant.changes, quick_changes=quick_changes
    )


def load_raw_settings(alpha: float, features: str = "raw") -> QLearningSettings:
    """Return the settings of the recipe tetrais-q-report with other features and another learning rate."""
    settings: QLearningSettings = Recipe.load(REPORT_RECIPE).settings
    return replace(settings, features=features, alpha=alpha, alpha_end=alpha)


def make_unbounded_learner(
    settings: QLearningSettings, seed: int, initial_weights: Mapping[str, float] | None = None
) -> QLearning:
    """Return a learner that does not stop when its weights become large."""
    learner = QLearning(settings, Rules.parse("tetrais"), seed, initial_weights)
    learner.weight_bounds = np.full_like(learner.weight_bounds, np.inf)
    return learner


def measure_divergence(context: MeasurementContext) -> dict[str, Any]:
    """Measure the weights after each episode with the report's formula, for raw features and for differences."""
    divergence: dict[str, dict[str, Any]] = {}
    for features in ("raw", "differences"):
        for alpha in _DIVERGENCE_RATES:
            settings = load_raw_settings(alpha, features)
            if context.is_quick:
                settings = replace(settings, max_pieces=_QUICK_DIVERGENCE_PIECES)
            learner = make_unbounded_learner(settings, context.seed)
            episodes = [learner.run_episode() for _ in range(DIVERGENCE_EPISODES)]
            divergence.setdefault(features, {})[f"{alpha:g}"] = {
                "names": list(learner.feature_names),
                "start": learner.initial_weights[:-1].tolist(),
                "weights": [list(episode.weights) for episode in episodes],
            }
    return divergence


def list_scan_settings(
    is_quick: bool, features: str = "raw", more_rates: Sequence[float] = ()
) -> Iterator[tuple[QLearningSettings, int]]:
    """Return the settings of all runs of the scan, each with the number of its seed."""
    rates = (*(SCAN_RATES[::_QUICK_RATE_STEP] if is_quick else SCAN_RATES), *more_rates)
    for discount in _SCAN_DISCOUNTS:
        for rate in rates:
            for seed in range(_QUICK_SCAN_SEEDS if is_quick else _SCAN_SEEDS):
                yield replace(load_raw_settings(rate, features), gamma=discount, gamma_end=discount), seed


def measure_growth_scan(context: MeasurementContext) -> dict[str, Any]:
    """Measure the growth of weights in all runs of the scan, with all raw features and without total height."""
    raw = INITIAL_WEIGHTS["raw"]
    weights = {"scan": raw, "without_height": {name: raw[name] for name in raw if name != "aggregate_height"}}
    return {
        name: [
            measure_growth(settings, context.seed + seed, initial_weights)
            for settings, seed in list_scan_settings(context.is_quick)
        ]
        for name, initial_weights in weights.items()
    }


def measure_differences_scan(context: MeasurementContext) -> dict[str, Any]:
    """Measure the growth of weights with differences, at the rates of the scan and at a still higher one."""
    settings_of_runs = list_scan_settings(context.is_quick, "differences", (FASTEST_RATE,))
    initial_weights = INITIAL_WEIGHTS["differences"]
    return {
        "scan": [measure_growth(settings, context.seed + seed, initial_weights) for settings, seed in settings_of_runs]
    }


def measure_growth(settings: QLearningSettings, seed: int, initial_weights: Mapping[str, float]) -> dict[str, Any]:
    """Return the largest weight after the episodes of Figure 12."""
    learner = make_unbounded_learner(settings, seed, initial_weights)
    sizes = [max(map(abs, learner.run_episode().weights)) for _ in range(DIVERGENCE_EPISODES)]
    return {
        "rate": settings.alpha,
        "discount": settings.gamma,
        "seed": seed,
        "sizes": [sizes[episode - 1] for episode in FIGURE_12_EPISODES],
    }


Q_LEARNING_MEASUREMENTS: list[Measurement] = [
    CustomMeasurement("divergence", measure_divergence, version=2),
    CustomMeasurement("growth-scan", measure_growth_scan),
    CustomMeasurement("differences-scan", measure_differences_scan),
    TrainingMeasurement("raw", REPORT_RECIPE, seed_count=5, quick_seed_count=2, changes=("q-learning.features=raw",)),
    GameMeasurement(
        "q-start",
        WeightedAgent("q-start", dict(INITIAL_WEIGHTS["differences"]), rules="tetrais"),
        games=4000,
        quick_games=200,
    ),
    *(make_variant_measurement(name, variant) for name, variant in Q_LEARNING_VARIANTS.items()),
]
