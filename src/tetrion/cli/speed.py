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
from tetrion.engine.compiler import Entry
from tetrion.engine.play import Games, Setting, fastest, new_games, play_on_lanes, play_one_by_one
from tetrion.engine.rules import Rules
from tetrion.evaluation.machine import processor

Backend = Callable[[], int]
Way = Entry[[Games, Setting, int], int]
SECONDS = 1.0
GAMES = 50  # of which none is played before the one ahead of it is over
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
    lanes, workers = backend("du", "standard", 100_000), os.cpu_count() or 1
    with ThreadPoolExecutor(workers) as executor:
        backends: dict[str, Backend] = {
            PLAIN: backend("du", "standard", 20_000, play_one_by_one),
            "sixteen lanes": lanes,
            "sixteen lanes, as for any feature": backend("du", "standard", 100_000, play_on_lanes),
            "sixteen lanes, every reachable place": backend("du", "standard:movement=reach", 50_000),
            "two pieces": backend("du:depth=2", "standard:preview=1", 10_000),
            "three pieces": backend("du:depth=3", "standard:preview=2", 500),
            "one piece and all that may come": backend("du:expect=1", "standard", 2_000),
            "medico: two pieces, every reachable place": backend("medico", "medico", 5_000),
            f"sixteen lanes on {workers} threads": lambda: sum(executor.map(lambda _: lanes(), range(workers))),
        }
        for play in backends.values():
            play()  # compiled or loaded before the clock starts
        return {name: max(rate(play), rate(play)) for name, play in backends.items()}


def backend(agent: str, rules: str, pieces: int, way: Way | None = None) -> Backend:
    """Plays so many pieces of an agent's games, in a way or in the one that its games are always played in."""
    setting = Setting.of([data_agent(agent).compiled()], Rules.parse(rules))
    play = way or fastest(setting)
    return lambda: play(new_games(GAMES, 1), setting, pieces)


def rate(play: Backend) -> float:
    """Pieces a second over a while."""
    start, placed = time.perf_counter(), 0
    while time.perf_counter() - start < SECONDS:
        placed += play()
    return placed / (time.perf_counter() - start)
