"""Placements judged by their neighbourhood: what a piece cannot touch is counted once a board, not once a placement.

The features here look at a column and its neighbours alone. So a placement that fills no row changes the points of the
columns that it stands in and of those beside them, and nothing else. Where rows are removed, the whole board is looked
at anew. What a `Row` is stands at `seen`.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from tetrion.engine.bitboard import combine_columns, remove_full_rows
from tetrion.engine.columns import (
    and_columns,
    count_bits,
    get_left_neighbours,
    get_right_neighbours,
    map_columns,
    map_columns2,
    map_columns3,
    map_columns_with,
    or_columns,
    sum_columns,
)
from tetrion.engine.compiler import compile_inline
from tetrion.engine.features import FEATURES, make_feature_mask
from tetrion.engine.features.dellacherie_features import (
    find_cells_above_holes,
    find_holes,
    find_transitions,
    find_vertical_transitions,
    find_well_cells,
    intersect_columns,
    sum_well_depths,
)
from tetrion.engine.pieces import BOARD_WIDTH, ORIENTATION_COLUMNS, SHAPES
from tetrion.engine.scalar_or_simd import (
    Array,
    ColumnValues,
    bit_length,
    broadcast,
    find_lowest_bit,
    get_column_window,
    popcount,
    where,
)
from tetrion.engine.simd_lanes import (
    LANE_NUMBERS,
    LANES,
    extract_lane,
    load,
    make_lane_rotation,
    make_load_first,
    make_store_first,
    mask_to_bits,
)
from tetrion.engine.simd_lanes import reduce_and as shared_lanes
from tetrion.engine.simd_lanes import reduce_or as joined_lanes
from tetrion.engine.simd_lanes import reduce_sum as total_lanes

LOCAL_FEATURES = (
    "landing_height",
    "eroded_cells",
    "lines",
    "row_transitions",
    "column_transitions",
    "holes",
    "wells",
    "hole_depth",
    "rows_with_holes",
)
LOCAL_FEATURES_MASK = make_feature_mask(*LOCAL_FEATURES)
(
    _LANDING_HEIGHT,
    _ERODED_CELLS,
    _LINES,
    _ROW_TRANSITIONS,
    _COLUMN_TRANSITIONS,
    _HOLES,
    _WELLS,
    _HOLE_DEPTH,
    _ROWS_WITH_HOLES,
) = (FEATURES[name].number for name in LOCAL_FEATURES)

Scratch = Any  # memory to work in, a record
GetWindow = Callable[[ColumnValues, Any], Any]  # how lanes see a row; such as `seen`


def supports_local_evaluation(mask: int) -> bool:
    """Whether some features can be judged by the neighbourhood, and it pays: wells are what takes time elsewhere."""
    return not mask & ~LOCAL_FEATURES_MASK and mask & make_feature_mask("wells") != 0


def _make_cells_by_column() -> Any:
    """For every orientation and every column of its left edge the cells that it has in each column of the board."""
    table = np.zeros((len(SHAPES), BOARD_WIDTH, LANES), np.int32)
    for orientation, shape in enumerate(SHAPES):
        for x in range(BOARD_WIDTH + 1 - len(shape)):
            table[orientation, x, x : x + len(shape)] = shape
    return table.reshape(-1)


HALF_LANES = 8  # places that a piece in three columns has
ORIENTATION_WIDTHS = np.array([len(shape) for shape in SHAPES], np.int32)
CELLS_BY_COLUMN = _make_cells_by_column()


class PrecomputedBoard(NamedTuple):
    """A board before a piece is placed: all that its placements have in common."""

    columns: ColumnValues
    heights: ColumnValues  # the columns' heights
    column_points: ColumnValues  # the points of every column for what it is by itself
    neighbour_points: ColumnValues  # and for how it stands beside its neighbours
    full_rows_left: (
        ColumnValues  # the rows that are full but for the columns of a piece: a column's own entry says it of all
    )
    full_rows_right: ColumnValues  # columns left of it, the entry right of the piece of the rest
    hole_rows_left: ColumnValues  # the rows with a hole, in the same way
    hole_rows_right: ColumnValues
    points: int  # of all columns, without those for rows with holes


@compile_inline
def score_single_columns(agent: Any, columns: Any, holes: Any) -> Any:
    """What some columns are worth for what each is by itself."""
    points = count_bits(map_columns(find_vertical_transitions, columns)) * agent.weight[_COLUMN_TRANSITIONS]
    points = points + count_bits(map_columns(find_cells_above_holes, columns)) * agent.weight[_HOLE_DEPTH]
    return points + count_bits(holes) * agent.weight[_HOLES]


@compile_inline
def score_neighbouring_columns(agent: Any, left: int, columns: Any, right: int) -> Any:
    """What neighbouring columns between two others are worth: as wells, and for their changes to the right."""
    after = get_right_neighbours(columns, right)
    wells = sum_well_depths(map_columns3(find_well_cells, get_left_neighbours(columns, left), columns, after), columns)
    return (
        count_bits(map_columns2(find_transitions, columns, after)) * agent.weight[_ROW_TRANSITIONS]
        + wells * agent.weight[_WELLS]
    )


@compile_inline
def score_rows_with_holes(agent: Any, holed: int) -> Any:
    """What the rows with holes are worth."""
    return popcount(holed) * agent.weight[_ROWS_WITH_HOLES]


# What is known of a board, for sixteen placements at once.

load_columns_simd, store_columns_simd = make_load_first(BOARD_WIDTH), make_store_first(BOARD_WIDTH)
_rotate_lanes_1, _rotate_lanes_2, _rotate_lanes_4, _rotate_lanes_8 = (
    make_lane_rotation(right) for right in (1, 2, 4, 8)
)


@compile_inline
def _score_each_column(agent: Any, columns: Any, tops: Any, x: Any) -> tuple[Any, Any, Any]:
    """The points of every column alone and beside its neighbours, and its holes."""
    around, holes = get_column_window(columns, x), find_holes(columns, tops)
    alone = score_single_columns(agent, (columns,), (holes,))
    return alone, score_neighbouring_columns(agent, around[1], (columns,), around[3]), holes


@compile_inline
def _sum_column_points(alone: Any, beside: Any, x: Any) -> int:
    return int(total_lanes(where(x < BOARD_WIDTH, alone, 0) + beside))


@compile_inline
def precompute_board(agent: Any, board: Array, rows: int, x: Any) -> PrecomputedBoard:
    """What sixteen placements have in common. Eight neighbours and the eight opposite them are all columns."""
    columns = load_columns_simd(board, (1 << rows) - 1)
    tops = bit_length(columns)
    alone, beside, holes = _score_each_column(agent, columns, tops, x)
    full, holed = columns & _rotate_lanes_1(columns), holes | _rotate_lanes_1(holes)
    full, holed = full & _rotate_lanes_2(full), holed | _rotate_lanes_2(holed)
    full, holed = full & _rotate_lanes_4(full), holed | _rotate_lanes_4(holed)
    points = _sum_column_points(alone, beside, x)
    return PrecomputedBoard(
        columns, tops, alone, beside, _rotate_lanes_8(full), full, _rotate_lanes_8(holed), holed, points
    )


@compile_inline
def load_piece_cells_by_column(orientation: int, x: int, row: int) -> Any:
    """The cells of one placement, a column a lane."""
    return load(CELLS_BY_COLUMN, (orientation * BOARD_WIDTH + x) * LANES) << row


@compile_inline
def lock_piece_simd(board: Array, orientation: int, x: int, row: int) -> int:
    """Place a piece on a board for good and remove full rows; tells which they were."""
    columns = load_columns_simd(board, -1) | load_piece_cells_by_column(orientation, x, row)
    full = shared_lanes(columns)
    store_columns_simd(board, remove_full_rows((columns,), full)[0])
    return int(full)


@compile_inline
def rescore_cleared_boards(before: Any, agent: Any, first: int, second: int, row: Any, full: Any, points: Any) -> Any:
    """The points of boards, with those looked at anew that have full rows to remove.

    `before` are the columns as they stood. Lanes stand for the columns of one orientation's left edge, or for the first
    eight of one and of another.
    """
    left, lanes = mask_to_bits(full != 0), load(LANE_NUMBERS, 0)
    while left:
        place = find_lowest_bit(left)
        left &= left - 1
        orientation, x = first, place
        if second != first:
            orientation, x = second if place >= HALF_LANES else first, place % HALF_LANES
        landed = load_piece_cells_by_column(orientation, x, extract_lane(row, place))
        after = remove_full_rows((before | landed,), extract_lane(full, place))[0]
        columns = where(lanes < BOARD_WIDTH, after, before)
        alone, beside, holes = _score_each_column(agent, columns, bit_length(columns), lanes)
        worth = _sum_column_points(alone, beside, lanes) + score_rows_with_holes(agent, joined_lanes(holes))
        points = where(lanes == place, broadcast(worth, lanes), points)
    return points


# The neighbourhood itself.


@compile_inline
def broadcast_piece_columns(orientation: int, x: int) -> Any:
    """The columns of a piece alone, from its left edge on."""
    return (
        broadcast(int(ORIENTATION_COLUMNS[orientation, 0]), x),
        broadcast(int(ORIENTATION_COLUMNS[orientation, 1]), x),
        broadcast(int(ORIENTATION_COLUMNS[orientation, 2]), x),
        broadcast(int(ORIENTATION_COLUMNS[orientation, 3]), x),
    )


@compile_inline
def score_local_board(
    agent: Any,
    columns: Any,
    piece_columns: Any,
    heights: Any,
    untouched_points: int,
    others_full: int,
    others_holed: int,
) -> tuple[int, int]:
    """Points of the board, and its full rows.

    `columns` are those in which the piece has landed and two more on either side, `tops` the heights of the former.
    """
    own = map_columns2(combine_columns, columns[2:-2], piece_columns)
    holes, full = map_columns2(find_holes, own, heights), others_full & and_columns(own)
    points = untouched_points + score_single_columns(agent, own, holes)
    points = points + score_neighbouring_columns(agent, columns[0], (columns[1], *own, columns[-2]), columns[-1])
    return points + score_rows_with_holes(agent, others_holed | or_columns(holes)), full


@compile_inline
def _score_local_columns(
    agent: Any, columns: Any, landed: Any, untouched: int, others_full: int, others_holed: int
) -> tuple[int, int]:
    tops = map_columns(bit_length, map_columns2(combine_columns, columns[2:-2], landed))
    return score_local_board(agent, columns, landed, tops, untouched, others_full, others_holed)


@compile_inline
def score_two_columns(
    get_window: GetWindow, precomputed: PrecomputedBoard, agent: Any, x: int, landed: Any
) -> tuple[int, int]:
    """The board's points and its full rows after a piece in one or two columns, `look`ed at from `x`."""
    alone, beside = get_window(precomputed.column_points, x), get_window(precomputed.neighbour_points, x)
    rest = precomputed.points - sum_columns(alone[2:4]) - sum_columns(beside[1:5])
    full = get_window(precomputed.full_rows_left, x)[2] & get_window(precomputed.full_rows_right, x)[4]
    holed = get_window(precomputed.hole_rows_left, x)[2] | get_window(precomputed.hole_rows_right, x)[4]
    return _score_local_columns(agent, get_window(precomputed.columns, x)[:6], landed[:2], rest, full, holed)


@compile_inline
def score_three_columns(
    get_window: GetWindow, precomputed: PrecomputedBoard, agent: Any, x: int, landed: Any
) -> tuple[int, int]:
    """The same for a piece in three columns."""
    alone, beside = get_window(precomputed.column_points, x), get_window(precomputed.neighbour_points, x)
    rest = precomputed.points - sum_columns(alone[2:5]) - sum_columns(beside[1:6])
    full = get_window(precomputed.full_rows_left, x)[2] & get_window(precomputed.full_rows_right, x)[5]
    holed = get_window(precomputed.hole_rows_left, x)[2] | get_window(precomputed.hole_rows_right, x)[5]
    return _score_local_columns(agent, get_window(precomputed.columns, x)[:7], landed[:3], rest, full, holed)


@compile_inline
def score_four_columns(
    get_window: GetWindow, precomputed: PrecomputedBoard, agent: Any, x: int, landed: Any
) -> tuple[int, int]:
    """The same for a piece in four columns."""
    alone, beside = get_window(precomputed.column_points, x), get_window(precomputed.neighbour_points, x)
    rest = precomputed.points - sum_columns(alone[2:6]) - sum_columns(beside[1:7])
    full = get_window(precomputed.full_rows_left, x)[2] & get_window(precomputed.full_rows_right, x)[6]
    holed = get_window(precomputed.hole_rows_left, x)[2] | get_window(precomputed.hole_rows_right, x)[6]
    return _score_local_columns(agent, get_window(precomputed.columns, x), landed, rest, full, holed)


@compile_inline
def score_landing_height(agent: Any, piece_height: int, row: int) -> Any:
    """What the row is worth in which a piece lands."""
    return (row + row + (piece_height - 1)) * agent.weight[_LANDING_HEIGHT]


@compile_inline
def score_lines(agent: Any, landed: Any, full: int) -> Any:
    """What full rows are worth, and the cells that the piece has in them."""
    lines = popcount(full)
    eroded = lines * count_bits(map_columns_with(intersect_columns, landed, full))
    return eroded * agent.weight[_ERODED_CELLS] + lines * agent.weight[_LINES]
