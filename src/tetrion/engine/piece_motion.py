"""The falling piece, the keys that move it, and its last action, on which spins depend."""

from typing import Generic, NamedTuple, TypeVar

from tetrion.engine.compiler import compile_inline, compile_separate
from tetrion.engine.pieces import ORIENTATION_HEIGHTS, PACKED_SHAPES, PLACEMENT_COLUMNS
from tetrion.engine.records import GAME_KEYS, RulesRecord, RulesRecords
from tetrion.engine.scalar_or_simd import Array

KEY_LEFT, KEY_RIGHT, KEY_ROTATE, KEY_ROTATE_BACK, KEY_HALF_TURN, KEY_DOWN, KEY_DROP, KEY_HOLD = range(len(GAME_KEYS))
BLOCKED_TURN = -1  # instead of the number of a kick test
MOVEMENT_ROWS = 32  # rows in which a piece may move: the bits of a column

# The last successful action of a piece: none or a move, a rotation, or one whose kick makes a mini T-spin a full one.
NO_TURN, PLAIN_TURN, PROMOTING_TURN = range(3)
TURN_KINDS = 3
RulesT = TypeVar("RulesT", RulesRecord, RulesRecords)


class PieceState(NamedTuple):
    """Where a piece is: its rotation state, its leftmost column and its lowest row."""

    state: int
    column: int
    row: int


class MovedPiece(NamedTuple):
    """A piece after a key."""

    piece_state: PieceState
    turn: int  # its last successful action, such as NO_TURN
    is_successful: bool  # False: it was blocked and is as before


class PieceOnBoard(NamedTuple, Generic[RulesT]):
    """A piece that is to be placed on a board."""

    board: Array
    rules: RulesT  # a record; entry points from Python take an array of one record
    piece: int


@compile_inline
def is_free(board: Array, orientation: int, x: int, row: int) -> bool:
    """Return whether a piece can be at a location: between the walls, above the floor, without overlapping a cell."""
    if (
        x < 0
        or x >= PLACEMENT_COLUMNS[orientation]
        or row < 0
        or row + ORIENTATION_HEIGHTS[orientation] > MOVEMENT_ROWS
    ):
        return False
    cells = PACKED_SHAPES[orientation]
    while cells:
        if (board[x] >> row) & cells & 15:
            return False
        cells >>= 4
        x += 1
    return True


@compile_inline
def get_spawn_state(rules: RulesRecord, piece: int) -> PieceState:
    """Return the state in which a new piece spawns."""
    row = int(rules.height + rules.spawn_height + rules.spawn_bottom[piece])
    return PieceState(0, int(rules.spawn_left[piece]), row)


@compile_inline
def can_spawn(board: Array, rules: RulesRecord, piece: int) -> bool:
    """Return whether the spawn position of a new piece is free."""
    _, x, row = get_spawn_state(rules, piece)
    return is_free(board, rules.orientation_of_state[piece, 0], x, row)


@compile_inline
def is_resting(board: Array, rules: RulesRecord, piece: int, piece_state: PieceState) -> bool:
    """Return whether a piece cannot move down by one row."""
    state, x, row = piece_state
    return not is_free(board, rules.orientation_of_state[piece, state], x, row - 1)


@compile_inline
def is_turn(key: int) -> bool:
    """Return whether a key rotates the piece."""
    return key in (KEY_ROTATE, KEY_ROTATE_BACK, KEY_HALF_TURN)


@compile_separate
def apply_key(board: Array, rules: RulesRecord, piece: int, piece_state: PieceState, key: int) -> PieceState:
    """Return the state of a piece after a key; unchanged if the move is blocked."""
    state, x, row = piece_state
    if is_turn(key):
        return turn_piece(board, rules, piece, piece_state, key - KEY_ROTATE)[0]
    if key == KEY_HOLD:  # exchanges the piece instead of moving it
        return piece_state
    orientation = rules.orientation_of_state[piece, state]
    if key == KEY_DROP:
        while is_free(board, orientation, x, row - 1):
            row -= 1
        return PieceState(state, x, row)
    if key == KEY_DOWN:
        return PieceState(state, x, row - 1) if is_free(board, orientation, x, row - 1) else piece_state
    step = -1 if key == KEY_LEFT else 1
    return PieceState(state, x + step, row) if is_free(board, orientation, x + step, row) else piece_state


@compile_inline
def get_next_rotation_state(rules: RulesRecord, piece: int, state: int, direction: int) -> int:
    """Return the rotation state after a rotation forwards (direction 0), backwards (1) or by a half turn (2)."""
    count = int(rules.state_count[piece])
    step = 1 if direction == 0 else (count - 1 if direction == 1 else 2)
    return (state + step) % count


@compile_inline
def turn_piece(
    board: Array, rules: RulesRecord, piece: int, piece_state: PieceState, direction: int
) -> tuple[PieceState, int]:
    """Return the state of a piece after a rotation, and the number of the kick test that it passed or BLOCKED_TURN."""
    state, x, row = piece_state
    other = get_next_rotation_state(rules, piece, state, direction)
    for test in range(rules.kick_tests[piece, direction]):
        column = x + int(rules.dx[piece, state, direction, test])
        lowest = row + int(rules.dy[piece, state, direction, test])
        if is_free(board, rules.orientation_of_state[piece, other], column, lowest):
            return PieceState(other, column, lowest), test
    return piece_state, BLOCKED_TURN


@compile_inline
def move_piece(board: Array, rules: RulesRecord, piece: int, moving: tuple[PieceState, int], key: int) -> MovedPiece:
    """Return a piece after a key; `moving` is its state and its last action. A hard drop by no row keeps a rotation."""
    piece_state, turn = moving
    if is_turn(key):
        direction = key - KEY_ROTATE
        after, test = turn_piece(board, rules, piece, piece_state, direction)
        # A rotation into the state that a piece has, as of O, can only restart the lock delay.
        if test == BLOCKED_TURN or (after == piece_state and rules.lock_resets == 0):
            return MovedPiece(piece_state, turn, False)
        promotes = rules.promotes[piece_state.state, direction, test] != 0
        return MovedPiece(after, PROMOTING_TURN if promotes else PLAIN_TURN, True)
    after = apply_key(board, rules, piece, piece_state, key)
    if after == piece_state:
        return MovedPiece(piece_state, turn, False)
    return MovedPiece(after, NO_TURN, True)
