"""Becker's static evaluation: four curves of the board, each between 0 and 1, and their weights."""

import math
from collections.abc import Callable

from tetrion.agents.data import DataAgent
from tetrion.engine.features import FEATURES

Curve = Callable[[int], float]


def falling_sigmoid(slope: float, middle: float) -> Curve:
    """1 for 0, and then 1 / (1 + e^(slope · (x − middle)))."""
    return lambda x: 1.0 if x == 0 else 1 / (1 + math.exp(slope * (x - middle)))


def max_height_curve(x: int) -> float:
    """2 / e^(0.0346 x) − 1, from 1 for the lowest row down to 0 for the twentieth."""
    if x <= 1:
        return 1.0
    return 0.0 if x >= 20 else 2 / math.exp(0.0346 * x) - 1


CURVES: dict[str, Curve] = {
    "holes": falling_sigmoid(0.5, 8),
    "aggregate_height": falling_sigmoid(0.05, 100),
    "bumpiness": falling_sigmoid(0.5, 8),
    "max_height": max_height_curve,
}
WEIGHTS = {"holes": 0.2, "aggregate_height": 0.35, "bumpiness": 0.1, "max_height": 0.35}


def becker(name: str, curves: dict[str, Curve], weights: dict[str, float], source: str) -> DataAgent:
    """An agent that adds up weighted curves, each written down as a table."""
    tables = {
        feature: [weights[feature] * curve(value) for value in range(FEATURES[feature].largest + 1)]
        for feature, curve in curves.items()
    }
    return DataAgent(name, tables, source=source, family="becker", rules="becker")


AGENTS = (becker("becker", CURVES, WEIGHTS, "Becker, Tetris game playing AI using static evaluation function"),)
