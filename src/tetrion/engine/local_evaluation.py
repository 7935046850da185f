"""Local evaluation: the points of columns that a piece cannot change are computed once per board, not per placement.

The features supported here depend on a column and its neighbours only. A placement that completes no row therefore
changes only the points of the piece's own and neighbouring columns. If rows are removed, the whole board is evaluated
again. `get_column_window` describes the type `ColumnValues`.
"""

import operator
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from tetrion.engine.bitboard import clear_full_rows, load_columns_simd, remove_full_rows, store_columns_simd
from tetrion.engine.columns import (
    Columns,
    and_columns,
    count_bits,
    get_left_neighbours,
    get_right_neighbours,
    map_columns,
    map_columns2,
    map_columns3,
    map_columns_with,
    max_column,
    or_columns,
    sum_columns,
)
from tetrion.engine.compiler import compile_inline
from tetrion.engine.features import FEATURES, make_feature_mask
from tetrion.engine.features.dellacherie_features import (
    find_cells_above_holes,
    find_holes,
    find_vertical_transitions,
    find_well_cells,
    sum_well_depths,
)
from tetrion.engine.pieces import (
    BOARD_WIDTH,
    COLUMN_BOTTOMS,
    ORIENTATION_COLUMNS,
    ORIENTATION_HEIGHTS,
    PLACEMENT_COLUMNS,
    SHAPES,
    Int32Table,
)
from tetrion.engine.placements import (
    BestPlacements,
    Choice,
    ScoredLanePlacements,
    ScratchT,
    Search,
    choose_first_best,
    make_empty_best,
    update_best,
)
from tetrion.engine.records import AgentRecord, GameRecord
from tetrion.engine.scalar_or_simd import (
    LEFT_WALL_COLUMNS,
    Array,
    ColumnValues,
    any_bit_set,
    bit_length,
    broadcast,
    find_lowest_bit,
    get_column_window,
    make_window,
    popcount,
    where,
)
from tetrion.engine.simd_lanes import (
    LANE_NUMBERS,
    LANES,
    extract_lane,
    load,
    make_lane_rotation,
    mask_to_bits,
    reduce_and,
    reduce_or,
    reduce_sum,
)

_PLACEMENT_NAMES = ("landing_height", "eroded_cells", "lines")
_COLUMN_NAMES = ("row_transitions", "column_transitions", "holes", "wells", "hole_depth", "rows_with_holes")
LOCAL_FEATURES = _PLACEMENT_NAMES + _COLUMN_NAMES
LOCAL_FEATURES_MASK = make_feature_mask(*LOCAL_FEATURES)
_LANDING_HEIGHT, _ERODED_CELLS, _LINES = (FEATURES[name].number for name in _PLACEMENT_NAMES)
_ROW_TRANSITIONS, _COLUMN_TRANSITIONS, _HOLES, _WELLS, _HOLE_DEPTH, _ROWS_WITH_HOLES = (
    FEATURES[name].number for name in _COLUMN_NAMES
)


class AgentWeights(NamedTuple):
    """The values of an agent that local evaluation needs, as 32-bit integers in registers."""

    weight: tuple[int, ...]  # of the first ten features
    measures_after_clear: bool


LocalAgent = AgentRecord | AgentWeights


def supports_local_evaluation(mask: int) -> bool:
    """Return whether local evaluation supports the features of a mask and is faster; it is faster only with `wells`."""
    return not mask & ~LOCAL_FEATURES_MASK and mask & make_feature_mask("wells") != 0


def _make_cells_by_column() -> Int32Table:
    """Return the piece's cells by orientation, column of its left edge, and board column (one lane each)."""
    table = np.zeros((len(SHAPES), BOARD_WIDTH, LANES), np.int32)
    for orientation, shape in enumerate(SHAPES):
        for x in range(BOARD_WIDTH + 1 - len(shape)):
            table[orientation, x, x : x + len(shape)] = shape
    return table.reshape(-1)


HALF_LANES = 8  # possible columns of a piece that is three columns wide
ORIENTATION_WIDTHS = np.array([len(shape) for shape in SHAPES], np.int32)
CELLS_BY_COLUMN = _make_cells_by_column()


class PrecomputedBoard(NamedTuple):
    """Values of a board before a placement that all its placements share, by column."""

    columns: ColumnValues
    heights: ColumnValues
    column_points: ColumnValues  # points for features of the column alone
    neighbour_points: ColumnValues  # points for features of the column and its neighbours
    full_rows_left: ColumnValues  # rows that are full in the eight lanes left of this column (lanes are cyclic)
    full_rows_right: ColumnValues  # rows that are full in this lane and the seven lanes right of it
    hole_rows_left: ColumnValues  # rows with a hole in the eight lanes left of this column
    hole_rows_right: ColumnValues  # rows with a hole in this lane or the seven lanes right of it
    points: int  # of all columns, without the points for rows with holes


@compile_inline
def score_single_columns(agent: LocalAgent, columns: Columns, holes: Columns) -> int:
    """Return the points of some columns for the features of single columns."""
    points = count_bits(map_columns(find_vertical_transitions, columns)) * agent.weight[_COLUMN_TRANSITIONS]
    points = points + count_bits(map_columns(find_cells_above_holes, columns)) * agent.weight[_HOLE_DEPTH]
    return points + count_bits(holes) * agent.weight[_HOLES]


@compile_inline
def score_neighbouring_columns(agent: LocalAgent, left: int, columns: Columns, right: int) -> int:
    """Return the points of neighbouring columns for their wells and for the row transitions to their right.

    `left` and `right` are the columns next to them.
    """
    right_neighbours = get_right_neighbours(columns, right)
    well_cells = map_columns3(find_well_cells, get_left_neighbours(columns, left), columns, right_neighbours)
    wells = sum_well_depths(well_cells, columns)
    return (
        count_bits(map_columns2(operator.xor, columns, right_neighbours)) * agent.weight[_ROW_TRANSITIONS]
        + wells * agent.weight[_WELLS]
    )


@compile_inline
def score_rows_with_holes(agent: LocalAgent, hole_rows: int) -> int:
    """Return the points of the rows in the bit mask `hole_rows`."""
    return popcount(hole_rows) * agent.weight[_ROWS_WITH_HOLES]


# Whole boards, with one column per lane.

_rotate_lanes_1, _rotate_lanes_2, _rotate_lanes_4, _rotate_lanes_8 = (
    make_lane_rotation(right) for right in (1, 2, 4, 8)
)


@compile_inline
def _score_each_column(agent: AgentRecord, columns: int, heights: int, x: int) -> tuple[int, int, int]:
    """Return the points of each column alone, its points together with its neighbours, and its holes."""
    window = get_column_window(columns, x)
    holes = find_holes(columns, heights)
    column_points = score_single_columns(agent, (columns,), (holes,))
    return column_points, score_neighbouring_columns(agent, window[1], (columns,), window[3]), holes


@compile_inline
def _sum_column_points(column_points: int, neighbour_points: int, x: int) -> int:
    return int(reduce_sum(where(x < BOARD_WIDTH, column_points, 0) + neighbour_points))


@compile_inline
def precompute_board(agent: AgentRecord, board: Array, rows: int, x: int) -> PrecomputedBoard:
    """Compute the values that all placements on a board share.

    After three rotations of the lanes, each lane has combined eight lanes: itself and the seven to its right.
    """
    columns = load_columns_simd(board, (1 << rows) - 1)
    heights = bit_length(columns)
    column_points, neighbour_points, holes = _score_each_column(agent, columns, heights, x)
    # As in a reduction, with rotations instead of shifts: each step doubles the lanes that a lane has combined.
    full_rows, hole_rows = columns & _rotate_lanes_1(columns), holes | _rotate_lanes_1(holes)
    full_rows, hole_rows = full_rows & _rotate_lanes_2(full_rows), hole_rows | _rotate_lanes_2(hole_rows)
    full_rows, hole_rows = full_rows & _rotate_lanes_4(full_rows), hole_rows | _rotate_lanes_4(hole_rows)
    return PrecomputedBoard(
        columns,
        heights,
        column_points,
        neighbour_points,
        _rotate_lanes_8(full_rows),
        full_rows,
        _rotate_lanes_8(hole_rows),
        hole_rows,
        _sum_column_points(column_points, neighbour_points, x),
    )


@compile_inline
def load_piece_cells_by_column(orientation: int, x: int, row: int) -> int:
    """Return the cells of one placement, one board column per lane."""
    cells: int = load(CELLS_BY_COLUMN, (orientation * BOARD_WIDTH + x) * LANES)
    return cells << row


@compile_inline
def lock_piece_simd(board: Array, orientation: int, x: int, row: int, clearing: int) -> int:
    """Add a piece to a board in place and clear full rows; return the bit mask of the cleared rows."""
    columns = load_columns_simd(board, -1) | load_piece_cells_by_column(orientation, x, row)
    full = reduce_and(columns)
    store_columns_simd(board, clear_full_rows((columns,), full, clearing)[0])
    return int(full)


@compile_inline
def rescore_cleared_boards(
    before: int, agent: AgentRecord, orientations: tuple[int, int], drops: ScoredLanePlacements, full: int
) -> int:
    """Return the points of sixteen drops, with new points for those that complete rows, which are removed.

    `before` holds the columns before the placement, and `full` the full rows of each drop. A lane is a drop with its
    left edge in that column. If the two orientations differ, the second one is that of the upper half of the lanes.
    """
    first, second = orientations
    points = drops.points
    lanes = load(LANE_NUMBERS, 0)
    remaining = mask_to_bits(full != 0)
    while remaining:
        lane = find_lowest_bit(remaining)
        remaining &= remaining - 1
        orientation, x = first, lane
        if second != first:
            orientation, x = second if lane >= HALF_LANES else first, lane % HALF_LANES
        landed = load_piece_cells_by_column(orientation, x, extract_lane(drops.row, lane))
        after = remove_full_rows((before | landed,), extract_lane(full, lane))[0]
        columns = where(lanes < BOARD_WIDTH, after, before)
        column_points, neighbour_points, holes = _score_each_column(agent, columns, bit_length(columns), lanes)
        board_points = _sum_column_points(column_points, neighbour_points, lanes)
        board_points = board_points + score_rows_with_holes(agent, reduce_or(holes))
        points = where(lanes == lane, broadcast(board_points, lanes), points)
    return points


# The columns around a placement, for one placement or sixteen.

# Return what `get_column_window` returns, for the columns 0 to 7 in both halves of the lanes.
get_half_lane_window: Callable[[ColumnValues, int], Columns] = compile_inline(
    make_window("rotate_{i}(row)", [make_lane_rotation(right, HALF_LANES) for right in range(-LEFT_WALL_COLUMNS, 6)])
)


def _make_broadcast_row(table: Int32Table) -> Callable[[int, int], Columns]:
    # A function for each table: a table that is an argument is not a constant for the compiler, and games are slower.
    def broadcast_row(orientation: int, x: int) -> Columns:
        return (
            broadcast(int(table[orientation, 0]), x),
            broadcast(int(table[orientation, 1]), x),
            broadcast(int(table[orientation, 2]), x),
            broadcast(int(table[orientation, 3]), x),
        )

    return compile_inline(broadcast_row)


broadcast_piece_columns = _make_broadcast_row(ORIENTATION_COLUMNS)  # the columns of a piece, from its left edge on
broadcast_column_bottoms = _make_broadcast_row(COLUMN_BOTTOMS)  # the lowest row of a piece in each of its columns


class OtherColumns(NamedTuple):
    """Values of all columns that a placement does not change."""

    points: int
    full_rows: int  # rows that are full in all of them
    hole_rows: int  # rows with a hole in any of them


@compile_inline
def score_local_board(
    agent: LocalAgent, columns: Columns, piece_columns: Columns, heights: Columns, others: OtherColumns
) -> tuple[int, int]:
    """Return the points of the board after a placement, and its full rows.

    `columns` are the board's columns at the piece and two more on either side, and `heights` those at the piece after
    the placement.
    """
    filled = map_columns2(operator.or_, columns[2:-2], piece_columns)
    holes = map_columns2(find_holes, filled, heights)
    points = others.points + score_single_columns(agent, filled, holes)
    points = points + score_neighbouring_columns(agent, columns[0], (columns[1], *filled, columns[-2]), columns[-1])
    points = points + score_rows_with_holes(agent, others.hole_rows | or_columns(holes))
    return points, others.full_rows & and_columns(filled)


def _make_score_columns(
    get_window: Callable[[ColumnValues, int], Columns], width: int
) -> Callable[[PrecomputedBoard, AgentRecord, int, Columns], tuple[int, int]]:
    # Numba cuts tuples only at constants: here at variables of the enclosing function, not at sums of them.
    piece_end = 2 + width  # a window starts two columns to the left of the piece
    changed_end = piece_end + 1  # the neighbour points of the column on either side of the piece change, too
    window_end = piece_end + 2

    def score_columns(precomputed: PrecomputedBoard, agent: AgentRecord, x: int, landed: Columns) -> tuple[int, int]:
        """Return the points and the full rows of the board after a placement in `width` columns from `x`."""
        column_points = get_window(precomputed.column_points, x)[2:piece_end]
        neighbour_points = get_window(precomputed.neighbour_points, x)[1:changed_end]
        points = precomputed.points - sum_columns(column_points) - sum_columns(neighbour_points)
        full = get_window(precomputed.full_rows_left, x)[2] & get_window(precomputed.full_rows_right, x)[piece_end]
        holes = get_window(precomputed.hole_rows_left, x)[2] | get_window(precomputed.hole_rows_right, x)[piece_end]
        columns = get_window(precomputed.columns, x)[:window_end]
        heights = map_columns(bit_length, map_columns2(operator.or_, columns[2:-2], landed[:width]))
        return score_local_board(agent, columns, landed[:width], heights, OtherColumns(points, full, holes))

    return compile_inline(score_columns)


score_two_columns = _make_score_columns(get_column_window, 2)  # also for pieces in one column
score_three_columns = _make_score_columns(get_half_lane_window, 3)
score_four_columns = _make_score_columns(get_column_window, 4)


@compile_inline
def score_landing_height(agent: LocalAgent, piece_height: int, row: int) -> int:
    """Return the points for the landing height of a piece."""
    return (row + row + (piece_height - 1)) * agent.weight[_LANDING_HEIGHT]


@compile_inline
def score_lines(agent: LocalAgent, landed: Columns, full: int) -> int:
    """Return the points for completed lines and for the eroded cells of the piece."""
    lines = popcount(full)
    eroded = lines * count_bits(map_columns_with(operator.and_, landed, full))
    return eroded * agent.weight[_ERODED_CELLS] + lines * agent.weight[_LINES]


# Straight drops in sixteen SIMD lanes: the fastest way to choose a placement. A piece that is three columns wide has
# eight possible columns. Therefore two of its orientations are scored at once: the first in lanes 0 to 7, the second in
# lanes 8 to 15. This saves one sixth of the work.


class DropLanes(NamedTuple):
    """Sixteen drops, one per lane: of one orientation, or of two orientations in eight lanes each."""

    first_orientation: int
    second_orientation: int
    rotation: int  # by lane
    column: int  # by lane: the piece's left edge
    exists: bool  # by lane: whether the piece lies between the walls
    rows: int  # number of rows of the board
    heights: Columns  # of the board's columns at the piece
    piece_columns: Columns
    bottoms: Columns  # the lowest row of the piece in each of its columns, relative to its lowest cell


@compile_inline
def _score_drops(
    score_board: Callable[[PrecomputedBoard, AgentRecord, int, Columns], tuple[int, int]],
    board: PrecomputedBoard,
    agent: AgentRecord,
    drops: DropLanes,
) -> tuple[ScoredLanePlacements, int]:
    """Return sixteen drops with their points, and their additive points, which are summed over a variation."""
    row = max_column(map_columns2(operator.sub, drops.heights, drops.bottoms))
    piece_height = int(ORIENTATION_HEIGHTS[drops.first_orientation])
    possible = drops.exists & (row <= drops.rows - piece_height)
    row = where(possible, row, 0)  # a column must not be shifted by 32 or more
    landed = map_columns_with(operator.lshift, drops.piece_columns, row)
    points, full = score_board(board, agent, drops.column, landed)
    gains = score_landing_height(agent, piece_height, row)
    full = where(possible, full, 0)
    if any_bit_set(full):
        gains = gains + score_lines(agent, landed, full)
        if agent.measures_after_clear:
            orientations = drops.first_orientation, drops.second_orientation
            lanes = ScoredLanePlacements(possible, points, drops.rotation, drops.column, row)
            points = rescore_cleared_boards(board.columns, agent, orientations, lanes, full)
    return ScoredLanePlacements(possible, points + gains, drops.rotation, drops.column, row), gains


@compile_inline
def find_best_local_drops(
    board: Array,
    piece: int,
    search: Search[ScratchT],
    store_placements: Callable[[ScratchT, int, ScoredLanePlacements, int], None],
    depth: int,
) -> BestPlacements:
    """Return the best straight drop of each lane; all drops are passed to `store_placements`.

    There is no single loop over all rotations, because the compiler would compute the windows of all widths first.
    The lanes of `rotation` are computed in each branch: computed before the branches, they made games 5 % slower.
    """
    rules = search.rules
    agent = search.agent
    lanes = load(LANE_NUMBERS, 0)
    rows = int(rules.rows)
    wide_rotation = int(rules.first_wide_rotation[piece])
    precomputed = precompute_board(agent, board, rows, lanes)
    best = make_empty_best(lanes)
    if wide_rotation >= 0:
        first = int(rules.orientations[piece, wide_rotation])
        piece_columns = broadcast_piece_columns(first, lanes)
        bottoms = broadcast_column_bottoms(first, lanes)
        exists = lanes < int(PLACEMENT_COLUMNS[first])
        if ORIENTATION_WIDTHS[first] == 3:
            second = first
            rotation = broadcast(wide_rotation, lanes)
            if wide_rotation + 2 < rules.rotation_count[piece]:  # the rotation between the two is upright
                second = int(rules.orientations[piece, wide_rotation + 2])
                exists = lanes >= 0
            is_second = lanes >= HALF_LANES
            conditions = (is_second, is_second, is_second)
            rotation = rotation + where(is_second, 2, 0)
            piece_columns = map_columns3(
                where, conditions, broadcast_piece_columns(second, lanes)[:3], piece_columns[:3]
            )
            bottoms = map_columns3(where, conditions, broadcast_column_bottoms(second, lanes)[:3], bottoms[:3])
            heights = get_half_lane_window(precomputed.heights, lanes)[2:5]
            column = lanes & (HALF_LANES - 1)
            drops = DropLanes(first, second, rotation, column, exists, rows, heights, piece_columns, bottoms)
            scored, gains = _score_drops(score_three_columns, precomputed, agent, drops)
            store_placements(search.scratch, depth, scored, gains)
            best = update_best(best, scored)
        else:
            heights = get_column_window(precomputed.heights, lanes)[2:6]
            drops = DropLanes(
                first, first, broadcast(wide_rotation, lanes), lanes, exists, rows, heights, piece_columns, bottoms
            )
            scored, gains = _score_drops(score_four_columns, precomputed, agent, drops)
            store_placements(search.scratch, depth, scored, gains)
            best = update_best(best, scored)
    for number in range(rules.narrow_count[piece]):
        narrow_rotation = int(rules.narrow_rotations[piece, number])
        first = int(rules.orientations[piece, narrow_rotation])
        exists = lanes < int(PLACEMENT_COLUMNS[first])
        heights = get_column_window(precomputed.heights, lanes)[2:4]
        piece_columns = broadcast_piece_columns(first, lanes)[:2]
        bottoms = broadcast_column_bottoms(first, lanes)[:2]
        rotation = broadcast(narrow_rotation, lanes)
        drops = DropLanes(first, first, rotation, lanes, exists, rows, heights, piece_columns, bottoms)
        scored, gains = _score_drops(score_two_columns, precomputed, agent, drops)
        store_placements(search.scratch, depth, scored, gains)
        best = update_best(best, scored)
    return best


@compile_inline
def ignore_placements(scratch: object, depth: int, lanes: ScoredLanePlacements, gains: int) -> None:
    """Do nothing (callback for a search without lookahead)."""


@compile_inline
def choose_local_drop_simd(game: GameRecord, search: Search[object]) -> Choice:
    """Choose the agent's best straight drop by local evaluation in SIMD lanes."""
    piece = int(game.queue[0])
    best = find_best_local_drops(game.board, piece, search, ignore_placements, 0)
    return choose_first_best(search.rules, piece, best)
