"""The same games on a GPU: the very functions that the CPU runs, one thread a game."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numba import cuda

from tetrion.engine.choose import BARE, HEIGHTS, choose_one_by_one
from tetrion.engine.own import OWN
from tetrion.engine.pieces import WIDTH
from tetrion.engine.play import PLAYING, Games, Setting, deal_ahead, looks_ahead, place_at_once, play_game
from tetrion.engine.randomisers import WORST
from tetrion.engine.rules import DROPPED
from tetrion.engine.words import Array
from tetrion.errors import DeviceError

THREADS = 64  # a block
SCRATCH = np.dtype((np.record, BARE))  # whose fields CUDA's simulator can read too


@cuda.jit  # type: ignore[untyped-decorator]
def _play(games: Games, setting: Setting, budget: int) -> None:
    g = cuda.grid(1)
    if g < len(games) and games[g].status == PLAYING:
        scratch = cuda.local.array(1, SCRATCH)[0]
        for beyond in range(WIDTH, HEIGHTS):  # local memory holds anything, and pieces at the right edge look there
            scratch.heights[beyond] = 0
        play_game(deal_ahead, choose_one_by_one, place_at_once, games[g], setting, budget, scratch)


@contextmanager
def _former_numpy() -> Iterator[None]:
    """Lend NumPy the names that it gave up and that numba-cuda 0.30 still looks up when it compiles."""
    lent = {"row_stack": np.vstack, "in1d": np.isin, "trapz": getattr(np, "trapezoid", None)}
    missing = [name for name in lent if not hasattr(np, name)]
    for name in missing:
        setattr(np, name, lent[name])
    try:
        yield
    finally:
        for name in missing:
            delattr(np, name)


def _there(array: Array) -> Any:
    """An array on the GPU; its records, if it has them, have fields that CUDA's simulator can read too."""
    return cuda.to_device(array.view(np.recarray) if array.dtype.names else array)


def play_on_gpu(games: Games, setting: Setting, budget_a_game: int) -> int:
    """Play a slice of many games at once, at most so many pieces of each; tells how many were placed."""
    if not cuda.is_available():
        raise DeviceError("No GPU that CUDA can use was found. Play on the CPU, or check the driver with `nvidia-smi`.")
    if setting.rules["movement"][0] != DROPPED or setting.rules["randomiser"][0] == WORST:
        raise DeviceError("The GPU plays by straight drops and without the adversary. Play by these rules on the CPU.")
    if looks_ahead(setting):
        raise DeviceError("The GPU looks at one piece in one mode. Play agents that look ahead on the CPU.")
    if (setting.agents["mask"] & OWN).any():
        raise DeviceError("The GPU knows no features of your own. Play agents that use some on the CPU.")
    if not len(games):
        return 0
    before, there = int(games["pieces"].sum()), _there(games)
    arrays = {name: _there(part) for name, part in setting._asdict().items() if isinstance(part, np.ndarray)}
    with _former_numpy():
        _play[(len(games) + THREADS - 1) // THREADS, THREADS](there, setting._replace(**arrays), budget_a_game)
    there.copy_to_host(games)
    return int(games["pieces"].sum()) - before
