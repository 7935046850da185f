"""Straight drops as GPU threads evaluate them, by all features or by local evaluation, and the choice with depth 2."""

import operator
from collections.abc import Callable
from typing import Annotated, NamedTuple, Never, TypeVar

from tetrion.engine.agent_records import compute_score
from tetrion.engine.bitboard import (
    STANDARD_CLEARING,
    BoardBefore,
    find_landing_row,
    fits,
    get_piece_cells,
    lock_piece,
    remove_full_rows,
)
from tetrion.engine.columns import (
    map_column_numbers,
    map_columns,
    map_columns2,
    map_columns3,
    map_columns_with,
    max_column,
    or_columns,
)
from tetrion.engine.compiler import compile_inline
from tetrion.engine.features.dellacherie_features import find_holes
from tetrion.engine.gpu.int32 import to_index, to_int32, to_int64
from tetrion.engine.local_evaluation import (
    AgentWeights,
    OtherColumns,
    score_landing_height,
    score_lines,
    score_local_board,
    score_neighbouring_columns,
    score_rows_with_holes,
    score_single_columns,
)
from tetrion.engine.lookahead import NO_VARIATION_VALUE, SURVIVAL_BONUS
from tetrion.engine.pieces import BOARD_WIDTH, PLACEMENT_COLUMNS
from tetrion.engine.placement_choice import (
    NO_DROP,
    SURVIVORS,
    BasicScratch,
    BestDrop,
    Drops,
    choose_ordered,
    examine_board,
    improve_drop,
    is_blocked_out,
    reaches_top_row,
    score_placement,
    survives,
    visit_drops,
)
from tetrion.engine.placements import WORST_POINTS, Choice, OrientedPlacement, ScratchT, Search
from tetrion.engine.records import END_LOCK_OUT, AgentRecord, GameRecord, Int32Array, Record, RulesRecord
from tetrion.engine.scalar_or_simd import (
    LEFT_WALL_COLUMNS,
    PADDED_COLUMNS,
    Array,
    any_bit_set,
    bit_length,
    find_lowest_bit,
    get_column_window,
    maximum,
)
from tetrion.engine.simd_lanes import LANES

_BoardT = TypeVar("_BoardT")


@compile_inline
def prepare_board(board: Array, search: Search[BasicScratch]) -> BoardBefore:
    """Compute the values of a board that the scores of its drops need."""
    return examine_board(board, search.rules.rows, search.agent.mask, search.scratch.heights)


@compile_inline
def find_drop_row(before: BoardBefore, rules: RulesRecord, orientation: int, x: int) -> int:
    """Return the row in which an orientation comes to rest."""
    return find_landing_row(before.heights, orientation, x)


@compile_inline
def score_drop(before: BoardBefore, search: Search[BasicScratch], placement: OrientedPlacement) -> tuple[int, int]:
    """Return the points of a drop, and its additive points, which are summed over a variation."""
    agent = search.agent
    points = score_placement(before, search, True, placement)
    return points, compute_score(agent, agent.additive_mask, search.tables, search.scratch.values, placement.column)


@compile_inline
def find_best_drop(board: Array, piece: int, search: Search[BasicScratch]) -> BestDrop:
    """Return the best drop that the game survives."""
    rules = search.rules
    before = prepare_board(board, search)
    return visit_drops(improve_drop, (before, search), Drops(before, rules, piece), SURVIVORS, NO_DROP)


def make_choose_depth_two(
    prepare: Callable[[Array, Search[ScratchT]], _BoardT],
    find_row: Callable[[_BoardT, RulesRecord, int, int], int],
    score: Callable[[_BoardT, Search[ScratchT], OrientedPlacement], tuple[int, int]],
    find_best: Callable[[Array, int, Search[ScratchT]], BestDrop],
) -> Callable[[GameRecord, Search[tuple[ScratchT, ScratchT, Array]]], Choice]:
    """Return a compiled function that chooses the placement that `choose_with_lookahead` chooses for depth 2.

    The given functions score drops by all features or by local evaluation.
    """

    def choose(game: GameRecord, search: Search[tuple[ScratchT, ScratchT, Array]]) -> Choice:
        """Choose the first drop of the best variation of two pieces.

        The scratch of the search holds one record for each of the two pieces, and an array for the board between them.
        If every drop ends the game, the next piece does not count.
        """
        rules = search.rules
        first_scratch, second_scratch, board_after = search.scratch
        first = Search(rules, search.interval, search.agent, search.agents, search.tables, first_scratch)
        second = Search(rules, search.interval, search.agent, search.agents, search.tables, second_scratch)
        piece = int(game.queue[0])
        next_piece = int(game.queue[1])
        prepared = prepare(game.board, first)
        best_value = NO_VARIATION_VALUE
        best_order = NO_DROP.order
        best_row = 0
        must_survive = rules.game_over >= END_LOCK_OUT
        is_too_high = reaches_top_row(game.board, rules)
        uses_next_piece = True
        rotation_count = int(rules.rotation_count[piece])
        rotation = 0
        while rotation < rotation_count:  # instead of `visit_drops`, with which a GPU is 27 % slower
            orientation = int(rules.orientations[piece, rotation])
            for x in range(PLACEMENT_COLUMNS[orientation]):
                row = find_row(prepared, rules, orientation, x)
                placement = OrientedPlacement(orientation, x, row)
                if fits(orientation, x, row, rules.rows) and (
                    not must_survive or survives(game.board, rules, is_too_high, placement)
                ):
                    points, gains = score(prepared, first, placement)
                    value = int(points)
                    if uses_next_piece:
                        for column in range(BOARD_WIDTH):
                            board_after[column] = game.board[column]
                        lock_piece(board_after, orientation, x, row, STANDARD_CLEARING)
                        last_points = WORST_POINTS
                        if not is_blocked_out(board_after, rules, next_piece):
                            last_points = find_best(board_after, next_piece, second).points
                        value = (
                            SURVIVAL_BONUS + int(points)
                            if last_points == WORST_POINTS
                            else 2 * SURVIVAL_BONUS + int(gains) + int(last_points)
                        )
                    if value > best_value:
                        best_value = value
                        best_order = rotation * LANES + x
                        best_row = row
            rotation += 1
            if must_survive and rotation == rotation_count and best_order == NO_DROP.order:
                must_survive = False
                uses_next_piece = False
                rotation = 0
        return choose_ordered(rules, piece, best_order, best_row)

    return compile_inline(choose)


choose_drop_depth_two = make_choose_depth_two(prepare_board, find_drop_row, score_drop, find_best_drop)


# Straight drops scored by local evaluation.


@compile_inline
def _load_weight(agent: AgentRecord, number: int, x: int) -> int:
    return to_int32(agent.weight[number])


@compile_inline
def load_weights(agent: AgentRecord) -> AgentWeights:
    """Load the values of an agent that local evaluation needs."""
    return AgentWeights(map_column_numbers(_load_weight, agent, 0), agent.measures_after_clear != 0)


PaddedColumns = Annotated[Int32Array, PADDED_COLUMNS]


class LocalScratch(Record[Never]):
    """Values of a board by column, with walls on both sides."""

    columns: PaddedColumns
    heights: PaddedColumns
    column_points: PaddedColumns  # single-column points of all columns up to this one
    neighbour_points: PaddedColumns  # neighbour points of all columns up to this one
    full_rows: PaddedColumns  # rows that are full in all columns outside the four from this one on
    hole_rows: PaddedColumns  # rows with holes except in those four columns


@compile_inline
def precompute_board_scalar(board: Array, search: Search[LocalScratch]) -> LocalScratch:
    """Write the values that all drops on a board share into the scratch, and return it."""
    rules = search.rules
    scratch = search.scratch
    weights = load_weights(search.agent)
    wall = (1 << rules.rows) - 1
    for index in range(PADDED_COLUMNS):
        scratch.columns[index], scratch.heights[index] = wall, rules.rows
    for column in range(BOARD_WIDTH):
        bits = int(board[column])
        index = LEFT_WALL_COLUMNS + column
        scratch.columns[index], scratch.heights[index] = bits, bit_length(bits)
    column_points = to_int32(0)
    neighbour_points = to_int32(0)
    full_rows = to_int32(-1)
    hole_rows = to_int32(0)
    scratch.neighbour_points[0] = 0
    for index in range(1, PADDED_COLUMNS - 1):
        column = _load_padded_column(scratch, index)
        holes = find_holes(column, to_int32(scratch.heights[index]))
        column_points = column_points + score_single_columns(weights, (column,), (holes,))
        neighbour_points = neighbour_points + score_neighbouring_columns(
            weights, _load_padded_column(scratch, index - 1), (column,), _load_padded_column(scratch, index + 1)
        )
        scratch.column_points[index] = to_int64(column_points)
        scratch.neighbour_points[index] = to_int64(neighbour_points)
        scratch.full_rows[index] = to_int64(full_rows)
        scratch.hole_rows[index] = to_int64(hole_rows)
        full_rows, hole_rows = full_rows & column, hole_rows | holes
    full_rows, hole_rows = to_int32(-1), to_int32(0)
    for index in range(LEFT_WALL_COLUMNS + BOARD_WIDTH - 1, LEFT_WALL_COLUMNS - 1, -1):
        scratch.full_rows[index] = to_int64(to_int32(scratch.full_rows[index]) & full_rows)
        scratch.hole_rows[index] = to_int64(to_int32(scratch.hole_rows[index]) | hole_rows)
        column = _load_padded_column(scratch, index + 3)
        holes = find_holes(column, to_int32(scratch.heights[index + 3]))
        full_rows, hole_rows = full_rows & column, hole_rows | holes
    return scratch


@compile_inline
def _load_padded_column(scratch: LocalScratch, index: int) -> int:
    return to_int32(scratch.columns[index])


@compile_inline
def _sum_untouched_points(board: LocalScratch, x: int) -> int:
    """Return the points that a piece in the four columns from x on does not change.

    These are the single-column points of all other columns, and the neighbour points of all columns except those four
    and one on either side.
    """
    column_points = get_column_window(board.column_points, x)
    neighbour_points = get_column_window(board.neighbour_points, x)
    end = LEFT_WALL_COLUMNS + BOARD_WIDTH
    all_column_points = to_int32(board.column_points[end - 1]) - to_int32(board.column_points[LEFT_WALL_COLUMNS - 1])
    all_points = all_column_points + to_int32(board.neighbour_points[end])
    return all_points - (column_points[5] - column_points[1]) - (neighbour_points[6] - neighbour_points[0])


class OrientationShape(NamedTuple):
    """The shape of an orientation in registers: GPU threads would wait for each other to read it for every drop."""

    columns: tuple[int, ...]
    bottoms: tuple[int, ...]
    tops: tuple[int, ...]  # the heights of its columns in its bounding box
    height: int


@compile_inline
def _load_four(table: Array, orientation: int) -> tuple[int, int, int, int]:
    return (
        to_int32(table[orientation, 0]),
        to_int32(table[orientation, 1]),
        to_int32(table[orientation, 2]),
        to_int32(table[orientation, 3]),
    )


@compile_inline
def load_orientation_shape(rules: RulesRecord, orientation: int) -> OrientationShape:
    """Load the shape of an orientation."""
    columns = _load_four(rules.orientation_columns, orientation)
    bottoms = _load_four(rules.column_bottoms, orientation)
    tops = _load_four(rules.column_tops, orientation)
    return OrientationShape(columns, bottoms, tops, to_int32(rules.orientation_heights[orientation]))


@compile_inline
def find_shape_row(board: LocalScratch, shape: OrientationShape, x: int) -> int:
    """Return the row in which a shape comes to rest."""
    heights = get_column_window(board.heights, to_int32(x))[2:6]
    return to_int64(max_column(map_columns2(operator.sub, heights, shape.bottoms)))


@compile_inline
def _raise_height(height: int, top: int, row: int) -> int:
    return maximum(height, top + row)


@compile_inline
def score_local_drop_before_clear(
    board: LocalScratch, agent: AgentWeights, shape: OrientationShape, x: int, row: int
) -> tuple[int, int, int]:
    """Return the points of the board after a drop without removing rows, the additive points, and the full rows.

    All pieces are treated as four columns wide, so that neighbouring threads with different pieces run in lockstep.
    """
    bottom = to_int32(row)
    landed = map_columns_with(operator.lshift, shape.columns, bottom)
    index = to_index(LEFT_WALL_COLUMNS + x)
    heights = map_columns3(
        _raise_height, get_column_window(board.heights, to_int32(x))[2:6], shape.tops, (bottom, bottom, bottom, bottom)
    )
    columns = get_column_window(board.columns, to_int32(x))
    others = OtherColumns(
        _sum_untouched_points(board, to_int32(x)), to_int32(board.full_rows[index]), to_int32(board.hole_rows[index])
    )
    points, full = score_local_board(agent, columns, landed, heights, others)
    gains = score_landing_height(agent, shape.height, bottom)
    if any_bit_set(full):
        gains = gains + score_lines(agent, landed, full)
    return points, gains, full


@compile_inline
def _load_board_column(scratch: LocalScratch, column: int, x: int) -> int:
    return _load_padded_column(scratch, LEFT_WALL_COLUMNS + column)


@compile_inline
def rescore_cleared_board(
    board: LocalScratch, agent: AgentWeights, rows: int, placement: OrientedPlacement, full: int
) -> int:
    """Return the points of the board after a drop whose full rows are removed, computed for all columns."""
    orientation, x, row = placement
    wall = to_int32((1 << rows) - 1)
    landed = map_columns_with(operator.lshift, get_piece_cells(orientation, x), row)
    columns = remove_full_rows(
        map_columns2(operator.or_, map_column_numbers(_load_board_column, board, x), landed), full
    )
    holes = map_columns2(find_holes, columns, map_columns(bit_length, columns))
    points = score_single_columns(agent, columns, holes) + score_neighbouring_columns(
        agent, wall, (wall, *columns), wall
    )
    return points + score_rows_with_holes(agent, or_columns(holes))


@compile_inline
def find_local_drop_row(board: LocalScratch, rules: RulesRecord, orientation: int, x: int) -> int:
    """Return the row in which an orientation comes to rest."""
    return find_shape_row(board, load_orientation_shape(rules, orientation), x)


@compile_inline
def score_local_drop(
    board: LocalScratch, search: Search[LocalScratch], placement: OrientedPlacement
) -> tuple[int, int]:
    """Return the points of a drop, and its additive points, which are summed over a variation."""
    orientation, x, row = placement
    weights = load_weights(search.agent)
    shape = load_orientation_shape(search.rules, orientation)
    points, gains, full = score_local_drop_before_clear(board, weights, shape, x, row)
    if any_bit_set(full) and weights.measures_after_clear:
        placement32 = OrientedPlacement(orientation, to_int32(x), to_int32(row))
        points = rescore_cleared_board(board, weights, search.rules.rows, placement32, full)
    return to_int64(points + gains), to_int64(gains)


@compile_inline
def find_best_local_drop(board: Array, piece: int, search: Search[LocalScratch]) -> BestDrop:
    """Return the best drop.

    Drops that complete rows are scored after all others: neighbouring threads have them in different columns, and each
    would wait for all.
    """
    rules = search.rules
    precomputed = precompute_board_scalar(board, search)
    best_points = to_int32(WORST_POINTS)
    best_order = NO_DROP.order
    best_row = 0
    postponed = 0
    weights = load_weights(search.agent)
    for rotation in range(rules.rotation_count[piece]):
        orientation = int(rules.orientations[piece, rotation])
        shape = load_orientation_shape(rules, orientation)
        highest = rules.rows - to_int64(shape.height)
        for x in range(PLACEMENT_COLUMNS[orientation]):
            row = find_shape_row(precomputed, shape, x)
            if row <= highest:
                points, gains, full = score_local_drop_before_clear(precomputed, weights, shape, x, row)
                if any_bit_set(full) and weights.measures_after_clear:
                    postponed |= 1 << (rotation * LANES + x)
                elif points + gains > best_points:
                    best_points = points + gains
                    best_order = rotation * LANES + x
                    best_row = row
    while postponed:
        order = find_lowest_bit(postponed)
        postponed &= postponed - 1
        orientation, x = int(rules.orientations[piece, order // LANES]), order % LANES
        row = find_shape_row(precomputed, load_orientation_shape(rules, orientation), x)
        score, _ = score_local_drop(precomputed, search, OrientedPlacement(orientation, x, row))
        if score > to_int64(best_points) or (score == to_int64(best_points) and order < best_order):
            best_points = to_int32(score)
            best_order = order
            best_row = row
    return BestDrop(to_int64(best_points), best_order, best_row)


@compile_inline
def choose_local_drop_scalar(game: GameRecord, search: Search[LocalScratch]) -> Choice:
    """Choose the agent's best straight drop by local evaluation in scalar code."""
    piece = int(game.queue[0])
    best = find_best_local_drop(game.board, piece, search)
    return choose_ordered(search.rules, piece, best.order, best.row)


choose_local_drop_depth_two = make_choose_depth_two(
    precompute_board_scalar, find_local_drop_row, score_local_drop, find_best_local_drop
)
