"""The board as ten columns of bits, and the effect of a placement on it; for one placement or sixteen SIMD lanes.

Bit 0 of a column is the lowest row. An argument `x` is the column of the piece's left edge: an integer, or sixteen
lanes with the columns 0 to 15 (`fits` returns which of them are valid placements).
"""

import operator
from typing import NamedTuple

from tetrion.engine.columns import (
    ColumnsT,
    TenColumns,
    and_columns,
    count_bits,
    map_column_numbers,
    map_columns,
    map_columns2,
    map_columns_with,
    write_columns,
)
from tetrion.engine.compiler import compile_inline
from tetrion.engine.pieces import (
    BOARD_WIDTH,
    COLUMN_BOTTOMS,
    FIRST_ORIENTATION,
    LANE_CELLS,
    ORIENTATION_HEIGHTS,
    PACKED_SHAPES,
    PIECE_OF_ORIENTATION,
    PLACEMENT_COLUMNS,
)
from tetrion.engine.scalar_or_simd import (
    Array,
    any_bit_set,
    as_32_bits,
    as_64_bits,
    bit_length,
    broadcast,
    define_for_scalar_and_simd,
    load_at,
    maximum,
    popcount,
)
from tetrion.engine.simd_lanes import LANES, load, make_load_first, make_store_first

# A whole board with one column per lane; the load takes a fill value for the lanes beyond the last column.
load_columns_simd, store_columns_simd = make_load_first(BOARD_WIDTH), make_store_first(BOARD_WIDTH)
STANDARD_CLEARING, HANGING_CLEARING = range(2)  # values of the rule `clearing`
MAX_ROWS = 28  # a column has 32 bits, and a piece that extends above the board needs up to four more rows


class FeaturesBefore(NamedTuple):
    """Properties of the board before the placement that some features need; only the needed ones are computed."""

    max_height: int = 0
    bumpiness: int = 0
    holes: int = 0
    lowest_column: int = 0  # the leftmost of the lowest columns
    board_hash: int = 0  # for the feature `chance`


NO_FEATURES_BEFORE = FeaturesBefore()


class BoardBefore(NamedTuple):
    """The board before a piece is placed, and values that all placements share."""

    board: Array
    heights: Array  # of the columns, padded so that sixteen lanes can be loaded from each of the first four
    rows: int  # number of rows of the board
    filled_cells: int  # number of filled cells
    features: FeaturesBefore


class Outcome(NamedTuple):
    """The result of a placement, on which features are measured.

    >>> import tetrion
    >>> @tetrion.feature(max_value=28)
    ... def left_height(outcome):
    ...     return outcome.heights[0]
    >>> tetrion.WeightedAgent("low at the left", {"left_height": -1, "holes": -1}).features["left_height"].max_value
    28
    """

    columns: TenColumns  # the board that is measured
    heights: TenColumns  # of these columns
    filled_cells: int  # number of filled cells
    rows: int  # number of rows of the board
    wall: int  # a column with all rows filled
    piece: int  # index of the piece in PIECES
    quarter_turns: int  # clockwise, from the orientation in which T, J and L point up
    left: int  # the column of the piece's left edge
    piece_columns: TenColumns  # the cells of the locked piece only
    bottom: int  # the row of the piece's lowest cell
    top: int  # the row above the piece's highest cell
    full_rows: int  # bit mask of the rows that the placement completes
    lines: int  # the number of those rows
    before: FeaturesBefore


@compile_inline
def load_columns(board: Array, x: int) -> TenColumns:
    """Return the columns of a board, as scalars or lanes like `x`."""
    return map_column_numbers(_load_column, board, x)


@compile_inline
def _load_column(board: Array, column: int, x: int) -> int:
    return broadcast(board[column], x)


@define_for_scalar_and_simd(
    scalar=lambda orientation, column, x: ((PACKED_SHAPES[orientation] << (4 * x)) >> (4 * column)) & 15,
    simd=lambda orientation, column, x: load(LANE_CELLS, (orientation * BOARD_WIDTH + column) * LANES),
    dispatch_argument=2,
    int32=lambda orientation, column, x: (
        as_32_bits((PACKED_SHAPES[orientation] << (4 * as_64_bits(x))) >> (4 * column)) & 15
    ),
)
def get_piece_cells_in_column(orientation: int, column: int, x: int) -> int:
    """Return the cells in a board column of a piece on the floor with its left edge at `x`."""
    return int(LANE_CELLS[(orientation * BOARD_WIDTH + column) * LANES + x])


@compile_inline
def get_piece_cells(orientation: int, x: int) -> TenColumns:
    """Return ten columns with the cells of a piece on the floor with its left edge at `x`."""
    return map_column_numbers(get_piece_cells_in_column, orientation, x)


@compile_inline
def find_landing_row(heights: Array, orientation: int, x: int) -> int:
    """Return the row in which the lowest cell of a piece comes to rest when it drops straight down."""
    left = maximum(_find_resting_row(heights, orientation, x, 0), _find_resting_row(heights, orientation, x, 1))
    right = maximum(_find_resting_row(heights, orientation, x, 2), _find_resting_row(heights, orientation, x, 3))
    return maximum(maximum(left, right), 0)


@compile_inline
def _find_resting_row(heights: Array, orientation: int, x: int, k: int) -> int:
    return load_at(heights, k, x) - int(COLUMN_BOTTOMS[orientation, k])


@compile_inline
def fits(orientation: int, x: int, row: int, rows: int) -> bool:
    """Return whether the whole piece lies on the board."""
    return (row + int(ORIENTATION_HEIGHTS[orientation]) <= rows) & (x < int(PLACEMENT_COLUMNS[orientation]))


@compile_inline
def remove_row(column: int, low: int) -> int:
    """Return a column without the row just above the bit mask `low`; the rows above it move down."""
    return (column & low) | ((column >> 1) & ~low)


@compile_inline
def remove_full_rows(columns: ColumnsT, full: int) -> ColumnsT:
    """Return the board without the rows in the bit mask `full`."""
    while any_bit_set(full):
        low = (full & (0 - full)) - 1  # the rows below the lowest full row; all rows if no row is full
        columns = map_columns_with(remove_row, columns, low)
        full = (full & (full - 1)) >> 1
    return columns


@compile_inline
def lower_upper_rows(column: int, full: int) -> int:
    """Return a column after a hanging clear: only the rows above the highest full row move down.

    They merge with the rows between full rows, which stay where they are (Gavrilov 2023, Figure 52).
    """
    above = bit_length(full)
    return (column & ((1 << above) - 1) & ~full) | ((column >> above) << (above - popcount(full)))


@compile_inline
def clear_full_rows(columns: ColumnsT, full: int, clearing: int) -> ColumnsT:
    """Return the board after the rows in the bit mask `full` are cleared by the rule `clearing`."""
    if clearing == STANDARD_CLEARING:
        return remove_full_rows(columns, full)
    lowered: ColumnsT = map_columns_with(lower_upper_rows, columns, full)
    return lowered


@compile_inline
def compute_heights(columns: TenColumns) -> TenColumns:
    """Return the height of each column."""
    heights: TenColumns = map_columns(bit_length, columns)
    return heights


@compile_inline
def place_piece_on_columns(board: Array, orientation: int, x: int, row: int) -> tuple[TenColumns, TenColumns, int]:
    """Return the board with the piece, the piece alone, and a bit mask of the full rows, which are not removed."""
    landed = map_columns_with(operator.lshift, get_piece_cells(orientation, x), row)
    columns = map_columns2(operator.or_, load_columns(board, x), landed)
    return columns, landed, and_columns(columns)


@compile_inline
def lock_piece(board: Array, orientation: int, x: int, row: int, clearing: int) -> int:
    """Add a piece to a board in place and clear full rows; return the bit mask of the cleared rows."""
    columns, _, full = place_piece_on_columns(board, orientation, x, row)
    write_columns(board, clear_full_rows(columns, full, clearing))
    return full


@compile_inline
def _clear_column(column: int) -> int:
    return column & 0


@compile_inline
def make_board_outcome(board: Array, rows: int) -> Outcome:
    """Return an outcome that describes a board without any placement."""
    columns = load_columns(board, 0)
    empty = map_columns(_clear_column, columns)
    heights = compute_heights(columns)
    wall = (1 << rows) - 1
    return Outcome(columns, heights, count_bits(columns), rows, wall, 0, 0, 0, empty, 0, 0, 0, 0, NO_FEATURES_BEFORE)


@compile_inline
def compute_outcome(before: BoardBefore, removes_full_rows: bool, orientation: int, x: int, row: int) -> Outcome:
    """Return the outcome of a placement; `removes_full_rows` selects whether full rows are removed from its board."""
    columns, landed, full = place_piece_on_columns(before.board, orientation, x, row)
    lines, filled = broadcast(0, x), broadcast(before.filled_cells + 4, x)
    if any_bit_set(full):
        lines = popcount(full)
        if removes_full_rows:
            columns = remove_full_rows(columns, full)
            filled = filled - BOARD_WIDTH * lines
    heights, piece = compute_heights(columns), int(PIECE_OF_ORIENTATION[orientation])
    return Outcome(
        columns,
        heights,
        filled,
        before.rows,
        broadcast((1 << before.rows) - 1, x),
        piece,
        int(orientation) - int(FIRST_ORIENTATION[piece]),
        x,
        landed,
        row,
        row + ORIENTATION_HEIGHTS[orientation],
        full,
        lines,
        before.features,
    )
