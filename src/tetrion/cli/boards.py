"""Boards that commands read from text files and print, and placements as JSON data."""

import sys
from collections.abc import Mapping
from itertools import zip_longest
from pathlib import Path
from typing import Any

import click

from tetrion.board import EMPTY_CELL, MIN_ROWS, UNKNOWN_CELL, Board, Placement
from tetrion.data_files import DataFileError, read_data_file
from tetrion.engine.pieces import BOARD_WIDTH, PIECES
from tetrion.errors import BoardError
from tetrion.evaluation.number_format import format_count
from tetrion.stack import Stack

_MAX_BOARD_BYTES = 10_000
_STANDARD_INPUT = "-"
_FILLED_CELLS = UNKNOWN_CELL + PIECES

board_option = click.option(
    "--board", "board_file", metavar="FILE", help="File with rows of . and #, top to bottom (- for standard input)."
)


def load_board(file: str | None, max_rows: int) -> Board:
    """Load a board of at most `max_rows` rows from a text file; return an empty board if no file is given."""
    if file is None:
        return Board(rows=MIN_ROWS)
    try:
        text = read_board_text(file)
        check_cells(text)
        rows = {number: row for number, line in enumerate(text.splitlines(), 1) if (row := line.strip())}
        check_rows(rows, max_rows)
        return Board.from_text(rows.values(), rows=max(len(rows), MIN_ROWS))
    except BoardError as error:
        raise BoardError(f"{file}: {error}") from None


def read_board_text(file: str) -> str:
    """Return the text of a board file, or of standard input if `file` is -."""
    try:
        if file == _STANDARD_INPUT:
            if sys.stdin is None:
                raise BoardError("standard input is closed. Give a text file with rows of . and #.")
            return sys.stdin.buffer.read(_MAX_BOARD_BYTES).decode()
        return read_data_file(Path(file), _MAX_BOARD_BYTES).decode()
    except FileNotFoundError as error:
        raise BoardError(f"the file cannot be read: {error.strerror}. Give a text file with rows of . and #.") from None
    except DataFileError as error:
        raise BoardError(f"{error} Give a text file with rows of . and #, or - for standard input.") from None
    except UnicodeDecodeError:
        raise BoardError("this is not a text file. Give a text file with rows of . and #, top to bottom.") from None


def check_cells(text: str) -> None:
    """Raise a `BoardError` for the first character of a board file that is not a cell."""
    for line_number, line in enumerate(text.splitlines(), 1):
        for column_number, character in enumerate(line.rstrip(), 1):
            is_indentation = not line[:column_number].strip()
            if character not in EMPTY_CELL + _FILLED_CELLS and not is_indentation:
                raise BoardError(
                    f"line {line_number}, column {column_number}: {character!r} is not a cell. Write {EMPTY_CELL} for "
                    f"an empty cell, and {UNKNOWN_CELL} or a piece ({', '.join(PIECES)}) for a filled one."
                )


def check_rows(rows: Mapping[int, str], max_rows: int) -> None:
    """Raise a `BoardError` for the first row, given by its line number, that has a wrong length, is full or too high.

    The rows of a board are counted from the floor, so that the first ones are too high if there are too many.
    """
    for line_number, row in rows.items():
        if len(row) != BOARD_WIDTH:
            raise BoardError(f"line {line_number}: a row must have {BOARD_WIDTH} cells; this one has {len(row)}: {row}")
        if EMPTY_CELL not in row:
            raise BoardError(
                f"line {line_number}: the row is full, so it would already be cleared. Leave one cell of it empty."
            )
    if len(rows) > max_rows:
        raise BoardError(
            f"line {next(iter(rows))}: the board is too high. Under these rules it has at most "
            f"{format_count(max_rows, 'row')}; the file has {len(rows)}."
        )


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
