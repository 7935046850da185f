"""Games on a CUDA GPU, played by the same functions as on the CPU.

Each thread has one game and takes the next game when its game ends. With local evaluation and for two pieces, each
thread scores its own placements. Otherwise the 32 threads of a warp, which run in lockstep, share the scoring of all
their placements: pieces have from 9 to 34 of them, and threads with few would wait for the others. Threads without a
game help as well, so that few games occupy the whole GPU.
"""

from collections.abc import Callable
from typing import Annotated, NamedTuple, Never

import numpy as np
from numba import cuda

from tetrion.engine.batch_play import (
    EngineSettings,
    PlaySlice,
    begin_piece,
    finish_piece,
    has_height_limits,
    place_scalar,
    play_game,
    supports_local_drops,
)
from tetrion.engine.bitboard import BoardBefore, FeaturesBefore, find_landing_row, fits
from tetrion.engine.compiler import compile_inline
from tetrion.engine.gpu.drops import (
    LocalScratch,
    choose_drop_depth_two,
    choose_local_drop_depth_two,
    choose_local_drop_scalar,
)
from tetrion.engine.gpu.kernels import WARP_SIZE, Kernel, compile_kernel
from tetrion.engine.pieces import BOARD_WIDTH
from tetrion.engine.placement_choice import (
    PADDED_HEIGHTS_SIZE,
    BasicScratch,
    ScorePlacement,
    ends_game,
    examine_board,
    score_placement,
    score_placement_features,
)
from tetrion.engine.placements import NO_CHOICE, WORST_POINTS, Choice, OrientedPlacement, ScratchT, Search, make_choice
from tetrion.engine.placing import STATUS_PLAYING, deal_preview
from tetrion.engine.records import DROP_ORDERS, GameRecord, GameRecords, Int32, Int32Array, Record, Records, RulesRecord
from tetrion.engine.rules import check_simple_drops
from tetrion.engine.scalar_or_simd import Array
from tetrion.engine.simd_lanes import LANES
from tetrion.errors import AgentError, TetrionError

MAX_SHARED_GAMES = 12  # games per warp up to which sharing placements is faster than local evaluation by each thread
MAX_REGISTERS = 80  # of the kernels for one piece: on an H200, more games at the same time outweigh slower threads
_GAME_DTYPE = GameRecord.dtype
_BASIC_SCRATCH_DTYPE = BasicScratch.dtype
_LOCAL_SCRATCH_DTYPE = LocalScratch.dtype
GAME_WORDS = _GAME_DTYPE.itemsize // 8  # 64-bit words of a game record
_USE_CPU_HINT = "Use the CPU instead: omit `device`."
_HEIGHTS_SIZE = BOARD_WIDTH + 4  # four columns are read from each column on; one more for an odd size
_FEATURES_BEFORE = len(FeaturesBefore._fields)
_SIGN = 1 << 31


# Choice of placements by the threads of a warp.


class WarpPosition(Record[Never]):
    """The position of one thread's game, in memory that the threads of a warp share.

    It has an odd number of 32-bit words: positions of different threads are then in different banks of the memory.
    """

    board: Annotated[Int32Array, BOARD_WIDTH]
    heights: Annotated[Int32Array, _HEIGHTS_SIZE]
    features_before: Annotated[Int32Array, _FEATURES_BEFORE]
    filled_cells: Int32
    agent: Int32
    piece: Int32
    drop_count: Int32  # straight drops, including those that do not fit; 0 if there is nothing to choose


WARP_POSITION_DTYPE = WarpPosition.dtype


class WarpMemory(NamedTuple):
    """The memory that the threads of a warp share, with one element for each thread."""

    positions: Records[WarpPosition]
    best: Array  # the best drop of each position, as `encode_candidate` encodes it; 0 if there is none


@compile_inline
def clear_position(position: WarpPosition) -> None:
    """Initialise what `write_position` does not write."""
    for beyond in range(BOARD_WIDTH, _HEIGHTS_SIZE):
        position.heights[beyond] = 0
    position.drop_count = 0


@compile_inline
def write_position(position: WarpPosition, game: GameRecord, settings: EngineSettings) -> None:
    """Write the current position of a game."""
    rules = settings.rules[0]
    piece = int(game.queue[0])
    for column in range(BOARD_WIDTH):
        position.board[column] = game.board[column]
    before = examine_board(position.board, rules.rows, settings.agents[game.agent].mask, position.heights)
    features = before.features
    position.features_before[0] = features.max_height
    position.features_before[1] = features.bumpiness
    position.features_before[2] = features.holes
    position.features_before[3] = features.lowest_column
    position.features_before[4] = (features.board_hash ^ _SIGN) - _SIGN  # as a signed integer
    position.filled_cells = before.filled_cells
    position.agent = game.agent
    position.piece = piece
    position.drop_count = rules.drop_count[piece]


@compile_inline
def read_position(position: WarpPosition, rules: RulesRecord) -> BoardBefore:
    """Return the values that the scores of the position's placements need."""
    features = FeaturesBefore(
        int(position.features_before[0]),
        int(position.features_before[1]),
        int(position.features_before[2]),
        int(position.features_before[3]),
        int(position.features_before[4]) & 0xFFFFFFFF,
    )
    return BoardBefore(position.board, position.heights, rules.rows, int(position.filled_cells), features)


@compile_inline
def encode_candidate(is_surviving: bool, points: int, order: int) -> int:
    """Return a drop as a positive integer, larger for a better one: by survival, points, and order."""
    value = (int(is_surviving) << 32) + int(points) - WORST_POINTS
    return value * DROP_ORDERS + DROP_ORDERS - 1 - order


@compile_inline
def score_drop(score: ScorePlacement, position: WarpPosition, play_slice: PlaySlice[BasicScratch], drop: int) -> int:
    """Return a drop, as the rules list it, encoded by `encode_candidate`; 0 if the piece does not fit."""
    orientation, order = drop // DROP_ORDERS, drop % DROP_ORDERS
    x = order % LANES
    settings, _, scratch = play_slice
    rules = settings.rules[0]
    row = find_landing_row(position.heights, orientation, x)
    if not fits(orientation, x, row, rules.rows):
        return 0
    agent = settings.agents[position.agent]
    search = Search(rules, 0, agent, settings.agents, settings.tables, scratch)
    placement = OrientedPlacement(orientation, x, row)
    points = score(read_position(position, rules), search, True, placement)
    return encode_candidate(not ends_game(position.board, rules, placement), points, order)


@compile_inline
def score_share(score: ScorePlacement, memory: WarpMemory, play_slice: PlaySlice[BasicScratch]) -> None:
    """Score this thread's share of the drops of all positions, and update the best ones.

    Neighbouring threads have neighbouring drops: most of them are of the same position and read the same entries of
    tables.
    """
    positions, best = memory
    rules = play_slice.settings.rules[0]
    owner = 0
    number = int(cuda.threadIdx.x)
    is_done = False
    while not is_done:
        while owner < WARP_SIZE and number >= positions[owner].drop_count:
            number -= int(positions[owner].drop_count)
            owner += 1
        is_done = owner == WARP_SIZE
        if not is_done:
            drop = int(rules.drops[int(positions[owner].piece), number])
            candidate = score_drop(score, positions[owner], play_slice, drop)
            if candidate > best[owner]:
                cuda.atomic.max(best, owner, candidate)
            number += WARP_SIZE


@compile_inline
def decode_candidate(rules: RulesRecord, position: WarpPosition, candidate: int) -> Choice:
    """Return the placement that `encode_candidate` has encoded."""
    if candidate == 0:
        return NO_CHOICE
    order = DROP_ORDERS - 1 - candidate % DROP_ORDERS
    orientation, x = int(rules.orientations[int(position.piece), order // LANES]), order % LANES
    return make_choice(orientation, x, find_landing_row(position.heights, orientation, x))


@compile_inline
def decode_points(candidate: int) -> int:
    """Return the points that `encode_candidate` has encoded."""
    return (candidate // DROP_ORDERS) % (1 << 32) + WORST_POINTS


@compile_inline
def play_piece_by_warp(
    score: ScorePlacement, memory: WarpMemory, game: GameRecord, is_playing: bool, play_slice: PlaySlice[BasicScratch]
) -> None:
    """Place the next piece in the games of all threads that are playing; all threads of a warp must call this."""
    positions, best = memory
    thread = int(cuda.threadIdx.x)
    settings = play_slice.settings
    is_choosing = is_playing and begin_piece(deal_preview, game, play_slice)
    positions[thread].drop_count = 0
    best[thread] = 0
    if is_choosing:
        write_position(positions[thread], game, settings)
    cuda.syncthreads()
    score_share(score, memory, play_slice)
    cuda.syncthreads()
    if is_choosing:
        choice = decode_candidate(settings.rules[0], positions[thread], int(best[thread]))
        finish_piece(place_scalar, game, choice, play_slice)


# Games in the slots of threads.


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
