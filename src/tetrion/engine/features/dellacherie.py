"""The eight features of Dellacherie, Thiery and Scherrer, which the strongest controllers share."""

from typing import Any

from tetrion.engine.board import HIGHEST, Outcome
from tetrion.engine.compiler import compiled
from tetrion.engine.features.sources import DELLACHERIE, THIERY
from tetrion.engine.pieces import WIDTH
from tetrion.engine.registry import PLACEMENT, feature
from tetrion.engine.ten import Ten, before, behind, each, each2, each3, joined, same, total
from tetrion.engine.words import anywhere, popcount, spread


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
def gaps(o: Outcome) -> Ten:
    return each2(_holes_in, o.columns, o.heights)


@compiled
def _holes_in(column: int, top: int) -> int:
    return ((1 << top) - 1) & ~column


@feature("Rows with at least one hole", THIERY, HIGHEST - 1)
def rows_with_holes(o: Outcome) -> int:
    return popcount(joined(gaps(o)))
