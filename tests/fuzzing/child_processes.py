"""Cases in child processes, because a mistake in compiled code ends the process in which it happens."""

import os
import subprocess
import sys
from collections.abc import Callable

import pytest

PROBLEM = "!"  # the first character of an outcome that is a problem
_BATCH = 250  # cases per process
_BATCH_SECONDS = 1200
# Memory that is freed or not yet written is filled, so that wrong accesses have consequences.
_ENVIRONMENT = {"MALLOC_PERTURB_": "165", "PYTHONFAULTHANDLER": "1"}


def parametrise_cases(sample: int, many: int) -> pytest.MarkDecorator:
    """Run a test with a sample of the cases, and as a slow test with many others."""
    return pytest.mark.parametrize(
        "cases", [range(sample), pytest.param(range(1000, 1000 + many), marks=pytest.mark.slow)], ids=len
    )


def run_cases(module: str, cases: range, *arguments: str) -> list[str]:
    """Return the outcome of each case; one that ends its process is a problem, and another process continues after it.

    The module runs cases as a program, by `print_outcomes`, with these arguments before the range of the cases.
    """
    outcomes: list[str] = []
    while cases:
        part = cases[:_BATCH]
        command = [sys.executable, "-m", module, *arguments, str(part.start), str(part.stop)]
        try:
            done = subprocess.run(
                command, capture_output=True, text=True, timeout=_BATCH_SECONDS, env=os.environ | _ENVIRONMENT
            )
            output, ending = done.stdout, f"exit code {done.returncode}: {done.stderr[-1000:]}"
        except subprocess.TimeoutExpired as error:
            output, ending = (error.stdout or b"").decode(), "it did not end in time"
        ended = [line[1:] for line in output.splitlines() if line.startswith("<")]
        if len(ended) < len(part):
            ended.append(f"{PROBLEM} case {part[len(ended)]} ended its process: {ending}")
        outcomes += ended
        cases = cases[len(ended) :]
    return outcomes


def print_outcomes(run_case: Callable[[int], str]) -> None:
    """Run the cases whose first number and end are the last arguments of the command line, and print the outcomes."""
    for case in range(int(sys.argv[-2]), int(sys.argv[-1])):
        print("<" + run_case(case).replace("\n", "\\n"), flush=True)


def list_problems(outcomes: list[str]) -> list[str]:
    return [outcome for outcome in outcomes if outcome.startswith(PROBLEM)]
