"""Checkpoints with valid checksums and hostile values: training continues, or a `TetrionError` names the run.

Every case is really resumed until the end of its run, in a child process, because compiled code that is given invalid
indices may end the process. `python -m tests.fuzzing.test_checkpoint_values FOLDER SEED` repeats a case with the runs
in FOLDER, which are made if it does not exist.
"""

import os
import shutil
import subprocess
import sys
import traceback
import warnings
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from tests.fuzzing.checkpoint_values import RUNS, make_runs, write_case
from tetrion.errors import TetrionError
from tetrion.training.trainer import resume

CASES = 40
SLOW_CASES = 8000
_BATCH = 200  # cases of a child process
_BATCH_SECONDS = 600
_CASE_PREFIX = "case "
_PROBLEM_PREFIX = "problem "
_END = "end"
# Memory that is freed or not yet written is filled, so that wrong accesses have consequences.
_ENVIRONMENT = {"MALLOC_PERTURB_": "165", "PYTHONFAULTHANDLER": "1"}


def check_case(runs: Path, seed: int) -> str:
    """Resume the run of a case; return what is wrong with the outcome, or nothing."""
    target = runs.parent / "case"
    shutil.rmtree(target, ignore_errors=True)
    description = write_case(runs, target, seed)
    try:
        with warnings.catch_warnings(record=True):
            resume(target, workers=1, allow_other_versions=True)
    except TetrionError as error:
        if str(target) not in str(error):
            return f"{seed}, {description}: the message does not name the run: {error}"
    except BaseException:
        return f"{seed}, {description}: {traceback.format_exc()}"
    return ""


def run_cases(runs: Path, seeds: Sequence[int]) -> None:
    """Check cases in this process, and print the seed of each before it and its problem after it."""
    for seed in seeds:
        print(f"{_CASE_PREFIX}{seed}", flush=True)
        if problem := check_case(runs, seed):
            print(_PROBLEM_PREFIX + problem.replace("\n", "\\n"), flush=True)
    print(_END, flush=True)


def find_problems(runs: Path, first: int, end: int) -> list[str]:
    """Check cases in child processes; return the problems of all of them, and the cases that end a process."""
    problems: list[str] = []
    while first < end:
        seeds = (str(first), str(min(first + _BATCH, end)))
        command = [sys.executable, "-m", __name__, str(runs), *seeds]
        try:
            child = subprocess.run(
                command, capture_output=True, text=True, timeout=_BATCH_SECONDS, env=os.environ | _ENVIRONMENT
            )
            output, ending = child.stdout, f"exit code {child.returncode}: {child.stderr[-2000:]}"
        except subprocess.TimeoutExpired as error:
            output, ending = (error.stdout or b"").decode(), "it did not end in time"
        lines = output.splitlines()
        problems += [line for line in lines if line.startswith(_PROBLEM_PREFIX)]
        first = int(seeds[1])
        if _END not in lines:
            last = [line for line in lines if line.startswith(_CASE_PREFIX)]
            problems.append(f"{last[-1] if last else seeds}: {ending}")
            first = int(last[-1].removeprefix(_CASE_PREFIX)) + 1 if last else first
    return problems


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("checkpoints") / "runs"
    make_runs(folder, list(RUNS))
    return folder


def test_hostile_values(runs: Path) -> None:
    """Check a sample of the cases."""
    assert find_problems(runs, 0, CASES) == []


@pytest.mark.slow
def test_many_hostile_values(runs: Path) -> None:
    """Check 8,000 cases."""
    assert find_problems(runs, 1000, 1000 + SLOW_CASES) == []


def main() -> None:
    """Check the cases of the seeds in the command line."""
    np.seterr(all="ignore")
    folder = Path(sys.argv[1])
    if not folder.exists():
        make_runs(folder, list(RUNS))
    first, *end = map(int, sys.argv[2:])
    run_cases(folder, range(first, end[0] if end else first + 1))


if __name__ == "__main__":
    main()
