"""Instructions a piece of the engine's hot paths, which do not depend on what else the machine does.

    python -m benchmarks.instructions [--json FILE]

counts them by `valgrind --tool=callgrind`, which has to be installed. Valgrind knows no AVX-512, so the engine is
compiled for a processor with AVX2 (Haswell). A process that has loaded the engine forks into two for every way to play,
one of which plays more pieces: what it takes more for them is counted, so nothing of starting and loading is.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path

from benchmarks.tetrion_workloads import ONE_BY_ONE, SIMD_LANES, TWO_PIECES, WORKLOADS

PROCESSOR = "haswell"
ENVIRONMENT = {"NUMBA_CPU_NAME": PROCESSOR, "NUMBA_CPU_FEATURES": "", "PYTHONHASHSEED": "0", "OMP_NUM_THREADS": "1"}
BASELINE_PIECES = 500  # pieces
COUNTED_PIECES = {ONE_BY_ONE: 20_000, SIMD_LANES: 50_000, TWO_PIECES: 1_500}  # that are counted
MODULE = "benchmarks.instructions"
PLAY_COMMAND = [sys.executable, "-m", MODULE, "--play"]


def play_workload(workload: str, pieces: int) -> None:
    """Play so many pieces in a way."""
    played = WORKLOADS[workload].play_pieces(pieces)
    if played != pieces:
        raise SystemExit(f"{workload}: the game was over after {played} of {pieces} pieces.")


def play_in_fork(workload: str, pieces: int) -> int:
    """The same in a process that is forked off; its number."""
    number = os.fork()
    if number == 0:
        play_workload(workload, pieces)
        os._exit(0)
    os.waitpid(number, 0)
    return number


def play_all_workloads() -> dict[str, list[int]]:
    """What is counted; for every way the numbers of the processes that play a few pieces and more."""
    for way in COUNTED_PIECES:
        play_workload(way, BASELINE_PIECES)  # loaded before it is counted
    return {
        way: [play_in_fork(way, BASELINE_PIECES), play_in_fork(way, BASELINE_PIECES + more)]
        for way, more in COUNTED_PIECES.items()
    }


def count_instructions() -> dict[str, list[int]]:
    """For every way how many instructions its two processes take."""
    with tempfile.TemporaryDirectory() as folder:
        valgrind = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/%p"]
        done = subprocess.run(valgrind + PLAY_COMMAND, env=os.environ | ENVIRONMENT, capture_output=True, text=True)
        if done.returncode:
            raise SystemExit(f"valgrind failed:\n{done.stderr[-2000:]}")
        numbers = json.loads(done.stdout)
        return {
            way: [parse_total((Path(folder) / str(pid)).read_text()) for pid in pids] for way, pids in numbers.items()
        }


def parse_total(profile: str) -> int:
    """The count of instructions in a file of callgrind's."""
    found = re.search(r"^totals: (\d+)$", profile, re.MULTILINE)
    if found is None:
        raise SystemExit("The file that callgrind wrote has no line of totals.")
    return int(found[1])


def compute_instructions_per_piece(before: int, after: int, pieces: int) -> int:
    """Instructions a piece: what a run took more for so many pieces more."""
    return round((after - before) / pieces)


def main() -> None:
    """Compile, count, print, and write what was counted."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json")
    parser.add_argument("--play", action="store_true", help=argparse.SUPPRESS)  # how it calls itself
    options = parser.parse_args()
    if options.play:
        print(json.dumps(play_all_workloads()))
        return
    if shutil.which("valgrind") is None:
        raise SystemExit("valgrind is not installed: install it with the system's packages.")
    subprocess.run(
        PLAY_COMMAND, env=os.environ | ENVIRONMENT, check=True, stdout=subprocess.DEVNULL
    )  # compiled, if need be
    figures = {
        way: compute_instructions_per_piece(before, after, COUNTED_PIECES[way])
        for way, (before, after) in count_instructions().items()
    }
    result = {
        "command": f"python -m {MODULE}",
        "date": datetime.now(UTC).date().isoformat(),
        "compiled_for": PROCESSOR,
        "instructions_per_piece": figures,
    }
    print(json.dumps(result, indent=2))
    if options.json:
        Path(options.json).write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
