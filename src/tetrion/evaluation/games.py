"""An agent measured: a given number of games, or as many as a precision needs."""

import math
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from pathlib import Path
from typing import NamedTuple

import numpy as np

from tetrion.agents import AnyAgent, Chooser, DataAgent, RandomKeys, load
from tetrion.engine.play import GAME, OVER, PLAYING, UNLIMITED, Games, Setting, new_games
from tetrion.engine.randomisers import checked_seed
from tetrion.engine.rules import Rules
from tetrion.errors import AgentError, TetrionError
from tetrion.evaluation.clusters import workers_for
from tetrion.evaluation.key_games import play_keys
from tetrion.evaluation.own_games import play_own
from tetrion.evaluation.statistics import Evaluation, mean_of, relative_half_width
from tetrion.evaluation.watching import Watch
from tetrion.evaluation.workers import Workers, checked_count

USUAL_GAMES = 100
MOST_GAMES = 10**7  # each takes some hundred bytes of memory
FEWEST_FOR_PRECISION, MOST_FOR_PRECISION = 100, 10**6
FINEST, COARSEST = 0.001, 0.5  # precisions
GIVEN_UP = 1000  # games after which nobody has died or cleared a line: more would not tell the mean either
LARGEST_GROWTH = 10  # of the number of games from a round to the next, since the first may mislead
RESERVE = 1.03  # so that most measurements need no third round


class Standing(NamedTuple):
    """How far an evaluation is: games done of those planned, pieces placed, seconds taken, the precision so far."""

    done: int
    planned: int
    pieces: int
    seconds: float
    precision: float | None


Progress = Callable[[Standing], None]


def evaluate(
    agent: AnyAgent | Chooser | str | Path,
    rules: Rules | str = "standard",
    games: int | None = None,
    seed: int = 0,
    *,
    precision: float | None = None,
    most_pieces: int | None = None,
    most_lines: int | None = None,
    workers: int | None = None,
    executor: Executor | Workers | None = None,
    device: str = "cpu",
    progress: Progress | None = None,
) -> Evaluation:
    """Play games number 0, 1, … of a seed and sum them up; the result does not depend on who plays them.

    `agent` is one, or whatever `load` takes; `rules` are some, or their form on the command line. 100 games are played,
    or `games`; or so many (from 100 to 1,000,000) that half the 95 % interval of the mean lines is at most `precision`
    of the mean, such as 0.05. They are played by `workers` threads, one a core if nothing is said, or by an `executor`:
    `cluster("tcp://host:8786")`, any of `concurrent.futures`, or Dask's own; on the `device` "cuda" by the GPU, all at
    once. Ctrl-C ends the games where they are: those that had not ended count as capped, those that had not begun do
    not count, and the result says that it was `stopped`.
    """
    player: AnyAgent | Chooser = load(agent) if isinstance(agent, str | Path) else checked_agent(agent)
    rules, seed = rules if isinstance(rules, Rules) else Rules.parse(rules), checked_seed(seed)
    caps = {
        "most_pieces": UNLIMITED if most_pieces is None else checked_count("most_pieces", most_pieces),
        "most_lines": UNLIMITED if most_lines is None else checked_count("most_lines", most_lines),
    }
    count = first_round(games, precision)
    with workers_for(executor, workers, device) as team:
        play_games(player, rules, 0, 0, seed, caps, team)  # compiled or loaded before the clock starts
        start, rounds, stopped = time.perf_counter(), list[Games](), False

        def watch(present: Games) -> None:
            if progress:
                progress(standing([*rounds, present], precision, time.perf_counter() - start))

        try:
            while count and not stopped:
                played, stopped = play_games(player, rules, sum(map(len, rounds)), count, seed, caps, team, watch)
                rounds.append(played)
                count = further_games(rounds, precision) if precision else 0
        except KeyboardInterrupt:  # between two rounds
            stopped = True
        seconds, records = time.perf_counter() - start, np.concatenate(rounds or [np.zeros(0, GAME)])
    begun = (records["status"] != PLAYING) | (records["pieces"] > 0)
    if not begun.any():
        raise KeyboardInterrupt
    return Evaluation.of(
        getattr(player, "name", type(player).__name__),
        rules,
        seed,
        records[begun],
        seconds,
        stopped,
        np.flatnonzero(begun),
    )


def play_games(
    agent: AnyAgent | Chooser,
    rules: Rules,
    first: int,
    count: int,
    seed: int,
    caps: Mapping[str, int],
    workers: Workers,
    progress: Watch | None = None,
) -> tuple[Games, bool]:
    """Play games number `first`, `first + 1`, … of a seed: their records, and whether Ctrl-C stopped them.

    With a count of 0 the engine is compiled or loaded and nothing else happens.
    """
    games = new_games(count, seed, first)
    if not isinstance(agent, DataAgent) and not workers.here:
        raise AgentError(
            f"An agent that is code or presses keys plays on this machine's CPU alone; given {workers.words}. Use "
            "threads: leave the cluster, the executor or the device away."
        )
    if isinstance(agent, RandomKeys):
        return games, play_keys(games, agent, rules, seed, first, **caps, progress=progress)
    if not isinstance(agent, DataAgent):
        threads = workers.count
        return games, play_own(games, agent, rules, seed=seed, first=first, **caps, workers=threads, progress=progress)
    setting = Setting.of([agent.compiled()], rules, **caps)
    if not count:
        workers.prepare(setting)

    def watch(present: Games) -> None:
        agent.check_features()
        if progress:
            progress(present)

    return games, workers.play(games, setting, watch)


def checked_agent(agent: AnyAgent | Chooser) -> AnyAgent | Chooser:
    """Something that can play, or the error that says why not."""
    if not hasattr(agent, "choose") and not isinstance(agent, RandomKeys):
        raise AgentError(f"An agent is a name, a file, or has a method choose(position); given {agent!r}.")
    if isinstance(agent, type):
        raise AgentError(f"An agent is an object; given the class {agent.__name__}. Give {agent.__name__}().")
    return agent


def checked_precision(precision: object) -> float:
    """A precision that can be aimed at, or the error that says why not."""
    if isinstance(precision, bool) or not isinstance(precision, int | float | np.number):
        raise TetrionError(f"precision is a share of the mean, such as 0.05 for 5 %; given {precision!r}.")
    if not FINEST <= precision <= COARSEST:
        raise TetrionError(
            f"precision lies between 0.1 % (0.001) and 50 % (0.5) of the mean; given {precision:g}, which is "
            f"{100 * precision:g} %. For 5 % write 0.05, or 5% on the command line."
        )
    return float(precision)


def first_round(games: int | None, precision: float | None) -> int:
    """How many games to begin with."""
    if precision is None:
        return checked_count("games", USUAL_GAMES if games is None else games, MOST_GAMES)
    if games is not None:
        raise TetrionError(
            f"Give a number of games or a precision, not both; given games {games} and precision {precision}. "
            "A precision plays as many games as it needs."
        )
    checked_precision(precision)
    return FEWEST_FOR_PRECISION


def further_games(rounds: Sequence[Games], goal: float) -> int:
    """How many more games the next round needs, by the results so far alone; 0 if there is none."""
    played, reached = sum(map(len, rounds)), precision_of(rounds)
    if reached is not None and reached <= goal:
        return 0
    return planned_games(played, reached, goal) - played


def planned_games(played: int, reached: float | None, goal: float) -> int:
    """How many games there will be after the next round."""
    if reached is None and played >= GIVEN_UP:
        return played
    wanted = 2 * played if reached is None else games_for(goal, played, reached)
    return min(wanted, LARGEST_GROWTH * played, MOST_FOR_PRECISION)


def games_for(goal: float, played: int, reached: float) -> int:
    """How many games a precision seems to need, given what the games so far have reached."""
    return min(math.ceil(played * (reached / goal) ** 2 * RESERVE), MOST_FOR_PRECISION)


def precision_of(rounds: Sequence[Games]) -> float | None:
    """Half the 95 % interval of the mean lines of finished games, as a share of the mean."""
    lines, status = (np.concatenate([games[name] for games in rounds]) for name in ("lines", "status"))
    finished = status != PLAYING
    if not finished.any():
        return None
    return relative_half_width(*mean_of(lines[finished], int((status == OVER).sum())))


def standing(rounds: Sequence[Games], goal: float | None, seconds: float) -> Standing:
    """How far the games are; with a goal, planned are those that it seems to need."""
    done = sum(int((games["status"] != PLAYING).sum()) for games in rounds)
    pieces, planned = sum(int(games["pieces"].sum()) for games in rounds), sum(map(len, rounds))
    if goal is None:
        return Standing(done, planned, pieces, seconds, None)
    reached = precision_of(rounds)
    if reached is not None and reached > goal:
        planned = max(planned, games_for(goal, done, reached))
    return Standing(done, planned, pieces, seconds, reached)
