"""The stack of a board with the piece of every cell, updated placement by placement."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from tetrion.board import EMPTY_CELL, Board, Placement
from tetrion.engine.pieces import BOARD_WIDTH, PIECES
from tetrion.errors import BoardError

UNKNOWN_CELL = "#"  # a filled cell whose piece is not known
EMPTY_ROW = EMPTY_CELL * BOARD_WIDTH


@dataclass(frozen=True)
class Stack:
    """Rows from the floor up, each a string of ten cells: a piece letter, `#` for an unknown piece, or `.` for empty.

    `height` is the number of visible rows; rows above those listed are empty.
    """

    rows: tuple[str, ...] = ()
    height: int = 20

    def __post_init__(self) -> None:
        valid_cells = {*PIECES, UNKNOWN_CELL, EMPTY_CELL}
        for row in self.rows:
            if not isinstance(row, str) or len(row) != BOARD_WIDTH or not set(row) <= valid_cells:
                raise BoardError(f"A row has {BOARD_WIDTH} cells, each one of {PIECES}, # or .; given {row!r}.")
        if type(self.height) is not int or self.height < 1:
            raise BoardError(f"A stack has a height of at least one row; given height={self.height!r}.")

    @classmethod
    def from_board(cls, board: Board, height: int | None = None) -> "Stack":
        """Return the stack of a board, with unknown pieces; `height` is the number of visible rows (default: all)."""
        rows = (
            "".join(UNKNOWN_CELL if column >> row & 1 else EMPTY_CELL for column in board.columns)
            for row in range(max(board.heights))
        )
        return cls(tuple(rows), board.rows if height is None else height)

    @classmethod
    def from_text(cls, rows: str | Iterable[str], height: int = 20) -> "Stack":
        """Return the stack given as text, rows top to bottom."""
        lines = rows.split() if isinstance(rows, str) else list(rows)
        return cls(tuple(lines[::-1]), height)

    def get_cell(self, column: int, row: int) -> str:
        """Return the content of a cell."""
        return self.rows[row][column] if row < len(self.rows) else EMPTY_CELL

    def with_locked_piece(self, placement: Placement) -> "Stack":
        """Return the stack with a locked piece; full rows are not removed."""
        rows = [list(row) for row in self.rows]
        rows += [list(EMPTY_ROW) for _ in range(1 + max(row for _, row in placement.cells) - len(rows))]
        for column, row in placement.cells:
            rows[row][column] = placement.piece
        return replace(self, rows=tuple("".join(row) for row in rows))

    def after_placement(self, placement: Placement) -> "Stack":
        """Return the stack after a piece has locked and full rows have been removed."""
        locked = self.with_locked_piece(placement)
        return locked.without_full_rows() if locked.full_rows else locked

    @property
    def full_rows(self) -> tuple[int, ...]:
        """The numbers of the full rows, counted from the floor."""
        return tuple(number for number, row in enumerate(self.rows) if EMPTY_CELL not in row)

    def with_opened_rows(self, columns: int) -> "Stack":
        """Return the stack with the middle of its full rows emptied, `columns` columns to each side."""
        left, right = BOARD_WIDTH // 2 - columns, BOARD_WIDTH // 2 + columns
        opened = (
            row if EMPTY_CELL in row else row[:left] + EMPTY_CELL * (right - left) + row[right:] for row in self.rows
        )
        return replace(self, rows=tuple(opened))

    def without_full_rows(self) -> "Stack":
        """Return the stack without its full rows."""
        return replace(self, rows=tuple(row for row in self.rows if EMPTY_CELL in row))
