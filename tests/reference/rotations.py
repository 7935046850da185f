"""How pieces turn: for every piece its states in turning order, each the picture of a box, and where the box enters."""

from typing import NamedTuple

from reference.pieces import PIECES, SPAWN, WIDTH, Cell, cells_of_drawing, turned_clockwise

Kick = tuple[int, int]  # columns to the right, rows up


class Rotation(NamedTuple):
    """A table of boxes; a cell of a box is counted from its top left corner: columns to the right, rows down."""

    states: dict[str, list[list[Cell]]]
    left: dict[str, int]  # the column in which the box's left edge enters
    down: dict[str, int]  # how many rows below the top visible row the box's top row enters, before `entry`
    kicks: dict[tuple[str, int, int], list[Kick]]  # by piece, state before and state after


def shape(cells: list[Cell]) -> list[Cell]:
    """The cells of a box without its place: the leftmost column and the lowest row are 0, rows count upwards."""
    left, lowest = min(x for x, _ in cells), max(y for _, y in cells)
    return sorted((x - left, lowest - y) for x, y in cells)


def orientations(rotation: Rotation, piece: str) -> list[list[Cell]]:
    """The different shapes of a piece in the order of the turns, from the state in which it enters."""
    different: list[list[Cell]] = []
    for cells in rotation.states[piece]:
        if shape(cells) not in different:
            different.append(shape(cells))
    return different


def top_left() -> Rotation:
    """The smallest boxes, turned clockwise about their top left cell."""
    states: dict[str, list[list[Cell]]] = {}
    left = {}
    for piece in PIECES:
        cells = cells_of_drawing(SPAWN[piece])
        left[piece] = (WIDTH - (max(x for x, _ in cells) + 1)) // 2
        states[piece] = []
        for _ in range(4):
            top = max(y for _, y in cells)
            states[piece].append([(x, top - y) for x, y in cells])
            cells = turned_clockwise(cells)
    return Rotation(states, left, dict.fromkeys(PIECES, 0), {})


def drawn(pictures: dict[str, str], left: int, down: int, kicks: dict[tuple[str, int, int], list[Kick]]) -> Rotation:
    """Boxes that are drawn side by side, one a state."""
    states = {piece: boxes(picture) for piece, picture in pictures.items()}
    return Rotation(states, dict.fromkeys(PIECES, left), dict.fromkeys(PIECES, down), kicks)


def boxes(picture: str) -> list[list[Cell]]:
    """The cells of the boxes in a picture, which stand side by side."""
    rows = [line.split() for line in picture.strip().splitlines()]
    return [
        [(x, y) for y, row in enumerate(rows) for x, sign in enumerate(row[number]) if sign != "."]
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

# The guideline's system, which no set of rules has yet: the one with kicks to try.
SUPER = {
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
SUPER_KICKS_OF_I = {
    (0, 1): [(-2, 0), (1, 0), (-2, -1), (1, 2)],
    (1, 0): [(2, 0), (-1, 0), (2, 1), (-1, -2)],
    (1, 2): [(-1, 0), (2, 0), (-1, 2), (2, -1)],
    (2, 1): [(1, 0), (-2, 0), (1, -2), (-2, 1)],
    (2, 3): [(2, 0), (-1, 0), (2, 1), (-1, -2)],
    (3, 2): [(-2, 0), (1, 0), (-2, -1), (1, 2)],
    (3, 0): [(1, 0), (-2, 0), (1, -2), (-2, 1)],
    (0, 3): [(-1, 0), (2, 0), (-1, 2), (2, -1)],
}
SUPER_KICKS = {
    (0, 1): [(-1, 0), (-1, 1), (0, -2), (-1, -2)],
    (1, 0): [(1, 0), (1, -1), (0, 2), (1, 2)],
    (1, 2): [(1, 0), (1, -1), (0, 2), (1, 2)],
    (2, 1): [(-1, 0), (-1, 1), (0, -2), (-1, -2)],
    (2, 3): [(1, 0), (1, 1), (0, -2), (1, -2)],
    (3, 2): [(-1, 0), (-1, -1), (0, 2), (-1, 2)],
    (3, 0): [(-1, 0), (-1, -1), (0, 2), (-1, 2)],
    (0, 3): [(1, 0), (1, 1), (0, -2), (1, -2)],
}


def super_kicks() -> dict[tuple[str, int, int], list[Kick]]:
    kicks = {(piece, *turn): tries for piece in "TSZJL" for turn, tries in SUPER_KICKS.items()}
    return kicks | {("I", *turn): tries for turn, tries in SUPER_KICKS_OF_I.items()}


ROTATIONS = {
    "top-left": top_left(),
    "tutorial": drawn(TUTORIAL, left=3, down=0, kicks={}),
    "nes": drawn(NES, left=3, down=-2, kicks={}),
    "super": drawn(SUPER, left=3, down=0, kicks=super_kicks()),
}
SHAPES = {name: {piece: orientations(rotation, piece) for piece in PIECES} for name, rotation in ROTATIONS.items()}
