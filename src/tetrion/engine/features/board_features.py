"""Features of the board after a placement and of the change of the board.

In a lookahead, board features are measured on the final board, and change features are summed over the placements.
"""

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
from tetrion.engine.feature_registry import (
    BERTSEKAS_SOURCE,
    BOEHM_SOURCE,
    CHANGE_FEATURE,
    HINDI_SOURCE,
    MEDICO_SOURCE,
    SEVERAL_SOURCES,
    SHAHAR_SOURCE,
    TETRAIS_SOURCE,
    MeasureFunction,
    builtin_feature,
    register_feature,
)
from tetrion.engine.features.dellacherie_features import find_all_holes, holes
from tetrion.engine.pieces import BOARD_WIDTH
from tetrion.engine.scalar_or_simd import bit_length, broadcast, maximum, minimum, popcount, to_int

# Heights of the columns.


@builtin_feature(
    "Number of different height steps from −2 to 2 between a column and its right neighbour", "Gabillon et al. 2013", 5
)
def diversity(o: Outcome) -> int:
    right_heights = get_right_neighbours(o.heights, o.heights[9] + 99)  # the last column has no step to the right
    steps = map_columns2(_height_step_bit, o.heights, right_heights)
    return popcount(or_columns(steps) & 0b0111110)


@compile_inline
def _height_step_bit(left: int, right: int) -> int:
    return 1 << (minimum(maximum(right - left, -3), 3) + 3)


@builtin_feature("Sum of the column heights", SEVERAL_SOURCES, BOARD_WIDTH * MAX_ROWS)
def aggregate_height(o: Outcome) -> int:
    return sum_columns(o.heights)


@builtin_feature(
    "Sum of the height differences between neighbouring columns", SEVERAL_SOURCES, (BOARD_WIDTH - 1) * MAX_ROWS
)
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


@builtin_feature(
    "Height of the highest column minus height of the lowest column", f"{BOEHM_SOURCE}; Shahar and West 2010", MAX_ROWS
)
def altitude_difference(o: Outcome) -> int:
    return max_column(o.heights) - min_column(o.heights)


@builtin_feature(
    "1 if the stack reaches into the top four rows, otherwise 0",
    f"{TETRAIS_SOURCE}, which does not define 'close to the top'",
    1,
)
def skyscraper(o: Outcome) -> int:
    return to_int(max_column(o.heights) > o.rows - 4)


# Filled cells, wells and holes.


@builtin_feature("Number of filled cells", SHAHAR_SOURCE, BOARD_WIDTH * MAX_ROWS)
def filled_cells(o: Outcome) -> int:
    return o.filled_cells


@builtin_feature(
    "Sum of the row numbers of all filled cells (1 for the lowest row)",
    f"{BOEHM_SOURCE}; Shahar and West 2010",
    BOARD_WIDTH * MAX_ROWS * (MAX_ROWS + 1) // 2,
)
def weighted_filled_cells(o: Outcome) -> int:
    return sum_columns(map_columns(_sum_row_numbers, o.columns))


@compile_inline
def _sum_row_numbers(column: int) -> int:
    # A cell in row r counts r + 1. The binary digits of r are counted separately, each with a mask of the rows that
    # have it.
    low = popcount(column) + popcount(column & 0x2AAAAAAA) + 2 * popcount(column & 0x4CCCCCCC)
    return low + 4 * popcount(column & 0x70F0F0F0) + 8 * popcount(column & 0x7F00FF00) + 16 * popcount(column >> 16)


@builtin_feature("Number of filled cells in the last column", MEDICO_SOURCE, MAX_ROWS)
def last_column_cells(o: Outcome) -> int:
    return popcount(o.columns[9])


@builtin_feature(
    "Depth of the deepest well: rows from a column up to its lower neighbour column (walls are as high as the board)",
    BOEHM_SOURCE,
    MAX_ROWS,
)
def deepest_well(o: Outcome) -> int:
    return max_column(_compute_well_depths(o))


@builtin_feature(
    "Number of columns lower than both neighbours (walls are as high as the board)", SHAHAR_SOURCE, BOARD_WIDTH // 2
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
def _compute_well_depth(left: int, height: int, right: int) -> int:
    return maximum(minimum(left, right) - height, 0)


@compile_inline
def _is_positive(a: int) -> int:
    return to_int(a > 0)


@builtin_feature(
    "Sum of the row numbers of all holes (1 for the lowest row)",
    f"{SHAHAR_SOURCE}; weighting by Tetrion, as for filled cells",
    BOARD_WIDTH * (MAX_ROWS - 1) * MAX_ROWS // 2,
)
def weighted_holes(o: Outcome) -> int:
    return sum_columns(map_columns(_sum_row_numbers, find_all_holes(o)))


@builtin_feature(
    "Largest number of cells above a hole, up to and including the top cell of its column; 0 without holes",
    f"{SHAHAR_SOURCE}; our definition",
    MAX_ROWS - 1,
)
def deepest_hole(o: Outcome) -> int:
    return max_column(map_columns2(_count_covering_cells, find_all_holes(o), o.heights))


@compile_inline
def _count_covering_cells(hole_cells: int, height: int) -> int:
    return to_int(hole_cells != 0) * (height - bit_length(hole_cells & (0 - hole_cells)))


@builtin_feature(
    "Row of the highest hole, 1 for the lowest row; 0 without holes", f"{SHAHAR_SOURCE}; our definition", MAX_ROWS - 1
)
def highest_hole(o: Outcome) -> int:
    return bit_length(or_columns(find_all_holes(o)))


@builtin_feature("Number of columns with at least one hole", "Fahey, Tetris AI", BOARD_WIDTH)
def columns_with_holes(o: Outcome) -> int:
    return sum_columns(map_columns(_is_positive, find_all_holes(o)))


@builtin_feature(
    "Number of full rows on the measured board; 0 if features are measured after full rows are removed",
    f"{HINDI_SOURCE}, where it is called lines complete",
    4,
)
def full_rows(o: Outcome) -> int:
    return popcount(and_columns(o.columns))


# One feature per column (Bertsekas and Ioffe).


def _make_height_feature(column: int) -> MeasureFunction:
    return compile_inline(lambda o: o.heights[column])


def _make_difference_feature(column: int, right: int) -> MeasureFunction:
    return compile_inline(lambda o: _absolute_difference(o.heights[column], o.heights[right]))


for _column in range(BOARD_WIDTH):
    register_feature(
        f"height_{_column + 1}",
        _make_height_feature(_column),
        description=f"Height of column {_column + 1} of {BOARD_WIDTH} from the left",
        source=BERTSEKAS_SOURCE,
        max_value=MAX_ROWS,
    )
for _column in range(BOARD_WIDTH - 1):
    register_feature(
        f"difference_{_column + 1}",
        _make_difference_feature(_column, _column + 1),
        description=f"Height difference between columns {_column + 1} and {_column + 2}",
        source=BERTSEKAS_SOURCE,
        max_value=MAX_ROWS,
    )


# Changes: the value after minus the value before the placement.


@builtin_feature(
    "Maximum height after minus before the placement", f"{TETRAIS_SOURCE}, Q-learning", MAX_ROWS, CHANGE_FEATURE
)
def max_height_change(o: Outcome) -> int:
    return max_height(o) - o.before.max_height


@builtin_feature(
    "Bumpiness after minus before the placement",
    f"{TETRAIS_SOURCE}, Q-learning, where it is called delta",
    (BOARD_WIDTH - 1) * MAX_ROWS,
    CHANGE_FEATURE,
)
def bumpiness_change(o: Outcome) -> int:
    return bumpiness(o) - o.before.bumpiness


@builtin_feature(
    "Number of holes after minus before the placement",
    f"{TETRAIS_SOURCE}, Q-learning",
    BOARD_WIDTH * (MAX_ROWS - 1),
    CHANGE_FEATURE,
)
def holes_change(o: Outcome) -> int:
    return holes(o) - o.before.holes
