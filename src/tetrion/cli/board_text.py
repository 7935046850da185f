"""Boards drawn as text."""

from collections.abc import Mapping
from itertools import zip_longest

from tetrion.board import Board, Placement

_EMPTY_ROWS_ABOVE = 2  # empty rows that are left above what is drawn
_BOARD_GAP = "   "


def format_board(board: Board, placement: Placement | None = None, rows: int | None = None) -> str:
    """The board with a placement in it, if there is one; so many of its lowest rows, or cut off well above both."""
    shown = [list(row) for row in str(board).splitlines()]
    if placement:
        for column, row in placement.cells:
            shown[len(shown) - 1 - row][column] = placement.piece
    top = count_shown_rows(board, placement) if rows is None else rows
    return "\n".join("".join(row) for row in shown[max(0, len(shown) - top) :])


def count_shown_rows(board: Board, *placements: Placement | None) -> int:
    """How many of the lowest rows show a board and placements well."""
    cells = [row for placement in placements if placement for _, row in placement.cells]
    return max([*cells, *board.heights]) + _EMPTY_ROWS_ABOVE


def join_boards(boards: Mapping[str, str]) -> str:
    """Drawn boards of equal height in a row, each under its title."""
    columns = [[title, *board.splitlines()] for title, board in boards.items()]
    widths = [max(map(len, column)) for column in columns]
    rows = zip_longest(*columns, fillvalue="")
    return "\n".join(_BOARD_GAP.join(map(str.ljust, row, widths)).rstrip() for row in rows)
