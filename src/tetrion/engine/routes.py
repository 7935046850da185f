"""The keys that take a piece to a place with the fewest presses.

Worked out backwards: what it still costs to get to the goal from every place, at every moment at which a key can be
pressed. The way there then takes the first key, in their order, that loses nothing, as early as it can.
"""

from typing import Any

import numpy as np

from tetrion.engine.compiler import compiled, entry
from tetrion.engine.motion import DOWN, DROP, SKY, entrance, free, moved
from tetrion.engine.pieces import WIDTH
from tetrion.engine.reach import AT_CONTACT, LONGEST_FALL
from tetrion.engine.words import Array

NOWHERE = -1
TOO_FAR = 10_000
MOST_KEYS = 1_000
LIFTS = 16  # rows by which turns may lift a piece on its way
NO_WAY = -1


@compiled
def number_of(state: int, x: int, row: int) -> int:
    """The number of a place."""
    return (state * WIDTH + x) * SKY + row


@compiled
def usable(rules: Any, key: int, interval: int) -> bool:
    """Whether a way may have this step; down needs no key where the clock does not run."""
    return bool(rules.key[key]) or (key == DOWN and interval == 0)


@compiled
def map_steps(board: Array, rules: Any, piece: int, interval: int, steps: Array) -> None:
    """Write for every place where each key leads: nowhere if it does nothing or the piece cannot be there.

    The step down is written whether or not it is a key's: gravity takes it too.
    """
    for here in range(len(steps)):
        state, x, row = here // SKY // WIDTH, here // SKY % WIDTH, here % SKY
        there = free(board, rules.orientation[piece, state], x, row)
        stuck = rules.lock == AT_CONTACT and not free(board, rules.orientation[piece, state], x, row - 1)
        for key in range(DROP):
            steps[here, key] = NOWHERE
            if there and not stuck and (key == DOWN or usable(rules, key, interval)):
                other = moved(board, rules, piece, (state, x, row), key)
                number = number_of(other[0], other[1], other[2])
                if number != here:
                    steps[here, key] = number


@compiled
def press_backwards(rules: Any, interval: int, steps: Array, after: Array, before: Array) -> bool:
    """From what it costs after a moment to press a key, what it costs before; tells whether that differs anywhere."""
    changed = False
    for here in range(len(steps)):
        least = after[here]
        for key in range(DROP):
            there = steps[here, key]
            if there != NOWHERE and usable(rules, key, interval):
                least = min(least, after[there] + 1)
        changed |= least != after[here]
        before[here] = least
    return changed


@compiled
def moments(rules: Any, interval: int, number: int) -> tuple[int, int]:
    """The first frame of an interval at which a key can be pressed, and at how many it can."""
    start, first, every = number * interval, int(rules.thinking), int(rules.key_every)
    if first < start:
        first += (start - first + every - 1) // every * every
    return first, max(0, (start + interval - 1 - first) // every + 1)


@compiled
def is_goal(rules: Any, piece: int, here: int, turn: int, goal: int) -> bool:
    """Whether a place is the goal, in whatever state that looks the same."""
    area = WIDTH * SKY
    return here % area == goal and rules.turn[piece, here // area] == turn


@compiled
def fall_backwards(
    rules: Any, piece: int, interval: int, steps: Array, later: Array, before: Array, turn: int, goal: int
) -> None:
    """From what it costs after gravity's step, what it costs before; one that cannot fall locks, at the goal or not.

    Where the clock does not run there is no such step, and only the goal will do.
    """
    for here in range(len(steps)):
        below = steps[here, DOWN]
        if interval and below != NOWHERE:
            before[here] = later[below]
        else:
            before[here] = 0 if is_goal(rules, piece, here, turn, goal) else TOO_FAR


@compiled
def longer(layers: Array) -> Array:
    """The same layers, with room for as many again."""
    wider = np.empty((2 * len(layers), layers.shape[1]), np.int16)
    for layer in range(len(layers)):
        for place in range(layers.shape[1]):
            wider[layer, place] = layers[layer, place]
    return wider


@compiled
def work_backwards(
    rules: Any, piece: int, interval: int, steps: Array, turn: int, goal: int, begins: Array
) -> tuple[Array, int]:
    """What it costs from every place, in layers, and how many layers there are.

    The layers of an interval between two of gravity's steps begin where `begins` says: first what it costs after its
    last key, then before that, and so on until nothing changes. The last interval comes first.
    """
    layers, used = np.empty((64, len(steps)), np.int16), 1
    for place in range(len(steps)):
        layers[0, place] = TOO_FAR  # once the last interval is over
    for number in range(len(begins) - 1, -1, -1):
        begins[number] = used
        keys = moments(rules, interval, number)[1] if interval else MOST_KEYS
        for pressed in range(keys + 1):
            if used == len(layers):
                layers = longer(layers)
            if pressed == 0:
                fall_backwards(rules, piece, interval, steps, layers[used - 1], layers[used], turn, goal)
            elif not press_backwards(rules, interval, steps, layers[used - 1], layers[used]):
                break
            used += 1
    return layers, used


@compiled
def follow(
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
        frame, count = moments(rules, interval, number) if interval else (0, earliest)
        for left in range(count, 0, -1):
            now, after = begins[number] + min(left, earliest), begins[number] + min(left - 1, earliest)
            for key in range(DROP):
                there = steps[here, key]
                if there != NOWHERE and usable(rules, key, interval) and layers[after, there] + 1 == layers[now, here]:
                    keys[found], frames[found] = key, frame
                    found += 1
                    here = there
                    break
            frame += rules.key_every
        end = begins[number]
        if steps[here, DOWN] == NOWHERE:
            break
        here = steps[here, DOWN]
    return found


@entry(seconds=4)
def find_keys(
    board: Array, rule: Array, piece: int, interval: int, turn: int, x: int, row: int, keys: Array, frames: Array
) -> int:
    """Write the keys, and their frames where the clock runs, that take a piece to a place; tells how many or NO_WAY.

    With `interval` 0 the clock does not run: down is a step like the others, and frames mean nothing.
    """
    rules, (state, left, bottom) = rule[0], entrance(rule[0], piece)
    if not free(board, rules.orientation[piece, state], left, bottom):
        return NO_WAY
    steps = np.empty((int(rules.states[piece]) * WIDTH * SKY, DROP), np.int16)
    map_steps(board, rules, piece, interval, steps)
    begins = np.empty(min(bottom + LIFTS, LONGEST_FALL) if interval else 1, np.int64)
    layers, used = work_backwards(rules, piece, interval, steps, turn, number_of(0, x, row), begins)
    here = number_of(state, left, bottom)
    if layers[used - 1, here] >= TOO_FAR:
        return NO_WAY
    return follow(rules, interval, steps, layers, used, begins, here, keys, frames)
