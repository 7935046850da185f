"""The best of sixteen placements at a time, and the first of equals."""

from typing import Any, NamedTuple

from tetrion.engine.compiler import compile_inline
from tetrion.engine.scalar_or_simd import broadcast, find_lowest_bit, where
from tetrion.engine.simd_lanes import LANES, extract_lane, mask_to_bits
from tetrion.engine.simd_lanes import reduce_max as largest_lane
from tetrion.engine.simd_lanes import reduce_min as smallest_lane

NO_PLACEMENT = -1
WORST_POINTS = -(2**31)

ChosenPlacement = tuple[int, int, int]


class BestPlacements(NamedTuple):
    """The best placement so far of every lane."""

    points: Any
    order: Any  # turn and column in one number: the smaller, the earlier in the order that breaks ties
    row: Any


@compile_inline
def make_empty_best(x: Any) -> BestPlacements:
    """No placement yet."""
    return BestPlacements(broadcast(WORST_POINTS, x), x, x)


@compile_inline
def update_best(
    best_by_lane: BestPlacements, possible: Any, points: Any, turn: Any, x: Any, row: Any
) -> BestPlacements:
    """The leaders, with those placements that are better, or as good and earlier."""
    place = x + turn * LANES
    better = possible & (
        (points > best_by_lane.points) | ((points == best_by_lane.points) & (place < best_by_lane.order))
    )
    return BestPlacements(
        where(better, points, best_by_lane.points),
        where(better, place, best_by_lane.order),
        where(better, row, best_by_lane.row),
    )


@compile_inline
def choose_first_best(rules: Any, piece: int, best_by_lane: BestPlacements) -> ChosenPlacement:
    """The choice among the leaders: the first by turn, then column."""
    top = largest_lane(best_by_lane.points)
    if top == WORST_POINTS:
        return NO_PLACEMENT, 0, 0
    best = best_by_lane.points == top
    number = find_lowest_bit(mask_to_bits(best))
    if mask_to_bits(best) & (mask_to_bits(best) - 1):  # equals
        first = smallest_lane(where(best, best_by_lane.order, broadcast(2**30, best_by_lane.order)))
        number = find_lowest_bit(mask_to_bits(best & (best_by_lane.order == first)))
    place = extract_lane(best_by_lane.order, number)
    return int(rules.turned[piece, place // LANES]), place % LANES, extract_lane(best_by_lane.row, number)
