"""Features of the placement itself, which a lookahead sums over its placements."""

from tetrion.engine.bitboard import MAX_ROWS, Outcome
from tetrion.engine.feature_registry import (
    GAVRILOV_SOURCE,
    MEDICO_SOURCE,
    PLACEMENT_FEATURE,
    SEVERAL_SOURCES,
    TETRAIS_SOURCE,
    builtin_feature,
)
from tetrion.engine.pieces import BOARD_WIDTH, PIECES
from tetrion.engine.scalar_or_simd import broadcast, maximum, to_int


@builtin_feature("Number of rows that the placement completes", SEVERAL_SOURCES, 4, PLACEMENT_FEATURE)
def lines(o: Outcome) -> int:
    return o.lines


@builtin_feature("1 if exactly one row is completed, otherwise 0", MEDICO_SOURCE, 1, PLACEMENT_FEATURE)
def one_line(o: Outcome) -> int:
    return to_int(o.lines == 1)


@builtin_feature("1 if exactly two rows are completed, otherwise 0", MEDICO_SOURCE, 1, PLACEMENT_FEATURE)
def two_lines(o: Outcome) -> int:
    return to_int(o.lines == 2)


@builtin_feature("1 if exactly three rows are completed, otherwise 0", MEDICO_SOURCE, 1, PLACEMENT_FEATURE)
def three_lines(o: Outcome) -> int:
    return to_int(o.lines == 3)


@builtin_feature("1 if four rows are completed, otherwise 0", MEDICO_SOURCE, 1, PLACEMENT_FEATURE)
def four_lines(o: Outcome) -> int:
    return to_int(o.lines == 4)


@builtin_feature(
    "Number of rows from the piece's highest cell up to the top row (0 in the top row)",
    f"{GAVRILOV_SOURCE}, where it is called height",
    MAX_ROWS - 1,
    PLACEMENT_FEATURE,
)
def piece_top(o: Outcome) -> int:
    return o.rows - o.top


@builtin_feature(
    "1 if a cell of the piece lands in the top four rows of columns 3 to 6 (counted from 0), otherwise 0",
    MEDICO_SOURCE,
    1,
    PLACEMENT_FEATURE,
)
def danger(o: Outcome) -> int:
    middle = o.piece_columns[3] | o.piece_columns[4] | o.piece_columns[5] | o.piece_columns[6]
    return to_int((middle & (o.wall ^ (o.wall >> 4))) != 0)


@builtin_feature(
    "1 if the piece is O, I or Z, otherwise 0",
    f"{TETRAIS_SOURCE}, section 3.1, which gives no further definition",
    1,
    PLACEMENT_FEATURE,
)
def special_piece(o: Outcome) -> int:
    return broadcast(_SPECIAL_PIECES_MASK >> o.piece & 1, o.bottom)


_SPECIAL_PIECES_MASK = sum(1 << PIECES.index(piece) for piece in "OIZ")


@builtin_feature(
    "Row of the piece's lowest cell (0 for the lowest row)",
    f"{TETRAIS_SOURCE}, minimum height",
    MAX_ROWS - 1,
    PLACEMENT_FEATURE,
)
def piece_bottom(o: Outcome) -> int:
    return o.bottom


@builtin_feature(
    "Number of clockwise quarter turns from the flat orientation, in which T, J and L point up",
    f"{TETRAIS_SOURCE}, minimum height",
    3,
    PLACEMENT_FEATURE,
)
def turns(o: Outcome) -> int:
    return broadcast(o.quarter_turns, o.bottom)


@builtin_feature(
    "Distance in columns from the piece's left edge to the leftmost of the lowest columns before the placement",
    f"{TETRAIS_SOURCE}, minimum height",
    BOARD_WIDTH - 1,
    PLACEMENT_FEATURE,
)
def lowest_column_distance(o: Outcome) -> int:
    return maximum(o.left - o.before.lowest_column, o.before.lowest_column - o.left)


@builtin_feature(
    "Pseudo-random number of the placement, determined by the board and the placement",
    "Tetrion",
    2**30 - 1,
    PLACEMENT_FEATURE,
)
def chance(o: Outcome) -> int:
    # The finaliser of MurmurHash3 by Austin Appleby (public domain), in 32 bits for scalars and lanes.
    mixed = o.before.board_hash ^ (
        (((o.piece * 4 + o.quarter_turns) * 16 + o.left) * 32 + o.bottom) * 0x9E3779B1 & _UINT32_MASK
    )
    mixed = (mixed ^ (mixed >> 16)) * 0x85EBCA6B & _UINT32_MASK
    mixed = (mixed ^ (mixed >> 13)) * 0xC2B2AE35 & _UINT32_MASK
    return (mixed ^ (mixed >> 16)) >> 2


_UINT32_MASK = 2**32 - 1
