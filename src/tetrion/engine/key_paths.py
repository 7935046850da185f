"""The keys that take a piece to a place with the fewest presses.

Worked out backwards: what it still costs to get to the goal from every place, at every moment at which a key can be
pressed. The way there then takes the first key, in their order, that loses nothing, as early as it can.
"""

from typing import Any

import numpy as np

from tetrion.engine.compiler import compile_entry, compile_inline
from tetrion.engine.piece_motion import KEY_DOWN, KEY_DROP, MOVEMENT_ROWS, apply_key, get_spawn_state, is_free
from tetrion.engine.pieces import BOARD_WIDTH
from tetrion.engine.reachable_placements import LOCK_AT_CONTACT, MAX_FALL_ROWS
from tetrion.engine.scalar_or_simd import Array

NO_STEP = -1
UNREACHABLE_COST = 10_000
MAX_PATH_KEYS = 1_000
_MAX_LIFT_ROWS = 16  # rows by which turns may lift a piece on its way
NO_PATH = -1


@compile_inline
def encode_state(state: int, x: int, row: int) -> int:
    """The number of a place."""
    return (state * BOARD_WIDTH + x) * MOVEMENT_ROWS + row


@compile_inline
def is_key_usable(rules: Any, key: int, interval: int) -> bool:
    """Whether a way may have this step; down needs no key where the clock does not run."""
    return bool(rules.key[key]) or (key == KEY_DOWN and interval == 0)


@compile_inline
def map_steps(board: Array, rules: Any, piece: int, interval: int, steps: Array) -> None:
    """Write for every place where each key leads: nowhere if it does nothing or the piece cannot be there.

    The step down is written whether or not it is a key's: gravity takes it too.
    """
    for here in range(len(steps)):
        state = here // MOVEMENT_ROWS // BOARD_WIDTH
        x = here // MOVEMENT_ROWS % BOARD_WIDTH
        row = here % MOVEMENT_ROWS
        there = is_free(board, rules.orientation[piece, state], x, row)
        stuck = rules.lock_delay == LOCK_AT_CONTACT and not is_free(board, rules.orientation[piece, state], x, row - 1)
        for key in range(KEY_DROP):
            steps[here, key] = NO_STEP
            if there and not stuck and (key == KEY_DOWN or is_key_usable(rules, key, interval)):
                other = apply_key(board, rules, piece, (state, x, row), key)
                number = encode_state(other[0], other[1], other[2])
                if number != here:
                    steps[here, key] = number


@compile_inline
def propagate_costs_by_keys(rules: Any, interval: int, steps: Array, after: Array, before: Array) -> bool:
    """From what it costs after a moment to press a key, what it costs before; tells whether that differs anywhere."""
    changed = False
    for here in range(len(steps)):
        least = after[here]
        for key in range(KEY_DROP):
            there = steps[here, key]
            if there != NO_STEP and is_key_usable(rules, key, interval):
                least = min(least, after[there] + 1)
        changed |= least != after[here]
        before[here] = least
    return changed


@compile_inline
def compute_key_frames(rules: Any, interval: int, number: int) -> tuple[int, int]:
    """The first frame of an interval at which a key can be pressed, and at how many it can."""
    start = number * interval
    first = int(rules.thinking_frames)
    every = int(rules.frames_per_key)
    if first < start:
        first += (start - first + every - 1) // every * every
    return first, max(0, (start + interval - 1 - first) // every + 1)


@compile_inline
def is_goal(rules: Any, piece: int, here: int, turn: int, goal: int) -> bool:
    """Whether a place is the goal, in whatever state that looks the same."""
    area = BOARD_WIDTH * MOVEMENT_ROWS
    return here % area == goal and rules.turn[piece, here // area] == turn


@compile_inline
def propagate_costs_by_gravity(
    rules: Any, piece: int, interval: int, steps: Array, later: Array, before: Array, turn: int, goal: int
) -> None:
    """From what it costs after gravity's step, what it costs before; one that cannot fall locks, at the goal or not.

    Where the clock does not run there is no such step, and only the goal will do.
    """
    for here in range(len(steps)):
        below = steps[here, KEY_DOWN]
        if interval and below != NO_STEP:
            before[here] = later[below]
        else:
            before[here] = 0 if is_goal(rules, piece, here, turn, goal) else UNREACHABLE_COST


@compile_inline
def double_layers(layers: Array) -> Array:
    """The same layers, with room for as many again."""
    wider = np.empty((2 * len(layers), layers.shape[1]), np.int16)
    for layer in range(len(layers)):
        for place in range(layers.shape[1]):
            wider[layer, place] = layers[layer, place]
    return wider


@compile_inline
def compute_costs(
    rules: Any, piece: int, interval: int, steps: Array, turn: int, goal: int, begins: Array
) -> tuple[Array, int]:
    """What it costs from every place, in layers, and how many layers there are.

    The layers of an interval between two of gravity's steps begin where `begins` says: first what it costs after its
    last key, then before that, and so on until nothing changes. The last interval comes first.
    """
    layers, used = np.empty((64, len(steps)), np.int16), 1
    for place in range(len(steps)):
        layers[0, place] = UNREACHABLE_COST  # once the last interval is over
    for number in range(len(begins) - 1, -1, -1):
        begins[number] = used
        keys = compute_key_frames(rules, interval, number)[1] if interval else MAX_PATH_KEYS
        for pressed in range(keys + 1):
            if used == len(layers):
                layers = double_layers(layers)
            if pressed == 0:
                propagate_costs_by_gravity(rules, piece, interval, steps, layers[used - 1], layers[used], turn, goal)
            elif not propagate_costs_by_keys(rules, interval, steps, layers[used - 1], layers[used]):
                break
            used += 1
    return layers, used


@compile_inline
def follow_cheapest_keys(
    rules: Any,
    interval: int,
    steps: Array,
    layers: Array,
    used: int,
    begins: Array,
    here: int,
    keys: Array,
    frames: Array,
) -> int:
    """Write the keys and their frames of the way from a place; tells how many there are."""
    found, end = 0, used
    for number in range(len(begins)):
        earliest = end - begins[number] - 1  # layer of the interval, counted from its end
        frame, count = compute_key_frames(rules, interval, number) if interval else (0, earliest)
        for left in range(count, 0, -1):
            now, after = begins[number] + min(left, earliest), begins[number] + min(left - 1, earliest)
            for key in range(KEY_DROP):
                there = steps[here, key]
                if (
                    there != NO_STEP
                    and is_key_usable(rules, key, interval)
                    and layers[after, there] + 1 == layers[now, here]
                ):
                    keys[found], frames[found] = key, frame
                    found += 1
                    here = there
                    break
            frame += rules.frames_per_key
        end = begins[number]
        if steps[here, KEY_DOWN] == NO_STEP:
            break
        here = steps[here, KEY_DOWN]
    return found


@compile_entry(seconds=4)
def find_keys(
    board: Array, rule: Array, piece: int, interval: int, turn: int, x: int, row: int, keys: Array, frames: Array
) -> int:
    """Write the keys, and their frames where the clock runs, that take a piece to a place; tells how many or NO_WAY.

    With `interval` 0 the clock does not run: down is a step like the others, and frames mean nothing.
    """
    rules, (state, left, bottom) = rule[0], get_spawn_state(rule[0], piece)
    if not is_free(board, rules.orientation[piece, state], left, bottom):
        return NO_PATH
    steps = np.empty((int(rules.states[piece]) * BOARD_WIDTH * MOVEMENT_ROWS, KEY_DROP), np.int16)
    map_steps(board, rules, piece, interval, steps)
    begins = np.empty(min(bottom + _MAX_LIFT_ROWS, MAX_FALL_ROWS) if interval else 1, np.int64)
    layers, used = compute_costs(rules, piece, interval, steps, turn, encode_state(0, x, row), begins)
    here = encode_state(state, left, bottom)
    if layers[used - 1, here] >= UNREACHABLE_COST:
        return NO_PATH
    return follow_cheapest_keys(rules, interval, steps, layers, used, begins, here, keys, frames)
