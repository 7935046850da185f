"""Shortest key sequences that lead to a placement of a modern game, with its spin and with hold.

A search forwards, breadth first, over the states of the piece and its last action: of the shortest sequences it finds
the first one in the order of GAME_KEYS.
"""

import numpy as np

from tetrion.engine.best_placements import decode_placement
from tetrion.engine.compiler import compile_entry, compile_inline
from tetrion.engine.key_paths import NO_PATH, encode_state, is_key_usable
from tetrion.engine.modern_motion import NO_TURN, TURN_KINDS, apply_modern_key, compute_spin
from tetrion.engine.modern_play import NO_PIECE, get_piece_from_hold
from tetrion.engine.modern_records import ModernGameRecords, ModernRulesRecord, ModernRulesRecords
from tetrion.engine.piece_motion import (
    KEY_DROP,
    KEY_HOLD,
    MOVEMENT_ROWS,
    PieceState,
    can_spawn,
    get_spawn_state,
    is_resting,
)
from tetrion.engine.pieces import BOARD_WIDTH
from tetrion.engine.reachable_placements import LOCK_AT_CONTACT
from tetrion.engine.records import MAX_ROTATION_STATES
from tetrion.engine.scalar_or_simd import Array
from tetrion.engine.spins import decode_modern_placement

_STATE_COUNT = MAX_ROTATION_STATES * BOARD_WIDTH * MOVEMENT_ROWS
_NOT_REACHED = -1
_NO_PRECEDING = -2  # of the spawn state


@compile_inline
def decode_state(number: int) -> PieceState:
    """Return the piece state that `encode_state` encoded."""
    return number // MOVEMENT_ROWS // BOARD_WIDTH, number // MOVEMENT_ROWS % BOARD_WIDTH, number % MOVEMENT_ROWS


@compile_inline
def find_keys_of_piece(
    board: Array, rules: ModernRulesRecord, piece: int, goal: tuple[int, int, int, int], keys: Array
) -> int:
    """Write the keys that lead from the spawn to a goal (rotation, column, row, spin); return their number."""
    rotation, column, lowest, spin = goal
    preceding = np.full(TURN_KINDS * _STATE_COUNT, _NOT_REACHED, np.int16)
    reached_by = np.empty(TURN_KINDS * _STATE_COUNT, np.int8)
    queue = np.empty(TURN_KINDS * _STATE_COUNT, np.int16)
    spawn_state, spawn_column, spawn_row = get_spawn_state(rules, piece)
    queue[0] = NO_TURN * _STATE_COUNT + encode_state(spawn_state, spawn_column, spawn_row)
    preceding[queue[0]] = _NO_PRECEDING
    end = 1
    position = 0
    while position < end:
        current = int(queue[position])
        position += 1
        piece_state, turn = decode_state(current % _STATE_COUNT), current // _STATE_COUNT
        rests = is_resting(board, rules, piece, piece_state)
        if (
            rests
            and (rules.rotation_of_state[piece, piece_state[0]], piece_state[1], piece_state[2])
            == (rotation, column, lowest)
            and compute_spin(board, rules, piece, piece_state, turn) == spin
        ):
            return trace_keys(preceding, reached_by, current, keys)
        if rests and rules.lock_delay == LOCK_AT_CONTACT:
            continue
        for key in range(KEY_DROP):
            if is_key_usable(rules, key, 0):
                moved = apply_modern_key(board, rules, piece, (piece_state, turn), key)
                state, x, row = moved.piece_state
                following = moved.turn * _STATE_COUNT + encode_state(state, x, row)
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


@compile_entry(seconds=3)
def find_modern_keys(games: ModernGameRecords, rules: ModernRulesRecords, code: int, keys: Array) -> int:
    """Write a shortest sequence of keys that leads to an encoded placement; return the number of keys, or NO_PATH.

    The keys end where the piece rests, with the spin of the placement; a hard drop then locks it. A placement with hold
    begins with the key for hold. There is no clock: down is a step like the others.
    """
    game = games[0]
    placement, spin, hold = decode_modern_placement(code)
    rotation, column, row = decode_placement(placement)
    piece = get_piece_from_hold(game, rules[0]) if hold else int(game.queue[0])
    if piece == NO_PIECE or not can_spawn(game.board, rules[0], piece):
        return NO_PATH
    if not hold:
        return find_keys_of_piece(game.board, rules[0], piece, (rotation, column, row, spin), keys)
    if not can_spawn(game.board, rules[0], int(game.queue[0])):
        return NO_PATH
    keys[0] = KEY_HOLD
    count = find_keys_of_piece(game.board, rules[0], piece, (rotation, column, row, spin), keys[1:])
    return count if count == NO_PATH else count + 1
