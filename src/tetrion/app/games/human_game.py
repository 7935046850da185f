"""A game of a human player: its goal and progress, and its animations and sounds."""

from functools import cache, partial
from itertools import count
from math import ceil
from typing import NamedTuple

from tetrion.app.games.game_tracker import GameTracker
from tetrion.app.games.human_rules import MARATHON, GameMode, KeyBindings
from tetrion.app.games.key_input import KeyInput
from tetrion.app.sound import LINE_CLEAR_EFFECTS
from tetrion.board import Placement
from tetrion.drawing.board_animation import BoardAnimator
from tetrion.engine.rules import Rules
from tetrion.engine.scoring import compute_level
from tetrion.evaluation.number_format import format_count, format_duration
from tetrion.game import Game
from tetrion.game_facts import ActionText
from tetrion.position import get_engine_settings


class GameProgress(NamedTuple):
    """The progress to the goal of a game or to its next level, in words and figures; `share` is from 0 to 1."""

    words: str
    figures: str
    share: float

    @classmethod
    def from_counts(cls, words: str, done: int, total: int) -> "GameProgress":
        """Return the progress after a number of lines or rows."""
        return cls(words, f"{done} / {total}", done / max(1, total))


@cache
def compute_level_progress(rules: Rules, lines: int) -> GameProgress | None:
    """Return the progress to the next level after a number of lines; None if the level is fixed."""
    if rules.level_system == "fixed":
        return None
    get_level = partial(compute_level, get_engine_settings(rules).rules[0])
    level = get_level(lines)
    first = next((number for number in range(lines, 0, -1) if get_level(number - 1) < level), 0)
    after = next(number for number in count(lines) if get_level(number) > level)
    words = f"{format_count(after - lines, 'line')} to level {level + 1}"
    return GameProgress.from_counts(words, lines - first, after - first)


class HumanGame:
    """A game of a human player; it may continue a replay, a game of an agent or a position."""

    def __init__(
        self,
        game: Game,
        keys: KeyBindings,
        has_animation: bool = True,
        *,
        mode: GameMode = MARATHON,
    ) -> None:
        self.game = game
        self.mode = mode
        self.is_started_by_human = not (game.placements_made or game.starts_from_position)
        self.tracker = GameTracker(game)
        self.key_input = KeyInput(game, keys)
        self.board_animator = BoardAnimator(has_animation)
        self.action = ActionText()
        self.is_saved = False
        self._partial_frames = 0.0
        self._first_piece = game.pieces
        self._first_score = 0 if game.placements_made else game.score
        if game.placements_made and not game.is_over:
            self.key_input.release_previous_keys()

    @property
    def current_piece(self) -> tuple[int, str]:
        """The number of the current piece, and its letter, which changes when hold is used."""
        return self.game.pieces, self.game.piece

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

    @property
    def is_goal_reached(self) -> bool:
        """Whether the goal of the mode is reached."""
        if self.mode.lines:
            return self.game.lines >= self.mode.lines
        if self.mode.seconds:
            return self._frames_left <= 0
        return self.mode.start_garbage > 0 and not self.game.position.garbage_height

    @property
    def is_finished(self) -> bool:
        """Whether the game has ended, by its rules or because its goal is reached."""
        return self.game.is_over or self.is_goal_reached

    @property
    def is_ranked(self) -> bool:
        """Whether the result belongs to the best ones: a time only if the goal is reached."""
        is_complete = self.is_goal_reached if self.mode.ranks_times else self.is_finished
        return is_complete and self.is_started_by_human

    @property
    def progress(self) -> GameProgress | None:
        """The progress to the goal or, without one, to the next level; None without levels."""
        game, mode = self.game, self.mode
        if mode.lines:
            left = max(0, mode.lines - game.lines)
            return GameProgress.from_counts(f"{format_count(left, 'line')} left", mode.lines - left, mode.lines)
        if mode.start_garbage:
            total, left = game.rules.start_garbage, game.position.garbage_height
            return GameProgress.from_counts(f"{format_count(left, 'row')} of garbage left", max(0, total - left), total)
        if mode.seconds:
            seconds = max(0.0, mode.seconds - self.seconds)
            words = f"{format_duration(ceil(seconds))} left"
            return GameProgress(words, f"of {format_duration(mode.seconds)}", 1 - seconds / mode.seconds)
        return compute_level_progress(game.rules, game.lines)

    def update(self, seconds: float) -> list[str]:
        """Advance the game by `seconds` and apply the pressed keys; return the names of the sounds to play."""
        game = self.game
        was_finished, level = self.is_finished, game.level
        number, before = game.pieces, game.falling_piece
        self._advance_clock(seconds)
        self.key_input.apply_keys(lambda: self.is_finished)
        self.update_animation(seconds)
        sounds = []
        for lock in self.tracker.process_new_locks():
            self.board_animator.add_lock(lock)
            self.action.add_lock(lock, game.position)
            sounds.append(get_lock_sound(lock.lines))
        self.board_animator.track_piece(game.falling_piece, game.pieces)
        if number == game.pieces and before and game.falling_piece:
            sounds += get_move_sounds(before, game.falling_piece, self.key_input.is_held("down"))
        if game.level > level:
            sounds.append("level")
        if self.is_finished and not was_finished:
            sounds.append("over" if game.is_over else "level")
        return sounds

    def _advance_clock(self, seconds: float) -> None:
        """Let time pass, but not after the game is finished."""
        self._partial_frames += seconds * self.game.rules.frames_per_second
        frames = int(self._partial_frames)
        self._partial_frames -= frames
        while frames > 0 and not self.is_finished:
            step = min(frames, self._frames_left) if self.mode.seconds else frames
            frames -= self.game.tick_until_lock(step)

    @property
    def _frames_left(self) -> int:
        """The frames until the time limit."""
        return round(self.mode.seconds * self.game.rules.frames_per_second) - self.game.frames

    def update_animation(self, seconds: float) -> None:
        """Advance the animations alone by `seconds`."""
        self.board_animator.update(seconds)
        self.action.update(seconds)


def get_lock_sound(lines: int) -> str:
    """Return the sound of a lock that clears a number of lines."""
    return LINE_CLEAR_EFFECTS[min(lines, len(LINE_CLEAR_EFFECTS)) - 1] if lines else "lock"


def get_move_sounds(before: Placement, after: Placement, is_soft_drop: bool) -> list[str]:
    """Return the sounds of a piece between two frames; falling by gravity is silent."""
    if before.rotation != after.rotation:
        return ["rotate"]
    if before.column != after.column:
        return ["move"]
    return ["step"] if before.row - after.row > (0 if is_soft_drop else 1) else []
