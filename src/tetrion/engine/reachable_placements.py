"""Reachable placements of a piece, computed by a flood fill of whole columns.

All positions of one rotation state are one vector of lanes: lane x is a bit mask of the rows in which the piece's
lowest cell can be when its left edge is in column x. Rows are stored upside down (bit 0 is row 31), because a drop is
then one addition: the carry runs through the free positions below. Moves to the left and right shift lanes, and
rotations shift lanes and bits.
"""

from typing import NamedTuple

from tetrion.engine.bitboard import load_columns_simd
from tetrion.engine.compiler import compile_inline, compile_separate
from tetrion.engine.piece_motion import (
    KEY_DOWN,
    KEY_ROTATE,
    MOVEMENT_ROWS,
    PieceOnBoard,
    get_next_rotation_state,
    get_spawn_state,
)
from tetrion.engine.pieces import BOARD_WIDTH, CELL_OFFSETS, ORIENTATION_HEIGHTS
from tetrion.engine.placements import RotatedPlacement
from tetrion.engine.records import LOCK_AT_CONTACT, MAX_ROTATION_STATES, TURN_COUNT, RulesRecord
from tetrion.engine.scalar_or_simd import Array, bit_length, find_lowest_bit, where
from tetrion.engine.simd_lanes import (
    LANE_NUMBERS,
    LANES,
    any_lane_set,
    broadcast_lanes,
    extract_lane,
    load,
    reduce_or,
    reverse_bits,
    shift_lanes_left,
    shift_lanes_right,
    store,
)

MAX_BOX_ROWS = 5  # of the box of a rotation state
MAX_FALL_ROWS = 128  # rotations may lift a piece, but not indefinitely

# The layout of a flood, in vectors of lanes: four vectors of free cells, shifted by zero to three columns; then for
# each rotation state the positions where it fits, the reached positions and the new ones; then the placements of each
# rotation; and one unused vector.
FITS_OFFSET, REACHED_OFFSET, NEW_OFFSET, RESTING_OFFSET = (MAX_ROTATION_STATES * LANES * part for part in (1, 2, 3, 4))
FLOOD_SIZE = (5 * MAX_ROTATION_STATES + 1) * LANES

NO_GOAL = RotatedPlacement(-1, 0, 0)  # see `find_reachable_in_time`


class Turn(NamedTuple):
    """A rotation of a piece: its rotation state before it, and the direction, such as 0 for the key rotate."""

    piece: int
    state: int
    direction: int


@compile_inline
def prepare_flood(board: Array, rules: RulesRecord, piece: int, flood: Array) -> int:
    """Compute where each rotation state of a piece fits, clear the reached positions, and return the stack's height."""
    columns = load_columns_simd(board, 0)
    free_cells = where(load(LANE_NUMBERS, 0) < BOARD_WIDTH, reverse_bits(~columns), broadcast_lanes(0))
    for column in range(MAX_ROTATION_STATES):
        store(flood, column * LANES, free_cells)
        free_cells = shift_lanes_left(free_cells)
    for state in range(rules.state_count[piece]):
        orientation = rules.orientation_of_state[piece, state]
        fits = broadcast_lanes(-1)
        for cell in range(4):
            column, row = CELL_OFFSETS[orientation, cell, 0], CELL_OFFSETS[orientation, cell, 1]
            fits = fits & (load(flood, column * LANES) << row)
        store(flood, FITS_OFFSET + state * LANES, fits)
        store(flood, REACHED_OFFSET + state * LANES, broadcast_lanes(0))
    for rotation in range(rules.rotation_count[piece]):
        store(flood, RESTING_OFFSET + rotation * LANES, broadcast_lanes(0))
    return int(bit_length(reduce_or(columns)))


@compile_inline
def mark_spawn_state(rules: RulesRecord, piece: int, flood: Array) -> bool:
    """Mark the spawn position as reached; return whether it is free."""
    state, x, row = get_spawn_state(rules, piece)
    spawn = where(load(LANE_NUMBERS, 0) == x, broadcast_lanes(1) << (MOVEMENT_ROWS - 1 - row), broadcast_lanes(0))
    spawn = spawn & load(flood, FITS_OFFSET + state * LANES)
    store(flood, REACHED_OFFSET + state * LANES, spawn)
    return bool(any_lane_set(spawn))


@compile_inline
def mark_open_states(rules: RulesRecord, piece: int, height: int, flood: Array) -> bool:
    """Mark all positions just above a low stack of this height as reached, and drop them; return whether it is low.

    Above a low stack a piece can be rotated and moved anywhere. Of these positions only the lowest rows are kept: a
    rotation in a higher row does not lower the piece into the stack.
    """
    _, _, spawn_row = get_spawn_state(rules, piece)
    highest_kept_row = height + int(rules.max_descent[piece])
    turning_row = min(spawn_row, MOVEMENT_ROWS - MAX_BOX_ROWS)
    if highest_kept_row > turning_row - int(rules.turning_depth[piece]):
        return False
    kept = -1 << (MOVEMENT_ROWS - 1 - highest_kept_row)
    open_rows = kept & ((1 << (MOVEMENT_ROWS - height)) - 1)
    for state in range(rules.state_count[piece]):
        fits = load(flood, FITS_OFFSET + state * LANES) & kept
        store(flood, FITS_OFFSET + state * LANES, fits)
        store(flood, REACHED_OFFSET + state * LANES, flood_moves(rules, fits & open_rows, fits))
    return True


@compile_inline
def shift_locations_down(states: int) -> int:
    """Return the positions shifted down by one row."""
    return states << 1


@compile_inline
def shift_locations_up(states: int) -> int:
    """Return the positions shifted up by one row."""
    return states >> 1


@compile_inline
def shift_states(states: int, right: int, rise: int) -> int:
    """Return the positions shifted by `right` columns to the right and `rise` rows up; both may be negative."""
    for _ in range(right):
        states = shift_lanes_right(states)
    for _ in range(-right):
        states = shift_lanes_left(states)
    return states >> rise if rise >= 0 else states << -rise


@compile_inline
def rotate_states(rules: RulesRecord, turn: Turn, states: int, fits: int) -> int:
    """Return the positions after a turn from `states`; `fits` are the positions where the next state fits."""
    piece, state, direction = turn
    rotated: int = broadcast_lanes(0)
    test_count = rules.kick_tests[piece, direction]
    for test in range(test_count):
        right, rise = int(rules.dx[piece, state, direction, test]), int(rules.dy[piece, state, direction, test])
        hits = shift_states(states, right, rise) & fits
        rotated = rotated | hits
        if test_count > 1:  # a piece takes the first kick that fits: those that have passed try no other one
            states = states & ~shift_states(hits, -right, -rise)
    return rotated


@compile_inline
def select_movable(rules: RulesRecord, states: int, fits: int) -> int:
    """Return the positions from which a piece can move: all, or those where it does not rest if it locks at contact."""
    return states & shift_locations_up(fits) if rules.lock_delay == LOCK_AT_CONTACT else states


@compile_inline
def flood_moves(rules: RulesRecord, states: int, fits: int) -> int:
    """Return all positions that moves to the left, right and down lead to."""
    while True:
        movable = select_movable(rules, states, fits)
        extended = (states | shift_lanes_right(movable) | shift_lanes_left(movable)) & fits
        # All moves down in one addition. A step down shifts to the next higher bit; the free positions below a reached
        # one are a run of ones in `fits`, through which the carry of a reached bit runs. Where the sum differs from
        # `fits`, the carry has passed.
        extended = ((fits + extended) ^ fits | extended) & fits
        if not any_lane_set(extended ^ states):
            return states
        states = extended


@compile_inline
def find_resting(rules: RulesRecord, piece: int, state: int, states: int, flood: Array) -> int:
    """Return those of the positions where a piece rests completely on the board."""
    fits = load(flood, FITS_OFFSET + state * LANES)
    height = int(ORIENTATION_HEIGHTS[rules.orientation_of_state[piece, state]])
    resting: int = (
        states & ~shift_locations_up(fits) & (broadcast_lanes(-1) << (MOVEMENT_ROWS - 1 - rules.rows + height))
    )
    return resting


@compile_inline
def store_resting(rules: RulesRecord, piece: int, state: int, states: int, flood: Array) -> None:
    """Add the positions where a piece rests completely on the board to the placements of its rotation."""
    offset = RESTING_OFFSET + int(rules.rotation_of_state[piece, state]) * LANES
    store(flood, offset, load(flood, offset) | find_resting(rules, piece, state, states, flood))


@compile_separate
def find_reachable(board: Array, rules: RulesRecord, piece: int, flood: Array) -> None:
    """Find all placements that a path of moves leads to, without a time limit."""
    height = prepare_flood(board, rules, piece, flood)
    pending = (1 << int(rules.state_count[piece])) - 1  # bit mask of the states with new positions
    if not mark_open_states(rules, piece, height, flood):
        pending = 1 if mark_spawn_state(rules, piece, flood) else 0
    while pending:
        state = find_lowest_bit(pending)
        pending &= pending - 1
        fits = load(flood, FITS_OFFSET + state * LANES)
        reached = flood_moves(rules, load(flood, REACHED_OFFSET + state * LANES), fits)
        store(flood, REACHED_OFFSET + state * LANES, reached)
        movable = select_movable(rules, reached, fits)
        for direction in range(TURN_COUNT):
            other = get_next_rotation_state(rules, piece, state, direction)
            if other != state and rules.has_key[KEY_ROTATE + direction]:
                other_fits = load(flood, FITS_OFFSET + other * LANES)
                other_reached = load(flood, REACHED_OFFSET + other * LANES)
                if any_lane_set(other_fits ^ other_reached):
                    new = rotate_states(rules, Turn(piece, state, direction), movable, other_fits) & ~other_reached
                    if any_lane_set(new):
                        store(flood, REACHED_OFFSET + other * LANES, other_reached | new)
                        pending |= 1 << other
    for state in range(rules.state_count[piece]):
        store_resting(rules, piece, state, load(flood, REACHED_OFFSET + state * LANES), flood)


@compile_inline
def apply_any_key(rules: RulesRecord, piece: int, flood: Array) -> bool:
    """Add all positions that one key press leads to; return whether the reached positions have changed."""
    for state in range(rules.state_count[piece]):
        fits, reached = load(flood, FITS_OFFSET + state * LANES), load(flood, REACHED_OFFSET + state * LANES)
        new = reached | shift_lanes_right(reached) | shift_lanes_left(reached)
        if rules.has_key[KEY_DOWN]:
            new = new | shift_locations_down(reached)
        store(flood, NEW_OFFSET + state * LANES, new & fits)
    for state in range(rules.state_count[piece]):
        reached = load(flood, REACHED_OFFSET + state * LANES)
        for direction in range(TURN_COUNT):
            if not rules.has_key[KEY_ROTATE + direction]:
                continue
            other = get_next_rotation_state(rules, piece, state, direction)
            other_fits = load(flood, FITS_OFFSET + other * LANES)
            rotated = rotate_states(rules, Turn(piece, state, direction), reached, other_fits)
            store(flood, NEW_OFFSET + other * LANES, load(flood, NEW_OFFSET + other * LANES) | rotated)
    changed = False
    for state in range(rules.state_count[piece]):
        new, fits = load(flood, NEW_OFFSET + state * LANES), load(flood, FITS_OFFSET + state * LANES)
        if rules.lock_delay == LOCK_AT_CONTACT:
            store_resting(rules, piece, state, new, flood)
        new = select_movable(rules, new, fits)
        changed |= any_lane_set(new ^ load(flood, REACHED_OFFSET + state * LANES))
        store(flood, REACHED_OFFSET + state * LANES, new)
    return changed


@compile_inline
def lock_resting_states(rules: RulesRecord, piece: int, flood: Array) -> bool:
    """Move the positions where the piece rests to the placements; return whether other positions remain."""
    has_remaining = False
    for state in range(rules.state_count[piece]):
        fits, reached = load(flood, FITS_OFFSET + state * LANES), load(flood, REACHED_OFFSET + state * LANES)
        store_resting(rules, piece, state, reached, flood)
        reached = reached & shift_locations_up(fits)
        store(flood, REACHED_OFFSET + state * LANES, reached)
        has_remaining |= any_lane_set(reached)
    return has_remaining


@compile_inline
def is_stored(placement: RotatedPlacement, flood: Array) -> bool:
    """Return whether a placement is stored in the flood."""
    rotation, x, row = placement
    return bool((extract_lane(load(flood, RESTING_OFFSET + rotation * LANES), x) >> (MOVEMENT_ROWS - 1 - row)) & 1)


@compile_separate
def find_reachable_in_time(
    piece_on_board: PieceOnBoard[RulesRecord], interval: int, flood: Array, goal: RotatedPlacement
) -> int:
    """Find all placements that can be reached in time; return the first frame in which `goal` can lock.

    Gravity moves the piece down every `interval` frames. For NO_GOAL no frame is computed, and −1 is
    returned.
    """
    board, rules, piece = piece_on_board
    if interval == 0:
        find_reachable(board, rules, piece, flood)
        return 0
    prepare_flood(board, rules, piece, flood)
    frame = 0
    key_frame = int(rules.thinking_frames)
    locks_at_contact = rules.lock_delay == LOCK_AT_CONTACT
    lock_frame = -1
    is_falling = mark_spawn_state(rules, piece, flood)
    if locks_at_contact:
        is_falling = lock_resting_states(rules, piece, flood)
    for _ in range(MAX_FALL_ROWS):
        if lock_frame < 0 and goal.rotation >= 0 and is_stored(goal, flood):
            lock_frame = frame
        if not is_falling:
            break
        while key_frame < frame + interval:
            changed = apply_any_key(rules, piece, flood)
            if lock_frame < 0 and goal.rotation >= 0 and is_stored(goal, flood):
                lock_frame = key_frame
            if not changed:  # more keys would have no effect either
                key_frame += (frame + interval - 1 - key_frame) // rules.frames_per_key * rules.frames_per_key
            key_frame += rules.frames_per_key
        frame += interval
        is_falling = lock_resting_states(rules, piece, flood)
        for state in range(rules.state_count[piece]):
            store(
                flood, REACHED_OFFSET + state * LANES, shift_locations_down(load(flood, REACHED_OFFSET + state * LANES))
            )
        if locks_at_contact:
            is_falling = lock_resting_states(rules, piece, flood)
    return lock_frame
