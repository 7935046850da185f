"""Every feature: a named whole number of a placement or of the board it leads to.

Each is defined once, as a function of an `Outcome`, and compiled for one placement, for sixteen and for a GPU. Rows are
counted from the floor, columns from the left. `largest` bounds the value on the tallest board, for `quantise`.
"""

from typing import Any

from tetrion.engine.board import HIGHEST, Outcome
from tetrion.engine.compiler import compiled
from tetrion.engine.pieces import PIECES, WIDTH
from tetrion.engine.registry import CHANGE, PLACEMENT, Measure, feature, register, written_out
from tetrion.engine.registry import FEATURES as FEATURES
from tetrion.engine.ten import Ten, before, behind, each, each2, each3, joined, largest, same, smallest, total
from tetrion.engine.words import anywhere, height, maximum, minimum, popcount, spread, truth

DELLACHERIE = "Dellacherie 2003 (in Fahey, Tetris AI)"
THIERY = "Thiery and Scherrer 2009, Building controllers for Tetris"
BERTSEKAS = "Bertsekas and Ioffe 1996"
BOEHM = "Böhm, Kókai and Mandl 2005, An evolutionary approach to Tetris"
SHAHAR = "Shahar and West 2010, as listed by Hindi et al. 2018"
GAVRILOV = "Gavrilov 2023"
TETRAIS = "TetrAIs 2023"
MEDICO = "Medico, Tetris bot project report"
EVERYBODY = "Gavrilov 2023, Becker, Hindi et al. 2018, TetrAIs 2023, Medico"


# The eight of Dellacherie and Thiery come first: agents that use them alone skip the rest in one step.


@feature(
    "Row of the piece's middle in half rows: twice its lowest row, plus its height less one. A published weight for a "
    "whole row is halved",
    DELLACHERIE,
    2 * HIGHEST - 2,
    PLACEMENT,
)
def landing_height(o: Outcome) -> int:
    return o.bottom + o.top - 1


@feature("Rows removed times the cells of this piece in them", DELLACHERIE, 16, PLACEMENT)
def eroded_cells(o: Outcome) -> int:
    if not anywhere(o.full):
        return o.lines
    return o.lines * total(each(popcount, each2(_common, o.landed, same(o.full))))


@compiled
def _common(a: int, b: int) -> int:
    return a & b


@feature(
    "Changes between filled and empty along all rows, the walls filled (an empty row has 2)",
    DELLACHERIE,
    WIDTH * HIGHEST,
)
def row_transitions(o: Outcome) -> int:
    return total(each2(_changes, before(o.columns, o.wall), o.columns)) + _changes(o.columns[9], o.wall)


@compiled
def _changes(a: int, b: int) -> int:
    return popcount(a ^ b)


@feature(
    "Changes between filled and empty along all columns, the floor filled, the sky empty (an empty column has 1)",
    DELLACHERIE,
    WIDTH * (HIGHEST + 1),
)
def column_transitions(o: Outcome) -> int:
    return total(each(_changes_upwards, o.columns))


@compiled
def _changes_upwards(column: int) -> int:
    return popcount(column ^ ((column << 1) | 1))


@feature("Empty cells with a filled cell above them in their column", DELLACHERIE, WIDTH * (HIGHEST - 1))
def holes(o: Outcome) -> int:
    return total(o.heights) - o.cells


@feature(
    "For each empty cell between two filled ones (or walls), the empty cells from it downwards, itself included",
    DELLACHERIE,
    WIDTH // 2 * HIGHEST * (HIGHEST + 1) // 2,
)
def wells(o: Outcome) -> int:
    runs = each3(_well_cells, before(o.columns, o.wall), o.columns, behind(o.columns, o.wall))
    count = spread(0, o.bottom)
    while anywhere(joined(runs)):
        count = count + _pairwise_popcount(runs)
        runs = each2(_continued_below, runs, o.columns)
    return count


@compiled
def _well_cells(left: int, column: int, right: int) -> int:
    return ~column & left & right


@compiled
def _continued_below(cells: int, column: int) -> int:
    return (cells >> 1) & ~column


@compiled
def _pairwise_popcount(runs: Any) -> int:
    # Beside a well cell the column is filled, so neighbours never share a row and two of them fit into one count.
    left = popcount(runs[0] | runs[1]) + popcount(runs[2] | runs[3])
    return left + popcount(runs[4] | runs[5]) + popcount(runs[6] | runs[7]) + popcount(runs[8] | runs[9])


@feature(
    "Filled cells in the unbroken stacks that lie directly on a hole, each counted once", THIERY, WIDTH * (HIGHEST - 1)
)
def hole_depth(o: Outcome) -> int:
    return total(each(_cells_above_a_hole, o.columns))


@compiled
def _cells_above_a_hole(column: int) -> int:
    return popcount(column & (column + 1))


@compiled
def _gaps(o: Outcome) -> Ten:
    return each2(_holes_in, o.columns, o.heights)


@compiled
def _holes_in(column: int, top: int) -> int:
    return ((1 << top) - 1) & ~column


@feature("Rows with at least one hole", THIERY, HIGHEST - 1)
def rows_with_holes(o: Outcome) -> int:
    return popcount(joined(_gaps(o)))


# What the placement does.


@feature("Rows that the placement completes", EVERYBODY, 4, PLACEMENT)
def lines(o: Outcome) -> int:
    return o.lines


@feature("1 if exactly one row is completed, else 0", MEDICO, 1, PLACEMENT)
def one_line(o: Outcome) -> int:
    return truth(o.lines == 1)


@feature("1 if exactly two rows are completed, else 0", MEDICO, 1, PLACEMENT)
def two_lines(o: Outcome) -> int:
    return truth(o.lines == 2)


@feature("1 if exactly three rows are completed, else 0", MEDICO, 1, PLACEMENT)
def three_lines(o: Outcome) -> int:
    return truth(o.lines == 3)


@feature("1 if four rows are completed, else 0", MEDICO, 1, PLACEMENT)
def four_lines(o: Outcome) -> int:
    return truth(o.lines == 4)


@feature(
    "Rows between the piece's highest cell and the board's top: its row counted from the top, 0 in the top row",
    f"{GAVRILOV}, there called height",
    HIGHEST - 1,
    PLACEMENT,
)
def piece_top(o: Outcome) -> int:
    return o.rows - o.top


@feature(
    "1 if a cell of the piece lands in the top four rows of columns 3 to 6 (counted from 0), else 0",
    MEDICO,
    1,
    PLACEMENT,
)
def danger(o: Outcome) -> int:
    middle = o.landed[3] | o.landed[4] | o.landed[5] | o.landed[6]
    return truth((middle & (o.wall ^ (o.wall >> 4))) != 0)


@feature(
    "1 if the piece is a square, a line or a Z, else 0", f"{TETRAIS}, section 3.1, which gives no more", 1, PLACEMENT
)
def special_piece(o: Outcome) -> int:
    return spread(SPECIAL >> o.piece & 1, o.bottom)


SPECIAL = sum(1 << PIECES.index(piece) for piece in "OIZ")

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
    return total(each(_sum_of_rows, _gaps(o)))


@feature(
    "The most cells from a hole up to the top cell of its column, that one included; 0 without holes",
    f"{SHAHAR}; definition ours",
    HIGHEST - 1,
)
def deepest_hole(o: Outcome) -> int:
    return largest(each2(_cover, _gaps(o), o.heights))


@compiled
def _cover(gaps: int, top: int) -> int:
    return truth(gaps != 0) * (top - height(gaps & (0 - gaps)))


@feature("Row of the highest hole, 1 for the lowest row; 0 without holes", f"{SHAHAR}; definition ours", HIGHEST - 1)
def highest_hole(o: Outcome) -> int:
    return height(joined(_gaps(o)))


@feature("Columns with at least one hole", "Fahey, Tetris AI", WIDTH)
def columns_with_holes(o: Outcome) -> int:
    return total(each(_is_positive, _gaps(o)))


# What the placement changes.


@feature("Max height after less before the placement", f"{TETRAIS}, Q-learning", HIGHEST, CHANGE)
def max_height_change(o: Outcome) -> int:
    return max_height(o) - o.before.max_height


@feature(
    "Bumpiness after less before the placement",
    f"{TETRAIS}, Q-learning, there called delta",
    (WIDTH - 1) * HIGHEST,
    CHANGE,
)
def bumpiness_change(o: Outcome) -> int:
    return bumpiness(o) - o.before.bumpiness


@feature(
    "Holes after less before the placement",
    f"{TETRAIS}, Q-learning",
    WIDTH * (HIGHEST - 1),
    CHANGE,
)
def holes_change(o: Outcome) -> int:
    return holes(o) - o.before.holes


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

CHANGES = sum(1 << feature.number for feature in FEATURES.values() if feature.of == CHANGE)

measure = written_out()
