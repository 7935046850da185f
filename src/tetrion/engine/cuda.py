"""The same games on a GPU: the very functions that the CPU runs, one thread a game."""

from typing import Any

import numpy as np

from tetrion.engine.agents import MOST_FEATURES
from tetrion.engine.choose import HEIGHTS, choose_one_by_one
from tetrion.engine.play import PLAYING, Games, Setting, play_game
from tetrion.engine.words import Array
from tetrion.errors import DeviceError

# Names that left NumPy and that numba-cuda 0.30 still looks up when it compiles.
for _old, _new in (("row_stack", "vstack"), ("in1d", "isin"), ("trapz", "trapezoid")):
    if not hasattr(np, _old):
        setattr(np, _old, getattr(np, _new))

from numba import cuda, int32  # noqa: E402

THREADS = 64  # a block


@cuda.jit  # type: ignore[untyped-decorator]
def _play(games: Games, setting: Setting, budget: int) -> None:
    g = cuda.grid(1)
    if g < len(games) and games[g].status == PLAYING:
        heights, values = cuda.local.array(HEIGHTS, int32), cuda.local.array(MOST_FEATURES, int32)
        play_game(choose_one_by_one, games[g], setting, budget, heights, values)


def _there(array: Array) -> Any:
    """An array on the GPU; its records, if it has them, have fields that CUDA's simulator can read too."""
    return cuda.to_device(array.view(np.recarray) if array.dtype.names else array)


def play_on_gpu(games: Games, setting: Setting, budget: int) -> int:
    """Play a slice of many games at once, each of at most `budget` pieces; tells how many were placed."""
    if not cuda.is_available():
        raise DeviceError("No GPU that CUDA can use was found. Play on the CPU, or check the driver with `nvidia-smi`.")
    before, there = int(games["pieces"].sum()), _there(games)
    arrays = {name: _there(part) for name, part in setting._asdict().items() if isinstance(part, np.ndarray)}
    blocks = (len(games) + THREADS - 1) // THREADS
    _play[blocks, THREADS](there, setting._replace(**arrays), budget)
    there.copy_to_host(games)
    return int(games["pieces"].sum()) - before
