"""Features of the placement itself; over several pieces they add up."""

from tetrion.engine.board import HIGHEST, Outcome
from tetrion.engine.features.sources import EVERYBODY, GAVRILOV, MEDICO, TETRAIS
from tetrion.engine.pieces import PIECES, WIDTH
from tetrion.engine.registry import PLACEMENT, feature
from tetrion.engine.words import maximum, spread, truth


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


@feature("Row of the piece's lowest cell, 0 for the floor", f"{TETRAIS}, minimum height", HIGHEST - 1, PLACEMENT)
def piece_bottom(o: Outcome) -> int:
    return o.bottom


@feature(
    "Quarter turns clockwise from how the piece lies flat, T, J and L pointing up",
    f"{TETRAIS}, minimum height",
    3,
    PLACEMENT,
)
def turns(o: Outcome) -> int:
    return spread(o.turns, o.bottom)


@feature(
    "Columns between the piece's left edge and the leftmost of the lowest columns before the placement",
    f"{TETRAIS}, minimum height",
    WIDTH - 1,
    PLACEMENT,
)
def lowest_column_distance(o: Outcome) -> int:
    return maximum(o.left - o.before.lowest_column, o.before.lowest_column - o.left)


@feature("A number drawn by lot for each placement; the same board draws the same", "ours", 2**30 - 1, PLACEMENT)
def chance(o: Outcome) -> int:
    # The finish of Austin Appleby's MurmurHash3 (public domain), in 32 bits for one placement and for sixteen.
    lot = o.before.lot ^ ((((o.piece * 4 + o.turns) * 16 + o.left) * 32 + o.bottom) * 0x9E3779B1 & WORD)
    lot = (lot ^ (lot >> 16)) * 0x85EBCA6B & WORD
    lot = (lot ^ (lot >> 13)) * 0xC2B2AE35 & WORD
    return (lot ^ (lot >> 16)) >> 2


WORD = 2**32 - 1
