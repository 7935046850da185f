"""Learning of patterns on a CUDA GPU, by the same functions as on the CPU; the tables learned are identical.

The sums of whole numbers do not depend on the order in which the threads add to them.
"""

import numpy as np
from numba import cuda

from tetrion.engine.batch_play import EngineSettings, PlaySlice, place_scalar
from tetrion.engine.compiler import compile_inline
from tetrion.engine.gpu.drops import choose_drop_depth_two
from tetrion.engine.gpu.int32 import to_index
from tetrion.engine.gpu.kernels import WARP_SIZE, add_atomically, compile_kernel
from tetrion.engine.gpu.play import (
    GAME_WORDS,
    MAX_REGISTERS,
    WARP_POSITION_DTYPE,
    WarpMemory,
    clear_position,
    clear_scratch,
    copy_game,
    decode_points,
    find_slot,
    play_piece_by_warp,
)
from tetrion.engine.patterns import PatternBoard
from tetrion.engine.pieces import BOARD_WIDTH
from tetrion.engine.placement_choice import BasicScratch, choose_drop_scalar, score_placement
from tetrion.engine.placements import Choice, Search
from tetrion.engine.placing import STATUS_CAPPED, STATUS_PLAYING
from tetrion.engine.records import GameRecord, GameRecords
from tetrion.engine.scalar_or_simd import Array
from tetrion.training.td_learning import (
    COUNT_NAMES,
    ErrorTarget,
    LearningSettings,
    LearningTotals,
    PatternWeights,
    compute_value,
    compute_value_from_points,
    examine_game,
    learn_from_game,
    make_examine_variation,
    make_play_piece,
    update_entry,
)

_GAME_DTYPE = GameRecord.dtype
_SCRATCH_DTYPE = BasicScratch.dtype
_UPDATE_THREADS = 256
_COUNT_COPIES = 256
_MAX_REGISTERS_DEPTH_TWO = 128
# The error and the visit of an entry are added as one number. There are as many copies of the totals as are needed for
# these numbers not to overflow, and enough of them that threads seldom wait for each other at frequent entries.
_MIN_COPIES = 8
VISIT_BITS = 21  # the error of a visit needs 20 bits, and the sum of the errors 41
MAX_VISITS = (1 << VISIT_BITS) - 1  # of an entry in one copy of the totals; each row of a board may visit it


@compile_inline
def add_error_atomically(target: ErrorTarget, start: int, index: int) -> int:
    """Add an error to an entry, for threads that add at the same time."""
    add_atomically(target.totals.errors, to_index(start + index), (target.error << VISIT_BITS) + 1)
    return index * 0  # no points


@compile_inline
def add_count_atomically(counts: Array, index: int, number: int) -> None:
    """Add to one of the counts, for threads that add at the same time."""
    if number:
        add_atomically(counts, index, number)


@compile_inline
def _choose_last_drop(game: GameRecord, search: Search[tuple[BasicScratch, BasicScratch, Array]]) -> Choice:
    rules, interval, agent, agents, tables, scratch = search
    return choose_drop_scalar(game, Search(rules, interval, agent, agents, tables, scratch[0]))


_play_piece_depth_two = make_play_piece(choose_drop_depth_two, place_scalar)
_examine_variation = make_examine_variation(_choose_last_drop)


@compile_inline
def select_totals(packed_totals: LearningTotals) -> LearningTotals:
    """Return one of the copies of the totals for a block of threads."""
    errors = packed_totals.errors[cuda.blockIdx.x % len(packed_totals.errors)]
    return LearningTotals(errors, errors, packed_totals.counts[cuda.blockIdx.x % _COUNT_COPIES])


@compile_inline
def play_piece_with_warp(game: GameRecord, play_slice: PlaySlice[tuple[WarpMemory, BasicScratch]]) -> None:
    """Place the next piece of a game together with the other threads of the warp."""
    memory, scratch = play_slice.scratch
    is_playing = game.status == STATUS_PLAYING
    play_piece_by_warp(score_placement, memory, game, is_playing, PlaySlice(play_slice.settings, 1, scratch))


@compile_inline
def compute_value_with_warp(board: PatternBoard, play_slice: PlaySlice[tuple[WarpMemory, BasicScratch]]) -> int:
    """Return the value of the board after a piece: the points of its placement are known."""
    memory, _ = play_slice.scratch
    return compute_value_from_points(decode_points(int(memory.best[cuda.threadIdx.x])))


@compile_kernel(MAX_REGISTERS, shares_placements=True)
def learn_by_warp(
    games: Array, settings: EngineSettings, budget: int, learning: LearningSettings, packed_totals: LearningTotals
) -> None:
    """Play `budget` pieces of one game per thread and add up the errors of the boards."""
    own_game = cuda.local.array(1, _GAME_DTYPE)
    words = own_game.view(np.int64)
    scratch = cuda.local.array(1, _SCRATCH_DTYPE)[0]
    positions = cuda.shared.array(WARP_SIZE, WARP_POSITION_DTYPE)
    best = cuda.shared.array(WARP_SIZE, np.int64)
    clear_position(positions[cuda.threadIdx.x])
    g = find_slot(games)
    if g < len(games):
        copy_game(words, games[g])
    else:
        for word in range(GAME_WORDS):
            words[word] = 0
        own_game[0].status = STATUS_CAPPED
    play_slice = PlaySlice(settings, budget, (WarpMemory(positions, best), scratch))
    functions = play_piece_with_warp, examine_game, compute_value_with_warp, add_error_atomically, add_count_atomically
    learn_from_game(functions, own_game[0], play_slice, learning, select_totals(packed_totals))
    if g < len(games):
        copy_game(games[g], words)


@compile_kernel(_MAX_REGISTERS_DEPTH_TWO)
def learn_depth_two_by_thread(
    games: Array, settings: EngineSettings, budget: int, learning: LearningSettings, packed_totals: LearningTotals
) -> None:
    """Learn from one game per thread, of an agent with depth 2; each thread scores its own placements."""
    own_game = cuda.local.array(1, _GAME_DTYPE)
    words = own_game.view(np.int64)
    scratch = (
        clear_scratch(cuda.local.array(1, _SCRATCH_DTYPE)[0]),
        clear_scratch(cuda.local.array(1, _SCRATCH_DTYPE)[0]),
        cuda.local.array(BOARD_WIDTH, np.int32),
    )
    g = find_slot(games)
    if g < len(games):
        copy_game(words, games[g])
        functions = _play_piece_depth_two, _examine_variation, compute_value, add_error_atomically, add_count_atomically
        play_slice = PlaySlice(settings, budget, scratch)
        learn_from_game(functions, own_game[0], play_slice, learning, select_totals(packed_totals))
        copy_game(games[g], words)


@compile_inline
def read_packed_totals(totals: LearningTotals, entry: int) -> tuple[int, int]:
    """Return the error and the visits of an entry in all copies."""
    error = 0
    visits = 0
    for copy in range(len(totals.errors)):
        total = int(totals.errors[copy, entry])
        error += total >> VISIT_BITS
        visits += total & MAX_VISITS
    return error, visits


@compile_kernel()
def update_by_thread(
    learned: PatternWeights, packed_totals: LearningTotals, next_totals: LearningTotals, rate: int, tables: Array
) -> None:
    """Change the weight of one entry per thread, write its points into `tables`, and reset the totals used next."""
    entry = cuda.grid(1)
    if entry < len(learned.weights):
        tables[entry] = update_entry(read_packed_totals, entry, learned, packed_totals, rate)
        for copy in range(len(next_totals.errors)):
            next_totals.errors[copy, entry] = 0


def count_copies(game_count: int, pieces: int, rows: int) -> int:
    """Return the number of copies of the totals with which no entry of a copy has more than MAX_VISITS visits."""
    visits_per_game = pieces * rows
    needed = -(-game_count * visits_per_game // (MAX_VISITS - WARP_SIZE * visits_per_game))
    return max(needed, _MIN_COPIES)


class GpuLearning:
    """Games and tables on the GPU; `copy_to_host` updates the arrays that were passed."""

    def __init__(
        self,
        games: GameRecords,
        play_slice: PlaySlice[int],
        learning: LearningSettings,
        learned: PatternWeights,
    ) -> None:
        settings, pieces, _ = play_slice
        self.words = games.view(np.int64).reshape(len(games), GAME_WORDS)
        self.host_arrays: list[Array] = [self.words, settings.tables, *learned[:3]]
        self.games = cuda.to_device(self.words)
        self.settings = settings._replace(
            agents=cuda.to_device(settings.agents),
            tables=cuda.to_device(settings.tables.astype(np.int16)),
            rules=cuda.to_device(settings.rules),
        )
        self.learning = learning._replace(exponentials=cuda.to_device(learning.exponentials))
        self.learned = PatternWeights(*map(cuda.to_device, learned))
        self.pieces = pieces
        copies = count_copies(len(games), pieces, int(settings.rules[0].rows))
        self.no_counts = np.zeros((_COUNT_COPIES, len(COUNT_NAMES)), np.int64)
        self.counts = cuda.to_device(self.no_counts)
        self.totals, self.next_totals = self._make_totals(copies), self._make_totals(copies)
        self.kernel = learn_depth_two_by_thread if settings.agents[0].depth == 2 else learn_by_warp

    def _make_totals(self, copies: int) -> LearningTotals:
        packed = cuda.to_device(np.zeros((copies, len(self.learned.weights)), np.int64))
        return LearningTotals(packed, packed, self.counts)

    def learn(self, rate: int, discount: int) -> None:
        """Play pieces of each game with fixed tables, then update the tables."""
        learning = self.learning._replace(discount=discount)
        self.kernel.launch(len(self.games), self.games, self.settings, self.pieces, learning, self.totals)
        update_by_thread.launch_blocks(
            -(-len(self.learned.weights) // _UPDATE_THREADS),
            _UPDATE_THREADS,
            *(self.learned, self.totals, self.next_totals, rate, self.settings.tables),
        )
        self.totals, self.next_totals = self.next_totals, self.totals

    def copy_to_host(self, counts: Array) -> None:
        """Copy the games, the tables and the state of learning from the GPU, and add its counts to `counts`."""
        device_arrays = [self.games, self.settings.tables, *self.learned[:3]]
        for device_array, host_array in zip(device_arrays, self.host_arrays, strict=True):
            host_array[:] = device_array.copy_to_host()
        counts += self.counts.copy_to_host().sum(axis=0)
        self.counts.copy_to_device(self.no_counts)
