"""How TetrAIs' agents are measured: games by the thousand with what so few leave open, readings, learning, times."""

import random
import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from tetrion.agents import DataAgent, data_agent
from tetrion.board import Placement
from tetrion.engine.pieces import WIDTH
from tetrion.engine.rules import Rules
from tetrion.evaluation.statistics import Evaluation
from tetrion.game import Game
from tetrion.lab.reproduction.measuring import Calculation, Laboratory, Measurement, Play, Training, summed_up
from tetrion.training.qlearning import QLearning, QLearningSettings

RUNS = (10, 100, 1000)  # of Figures 13 and 14
DRAWS = 1000  # times that so many runs are drawn from our games
MANY_LINES = 5  # which "exceptional instances" exceed
PUSHED_GAMES, QUICK_PUSHED_GAMES = 4000, 600

ABOVE = "tetrais:hidden=2,entry=2"

# How the random agent may draw, and when its games may end.
ENDINGS = {
    "random-room": ("every placement alike; over when a piece fits nowhere", "tetrais:over=room"),
    "random-top-row": ("every placement alike; over when the top row holds a cell", "tetrais:over=top-row"),
    "random-above": ("every placement alike; pieces enter in two rows above the 22, over when they do not fit", ABOVE),
}

# Other readings of "minimum height", by the features that they go by.
READINGS = {
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
GREEDY = dict(data_agent("tetrais-greedy").weights)
RIGHT = {f"height_{column}": 0.001 * column for column in range(1, WIDTH + 1)}
TIES = {
    "last": ("the last by turn and column", {**GREEDY, **RIGHT, "turns": 0.125}),
    "lower-top": ("the one whose highest cell is lower", {**GREEDY, "piece_top": 0.01}),
    "higher-top": ("the one whose highest cell is higher", {**GREEDY, "piece_top": -0.01}),
    "farther": ("the one farther from the lowest column", {**GREEDY, "lowest_column_distance": 0.01}),
}
HIGHER = {**GREEDY, "landing_height": 0.01}

# What is learnt: the greedy agent's five features by a genetic algorithm, at depth 1 and at depth 2. At depth 2 games
# on 22 rows do not end while one waits, so that there is nothing to choose by: it learns on ten.
FEATURES = 'agent.features=["max_height","aggregate_height","holes","lines","bumpiness"]'
GENETIC = Training(
    "genetic",
    "gavrilov-plus",
    seeds=3,
    changes=("rules=tetrais", FEATURES, "agent.measured=after"),
    quick_changes=("generations=12", "judge.final=100"),
)
AHEAD = Training(
    "genetic-ahead",
    "gavrilov-plus",
    seeds=1,
    changes=(
        *("rules=tetrais:height=10", FEATURES, "agent.measured=after", "agent.depth=2"),
        *("population=30", "generations=15", "games.count=1", "games.pieces=[1000,4000]"),
        *("judge.games=10", "judge.pieces=10000", "judge.final=50"),
    ),
    quick_changes=("population=16", "generations=6", "judge.games=2", "judge.final=10"),
)
Q_QUICK = ("episodes=150", "average_from=51", "alpha_episodes=150", "judge.games=20", "judge.final=100")
AS_REPORTED = ("trace=0", "constant=false")  # the report's formula, and nothing else

SOFT, STIFF = "tetrais:movement=reach,lock=gravity", "tetrais:movement=reach"
FALLS = {1000: 0, 700: 3, 500: 5, 300: 7, 200: 8, 100: 9}  # milliseconds a row, and the level that has them
FALLING = {  # agents in games of at most so many pieces: how many games, and how many of a quick reproduction
    "random": (2000, 500),
    "min-height": (2000, 500),
    "tetrais-greedy": (2000, 100),
    "tetrais-q": (400, 30),
    "tetrais-depth2": (40, 2),
}
FALLING_PIECES, QUICK_FALLING_PIECES = 10_000, 2000

ALPHAS = (0.0005, 0.002, 0.01, 0.05, 0.2)  # learning rates; the report names none
EPISODES = 5  # as far as Figure 12 goes
FIRST_ALPHA = 0.002  # of our recipe


@dataclass(frozen=True)
class Runs(Play):
    """Games of which it is told what 10, 100 and 1,000 of them leave open."""

    def take(self, laboratory: Laboratory) -> dict[str, Any]:
        """Play the games, then draw from them."""
        games, _ = self.caps(laboratory.quick)
        result = laboratory.play(self.agent, self.rules, games)
        runs, many = left_open(result.per_game["score"], laboratory.seed), result.per_game["lines"] > MANY_LINES
        return summed_up(result) | {"cap": None, "runs": runs, "many_lines": float(many.mean())}

    def settings(self, quick: bool) -> dict[str, Any]:
        """Those of games, and how they are drawn from."""
        return {**super().settings(quick), "draws": DRAWS, "many_lines": MANY_LINES}


def left_open(scores: Any, seed: int) -> dict[str, Any]:
    """Where 95 of 100 series of so many games have their mean, normalised variance, lowest and highest score.

    Each series is drawn from games that are drawn from ours, so that few games of ours widen it too.
    """
    generator, games = np.random.default_rng(seed), len(scores)
    found: dict[int, list[tuple[float, ...]]] = {runs: [] for runs in RUNS}
    for _ in range(DRAWS):
        pool = scores[generator.integers(games, size=games)]
        for runs in RUNS:
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


def likelihood(placement: Placement, columns: int) -> int:
    """How many of so many columns lead there, if a piece that would leave the board is pushed back to its wall."""
    taken = [column for column, _ in placement.cells]
    return columns - min(taken) if max(taken) == WIDTH - 1 else 1


def pushed(columns: int, laboratory: Laboratory) -> dict[str, Any]:
    """The random agent that draws a turn and one of so many columns, and is pushed back to the wall."""
    chance, records = random.Random(laboratory.seed), []
    for number in range(QUICK_PUSHED_GAMES if laboratory.quick else PUSHED_GAMES):
        game = Game("tetrais", laboratory.seed, number)
        while not game.over:
            placements = game.placements()
            game.place(chance.choices(placements, [likelihood(place, columns) for place in placements])[0])
        records.append(game.record())
    result = Evaluation.of("random", Rules.parse("tetrais"), laboratory.seed, np.array(records), 0.0, False)
    runs = left_open(result.per_game["score"], laboratory.seed)
    return {**without_time(summed_up(result)), "cap": None, "runs": runs}


def divergence(laboratory: Laboratory) -> dict[str, Any]:
    """The weights after every episode by the report's formula alone, on raw features and on differences."""
    found: dict[str, dict[str, Any]] = {}
    for features in ("raw", "differences"):
        for alpha in ALPHAS:
            settings = QLearningSettings(
                features=features, trace=0.0, constant=False, alpha=alpha, alpha_end=alpha, average_from=0
            )
            learner = QLearning(settings, Rules.parse("tetrais"), laboratory.seed)
            learner.bounds = np.full_like(learner.bounds, np.inf)  # go on, however large they become
            episodes = [learner.episode() for _ in range(EPISODES)]
            found.setdefault(features, {})[f"{alpha:g}"] = {
                "names": list(learner.names),
                "start": learner.start[:-1].tolist(),
                "weights": [list(episode.weights) for episode in episodes],
                "lines": [episode.lines for episode in episodes],
            }
    return found


def thinking(laboratory: Laboratory) -> dict[str, Any]:
    """How many placements a piece has on an empty board, and how long a decision of each depth takes.

    Once it is asked for one decision at a time, and once it plays games, where nothing but the search takes time.
    """
    game = Game("tetrais:preview=2", laboratory.seed)
    agents = {depth: data_agent("tetrais-greedy").with_(depth=depth) for depth in (1, 2, 3)}
    taken: dict[int, list[float]] = {depth: [] for depth in agents}
    for _ in range(20 if laboratory.quick else 60):
        position = game.position
        for depth, agent in agents.items():
            start = time.perf_counter()
            chosen = agent.choose(position)
            taken[depth].append(time.perf_counter() - start)
        game.place(chosen)
    starts = {game.piece: len(game.placements()) for game in (Game("tetrais", number) for number in range(100))}
    most = 100 if laboratory.quick else 500
    rates = {
        depth: laboratory.play(agents[depth], "tetrais:preview=2", games, most).pieces_per_second
        for depth, games in {1: 2000, 2: 100, 3: 8}.items()
    }
    seconds = {str(depth): float(np.median(times[1:])) for depth, times in taken.items()}
    return {"placements": dict(sorted(starts.items())), "time": {"decision": seconds, "pieces_per_second": rates}}


def genetic_games(laboratory: Laboratory) -> dict[str, Any]:
    """What has been learnt, in games that are as long as those of the depth-limited agent."""
    quick = laboratory.quick
    most, ahead = 20_000 if quick else 200_000, 6 if quick else 60
    first, second = (learnt(training, laboratory) for training in (GENETIC, AHEAD))
    plans = {
        "depth-1": (DataAgent("genetic", first, rules="tetrais"), 100 if quick else 2000),
        "looking-ahead": (DataAgent("genetic-2", first, depth=2, rules="tetrais"), ahead),
        "learnt-ahead": (DataAgent("genetic-ahead", second, depth=2, rules="tetrais"), ahead),
        "by-hand": (data_agent("tetrais-depth2"), 4 if quick else 16),  # for its time beside the others
    }
    found, times = {}, {}
    for name, (agent, games) in plans.items():
        pieces = min(most, 20_000) if name == "by-hand" else most
        batches = 1 if quick or name in ("depth-1", "by-hand") else 4
        result = laboratory.play(agent, "tetrais", games, pieces, batches=batches, name=f"genetic-games-{name}")
        found[name], times[name] = without_time(summed_up(result)) | {"cap": pieces}, result.pieces_per_second
    return {**found, "weights": {"depth-1": first, "learnt-ahead": second}, "time": times}


def without_time(summary: Mapping[str, Any]) -> dict[str, Any]:
    """What is the same on every machine."""
    return {key: value for key, value in summary.items() if key != "time"}


def learnt(training: Training, laboratory: Laboratory) -> Mapping[str, float]:
    """The weights of the seed that was judged best; what was trained before is not trained again."""
    count, changes = training.plan(laboratory.quick)
    seeds = range(laboratory.seed, laboratory.seed + count)
    runs = laboratory.train_all(training.recipe, training.name, seeds, changes)
    best = max((run.result or {} for run in runs), key=lambda result: max(result["finalists"].values()))
    return {name: float(weight) for name, weight in best["numbers"].items()}


def a_reading(name: str, weights: Mapping[str, Any], quick: int = 1000) -> Play:
    """Games by other weights."""
    return Play(name, DataAgent(name, dict(weights), rules="tetrais"), games=20_000, quick=quick)


def falling(agent: str, milliseconds: int) -> str:
    """The name of an agent's games at a speed."""
    return f"{agent}-{milliseconds}ms"


def soft_drop(name: str, agent: str, games: int, quick: int, pieces: int | None, quick_pieces: int) -> list[Play]:
    """An agent's games where pieces start from where they enter: with and without moves after they have landed."""
    return [
        Play(f"{name}-{kind}", agent, games, quick, rules, pieces, quick_pieces, 4 if games < 100 else 1)
        for kind, rules in (("soft", SOFT), ("stiff", STIFF))
    ]


MEASUREMENTS: list[Measurement] = [
    Runs("random", "random", games=20_000, quick=5000),
    Runs("min-height", "min-height", games=20_000, quick=5000),
    Runs("greedy", "tetrais-greedy", games=20_000, quick=2000),
    Runs("greedy-higher", DataAgent("greedy-higher", HIGHER, rules="tetrais"), games=20_000, quick=2000),
    Calculation("forty", partial(pushed, WIDTH)),
    Calculation("edge", partial(pushed, WIDTH + 1)),
    *(Play(name, "random", games=20_000, quick=2000, rules=rules) for name, (_, rules) in ENDINGS.items()),
    Play("min-height-above", "min-height", games=20_000, quick=2000, rules=ABOVE),
    Play("greedy-above", "tetrais-greedy", games=20_000, quick=1000, rules=ABOVE),
    *(a_reading(name, weights) for name, (_, weights) in READINGS.items()),
    *(a_reading(name, weights) for name, (_, weights) in TIES.items()),
    *soft_drop("greedy", "tetrais-greedy", 20_000, 500, None, 10_000),
    Play("q-drop", "tetrais-q", games=4000, quick=100),
    *soft_drop("q", "tetrais-q", 4000, 100, None, 10_000),
    *(
        Play(
            falling(agent, milliseconds),
            *(agent, games, quick, f"tetrais:movement=timed,level={level}"),
            *(FALLING_PIECES, QUICK_FALLING_PIECES),
        )
        for agent, (games, quick) in FALLING.items()
        for milliseconds, level in FALLS.items()
    ),
    *(
        Play(
            f"{agent}-100ms-at-once",
            *(agent, *FALLING[agent], "tetrais:movement=timed,level=9,key_every=1"),
            *(FALLING_PIECES, QUICK_FALLING_PIECES),
        )
        for agent in ("random", "min-height", "tetrais-greedy", "tetrais-q")
    ),
    Calculation("divergence", divergence),
    Training("raw", "tetrais-q", seeds=1, changes=("q-learning.features=raw",)),
    Training("q", "tetrais-q", seeds=3, quick_changes=Q_QUICK),
    Training("q-as-reported", "tetrais-q", seeds=3, changes=AS_REPORTED, quick_changes=Q_QUICK),
    GENETIC,
    AHEAD,
    Calculation("genetic-games", genetic_games),
    Calculation("thinking", thinking),
    Play("depth2", "tetrais-depth2", games=80, quick=20, pieces=250_000, quick_pieces=60_000, batches=5),
    *soft_drop("depth2", "tetrais-depth2", 40, 4, 100_000, 10_000),
]
