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

from tetrion.agents import DataAgent, data_agent, zoo
from tetrion.engine import cuda
from tetrion.engine.agents import CompiledAgent, Playable
from tetrion.engine.features import FEATURES
from tetrion.engine.near import NAMES
from tetrion.engine.play import Games, Setting, new_games
from tetrion.engine.rules import Rules
from tetrion.evaluation import evaluate, gpu, threads

RULES = (
    "standard",
    "standard-10x10:randomiser=bag",
    "standard:randomiser=nes",
    "gavrilov",
    "becker",
    "hindi",
    "tetrais",
)

ALWAYS = 10**9
MOST_PIECES = 250_000  # of a game of Dellacherie's, which lasts some 15 million


def all_sorts() -> list[Playable]:
    """Every named agent that looks at one piece, and some that use every feature, tables too."""
    random, known = np.random.default_rng(1), [agent for agent in zoo().values() if isinstance(agent, DataAgent)]
    agents: list[Playable] = [agent.compiled() for agent in known if agent.depth == 1]
    for removed in (True, False):
        noise = {name: float(random.normal()) / feature.largest for name, feature in FEATURES.items()}
        steep = np.linspace(1, -1, 541).tolist()
        agents.append(({**noise, **data_agent("du").weights}, removed))
        agents.append((noise | {"holes": [0.0, -1.0, -3.0], "holes_change": steep}, removed))
    return agents


def near_sorts() -> list[Playable]:
    """Agents whose drops are judged by their neighbourhood: the named ones, and some with small weights, who tie."""
    random, near = (
        np.random.default_rng(2),
        [data_agent(name).compiled() for name in ("du", "dellacherie", "el-tetris")],
    )
    small = [{name: float(random.integers(-4, 5)) or 1.0 for name in NAMES} for _ in range(6)]
    return [*near, *((weights, number % 2 == 0) for number, weights in enumerate(small))]


def deeper(agents: list[Playable]) -> list[Playable]:
    """The same agents, looking at two pieces."""
    return [CompiledAgent(*agent)._replace(depth=2) for agent in agents]


def cases() -> Iterator[tuple[list[Playable], Rules, int, int]]:
    """Agents, rules, how many games at least are not few, and how many pieces: every kernel under all rules."""
    for rules in map(Rules.parse, RULES):
        next_known = rules.with_(preview=1)
        yield all_sorts(), rules, 0, 1000
        yield all_sorts(), rules, ALWAYS, 1000
        yield near_sorts(), rules, 0, 1000
        yield deeper(near_sorts()), next_known, 0, 200
        yield deeper(all_sorts()), next_known, 0, 50


def identical(games: int) -> dict[str, int]:
    """Play the same games on both, under every named set of rules that has straight drops alone."""
    found, every = {"games": 0, "pieces": 0, "different_games": 0}, list(cases())
    for number, (agents, rules, few, pieces) in enumerate(every):
        setting, count = Setting.of(agents, rules, most_pieces=pieces), -(-games // len(every))
        here, there = new_games(count, 3, number * count), new_games(count, 3, number * count)
        here["agent"] = there["agent"] = np.arange(count) % len(agents)
        with threads() as cores, patch.object(cuda, "FEW", few):
            cores.play(here, setting)
            gpu().play(there, setting)
        found["games"] += count
        found["pieces"] += int(here["pieces"].sum())
        found["different_games"] += sum(a.tobytes() != b.tobytes() for a, b in zip(here, there, strict=True))
    return found


def speed(games: int, seconds: float, agent: str = "du", rules: str = "standard") -> dict[str, float]:
    """Pieces a second on 10×20, as a person gets them: in slices, and brought back to be looked at."""
    setting = Setting.of([data_agent(agent).compiled()], Rules.parse(rules))
    gpu().prepare(setting)
    batch, workers, start = new_games(games, 5), gpu(), time.perf_counter()

    def watch(present: Games) -> None:
        if time.perf_counter() - start > seconds:
            raise KeyboardInterrupt

    workers.play(batch, setting, watch)
    return {"games": games, "pieces_per_second": int(batch["pieces"].sum()) / (time.perf_counter() - start)}


def mean(precision: float) -> dict[str, Any]:
    """Dellacherie's lines on 10×20, known to a precision; games are cut short, so that none holds up the rest."""
    told = evaluate("dellacherie", precision=precision, most_pieces=MOST_PIECES, device="cuda")
    found = {"games": told.games, "deaths": told.deaths, "most_pieces": MOST_PIECES, "mean": told.lines.mean}
    return found | {"ci95": told.lines.ci95, "seconds": round(told.seconds, 1)}


def main() -> None:
    """Measure, print, and write what was measured."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=100_000)
    parser.add_argument("--json")
    options = parser.parse_args()
    start, device = time.perf_counter(), gpu()
    device.prepare(Setting.of(all_sorts(), Rules.preset("standard")))
    result = {
        "command": "python -m benchmarks.gpu",
        "date": datetime.now(UTC).date().isoformat(),
        "device": device.words.removeprefix("GPU "),
        "python": platform.python_version(),
        "first_compile_seconds": round(time.perf_counter() - start, 1),
        "identical": identical(options.games),
        "speed": speed(options.games, 20),
        "two_pieces": speed(options.games, 10, "du:depth=2", "standard:preview=1"),
        "dellacherie": mean(0.05),
    }
    print(json.dumps(result, indent=2))
    if options.json:
        Path(options.json).write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
