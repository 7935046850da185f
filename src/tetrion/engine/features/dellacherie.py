"""The eight features of Dellacherie, Thiery and Scherrer, which the strongest controllers share."""

from typing import Any

from tetrion.engine.board import HIGHEST, Outcome
from tetrion.engine.columns import Ten, before, behind, bits_in, by_twos, each, each2, each3, each_with, joined, total
from tetrion.engine.compiler import compiled
from tetrion.engine.features.sources import DELLACHERIE, THIERY
from tetrion.engine.pieces import WIDTH
from tetrion.engine.registry import PLACEMENT, feature
from tetrion.engine.words import anywhere, popcount, word


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
    return o.lines * bits_in(each_with(common, o.landed, o.full))


@feature(
    "Changes between filled and empty along all rows, the walls filled (an empty row has 2)",
    DELLACHERIE,
    WIDTH * HIGHEST,
)
def row_transitions(o: Outcome) -> int:
    inside = each2(changes, before(o.columns, o.wall), o.columns)
    return bits_in((*inside, changes(o.columns[9], o.wall)))


@feature(
    "Changes between filled and empty along all columns, the floor filled, the sky empty (an empty column has 1)",
    DELLACHERIE,
    WIDTH * (HIGHEST + 1),
)
def column_transitions(o: Outcome) -> int:
    return bits_in(each(changes_upwards, o.columns))


@feature("Empty cells with a filled cell above them in their column", DELLACHERIE, WIDTH * (HIGHEST - 1))
def holes(o: Outcome) -> int:
    return total(o.heights) - o.cells


@feature(
    "For each empty cell between two filled ones (or walls), the empty cells from it downwards, itself included",
    DELLACHERIE,
    WIDTH // 2 * HIGHEST * (HIGHEST + 1) // 2,
)
def wells(o: Outcome) -> int:
    cells = each3(well_cells, before(o.columns, o.wall), o.columns, behind(o.columns, o.wall))
    return well_depths(cells, o.columns)


@feature(
    "Filled cells in the unbroken stacks that lie directly on a hole, each counted once", THIERY, WIDTH * (HIGHEST - 1)
)
def hole_depth(o: Outcome) -> int:
    return bits_in(each(stacked_on_a_hole, o.columns))


@feature("Rows with at least one hole", THIERY, HIGHEST - 1)
def rows_with_holes(o: Outcome) -> int:
    return popcount(joined(gaps(o)))


# What they look for in a column and its neighbours: always the cells themselves, to be counted.


@compiled
def common(a: int, b: int) -> int:
    """What is filled in both."""
    return a & b


@compiled
def changes(a: int, b: int) -> int:
    """The rows in which one of two neighbours is filled."""
    return a ^ b


@compiled
def changes_upwards(column: int) -> int:
    """The rows in which a column changes, the floor being filled."""
    return column ^ ((column << 1) | 1)


@compiled
def stacked_on_a_hole(column: int) -> int:
    """The filled cells of a column that do not stand on the floor."""
    return column & (column + 1)


@compiled
def holes_in(column: int, top: int) -> int:
    """The empty cells of a column below its top."""
    return ((1 << top) - 1) & ~column


@compiled
def gaps(o: Outcome) -> Ten:
    """The holes of every column."""
    found: Ten = each2(holes_in, o.columns, o.heights)
    return found


@compiled
def well_cells(left: int, column: int, right: int) -> int:
    """The empty cells of a column between two filled ones."""
    return ~column & left & right


@compiled
def continued_below(cells: int, column: int) -> int:
    """The cells under some empty ones, as far as they are empty too."""
    return (cells >> 1) & ~column


@compiled
def well_depths(cells: Any, columns: Any) -> int:
    """The empty cells from each well cell downwards, of neighbouring columns together."""
    depths = bits_in(by_twos(cells))
    for _ in range(usual_depth(cells[0])):
        cells = each2(continued_below, cells, columns)
        depths = depths + bits_in(by_twos(cells))
    while anywhere(joined(cells)):
        cells = each2(continued_below, cells, columns)
        depths = depths + bits_in(by_twos(cells))
    return depths


# Among sixteen placements some have a well of three or four cells as a rule: to ask before would cost more than it
# saves, 4 % of their time.
@word(one=lambda cells: 0, sixteen=lambda cells: 3)
def usual_depth(cells: int) -> int:
    """How many more cells wells are followed downwards without asking whether there are any."""
    return 0
