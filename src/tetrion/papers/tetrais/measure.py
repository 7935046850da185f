"""Measurements for the TetrAIs report: games, readings of its agents, Q-learning, genetic weights and narrow wells."""

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from tetrion.agents import WeightedAgent, as_agent, load_weighted_agent
from tetrion.board import Placement
from tetrion.engine.pieces import BOARD_WIDTH
from tetrion.engine.records import FullGameRecord
from tetrion.engine.rules import Rules
from tetrion.evaluation.game_statistics import Evaluation
from tetrion.game import Game
from tetrion.papers.measurements import (
    CustomMeasurement,
    GameMeasurement,
    MeasurementContext,
    TrainingMeasurement,
    summarise_games,
)
from tetrion.position import Position
from tetrion.training.q_learning import INITIAL_WEIGHTS, QLearning, QLearningSettings
from tetrion.training.recipe import Recipe

_RULES = "tetrais"
_SERIES_LENGTHS = (10, 100, 1000)  # numbers of games in Figures 13 and 14
_RESAMPLE_COUNT = 1000  # series drawn from our games per number of games
_MANY_LINES = 5  # "exceptional instances" have more lines
_ENTRY_ABOVE_RULES = "tetrais:hidden_rows=2,spawn_height=2"

# Readings of the agents: weights; a small additional weight of the greedy agent decides between equal placements.
_MIN_HEIGHT_READINGS: Mapping[str, Mapping[str, float]] = {
    "lowest-top": {"piece_top": 1.0},
    "lowest-middle": {"landing_height": -1.0},
    "unturned-cell": {"turns": -100.0, "piece_bottom": -1.0},
    "unturned-column": {"turns": -100.0, "lowest_column_distance": -1.0},
}
_GREEDY_WEIGHTS = dict(load_weighted_agent("tetrais-greedy").weights)
_RIGHTMOST_WEIGHTS = {f"height_{column}": 0.001 * column for column in range(1, BOARD_WIDTH + 1)}
_TIE_BREAKS: Mapping[str, Mapping[str, float]] = {
    "last": {**_RIGHTMOST_WEIGHTS, "turns": 0.125},
    "lower-top": {"piece_top": 0.01},
    "higher-top": {"piece_top": -0.01},
    "farther": {"lowest_column_distance": 0.01},
}

# Q-learning: the grid of learning rates and lengths of training, and variants of the recipes.
_REPORT_RECIPE = "tetrais-q-report"
_RATES = (0.00003, 0.0001, 0.0003, 0.001, 0.003, 0.01)
_QUICK_RATES = (0.0001, 0.001, 0.01)
_LENGTHS = (15, 50, 150, 500, 1500)  # episodes; the recipe has 1,500
_QUICK_LENGTHS = (15, 50, 150)
_GRID_MAX_PIECES = 10_000  # per held-out game, as in the recipe


@dataclass(frozen=True)
class SeriesMeasurement(GameMeasurement):
    """Games with the 95 % ranges of statistics of series of 10, 100 and 1,000 of them."""

    def measure(self, context: MeasurementContext) -> dict[str, Any]:
        """Play the games and resample them."""
        result = self.play(context)
        return {
            **summarise_games(result),
            "cap": None,
            "runs": resample_statistics(result.per_game["score"], context.seed),
            "many_lines": float((result.per_game["lines"] > _MANY_LINES).mean()),
        }

    def get_settings(self, is_quick: bool) -> dict[str, Any]:
        """Return the settings of the games and of the resampling."""
        return {**super().get_settings(is_quick), "draws": _RESAMPLE_COUNT, "many_lines": _MANY_LINES}


def resample_statistics(scores: Any, seed: int) -> dict[str, Any]:
    """Return the 95 % ranges and medians of the statistics of series of 10, 100 and 1,000 games.

    Each series is drawn from a bootstrap sample of our games, so that the range also reflects the number of our games.
    """
    generator = np.random.default_rng(seed)
    games = len(scores)
    samples: dict[int, list[tuple[float, ...]]] = {length: [] for length in _SERIES_LENGTHS}
    for _ in range(_RESAMPLE_COUNT):
        pool = scores[generator.integers(games, size=games)]
        for length in _SERIES_LENGTHS:
            series = pool[generator.integers(games, size=length)]
            mean = float(series.mean())
            samples[length].append((mean, float(series.var()) / mean**2, float(series.min()), float(series.max())))
    names = ("mean", "normalised_variance", "lowest", "highest")
    return {
        str(length): {
            name: np.percentile(column, [2.5, 50, 97.5]).tolist()
            for name, column in zip(names, zip(*statistics, strict=True), strict=True)
        }
        for length, statistics in samples.items()
    }


# Q-learning


def make_learner(
    alpha: float, seed: int, features: str = "differences", *, without: str = "", is_bounded: bool = True
) -> QLearning:
    """Return a learner with the settings of the report's recipe, but another learning rate and other features.

    Without bounds, it does not stop when its weights diverge.
    """
    settings: QLearningSettings = Recipe.load(_REPORT_RECIPE).settings
    settings = replace(settings, features=features, alpha=alpha, alpha_end=alpha)
    weights = {name: weight for name, weight in INITIAL_WEIGHTS[features].items() if name != without}
    learner = QLearning(settings, Rules.parse(_RULES), seed, weights)
    if not is_bounded:
        learner.weight_bounds = np.full_like(learner.weight_bounds, math.inf)
    return learner


def measure_grid(context: MeasurementContext) -> dict[str, Any]:
    """Measure the agents of the report's recipe after several lengths of training, for several learning rates.

    The recipe's rates do not change during training, so that a shorter training is the beginning of a longer one.
    Training whose weights diverge ends with the weights before. Half of the seeds serve to choose a cell of the grid,
    the other half to measure it.
    """
    rates = _QUICK_RATES if context.is_quick else _RATES
    lengths = _QUICK_LENGTHS if context.is_quick else _LENGTHS
    seeds = 6 if context.is_quick else 20
    games = 100 if context.is_quick else 400
    cells = []
    for rate in rates:
        learners = [make_learner(rate, context.seed + number) for number in range(seeds)]
        for length in lengths:
            results = []
            for learner in learners:
                while learner.episode_number < length and not learner.divergence_message:
                    learner.run_episode()
                results.append(context.play(learner.make_agent("q"), _RULES, games, _GRID_MAX_PIECES).per_game)
            cells.append(
                {
                    "rate": rate,
                    "episodes": length,
                    "scores": [float(result["score"].mean()) for result in results],
                    "lines": [float(result["lines"].mean()) for result in results],
                    "capped": sum(int((result["pieces"] >= _GRID_MAX_PIECES).sum()) for result in results),
                    "diverged": sum(bool(learner.divergence_message) for learner in learners),
                }
            )
    return {"games": games, "seeds": seeds, "cells": cells}


MEASUREMENTS = [
    CustomMeasurement("grid", measure_grid),
]
FUNCTIONS = ()
