"""Workers that play many games: threads or any executor, in tasks so short that Ctrl-C takes effect immediately."""

import os
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from functools import cache, lru_cache
from importlib import import_module
from types import TracebackType
from typing import Any, Self

import numpy as np

from tetrion.engine.batch_play import UNLIMITED, EngineSettings, make_games_for, select_fastest_play
from tetrion.engine.code_cache import compute_source_hash
from tetrion.engine.custom_features import CustomFeature, find_features
from tetrion.engine.placing import STATUS_PLAYING
from tetrion.engine.records import GameRecords
from tetrion.engine.rules import RULES_VERSION
from tetrion.errors import AgentError, TetrionError, describe_value
from tetrion.evaluation.number_format import format_count
from tetrion.extras import make_install_command

GamesObserver = Callable[[GameRecords], None]  # receives the games while they are played; makes `Progress` of them
MAX_WORKERS = 1024
PROGRESS_INTERVAL_SECONDS = 0.2  # between two calls of an observer; Ctrl-C is handled as often
TASK_SECONDS = 2.0  # so that short games need not wait for long ones, and workers that join later get some
FIRST_SLICE_PIECES = 100
MAX_GAMES_PER_TASK = 1000  # limits the size of a message
TASKS_PER_WORKER = 4  # submitted at a time
_MAX_PACKED_BYTES = 1_000_000  # of custom features, which are sent with every task
_unpacking_lock = threading.Lock()  # each feature is compiled once per process


class Workers:
    """An executor, the number of tasks that it runs at a time, and a description; closed by a `with` block."""

    def __init__(self, executor: Executor, count: int, description: str) -> None:
        self.executor = executor
        self.description = description
        self._count = count

    @property
    def count(self) -> int:
        """The number of tasks that run at the same time."""
        return self._count

    @property
    def is_local(self) -> bool:
        """Whether the workers are threads of this process."""
        return isinstance(self.executor, ThreadPoolExecutor)

    @property
    def validation_workers(self) -> "Workers":
        """Workers that do not display their games; subclasses that display games override this."""
        return self

    def check_settings(self, settings: EngineSettings) -> None:
        """Raise an error if the workers do not support these engine settings."""
        if not self.is_local:
            pack_features(settings)

    def prepare(self, settings: EngineSettings) -> None:
        """Compile or load the engine, so that this does not count as playing time."""
        load_engine(settings)

    def play(self, games: GameRecords, settings: EngineSettings, on_progress: GamesObserver | None = None) -> bool:
        """Play all games to their ends in place; return whether Ctrl-C stopped them.

        Threads play in the memory of this process; any other executor receives copies, and what it has not returned
        when Ctrl-C is pressed is lost. A record holds the whole state of a game, so the games do not depend on the
        workers or on the number of tasks, and can be continued after an error.
        """
        stop = threading.Event()
        features = b"" if self.is_local else pack_features(settings)

        def submit(part: slice) -> Future[GameRecords]:
            if self.is_local:
                return self.executor.submit(play_slices, games[part], settings, TASK_SECONDS, stop.is_set)
            version = get_engine_version()
            return self.executor.submit(play_copies, games[part], settings, TASK_SECONDS, version, features)

        worker_count = self.count
        waiting = deque(split_into_tasks(games, worker_count))
        running = dict[Future[GameRecords], slice]()
        last_report = time.monotonic()
        try:
            while waiting or running:
                while waiting and len(running) < TASKS_PER_WORKER * worker_count:
                    part = waiting.popleft()
                    running[submit(part)] = part
                for task in wait(running, timeout=PROGRESS_INTERVAL_SECONDS, return_when=FIRST_COMPLETED).done:
                    games[running[task]] = task.result()
                    waiting.extend(split_unfinished(games, running.pop(task)))
                if on_progress and time.monotonic() - last_report >= PROGRESS_INTERVAL_SECONDS:
                    on_progress(games)
                    last_report = time.monotonic()
            if on_progress:
                on_progress(games)
        except KeyboardInterrupt:
            return True
        except BrokenExecutor as error:
            raise TetrionError(
                f"A worker of {self.description} ended before its games were finished: {error} Give a new executor, or "
                "omit it to use threads."
            ) from None
        finally:
            stop.set()  # after an error the other tasks must not run for hours
            collectable = [task for task in running if not task.cancel() and (self.is_local or task.done())]
            for task in wait(collectable).done:
                if not task.exception():
                    games[running[task]] = task.result()
        return False

    def show_game(self, game: GameRecords, settings: EngineSettings) -> None:
        """Show a game that a learner plays itself, before each piece and at its end; only workers with a display do."""

    def close(self) -> None:
        """Release the workers; an executor that was passed in is not shut down."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class ThreadWorkers(Workers):
    """Threads of this process."""

    def __init__(self, count: int) -> None:
        super().__init__(ThreadPoolExecutor(count, "tetrion"), count, format_count(count, "thread"))

    def close(self) -> None:
        """End the threads."""
        self.executor.shutdown()


def start_threads(count: int | None = None) -> Workers:
    """Start threads of this process: `count` threads, or one per core."""
    return ThreadWorkers(os.cpu_count() or 1 if count is None else validate_worker_count(count))


def validate_worker_count(count: object) -> int:
    """Return a number of workers, or raise a `TetrionError` if it is not one."""
    return validate_count("workers", count, MAX_WORKERS, "Omit it to use all cores.")


def validate_count(name: str, number: object, maximum: int = UNLIMITED, remedy: str = "") -> int:
    """Return the number as an int, or raise a `TetrionError` if it is not a whole number from 1 to `maximum`."""
    if isinstance(number, bool) or not isinstance(number, int | np.integer) or not 1 <= number <= maximum:
        raise TetrionError(
            f"{name} must be a whole number from 1 to {maximum:,}; given {describe_value(number)}. {remedy}".rstrip()
        )
    return int(number)


def split_into_tasks(games: GameRecords, workers: int) -> Iterator[slice]:
    """Yield the slice of each task: a worker's share of the remaining games, so that all workers end together."""
    start, total = 0, len(games)
    while start < total:
        size = min(max(1, (total - start) // workers), MAX_GAMES_PER_TASK)
        if (games["status"][start : start + size] == STATUS_PLAYING).any():
            yield slice(start, start + size)
        start += size


def split_unfinished(games: GameRecords, part: slice) -> list[slice]:
    """Return the unfinished games of a slice as up to two slices, so that games need not wait for a long one."""
    indices = part.start + np.flatnonzero(games["status"][part] == STATUS_PLAYING)
    middle = len(indices) // 2
    return [slice(int(half[0]), int(half[-1]) + 1) for half in (indices[:middle], indices[middle:]) if len(half)]


def play_slices(
    games: GameRecords, settings: EngineSettings, seconds: float, is_stopped: Callable[[], bool] = lambda: False
) -> GameRecords:
    """Play games in place for a number of seconds, or until all are finished or `is_stopped` returns true.

    The engine returns after each slice of about a fifth of a second, because compiled code cannot be interrupted.
    """
    end = time.perf_counter() + seconds
    budget = FIRST_SLICE_PIECES
    play = select_fastest_play(settings)
    is_running = True
    while is_running and (games["status"] == STATUS_PLAYING).any():
        start = time.perf_counter()
        play(games, settings, budget)
        budget = compute_next_budget(budget, time.perf_counter() - start)
        is_running = time.perf_counter() < end and not is_stopped()
    return games


def play_copies(
    games: GameRecords, settings: EngineSettings, seconds: float, engine_version: str, features: bytes
) -> GameRecords:
    """Play copies of games on a worker in another process, with the custom features that `pack_features` has packed.

    An error is raised if this engine has another version.
    """
    if engine_version != get_engine_version():
        raise TetrionError(
            f"A worker has a different engine: {get_engine_version()}; this machine has {engine_version}. Install "
            "the same version of tetrion on every machine and restart its workers."
        )
    writable_settings = settings._replace(  # received arrays may be read-only
        agents=settings.agents.copy(), tables=settings.tables.copy(), rules=settings.rules.copy()
    )
    with use_features(writable_settings, features) as own_settings:
        return play_slices(games.copy(), own_settings, seconds)


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


# Custom features in other processes: their functions are sent there and compiled. Workers run what a client sends, as
# Dask does with every task; whether a feature may run was decided where its agent was loaded.


def pack_features(settings: EngineSettings) -> bytes:
    """Return the custom features of the agents as bytes for `use_features`; empty without any."""
    features = find_features(set(settings.agents["custom_addresses"].ravel().tolist()) - {0})
    if not features:
        return b""
    cloudpickle = import_cloudpickle()
    parts = [(address, found.function, found.max_value, found.kind) for address, found in sorted(features.items())]
    try:
        with pickle_by_value(cloudpickle, {found.function.__module__ for found in features.values()}):
            packed: bytes = cloudpickle.dumps(parts)
    except Exception as error:
        raise AgentError(f"The custom features cannot be sent to other processes: {error}. Use threads.") from None
    if len(packed) > _MAX_PACKED_BYTES:
        raise AgentError(
            f"Custom features for other processes have at most {_MAX_PACKED_BYTES:,} bytes with all values that they "
            f"use; given {len(packed):,}. Use smaller tables, or threads."
        )
    return packed


def import_cloudpickle() -> Any:
    """Import cloudpickle, which is installed with Dask; raise an AgentError without it."""
    try:
        return import_module("cloudpickle")
    except ImportError:
        raise AgentError(
            "An agent with custom features needs cloudpickle to play in other processes. Install it: "
            f"{make_install_command('cluster')}. Or use threads: omit the cluster or the executor."
        ) from None


@contextmanager
def pickle_by_value(cloudpickle: Any, module_names: Iterable[str]) -> Iterator[None]:
    """Send the code of modules, which other processes cannot import, instead of their names."""
    modules = [sys.modules[name] for name in module_names if name != "__main__" and name in sys.modules]
    for module in modules:
        cloudpickle.register_pickle_by_value(module)
    try:
        yield
    finally:
        for module in modules:
            cloudpickle.unregister_pickle_by_value(module)


@contextmanager
def use_features(settings: EngineSettings, packed: bytes) -> Iterator[EngineSettings]:
    """Provide settings whose agents use the features of `pack_features`, compiled in this process.

    At the end, raise an AgentError if one of them has failed.
    """
    if not packed:
        yield settings
        return
    with _unpacking_lock:
        features = unpack_features(packed)
        addresses = {address: found.get_address() for address, found in features.items()}
    agents = settings.agents.copy()
    for address, own_address in addresses.items():
        agents["custom_addresses"][settings.agents["custom_addresses"] == address] = own_address
    yield settings._replace(agents=agents)
    for found in features.values():
        found.check_no_failure()


@lru_cache(maxsize=16)
def unpack_features(packed: bytes) -> dict[int, CustomFeature]:
    """Return the features of `pack_features`, by their addresses in the process that packed them."""
    try:
        parts = import_cloudpickle().loads(packed)
    except Exception as error:
        raise AgentError(
            f"The custom features cannot be used on a worker: {error}. Define them and all functions that they use in "
            "one Python file."
        ) from None
    return {address: CustomFeature(function, max_value, kind) for address, function, max_value, kind in parts}
