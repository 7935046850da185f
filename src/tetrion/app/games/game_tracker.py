"""Statistics of a game for the window: line clears, piece counts, and the lines and stack heights of recent pieces."""

from collections import Counter
from types import SimpleNamespace
from typing import cast

from tetrion.board import Placement
from tetrion.engine.records import RulesRecord
from tetrion.engine.scoring import compute_level, compute_points
from tetrion.game import Game
from tetrion.position import get_engine_settings
from tetrion.stack import LockedPiece, Stack

STATISTICS_PIECE_ORDER = "TJZOSLI"  # of the NES statistics
_MIN_RECENT_PIECES = 2000  # their heights and lines remain stored in a long game
_SCORING_RULES = ("start_level", "level_system", "line_points", "points_by_level", "points_per_piece")


class GameTracker:
    """Tracks a game: call `process_new_locks` after every change.

    Its attributes are consistent at any time, even while another thread calls `process_new_locks`.
    """

    def __init__(self, game: Game) -> None:
        self.game = game
        placed = len(game.placements_made)
        first_rows = game.garbage_rises.get(0, ())
        self.stack = Stack(first_rows, game.rules.height, game.rules.clearing) if placed else game.stack
        self.piece_counts = Counter[str]()
        self.clear_counts = [0] * 4  # clears of one to four lines
        self.clear_points = [0] * 4  # their points
        self.heights: list[int] = []  # of the stack after each of the recent pieces
        self.line_counts: list[int] = []  # cleared by each of the recent pieces
        self.pieces_since_i = 0
        self.last_lock: LockedPiece | None = None
        self._tracked_placements = 0
        self._lines = 0 if placed else game.lines
        record = get_engine_settings(game.rules).rules[0]
        # Python's numbers, because fields of a record are slower to read for each clear.
        rules = SimpleNamespace(**{name: getattr(record, name).tolist() for name in _SCORING_RULES})
        self._rules = cast(RulesRecord, rules)
        self.process_new_locks()

    def process_new_locks(self) -> list[LockedPiece]:
        """Return the pieces that have locked since the last call."""
        placements = self.game.placements_made[self._tracked_placements :]
        self._tracked_placements += len(placements)
        first = self.game.pieces - len(placements) + 1
        return [self._lock_piece(placement, number) for number, placement in enumerate(placements, first)]

    def forget_placements(self) -> None:
        """Delete the placements and events of a game that is too long to be saved, to free memory."""
        self.process_new_locks()
        self.game.placements_made.clear()
        self.game.events.clear()
        self._tracked_placements = 0

    def _lock_piece(self, placement: Placement, number: int) -> LockedPiece:
        lock = self.stack.lock_piece(placement)
        self.last_lock = lock
        self.stack = lock.stack_after_clear
        if rows := self.game.garbage_rises.get(number):
            self.stack = self.stack.with_garbage(rows)
        if lock.full_rows:
            self._count_clear(lock.lines)
        self.piece_counts[placement.piece] += 1
        self.pieces_since_i = 0 if placement.piece == "I" else self.pieces_since_i + 1
        self.heights.append(len(self.stack.rows))
        self.line_counts.append(lock.lines)
        if len(self.heights) > 2 * _MIN_RECENT_PIECES:
            del self.heights[:-_MIN_RECENT_PIECES], self.line_counts[:-_MIN_RECENT_PIECES]
        return lock

    def _count_clear(self, lines: int) -> None:
        self._lines += lines
        level = compute_level(self._rules, self._lines)
        counted = min(lines, len(self.clear_counts))  # more rows than four count as four, as in the engine
        self.clear_counts[counted - 1] += 1
        self.clear_points[counted - 1] += compute_points(self._rules, counted, level) - self._rules.points_per_piece

    @property
    def tetris_rate(self) -> float | None:
        """The share of lines from tetrises; None before the first line."""
        lines = sum(number * count for number, count in enumerate(self.clear_counts, 1))
        return 4 * self.clear_counts[3] / lines if lines else None

    @property
    def points_per_line(self) -> float | None:
        """The mean number of points per line; None before the first line."""
        return self.game.score / self.game.lines if self.game.lines else None
