"""The seven pieces and lookup tables of their orientations, generated from one drawing per piece.

A shape is a tuple of columns from left to right. Each column is an integer whose bit 0 is the lowest row of the shape's
bounding box. Orientation 0 of a piece is that of its drawing (T, J and L point up), and the next ones follow clockwise;
orientations that look like an earlier one are omitted.
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
    """Return the drawing rotated clockwise by 90 degrees."""
    return ["".join(column) for column in zip(*reversed(drawing), strict=True)]


def make_shape(drawing: list[str]) -> PieceShape:
    """Return the columns of a drawing, whose rows are listed from top to bottom."""
    rows = list(reversed(drawing))
    return tuple(sum((row[x] == "#") << y for y, row in enumerate(rows)) for x in range(len(rows[0])))


def make_orientations(piece: str) -> list[PieceShape]:
    """Return the distinct shapes of a piece, clockwise from its drawing."""
    drawing = PIECE_DRAWINGS[piece]
    shapes = []
    for _ in range(4):
        shapes.append(make_shape(drawing))
        drawing = rotate_drawing(drawing)
    return list(dict.fromkeys(shapes))


# The orientations of all pieces in one list; those of piece p are FIRST_ORIENTATION[p] to FIRST_ORIENTATION[p + 1] - 1.
SHAPES = [shape for piece in PIECES for shape in make_orientations(piece)]
FIRST_ORIENTATION = np.cumsum([0] + [len(make_orientations(piece)) for piece in PIECES]).astype(np.int32)
PIECE_OF_ORIENTATION = np.repeat(np.arange(len(PIECES)), np.diff(FIRST_ORIENTATION)).astype(np.int32)
PLACEMENT_COLUMNS = np.array([BOARD_WIDTH + 1 - len(columns) for columns in SHAPES], np.int32)
ORIENTATION_HEIGHTS = np.array([max(column.bit_length() for column in columns) for columns in SHAPES], np.int32)


def _make_column_bottoms() -> Int32Table:
    """Return the row of the lowest cell in each of four columns, by orientation; 99 for a column without cells."""
    table = np.full((len(SHAPES), 4), 99, np.int32)  # so large that such a column never decides where the piece lands
    for orientation, columns in enumerate(SHAPES):
        table[orientation, : len(columns)] = [(column & -column).bit_length() - 1 for column in columns]
    return table


def _make_lane_cells() -> Int32Table:
    """Return the piece's cells by orientation, board column and lane; lane x has the piece's left edge in column x."""
    table = np.zeros((len(SHAPES), BOARD_WIDTH, LANES), np.int32)
    for orientation, columns in enumerate(SHAPES):
        for x in range(PLACEMENT_COLUMNS[orientation]):
            table[orientation, x : x + len(columns), x] = columns
    return table.reshape(-1)


# The columns of each orientation, padded with empty columns to four.
ORIENTATION_COLUMNS = np.array([[*columns, *[0] * (4 - len(columns))] for columns in SHAPES], np.int32)
# Each shape as one integer, four bits per column.
PACKED_SHAPES = np.array([sum(column << (4 * k) for k, column in enumerate(columns)) for columns in SHAPES], np.int64)
COLUMN_BOTTOMS = _make_column_bottoms()
LANE_CELLS = _make_lane_cells()
# The four cells of each orientation: column and row in its bounding box.
CELL_OFFSETS = np.array(
    [[(x, y) for x, column in enumerate(columns) for y in range(4) if column >> y & 1] for columns in SHAPES], np.int32
)
