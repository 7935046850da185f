"""Our speed against that of a C++ program: alternating runs on one core, and the median of their ratios.

    python -m benchmarks.yardstick PROGRAM [--runs 5]

PROGRAM is an executable that plays one-piece Tetris with the eight Dellacherie-Thiery features and prints
"N pieces/s" when called with a mode ("simd" or "naive") and a number of pieces.
"""

import argparse
import re
import statistics
import subprocess
import time

from tetrion.agents import load
from tetrion.engine.compiler import Entry
from tetrion.engine.play import new_games, play_on_lanes, play_one_by_one, setting
from tetrion.engine.rules import Rules


def ours(play: Entry[..., int], pieces: int) -> float:
    """Pieces a CPU second of one game of `du`."""
    match, games = setting([load("du").compiled()], Rules.preset("standard")), new_games(1, 1)
    play(games, match, 1000)
    start = time.thread_time()
    return play(games, match, pieces) / (time.thread_time() - start)


def theirs(program: str, mode: str, pieces: int) -> float:
    """Pieces a second as the program prints them."""
    printed = subprocess.run([program, mode, str(pieces)], capture_output=True, text=True, check=True).stdout
    found = re.search(r"(\d+) pieces/s", printed)
    if found is None:
        raise SystemExit(f"{program} {mode} printed no 'N pieces/s' but: {printed}")
    return float(found[1])


def main() -> None:
    """Measure both pairs and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    print(f"{'':22}{'ours':>12}{'theirs':>12}{'ratio':>8}   ratios")
    for name, play, mode, pieces in (
        ("lanes / simd", play_on_lanes, "simd", 4_000_000),
        ("one by one / naive", play_one_by_one, "naive", 500_000),
    ):
        pairs = [(ours(play, pieces), theirs(options.program, mode, pieces)) for _ in range(options.runs)]
        ratios = [a / b for a, b in pairs]
        mine, other = (statistics.median(column) for column in zip(*pairs, strict=True))
        print(f"{name:22}{mine:12,.0f}{other:12,.0f}{statistics.median(ratios):8.2f}   {[round(r, 2) for r in ratios]}")


if __name__ == "__main__":
    main()
