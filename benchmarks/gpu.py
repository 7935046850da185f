"""The GPU against the CPU: identical games, and how many pieces a second.

python -m benchmarks.gpu [--games 100000] [--json FILE]
"""

import argparse
import json
import platform
import time
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
from numba import cuda

from tetrion.agents import DataAgent, data_agent, zoo
from tetrion.engine.agents import Playable
from tetrion.engine.cuda import play_on_gpu
from tetrion.engine.features import FEATURES
from tetrion.engine.play import UNLIMITED, Setting, new_games, play_on_lanes
from tetrion.engine.rules import Rules

RULES = (
    "standard",
    "standard-10x10:randomiser=bag",
    "standard:randomiser=nes",
    "gavrilov",
    "becker",
    "hindi",
    "tetrais",
)


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


def identical(games: int, pieces: int) -> dict[str, int]:
    """Play the same games on both, under every named set of rules that has straight drops alone."""
    found = {"games": 0, "most_pieces": pieces, "pieces": 0, "different_games": 0}
    for rules in RULES:
        setting = Setting.of(all_sorts(), Rules.parse(rules), most_pieces=pieces)
        here, there = new_games(games // len(RULES), 3), new_games(games // len(RULES), 3)
        here["agent"] = there["agent"] = np.arange(len(here)) % len(setting.agents)
        play_on_lanes(here, setting, UNLIMITED)
        play_on_gpu(there, setting, UNLIMITED)
        found["games"] += len(here)
        found["pieces"] += int(here["pieces"].sum())
        found["different_games"] += sum(a.tobytes() != b.tobytes() for a, b in zip(here, there, strict=True))
    return found


def speed(games: int, seconds: float) -> dict[str, float]:
    """Pieces a second of `du` on 10×20, copies to and from the GPU included."""
    setting = Setting.of([data_agent("du").compiled()], Rules.preset("standard"))
    batch = new_games(games, 5)
    play_on_gpu(batch, setting, 100)
    start, placed = time.perf_counter(), 0
    while time.perf_counter() - start < seconds:
        placed += play_on_gpu(batch, setting, 1000)
    return {"games": games, "pieces_per_second": placed / (time.perf_counter() - start)}


def main() -> None:
    """Measure, print, and write what was measured."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=100_000)
    parser.add_argument("--json")
    options = parser.parse_args()
    start = time.perf_counter()
    identical(2, 1)
    result = {
        "command": "python -m benchmarks.gpu",
        "date": datetime.now(UTC).date().isoformat(),
        "device": str(cuda.get_current_device().name),
        "python": platform.python_version(),
        "first_compile_seconds": round(time.perf_counter() - start, 1),
        "identical": identical(options.games, 1000),
        "speed": speed(4 * options.games, 20),
    }
    print(json.dumps(result, indent=2))
    if options.json:
        Path(options.json).write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
