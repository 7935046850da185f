"""Features of the board that a placement leads to; over several pieces they are read at the end."""

from typing import Any

from tetrion.engine.board import HIGHEST, Outcome
from tetrion.engine.columns import before, behind, each, each2, each3, joined, largest, shared, smallest, total
from tetrion.engine.compiler import compiled
from tetrion.engine.features.dellacherie import gaps
from tetrion.engine.features.sources import BERTSEKAS, BOEHM, EVERYBODY, HINDI, MEDICO, SHAHAR, TETRAIS
from tetrion.engine.pieces import WIDTH
from tetrion.engine.registry import Measure, feature, register
from tetrion.engine.words import height, maximum, minimum, popcount, spread, truth

# How high the columns are.


@feature("How many of −2, −1, 0, 1, 2 occur as steps from a column to its right neighbour", "Gabillon et al. 2013", 5)
def diversity(o: Outcome) -> int:
    steps = each2(_step, o.heights, behind(o.heights, o.heights[9] + 99))  # no step leads out of the board
    return popcount(joined(steps) & 0b0111110)


@compiled
def _step(left: int, right: int) -> int:
    return 1 << (minimum(maximum(right - left, -3), 3) + 3)


@feature("Sum of the columns' heights", EVERYBODY, WIDTH * HIGHEST)
def aggregate_height(o: Outcome) -> int:
    return total(o.heights)


@feature("Sum of the height differences of neighbouring columns", EVERYBODY, (WIDTH - 1) * HIGHEST)
def bumpiness(o: Outcome) -> int:
    return total(each2(_distance, o.heights, behind(o.heights, o.heights[9])))


@compiled
def _distance(a: int, b: int) -> int:
    return maximum(a - b, b - a)


@feature("Height of the highest column", BERTSEKAS, HIGHEST)
def max_height(o: Outcome) -> int:
    return largest(o.heights)


@feature("Height of the lowest column", SHAHAR, HIGHEST)
def min_height(o: Outcome) -> int:
    return smallest(o.heights)


@feature("Highest less lowest column", f"{BOEHM}; Shahar and West 2010", HIGHEST)
def altitude_difference(o: Outcome) -> int:
    return largest(o.heights) - smallest(o.heights)


@feature("1 if the stack reaches into the top four rows, else 0", f"{TETRAIS}, which leaves 'close' open", 1)
def skyscraper(o: Outcome) -> int:
    return truth(largest(o.heights) > o.rows - 4)


# What fills the board.


@feature("Filled cells", SHAHAR, WIDTH * HIGHEST)
def filled_cells(o: Outcome) -> int:
    return o.cells


@feature(
    "Filled cells, each counted as often as its row says (1 in the lowest)",
    f"{BOEHM}; Shahar and West 2010",
    WIDTH * HIGHEST * (HIGHEST + 1) // 2,
)
def weighted_filled_cells(o: Outcome) -> int:
    return total(each(_sum_of_rows, o.columns))


@compiled
def _sum_of_rows(column: int) -> int:
    # Row r counts r + 1: one for the cell, and the five binary digits of r, each counted for all rows that have it.
    odd = popcount(column) + popcount(column & 0x2AAAAAAA) + 2 * popcount(column & 0x4CCCCCCC)
    return odd + 4 * popcount(column & 0x70F0F0F0) + 8 * popcount(column & 0x7F00FF00) + 16 * popcount(column >> 16)


@feature("Filled cells of the last column", MEDICO, HIGHEST)
def last_column_cells(o: Outcome) -> int:
    return popcount(o.columns[9])


@feature("Depth of the deepest column below its lower neighbour (walls as high as the board)", BOEHM, HIGHEST)
def deepest_well(o: Outcome) -> int:
    return largest(_well_depths(o))


@feature("Columns lower than both their neighbours (walls as high as the board)", SHAHAR, WIDTH // 2)
def number_of_wells(o: Outcome) -> int:
    return total(each(_is_positive, _well_depths(o)))


@compiled
def _well_depths(o: Outcome) -> Any:
    wall = spread(o.rows, o.bottom)
    return each3(_well_depth, before(o.heights, wall), o.heights, behind(o.heights, wall))


@compiled
def _well_depth(left: int, own: int, right: int) -> int:
    return maximum(minimum(left, right) - own, 0)


@compiled
def _is_positive(a: int) -> int:
    return truth(a > 0)


@feature(
    "Holes, each counted as often as its row says (1 in the lowest)",
    f"{SHAHAR}; weighting ours, as for filled cells",
    WIDTH * (HIGHEST - 1) * HIGHEST // 2,
)
def weighted_holes(o: Outcome) -> int:
    return total(each(_sum_of_rows, gaps(o)))


@feature(
    "The most cells from a hole up to the top cell of its column, that one included; 0 without holes",
    f"{SHAHAR}; definition ours",
    HIGHEST - 1,
)
def deepest_hole(o: Outcome) -> int:
    return largest(each2(_cover, gaps(o), o.heights))


@compiled
def _cover(gaps: int, top: int) -> int:
    return truth(gaps != 0) * (top - height(gaps & (0 - gaps)))


@feature("Row of the highest hole, 1 for the lowest row; 0 without holes", f"{SHAHAR}; definition ours", HIGHEST - 1)
def highest_hole(o: Outcome) -> int:
    return height(joined(gaps(o)))


@feature("Columns with at least one hole", "Fahey, Tetris AI", WIDTH)
def columns_with_holes(o: Outcome) -> int:
    return total(each(_is_positive, gaps(o)))


@feature(
    "Full rows of the board that is measured: none where they have been removed",
    f"{HINDI}, there called lines complete",
    4,
)
def full_rows(o: Outcome) -> int:
    return popcount(shared(o.columns))


# Bertsekas: every column for itself.


def _height_of(column: int) -> Measure:
    return compiled(lambda o: o.heights[column])


def _difference_at(column: int, right: int) -> Measure:
    return compiled(lambda o: _distance(o.heights[column], o.heights[right]))


for _column in range(WIDTH):
    register(
        f"height_{_column + 1}",
        _height_of(_column),
        f"Height of column {_column + 1} of {WIDTH} from the left",
        BERTSEKAS,
        HIGHEST,
    )
for _column in range(WIDTH - 1):
    register(
        f"difference_{_column + 1}",
        _difference_at(_column, _column + 1),
        f"Height difference of columns {_column + 1} and {_column + 2}",
        BERTSEKAS,
        HIGHEST,
    )
