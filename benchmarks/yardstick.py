"""Our speed against that of a C++ program: alternating runs on one core, and the median of their ratios.

    python -m benchmarks.yardstick PROGRAM [--runs 5] [--json FILE]

PROGRAM is an executable that plays one-piece Tetris with the eight Dellacherie-Thiery features and prints
"N pieces/s" when called with a mode ("simd" or "naive") and a number of pieces.
"""

import argparse
import json
import re
import statistics
import subprocess
import time
from datetime import UTC, datetime
from pathlib import Path

from tetrion.agents import data_agent
from tetrion.engine.compiler import Entry
from tetrion.engine.play import Setting, new_games, play_on_lanes, play_one_by_one
from tetrion.engine.rules import Rules
from tetrion.evaluation.machine import processor


def ours(play: Entry[..., int], pieces: int) -> float:
    """Pieces a CPU second of one game of `du`."""
    setting, games = Setting.of([data_agent("du").compiled()], Rules.preset("standard")), new_games(1, 1)
    play(games, setting, 1000)
    start = time.thread_time()
    return play(games, setting, pieces) / (time.thread_time() - start)


def theirs(program: str, mode: str, pieces: int) -> float:
    """Pieces a second as the program prints them."""
    printed = subprocess.run([program, mode, str(pieces)], capture_output=True, text=True, check=True).stdout
    found = re.search(r"(\d+) pieces/s", printed)
    if found is None:
        raise SystemExit(f"{program} {mode} printed no 'N pieces/s' but: {printed}")
    return float(found[1])


def main() -> None:
    """Measure both pairs, print a table, and write what was measured."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--json")
    options = parser.parse_args()
    pairs = []
    for name, play, mode, pieces in (
        ("lanes against SIMD by hand", play_on_lanes, "simd", 4_000_000),
        ("one by one against plain C++", play_one_by_one, "naive", 500_000),
    ):
        runs = [(ours(play, pieces), theirs(options.program, mode, pieces)) for _ in range(options.runs)]
        mine, other = (statistics.median(column) for column in zip(*runs, strict=True))
        ratios = [a / b for a, b in runs]
        pairs.append({"name": name, "ours": mine, "theirs": other, "ratio": statistics.median(ratios)})
        print(f"{name:30}{mine:12,.0f}{other:12,.0f}{statistics.median(ratios):8.2f}   {[round(r, 2) for r in ratios]}")
    if options.json:
        today = datetime.now(UTC).date().isoformat()
        result = {"command": "python -m benchmarks.yardstick PROGRAM", "date": today, "processor": processor()}
        text = json.dumps(result | {"runs": options.runs, "pairs": pairs}, indent=2)
        Path(options.json).write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
