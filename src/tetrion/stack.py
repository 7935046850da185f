"""The stack of a board: the piece that fills each cell, updated placement by placement."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from tetrion.board import EMPTY_CELL, UNKNOWN_CELL, Board, Placement
from tetrion.engine.pieces import BOARD_WIDTH, PIECES
from tetrion.errors import BoardError, describe_value

EMPTY_ROW = EMPTY_CELL * BOARD_WIDTH
_VALID_CELLS = {*PIECES, UNKNOWN_CELL, EMPTY_CELL}


@dataclass(frozen=True, slots=True)
class Stack:
    """Rows from the floor up, each a string of ten cells: a piece letter, `#` for an unknown piece, or `.` for empty.

    `height` is the number of visible rows; rows above those listed are empty. `clearing` is the rule of this name, by
    which full rows are cleared.
    """

    rows: tuple[str, ...] = ()
    height: int = 20
    clearing: str = "standard"

    def __post_init__(self) -> None:
        for row in self.rows:
            if not isinstance(row, str) or len(row) != BOARD_WIDTH or not set(row) <= _VALID_CELLS:
                raise BoardError(
                    f"A row has {BOARD_WIDTH} cells, each one of {PIECES}, # or .; given {describe_value(row)}."
                )
        if type(self.height) is not int or self.height < 1:
            raise BoardError(f"A stack has a height of at least one row; given height={describe_value(self.height)}.")

    @classmethod
    def from_board(cls, board: Board, height: int | None = None, clearing: str = "standard") -> "Stack":
        """Return the stack of a board, with unknown pieces; `height` is the number of visible rows (default: all)."""
        rows = str(board).split("\n")[::-1][: max(board.heights)]
        return cls(tuple(rows), board.rows if height is None else height, clearing)

    @classmethod
    def from_text(cls, rows: str | Iterable[str], height: int = 20) -> "Stack":
        """Return the stack given as text, rows top to bottom."""
        lines = rows.split() if isinstance(rows, str) else list(rows)
        return cls(tuple(lines[::-1]), height)

    def to_text(self, row_count: int) -> str:
        """Return the lowest `row_count` rows as text, top to bottom."""
        shown = [*self.rows[:row_count], *[EMPTY_ROW] * (row_count - len(self.rows))]
        return "\n".join(reversed(shown))

    def get_cell(self, column: int, row: int) -> str:
        """Return the content of a cell."""
        return self.rows[row][column] if row < len(self.rows) else EMPTY_CELL

    def fits(self, placement: Placement) -> bool:
        """Return whether all cells of a placement are empty."""
        return all(self.get_cell(column, row) == EMPTY_CELL for column, row in placement.cells)

    def lower_into_view(self, placement: Placement) -> Placement:
        """Return a piece lowered until it is below the top of the visible rows or blocked."""
        while max(row for _, row in placement.cells) >= self.height and placement.row:
            lower = replace(placement, row=placement.row - 1)
            if not self.fits(lower):
                break
            placement = lower
        return placement

    def with_locked_piece(self, placement: Placement) -> "Stack":
        """Return the stack with a locked piece; full rows are not removed."""
        return self.lock_piece(placement).stack_before_clear

    def lock_piece(self, placement: Placement) -> "LockedPiece":
        """Return a piece that locks on the stack, with the stack before and after the full rows are cleared."""
        rows = list(self.rows)
        full_rows = fill_cells(rows, placement)
        stack = self._with_rows(rows)
        # A hanging clear can leave a full row in which the next piece has no cell.
        return LockedPiece(placement, stack, stack.full_rows if self.clearing == "hanging" else tuple(full_rows))

    def after_placement(self, placement: Placement) -> "Stack":
        """Return the stack after a piece has locked and full rows have been removed."""
        if self.clearing == "hanging":
            return self.lock_piece(placement).stack_after_clear
        rows = list(self.rows)
        full_rows = fill_cells(rows, placement)
        return self._with_rows([row for row in rows if EMPTY_CELL in row] if full_rows else rows)

    @property
    def full_rows(self) -> tuple[int, ...]:
        """The numbers of the full rows, counted from the floor."""
        return tuple(number for number, row in enumerate(self.rows) if EMPTY_CELL not in row)

    def with_opened_rows(self, columns: int) -> "Stack":
        """Return the stack with the middle of its full rows emptied, `columns` columns to each side."""
        left, right = BOARD_WIDTH // 2 - columns, BOARD_WIDTH // 2 + columns
        opened = EMPTY_CELL * (right - left)
        return self._with_rows(row if EMPTY_CELL in row else row[:left] + opened + row[right:] for row in self.rows)

    def without_full_rows(self) -> "Stack":
        """Return the stack after its full rows have been cleared."""
        if self.clearing == "hanging":
            return self._with_rows(lower_upper_rows(self.rows, self.full_rows))
        return self._with_rows(row for row in self.rows if EMPTY_CELL in row)

    def with_garbage(self, rows: Iterable[str]) -> "Stack":
        """Return the stack pushed up by rows of garbage, given from the floor up."""
        return self._with_rows([*rows, *self.rows])

    def _with_rows(self, rows: Iterable[str]) -> "Stack":
        """Return a stack of equal height with other rows, without checks: fast games lock many pieces per second."""
        stack = object.__new__(Stack)
        object.__setattr__(stack, "rows", tuple(rows))
        object.__setattr__(stack, "height", self.height)
        object.__setattr__(stack, "clearing", self.clearing)
        return stack


class LockedPiece(NamedTuple):
    """A locked piece, the stack before full rows are cleared, and these rows."""

    placement: Placement
    stack_before_clear: Stack
    full_rows: tuple[int, ...]

    @property
    def lines(self) -> int:
        """The number of cleared rows."""
        return len(self.full_rows)

    @property
    def stack_after_clear(self) -> Stack:
        """The stack after the full rows have been cleared."""
        return self.stack_before_clear.without_full_rows() if self.full_rows else self.stack_before_clear


def fill_cells(rows: list[str], placement: Placement) -> list[int]:
    """Write the letter of a piece into its cells, with further rows if needed; return the rows that become full."""
    full_rows = []
    for row, column, letters in placement.row_spans:
        while row >= len(rows):
            rows.append(EMPTY_ROW)
        cells = rows[row]
        rows[row] = cells = cells[:column] + letters + cells[column + len(letters) :]
        if EMPTY_CELL not in cells:
            full_rows.append(row)
    return full_rows


def lower_upper_rows(rows: Sequence[str], full_rows: Sequence[int]) -> list[str]:
    """Return rows after a hanging clear: only those above the highest full row move down, by the number of full rows.

    Their cells replace those of the rows on which they land.
    """
    above = max(full_rows, default=-1) + 1
    lowered = [EMPTY_ROW if number in full_rows else row for number, row in enumerate(rows[:above])]
    start = above - len(full_rows)
    for number, upper in enumerate(rows[above:], start):
        if number < above:
            lower = lowered[number]
            lowered[number] = "".join(b if a == EMPTY_CELL else a for a, b in zip(upper, lower, strict=True))
        else:
            lowered.append(upper)
    return lowered
