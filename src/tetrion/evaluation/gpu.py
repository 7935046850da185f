"""Games on an NVIDIA GPU: all of them at once, in slices, and the same to the bit as on the CPU."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

import numpy as np

from tetrion.engine.batch_play import GAME_DTYPE, STATUS_OVER, EngineSettings, GameRecords
from tetrion.errors import DeviceError
from tetrion.evaluation.games_observer import GamesObserver
from tetrion.evaluation.worker_tasks import FIRST_SLICE_PIECES, compute_next_budget
from tetrion.evaluation.workers import Workers

DEVICES = ("cpu", "cuda")
CUDA_PACKAGES = ("numba.cuda", "numba_cuda", "cuda")  # packages whose errors are CUDA's
FETCH_INTERVAL_FACTOR = 20  # times as long as bringing games here to be looked at takes, they then go on unseen
INSTALL_HINT = 'Install it: pip install "tetrion[gpu]"'
USE_CPU_HINT = "Or play on the CPU: leave the device away."
CUDA_REMEDIES = {
    "OUT_OF_MEMORY": "Its memory is full: play fewer games, or end other programs that use it.",
    "": "Its driver may not fit the CUDA toolkit that is installed: `nvidia-smi` tells the newest CUDA that the driver "
    f"knows. Update the driver, or the toolkit. {INSTALL_HINT}",
}


class GpuWorkers(Workers):
    """The GPU of this machine."""

    def __init__(self) -> None:
        with translate_cuda_errors():
            self.cuda_engine = import_cuda_engine()
            self.description = f"GPU {get_gpu_name()}"

    @property
    def count(self) -> int:
        """One, which plays all games at a time."""
        return 1

    @property
    def is_local(self) -> bool:
        """It shares no memory with this process."""
        return False

    def check_settings(self, setting: EngineSettings) -> None:
        """Make sure that a GPU can play by a setting."""
        self.cuda_engine.kernels_for(setting)

    def prepare(self, setting: EngineSettings) -> None:
        """Compile or load what games by this setting need."""
        if not all(kernel.ready for kernel in self.cuda_engine.kernels_for(setting)):
            ended = np.zeros(1, GAME_DTYPE)
            ended["status"] = STATUS_OVER
            self.play(ended, setting)

    def play(self, games: GameRecords, setting: EngineSettings, on_progress: GamesObserver | None = None) -> bool:
        """Play all games to their ends, in place; tells whether Ctrl-C stopped them."""
        if not len(games):
            return False
        with translate_cuda_errors():
            table = self.cuda_engine.Table(games, setting)
            try:
                play_on_gpu(table, games, on_progress)
            except KeyboardInterrupt:
                return True
            finally:
                table.copy_to_host()
        if on_progress:
            on_progress(games)
        return False


def play_on_gpu(table: Any, games: GameRecords, on_progress: GamesObserver | None) -> None:
    """Play games on the GPU slice by slice; they are brought here to be looked at as often as that takes little."""
    budget, shown = FIRST_SLICE_PIECES, 0.0
    while table.running_count:
        start = time.perf_counter()
        table.play(budget)
        budget = compute_next_budget(budget, time.perf_counter() - start)
        if on_progress and time.perf_counter() >= shown:
            start = time.perf_counter()
            table.copy_to_host()
            on_progress(games)
            shown = time.perf_counter() + FETCH_INTERVAL_FACTOR * (time.perf_counter() - start)


def open_gpu() -> Workers:
    """The NVIDIA GPU of this machine, as `device="cuda"` uses it; an error says what is missing."""
    return GpuWorkers()


def import_cuda_engine() -> Any:
    """The engine's part for GPUs, if what it needs is installed."""
    try:
        return import_module("tetrion.engine.cuda")
    except ImportError as problem:
        raise DeviceError(
            f"The device cuda needs numba-cuda, which cannot be loaded: {problem}. {INSTALL_HINT}"
        ) from None


def get_gpu_name() -> str:
    """What the GPU calls itself, if CUDA can use one."""
    cuda = import_module("numba.cuda")
    if not cuda.is_available():
        if problem := cuda.cuda_error():
            told = " ".join(problem.split()).partition(". ")[0].rstrip(".")
            raise DeviceError(
                f"The device cuda is an NVIDIA GPU with its driver; none can be used here: {told}. "
                f"See what `nvidia-smi` says. {USE_CPU_HINT}"
            )
        raise DeviceError(f"The device cuda needs CUDA's compiler, which is not installed here. {INSTALL_HINT}")
    name = getattr(cuda.current_context().device, "name", "of CUDA's simulator")
    return name.decode() if isinstance(name, bytes) else str(name)


@contextmanager
def translate_cuda_errors() -> Iterator[None]:
    """Say what CUDA's errors mean for a person."""
    try:
        yield
    except Exception as problem:
        if not type(problem).__module__.startswith(CUDA_PACKAGES):
            raise
        told = " ".join(str(problem).split())
        remedy = next(remedy for cause, remedy in CUDA_REMEDIES.items() if cause in told)
        raise DeviceError(f"The GPU refuses: {told.rstrip('.')}. {remedy} {USE_CPU_HINT}") from None
