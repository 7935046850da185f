"""Spins: placements that end with a rotation into a place where the piece is held.

A placement is told apart by its spin, because the same cells may be reached with and without one. All positions are
examined at once, in the vectors of the flood: those that the last rotation of a path leads to, by kick, and those that
a move to the left, right or down leads to.

A T-spin needs three filled cells of the four that are diagonal to the centre of T. It is full if the two on the side to
which T points are filled, or if the kick promotes it; else it is a mini. With the immobile rule, pieces that cannot
move by one cell in any direction are spins, too.
"""

from typing import Annotated

from tetrion.engine.best_placements import encode_placement
from tetrion.engine.compiler import compile_inline, compile_separate
from tetrion.engine.modern_records import FULL_SPIN, MINI_SPIN, NO_SPIN, SPIN_KINDS, ModernRulesRecord
from tetrion.engine.piece_motion import KEY_ROTATE, MOVEMENT_ROWS, get_next_rotation_state, get_spawn_state
from tetrion.engine.pieces import BOARD_WIDTH
from tetrion.engine.placement_choice import SimdScratch, find_placements
from tetrion.engine.reachable_placements import (
    FITS_OFFSET,
    REACHED_OFFSET,
    RESTING_OFFSET,
    find_resting,
    shift_locations_down,
    shift_locations_up,
    shift_states,
)
from tetrion.engine.records import MAX_ROTATION_STATES, TURN_COUNT, Int32Array
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
from tetrion.engine.spin_rules import SPINS_ALL, SPINS_ALL_MINI, SPINS_NONE, SPINS_T, T_CENTRES, T_CORNERS, T

# The layout of `ModernScratch.spins`, in vectors of lanes: by state the positions that are a spin after a rotation, and
# those that are a full one after any rotation; then the placements by kind of spin and rotation.
_SPIN_OFFSET, _FULL_OFFSET, KINDS_OFFSET = (MAX_ROTATION_STATES * LANES * part for part in range(3))
SPINS_SIZE = (2 + len(SPIN_KINDS)) * MAX_ROTATION_STATES * LANES


class ModernScratch(SimdScratch):
    """Working memory of the modern game."""

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
    return (a & b & (c | d)) | (c & d & (a | b)), a & b


@compile_inline
def find_immobile(fits: int) -> int:
    """Return the positions from which the piece can move in no direction."""
    sideways: int = shift_lanes_right(fits) | shift_lanes_left(fits)
    return ~(sideways | shift_locations_down(fits) | shift_locations_up(fits))


@compile_inline
def examine_spins(rules: ModernRulesRecord, piece: int, flood: Array, spins: Array) -> None:
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


@compile_inline
def add_placements(rules: ModernRulesRecord, placed: tuple[int, int, int], states: int, spins: Array) -> None:
    """Add positions of a piece's state to the placements of a kind of spin; `placed` is the piece, state and kind."""
    piece, state, kind = placed
    rotation = int(rules.rotation_of_state[piece, state])
    offset = KINDS_OFFSET + (kind * MAX_ROTATION_STATES + rotation) * LANES
    store(spins, offset, load(spins, offset) | states)


@compile_inline
def find_moved(rules: ModernRulesRecord, piece: int, state: int, flood: Array) -> int:
    """Return the reached positions of a state to which a move that is not a rotation leads, or where it spawns."""
    reached: int = load(flood, REACHED_OFFSET + state * LANES)
    moved: int = shift_lanes_right(reached) | shift_lanes_left(reached) | shift_locations_down(reached)
    spawn_state, x, row = get_spawn_state(rules, piece)
    if state == spawn_state:
        spawn = broadcast_lanes(1) << (MOVEMENT_ROWS - 1 - row)
        moved = moved | where(load(LANE_NUMBERS, 0) == x, spawn, broadcast_lanes(0))
    return moved & reached


@compile_inline
def add_rotated(rules: ModernRulesRecord, turn: tuple[int, int, int], flood: Array, spins: Array) -> None:
    """Add the spins to which a turn leads; a turn is given as piece, rotation state before it, and direction."""
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
        states = states & ~shift_states(hits, -right, -rise)
        full_hits = full | has_corners if rules.promotes[state, direction, test] else full
        add_placements(rules, (piece, other, FULL_SPIN), hits & resting & full_hits, spins)
        add_placements(rules, (piece, other, MINI_SPIN), hits & resting & ~full_hits, spins)


@compile_inline
def has_spins(rules: ModernRulesRecord, piece: int) -> bool:
    """Return whether placements of a piece can be spins."""
    return rules.spins != SPINS_NONE and (rules.spins != SPINS_T or piece == T)


@compile_separate
def find_spin_placements(board: Array, rules: ModernRulesRecord, piece: int, scratch: ModernScratch) -> None:
    """Find all placements of a piece by kind of spin, without a time limit."""
    flood, spins = scratch.flood, scratch.spins
    find_placements(board, rules, piece, 0, scratch)
    for rotation in range(rules.rotation_count[piece]):
        store(spins, KINDS_OFFSET + rotation * LANES, load(flood, RESTING_OFFSET + rotation * LANES))
        for kind in (MINI_SPIN, FULL_SPIN):
            store(spins, KINDS_OFFSET + (kind * MAX_ROTATION_STATES + rotation) * LANES, broadcast_lanes(0))
    if not has_spins(rules, piece):
        return
    examine_spins(rules, piece, flood, spins)
    for rotation in range(rules.rotation_count[piece]):
        store(spins, KINDS_OFFSET + rotation * LANES, broadcast_lanes(0))
    for state in range(rules.state_count[piece]):
        spin = load(spins, _SPIN_OFFSET + state * LANES)
        reached = load(flood, REACHED_OFFSET + state * LANES)
        resting = find_resting(rules, piece, state, reached, flood)
        moved = find_moved(rules, piece, state, flood)
        add_placements(rules, (piece, state, NO_SPIN), resting & (moved | ~spin), spins)
        for direction in range(TURN_COUNT):
            if rules.has_key[KEY_ROTATE + direction]:
                add_rotated(rules, (piece, state, direction), flood, spins)


@compile_inline
def encode_spin_placements(rotation_count: int, hold: int, spins: Array, codes: Array, count: int) -> int:
    """Append the codes of all placements in their order; return how many codes there are then."""
    for rotation in range(rotation_count):
        for x in range(BOARD_WIDTH):
            offset = KINDS_OFFSET + rotation * LANES + x
            kinds = MAX_ROTATION_STATES * LANES
            plain, mini = int(spins[offset]) & 0xFFFFFFFF, int(spins[offset + kinds]) & 0xFFFFFFFF
            full = int(spins[offset + 2 * kinds]) & 0xFFFFFFFF
            remaining = plain | mini | full
            while remaining:
                topmost = remaining & -remaining
                remaining ^= topmost
                code = encode_placement(rotation, x, MOVEMENT_ROWS - bit_length(topmost))
                for kind in range(len(SPIN_KINDS)):
                    if (plain, mini, full)[kind] & topmost and count < len(codes):
                        codes[count] = encode_modern_placement(code, kind, hold)
                        count += 1
    return count


@compile_inline
def encode_modern_placement(code: int, spin: int, hold: int) -> int:
    """Return a placement with its spin and hold as one integer; of placements with equal scores the smallest wins."""
    return (hold * MAX_PLACEMENT_CODES + code) * len(SPIN_KINDS) + spin


MAX_PLACEMENT_CODES = MAX_ROTATION_STATES * LANES * MOVEMENT_ROWS


@compile_inline
def decode_modern_placement(code: int) -> tuple[int, int, int]:
    """Return the code of a placement without spin and hold, its spin, and 1 if it is made with hold."""
    spins = len(SPIN_KINDS)
    return code // spins % MAX_PLACEMENT_CODES, code % spins, code // spins // MAX_PLACEMENT_CODES
