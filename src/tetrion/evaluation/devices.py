"""Games on an NVIDIA GPU: all of them at once, in slices, and the same to the bit as on the CPU."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

import numpy as np

from tetrion.engine.play import GAME, OVER, Games, Setting
from tetrion.errors import DeviceError
from tetrion.evaluation.turns import FIRST_SLICE, next_budget
from tetrion.evaluation.watching import Watch
from tetrion.evaluation.workers import Workers

DEVICES = ("cpu", "cuda")
MAKERS = ("numba.cuda", "numba_cuda", "cuda")  # packages whose errors are CUDA's
SHOWING = 20  # times as long as bringing games here to be looked at takes, they then go on unseen
INSTALL = 'Install it: pip install "tetrion[gpu]"'
INSTEAD = "Or play on the CPU: leave the device away."
REMEDIES = {
    "OUT_OF_MEMORY": "Its memory is full: play fewer games, or end other programs that use it.",
    "": "Its driver may not fit the CUDA toolkit that is installed: `nvidia-smi` tells the newest CUDA that the driver "
    f"knows. Update the driver, or the toolkit. {INSTALL}",
}


class Gpu(Workers):
    """The GPU of this machine."""

    def __init__(self) -> None:
        with understood():
            self.engine, self.words = engine(), f"GPU {name_of_gpu()}"

    @property
    def count(self) -> int:
        """One, which plays all games at a time."""
        return 1

    @property
    def here(self) -> bool:
        """It shares no memory with this process."""
        return False

    def check(self, setting: Setting) -> None:
        """Make sure that a GPU can play by a setting."""
        self.engine.kernels_for(setting)

    def prepare(self, setting: Setting) -> None:
        """Compile or load what games by this setting need."""
        if not all(kernel.ready for kernel in self.engine.kernels_for(setting)):
            ended = np.zeros(1, GAME)
            ended["status"] = OVER
            self.play(ended, setting)

    def play(self, games: Games, setting: Setting, progress: Watch | None = None) -> bool:
        """Play all games to their ends, in place; tells whether Ctrl-C stopped them."""
        if not len(games):
            return False
        with understood():
            table = self.engine.Table(games, setting)
            try:
                play_table(table, games, progress)
            except KeyboardInterrupt:
                return True
            finally:
                table.fetch()
        if progress:
            progress(games)
        return False


def play_table(table: Any, games: Games, progress: Watch | None) -> None:
    """Play games on the GPU slice by slice; they are brought here to be looked at as often as that takes little."""
    budget, shown = FIRST_SLICE, 0.0
    while table.going:
        start = time.perf_counter()
        table.play(budget)
        budget = next_budget(budget, time.perf_counter() - start)
        if progress and time.perf_counter() >= shown:
            start = time.perf_counter()
            table.fetch()
            progress(games)
            shown = time.perf_counter() + SHOWING * (time.perf_counter() - start)


def gpu() -> Workers:
    """The NVIDIA GPU of this machine, as `device="cuda"` uses it; an error says what is missing."""
    return Gpu()


def engine() -> Any:
    """The engine's part for GPUs, if what it needs is installed."""
    try:
        return import_module("tetrion.engine.cuda")
    except ImportError as problem:
        raise DeviceError(f"The device cuda needs numba-cuda, which cannot be loaded: {problem}. {INSTALL}") from None


def name_of_gpu() -> str:
    """What the GPU calls itself, if CUDA can use one."""
    cuda = import_module("numba.cuda")
    if not cuda.is_available():
        if problem := cuda.cuda_error():
            told = " ".join(problem.split()).partition(". ")[0].rstrip(".")
            raise DeviceError(
                f"The device cuda is an NVIDIA GPU with its driver; none can be used here: {told}. "
                f"See what `nvidia-smi` says. {INSTEAD}"
            )
        raise DeviceError(f"The device cuda needs CUDA's compiler, which is not installed here. {INSTALL}")
    name = getattr(cuda.current_context().device, "name", "of CUDA's simulator")
    return name.decode() if isinstance(name, bytes) else str(name)


@contextmanager
def understood() -> Iterator[None]:
    """Say what CUDA's errors mean for a person."""
    try:
        yield
    except Exception as problem:
        if not type(problem).__module__.startswith(MAKERS):
            raise
        told = " ".join(str(problem).split())
        remedy = next(remedy for cause, remedy in REMEDIES.items() if cause in told)
        raise DeviceError(f"The GPU refuses: {told.rstrip('.')}. {remedy} {INSTEAD}") from None
