"""Becker's static evaluation function: four curves of board features, each between 0 and 1, and their weights."""

import math
from collections.abc import Callable, Mapping

from tetrion.agents.weighted_agent import WeightedAgent
from tetrion.engine.feature_registry import FEATURES

EvaluationCurve = Callable[[int], float]
MAX_EXPONENT = 700.0  # e to this power still fits into a float


def make_falling_sigmoid(slope: float, midpoint: float) -> EvaluationCurve:
    """Return the curve 1 / (1 + e^(slope · (x − midpoint))), which is exactly 1 for x = 0."""
    return lambda x: 1.0 if x == 0 else 1 / (1 + math.exp(min(slope * (x - midpoint), MAX_EXPONENT)))


def make_falling_exponential(decay: float) -> EvaluationCurve:
    """Return the curve 2 / e^(decay · x) − 1, but 1 for x ≤ 1 and 0 for x ≥ 20; it is never below 0."""

    def curve(x: int) -> float:
        if x <= 1:
            return 1.0
        return 0.0 if x >= 20 else max(0.0, 2 / math.exp(min(decay * x, MAX_EXPONENT)) - 1)

    return curve


BECKER_SLOPES = {"holes": 0.5, "aggregate_height": 0.05, "bumpiness": 0.5, "max_height": 0.0346}
BECKER_MIDPOINTS = {"holes": 8.0, "aggregate_height": 100.0, "bumpiness": 8.0}


def make_curve(feature: str, slopes: Mapping[str, float], midpoints: Mapping[str, float]) -> EvaluationCurve:
    """Return the curve of a feature: a falling sigmoid if it has a midpoint, otherwise a falling exponential."""
    if feature in midpoints:
        return make_falling_sigmoid(slopes[feature], midpoints[feature])
    return make_falling_exponential(slopes[feature])


BECKER_CURVES: dict[str, EvaluationCurve] = {
    feature: make_curve(feature, BECKER_SLOPES, BECKER_MIDPOINTS) for feature in BECKER_SLOPES
}
BECKER_WEIGHTS = {"holes": 0.2, "aggregate_height": 0.35, "bumpiness": 0.1, "max_height": 0.35}


def make_becker_agent(
    name: str, curves: dict[str, EvaluationCurve], weights: dict[str, float], source: str
) -> WeightedAgent:
    """Create an agent that adds up weighted curves, each stored as a table from feature value to points."""
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
