"""Kernels: functions that run on a CUDA GPU, compiled once per machine and cached with the engine.

This is the only file that uses numba-cuda beyond its documented interface: its cache, its configuration, and names that
it looks up in NumPy. `pyproject.toml` allows the versions with which `python -m benchmarks.gpu` was run.
"""

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba import cuda, types
from numba.extending import overload

from tetrion.engine.code_cache import CodeFiles, get_cache_folder
from tetrion.engine.compile_notice import end_compilation, start_compilation
from tetrion.engine.numba_internals import define_intrinsic
from tetrion.engine.scalar_or_simd import Array
from tetrion.engine.simd_lanes import LLVM_INT64

WARP_SIZE = 32  # threads that run in lockstep
_KERNEL_COMPILE_SECONDS = 15


class Kernel:
    """A module-level function that runs on the GPU, compiled once per machine and cached with the engine."""

    def __init__(self, function: Callable[..., None], shares_placements: bool, max_registers: int | None) -> None:
        self.name = function.__name__
        self.shares_placements = shares_placements
        self.is_ready = False
        is_simulated = numba.config.ENABLE_CUDASIM
        options = {} if max_registers is None or is_simulated else {"max_registers": max_registers}
        with use_engine_cache():
            self.dispatcher = cuda.jit(cache=True, **options)(function)
        self._files = CodeFiles(function)
        if kernel_cache := getattr(self.dispatcher, "_cache", None):  # the CUDA simulator has none
            kernel_cache._cache_file = self._files
            kernel_cache._impl.locator.ensure_cache_path = lambda: None

    def launch(self, game_count: int, *args: Any) -> None:
        """Run the kernel for `game_count` games; few games are spread over as many blocks as possible."""
        if not self.is_ready and not self._files.exist:
            start_compilation(self.name, _KERNEL_COMPILE_SECONDS)
        games_per_block = -(-self.count_slots(game_count) // self.max_blocks)
        block_size = WARP_SIZE if self.shares_placements else games_per_block
        self.launch_blocks(-(-game_count // games_per_block), block_size, *args)

    def launch_blocks(self, block_count: int, block_size: int, *args: Any) -> None:
        """Run the kernel with a number of blocks of threads."""
        # The ignored warning is that few threads do not use the whole GPU.
        with restore_removed_numpy_names(), warnings.catch_warnings(action="ignore"):
            self.dispatcher[block_count, block_size](*args)
        if not self.is_ready:
            end_compilation(self.name)
        self.is_ready = True

    @property
    def max_blocks(self) -> int:
        """The number of blocks that run at the same time; 1 before the kernel is compiled and on the CUDA simulator."""
        overloads = list(self.dispatcher.overloads.values())
        return int(overloads[-1].max_cooperative_grid_blocks(WARP_SIZE)) if overloads else 1

    def count_slots(self, game_count: int) -> int:
        """Return the number of games that are played at the same time: as many as possible.

        Where threads share placements, few games occupy the whole GPU; then there are as many games in each round.
        """
        max_slots = self.max_blocks * WARP_SIZE
        if self.shares_placements:
            return -(-game_count // -(-game_count // max_slots))
        return min(game_count, max_slots)


def compile_kernel(
    max_registers: int | None = None, *, shares_placements: bool = False
) -> Callable[[Callable[..., None]], Kernel]:
    """Turn a function into a kernel.

    A kernel that shares placements always has blocks of one whole warp; in others each thread has a game. A lower limit
    of the registers per thread lets more threads run at the same time, but makes each of them slower.
    """
    return lambda function: Kernel(function, shares_placements, max_registers)


@contextmanager
def use_engine_cache() -> Iterator[None]:
    """Use the engine's cache folder for kernels that are defined inside the `with` block."""
    configs = [numba.config, getattr(getattr(cuda, "core", None), "config", numba.config)]  # numba-cuda has its own
    folders_before = [config.CACHE_DIR for config in configs]
    with suppress(OSError):  # the home folder is unknown
        for config in configs:
            config.CACHE_DIR = str(get_cache_folder())
    try:
        yield
    finally:
        for config, folder in zip(configs, folders_before, strict=True):
            config.CACHE_DIR = folder


@contextmanager
def restore_removed_numpy_names() -> Iterator[None]:
    """Restore names that NumPy has removed and that numba-cuda 0.30 still looks up during compilation."""
    replacements = {"row_stack": np.vstack, "in1d": np.isin, "trapz": getattr(np, "trapezoid", None)}
    missing = [name for name in replacements if not hasattr(np, name)]
    for name in missing:
        setattr(np, name, replacements[name])
    try:
        yield
    finally:
        for name in missing:
            delattr(np, name)


# Atomic addition.


def add_atomically(array: Array, index: int, number: int) -> None:
    """Add to an element to which other threads may add at the same time."""
    cuda.atomic.add(array, index, number)


@define_intrinsic
def _reduce(context: Any, array: Any, index: Any, number: Any) -> Any:
    """Add without the value before, for which `cuda.atomic.add` would let the thread wait."""

    def lower(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
        address = builder.ptrtoint(builder.gep(data, [arguments[1]]), LLVM_INT64)
        types_of_arguments = ir.FunctionType(ir.VoidType(), [LLVM_INT64, LLVM_INT64])
        builder.asm(types_of_arguments, "red.global.add.u64 [$0], $1;", "l,l", [address, arguments[2]], True)
        return context.get_dummy_value()

    return types.none(array, index, number), lower


overload(add_atomically)(lambda array, index, number: lambda array, index, number: _reduce(array, index, number))
