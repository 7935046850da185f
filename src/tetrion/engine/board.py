"""What happens to ten columns of bits when a piece lands: written once, for one placement or for sixteen at a time.

Bit 0 of a column is the floor. Where a function takes `x`, it is the column of the piece's left edge: a number, or
sixteen lanes that try the columns 0 to 15 at once (those that do not fit are told apart by `fits`).
"""

from typing import NamedTuple

from tetrion.engine.columns import Many, Ten, bits_in, each, each2, each_with, numbered, shared, write
from tetrion.engine.compiler import compiled
from tetrion.engine.lanes import LANES, load
from tetrion.engine.pieces import BOTTOMS, CELLS, FIRST, PACKED, PIECE_OF, PLACES, TALL, WIDTH
from tetrion.engine.words import Array, anywhere, height, look, maximum, popcount, spread, word

HIGHEST = 28  # rows of the tallest board: a column has 32 bits, and a piece that sticks out up to four rows more


class Before(NamedTuple):
    """What some features must know of the board before the placement; only what is wanted is worked out."""

    max_height: int = 0
    bumpiness: int = 0
    holes: int = 0
    lowest_column: int = 0  # the leftmost of them
    lot: int = 0  # a number that is drawn for the board


NOTHING_BEFORE = Before()


class Situation(NamedTuple):
    """What is known of the board before a piece is placed."""

    board: Array
    heights: Array  # of its columns, with room beyond them for sixteen lanes to look at
    rows: int  # how many the board has
    cells: int  # how many are filled
    before: Before


class Outcome(NamedTuple):
    """What a placement leads to; features are measured on it."""

    columns: Ten  # the board that is measured
    heights: Ten  # of its columns
    cells: int  # how many cells are filled
    rows: int  # how many rows the board has
    wall: int  # a column of that many cells
    piece: int  # the number of the piece
    turns: int  # clockwise, from how it lies flat
    left: int  # the column of its left edge
    landed: Ten  # the cells of the piece alone, where it came to rest
    bottom: int  # the row of its lowest cell
    top: int  # the row above its highest cell
    full: int  # the rows that it filled
    lines: int  # how many those are
    before: Before


@compiled
def columns_of(board: Array, x: int) -> Ten:
    """The columns of a board, in as many lanes as `x` has."""
    return numbered(_column, board, x)


@compiled
def _column(board: Array, column: int, x: int) -> int:
    return spread(board[column], x)


@word(
    one=lambda orientation, column, x: ((PACKED[orientation] << (4 * x)) >> (4 * column)) & 15,
    sixteen=lambda orientation, column, x: load(CELLS, (orientation * WIDTH + column) * LANES),
    told_by=2,
)
def cells_at(orientation: int, column: int, x: int) -> int:
    """The cells that a piece with its left edge at `x` has in a column of the board, at rest on the floor."""
    return int(CELLS[(orientation * WIDTH + column) * LANES + x])


@compiled
def cells_of(orientation: int, x: int) -> Ten:
    """The ten columns that hold the piece alone, at rest on the floor."""
    return numbered(cells_at, orientation, x)


@compiled
def landing_row(heights: Array, orientation: int, x: int) -> int:
    """The row in which the lowest cell of a piece dropped straight down comes to rest."""
    left = maximum(_rest(heights, orientation, x, 0), _rest(heights, orientation, x, 1))
    right = maximum(_rest(heights, orientation, x, 2), _rest(heights, orientation, x, 3))
    return maximum(maximum(left, right), 0)


@compiled
def _rest(heights: Array, orientation: int, x: int, k: int) -> int:
    return look(heights, k, x) - int(BOTTOMS[orientation, k])


@compiled
def fits(orientation: int, x: int, row: int, rows: int) -> bool:
    """Whether a piece lies wholly on the board."""
    return (row + int(TALL[orientation]) <= rows) & (x < int(PLACES[orientation]))


@compiled
def raised(column: int, row: int) -> int:
    """A column moved up."""
    return column << row


@compiled
def both(a: int, b: int) -> int:
    """The cells of two columns together."""
    return a | b


@compiled
def without(column: int, low: int) -> int:
    """A column without the lowest row above the rows of `low`."""
    return (column & low) | ((column >> 1) & ~low)


@compiled
def without_full_rows(columns: Many, full: int) -> Many:
    """The board after its full rows are removed, whichever they are."""
    while anywhere(full):
        low = (full & (0 - full)) - 1  # the rows under the lowest full one; all rows where none is full
        columns = each_with(without, columns, low)
        full = (full & (full - 1)) >> 1
    return columns


@compiled
def heights_of(columns: Ten) -> Ten:
    """The height of every column."""
    heights: Ten = each(height, columns)
    return heights


@compiled
def cells_in(columns: Ten) -> int:
    """How many cells are filled."""
    return bits_in(columns)


@compiled
def placed(board: Array, orientation: int, x: int, row: int) -> tuple[Ten, Ten, int]:
    """The board with the piece on it, the piece alone, and the rows that are full; none is removed yet."""
    landed = each_with(raised, cells_of(orientation, x), row)
    columns = each2(both, columns_of(board, x), landed)
    return columns, landed, shared(columns)


@compiled
def settle(board: Array, orientation: int, x: int, row: int) -> int:
    """Place a piece on a board for good and remove full rows; tells which they were."""
    columns, _, full = placed(board, orientation, x, row)
    write(board, without_full_rows(columns, full))
    return full


@compiled
def _emptied(column: int) -> int:
    return column & 0


@compiled
def standing(board: Array, rows: int) -> Outcome:
    """The board as it stands, as if nothing had been placed."""
    columns = columns_of(board, 0)
    nothing = each(_emptied, columns)
    heights = heights_of(columns)
    wall = (1 << rows) - 1
    return Outcome(columns, heights, cells_in(columns), rows, wall, 0, 0, 0, nothing, 0, 0, 0, 0, NOTHING_BEFORE)


@compiled
def outcome(now: Situation, removed: bool, orientation: int, x: int, row: int) -> Outcome:
    """What the placement leads to, measured after the full rows are removed or while they are still there."""
    columns, landed, full = placed(now.board, orientation, x, row)
    lines, filled = spread(0, x), spread(now.cells + 4, x)
    if anywhere(full):
        lines = popcount(full)
        if removed:
            columns = without_full_rows(columns, full)
            filled = filled - WIDTH * lines
    heights, piece = heights_of(columns), int(PIECE_OF[orientation])
    return Outcome(
        columns,
        heights,
        filled,
        now.rows,
        spread((1 << now.rows) - 1, x),
        piece,
        int(orientation) - int(FIRST[piece]),
        x,
        landed,
        row,
        row + TALL[orientation],
        full,
        lines,
        now.before,
    )
