"""Instructions per piece of the engine's hot paths, which do not depend on the load of the machine.

    python -m benchmarks.instructions [--json FILE]

counts them with `valgrind --tool=callgrind`, which must be installed. Valgrind does not support AVX-512, so the engine
is compiled for a processor with AVX2 (Haswell). A process that has loaded the engine forks twice for each workload; one
child plays more pieces than the other, and the difference is counted, so that start and loading are excluded.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.common import make_parser, make_result, save_result
from benchmarks.workloads import DEPTH_TWO, SCALAR, SIMD_LANES, WORKLOADS

PROCESSOR = "haswell"
ENVIRONMENT = {"NUMBA_CPU_NAME": PROCESSOR, "NUMBA_CPU_FEATURES": "", "PYTHONHASHSEED": "0", "OMP_NUM_THREADS": "1"}
BASELINE_PIECES = 500
COUNTED_PIECES = {SCALAR: 20_000, SIMD_LANES: 50_000, DEPTH_TWO: 1_500}
MODULE = "benchmarks.instructions"
PLAY_COMMAND = [sys.executable, "-m", MODULE, "--play"]


def play_workload(workload: str, pieces: int) -> None:
    """Play a number of pieces of a workload; exit with an error if the games end too early."""
    played = WORKLOADS[workload].play_pieces(pieces)
    if played != pieces:
        raise SystemExit(f"{workload}: the game was over after {played} of {pieces} pieces.")


def play_in_fork(workload: str, pieces: int) -> int:
    """Play a workload in a forked process, and return its process id."""
    process_id = os.fork()
    if process_id == 0:
        play_workload(workload, pieces)
        os._exit(0)
    os.waitpid(process_id, 0)
    return process_id


def play_all_workloads() -> dict[str, list[int]]:
    """Play all workloads in forks; return the ids of the short and the long process of each."""
    for workload in COUNTED_PIECES:
        play_workload(workload, BASELINE_PIECES)  # load before forking
    return {
        workload: [play_in_fork(workload, BASELINE_PIECES), play_in_fork(workload, BASELINE_PIECES + pieces)]
        for workload, pieces in COUNTED_PIECES.items()
    }


def count_instructions() -> dict[str, list[int]]:
    """Return the instructions of the short and the long process of each workload."""
    with tempfile.TemporaryDirectory() as folder:
        valgrind = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/%p"]
        done = subprocess.run(valgrind + PLAY_COMMAND, env=os.environ | ENVIRONMENT, capture_output=True, text=True)
        if done.returncode:
            raise SystemExit(f"valgrind failed:\n{done.stderr[-2000:]}")
        numbers = json.loads(done.stdout)
        return {
            workload: [parse_total((Path(folder) / str(pid)).read_text()) for pid in pids]
            for workload, pids in numbers.items()
        }


def parse_total(profile: str) -> int:
    """Return the number of instructions in a callgrind file."""
    match = re.search(r"^totals: (\d+)$", profile, re.MULTILINE)
    if match is None:
        raise SystemExit("The callgrind file has no line with totals.")
    return int(match[1])


def compute_instructions_per_piece(before: int, after: int, pieces: int) -> int:
    """Return the additional instructions of the longer run per additional piece."""
    return round((after - before) / pieces)


def main() -> None:
    """Compile, count, print the results, and write them to a file if requested."""
    parser = make_parser(__doc__)
    parser.add_argument("--play", action="store_true", help=argparse.SUPPRESS)  # used by the program itself
    options = parser.parse_args()
    if options.play:
        print(json.dumps(play_all_workloads()))
        return
    if shutil.which("valgrind") is None:
        raise SystemExit("valgrind is not installed. Install it with the package manager of the system.")
    subprocess.run(PLAY_COMMAND, env=os.environ | ENVIRONMENT, check=True, stdout=subprocess.DEVNULL)  # compile first
    figures = {
        workload: compute_instructions_per_piece(before, after, COUNTED_PIECES[workload])
        for workload, (before, after) in count_instructions().items()
    }
    command = f"python -m {MODULE}"
    result = make_result(command, processor=None, compiled_for=PROCESSOR, instructions_per_piece=figures)
    save_result(options.json, result)


if __name__ == "__main__":
    main()
