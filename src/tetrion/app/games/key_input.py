"""A person's hands at a game: which keys they use, what is held, and in which order it reaches the engine."""

from collections.abc import Mapping

import pygame

from tetrion.engine.piece_motion import GAME_KEYS
from tetrion.game import Game

_REPEATING_ACTIONS = ("left", "right", "down")  # keys that the rules may repeat; the others act once


class KeyInput:
    """What a person does with a game. Keys are done when the time of their frame has passed, in their order."""

    def __init__(self, game: Game, keys: Mapping[str, str]) -> None:
        self.game = game
        there = game.rules.keys.split("+")
        self._actions_by_key = {pygame.key.key_code(keys[action]): action for action in GAME_KEYS}
        self._allowed_actions = {action for action in GAME_KEYS if action in there}
        self._held_actions: set[str] = set()
        self._pending_events: list[tuple[bool, str]] = []

    def handle_event(self, event: pygame.event.Event) -> bool:
        """Note a key that goes down or up; tells whether it is one for a game, of these rules or others."""
        if event.type not in (pygame.KEYDOWN, pygame.KEYUP):
            return False
        action = self._actions_by_key.get(event.key, "")
        if action in self._allowed_actions:
            self._pending_events.append((event.type == pygame.KEYDOWN, action))
        return bool(action)

    def is_held(self, action: str) -> bool:
        """Whether a key is held."""
        return action in self._held_actions

    def is_game_key(self, event: pygame.event.Event) -> bool:
        """Whether a key is one for a game, without hearing it."""
        return event.key in self._actions_by_key

    def update(self, seconds: float) -> None:
        """Let time pass in the game, then do what was pressed meanwhile."""
        self.game.advance(seconds)
        waiting, self._pending_events = self._pending_events, []
        for down, action in waiting:
            if self.game.is_over:
                return
            if down:
                self._press(action)
            else:
                self._release(action)

    def release_all(self) -> None:
        """Release everything, as somebody does who pauses."""
        self._pending_events.clear()
        for action in sorted(self._held_actions):
            self._release(action)

    def release_previous_keys(self) -> None:
        """Release what whoever played before may have held."""
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
