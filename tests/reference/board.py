"""A board is a list of rows from the floor up, each a list of ten truths: filled or not."""

from typing import NamedTuple

from reference.pieces import ORIENTATIONS, WIDTH, Cell

Board = list[list[bool]]


class Placement(NamedTuple):
    """Where a piece comes to rest: its orientation, its leftmost column and its lowest row."""

    orientation: int
    column: int
    row: int


def empty_board(height: int) -> Board:
    return [[False] * WIDTH for _ in range(height)]


def cells_of(piece: str, placement: Placement) -> list[Cell]:
    """The four cells that a placement fills."""
    shape = ORIENTATIONS[piece][placement.orientation]
    return [(placement.column + x, placement.row + y) for x, y in shape]


def is_free(board: Board, cell: Cell) -> bool:
    """Whether a cell can be entered: it is inside the walls, above the floor and not filled; the sky is free."""
    column, row = cell
    if not 0 <= column < WIDTH or row < 0:
        return False
    return row >= len(board) or not board[row][column]


def resting_row(board: Board, piece: str, orientation: int, column: int) -> int:
    """The lowest row of a piece that falls from above the board, a row at a time, until something is in its way."""
    row = len(board)
    while all(is_free(board, cell) for cell in cells_of(piece, Placement(orientation, column, row - 1))):
        row -= 1
    return row


def placements(board: Board, piece: str) -> list[Placement]:
    """Every placement that lies wholly on the board, in the order orientation, column."""
    found = []
    for orientation, shape in enumerate(ORIENTATIONS[piece]):
        for column in range(WIDTH - max(x for x, _ in shape)):
            placement = Placement(orientation, column, resting_row(board, piece, orientation, column))
            if all(row < len(board) for _, row in cells_of(piece, placement)):
                found.append(placement)
    return found


def place(board: Board, piece: str, placement: Placement) -> Board:
    """The board with the piece on it; no row is removed yet."""
    return filled(board, cells_of(piece, placement))


def filled(board: Board, cells: list[Cell]) -> Board:
    """The board with some more cells filled."""
    after = [list(row) for row in board]
    for column, row in cells:
        after[row][column] = True
    return after


def full_rows(board: Board) -> list[int]:
    return [number for number, row in enumerate(board) if all(row)]


def remove_full_rows(board: Board) -> Board:
    """The rows that are not full, moved down to the floor, and empty ones on top of them."""
    kept = [list(row) for row in board if not all(row)]
    return kept + empty_board(len(board) - len(kept))


def picture(board: Board) -> str:
    """The board as text, its top row first."""
    return "\n".join("".join("#" if filled else "." for filled in row) for row in reversed(board))
