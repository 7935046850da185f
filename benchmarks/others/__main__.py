"""Our engine and what can be installed beside it, on one core, in turns: python -m benchmarks.others [NAME...].

Every other program gets a virtual environment of its own by pip, kept for the next time (--environments says where,
--fresh makes them anew). What cannot be installed is reported with its reason. NAME is a name or a part of one.
"""

import argparse
import json
import os
import shutil
import statistics
import sys
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.others.environments import (
    OTHER_PROGRAMS,
    NotMeasuredError,
    OtherProgram,
    ProgramProcess,
    get_default_folder,
)
from benchmarks.tetrion_workloads import ONE_BY_ONE, RANDOM_WORKLOADS, SIMD_LANES, TWO_PIECES, WORKLOADS
from benchmarks.yardstick import measure_program
from tetrion.evaluation.machine import get_processor_name

ResultRow = dict[str, Any]
Rates = dict[str, list[float]]
PROGRAM_MODES = {  # modes of the C++ program and what they do
    "simd": ("C++ by hand, AVX-512", "`du` chooses"),
    "scalar": ("C++ by hand, a placement at a time", "`du` chooses"),
    "naive": ("C++, plain", "`du` chooses"),
    "two": ("C++ by hand, AVX-512, depth 2", "`du` looks at two pieces"),
}
PROGRAM_PIECES = {"simd": 4_000_000, "scalar": 1_000_000, "naive": 500_000, "two": 200_000}
TETRION = "Tetrion"
AGENT_ROW_NAME, RANDOM_ROW_NAME = f"{TETRION}, {SIMD_LANES}", f"{TETRION}, {SIMD_LANES}, random"


def make_tetrion_rows() -> list[tuple[ResultRow, Callable[[], float]]]:
    """Ours: `du` chooses, or the lot."""
    rows = [
        ({"name": f"{TETRION}, {way}", "does": "`du` chooses"}, WORKLOADS[way].measure_rate)
        for way in (SIMD_LANES, ONE_BY_ONE)
    ]
    rows.append(
        ({"name": f"{TETRION}, {TWO_PIECES}", "does": "`du` looks at two pieces"}, WORKLOADS[TWO_PIECES].measure_rate)
    )
    rows += [
        ({"name": f"{TETRION}, {way}, random", "does": "`random` chooses"}, RANDOM_WORKLOADS[way].measure_rate)
        for way in (SIMD_LANES, ONE_BY_ONE)
    ]
    return rows


def make_program_rows(program: str | None) -> list[tuple[ResultRow, Callable[[], float]]]:
    """The modes of the C++ program, if there is one."""
    if program is None:
        return []
    return [
        ({"name": name, "does": does}, partial(measure_program, program, mode, PROGRAM_PIECES[mode]))
        for mode, (name, does) in PROGRAM_MODES.items()
    ]


def start_programs(
    others: Sequence[OtherProgram], home: Path
) -> tuple[dict[OtherProgram, ProgramProcess], list[ResultRow]]:
    """Every program that plays, and those that cannot with the reason."""
    playing, failed = {}, []
    for other in others:
        try:
            playing[other] = ProgramProcess(other, home)
        except NotMeasuredError as error:
            failed.append({"name": other.name, "reason": str(error)})
            print(f"{other.name} is not measured: {error}", file=sys.stderr, flush=True)
    return playing, failed


def measure_in_turns(measures: dict[str, Callable[[], float]], rounds: int) -> Rates:
    """Measure all of them, again and again."""
    rates: Rates = {name: [] for name in measures}
    for _ in range(rounds):
        for name, measure in measures.items():
            rates[name].append(measure())
    return rates


def summarise_rates(rows: Sequence[ResultRow], rates: Rates) -> list[ResultRow]:
    """Rows with the median of their rates, and of how many times as fast ours were in the same round."""
    return [
        row
        | {"pieces_per_second": round(statistics.median(rates[row["name"]]), 1)}
        | {
            "decides": compute_speed_ratio(rates, AGENT_ROW_NAME, row["name"]),
            "by_lot": compute_speed_ratio(rates, RANDOM_ROW_NAME, row["name"]),
        }
        for row in rows
    ]


def compute_speed_ratio(rates: Rates, ours: str, theirs: str) -> float:
    """How many times as fast one is as another: the median over the rounds."""
    return float(f"{statistics.median(a / b for a, b in zip(rates[ours], rates[theirs], strict=True)):.4g}")


def select_programs(names: Sequence[str]) -> list[OtherProgram]:
    """Those of the others that are asked for; all of them if none is."""
    unknown = [name for name in names if not any(name in other.name for other in OTHER_PROGRAMS)]
    if unknown:
        known = ", ".join(other.name for other in OTHER_PROGRAMS)
        raise SystemExit(f"There is no program named {unknown[0]}; there are: {known}.")
    return [other for other in OTHER_PROGRAMS if not names or any(name in other.name for name in names)]


def main() -> None:
    """Install, measure in turns, print a table, and write what was measured."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--program", help="the C++ program that benchmarks.yardstick tells of")
    parser.add_argument("--environments", type=Path, default=get_default_folder(), help="where environments are kept")
    parser.add_argument("--fresh", action="store_true", help="install again what is asked for, failures too")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=1.0, help="that every other program plays in a round")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    others = select_programs(options.names)
    for other in others if options.fresh else ():
        shutil.rmtree(options.environments / other.package, ignore_errors=True)
    if hasattr(os, "sched_setaffinity"):  # children stay on the same core
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    playing, failed = start_programs(others, options.environments)
    measured = make_tetrion_rows() + make_program_rows(options.program)
    for other, player in playing.items():
        row = {"name": other.name, "does": other.description, "version": player.version}
        measured.append((row, partial(player.measure_rate, options.seconds)))
    rates = measure_in_turns({row["name"]: measure for row, measure in measured}, options.rounds)
    for player in playing.values():
        player.close()
    rows = summarise_rates([row for row, _ in measured], rates)
    for row in rows:
        print(f"{row['name']:40}{row['pieces_per_second']:14,.0f}{row['decides']:12,g}{row['by_lot']:12,g}")
    if options.json:
        result = {
            "command": "python -m benchmarks.others" + " --program PROGRAM" * bool(options.program),
            "date": datetime.now(UTC).date().isoformat(),
            "processor": get_processor_name(),
            **{"rounds": options.rounds, "seconds": options.seconds, "rows": rows, "failed": failed},
        }
        options.json.write_text(json.dumps(result, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
