"""Where a piece can get to: a flood over whole columns at once.

All places of a state are one `Lanes`: lane x holds the rows in which the piece can have its lowest cell when its left
edge is at x. They stand upside down (bit 0 is row 31), because then "down as far as it goes" is one addition: the carry
runs through the free places below. Left and right move lanes, a turn moves lanes and bits.
"""

from typing import Any

from tetrion.engine.compiler import compiled, compiled_apart
from tetrion.engine.lanes import (
    LANE_NUMBERS,
    LANES,
    any_set,
    everywhere,
    load,
    reversed_bits,
    store,
    to_the_left,
    to_the_right,
)
from tetrion.engine.lanes import lane as one_lane
from tetrion.engine.motion import BACK, DOWN, SKY, entrance, next_state
from tetrion.engine.pieces import SQUARES, TALL, WIDTH
from tetrion.engine.rotations import MOST_STATES
from tetrion.engine.words import Array, lowest, where

LONGEST_FALL = 128  # rows; a turn may lift a piece, but not for ever

# The room that a flood needs, in lanes: free cells as seen from up to three columns further left; then for each state
# the places where it fits, those that are reached, those that are new; and for each orientation those to rest in.
FITS, REACHED, NEW, RESTS = (MOST_STATES * LANES * part for part in (1, 2, 3, 4))
ROOM = (5 * MOST_STATES + 1) * LANES

AT_CONTACT = 0  # a piece locks as soon as it rests


@compiled
def prepare(board: Array, rules: Any, piece: int, room: Array) -> None:
    """Find out where each state of a piece fits; nothing is reached yet."""
    for column in range(WIDTH):
        room[column] = board[column]
    for beyond in range(WIDTH, LANES):
        room[beyond] = -1
    seen = reversed_bits(~load(room, 0))
    for column in range(MOST_STATES):
        store(room, column * LANES, seen)
        seen = to_the_left(seen)
    for state in range(rules.states[piece]):
        orientation = rules.orientation[piece, state]
        fits = everywhere(-1)
        for cell in range(4):
            column, row = SQUARES[orientation, cell, 0], SQUARES[orientation, cell, 1]
            fits = fits & (load(room, column * LANES) << row)
        store(room, FITS + state * LANES, fits)
        store(room, REACHED + state * LANES, everywhere(0))
    for turn in range(rules.turns[piece]):
        store(room, RESTS + turn * LANES, everywhere(0))


@compiled
def enter(rules: Any, piece: int, room: Array) -> bool:
    """Reach the entrance, if it is free."""
    state, x, row = entrance(rules, piece)
    here = where(load(LANE_NUMBERS, 0) == x, everywhere(1) << (SKY - 1 - row), everywhere(0))
    here = here & load(room, FITS + state * LANES)
    store(room, REACHED + state * LANES, here)
    return bool(any_set(here))


@compiled
def down(places: Any) -> Any:
    """The places one row further down."""
    return places << 1


@compiled
def up(places: Any) -> Any:
    """The places one row further up."""
    return places >> 1


@compiled
def moved(places: Any, right: int, rise: int) -> Any:
    """The places so many columns further right and rows further up."""
    for _ in range(right):
        places = to_the_right(places)
    for _ in range(-right):
        places = to_the_left(places)
    return places >> rise if rise >= 0 else places << -rise


@compiled
def turned(rules: Any, piece: int, state: int, direction: int, places: Any, fits: Any) -> Any:
    """Where a turn takes a piece from these places; `fits` is where its next state fits."""
    found = everywhere(0)
    for test in range(rules.tests):
        right, rise = int(rules.dx[piece, state, direction, test]), int(rules.dy[piece, state, direction, test])
        hits = moved(places, right, rise) & fits
        found = found | hits
        if rules.tests > 1:
            places = places & ~moved(hits, -right, -rise)
    return found


@compiled
def mobile(rules: Any, places: Any, fits: Any) -> Any:
    """The places from which a piece can go on: all, or only those where it does not rest."""
    return places & up(fits) if rules.lock == AT_CONTACT else places


@compiled
def spread_out(rules: Any, places: Any, fits: Any) -> Any:
    """Everything that steps left, right and down lead to."""
    while True:
        going = mobile(rules, places, fits)
        wider = (places | to_the_right(going) | to_the_left(going)) & fits
        wider = ((fits + wider) ^ fits | wider) & fits
        if not any_set(wider ^ places):
            return places
        places = wider


@compiled
def keep_resting(rules: Any, piece: int, state: int, places: Any, fits: Any, room: Array) -> None:
    """Note the places where a piece rests wholly on the board; states that look the same share them."""
    turn, tall = RESTS + int(rules.turn[piece, state]) * LANES, int(TALL[rules.orientation[piece, state]])
    resting = places & ~up(fits) & (everywhere(-1) << (SKY - 1 - rules.rows + tall))
    store(room, turn, load(room, turn) | resting)


@compiled_apart
def reach(board: Array, rules: Any, piece: int, room: Array) -> None:
    """Find every place to rest that a real path leads to."""
    prepare(board, rules, piece, room)
    waiting = 1 if enter(rules, piece, room) else 0  # the states from which something new may be reached
    while waiting:
        state = lowest(waiting)
        waiting &= waiting - 1
        fits = load(room, FITS + state * LANES)
        places = spread_out(rules, load(room, REACHED + state * LANES), fits)
        store(room, REACHED + state * LANES, places)
        going = mobile(rules, places, fits)
        for direction in range(2 if rules.key[BACK] else 1):
            other = next_state(rules, piece, state, direction)
            if other != state:
                known = load(room, REACHED + other * LANES)
                found = turned(rules, piece, state, direction, going, load(room, FITS + other * LANES)) & ~known
                if any_set(found):
                    store(room, REACHED + other * LANES, known | found)
                    waiting |= 1 << other
    for state in range(rules.states[piece]):
        fits, places = load(room, FITS + state * LANES), load(room, REACHED + state * LANES)
        keep_resting(rules, piece, state, places, fits, room)


@compiled
def press_any_key(rules: Any, piece: int, room: Array) -> bool:
    """Add all places that one key leads to; tells whether they change anything for the keys to come."""
    for state in range(rules.states[piece]):
        fits, places = load(room, FITS + state * LANES), load(room, REACHED + state * LANES)
        new = places | to_the_right(places) | to_the_left(places)
        if rules.key[DOWN]:
            new = new | down(places)
        store(room, NEW + state * LANES, new & fits)
    for state in range(rules.states[piece]):
        places = load(room, REACHED + state * LANES)
        for direction in range(2 if rules.key[BACK] else 1):
            other = next_state(rules, piece, state, direction)
            found = turned(rules, piece, state, direction, places, load(room, FITS + other * LANES))
            store(room, NEW + other * LANES, load(room, NEW + other * LANES) | found)
    changed = False
    for state in range(rules.states[piece]):
        new, fits = load(room, NEW + state * LANES), load(room, FITS + state * LANES)
        if rules.lock == AT_CONTACT:
            keep_resting(rules, piece, state, new, fits, room)
        new = mobile(rules, new, fits)
        changed |= any_set(new ^ load(room, REACHED + state * LANES))
        store(room, REACHED + state * LANES, new)
    return changed


@compiled
def lock_resting(rules: Any, piece: int, room: Array) -> bool:
    """Take out the places where the piece rests and note them; tells whether others are left."""
    left = False
    for state in range(rules.states[piece]):
        fits, places = load(room, FITS + state * LANES), load(room, REACHED + state * LANES)
        keep_resting(rules, piece, state, places, fits, room)
        places = places & up(fits)
        store(room, REACHED + state * LANES, places)
        left |= any_set(places)
    return left


@compiled
def is_kept(turn: int, x: int, row: int, room: Array) -> bool:
    """Whether this is one of the places to rest."""
    return bool((one_lane(load(room, RESTS + turn * LANES), x) >> (SKY - 1 - row)) & 1)


@compiled_apart
def reach_in_time(board: Array, rules: Any, piece: int, interval: int, room: Array, turn: int, x: int, row: int) -> int:
    """Find every place to rest that a path leads to in time; tells the first frame in which a piece can lock in one.

    Gravity moves the piece down every `interval` frames. With a `turn` below 0 no frame is asked for.
    """
    if interval == 0:
        reach(board, rules, piece, room)
        return 0
    prepare(board, rules, piece, room)
    frame, key, contact, first = 0, int(rules.thinking), rules.lock == AT_CONTACT, -1
    going = enter(rules, piece, room)
    if contact:
        going = lock_resting(rules, piece, room)
    for _ in range(LONGEST_FALL):
        if first < 0 and turn >= 0 and is_kept(turn, x, row, room):
            first = frame
        if not going:
            break
        while key < frame + interval:
            changed = press_any_key(rules, piece, room)
            if first < 0 and turn >= 0 and is_kept(turn, x, row, room):
                first = key
            if not changed:  # nor would more keys change anything
                key += (frame + interval - 1 - key) // rules.key_every * rules.key_every
            key += rules.key_every
        frame += interval
        going = lock_resting(rules, piece, room)
        for state in range(rules.states[piece]):
            store(room, REACHED + state * LANES, down(load(room, REACHED + state * LANES)))
        if contact:
            going = lock_resting(rules, piece, room)
    return first
