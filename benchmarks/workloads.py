"""Workloads that other benchmarks measure and compare: games of the engine, and Gymnasium environments.

An environment plays random legal placements, with observations and masks at every step.
"""

import time
from typing import Any, NamedTuple

import gymnasium

import tetrion.envs  # noqa: F401 -- registers the environments
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


GAMES_AT_ONCE = 1024
WARM_UP_CALLS = 20
CALLS_PER_CHECK = 20  # calls of `step` between two looks at the clock


class EnvironmentWorkload(NamedTuple):
    """An environment, its options, and the number of games: 0 for a single environment."""

    description: str
    environment_id: str
    games: int
    options: dict[str, Any]

    def measure_rate(self, seconds: float) -> float:
        """Return placements per second of CPU time, measured for a number of seconds of it."""
        play = self.make_player()
        for _ in range(WARM_UP_CALLS):
            play()
        placed = 0
        start = time.process_time()
        while time.process_time() - start < seconds:
            for _ in range(CALLS_PER_CHECK):
                placed += play()
        return placed / (time.process_time() - start)

    def make_player(self) -> Any:
        """Return a function that takes one step and returns the number of placed pieces."""
        return self.make_vector_player() if self.games else self.make_single_player()

    def make_vector_player(self) -> Any:
        """Return a player of all games at once; a step that starts a new game places no piece."""
        envs: Any = gymnasium.make_vec(
            self.environment_id,
            num_envs=self.games,
            vectorization_mode="vector_entry_point",
            **self.options,
        )
        envs.reset(seed=1)
        ended = 0

        def play() -> int:
            nonlocal ended
            placed = self.games - ended
            _, _, is_terminated, is_truncated, _ = envs.step(envs.sample_actions())
            ended = int((is_terminated | is_truncated).sum())
            return placed

        return play

    def make_single_player(self) -> Any:
        """Return a player of one game, with Gymnasium's usual wrappers."""
        env = gymnasium.make(self.environment_id, **self.options)
        sampler: Any = env.unwrapped
        env.reset(seed=1)

        def play() -> int:
            _, _, is_terminated, is_truncated, _ = env.step(sampler.sample_action())
            if is_terminated or is_truncated:
                env.reset()
            return 1

        return play


VECTOR_ENVIRONMENT = "vector environment"
_AT_ONCE = f"random placements, {GAMES_AT_ONCE:,} games at once"
REACH_RULES = "standard:movement=reach"
MODERN_RULES = "guideline"
ENVIRONMENT_WORKLOADS = {
    VECTOR_ENVIRONMENT: EnvironmentWorkload(_AT_ONCE, "tetrion/Placement-v0", GAMES_AT_ONCE, {}),
    f"{VECTOR_ENVIRONMENT}, all reachable placements": EnvironmentWorkload(
        _AT_ONCE, "tetrion/Placement-v0", GAMES_AT_ONCE, {"rules": REACH_RULES}
    ),
    f"{VECTOR_ENVIRONMENT}, modern rules": EnvironmentWorkload(
        f"{_AT_ONCE}, with hold and spins", "tetrion/Placement-v0", GAMES_AT_ONCE, {"rules": MODERN_RULES}
    ),
    f"{VECTOR_ENVIRONMENT}, afterstates": EnvironmentWorkload(
        f"{_AT_ONCE}, boards after all placements", "tetrion/Afterstates-v0", GAMES_AT_ONCE, {"observation": "planes"}
    ),
    "one environment": EnvironmentWorkload("random placements", "tetrion/Placement-v0", 0, {}),
    "one environment, all reachable placements": EnvironmentWorkload(
        "random placements", "tetrion/Placement-v0", 0, {"rules": REACH_RULES}
    ),
    "one environment, modern rules": EnvironmentWorkload(
        "random placements, with hold and spins", "tetrion/Placement-v0", 0, {"rules": MODERN_RULES}
    ),
    "one environment, afterstates": EnvironmentWorkload(
        "random placements, boards after all placements", "tetrion/Afterstates-v0", 0, {"observation": "planes"}
    ),
}
