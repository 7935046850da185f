"""An agent measured: a given number of games, or as many as a precision needs."""

import math
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from pathlib import Path
from typing import NamedTuple

import numpy as np

from tetrion.agents import AnyAgent, Chooser, RandomKeysAgent, WeightedAgent, load_agent
from tetrion.engine.batch_play import (
    GAME_DTYPE,
    STATUS_OVER,
    STATUS_PLAYING,
    UNLIMITED,
    EngineSettings,
    GameRecords,
    make_games,
)
from tetrion.engine.randomisers import validate_seed
from tetrion.engine.rules import Rules
from tetrion.errors import AgentError, TetrionError
from tetrion.evaluation.dask_cluster import open_workers
from tetrion.evaluation.game_statistics import Evaluation, compute_relative_half_width, estimate_mean
from tetrion.evaluation.games_observer import GamesObserver
from tetrion.evaluation.python_agent_games import play_python_agent
from tetrion.evaluation.random_keys_games import play_random_keys_games
from tetrion.evaluation.workers import Workers, validate_count

DEFAULT_GAMES = 100
MAX_GAMES = 10**7  # each takes some hundred bytes of memory
MIN_GAMES_FOR_PRECISION, MAX_GAMES_FOR_PRECISION = 100, 10**6
MIN_PRECISION, MAX_PRECISION = 0.001, 0.5  # precisions
GIVE_UP_AFTER_GAMES = 1000  # games after which nobody has died or cleared a line: more would not tell the mean either
MAX_ROUND_GROWTH = 10  # of the number of games from a round to the next, since the first may mislead
GAMES_SAFETY_FACTOR = 1.03  # so that most measurements need no third round


class EvaluationProgress(NamedTuple):
    """How far an evaluation is: games done of those planned, pieces placed, seconds taken, the precision so far."""

    games_done: int
    games_planned: int
    pieces: int
    seconds: float
    precision: float | None


EvaluationObserver = Callable[[EvaluationProgress], None]


def evaluate(
    agent: AnyAgent | Chooser | str | Path,
    rules: Rules | str = "standard",
    games: int | None = None,
    seed: int = 0,
    *,
    precision: float | None = None,
    max_pieces: int | None = None,
    max_lines: int | None = None,
    workers: int | None = None,
    executor: Executor | Workers | None = None,
    device: str = "cpu",
    on_progress: EvaluationObserver | None = None,
) -> Evaluation:
    """Play games number 0, 1, … of a seed and sum them up; the result does not depend on who plays them.

    `agent` is one, or whatever `load` takes; `rules` are some, or their form on the command line. 100 games are played,
    or `games`; or so many (from 100 to 1,000,000) that half the 95 % interval of the mean lines is at most `precision`
    of the mean, such as 0.05. They are played by `workers` threads, one a core if nothing is said, or by an `executor`:
    `cluster("tcp://host:8786")`, any of `concurrent.futures`, or Dask's own; on the `device` "cuda" by the GPU, all at
    once. Ctrl-C ends the games where they are: those that had not ended count as capped, those that had not begun do
    not count, and the result says that it was `stopped`.
    """
    player: AnyAgent | Chooser = load_agent(agent) if isinstance(agent, str | Path) else validate_agent(agent)
    rules, seed = rules if isinstance(rules, Rules) else Rules.parse(rules), validate_seed(seed)
    caps = {
        "max_pieces": UNLIMITED if max_pieces is None else validate_count("max_pieces", max_pieces),
        "max_lines": UNLIMITED if max_lines is None else validate_count("max_lines", max_lines),
    }
    count = get_first_round_size(games, precision)
    with open_workers(executor, workers, device) as team:
        play_agent_games(player, rules, 0, 0, seed, caps, team)  # compiled or loaded before the clock starts
        start = time.perf_counter()
        rounds = list[GameRecords]()
        stopped = False

        def watch(present: GameRecords) -> None:
            if on_progress:
                on_progress(compute_progress([*rounds, present], precision, time.perf_counter() - start))

        try:
            while count and not stopped:
                played, stopped = play_agent_games(player, rules, sum(map(len, rounds)), count, seed, caps, team, watch)
                rounds.append(played)
                count = count_further_games(rounds, precision) if precision else 0
        except KeyboardInterrupt:  # between two rounds
            stopped = True
        seconds, records = time.perf_counter() - start, np.concatenate(rounds or [np.zeros(0, GAME_DTYPE)])
    begun = (records["status"] != STATUS_PLAYING) | (records["pieces"] > 0)
    if not begun.any():
        raise KeyboardInterrupt
    return Evaluation.from_games(
        getattr(player, "name", type(player).__name__),
        rules,
        seed,
        records[begun],
        seconds,
        stopped,
        np.flatnonzero(begun),
    )


def play_agent_games(
    agent: AnyAgent | Chooser,
    rules: Rules,
    first: int,
    count: int,
    seed: int,
    caps: Mapping[str, int],
    workers: Workers,
    on_progress: GamesObserver | None = None,
) -> tuple[GameRecords, bool]:
    """Play games number `first`, `first + 1`, … of a seed: their records, and whether Ctrl-C stopped them.

    With a count of 0 the engine is compiled or loaded and nothing else happens.
    """
    games = make_games(count, seed, first)
    if not isinstance(agent, WeightedAgent) and not workers.is_local:
        raise AgentError(
            f"An agent that is code or presses keys plays on this machine's CPU alone; given {workers.description}. Use "
            "threads: leave the cluster, the executor or the device away."
        )
    if isinstance(agent, RandomKeysAgent):
        return games, play_random_keys_games(games, agent, rules, seed, first, **caps, on_progress=on_progress)
    if not isinstance(agent, WeightedAgent):
        threads = workers.count
        return games, play_python_agent(
            games, agent, rules, seed=seed, first=first, **caps, workers=threads, on_progress=on_progress
        )
    setting = EngineSettings.from_agents([agent.compile()], rules, **caps)
    if not count:
        workers.prepare(setting)

    def watch(present: GameRecords) -> None:
        agent.raise_feature_errors()
        if on_progress:
            on_progress(present)

    return games, workers.play(games, setting, watch)


def validate_agent(agent: AnyAgent | Chooser) -> AnyAgent | Chooser:
    """Something that can play, or the error that says why not."""
    if not hasattr(agent, "choose") and not isinstance(agent, RandomKeysAgent):
        raise AgentError(f"An agent is a name, a file, or has a method choose(position); given {agent!r}.")
    if isinstance(agent, type):
        raise AgentError(f"An agent is an object; given the class {agent.__name__}. Give {agent.__name__}().")
    return agent


def validate_precision(precision: object) -> float:
    """A precision that can be aimed at, or the error that says why not."""
    if isinstance(precision, bool) or not isinstance(precision, int | float | np.number):
        raise TetrionError(f"precision is a share of the mean, such as 0.05 for 5 %; given {precision!r}.")
    if not MIN_PRECISION <= precision <= MAX_PRECISION:
        raise TetrionError(
            f"precision lies between 0.1 % (0.001) and 50 % (0.5) of the mean; given {precision:g}, which is "
            f"{100 * precision:g} %. For 5 % write 0.05, or 5% on the command line."
        )
    return float(precision)


def get_first_round_size(games: int | None, precision: float | None) -> int:
    """How many games to begin with."""
    if precision is None:
        return validate_count("games", DEFAULT_GAMES if games is None else games, MAX_GAMES)
    if games is not None:
        raise TetrionError(
            f"Give a number of games or a precision, not both; given games {games} and precision {precision}. "
            "A precision plays as many games as it needs."
        )
    validate_precision(precision)
    return MIN_GAMES_FOR_PRECISION


def count_further_games(rounds: Sequence[GameRecords], goal: float) -> int:
    """How many more games the next round needs, by the results so far alone; 0 if there is none."""
    played, reached = sum(map(len, rounds)), compute_precision(rounds)
    if reached is not None and reached <= goal:
        return 0
    return plan_games(played, reached, goal) - played


def plan_games(played: int, reached: float | None, goal: float) -> int:
    """How many games there will be after the next round."""
    if reached is None and played >= GIVE_UP_AFTER_GAMES:
        return played
    wanted = 2 * played if reached is None else estimate_games_for_precision(goal, played, reached)
    return min(wanted, MAX_ROUND_GROWTH * played, MAX_GAMES_FOR_PRECISION)


def estimate_games_for_precision(goal: float, played: int, reached: float) -> int:
    """How many games a precision seems to need, given what the games so far have reached."""
    return min(math.ceil(played * (reached / goal) ** 2 * GAMES_SAFETY_FACTOR), MAX_GAMES_FOR_PRECISION)


def compute_precision(rounds: Sequence[GameRecords]) -> float | None:
    """Half the 95 % interval of the mean lines of finished games, as a share of the mean."""
    lines, status = (np.concatenate([games[name] for games in rounds]) for name in ("lines", "status"))
    finished = status != STATUS_PLAYING
    if not finished.any():
        return None
    return compute_relative_half_width(*estimate_mean(lines[finished], int((status == STATUS_OVER).sum())))


def compute_progress(rounds: Sequence[GameRecords], goal: float | None, seconds: float) -> EvaluationProgress:
    """How far the games are; with a goal, planned are those that it seems to need."""
    done = sum(int((games["status"] != STATUS_PLAYING).sum()) for games in rounds)
    pieces, planned = sum(int(games["pieces"].sum()) for games in rounds), sum(map(len, rounds))
    if goal is None:
        return EvaluationProgress(done, planned, pieces, seconds, None)
    reached = compute_precision(rounds)
    if reached is not None and reached > goal:
        planned = max(planned, estimate_games_for_precision(goal, done, reached))
    return EvaluationProgress(done, planned, pieces, seconds, reached)
