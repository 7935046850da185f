"""Temporary."""

import os
from concurrent.futures import ThreadPoolExecutor
from types import TracebackType
from typing import Self

from tetrion.engine.play import Games, Setting, fastest
from tetrion.evaluation.playing import play
from tetrion.evaluation.watching import Watch


class Workers:
    """Threads."""

    def __init__(self, count: int) -> None:
        self.count, self.words = count, f"{count} threads"
        self.executor = ThreadPoolExecutor(count)

    def prepare(self, setting: Setting) -> None:
        """Compile."""
        fastest(setting)(__import__("numpy").zeros(0), setting, 0)

    def play(self, games: Games, setting: Setting, progress: Watch | None = None) -> bool:
        """Play."""
        fastest(setting)(games[:0], setting, 0)
        return play(games, setting, self.executor, self.count, progress)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.executor.shutdown()


def threads(count: int | None = None) -> Workers:
    """Threads."""
    return Workers(count or os.cpu_count() or 1)
