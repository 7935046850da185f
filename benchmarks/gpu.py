"""GPU compared with CPU: identical games, and pieces per second.

python -m benchmarks.gpu [--games 100000] [--json FILE]
"""

import platform
import time
from collections.abc import Iterator
from typing import Any
from unittest.mock import patch

import numpy as np

from benchmarks.common import make_parser, make_result, save_result
from tetrion.agents import AGENTS, WeightedAgent, load_weighted_agent
from tetrion.agents.weighted_agent import make_engine_agent
from tetrion.engine.agent_records import EngineAgent, EngineAgentOrTerms
from tetrion.engine.batch_play import EngineSettings, make_games
from tetrion.engine.feature_registry import FEATURES
from tetrion.engine.gpu import play
from tetrion.engine.local_evaluation import LOCAL_FEATURES
from tetrion.engine.records import GameRecords
from tetrion.engine.rules import Rules
from tetrion.evaluation import evaluate, open_gpu, start_threads

RULES = (
    "standard",
    "standard-10x10:randomiser=bag",
    "standard:randomiser=nes",
    "gavrilov",
    "becker",
    "hindi",
    "tetrais",
)

ALWAYS_SHARED = 10**9  # threshold above any number of games
MAX_PIECES = 250_000  # cap of Dellacherie's games, which last about 15 million pieces


def make_test_agents() -> list[EngineAgentOrTerms]:
    """Return all named agents of depth 1, and agents that use all features, including tables."""
    random = np.random.default_rng(1)
    named = [agent for agent in AGENTS.values() if isinstance(agent, WeightedAgent)]
    agents: list[EngineAgentOrTerms] = [
        make_engine_agent(agent)
        for agent in named
        if agent.depth == 1 and not agent.expect and agent.family != "modern"
    ]
    for removes_rows in (True, False):
        weights = {name: float(random.normal()) / feature.max_value for name, feature in FEATURES.items()}
        table = np.linspace(1, -1, 541).tolist()
        agents.append(({**weights, **load_weighted_agent("du").weights}, removes_rows))
        agents.append((weights | {"holes": [0.0, -1.0, -3.0], "holes_change": table}, removes_rows))
    return agents


def make_local_agents() -> list[EngineAgentOrTerms]:
    """Return agents with local evaluation: named ones, and some with small weights, which produce ties."""
    random = np.random.default_rng(2)
    named = [make_engine_agent(load_weighted_agent(name)) for name in ("du", "dellacherie", "el-tetris")]
    small = [{name: float(random.integers(-4, 5)) or 1.0 for name in LOCAL_FEATURES} for _ in range(6)]
    return [*named, *((weights, number % 2 == 0) for number, weights in enumerate(small))]


def make_pattern_agents() -> list[EngineAgentOrTerms]:
    """Return agents with patterns only, whose tables a GPU stores in 16 bits."""
    return [make_engine_agent(load_weighted_agent(name)) for name in ("tetrion-1", "tetrion-1-10x10")]


def make_depth_two_agents(agents: list[EngineAgentOrTerms]) -> list[EngineAgentOrTerms]:
    """Return the agents with depth 2."""
    return [EngineAgent(*agent)._replace(depth=2) for agent in agents]


def generate_cases() -> Iterator[tuple[list[EngineAgentOrTerms], Rules, int, int]]:
    """Yield agents, rules, the limit of shared games and the piece limit; all kernels play under all rules."""
    for rules in map(Rules.parse, RULES):
        with_preview = rules.replace(preview=1)
        yield make_test_agents(), rules, 0, 1000
        yield make_pattern_agents(), rules, 0, 1000
        yield make_local_agents(), rules, 0, 1000
        yield make_local_agents(), rules, ALWAYS_SHARED, 1000
        yield make_depth_two_agents(make_local_agents()), with_preview, 0, 200
        yield make_depth_two_agents(make_test_agents()), with_preview, 0, 50


def compare_with_cpu(games: int) -> dict[str, int]:
    """Play the same games on both devices, under rules with hard drops only, and count the differences."""
    result = {"games": 0, "pieces": 0, "different_games": 0}
    cases = list(generate_cases())
    for number, (agents, rules, max_shared_games, pieces) in enumerate(cases):
        settings = EngineSettings.from_agents(agents, rules, max_pieces=pieces)
        count = -(-games // len(cases))
        cpu_games = make_games(count, 3, number * count)
        gpu_games = cpu_games.copy()
        cpu_games["agent"] = gpu_games["agent"] = np.arange(count) % len(agents)
        with start_threads() as threads, patch.object(play, "MAX_SHARED_GAMES", max_shared_games):
            threads.play(cpu_games, settings)
            open_gpu().play(gpu_games, settings)
        result["games"] += count
        result["pieces"] += int(cpu_games["pieces"].sum())
        result["different_games"] += int((cpu_games != gpu_games).sum())
    return result


def measure_speed(games: int, seconds: float, agent: WeightedAgent, rules: str) -> dict[str, float]:
    """Measure pieces per second, including the copies of intermediate results to the CPU."""
    settings = EngineSettings.from_agents([make_engine_agent(agent)], Rules.parse(rules))
    open_gpu().prepare(settings)
    batch = make_games(games, 5)
    workers = open_gpu()
    start = time.perf_counter()

    def stop_in_time(games_so_far: GameRecords) -> None:
        if time.perf_counter() - start > seconds:
            raise KeyboardInterrupt

    workers.play(batch, settings, stop_in_time)
    return {"games": games, "pieces_per_second": int(batch["pieces"].sum()) / (time.perf_counter() - start)}


def measure_mean(precision: float) -> dict[str, Any]:
    """Measure Dellacherie's lines on 10×20 to a precision, in capped games so that none delays the others."""
    result = evaluate("dellacherie", precision=precision, max_pieces=MAX_PIECES, device="cuda")
    summary = {"games": result.games, "deaths": result.deaths, "most_pieces": MAX_PIECES, "mean": result.lines.mean}
    return summary | {"ci95": result.lines.ci95, "seconds": round(result.seconds, 1)}


def main() -> None:
    """Measure, print the results, and write them to a file if requested."""
    parser = make_parser(__doc__)
    parser.add_argument("--games", type=int, default=100_000, help="number of games to compare")
    options = parser.parse_args()
    start, device = time.perf_counter(), open_gpu()
    device.prepare(EngineSettings.from_agents(make_test_agents(), Rules("standard")))
    result = make_result(
        "python -m benchmarks.gpu",
        processor=None,
        device=device.description.removeprefix("GPU "),
        python=platform.python_version(),
        first_compile_seconds=round(time.perf_counter() - start, 1),
        identical=compare_with_cpu(options.games),
        speed=measure_speed(options.games, 20, load_weighted_agent("du"), "standard"),
        two_pieces=measure_speed(options.games, 10, load_weighted_agent("du:depth=2"), "standard:preview=1"),
        dellacherie=measure_mean(0.05),
    )
    save_result(options.json, result)


if __name__ == "__main__":
    main()
