"""Mutated files of every format: each one loads, or raises a `TetrionError` that names the file, in time and memory.

A failure names the seed of its case; `python -m tests.fuzzing.test_fuzzing FAMILY SEED` repeats it.
"""

import resource
import signal
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from random import Random

import pytest

from tests.fuzzing.formats import FORMAT_FAMILIES, FuzzTarget, make_targets
from tests.fuzzing.mutations import mutate
from tetrion.errors import TetrionError
from tetrion.text_cleaning import clean_text

CASES = 120
SLOW_CASES = 100_000
MAX_SECONDS = 2.0  # of processor time, which does not depend on other programs
HANG_SECONDS = 60
MAX_BYTES = 500_000_000


@contextmanager
def end_hanging_calls() -> Iterator[None]:
    """Raise a TimeoutError in code that hangs, such as one that waits for a pipe."""

    def stop(number: int, frame: object) -> None:
        raise TimeoutError("the file was not read in time")

    previous = signal.signal(signal.SIGALRM, stop)
    signal.alarm(HANG_SECONDS)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, previous)


def reset_peak_memory() -> int:
    """Begin to measure the largest memory that this process uses (on Linux); return the memory in use now, in bytes."""
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    return get_peak_memory()


def get_peak_memory() -> int:
    """Return the largest memory that this process has used, in bytes."""
    with suppress(OSError):
        status = Path("/proc/self/status").read_text("ascii")
        return int(status.partition("VmHWM:")[2].split()[0]) * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def check_case(target: FuzzTarget) -> str:
    """Open the present content of a file; return what is wrong with the outcome, or nothing."""
    memory = reset_peak_memory()
    start = time.process_time()
    try:
        with end_hanging_calls():
            target.open()
    except TetrionError as error:
        if clean_text(target.path.name) not in str(error) and target.path.parent.name not in str(error):
            return f"the message does not name the file: {error}"
    except (Exception, SystemExit) as error:
        return f"{type(error).__name__}: {error}"[:500]
    if (seconds := time.process_time() - start) > MAX_SECONDS:
        return f"it took {seconds:.1f} seconds"
    if (used := get_peak_memory() - memory) > MAX_BYTES:
        return f"it took {used:,} bytes"
    return ""


def run_case(targets: Sequence[FuzzTarget], seed: int) -> str:
    """Mutate one of the files and open it; return what is wrong with the outcome, or nothing."""
    random = Random(seed)
    target = random.choice(targets)
    content = mutate(target.original, random)
    target.path.write_bytes(content)
    problem = check_case(target)
    target.path.write_bytes(target.original)
    return f"case {seed}, {target.path.name}: {problem}\n{content[:300]!r}" if problem else ""


def find_problems(family: str, folder: Path, seeds: Sequence[int]) -> list[str]:
    """Return the problems of the first ten failing cases of a family."""
    targets = make_targets(family, folder)
    problems = [problem for target in targets if (problem := check_case(target)) and "Python code" not in problem]
    for seed in seeds:
        if problem := run_case(targets, seed):
            problems.append(problem)
        if len(problems) >= 10:
            break
    return problems


@pytest.mark.parametrize("family", FORMAT_FAMILIES)
def test_mutated_files(family: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Check a sample of the mutated files."""
    monkeypatch.chdir(tmp_path)
    keep_folders(monkeypatch)
    assert find_problems(family, tmp_path, range(CASES)) == []


@pytest.mark.slow
@pytest.mark.parametrize("family", FORMAT_FAMILIES)
def test_many_mutated_files(family: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Check 100,000 mutated files of each family."""
    monkeypatch.chdir(tmp_path)
    keep_folders(monkeypatch)
    assert find_problems(family, tmp_path, range(1000, 1000 + SLOW_CASES)) == []


def keep_folders(monkeypatch: pytest.MonkeyPatch) -> None:
    """Restore the user's folders, which a family sets, after the test."""
    monkeypatch.setenv("TETRION_CONFIG_DIR", "config")
    monkeypatch.setenv("TETRION_DATA_DIR", "data")


def test_every_kind_of_problem_is_found(tmp_path: Path) -> None:
    """Check the harness itself: wrong exceptions, silent messages and slow reading are failures."""

    def fail_without_name() -> None:
        raise TetrionError("something is wrong")

    def fail_with_name() -> None:
        raise TetrionError(f"{tmp_path / 'file'}: something is wrong")

    def fail_wrongly() -> None:
        raise KeyError("x")

    def exit_process() -> None:
        raise SystemExit(1)

    def wait() -> None:
        end = time.process_time() + MAX_SECONDS + 0.1
        while time.process_time() < end:
            pass

    def flood() -> None:
        size = MAX_BYTES + 100_000_000
        bytearray(size)[::4096] = b"x" * len(range(0, size, 4096))

    problems = [
        check_case(FuzzTarget(tmp_path / "file", b"", function))
        for function in (fail_without_name, fail_wrongly, exit_process, wait, flood, flood, fail_with_name, int)
    ]
    assert [bool(problem) for problem in problems] == [True] * 6 + [False] * 2


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as temporary_folder:
        print(run_case(make_targets(sys.argv[1], Path(temporary_folder)), int(sys.argv[2])) or "no problem")
