"""`tetrion speed`: pieces per second of every CPU backend on this machine."""

import os
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from typing import NamedTuple

import click

from tetrion.agents import load_weighted_agent
from tetrion.agents.weighted_agent import make_engine_agent
from tetrion.cli.console_output import format_json, print_table, print_wrapped
from tetrion.cli.output_files import check_writable, write_text
from tetrion.engine.batch_play import (
    EngineSettings,
    make_games,
    play_drops_scalar,
    play_drops_simd,
    select_fastest_play,
)
from tetrion.engine.compiler import CompiledFunction, plan_compilation
from tetrion.engine.numba_internals import get_compilation_target
from tetrion.engine.records import GameRecords
from tetrion.engine.rules import Rules
from tetrion.evaluation.machine import get_processor_name
from tetrion.evaluation.progress_bar import show_progress
from tetrion.progress import Observer, Progress

EnginePlayFunction = CompiledFunction[[GameRecords, EngineSettings, int], int]


class Backend(NamedTuple):
    """A compiled function, and a call of it that plays and returns the number of pieces placed."""

    function: EnginePlayFunction
    play: Callable[[], int]


_MEASURE_SECONDS = 1.0  # per measurement
_GAMES_PER_BACKEND = 50  # played one after another
_VECTOR_EXTENSIONS = {"avx512f": "AVX-512", "avx2": "AVX2", "avx": "AVX", "sse2": "SSE2", "neon": "NEON"}
_PROGRESS_TASK = "Measuring the speed"
_BASELINE = "scalar"  # the backend that the others are compared with


@click.command()
@click.option("--json", "json_file", metavar="FILE", help="Write the results to FILE as JSON (- for standard output).")
def command(json_file: str | None) -> None:
    """Measure the playing speed of this machine: scalar, with SIMD lanes, with lookahead, and on all threads."""
    if json_file is not None:
        check_writable("--json", json_file)
    with show_progress(_PROGRESS_TASK) as on_progress:
        rates = measure_speeds(on_progress)
    baseline = rates[_BASELINE]
    result = {
        "command": "tetrion speed",
        "date": datetime.now(UTC).date().isoformat(),
        "processor": get_processor_name(),
        "cores": os.cpu_count(),
        "compiled_for": describe_processor(*get_compilation_target()),  # another one if NUMBA_CPU_NAME is set
        "pieces_per_second": {name: round(rate) for name, rate in rates.items()},
    }
    if json_file is not None:
        write_text("--json", json_file, format_json(result))
    if json_file != "-":
        rows = [[name, f"{rate:,.0f}", f"{rate / baseline:.2g}"] for name, rate in rates.items()]
        print_table(["backend", "pieces/s", "ratio"], rows, right_aligned=True, wrap_first_column=True)
        print_wrapped(f"{result['processor']}, {result['cores']} cores; engine compiled for {result['compiled_for']}.")
        print_wrapped("Ratios are relative to the scalar backend.")
        print_wrapped(
            "Agent du, except where a row names another; rules standard, with a preview for depth 2 and 3 and "
            "movement=reach for all reachable placements. The row medico also uses the rules medico."
        )


def describe_processor(kind: str, features: str) -> str:
    """Return a processor type and its widest vector extension, from a feature list such as `+avx,+avx2`."""
    extensions = [name for feature, name in _VECTOR_EXTENSIONS.items() if f"+{feature}" in features.split(",")]
    return f"{kind} with {extensions[0]}" if extensions else kind


def measure_speeds(on_progress: Observer[Progress]) -> dict[str, float]:
    """Measure the pieces per second of every backend: the better of two runs, since machines are noisy."""
    simd = make_backend("du", "standard", 100_000)
    workers = os.cpu_count() or 1
    with ThreadPoolExecutor(workers) as executor:
        backends: dict[str, Backend] = {
            _BASELINE: make_backend("du", "standard", 20_000, play_drops_scalar),
            "SIMD": simd,
            "SIMD, general features": make_backend("du", "standard", 100_000, play_drops_simd),
            "SIMD, patterns (tetrion-1)": make_backend("tetrion-1", "standard", 20_000),
            "SIMD, all reachable placements": make_backend("du", "standard:movement=reach", 50_000),
            "depth 2": make_backend("du:depth=2", "standard:preview=1", 10_000),
            "depth 3": make_backend("du:depth=3", "standard:preview=2", 500),
            "expectation over the next piece": make_backend("du:expect=1", "standard", 2_000),
            "medico (depth 2, all reachable placements)": make_backend("medico", "medico", 5_000),
            f"SIMD on {workers} threads": Backend(
                simd.function, lambda: sum(executor.map(lambda _: simd.play(), range(workers)))
            ),
        }
        rates: dict[str, float] = {}
        plan_compilation(backend.function for backend in backends.values())
        for name, backend in backends.items():
            on_progress(
                Progress(task=_PROGRESS_TASK, done=len(rates), planned=len(backends), unit="backend", details=(name,))
            )
            backend.play()  # so that compilation is not measured
            rates[name] = max(measure_rate(backend.play), measure_rate(backend.play))
        return rates


def make_backend(agent: str, rules: str, pieces: int, play_function: EnginePlayFunction | None = None) -> Backend:
    """Return a backend that plays `pieces` pieces, with `play_function` or the fastest one for the agent."""
    settings = EngineSettings.from_agents([make_engine_agent(load_weighted_agent(agent))], Rules.parse(rules))
    function = play_function or select_fastest_play(settings)
    return Backend(function, lambda: function(make_games(_GAMES_PER_BACKEND, 1), settings, pieces))


def measure_rate(play: Callable[[], int]) -> float:
    """Measure the pieces per second of a backend."""
    start = time.perf_counter()
    placed = 0
    while time.perf_counter() - start < _MEASURE_SECONDS:
        placed += play()
    return placed / (time.perf_counter() - start)
