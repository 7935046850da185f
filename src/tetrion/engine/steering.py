"""Movement by keys after a fall of three rows, as in the program of Gavrilov's report (2023, Figures 44 and 45).

A piece is left alone until it has fallen three rows. Then it gets the rotation of its target at once, and each pass of
the program presses one key: towards the column of the target, or down. The target is a straight drop, whether or not
the stack is in the way, so that the piece can lock elsewhere.
"""

from collections.abc import Callable
from typing import NamedTuple, TypeVar

from tetrion.engine.compiler import compile_entry, compile_inline, compile_separate
from tetrion.engine.piece_motion import (
    KEY_DOWN,
    KEY_LEFT,
    KEY_RIGHT,
    KEY_ROTATE,
    PieceOnBoard,
    PieceState,
    apply_key,
    get_next_rotation_state,
    get_spawn_state,
    is_resting,
)
from tetrion.engine.pieces import PLACEMENT_COLUMNS
from tetrion.engine.placements import RotatedPlacement
from tetrion.engine.records import LOCK_AT_CONTACT, RulesRecord, RulesRecords
from tetrion.engine.scalar_or_simd import Array

STEERING_ROWS = 3  # rows that a piece falls before its first key: `if current_piece.y > 2` in Figure 45
MAX_STEERED_STEPS = 256  # of a piece: a rotation, and at most one move per row and column

_ContextT = TypeVar("_ContextT")


class SteeredPiece(NamedTuple):
    """Where a steered piece locks."""

    piece_state: PieceState
    frames: int  # from its spawn until it locks
    step_count: int


@compile_inline
def turn_at_once(rules: RulesRecord, piece: int, piece_state: PieceState, rotation: int) -> PieceState:
    """Return a piece with another rotation, even if it then overlaps the stack; unchanged if it would leave the board.

    The program sets the rotation without a test of the cells (Figure 44).
    """
    state, x, row = piece_state
    while rules.rotation_of_state[piece, state] != rotation:
        x += int(rules.dx[piece, state, 0, 0])
        row += int(rules.dy[piece, state, 0, 0])
        state = get_next_rotation_state(rules, piece, state, 0)
    columns = int(PLACEMENT_COLUMNS[rules.orientation_of_state[piece, state]])
    return PieceState(state, x, row) if 0 <= x < columns and row >= 0 else piece_state


@compile_inline
def visit_steps(
    visit: Callable[[_ContextT, int, int, PieceState], int],
    context: _ContextT,
    piece_on_board: PieceOnBoard[RulesRecord],
    interval: int,
    target: RotatedPlacement,
) -> SteeredPiece:
    """Steer a new piece to a target until it locks, and pass each of its steps to `visit`.

    `visit` gets the context, the number of earlier steps, the key and the piece after it, and returns the number of
    steps; a row by gravity is a step down. `interval` is the number of frames per row, at least 1.
    """
    board, rules, piece = piece_on_board
    piece_state = get_spawn_state(rules, piece)
    locks_at_contact = rules.lock_delay == LOCK_AT_CONTACT
    key_frame = STEERING_ROWS * interval + int(rules.thinking_frames)
    frame = 0
    count = 0
    while True:
        if locks_at_contact and is_resting(board, rules, piece, piece_state):
            return SteeredPiece(piece_state, frame, count)
        while key_frame < frame + interval:
            before = piece_state
            column = piece_state.column  # the key follows from the left edge before the rotation (Figure 45)
            piece_state = turn_at_once(rules, piece, piece_state, target.rotation)
            if piece_state != before:
                count = visit(context, count, KEY_ROTATE, piece_state)
            key = KEY_DOWN if column == target.column else (KEY_RIGHT if column < target.column else KEY_LEFT)
            turned = piece_state
            if rules.has_key[key]:
                piece_state = apply_key(board, rules, piece, turned, key)
            if piece_state != turned:
                count = visit(context, count, key, piece_state)
            if locks_at_contact and is_resting(board, rules, piece, piece_state):
                return SteeredPiece(piece_state, key_frame, count)
            if piece_state == before:  # more keys would have no effect either, until the piece has fallen
                key_frame += (frame + interval - 1 - key_frame) // rules.frames_per_key * rules.frames_per_key
            key_frame += rules.frames_per_key
        frame += interval
        if is_resting(board, rules, piece, piece_state):
            return SteeredPiece(piece_state, frame, count)
        piece_state = PieceState(piece_state.state, piece_state.column, piece_state.row - 1)
        count = visit(context, count, KEY_DOWN, piece_state)


@compile_inline
def _skip_step(context: int, count: int, key: int, piece_state: PieceState) -> int:
    return count


@compile_separate
def steer_piece(piece_on_board: PieceOnBoard[RulesRecord], interval: int, target: RotatedPlacement) -> SteeredPiece:
    """Return where a new piece that is steered to a target locks, and when."""
    return visit_steps(_skip_step, 0, piece_on_board, interval, target)


@compile_inline
def _write_step(steps: Array, count: int, key: int, piece_state: PieceState) -> int:
    steps[count, 0] = key
    steps[count, 1], steps[count, 2], steps[count, 3] = piece_state
    return count + 1


@compile_entry(seconds=2)
def write_steered_steps(
    piece_on_board: PieceOnBoard[RulesRecords], interval: int, target: RotatedPlacement, steps: Array
) -> int:
    """Write the steps of a new piece that is steered to a target; return their number.

    A step has a key and the state, column and row of the piece after it.
    """
    first = PieceOnBoard(piece_on_board.board, piece_on_board.rules[0], piece_on_board.piece)
    return visit_steps(_write_step, steps, first, interval, target).step_count
