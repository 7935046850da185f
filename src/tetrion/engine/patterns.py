"""Patterns: tables of points for the shapes of neighbouring columns and rows, which agents can use beside features.

A feature is one number of a board; a pattern looks at several places of a board and adds the table's entry of each.
Such evaluation functions are known as n-tuple networks. Every pattern has one table per stage of the game, because a
shape is worth more or less depending on how much space and how many rows with holes there are. Places that mirror each
other share a table: Tetris has a mirror image.

Tables that were learned on a low board can play on a higher one: their view is then a low board that contains the top
of the stack, and the rows below it are hidden.

Sources: Jaśkowski, Szubert, Liskowski and Krawiec 2015 (n-tuple networks for Tetris with S and Z only); Yeh et al.
2016, arXiv 1606.07374 (stages, for 2048).
"""

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from tetrion.engine.bitboard import MAX_ROWS
from tetrion.engine.columns import (
    Columns,
    TenColumns,
    map_columns,
    map_columns2,
    map_columns_with,
    max_column,
    or_columns,
    sum_columns,
)
from tetrion.engine.compiler import compile_inline, define_function
from tetrion.engine.features.dellacherie_features import find_holes
from tetrion.engine.pieces import BOARD_WIDTH
from tetrion.engine.records import AgentRecord
from tetrion.engine.scalar_or_simd import (
    Array,
    any_bit_set,
    as_32_bits,
    as_64_bits,
    gather_at,
    maximum,
    minimum,
    popcount,
    where,
)

# Stages: pairs of free rows above the stack (0–1, 2–3, 4–5, 6 and more) × rows with holes (0 to 3 and more).
STAGE_NAMES = ("space", "holes")
SPACE_CLASSES = 4
HOLE_ROW_CLASSES = 4
STAGES = SPACE_CLASSES * HOLE_ROW_CLASSES

VIEW_FREE_ROWS = 4  # rows that a view leaves free above the stack, so that every piece fits into it
CELLS_BELOW_TOP = 7
MAX_COUNTED_HOLE_ROWS = 15
_ROW_CODES = 1 << BOARD_WIDTH
_COLUMN_CODES = 1 << CELLS_BELOW_TOP
_FIVE_CLIP, _FOUR_CLIP = 3, 4  # a larger difference of heights counts as this one
_FIVE_BASE, _FOUR_BASE = 2 * _FIVE_CLIP + 1, 2 * _FOUR_CLIP + 1
_FIVE_CODES, _FOUR_CODES = _FIVE_BASE**4, _FOUR_BASE**3
_FREE_ROW_CODES = MAX_ROWS + 1
_FREE_CELL_CODES = BOARD_WIDTH * MAX_ROWS // 2 + 1


Visit = Callable[[Any, int, int], int]  # (target, start of a table, index in it) -> points
VisitPattern = Callable[[Visit, Any, int, "PatternBoard"], int]  # the third argument is the start of the table


@dataclass(frozen=True)
class Pattern:
    """A pattern: its table has `size` entries, of which at most `places` are added for a board."""

    number: int
    name: str
    description: str
    size: int
    places: int
    visit: VisitPattern

    @property
    def has_stages(self) -> bool:
        """Whether the pattern has a table for each stage."""
        return self.places > 1


PATTERNS: dict[str, Pattern] = {}


def builtin_pattern(size: int, places: int) -> Callable[[VisitPattern], VisitPattern]:
    """Decorate a function that visits entries: compile it and add it to the patterns, described by its docstring."""

    def register(function: VisitPattern) -> VisitPattern:
        name, visit = function.__name__, compile_inline(function)
        description = (function.__doc__ or "").rstrip(".")
        PATTERNS[name] = Pattern(len(PATTERNS), name, description, size, places, visit)
        return visit

    return register


class PatternBoard(NamedTuple):
    """The values of a board that the patterns need, for one board or for sixteen in SIMD lanes."""

    columns: TenColumns
    heights: TenColumns
    stage: int
    hole_rows: int  # the number of rows with holes, up to MAX_COUNTED_HOLE_ROWS
    free_rows: int
    free_cells: int


@compile_inline
def examine_patterns(columns: TenColumns, heights: TenColumns, rows: int) -> PatternBoard:
    """Compute the values of a board that the patterns need."""
    columns, heights = map_columns(as_32_bits, columns), map_columns(as_32_bits, heights)
    hole_rows = popcount(or_columns(map_columns2(find_holes, columns, heights)))
    free_rows = rows - max_column(heights)
    space = minimum(free_rows >> 1, SPACE_CLASSES - 1)
    stage = space * HOLE_ROW_CLASSES + minimum(hole_rows, HOLE_ROW_CLASSES - 1)
    free_cells = BOARD_WIDTH * rows - sum_columns(heights)
    return PatternBoard(columns, heights, stage, minimum(hole_rows, MAX_COUNTED_HOLE_ROWS), free_rows, free_cells)


@compile_inline
def find_view_bottom(view_rows: int, max_height: int) -> int:
    """Return the number of rows below a view, given the height of the stack before the placement."""
    return max(max_height - (view_rows - VIEW_FREE_ROWS), 0)


@compile_inline
def _lower_height(height: int, bottom: int) -> int:
    return maximum(height - bottom, 0)


@compile_inline
def examine_view(columns: TenColumns, heights: TenColumns, view_rows: int, bottom: int) -> PatternBoard:
    """Compute the values that the patterns need, of the view that starts above the row `bottom`."""
    return examine_patterns(
        map_columns_with(operator.rshift, columns, bottom), map_columns_with(_lower_height, heights, bottom), view_rows
    )


@compile_inline
def _encode_difference(difference: int, largest: int) -> int:
    return minimum(maximum(difference, -largest), largest) + largest


@compile_inline
def _encode_differences(heights: TenColumns, largest: int) -> Columns:
    differences: Columns = map_columns2(operator.sub, heights[1:], heights[:-1])
    codes: Columns = map_columns_with(_encode_difference, differences, largest)
    return codes


@compile_inline
def _mirror_code(code: int, largest: int) -> int:
    return 2 * largest - code


@compile_inline
def _encode_five(a: int, b: int, c: int, d: int) -> int:
    return ((a * _FIVE_BASE + b) * _FIVE_BASE + c) * _FIVE_BASE + d


@compile_inline
def _encode_four(a: int, b: int, c: int) -> int:
    return (a * _FOUR_BASE + b) * _FOUR_BASE + c


@builtin_pattern(STAGES * 3 * _FIVE_CODES, places=6)
def surface_of_five(visit: Visit, target: Any, start: int, board: PatternBoard) -> int:
    """The four differences between the heights of five neighbouring columns, up to ±3, at six places."""
    # Places in the right half are read from right to left, so that they share the tables of those that mirror them.
    d = _encode_differences(board.heights, _FIVE_CLIP)
    m = map_columns_with(_mirror_code, d, _FIVE_CLIP)
    outer = board.stage * (3 * _FIVE_CODES)
    middle = outer + _FIVE_CODES
    inner = middle + _FIVE_CODES
    points = visit(target, start, outer + _encode_five(d[0], d[1], d[2], d[3]))
    points = points + visit(target, start, middle + _encode_five(d[1], d[2], d[3], d[4]))
    points = points + visit(target, start, inner + _encode_five(d[2], d[3], d[4], d[5]))
    points = points + visit(target, start, inner + _encode_five(m[6], m[5], m[4], m[3]))
    points = points + visit(target, start, middle + _encode_five(m[7], m[6], m[5], m[4]))
    return points + visit(target, start, outer + _encode_five(m[8], m[7], m[6], m[5]))


@builtin_pattern(STAGES * 4 * _FOUR_CODES, places=7)
def surface_of_four(visit: Visit, target: Any, start: int, board: PatternBoard) -> int:
    """The three differences between the heights of four neighbouring columns, up to ±4, at seven places."""
    d = _encode_differences(board.heights, _FOUR_CLIP)
    m = map_columns_with(_mirror_code, d, _FOUR_CLIP)
    first = board.stage * (4 * _FOUR_CODES)
    second = first + _FOUR_CODES
    third = second + _FOUR_CODES
    points = visit(target, start, first + _encode_four(d[0], d[1], d[2]))
    points = points + visit(target, start, second + _encode_four(d[1], d[2], d[3]))
    points = points + visit(target, start, third + _encode_four(d[2], d[3], d[4]))
    points = points + visit(target, start, third + _FOUR_CODES + _encode_four(d[3], d[4], d[5]))
    points = points + visit(target, start, third + _encode_four(m[6], m[5], m[4]))
    points = points + visit(target, start, second + _encode_four(m[7], m[6], m[5]))
    return points + visit(target, start, first + _encode_four(m[8], m[7], m[6]))


@compile_inline
def _encode_column_top(column: int, height: int) -> int:
    # Eight filled cells are put below the column, as its floor, so that a low column has seven cells to read, too.
    hidden = maximum(height - (CELLS_BELOW_TOP + 1), 0)  # rows below those that count, and within 32 bits
    cells = ((column >> hidden) << (CELLS_BELOW_TOP + 1)) | (2 * _COLUMN_CODES - 1)
    return (cells >> (height - hidden)) & (_COLUMN_CODES - 1)


@builtin_pattern(STAGES * 5 * _COLUMN_CODES, places=BOARD_WIDTH)
def column_tops(visit: Visit, target: Any, start: int, board: PatternBoard) -> int:
    """The seven cells below the highest cell of each column; the floor counts as filled."""
    t = map_columns2(_encode_column_top, board.columns, board.heights)
    first = board.stage * (5 * _COLUMN_CODES)
    second = first + _COLUMN_CODES
    third = second + _COLUMN_CODES
    fourth = third + _COLUMN_CODES
    fifth = fourth + _COLUMN_CODES
    points = visit(target, start, first + t[0]) + visit(target, start, first + t[9])
    points = points + visit(target, start, second + t[1]) + visit(target, start, second + t[8])
    points = points + visit(target, start, third + t[2]) + visit(target, start, third + t[7])
    points = points + visit(target, start, fourth + t[3]) + visit(target, start, fourth + t[6])
    return points + visit(target, start, fifth + t[4]) + visit(target, start, fifth + t[5])


@compile_inline
def _get_lowest_cell(column: int) -> int:
    return column & 1


@compile_inline
def _encode_lowest_row(columns: TenColumns) -> int:
    c = map_columns(_get_lowest_cell, columns)
    left = c[0] | (c[1] << 1) | (c[2] << 2) | (c[3] << 3) | (c[4] << 4)
    row: int = left | (c[5] << 5) | (c[6] << 6) | (c[7] << 7) | (c[8] << 8) | (c[9] << 9)
    return row


@builtin_pattern(STAGES * _ROW_CODES, places=MAX_ROWS)
def row_cells(visit: Visit, target: Any, start: int, board: PatternBoard) -> int:
    """The ten cells of each row that is not empty."""
    columns = board.columns
    remaining = or_columns(columns)
    first = board.stage * _ROW_CODES
    points = first * 0
    while any_bit_set(remaining):
        row = _encode_lowest_row(columns)
        points = points + where(row != 0, visit(target, start, first + row), first * 0)
        columns = map_columns_with(operator.rshift, columns, 1)
        remaining = remaining >> 1
    return points


@builtin_pattern((MAX_COUNTED_HOLE_ROWS + 1) * _FREE_ROW_CODES, places=1)
def hole_rows_and_free_rows(visit: Visit, target: Any, start: int, board: PatternBoard) -> int:
    """The number of rows with holes, up to 15, and the number of free rows above the stack."""
    return visit(target, start, board.hole_rows * _FREE_ROW_CODES + board.free_rows)


@builtin_pattern((MAX_COUNTED_HOLE_ROWS + 1) * _FREE_CELL_CODES, places=1)
def hole_rows_and_free_cells(visit: Visit, target: Any, start: int, board: PatternBoard) -> int:
    """The number of rows with holes, up to 15, and half the number of free cells above the columns."""
    return visit(target, start, board.hole_rows * _FREE_CELL_CODES + (board.free_cells >> 1))


def _compile_for_all_patterns(head: str, start: str, body: str, end: str) -> Any:
    """Generate and compile a function whose body is repeated for each pattern that an agent uses."""
    source = [head, start]
    for name, pattern in PATTERNS.items():
        source.append(f"    if agent.pattern_mask & {1 << pattern.number}:")
        source.append(f"        {body.format(name=name, number=pattern.number)}")
    function_name = head.removeprefix("def ").partition("(")[0]
    visits = {name: pattern.visit for name, pattern in PATTERNS.items()}
    names = {"gather_at": gather_at, "as_64_bits": as_64_bits, **visits}
    return compile_inline(define_function(function_name, "\n".join([*source, end]), names))


# Return an agent's points for the patterns that it uses.
score_patterns: Callable[[AgentRecord, Array, PatternBoard], int] = _compile_for_all_patterns(
    "def score_patterns(agent, tables, board):",
    "    points = board.stage * 0",
    "points = points + {name}(gather_at, tables, agent.pattern_start[{number}], board)",
    "    return as_64_bits(points)",
)
# Visit the entries of a board in the tables of all patterns that an agent uses.
visit_patterns: Callable[[Visit, Any, AgentRecord, PatternBoard], None] = _compile_for_all_patterns(
    "def visit_patterns(visit, target, agent, board):",
    "    pass",
    "{name}(visit, target, agent.pattern_start[{number}], board)",
    "    pass",
)


def list_pattern_points(tables: Mapping[str, Sequence[int]], board: PatternBoard) -> dict[str, int]:
    """Return the points of a board for each pattern, given the tables by name."""
    return {name: PATTERNS[name].visit(gather_at, table, 0, board) for name, table in tables.items()}
