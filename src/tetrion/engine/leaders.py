"""The best of sixteen placements at a time, and the first of equals."""

from typing import Any, NamedTuple

from tetrion.engine.compiler import compiled
from tetrion.engine.lanes import LANES, bits_of, lane
from tetrion.engine.lanes import largest as largest_lane
from tetrion.engine.lanes import smallest as smallest_lane
from tetrion.engine.words import lowest, spread, where

NO_PLACEMENT = -1
WORST = -(2**31)

Choice = tuple[int, int, int]


class Leaders(NamedTuple):
    """The best placement so far of every lane."""

    points: Any
    place: Any  # turn and column in one number: the smaller, the earlier in the order that breaks ties
    row: Any


@compiled
def nobody(x: Any) -> Leaders:
    """No placement yet."""
    return Leaders(spread(WORST, x), x, x)


@compiled
def improved(leaders: Leaders, possible: Any, points: Any, turn: Any, x: Any, row: Any) -> Leaders:
    """The leaders, with those placements that are better, or as good and earlier."""
    place = x + turn * LANES
    better = possible & ((points > leaders.points) | ((points == leaders.points) & (place < leaders.place)))
    return Leaders(
        where(better, points, leaders.points), where(better, place, leaders.place), where(better, row, leaders.row)
    )


@compiled
def first_best(rules: Any, piece: int, leaders: Leaders) -> Choice:
    """The choice among the leaders: the first by turn, then column."""
    top = largest_lane(leaders.points)
    if top == WORST:
        return NO_PLACEMENT, 0, 0
    best = leaders.points == top
    number = lowest(bits_of(best))
    if bits_of(best) & (bits_of(best) - 1):  # equals
        first = smallest_lane(where(best, leaders.place, spread(2**30, leaders.place)))
        number = lowest(bits_of(best & (leaders.place == first)))
    place = lane(leaders.place, number)
    return int(rules.turned[piece, place // LANES]), place % LANES, lane(leaders.row, number)
