"""Measurements for Becker's slides: variants with one change, speeds of falling, decision times and learning."""

import time
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tetrion.agents import WeightedAgent, load_weighted_agent
from tetrion.agents.named.becker_agents import BECKER_MIDPOINTS, BECKER_SLOPES, BECKER_WEIGHTS
from tetrion.evaluation.number_format import format_name, format_number
from tetrion.game import Game
from tetrion.papers.measured_values import MeasuredValue, share
from tetrion.papers.measurements import CustomMeasurement, GameMeasurement, MeasurementContext, TrainingMeasurement

_TIMED_DECISIONS = 300
_DECISION_TIMES_MS = (0, 1, 11, 1000, 2000, 3000, 4000, 5000, 6000)  # per decision while the piece falls
_ROW_TIMES_MS = (200, 100, 75, 60, 50)  # per row of fall, besides the default of 500; a key press takes 100
_FITTING_FALL = "becker:movement=timed,gravity=60"  # the only speed whose mean lies within the published range
_READINGS = {  # agent and rules
    "becker": ("becker", None),
    "becker-before": ("becker:measured=before", None),
    "falling-60": ("becker", _FITTING_FALL),
}
_GAME_ENDS = {  # that the slides leave open
    "game over when a new piece does not fit into the top rows": "becker:spawn_height=0,game_over=entry",
    "game over when a block rests in the top row": "becker:game_over=top-row",
}
_LINEAR_ZERO_POINTS = {  # feature value at which the straight line that replaces the curve reaches 0
    "holes": 16,
    "aggregate_height": 200,
    "bumpiness": 16,
    "max_height": 20,
}
SLIDE_PARAMETERS = {
    **{f"{feature} weight": value for feature, value in BECKER_WEIGHTS.items()},
    **{f"{feature} slope": value for feature, value in BECKER_SLOPES.items()},
    **{f"{feature} middle": value for feature, value in BECKER_MIDPOINTS.items()},
}


def make_variants() -> dict[str, WeightedAgent]:
    """Return variants of the slides' evaluation function that differ from it in one respect, by label."""
    agent = load_weighted_agent("becker")
    changed = {
        f"without {format_name(feature)}": {name: table for name, table in agent.weights.items() if name != feature}
        for feature in BECKER_WEIGHTS
    }
    changed["with a term for cleared lines"] = {**agent.weights, "lines": 0.1}
    changed["straight lines instead of curves"] = {
        name: -BECKER_WEIGHTS[name] / zero_point for name, zero_point in _LINEAR_ZERO_POINTS.items()
    }
    return {name: WeightedAgent(f"becker {name}", weights, rules="becker") for name, weights in changed.items()}


def compute_curve(feature: str) -> Sequence[float]:
    """Return the curve of a feature, between 0 and 1 and not yet weighted, indexed by feature value."""
    table = load_weighted_agent("becker").weights[feature]
    points = [float(value) for value in table] if isinstance(table, Sequence) else []
    return [value / points[0] for value in points]


def measure_decisions(context: MeasurementContext) -> dict[str, Any]:
    """Measure the time per decision and its number of placements."""
    agent = load_weighted_agent("becker")
    seconds = []
    placements = []
    game = Game(rules="becker", seed=context.seed)
    for number in range(_TIMED_DECISIONS + 1):
        if game.is_over:
            game = Game(rules="becker", seed=context.seed + number)
        position = game.position
        start = time.perf_counter()
        chosen = agent.choose(position)
        seconds.append(time.perf_counter() - start)
        placements.append(len(position.placements()))
        game.place(chosen)
    return {
        "placements": float(np.mean(placements)),
        "most_placements": max(placements),
        "time": {"decision": float(np.median(seconds[1:]))},
    }


def measure_distributions(context: MeasurementContext) -> dict[str, Any]:
    """Count the games with 0, 1, 2, … lines under each reading of the slides."""
    games = 2000 if context.is_quick else 20_000
    return {
        name: np.bincount(context.play(agent, rules, games).per_game["lines"]).tolist()
        for name, (agent, rules) in _READINGS.items()
    }


# Functions of expressions


def best_of_games(counts: Sequence[int], series_length: int) -> MeasuredValue:
    """Return the median and the 95 % range of the best of some games, from the numbers of games with 0, 1, 2, … lines.

    The best of n games is at most x with probability F(x)^n, where F is the share of games with at most x lines.
    """
    shares = np.cumsum(counts) / sum(counts)
    quantiles = np.array([0.025, 0.5, 0.975]) ** (1 / series_length)
    low, median, high = (float(lines) for lines in np.searchsorted(shares, quantiles))
    basis = f"the best of {series_length} games: median and 95 % range, from {sum(counts):,} games"
    return MeasuredValue(median, (low, high), basis=basis)


def share_of_games_above(counts: Sequence[int], lines: int) -> MeasuredValue:
    """Return the share of games with more than a number of lines."""
    return share(sum(counts[lines + 1 :]), sum(counts))


def seconds_per_board(decisions: Mapping[str, Any]) -> MeasuredValue:
    """Return the time per placement: drop the piece, remove full rows and evaluate the board."""
    decision = decisions["time"]["decision"]
    seconds = decision / decisions["placements"]
    times = [np.format_float_positional(time, 2, fractional=False, trim="-") for time in (seconds, decision)]
    text = f"{times[0]} s per board, {times[1]} s per decision about one piece"
    return MeasuredValue(seconds, text=text, basis=f"median of {_TIMED_DECISIONS:,} decisions")


def parameter_changes(tuned: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return each parameter with its learned values over the seeds; the largest median change comes first."""
    runs = [run["result"]["parameters"] for run in tuned["runs"]]
    factors = {name: [run[name] / given for run in runs] for name, given in SLIDE_PARAMETERS.items()}
    changes = []
    for name in sorted(factors, key=lambda name: -abs(np.log(max(1e-12, float(np.median(factors[name])))))):
        given, median = SLIDE_PARAMETERS[name], float(np.median(factors[name]))
        ends = [_format(given * factor) for factor in (min(factors[name]), max(factors[name]))]
        changes.append(
            {
                "label": format_name(name).replace("middle", "midpoint"),
                "given": f"{given:g}",
                "learned": _format(given * median),
                "range": " to ".join(dict.fromkeys(ends)),
                "ratio": _format(median),
                "is_consistent": min(factors[name]) > 1 or max(factors[name]) < 1,
            }
        )
    return changes


def _format(number: float) -> str:
    """Format a number with three significant digits."""
    return f"{number:.3g}" if 1e-4 <= number < 1000 else format_number(number) if number >= 1000 else "almost 0"


FUNCTIONS = (best_of_games, share_of_games_above, seconds_per_board, parameter_changes)

MEASUREMENTS = [
    GameMeasurement("becker", "becker", games=20_000, quick_games=2000),
    GameMeasurement("becker-before", "becker:measured=before", games=20_000, quick_games=2000),
    TrainingMeasurement(
        "tuned", "becker-tuned", seed_count=5, quick_changes=("generations=15", "validation.final_games=100")
    ),
    *(
        GameMeasurement(
            f"thinking-{milliseconds}",
            "becker",
            games=20_000,
            quick_games=2000 if milliseconds <= 11 else 500,
            rules=f"becker:movement=timed,thinking_frames={milliseconds}",
        )
        for milliseconds in _DECISION_TIMES_MS
    ),
    *(
        GameMeasurement(
            f"falling-{milliseconds}", "becker", 20_000, 500, rules=f"becker:movement=timed,gravity={milliseconds}"
        )
        for milliseconds in _ROW_TIMES_MS
    ),
    GameMeasurement("falling-60, thinking-11", "becker", 20_000, 500, rules=f"{_FITTING_FALL},thinking_frames=11"),
    *(GameMeasurement(label, "becker", 20_000, 1000, rules=rules) for label, rules in _GAME_ENDS.items()),
    *(GameMeasurement(name, agent, 20_000, 1000) for name, agent in make_variants().items()),
    CustomMeasurement("decisions", measure_decisions, version=3),
    CustomMeasurement("distributions", measure_distributions),
]
