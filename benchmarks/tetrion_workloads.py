"""The ways in which this engine plays that benchmarks compare with others and count."""

import time
from typing import NamedTuple

from tetrion.agents import load_weighted_agent
from tetrion.engine.batch_play import EngineSettings, GameRecords, make_games, play_drops_scalar, select_fastest_play
from tetrion.engine.compiler import CompiledFunction
from tetrion.engine.rules import Rules

EngineEntry = CompiledFunction[[GameRecords, EngineSettings, int], int]


class Workload(NamedTuple):
    """Who plays by which rules, and how much of it is played to measure it."""

    agent: str
    rules: str
    pieces: int
    games: int = 1  # of which none is played before the one ahead of it is over
    entry: EngineEntry | None = None  # of the engine; else the one by which such games are always played

    def play_pieces(self, pieces: int) -> int:
        """Play so many pieces, as far as the games last; tells how many were."""
        setting = self.make_setting()
        return self.get_entry(setting)(make_games(self.games, 1), setting, pieces)

    def get_entry(self, setting: EngineSettings) -> EngineEntry:
        """The entry of the engine that plays."""
        return self.entry or select_fastest_play(setting)

    def make_setting(self) -> EngineSettings:
        """What is played by."""
        return EngineSettings.from_agents([load_weighted_agent(self.agent).compile()], Rules.parse(self.rules))

    def measure_rate(self) -> float:
        """Pieces a second of the processor's time."""
        setting, games = self.make_setting(), make_games(self.games, 1)
        play = self.get_entry(setting)
        play(games, setting, 1000)  # compiled or loaded before the clock starts
        start = time.thread_time()
        return play(games, setting, self.pieces) / (time.thread_time() - start)


ONE_BY_ONE = "scalar"
SIMD_LANES = "SIMD"
TWO_PIECES = "depth 2"
WORKLOADS = {
    ONE_BY_ONE: Workload("du", "standard", 500_000, entry=play_drops_scalar),
    SIMD_LANES: Workload("du", "standard", 4_000_000),
    TWO_PIECES: Workload("du:depth=2", "standard:preview=1", 100_000),
}
RANDOM_WORKLOADS = {
    ONE_BY_ONE: Workload("random", "standard", 300_000, games=40_000, entry=play_drops_scalar),
    SIMD_LANES: Workload("random", "standard", 600_000, games=60_000),
}
