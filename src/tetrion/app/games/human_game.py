"""A game of a human player, with its animations and sounds."""

from typing import NamedTuple

from tetrion.app.audio.sound_effects import LINE_CLEAR_EFFECTS
from tetrion.app.games.game_tracker import GameTracker
from tetrion.app.games.human_rules import KeyBindings
from tetrion.app.games.key_input import KeyInput
from tetrion.board import Placement
from tetrion.drawing.board_animation import BoardAnimator
from tetrion.drawing.game_facts import ActionText
from tetrion.engine.rules import Rules
from tetrion.engine.scoring import compute_level
from tetrion.game import Game
from tetrion.position import get_engine_settings

_MAX_LINES_PER_LEVEL = 1000


class LevelProgress(NamedTuple):
    """The progress to the next level; `level` is the number of that level."""

    level: int
    lines_done: int
    lines_total: int

    @property
    def lines_left(self) -> int:
        """The lines to the next level."""
        return self.lines_total - self.lines_done


def compute_level_progress(rules: Rules, lines: int) -> LevelProgress | None:
    """Return the progress to the next level after a number of lines; None if the level is fixed."""
    if rules.level_system == "fixed":
        return None
    record = get_engine_settings(rules).rules[0]
    level = compute_level(record, lines)
    first = next((n for n in range(lines, -1, -1) if compute_level(record, n) < level), -1) + 1
    after = next((n for n in range(lines, lines + _MAX_LINES_PER_LEVEL) if compute_level(record, n) > level), lines)
    return LevelProgress(int(level) + 1, lines - first, after - first)


class HumanGame:
    """A game of a human player. If not `is_started_by_human`, earlier moves come from a replay or an agent."""

    def __init__(
        self, game: Game, keys: KeyBindings, has_animation: bool = True, *, is_started_by_human: bool = True
    ) -> None:
        self.game = game
        self.is_started_by_human = is_started_by_human
        self.tracker = GameTracker(game)
        self.key_input = KeyInput(game, keys)
        self.board_animator = BoardAnimator(has_animation)
        self.action = ActionText()
        self.is_saved = False
        self._first_piece = game.pieces
        self._first_score = 0 if game.placements_made else game.score
        self.level_progress = compute_level_progress(game.rules, game.lines)
        if not is_started_by_human and not game.is_over:
            self.key_input.release_previous_keys()
        self._last_piece = self._get_current_piece()

    @property
    def pieces_placed(self) -> int:
        """The number of pieces that the human player has placed."""
        return self.game.pieces - self._first_piece

    @property
    def non_clear_points(self) -> int:
        """The points that are not from line clears: for soft drops or for pieces."""
        return self.game.score - self._first_score - sum(self.tracker.clear_points)

    @property
    def seconds(self) -> float:
        """The duration of the game."""
        return float(self.game.frames / self.game.rules.frames_per_second)

    def update(self, seconds: float) -> list[str]:
        """Advance the game by `seconds` and apply the pressed keys; return the names of the sounds to play."""
        game = self.game
        level = self.level_progress.level if self.level_progress else 0
        was_over = game.is_over
        self.key_input.update(seconds)
        self.update_animation(seconds)
        locks = self.tracker.process_new_locks()
        for lock in locks:
            self.board_animator.add_lock(lock)
        if locks:
            self.action.add_lock(locks[-1], game.position)
        previous_piece = self._last_piece
        self._last_piece = self._get_current_piece()
        self.board_animator.track_piece(game.falling_piece, game.pieces)
        sounds = [get_lock_sound(lock.lines) for lock in locks]
        if not locks:
            sounds = get_move_sounds(previous_piece, self._last_piece, self.key_input.is_held("down"))
        if any(lock.full_rows for lock in locks):
            self.level_progress = compute_level_progress(game.rules, game.lines)
            if self.level_progress and self.level_progress.level > level:
                sounds.append("level")
        if game.is_over and not was_over:
            sounds.append("over")
        return sounds

    def update_animation(self, seconds: float) -> None:
        """Advance the animations alone by `seconds`."""
        self.board_animator.update(seconds)
        self.action.update(seconds)

    def _get_current_piece(self) -> tuple[int, Placement | None]:
        return self.game.pieces, self.game.falling_piece


def get_lock_sound(lines: int) -> str:
    """Return the sound of a lock that clears a number of lines."""
    return LINE_CLEAR_EFFECTS[min(lines, len(LINE_CLEAR_EFFECTS)) - 1] if lines else "lock"


def get_move_sounds(
    previous: tuple[int, Placement | None], current: tuple[int, Placement | None], is_soft_drop: bool
) -> list[str]:
    """Return the sounds of a piece between two frames; falling by gravity is silent.

    `previous` and `current` are the number of the piece and its placement.
    """
    number, before = previous
    current_number, after = current
    if number != current_number or before is None or after is None:
        return []
    if before.rotation != after.rotation:
        return ["rotate"]
    if before.column != after.column:
        return ["move"]
    return ["step"] if before.row - after.row > (0 if is_soft_drop else 1) else []
