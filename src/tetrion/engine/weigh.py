"""All placements of a piece with everything that an agent measures of them, for explanations."""

from typing import Any

import numpy as np

from tetrion.engine.ahead import ROOM_A_PLY, SEARCH_FIELDS, note_measured
from tetrion.engine.choose import leaders_of
from tetrion.engine.compiler import compiled, entry
from tetrion.engine.lanes import largest as largest_lane
from tetrion.engine.lanes import store
from tetrion.engine.leaders import WORST
from tetrion.engine.near import Scratch
from tetrion.engine.registry import MOST_FEATURES
from tetrion.engine.words import Array, get, lowest

WEIGHED = np.dtype([*SEARCH_FIELDS, ("measured", np.int32, MOST_FEATURES * ROOM_A_PLY)], align=True)


@compiled
def note_values(
    scratch: Scratch, ply: int, agent: Any, tables: Array, possible: Any, points: Any, turn: int, x: Any, row: Any
) -> None:
    """Keep sixteen placements and the values of their features."""
    left, offset = agent.mask, scratch.count[ply]
    note_measured(scratch, ply, agent, tables, possible, points, turn, x, row)
    if scratch.count[ply] == offset:
        return
    while left:
        number = lowest(left)
        left &= left - 1
        store(scratch.measured, number * ROOM_A_PLY + offset, get(scratch.values, number, x))


@entry(seconds=25)
def weigh_places(
    board: Array, rule: Array, agents: Array, number: int, tables: Array, piece: int, interval: int, weighed: Array
) -> bool:
    """Write the placements of a piece into a record of `WEIGHED`, those that end the game only if all do.

    Tells whether the game goes on after one of them.
    """
    rules, agent, record = rule[0], agents[number], weighed[0]
    leaders, alive = leaders_of(board, rules, piece, interval, agent, tables, record, note_values, 0)
    return bool(alive and largest_lane(leaders.points) != WORST)
