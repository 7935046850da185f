"""How TetrAIs' agents are measured: games by the thousand with what so few leave open, readings, learning, times."""

import random
import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from tetrion.agents import WeightedAgent, load_weighted_agent
from tetrion.board import Placement
from tetrion.engine.pieces import BOARD_WIDTH
from tetrion.engine.rules import Rules
from tetrion.evaluation.game_statistics import Evaluation
from tetrion.game import Game
from tetrion.lab.reproduction.measurements import (
    CustomMeasurement,
    GameMeasurement,
    Measurement,
    MeasurementContext,
    TrainingMeasurement,
    summarise_games,
)
from tetrion.training.q_learning import QLearning, QLearningSettings

RUN_COUNTS = (10, 100, 1000)  # of Figures 13 and 14
_RESAMPLE_COUNT = 1000  # times that so many runs are drawn from our games
_MANY_LINES = 5  # which "exceptional instances" exceed
WALL_PUSH_GAMES, QUICK_WALL_PUSH_GAMES = 4000, 600

_ENTRY_ABOVE_RULES = "tetrais:hidden_rows=2,spawn_height=2"

# How the random agent may draw, and when its games may end.
RANDOM_AGENT_ENDINGS = {
    "random-room": ("every placement alike; over when a piece fits nowhere", "tetrais:game_over=room"),
    "random-top-row": ("every placement alike; over when the top row holds a cell", "tetrais:game_over=top-row"),
    "random-above": (
        "every placement alike; pieces enter in two rows above the 22, over when they do not fit",
        _ENTRY_ABOVE_RULES,
    ),
}

# Other readings of "minimum height", by the features that they go by.
MIN_HEIGHT_INTERPRETATIONS = {
    "lowest-cell": ("lowest cell lowest, any turn", {"piece_bottom": -1.0}),
    "lowest-top": ("highest cell lowest, any turn", {"piece_top": 1.0}),
    "lowest-middle": ("middle lowest, any turn", {"landing_height": -1.0}),
    "unturned-cell": ("lowest cell lowest, as the piece comes", {"turns": -100.0, "piece_bottom": -1.0}),
    "unturned-column": (
        "left edge nearest to the lowest column, as the piece comes",
        {"turns": -100.0, "lowest_column_distance": -1.0},
    ),
}

# Which of equally good placements the greedy agent takes: a small weight decides.
_GREEDY_WEIGHTS = dict(load_weighted_agent("tetrais-greedy").weights)
_RIGHTMOST_WEIGHTS = {f"height_{column}": 0.001 * column for column in range(1, BOARD_WIDTH + 1)}
GREEDY_TIE_BREAKS = {
    "last": ("the last by turn and column", {**_GREEDY_WEIGHTS, **_RIGHTMOST_WEIGHTS, "turns": 0.125}),
    "lower-top": ("the one whose highest cell is lower", {**_GREEDY_WEIGHTS, "piece_top": 0.01}),
    "higher-top": ("the one whose highest cell is higher", {**_GREEDY_WEIGHTS, "piece_top": -0.01}),
    "farther": ("the one farther from the lowest column", {**_GREEDY_WEIGHTS, "lowest_column_distance": 0.01}),
}
_HIGHER_LANDING_WEIGHTS = {**_GREEDY_WEIGHTS, "landing_height": 0.01}

# What is learnt: the greedy agent's five features by a genetic algorithm, at depth 1 and at depth 2. At depth 2 games
# on 22 rows do not end while one waits, so that there is nothing to choose by: it learns on ten.
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
_QUICK_Q_LEARNING_CHANGES = (
    "episodes=150",
    "average_from=51",
    "alpha_episodes=150",
    "validation.games=20",
    "validation.final_games=100",
)
_REPORTED_FORMULA_CHANGES = ("trace=0", "constant=false")  # the report's formula, and nothing else

_SOFT_DROP_RULES, _NO_SOFT_DROP_RULES = "tetrais:movement=reach,lock_delay=gravity", "tetrais:movement=reach"
FALL_SPEED_LEVELS = {1000: 0, 700: 3, 500: 5, 300: 7, 200: 8, 100: 9}  # milliseconds a row, and the level that has them
FALL_SPEED_GAMES = {  # agents in games of at most so many pieces: how many games, and how many of a quick reproduction
    "random": (2000, 500),
    "min-height": (2000, 500),
    "tetrais-greedy": (2000, 100),
    "tetrais-q": (400, 30),
    "tetrais-depth2": (40, 2),
}
_FALL_SPEED_MAX_PIECES, _QUICK_FALL_SPEED_MAX_PIECES = 10_000, 2000

_LEARNING_RATES = (0.0005, 0.002, 0.01, 0.05, 0.2)  # learning rates; the report names none
DIVERGENCE_EPISODES = 5  # as far as Figure 12 goes
RECIPE_LEARNING_RATE = 0.002  # of our recipe


@dataclass(frozen=True)
class ResampledGameMeasurement(GameMeasurement):
    """Games of which it is told what 10, 100 and 1,000 of them leave open."""

    def measure(self, laboratory: MeasurementContext) -> dict[str, Any]:
        """Play the games, then draw from them."""
        games, _ = self.get_limits(laboratory.is_quick)
        result = laboratory.play(self.agent, self.rules, games)
        runs, many = (
            resample_statistics(result.per_game["score"], laboratory.seed),
            result.per_game["lines"] > _MANY_LINES,
        )
        return summarise_games(result) | {"cap": None, "runs": runs, "many_lines": float(many.mean())}

    def settings(self, quick: bool) -> dict[str, Any]:
        """Those of games, and how they are drawn from."""
        return {**super().settings(quick), "draws": _RESAMPLE_COUNT, "many_lines": _MANY_LINES}


def resample_statistics(scores: Any, seed: int) -> dict[str, Any]:
    """Where 95 of 100 series of so many games have their mean, normalised variance, lowest and highest score.

    Each series is drawn from games that are drawn from ours, so that few games of ours widen it too.
    """
    generator, games = np.random.default_rng(seed), len(scores)
    found: dict[int, list[tuple[float, ...]]] = {runs: [] for runs in RUN_COUNTS}
    for _ in range(_RESAMPLE_COUNT):
        pool = scores[generator.integers(games, size=games)]
        for runs in RUN_COUNTS:
            drawn = pool[generator.integers(games, size=runs)]
            mean = float(drawn.mean())
            found[runs].append((mean, float(drawn.var()) / mean**2, float(drawn.min()), float(drawn.max())))
    names = ("mean", "normalised_variance", "lowest", "highest")
    return {
        str(runs): {
            name: np.percentile(column, [2.5, 50, 97.5]).tolist()
            for name, column in zip(names, zip(*series, strict=True), strict=True)
        }
        for runs, series in found.items()
    }


def count_wall_push_columns(placement: Placement, columns: int) -> int:
    """How many of so many columns lead there, if a piece that would leave the board is pushed back to its wall."""
    taken = [column for column, _ in placement.cells]
    return columns - min(taken) if max(taken) == BOARD_WIDTH - 1 else 1


def measure_wall_push_games(columns: int, laboratory: MeasurementContext) -> dict[str, Any]:
    """The random agent that draws a turn and one of so many columns, and is pushed back to the wall."""
    chance, records = random.Random(laboratory.seed), []
    for number in range(QUICK_WALL_PUSH_GAMES if laboratory.is_quick else WALL_PUSH_GAMES):
        game = Game("tetrais", laboratory.seed, number)
        while not game.is_over:
            placements = game.placements()
            game.place(chance.choices(placements, [count_wall_push_columns(place, columns) for place in placements])[0])
        records.append(game.copy_record())
    result = Evaluation.from_games("random", Rules.parse("tetrais"), laboratory.seed, np.array(records), 0.0, False)
    runs = resample_statistics(result.per_game["score"], laboratory.seed)
    return {**remove_time(summarise_games(result)), "cap": None, "runs": runs}


def measure_divergence(laboratory: MeasurementContext) -> dict[str, Any]:
    """The weights after every episode by the report's formula alone, on raw features and on differences."""
    found: dict[str, dict[str, Any]] = {}
    for features in ("raw", "differences"):
        for alpha in _LEARNING_RATES:
            settings = QLearningSettings(
                features=features, trace_decay=0.0, bias=False, alpha=alpha, alpha_end=alpha, average_from=0
            )
            learner = QLearning(settings, Rules.parse("tetrais"), laboratory.seed)
            learner.weight_bounds = np.full_like(learner.weight_bounds, np.inf)  # go on, however large they become
            episodes = [learner.run_episode() for _ in range(DIVERGENCE_EPISODES)]
            found.setdefault(features, {})[f"{alpha:g}"] = {
                "names": list(learner.feature_names),
                "start": learner.initial_weights[:-1].tolist(),
                "weights": [list(episode.weights) for episode in episodes],
                "lines": [episode.lines for episode in episodes],
            }
    return found


def measure_thinking_time(laboratory: MeasurementContext) -> dict[str, Any]:
    """How many placements a piece has on an empty board, and how long a decision of each depth takes.

    Once it is asked for one decision at a time, and once it plays games, where nothing but the search takes time.
    """
    game = Game("tetrais:preview=2", laboratory.seed)
    agents = {depth: load_weighted_agent("tetrais-greedy").with_(depth=depth) for depth in (1, 2, 3)}
    taken: dict[int, list[float]] = {depth: [] for depth in agents}
    for _ in range(20 if laboratory.is_quick else 60):
        position = game.position
        for depth, agent in agents.items():
            start = time.perf_counter()
            chosen = agent.choose(position)
            taken[depth].append(time.perf_counter() - start)
        game.place(chosen)
    starts = {game.piece: len(game.placements()) for game in (Game("tetrais", number) for number in range(100))}
    most = 100 if laboratory.is_quick else 500
    rates = {
        depth: laboratory.play(agents[depth], "tetrais:preview=2", games, most).pieces_per_second
        for depth, games in {1: 2000, 2: 100, 3: 8}.items()
    }
    seconds = {str(depth): float(np.median(times[1:])) for depth, times in taken.items()}
    return {"placements": dict(sorted(starts.items())), "time": {"decision": seconds, "pieces_per_second": rates}}


def measure_genetic_games(laboratory: MeasurementContext) -> dict[str, Any]:
    """What has been learnt, in games that are as long as those of the depth-limited agent."""
    quick = laboratory.is_quick
    most, ahead = 20_000 if quick else 200_000, 6 if quick else 60
    first, second = (train_best_weights(training, laboratory) for training in (_GENETIC_TRAINING, _LOOKAHEAD_TRAINING))
    plans = {
        "depth-1": (WeightedAgent("genetic", first, rules="tetrais"), 100 if quick else 2000),
        "looking-ahead": (WeightedAgent("genetic-2", first, depth=2, rules="tetrais"), ahead),
        "learnt-ahead": (WeightedAgent("genetic-ahead", second, depth=2, rules="tetrais"), ahead),
        "by-hand": (load_weighted_agent("tetrais-depth2"), 4 if quick else 16),  # for its time beside the others
    }
    found, times = {}, {}
    for name, (agent, games) in plans.items():
        pieces = min(most, 20_000) if name == "by-hand" else most
        batches = 1 if quick or name in ("depth-1", "by-hand") else 4
        result = laboratory.play(agent, "tetrais", games, pieces, batch_count=batches, name=f"genetic-games-{name}")
        found[name], times[name] = remove_time(summarise_games(result)) | {"cap": pieces}, result.pieces_per_second
    return {**found, "weights": {"depth-1": first, "learnt-ahead": second}, "time": times}


def remove_time(summary: Mapping[str, Any]) -> dict[str, Any]:
    """What is the same on every machine."""
    return {key: value for key, value in summary.items() if key != "time"}


def train_best_weights(training: TrainingMeasurement, laboratory: MeasurementContext) -> Mapping[str, float]:
    """The weights of the seed that was judged best; what was trained before is not trained again."""
    count, changes = training.get_plan(laboratory.is_quick)
    seeds = range(laboratory.seed, laboratory.seed + count)
    runs = laboratory.train_seeds(training.recipe, training.name, seeds, changes)
    best = max((run.result or {} for run in runs), key=lambda result: max(result["finalists"].values()))
    return {name: float(weight) for name, weight in best["parameters"].items()}


def make_weights_measurement(name: str, weights: Mapping[str, Any], quick: int = 1000) -> GameMeasurement:
    """Games by other weights."""
    return GameMeasurement(name, WeightedAgent(name, dict(weights), rules="tetrais"), games=20_000, quick_games=quick)


def format_fall_speed_name(agent: str, milliseconds: int) -> str:
    """The name of an agent's games at a speed."""
    return f"{agent}-{milliseconds}ms"


def make_soft_drop_measurements(
    name: str, agent: str, games: int, quick: int, pieces: int | None, quick_pieces: int
) -> list[GameMeasurement]:
    """An agent's games where pieces start from where they enter: with and without moves after they have landed."""
    return [
        GameMeasurement(f"{name}-{kind}", agent, games, quick, rules, pieces, quick_pieces, 4 if games < 100 else 1)
        for kind, rules in (("soft", _SOFT_DROP_RULES), ("stiff", _NO_SOFT_DROP_RULES))
    ]


TETRAIS_MEASUREMENTS: list[Measurement] = [
    ResampledGameMeasurement("random", "random", games=20_000, quick_games=5000),
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
    *(
        GameMeasurement(name, "random", games=20_000, quick_games=2000, rules=rules)
        for name, (_, rules) in RANDOM_AGENT_ENDINGS.items()
    ),
    GameMeasurement("min-height-above", "min-height", games=20_000, quick_games=2000, rules=_ENTRY_ABOVE_RULES),
    GameMeasurement("greedy-above", "tetrais-greedy", games=20_000, quick_games=1000, rules=_ENTRY_ABOVE_RULES),
    *(make_weights_measurement(name, weights) for name, (_, weights) in MIN_HEIGHT_INTERPRETATIONS.items()),
    *(make_weights_measurement(name, weights) for name, (_, weights) in GREEDY_TIE_BREAKS.items()),
    *make_soft_drop_measurements("greedy", "tetrais-greedy", 20_000, 500, None, 10_000),
    GameMeasurement("q-drop", "tetrais-q", games=4000, quick_games=100),
    *make_soft_drop_measurements("q", "tetrais-q", 4000, 100, None, 10_000),
    *(
        GameMeasurement(
            format_fall_speed_name(agent, milliseconds),
            *(agent, games, quick, f"tetrais:movement=timed,start_level={level}"),
            *(_FALL_SPEED_MAX_PIECES, _QUICK_FALL_SPEED_MAX_PIECES),
        )
        for agent, (games, quick) in FALL_SPEED_GAMES.items()
        for milliseconds, level in FALL_SPEED_LEVELS.items()
    ),
    *(
        GameMeasurement(
            f"{agent}-100ms-at-once",
            *(agent, *FALL_SPEED_GAMES[agent], "tetrais:movement=timed,start_level=9,frames_per_key=1"),
            *(_FALL_SPEED_MAX_PIECES, _QUICK_FALL_SPEED_MAX_PIECES),
        )
        for agent in ("random", "min-height", "tetrais-greedy", "tetrais-q")
    ),
    CustomMeasurement("divergence", measure_divergence),
    TrainingMeasurement("raw", "tetrais-q", seed_count=1, changes=("q-learning.features=raw",)),
    TrainingMeasurement("q", "tetrais-q", seed_count=3, quick_changes=_QUICK_Q_LEARNING_CHANGES),
    TrainingMeasurement(
        "q-as-reported",
        "tetrais-q",
        seed_count=3,
        changes=_REPORTED_FORMULA_CHANGES,
        quick_changes=_QUICK_Q_LEARNING_CHANGES,
    ),
    _GENETIC_TRAINING,
    _LOOKAHEAD_TRAINING,
    CustomMeasurement("genetic-games", measure_genetic_games),
    CustomMeasurement("thinking", measure_thinking_time),
    GameMeasurement(
        "depth2", "tetrais-depth2", games=80, quick_games=20, max_pieces=250_000, quick_max_pieces=60_000, batch_count=5
    ),
    *make_soft_drop_measurements("depth2", "tetrais-depth2", 40, 4, 100_000, 10_000),
]
