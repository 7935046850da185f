"""The eight features of Dellacherie, Thiery and Scherrer, which the strongest controllers share."""

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
from tetrion.engine.feature_registry import PLACEMENT_FEATURE, builtin_feature
from tetrion.engine.features.feature_sources import DELLACHERIE_SOURCE, THIERY_SOURCE
from tetrion.engine.pieces import BOARD_WIDTH
from tetrion.engine.scalar_or_simd import any_bit_set, define_for_scalar_and_simd, popcount


@builtin_feature(
    "Row of the piece's middle in half rows: twice its lowest row, plus its height less one. A published weight for a "
    "whole row is halved",
    DELLACHERIE_SOURCE,
    2 * MAX_ROWS - 2,
    PLACEMENT_FEATURE,
)
def landing_height(o: Outcome) -> int:
    return o.bottom + o.top - 1


@builtin_feature("Rows removed times the cells of this piece in them", DELLACHERIE_SOURCE, 16, PLACEMENT_FEATURE)
def eroded_cells(o: Outcome) -> int:
    if not any_bit_set(o.full_rows):
        return o.lines
    return o.lines * count_bits(map_columns_with(intersect_columns, o.piece_columns, o.full_rows))


@builtin_feature(
    "Changes between filled and empty along all rows, the walls filled (an empty row has 2)",
    DELLACHERIE_SOURCE,
    BOARD_WIDTH * MAX_ROWS,
)
def row_transitions(o: Outcome) -> int:
    inside = map_columns2(find_transitions, get_left_neighbours(o.columns, o.wall), o.columns)
    return count_bits((*inside, find_transitions(o.columns[9], o.wall)))


@builtin_feature(
    "Changes between filled and empty along all columns, the floor filled, the sky empty (an empty column has 1)",
    DELLACHERIE_SOURCE,
    BOARD_WIDTH * (MAX_ROWS + 1),
)
def column_transitions(o: Outcome) -> int:
    return count_bits(map_columns(find_vertical_transitions, o.columns))


@builtin_feature(
    "Empty cells with a filled cell above them in their column", DELLACHERIE_SOURCE, BOARD_WIDTH * (MAX_ROWS - 1)
)
def holes(o: Outcome) -> int:
    return sum_columns(o.heights) - o.filled_cells


@builtin_feature(
    "For each empty cell between two filled ones (or walls), the empty cells from it downwards, itself included",
    DELLACHERIE_SOURCE,
    BOARD_WIDTH // 2 * MAX_ROWS * (MAX_ROWS + 1) // 2,
)
def wells(o: Outcome) -> int:
    cells = map_columns3(
        find_well_cells, get_left_neighbours(o.columns, o.wall), o.columns, get_right_neighbours(o.columns, o.wall)
    )
    return sum_well_depths(cells, o.columns)


@builtin_feature(
    "Filled cells in the unbroken stacks that lie directly on a hole, each counted once",
    THIERY_SOURCE,
    BOARD_WIDTH * (MAX_ROWS - 1),
)
def hole_depth(o: Outcome) -> int:
    return count_bits(map_columns(find_cells_above_holes, o.columns))


@builtin_feature("Rows with at least one hole", THIERY_SOURCE, MAX_ROWS - 1)
def rows_with_holes(o: Outcome) -> int:
    return popcount(or_columns(find_all_holes(o)))


# What they look for in a column and its neighbours: always the cells themselves, to be counted.


@compile_inline
def intersect_columns(a: int, b: int) -> int:
    """What is filled in both."""
    return a & b


@compile_inline
def find_transitions(a: int, b: int) -> int:
    """The rows in which one of two neighbours is filled."""
    return a ^ b


@compile_inline
def find_vertical_transitions(column: int) -> int:
    """The rows in which a column changes, the floor being filled."""
    return column ^ ((column << 1) | 1)


@compile_inline
def find_cells_above_holes(column: int) -> int:
    """The filled cells of a column that do not stand on the floor."""
    return column & (column + 1)


@compile_inline
def find_holes(column: int, top: int) -> int:
    """The empty cells of a column below its top."""
    return ((1 << top) - 1) & ~column


@compile_inline
def find_all_holes(o: Outcome) -> TenColumns:
    """The holes of every column."""
    found: TenColumns = map_columns2(find_holes, o.columns, o.heights)
    return found


@compile_inline
def find_well_cells(left: int, column: int, right: int) -> int:
    """The empty cells of a column between two filled ones."""
    return ~column & left & right


@compile_inline
def extend_wells_down(cells: int, column: int) -> int:
    """The cells under some empty ones, as far as they are empty too."""
    return (cells >> 1) & ~column


@compile_inline
def sum_well_depths(cells: Any, columns: Any) -> int:
    """The empty cells from each well cell downwards, of neighbouring columns together."""
    depths = count_bits(merge_column_pairs(cells))
    for _ in range(get_unconditional_well_depth(cells[0])):
        cells = map_columns2(extend_wells_down, cells, columns)
        depths = depths + count_bits(merge_column_pairs(cells))
    while any_bit_set(or_columns(cells)):
        cells = map_columns2(extend_wells_down, cells, columns)
        depths = depths + count_bits(merge_column_pairs(cells))
    return depths


# Among sixteen placements some have a well of three or four cells as a rule: to ask before would cost more than it
# saves, 4 % of their time.
@define_for_scalar_and_simd(scalar=lambda cells: 0, simd=lambda cells: 3)
def get_unconditional_well_depth(cells: int) -> int:
    """How many more cells wells are followed downwards without asking whether there are any."""
    return 0
