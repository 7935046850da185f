"""The seven pieces and their orientations as data: drawn once, turned by the computer.

A shape is a tuple of columns from left to right, each a number whose bit 0 is the lowest row of the shape's box.
Orientation 0 is the spawn state, the next ones follow clockwise; those that look like an earlier one are left out.
"""

from typing import Any

import numpy as np

from tetrion.engine.lanes import LANES

WIDTH = 10
PIECES = "IOTSZJL"
DRAWINGS = {
    "I": ["####"],
    "O": ["##", "##"],
    "T": [".#.", "###"],
    "S": [".##", "##."],
    "Z": ["##.", ".##"],
    "J": ["#..", "###"],
    "L": ["..#", "###"],
}

Shape = tuple[int, ...]
Table = np.ndarray[Any, np.dtype[np.int32]]


def turned(drawing: list[str]) -> list[str]:
    """The drawing after a quarter turn clockwise."""
    return ["".join(column) for column in zip(*reversed(drawing), strict=True)]


def shape(drawing: list[str]) -> Shape:
    """The columns of a drawing, whose rows stand top to bottom."""
    rows = list(reversed(drawing))
    return tuple(sum((row[x] == "#") << y for y, row in enumerate(rows)) for x in range(len(rows[0])))


def orientations(piece: str) -> list[Shape]:
    """The different shapes of a piece, clockwise from its spawn state."""
    drawing, shapes = DRAWINGS[piece], []
    for _ in range(4):
        shapes.append(shape(drawing))
        drawing = turned(drawing)
    return list(dict.fromkeys(shapes))


# The orientations of all pieces one after another; those of piece p are FIRST[p] up to FIRST[p + 1].
SHAPES = [turn for piece in PIECES for turn in orientations(piece)]
FIRST = np.cumsum([0] + [len(orientations(piece)) for piece in PIECES]).astype(np.int32)
PIECE_OF = np.repeat(np.arange(len(PIECES)), np.diff(FIRST)).astype(np.int32)
PLACES = np.array([WIDTH + 1 - len(columns) for columns in SHAPES], np.int32)
TALL = np.array([max(column.bit_length() for column in columns) for columns in SHAPES], np.int32)


def _bottoms() -> Table:
    """How far above its box's floor each of four columns begins; so far that it never lands where there is no cell."""
    table = np.full((len(SHAPES), 4), 99, np.int32)
    for orientation, columns in enumerate(SHAPES):
        table[orientation, : len(columns)] = [(column & -column).bit_length() - 1 for column in columns]
    return table


def _cells() -> Table:
    """For every orientation the ten columns of cells, a lane for each column that the piece's left edge may be at."""
    table = np.zeros((len(SHAPES), WIDTH, LANES), np.int32)
    for orientation, columns in enumerate(SHAPES):
        for x in range(PLACES[orientation]):
            table[orientation, x : x + len(columns), x] = columns
    return table.reshape(-1)


BOXES = np.array([[*columns, *[0] * (4 - len(columns))] for columns in SHAPES], np.int32)  # the columns, four each
# A whole shape in one number, four bits a column.
PACKED = np.array([sum(column << (4 * k) for k, column in enumerate(columns)) for columns in SHAPES], np.int64)
BOTTOMS = _bottoms()
CELLS = _cells()
# The four cells of every orientation: column and row in its box.
SQUARES = np.array(
    [[(x, y) for x, column in enumerate(columns) for y in range(4) if column >> y & 1] for columns in SHAPES], np.int32
)
