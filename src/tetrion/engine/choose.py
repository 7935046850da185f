"""The best placement of a piece for an agent: a whole orientation at a time on lanes, or one placement after another.

Both take the first best one in the order orientation, then column from the left.
"""

from typing import Any

import numpy as np

from tetrion.engine.agents import score
from tetrion.engine.board import Before, Situation, fits, landing_row, outcome, standing
from tetrion.engine.compiler import compiled
from tetrion.engine.features import CHANGES, bumpiness, holes, max_height, measure
from tetrion.engine.lanes import LANES, lane, load
from tetrion.engine.lanes import largest as largest_lane
from tetrion.engine.lanes import smallest as smallest_lane
from tetrion.engine.pieces import FIRST, PLACES
from tetrion.engine.ten import write
from tetrion.engine.words import Array, spread, where

NO_PLACEMENT = -1
WORST = -(2**31)
LANE_NUMBERS = np.arange(LANES, dtype=np.int32)
HEIGHTS = LANES + 3  # room for the heights: sixteen columns are looked at from each of the first four

Choice = tuple[int, int, int]


@compiled
def situation(board: Array, rows: int, mask: int, heights: Array) -> Situation:
    """What must be known before placing; what features of change compare with only if one of them is wanted."""
    now = standing(board, rows)
    write(heights, now.heights)
    if mask & CHANGES:
        return Situation(board, heights, rows, now.cells, Before(max_height(now), bumpiness(now), holes(now)))
    return Situation(board, heights, rows, now.cells, Before(0, 0, 0))


@compiled
def judge(now: Situation, agent: Any, tables: Array, orientation: int, x: int, row: int, values: Array) -> int:
    """An agent's score of a placement; its features are left in `values`."""
    measure(agent.mask, outcome(now, agent.removed != 0, orientation, x, row), values)
    return score(agent, tables, values, x)


@compiled
def choose_one_by_one(
    board: Array, rows: int, piece: int, agent: Any, tables: Array, heights: Array, values: Array
) -> Choice:
    """The agent's choice (orientation, column, row), found by looking at one placement after another."""
    now = situation(board, rows, agent.mask, heights)
    best, choice = WORST, (NO_PLACEMENT, 0, 0)
    for orientation in range(FIRST[piece], FIRST[piece + 1]):
        for x in range(PLACES[orientation]):
            row = landing_row(heights, orientation, x)
            if fits(orientation, x, row, rows):
                points = judge(now, agent, tables, orientation, x, row, values)
                if points > best:
                    best, choice = points, (orientation, x, row)
    return choice


@compiled
def choose_on_lanes(
    board: Array, rows: int, piece: int, agent: Any, tables: Array, heights: Array, values: Array
) -> Choice:
    """The agent's choice (orientation, column, row), found by looking at all columns of an orientation at once."""
    now = situation(board, rows, agent.mask, heights)
    x = load(LANE_NUMBERS, 0)
    best, place, rest = spread(WORST, x), x, x
    for orientation in range(FIRST[piece], FIRST[piece + 1]):
        row = landing_row(heights, orientation, x)
        possible = fits(orientation, x, row, rows)
        row = where(possible, row, 0)  # else a height could reach 32, by which a column must not be shifted
        points = judge(now, agent, tables, orientation, x, row, values)
        better = possible & (points > best)
        best, rest = where(better, points, best), where(better, row, rest)
        place = where(better, x + orientation * LANES, place)
    top = largest_lane(best)
    if top == WORST:
        return NO_PLACEMENT, 0, 0
    first = smallest_lane(where(best == top, place, spread(2**30, x)))
    return first // LANES, first % LANES, lane(rest, first % LANES)
