"""Programs on the CUDA simulator, which run in a separate process because it replaces the GPU when Numba is loaded."""

import os
import subprocess
import sys
from types import SimpleNamespace

import numba.cuda
import pytest

# With few threads per warp, even a few games are more than those that are played at the same time.
PREAMBLE = """
import numpy as np
from contextlib import ExitStack
from numba.cuda.simulator import kernel
from tetrion.engine.gpu import kernels

kernels.WARP_SIZE = 3
from tetrion.engine.gpu import play


def simulate_in_all_modules(function, simulated_cuda):
    "The simulator itself replaces CUDA only in the module of the kernel."
    stack = ExitStack()
    for called in (function, kernels.add_atomically, play.score_share, play.find_slot):
        stack.enter_context(replace_cuda(called, simulated_cuda))
    return stack


replace_cuda, kernel.swapped_cuda_module = kernel.swapped_cuda_module, simulate_in_all_modules
np.seterr(over="ignore")
"""


def run_on_simulator(program: str, *arguments: str) -> str:
    """Run a program on the CUDA simulator and return its standard output."""
    environment = os.environ | {"NUMBA_ENABLE_CUDASIM": "1"}
    command = [sys.executable, "-c", PREAMBLE + program, *arguments]
    completed = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert completed.returncode == 0, completed.stderr
    return completed.stdout


def fake_gpu(monkeypatch: pytest.MonkeyPatch, gpu: bool, problem: str | None = None) -> None:
    """Simulate a GPU that has a name but cannot play, or no GPU, with a problem that CUDA reports."""
    monkeypatch.setattr(numba.cuda, "is_available", lambda: gpu)
    monkeypatch.setattr(numba.cuda, "cuda_error", lambda: problem)
    monkeypatch.setattr(numba.cuda, "current_context", lambda: SimpleNamespace(device=SimpleNamespace(name=b"Fast")))
