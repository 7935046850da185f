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

from tetrion.agents import load, published
from tetrion.engine.cuda import play_on_gpu
from tetrion.engine.features import FEATURES
from tetrion.engine.play import UNLIMITED, new_games, play_on_lanes, setting
from tetrion.engine.rules import Rules


def identical(games: int, pieces: int) -> dict[str, int]:
    """Play the same games on both, with every feature measured before and after removal and every published agent."""
    random = np.random.default_rng(1)
    agents = [load(name).compiled() for name in published()]
    for removed in (True, False):
        agents.append(({name: float(random.normal()) / f.largest for name, f in FEATURES.items()}, removed))
    match = setting(agents, Rules.preset("standard-10x10").with_(randomiser="bag"), most_pieces=pieces)
    here, there = new_games(games, 3), new_games(games, 3)
    here["agent"] = there["agent"] = np.arange(games) % len(agents)
    play_on_lanes(here, match, UNLIMITED)
    play_on_gpu(there, match, UNLIMITED)
    different = sum(a.tobytes() != b.tobytes() for a, b in zip(here, there, strict=True))
    return {"games": games, "most_pieces": pieces, "pieces": int(here["pieces"].sum()), "different_games": different}


def speed(games: int, seconds: float) -> dict[str, float]:
    """Pieces a second of `du` on 10×20, copies to and from the GPU included."""
    match = setting([load("du").compiled()], Rules.preset("standard"))
    batch = new_games(games, 5)
    play_on_gpu(batch, match, 100)
    start, placed = time.perf_counter(), 0
    while time.perf_counter() - start < seconds:
        placed += play_on_gpu(batch, match, 1000)
    return {"games": games, "pieces_per_second": placed / (time.perf_counter() - start)}


def main() -> None:
    """Measure, print, and write what was measured."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=100_000)
    parser.add_argument("--json")
    options = parser.parse_args()
    start = time.perf_counter()
    identical(1, 1)
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
