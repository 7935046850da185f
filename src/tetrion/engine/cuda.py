"""Games on a CUDA GPU, played by the same functions as on the CPU.

Each thread plays one game and takes the next game when its game ends. If there are few games, each is played by a
team of threads, which score one placement each. This plays a single game faster, and the longest games determine the
total time.
"""

import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numba
import numpy as np
from numba import cuda

from tetrion.engine.batch_play import (
    STATUS_PLAYING,
    EngineSettings,
    PlaySlice,
    deal_preview,
    has_height_limits,
    place_scalar,
    play_game,
    supports_local_drops,
)
from tetrion.engine.best_placements import (
    NO_PLACEMENT,
    WORST_POINTS as WORST_POINTS,
    ChosenPlacement,
    ScratchT,
    Search,
)
from tetrion.engine.bitboard import find_landing_row, fits
from tetrion.engine.compiler import COMPILE_MESSAGE, compile_inline, get_cache_folder
from tetrion.engine.modern_records import ModernRulesRecord
from tetrion.engine.pieces import BOARD_WIDTH, PLACEMENT_COLUMNS
from tetrion.engine.placement_choice import (
    PADDED_HEIGHTS_SIZE,
    BasicScratch,
    choose_drop_by_features,
    choose_drop_scalar,
    examine_board,
    score_placement,
    survives,
)
from tetrion.engine.randomisers import ADVERSARY
from tetrion.engine.records import GameRecord, GameRecords
from tetrion.engine.rules import DROP_MOVEMENT, END_LOCK_OUT, MOVEMENTS
from tetrion.engine.scalar_drops import (
    LocalScratch,
    choose_drop_depth_two,
    choose_local_drop_depth_two,
    choose_local_drop_scalar,
)
from tetrion.engine.scalar_or_simd import Array
from tetrion.engine.simd_lanes import LANES
from tetrion.errors import AgentError, RulesError, TetrionError

THREADS_PER_BLOCK = 32  # at most one warp, whose threads run in lockstep
MAX_GAMES_PER_TEAM = 8  # up to this number of games per team, teams are faster than single threads
_LAST_ORDER = 63  # the largest order (rotation and column in one integer) of a placement
_KERNEL_COMPILE_SECONDS = 15
_MAX_REGISTERS = 80  # of the kernels for one piece: on an H200, 6 to 9 % more pieces per second than without a limit
_GAME_DTYPE = GameRecord.dtype
_BASIC_SCRATCH_DTYPE = BasicScratch.dtype
_LOCAL_SCRATCH_DTYPE = LocalScratch.dtype
GAME_WORDS = _GAME_DTYPE.itemsize // 8  # 64-bit words of a game record
_USE_CPU_HINT = "Use the CPU instead: omit `device`."


class Kernel:
    """A module-level function that runs on the GPU, compiled once per machine and cached with the engine."""

    def __init__(self, function: Callable[..., None], threads_per_game: int, max_registers: int | None) -> None:
        self.name = function.__name__
        self.threads_per_game = threads_per_game
        self.is_ready = False
        is_simulated = numba.config.ENABLE_CUDASIM
        options = {} if max_registers is None or is_simulated else {"max_registers": max_registers}
        with use_engine_cache():
            self.dispatcher = cuda.jit(cache=True, **options)(function)

    def launch(self, game_count: int, *args: Any) -> None:
        """Run the kernel for `game_count` games; few threads are spread over as many blocks as possible."""
        if not self.is_ready and not any(get_cache_folder().rglob(f"*.{self.name}-*.nbi")):
            print(COMPILE_MESSAGE.format(seconds=_KERNEL_COMPILE_SECONDS), file=sys.stderr, flush=True)
        threads = game_count * self.threads_per_game
        block_size = self.threads_per_game
        if self.threads_per_game == 1:
            block_size = min(THREADS_PER_BLOCK, -(-threads // self.max_blocks))
        self.launch_blocks(-(-threads // block_size), block_size, *args)

    def launch_blocks(self, block_count: int, block_size: int, *args: Any) -> None:
        """Run the kernel with a number of blocks of threads."""
        # The ignored warning is that few threads do not use the whole GPU.
        with restore_removed_numpy_names(), warnings.catch_warnings(action="ignore"):
            self.dispatcher[block_count, block_size](*args)
        self.is_ready = True

    @property
    def max_blocks(self) -> int:
        """The number of blocks that run at the same time; 1 before the kernel is compiled and on the CUDA simulator."""
        overloads = list(self.dispatcher.overloads.values())
        return int(overloads[-1].max_cooperative_grid_blocks(THREADS_PER_BLOCK)) if overloads else 1

    @property
    def max_games(self) -> int:
        """The number of games that are played at the same time."""
        return self.max_blocks * THREADS_PER_BLOCK // self.threads_per_game


def compile_kernel(threads_per_game: int, max_registers: int | None = None) -> Callable[[Callable[..., None]], Kernel]:
    """Turn a function into a kernel whose games are played by one thread or by a team of `threads_per_game` threads.

    A lower limit of the registers per thread lets more threads run at the same time, but makes each of them slower.
    """
    return lambda function: Kernel(function, threads_per_game, max_registers)


@contextmanager
def use_engine_cache() -> Iterator[None]:
    """Use the engine's cache folder for kernels that are defined inside the `with` block."""
    configs = [numba.config, getattr(getattr(cuda, "core", None), "config", numba.config)]  # numba-cuda has its own
    folders_before = [config.CACHE_DIR for config in configs]
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


@compile_inline
def copy_game(target: Array, source: Array) -> None:
    """Copy a game record as 64-bit words."""
    for word in range(GAME_WORDS):
        target[word] = source[word]


class GameQueue(NamedTuple):
    """The games of a launch, and the slot of a thread or team in it."""

    games: Array  # the game records as 64-bit words
    current_games: Array  # by slot: the number of the game that is being played
    next_game: Array  # one element: the number of the next game to take
    slot: int
    own_game: GameRecords  # one record in local memory of the thread: its copy of the current game


@compile_inline
def play_queue(
    choose: Callable[[GameRecord, Search[ScratchT]], ChosenPlacement],
    take_game: Callable[[Array], int],
    synchronise: Callable[[], None],
    queue: GameQueue,
    play_slice: PlaySlice[ScratchT],
) -> None:
    """Play a slice of the game held in a slot, and of the next games when it ends.

    The game is copied to local memory of the thread. Its end is tested after every piece, because threads run in
    lockstep: a thread whose game ends must not wait for the games of its neighbours to end.
    """
    games, current_games, next_game, slot, own_game = queue
    settings, budget, scratch = play_slice
    words = own_game.view(np.int64)
    if slot < len(current_games):
        g = int(current_games[slot])
        copy_game(words, games[g])
        synchronise()
        while budget > 0 and g < len(games):
            if own_game[0].status == STATUS_PLAYING:
                play_game(deal_preview, choose, place_scalar, own_game[0], PlaySlice(settings, 1, scratch))
                budget -= 1
            else:
                copy_game(games[g], words)
                g = int(take_game(next_game))
                if g < len(games):
                    copy_game(words, games[g])
                    synchronise()
        if g < len(games):
            copy_game(games[g], words)
        current_games[slot] = g


@compile_inline
def clear_scratch(scratch: BasicScratch) -> BasicScratch:
    """Initialise the padding of the heights, which is read for pieces at the right edge."""
    for beyond in range(BOARD_WIDTH, PADDED_HEIGHTS_SIZE):
        scratch.heights[beyond] = 0
    return scratch


@compile_inline
def take_game_for_thread(next_game: Array) -> int:
    """Take the next game for a single thread; return its number."""
    return int(cuda.atomic.add(next_game, 0, 1))


@compile_inline
def skip_barrier() -> None:
    """Do nothing: a single thread needs no barrier."""


@compile_inline
def wait_for_team() -> None:
    """Wait until all threads of the team have read the game, so that one of them may overwrite it."""
    cuda.syncthreads()


@compile_inline
def take_game_for_team(next_game: Array) -> int:
    """Take the next game for a team, by its first thread; return its number."""
    taken = cuda.shared.array(1, np.int32)
    if cuda.threadIdx.x == 0:
        taken[0] = cuda.atomic.add(next_game, 0, 1)
    cuda.syncthreads()
    number = int(taken[0])
    cuda.syncthreads()
    return number


@compile_inline
def choose_drop_by_team(game: GameRecord, search: Search[BasicScratch]) -> ChosenPlacement:
    """Choose the placement that `choose_drop_scalar` chooses, by a team whose threads share the placements."""
    rules = search.rules
    board = game.board
    piece = int(game.queue[0])
    rotation = 0
    x = int(cuda.threadIdx.x)
    best = 0
    before = examine_board(board, rules.rows, search.agent.mask, search.scratch.heights)
    rotation_count = int(rules.rotation_count[piece])
    while rotation < rotation_count:
        while rotation < rotation_count and x >= PLACEMENT_COLUMNS[int(rules.orientations[piece, rotation])]:
            x -= int(PLACEMENT_COLUMNS[int(rules.orientations[piece, rotation])])
            rotation += 1
        if rotation < rotation_count:
            orientation = int(rules.orientations[piece, rotation])
            row = find_landing_row(before.heights, orientation, x)
            possible = fits(orientation, x, row, rules.rows)
            if possible:
                is_surviving = rules.game_over < END_LOCK_OUT or survives(board, rules, orientation, x, row)
                points = score_placement(before, search, possible, (orientation, x, row))
                best = max(best, encode_candidate(is_surviving, points, rotation, x))
            x += THREADS_PER_BLOCK
    best = find_team_maximum(best)
    if best == 0:
        return NO_PLACEMENT, 0, 0
    order = _LAST_ORDER - best % (_LAST_ORDER + 1)
    orientation, x = int(rules.orientations[piece, order // LANES]), order % LANES
    return orientation, x, find_landing_row(before.heights, orientation, x)


@compile_inline
def encode_candidate(is_surviving: bool, points: int, rotation: int, x: int) -> int:
    """Return a placement as a positive integer, larger for a better one: by survival, points, and order."""
    value = (int(is_surviving) << 32) + int(points) - WORST_POINTS
    return value * (_LAST_ORDER + 1) + _LAST_ORDER - (rotation * LANES + x)


@compile_inline
def find_team_maximum(value: int) -> int:
    """Return the maximum of the values of a team's threads."""
    values = cuda.shared.array(THREADS_PER_BLOCK, np.int64)
    values[cuda.threadIdx.x] = value
    cuda.syncthreads()
    for thread in range(THREADS_PER_BLOCK):
        value = max(value, int(values[thread]))
    cuda.syncthreads()
    return value


@compile_kernel(threads_per_game=1, max_registers=_MAX_REGISTERS)
def play_by_thread(games: Array, current_games: Array, next_game: Array, settings: EngineSettings, budget: int) -> None:
    """Play one game per thread, for agents with depth 1 and one mode, without patterns."""
    own_game = cuda.local.array(1, _GAME_DTYPE)
    scratch = clear_scratch(cuda.local.array(1, _BASIC_SCRATCH_DTYPE)[0])
    slot = cuda.grid(1)
    queue = GameQueue(games, current_games, next_game, slot, own_game)
    play_queue(choose_drop_by_features, take_game_for_thread, skip_barrier, queue, PlaySlice(settings, budget, scratch))


@compile_kernel(threads_per_game=1, max_registers=_MAX_REGISTERS)
def play_patterns_by_thread(
    games: Array, current_games: Array, next_game: Array, settings: EngineSettings, budget: int
) -> None:
    """Play one game per thread, for agents with depth 1 and one mode."""
    own_game = cuda.local.array(1, _GAME_DTYPE)
    scratch = clear_scratch(cuda.local.array(1, _BASIC_SCRATCH_DTYPE)[0])
    slot = cuda.grid(1)
    queue = GameQueue(games, current_games, next_game, slot, own_game)
    play_queue(choose_drop_scalar, take_game_for_thread, skip_barrier, queue, PlaySlice(settings, budget, scratch))


@compile_kernel(threads_per_game=1, max_registers=_MAX_REGISTERS)
def play_local_by_thread(
    games: Array, current_games: Array, next_game: Array, settings: EngineSettings, budget: int
) -> None:
    """Play one game per thread with local evaluation, for agents with depth 1 and one mode."""
    own_game = cuda.local.array(1, _GAME_DTYPE)
    scratch = cuda.local.array(1, _LOCAL_SCRATCH_DTYPE)[0]
    slot = cuda.grid(1)
    queue = GameQueue(games, current_games, next_game, slot, own_game)
    play_queue(
        choose_local_drop_scalar, take_game_for_thread, skip_barrier, queue, PlaySlice(settings, budget, scratch)
    )


@compile_kernel(threads_per_game=1)
def play_depth_two_by_thread(
    games: Array, current_games: Array, next_game: Array, settings: EngineSettings, budget: int
) -> None:
    """Play one game per thread, for agents with depth 2 and one mode."""
    own_game = cuda.local.array(1, _GAME_DTYPE)
    board = cuda.local.array(BOARD_WIDTH, np.int32)
    scratch = (
        clear_scratch(cuda.local.array(1, _BASIC_SCRATCH_DTYPE)[0]),
        clear_scratch(cuda.local.array(1, _BASIC_SCRATCH_DTYPE)[0]),
        board,
    )
    slot = cuda.grid(1)
    queue = GameQueue(games, current_games, next_game, slot, own_game)
    play_queue(choose_drop_depth_two, take_game_for_thread, skip_barrier, queue, PlaySlice(settings, budget, scratch))


@compile_kernel(threads_per_game=1)
def play_local_depth_two_by_thread(
    games: Array, current_games: Array, next_game: Array, settings: EngineSettings, budget: int
) -> None:
    """Play one game per thread with local evaluation, for agents with depth 2 and one mode."""
    own_game = cuda.local.array(1, _GAME_DTYPE)
    board = cuda.local.array(BOARD_WIDTH, np.int32)
    scratch = cuda.local.array(1, _LOCAL_SCRATCH_DTYPE)[0], cuda.local.array(1, _LOCAL_SCRATCH_DTYPE)[0], board
    slot = cuda.grid(1)
    queue = GameQueue(games, current_games, next_game, slot, own_game)
    play_queue(
        choose_local_drop_depth_two, take_game_for_thread, skip_barrier, queue, PlaySlice(settings, budget, scratch)
    )


@compile_kernel(threads_per_game=THREADS_PER_BLOCK)
def play_by_team(games: Array, current_games: Array, next_game: Array, settings: EngineSettings, budget: int) -> None:
    """Play one game per block, for agents with depth 1.

    The threads of a block divide the placements among themselves, and each computes everything else.
    """
    own_game = cuda.local.array(1, _GAME_DTYPE)
    scratch = clear_scratch(cuda.local.array(1, _BASIC_SCRATCH_DTYPE)[0])
    slot = cuda.blockIdx.x
    queue = GameQueue(games, current_games, next_game, slot, own_game)
    play_queue(choose_drop_by_team, take_game_for_team, wait_for_team, queue, PlaySlice(settings, budget, scratch))


def select_kernels(settings: EngineSettings) -> tuple[Kernel, Kernel]:
    """Return the kernels that play many and few games with these settings, or raise an error if the GPU cannot."""
    agents = settings.agents
    rules = settings.rules[0]
    if rules.movement != DROP_MOVEMENT or rules.randomiser == ADVERSARY:
        name = next(name for name, number in MOVEMENTS.items() if number == rules.movement)
        given = "randomiser=adversary" if rules.movement == DROP_MOVEMENT else f"movement={name}"
        raise RulesError(f"The GPU supports movement=drop without the adversary; given {given}. {_USE_CPU_HINT}")
    if settings.rules.dtype == ModernRulesRecord.dtype:
        raise RulesError(f"The GPU does not support hold, spins, attack and garbage. {_USE_CPU_HINT}")
    if has_height_limits(settings):
        raise TetrionError(f"The GPU does not support splitting. {_USE_CPU_HINT}")
    if agents["custom_addresses"].any():
        raise AgentError(f"The GPU does not support custom features; given an agent that uses some. {_USE_CPU_HINT}")
    if agents["expect"].any() or agents["beam"].any() or agents["second_mode"].any() or (agents["depth"] > 2).any():
        raise AgentError(
            "The GPU supports agents that search one or two known pieces in one mode; given an agent that does more. "
            f"{_USE_CPU_HINT}"
        )
    if (agents["depth"] == 2).all():
        return (
            (play_local_depth_two_by_thread, play_local_depth_two_by_thread)
            if supports_local_drops(settings)
            else (play_depth_two_by_thread, play_depth_two_by_thread)
        )
    if (agents["depth"] > 1).any():
        raise AgentError(
            f"The agents on a GPU must all search one piece, or all search two; given both. {_USE_CPU_HINT}"
        )
    if agents["pattern_mask"].any():
        return play_patterns_by_thread, play_by_team
    return play_local_by_thread if supports_local_drops(settings) else play_by_thread, play_by_team


class GpuGames:
    """Games that are played on the GPU; `copy_to_host` updates the array of games that was passed."""

    def __init__(self, games: GameRecords, settings: EngineSettings) -> None:
        self.many_games_kernel, self.few_games_kernel = select_kernels(settings)
        self.words = games.view(np.int64).reshape(len(games), GAME_WORDS)
        self.device_words = cuda.to_device(self.words)
        self.device_settings = settings._replace(
            agents=cuda.to_device(settings.agents),
            tables=cuda.to_device(settings.tables),
            rules=cuda.to_device(settings.rules),
        )
        for kernel in (self.many_games_kernel, self.few_games_kernel):
            if not kernel.is_ready:  # compile or load it
                kernel.launch(
                    1,
                    self.device_words,
                    cuda.to_device(np.zeros(1, np.int32)),
                    cuda.to_device(np.ones(1, np.int32)),
                    self.device_settings,
                    0,
                )
        first = (
            self.few_games_kernel
            if len(games) <= MAX_GAMES_PER_TEAM * self.few_games_kernel.max_games
            else self.many_games_kernel
        )
        self.current_games = np.arange(min(len(games), first.max_games), dtype=np.int32)
        self.next_game = cuda.to_device(np.array([len(self.current_games)], np.int32))

    @property
    def running_count(self) -> int:
        """The number of games that are being played."""
        return len(self.current_games)

    def play(self, budget: int) -> None:
        """Play a slice: `budget` pieces per thread or team."""
        kernel = self.many_games_kernel
        if self.running_count <= self.few_games_kernel.max_games:
            kernel = self.few_games_kernel
        current_games = cuda.to_device(self.current_games)
        kernel.launch(
            self.running_count, self.device_words, current_games, self.next_game, self.device_settings, budget
        )
        current_games.copy_to_host(self.current_games)
        self.current_games = self.current_games[
            self.current_games < len(self.words)
        ]  # remove slots for which no game was left

    def copy_to_host(self) -> None:
        """Copy the current state of the games from the GPU to the array of games."""
        self.device_words.copy_to_host(self.words)
