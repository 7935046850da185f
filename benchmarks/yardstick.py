"""Speed of Tetrion compared with a C++ program: alternating runs on one core, and the median of their ratios.

    python -m benchmarks.yardstick PROGRAM [--runs 5] [--json FILE]

PROGRAM is an executable that plays Tetris with the eight Dellacherie-Thiery features and prints "N pieces/s" when
called with a mode and a number of pieces. The modes "simd" and "naive" have depth 1, "two" has depth 2.
"""

import argparse
import json
import re
import statistics
import subprocess
from datetime import UTC, datetime
from pathlib import Path

from benchmarks.tetrion_workloads import DEPTH_TWO, SCALAR, SIMD_LANES, WORKLOADS
from tetrion.evaluation.machine import get_processor_name

COMPARISONS = (
    ("SIMD against hand-written SIMD", SIMD_LANES, "simd"),
    ("scalar against plain C++", SCALAR, "naive"),
    ("depth 2 against hand-written SIMD", DEPTH_TWO, "two"),
)


def measure_program(program: str, mode: str, pieces: int) -> float:
    """Return pieces per second of CPU time, as printed by the program."""
    output = subprocess.run([program, mode, str(pieces)], capture_output=True, text=True, check=True).stdout
    return parse_rate(output)


def parse_rate(output: str) -> float:
    """Return the rate in the output of the program."""
    match = re.search(r"(\d+) pieces/s", output)
    if match is None:
        raise SystemExit(f"Expected 'N pieces/s' in the output of the program; given: {output}")
    return float(match[1])


def main() -> None:
    """Measure all pairs, print a table, and write the results to a file if requested."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", metavar="PROGRAM", help="path of the C++ program")
    parser.add_argument("--runs", type=int, default=5, help="number of alternating runs")
    parser.add_argument("--json", metavar="FILE", help="write the results to this file")
    options = parser.parse_args()
    pairs = []
    for name, workload, mode in COMPARISONS:
        tetrion = WORKLOADS[workload]
        runs = [
            (tetrion.measure_rate(), measure_program(options.program, mode, tetrion.pieces))
            for _ in range(options.runs)
        ]
        tetrion_rate, program_rate = (statistics.median(column) for column in zip(*runs, strict=True))
        ratios = [a / b for a, b in runs]
        pairs.append({"name": name, "ours": tetrion_rate, "theirs": program_rate, "ratio": statistics.median(ratios)})
        rounded = [round(ratio, 2) for ratio in ratios]
        print(f"{name:34}{tetrion_rate:12,.0f}{program_rate:12,.0f}{statistics.median(ratios):8.2f}   {rounded}")
    if options.json:
        today = datetime.now(UTC).date().isoformat()
        result = {"command": "python -m benchmarks.yardstick PROGRAM", "date": today, "processor": get_processor_name()}
        text = json.dumps(result | {"runs": options.runs, "pairs": pairs}, indent=2)
        Path(options.json).write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
