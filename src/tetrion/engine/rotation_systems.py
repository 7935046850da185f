"""Rotation systems as data: what the states of a piece look like, where it enters, and what a turn tries.

A state is a picture in a box; a turn changes the picture and leaves the box where it is. The engine knows a piece by
its leftmost column and its lowest row, so the pictures become tables of how these two change with a turn.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tetrion.engine.pieces import (
    BOARD_WIDTH,
    COLUMN_BOTTOMS,
    FIRST_ORIENTATION,
    ORIENTATION_COLUMNS,
    ORIENTATION_HEIGHTS,
    PIECE_DRAWINGS,
    PIECES,
    SHAPES,
    make_shape,
    rotate_drawing,
)

MAX_ROTATION_STATES = 4
MAX_KICK_TESTS = 5  # places that a turn tries, the first without a kick

# By piece: where it is in each state, what it becomes with a turn forwards or backwards, and where it enters.
ROTATION_FIELDS = [
    ("states", np.int64, 7),
    ("orientation", np.int64, (7, MAX_ROTATION_STATES)),  # of a state
    ("turn", np.int64, (7, MAX_ROTATION_STATES)),  # of a state: which of the piece's orientations that is
    ("turns", np.int64, 7),  # how many different orientations it has
    ("turned", np.int64, (7, MAX_ROTATION_STATES)),  # these orientations, in order
    ("wide", np.int64, 7),  # the first of them that lies in three or four columns; −1 if none does
    ("narrows", np.int64, 7),  # how many lie in one or two
    ("narrow", np.int64, (7, MAX_ROTATION_STATES)),  # the numbers of those
    # Of every orientation, as BOXES, BOTTOMS and TALL have it: threads of a GPU look up tables that are constant one
    # after another, but these all at once.
    ("box", np.int32, ORIENTATION_COLUMNS.shape),
    ("bottoms", np.int32, COLUMN_BOTTOMS.shape),
    ("peaks", np.int32, ORIENTATION_COLUMNS.shape),  # the heights of a box's columns; far below where there is no cell
    ("tall", np.int32, ORIENTATION_HEIGHTS.shape),
    ("left", np.int64, 7),  # its leftmost column when it enters
    ("bottom", np.int64, 7),  # its lowest row then, counted from the row above the top visible one
    ("tests", np.int64),
    (
        "dx",
        np.int64,
        (7, MAX_ROTATION_STATES, 2, MAX_KICK_TESTS),
    ),  # how leftmost column and lowest row change with a turn
    ("dy", np.int64, (7, MAX_ROTATION_STATES, 2, MAX_KICK_TESTS)),
]

RotationBox = list[str]
Kicks = Mapping[tuple[int, int], tuple[tuple[int, int], ...]]


@dataclass(frozen=True)
class RotationSystem:
    """A rotation system.

    `boxes` holds the states of each piece in the order of the turns; `corners` the column of a box's left edge and the
    row of its top edge under the top visible row when a piece enters; `kicks`, by piece and by states (from, to), the
    places (columns to the right, rows up) that a turn tries one after another when it does not fit as it is.
    """

    boxes: Mapping[str, list[RotationBox]]
    spawn_corners: Mapping[str, tuple[int, int]]
    kicks: Mapping[str, Kicks] = field(default_factory=dict)

    def write_to(self, record: Any) -> None:
        """Write the system into a record that has the fields of `ROTATION`."""
        record["tests"] = 1 + max((len(tries) for kicks in self.kicks.values() for tries in kicks.values()), default=0)
        record["box"], record["bottoms"], record["tall"] = ORIENTATION_COLUMNS, COLUMN_BOTTOMS, ORIENTATION_HEIGHTS
        record["peaks"] = [[int(column).bit_length() or -99 for column in box] for box in ORIENTATION_COLUMNS]
        for piece, letter in enumerate(PIECES):
            boxes = self.boxes[letter]
            corners = [find_corner(box) for box in boxes]
            looks = [find_orientation(piece, box) for box in boxes]
            different = list(dict.fromkeys(looks))
            record["states"][piece], record["turns"][piece] = len(boxes), len(different)
            record["orientation"][piece, : len(boxes)] = looks
            record["turn"][piece, : len(boxes)] = [different.index(look) for look in looks]
            record["turned"][piece, : len(different)] = different
            widths = [len(SHAPES[look]) for look in different]
            narrow = [turn for turn, width in enumerate(widths) if width < 3]
            record["wide"][piece] = next((turn for turn, width in enumerate(widths) if width > 2), -1)
            record["narrows"][piece], record["narrow"][piece, : len(narrow)] = len(narrow), narrow
            record["left"][piece] = self.spawn_corners[letter][0] + corners[0][0]
            record["bottom"][piece] = corners[0][1] - len(boxes[0]) - self.spawn_corners[letter][1]
            for state, (left, bottom) in enumerate(corners):
                for direction, step in enumerate((1, -1)):
                    other = (state + step) % len(boxes)
                    tries = [(0, 0), *self.kicks.get(letter, {}).get((state, other), ())]
                    tries += [tries[-1]] * (record["tests"] - len(tries))  # once more, to no effect
                    for test, (right, up) in enumerate(tries):
                        record["dx"][piece, state, direction, test] = corners[other][0] - left + right
                        record["dy"][piece, state, direction, test] = corners[other][1] - bottom + up


def parse_boxes(text: str) -> list[RotationBox]:
    """The boxes that stand side by side in a text."""
    return [list(rows) for rows in zip(*(line.split() for line in text.split("\n") if line.strip()), strict=True)]


def find_corner(box: RotationBox) -> tuple[int, int]:
    """The column of a picture's leftmost cell in its box, and the row of its lowest, counted from the box's floor."""
    return min(row.index("#") for row in box if "#" in row), next(
        y for y, row in enumerate(reversed(box)) if "#" in row
    )


def find_orientation(piece: int, box: RotationBox) -> int:
    """The number of the orientation that a box shows."""
    columns = make_shape(box)
    _, bottom = find_corner(box)
    seen = tuple(column >> bottom for column in columns if column)
    return next(
        number for number in range(FIRST_ORIENTATION[piece], FIRST_ORIENTATION[piece + 1]) if SHAPES[number] == seen
    )


def _rotate_about_top_left(drawing: RotationBox) -> list[RotationBox]:
    """The different turns of a drawing; boxes of both sizes have their top left corner in common."""
    found: list[RotationBox] = []
    while drawing not in found:
        found.append(drawing)
        drawing = rotate_drawing(drawing)
    size = max(len(drawing), len(drawing[0]))
    return [[row.ljust(size, ".") for row in box] + ["." * size] * (size - len(box)) for box in found]


TOP_LEFT_ROTATION = RotationSystem(
    {piece: _rotate_about_top_left(drawing) for piece, drawing in PIECE_DRAWINGS.items()},
    {piece: ((BOARD_WIDTH - len(drawing[0])) // 2, 0) for piece, drawing in PIECE_DRAWINGS.items()},
)

# The shapes of TechWithTim's tutorial on which Gavrilov's game is built.
TUTORIAL_ROTATION = RotationSystem(
    {
        "I": parse_boxes("""
            ..#.. .....
            ..#.. ####.
            ..#.. .....
            ..#.. .....
            ..... ....."""),
        "O": parse_boxes("""
            .....
            .....
            .##..
            .##..
            ....."""),
        "T": parse_boxes("""
            ..... ..... ..... .....
            ..#.. ..#.. ..... ..#..
            .###. ..##. .###. .##..
            ..... ..#.. ..#.. ..#..
            ..... ..... ..... ....."""),
        "S": parse_boxes("""
            ..... .....
            ..... ..#..
            ..##. ..##.
            .##.. ...#.
            ..... ....."""),
        "Z": parse_boxes("""
            ..... .....
            ..... ..#..
            .##.. .##..
            ..##. .#...
            ..... ....."""),
        "J": parse_boxes("""
            ..... ..... ..... .....
            .#... ..##. ..... ..#..
            .###. ..#.. .###. ..#..
            ..... ..#.. ...#. .##..
            ..... ..... ..... ....."""),
        "L": parse_boxes("""
            ..... ..... ..... .....
            ...#. ..#.. ..... .##..
            .###. ..#.. .###. ..#..
            ..... ..##. .#... ..#..
            ..... ..... ..... ....."""),
    },
    dict.fromkeys(PIECES, (3, 0)),
)

# The console's right-handed system (TetrisNESDisasm, orientationTable and rotationTable): each box's third column and
# third row hold the piece's centre, which enters in column 5 of the top visible row.
NES_ROTATION = RotationSystem(
    {
        "I": parse_boxes("""
            .... ..#.
            .... ..#.
            #### ..#.
            .... ..#."""),
        "O": parse_boxes("""
            ....
            ....
            .##.
            .##."""),
        "T": parse_boxes("""
            .... .... .... ....
            .... ..#. ..#. ..#.
            .### .##. .### ..##
            ..#. ..#. .... ..#."""),
        "S": parse_boxes("""
            .... ....
            .... ..#.
            ..## ..##
            .##. ...#"""),
        "Z": parse_boxes("""
            .... ....
            .... ...#
            .##. ..##
            ..## ..#."""),
        "J": parse_boxes("""
            .... .... .... ....
            .... ..#. .#.. ..##
            .### ..#. .### ..#.
            ...# .##. .... ..#."""),
        "L": parse_boxes("""
            .... .... .... ....
            .... .##. ...# ..#.
            .### ..#. .### ..#.
            .#.. ..#. .... ..##"""),
    },
    dict.fromkeys(PIECES, (3, -2)),
)

ROTATION_SYSTEMS = {"top-left": TOP_LEFT_ROTATION, "tutorial": TUTORIAL_ROTATION, "nes": NES_ROTATION}
