"""Boards, placements, straight drops and the removal of full rows."""

from typing import NamedTuple

from tests.reference.pieces import WIDTH, Cell
from tests.reference.rotations import SHAPES

Board = list[list[bool]]  # rows from the floor up; True is a filled cell


class Placement(NamedTuple):
    """A final position of a piece: its orientation, its leftmost column and its lowest row.

    The same cells with another spin, or of the swapped-in piece, are another placement.
    """

    orientation: int
    column: int
    row: int
    spin: str = "none"
    with_hold: bool = False


def empty_board(height: int) -> Board:
    return [[False] * WIDTH for _ in range(height)]


def get_cells(piece: str, placement: Placement, rotation: str = "top-left") -> list[Cell]:
    """Return the four cells that a placement fills; its orientation is numbered as in this rotation system."""
    shape = SHAPES[rotation][piece][placement.orientation]
    return [(placement.column + x, placement.row + y) for x, y in shape]


def is_free(board: Board, cell: Cell) -> bool:
    """Return whether a cell is between the walls, above the floor and empty; cells above the board are empty."""
    column, row = cell
    if not 0 <= column < WIDTH or row < 0:
        return False
    return row >= len(board) or not board[row][column]


def find_landing_row(board: Board, shape: list[Cell], column: int) -> int:
    """Return the lowest row of a piece that falls from above the board, row by row, until it is blocked."""
    row = len(board)
    while all(is_free(board, (column + x, row - 1 + y)) for x, y in shape):
        row -= 1
    return row


def find_drops(board: Board, piece: str, rotation: str = "top-left") -> list[Placement]:
    """Return all straight drops whose cells are all on the board, ordered by orientation, then column."""
    result = []
    for orientation, shape in enumerate(SHAPES[rotation][piece]):
        for column in range(WIDTH - max(x for x, _ in shape)):
            placement = Placement(orientation, column, find_landing_row(board, shape, column))
            if all(row < len(board) for _, row in get_cells(piece, placement, rotation)):
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


def clear_hanging(board: Board) -> Board:
    """Return the board after the program of Gavrilov's report has cleared its full rows, cell by cell.

    It deletes the cells of full rows. Then it moves each cell above the highest full row down by the number of full
    rows: into a row in between, if there is one, even where that row has a cell already.
    """
    cleared = full_rows(board)
    cells = {(column, row) for row, line in enumerate(board) for column, is_filled in enumerate(line) if is_filled}
    cells -= {(column, row) for column, row in cells if row in cleared}
    moving = {(column, row) for column, row in cells if row > max(cleared, default=len(board))}
    lowered = {(column, row - len(cleared)) for column, row in moving}
    return fill_cells(empty_board(len(board)), list(cells - moving | lowered))


def picture(board: Board) -> str:
    """Return the board as text, top row first."""
    return "\n".join("".join("#" if is_filled else "." for is_filled in row) for row in reversed(board))
