"""What happens to ten columns of bits when a piece lands: written once, for one placement or for sixteen at a time.

Bit 0 of a column is the floor. Where a function takes `x`, it is the column of the piece's left edge: a number, or
sixteen lanes that try the columns 0 to 15 at once (those that do not fit are told apart by `fits`).
"""

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
    bit_length,
    broadcast,
    define_for_scalar_and_simd,
    load_at,
    maximum,
    popcount,
)
from tetrion.engine.simd_lanes import LANES, load

MAX_ROWS = 28  # rows of the tallest board: a column has 32 bits, and a piece that sticks out up to four rows more


class FeaturesBefore(NamedTuple):
    """What some features must know of the board before the placement; only what is wanted is worked out."""

    max_height: int = 0
    bumpiness: int = 0
    holes: int = 0
    lowest_column: int = 0  # the leftmost of them
    board_hash: int = 0  # a number that is drawn for the board


NO_FEATURES_BEFORE = FeaturesBefore()


class BoardBefore(NamedTuple):
    """What is known of the board before a piece is placed."""

    board: Array
    heights: Array  # of its columns, with room beyond them for sixteen lanes to look at
    rows: int  # how many the board has
    filled_cells: int  # how many are filled
    features: FeaturesBefore


class Outcome(NamedTuple):
    """What a placement leads to; features are measured on it."""

    columns: TenColumns  # the board that is measured
    heights: TenColumns  # of its columns
    filled_cells: int  # how many cells are filled
    rows: int  # how many rows the board has
    wall: int  # a column of that many cells
    piece: int  # the number of the piece
    quarter_turns: int  # clockwise, from how it lies flat
    left: int  # the column of its left edge
    piece_columns: TenColumns  # the cells of the piece alone, where it came to rest
    bottom: int  # the row of its lowest cell
    top: int  # the row above its highest cell
    full_rows: int  # the rows that it filled
    lines: int  # how many those are
    before: FeaturesBefore


@compile_inline
def load_columns(board: Array, x: int) -> TenColumns:
    """The columns of a board, in as many lanes as `x` has."""
    return map_column_numbers(_load_column, board, x)


@compile_inline
def _load_column(board: Array, column: int, x: int) -> int:
    return broadcast(board[column], x)


@define_for_scalar_and_simd(
    scalar=lambda orientation, column, x: ((PACKED_SHAPES[orientation] << (4 * x)) >> (4 * column)) & 15,
    simd=lambda orientation, column, x: load(LANE_CELLS, (orientation * BOARD_WIDTH + column) * LANES),
    dispatch_argument=2,
)
def get_piece_cells_in_column(orientation: int, column: int, x: int) -> int:
    """The cells that a piece with its left edge at `x` has in a column of the board, at rest on the floor."""
    return int(LANE_CELLS[(orientation * BOARD_WIDTH + column) * LANES + x])


@compile_inline
def get_piece_cells(orientation: int, x: int) -> TenColumns:
    """The ten columns that hold the piece alone, at rest on the floor."""
    return map_column_numbers(get_piece_cells_in_column, orientation, x)


@compile_inline
def find_landing_row(heights: Array, orientation: int, x: int) -> int:
    """The row in which the lowest cell of a piece dropped straight down comes to rest."""
    left = maximum(_find_resting_row(heights, orientation, x, 0), _find_resting_row(heights, orientation, x, 1))
    right = maximum(_find_resting_row(heights, orientation, x, 2), _find_resting_row(heights, orientation, x, 3))
    return maximum(maximum(left, right), 0)


@compile_inline
def _find_resting_row(heights: Array, orientation: int, x: int, k: int) -> int:
    return load_at(heights, k, x) - int(COLUMN_BOTTOMS[orientation, k])


@compile_inline
def fits(orientation: int, x: int, row: int, rows: int) -> bool:
    """Whether a piece lies wholly on the board."""
    return (row + int(ORIENTATION_HEIGHTS[orientation]) <= rows) & (x < int(PLACEMENT_COLUMNS[orientation]))


@compile_inline
def shift_up(column: int, row: int) -> int:
    """A column moved up."""
    return column << row


@compile_inline
def combine_columns(a: int, b: int) -> int:
    """The cells of two columns together."""
    return a | b


@compile_inline
def remove_row(column: int, low: int) -> int:
    """A column without the lowest row above the rows of `low`."""
    return (column & low) | ((column >> 1) & ~low)


@compile_inline
def remove_full_rows(columns: ColumnsT, full: int) -> ColumnsT:
    """The board after its full rows are removed, whichever they are."""
    while any_bit_set(full):
        low = (full & (0 - full)) - 1  # the rows under the lowest full one; all rows where none is full
        columns = map_columns_with(remove_row, columns, low)
        full = (full & (full - 1)) >> 1
    return columns


@compile_inline
def compute_heights(columns: TenColumns) -> TenColumns:
    """The height of every column."""
    heights: TenColumns = map_columns(bit_length, columns)
    return heights


@compile_inline
def count_cells(columns: TenColumns) -> int:
    """How many cells are filled."""
    return count_bits(columns)


@compile_inline
def place_piece_on_columns(board: Array, orientation: int, x: int, row: int) -> tuple[TenColumns, TenColumns, int]:
    """The board with the piece on it, the piece alone, and the rows that are full; none is removed yet."""
    landed = map_columns_with(shift_up, get_piece_cells(orientation, x), row)
    columns = map_columns2(combine_columns, load_columns(board, x), landed)
    return columns, landed, and_columns(columns)


@compile_inline
def lock_piece(board: Array, orientation: int, x: int, row: int) -> int:
    """Place a piece on a board for good and remove full rows; tells which they were."""
    columns, _, full = place_piece_on_columns(board, orientation, x, row)
    write_columns(board, remove_full_rows(columns, full))
    return full


@compile_inline
def _clear_column(column: int) -> int:
    return column & 0


@compile_inline
def make_board_outcome(board: Array, rows: int) -> Outcome:
    """The board as it stands, as if nothing had been placed."""
    columns = load_columns(board, 0)
    nothing = map_columns(_clear_column, columns)
    heights = compute_heights(columns)
    wall = (1 << rows) - 1
    return Outcome(columns, heights, count_cells(columns), rows, wall, 0, 0, 0, nothing, 0, 0, 0, 0, NO_FEATURES_BEFORE)


@compile_inline
def compute_outcome(before: BoardBefore, removes_full_rows: bool, orientation: int, x: int, row: int) -> Outcome:
    """What the placement leads to, measured after the full rows are removed or while they are still there."""
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
