"""Kicks of the modern rotation systems as data.

A table lists, by rotation states (from, to), the offsets (columns to the right, rows up) that a rotation tries in order
if the piece does not fit without an offset. The states are 0 for north, in which a piece spawns, and 1, 2 and 3 for
east, south and west, clockwise.
"""

from collections.abc import Iterable, Mapping

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
_ONE_STEP_KICKS: Kicks = {
    (0, 2): ((0, 1),),
    (1, 3): ((1, 0),),
    (2, 0): ((0, -1),),
    (3, 1): ((-1, 0),),
}
_TETRIO_HALF_TURN_KICKS: Kicks = {
    (0, 2): ((0, 1), (1, 1), (-1, 1), (1, 0), (-1, 0)),
    (1, 3): ((1, 0), (1, 2), (1, 1), (0, 2), (0, 1)),
    (2, 0): ((0, -1), (-1, -1), (1, -1), (-1, 0), (1, 0)),
    (3, 1): ((-1, 0), (-1, 2), (-1, 1), (0, 2), (0, 1)),
}


def _give_to(pieces: Iterable[str], kicks: Kicks) -> dict[str, Kicks]:
    """Return the same kicks for several pieces."""
    return dict.fromkeys(pieces, kicks)


SRS_KICKS = {**_give_to("TSZJL", _SRS_KICKS), "I": _SRS_KICKS_OF_I}
SRS_PLUS_KICKS = {**SRS_KICKS, "I": _SRS_PLUS_KICKS_OF_I}

# Kicks of half turns (180 degrees) for systems with the states of SRS. `jstris` is solution-finder's jstris180 table.
# `tetrio` is Triangle's. For I, Triangle has one test and cobra-movegen five, which makes no difference: the first one
# leads to the cells that the piece had before, so it always fits.
HALF_TURN_KICKS: dict[str, Mapping[str, Kicks]] = {
    "none": {},
    "jstris": _give_to("ITSZJL", _ONE_STEP_KICKS),
    "tetrio": {**_give_to("TSZJL", _TETRIO_HALF_TURN_KICKS), "I": _ONE_STEP_KICKS},
}
