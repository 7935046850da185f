"""Rotation systems as data: what the states of a piece look like, where it enters, and what a turn tries.

A state is a picture in a box; a turn changes the picture and leaves the box where it is. The engine knows a piece by
its leftmost column and its lowest row, so the pictures become tables of how these two change with a turn.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tetrion.engine.pieces import BOTTOMS, BOXES, DRAWINGS, FIRST, PIECES, SHAPES, TALL, WIDTH, shape, turned

MOST_STATES = 4
MOST_TESTS = 5  # places that a turn tries, the first without a kick

# By piece: where it is in each state, what it becomes with a turn forwards or backwards, and where it enters.
ROTATION = [
    ("states", np.int64, 7),
    ("orientation", np.int64, (7, MOST_STATES)),  # of a state
    ("turn", np.int64, (7, MOST_STATES)),  # of a state: which of the piece's orientations that is
    ("turns", np.int64, 7),  # how many different orientations it has
    ("turned", np.int64, (7, MOST_STATES)),  # these orientations, in order
    ("wide", np.int64, 7),  # the first of them that lies in three or four columns; −1 if none does
    ("narrows", np.int64, 7),  # how many lie in one or two
    ("narrow", np.int64, (7, MOST_STATES)),  # the numbers of those
    # Of every orientation, as BOXES, BOTTOMS and TALL have it: threads of a GPU look up tables that are constant one
    # after another, but these all at once.
    ("box", np.int32, BOXES.shape),
    ("bottoms", np.int32, BOTTOMS.shape),
    ("peaks", np.int32, BOXES.shape),  # the heights of a box's columns; far below where there is no cell
    ("tall", np.int32, TALL.shape),
    ("left", np.int64, 7),  # its leftmost column when it enters
    ("bottom", np.int64, 7),  # its lowest row then, counted from the row above the top visible one
    ("tests", np.int64),
    ("dx", np.int64, (7, MOST_STATES, 2, MOST_TESTS)),  # how leftmost column and lowest row change with a turn
    ("dy", np.int64, (7, MOST_STATES, 2, MOST_TESTS)),
]

Box = list[str]
Kicks = Mapping[tuple[int, int], tuple[tuple[int, int], ...]]


@dataclass(frozen=True)
class Rotation:
    """A rotation system.

    `boxes` holds the states of each piece in the order of the turns; `corners` the column of a box's left edge and the
    row of its top edge under the top visible row when a piece enters; `kicks`, by piece and by states (from, to), the
    places (columns to the right, rows up) that a turn tries one after another when it does not fit as it is.
    """

    boxes: Mapping[str, list[Box]]
    corners: Mapping[str, tuple[int, int]]
    kicks: Mapping[str, Kicks] = field(default_factory=dict)

    def written(self, record: Any) -> None:
        """Write the system into a record that has the fields of `ROTATION`."""
        record["tests"] = 1 + max((len(tries) for kicks in self.kicks.values() for tries in kicks.values()), default=0)
        record["box"], record["bottoms"], record["tall"] = BOXES, BOTTOMS, TALL
        record["peaks"] = [[int(column).bit_length() or -99 for column in box] for box in BOXES]
        for piece, letter in enumerate(PIECES):
            boxes = self.boxes[letter]
            corners = [corner(box) for box in boxes]
            looks = [orientation(piece, box) for box in boxes]
            different = list(dict.fromkeys(looks))
            record["states"][piece], record["turns"][piece] = len(boxes), len(different)
            record["orientation"][piece, : len(boxes)] = looks
            record["turn"][piece, : len(boxes)] = [different.index(look) for look in looks]
            record["turned"][piece, : len(different)] = different
            widths = [len(SHAPES[look]) for look in different]
            narrow = [turn for turn, width in enumerate(widths) if width < 3]
            record["wide"][piece] = next((turn for turn, width in enumerate(widths) if width > 2), -1)
            record["narrows"][piece], record["narrow"][piece, : len(narrow)] = len(narrow), narrow
            record["left"][piece] = self.corners[letter][0] + corners[0][0]
            record["bottom"][piece] = corners[0][1] - len(boxes[0]) - self.corners[letter][1]
            for state, (left, bottom) in enumerate(corners):
                for direction, step in enumerate((1, -1)):
                    other = (state + step) % len(boxes)
                    tries = [(0, 0), *self.kicks.get(letter, {}).get((state, other), ())]
                    tries += [tries[-1]] * (record["tests"] - len(tries))  # once more, to no effect
                    for test, (right, up) in enumerate(tries):
                        record["dx"][piece, state, direction, test] = corners[other][0] - left + right
                        record["dy"][piece, state, direction, test] = corners[other][1] - bottom + up


def boxes(text: str) -> list[Box]:
    """The boxes that stand side by side in a text."""
    return [list(rows) for rows in zip(*(line.split() for line in text.split("\n") if line.strip()), strict=True)]


def corner(box: Box) -> tuple[int, int]:
    """The column of a picture's leftmost cell in its box, and the row of its lowest, counted from the box's floor."""
    return min(row.index("#") for row in box if "#" in row), next(
        y for y, row in enumerate(reversed(box)) if "#" in row
    )


def orientation(piece: int, box: Box) -> int:
    """The number of the orientation that a box shows."""
    columns = shape(box)
    _, bottom = corner(box)
    seen = tuple(column >> bottom for column in columns if column)
    return next(number for number in range(FIRST[piece], FIRST[piece + 1]) if SHAPES[number] == seen)


def _about_the_top_left_cell(drawing: Box) -> list[Box]:
    """The different turns of a drawing; boxes of both sizes have their top left corner in common."""
    found: list[Box] = []
    while drawing not in found:
        found.append(drawing)
        drawing = turned(drawing)
    size = max(len(drawing), len(drawing[0]))
    return [[row.ljust(size, ".") for row in box] + ["." * size] * (size - len(box)) for box in found]


TOP_LEFT = Rotation(
    {piece: _about_the_top_left_cell(drawing) for piece, drawing in DRAWINGS.items()},
    {piece: ((WIDTH - len(drawing[0])) // 2, 0) for piece, drawing in DRAWINGS.items()},
)

# The shapes of TechWithTim's tutorial on which Gavrilov's game is built.
TUTORIAL = Rotation(
    {
        "I": boxes("""
            ..#.. .....
            ..#.. ####.
            ..#.. .....
            ..#.. .....
            ..... ....."""),
        "O": boxes("""
            .....
            .....
            .##..
            .##..
            ....."""),
        "T": boxes("""
            ..... ..... ..... .....
            ..#.. ..#.. ..... ..#..
            .###. ..##. .###. .##..
            ..... ..#.. ..#.. ..#..
            ..... ..... ..... ....."""),
        "S": boxes("""
            ..... .....
            ..... ..#..
            ..##. ..##.
            .##.. ...#.
            ..... ....."""),
        "Z": boxes("""
            ..... .....
            ..... ..#..
            .##.. .##..
            ..##. .#...
            ..... ....."""),
        "J": boxes("""
            ..... ..... ..... .....
            .#... ..##. ..... ..#..
            .###. ..#.. .###. ..#..
            ..... ..#.. ...#. .##..
            ..... ..... ..... ....."""),
        "L": boxes("""
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
NES = Rotation(
    {
        "I": boxes("""
            .... ..#.
            .... ..#.
            #### ..#.
            .... ..#."""),
        "O": boxes("""
            ....
            ....
            .##.
            .##."""),
        "T": boxes("""
            .... .... .... ....
            .... ..#. ..#. ..#.
            .### .##. .### ..##
            ..#. ..#. .... ..#."""),
        "S": boxes("""
            .... ....
            .... ..#.
            ..## ..##
            .##. ...#"""),
        "Z": boxes("""
            .... ....
            .... ...#
            .##. ..##
            ..## ..#."""),
        "J": boxes("""
            .... .... .... ....
            .... ..#. .#.. ..##
            .### ..#. .### ..#.
            ...# .##. .... ..#."""),
        "L": boxes("""
            .... .... .... ....
            .... .##. ...# ..#.
            .### ..#. .### ..#.
            .#.. ..#. .... ..##"""),
    },
    dict.fromkeys(PIECES, (3, -2)),
)

SYSTEMS = {"top-left": TOP_LEFT, "tutorial": TUTORIAL, "nes": NES}
