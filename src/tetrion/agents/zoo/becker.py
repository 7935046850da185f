"""Becker's static evaluation: four curves of the board, each between 0 and 1, and their weights."""

import math
from collections.abc import Callable, Mapping

from tetrion.agents.data import DataAgent
from tetrion.engine.features import FEATURES

Curve = Callable[[int], float]
LARGEST_EXPONENT = 700.0  # of what a float can hold


def falling_sigmoid(slope: float, middle: float) -> Curve:
    """1 for 0, and then 1 / (1 + e^(slope · (x − middle)))."""
    return lambda x: 1.0 if x == 0 else 1 / (1 + math.exp(min(slope * (x - middle), LARGEST_EXPONENT)))


def falling_power(decay: float) -> Curve:
    """2 / e^(decay · x) − 1, from 1 for the lowest row down to 0 for the twentieth."""

    def curve(x: int) -> float:
        if x <= 1:
            return 1.0
        return 0.0 if x >= 20 else max(0.0, 2 / math.exp(min(decay * x, LARGEST_EXPONENT)) - 1)

    return curve


SLOPES = {"holes": 0.5, "aggregate_height": 0.05, "bumpiness": 0.5, "max_height": 0.0346}
MIDDLES = {"holes": 8.0, "aggregate_height": 100.0, "bumpiness": 8.0}


def curve_of(feature: str, slopes: Mapping[str, float], middles: Mapping[str, float]) -> Curve:
    """The curve of a feature: a falling sigmoid, or for the height of the highest column a falling power."""
    if feature in middles:
        return falling_sigmoid(slopes[feature], middles[feature])
    return falling_power(slopes[feature])


CURVES: dict[str, Curve] = {feature: curve_of(feature, SLOPES, MIDDLES) for feature in SLOPES}
WEIGHTS = {"holes": 0.2, "aggregate_height": 0.35, "bumpiness": 0.1, "max_height": 0.35}


def becker(name: str, curves: dict[str, Curve], weights: dict[str, float], source: str) -> DataAgent:
    """An agent that adds up weighted curves, each written down as a table."""
    tables = {
        feature: [weights[feature] * curve(value) for value in range(FEATURES[feature].largest + 1)]
        for feature, curve in curves.items()
    }
    return DataAgent(name, tables, source=source, family="becker", rules="becker")


AGENTS = (becker("becker", CURVES, WEIGHTS, "Becker, Tetris game playing AI using static evaluation function"),)
