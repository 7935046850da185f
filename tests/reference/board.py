"""Boards, straight drops and the removal of full rows."""

from typing import NamedTuple

from tests.reference.pieces import ORIENTATIONS, WIDTH, Cell

Board = list[list[bool]]  # rows from the floor up; True is a filled cell


class Placement(NamedTuple):
    """A final position of a piece: its orientation, its leftmost column and its lowest row."""

    orientation: int
    column: int
    row: int


def empty_board(height: int) -> Board:
    return [[False] * WIDTH for _ in range(height)]


def get_cells(piece: str, placement: Placement) -> list[Cell]:
    """Return the four cells that a placement fills."""
    shape = ORIENTATIONS[piece][placement.orientation]
    return [(placement.column + x, placement.row + y) for x, y in shape]


def is_free(board: Board, cell: Cell) -> bool:
    """Return whether a cell is between the walls, above the floor and empty; cells above the board are empty."""
    column, row = cell
    if not 0 <= column < WIDTH or row < 0:
        return False
    return row >= len(board) or not board[row][column]


def find_landing_row(board: Board, piece: str, orientation: int, column: int) -> int:
    """Return the lowest row of a piece that falls from above the board, row by row, until it is blocked."""
    row = len(board)
    while all(is_free(board, cell) for cell in get_cells(piece, Placement(orientation, column, row - 1))):
        row -= 1
    return row


def placements(board: Board, piece: str) -> list[Placement]:
    """Return all straight drops whose cells are all on the board, ordered by orientation, then column."""
    result = []
    for orientation, shape in enumerate(ORIENTATIONS[piece]):
        for column in range(WIDTH - max(x for x, _ in shape)):
            placement = Placement(orientation, column, find_landing_row(board, piece, orientation, column))
            if all(row < len(board) for _, row in get_cells(piece, placement)):
                result.append(placement)
    return result


def place(board: Board, piece: str, placement: Placement) -> Board:
    """Return the board with the piece on it; full rows are not removed."""
    return fill_cells(board, get_cells(piece, placement))


def fill_cells(board: Board, cells: list[Cell]) -> Board:
    """Return a copy of the board in which these cells are filled too."""
    after = [list(row) for row in board]
    for column, row in cells:
        after[row][column] = True
    return after


def full_rows(board: Board) -> list[int]:
    return [number for number, row in enumerate(board) if all(row)]


def remove_full_rows(board: Board) -> Board:
    """Return the board without its full rows: the rows above move down, and empty rows are added at the top."""
    remaining = [list(row) for row in board if not all(row)]
    return remaining + empty_board(len(board) - len(remaining))


def picture(board: Board) -> str:
    """Return the board as text, top row first."""
    return "\n".join("".join("#" if is_filled else "." for is_filled in row) for row in reversed(board))
