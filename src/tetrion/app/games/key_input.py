"""Input of a human player: the keys of each action, held keys, and the order in which they reach the engine."""

from collections.abc import Callable

import pygame

from tetrion.app.games.human_rules import KeyBindings
from tetrion.app.toolkit.ui import get_named_key_code
from tetrion.engine.records import GAME_KEYS
from tetrion.game import Game

GAME_OVER_KEY_DELAY = 0.5  # seconds after the end of a game in which key presses are ignored
_REPEATING_ACTIONS = ("left", "right", "down")  # held keys that the rules may repeat; the others act once
_ROTATIONS = ("rotate", "back", "half")


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


class KeyInput:
    """Queues the keys of a human player and applies them to a game in their order.

    An action with several keys is held as long as one of them is down.
    """

    def __init__(self, game: Game, keys: KeyBindings) -> None:
        self.game = game
        rules = game.rules
        self._allowed_actions = rules.keys.split("+")
        self._actions_by_key = {get_named_key_code(name): action for action in GAME_KEYS for name in keys[action]}
        holdable = [*_REPEATING_ACTIONS, *(_ROTATIONS if rules.initial_rotation else ())]
        holdable += ["hold"] if rules.initial_hold else []
        self._holdable_actions = [action for action in holdable if action in self._allowed_actions]
        self._held_actions: set[str] = set()
        self._down_keys: set[int] = set()
        self._pending_events: list[tuple[bool, str]] = []

    def handle_event(self, event: pygame.event.Event) -> bool:
        """Queue a pressed or released key; return whether it is a game key, even if these rules do not use it."""
        if event.type not in (pygame.KEYDOWN, pygame.KEYUP):
            return False
        action = self._actions_by_key.get(event.key, "")
        if action in self._allowed_actions:
            is_pressed = event.type == pygame.KEYDOWN
            (self._down_keys.add if is_pressed else self._down_keys.discard)(event.key)
            if is_pressed or not any(self._actions_by_key[other] == action for other in self._down_keys):
                self._pending_events.append((is_pressed, action))
        return bool(action)

    def is_held(self, action: str) -> bool:
        """Return whether the key of an action is held."""
        return action in self._held_actions

    def is_game_key(self, event: pygame.event.Event) -> bool:
        """Return whether a key event belongs to a game key, without queueing it."""
        return event.key in self._actions_by_key

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
