"""What a worker does: it plays some games for a while and hands them back, so that nobody waits for a long one."""

import threading
import time
from collections.abc import Callable
from functools import cache

import numpy as np

from tetrion.engine.batch_play import GAME_DTYPE, STATUS_PLAYING, EngineSettings, GameRecords, select_fastest_play
from tetrion.engine.compiler import compute_source_hash
from tetrion.engine.rules import RULES_VERSION
from tetrion.errors import TetrionError
from tetrion.evaluation.games_observer import PROGRESS_INTERVAL_SECONDS

TASK_SECONDS = 2.0
FIRST_SLICE_PIECES = 100  # pieces


def play_until_stopped(games: GameRecords, setting: EngineSettings, stop: threading.Event) -> GameRecords:
    """Play some games for a turn in place, or until somebody says stop."""
    return play_while(games, setting, make_time_limit(TASK_SECONDS, stop.is_set))


def play_for_seconds(games: GameRecords, setting: EngineSettings, seconds: float, engine: str) -> GameRecords:
    """Play copies of some games for so many seconds; `engine` is the one that they were begun with."""
    check_engine_version(engine)
    agents, tables, rules = map(np.array, setting[:3])
    ours = setting._replace(agents=agents, tables=tables, rules=rules)
    return play_while(
        np.array(games, GAME_DTYPE), ours, make_time_limit(seconds)
    )  # arrays that arrive may be read-only


def make_time_limit(seconds: float, stopped: Callable[[], bool] = lambda: False) -> Callable[[], bool]:
    """Whether to go on, for so many seconds from now."""
    end = time.perf_counter() + seconds
    return lambda: time.perf_counter() < end and not stopped()


def play_while(games: GameRecords, setting: EngineSettings, should_continue: Callable[[], bool]) -> GameRecords:
    """Play some games in place, in slices of a fifth of a second, until they end or, after one, `goes_on` denies it."""
    budget = FIRST_SLICE_PIECES
    play = select_fastest_play(setting)
    on = True
    while on and (games["status"] == STATUS_PLAYING).any():
        start = time.perf_counter()
        play(games, setting, budget)
        budget = compute_next_budget(budget, time.perf_counter() - start)
        on = should_continue()
    return games


def compute_next_budget(budget: int, taken: float) -> int:
    """How many pieces take a fifth of a second, given what some took."""
    return max(1, int(budget * min(PROGRESS_INTERVAL_SECONDS / max(taken, 1e-6), 10)))


def load_engine(setting: EngineSettings) -> None:
    """Compile or load what games by this setting need."""
    play_for_seconds(np.zeros(1, GAME_DTYPE), setting._replace(max_pieces=0), 1, get_engine_version())


@cache
def get_engine_version() -> str:
    """What must be equal for equal games: the version of the rules, and the sources of the engine."""
    return f"rules version {RULES_VERSION}, sources {compute_source_hash()}"


def check_engine_version(engine: str) -> None:
    """Make sure that games are played on by the engine that they were begun with."""
    if engine != get_engine_version():
        raise TetrionError(
            f"A worker has another engine: {get_engine_version()}; here it is {engine}. Install the same tetrion on every "
            "machine and start its workers again."
        )
