"""Games on a CUDA GPU, played by the same functions as on the CPU.

Each thread has one game and takes the next game when its game ends. The threads of a warp share the scoring of all
their placements (see `warp_choice`); with local evaluation and for two pieces, each thread scores its own.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numba import cuda

from tetrion.engine.batch_play import (
    EngineSettings,
    PlaySlice,
    has_height_limits,
    place_scalar,
    play_game,
    supports_local_drops,
)
from tetrion.engine.compiler import compile_inline
from tetrion.engine.gpu.drops import (
    LocalScratch,
    choose_drop_depth_two,
    choose_local_drop_depth_two,
    choose_local_drop_scalar,
)
from tetrion.engine.gpu.kernels import Kernel, compile_kernel
from tetrion.engine.gpu.warp_choice import (
    WARP_POSITION_DTYPE,
    WARP_SIZE,
    WarpMemory,
    clear_position,
    play_piece_by_warp,
)
from tetrion.engine.pieces import BOARD_WIDTH
from tetrion.engine.placement_choice import (
    PADDED_HEIGHTS_SIZE,
    BasicScratch,
    ScorePlacement,
    score_placement,
    score_placement_features,
)
from tetrion.engine.placements import Choice, ScratchT, Search
from tetrion.engine.placing import STATUS_PLAYING, deal_preview
from tetrion.engine.records import GameRecord, GameRecords
from tetrion.engine.rules import check_simple_drops
from tetrion.engine.scalar_or_simd import Array
from tetrion.errors import AgentError, TetrionError

MAX_SHARED_GAMES = 12  # games per warp up to which sharing placements is faster than local evaluation by each thread
MAX_REGISTERS = 80  # of the kernels for one piece: on an H200, more games at the same time outweigh slower threads
_GAME_DTYPE = GameRecord.dtype
_BASIC_SCRATCH_DTYPE = BasicScratch.dtype
_LOCAL_SCRATCH_DTYPE = LocalScratch.dtype
GAME_WORDS = _GAME_DTYPE.itemsize // 8  # 64-bit words of a game record
_USE_CPU_HINT = "Use the CPU instead: omit `device`."


@compile_inline
def copy_game(target: Array, source: Array) -> None:
    """Copy a game record as 64-bit words."""
    for word in range(GAME_WORDS):
        target[word] = source[word]


class GameQueue(NamedTuple):
    """The games of a launch, and the slot of a thread in it."""

    games: Array  # the game records as 64-bit words
    current_games: Array  # by slot: the number of the game that is being played
    next_game: Array  # one element: the number of the next game to take
    slot: int  # beyond the last one for a thread without a game
    own_game: GameRecords  # one record in local memory of the thread: its copy of the current game


@compile_inline
def find_slot(slots: Array) -> int:
    """Return the slot of a thread in an array with one element per slot; the last threads of a block may have none."""
    slots_per_block = (len(slots) + cuda.gridDim.x - 1) // cuda.gridDim.x
    thread = cuda.threadIdx.x
    return cuda.blockIdx.x * slots_per_block + thread if thread < slots_per_block else len(slots)


@compile_inline
def take_first_game(queue: GameQueue) -> int:
    """Copy the game of a thread's slot; return its number, which is too large if there is none."""
    g = len(queue.games)
    if queue.slot < len(queue.current_games):
        g = int(queue.current_games[queue.slot])
        copy_game(queue.own_game.view(np.int64), queue.games[g])
    return g


@compile_inline
def take_next_game(queue: GameQueue, g: int) -> int:
    """Give back the game with number `g`, which has ended, and take the next one; return its number."""
    words = queue.own_game.view(np.int64)
    copy_game(queue.games[g], words)
    g = int(cuda.atomic.add(queue.next_game, 0, 1))
    if g < len(queue.games):
        copy_game(words, queue.games[g])
    return g


@compile_inline
def give_back_game(queue: GameQueue, g: int) -> None:
    """Give back the game with number `g` at the end of a slice."""
    if g < len(queue.games):
        copy_game(queue.games[g], queue.own_game.view(np.int64))
    if queue.slot < len(queue.current_games):
        queue.current_games[queue.slot] = g


@compile_inline
def play_queue(
    choose: Callable[[GameRecord, Search[ScratchT]], Choice], queue: GameQueue, play_slice: PlaySlice[ScratchT]
) -> None:
    """Play a slice of a thread's game, and of the next games when it ends.

    The end of the game is tested after every piece, because threads run in lockstep: a thread whose game ends must not
    wait for the games of its neighbours to end.
    """
    settings, budget, scratch = play_slice
    game = queue.own_game[0]
    g = take_first_game(queue)
    while budget > 0 and g < len(queue.games):
        if game.status == STATUS_PLAYING:
            play_game(deal_preview, choose, place_scalar, game, PlaySlice(settings, 1, scratch))
            budget -= 1
        else:
            g = take_next_game(queue, g)
    give_back_game(queue, g)


@compile_inline
def play_queue_by_warp(
    score: ScorePlacement, memory: WarpMemory, queue: GameQueue, play_slice: PlaySlice[BasicScratch]
) -> None:
    """Play a slice of the games of all threads, which share the scoring of the placements."""
    budget = play_slice.budget
    game = queue.own_game[0]
    clear_position(memory.positions[cuda.threadIdx.x])
    g = take_first_game(queue)
    while cuda.syncthreads_or(np.int32(budget > 0 and g < len(queue.games))):
        if budget > 0 and g < len(queue.games) and game.status != STATUS_PLAYING:
            g = take_next_game(queue, g)
        is_playing = budget > 0 and g < len(queue.games) and game.status == STATUS_PLAYING
        play_piece_by_warp(score, memory, game, is_playing, play_slice)
        if is_playing:
            budget -= 1
    give_back_game(queue, g)


@compile_inline
def clear_scratch(scratch: BasicScratch) -> BasicScratch:
    """Initialise the padding of the heights, which is read for pieces at the right edge."""
    for beyond in range(BOARD_WIDTH, PADDED_HEIGHTS_SIZE):
        scratch.heights[beyond] = 0
    return scratch


@compile_kernel(MAX_REGISTERS, shares_placements=True)
def play_by_warp(games: Array, current_games: Array, next_game: Array, settings: EngineSettings, budget: int) -> None:
    """Play one game per thread, for agents with depth 1 and one mode, without patterns.

    A kernel without the code for patterns needs fewer registers, so that more games run at the same time.
    """
    own_game = cuda.local.array(1, _GAME_DTYPE)
    scratch = cuda.local.array(1, _BASIC_SCRATCH_DTYPE)[0]
    positions = cuda.shared.array(WARP_SIZE, WARP_POSITION_DTYPE)
    best = cuda.shared.array(WARP_SIZE, np.int64)
    queue = GameQueue(games, current_games, next_game, find_slot(current_games), own_game)
    play_queue_by_warp(
        score_placement_features, WarpMemory(positions, best), queue, PlaySlice(settings, budget, scratch)
    )


@compile_kernel(MAX_REGISTERS, shares_placements=True)
def play_patterns_by_warp(
    games: Array, current_games: Array, next_game: Array, settings: EngineSettings, budget: int
) -> None:
    """Play one game per thread, for agents with depth 1 and one mode."""
    own_game = cuda.local.array(1, _GAME_DTYPE)
    scratch = cuda.local.array(1, _BASIC_SCRATCH_DTYPE)[0]
    positions = cuda.shared.array(WARP_SIZE, WARP_POSITION_DTYPE)
    best = cuda.shared.array(WARP_SIZE, np.int64)
    queue = GameQueue(games, current_games, next_game, find_slot(current_games), own_game)
    play_queue_by_warp(score_placement, WarpMemory(positions, best), queue, PlaySlice(settings, budget, scratch))


@compile_kernel(MAX_REGISTERS)
def play_local_by_thread(
    games: Array, current_games: Array, next_game: Array, settings: EngineSettings, budget: int
) -> None:
    """Play one game per thread with local evaluation, for agents with depth 1 and one mode."""
    own_game = cuda.local.array(1, _GAME_DTYPE)
    scratch = cuda.local.array(1, _LOCAL_SCRATCH_DTYPE)[0]
    queue = GameQueue(games, current_games, next_game, find_slot(current_games), own_game)
    play_queue(choose_local_drop_scalar, queue, PlaySlice(settings, budget, scratch))


@compile_kernel()
def play_depth_two_by_thread(
    games: Array, current_games: Array, next_game: Array, settings: EngineSettings, budget: int
) -> None:
    """Play one game per thread, for agents with depth 2 and one mode."""
    own_game = cuda.local.array(1, _GAME_DTYPE)
    board = cuda.local.array(BOARD_WIDTH, np.int32)
    scratch = (
        clear_scratch(cuda.local.array(1, _BASIC_SCRATCH_DTYPE)[0]),
        clear_scratch(cuda.local.array(1, _BASIC_SCRATCH_DTYPE)[0]),
        board,
    )
    queue = GameQueue(games, current_games, next_game, find_slot(current_games), own_game)
    play_queue(choose_drop_depth_two, queue, PlaySlice(settings, budget, scratch))


@compile_kernel()
def play_local_depth_two_by_thread(
    games: Array, current_games: Array, next_game: Array, settings: EngineSettings, budget: int
) -> None:
    """Play one game per thread with local evaluation, for agents with depth 2 and one mode."""
    own_game = cuda.local.array(1, _GAME_DTYPE)
    board = cuda.local.array(BOARD_WIDTH, np.int32)
    scratch = cuda.local.array(1, _LOCAL_SCRATCH_DTYPE)[0], cuda.local.array(1, _LOCAL_SCRATCH_DTYPE)[0], board
    queue = GameQueue(games, current_games, next_game, find_slot(current_games), own_game)
    play_queue(choose_local_drop_depth_two, queue, PlaySlice(settings, budget, scratch))


def select_kernels(settings: EngineSettings) -> tuple[Kernel, Kernel]:
    """Return the kernels that play many and few games with these settings, or raise an error if the GPU cannot."""
    agents = settings.agents
    rules = settings.rules[0]
    check_simple_drops(rules, "The GPU", _USE_CPU_HINT)
    if has_height_limits(settings):
        raise TetrionError(f"The GPU does not support splitting. {_USE_CPU_HINT}")
    if agents["custom_addresses"].any():
        raise AgentError(f"The GPU does not support custom features; given an agent that uses some. {_USE_CPU_HINT}")
    if agents["expect"].any() or agents["beam"].any() or agents["second_mode"].any() or (agents["depth"] > 2).any():
        raise AgentError(
            "The GPU supports agents that search one or two known pieces in one mode; given an agent that does more. "
            f"{_USE_CPU_HINT}"
        )
    if (agents["depth"] == 2).all():
        return (
            (play_local_depth_two_by_thread, play_local_depth_two_by_thread)
            if supports_local_drops(settings)
            else (play_depth_two_by_thread, play_depth_two_by_thread)
        )
    if (agents["depth"] > 1).any():
        raise AgentError(
            f"The agents on a GPU must all search one piece, or all search two; given both. {_USE_CPU_HINT}"
        )
    if agents["pattern_mask"].any():
        return play_patterns_by_warp, play_patterns_by_warp
    return play_local_by_thread if supports_local_drops(settings) else play_by_warp, play_by_warp


def shrink_tables(settings: EngineSettings) -> Array:
    """Return the tables with 16-bit entries where no choice depends on more, so that the caches hold more of them.

    Agents with patterns only compare sums of entries, which may all be divided by a common factor.
    """
    tables = settings.tables
    common_bits = int(np.bitwise_or.reduce(tables))
    if settings.agents["mask"].any() or not common_bits:
        return tables
    divided = tables // (common_bits & -common_bits)  # by their largest common power of two
    limits = np.iinfo(np.int16)
    fits = limits.min <= divided.min() and divided.max() <= limits.max
    return divided.astype(np.int16) if fits else tables


class GpuGames:
    """Games that are played on the GPU; `copy_to_host` updates the array of games that was passed."""

    def __init__(self, games: GameRecords, settings: EngineSettings) -> None:
        self.many_games_kernel, self.few_games_kernel = select_kernels(settings)
        self.words = games.view(np.int64).reshape(len(games), GAME_WORDS)
        self.device_words = cuda.to_device(self.words)
        self.device_settings = settings._replace(
            agents=cuda.to_device(settings.agents),
            tables=cuda.to_device(shrink_tables(settings)),
            rules=cuda.to_device(settings.rules),
        )
        for kernel in (self.many_games_kernel, self.few_games_kernel):
            if not kernel.is_ready:  # compile or load it
                kernel.launch(
                    1,
                    self.device_words,
                    cuda.to_device(np.zeros(1, np.int32)),
                    cuda.to_device(np.ones(1, np.int32)),
                    self.device_settings,
                    0,
                )
        self.current_games = np.arange(self.select_kernel(len(games)).count_slots(len(games)), dtype=np.int32)
        self.next_game = cuda.to_device(np.array([len(self.current_games)], np.int32))

    @property
    def running_count(self) -> int:
        """The number of games that are being played."""
        return len(self.current_games)

    def play(self, budget: int) -> None:
        """Play a slice: `budget` pieces per thread."""
        current_games = cuda.to_device(self.current_games)
        self.select_kernel(self.running_count).launch(
            self.running_count, self.device_words, current_games, self.next_game, self.device_settings, budget
        )
        current_games.copy_to_host(self.current_games)
        self.current_games = self.current_games[self.current_games < len(self.words)]  # without slots that have no game

    def select_kernel(self, game_count: int) -> Kernel:
        """Return the fastest kernel for a number of games."""
        is_few = game_count <= MAX_SHARED_GAMES * self.few_games_kernel.max_blocks
        return self.few_games_kernel if is_few else self.many_games_kernel

    def copy_to_host(self) -> None:
        """Copy the current state of the games from the GPU to the array of games."""
        self.device_words.copy_to_host(self.words)
