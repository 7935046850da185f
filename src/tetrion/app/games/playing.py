"""A game that a person plays: the engine's game with what is seen and heard of it."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from tetrion.app.audio.effects import LINES
from tetrion.app.games.follower import Follower
from tetrion.app.games.hands import Hands
from tetrion.app.games.moving import MovingBoard
from tetrion.board import Placement
from tetrion.engine.rules import Rules
from tetrion.engine.scoring import level_of
from tetrion.game import Game
from tetrion.position import setting_of

MOST_LINES = 1000  # from one level to the next


class Progress(NamedTuple):
    """How far it is to the next level."""

    level: int
    done: int
    whole: int

    @property
    def left(self) -> int:
        """How many lines are missing."""
        return self.whole - self.done


def progress_of(rules: Rules, lines: int) -> Progress | None:
    """How far it is to the next level, where levels rise."""
    if rules.levels == "fixed":
        return None
    record = setting_of(rules).rules.view(np.recarray)[0]
    level = level_of(record, lines)
    first = next((n for n in range(lines, -1, -1) if level_of(record, n) < level), -1) + 1
    after = next((n for n in range(lines, lines + MOST_LINES) if level_of(record, n) > level), lines)
    return Progress(int(level) + 1, lines - first, after - first)


class Playing:
    """A person's game. `begun_here` tells whether every move in it is the person's own."""

    def __init__(self, game: Game, keys: Mapping[str, str], moves: bool = True, *, begun_here: bool = True) -> None:
        self.game, self.begun_here = game, begun_here
        self.follower, self.hands, self.moving = Follower(game), Hands(game, keys), MovingBoard(moves)
        self.kept = False
        self._first_piece = game.pieces
        self._first_score = 0 if game.placements_made else game.score
        self.progress = progress_of(game.rules, game.lines)
        if not begun_here and not game.over:
            self.hands.take_over()
        self._seen = self._where()

    @property
    def placed(self) -> int:
        """How many pieces the person has placed."""
        return self.game.pieces - self._first_piece

    @property
    def other_points(self) -> int:
        """Points that no clear has brought: for rows by the key down, or for pieces."""
        return self.game.score - self._first_score - sum(self.follower.points)

    @property
    def seconds(self) -> float:
        """How long the game has lasted."""
        return float(self.game.frames / self.game.rules.frames)

    def update(self, seconds: float) -> list[str]:
        """Let time pass and do what was pressed; tells what is to be heard."""
        game, level = self.game, self.progress.level if self.progress else 0
        over = game.over
        self.hands.update(seconds)
        self.moving.update(seconds)
        locks = self.follower.follow()
        for lock in locks:
            self.moving.lock(lock)
        before, self._seen = self._seen, self._where()
        self.moving.see(game.falling, game.pieces)
        heard = [heard_of_lock(lock.lines) for lock in locks] or heard_of_moves(
            before, self._seen, self.hands.holds("down")
        )
        if any(lock.full for lock in locks):
            self.progress = progress_of(game.rules, game.lines)
            if self.progress and self.progress.level > level:
                heard.append("level")
        if game.over and not over:
            heard.append("over")
        return heard

    def _where(self) -> tuple[int, Placement | None]:
        return self.game.pieces, self.game.falling


def heard_of_lock(lines: int) -> str:
    """What is heard of a piece that comes to rest and clears so many lines."""
    return LINES[lines - 1] if lines else "lock"


def heard_of_moves(before: tuple[int, Placement | None], now: tuple[int, Placement | None], pushed: bool) -> list[str]:
    """What is heard of a piece that has moved by keys, or down while it is pushed; what falls by itself is silent."""
    (number, was), (same, where) = before, now
    if number != same or was is None or where is None:
        return []
    if was.rotation != where.rotation:
        return ["rotate"]
    if was.column != where.column:
        return ["move"]
    return ["step"] if was.row - where.row > (0 if pushed else 1) else []
