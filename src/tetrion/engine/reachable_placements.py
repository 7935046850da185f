"""Where a piece can get to: a flood over whole columns at once.

All places of a state are one `Lanes`: lane x holds the rows in which the piece can have its lowest cell when its left
edge is at x. They stand upside down (bit 0 is row 31), because then "down as far as it goes" is one addition: the carry
runs through the free places below. Left and right move lanes, a turn moves lanes and bits.
"""

from typing import Any

from tetrion.engine.compiler import compile_inline, compile_separate
from tetrion.engine.piece_motion import (
    KEY_DOWN,
    KEY_ROTATE_BACK,
    MOVEMENT_ROWS,
    get_next_rotation_state,
    get_spawn_state,
)
from tetrion.engine.pieces import BOARD_WIDTH, CELL_OFFSETS, ORIENTATION_HEIGHTS
from tetrion.engine.rotation_systems import MAX_ROTATION_STATES
from tetrion.engine.scalar_or_simd import Array, find_lowest_bit, where
from tetrion.engine.simd_lanes import (
    LANE_NUMBERS,
    LANES,
    any_lane_set,
    broadcast_lanes,
    load,
    reverse_bits,
    shift_lanes_left,
    shift_lanes_right,
    store,
)
from tetrion.engine.simd_lanes import extract_lane as one_lane

MAX_FALL_ROWS = 128  # rows; a turn may lift a piece, but not for ever

# The room that a flood needs, in lanes: free cells as seen from up to three columns further left; then for each state
# the places where it fits, those that are reached, those that are new; and for each orientation those to rest in.
FITS_OFFSET, REACHED_OFFSET, NEW_OFFSET, RESTING_OFFSET = (MAX_ROTATION_STATES * LANES * part for part in (1, 2, 3, 4))
FLOOD_SIZE = (5 * MAX_ROTATION_STATES + 1) * LANES

LOCK_AT_CONTACT = 0  # a piece locks as soon as it rests


@compile_inline
def prepare_flood(board: Array, rules: Any, piece: int, flood: Array) -> None:
    """Find out where each state of a piece fits; nothing is reached yet."""
    for column in range(BOARD_WIDTH):
        flood[column] = board[column]
    for beyond in range(BOARD_WIDTH, LANES):
        flood[beyond] = -1
    seen = reverse_bits(~load(flood, 0))
    for column in range(MAX_ROTATION_STATES):
        store(flood, column * LANES, seen)
        seen = shift_lanes_left(seen)
    for state in range(rules.states[piece]):
        orientation = rules.orientation[piece, state]
        fits = broadcast_lanes(-1)
        for cell in range(4):
            column, row = CELL_OFFSETS[orientation, cell, 0], CELL_OFFSETS[orientation, cell, 1]
            fits = fits & (load(flood, column * LANES) << row)
        store(flood, FITS_OFFSET + state * LANES, fits)
        store(flood, REACHED_OFFSET + state * LANES, broadcast_lanes(0))
    for turn in range(rules.turns[piece]):
        store(flood, RESTING_OFFSET + turn * LANES, broadcast_lanes(0))


@compile_inline
def mark_spawn_state(rules: Any, piece: int, flood: Array) -> bool:
    """Reach the entrance, if it is free."""
    state, x, row = get_spawn_state(rules, piece)
    here = where(load(LANE_NUMBERS, 0) == x, broadcast_lanes(1) << (MOVEMENT_ROWS - 1 - row), broadcast_lanes(0))
    here = here & load(flood, FITS_OFFSET + state * LANES)
    store(flood, REACHED_OFFSET + state * LANES, here)
    return bool(any_lane_set(here))


@compile_inline
def shift_down(states: Any) -> Any:
    """The places one row further down."""
    return states << 1


@compile_inline
def shift_up(states: Any) -> Any:
    """The places one row further up."""
    return states >> 1


@compile_inline
def shift_states(states: Any, right: int, rise: int) -> Any:
    """The places so many columns further right and rows further up."""
    for _ in range(right):
        states = shift_lanes_right(states)
    for _ in range(-right):
        states = shift_lanes_left(states)
    return states >> rise if rise >= 0 else states << -rise


@compile_inline
def rotate_states(rules: Any, piece: int, state: int, direction: int, states: Any, fits: Any) -> Any:
    """Where a turn takes a piece from these places; `fits` is where its next state fits."""
    found = broadcast_lanes(0)
    for test in range(rules.tests):
        right, rise = int(rules.dx[piece, state, direction, test]), int(rules.dy[piece, state, direction, test])
        hits = shift_states(states, right, rise) & fits
        found = found | hits
        if rules.tests > 1:
            states = states & ~shift_states(hits, -right, -rise)
    return found


@compile_inline
def select_movable(rules: Any, states: Any, fits: Any) -> Any:
    """The places from which a piece can go on: all, or only those where it does not rest."""
    return states & shift_up(fits) if rules.lock_delay == LOCK_AT_CONTACT else states


@compile_inline
def flood_moves(rules: Any, states: Any, fits: Any) -> Any:
    """Everything that steps left, right and down lead to."""
    while True:
        going = select_movable(rules, states, fits)
        wider = (states | shift_lanes_right(going) | shift_lanes_left(going)) & fits
        wider = ((fits + wider) ^ fits | wider) & fits
        if not any_lane_set(wider ^ states):
            return states
        states = wider


@compile_inline
def store_resting(rules: Any, piece: int, state: int, states: Any, fits: Any, flood: Array) -> None:
    """Note the places where a piece rests wholly on the board; states that look the same share them."""
    turn, tall = (
        RESTING_OFFSET + int(rules.turn[piece, state]) * LANES,
        int(ORIENTATION_HEIGHTS[rules.orientation[piece, state]]),
    )
    resting = states & ~shift_up(fits) & (broadcast_lanes(-1) << (MOVEMENT_ROWS - 1 - rules.rows + tall))
    store(flood, turn, load(flood, turn) | resting)


@compile_separate
def find_reachable(board: Array, rules: Any, piece: int, flood: Array) -> None:
    """Find every place to rest that a real path leads to."""
    prepare_flood(board, rules, piece, flood)
    waiting = 1 if mark_spawn_state(rules, piece, flood) else 0  # the states from which something new may be reached
    while waiting:
        state = find_lowest_bit(waiting)
        waiting &= waiting - 1
        fits = load(flood, FITS_OFFSET + state * LANES)
        places = flood_moves(rules, load(flood, REACHED_OFFSET + state * LANES), fits)
        store(flood, REACHED_OFFSET + state * LANES, places)
        going = select_movable(rules, places, fits)
        for direction in range(2 if rules.key[KEY_ROTATE_BACK] else 1):
            other = get_next_rotation_state(rules, piece, state, direction)
            if other != state:
                known = load(flood, REACHED_OFFSET + other * LANES)
                found = (
                    rotate_states(rules, piece, state, direction, going, load(flood, FITS_OFFSET + other * LANES))
                    & ~known
                )
                if any_lane_set(found):
                    store(flood, REACHED_OFFSET + other * LANES, known | found)
                    waiting |= 1 << other
    for state in range(rules.states[piece]):
        fits, places = load(flood, FITS_OFFSET + state * LANES), load(flood, REACHED_OFFSET + state * LANES)
        store_resting(rules, piece, state, places, fits, flood)


@compile_inline
def apply_any_key(rules: Any, piece: int, flood: Array) -> bool:
    """Add all places that one key leads to; tells whether they change anything for the keys to come."""
    for state in range(rules.states[piece]):
        fits, places = load(flood, FITS_OFFSET + state * LANES), load(flood, REACHED_OFFSET + state * LANES)
        new = places | shift_lanes_right(places) | shift_lanes_left(places)
        if rules.key[KEY_DOWN]:
            new = new | shift_down(places)
        store(flood, NEW_OFFSET + state * LANES, new & fits)
    for state in range(rules.states[piece]):
        places = load(flood, REACHED_OFFSET + state * LANES)
        for direction in range(2 if rules.key[KEY_ROTATE_BACK] else 1):
            other = get_next_rotation_state(rules, piece, state, direction)
            found = rotate_states(rules, piece, state, direction, places, load(flood, FITS_OFFSET + other * LANES))
            store(flood, NEW_OFFSET + other * LANES, load(flood, NEW_OFFSET + other * LANES) | found)
    changed = False
    for state in range(rules.states[piece]):
        new, fits = load(flood, NEW_OFFSET + state * LANES), load(flood, FITS_OFFSET + state * LANES)
        if rules.lock_delay == LOCK_AT_CONTACT:
            store_resting(rules, piece, state, new, fits, flood)
        new = select_movable(rules, new, fits)
        changed |= any_lane_set(new ^ load(flood, REACHED_OFFSET + state * LANES))
        store(flood, REACHED_OFFSET + state * LANES, new)
    return changed


@compile_inline
def lock_resting_states(rules: Any, piece: int, flood: Array) -> bool:
    """Take out the places where the piece rests and note them; tells whether others are left."""
    left = False
    for state in range(rules.states[piece]):
        fits, places = load(flood, FITS_OFFSET + state * LANES), load(flood, REACHED_OFFSET + state * LANES)
        store_resting(rules, piece, state, places, fits, flood)
        places = places & shift_up(fits)
        store(flood, REACHED_OFFSET + state * LANES, places)
        left |= any_lane_set(places)
    return left


@compile_inline
def is_stored(turn: int, x: int, row: int, flood: Array) -> bool:
    """Whether this is one of the places to rest."""
    return bool((one_lane(load(flood, RESTING_OFFSET + turn * LANES), x) >> (MOVEMENT_ROWS - 1 - row)) & 1)


@compile_separate
def find_reachable_in_time(
    board: Array, rules: Any, piece: int, interval: int, flood: Array, turn: int, x: int, row: int
) -> int:
    """Find every place to rest that a path leads to in time; tells the first frame in which a piece can lock in one.

    Gravity moves the piece down every `interval` frames. With a `turn` below 0 no frame is asked for.
    """
    if interval == 0:
        find_reachable(board, rules, piece, flood)
        return 0
    prepare_flood(board, rules, piece, flood)
    frame = 0
    key = int(rules.thinking_frames)
    contact = rules.lock_delay == LOCK_AT_CONTACT
    first = -1
    going = mark_spawn_state(rules, piece, flood)
    if contact:
        going = lock_resting_states(rules, piece, flood)
    for _ in range(MAX_FALL_ROWS):
        if first < 0 and turn >= 0 and is_stored(turn, x, row, flood):
            first = frame
        if not going:
            break
        while key < frame + interval:
            changed = apply_any_key(rules, piece, flood)
            if first < 0 and turn >= 0 and is_stored(turn, x, row, flood):
                first = key
            if not changed:  # nor would more keys change anything
                key += (frame + interval - 1 - key) // rules.frames_per_key * rules.frames_per_key
            key += rules.frames_per_key
        frame += interval
        going = lock_resting_states(rules, piece, flood)
        for state in range(rules.states[piece]):
            store(flood, REACHED_OFFSET + state * LANES, shift_down(load(flood, REACHED_OFFSET + state * LANES)))
        if contact:
            going = lock_resting_states(rules, piece, flood)
    return first
