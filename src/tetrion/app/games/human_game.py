"""A game of a human player in the window: the events of its keys, its animations and its sounds."""

import pygame

from tetrion.app.games.human_rules import MARATHON, GameMode, KeyBindings
from tetrion.app.games.played_game import ActionQueue, PlayedGame
from tetrion.app.sound import LINE_CLEAR_EFFECTS
from tetrion.app.toolkit.ui import get_named_key_code
from tetrion.board import Placement
from tetrion.drawing.board_animation import BoardAnimator
from tetrion.engine.records import GAME_KEYS
from tetrion.game import Game


def is_key_of_action(event: pygame.event.Event, keys: KeyBindings, action: str) -> bool:
    """Return whether an event presses one of the keys of an action."""
    return event.type == pygame.KEYDOWN and event.key in [get_named_key_code(name) for name in keys[action]]


class HeldKeyFilter:
    """Ignores the keys that are down when a game is paused or over, until they are released.

    Keys that are pressed within `delay` seconds after `begin`, or after the last key that was ignored for this reason,
    are ignored too: they were still intended for the game.
    """

    def __init__(self) -> None:
        self._down_keys: set[int] = set()
        self._ignored_keys: set[int] = set()
        self._seconds_left = 0.0
        self._delay = 0.0

    def begin(self, delay: float = 0.0) -> None:
        """Ignore all keys that are down now."""
        self._ignored_keys = set(self._down_keys)
        self._seconds_left = delay
        self._delay = delay

    def end(self) -> None:
        """Ignore no key any more."""
        self._ignored_keys.clear()
        self._seconds_left = 0.0

    def update(self, seconds: float) -> None:
        """Advance by `seconds`."""
        self._seconds_left -= seconds

    def handle_event(self, event: pygame.event.Event) -> bool:
        """Track the keys that are down; return whether the event must be ignored."""
        if event.type == pygame.KEYUP:
            self._down_keys.discard(event.key)
            self._ignored_keys.discard(event.key)
        elif event.type == pygame.KEYDOWN:
            self._down_keys.add(event.key)
            if self._seconds_left > 0:
                self._ignored_keys.add(event.key)
                self._seconds_left = self._delay
            return event.key in self._ignored_keys
        return False

    def release_all(self) -> None:
        """Forget all keys, when the window loses the focus and is not notified of releases."""
        self._down_keys.clear()
        self._ignored_keys.clear()


class KeyInput(ActionQueue):
    """The keys of a human player as events of pygame."""

    def __init__(self, game: Game, keys: KeyBindings) -> None:
        super().__init__(game, {get_named_key_code(name): action for action in GAME_KEYS for name in keys[action]})

    def handle_event(self, event: pygame.event.Event) -> bool:
        """Queue a pressed or released key; return whether it is a game key, even if these rules do not use it."""
        if event.type not in (pygame.KEYDOWN, pygame.KEYUP):
            return False
        return self.handle_key(event.key, event.type == pygame.KEYDOWN)

    def is_game_key(self, event: pygame.event.Event) -> bool:
        """Return whether a key event belongs to a game key, without queueing it."""
        return event.key in self.actions_by_key


class HumanGame(PlayedGame):
    """A game of a human player with keys of pygame, animations and sounds."""

    def __init__(self, game: Game, keys: KeyBindings, has_animation: bool = True, *, mode: GameMode = MARATHON) -> None:
        self.key_input = KeyInput(game, keys)
        super().__init__(game, self.key_input, mode)
        self.board_animator = BoardAnimator(has_animation)

    def update(self, seconds: float) -> list[str]:
        """Advance the game by `seconds` and apply the pressed keys; return the names of the sounds to play."""
        game = self.game
        was_finished, level = self.is_finished, game.level
        number, before = game.pieces, game.falling_piece
        locks = self.advance(seconds)
        self.board_animator.update(seconds)
        for lock in locks:
            self.board_animator.add_lock(lock)
        sounds = [get_lock_sound(lock.lines) for lock in locks]
        self.board_animator.track_piece(game.falling_piece, game.pieces)
        if number == game.pieces and before and game.falling_piece:
            sounds += get_move_sounds(before, game.falling_piece, self.key_input.is_held("down"))
        if game.level > level:
            sounds.append("level")
        if self.is_finished and not was_finished:
            sounds.append("over" if game.is_over else "level")
        return sounds

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
