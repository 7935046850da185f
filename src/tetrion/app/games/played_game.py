"""A game of a human player without any display: its keys, its goal and progress, and its result in words.

The window and the terminal play the same game. Nothing here imports pygame.
"""

from collections.abc import Callable, Mapping
from functools import cache, partial
from itertools import count
from math import ceil
from typing import Any, NamedTuple

from tetrion.app.games.game_tracker import GameTracker
from tetrion.app.games.human_rules import MARATHON, GameMode
from tetrion.engine.rules import Rules
from tetrion.engine.scoring import compute_level
from tetrion.evaluation.number_format import format_count, format_duration
from tetrion.game import Game, tick_until_lock
from tetrion.game_facts import ActionText, describe_end
from tetrion.position import get_engine_settings
from tetrion.stack import LockedPiece

GAME_OVER_KEY_DELAY = 0.5  # seconds after the end of a game in which key presses are ignored
_GO_SECONDS = 0.5  # at the end of a countdown
COUNTDOWN_SECONDS = 1.5  # before the clock of a game against time or an agent starts
_REPEATING_ACTIONS = ("left", "right", "down")  # held keys that the rules may repeat; the others act once
_ROTATIONS = ("rotate", "back", "half")


class ActionQueue:
    """Queues the keys of a human player and applies them to a game in their order.

    An action with several keys is held as long as one of them is down. `actions_by_key` has the action of each key, in
    whatever form the input device names its keys.
    """

    def __init__(self, game: Game, actions_by_key: Mapping[Any, str]) -> None:
        self.game = game
        self.actions_by_key = actions_by_key
        rules = game.rules
        self._allowed_actions = rules.keys
        holdable = [*_REPEATING_ACTIONS, *(_ROTATIONS if rules.initial_rotation else ())]
        holdable += ["hold"] if rules.initial_hold else []
        self._holdable_actions = [action for action in holdable if action in self._allowed_actions]
        self._held_actions: set[str] = set()
        self._down_keys: set[Any] = set()
        self._pending_events: list[tuple[bool, str]] = []

    def handle_key(self, key: object, is_pressed: bool) -> bool:
        """Queue a pressed or released key; return whether it is a game key, even if these rules do not use it."""
        action = self.actions_by_key.get(key, "")
        if action in self._allowed_actions:
            (self._down_keys.add if is_pressed else self._down_keys.discard)(key)
            if is_pressed or not any(self.actions_by_key[other] == action for other in self._down_keys):
                self._pending_events.append((is_pressed, action))
        return bool(action)

    def is_held(self, action: str) -> bool:
        """Return whether the key of an action is held."""
        return action in self._held_actions

    def apply_keys(self, is_finished: Callable[[], bool]) -> None:
        """Apply the queued keys until the game is finished."""
        events = self._pending_events
        self._pending_events = []
        for is_pressed, action in events:
            if is_finished():
                return
            if is_pressed:
                self._press(action)
            else:
                self._release(action)

    def release_all(self) -> None:
        """Release all keys and discard the queue, for a pause."""
        self._pending_events.clear()
        self._down_keys.clear()
        for action in sorted(self._held_actions):
            self._release(action)

    def release_previous_keys(self) -> None:
        """Release the keys that were held in the earlier part of a resumed game."""
        for action in self._holdable_actions:
            self.game.key_up(action)

    def _press(self, action: str) -> None:
        if action in self._holdable_actions and action not in self._held_actions:
            self._held_actions.add(action)
            self.game.key_down(action)
        elif action not in _REPEATING_ACTIONS:
            self.game.press(action)

    def _release(self, action: str) -> None:
        if action in self._held_actions:
            self._held_actions.discard(action)
            self.game.key_up(action)


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


class PlayedGame:
    """A game of a human player; it may continue a replay, a game of an agent or a position."""

    def __init__(self, game: Game, queue: ActionQueue, mode: GameMode = MARATHON) -> None:
        self.game = game
        self.mode = mode
        self.is_started_by_human = not (game.placements_made or game.starts_from_position)
        self.tracker = GameTracker(game)
        self._queue = queue
        self.action = ActionText()
        self.is_saved = False
        self.has_given_seed = False
        self.has_used_hints = False
        self._partial_frames = 0.0
        self._first_piece = game.pieces
        self._first_score = 0 if game.placements_made else game.score
        if game.placements_made and not game.is_over:
            queue.release_previous_keys()

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
        return is_complete and not self.reason_without_rank

    @property
    def reason_without_rank(self) -> str:
        """The reason why the result cannot be among the best ones, in a sentence; empty if it can."""
        if not self.is_started_by_human:
            return "A continued game does not count as a best score."
        if self.mode.ranks_times and self.has_used_hints:
            return "A race with hints does not count as a best time."
        if self.mode.ranks_times and self.has_given_seed:
            return "A race with a given seed does not count as a best time."
        return ""

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

    def advance(self, seconds: float) -> list[LockedPiece]:
        """Advance the game by `seconds` and apply the pressed keys; return the pieces that have locked."""
        self._advance_clock(seconds)
        self._queue.apply_keys(lambda: self.is_finished)
        self.action.update(seconds)
        locks = self.tracker.process_new_locks()
        for lock in locks:
            self.action.add_lock(lock, self.game.position)
        return locks

    def _advance_clock(self, seconds: float) -> None:
        """Let time pass, but not after the game is finished."""
        self._partial_frames += seconds * self.game.rules.frames_per_second
        frames = int(self._partial_frames)
        self._partial_frames -= frames
        while frames > 0 and not self.is_finished:
            step = min(frames, self._frames_left) if self.mode.seconds else frames
            frames -= tick_until_lock(self.game, step)

    @property
    def _frames_left(self) -> int:
        """The frames until the time limit."""
        return round(self.mode.seconds * self.game.rules.frames_per_second) - self.game.frames


def describe_result(played_game: PlayedGame, rank: int) -> list[str]:
    """Return why a game has ended, its result, and its rank among the best."""
    game, mode = played_game.game, played_game.mode
    progress = played_game.progress
    if mode.ranks_times and progress and not played_game.is_goal_reached:
        return [describe_end(game), f"{mode.label} not finished: {progress.words}"]
    if mode.ranks_times:
        kind, result = "time", f"{format_time(played_game.seconds)}, {format_count(game.pieces, 'piece')}"
    else:
        kind, result = "game", f"{format_count(game.lines, 'line')}, {format_count(game.score, 'point')}"
    rank_text = f"Your best {kind}" if rank == 1 else f"Rank {rank} of your best {kind}s"
    return [describe_end(game), result, rank_text if rank else played_game.reason_without_rank]


def get_countdown_seconds(mode: GameMode) -> float:
    """Return the duration of the countdown before a game of a mode; 0 without a goal."""
    return 0.0 if mode is MARATHON else COUNTDOWN_SECONDS


def get_countdown_text(seconds_left: float) -> str:
    """Return the word that a countdown shows, or "" after its end."""
    return "Ready" if seconds_left > _GO_SECONDS else "Go" if seconds_left > 0 else ""


def format_time(seconds: float, decimals: int = 2) -> str:
    """Return a time as "0:58.31", rounded down."""
    units = 10**decimals
    minutes, rest = divmod(int(seconds * units + 1e-6), 60 * units)
    return f"{minutes}:{rest // units:02}.{rest % units:0{decimals}}"
