"""Programs that run on CUDA's simulator, in a process of their own: it replaces the GPU when Numba is loaded."""

import os
import subprocess
import sys

# Few threads a block, so that few games are more than those that go on at a time.
PREAMBLE = """
import numpy as np
from tetrion.engine import cuda

np.seterr(over="ignore")
cuda.THREADS = cuda.play_together.team = 3
"""


def simulated(program: str, *arguments: str) -> str:
    """What a program prints."""
    environment = os.environ | {"NUMBA_ENABLE_CUDASIM": "1"}
    command = [sys.executable, "-c", PREAMBLE + program, *arguments]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout
