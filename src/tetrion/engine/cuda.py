"""The same games on a GPU: the very functions that the CPU runs.

A thread plays a game and takes the next one when that ends. Few games are played by a whole team of threads each, which
look at a placement each: so each is played faster, and the longest decide how long all take.
"""

import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numba
import numpy as np
from numba import cuda

from tetrion.engine.batch_play import (
    GAME_DTYPE,
    STATUS_PLAYING,
    EngineSettings,
    GameRecords,
    deal_preview,
    place_scalar,
    play_game,
    supports_local_drops,
)
from tetrion.engine.best_placements import NO_PLACEMENT, ChosenPlacement
from tetrion.engine.best_placements import WORST_POINTS as WORST_POINTS
from tetrion.engine.bitboard import find_landing_row, fits
from tetrion.engine.compiler import COMPILE_MESSAGE, compile_inline, get_cache_folder
from tetrion.engine.custom_features import CUSTOM_FEATURES_MASK
from tetrion.engine.local_evaluation import Scratch
from tetrion.engine.pieces import BOARD_WIDTH, PLACEMENT_COLUMNS
from tetrion.engine.placement_choice import (
    BASIC_SCRATCH_DTYPE,
    PADDED_HEIGHTS_SIZE,
    choose_drop_scalar,
    examine_board,
    score_placement,
    survives,
)
from tetrion.engine.randomisers import ADVERSARY
from tetrion.engine.rules import DROP_MOVEMENT, END_TOP_ROW, MOVEMENTS
from tetrion.engine.scalar_drops import (
    LOCAL_SCRATCH_DTYPE,
    choose_drop_depth_two,
    choose_local_drop_depth_two,
    choose_local_drop_scalar,
)
from tetrion.engine.scalar_or_simd import Array
from tetrion.engine.simd_lanes import LANES
from tetrion.errors import AgentError, RulesError

THREADS_PER_BLOCK = 32  # a block, at most: a warp, whose threads go in step
MAX_GAMES_PER_TEAM = 8  # games for each of the teams at work, up to which teams are faster than threads on their own
_LAST_ORDER = 63  # place of a placement in the order that breaks ties
_KERNEL_COMPILE_SECONDS = 15  # that a kernel takes to compile
GAME_WORDS = GAME_DTYPE.itemsize // 8
_GAME_RECORD, _SCRATCH_RECORD, _LOCAL_SCRATCH_RECORD = (
    np.dtype((np.record, each)) for each in (GAME_DTYPE, BASIC_SCRATCH_DTYPE, LOCAL_SCRATCH_DTYPE)
)  # which the simulator can read
_USE_CPU_HINT = "Use the CPU for it: leave the device away."


class Kernel:
    """A module-level function that runs on the GPU; compiled once a machine and kept beside the rest of the engine."""

    def __init__(self, function: Callable[..., None], team: int) -> None:
        self.name = function.__name__
        self.threads_per_game = team
        self.is_ready = False
        with use_engine_cache():
            self.dispatcher = cuda.jit(cache=True)(function)

    def launch(self, game_count: int, *args: Any) -> None:
        """Run so many threads, or teams of them; a few threads are spread over as many blocks as there can be."""
        if not self.is_ready and not any(get_cache_folder().rglob(f"*.{self.name}-*.nbi")):
            print(COMPILE_MESSAGE.format(seconds=_KERNEL_COMPILE_SECONDS), file=sys.stderr, flush=True)
        threads = game_count * self.threads_per_game
        a_block = (
            min(THREADS_PER_BLOCK, -(-threads // self.max_blocks))
            if self.threads_per_game == 1
            else self.threads_per_game
        )
        with (
            restore_removed_numpy_names(),
            warnings.catch_warnings(action="ignore"),
        ):  # that few threads leave the GPU idle
            self.dispatcher[-(-threads // a_block), a_block](*args)
        self.is_ready = True

    @property
    def max_blocks(self) -> int:
        """How many blocks the GPU works on at a time; one before it is compiled, and on CUDA's simulator."""
        overloads = list(self.dispatcher.overloads.values())
        return int(overloads[-1].max_cooperative_grid_blocks(THREADS_PER_BLOCK)) if overloads else 1

    @property
    def max_games(self) -> int:
        """How many games it plays at a time."""
        return self.max_blocks * THREADS_PER_BLOCK // self.threads_per_game


def compile_kernel(threads_per_game: int) -> Callable[[Callable[..., None]], Kernel]:
    """Make a function a kernel whose games are played by teams of so many threads: one, or a block."""
    return lambda function: Kernel(function, threads_per_game)


@contextmanager
def use_engine_cache() -> Iterator[None]:
    """Let kernels that are made meanwhile be kept where the engine is; numba-cuda has settings of its own."""
    settings = [numba.config, getattr(getattr(cuda, "core", None), "config", numba.config)]
    before = [each.CACHE_DIR for each in settings]
    for each in settings:
        each.CACHE_DIR = str(get_cache_folder())
    try:
        yield
    finally:
        for each, folder in zip(settings, before, strict=True):
            each.CACHE_DIR = folder


@contextmanager
def restore_removed_numpy_names() -> Iterator[None]:
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


@compile_inline
def copy_game(words: Array, others: Array) -> None:
    """Copy a game, as the words that its record is made of."""
    for word in range(GAME_WORDS):
        words[word] = others[word]


@compile_inline
def play_slice(
    choose: Callable[..., ChosenPlacement],
    take: Callable[[Array], int],
    wait: Callable[[], None],
    slot: int,
    games: Array,
    held_games: Array,
    next_game: Array,
    setting: EngineSettings,
    budget: int,
    own_game: GameRecords,
    scratch: Scratch,
) -> None:
    """What a holder of games does in a slice: so many pieces of the one it holds, and of the next ones when that ends.

    Meanwhile the game is in memory of the thread's own. After every piece its end is looked for, because threads go in
    step: one whose game ends must not wait for the ends of its neighbours' games.
    """
    words = own_game.view(np.int64)
    if slot < len(held_games):
        g = int(held_games[slot])
        copy_game(words, games[g])
        wait()
        while budget > 0 and g < len(games):
            if own_game[0].status == STATUS_PLAYING:
                play_game(deal_preview, choose, place_scalar, own_game[0], setting, 1, scratch)
                budget -= 1
            else:
                copy_game(games[g], words)
                g = int(take(next_game))
                if g < len(games):
                    copy_game(words, games[g])
                    wait()
        if g < len(games):
            copy_game(games[g], words)
        held_games[slot] = g


@compile_inline
def clear_scratch(scratch: Scratch) -> Scratch:
    """Memory to work in, made ready: it holds anything, and pieces at the right edge look at heights beyond."""
    for beyond in range(BOARD_WIDTH, PADDED_HEIGHTS_SIZE):
        scratch.heights[beyond] = 0
    return scratch


@compile_inline
def take_game_for_thread(following: Array) -> int:
    """The number of the next game."""
    return int(cuda.atomic.add(following, 0, 1))


@compile_inline
def skip_barrier() -> None:
    """A thread on its own goes on."""


@compile_inline
def wait_for_team() -> None:
    """Until all threads of the team have read the game, none may write it."""
    cuda.syncthreads()


@compile_inline
def take_game_for_team(following: Array) -> int:
    """The number of the next game, which one of the team's threads takes for all."""
    taken = cuda.shared.array(1, np.int32)
    if cuda.threadIdx.x == 0:
        taken[0] = cuda.atomic.add(following, 0, 1)
    cuda.syncthreads()
    number = int(taken[0])
    cuda.syncthreads()
    return number


@compile_inline
def choose_drop_by_team(
    game: Any, rules: Any, interval: int, agent: Any, agents: Array, tables: Array, scratch: Scratch
) -> ChosenPlacement:
    """What `choose_one_by_one` chooses, found by a team whose threads look at every thirty-second placement each."""
    board = game.board
    piece = int(game.queue[0])
    turn = 0
    x = int(cuda.threadIdx.x)
    best = 0
    now, turns = examine_board(board, rules.rows, agent.mask, scratch.heights), int(rules.turns[piece])
    while turn < turns:
        while turn < turns and x >= PLACEMENT_COLUMNS[int(rules.turned[piece, turn])]:
            x -= int(PLACEMENT_COLUMNS[int(rules.turned[piece, turn])])
            turn += 1
        if turn < turns:
            orientation = int(rules.turned[piece, turn])
            row = find_landing_row(scratch.heights, orientation, x)
            possible = fits(orientation, x, row, rules.rows)
            if possible:
                alive = rules.game_over < END_TOP_ROW or survives(board, rules, orientation, x, row)
                points = score_placement(now, agent, tables, possible, orientation, x, row, scratch)
                best = max(best, encode_offer(alive, points, turn, x))
            x += THREADS_PER_BLOCK
    best = find_team_maximum(best)
    if best == 0:
        return NO_PLACEMENT, 0, 0
    place = _LAST_ORDER - best % (_LAST_ORDER + 1)
    orientation, x = int(rules.turned[piece, place // LANES]), place % LANES
    return orientation, x, find_landing_row(scratch.heights, orientation, x)


@compile_inline
def encode_offer(alive: bool, points: int, turn: int, x: int) -> int:
    """A placement as a number above 0, the larger the better: the game goes on, points, first in order."""
    return ((int(alive) << 32) + int(points) - WORST_POINTS) * (_LAST_ORDER + 1) + _LAST_ORDER - (turn * LANES + x)


@compile_inline
def find_team_maximum(mine: int) -> int:
    """The best of what a team's threads offer."""
    offers = cuda.shared.array(THREADS_PER_BLOCK, np.int64)
    offers[cuda.threadIdx.x] = mine
    cuda.syncthreads()
    for thread in range(THREADS_PER_BLOCK):
        mine = max(mine, int(offers[thread]))
    cuda.syncthreads()
    return mine


@compile_kernel(threads_per_game=1)
def play_by_thread(games: Array, held: Array, following: Array, setting: EngineSettings, budget: int) -> None:
    """A thread a game, for agents that look at one piece in one mode."""
    mine, scratch = cuda.local.array(1, _GAME_RECORD), clear_scratch(cuda.local.array(1, _SCRATCH_RECORD)[0])
    holder = cuda.grid(1)
    play_slice(
        choose_drop_scalar,
        take_game_for_thread,
        skip_barrier,
        holder,
        games,
        held,
        following,
        setting,
        budget,
        mine,
        scratch,
    )


@compile_kernel(threads_per_game=1)
def play_local_by_thread(games: Array, held: Array, following: Array, setting: EngineSettings, budget: int) -> None:
    """The same where drops can be judged by their neighbourhood."""
    mine, scratch = cuda.local.array(1, _GAME_RECORD), cuda.local.array(1, _LOCAL_SCRATCH_RECORD)[0]
    holder = cuda.grid(1)
    play_slice(
        choose_local_drop_scalar,
        take_game_for_thread,
        skip_barrier,
        holder,
        games,
        held,
        following,
        setting,
        budget,
        mine,
        scratch,
    )


@compile_kernel(threads_per_game=1)
def play_depth_two_by_thread(games: Array, held: Array, following: Array, setting: EngineSettings, budget: int) -> None:
    """A thread a game, for agents that look at two pieces in one mode."""
    mine, board = cuda.local.array(1, _GAME_RECORD), cuda.local.array(BOARD_WIDTH, np.int32)
    scratch = (
        clear_scratch(cuda.local.array(1, _SCRATCH_RECORD)[0]),
        clear_scratch(cuda.local.array(1, _SCRATCH_RECORD)[0]),
        board,
    )
    holder = cuda.grid(1)
    play_slice(
        choose_drop_depth_two,
        take_game_for_thread,
        skip_barrier,
        holder,
        games,
        held,
        following,
        setting,
        budget,
        mine,
        scratch,
    )


@compile_kernel(threads_per_game=1)
def play_local_depth_two_by_thread(
    games: Array, held: Array, following: Array, setting: EngineSettings, budget: int
) -> None:
    """The same where drops can be judged by their neighbourhood."""
    mine, board = cuda.local.array(1, _GAME_RECORD), cuda.local.array(BOARD_WIDTH, np.int32)
    scratch = cuda.local.array(1, _LOCAL_SCRATCH_RECORD)[0], cuda.local.array(1, _LOCAL_SCRATCH_RECORD)[0], board
    holder = cuda.grid(1)
    play_slice(
        choose_local_drop_depth_two,
        take_game_for_thread,
        skip_barrier,
        holder,
        games,
        held,
        following,
        setting,
        budget,
        mine,
        scratch,
    )


@compile_kernel(threads_per_game=THREADS_PER_BLOCK)
def play_by_team(games: Array, held: Array, following: Array, setting: EngineSettings, budget: int) -> None:
    """A block a game, for agents that look at one piece; its threads do all but the choice in step."""
    mine, scratch = cuda.local.array(1, _GAME_RECORD), clear_scratch(cuda.local.array(1, _SCRATCH_RECORD)[0])
    holder = cuda.blockIdx.x
    play_slice(
        choose_drop_by_team,
        take_game_for_team,
        wait_for_team,
        holder,
        games,
        held,
        following,
        setting,
        budget,
        mine,
        scratch,
    )


def select_kernels(setting: EngineSettings) -> tuple[Kernel, Kernel]:
    """The kernels that play by a setting, many games or few; or the error that says what a GPU does not play."""
    agents = setting.agents
    movement = int(setting.rules["movement"][0])
    randomiser = int(setting.rules["randomiser"][0])
    if movement != DROP_MOVEMENT or randomiser == ADVERSARY:
        name = next(name for name, number in MOVEMENTS.items() if number == movement)
        given = "randomiser=adversary" if movement == DROP_MOVEMENT else f"movement={name}"
        raise RulesError(f"The GPU plays by movement=drop without the adversary; given {given}. {_USE_CPU_HINT}")
    if (agents["mask"] & CUSTOM_FEATURES_MASK).any():
        raise AgentError(f"The GPU knows no features of your own; given an agent that has some. {_USE_CPU_HINT}")
    if agents["expect"].any() or agents["beam"].any() or agents["other"].any() or (agents["depth"] > 2).any():
        raise AgentError(
            f"The GPU looks at one or two known pieces in one mode; given an agent that does more. {_USE_CPU_HINT}"
        )
    if (agents["depth"] == 2).all():
        return (
            (play_local_depth_two_by_thread, play_local_depth_two_by_thread)
            if supports_local_drops(setting)
            else (play_depth_two_by_thread, play_depth_two_by_thread)
        )
    if (agents["depth"] > 1).any():
        raise AgentError(f"The GPU plays agents that all look at one piece, or all at two; given both. {_USE_CPU_HINT}")
    return play_local_by_thread if supports_local_drops(setting) else play_by_thread, play_by_team


class GpuGames:
    """Games on the GPU, one or more; here, in `games`, they are as they were when last fetched."""

    def __init__(self, games: GameRecords, setting: EngineSettings) -> None:
        self.many_games_kernel, self.few_games_kernel = select_kernels(setting)
        arrays = {name: to_device(part) for name, part in setting._asdict().items() if isinstance(part, np.ndarray)}
        self.words = games.view(np.int64).reshape(len(games), GAME_WORDS)
        self.device_words = to_device(self.words)
        self.device_settings = setting._replace(**arrays)
        for kernel in (self.many_games_kernel, self.few_games_kernel):
            if not kernel.is_ready:  # compiled or loaded
                kernel.launch(
                    1,
                    self.device_words,
                    to_device(np.zeros(1, np.int32)),
                    to_device(np.ones(1, np.int32)),
                    self.device_settings,
                    0,
                )
        first = (
            self.few_games_kernel
            if len(games) <= MAX_GAMES_PER_TEAM * self.few_games_kernel.max_games
            else self.many_games_kernel
        )
        self.held_games = np.arange(min(len(games), first.max_games), dtype=np.int32)
        self.next_game = to_device(np.array([len(self.held_games)], np.int32))

    @property
    def running_count(self) -> int:
        """How many games are under way."""
        return len(self.held_games)

    def play(self, budget: int) -> None:
        """Play a slice: so many pieces a thread or a team."""
        kernel, held = (
            self.few_games_kernel if self.running_count <= self.few_games_kernel.max_games else self.many_games_kernel,
            to_device(self.held_games),
        )
        kernel.launch(self.running_count, self.device_words, held, self.next_game, self.device_settings, budget)
        held.copy_to_host(self.held_games)
        self.held_games = self.held_games[self.held_games < len(self.words)]  # without those for whom no game is left

    def copy_to_host(self) -> None:
        """Bring the games here as they are."""
        self.device_words.copy_to_host(self.words)


def to_device(array: Array) -> Any:
    """An array on the GPU; its records, if it has them, have fields that CUDA's simulator can read too."""
    return cuda.to_device(array.view(np.recarray) if array.dtype.names else array)
