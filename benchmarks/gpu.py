"""The GPU against the CPU: identical games, and how many pieces a second.

python -m benchmarks.gpu [--games 100000] [--json FILE]
"""

import argparse
import json
import platform
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

from tetrion.agents import WeightedAgent, load_weighted_agent, named_agents
from tetrion.engine import cuda
from tetrion.engine.agent_records import CompiledAgent, Playable
from tetrion.engine.batch_play import EngineSettings, GameRecords, make_games
from tetrion.engine.features import FEATURES
from tetrion.engine.local_evaluation import LOCAL_FEATURES
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

ALWAYS_FEW = 10**9
MAX_PIECES = 250_000  # of a game of Dellacherie's, which lasts some 15 million


def make_test_agents() -> list[Playable]:
    """Every named agent that looks at one piece, and some that use every feature, tables too."""
    random, known = (
        np.random.default_rng(1),
        [agent for agent in named_agents().values() if isinstance(agent, WeightedAgent)],
    )
    agents: list[Playable] = [agent.compile() for agent in known if agent.depth == 1]
    for removed in (True, False):
        noise = {name: float(random.normal()) / feature.max_value for name, feature in FEATURES.items()}
        steep = np.linspace(1, -1, 541).tolist()
        agents.append(({**noise, **load_weighted_agent("du").weights}, removed))
        agents.append((noise | {"holes": [0.0, -1.0, -3.0], "holes_change": steep}, removed))
    return agents


def make_local_agents() -> list[Playable]:
    """Agents whose drops are judged by their neighbourhood: the named ones, and some with small weights, who tie."""
    random, near = (
        np.random.default_rng(2),
        [load_weighted_agent(name).compile() for name in ("du", "dellacherie", "el-tetris")],
    )
    small = [{name: float(random.integers(-4, 5)) or 1.0 for name in LOCAL_FEATURES} for _ in range(6)]
    return [*near, *((weights, number % 2 == 0) for number, weights in enumerate(small))]


def make_depth_two_agents(agents: list[Playable]) -> list[Playable]:
    """The same agents, looking at two pieces."""
    return [CompiledAgent(*agent)._replace(depth=2) for agent in agents]


def generate_cases() -> Iterator[tuple[list[Playable], Rules, int, int]]:
    """Agents, rules, how many games at least are not few, and how many pieces: every kernel under all rules."""
    for rules in map(Rules.parse, RULES):
        next_known = rules.with_(preview=1)
        yield make_test_agents(), rules, 0, 1000
        yield make_test_agents(), rules, ALWAYS_FEW, 1000
        yield make_local_agents(), rules, 0, 1000
        yield make_depth_two_agents(make_local_agents()), next_known, 0, 200
        yield make_depth_two_agents(make_test_agents()), next_known, 0, 50


def compare_with_cpu(games: int) -> dict[str, int]:
    """Play the same games on both, under every named set of rules that has straight drops alone."""
    found, every = {"games": 0, "pieces": 0, "different_games": 0}, list(generate_cases())
    for number, (agents, rules, few, pieces) in enumerate(every):
        setting, count = EngineSettings.from_agents(agents, rules, max_pieces=pieces), -(-games // len(every))
        here, there = make_games(count, 3, number * count), make_games(count, 3, number * count)
        here["agent"] = there["agent"] = np.arange(count) % len(agents)
        with start_threads() as cores, patch.object(cuda, "MAX_GAMES_PER_TEAM", few):
            cores.play(here, setting)
            open_gpu().play(there, setting)
        found["games"] += count
        found["pieces"] += int(here["pieces"].sum())
        found["different_games"] += sum(a.tobytes() != b.tobytes() for a, b in zip(here, there, strict=True))
    return found


def measure_speed(games: int, seconds: float, agent: str = "du", rules: str = "standard") -> dict[str, float]:
    """Pieces a second on 10×20, as a person gets them: in slices, and brought back to be looked at."""
    setting = EngineSettings.from_agents([load_weighted_agent(agent).compile()], Rules.parse(rules))
    open_gpu().prepare(setting)
    batch = make_games(games, 5)
    workers = open_gpu()
    start = time.perf_counter()

    def watch(present: GameRecords) -> None:
        if time.perf_counter() - start > seconds:
            raise KeyboardInterrupt

    workers.play(batch, setting, watch)
    return {"games": games, "pieces_per_second": int(batch["pieces"].sum()) / (time.perf_counter() - start)}


def measure_mean(precision: float) -> dict[str, Any]:
    """Dellacherie's lines on 10×20, known to a precision; games are cut short, so that none holds up the rest."""
    told = evaluate("dellacherie", precision=precision, max_pieces=MAX_PIECES, device="cuda")
    found = {"games": told.games, "deaths": told.deaths, "most_pieces": MAX_PIECES, "mean": told.lines.mean}
    return found | {"ci95": told.lines.ci95, "seconds": round(told.seconds, 1)}


def main() -> None:
    """Measure, print, and write what was measured."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=100_000)
    parser.add_argument("--json")
    options = parser.parse_args()
    start, device = time.perf_counter(), open_gpu()
    device.prepare(EngineSettings.from_agents(make_test_agents(), Rules.from_preset("standard")))
    result = {
        "command": "python -m benchmarks.gpu",
        "date": datetime.now(UTC).date().isoformat(),
        "device": device.description.removeprefix("GPU "),
        "python": platform.python_version(),
        "first_compile_seconds": round(time.perf_counter() - start, 1),
        "identical": compare_with_cpu(options.games),
        "speed": measure_speed(options.games, 20),
        "two_pieces": measure_speed(options.games, 10, "du:depth=2", "standard:preview=1"),
        "dellacherie": measure_mean(0.05),
    }
    print(json.dumps(result, indent=2))
    if options.json:
        Path(options.json).write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
