"""Learning of patterns on a CUDA GPU, by the same functions as on the CPU; the tables learned are identical.

The sums of whole numbers do not depend on the order in which the threads add to them.
"""

from typing import Any

import numpy as np
from numba import cuda

from tetrion.engine.batch_play import EngineSettings, PlaySlice, place_scalar
from tetrion.engine.compiler import compile_inline
from tetrion.engine.cuda import GAME_WORDS, clear_scratch, compile_kernel, copy_game
from tetrion.engine.placement_choice import BasicScratch, choose_drop_scalar
from tetrion.engine.records import GameRecord, GameRecords
from tetrion.engine.scalar_or_simd import Array
from tetrion.engine.temporal_differences import (
    ErrorTarget,
    LearningSettings,
    LearningTotals,
    PatternWeights,
    learn_from_game,
    update_entry,
)

_GAME_DTYPE = GameRecord.dtype
_SCRATCH_DTYPE = BasicScratch.dtype
_UPDATE_THREADS = 256


@compile_inline
def add_error_atomically(target: ErrorTarget, start: int, index: int) -> int:
    """Add an error to an entry to which other threads may add at the same time."""
    cuda.atomic.add(target.errors, start + index, target.error)
    cuda.atomic.add(target.visits, start + index, 1)
    return 0


@compile_inline
def add_count_atomically(counts: Array, index: int, number: int) -> None:
    """Add to one of the counts, to which other threads may add at the same time."""
    cuda.atomic.add(counts, index, number)


@compile_kernel(threads_per_game=1)
def learn_by_thread(
    games: Array, settings: EngineSettings, budget: int, learning: LearningSettings, totals: LearningTotals
) -> None:
    """Play `budget` pieces of one game per thread and add up the errors of the boards."""
    g = cuda.grid(1)
    if g < len(games):
        own_game = cuda.local.array(1, _GAME_DTYPE)
        scratch = clear_scratch(cuda.local.array(1, _SCRATCH_DTYPE)[0])
        words = own_game.view(np.int64)
        copy_game(words, games[g])
        functions = choose_drop_scalar, place_scalar, add_error_atomically, add_count_atomically
        learn_from_game(functions, own_game[0], PlaySlice(settings, budget, scratch), learning, totals)
        copy_game(games[g], words)


@compile_kernel(threads_per_game=1)
def update_by_thread(learned: PatternWeights, errors_and_visits: LearningTotals, rate: int, tables: Array) -> None:
    """Change the weight of one entry per thread, and write its points into `tables`."""
    entry = cuda.grid(1)
    if entry < len(learned.weights):
        tables[entry] = update_entry(entry, learned, errors_and_visits, rate)


@compile_kernel(threads_per_game=1)
def reset_by_thread(totals: LearningTotals) -> None:
    """Reset the totals of one entry per thread."""
    entry = cuda.grid(1)
    if entry < len(totals.errors):
        totals.errors[entry] = 0
        totals.visits[entry] = 0


class GpuLearning:
    """Games and tables on the GPU; `copy_to_host` updates the arrays that were passed."""

    def __init__(
        self,
        games: GameRecords,
        settings: EngineSettings,
        learning: LearningSettings,
        learned: PatternWeights,
        counts: Array,
    ) -> None:
        self.words = games.view(np.int64).reshape(len(games), GAME_WORDS)
        self.host_arrays: list[Array] = [self.words, settings.tables, *learned[:3], counts]
        self.games = cuda.to_device(self.words)
        self.settings = settings._replace(
            agents=cuda.to_device(settings.agents),
            tables=cuda.to_device(settings.tables),
            rules=cuda.to_device(settings.rules),
        )
        self.learning = learning._replace(exponentials=cuda.to_device(learning.exponentials))
        self.learned = PatternWeights(*map(cuda.to_device, learned))
        size = len(learned.weights)
        self.totals = LearningTotals(
            cuda.to_device(np.zeros(size, np.int64)), cuda.to_device(np.zeros(size, np.int64)), cuda.to_device(counts)
        )

    def learn(self, budget: int, rate: int) -> None:
        """Play `budget` pieces of each game with fixed tables, then update the tables."""
        size = len(self.learned.weights)
        learn_by_thread.launch(len(self.games), self.games, self.settings, budget, self.learning, self.totals)
        _launch_per_entry(update_by_thread, size, self.learned, self.totals, rate, self.settings.tables)
        _launch_per_entry(reset_by_thread, size, self.totals)

    def copy_to_host(self) -> None:
        """Copy the games, the tables, the state of learning and the counts from the GPU."""
        device_arrays = [self.games, self.settings.tables, *self.learned[:3], self.totals.counts]
        for device_array, host_array in zip(device_arrays, self.host_arrays, strict=True):
            device_array.copy_to_host(host_array)


def _launch_per_entry(kernel: Any, size: int, *args: Any) -> None:
    kernel.launch_blocks(-(-size // _UPDATE_THREADS), _UPDATE_THREADS, *args)
