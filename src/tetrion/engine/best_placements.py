"""Selection of the best placement from SIMD lanes; of placements with equal scores the first in order is chosen."""

from typing import Generic, NamedTuple, TypeVar

from tetrion.engine.compiler import compile_inline
from tetrion.engine.piece_motion import MOVEMENT_ROWS
from tetrion.engine.records import AgentRecord, AgentRecords, RulesRecord
from tetrion.engine.scalar_or_simd import Array, broadcast, find_lowest_bit, where
from tetrion.engine.simd_lanes import LANES, extract_lane, mask_to_bits, reduce_max, reduce_min

NO_PLACEMENT = -1
WORST_POINTS = -(2**31)

ChosenPlacement = tuple[int, int, int]  # orientation, column, row; the orientation is NO_PLACEMENT if there is none
ScratchT = TypeVar("ScratchT", covariant=True)  # a record of working memory


@compile_inline
def encode_placement(rotation: int, x: int, row: int) -> int:
    """Return a placement as one integer; of placements with equal scores the smallest is chosen."""
    return (x + rotation * LANES) * MOVEMENT_ROWS + (MOVEMENT_ROWS - 1 - row)


@compile_inline
def decode_placement(code: int) -> tuple[int, int, int]:
    """Return rotation, column and row of an encoded placement."""
    return code // (LANES * MOVEMENT_ROWS), code // MOVEMENT_ROWS % LANES, MOVEMENT_ROWS - 1 - code % MOVEMENT_ROWS


class Search(NamedTuple, Generic[ScratchT]):
    """Everything that the choice of a placement depends on, except the game."""

    rules: RulesRecord
    interval: int  # frames per row of the current piece
    agent: AgentRecord
    agents: AgentRecords  # all agents of the batch, for the second mode of the agent
    tables: Array
    scratch: ScratchT


class PlacementLanes(NamedTuple):
    """Sixteen placements of a piece, one per lane."""

    possible: bool
    points: int
    rotation: int
    column: int
    row: int


class BestPlacements(NamedTuple):
    """The best placement of each lane so far."""

    points: int
    order: int  # rotation and column in one integer: of placements with equal points the smallest is chosen
    row: int


@compile_inline
def make_empty_best(x: int) -> BestPlacements:
    """Return the initial value: no placement in any lane."""
    return BestPlacements(broadcast(WORST_POINTS, x), x, x)


@compile_inline
def update_best(best_by_lane: BestPlacements, lanes: PlacementLanes) -> BestPlacements:
    """Return the best placements after comparing each lane with a new placement."""
    points = lanes.points
    order = lanes.column + lanes.rotation * LANES
    better = lanes.possible & (
        (points > best_by_lane.points) | ((points == best_by_lane.points) & (order < best_by_lane.order))
    )
    return BestPlacements(
        where(better, points, best_by_lane.points),
        where(better, order, best_by_lane.order),
        where(better, lanes.row, best_by_lane.row),
    )


@compile_inline
def choose_first_best(rules: RulesRecord, piece: int, best_by_lane: BestPlacements) -> ChosenPlacement:
    """Choose the best placement of all lanes; of equal ones the first by rotation, then column."""
    best_points = reduce_max(best_by_lane.points)
    if best_points == WORST_POINTS:
        return NO_PLACEMENT, 0, 0
    is_best = best_by_lane.points == best_points
    lane = find_lowest_bit(mask_to_bits(is_best))
    if mask_to_bits(is_best) & (mask_to_bits(is_best) - 1):  # more than one lane
        first = reduce_min(where(is_best, best_by_lane.order, broadcast(2**30, best_by_lane.order)))
        lane = find_lowest_bit(mask_to_bits(is_best & (best_by_lane.order == first)))
    order = extract_lane(best_by_lane.order, lane)
    return int(rules.orientations[piece, order // LANES]), order % LANES, extract_lane(best_by_lane.row, lane)
