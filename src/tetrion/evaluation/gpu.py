"""Games on an NVIDIA GPU: all games at once, in short time slices; results are bit-identical to those of the CPU."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any

from tetrion.engine.batch_play import EngineSettings
from tetrion.engine.placing import STATUS_OVER
from tetrion.engine.records import GameRecord, GameRecords
from tetrion.errors import DeviceError, UnknownNameError
from tetrion.evaluation.workers import FIRST_SLICE_PIECES, GamesObserver, Workers, compute_next_budget
from tetrion.extras import make_install_command

if TYPE_CHECKING:
    from tetrion.engine.gpu.play import GpuGames

DEVICES = ("cpu", "cuda")
_GPU_NAMES = ("gpu", "nvidia")  # names that are given instead of cuda
CUDA_PACKAGES = ("numba.cuda", "numba_cuda", "cuda")  # packages that define CUDA errors
COPY_INTERVAL_FACTOR = 20  # time between two copies of the games to the host, in multiples of the duration of a copy
INSTALL_HINT = f"Install it: {make_install_command('gpu')}"
USE_CPU_HINT = "Or play on the CPU: omit the device."
CUDA_OUT_OF_MEMORY = 2  # code of an error of the CUDA driver
OUT_OF_MEMORY_HINT = "The memory of the GPU is full: play fewer games, or end other programs that use it."
VERSIONS_HINT = (
    "The driver may not match the installed CUDA toolkit: `nvidia-smi` shows the newest CUDA version that the driver "
    f"supports. Update the driver or the toolkit. {INSTALL_HINT}"
)


def validate_device(device: str) -> str:
    """Return the name of a device; raise an error if it is unknown."""
    if device in DEVICES:
        return device
    if str(device).lower() in _GPU_NAMES:
        raise DeviceError(f"Unknown device '{device}'. Use 'cuda' for an NVIDIA GPU; other GPUs cannot play games.")
    raise UnknownNameError("device", device, DEVICES, listing="The device cuda is an NVIDIA GPU.")


class GpuWorkers(Workers):
    """Workers that play on the GPU of this machine."""

    def __init__(self) -> None:
        with translate_cuda_errors():
            self.cuda_engine = import_cuda_engine()
            self.description = f"GPU {get_gpu_name()}"

    @property
    def count(self) -> int:
        """Always 1: a single task plays all games."""
        return 1

    @property
    def is_local(self) -> bool:
        """Always False: the GPU does not share memory with this process."""
        return False

    def check_settings(self, settings: EngineSettings) -> None:
        """Raise an error if the GPU does not support these engine settings."""
        self.cuda_engine.select_kernels(settings)

    def prepare(self, settings: EngineSettings) -> None:
        """Compile or load the kernels for these engine settings."""
        if not all(kernel.is_ready for kernel in self.cuda_engine.select_kernels(settings)):
            finished_game = GameRecord.make_array(1)
            finished_game["status"] = STATUS_OVER
            self.play(finished_game, settings)

    def play(self, games: GameRecords, settings: EngineSettings, on_progress: GamesObserver | None = None) -> bool:
        """Play all games to their ends in place; return whether Ctrl-C stopped them."""
        if not len(games):
            return False
        with translate_cuda_errors():
            gpu_games = self.cuda_engine.GpuGames(games, settings)
            try:
                play_on_gpu(gpu_games, games, on_progress)
            except KeyboardInterrupt:
                return True
            finally:
                gpu_games.copy_to_host()
        if on_progress:
            on_progress(games)
        return False


def play_on_gpu(gpu_games: "GpuGames", games: GameRecords, on_progress: GamesObserver | None) -> None:
    """Play games on the GPU in slices; for progress they are copied to the host so rarely that it costs little time."""
    budget = FIRST_SLICE_PIECES
    next_copy = 0.0
    while gpu_games.running_count:
        start = time.perf_counter()
        gpu_games.play(budget)
        budget = compute_next_budget(budget, time.perf_counter() - start)
        if on_progress and time.perf_counter() >= next_copy:
            start = time.perf_counter()
            gpu_games.copy_to_host()
            on_progress(games)
            next_copy = time.perf_counter() + COPY_INTERVAL_FACTOR * (time.perf_counter() - start)


def open_gpu() -> Workers:
    """Return workers for the NVIDIA GPU of this machine; a `DeviceError` describes what is missing."""
    return GpuWorkers()


def import_cuda_engine() -> Any:
    """Import the engine for GPUs, or raise a `DeviceError` if numba-cuda is missing."""
    try:
        return import_module("tetrion.engine.gpu.play")
    except ImportError as error:
        raise DeviceError(
            f"The device cuda needs numba-cuda, which cannot be imported: {error}. {INSTALL_HINT}"
        ) from None


def get_gpu_name() -> str:
    """Return the name of the GPU, or raise a `DeviceError` if CUDA cannot use one."""
    cuda = import_module("numba.cuda")
    if not cuda.is_available():
        if error_text := cuda.cuda_error():
            reason = " ".join(error_text.split()).partition(". ")[0].rstrip(".")
            raise DeviceError(
                f"The device cuda needs an NVIDIA GPU with its driver; no GPU can be used: {reason}. "
                f"Check the output of `nvidia-smi`. {USE_CPU_HINT}"
            )
        raise DeviceError(f"The device cuda needs CUDA's compiler, which is not installed. {INSTALL_HINT}")
    name = getattr(cuda.current_context().device, "name", "of CUDA's simulator")
    return name.decode() if isinstance(name, bytes) else str(name)


@contextmanager
def translate_cuda_errors() -> Iterator[None]:
    """Translate errors of CUDA into a `DeviceError` with advice."""
    try:
        yield
    except Exception as error:
        if not type(error).__module__.startswith(CUDA_PACKAGES):
            raise
        text = " ".join(str(error).split())
        remedy = OUT_OF_MEMORY_HINT if getattr(error, "code", None) == CUDA_OUT_OF_MEMORY else VERSIONS_HINT
        raise DeviceError(f"CUDA error: {text.rstrip('.')}. {remedy} {USE_CPU_HINT}") from None
