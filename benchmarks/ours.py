"""The ways in which this engine plays that benchmarks compare with others and count."""

import time
from typing import NamedTuple

from tetrion.agents import data_agent
from tetrion.engine.compiler import Entry
from tetrion.engine.play import Games, Setting, new_games, play_ahead, play_on_lanes, play_one_by_one
from tetrion.engine.rules import Rules


class Way(NamedTuple):
    """An entry of the engine, who plays by which rules, and how much of it is played to measure it."""

    play: Entry[[Games, Setting, int], int]
    agent: str
    rules: str
    pieces: int
    games: int = 1  # of which none is played before the one ahead of it is over

    def played(self, pieces: int) -> int:
        """Play so many pieces, as far as the games last; tells how many were."""
        return self.play(new_games(self.games, 1), self.setting(), pieces)

    def setting(self) -> Setting:
        """What is played by."""
        return Setting.of([data_agent(self.agent).compiled()], Rules.parse(self.rules))

    def rate(self) -> float:
        """Pieces a second of the processor's time."""
        setting, games = self.setting(), new_games(self.games, 1)
        self.play(games, setting, 1000)  # compiled or loaded before the clock starts
        start = time.thread_time()
        return self.play(games, setting, self.pieces) / (time.thread_time() - start)


ONE, LANES, TWO = "one placement after another", "sixteen lanes", "two pieces"
WAYS = {
    ONE: Way(play_one_by_one, "du", "standard", 500_000),
    LANES: Way(play_on_lanes, "du", "standard", 4_000_000),
    TWO: Way(play_ahead, "du:depth=2", "standard:preview=1", 100_000),
}
BY_LOT = {
    ONE: Way(play_one_by_one, "random", "standard", 300_000, games=40_000),
    LANES: Way(play_on_lanes, "random", "standard", 600_000, games=60_000),
}
