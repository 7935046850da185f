"""Agents that press keys in real time instead of choosing placements."""

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from tetrion.game import Game

KEYS_PER_SECOND = 60


@dataclass(frozen=True)
class RandomKeysAgent:
    """Random keys of those that the rules have, sixty a second, until the game is lost (Gavrilov 2023, section 7.1)."""

    name: str
    source: str = ""
    family: str = ""
    rules: str = ""  # that it was made for

    def play(self, game: Game, max_pieces: int, max_lines: int) -> None:
        """Play a game to its end, or until it has so many pieces or lines."""
        presses = self.press_keys(game)
        while not game.is_over and game.pieces < max_pieces and game.lines < max_lines:
            next(presses, None)

    def press_keys(self, game: Game) -> Iterator[None]:
        """Press a key and let a sixtieth of a second pass, each time that it is asked for more."""
        random, keys = Random(f"{game.seed}/{game.number}"), game.rules.keys.split("+")
        frames = max(round(game.rules.frames_per_second / KEYS_PER_SECOND), 1)
        while not game.is_over:
            game.press(random.choice(keys))
            game.tick(frames)
            yield
