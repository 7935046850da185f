"""Tetrion and other Tetris programs on one core, measured in turns: python -m benchmarks.others [NAME...].

Each program is installed by pip into its own virtual environment, which is reused later (--environments sets its
folder, --fresh reinstalls). If a program cannot be installed, the reason is reported. NAME is a name or a part of one.

PROGRAM is an executable, which is not part of the project. It plays Tetris with the eight Dellacherie-Thiery features
and prints "N pieces/s" when called with a mode and a number of pieces; the modes are those of PROGRAM_MODES.
"""

import os
import re
import shutil
import statistics
import subprocess
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.common import make_parser, make_result, save_result
from benchmarks.others.environments import (
    OTHER_PROGRAMS,
    NotMeasuredError,
    OtherProgram,
    ProgramProcess,
    get_default_folder,
)
from benchmarks.workloads import (
    DEPTH_TWO,
    ENVIRONMENT_WORKLOADS,
    SCALAR,
    SIMD_LANES,
    VECTOR_ENVIRONMENT,
    WORKLOADS,
)

ResultRow = dict[str, Any]
Rates = dict[str, list[float]]
PROGRAM_MODES = {  # mode of the C++ program: row name and description
    "simd": ("C++, hand-written AVX-512", "`du` chooses"),
    "scalar": ("C++, optimised scalar", "`du` chooses"),
    "naive": ("C++, plain", "`du` chooses"),
    "two": ("C++, hand-written AVX-512, depth 2", "`du` with depth 2"),
}
PROGRAM_PIECES = {"simd": 4_000_000, "scalar": 1_000_000, "naive": 500_000, "two": 200_000}
TETRION = "Tetrion"
AGENT_ROW_NAME = f"{TETRION}, {SIMD_LANES}"
ENVIRONMENT_ROW_NAME = f"{TETRION}, {VECTOR_ENVIRONMENT}"


def make_tetrion_rows(seconds: float) -> list[tuple[ResultRow, Callable[[], float]]]:
    """Return the rows of Tetrion: games of `du`, and environments with random placements."""
    rows = [
        ({"name": f"{TETRION}, {workload}", "description": "`du` chooses"}, WORKLOADS[workload].measure_rate)
        for workload in (SIMD_LANES, SCALAR)
    ]
    rows.append(
        ({"name": f"{TETRION}, {DEPTH_TWO}", "description": "`du` with depth 2"}, WORKLOADS[DEPTH_TWO].measure_rate)
    )
    rows += [
        (
            {"name": f"{TETRION}, {name}", "description": workload.description},
            partial(workload.measure_rate, seconds),
        )
        for name, workload in ENVIRONMENT_WORKLOADS.items()
    ]
    return rows


def make_program_rows(program: str | None) -> list[tuple[ResultRow, Callable[[], float]]]:
    """Return the rows of the C++ program's modes, if a program is given."""
    if program is None:
        return []
    return [
        ({"name": name, "description": description}, partial(measure_program, program, mode, PROGRAM_PIECES[mode]))
        for mode, (name, description) in PROGRAM_MODES.items()
    ]


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


def start_programs(
    programs: Sequence[OtherProgram], folder: Path
) -> tuple[dict[OtherProgram, ProgramProcess], list[ResultRow]]:
    """Start all programs; return their processes, and those that cannot be measured with the reason."""
    processes = {}
    failed = []
    for program in programs:
        try:
            processes[program] = ProgramProcess(program, folder)
        except NotMeasuredError as error:
            failed.append({"name": program.name, "reason": str(error)})
            print(f"{program.name} is not measured: {error}", file=sys.stderr, flush=True)
    return processes, failed


def measure_in_turns(measures: dict[str, Callable[[], float]], rounds: int) -> Rates:
    """Measure all programs in turns, several rounds."""
    rates: Rates = {name: [] for name in measures}
    for _ in range(rounds):
        for name, measure in measures.items():
            rates[name].append(measure())
    return rates


def summarise_rates(rows: Sequence[ResultRow], rates: Rates) -> list[ResultRow]:
    """Add to each row the median rate, and the median ratio of Tetrion's rate to it in the same round."""
    return [
        row
        | {"pieces_per_second": round(statistics.median(rates[row["name"]]), 1)}
        | {
            "ratio_agent": compute_speed_ratio(rates, AGENT_ROW_NAME, row["name"]),
            "ratio_environment": compute_speed_ratio(rates, ENVIRONMENT_ROW_NAME, row["name"]),
        }
        for row in rows
    ]


def compute_speed_ratio(rates: Rates, numerator: str, denominator: str) -> float:
    """Return the median over the rounds of the ratio of two rates."""
    return float(f"{statistics.median(a / b for a, b in zip(rates[numerator], rates[denominator], strict=True)):.4g}")


def select_programs(names: Sequence[str]) -> list[OtherProgram]:
    """Return the programs whose names contain one of the given names; all if none is given."""
    unknown = [name for name in names if not any(name in program.name for program in OTHER_PROGRAMS)]
    if unknown:
        known = ", ".join(program.name for program in OTHER_PROGRAMS)
        raise SystemExit(f"Unknown program {unknown[0]!r}. Available programs: {known}.")
    return [program for program in OTHER_PROGRAMS if not names or any(name in program.name for name in names)]


def main() -> None:
    """Install, measure in turns, print a table, and write the results to a file if requested."""
    parser = make_parser(__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--program", help="path of the C++ program")
    parser.add_argument("--environments", type=Path, default=get_default_folder(), help="folder of the environments")
    parser.add_argument("--fresh", action="store_true", help="reinstall the selected programs, also failed ones")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=1.0, help="CPU time of each program per round")
    options = parser.parse_args()
    programs = select_programs(options.names)
    for program in programs if options.fresh else ():
        shutil.rmtree(options.environments / program.package, ignore_errors=True)
    if hasattr(os, "sched_setaffinity"):  # inherited by child processes
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    processes, failed = start_programs(programs, options.environments)
    measured = make_tetrion_rows(options.seconds) + make_program_rows(options.program)
    for program, process in processes.items():
        row = {"name": program.name, "description": program.description, "version": process.version}
        measured.append((row, partial(process.measure_rate, options.seconds)))
    rates = measure_in_turns({row["name"]: measure for row, measure in measured}, options.rounds)
    for process in processes.values():
        process.close()
    rows = summarise_rates([row for row, _ in measured], rates)
    for row in rows:
        print(
            f"{row['name']:55}{row['pieces_per_second']:14,.0f}{row['ratio_agent']:12,g}{row['ratio_environment']:12,g}"
        )
    command = "python -m benchmarks.others" + " --program PROGRAM" * bool(options.program)
    content = {"rounds": options.rounds, "seconds": options.seconds, "rows": rows, "failed": failed}
    save_result(options.json, make_result(command, **content), prints=False)


if __name__ == "__main__":
    main()
