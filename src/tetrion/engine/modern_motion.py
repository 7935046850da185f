"""The falling piece of a modern game: what its last action was, and which spin it makes where it locks.

`spins.py` finds the spins of all placements at once; this module follows one piece, key by key.
"""

from typing import NamedTuple

from tetrion.engine.compiler import compile_inline, compile_separate
from tetrion.engine.modern_records import FULL_SPIN, MINI_SPIN, NO_SPIN, ModernRulesRecord
from tetrion.engine.piece_motion import (
    BLOCKED_TURN,
    KEY_ROTATE,
    PieceState,
    apply_key,
    is_free,
    is_turn,
    turn_piece,
)
from tetrion.engine.pieces import BOARD_WIDTH
from tetrion.engine.scalar_or_simd import Array
from tetrion.engine.spin_rules import SPINS_ALL, SPINS_ALL_MINI, SPINS_NONE, T_CENTRES, T_CORNERS, T

# The last successful action of a piece: none or a move, a rotation, or one whose kick makes a mini T-spin a full one.
NO_TURN, PLAIN_TURN, PROMOTING_TURN = range(3)
TURN_KINDS = 3
_MIN_SPIN_CORNERS = 3


class MovedPiece(NamedTuple):
    """A piece after a key."""

    piece_state: PieceState
    turn: int  # its last successful action, such as NO_TURN
    is_successful: bool  # False: it was blocked and is as before


@compile_inline
def apply_modern_key(
    board: Array, rules: ModernRulesRecord, piece: int, moving: tuple[PieceState, int], key: int
) -> MovedPiece:
    """Return a piece after a key; `moving` is its state and its last action. A hard drop by no row keeps a rotation."""
    piece_state, turn = moving
    if is_turn(key):
        direction = key - KEY_ROTATE
        after, test = turn_piece(board, rules, piece, piece_state, direction)
        if test == BLOCKED_TURN:
            return MovedPiece(piece_state, turn, False)
        promotes = rules.promotes[piece_state[0], direction, test] != 0
        return MovedPiece(after, PROMOTING_TURN if promotes else PLAIN_TURN, True)
    after = apply_key(board, rules, piece, piece_state, key)
    if after == piece_state:
        return MovedPiece(piece_state, turn, False)
    return MovedPiece(after, NO_TURN, True)


@compile_inline
def is_cell_filled(board: Array, x: int, y: int) -> bool:
    """Return whether a cell is filled; walls and the floor are."""
    return x < 0 or x >= BOARD_WIDTH or y < 0 or (board[x] >> y) & 1 != 0


@compile_inline
def count_filled_corners(board: Array, piece_state: PieceState) -> tuple[int, int]:
    """Return how many of the corners of T are filled, and how many of the two on the side to which it points."""
    state, left, bottom = piece_state
    x, y = left + int(T_CENTRES[state, 0]), bottom + int(T_CENTRES[state, 1])
    filled = 0
    filled_in_front = 0
    for corner in range(4):
        if is_cell_filled(board, x + int(T_CORNERS[state, corner, 0]), y + int(T_CORNERS[state, corner, 1])):
            filled += 1
            filled_in_front += corner < 2
    return filled, filled_in_front


@compile_inline
def is_immobile(board: Array, rules: ModernRulesRecord, piece: int, piece_state: PieceState) -> bool:
    """Return whether a piece can move by one cell in no direction."""
    state, x, row = piece_state
    orientation = rules.orientation_of_state[piece, state]
    return not (
        is_free(board, orientation, x - 1, row)
        or is_free(board, orientation, x + 1, row)
        or is_free(board, orientation, x, row - 1)
        or is_free(board, orientation, x, row + 1)
    )


@compile_separate
def compute_spin(board: Array, rules: ModernRulesRecord, piece: int, piece_state: PieceState, turn: int) -> int:
    """Return the spin of a resting piece whose last action is given."""
    if turn == NO_TURN or rules.spins == SPINS_NONE:
        return NO_SPIN
    if piece == T:
        filled, filled_in_front = count_filled_corners(board, piece_state)
        if filled >= _MIN_SPIN_CORNERS:
            return FULL_SPIN if filled_in_front == 2 or turn == PROMOTING_TURN else MINI_SPIN
    if rules.spins >= SPINS_ALL_MINI and is_immobile(board, rules, piece, piece_state):
        return FULL_SPIN if rules.spins == SPINS_ALL and piece != T else MINI_SPIN
    return NO_SPIN
