"""What a worker does: it plays some games for a while and hands them back, so that nobody waits for a long one."""

import threading
import time
from collections.abc import Callable
from functools import cache

import numpy as np

from tetrion.engine.compiler import source_hash
from tetrion.engine.play import GAME, PLAYING, Games, Setting, fastest
from tetrion.engine.rules import VERSION
from tetrion.errors import TetrionError
from tetrion.evaluation.watching import SLICE_SECONDS

TURN_SECONDS = 2.0
FIRST_SLICE = 100  # pieces


def play_here(games: Games, setting: Setting, stop: threading.Event) -> Games:
    """Play some games for a turn in place, or until somebody says stop."""
    return play_while(games, setting, until(TURN_SECONDS, stop.is_set))


def play_for(games: Games, setting: Setting, seconds: float, engine: str) -> Games:
    """Play copies of some games for so many seconds; `engine` is the one that they were begun with."""
    check_engine(engine)
    agents, tables, rules = map(np.array, setting[:3])
    ours = setting._replace(agents=agents, tables=tables, rules=rules)
    return play_while(np.array(games, GAME), ours, until(seconds))  # arrays that arrive may be read-only


def until(seconds: float, stopped: Callable[[], bool] = lambda: False) -> Callable[[], bool]:
    """Whether to go on, for so many seconds from now."""
    end = time.perf_counter() + seconds
    return lambda: time.perf_counter() < end and not stopped()


def play_while(games: Games, setting: Setting, goes_on: Callable[[], bool]) -> Games:
    """Play some games in place, in slices of a fifth of a second, until they end or, after one, `goes_on` denies it."""
    budget, play, on = FIRST_SLICE, fastest(setting), True
    while on and (games["status"] == PLAYING).any():
        start = time.perf_counter()
        play(games, setting, budget)
        budget = next_budget(budget, time.perf_counter() - start)
        on = goes_on()
    return games


def next_budget(budget: int, taken: float) -> int:
    """How many pieces take a fifth of a second, given what some took."""
    return max(1, int(budget * min(SLICE_SECONDS / max(taken, 1e-6), 10)))


def load_engine(setting: Setting) -> None:
    """Compile or load what games by this setting need."""
    play_for(np.zeros(1, GAME), setting._replace(most_pieces=0), 1, this_engine())


@cache
def this_engine() -> str:
    """What must be equal for equal games: the version of the rules, and the sources of the engine."""
    return f"rules version {VERSION}, sources {source_hash()}"


def check_engine(engine: str) -> None:
    """Make sure that games are played on by the engine that they were begun with."""
    if engine != this_engine():
        raise TetrionError(
            f"A worker has another engine: {this_engine()}; here it is {engine}. Install the same tetrion on every "
            "machine and start its workers again."
        )
