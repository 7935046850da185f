"""Features of the board that a placement leads to; over several pieces they are read at the end."""

from typing import Any

from tetrion.engine.bitboard import MAX_ROWS, Outcome
from tetrion.engine.columns import (
    and_columns,
    get_left_neighbours,
    get_right_neighbours,
    map_columns,
    map_columns2,
    map_columns3,
    max_column,
    min_column,
    or_columns,
    sum_columns,
)
from tetrion.engine.compiler import compile_inline
from tetrion.engine.feature_registry import MeasureFunction, builtin_feature, register_feature
from tetrion.engine.features.dellacherie_features import find_all_holes
from tetrion.engine.features.feature_sources import (
    BERTSEKAS_SOURCE,
    BOEHM_SOURCE,
    HINDI_SOURCE,
    MEDICO_SOURCE,
    SEVERAL_SOURCES,
    SHAHAR_SOURCE,
    TETRAIS_SOURCE,
)
from tetrion.engine.pieces import BOARD_WIDTH
from tetrion.engine.scalar_or_simd import bit_length, broadcast, maximum, minimum, popcount, to_int

# How high the columns are.


@builtin_feature(
    "How many of −2, −1, 0, 1, 2 occur as steps from a column to its right neighbour", "Gabillon et al. 2013", 5
)
def diversity(o: Outcome) -> int:
    steps = map_columns2(
        _height_step_bit, o.heights, get_right_neighbours(o.heights, o.heights[9] + 99)
    )  # no step leads out of the board
    return popcount(or_columns(steps) & 0b0111110)


@compile_inline
def _height_step_bit(left: int, right: int) -> int:
    return 1 << (minimum(maximum(right - left, -3), 3) + 3)


@builtin_feature("Sum of the columns' heights", SEVERAL_SOURCES, BOARD_WIDTH * MAX_ROWS)
def aggregate_height(o: Outcome) -> int:
    return sum_columns(o.heights)


@builtin_feature("Sum of the height differences of neighbouring columns", SEVERAL_SOURCES, (BOARD_WIDTH - 1) * MAX_ROWS)
def bumpiness(o: Outcome) -> int:
    return sum_columns(map_columns2(_absolute_difference, o.heights, get_right_neighbours(o.heights, o.heights[9])))


@compile_inline
def _absolute_difference(a: int, b: int) -> int:
    return maximum(a - b, b - a)


@builtin_feature("Height of the highest column", BERTSEKAS_SOURCE, MAX_ROWS)
def max_height(o: Outcome) -> int:
    return max_column(o.heights)


@builtin_feature("Height of the lowest column", SHAHAR_SOURCE, MAX_ROWS)
def min_height(o: Outcome) -> int:
    return min_column(o.heights)


@builtin_feature("Highest less lowest column", f"{BOEHM_SOURCE}; Shahar and West 2010", MAX_ROWS)
def altitude_difference(o: Outcome) -> int:
    return max_column(o.heights) - min_column(o.heights)


@builtin_feature(
    "1 if the stack reaches into the top four rows, else 0", f"{TETRAIS_SOURCE}, which leaves 'close' open", 1
)
def skyscraper(o: Outcome) -> int:
    return to_int(max_column(o.heights) > o.rows - 4)


# What fills the board.


@builtin_feature("Filled cells", SHAHAR_SOURCE, BOARD_WIDTH * MAX_ROWS)
def filled_cells(o: Outcome) -> int:
    return o.filled_cells


@builtin_feature(
    "Filled cells, each counted as often as its row says (1 in the lowest)",
    f"{BOEHM_SOURCE}; Shahar and West 2010",
    BOARD_WIDTH * MAX_ROWS * (MAX_ROWS + 1) // 2,
)
def weighted_filled_cells(o: Outcome) -> int:
    return sum_columns(map_columns(_sum_row_numbers, o.columns))


@compile_inline
def _sum_row_numbers(column: int) -> int:
    # Row r counts r + 1: one for the cell, and the five binary digits of r, each counted for all rows that have it.
    odd = popcount(column) + popcount(column & 0x2AAAAAAA) + 2 * popcount(column & 0x4CCCCCCC)
    return odd + 4 * popcount(column & 0x70F0F0F0) + 8 * popcount(column & 0x7F00FF00) + 16 * popcount(column >> 16)


@builtin_feature("Filled cells of the last column", MEDICO_SOURCE, MAX_ROWS)
def last_column_cells(o: Outcome) -> int:
    return popcount(o.columns[9])


@builtin_feature(
    "Depth of the deepest column below its lower neighbour (walls as high as the board)", BOEHM_SOURCE, MAX_ROWS
)
def deepest_well(o: Outcome) -> int:
    return max_column(_compute_well_depths(o))


@builtin_feature(
    "Columns lower than both their neighbours (walls as high as the board)", SHAHAR_SOURCE, BOARD_WIDTH // 2
)
def number_of_wells(o: Outcome) -> int:
    return sum_columns(map_columns(_is_positive, _compute_well_depths(o)))


@compile_inline
def _compute_well_depths(o: Outcome) -> Any:
    wall = broadcast(o.rows, o.bottom)
    return map_columns3(
        _compute_well_depth, get_left_neighbours(o.heights, wall), o.heights, get_right_neighbours(o.heights, wall)
    )


@compile_inline
def _compute_well_depth(left: int, own: int, right: int) -> int:
    return maximum(minimum(left, right) - own, 0)


@compile_inline
def _is_positive(a: int) -> int:
    return to_int(a > 0)


@builtin_feature(
    "Holes, each counted as often as its row says (1 in the lowest)",
    f"{SHAHAR_SOURCE}; weighting ours, as for filled cells",
    BOARD_WIDTH * (MAX_ROWS - 1) * MAX_ROWS // 2,
)
def weighted_holes(o: Outcome) -> int:
    return sum_columns(map_columns(_sum_row_numbers, find_all_holes(o)))


@builtin_feature(
    "The most cells from a hole up to the top cell of its column, that one included; 0 without holes",
    f"{SHAHAR_SOURCE}; definition ours",
    MAX_ROWS - 1,
)
def deepest_hole(o: Outcome) -> int:
    return max_column(map_columns2(_count_covering_cells, find_all_holes(o), o.heights))


@compile_inline
def _count_covering_cells(gaps: int, top: int) -> int:
    return to_int(gaps != 0) * (top - bit_length(gaps & (0 - gaps)))


@builtin_feature(
    "Row of the highest hole, 1 for the lowest row; 0 without holes", f"{SHAHAR_SOURCE}; definition ours", MAX_ROWS - 1
)
def highest_hole(o: Outcome) -> int:
    return bit_length(or_columns(find_all_holes(o)))


@builtin_feature("Columns with at least one hole", "Fahey, Tetris AI", BOARD_WIDTH)
def columns_with_holes(o: Outcome) -> int:
    return sum_columns(map_columns(_is_positive, find_all_holes(o)))


@builtin_feature(
    "Full rows of the board that is measured: none where they have been removed",
    f"{HINDI_SOURCE}, there called lines complete",
    4,
)
def full_rows(o: Outcome) -> int:
    return popcount(and_columns(o.columns))


# Bertsekas: every column for itself.


def _make_height_feature(column: int) -> MeasureFunction:
    return compile_inline(lambda o: o.heights[column])


def _make_difference_feature(column: int, right: int) -> MeasureFunction:
    return compile_inline(lambda o: _absolute_difference(o.heights[column], o.heights[right]))


for _column in range(BOARD_WIDTH):
    register_feature(
        f"height_{_column + 1}",
        _make_height_feature(_column),
        f"Height of column {_column + 1} of {BOARD_WIDTH} from the left",
        BERTSEKAS_SOURCE,
        MAX_ROWS,
    )
for _column in range(BOARD_WIDTH - 1):
    register_feature(
        f"difference_{_column + 1}",
        _make_difference_feature(_column, _column + 1),
        f"Height difference of columns {_column + 1} and {_column + 2}",
        BERTSEKAS_SOURCE,
        MAX_ROWS,
    )
