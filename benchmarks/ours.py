"""The ways in which this engine plays that benchmarks compare with others and count."""

import time
from typing import NamedTuple

from tetrion.agents import data_agent
from tetrion.engine.compiler import Entry
from tetrion.engine.play import Games, Setting, fastest, new_games, play_one_by_one
from tetrion.engine.rules import Rules

Play = Entry[[Games, Setting, int], int]


class Way(NamedTuple):
    """Who plays by which rules, and how much of it is played to measure it."""

    agent: str
    rules: str
    pieces: int
    games: int = 1  # of which none is played before the one ahead of it is over
    entry: Play | None = None  # of the engine; else the one by which such games are always played

    def played(self, pieces: int) -> int:
        """Play so many pieces, as far as the games last; tells how many were."""
        setting = self.setting()
        return self.play(setting)(new_games(self.games, 1), setting, pieces)

    def play(self, setting: Setting) -> Play:
        """The entry of the engine that plays."""
        return self.entry or fastest(setting)

    def setting(self) -> Setting:
        """What is played by."""
        return Setting.of([data_agent(self.agent).compiled()], Rules.parse(self.rules))

    def rate(self) -> float:
        """Pieces a second of the processor's time."""
        setting, games = self.setting(), new_games(self.games, 1)
        play = self.play(setting)
        play(games, setting, 1000)  # compiled or loaded before the clock starts
        start = time.thread_time()
        return play(games, setting, self.pieces) / (time.thread_time() - start)


ONE, LANES, TWO = "one placement after another", "sixteen lanes", "two pieces"
WAYS = {
    ONE: Way("du", "standard", 500_000, entry=play_one_by_one),
    LANES: Way("du", "standard", 4_000_000),
    TWO: Way("du:depth=2", "standard:preview=1", 100_000),
}
BY_LOT = {
    ONE: Way("random", "standard", 300_000, games=40_000, entry=play_one_by_one),
    LANES: Way("random", "standard", 600_000, games=60_000),
}
