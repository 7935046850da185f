"""Rotation systems as data: the states of each piece, its spawn position, and the kicks of a rotation.

A state is a drawing in a box. A rotation replaces the drawing and does not move the box. The engine describes a piece
by its leftmost column and its lowest row, so the drawings are converted to tables of how these two change by a
rotation.

Kicks are tables, too. A table lists, by rotation states (from, to), the offsets (columns to the right, rows up) that a
rotation tries in order if the piece does not fit without an offset. The states are 0 for north, in which a piece
spawns, and 1, 2 and 3 for east, south and west, clockwise.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from tetrion.engine.pieces import (
    BOARD_WIDTH,
    COLUMN_BOTTOMS,
    ORIENTATION_COLUMNS,
    ORIENTATION_HEIGHTS,
    PIECE_DRAWINGS,
    PIECES,
    PLACEMENT_COLUMNS,
    SHAPES,
    make_shape,
    rotate_drawing,
)
from tetrion.engine.records import DROP_ORDERS, RulesRecord
from tetrion.engine.simd_lanes import LANES

Kicks = Mapping[tuple[int, int], tuple[tuple[int, int], ...]]

# The Super Rotation System; Cold Clear 2, cobra-movegen, solution-finder and Triangle agree on it.
_SRS_KICKS: Kicks = {
    (0, 1): ((-1, 0), (-1, 1), (0, -2), (-1, -2)),
    (1, 0): ((1, 0), (1, -1), (0, 2), (1, 2)),
    (1, 2): ((1, 0), (1, -1), (0, 2), (1, 2)),
    (2, 1): ((-1, 0), (-1, 1), (0, -2), (-1, -2)),
    (2, 3): ((1, 0), (1, 1), (0, -2), (1, -2)),
    (3, 2): ((-1, 0), (-1, -1), (0, 2), (-1, 2)),
    (3, 0): ((-1, 0), (-1, -1), (0, 2), (-1, 2)),
    (0, 3): ((1, 0), (1, 1), (0, -2), (1, -2)),
}
_SRS_KICKS_OF_I: Kicks = {
    (0, 1): ((-2, 0), (1, 0), (-2, -1), (1, 2)),
    (1, 0): ((2, 0), (-1, 0), (2, 1), (-1, -2)),
    (1, 2): ((-1, 0), (2, 0), (-1, 2), (2, -1)),
    (2, 1): ((1, 0), (-2, 0), (1, -2), (-2, 1)),
    (2, 3): ((2, 0), (-1, 0), (2, 1), (-1, -2)),
    (3, 2): ((-2, 0), (1, 0), (-2, -1), (1, 2)),
    (3, 0): ((1, 0), (-2, 0), (1, -2), (-2, 1)),
    (0, 3): ((-1, 0), (2, 0), (-1, 2), (2, -1)),
}
# TETR.IO changes the kicks of I only (source: Triangle).
_SRS_PLUS_KICKS_OF_I: Kicks = {
    (0, 1): ((1, 0), (-2, 0), (-2, -1), (1, 2)),
    (1, 0): ((-1, 0), (2, 0), (-1, -2), (2, 1)),
    (1, 2): ((-1, 0), (2, 0), (-1, 2), (2, -1)),
    (2, 1): ((-2, 0), (1, 0), (-2, 1), (1, -2)),
    (2, 3): ((2, 0), (-1, 0), (2, 1), (-1, -2)),
    (3, 2): ((1, 0), (-2, 0), (1, 2), (-2, -1)),
    (3, 0): ((1, 0), (-2, 0), (1, -2), (-2, 1)),
    (0, 3): ((-1, 0), (2, 0), (2, -1), (-1, 2)),
}
_ONE_STEP_KICKS: Kicks = {(0, 2): ((0, 1),), (1, 3): ((1, 0),), (2, 0): ((0, -1),), (3, 1): ((-1, 0),)}
_TETRIO_HALF_TURN_KICKS: Kicks = {
    (0, 2): ((0, 1), (1, 1), (-1, 1), (1, 0), (-1, 0)),
    (1, 3): ((1, 0), (1, 2), (1, 1), (0, 2), (0, 1)),
    (2, 0): ((0, -1), (-1, -1), (1, -1), (-1, 0), (1, 0)),
    (3, 1): ((-1, 0), (-1, 2), (-1, 1), (0, 2), (0, 1)),
}

SRS_KICKS = {**dict.fromkeys("TSZJL", _SRS_KICKS), "I": _SRS_KICKS_OF_I}
SRS_PLUS_KICKS = {**SRS_KICKS, "I": _SRS_PLUS_KICKS_OF_I}

# Kicks of half turns (180 degrees) for systems with the states of SRS. `jstris` is solution-finder's jstris180 table.
# `tetrio` is Triangle's. For I, Triangle has one test and cobra-movegen five, which makes no difference: the first one
# leads to the cells that the piece had before, so it always fits.
HALF_TURN_KICKS: dict[str, Mapping[str, Kicks]] = {
    "none": {},
    "jstris": dict.fromkeys("ITSZJL", _ONE_STEP_KICKS),
    "tetrio": {**dict.fromkeys("TSZJL", _TETRIO_HALF_TURN_KICKS), "I": _ONE_STEP_KICKS},
}

RotationBox = list[str]
_TURN_STEPS = (1, -1, 2)  # states by which the keys rotate, back and half turn a piece


@dataclass(frozen=True)
class RotationSystem:
    """A rotation system: the boxes, spawn positions and kicks of all pieces.

    `boxes` lists the states of each piece in clockwise order. `spawn_corners` gives, for the spawn state, the column of
    the box's left edge and the number of rows from the top visible row down to the box's top row. `kicks` gives, by
    piece and by states (from, to), the offsets (columns to the right, rows up) that are tried in order if the rotated
    piece does not fit without an offset.
    """

    boxes: Mapping[str, list[RotationBox]]
    spawn_corners: Mapping[str, tuple[int, int]]
    kicks: Mapping[str, Kicks] = field(default_factory=dict)

    def write_to(self, record: RulesRecord, half_turn_kicks: str = "none") -> None:
        """Write the system into the record of the rules, with the named table of kicks for half turns."""
        record.orientation_columns[:] = ORIENTATION_COLUMNS
        record.column_bottoms[:] = COLUMN_BOTTOMS
        record.orientation_heights[:] = ORIENTATION_HEIGHTS
        half_turns = HALF_TURN_KICKS[half_turn_kicks]
        record.column_tops[:] = [[int(column).bit_length() or -99 for column in box] for box in ORIENTATION_COLUMNS]
        for piece, letter in enumerate(PIECES):
            self._write_states(record, piece)
            corners = [find_corner(box) for box in self.boxes[letter]]
            record.spawn_left[piece] = self.spawn_corners[letter][0] + corners[0][0]
            record.spawn_bottom[piece] = corners[0][1] - len(self.boxes[letter][0]) - self.spawn_corners[letter][1]
            self._write_turns(record, piece, {**self.kicks.get(letter, {}), **half_turns.get(letter, {})})

    @property
    def spawn_rows_above(self) -> int:
        """The number of rows above the top visible row that new pieces need, before `spawn_height` is added."""
        tops = [next(y for y, row in enumerate(self.boxes[piece][0]) if "#" in row) for piece in PIECES]
        return max(-self.spawn_corners[piece][1] - top for piece, top in zip(PIECES, tops, strict=True))

    def _write_states(self, record: RulesRecord, piece: int) -> None:
        """Write the rotation states of a piece and their orientations into a record."""
        state_orientations = [find_orientation(box) for box in self.boxes[PIECES[piece]]]
        orientations = list(dict.fromkeys(state_orientations))
        widths = [len(SHAPES[orientation]) for orientation in orientations]
        narrow_rotations = [rotation for rotation, width in enumerate(widths) if width < 3]
        wide_rotations = [rotation for rotation, width in enumerate(widths) if width > 2]
        record.state_count[piece] = len(state_orientations)
        record.orientation_of_state[piece, : len(state_orientations)] = state_orientations
        record.rotation_of_state[piece, : len(state_orientations)] = [
            orientations.index(orientation) for orientation in state_orientations
        ]
        record.rotation_count[piece] = len(orientations)
        record.orientations[piece, : len(orientations)] = orientations
        record.first_wide_rotation[piece] = wide_rotations[0] if wide_rotations else -1
        record.narrow_count[piece] = len(narrow_rotations)
        record.narrow_rotations[piece, : len(narrow_rotations)] = narrow_rotations
        drops = [
            orientation * DROP_ORDERS + rotation * LANES + x
            for rotation, orientation in enumerate(orientations)
            for x in range(PLACEMENT_COLUMNS[orientation])
        ]
        record.drop_count[piece] = len(drops)
        record.drops[piece, : len(drops)] = drops

    def _write_turns(self, record: RulesRecord, piece: int, kicks: Kicks) -> None:
        """Write how each rotation moves the leftmost column and the lowest row of a piece."""
        corners = [find_corner(box) for box in self.boxes[PIECES[piece]]]
        for direction, step in enumerate(_TURN_STEPS):
            turns = [(state, (state + step) % len(corners)) for state in range(len(corners))]
            tests = {turn: [(0, 0), *kicks.get(turn, ())] for turn in turns}
            test_count = max(map(len, tests.values()))
            record.kick_tests[piece, direction] = test_count
            for (state, other), offsets in tests.items():
                offsets += [offsets[-1]] * (test_count - len(offsets))  # repeating a test has no effect
                for test, (right, up) in enumerate(offsets):
                    record.dx[piece, state, direction, test] = corners[other][0] - corners[state][0] + right
                    record.dy[piece, state, direction, test] = corners[other][1] - corners[state][1] + up
        record.turning_depth[piece] = corners[0][1] - min(bottom for _, bottom in corners)
        record.max_descent[piece] = max(1, -int(record.dy[piece].min()))


def parse_boxes(text: str) -> list[RotationBox]:
    """Return the boxes that are drawn side by side in a text."""
    return [list(rows) for rows in zip(*(line.split() for line in text.split("\n") if line.strip()), strict=True)]


def find_corner(box: RotationBox) -> tuple[int, int]:
    """Return the column of the leftmost cell and the row of the lowest cell, counted from the bottom of the box."""
    left = min(row.index("#") for row in box if "#" in row)
    bottom = next(y for y, row in enumerate(reversed(box)) if "#" in row)
    return left, bottom


def find_orientation(box: RotationBox) -> int:
    """Return the number of the orientation that is drawn in a box."""
    columns = make_shape(box)
    _, bottom = find_corner(box)
    return SHAPES.index(tuple(column >> bottom for column in columns if column))


def _rotate_about_top_left(drawing: RotationBox) -> list[RotationBox]:
    """Return the distinct rotations of a drawing, aligned to the top left corner of a square box."""
    drawings: list[RotationBox] = []
    while drawing not in drawings:
        drawings.append(drawing)
        drawing = rotate_drawing(drawing)
    size = max(len(drawing), len(drawing[0]))
    return [[row.ljust(size, ".") for row in box] + ["." * size] * (size - len(box)) for box in drawings]


TOP_LEFT_ROTATION = RotationSystem(
    {piece: _rotate_about_top_left(drawing) for piece, drawing in PIECE_DRAWINGS.items()},
    {piece: ((BOARD_WIDTH - len(drawing[0])) // 2, 0) for piece, drawing in PIECE_DRAWINGS.items()},
)

# The shapes of TechWithTim's tutorial, on which Gavrilov's game is based.
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

# The right-handed system of NES Tetris (TetrisNESDisasm, orientationTable and rotationTable): the centre of a piece is
# in the third column and third row of each box, and it spawns in the sixth column of the top visible row.
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

# The Super Rotation System of the Tetris Guideline: the second row of each box spawns in the top visible row. The four
# states of I, S and Z differ in where their kicks lead, although there are only two orientations; all states of O have
# the same cells and no kicks, so one is enough.
_SRS_BOXES = {
    "I": parse_boxes("""
        .... ..#. .... .#..
        #### ..#. .... .#..
        .... ..#. #### .#..
        .... ..#. .... .#.."""),
    "O": parse_boxes("""
        .##.
        .##."""),
    "T": parse_boxes("""
        .#. .#. ... .#.
        ### .## ### ##.
        ... .#. .#. .#."""),
    "S": parse_boxes("""
        .## .#. ... #..
        ##. .## .## ##.
        ... ..# ##. .#."""),
    "Z": parse_boxes("""
        ##. ..# ... .#.
        .## .## ##. ##.
        ... .#. .## #.."""),
    "J": parse_boxes("""
        #.. .## ... .#.
        ### .#. ### .#.
        ... .#. ..# ##."""),
    "L": parse_boxes("""
        ..# .#. ... ##.
        ### .#. ### .#.
        ... .## #.. .#."""),
}
_SRS_SPAWN_CORNERS = dict.fromkeys(PIECES, (3, -1))
SRS_ROTATION = RotationSystem(_SRS_BOXES, _SRS_SPAWN_CORNERS, SRS_KICKS)
SRS_PLUS_ROTATION = RotationSystem(_SRS_BOXES, _SRS_SPAWN_CORNERS, SRS_PLUS_KICKS)

ROTATION_SYSTEMS = {
    "top-left": TOP_LEFT_ROTATION,
    "tutorial": TUTORIAL_ROTATION,
    "nes": NES_ROTATION,
    "srs": SRS_ROTATION,
    "srs+": SRS_PLUS_ROTATION,
}
