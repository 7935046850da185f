"""Tests of the compiler: functions are compiled once for all threads and processes, and again after an edit."""

import os
import pickle
import re
import shutil
import signal
import subprocess
import sys
import traceback
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from types import SimpleNamespace

import numpy as np
import pytest

from tests.engine.engine_calls import RARE_FUNCTIONS, list_engine_calls
from tetrion import engine
from tetrion.engine import code_cache, compile_notice, compiler
from tetrion.engine.code_cache import compute_checksum
from tetrion.engine.compile_notice import describe_time_left, get_compilations
from tetrion.engine.compiler import CompiledFunction, compile_entry_with_memory, define_function, plan_compilation
from tetrion.engine.scalar_or_simd import Array

SOURCE = Path(compiler.__file__).parents[1]
PROGRAM = """
import os
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

if "WITHOUT_SPACE" in os.environ:  # no file can be written, as on a full disk or in a read-only folder
    import resource
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))

from tetrion.engine.bitboard import remove_row
from tetrion.engine.compiler import compile_entry
from tetrion.engine.numba_internals import report_compilation

THREADS = 16
barrier = threading.Barrier(THREADS)

@compile_entry(seconds=100)  # so that it is announced on every machine
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
ANNOUNCEMENT = "Compiling the engine (about N s, first use only).\n"


skip_on_windows = pytest.mark.skipif(sys.platform == "win32", reason="Windows does not limit the size of files")


@pytest.fixture
def package_copy(tmp_path: Path) -> Path:
    """Copy the package to a folder in which it can be edited, beside the program."""
    shutil.copytree(SOURCE, tmp_path / "tetrion", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "program.py").write_text(PROGRAM, encoding="utf-8")
    return tmp_path


def start_program(folder: Path, program: str = "program.py", **variables: str) -> subprocess.Popen[str]:
    """Start a program in a new process."""
    environment = os.environ | {"PYTHONPATH": str(folder), "TETRION_CACHE_DIR": str(folder / "cache")} | variables
    command = [sys.executable, program]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, env=environment, cwd=folder, stdout=pipe, stderr=pipe, text=True)


def run_program(folder: Path, **variables: str) -> tuple[str, str]:
    """Run the program to its end; return its output, and its messages with N as the estimated seconds."""
    output, errors = start_program(folder, **variables).communicate()
    return output, mask_seconds(errors)


def mask_seconds(text: str) -> str:
    """Return a text with N for the estimated seconds, which depend on the speed of the machine."""
    return re.sub(r"about \d+ s", "about N s", text)


def test_later_process_loads_the_cache_and_an_edit_recompiles(package_copy: Path) -> None:
    assert run_program(package_copy) == (COMPILED, ANNOUNCEMENT)  # by one of its threads
    assert run_program(package_copy) == (LOADED, "")

    for file in (package_copy / "cache").rglob("*.lock"):
        file.unlink()
        file.mkdir()  # cannot be opened
    assert run_program(package_copy) == (LOADED, "")

    source = package_copy / "tetrion" / "engine" / "bitboard.py"
    text = source.read_text(encoding="utf-8")
    edited = text.replace("return (column & low) | ((column >> 1) & ~low)", "return column")
    assert edited != text
    source.write_text(edited, encoding="utf-8")
    assert run_program(package_copy) == (COMPILED.replace("0b111", "0b1101"), ANNOUNCEMENT)


def test_one_of_two_processes_compiles_and_the_other_waits(package_copy: Path) -> None:
    processes = [start_program(package_copy, NUMBA_CACHE_LOCATOR_CLASSES="Bogus") for _ in range(2)]  # it is not used
    outputs = [process.communicate()[0] for process in processes]
    assert sorted(outputs) == [COMPILED, LOADED]


@pytest.mark.skipif(sys.platform == "win32", reason="processes cannot be suspended on Windows")
def test_waiting_is_announced_and_ends_if_the_compiling_process_is_killed(package_copy: Path) -> None:
    processes = []
    for _ in range(2):
        process = start_program(package_copy)
        processes.append(process)
        assert process.stderr is not None
        assert mask_seconds(process.stderr.readline()) == ANNOUNCEMENT
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
    assert {entry.__name__ for entry in entries if not entry.signatures} <= set(RARE_FUNCTIONS)


def find_code_file(folder: Path) -> Path:
    """Return the only file of compiled code in the cache of the program."""
    (file,) = (folder / "cache").glob("*/*.remove_second_row-*")
    return file


def test_damaged_code_is_compiled_again(package_copy: Path) -> None:
    assert run_program(package_copy) == (COMPILED, ANNOUNCEMENT)
    file = find_code_file(package_copy)
    intact = file.read_bytes()
    middle = len(intact) // 2
    flipped = bytes([intact[middle] ^ 4])
    other_version = pickle.dumps("no code of Numba")
    for damaged in (
        intact[:middle] + flipped + intact[middle + 1 :],
        compute_checksum(file.name, other_version) + other_version,
    ):
        assert damaged != intact
        file.write_bytes(damaged)
        assert run_program(package_copy) == (COMPILED, ANNOUNCEMENT)
        assert find_code_file(package_copy) == file, "nothing else is left there"
    assert run_program(package_copy) == (LOADED, "")
    if sys.platform != "win32":
        assert run_program(package_copy, WITHOUT_SPACE="1") == (LOADED, ""), "loaded from a full disk"


@skip_on_windows
def test_code_that_cannot_be_stored_is_used_after_one_message(package_copy: Path) -> None:
    output, errors = run_program(package_copy, WITHOUT_SPACE="1")
    assert output == COMPILED
    announcement, message = errors.splitlines(keepends=True)
    assert announcement == ANNOUNCEMENT
    assert str(package_copy / "cache") in message
    assert "cannot be stored" in message
    assert "Set TETRION_CACHE_DIR" in message
    assert [path.suffix for path in (package_copy / "cache").glob("*/*")] == [".lock"], "no remains of the writing"


def test_cache_folder_that_cannot_be_created_is_reported_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("in the way", encoding="utf-8")
    monkeypatch.setattr(code_cache, "get_cache_folder", lambda: blocked / "hash")
    monkeypatch.setenv("TETRION_CACHE_DIR", str(blocked))
    monkeypatch.setattr(code_cache, "_unstored_code_messages", [])
    function: CompiledFunction[[int], int] = CompiledFunction(add_one_slowly, seconds=1)
    assert function(1) == 2
    assert function(True) == 2  # a second combination of types
    (message,) = capsys.readouterr().err.splitlines()
    assert f"cannot be stored in {blocked} (Not a directory)" in message
    assert not function.is_cached


@pytest.mark.parametrize(("name", "value"), [("NUMBA_DISABLE_JIT", "1"), ("NUMBA_NUM_THREADS", "two")])
def test_variables_that_prevent_compilation_are_reported_in_one_line(name: str, value: str) -> None:
    command = [sys.executable, "-m", "tetrion", "bench", "du", "--games", "1"]
    completed = subprocess.run(command, env=os.environ | {name: value}, capture_output=True, text=True)
    assert completed.returncode == 2
    (message,) = completed.stderr.splitlines()
    assert message.startswith(f"Error: The environment variable {name} ")
    assert "nset" in message


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


@pytest.fixture
def slow_parts(monkeypatch: pytest.MonkeyPatch) -> list[CompiledFunction[[int], int]]:
    """Make two functions whose compilations take no time but are announced as 40 and 80 s, on a machine as expected."""
    for name in ("_compilations", "_nominal_seconds", "_slowness", "_displays", "_was_announced"):
        value = getattr(compile_notice, name)
        monkeypatch.setattr(compile_notice, name, type(value)())
    monkeypatch.setattr(compile_notice, "measure_slowness", lambda: 0.5)
    functions = []
    for function, seconds in ((add_one_slowly, 40), (add_two_slowly, 80)):
        part: CompiledFunction[[int], int] = CompiledFunction(function, seconds=seconds)
        name = function.__name__
        monkeypatch.setattr(part, "_compile_or_load", lambda _, part=part, name=name: part.announce_compilation(name))
        functions.append(part)
    return functions


def test_one_notice_announces_all_planned_parts(
    slow_parts: list[CompiledFunction[[int], int]], capsys: pytest.CaptureFixture[str]
) -> None:
    plan_compilation(slow_parts)
    for part in slow_parts:
        part._compile_once(None)
    assert capsys.readouterr().err == ANNOUNCEMENT.replace("N", "60"), "half of 120 s, because this machine is fast"


def test_compilations_under_way_are_described_and_learned_from(
    slow_parts: list[CompiledFunction[[int], int]],
) -> None:
    refreshes: list[str] = []
    with compile_notice.display_compilation(lambda: refreshes.append(describe_time_left())):
        plan_compilation(slow_parts)
        part, other = slow_parts
        part.announce_compilation("another_function")
        assert get_compilations() == []
        part.announce_compilation("add_one_slowly")
        (compilation,) = get_compilations()
        assert (compilation.name, round(compilation.seconds_left)) == ("add one slowly", 20)
        assert 0 <= compilation.share < 0.1
        assert compilation._replace(start=compilation.start - 100).share == 0.95
        assert compilation._replace(start=compilation.start - 100).seconds_left == 0
        part._compile_once(None)
        assert get_compilations() == []
        other.announce_compilation("add_two_slowly")
        (compilation,) = get_compilations()
        assert 20 <= compilation.seconds < 21, "the first took no time, so the second is expected to be faster"
    assert refreshes == ["about 60 s left", "", "about 20 s left"]


def test_notice_is_not_red_in_notebooks(
    slow_parts: list[CompiledFunction[[int], int]],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    shell = SimpleNamespace(kernel=None)
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
    slow_parts[0]._compile_once(None)
    assert capsys.readouterr() == (ANNOUNCEMENT.replace("N", "20"), "")


def add_two_slowly(number: int) -> int:
    """Return the number plus two."""
    return number + 2


def add_one_slowly(number: int) -> int:
    """Return the number plus one."""
    return number + 1


# Functions made from generated source code.


def test_traceback_shows_the_generated_source() -> None:
    functions = [define_function("fail", f"def fail():\n    return {number} / 0", {}) for number in range(2)]
    for number, function in enumerate(functions):
        with pytest.raises(ZeroDivisionError) as error:
            function()
        assert f"return {number} / 0" in "".join(traceback.format_exception(error.value))
