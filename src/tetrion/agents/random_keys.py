"""An agent that presses random keys in real time instead of choosing placements."""

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from tetrion.game import Game

KEYS_PER_SECOND = 60


@dataclass(frozen=True)
class RandomKeysAgent:
    """An agent that presses sixty random keys per second until the game is lost (Gavrilov 2023, section 7.1)."""

    name: str
    source: str = ""
    family: str = ""
    rules: str = ""  # the rules that the agent was designed for

    def play(self, game: Game, max_pieces: int, max_lines: int) -> None:
        """Play a game until it is over or has reached `max_pieces` pieces or `max_lines` lines."""
        presses = self.press_keys(game)
        while not game.is_over and game.pieces < max_pieces and game.lines < max_lines:
            next(presses, None)

    def press_keys(self, game: Game) -> Iterator[None]:
        """Press a random key and advance the game by a sixtieth of a second at each step of the iterator."""
        random = Random(f"{game.seed}/{game.number}")
        keys = game.rules.keys.split("+")
        frames = max(round(game.rules.frames_per_second / KEYS_PER_SECOND), 1)
        while not game.is_over:
            game.press(random.choice(keys))
            game.tick(frames)
            yield
