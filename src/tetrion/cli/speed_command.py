"""`tetrion speed`: pieces a second of every way to play on the CPU, on this machine, in one run."""

import os
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

import click
from numba.core.registry import cpu_target

from tetrion.agents import load_weighted_agent
from tetrion.cli.console_output import format_json, print_table
from tetrion.cli.output_files import check_writable, write_text
from tetrion.engine.batch_play import (
    EngineSettings,
    GameRecords,
    make_games,
    play_drops_scalar,
    play_drops_simd,
    select_fastest_play,
)
from tetrion.engine.compiler import CompiledFunction
from tetrion.engine.rules import Rules
from tetrion.evaluation.machine import get_processor_name

PlayBackend = Callable[[], int]
EnginePlayFunction = CompiledFunction[[GameRecords, EngineSettings, int], int]
_MEASURE_SECONDS = 1.0
_GAMES_PER_BACKEND = 50  # of which none is played before the one ahead of it is over
_VECTOR_EXTENSIONS = {"avx512f": "AVX-512", "avx2": "AVX2", "avx": "AVX", "sse2": "SSE2", "neon": "NEON"}
_BASELINE = "one placement after another"  # what the others are compared with


@click.command()
@click.option("--json", "json_file", metavar="FILE", help="Write the figures; - for the standard output.")
def command(json_file: str | None) -> None:
    """Measure how fast this machine plays: one placement at a time, on lanes, looking ahead, and on all threads."""
    if json_file is not None:
        check_writable("--json", json_file)
    rates = measure_speeds()
    plain = rates[_BASELINE]
    result = {
        "command": "tetrion speed",
        "date": datetime.now(UTC).date().isoformat(),
        "processor": get_processor_name(),
        "cores": os.cpu_count(),
        "compiled_for": describe_compilation_target(),
        "pieces_per_second": {name: round(rate) for name, rate in rates.items()},
    }
    if json_file is not None:
        write_text("--json", json_file, format_json(result))
    if json_file != "-":
        rows = [[name, f"{rate:,.0f}", f"{rate / plain:.2g}"] for name, rate in rates.items()]
        print_table(["backend", "pieces/s", "ratio"], rows, right_aligned=True)
        click.echo(f"{result['processor']}, {result['cores']} cores; engine compiled for {result['compiled_for']}")
        click.echo("agent du, rules standard; medico under its own")


def describe_compilation_target() -> str:
    """The processor that the engine is compiled for: this machine's, unless NUMBA_CPU_NAME says otherwise."""
    _, kind, features = cpu_target.target_context.codegen().magic_tuple()
    return describe_processor(kind, features)


def describe_processor(kind: str, features: str) -> str:
    """A kind of processor and its widest vectors, as far as a list of features such as `+avx2` tells them."""
    found = [name for feature, name in _VECTOR_EXTENSIONS.items() if f"+{feature}" in features.split(",")]
    return f"{kind} with {found[0]}" if found else kind


def measure_speeds() -> dict[str, float]:
    """Pieces a second by backend; each is measured twice and the better run counts, since machines are noisy."""
    lanes, workers = make_backend("du", "standard", 100_000), os.cpu_count() or 1
    with ThreadPoolExecutor(workers) as executor:
        backends: dict[str, PlayBackend] = {
            _BASELINE: make_backend("du", "standard", 20_000, play_drops_scalar),
            "sixteen lanes": lanes,
            "sixteen lanes, as for any feature": make_backend("du", "standard", 100_000, play_drops_simd),
            "sixteen lanes, every reachable place": make_backend("du", "standard:movement=reach", 50_000),
            "two pieces": make_backend("du:depth=2", "standard:preview=1", 10_000),
            "three pieces": make_backend("du:depth=3", "standard:preview=2", 500),
            "one piece and all that may come": make_backend("du:expect=1", "standard", 2_000),
            "medico: two pieces, every reachable place": make_backend("medico", "medico", 5_000),
            f"sixteen lanes on {workers} threads": lambda: sum(executor.map(lambda _: lanes(), range(workers))),
        }
        for play in backends.values():
            play()  # compiled or loaded before the clock starts
        return {name: max(measure_rate(play), measure_rate(play)) for name, play in backends.items()}


def make_backend(agent: str, rules: str, pieces: int, play_function: EnginePlayFunction | None = None) -> PlayBackend:
    """Plays so many pieces of an agent's games, in a way or in the one that its games are always played in."""
    setting = EngineSettings.from_agents([load_weighted_agent(agent).compile()], Rules.parse(rules))
    play = play_function or select_fastest_play(setting)
    return lambda: play(make_games(_GAMES_PER_BACKEND, 1), setting, pieces)


def measure_rate(play: PlayBackend) -> float:
    """Pieces a second over a while."""
    start, placed = time.perf_counter(), 0
    while time.perf_counter() - start < _MEASURE_SECONDS:
        placed += play()
    return placed / (time.perf_counter() - start)
