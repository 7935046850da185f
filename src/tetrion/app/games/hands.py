"""A person's hands at a game: which keys they use, what is held, and in which order it reaches the engine."""

from collections.abc import Mapping

import pygame

from tetrion.engine.motion import KEYS
from tetrion.game import Game

HELD = ("left", "right", "down")  # keys that the rules may repeat; the others act once


class Hands:
    """What a person does with a game. Keys are done when the time of their frame has passed, in their order."""

    def __init__(self, game: Game, keys: Mapping[str, str]) -> None:
        self.game = game
        there = game.rules.keys.split("+")
        self._actions = {pygame.key.key_code(keys[action]): action for action in KEYS}
        self._there = {action for action in KEYS if action in there}
        self._held: set[str] = set()
        self._waiting: list[tuple[bool, str]] = []

    def hear(self, event: pygame.event.Event) -> bool:
        """Note a key that goes down or up; tells whether it is one for a game, of these rules or others."""
        if event.type not in (pygame.KEYDOWN, pygame.KEYUP):
            return False
        action = self._actions.get(event.key, "")
        if action in self._there:
            self._waiting.append((event.type == pygame.KEYDOWN, action))
        return bool(action)

    def holds(self, action: str) -> bool:
        """Whether a key is held."""
        return action in self._held

    def knows(self, event: pygame.event.Event) -> bool:
        """Whether a key is one for a game, without hearing it."""
        return event.key in self._actions

    def update(self, seconds: float) -> None:
        """Let time pass in the game, then do what was pressed meanwhile."""
        self.game.advance(seconds)
        waiting, self._waiting = self._waiting, []
        for down, action in waiting:
            if self.game.over:
                return
            if down:
                self._press(action)
            else:
                self._release(action)

    def let_go(self) -> None:
        """Release everything, as somebody does who pauses."""
        self._waiting.clear()
        for action in sorted(self._held):
            self._release(action)

    def take_over(self) -> None:
        """Release what whoever played before may have held."""
        for action in HELD:
            if action in self._there:
                self.game.release(action)

    def _press(self, action: str) -> None:
        if action not in HELD:
            self.game.press(action)
        elif action not in self._held:
            self._held.add(action)
            self.game.hold(action)

    def _release(self, action: str) -> None:
        if action in self._held:
            self._held.discard(action)
            self.game.release(action)
