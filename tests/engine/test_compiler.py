"""Tests of the compiler: functions are compiled once for all threads and processes, and again after an edit."""

import os
import shutil
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages

import numpy as np
import pytest

from tests.engine.engine_calls import list_engine_calls
from tetrion import engine
from tetrion.engine import compiler
from tetrion.engine.compiler import Compilation, CompiledFunction, compile_entry_with_memory, get_compilations
from tetrion.engine.realtime import prepare_next_piece
from tetrion.engine.scalar_or_simd import Array
from tetrion.game import Game

SOURCE = Path(compiler.__file__).parents[1]
PROGRAM = """
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

from tetrion.engine.bitboard import remove_row
from tetrion.engine.compiler import _MIN_ANNOUNCED_SECONDS, compile_entry, report_compilation

THREADS = 16
barrier = threading.Barrier(THREADS)

@compile_entry(seconds=_MIN_ANNOUNCED_SECONDS)
def remove_second_row(column):
    return remove_row(column, 1)

def call_in_all_threads(column):
    barrier.wait()
    return remove_second_row(column)

def compile_for_a_second(name):
    if name == "remove_second_row":
        time.sleep(1)

sys.setswitchinterval(1e-5)  # so that all threads call the function before it is compiled
with report_compilation(compile_for_a_second), ThreadPoolExecutor(THREADS) as pool:
    columns = set(pool.map(call_in_all_threads, THREADS * [0b1101]))
stats = remove_second_row.dispatcher.stats
print("loaded", sum(stats.cache_hits.values()), "compiled", sum(stats.cache_misses.values()), *map(bin, columns))
"""
COMPILED = "loaded 0 compiled 1 0b111\n"
LOADED = "loaded 1 compiled 0 0b111\n"
ANNOUNCEMENT = "Compiling this part of the engine (about 5 s, first use only).\n"


@pytest.fixture
def package_copy(tmp_path: Path) -> Path:
    """Copy the package to a folder in which it can be edited, beside the program."""
    shutil.copytree(SOURCE, tmp_path / "tetrion", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "program.py").write_text(PROGRAM, encoding="utf-8")
    return tmp_path


def start_program(folder: Path) -> subprocess.Popen[str]:
    """Start the program in a new process."""
    environment = os.environ | {"PYTHONPATH": str(folder), "TETRION_CACHE_DIR": str(folder / "cache")}
    command = [sys.executable, "program.py"]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, env=environment, cwd=folder, stdout=pipe, stderr=pipe, text=True)


def test_later_process_loads_the_cache_and_an_edit_recompiles(package_copy: Path) -> None:
    assert start_program(package_copy).communicate() == (COMPILED, ANNOUNCEMENT)  # by one of its threads
    assert start_program(package_copy).communicate() == (LOADED, "")

    for file in (package_copy / "cache").rglob("*.nbc"):
        file.write_bytes(file.read_bytes()[:1000])
    for file in (package_copy / "cache").rglob("*.lock"):
        file.unlink()
        file.mkdir()  # cannot be opened
    assert start_program(package_copy).communicate() == (COMPILED, ANNOUNCEMENT)

    source = package_copy / "tetrion" / "engine" / "bitboard.py"
    text = source.read_text(encoding="utf-8")
    edited = text.replace("return (column & low) | ((column >> 1) & ~low)", "return column")
    assert edited != text
    source.write_text(edited, encoding="utf-8")
    assert start_program(package_copy).communicate() == (COMPILED.replace("0b111", "0b1101"), ANNOUNCEMENT)


def test_one_of_two_processes_compiles_and_the_other_waits(package_copy: Path) -> None:
    processes = [start_program(package_copy) for _ in range(2)]
    outputs = [process.communicate()[0] for process in processes]
    assert sorted(outputs) == [COMPILED, LOADED]


@pytest.mark.skipif(sys.platform == "win32", reason="processes cannot be suspended on Windows")
def test_waiting_is_announced_and_ends_if_the_compiling_process_is_killed(package_copy: Path) -> None:
    processes = []
    for _ in range(2):
        process = start_program(package_copy)
        processes.append(process)
        assert process.stderr is not None
        assert process.stderr.readline() == ANNOUNCEMENT
        process.send_signal(signal.SIGSTOP)
    first, second = processes
    first.kill()
    first.communicate()
    second.send_signal(signal.SIGCONT)
    assert second.communicate()[0] == COMPILED


def test_engine_calls_compile_every_entry_point() -> None:
    for call in list_engine_calls():
        call()
    modules = [import_module(module.name) for module in walk_packages(engine.__path__, "tetrion.engine.")]
    values = [value for module in modules for value in vars(module).values()]
    entries = {value.dispatcher for value in values if isinstance(value, CompiledFunction)}
    assert len(entries) > 10
    assert [entry.__name__ for entry in entries if not entry.signatures] == []


def test_cache_folder_that_cannot_be_written_is_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("in the way", encoding="utf-8")
    monkeypatch.setenv("TETRION_CACHE_DIR", str(blocked))
    monkeypatch.setenv("XDG_CACHE_HOME", str(blocked))
    monkeypatch.setenv("HOME", str(blocked))
    monkeypatch.setenv("LOCALAPPDATA", str(blocked))
    folder = compiler.get_cache_folder.__wrapped__()
    assert folder.is_dir()
    assert blocked not in folder.parents


@compile_entry_with_memory(np.dtype([("calls", np.int64), ("numbers", np.int64, 1000)]), seconds=1)
def count_calls(memory: Array, numbers: Array) -> int:
    """Return how often the function has been called with this memory, plus the first of the numbers."""
    record = memory[0]
    record.calls += 1
    record.numbers[0] = numbers[0]
    return int(record.calls + record.numbers[0])


def test_scratch_memory_is_allocated_once_per_thread() -> None:
    numbers = np.array([10, 20])
    assert [count_calls(numbers) for _ in range(3)] == [11, 12, 13]
    with ThreadPoolExecutor(1) as pool:
        assert [pool.submit(count_calls, numbers).result() for _ in range(2)] == [11, 12]
    memory = np.zeros(1, count_calls.memory_dtype)
    assert count_calls.call_with_memory(memory, numbers) == 11
    assert memory[0]["numbers"][:2].tolist() == [10, 0]
    assert count_calls(numbers) == 14


def test_functions_with_scratch_memory_do_not_count_references() -> None:
    count_calls(np.array([10, 20]))
    count_calls.dispatcher.recompile()  # the code of a function from the cache cannot be inspected
    (code,) = count_calls.dispatcher.inspect_llvm().values()
    assert "count_calls" in code
    assert "NRT_" not in code


@pytest.mark.parametrize("size", [1, 8, 100, 4096, 2_000_003])
def test_scratch_memory_starts_at_a_cache_line(size: int) -> None:
    memory = compiler.allocate_memory(np.dtype([("bytes", np.uint8, size)]))
    assert memory.ctypes.data % compiler.MEMORY_ALIGNMENT == 0
    assert memory.shape == (1,)
    assert not memory[0]["bytes"].any()


def test_compilations_under_way_are_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiler, "_relative_durations", [1.0])
    function: CompiledFunction[[int], int] = CompiledFunction(add_one_slowly, seconds=40)
    seen: list[list[Compilation]] = []

    def compile_and_look(signature: object) -> int:
        function.announce_compilation("another_function")
        seen.append(get_compilations())
        function.announce_compilation("add_one_slowly")
        seen.append(get_compilations())
        return 7

    monkeypatch.setattr(function, "_compile_or_load", compile_and_look)
    assert function._compile_once(None) == 7
    assert seen[0] == []
    (compilation,) = seen[1]
    assert compilation.name == "add one slowly"
    assert compilation.seconds_left == 40
    assert 0 <= compilation.share < 0.1
    assert compilation._replace(start=compilation.start - 100).share == 0.95
    assert compilation._replace(start=compilation.start - 100).seconds_left == 0
    assert get_compilations() == []
    assert 0 < compiler._relative_durations.pop() < 0.1, "the next one is expected to be as fast"


def test_function_is_cached_after_its_first_call() -> None:
    Game("standard")
    assert prepare_next_piece.is_cached
    assert not CompiledFunction(add_one_slowly, seconds=1).is_cached


def add_one_slowly(number: int) -> int:
    """Return the number plus one."""
    return number + 1
