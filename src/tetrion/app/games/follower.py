"""What a window shows of a game beside its numbers: which piece lies where, what was cleared, how high it stood."""

from collections import Counter
from dataclasses import dataclass
from types import SimpleNamespace

from tetrion.board import EMPTY, Placement
from tetrion.drawing.stack import Stack
from tetrion.engine.pieces import WIDTH
from tetrion.engine.scoring import level_of, points_of
from tetrion.game import Game
from tetrion.position import setting_of

REMEMBERED = 2000  # heights, at least
RULES = ("level", "levels", "points", "points_by_level", "points_a_piece")  # that decide on points


@dataclass(frozen=True)
class Lock:
    """A piece that has come to rest: where, what stood there before full rows went, and which rows these were."""

    placement: Placement
    lying: Stack
    full: tuple[int, ...]

    @property
    def lines(self) -> int:
        """How many rows it has cleared."""
        return len(self.full)


class Follower:
    """Follows a game: call `follow` whenever something may have happened in it, `catch_up` where locks interest nobody.

    What it shows is complete at any moment, even while another thread lets it catch up.
    """

    def __init__(self, game: Game) -> None:
        self.game = game
        placed = len(game.placements_made)
        self.stack = Stack.of(game.board, game.rules.height) if not placed else Stack(height=game.rules.height)
        self.counts = Counter[str]()
        self.clears, self.points = [0] * 4, [0] * 4  # how often one to four lines, and for how many points
        self.heights: list[int] = []
        self.since_bar = 0  # pieces since the last I
        self.last: Lock | None = None
        self._rows = [list(row) for row in self.stack.rows]
        self._seen, self._lines = 0, 0 if placed else game.lines
        record = setting_of(game.rules).rules[0]
        self._rules = SimpleNamespace(**{name: record[name].tolist() for name in RULES})
        self.catch_up()

    def follow(self) -> list[Lock]:
        """The pieces that have come to rest since the last time."""
        return [self._locked(placement) for placement in self._new()]

    def catch_up(self) -> None:
        """The same without telling them, and many times as fast."""
        if new := self._new():
            for placement in new[:-1]:
                self._put(placement)
                self._clear(placement)
            self._locked(new[-1])

    def forget_placements(self) -> None:
        """Let the game forget its placements, where it lasts so long that they would fill the memory."""
        self.catch_up()
        self.game.placements_made.clear()
        self.game.events.clear()
        self._seen = 0

    def _new(self) -> list[Placement]:
        new = self.game.placements_made[self._seen :]
        self._seen += len(new)
        return new

    def _locked(self, placement: Placement) -> Lock:
        self._put(placement)
        lying = self._standing()
        full = self._clear(placement)
        self.stack = self._standing() if full else lying
        self.last = Lock(placement, lying, full)
        return self.last

    def _standing(self) -> Stack:
        return Stack(tuple("".join(row) for row in self._rows), self.stack.height)

    def _put(self, placement: Placement) -> None:
        """Fill the cells of a piece."""
        rows = self._rows
        for column, row in placement.cells:
            while row >= len(rows):
                rows.append([EMPTY] * WIDTH)
            rows[row][column] = placement.piece

    def _clear(self, placement: Placement) -> tuple[int, ...]:
        """Remove the rows that a piece has filled, and count; tells which they were."""
        rows = self._rows
        full = tuple(row for row in sorted({row for _, row in placement.cells}) if EMPTY not in rows[row])
        for row in reversed(full):
            del rows[row]
        if full:
            self._count(len(full))
        self.counts[placement.piece] += 1
        self.since_bar = 0 if placement.piece == "I" else self.since_bar + 1
        self.heights.append(len(rows))
        if len(self.heights) > 2 * REMEMBERED:
            del self.heights[:-REMEMBERED]
        return full

    def _count(self, lines: int) -> None:
        self._lines += lines
        level = level_of(self._rules, self._lines)
        self.clears[lines - 1] += 1
        self.points[lines - 1] += points_of(self._rules, lines, level) - self._rules.points_a_piece

    @property
    def tetris_rate(self) -> float | None:
        """The share of lines that were cleared four at a time; None before the first."""
        lines = sum(number * times for number, times in enumerate(self.clears, 1))
        return 4 * self.clears[3] / lines if lines else None

    @property
    def points_a_line(self) -> float | None:
        """How many points a line has brought; None before the first."""
        return self.game.score / self.game.lines if self.game.lines else None
