"""Measurements of TetrAIs' agents: games with resampled statistics, interpretations, genetic training, and times."""

import random
import time
from collections.abc import Mapping
from dataclasses import dataclass
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
from tetrion.lab.papers.tetrais.single_piece_strategies import measure_single_piece_strategies
from tetrion.lab.papers.tetrais.tetrais_q_learning_measurements import Q_LEARNING_MEASUREMENTS
from tetrion.lab.reproduction.measurements import (
    CustomMeasurement,
    GameMeasurement,
    Measurement,
    MeasurementContext,
    TrainingMeasurement,
    summarise_games,
)
from tetrion.position import Position

RUN_COUNTS = (10, 100, 1000)  # numbers of games in Figures 13 and 14
_RESAMPLE_COUNT = 1000  # series drawn from our games per number of games
_MANY_LINES = 5  # "exceptional instances" have more lines
WALL_PUSH_GAMES, QUICK_WALL_PUSH_GAMES = 4000, 150

_ENTRY_ABOVE_RULES = "tetrais:hidden_rows=2,spawn_height=2"

# Interpretations of the random agent: label and rules.
RANDOM_AGENT_ENDINGS = {
    "random-room": ("uniform placements; game over when a piece fits nowhere", "tetrais:game_over=room"),
    "random-top-row": ("uniform placements; game over when the top row has a filled cell", "tetrais:game_over=top-row"),
}

# Other interpretations of "minimum height": label and weights.
MIN_HEIGHT_INTERPRETATIONS = {
    "lowest-top": ("lowest top cell, any orientation", {"piece_top": 1.0}),
    "lowest-middle": ("lowest centre, any orientation", {"landing_height": -1.0}),
    "unturned-cell": ("lowest bottom cell, without rotation", {"turns": -100.0, "piece_bottom": -1.0}),
    "unturned-column": (
        "left edge on the leftmost of the lowest columns, without rotation",
        {"turns": -100.0, "lowest_column_distance": -1.0},
    ),
}

# Tie-breaking rules of the greedy agent: label and weights; a small additional weight decides between equals.
_GREEDY_WEIGHTS = dict(load_weighted_agent("tetrais-greedy").weights)
_RIGHTMOST_WEIGHTS = {f"height_{column}": 0.001 * column for column in range(1, BOARD_WIDTH + 1)}
GREEDY_TIE_BREAKS = {
    "last": ("last by orientation and column", {**_GREEDY_WEIGHTS, **_RIGHTMOST_WEIGHTS, "turns": 0.125}),
    "lower-top": ("lower highest cell", {**_GREEDY_WEIGHTS, "piece_top": 0.01}),
    "higher-top": ("higher highest cell", {**_GREEDY_WEIGHTS, "piece_top": -0.01}),
    "farther": ("farther from the lowest column", {**_GREEDY_WEIGHTS, "lowest_column_distance": 0.01}),
}
_HIGHER_LANDING_WEIGHTS = {**_GREEDY_WEIGHTS, "landing_height": 0.01}

# Genetic training of weights for the greedy agent's five features, at depth 1 and at depth 2. At depth 2, games on 22
# rows are too long for training, so ten rows are used.
_FEATURES_CHANGE = 'agent.features=["max_height","aggregate_height","holes","lines","bumpiness"]'
_GENETIC_TRAINING = TrainingMeasurement(
    "genetic",
    "gavrilov-plus",
    seed_count=3,
    changes=("rules=tetrais", _FEATURES_CHANGE, "agent.measured=after"),
    quick_changes=("generations=12", "validation.final_games=100"),
)
_LOOKAHEAD_TRAINING = TrainingMeasurement(
    "genetic-ahead",
    "gavrilov-plus",
    seed_count=1,
    changes=(
        *("rules=tetrais:height=10", _FEATURES_CHANGE, "agent.measured=after", "agent.depth=2"),
        *("population=30", "generations=15", "games.count=1", "games.max_pieces=[1000,4000]"),
        *("validation.games=10", "validation.max_pieces=10000", "validation.final_games=50"),
    ),
    quick_changes=("population=16", "generations=6", "validation.games=2", "validation.final_games=10"),
)

_SOFT_DROP_RULES, _NO_SOFT_DROP_RULES = "tetrais:movement=reach,lock_delay=gravity", "tetrais:movement=reach"
FALL_SPEED_LEVELS = {1000: 0, 700: 3, 500: 5, 300: 7, 200: 8, 100: 9}  # milliseconds per row: level
FALL_SPEED_GAMES = {  # agent: number of games, and number in a quick reproduction
    "random": (2000, 300),
    "tetrais-min-height": (2000, 50),
    "tetrais-greedy": (2000, 50),
    "tetrais-q-report": (2000, 100),
    "tetrais-q": (400, 10),
    "tetrais-depth2": (40, 2),
}
INSTANT_KEY_AGENTS = tuple(FALL_SPEED_GAMES)[:5]  # agents that also play with one key per millisecond
_FALL_SPEED_MAX_PIECES, _QUICK_FALL_SPEED_MAX_PIECES = 10_000, 1000
_LEFTMOST_GAMES, _QUICK_LEFTMOST_GAMES = 300, 6


@dataclass(frozen=True)
class ResampledGameMeasurement(GameMeasurement):
    """Games with the 95 % ranges of statistics of 10, 100 and 1,000 of them."""

    def measure(self, context: MeasurementContext) -> dict[str, Any]:
        """Play the games and resample them."""
        games, _ = self.get_limits(context.is_quick)
        result = context.play(self.agent, self.rules, games)
        runs = resample_statistics(result.per_game["score"], context.seed)
        has_many_lines = result.per_game["lines"] > _MANY_LINES
        return summarise_games(result) | {"cap": None, "runs": runs, "many_lines": float(has_many_lines.mean())}

    def get_settings(self, is_quick: bool) -> dict[str, Any]:
        """Return the settings of the games and of the resampling."""
        return {**super().get_settings(is_quick), "draws": _RESAMPLE_COUNT, "many_lines": _MANY_LINES}


def resample_statistics(scores: Any, seed: int) -> dict[str, Any]:
    """Return the 95 % ranges and medians of the statistics of series of 10, 100 and 1,000 games.

    Each series is drawn from a bootstrap sample of our games, so that the range also reflects the number of our games.
    """
    generator, games = np.random.default_rng(seed), len(scores)
    samples: dict[int, list[tuple[float, ...]]] = {runs: [] for runs in RUN_COUNTS}
    for _ in range(_RESAMPLE_COUNT):
        pool = scores[generator.integers(games, size=games)]
        for runs in RUN_COUNTS:
            series = pool[generator.integers(games, size=runs)]
            mean = float(series.mean())
            samples[runs].append((mean, float(series.var()) / mean**2, float(series.min()), float(series.max())))
    names = ("mean", "normalised_variance", "lowest", "highest")
    return {
        str(runs): {
            name: np.percentile(column, [2.5, 50, 97.5]).tolist()
            for name, column in zip(names, zip(*statistics, strict=True), strict=True)
        }
        for runs, statistics in samples.items()
    }


def count_wall_push_columns(placement: Placement, columns: int) -> int:
    """Return how many of the given columns lead to a placement, if pieces beyond the wall are pushed back to it."""
    occupied = [column for column, _ in placement.cells]
    return columns - min(occupied) if max(occupied) == BOARD_WIDTH - 1 else 1


def measure_wall_push_games(columns: int, context: MeasurementContext) -> dict[str, Any]:
    """Measure a random agent that draws an orientation and one of the columns, and is pushed back to the wall."""
    generator = random.Random(context.seed)
    records = FullGameRecord.make_array(QUICK_WALL_PUSH_GAMES if context.is_quick else WALL_PUSH_GAMES)
    for number in range(len(records)):
        game = Game("tetrais", context.seed, number)
        while not game.is_over:
            placements = game.placements()
            weights = [count_wall_push_columns(placement, columns) for placement in placements]
            game.place(generator.choices(placements, weights)[0])
        records[number] = game.copy_record()
    result = Evaluation.from_games("random", Rules.parse("tetrais"), context.seed, records, seconds=0.0)
    runs = resample_statistics(result.per_game["score"], context.seed)
    return {**remove_time(summarise_games(result)), "cap": None, "runs": runs}


class LeftmostLowestAgent:
    """Minimum height as in `tetrais-min-height`, but of equally low placements the leftmost comes first."""

    def choose(self, position: Position) -> Placement:
        """Return the placement with the lowest row, then the leftmost column, then the fewest rotations."""
        return min(position.placements(), key=lambda placement: (placement.row, placement.column, placement.rotation))


def measure_leftmost_games(context: MeasurementContext) -> dict[str, Any]:
    """Measure the minimum height agent with the other tie-breaking rule."""
    games = _QUICK_LEFTMOST_GAMES if context.is_quick else _LEFTMOST_GAMES
    result = context.play(as_agent(LeftmostLowestAgent()), "tetrais", games)
    return remove_time(summarise_games(result)) | {"cap": None}


def measure_thinking_time(context: MeasurementContext) -> dict[str, Any]:
    """Measure the time per decision at each depth, for single decisions and in whole games."""
    game = Game("tetrais:preview=2", context.seed)
    agents = {depth: load_weighted_agent("tetrais-greedy").with_(depth=depth) for depth in (1, 2, 3)}
    times: dict[int, list[float]] = {depth: [] for depth in agents}
    for _ in range(20 if context.is_quick else 60):
        position = game.position
        for depth, agent in agents.items():
            start = time.perf_counter()
            chosen = agent.choose(position)
            times[depth].append(time.perf_counter() - start)
        game.place(chosen)
    max_pieces = 100 if context.is_quick else 500
    rates = {
        depth: context.play(agents[depth], "tetrais:preview=2", games, max_pieces).pieces_per_second
        for depth, games in {1: 2000, 2: 100, 3: 8}.items()
    }
    seconds = {str(depth): float(np.median(depth_times[1:])) for depth, depth_times in times.items()}
    return {"time": {"decision": seconds, "pieces_per_second": rates}}


def measure_genetic_games(context: MeasurementContext) -> dict[str, Any]:
    """Measure agents with learnt weights in games that are as long as those of the depth-limited agent."""
    quick = context.is_quick
    max_pieces, depth_two_games = 20_000 if quick else 200_000, 6 if quick else 60
    first, second = (train_best_weights(training, context) for training in (_GENETIC_TRAINING, _LOOKAHEAD_TRAINING))
    plans = {
        "depth-1": (WeightedAgent("genetic", first, rules="tetrais"), 100 if quick else 2000),
        "looking-ahead": (WeightedAgent("genetic-2", first, depth=2, rules="tetrais"), depth_two_games),
        "learnt-ahead": (WeightedAgent("genetic-ahead", second, depth=2, rules="tetrais"), depth_two_games),
        "by-hand": (load_weighted_agent("tetrais-depth2"), 4 if quick else 16),  # to compare its speed
    }
    summaries, times = {}, {}
    for name, (agent, games) in plans.items():
        pieces = min(max_pieces, 20_000) if name == "by-hand" else max_pieces
        batches = 1 if quick or name in ("depth-1", "by-hand") else 4
        result = context.play(agent, "tetrais", games, pieces, batch_count=batches, name=f"genetic-games-{name}")
        summaries[name] = remove_time(summarise_games(result)) | {"cap": pieces}
        times[name] = result.pieces_per_second
    return {**summaries, "weights": {"depth-1": first, "learnt-ahead": second}, "time": times}


def remove_time(summary: Mapping[str, Any]) -> dict[str, Any]:
    """Return a summary without its times, which depend on the machine."""
    return {key: value for key, value in summary.items() if key != "time"}


def train_best_weights(training: TrainingMeasurement, context: MeasurementContext) -> Mapping[str, float]:
    """Return the weights of the seed with the best validation result; finished runs are loaded."""
    count, changes = training.get_plan(context.is_quick)
    seeds = range(context.seed, context.seed + count)
    runs = context.train_seeds(training.recipe, training.name, seeds, changes)
    best = max((run.result or {} for run in runs), key=lambda result: max(result["finalists"].values()))
    return {name: float(weight) for name, weight in best["parameters"].items()}


def make_weights_measurement(name: str, weights: Mapping[str, Any]) -> GameMeasurement:
    """Return the games of an agent with the given weights."""
    return GameMeasurement(name, WeightedAgent(name, dict(weights), rules="tetrais"), games=20_000, quick_games=1000)


def format_fall_speed_name(agent: str, milliseconds: int) -> str:
    """Return the measurement name of an agent at a fall speed."""
    return f"{agent}-{milliseconds}ms"


def make_soft_drop_measurements(
    name: str, agent: str, *, games: int, quick_games: int, max_pieces: int | None = None
) -> list[GameMeasurement]:
    """Return games in which pieces move from their spawn, with and without moves after landing."""
    return [
        GameMeasurement(
            f"{name}-{kind}",
            agent,
            games=games,
            quick_games=quick_games,
            rules=rules,
            max_pieces=max_pieces,
            quick_max_pieces=10_000,
            batch_count=4 if games < 100 else 1,
        )
        for kind, rules in (("soft", _SOFT_DROP_RULES), ("stiff", _NO_SOFT_DROP_RULES))
    ]


def make_fall_speed_measurement(name: str, agent: str, rules: str) -> GameMeasurement:
    """Return capped games of an agent with timed movement."""
    games, quick_games = FALL_SPEED_GAMES[agent]
    return GameMeasurement(
        name,
        agent,
        games=games,
        quick_games=quick_games,
        rules=rules,
        max_pieces=_FALL_SPEED_MAX_PIECES,
        quick_max_pieces=_QUICK_FALL_SPEED_MAX_PIECES,
    )


TETRAIS_MEASUREMENTS: list[Measurement] = [
    ResampledGameMeasurement("random", "random", games=20_000, quick_games=5000),
    ResampledGameMeasurement("min-height-plain", "tetrais-min-height", games=20_000, quick_games=2000),
    ResampledGameMeasurement("min-height", "min-height", games=20_000, quick_games=5000),
    ResampledGameMeasurement("greedy", "tetrais-greedy", games=20_000, quick_games=2000),
    ResampledGameMeasurement(
        "greedy-higher",
        WeightedAgent("greedy-higher", _HIGHER_LANDING_WEIGHTS, rules="tetrais"),
        games=20_000,
        quick_games=2000,
    ),
    CustomMeasurement("forty", partial(measure_wall_push_games, BOARD_WIDTH)),
    CustomMeasurement("edge", partial(measure_wall_push_games, BOARD_WIDTH + 1)),
    ResampledGameMeasurement("random-above", "random", games=20_000, quick_games=2000, rules=_ENTRY_ABOVE_RULES),
    *(
        GameMeasurement(name, "random", games=20_000, quick_games=2000, rules=rules)
        for name, (_, rules) in RANDOM_AGENT_ENDINGS.items()
    ),
    CustomMeasurement("lowest-leftmost", measure_leftmost_games),
    ResampledGameMeasurement(
        "greedy-above", "tetrais-greedy", games=20_000, quick_games=1000, rules=_ENTRY_ABOVE_RULES
    ),
    *(make_weights_measurement(name, weights) for name, (_, weights) in MIN_HEIGHT_INTERPRETATIONS.items()),
    *(make_weights_measurement(name, weights) for name, (_, weights) in GREEDY_TIE_BREAKS.items()),
    *make_soft_drop_measurements("greedy", "tetrais-greedy", games=20_000, quick_games=500),
    GameMeasurement("q-drop", "tetrais-q", games=4000, quick_games=100),
    *make_soft_drop_measurements("q", "tetrais-q", games=4000, quick_games=100),
    *(
        make_fall_speed_measurement(
            format_fall_speed_name(agent, milliseconds), agent, f"tetrais:movement=timed,start_level={level}"
        )
        for agent in FALL_SPEED_GAMES
        for milliseconds, level in FALL_SPEED_LEVELS.items()
    ),
    *(
        make_fall_speed_measurement(
            f"{agent}-100ms-at-once", agent, "tetrais:movement=timed,start_level=9,frames_per_key=1"
        )
        for agent in INSTANT_KEY_AGENTS
    ),
    *Q_LEARNING_MEASUREMENTS,
    CustomMeasurement("single-piece", measure_single_piece_strategies),
    _GENETIC_TRAINING,
    _LOOKAHEAD_TRAINING,
    CustomMeasurement("genetic-games", measure_genetic_games),
    CustomMeasurement("thinking", measure_thinking_time, version=2),
    GameMeasurement(
        "depth2", "tetrais-depth2", games=80, quick_games=20, max_pieces=250_000, quick_max_pieces=60_000, batch_count=5
    ),
    *make_soft_drop_measurements("depth2", "tetrais-depth2", games=40, quick_games=4, max_pieces=100_000),
]
