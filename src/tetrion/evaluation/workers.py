"""Workers that play many games: threads or any executor, in tasks so short that Ctrl-C takes effect immediately."""

import os
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, ThreadPoolExecutor, wait
from functools import cache
from types import TracebackType
from typing import Self

import numpy as np

from tetrion.engine.batch_play import UNLIMITED, EngineSettings, make_games_for, select_fastest_play
from tetrion.engine.code_cache import compute_source_hash
from tetrion.engine.placing import STATUS_PLAYING
from tetrion.engine.records import GameRecords
from tetrion.engine.rules import RULES_VERSION
from tetrion.errors import TetrionError
from tetrion.evaluation.feature_transfer import pack_features, use_features
from tetrion.evaluation.number_format import format_count

GamesObserver = Callable[[GameRecords], None]  # receives the games while they are played; makes `Progress` of them
MAX_WORKERS = 1024
PROGRESS_INTERVAL_SECONDS = 0.2  # between two calls of an observer; Ctrl-C is handled as often
TASK_SECONDS = 2.0  # so that short games need not wait for long ones, and workers that join later get some
FIRST_SLICE_PIECES = 100
MAX_GAMES_PER_TASK = 1000  # limits the size of a message
TASKS_PER_WORKER = 4  # submitted at a time


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
        raise TetrionError(f"{name} must be a whole number from 1 to {maximum:,}; given {number!r}. {remedy}".rstrip())
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
