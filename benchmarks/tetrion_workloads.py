"""Workloads of Tetrion's engine that other benchmarks measure and compare."""

import time
from typing import NamedTuple

from tetrion.agents import load_weighted_agent
from tetrion.agents.weighted_agent import make_engine_agent
from tetrion.engine.batch_play import EngineSettings, make_games, play_drops_scalar, select_fastest_play
from tetrion.engine.compiler import CompiledFunction
from tetrion.engine.records import GameRecords
from tetrion.engine.rules import Rules

EngineEntry = CompiledFunction[[GameRecords, EngineSettings, int], int]


class Workload(NamedTuple):
    """An agent, rules, and the number of pieces that are played for a measurement."""

    agent: str
    rules: str
    pieces: int
    games: int = 1  # played one after another
    entry: EngineEntry | None = None  # default: the fastest for these settings

    def play_pieces(self, pieces: int) -> int:
        """Play up to a number of pieces; return how many were played."""
        settings = self.make_settings()
        return self.get_entry(settings)(make_games(self.games, 1), settings, pieces)

    def get_entry(self, settings: EngineSettings) -> EngineEntry:
        """Return the engine function that plays."""
        return self.entry or select_fastest_play(settings)

    def make_settings(self) -> EngineSettings:
        """Return the engine settings of the workload."""
        return EngineSettings.from_agents([make_engine_agent(load_weighted_agent(self.agent))], Rules.parse(self.rules))

    def measure_rate(self) -> float:
        """Return pieces per second of CPU time."""
        settings = self.make_settings()
        games = make_games(self.games, 1)
        play = self.get_entry(settings)
        play(games, settings, 1000)  # compile or load before measuring
        start = time.thread_time()
        return play(games, settings, self.pieces) / (time.thread_time() - start)


SCALAR = "scalar"
SIMD_LANES = "SIMD"
DEPTH_TWO = "depth 2"
WORKLOADS = {
    SCALAR: Workload("du", "standard", 500_000, entry=play_drops_scalar),
    SIMD_LANES: Workload("du", "standard", 4_000_000),
    DEPTH_TWO: Workload("du:depth=2", "standard:preview=1", 100_000),
}
