"""What a window shows of a game beside its numbers: which piece lies where, what was cleared, how high it stood."""

from collections import Counter
from dataclasses import dataclass
from types import SimpleNamespace

from tetrion.board import EMPTY_CELL, Placement
from tetrion.drawing.stack import Stack
from tetrion.engine.pieces import BOARD_WIDTH
from tetrion.engine.scoring import compute_level, compute_points
from tetrion.game import Game
from tetrion.position import get_engine_settings

_MIN_HEIGHTS = 2000  # heights, at least
_SCORING_RULES = ("start_level", "level_system", "points", "points_by_level", "points_a_piece")  # that decide on points


@dataclass(frozen=True)
class LockedPiece:
    """A piece that has come to rest: where, what stood there before full rows went, and which rows these were."""

    placement: Placement
    stack_before_clear: Stack
    full_rows: tuple[int, ...]

    @property
    def lines(self) -> int:
        """How many rows it has cleared."""
        return len(self.full_rows)


class GameTracker:
    """Follows a game: call `follow` whenever something may have happened in it, `catch_up` where locks interest nobody.

    What it shows is complete at any moment, even while another thread lets it catch up.
    """

    def __init__(self, game: Game) -> None:
        self.game = game
        placed = len(game.placements_made)
        self.stack = Stack.from_board(game.board, game.rules.height) if not placed else Stack(height=game.rules.height)
        self.piece_counts = Counter[str]()
        # how often one to four lines, and for how many points
        self.clear_counts = [0] * 4
        self.clear_points = [0] * 4
        self.heights: list[int] = []
        self.pieces_since_i = 0  # pieces since the last I
        self.last_lock: LockedPiece | None = None
        self._rows = [list(row) for row in self.stack.rows]
        self._tracked_placements = 0
        self._lines = 0 if placed else game.lines
        record = get_engine_settings(game.rules).rules[0]
        self._rules = SimpleNamespace(**{name: record[name].tolist() for name in _SCORING_RULES})
        self.catch_up()

    def process_new_locks(self) -> list[LockedPiece]:
        """The pieces that have come to rest since the last time."""
        return [self._lock_piece(placement) for placement in self._take_new_placements()]

    def catch_up(self) -> None:
        """The same without telling them, and many times as fast."""
        if new := self._take_new_placements():
            for placement in new[:-1]:
                self._fill_cells(placement)
                self._clear_full_rows(placement)
            self._lock_piece(new[-1])

    def forget_placements(self) -> None:
        """Let the game forget its placements, where it lasts so long that they would fill the memory."""
        self.catch_up()
        self.game.placements_made.clear()
        self.game.events.clear()
        self._tracked_placements = 0

    def _take_new_placements(self) -> list[Placement]:
        new = self.game.placements_made[self._tracked_placements :]
        self._tracked_placements += len(new)
        return new

    def _lock_piece(self, placement: Placement) -> LockedPiece:
        self._fill_cells(placement)
        lying = self._make_stack()
        full = self._clear_full_rows(placement)
        self.stack = self._make_stack() if full else lying
        self.last_lock = LockedPiece(placement, lying, full)
        return self.last_lock

    def _make_stack(self) -> Stack:
        return Stack(tuple("".join(row) for row in self._rows), self.stack.height)

    def _fill_cells(self, placement: Placement) -> None:
        """Fill the cells of a piece."""
        rows = self._rows
        for column, row in placement.cells:
            while row >= len(rows):
                rows.append([EMPTY_CELL] * BOARD_WIDTH)
            rows[row][column] = placement.piece

    def _clear_full_rows(self, placement: Placement) -> tuple[int, ...]:
        """Remove the rows that a piece has filled, and count; tells which they were."""
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
        self.clear_points[lines - 1] += compute_points(self._rules, lines, level) - self._rules.points_a_piece

    @property
    def tetris_rate(self) -> float | None:
        """The share of lines that were cleared four at a time; None before the first."""
        lines = sum(number * times for number, times in enumerate(self.clear_counts, 1))
        return 4 * self.clear_counts[3] / lines if lines else None

    @property
    def points_per_line(self) -> float | None:
        """How many points a line has brought; None before the first."""
        return self.game.score / self.game.lines if self.game.lines else None
