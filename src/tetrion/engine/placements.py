"""Placements: their types and codes, and the choice of the best one; ties go to the first in order.

A placement has one of three forms, and each is a type of its own. A *rotated* placement counts the distinct shapes of
its piece from 0; an *oriented* one numbers the shapes of all pieces; a `PieceState` has one of the rotation states of
its piece, some of which may look alike. Codes are integers in the order in which ties are decided: a location code
stands for a rotated placement, a placement code adds its spin and hold.
"""

from typing import Generic, NamedTuple, TypeVar

from tetrion.engine.compiler import compile_inline
from tetrion.engine.piece_motion import MOVEMENT_ROWS
from tetrion.engine.records import MAX_ROTATION_STATES, NO_SPIN, SPIN_KINDS, AgentRecord, AgentRecords, RulesRecord
from tetrion.engine.scalar_or_simd import Array, broadcast, find_lowest_bit, where
from tetrion.engine.simd_lanes import LANES, extract_lane, mask_to_bits, reduce_max, reduce_min

NO_PLACEMENT = -1
NO_CODE = -1  # in place of the code of a placement
WORST_POINTS = -(2**31)

MAX_LOCATIONS = MAX_ROTATION_STATES * LANES * MOVEMENT_ROWS  # larger than all location codes
MAX_PLACEMENT_CODES = 2 * MAX_LOCATIONS * len(SPIN_KINDS)
ScratchT = TypeVar("ScratchT", covariant=True)  # a record of working memory


class OrientedPlacement(NamedTuple):
    """A placement by its orientation, a number for all pieces; NO_PLACEMENT if there is none.

    Each field may also hold sixteen values in lanes.
    """

    orientation: int
    column: int
    row: int


class RotatedPlacement(NamedTuple):
    """A placement by the rotation of its piece, one of its distinct orientations, numbered from 0."""

    rotation: int
    column: int
    row: int


class Choice(NamedTuple):
    """What an agent does with the current piece: a placement, its spin, and 1 if it is made with hold."""

    placement: OrientedPlacement
    spin: int
    hold: int


NO_CHOICE = Choice(OrientedPlacement(NO_PLACEMENT, 0, 0), NO_SPIN, 0)


class DecodedPlacement(NamedTuple):
    """A placement with its spin, and 1 if it is made with hold."""

    rotated: RotatedPlacement
    spin: int
    hold: int


@compile_inline
def encode_location(rotation: int, x: int, row: int) -> int:
    """Return a rotated placement as one integer."""
    return (x + rotation * LANES) * MOVEMENT_ROWS + (MOVEMENT_ROWS - 1 - row)


@compile_inline
def decode_location(code: int) -> RotatedPlacement:
    """Return the placement that `encode_location` has encoded."""
    return RotatedPlacement(
        code // (LANES * MOVEMENT_ROWS), code // MOVEMENT_ROWS % LANES, MOVEMENT_ROWS - 1 - code % MOVEMENT_ROWS
    )


@compile_inline
def encode_placement(location: int, spin: int, hold: int) -> int:
    """Return a placement, given by its location code, with its spin and hold as one integer."""
    return (hold * MAX_LOCATIONS + location) * len(SPIN_KINDS) + spin


@compile_inline
def decode_placement(code: int) -> DecodedPlacement:
    """Return the placement that `encode_placement` has encoded."""
    location = code // len(SPIN_KINDS) % MAX_LOCATIONS
    return DecodedPlacement(decode_location(location), code % len(SPIN_KINDS), code // len(SPIN_KINDS) // MAX_LOCATIONS)


@compile_inline
def make_choice(orientation: int, column: int, row: int) -> Choice:
    """Return the choice of a placement without spin and hold."""
    return Choice(OrientedPlacement(int(orientation), int(column), int(row)), NO_SPIN, 0)


class Search(NamedTuple, Generic[ScratchT]):
    """Everything that the choice of a placement depends on, except the game."""

    rules: RulesRecord
    interval: int  # frames per row of the current piece
    agent: AgentRecord
    agents: AgentRecords  # all agents of the batch, for the second mode of the agent
    tables: Array
    scratch: ScratchT


class ScoredLanePlacements(NamedTuple):
    """Sixteen placements of a piece with their points, one per lane."""

    possible: bool
    points: int
    rotation: int
    column: int
    row: int


class BestPlacements(NamedTuple):
    """The best placement of each lane so far."""

    points: int
    order: int  # rotation and column in one integer; ties go to the smallest
    row: int


@compile_inline
def make_empty_best(x: int) -> BestPlacements:
    """Return the initial value: no placement in any lane."""
    return BestPlacements(broadcast(WORST_POINTS, x), x, x)


@compile_inline
def update_best(best_by_lane: BestPlacements, lanes: ScoredLanePlacements) -> BestPlacements:
    """Return the best placements after comparing each lane with a new placement."""
    points = lanes.points
    order = lanes.column + lanes.rotation * LANES
    # A lane is a column, and its placements come in the order of rotations and rows, except in local evaluation, which
    # scores wide orientations first. Therefore ties are decided by `order`, not by what came first.
    better = lanes.possible & (
        (points > best_by_lane.points) | ((points == best_by_lane.points) & (order < best_by_lane.order))
    )
    return BestPlacements(
        where(better, points, best_by_lane.points),
        where(better, order, best_by_lane.order),
        where(better, lanes.row, best_by_lane.row),
    )


@compile_inline
def choose_first_best(rules: RulesRecord, piece: int, best_by_lane: BestPlacements) -> Choice:
    """Choose the best placement of all lanes; ties go to the first rotation, then to the first column."""
    best_points = reduce_max(best_by_lane.points)
    if best_points == WORST_POINTS:
        return NO_CHOICE
    is_best = best_by_lane.points == best_points
    lane = find_lowest_bit(mask_to_bits(is_best))
    if mask_to_bits(is_best) & (mask_to_bits(is_best) - 1):  # more than one lane
        first = reduce_min(where(is_best, best_by_lane.order, broadcast(2**30, best_by_lane.order)))
        lane = find_lowest_bit(mask_to_bits(is_best & (best_by_lane.order == first)))
    order = extract_lane(best_by_lane.order, lane)
    return make_choice(rules.orientations[piece, order // LANES], order % LANES, extract_lane(best_by_lane.row, lane))
