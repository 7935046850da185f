"""Whoever plays games in bulk, kept at hand from one batch of games to the next."""

import os
from concurrent.futures import BrokenExecutor, Executor, ThreadPoolExecutor
from types import TracebackType
from typing import Self

import numpy as np

from tetrion.engine.batch_play import UNLIMITED, EngineSettings, GameRecords
from tetrion.errors import TetrionError
from tetrion.evaluation.games_observer import GamesObserver
from tetrion.evaluation.parallel_play import check_no_custom_features, play_in_parallel
from tetrion.evaluation.worker_tasks import load_engine


class Workers:
    """An executor, how many tasks it works on at a time, and a few words for it; closed at the end of a `with`."""

    def __init__(self, executor: Executor, count: int, description: str) -> None:
        self.executor = executor
        self.description = description
        self._count = count

    @property
    def count(self) -> int:
        """How many tasks are worked on at a time."""
        return self._count

    @property
    def is_local(self) -> bool:
        """Whether they are threads of this process."""
        return isinstance(self.executor, ThreadPoolExecutor)

    @property
    def without_observer(self) -> "Workers":
        """Whoever plays games that nobody watches piece by piece: they themselves."""
        return self

    def check_settings(self, setting: EngineSettings) -> None:
        """Make sure that they can play by a setting."""
        if not self.is_local:
            check_no_custom_features(setting)

    def prepare(self, setting: EngineSettings) -> None:
        """Compile or load the engine, before a clock starts."""
        load_engine(setting)

    def play(self, games: GameRecords, setting: EngineSettings, on_progress: GamesObserver | None = None) -> bool:
        """Play all games to their ends, in place; tells whether Ctrl-C stopped them."""
        try:
            return play_in_parallel(games, setting, self.executor, self.count, on_progress)
        except BrokenExecutor as problem:
            raise TetrionError(
                f"A worker of {self.description} has ended before its games: {problem} Give a new executor, or none for "
                "threads."
            ) from None

    def close(self) -> None:
        """End them; whoever lent their executor ends it."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class ThreadWorkers(Workers):
    """Threads of this machine, which share its memory."""

    def __init__(self, count: int) -> None:
        super().__init__(ThreadPoolExecutor(count, "tetrion"), count, f"{count} thread{'s'[: count > 1]}")

    def close(self) -> None:
        """End the threads."""
        self.executor.shutdown()


def start_threads(count: int | None = None) -> Workers:
    """Threads of this machine: one a core, or `count`."""
    return ThreadWorkers(os.cpu_count() or 1 if count is None else validate_count("workers", count))


def validate_count(name: str, number: object, maximum: int = UNLIMITED) -> int:
    """A count that can be worked with, or the error that says why not."""
    if isinstance(number, bool) or not isinstance(number, int | np.integer) or not 1 <= number <= maximum:
        raise TetrionError(f"{name} is a whole number from 1 to {maximum:,}; given {number!r}.")
    return int(number)
