"""What a window shows of a game beside its numbers: which piece lies where, what was cleared, how high it stood."""

from collections import Counter
from dataclasses import dataclass

import numpy as np

from tetrion.board import Placement
from tetrion.drawing.stack import Stack
from tetrion.engine.scoring import level_of, points_of
from tetrion.game import Game
from tetrion.position import setting_of

REMEMBERED = 2000  # heights


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
    """Follows a game: call `follow` whenever something may have happened in it."""

    def __init__(self, game: Game) -> None:
        self.game = game
        board = game.board
        placed = len(game.placements_made)
        self.stack = Stack.of(board, game.rules.height) if not placed else Stack(height=game.rules.height)
        self.counts = Counter[str]()
        self.clears, self.points = [0] * 4, [0] * 4  # how often one to four lines, and for how many points
        self.heights: list[int] = []
        self.since_bar = 0  # pieces since the last I
        self.last: Lock | None = None
        self._seen, self._lines = 0, 0 if placed else game.lines
        self._rules = setting_of(game.rules).rules.view(np.recarray)[0]
        self.follow()

    def follow(self) -> list[Lock]:
        """The pieces that have come to rest since the last time."""
        new = self.game.placements_made[self._seen :]
        self._seen += len(new)
        return [self._locked(placement) for placement in new]

    def forget_placements(self) -> None:
        """Let the game forget its placements, where it lasts so long that they would fill the memory."""
        self.follow()
        self.game.placements_made.clear()
        self.game.events.clear()
        self._seen = 0

    def _locked(self, placement: Placement) -> Lock:
        lying = self.stack.with_piece(placement)
        lock = Lock(placement, lying, lying.full_rows)
        self.stack = lying.cleared() if lock.full else lying
        self._lines += lock.lines
        if lock.full:
            level = int(level_of(self._rules, self._lines))
            earned = int(points_of(self._rules, lock.lines, level)) - int(self._rules.points_a_piece)
            self.clears[lock.lines - 1] += 1
            self.points[lock.lines - 1] += earned
        self.counts[placement.piece] += 1
        self.since_bar = 0 if placement.piece == "I" else self.since_bar + 1
        self.heights.append(len(self.stack.rows))
        del self.heights[:-REMEMBERED]
        self.last = lock
        return lock

    @property
    def tetris_rate(self) -> float | None:
        """The share of lines that were cleared four at a time; None before the first."""
        lines = sum(number * times for number, times in enumerate(self.clears, 1))
        return 4 * self.clears[3] / lines if lines else None

    @property
    def points_a_line(self) -> float | None:
        """How many points a line has brought; None before the first."""
        return self.game.score / self.game.lines if self.game.lines else None
