"""Becker's evaluation function in games: variants with one change, other readings, decisions and distributions."""

import time
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from tetrion.agents import WeightedAgent, load_weighted_agent
from tetrion.agents.named.becker_agents import BECKER_WEIGHTS
from tetrion.board import Board
from tetrion.evaluation.number_format import format_name
from tetrion.game import Game
from tetrion.lab.reproduction.measurements import MeasurementContext

TIMED_DECISIONS = 300
BECKER_CODE_READING = "becker"
BECKER_BEFORE_CLEARING = "becker-before"
DECISION_TIMES_MS = (0, 1, 11, 1000, 2000, 3000, 4000, 5000, 6000)  # milliseconds per decision while the piece falls
SLIDE_DECISION_TIME_MS = 11  # not less than the published 0.0003 s for each of at most 34 placements
ROW_TIMES_MS = (500, 200, 100, 75, 60, 50)  # milliseconds per row of fall; a key press takes 100
KEY_PRESS_MS = 100
FITTING_ROW_TIME_MS = 60  # the row time whose mean lies within the published range
BECKER_FAST_FALL = f"falling-{FITTING_ROW_TIME_MS}"
BECKER_FAST_FALL_THINKING = f"{BECKER_FAST_FALL}, thinking-{SLIDE_DECISION_TIME_MS}"
DEFAULT_GAME_END = "game over when a piece can no longer be placed within the board"
RULE_INTERPRETATIONS = {  # label: rules, for game-over conditions that the slides do not specify
    "game over when a new piece does not fit into the top rows": "becker:spawn_height=0,game_over=entry",
    "game over when a block rests in the top row": "becker:game_over=top-row",
}
STRAIGHT_LINES = "straight lines instead of curves"
_DISTRIBUTION_GAMES, _QUICK_DISTRIBUTION_GAMES = 20_000, 2000
_LINEAR_ZERO_POINTS = {  # feature value at which the straight line that replaces the curve reaches 0
    "holes": 16,
    "aggregate_height": 200,
    "bumpiness": 16,
    "max_height": 20,
}


class BeckerReading(NamedTuple):
    """A reading of the slides: its description, the agent and the rules."""

    description: str
    agent: str
    rules: str | None = None


BECKER_READINGS = {  # by the name of the measurement of its mean
    BECKER_CODE_READING: BeckerReading("as in the slides' code", "becker"),
    BECKER_BEFORE_CLEARING: BeckerReading(
        "boards are evaluated before full rows are removed", "becker:measured=before"
    ),
    BECKER_FAST_FALL: BeckerReading(
        f"a piece falls one row in {FITTING_ROW_TIME_MS / KEY_PRESS_MS:g} times the time of a key press, a speed "
        "found by its fit",
        "becker",
        f"becker:movement=timed,gravity={FITTING_ROW_TIME_MS}",
    ),
}


def get_row_time_measurement(row_time_ms: int) -> str:
    """Return the measurement in which a piece falls one row in the given number of milliseconds."""
    return "thinking-0" if row_time_ms == ROW_TIMES_MS[0] else f"falling-{row_time_ms}"


def make_variants() -> dict[str, WeightedAgent]:
    """Return variants of the slides' evaluation function that differ from it in one respect, by label."""
    agent = load_weighted_agent("becker")
    changed = {
        f"without {format_name(feature)}": {name: table for name, table in agent.weights.items() if name != feature}
        for feature in BECKER_WEIGHTS
    }
    changed["with a term for cleared lines"] = {**agent.weights, "lines": 0.1}
    changed[STRAIGHT_LINES] = {
        name: -BECKER_WEIGHTS[name] / zero_point for name, zero_point in _LINEAR_ZERO_POINTS.items()
    }
    return {name: WeightedAgent(f"becker {name}", weights, rules="becker") for name, weights in changed.items()}


def evaluate_board(board: Board) -> float:
    """Return the evaluation E of a board, the weighted sum of the four curves."""
    features = board.measure_features()
    return sum(BECKER_WEIGHTS[feature] * compute_curve(feature)[features[feature]] for feature in BECKER_WEIGHTS)


def compute_curve(feature: str) -> Sequence[float]:
    """Return the curve of a feature, between 0 and 1 and not yet weighted, indexed by feature value."""
    table = load_weighted_agent("becker").weights[feature]
    points = [float(value) for value in table] if isinstance(table, Sequence) else []
    return [value / points[0] for value in points]


def measure_decisions(context: MeasurementContext) -> dict[str, Any]:
    """Measure the time per decision, its number of placements, and the range of the evaluation during play."""
    agent = load_weighted_agent("becker")
    seconds = []
    placements = []
    evaluations = []
    game = Game(rules="becker", seed=context.seed)
    for number in range(TIMED_DECISIONS + 1):
        if game.is_over:
            game = Game(rules="becker", seed=context.seed + number)
        position = game.position
        start = time.perf_counter()
        chosen = agent.choose(position)
        seconds.append(time.perf_counter() - start)
        placements.append(len(position.placements()))
        game.place(chosen)
        evaluations.append(evaluate_board(game.board))
    return {
        "placements": float(np.mean(placements)),
        "most_placements": max(placements),
        "least": min(evaluations),
        "most": max(evaluations),
        "empty": evaluate_board(Board()),
        "time": {"decision": float(np.median(seconds[1:]))},
    }


def measure_distributions(context: MeasurementContext) -> dict[str, Any]:
    """Count the games with 0, 1, 2, … lines under each reading of the slides."""
    games = _QUICK_DISTRIBUTION_GAMES if context.is_quick else _DISTRIBUTION_GAMES
    return {
        name: np.bincount(context.play(reading.agent, reading.rules, games).per_game["lines"]).tolist()
        for name, reading in BECKER_READINGS.items()
    }
