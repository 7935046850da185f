"""Workers that play many games: an executor that is reused from one batch of games to the next."""

import os
from concurrent.futures import BrokenExecutor, Executor, ThreadPoolExecutor
from types import TracebackType
from typing import Self

import numpy as np

from tetrion.engine.batch_play import UNLIMITED, EngineSettings
from tetrion.engine.records import GameRecords
from tetrion.errors import TetrionError
from tetrion.evaluation.feature_transfer import pack_features
from tetrion.evaluation.number_format import format_count
from tetrion.evaluation.parallel_play import play_in_parallel
from tetrion.evaluation.worker_tasks import GamesObserver, load_engine

MAX_WORKERS = 1024


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
        """Play all games to their ends in place; return whether Ctrl-C stopped them."""
        try:
            return play_in_parallel(games, settings, self.executor, self.count, on_progress)
        except BrokenExecutor as error:
            raise TetrionError(
                f"A worker of {self.description} ended before its games were finished: {error} Give a new executor, or "
                "omit it to use threads."
            ) from None

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
