"""A game that a person plays: the engine's game with what is seen and heard of it."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from tetrion.app.audio.sound_effects import LINE_CLEAR_EFFECTS
from tetrion.app.games.board_animator import BoardAnimator
from tetrion.app.games.game_tracker import GameTracker
from tetrion.app.games.key_input import KeyInput
from tetrion.board import Placement
from tetrion.engine.rules import Rules
from tetrion.engine.scoring import compute_level
from tetrion.game import Game
from tetrion.position import get_engine_settings

_MAX_LINES_PER_LEVEL = 1000  # from one level to the next


class LevelProgress(NamedTuple):
    """How far it is to the next level."""

    level: int
    lines_done: int
    lines_total: int

    @property
    def lines_left(self) -> int:
        """How many lines are missing."""
        return self.lines_total - self.lines_done


def compute_level_progress(rules: Rules, lines: int) -> LevelProgress | None:
    """How far it is to the next level, where levels rise."""
    if rules.level_system == "fixed":
        return None
    record = get_engine_settings(rules).rules.view(np.recarray)[0]
    level = compute_level(record, lines)
    first = next((n for n in range(lines, -1, -1) if compute_level(record, n) < level), -1) + 1
    after = next((n for n in range(lines, lines + _MAX_LINES_PER_LEVEL) if compute_level(record, n) > level), lines)
    return LevelProgress(int(level) + 1, lines - first, after - first)


class HumanGame:
    """A person's game. `begun_here` tells whether every move in it is the person's own."""

    def __init__(
        self, game: Game, keys: Mapping[str, str], has_animation: bool = True, *, is_started_by_human: bool = True
    ) -> None:
        self.game = game
        self.is_started_by_human = is_started_by_human
        self.tracker = GameTracker(game)
        self.key_input = KeyInput(game, keys)
        self.board_animator = BoardAnimator(has_animation)
        self.is_saved = False
        self._first_piece = game.pieces
        self._first_score = 0 if game.placements_made else game.score
        self.level_progress = compute_level_progress(game.rules, game.lines)
        if not is_started_by_human and not game.is_over:
            self.key_input.release_previous_keys()
        self._last_piece = self._get_current_piece()

    @property
    def pieces_placed(self) -> int:
        """How many pieces the person has placed."""
        return self.game.pieces - self._first_piece

    @property
    def non_clear_points(self) -> int:
        """Points that no clear has brought: for rows by the key down, or for pieces."""
        return self.game.score - self._first_score - sum(self.tracker.clear_points)

    @property
    def seconds(self) -> float:
        """How long the game has lasted."""
        return float(self.game.frames / self.game.rules.frames_per_second)

    def update(self, seconds: float) -> list[str]:
        """Let time pass and do what was pressed; tells what is to be heard."""
        game, level = self.game, self.level_progress.level if self.level_progress else 0
        over = game.is_over
        self.key_input.update(seconds)
        self.board_animator.update(seconds)
        locks = self.tracker.process_new_locks()
        for lock in locks:
            self.board_animator.add_lock(lock)
        before, self._last_piece = self._last_piece, self._get_current_piece()
        self.board_animator.track_piece(game.falling_piece, game.pieces)
        heard = [get_lock_sound(lock.lines) for lock in locks] or get_move_sounds(
            before, self._last_piece, self.key_input.is_held("down")
        )
        if any(lock.full_rows for lock in locks):
            self.level_progress = compute_level_progress(game.rules, game.lines)
            if self.level_progress and self.level_progress.level > level:
                heard.append("level")
        if game.is_over and not over:
            heard.append("over")
        return heard

    def _get_current_piece(self) -> tuple[int, Placement | None]:
        return self.game.pieces, self.game.falling_piece


def get_lock_sound(lines: int) -> str:
    """What is heard of a piece that comes to rest and clears so many lines."""
    return LINE_CLEAR_EFFECTS[lines - 1] if lines else "lock"


def get_move_sounds(
    before: tuple[int, Placement | None], now: tuple[int, Placement | None], is_soft_drop: bool
) -> list[str]:
    """What is heard of a piece that has moved by keys, or down while it is pushed; what falls by itself is silent."""
    (number, was), (same, where) = before, now
    if number != same or was is None or where is None:
        return []
    if was.rotation != where.rotation:
        return ["rotate"]
    if was.column != where.column:
        return ["move"]
    return ["step"] if was.row - where.row > (0 if is_soft_drop else 1) else []
