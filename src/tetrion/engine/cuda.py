"""The same games on a GPU: the very functions that the CPU runs, a thread a game, and its next one when that ends."""

import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numba
import numpy as np
from numba import cuda

from tetrion.engine.choose import BARE, HEIGHTS, Choice, Scratch, choose_one_by_one
from tetrion.engine.compiler import ANNOUNCEMENT, cache_folder, compiled
from tetrion.engine.own import OWN
from tetrion.engine.pieces import WIDTH
from tetrion.engine.play import GAME, PLAYING, Games, Setting, deal_ahead, looks_ahead, place_at_once, play_game
from tetrion.engine.randomisers import WORST
from tetrion.engine.rules import DROPPED, MOVEMENTS
from tetrion.engine.words import Array
from tetrion.errors import AgentError, RulesError

THREADS = 32  # a block, at most: a warp, whose threads go in step
SECONDS = 15  # that a kernel takes to compile
WORDS = GAME.itemsize // 8
MINE, SCRATCH = np.dtype((np.record, GAME)), np.dtype((np.record, BARE))  # so that CUDA's simulator reads their fields
ON_CPU = "Use the CPU for it: leave the device away."


class Kernel:
    """A module-level function that runs on the GPU; compiled once a machine and kept beside the rest of the engine."""

    def __init__(self, function: Callable[..., None]) -> None:
        self.name, self.ready = function.__name__, False
        with cached():
            self.dispatcher = cuda.jit(cache=True)(function)

    def launch(self, threads: int, *args: Any) -> None:
        """Run so many threads, in as many blocks as the GPU works on at a time; few threads have blocks of few."""
        if not self.ready and not any(cache_folder().rglob(f"*{self.name}*.nbi")):
            print(ANNOUNCEMENT.format(seconds=SECONDS), file=sys.stderr, flush=True)
        a_block = min(THREADS, -(-threads // self.blocks)) if self.ready else 1
        with former_numpy(), warnings.catch_warnings(action="ignore"):  # that few threads leave the GPU idle
            self.dispatcher[-(-threads // a_block), a_block](*args)
        self.ready = True

    @property
    def blocks(self) -> int:
        """How many blocks the GPU works on at a time, once it is compiled."""
        overloads = list(self.dispatcher.overloads.values())  # of which the simulator has none
        return int(overloads[-1].max_cooperative_grid_blocks(THREADS)) if overloads else 1


@contextmanager
def cached() -> Iterator[None]:
    """Let kernels that are made meanwhile be kept where the engine is; numba-cuda has settings of its own."""
    settings = [numba.config, getattr(getattr(cuda, "core", None), "config", numba.config)]
    before = [each.CACHE_DIR for each in settings]
    for each in settings:
        each.CACHE_DIR = str(cache_folder())
    try:
        yield
    finally:
        for each, folder in zip(settings, before, strict=True):
            each.CACHE_DIR = folder


@contextmanager
def former_numpy() -> Iterator[None]:
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


@compiled
def copy(words: Array, others: Array) -> None:
    """Copy a game, as the words that its record is made of."""
    for word in range(WORDS):
        words[word] = others[word]


@compiled
def play_on(
    choose: Callable[..., Choice],
    games: Array,
    held: Array,
    following: Array,
    setting: Setting,
    budget: int,
    mine: Games,
    scratch: Scratch,
) -> None:
    """What a thread does in a slice: so many pieces of the game that it holds, and of the next ones when that ends.

    Meanwhile the game is in memory of the thread's own. After every piece its end is looked for, because threads go in
    step: one whose game ends must not wait for the ends of its neighbours' games.
    """
    thread, words = cuda.grid(1), mine.view(np.int64)
    if thread < len(held):
        g = held[thread]
        copy(words, games[g])
        while budget > 0 and g < len(games):
            if mine[0].status == PLAYING:
                play_game(deal_ahead, choose, place_at_once, mine[0], setting, 1, scratch)
                budget -= 1
            else:
                copy(games[g], words)
                g = cuda.atomic.add(following, 0, 1)
                if g < len(games):
                    copy(words, games[g])
        if g < len(games):
            copy(games[g], words)
        held[thread] = g


@Kernel
def play_one_piece(games: Array, held: Array, following: Array, setting: Setting, budget: int) -> None:
    """Play on with agents that look at one piece in one mode."""
    scratch = cuda.local.array(1, SCRATCH)[0]
    for beyond in range(WIDTH, HEIGHTS):  # local memory holds anything, and pieces at the right edge look there
        scratch.heights[beyond] = 0
    play_on(choose_one_by_one, games, held, following, setting, budget, cuda.local.array(1, MINE), scratch)


def kernel_for(setting: Setting) -> Kernel:
    """The kernel that plays by a setting, or the error that says what a GPU does not play."""
    movement, randomiser = int(setting.rules["movement"][0]), int(setting.rules["randomiser"][0])
    if movement != DROPPED or randomiser == WORST:
        name = next(name for name, number in MOVEMENTS.items() if number == movement)
        given = "randomiser=adversary" if movement == DROPPED else f"movement={name}"
        raise RulesError(f"The GPU plays by movement=drop without the adversary; given {given}. {ON_CPU}")
    if (setting.agents["mask"] & OWN).any():
        raise AgentError(f"The GPU knows no features of your own; given an agent that has some. {ON_CPU}")
    if looks_ahead(setting):
        raise AgentError(f"The GPU looks at one piece in one mode; given an agent that does more. {ON_CPU}")
    return play_one_piece


class Table:
    """Games on the GPU, one or more; here, in `games`, they are as they were when last fetched."""

    def __init__(self, games: Games, setting: Setting) -> None:
        self.kernel, self.words = kernel_for(setting), games.view(np.int64).reshape(len(games), WORDS)
        arrays = {name: there(part) for name, part in setting._asdict().items() if isinstance(part, np.ndarray)}
        self.there, self.setting = there(self.words), setting._replace(**arrays)
        self.held, self.following = np.zeros(1, np.int32), there(np.ones(1, np.int32))
        self.play(0)  # compiled or loaded
        threads = min(len(games), self.kernel.blocks * THREADS)
        self.held, self.following = np.arange(threads, dtype=np.int32), there(np.array([threads], np.int32))

    @property
    def going(self) -> int:
        """How many threads have a game to go on with."""
        return len(self.held)

    def play(self, budget: int) -> None:
        """Play a slice: so many pieces a thread."""
        held = there(self.held)
        self.kernel.launch(len(self.held), self.there, held, self.following, self.setting, budget)
        held.copy_to_host(self.held)
        self.held = self.held[self.held < len(self.words)]  # without threads for which there is no game left

    def fetch(self) -> None:
        """Bring the games here as they are."""
        self.there.copy_to_host(self.words)


def there(array: Array) -> Any:
    """An array on the GPU; its records, if it has them, have fields that CUDA's simulator can read too."""
    return cuda.to_device(array.view(np.recarray) if array.dtype.names else array)


def play_on_gpu(games: Games, setting: Setting, pieces_a_thread: int) -> int:
    """Play a slice of many games, at most so many pieces a thread; tells how many were placed."""
    before, table = int(games["pieces"].sum()), Table(games, setting)
    table.play(pieces_a_thread)
    table.fetch()
    return int(games["pieces"].sum()) - before
