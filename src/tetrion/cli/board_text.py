"""Boards as text, and placements as JSON data."""

from collections.abc import Mapping
from itertools import zip_longest
from typing import Any

from tetrion.board import Board, Placement
from tetrion.stack import Stack

_EMPTY_ROWS_ABOVE = 2  # shown above the highest filled cell
_BOARD_GAP = "   "


def format_board(board: Board, placement: Placement | None = None, rows: int | None = None) -> str:
    """Return a board as text, with a placement drawn into it if one is given.

    `rows` is the number of rows to show, counted from the floor; by default, up to just above the highest cell.
    """
    stack = Stack.from_board(board)
    if placement:
        stack = stack.with_locked_piece(placement)
    row_count = count_shown_rows(board, placement) if rows is None else rows
    return stack.to_text(min(row_count, board.rows))


def count_shown_rows(board: Board, *placements: Placement | None) -> int:
    """Return how many rows from the floor must be shown to include the stack and the placements."""
    placed_rows = [row for placement in placements if placement for _, row in placement.cells]
    return max([*placed_rows, *board.heights]) + _EMPTY_ROWS_ABOVE


def join_boards(boards: Mapping[str, str]) -> str:
    """Place boards of equal height side by side, each below its title."""
    columns = [[title, *board.splitlines()] for title, board in boards.items()]
    widths = [max(map(len, column)) for column in columns]
    rows = zip_longest(*columns, fillvalue="")
    return "\n".join(_BOARD_GAP.join(map(str.ljust, row, widths)).rstrip() for row in rows)


def placement_to_json(placement: Placement) -> dict[str, Any]:
    """Return a placement as `--json` writes it."""
    return {
        "piece": placement.piece,
        "rotation": placement.rotation,
        "column": placement.column,
        "row": placement.row,
        "spin": placement.spin,
        "hold": placement.hold,
    }
