"""Keyboard input of a game: the key of each action, held keys, and the order in which they reach the engine."""

from collections.abc import Mapping

import pygame

from tetrion.engine.piece_motion import GAME_KEYS
from tetrion.game import Game

_REPEATING_ACTIONS = ("left", "right", "down")  # held keys that the rules may repeat; the others act once


class KeyInput:
    """Applies the keys of a human player to a game, in their order, at the end of each frame."""

    def __init__(self, game: Game, keys: Mapping[str, str]) -> None:
        self.game = game
        allowed = game.rules.keys.split("+")
        self._actions_by_key = {pygame.key.key_code(keys[action]): action for action in GAME_KEYS}
        self._allowed_actions = {action for action in GAME_KEYS if action in allowed}
        self._held_actions: set[str] = set()
        self._pending_events: list[tuple[bool, str]] = []

    def handle_event(self, event: pygame.event.Event) -> bool:
        """Queue a pressed or released key; return whether it is a game key, even if these rules do not use it."""
        if event.type not in (pygame.KEYDOWN, pygame.KEYUP):
            return False
        action = self._actions_by_key.get(event.key, "")
        if action in self._allowed_actions:
            self._pending_events.append((event.type == pygame.KEYDOWN, action))
        return bool(action)

    def is_held(self, action: str) -> bool:
        """Return whether the key of an action is held."""
        return action in self._held_actions

    def is_game_key(self, event: pygame.event.Event) -> bool:
        """Return whether a key event belongs to a game key, without queueing it."""
        return event.key in self._actions_by_key

    def update(self, seconds: float) -> None:
        """Advance the game by `seconds`, then apply the queued keys."""
        self.game.advance(seconds)
        events = self._pending_events
        self._pending_events = []
        for is_pressed, action in events:
            if self.game.is_over:
                return
            if is_pressed:
                self._press(action)
            else:
                self._release(action)

    def release_all(self) -> None:
        """Release all keys and discard the queue, for a pause."""
        self._pending_events.clear()
        for action in sorted(self._held_actions):
            self._release(action)

    def release_previous_keys(self) -> None:
        """Release the keys that were held in the earlier part of a resumed game."""
        for action in _REPEATING_ACTIONS:
            if action in self._allowed_actions:
                self.game.key_up(action)

    def _press(self, action: str) -> None:
        if action not in _REPEATING_ACTIONS:
            self.game.press(action)
        elif action not in self._held_actions:
            self._held_actions.add(action)
            self.game.key_down(action)

    def _release(self, action: str) -> None:
        if action in self._held_actions:
            self._held_actions.discard(action)
            self.game.key_up(action)
