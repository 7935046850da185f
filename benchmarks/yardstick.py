"""Our speed against that of a C++ program: alternating runs on one core, and the median of their ratios.

    python -m benchmarks.yardstick PROGRAM [--runs 5] [--json FILE]

PROGRAM is an executable that plays Tetris with the eight Dellacherie-Thiery features and prints "N pieces/s" when
called with a mode and a number of pieces. The modes: "simd" and "naive" look at one piece, "two" at two.
"""

import argparse
import json
import re
import statistics
import subprocess
from datetime import UTC, datetime
from pathlib import Path

from benchmarks.tetrion_workloads import ONE_BY_ONE, SIMD_LANES, TWO_PIECES, WORKLOADS
from tetrion.evaluation.machine import get_processor_name

COMPARISONS = (
    ("lanes against SIMD by hand", SIMD_LANES, "simd"),
    ("one by one against plain C++", ONE_BY_ONE, "naive"),
    ("two pieces against SIMD by hand", TWO_PIECES, "two"),
)


def measure_program(program: str, mode: str, pieces: int) -> float:
    """Pieces a second of the processor's time, as the program prints them."""
    printed = subprocess.run([program, mode, str(pieces)], capture_output=True, text=True, check=True).stdout
    return parse_rate(printed)


def parse_rate(output: str) -> float:
    """The rate that the program has printed."""
    found = re.search(r"(\d+) pieces/s", output)
    if found is None:
        raise SystemExit(f"The program printed no 'N pieces/s' but: {output}")
    return float(found[1])


def main() -> None:
    """Measure the pairs, print a table, and write what was measured."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--json")
    options = parser.parse_args()
    pairs = []
    for name, way, mode in COMPARISONS:
        ours = WORKLOADS[way]
        runs = [(ours.measure_rate(), measure_program(options.program, mode, ours.pieces)) for _ in range(options.runs)]
        mine, other = (statistics.median(column) for column in zip(*runs, strict=True))
        ratios = [a / b for a, b in runs]
        pairs.append({"name": name, "ours": mine, "theirs": other, "ratio": statistics.median(ratios)})
        print(f"{name:34}{mine:12,.0f}{other:12,.0f}{statistics.median(ratios):8.2f}   {[round(r, 2) for r in ratios]}")
    if options.json:
        today = datetime.now(UTC).date().isoformat()
        result = {"command": "python -m benchmarks.yardstick PROGRAM", "date": today, "processor": get_processor_name()}
        text = json.dumps(result | {"runs": options.runs, "pairs": pairs}, indent=2)
        Path(options.json).write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
