"""Instructions a piece of the engine's hot paths, which do not depend on what else the machine does.

    python -m benchmarks.instructions [--json FILE]

counts them by `valgrind --tool=callgrind`, which has to be installed. Valgrind knows no AVX-512, so the engine is
compiled for a processor with AVX2 (Haswell). Two runs that differ only in how many pieces one way plays are counted,
and their difference is divided by the pieces: what starts and loads the engine is in both.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

from benchmarks.ours import LANES, ONE, TWO, WAYS

PROCESSOR = "haswell"
SETTINGS = {"NUMBA_CPU_NAME": PROCESSOR, "NUMBA_CPU_FEATURES": "", "PYTHONHASHSEED": "0", "OMP_NUM_THREADS": "1"}
FEW = 500  # pieces, in every run
MORE = {ONE: 20_000, LANES: 50_000, TWO: 1_500}  # in the run of that way
MODULE = "benchmarks.instructions"


def play(pieces: dict[str, int]) -> None:
    """What is counted: each way plays its pieces, one way after another."""
    for way, number in pieces.items():
        played = WAYS[way].played(number)
        if played != number:
            raise SystemExit(f"{way}: the game was over after {played} of {number} pieces.")


def command(pieces: dict[str, int]) -> list[str]:
    """A new process that plays them."""
    return [sys.executable, "-m", MODULE, "--play", json.dumps(pieces)]


def counted(pieces: dict[str, int]) -> int:
    """How many instructions that takes from the start of the process to its end."""
    with tempfile.TemporaryDirectory() as folder:
        found = Path(folder) / "callgrind.out"
        valgrind = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={found}"]
        done = subprocess.run(valgrind + command(pieces), env=os.environ | SETTINGS, capture_output=True, text=True)
        if done.returncode:
            raise SystemExit(f"valgrind failed:\n{done.stderr[-2000:]}")
        return total(found.read_text(encoding="utf-8"))


def total(profile: str) -> int:
    """The count of instructions in a file of callgrind's."""
    found = re.search(r"^totals: (\d+)$", profile, re.MULTILINE)
    if found is None:
        raise SystemExit("The file that callgrind wrote has no line of totals.")
    return int(found[1])


def a_piece(before: int, after: int, pieces: int) -> int:
    """Instructions a piece: what a run took more for so many pieces more."""
    return round((after - before) / pieces)


def main() -> None:
    """Compile, count, print, and write what was counted."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json")
    parser.add_argument("--play", help=argparse.SUPPRESS)  # how it calls itself
    options = parser.parse_args()
    if options.play:
        play(json.loads(options.play))
        return
    if shutil.which("valgrind") is None:
        raise SystemExit("valgrind is not installed: install it with the system's packages.")
    few = dict.fromkeys(MORE, FEW)
    subprocess.run(command(few), env=os.environ | SETTINGS, check=True)  # so that valgrind's runs only load the engine
    runs = [few, *(few | {way: FEW + more} for way, more in MORE.items())]
    with ThreadPoolExecutor(min(os.cpu_count() or 1, len(runs))) as executor:
        before, *after = executor.map(counted, runs)
    figures = {way: a_piece(before, count, more) for (way, more), count in zip(MORE.items(), after, strict=True)}
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
