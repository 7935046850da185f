"""Statistics of a game for the window: the piece in each cell, line clears, piece counts and stack heights."""

from collections import Counter
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

from tetrion.board import EMPTY_CELL, Placement
from tetrion.drawing.stack import Stack
from tetrion.engine.pieces import BOARD_WIDTH
from tetrion.engine.scoring import compute_level, compute_points
from tetrion.game import Game
from tetrion.position import get_engine_settings

_MIN_HEIGHTS = 2000  # number of recent heights that remain stored in a long game
_SCORING_RULES = ("start_level", "level_system", "line_points", "points_by_level", "points_per_piece")


@dataclass(frozen=True)
class LockedPiece:
    """A locked piece, the stack before full rows were cleared, and these rows."""

    placement: Placement
    stack_before_clear: Stack
    full_rows: tuple[int, ...]

    @property
    def lines(self) -> int:
        """The number of cleared rows."""
        return len(self.full_rows)


class GameTracker:
    """Tracks a game: call `process_new_locks` after every change, or `catch_up` if the locks are not needed.

    Its attributes are consistent at any time, even while another thread calls `catch_up`.
    """

    def __init__(self, game: Game) -> None:
        self.game = game
        placed = len(game.placements_made)
        self.stack = Stack.from_board(game.board, game.rules.height) if not placed else Stack(height=game.rules.height)
        self.piece_counts = Counter[str]()
        self.clear_counts = [0] * 4  # clears of one to four lines
        self.clear_points = [0] * 4  # their points
        self.heights: list[int] = []
        self.pieces_since_i = 0
        self.last_lock: LockedPiece | None = None
        self._rows = [list(row) for row in self.stack.rows]
        self._tracked_placements = 0
        self._lines = 0 if placed else game.lines
        record = get_engine_settings(game.rules).rules[0]
        self._rules: Any = SimpleNamespace(**{name: getattr(record, name).tolist() for name in _SCORING_RULES})
        self.catch_up()

    def process_new_locks(self) -> list[LockedPiece]:
        """Return the pieces that have locked since the last call."""
        return [self._lock_piece(placement) for placement in self._take_new_placements()]

    def catch_up(self) -> None:
        """Process the pieces that have locked since the last call without returning them, which is much faster."""
        if placements := self._take_new_placements():
            for placement in placements[:-1]:
                self._fill_cells(placement)
                self._clear_full_rows(placement)
            self._lock_piece(placements[-1])

    def forget_placements(self) -> None:
        """Delete the placements and events of a game that is too long to be saved, to free memory."""
        self.catch_up()
        self.game.placements_made.clear()
        self.game.events.clear()
        self._tracked_placements = 0

    def _take_new_placements(self) -> list[Placement]:
        placements = self.game.placements_made[self._tracked_placements :]
        self._tracked_placements += len(placements)
        return placements

    def _lock_piece(self, placement: Placement) -> LockedPiece:
        self._fill_cells(placement)
        stack_before_clear = self._make_stack()
        full_rows = self._clear_full_rows(placement)
        self.stack = self._make_stack() if full_rows else stack_before_clear
        self.last_lock = LockedPiece(placement, stack_before_clear, full_rows)
        return self.last_lock

    def _make_stack(self) -> Stack:
        return Stack(tuple("".join(row) for row in self._rows), self.stack.height)

    def _fill_cells(self, placement: Placement) -> None:
        rows = self._rows
        for column, row in placement.cells:
            while row >= len(rows):
                rows.append([EMPTY_CELL] * BOARD_WIDTH)
            rows[row][column] = placement.piece

    def _clear_full_rows(self, placement: Placement) -> tuple[int, ...]:
        """Remove the rows that a piece has filled, update the statistics and return the rows."""
        rows = self._rows
        full = tuple(row for row in sorted({row for _, row in placement.cells}) if EMPTY_CELL not in rows[row])
        for row in reversed(full):
            del rows[row]
        if full:
            self._count_clear(len(full))
        self.piece_counts[placement.piece] += 1
        self.pieces_since_i = 0 if placement.piece == "I" else self.pieces_since_i + 1
        self.heights.append(len(rows))
        if len(self.heights) > 2 * _MIN_HEIGHTS:
            del self.heights[:-_MIN_HEIGHTS]
        return full

    def _count_clear(self, lines: int) -> None:
        self._lines += lines
        level = compute_level(self._rules, self._lines)
        self.clear_counts[lines - 1] += 1
        self.clear_points[lines - 1] += compute_points(self._rules, lines, level) - self._rules.points_per_piece

    @property
    def tetris_rate(self) -> float | None:
        """The share of lines from tetrises; None before the first line."""
        lines = sum(number * count for number, count in enumerate(self.clear_counts, 1))
        return 4 * self.clear_counts[3] / lines if lines else None

    @property
    def points_per_line(self) -> float | None:
        """The mean number of points per line; None before the first line."""
        return self.game.score / self.game.lines if self.game.lines else None
