"""Spins: placements that end with a rotation into a place where the piece is held.

The same cells may be reached with and without a spin, so these are different placements. All positions are
examined at once, in the vectors of the flood: those that the last rotation of a path leads to, by kick, and those that
a move to the left, right or down leads to.

A T-spin needs three filled cells of the four that are diagonal to the centre of T. It is full if the two on the side to
which T points are filled, or if the kick promotes it; otherwise it is a mini. With the immobile rule, pieces that
cannot move by one cell in any direction are also spins.

`find_spin_placements` finds the spins of all placements at once, `compute_spin` that of one piece that was moved by
keys.
"""

from typing import Annotated, NamedTuple

import numpy as np

from tetrion.engine.compiler import compile_inline, compile_separate
from tetrion.engine.piece_motion import (
    KEY_ROTATE,
    MOVEMENT_ROWS,
    NO_TURN,
    PROMOTING_TURN,
    PieceState,
    get_next_rotation_state,
    get_spawn_state,
    is_free,
)
from tetrion.engine.pieces import BOARD_WIDTH, PIECES
from tetrion.engine.placement_choice import FoundPlacements, SimdScratch, find_placements
from tetrion.engine.placements import encode_location, encode_placement
from tetrion.engine.reachable_placements import (
    FITS_OFFSET,
    REACHED_OFFSET,
    RESTING_OFFSET,
    Turn,
    find_resting,
    shift_locations_down,
    shift_locations_up,
    shift_states,
)
from tetrion.engine.records import (
    FULL_SPIN,
    MAX_ROTATION_STATES,
    MINI_SPIN,
    NO_SPIN,
    SPIN_KINDS,
    TURN_COUNT,
    Int32Array,
    RulesRecord,
)
from tetrion.engine.scalar_or_simd import Array, bit_length, where
from tetrion.engine.simd_lanes import (
    LANE_NUMBERS,
    LANES,
    any_lane_set,
    broadcast_lanes,
    load,
    shift_lanes_left,
    shift_lanes_right,
    store,
)

SPINS_NONE, SPINS_T, SPINS_ALL_MINI, SPINS_ALL = range(4)
SPIN_RULES = {"none": SPINS_NONE, "t": SPINS_T, "all-mini": SPINS_ALL_MINI, "all": SPINS_ALL}

T = PIECES.index("T")
# By rotation state of T: the offset of its centre from its leftmost column and its lowest row.
T_CENTRES = np.array([[1, 0], [0, 1], [1, 1], [1, 1]])
# By rotation state: the corners on the side to which T points, then the others, as offsets from the centre.
T_CORNERS = np.array(
    [
        [[-1, 1], [1, 1], [-1, -1], [1, -1]],
        [[1, 1], [1, -1], [-1, 1], [-1, -1]],
        [[1, -1], [-1, -1], [-1, 1], [1, 1]],
        [[-1, -1], [-1, 1], [1, 1], [1, -1]],
    ]
)

# The rotation states from which the fifth test of a rotation by 90° promotes: all of them in Cold Clear, battletris and
# cobra-movegen; in TETR.IO and solution-finder only if it moves T two rows down, which is from north and south. In
# cobra-movegen the fifth and sixth tests of half turns promote as well (`late`). In Jstris no kick does (`none`),
# as far as copies of its code show.
SPIN_KICKS: dict[str, tuple[int, ...]] = {"none": (), "any": (0, 1, 2, 3), "long": (0, 2), "late": (0, 1, 2, 3)}
_FIFTH_TEST = 4
_QUARTER_TURNS = 2  # directions of rotations by 90°, before the half turn
_MIN_SPIN_CORNERS = 3


def write_spin_rules(record: RulesRecord, spins: str, spin_kick: str) -> None:
    """Write which spins there are, and which kicks promote, into the record of the rules."""
    record.spins = SPIN_RULES[spins]
    for state in SPIN_KICKS[spin_kick]:
        record.promotes[state, :_QUARTER_TURNS, _FIFTH_TEST] = 1
    if spin_kick == "late":
        record.promotes[:, _QUARTER_TURNS, _FIFTH_TEST:] = 1


# The layout of `SpinScratch.spins`, in vectors of lanes: by state the positions that are a spin after a rotation, and
# those that are a full one after any rotation; then the placements by kind of spin and rotation.
_SPIN_OFFSET, _FULL_OFFSET, KINDS_OFFSET = (MAX_ROTATION_STATES * LANES * part for part in range(3))
_KIND_SIZE = MAX_ROTATION_STATES * LANES  # of the placements with a kind of spin
SPINS_SIZE = ((2 + len(SPIN_KINDS)) * MAX_ROTATION_STATES + 1) * LANES  # the last vector is not used


class SpinScratch(SimdScratch):
    """Working memory for placements with their spins."""

    spins: Annotated[Int32Array, SPINS_SIZE]


@compile_inline
def is_filled(flood: Array, right: int, rise: int) -> int:
    """Return the positions from which the cell at an offset is filled; walls and the floor are."""
    return ~shift_states(load(flood, 0), -right, -rise)


@compile_inline
def examine_corners(flood: Array, state: int) -> tuple[int, int]:
    """Return the positions of T with at least three filled corners, and those with both on the side of its point."""
    x, y = int(T_CENTRES[state, 0]), int(T_CENTRES[state, 1])
    a = is_filled(flood, x + int(T_CORNERS[state, 0, 0]), y + int(T_CORNERS[state, 0, 1]))
    b = is_filled(flood, x + int(T_CORNERS[state, 1, 0]), y + int(T_CORNERS[state, 1, 1]))
    c = is_filled(flood, x + int(T_CORNERS[state, 2, 0]), y + int(T_CORNERS[state, 2, 1]))
    d = is_filled(flood, x + int(T_CORNERS[state, 3, 0]), y + int(T_CORNERS[state, 3, 1]))
    return (a & b & (c | d)) | (c & d & (a | b)), a & b  # at least three of the four; both in front


@compile_inline
def find_immobile(fits: int) -> int:
    """Return the positions from which the piece cannot move in any direction."""
    sideways: int = shift_lanes_right(fits) | shift_lanes_left(fits)
    return ~(sideways | shift_locations_down(fits) | shift_locations_up(fits))


@compile_inline
def examine_spins(rules: RulesRecord, piece: int, flood: Array, spins: Array) -> None:
    """Compute where each state of a piece is a spin, and where it is a full one, if a rotation leads there."""
    for state in range(rules.state_count[piece]):
        spin = broadcast_lanes(0)
        full = broadcast_lanes(0)
        if piece == T:
            spin, full = examine_corners(flood, state)
            full = spin & full
        if rules.spins >= SPINS_ALL_MINI:
            immobile = find_immobile(load(flood, FITS_OFFSET + state * LANES))
            spin = spin | immobile
            if rules.spins == SPINS_ALL and piece != T:
                full = immobile
        store(spins, _SPIN_OFFSET + state * LANES, spin)
        store(spins, _FULL_OFFSET + state * LANES, full)


class SpunState(NamedTuple):
    """A rotation state of a piece with a kind of spin, NO_SPIN for example."""

    piece: int
    state: int
    kind: int


@compile_inline
def add_placements(rules: RulesRecord, spun: SpunState, states: int, spins: Array) -> None:
    """Add positions of a piece's rotation state to the placements of a kind of spin."""
    piece, state, kind = spun
    rotation = int(rules.rotation_of_state[piece, state])
    offset = KINDS_OFFSET + (kind * MAX_ROTATION_STATES + rotation) * LANES
    store(spins, offset, load(spins, offset) | states)


@compile_inline
def find_moved(rules: RulesRecord, piece: int, state: int, flood: Array) -> int:
    """Return the reached positions of a state to which a move that is not a rotation leads, or where it spawns."""
    reached: int = load(flood, REACHED_OFFSET + state * LANES)
    moved: int = shift_lanes_right(reached) | shift_lanes_left(reached) | shift_locations_down(reached)
    spawn_state, x, row = get_spawn_state(rules, piece)
    if state == spawn_state:
        spawn = broadcast_lanes(1) << (MOVEMENT_ROWS - 1 - row)
        moved = moved | where(load(LANE_NUMBERS, 0) == x, spawn, broadcast_lanes(0))
    return moved & reached


@compile_inline
def add_rotated(rules: RulesRecord, turn: Turn, flood: Array, spins: Array) -> None:
    """Add the spins to which a turn leads."""
    piece, state, direction = turn
    other = get_next_rotation_state(rules, piece, state, direction)
    fits = load(flood, FITS_OFFSET + other * LANES)
    spin = load(spins, _SPIN_OFFSET + other * LANES)
    full = load(spins, _FULL_OFFSET + other * LANES)
    has_corners = broadcast_lanes(0)
    if piece == T:
        has_corners, _ = examine_corners(flood, other)
    states = load(flood, REACHED_OFFSET + state * LANES)
    resting = find_resting(rules, piece, other, spin, flood)
    if not any_lane_set(resting):
        return
    for test in range(rules.kick_tests[piece, direction]):
        right, rise = int(rules.dx[piece, state, direction, test]), int(rules.dy[piece, state, direction, test])
        hits = shift_states(states, right, rise) & fits
        states = states & ~shift_states(hits, -right, -rise)  # a rotation that has passed a test tries no further one
        full_hits = full | has_corners if rules.promotes[state, direction, test] else full
        add_placements(rules, SpunState(piece, other, FULL_SPIN), hits & resting & full_hits, spins)
        add_placements(rules, SpunState(piece, other, MINI_SPIN), hits & resting & ~full_hits, spins)


@compile_inline
def has_spins(rules: RulesRecord, piece: int) -> bool:
    """Return whether placements of a piece can be spins."""
    return rules.spins != SPINS_NONE and (rules.spins != SPINS_T or piece == T)


@compile_inline
def count_spin_kinds(rules: RulesRecord, piece: int) -> int:
    """Return for how many kinds of spin `find_spin_placements` finds placements; the first one is NO_SPIN."""
    return len(SPIN_KINDS) if has_spins(rules, piece) else 1


@compile_separate
def find_spin_placements(board: Array, rules: RulesRecord, piece: int, interval: int, scratch: SpinScratch) -> None:
    """Find all placements of a piece, by kind of spin if it has spins; `interval` is that of `find_placements`."""
    flood, spins = scratch.flood, scratch.spins
    find_placements(board, rules, piece, interval, scratch)
    if not has_spins(rules, piece):
        for rotation in range(rules.rotation_count[piece]):
            store(spins, KINDS_OFFSET + rotation * LANES, load(flood, RESTING_OFFSET + rotation * LANES))
        return
    examine_spins(rules, piece, flood, spins)
    for rotation in range(rules.rotation_count[piece]):
        for kind in range(len(SPIN_KINDS)):
            store(spins, KINDS_OFFSET + (kind * MAX_ROTATION_STATES + rotation) * LANES, broadcast_lanes(0))
    for state in range(rules.state_count[piece]):
        spin = load(spins, _SPIN_OFFSET + state * LANES)
        reached = load(flood, REACHED_OFFSET + state * LANES)
        resting = find_resting(rules, piece, state, reached, flood)
        moved = find_moved(rules, piece, state, flood)
        add_placements(rules, SpunState(piece, state, NO_SPIN), resting & (moved | ~spin), spins)
        for direction in range(TURN_COUNT):
            if rules.has_key[KEY_ROTATE + direction]:
                add_rotated(rules, Turn(piece, state, direction), flood, spins)


@compile_inline
def encode_placements(found: FoundPlacements, kinds: int, hold: int, codes: Array) -> int:
    """Write the codes of placements in their order, as many as there is room for; return their number.

    They are found by kind of spin, or of one kind; a constant number of kinds makes environments 20 % faster. The loop
    is not `visit_placements`, because codes go by rotation, column and row, one placement at a time.
    """
    count = 0
    for rotation in range(found.rules.rotation_count[found.piece]):
        for x in range(BOARD_WIDTH):
            offset = found.offset + rotation * LANES + x
            remaining = 0
            for kind in range(kinds):
                remaining |= int(found.vectors[offset + kind * _KIND_SIZE]) & 0xFFFFFFFF
            while remaining and count < len(codes):
                topmost = remaining & -remaining
                remaining ^= topmost
                location = encode_location(rotation, x, MOVEMENT_ROWS - bit_length(topmost))
                for kind in range(kinds):
                    is_found = kinds == 1 or int(found.vectors[offset + kind * _KIND_SIZE]) & topmost
                    if is_found and count < len(codes):
                        codes[count] = encode_placement(location, kind, hold)
                        count += 1
    return count


@compile_inline
def is_cell_filled(board: Array, x: int, y: int) -> bool:
    """Return whether a cell is filled; walls and the floor are."""
    return x < 0 or x >= BOARD_WIDTH or y < 0 or (board[x] >> y) & 1 != 0


@compile_inline
def count_filled_corners(board: Array, piece_state: PieceState) -> tuple[int, int]:
    """Return how many of the corners of T are filled, and how many of the two on the side to which it points."""
    state, left, bottom = piece_state
    x, y = left + int(T_CENTRES[state, 0]), bottom + int(T_CENTRES[state, 1])
    filled = 0
    filled_in_front = 0
    for corner in range(4):
        if is_cell_filled(board, x + int(T_CORNERS[state, corner, 0]), y + int(T_CORNERS[state, corner, 1])):
            filled += 1
            filled_in_front += corner < 2
    return filled, filled_in_front


@compile_inline
def is_immobile(board: Array, rules: RulesRecord, piece: int, piece_state: PieceState) -> bool:
    """Return whether a piece cannot move by one cell in any direction."""
    state, x, row = piece_state
    orientation = rules.orientation_of_state[piece, state]
    return not (
        is_free(board, orientation, x - 1, row)
        or is_free(board, orientation, x + 1, row)
        or is_free(board, orientation, x, row - 1)
        or is_free(board, orientation, x, row + 1)
    )


@compile_separate
def compute_spin(board: Array, rules: RulesRecord, piece: int, piece_state: PieceState, turn: int) -> int:
    """Return the spin of a resting piece whose last action is given."""
    if turn == NO_TURN or rules.spins == SPINS_NONE:
        return NO_SPIN
    if piece == T:
        filled, filled_in_front = count_filled_corners(board, piece_state)
        if filled >= _MIN_SPIN_CORNERS:
            return FULL_SPIN if filled_in_front == 2 or turn == PROMOTING_TURN else MINI_SPIN
    if rules.spins >= SPINS_ALL_MINI and is_immobile(board, rules, piece, piece_state):
        return FULL_SPIN if rules.spins == SPINS_ALL and piece != T else MINI_SPIN
    return NO_SPIN
