"""What stands where: which piece fills each cell of a board, kept by following its placements."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from tetrion.board import EMPTY_CELL, Board, Placement
from tetrion.engine.pieces import BOARD_WIDTH, PIECES
from tetrion.errors import BoardError

UNKNOWN_CELL = "#"  # a filled cell whose piece is not known
EMPTY_ROW = EMPTY_CELL * BOARD_WIDTH


@dataclass(frozen=True)
class Stack:
    """Rows from the floor, each a text of ten cells: a piece's letter, `#` for an unknown one, or `.`.

    `height` is how many rows are visible; rows above the last one are empty.
    """

    rows: tuple[str, ...] = ()
    height: int = 20

    def __post_init__(self) -> None:
        known = {*PIECES, UNKNOWN_CELL, EMPTY_CELL}
        for row in self.rows:
            if not isinstance(row, str) or len(row) != BOARD_WIDTH or not set(row) <= known:
                raise BoardError(f"A row is a text of {BOARD_WIDTH} cells, each of {PIECES}, # or .; given {row!r}.")
        if type(self.height) is not int or self.height < 1:
            raise BoardError(f"A picture of a board has at least one row; given height={self.height!r}.")

    @classmethod
    def from_board(cls, board: Board, height: int | None = None) -> "Stack":
        """A board whose pieces are not known; all its rows are visible, or so many."""
        filled = (
            "".join(UNKNOWN_CELL if column >> row & 1 else EMPTY_CELL for column in board.columns)
            for row in range(max(board.heights))
        )
        return cls(tuple(filled), board.rows if height is None else height)

    @classmethod
    def from_text(cls, rows: str | Iterable[str], height: int = 20) -> "Stack":
        """The stack that is drawn, rows top to bottom; rows left out above are empty."""
        drawn = rows.split() if isinstance(rows, str) else list(rows)
        return cls(tuple(drawn[::-1]), height)

    def get_cell(self, column: int, row: int) -> str:
        """What fills a cell."""
        return self.rows[row][column] if row < len(self.rows) else EMPTY_CELL

    def with_locked_piece(self, placement: Placement) -> "Stack":
        """The same with a piece at rest; full rows stay."""
        rows = [list(row) for row in self.rows]
        rows += [list(EMPTY_ROW) for _ in range(1 + max(row for _, row in placement.cells) - len(rows))]
        for column, row in placement.cells:
            rows[row][column] = placement.piece
        return replace(self, rows=tuple("".join(row) for row in rows))

    def after_placement(self, placement: Placement) -> "Stack":
        """What stands when a piece has come to rest and full rows are gone."""
        lying = self.with_locked_piece(placement)
        return lying.without_full_rows() if lying.full_rows else lying

    @property
    def full_rows(self) -> tuple[int, ...]:
        """The rows that have no gap, counted from the floor."""
        return tuple(number for number, row in enumerate(self.rows) if EMPTY_CELL not in row)

    def with_opened_rows(self, columns: int) -> "Stack":
        """The same with full rows opened so many columns to both sides of their middle."""
        left, right = BOARD_WIDTH // 2 - columns, BOARD_WIDTH // 2 + columns
        opened = (
            row if EMPTY_CELL in row else row[:left] + EMPTY_CELL * (right - left) + row[right:] for row in self.rows
        )
        return replace(self, rows=tuple(opened))

    def without_full_rows(self) -> "Stack":
        """The same without its full rows."""
        return replace(self, rows=tuple(row for row in self.rows if EMPTY_CELL in row))
