"""The eight features of Dellacherie, Thiery and Scherrer, which most published one-piece agents use."""

import operator
from typing import Any

from tetrion.engine.bitboard import MAX_ROWS, Outcome
from tetrion.engine.columns import (
    TenColumns,
    count_bits,
    get_left_neighbours,
    get_right_neighbours,
    map_columns,
    map_columns2,
    map_columns3,
    map_columns_with,
    merge_column_pairs,
    or_columns,
    sum_columns,
)
from tetrion.engine.compiler import compile_inline
from tetrion.engine.feature_registry import DELLACHERIE_SOURCE, PLACEMENT_FEATURE, THIERY_SOURCE, builtin_feature
from tetrion.engine.pieces import BOARD_WIDTH
from tetrion.engine.scalar_or_simd import any_bit_set, define_for_scalar_and_simd, popcount


@builtin_feature(
    "Row of the piece's centre in half rows: twice its lowest row plus its height minus one. A published weight, which "
    "is per row, must be halved",
    DELLACHERIE_SOURCE,
    2 * MAX_ROWS - 2,
    PLACEMENT_FEATURE,
)
def landing_height(o: Outcome) -> int:
    return o.bottom + o.top - 1


@builtin_feature(
    "Number of completed rows times the number of cells of the piece in them", DELLACHERIE_SOURCE, 16, PLACEMENT_FEATURE
)
def eroded_cells(o: Outcome) -> int:
    if not any_bit_set(o.full_rows):
        return o.lines
    return o.lines * count_bits(map_columns_with(operator.and_, o.piece_columns, o.full_rows))


@builtin_feature(
    "Number of changes between filled and empty cells along all rows; walls count as filled (an empty row has 2)",
    DELLACHERIE_SOURCE,
    BOARD_WIDTH * MAX_ROWS,
)
def row_transitions(o: Outcome) -> int:
    inside = map_columns2(operator.xor, get_left_neighbours(o.columns, o.wall), o.columns)
    return count_bits((*inside, o.columns[9] ^ o.wall))


@builtin_feature(
    "Number of changes between filled and empty cells along all columns; the floor counts as filled (an empty column "
    "has 1)",
    DELLACHERIE_SOURCE,
    BOARD_WIDTH * (MAX_ROWS + 1),
)
def column_transitions(o: Outcome) -> int:
    return count_bits(map_columns(find_vertical_transitions, o.columns))


@builtin_feature(
    "Number of empty cells with a filled cell above them in their column",
    DELLACHERIE_SOURCE,
    BOARD_WIDTH * (MAX_ROWS - 1),
)
def holes(o: Outcome) -> int:
    return sum_columns(o.heights) - o.filled_cells


@builtin_feature(
    "Sum over all empty cells between two filled cells or walls: number of empty cells from this cell downwards, "
    "including it",
    DELLACHERIE_SOURCE,
    BOARD_WIDTH // 2 * MAX_ROWS * (MAX_ROWS + 1) // 2,
)
def wells(o: Outcome) -> int:
    cells = map_columns3(
        find_well_cells, get_left_neighbours(o.columns, o.wall), o.columns, get_right_neighbours(o.columns, o.wall)
    )
    return sum_well_depths(cells, o.columns)


@builtin_feature(
    "Number of filled cells in uninterrupted stacks directly above a hole, each counted once",
    THIERY_SOURCE,
    BOARD_WIDTH * (MAX_ROWS - 1),
)
def hole_depth(o: Outcome) -> int:
    return count_bits(map_columns(find_cells_above_holes, o.columns))


@builtin_feature("Number of rows with at least one hole", THIERY_SOURCE, MAX_ROWS - 1)
def rows_with_holes(o: Outcome) -> int:
    return popcount(or_columns(find_all_holes(o)))


# Bit masks of the cells that the features count in a column and its neighbours.


@compile_inline
def find_vertical_transitions(column: int) -> int:
    """Return the rows in which a column differs from the cell below; the floor counts as filled."""
    return column ^ ((column << 1) | 1)


@compile_inline
def find_cells_above_holes(column: int) -> int:
    """Return the filled cells of a column that are not part of the uninterrupted stack on the floor."""
    return column & (column + 1)


@compile_inline
def find_holes(column: int, top: int) -> int:
    """Return the empty cells of a column below its height `top`."""
    return ((1 << top) - 1) & ~column


@compile_inline
def find_all_holes(o: Outcome) -> TenColumns:
    """Return the holes of each column."""
    hole_columns: TenColumns = map_columns2(find_holes, o.columns, o.heights)
    return hole_columns


@compile_inline
def find_well_cells(left: int, column: int, right: int) -> int:
    """Return the empty cells of a column whose left and right neighbours are filled."""
    return ~column & left & right


@compile_inline
def extend_wells_down(cells: int, column: int) -> int:
    """Return the empty cells directly below the given cells."""
    return (cells >> 1) & ~column


@compile_inline
def sum_well_depths(cells: Any, columns: Any) -> int:
    """Return the sum over all well cells of the number of empty cells from this cell downwards."""
    depths = count_bits(merge_column_pairs(cells))
    for _ in range(get_unconditional_well_depth(cells[0])):
        cells = map_columns2(extend_wells_down, cells, columns)
        depths = depths + count_bits(merge_column_pairs(cells))
    while any_bit_set(or_columns(cells)):
        cells = map_columns2(extend_wells_down, cells, columns)
        depths = depths + count_bits(merge_column_pairs(cells))
    return depths


# Among sixteen placements at least one usually has a well of three or four cells, so a test before each of the first
# steps would cost more than it saves: 4 % of the time.
@define_for_scalar_and_simd(scalar=lambda cells: 0, simd=lambda cells: 3)
def get_unconditional_well_depth(cells: int) -> int:
    """Return the number of steps for which wells are extended downwards without testing whether any is left."""
    return 0
