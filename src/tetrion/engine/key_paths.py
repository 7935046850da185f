"""Shortest key sequences that lead to a placement, with its spin and with hold; under timed movement, in time.

Without a clock this is a search forwards, breadth first, over the states of the piece and its last action: of the
shortest sequences it finds the first one in the order of GAME_KEYS.

With a clock, the costs are computed backwards: the number of key presses from each piece state to the goal, at each
time at which a key can be pressed. The path then takes the first key, in the order of GAME_KEYS, that keeps the cost
minimal, as early as possible.
"""

from typing import Annotated, NamedTuple, Never

import numpy as np

from tetrion.engine.compiler import compile_entry, compile_entry_with_memory, compile_inline
from tetrion.engine.piece_motion import (
    KEY_DOWN,
    KEY_DROP,
    KEY_HOLD,
    MOVEMENT_ROWS,
    NO_TURN,
    TURN_KINDS,
    PieceOnBoard,
    PieceState,
    apply_key,
    can_spawn,
    get_spawn_state,
    is_free,
    is_resting,
    move_piece,
)
from tetrion.engine.pieces import BOARD_WIDTH
from tetrion.engine.placements import DecodedPlacement, RotatedPlacement, decode_placement
from tetrion.engine.placing import NO_PIECE, get_piece_from_hold
from tetrion.engine.reachable_placements import MAX_FALL_ROWS
from tetrion.engine.records import (
    LOCK_AT_CONTACT,
    MAX_ROTATION_STATES,
    FullGameRecords,
    Int32Array,
    Record,
    Records,
    RulesRecord,
    RulesRecords,
)
from tetrion.engine.scalar_or_simd import Array
from tetrion.engine.spins import compute_spin

NO_STEP = -1
UNREACHABLE_COST = 10_000
MAX_PATH_KEYS = 1_000
_MAX_LIFT_ROWS = 16  # rows by which rotations may lift a piece
NO_PATH = -1
_STATE_COUNT = MAX_ROTATION_STATES * BOARD_WIDTH * MOVEMENT_ROWS
_NOT_REACHED = -1
_NO_PRECEDING = -2  # of the spawn state


@compile_inline
def encode_state(piece_state: PieceState) -> int:
    """Return a piece state as one integer."""
    return (piece_state.state * BOARD_WIDTH + piece_state.column) * MOVEMENT_ROWS + piece_state.row


@compile_inline
def decode_state(number: int) -> PieceState:
    """Return the piece state that `encode_state` encoded."""
    return PieceState(
        number // MOVEMENT_ROWS // BOARD_WIDTH, number // MOVEMENT_ROWS % BOARD_WIDTH, number % MOVEMENT_ROWS
    )


# Without a clock.


class KeyPathScratch(Record[Never]):
    """Working memory: by the last action and the state of a piece, how it was reached, and the order of reaching."""

    preceding: Annotated[Int32Array, TURN_KINDS * _STATE_COUNT]
    reached_by: Annotated[Int32Array, TURN_KINDS * _STATE_COUNT]
    queue: Annotated[Int32Array, TURN_KINDS * _STATE_COUNT]


@compile_inline
def find_keys_of_piece(
    piece_on_board: PieceOnBoard[RulesRecord], goal: DecodedPlacement, scratch: KeyPathScratch, keys: Array
) -> int:
    """Write the keys that lead from the spawn to a goal; return their number. A step down needs no key."""
    board, rules, piece = piece_on_board
    preceding = scratch.preceding
    reached_by = scratch.reached_by
    queue = scratch.queue
    for state in range(len(preceding)):
        preceding[state] = _NOT_REACHED
    queue[0] = NO_TURN * _STATE_COUNT + encode_state(get_spawn_state(rules, piece))
    preceding[queue[0]] = _NO_PRECEDING
    end = 1
    position = 0
    while position < end:
        current = int(queue[position])
        position += 1
        piece_state, turn = decode_state(current % _STATE_COUNT), current // _STATE_COUNT
        rests = is_resting(board, rules, piece, piece_state)
        rotation = int(rules.rotation_of_state[piece, piece_state.state])
        if (
            rests
            and RotatedPlacement(rotation, piece_state.column, piece_state.row) == goal.rotated
            and compute_spin(board, rules, piece, piece_state, turn) == goal.spin
        ):
            return trace_keys(preceding, reached_by, current, keys)
        if rests and rules.lock_delay == LOCK_AT_CONTACT:
            continue
        for key in range(KEY_DROP):
            if rules.has_key[key] or key == KEY_DOWN:
                moved = move_piece(board, rules, piece, (piece_state, turn), key)
                following = moved.turn * _STATE_COUNT + encode_state(moved.piece_state)
                if preceding[following] == _NOT_REACHED:
                    preceding[following] = current
                    reached_by[following] = key
                    queue[end] = following
                    end += 1
    return NO_PATH


@compile_inline
def trace_keys(preceding: Array, reached_by: Array, last: int, keys: Array) -> int:
    """Write the keys of the path that ends in a state; return their number."""
    count = 0
    current = last
    while preceding[current] != _NO_PRECEDING:
        count += 1
        current = int(preceding[current])
    current = last
    for number in range(count):
        keys[count - 1 - number] = reached_by[current]
        current = int(preceding[current])
    return count


@compile_entry_with_memory(KeyPathScratch.dtype, seconds=3)
def find_keys(
    memory: Records[KeyPathScratch], games: FullGameRecords, rules: RulesRecords, code: int, keys: Array
) -> int:
    """Write a shortest sequence of keys that leads to an encoded placement; return the number of keys, or NO_PATH.

    The keys end where the piece rests, with the spin of the placement; a hard drop then locks it. For a placement with
    hold, the first key is hold. There is no clock: down is a step like the others.
    """
    game = games[0]
    goal = decode_placement(code)
    piece = get_piece_from_hold(game, rules[0]) if goal.hold else int(game.queue[0])
    if piece == NO_PIECE or not can_spawn(game.board, rules[0], piece):
        return NO_PATH
    if goal.hold:
        if not can_spawn(game.board, rules[0], int(game.queue[0])):
            return NO_PATH
        keys[0] = KEY_HOLD
    count = find_keys_of_piece(PieceOnBoard(game.board, rules[0], piece), goal, memory[0], keys[goal.hold :])
    return count if count == NO_PATH else count + goal.hold


# With a clock.


class KeySearch(NamedTuple):
    """A search for the keys that move a piece to a placement."""

    rules: RulesRecord
    piece: int
    interval: int  # frames per row
    steps: Array  # the successor of each piece state for each key, see `map_steps`
    rotation: int  # of the placement
    location: int  # column and row of the placement in one integer


class CostLayers(NamedTuple):
    """The costs of all piece states in layers, one per time at which a key can be pressed."""

    costs: Array  # by layer and piece state
    layer_count: int
    starts: Array  # by gravity interval: its first layer


@compile_inline
def map_steps(board: Array, rules: RulesRecord, piece: int, steps: Array) -> None:
    """Write the successor of each piece state for each key; NO_STEP if the key has no effect or the state is blocked.

    The step down is always written, because gravity uses it, too.
    """
    for current in range(len(steps)):
        piece_state = decode_state(current)
        orientation = rules.orientation_of_state[piece, piece_state.state]
        free = is_free(board, orientation, piece_state.column, piece_state.row)
        locks = rules.lock_delay == LOCK_AT_CONTACT and is_resting(board, rules, piece, piece_state)
        for key in range(KEY_DROP):
            steps[current, key] = NO_STEP
            if free and not locks and (key == KEY_DOWN or rules.has_key[key]):
                following = encode_state(apply_key(board, rules, piece, piece_state, key))
                if following != current:
                    steps[current, key] = following


@compile_inline
def propagate_costs_by_keys(search: KeySearch, after: Array, before: Array) -> bool:
    """Compute the costs before a key press from the costs after it; return whether any differs."""
    # If one press changes no cost, no earlier press does either, and the search of a gravity interval ends.
    changed = False
    steps = search.steps
    for current in range(len(steps)):
        cost = after[current]
        for key in range(KEY_DROP):
            following = steps[current, key]
            if following != NO_STEP and search.rules.has_key[key]:
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

    A piece that cannot fall locks: its cost is 0 at the goal, and UNREACHABLE_COST elsewhere.
    """
    steps = search.steps
    for current in range(len(steps)):
        below = steps[current, KEY_DOWN]
        if below != NO_STEP:
            before[current] = later[below]
        else:
            before[current] = 0 if is_goal(search, current) else UNREACHABLE_COST


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
        key_count = compute_key_frames(rules, interval, number)[1]
        for pressed in range(key_count + 1):
            if layer_count == len(layers):
                layers = np.concatenate((layers, np.empty_like(layers)))
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
        frame, remaining = compute_key_frames(rules, interval, number)
        for presses in range(remaining, 0, -1):
            before = start + min(presses, last_layer)
            after = start + min(presses - 1, last_layer)
            for key in range(KEY_DROP):
                following = steps[current, key]
                if (
                    following != NO_STEP
                    and rules.has_key[key]
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


@compile_entry(seconds=3, allocates=True)
def find_timed_keys(
    piece_on_board: PieceOnBoard[RulesRecords], interval: int, goal: RotatedPlacement, keys: Array, frames: Array
) -> int:
    """Write a shortest sequence of keys, and their frames, that moves a new piece to a placement in time.

    Return the number of keys, or NO_PATH. `interval` is the number of frames per row.
    """
    board = piece_on_board.board
    rules = piece_on_board.rules[0]
    piece = piece_on_board.piece
    if not can_spawn(board, rules, piece):
        return NO_PATH
    spawn_state = get_spawn_state(rules, piece)
    steps = np.empty((int(rules.state_count[piece]) * BOARD_WIDTH * MOVEMENT_ROWS, KEY_DROP), np.int16)
    map_steps(board, rules, piece, steps)
    layer_starts = np.empty(min(spawn_state.row + _MAX_LIFT_ROWS, MAX_FALL_ROWS), np.int64)
    location = encode_state(PieceState(0, goal.column, goal.row))
    search = KeySearch(rules, piece, interval, steps, goal.rotation, location)
    layers = compute_costs(search, layer_starts)
    start = encode_state(spawn_state)
    if layers.costs[layers.layer_count - 1, start] >= UNREACHABLE_COST:
        return NO_PATH
    return follow_cheapest_keys(search, layers, start, keys, frames)
