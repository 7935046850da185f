"""The keys that take a piece to a place with the fewest presses.

Worked out backwards: what it still costs to get to the goal from every place, at every moment at which a key can be
pressed. The way there then takes the first key, in their order, that loses nothing, as early as it can.
"""

from typing import Any

import numpy as np

from tetrion.engine.compiler import compiled, entry
from tetrion.engine.motion import BACK, DOWN, DROP, SKY, entrance, free, moved
from tetrion.engine.pieces import WIDTH
from tetrion.engine.reach import AT_CONTACT, LONGEST_FALL
from tetrion.engine.rotations import MOST_STATES
from tetrion.engine.words import Array

NOWHERE = -1
TOO_FAR = 10_000
MOST_KEYS = 1_000
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
def fall_backwards(rules: Any, piece: int, steps: Array, later: Array, before: Array, turn: int, goal: int) -> None:
    """From what it costs after gravity's step, what it costs before; a piece that cannot fall locks, at the goal or not."""
    for here in range(len(steps)):
        below = steps[here, DOWN]
        if below != NOWHERE:
            before[here] = later[below]
        else:
            before[here] = 0 if is_goal(rules, piece, here, turn, goal) else TOO_FAR


@compiled
def is_goal(rules: Any, piece: int, here: int, turn: int, goal: int) -> bool:
    """Whether a place is the goal, in whatever state that looks the same."""
    area = WIDTH * SKY
    return here % area == goal and rules.turn[piece, here // area] == turn


@entry(seconds=5)
def find_keys(
    board: Array, rule: Array, piece: int, interval: int, turn: int, x: int, row: int, keys: Array, frames: Array
) -> int:
    """Write the keys, and their frames where the clock runs, that take a piece to a place; tells how many or NO_WAY.

    With `interval` 0 the clock does not run: down is a step like the others, and frames mean nothing.
    """
    rules, goal = rule[0], number_of(0, x, row)
    steps = np.empty((int(rules.states[piece]) * WIDTH * SKY, DROP), np.int16)
    map_steps(board, rules, piece, interval, steps)
    start = entrance(rules, piece)
    here = number_of(start[0], start[1], start[2])
    if not free(board, rules.orientation[piece, 0], start[1], start[2]):
        return NO_WAY

    intervals = min(start[2] + 16, LONGEST_FALL) if interval else 1
    costs = np.empty((64, len(steps)), np.int16)  # layers: after the last key of an interval, before it, and so on
    first, used = np.empty(intervals + 1, np.int64), 0  # layer of each interval, from its end
    later = np.full(len(steps), TOO_FAR, np.int16)
    for number in range(intervals - 1, -1, -1):
        count = moments(rules, interval, number)[1] if interval else MOST_KEYS
        first[number] = used
        layer = 0
        while True:
            if used == len(costs):
                wider = np.empty((2 * used, len(steps)), np.int16)
                wider[:used] = costs
                costs = wider
            if layer == 0:
                if interval:
                    fall_backwards(rules, piece, steps, later, costs[used], turn, goal)
                else:
                    for place in range(len(steps)):
                        costs[used, place] = 0 if is_goal(rules, piece, place, turn, goal) else TOO_FAR
            elif not press_backwards(rules, interval, steps, costs[used - 1], costs[used]):
                break
            used += 1
            if layer == count:
                break
            layer += 1
        later = costs[used - 1].copy()

    if later[here] >= TOO_FAR:
        return NO_WAY
    found, end = 0, used
    for number in range(intervals):
        top = end - first[number] - 1  # the earliest layer that differs
        frame, count = moments(rules, interval, number) if interval else (0, top)
        for left in range(count, 0, -1):
            now, after = first[number] + min(left, top), first[number] + min(left - 1, top)
            for key in range(DROP):
                there = steps[here, key]
                if there != NOWHERE and usable(rules, key, interval) and costs[after, there] + 1 == costs[now, here]:
                    keys[found], frames[found] = key, frame
                    found += 1
                    here = there
                    break
            frame += rules.key_every
        end = first[number]
        if interval:
            if steps[here, DOWN] == NOWHERE:
                break
            here = steps[here, DOWN]
    return found
