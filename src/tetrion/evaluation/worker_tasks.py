"""Tasks of a worker: play games for a limited time and return them, so that short games need not wait for long ones."""

import threading
import time
from collections.abc import Callable
from functools import cache

from tetrion.engine.batch_play import EngineSettings, make_games_for, select_fastest_play
from tetrion.engine.code_cache import compute_source_hash
from tetrion.engine.placing import STATUS_PLAYING
from tetrion.engine.records import GameRecords
from tetrion.engine.rules import RULES_VERSION
from tetrion.errors import TetrionError
from tetrion.evaluation.feature_transfer import use_features

GamesObserver = Callable[[GameRecords], None]  # receives the games while they are played; makes `Progress` of them
PROGRESS_INTERVAL_SECONDS = 0.2  # between two calls of an observer; Ctrl-C is handled as often
TASK_SECONDS = 2.0
FIRST_SLICE_PIECES = 100


def play_until_stopped(games: GameRecords, settings: EngineSettings, stop: threading.Event) -> GameRecords:
    """Play games in place for `TASK_SECONDS`, or until `stop` is set."""
    return play_while(games, settings, make_time_limit(TASK_SECONDS, stop.is_set))


def play_for_seconds(
    games: GameRecords, settings: EngineSettings, seconds: float, engine_version: str, features: bytes
) -> GameRecords:
    """Play copies of games for a number of seconds, with the custom features that `pack_features` has packed.

    An error is raised if this engine has another version.
    """
    check_engine_version(engine_version)
    writable_settings = settings._replace(  # received arrays may be read-only
        agents=settings.agents.copy(), tables=settings.tables.copy(), rules=settings.rules.copy()
    )
    with use_features(writable_settings, features) as own_settings:
        return play_while(games.copy(), own_settings, make_time_limit(seconds))


def make_time_limit(seconds: float, is_stopped: Callable[[], bool] = lambda: False) -> Callable[[], bool]:
    """Return a function that returns true for a number of seconds from now, unless `is_stopped` returns true."""
    end = time.perf_counter() + seconds
    return lambda: time.perf_counter() < end and not is_stopped()


def play_while(games: GameRecords, settings: EngineSettings, should_continue: Callable[[], bool]) -> GameRecords:
    """Play games in place, in slices of a fifth of a second, until all are finished or `should_continue` is false."""
    budget = FIRST_SLICE_PIECES
    play = select_fastest_play(settings)
    is_running = True
    while is_running and (games["status"] == STATUS_PLAYING).any():
        start = time.perf_counter()
        play(games, settings, budget)
        budget = compute_next_budget(budget, time.perf_counter() - start)
        is_running = should_continue()
    return games


def compute_next_budget(budget: int, seconds: float) -> int:
    """Return how many pieces take a fifth of a second, given the seconds that `budget` pieces took."""
    return max(1, int(budget * min(PROGRESS_INTERVAL_SECONDS / max(seconds, 1e-6), 10)))


def load_engine(settings: EngineSettings) -> None:
    """Compile or load the engine functions for these engine settings."""
    select_fastest_play(settings)(make_games_for(settings, 1, seed=0), settings._replace(max_pieces=0), 1)


@cache
def get_engine_version() -> str:
    """Return the version of the rules and a hash of the engine sources; games are identical only if both are equal."""
    return f"rules version {RULES_VERSION}, sources {compute_source_hash()}"


def check_engine_version(engine_version: str) -> None:
    """Raise a `TetrionError` unless this engine has the version with which the games began."""
    if engine_version != get_engine_version():
        raise TetrionError(
            f"A worker has a different engine: {get_engine_version()}; this machine has {engine_version}. Install "
            "the same version of tetrion on every machine and restart its workers."
        )
