"""Choice of placements by the 32 threads of a warp, which run in lockstep on a GPU.

Each thread has a game of its own, but all threads share the work of scoring: pieces have from 9 to 34 placements, and
threads with few of them would wait for the others. Threads without a game help as well, so that few games occupy the
whole GPU. The games are identical to those of the CPU.
"""

from typing import Annotated, NamedTuple, Never

from numba import cuda

from tetrion.engine.batch_play import EngineSettings, PlaySlice, begin_piece, finish_piece, place_scalar
from tetrion.engine.bitboard import BoardBefore, FeaturesBefore, find_landing_row, fits
from tetrion.engine.compiler import compile_inline
from tetrion.engine.pieces import BOARD_WIDTH
from tetrion.engine.placement_choice import BasicScratch, ScorePlacement, ends_game, examine_board
from tetrion.engine.placements import NO_CHOICE, WORST_POINTS, Choice, OrientedPlacement, Search, make_choice
from tetrion.engine.placing import deal_preview
from tetrion.engine.records import (
    DROP_ORDERS,
    GameRecord,
    Int32,
    Int32Array,
    Record,
    Records,
    RulesRecord,
)
from tetrion.engine.scalar_or_simd import Array
from tetrion.engine.simd_lanes import LANES

WARP_SIZE = 32
_HEIGHTS_SIZE = BOARD_WIDTH + 4  # four columns are read from each column on; one more for an odd size
_FEATURES_BEFORE = len(FeaturesBefore._fields)
_SIGN = 1 << 31


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
def score_drop(
    score: ScorePlacement,
    position: WarpPosition,
    play_slice: PlaySlice[BasicScratch],
    drop: int,
) -> int:
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
    score: ScorePlacement,
    memory: WarpMemory,
    game: GameRecord,
    is_playing: bool,
    play_slice: PlaySlice[BasicScratch],
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
