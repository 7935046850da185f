"""Rotation systems: the states of each piece in the order of its rotation, where it spawns, and its kicks."""

import re
from typing import NamedTuple

from tests.reference.pieces import PIECES, SPAWN_DRAWINGS, WIDTH, Cell, parse_drawing, rotate_clockwise

Kick = tuple[int, int]  # columns to the right, rows up


class Rotation(NamedTuple):
    """A rotation system. Each state of a piece is a list of cells (x, y) in a box, from its top left corner.

    `spawn_column` is the column of the box's left edge when the piece spawns; `spawn_depth` is the number of rows from
    the top visible row down to the box's top row, before the rules' `spawn_height` is applied.
    """

    states: dict[str, list[list[Cell]]]
    spawn_column: dict[str, int]
    spawn_depth: dict[str, int]
    kicks: dict[tuple[str, int, int], list[Kick]]  # by piece, state before and state after


def make_shape(cells: list[Cell]) -> list[Cell]:
    """Return the cells of a box as a shape: its leftmost column and its lowest row are 0, and rows count upwards."""
    left, lowest = min(x for x, _ in cells), max(y for _, y in cells)
    return sorted((x - left, lowest - y) for x, y in cells)


def find_shapes(rotation: Rotation, piece: str) -> list[list[Cell]]:
    """Return the different shapes of a piece in the order of its rotation, from the state in which it spawns."""
    shapes: list[list[Cell]] = []
    for cells in rotation.states[piece]:
        if make_shape(cells) not in shapes:
            shapes.append(make_shape(cells))
    return shapes


def make_top_left_rotation() -> Rotation:
    """Return the system whose boxes are as small as possible and rotate clockwise about their top left cell."""
    states: dict[str, list[list[Cell]]] = {}
    spawn_column = {}
    for piece in PIECES:
        cells = parse_drawing(SPAWN_DRAWINGS[piece])
        spawn_column[piece] = (WIDTH - (max(x for x, _ in cells) + 1)) // 2
        states[piece] = []
        for _ in range(4):
            top = max(y for _, y in cells)
            states[piece].append([(x, top - y) for x, y in cells])
            cells = rotate_clockwise(cells)
    return Rotation(states, spawn_column, dict.fromkeys(PIECES, 0), {})


def make_rotation(
    drawings: dict[str, str], spawn_column: int, spawn_depth: int, kicks: dict[tuple[str, int, int], list[Kick]]
) -> Rotation:
    """Return the system whose states are drawn side by side for each piece."""
    states = {piece: parse_boxes(drawing) for piece, drawing in drawings.items()}
    return Rotation(states, dict.fromkeys(PIECES, spawn_column), dict.fromkeys(PIECES, spawn_depth), kicks)


def parse_boxes(drawing: str) -> list[list[Cell]]:
    """Return the filled cells of each box in a drawing of boxes side by side."""
    rows = [line.split() for line in drawing.strip().splitlines()]
    return [
        [(x, y) for y, row in enumerate(rows) for x, mark in enumerate(row[number]) if mark != "."]
        for number in range(len(rows[0]))
    ]


TUTORIAL = {
    "S": """
        ..... .....
        ..... ..0..
        ..00. ..00.
        .00.. ...0.
        ..... .....
    """,
    "Z": """
        ..... .....
        ..... ..0..
        .00.. .00..
        ..00. .0...
        ..... .....
    """,
    "I": """
        ..0.. .....
        ..0.. 0000.
        ..0.. .....
        ..0.. .....
        ..... .....
    """,
    "O": """
        .....
        .....
        .00..
        .00..
        .....
    """,
    "J": """
        ..... ..... ..... .....
        .0... ..00. ..... ..0..
        .000. ..0.. .000. ..0..
        ..... ..0.. ...0. .00..
        ..... ..... ..... .....
    """,
    "L": """
        ..... ..... ..... .....
        ...0. ..0.. ..... .00..
        .000. ..0.. .000. ..0..
        ..... ..00. .0... ..0..
        ..... ..... ..... .....
    """,
    "T": """
        ..... ..... ..... .....
        ..0.. ..0.. ..... ..0..
        .000. ..00. .000. .00..
        ..... ..0.. ..0.. ..0..
        ..... ..... ..... .....
    """,
}

NES = {
    "T": """
        .... .... .... ....
        .... ..#. ..#. ..#.
        .#o# .#o. .#o# ..o#
        ..#. ..#. .... ..#.
    """,
    "J": """
        .... .... .... ....
        .... ..#. .#.. ..##
        .#o# ..o. .#o# ..o.
        ...# .##. .... ..#.
    """,
    "L": """
        .... .... .... ....
        .... .##. ...# ..#.
        .#o# ..o. .#o# ..o.
        .#.. ..#. .... ..##
    """,
    "Z": """
        .... ....
        .... ...#
        .#o. ..o#
        ..## ..#.
    """,
    "S": """
        .... ....
        .... ..#.
        ..o# ..o#
        .##. ...#
    """,
    "I": """
        .... ..#.
        .... ..#.
        ##o# ..o.
        .... ..#.
    """,
    "O": """
        ....
        ....
        .#o.
        .##.
    """,
}

# The Super Rotation System of the Tetris Guideline.
SRS = {
    "I": """
        .... ..#. .... .#..
        #### ..#. .... .#..
        .... ..#. #### .#..
        .... ..#. .... .#..
    """,
    "O": """
        .##.
        .##.
    """,
    "T": """
        .#. .#. ... .#.
        ### .## ### ##.
        ... .#. .#. .#.
    """,
    "S": """
        .## .#. ... #..
        ##. .## .## ##.
        ... ..# ##. .#.
    """,
    "Z": """
        ##. ..# ... .#.
        .## .## ##. ##.
        ... .#. .## #..
    """,
    "J": """
        #.. .## ... .#.
        ### .#. ### .#.
        ... .#. ..# ##.
    """,
    "L": """
        ..# .#. ... ##.
        ### .#. ### .#.
        ... .## #.. .#.
    """,
}
SRS_KICKS_I = {
    (0, 1): [(-2, 0), (1, 0), (-2, -1), (1, 2)],
    (1, 0): [(2, 0), (-1, 0), (2, 1), (-1, -2)],
    (1, 2): [(-1, 0), (2, 0), (-1, 2), (2, -1)],
    (2, 1): [(1, 0), (-2, 0), (1, -2), (-2, 1)],
    (2, 3): [(2, 0), (-1, 0), (2, 1), (-1, -2)],
    (3, 2): [(-2, 0), (1, 0), (-2, -1), (1, 2)],
    (3, 0): [(1, 0), (-2, 0), (1, -2), (-2, 1)],
    (0, 3): [(-1, 0), (2, 0), (-1, 2), (2, -1)],
}
SRS_KICKS = {
    (0, 1): [(-1, 0), (-1, 1), (0, -2), (-1, -2)],
    (1, 0): [(1, 0), (1, -1), (0, 2), (1, 2)],
    (1, 2): [(1, 0), (1, -1), (0, 2), (1, 2)],
    (2, 1): [(-1, 0), (-1, 1), (0, -2), (-1, -2)],
    (2, 3): [(1, 0), (1, 1), (0, -2), (1, -2)],
    (3, 2): [(-1, 0), (-1, -1), (0, 2), (-1, 2)],
    (3, 0): [(-1, 0), (-1, -1), (0, 2), (-1, 2)],
    (0, 3): [(1, 0), (1, 1), (0, -2), (1, -2)],
}


# TETR.IO's kicks of I, and kicks of half turns, as their sources write them (0, R, 2, L: north, east, south, west).
SRS_PLUS_KICKS_I = """
    0R (1,0)(-2,0)(-2,-1)(1,2)     R0 (-1,0)(2,0)(-1,-2)(2,1)
    R2 (-1,0)(2,0)(-1,2)(2,-1)     2R (-2,0)(1,0)(-2,1)(1,-2)
    2L (2,0)(-1,0)(2,1)(-1,-2)     L2 (1,0)(-2,0)(1,2)(-2,-1)
    L0 (1,0)(-2,0)(1,-2)(-2,1)     0L (-1,0)(2,0)(2,-1)(-1,2)
"""
JSTRIS_HALF_TURNS = "02 (0,1)  RL (1,0)  20 (0,-1)  LR (-1,0)"
TETRIO_HALF_TURNS = """
    02 (0,1)(1,1)(-1,1)(1,0)(-1,0)       RL (1,0)(1,2)(1,1)(0,2)(0,1)
    20 (0,-1)(-1,-1)(1,-1)(-1,0)(1,0)    LR (-1,0)(-1,2)(-1,1)(0,2)(0,1)
"""
# As cobra-movegen has it. Triangle only has the first kick of each rotation, which leads to the same cells and so fits.
TETRIO_HALF_TURNS_I = TETRIO_HALF_TURNS


def parse_kicks(text: str) -> dict[tuple[int, int], list[Kick]]:
    """Return the kicks of a table that is written as in the sources, by state before and state after."""
    words = text.split()
    return {
        ("0R2L".index(states[0]), "0R2L".index(states[1])): [
            (int(right), int(up)) for right, up in re.findall(r"\((-?\d),(-?\d)\)", kicks)
        ]
        for states, kicks in zip(words[::2], words[1::2], strict=True)
    }


def give_kicks(
    kicks: dict[tuple[int, int], list[Kick]], kicks_i: dict[tuple[int, int], list[Kick]]
) -> dict[tuple[str, int, int], list[Kick]]:
    """Return the kicks of every piece; O has none."""
    by_piece = {(piece, *states): tests for piece in "TSZJL" for states, tests in kicks.items()}
    return by_piece | {("I", *states): tests for states, tests in kicks_i.items()}


HALF_TURN_KICKS = {
    "none": {},
    "jstris": give_kicks(parse_kicks(JSTRIS_HALF_TURNS), parse_kicks(JSTRIS_HALF_TURNS)),
    "tetrio": give_kicks(parse_kicks(TETRIO_HALF_TURNS), parse_kicks(TETRIO_HALF_TURNS_I)),
}
SRS_PLUS_KICKS = give_kicks(SRS_KICKS, parse_kicks(SRS_PLUS_KICKS_I))
ROTATIONS = {
    "top-left": make_top_left_rotation(),
    "tutorial": make_rotation(TUTORIAL, spawn_column=3, spawn_depth=0, kicks={}),
    "nes": make_rotation(NES, spawn_column=3, spawn_depth=-2, kicks={}),
    "srs": make_rotation(SRS, spawn_column=3, spawn_depth=-1, kicks=give_kicks(SRS_KICKS, SRS_KICKS_I)),
    "srs+": make_rotation(SRS, spawn_column=3, spawn_depth=-1, kicks=SRS_PLUS_KICKS),
}
SHAPES = {name: {piece: find_shapes(rotation, piece) for piece in PIECES} for name, rotation in ROTATIONS.items()}
