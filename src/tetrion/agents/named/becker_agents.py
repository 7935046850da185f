"""Becker's static evaluation: four curves of the board, each between 0 and 1, and their weights."""

import math
from collections.abc import Callable, Mapping

from tetrion.agents.weighted_agent import WeightedAgent
from tetrion.engine.features import FEATURES

EvaluationCurve = Callable[[int], float]
MAX_EXPONENT = 700.0  # of what a float can hold


def make_falling_sigmoid(slope: float, middle: float) -> EvaluationCurve:
    """1 for 0, and then 1 / (1 + e^(slope · (x − middle)))."""
    return lambda x: 1.0 if x == 0 else 1 / (1 + math.exp(min(slope * (x - middle), MAX_EXPONENT)))


def make_falling_power(decay: float) -> EvaluationCurve:
    """2 / e^(decay · x) − 1, from 1 for the lowest row down to 0 for the twentieth."""

    def curve(x: int) -> float:
        if x <= 1:
            return 1.0
        return 0.0 if x >= 20 else max(0.0, 2 / math.exp(min(decay * x, MAX_EXPONENT)) - 1)

    return curve


BECKER_SLOPES = {"holes": 0.5, "aggregate_height": 0.05, "bumpiness": 0.5, "max_height": 0.0346}
BECKER_MIDPOINTS = {"holes": 8.0, "aggregate_height": 100.0, "bumpiness": 8.0}


def make_curve(feature: str, slopes: Mapping[str, float], middles: Mapping[str, float]) -> EvaluationCurve:
    """The curve of a feature: a falling sigmoid, or for the height of the highest column a falling power."""
    if feature in middles:
        return make_falling_sigmoid(slopes[feature], middles[feature])
    return make_falling_power(slopes[feature])


BECKER_CURVES: dict[str, EvaluationCurve] = {
    feature: make_curve(feature, BECKER_SLOPES, BECKER_MIDPOINTS) for feature in BECKER_SLOPES
}
BECKER_WEIGHTS = {"holes": 0.2, "aggregate_height": 0.35, "bumpiness": 0.1, "max_height": 0.35}


def make_becker_agent(
    name: str, curves: dict[str, EvaluationCurve], weights: dict[str, float], source: str
) -> WeightedAgent:
    """An agent that adds up weighted curves, each written down as a table."""
    tables = {
        feature: [weights[feature] * curve(value) for value in range(FEATURES[feature].max_value + 1)]
        for feature, curve in curves.items()
    }
    return WeightedAgent(name, tables, source=source, family="becker", rules="becker")


BECKER_AGENTS = (
    make_becker_agent(
        "becker", BECKER_CURVES, BECKER_WEIGHTS, "Becker, Tetris game playing AI using static evaluation function"
    ),
)
