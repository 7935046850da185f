"""The seven pieces and their orientations as data: drawn once, turned by the computer.

A shape is a tuple of columns from left to right, each a number whose bit 0 is the lowest row of the shape's box.
Orientation 0 is the spawn state, the next ones follow clockwise; those that look like an earlier one are left out.
"""

from typing import Any

import numpy as np

from tetrion.engine.simd_lanes import LANES

BOARD_WIDTH = 10
PIECES = "IOTSZJL"
PIECE_DRAWINGS = {
    "I": ["####"],
    "O": ["##", "##"],
    "T": [".#.", "###"],
    "S": [".##", "##."],
    "Z": ["##.", ".##"],
    "J": ["#..", "###"],
    "L": ["..#", "###"],
}

PieceShape = tuple[int, ...]
Int32Table = np.ndarray[Any, np.dtype[np.int32]]


def rotate_drawing(drawing: list[str]) -> list[str]:
    """The drawing after a quarter turn clockwise."""
    return ["".join(column) for column in zip(*reversed(drawing), strict=True)]


def make_shape(drawing: list[str]) -> PieceShape:
    """The columns of a drawing, whose rows stand top to bottom."""
    rows = list(reversed(drawing))
    return tuple(sum((row[x] == "#") << y for y, row in enumerate(rows)) for x in range(len(rows[0])))


def make_orientations(piece: str) -> list[PieceShape]:
    """The different shapes of a piece, clockwise from its spawn state."""
    drawing, shapes = PIECE_DRAWINGS[piece], []
    for _ in range(4):
        shapes.append(make_shape(drawing))
        drawing = rotate_drawing(drawing)
    return list(dict.fromkeys(shapes))


# The orientations of all pieces one after another; those of piece p are FIRST[p] up to FIRST[p + 1].
SHAPES = [turn for piece in PIECES for turn in make_orientations(piece)]
FIRST_ORIENTATION = np.cumsum([0] + [len(make_orientations(piece)) for piece in PIECES]).astype(np.int32)
PIECE_OF_ORIENTATION = np.repeat(np.arange(len(PIECES)), np.diff(FIRST_ORIENTATION)).astype(np.int32)
PLACEMENT_COLUMNS = np.array([BOARD_WIDTH + 1 - len(columns) for columns in SHAPES], np.int32)
ORIENTATION_HEIGHTS = np.array([max(column.bit_length() for column in columns) for columns in SHAPES], np.int32)


def _make_column_bottoms() -> Int32Table:
    """How far above its box's floor each of four columns begins; so far that it never lands where there is no cell."""
    table = np.full((len(SHAPES), 4), 99, np.int32)
    for orientation, columns in enumerate(SHAPES):
        table[orientation, : len(columns)] = [(column & -column).bit_length() - 1 for column in columns]
    return table


def _make_lane_cells() -> Int32Table:
    """For every orientation the ten columns of cells, a lane for each column that the piece's left edge may be at."""
    table = np.zeros((len(SHAPES), BOARD_WIDTH, LANES), np.int32)
    for orientation, columns in enumerate(SHAPES):
        for x in range(PLACEMENT_COLUMNS[orientation]):
            table[orientation, x : x + len(columns), x] = columns
    return table.reshape(-1)


ORIENTATION_COLUMNS = np.array(
    [[*columns, *[0] * (4 - len(columns))] for columns in SHAPES], np.int32
)  # the columns, four each
# A whole shape in one number, four bits a column.
PACKED_SHAPES = np.array([sum(column << (4 * k) for k, column in enumerate(columns)) for columns in SHAPES], np.int64)
COLUMN_BOTTOMS = _make_column_bottoms()
LANE_CELLS = _make_lane_cells()
# The four cells of every orientation: column and row in its box.
CELL_OFFSETS = np.array(
    [[(x, y) for x, column in enumerate(columns) for y in range(4) if column >> y & 1] for columns in SHAPES], np.int32
)
