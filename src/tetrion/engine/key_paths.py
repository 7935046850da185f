"""Shortest key sequences that move a piece from its spawn position to a placement.

The costs are computed backwards: the number of key presses from each piece state to the goal, at each time at which a
key can be pressed. The path then takes the first key, in the order of GAME_KEYS, that keeps the cost minimal, as early
as possible.
"""

from typing import NamedTuple

import numpy as np

from tetrion.engine.compiler import compile_entry, compile_inline
from tetrion.engine.piece_motion import (
    KEY_DOWN,
    KEY_DROP,
    MOVEMENT_ROWS,
    PieceOnBoard,
    apply_key,
    get_spawn_state,
    is_free,
)
from tetrion.engine.pieces import BOARD_WIDTH
from tetrion.engine.reachable_placements import LOCK_AT_CONTACT, MAX_FALL_ROWS
from tetrion.engine.records import RulesRecord, RulesRecords
from tetrion.engine.scalar_or_simd import Array

NO_STEP = -1
UNREACHABLE_COST = 10_000
MAX_PATH_KEYS = 1_000
_MAX_LIFT_ROWS = 16  # rows by which rotations may lift a piece
NO_PATH = -1


class KeySearch(NamedTuple):
    """A search for the keys that move a piece to a placement."""

    rules: RulesRecord
    piece: int
    interval: int  # frames per row; 0: no clock
    steps: Array  # the successor of each piece state for each key, see `map_steps`
    rotation: int  # of the placement
    location: int  # column and row of the placement in one integer


class CostLayers(NamedTuple):
    """The costs of all piece states in layers, one per time at which a key can be pressed."""

    costs: Array  # by layer and piece state
    layer_count: int
    starts: Array  # by gravity interval: its first layer


@compile_inline
def encode_state(state: int, x: int, row: int) -> int:
    """Return a piece state as one integer."""
    return (state * BOARD_WIDTH + x) * MOVEMENT_ROWS + row


@compile_inline
def is_key_usable(rules: RulesRecord, key: int, interval: int) -> bool:
    """Return whether a path may use this key; without a clock, a step down needs no key."""
    return bool(rules.has_key[key]) or (key == KEY_DOWN and interval == 0)


@compile_inline
def map_steps(board: Array, rules: RulesRecord, piece: int, interval: int, steps: Array) -> None:
    """Write the successor of each piece state for each key; NO_STEP if the key has no effect or the state is blocked.

    The step down is always written, because gravity uses it, too.
    """
    for current in range(len(steps)):
        state = current // MOVEMENT_ROWS // BOARD_WIDTH
        x = current // MOVEMENT_ROWS % BOARD_WIDTH
        row = current % MOVEMENT_ROWS
        free = is_free(board, rules.orientation_of_state[piece, state], x, row)
        locks = rules.lock_delay == LOCK_AT_CONTACT and not is_free(
            board, rules.orientation_of_state[piece, state], x, row - 1
        )
        for key in range(KEY_DROP):
            steps[current, key] = NO_STEP
            if free and not locks and (key == KEY_DOWN or is_key_usable(rules, key, interval)):
                after = apply_key(board, rules, piece, (state, x, row), key)
                following = encode_state(after[0], after[1], after[2])
                if following != current:
                    steps[current, key] = following


@compile_inline
def propagate_costs_by_keys(search: KeySearch, after: Array, before: Array) -> bool:
    """Compute the costs before a key press from the costs after it; return whether any differs."""
    changed = False
    steps = search.steps
    for current in range(len(steps)):
        cost = after[current]
        for key in range(KEY_DROP):
            following = steps[current, key]
            if following != NO_STEP and is_key_usable(search.rules, key, search.interval):
                cost = min(cost, after[following] + 1)
        changed |= cost != after[current]
        before[current] = cost
    return changed


@compile_inline
def compute_key_frames(rules: RulesRecord, interval: int, number: int) -> tuple[int, int]:
    """Return the first frame of gravity interval `number` in which a key can be pressed, and their number."""
    start = number * interval
    first = int(rules.thinking_frames)
    frames_per_key = int(rules.frames_per_key)
    if first < start:
        first += (start - first + frames_per_key - 1) // frames_per_key * frames_per_key
    return first, max(0, (start + interval - 1 - first) // frames_per_key + 1)


@compile_inline
def is_goal(search: KeySearch, current: int) -> bool:
    """Return whether a piece state is the placement, in any rotation state with its orientation."""
    area = BOARD_WIDTH * MOVEMENT_ROWS
    if current % area != search.location:
        return False
    return bool(search.rules.rotation_of_state[search.piece, current // area] == search.rotation)


@compile_inline
def propagate_costs_by_gravity(search: KeySearch, later: Array, before: Array) -> None:
    """Compute the costs before a gravity step from the costs after it.

    A piece that cannot fall locks: its cost is 0 at the goal, and UNREACHABLE_COST elsewhere. Without a clock (interval
    0) there are no gravity steps, and only the goal has cost 0.
    """
    steps = search.steps
    for current in range(len(steps)):
        below = steps[current, KEY_DOWN]
        if search.interval and below != NO_STEP:
            before[current] = later[below]
        else:
            before[current] = 0 if is_goal(search, current) else UNREACHABLE_COST


@compile_inline
def double_layers(layers: Array) -> Array:
    """Return a copy of the layers with twice the capacity."""
    doubled = np.empty((2 * len(layers), layers.shape[1]), np.int16)
    for layer in range(len(layers)):
        for state in range(layers.shape[1]):
            doubled[layer, state] = layers[layer, state]
    return doubled


@compile_inline
def compute_costs(search: KeySearch, layer_starts: Array) -> CostLayers:
    """Return the costs of all piece states; `layer_starts` becomes `starts` of the result.

    The layers of a gravity interval are first the costs after its last key press, then before each earlier one, until
    the costs no longer change. The last interval is computed first.
    """
    rules = search.rules
    interval = search.interval
    state_count = len(search.steps)
    layers = np.empty((64, state_count), np.int16)
    layer_count = 1
    for state in range(state_count):
        layers[0, state] = UNREACHABLE_COST  # after the last interval
    for number in range(len(layer_starts) - 1, -1, -1):
        layer_starts[number] = layer_count
        key_count = compute_key_frames(rules, interval, number)[1] if interval else MAX_PATH_KEYS
        for pressed in range(key_count + 1):
            if layer_count == len(layers):
                layers = double_layers(layers)
            after, before = layers[layer_count - 1], layers[layer_count]
            if pressed == 0:
                propagate_costs_by_gravity(search, after, before)
            elif not propagate_costs_by_keys(search, after, before):
                break
            layer_count += 1
    return CostLayers(layers, layer_count, layer_starts)


@compile_inline
def follow_cheapest_keys(search: KeySearch, layers: CostLayers, current: int, keys: Array, frames: Array) -> int:
    """Write the keys of a cheapest path from state `current`, and their frames; return the number of keys."""
    rules = search.rules
    interval = search.interval
    steps = search.steps
    costs = layers.costs
    key_count = 0
    layer_end = layers.layer_count
    for number in range(len(layers.starts)):
        start = layers.starts[number]
        last_layer = layer_end - start - 1
        frame, remaining = compute_key_frames(rules, interval, number) if interval else (0, last_layer)
        for presses in range(remaining, 0, -1):
            before = start + min(presses, last_layer)
            after = start + min(presses - 1, last_layer)
            for key in range(KEY_DROP):
                following = steps[current, key]
                if (
                    following != NO_STEP
                    and is_key_usable(rules, key, interval)
                    and costs[after, following] + 1 == costs[before, current]
                ):
                    keys[key_count] = key
                    frames[key_count] = frame
                    key_count += 1
                    current = following
                    break
            frame += rules.frames_per_key
        layer_end = start
        if steps[current, KEY_DOWN] == NO_STEP:
            break
        current = steps[current, KEY_DOWN]
    return key_count


@compile_entry(seconds=3)
def find_keys(
    piece_on_board: PieceOnBoard[RulesRecords], interval: int, goal: tuple[int, int, int], keys: Array, frames: Array
) -> int:
    """Write a shortest sequence of keys, and their frames, that moves a new piece to a placement.

    The placement `goal` is given as rotation, column and row. Return the number of keys, or NO_PATH. `interval` is the
    number of frames per row. With interval 0 there is no clock: down is a step like the others, and the frames are
    meaningless.
    """
    board = piece_on_board.board
    rules = piece_on_board.rules[0]
    piece = piece_on_board.piece
    state, left, bottom = get_spawn_state(rules, piece)
    if not is_free(board, rules.orientation_of_state[piece, state], left, bottom):
        return NO_PATH
    steps = np.empty((int(rules.state_count[piece]) * BOARD_WIDTH * MOVEMENT_ROWS, KEY_DROP), np.int16)
    map_steps(board, rules, piece, interval, steps)
    layer_starts = np.empty(min(bottom + _MAX_LIFT_ROWS, MAX_FALL_ROWS) if interval else 1, np.int64)
    search = KeySearch(rules, piece, interval, steps, goal[0], encode_state(0, goal[1], goal[2]))
    layers = compute_costs(search, layer_starts)
    start = encode_state(state, left, bottom)
    if layers.costs[layers.layer_count - 1, start] >= UNREACHABLE_COST:
        return NO_PATH
    return follow_cheapest_keys(search, layers, start, keys, frames)
