"""Programs that run on CUDA's simulator, in a process of their own: it replaces the GPU when Numba is loaded."""

import os
import subprocess
import sys
from types import SimpleNamespace

import numba.cuda
import pytest

# Few threads a block, so that few games are more than those that go on at a time.
PREAMBLE = """
import numpy as np
from tetrion.engine import cuda

np.seterr(over="ignore")
cuda.THREADS_PER_BLOCK = cuda.play_by_team.threads_per_game = 3
"""


def simulated(program: str, *arguments: str) -> str:
    """What a program prints."""
    environment = os.environ | {"NUMBA_ENABLE_CUDASIM": "1"}
    command = [sys.executable, "-c", PREAMBLE + program, *arguments]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def pretend(monkeypatch: pytest.MonkeyPatch, gpu: bool, problem: str | None = None) -> None:
    """Let there seem to be a GPU, which can be asked its name but not play; or none, for a reason."""
    monkeypatch.setattr(numba.cuda, "is_available", lambda: gpu)
    monkeypatch.setattr(numba.cuda, "cuda_error", lambda: problem)
    monkeypatch.setattr(numba.cuda, "current_context", lambda: SimpleNamespace(device=SimpleNamespace(name=b"Fast")))
