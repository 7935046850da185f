"""One piece and the keys that move it. A piece in play is known by its state, leftmost column and lowest row."""

from typing import Any

from tetrion.engine.compiler import compiled, compiled_apart
from tetrion.engine.pieces import PACKED, PLACES, TALL
from tetrion.engine.words import Array

KEYS = ("left", "right", "rotate", "back", "down", "drop")
LEFT, RIGHT, ROTATE, BACK, DOWN, DROP = range(len(KEYS))
SKY = 32  # rows in which a piece may be while it moves: as many as a column has bits

Place = tuple[int, int, int]  # state, leftmost column, lowest row


@compiled
def free(board: Array, orientation: int, x: int, row: int) -> bool:
    """Whether a piece can be there: between the walls, above the floor, on nothing filled."""
    if x < 0 or x >= PLACES[orientation] or row < 0 or row + TALL[orientation] > SKY:
        return False
    cells = PACKED[orientation]
    while cells:
        if (board[x] >> row) & cells & 15:
            return False
        cells >>= 4
        x += 1
    return True


@compiled
def entrance(rules: Any, piece: int) -> Place:
    """Where a new piece appears."""
    return 0, int(rules.left[piece]), int(rules.height + rules.entry + rules.bottom[piece])


@compiled
def enters(board: Array, rules: Any, piece: int) -> bool:
    """Whether a new piece finds its entrance free."""
    _, x, row = entrance(rules, piece)
    return free(board, rules.orientation[piece, 0], x, row)


@compiled
def rests(board: Array, rules: Any, piece: int, place: Place) -> bool:
    """Whether a piece cannot go down a row."""
    state, x, row = place
    return not free(board, rules.orientation[piece, state], x, row - 1)


@compiled_apart
def moved(board: Array, rules: Any, piece: int, place: Place, key: int) -> Place:
    """Where a key takes a piece; where it is if the way is blocked."""
    state, x, row = place
    if key in (ROTATE, BACK):
        return _turned(board, rules, piece, place, key - ROTATE)
    orientation = rules.orientation[piece, state]
    if key == DROP:
        while free(board, orientation, x, row - 1):
            row -= 1
        return state, x, row
    if key == DOWN:
        return (state, x, row - 1) if free(board, orientation, x, row - 1) else place
    step = -1 if key == LEFT else 1
    return (state, x + step, row) if free(board, orientation, x + step, row) else place


@compiled
def next_state(rules: Any, piece: int, state: int, direction: int) -> int:
    """The state after a turn forwards (0) or backwards (1)."""
    count = int(rules.states[piece])
    return (state + 1) % count if direction == 0 else (state + count - 1) % count


@compiled
def _turned(board: Array, rules: Any, piece: int, place: Place, direction: int) -> Place:
    state, x, row = place
    other = next_state(rules, piece, state, direction)
    for test in range(rules.tests):
        column = x + int(rules.dx[piece, state, direction, test])
        lowest = row + int(rules.dy[piece, state, direction, test])
        if free(board, rules.orientation[piece, other], column, lowest):
            return other, column, lowest
    return place
