"""Learning of patterns on a CUDA GPU, by the same functions as on the CPU; the tables learned are identical.

The sums of whole numbers do not depend on the order in which the threads add to them.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import cuda

from tetrion.engine.batch_play import EngineSettings, PlaySlice, place_scalar
from tetrion.engine.best_placements import ChosenPlacement, ScratchT, Search
from tetrion.engine.compiler import compile_inline
from tetrion.engine.cuda import GAME_WORDS, THREADS_PER_BLOCK, clear_scratch, compile_kernel, copy_game
from tetrion.engine.int32 import to_index
from tetrion.engine.pieces import BOARD_WIDTH
from tetrion.engine.placement_choice import BasicScratch, choose_drop_scalar
from tetrion.engine.records import GameRecord, GameRecords
from tetrion.engine.scalar_drops import choose_drop_depth_two
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
# Many threads add to the same entries, so there are several copies of the totals, and the error and the visit are one
# number: a single addition, and the threads rarely wait for each other.
TOTAL_COPIES = 16
VISIT_BITS = 21  # the error of a visit needs 20 bits, and the sum of the errors 41
MAX_VISITS = (1 << VISIT_BITS) - 1  # of an entry before its totals are unpacked; a board visits it up to ten times


@compile_inline
def add_error_atomically(target: ErrorTarget, start: int, index: int) -> int:
    """Add an error to an entry of the thread's copy, to which other threads may add at the same time."""
    entry = to_index(start + index)
    cuda.atomic.add(target.totals.errors, entry, (target.error << VISIT_BITS) + 1)
    return index * 0  # no points


@compile_inline
def add_count_atomically(counts: Array, index: int, number: int) -> None:
    """Add to one of the counts, to which other threads may add at the same time."""
    cuda.atomic.add(counts, index, number)


@compile_inline
def learn_from_own_game(
    choose: Callable[[GameRecord, Search[ScratchT]], ChosenPlacement],
    games: Array,
    play_slice: PlaySlice[ScratchT],
    learning: LearningSettings,
    packed_totals: LearningTotals,
) -> None:
    """Play pieces of the thread's game and add up the errors of its boards in one of the copies of the totals."""
    g = cuda.grid(1)
    if g < len(games):
        own_game = cuda.local.array(1, _GAME_DTYPE)
        words = own_game.view(np.int64)
        copy_game(words, games[g])
        copy = packed_totals.errors[cuda.blockIdx.x % len(packed_totals.errors)]
        totals = LearningTotals(copy, copy, packed_totals.counts)
        functions = choose, place_scalar, add_error_atomically, add_count_atomically
        learn_from_game(functions, own_game[0], play_slice, learning, totals)
        copy_game(games[g], words)


@compile_kernel(threads_per_game=1)
def learn_by_thread(
    games: Array, settings: EngineSettings, budget: int, learning: LearningSettings, packed_totals: LearningTotals
) -> None:
    """Play `budget` pieces of one game per thread and add up the errors of the boards."""
    scratch = clear_scratch(cuda.local.array(1, _SCRATCH_DTYPE)[0])
    learn_from_own_game(choose_drop_scalar, games, PlaySlice(settings, budget, scratch), learning, packed_totals)


@compile_kernel(threads_per_game=1)
def learn_depth_two_by_thread(
    games: Array, settings: EngineSettings, budget: int, learning: LearningSettings, packed_totals: LearningTotals
) -> None:
    """Do the same for an agent that knows the next piece."""
    scratch = (
        clear_scratch(cuda.local.array(1, _SCRATCH_DTYPE)[0]),
        clear_scratch(cuda.local.array(1, _SCRATCH_DTYPE)[0]),
        cuda.local.array(BOARD_WIDTH, np.int32),
    )
    learn_from_own_game(choose_drop_depth_two, games, PlaySlice(settings, budget, scratch), learning, packed_totals)


@compile_kernel(threads_per_game=1)
def unpack_by_thread(packed: Array, totals: LearningTotals, is_first: bool) -> None:
    """Move the errors and visits of one entry per thread from all copies to the totals, or add them to these."""
    entry = cuda.grid(1)
    if entry < len(totals.errors):
        errors = 0 if is_first else int(totals.errors[entry])
        visits = 0 if is_first else int(totals.visits[entry])
        for copy in range(len(packed)):
            total = int(packed[copy, entry])
            packed[copy, entry] = 0
            errors += total >> VISIT_BITS
            visits += total & ((1 << VISIT_BITS) - 1)
        totals.errors[entry] = errors
        totals.visits[entry] = visits


@compile_kernel(threads_per_game=1)
def update_by_thread(learned: PatternWeights, errors_and_visits: LearningTotals, rate: int, tables: Array) -> None:
    """Change the weight of one entry per thread, and write its points into `tables`."""
    entry = cuda.grid(1)
    if entry < len(learned.weights):
        tables[entry] = update_entry(entry, learned, errors_and_visits, rate)


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
        self.packed_totals = self.totals._replace(errors=cuda.to_device(np.zeros((TOTAL_COPIES, size), np.int64)))
        self.kernel = learn_depth_two_by_thread if settings.agents[0].depth == 2 else learn_by_thread
        games_per_copy = len(games) // TOTAL_COPIES + THREADS_PER_BLOCK
        self.max_budget = MAX_VISITS // (BOARD_WIDTH * games_per_copy)

    def learn(self, budget: int, rate: int) -> None:
        """Play `budget` pieces of each game with fixed tables, then update the tables."""
        size = len(self.learned.weights)
        for first in range(0, budget, self.max_budget):
            pieces = min(self.max_budget, budget - first)
            self.kernel.launch(len(self.games), self.games, self.settings, pieces, self.learning, self.packed_totals)
            _launch_per_entry(unpack_by_thread, size, self.packed_totals.errors, self.totals, first == 0)
        _launch_per_entry(update_by_thread, size, self.learned, self.totals, rate, self.settings.tables)

    def copy_to_host(self) -> None:
        """Copy the games, the tables, the state of learning and the counts from the GPU."""
        device_arrays = [self.games, self.settings.tables, *self.learned[:3], self.totals.counts]
        for device_array, host_array in zip(device_arrays, self.host_arrays, strict=True):
            device_array.copy_to_host(host_array)


def _launch_per_entry(kernel: Any, size: int, *args: Any) -> None:
    kernel.launch_blocks(-(-size // _UPDATE_THREADS), _UPDATE_THREADS, *args)
