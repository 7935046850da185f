"""`tetrion speed`: pieces a second of every way to play on the CPU, on this machine, in one run."""

import os
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

import click
from numba.core.registry import cpu_target

from tetrion.agents import data_agent
from tetrion.cli.files import check_writable, write_text
from tetrion.cli.output import as_json, print_table
from tetrion.engine.play import Setting, new_games, play_ahead, play_any, play_on_lanes, play_one_by_one
from tetrion.engine.rules import Rules
from tetrion.evaluation.machine import processor

Backend = Callable[[], int]
SECONDS = 1.0
VECTORS = {"avx512f": "AVX-512", "avx2": "AVX2", "avx": "AVX", "sse2": "SSE2", "neon": "NEON"}
PLAIN = "one placement after another"  # what the others are compared with


@click.command()
@click.option("--json", "json_file", metavar="FILE", help="Write the figures; - for the standard output.")
def command(json_file: str | None) -> None:
    """Measure how fast this machine plays: one placement at a time, on lanes, looking ahead, and on all threads."""
    if json_file is not None:
        check_writable("--json", json_file)
    rates = measure()
    plain = rates[PLAIN]
    result = {
        "command": "tetrion speed",
        "date": datetime.now(UTC).date().isoformat(),
        "processor": processor(),
        "cores": os.cpu_count(),
        "compiled_for": compiled_for(),
        "pieces_per_second": {name: round(rate) for name, rate in rates.items()},
    }
    if json_file is not None:
        write_text("--json", json_file, as_json(result))
    if json_file != "-":
        rows = [[name, f"{rate:,.0f}", f"{rate / plain:.2g}"] for name, rate in rates.items()]
        print_table(["backend", "pieces/s", "ratio"], rows, numbers=True)
        click.echo(f"{result['processor']}, {result['cores']} cores; engine compiled for {result['compiled_for']}")
        click.echo("agent du, rules standard; medico under its own")


def compiled_for() -> str:
    """The processor that the engine is compiled for: this machine's, unless NUMBA_CPU_NAME says otherwise."""
    _, kind, features = cpu_target.target_context.codegen().magic_tuple()
    return with_vectors(kind, features)


def with_vectors(kind: str, features: str) -> str:
    """A kind of processor and its widest vectors, as far as a list of features such as `+avx2` tells them."""
    found = [name for feature, name in VECTORS.items() if f"+{feature}" in features.split(",")]
    return f"{kind} with {found[0]}" if found else kind


def measure() -> dict[str, float]:
    """Pieces a second by backend; each is measured twice and the better run counts, since machines are noisy."""
    standard, workers = Rules.preset("standard"), os.cpu_count() or 1
    setting, reach, two, three, medico = (
        Setting.of([data_agent(name).compiled()], rules)
        for name, rules in (
            ("du", standard),
            ("du", standard.with_(movement="reach")),
            ("du:depth=2", standard.with_(preview=1)),
            ("du:depth=3", standard.with_(preview=2)),
            ("medico", Rules.preset("medico")),
        )
    )
    with ThreadPoolExecutor(workers) as executor:
        backends: dict[str, Backend] = {
            PLAIN: lambda: play_one_by_one(new_games(1, 1), setting, 20_000),
            "sixteen lanes": lambda: play_on_lanes(new_games(1, 1), setting, 100_000),
            "sixteen lanes, every reachable place": lambda: play_any(new_games(1, 1), reach, 50_000),
            "two pieces": lambda: play_ahead(new_games(1, 1), two, 10_000),
            "three pieces": lambda: play_ahead(new_games(1, 1), three, 500),
            "medico: two pieces, every reachable place": lambda: play_ahead(new_games(50, 1), medico, 5_000),
            f"sixteen lanes on {workers} threads": lambda: sum(
                executor.map(lambda game: play_on_lanes(new_games(1, 1, game), setting, 100_000), range(workers))
            ),
        }
        for play in backends.values():
            play()  # compiled or loaded before the clock starts
        return {name: max(rate(play), rate(play)) for name, play in backends.items()}


def rate(play: Backend) -> float:
    """Pieces a second over a while."""
    start, placed = time.perf_counter(), 0
    while time.perf_counter() - start < SECONDS:
        placed += play()
    return placed / (time.perf_counter() - start)
