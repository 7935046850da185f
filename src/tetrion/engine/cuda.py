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

from tetrion.engine.board import fits, landing_row
from tetrion.engine.choose import BARE, HEIGHTS, choose_one_by_one, judge, situation, survives
from tetrion.engine.compiler import ANNOUNCEMENT, cache_folder, compiled
from tetrion.engine.lanes import LANES
from tetrion.engine.leaders import NO_PLACEMENT, Choice
from tetrion.engine.leaders import WORST as WORST_POINTS
from tetrion.engine.near import Scratch
from tetrion.engine.own import OWN
from tetrion.engine.pieces import PLACES, WIDTH
from tetrion.engine.play import GAME, PLAYING, Games, Setting, deal_ahead, drops_nearby, place_at_once, play_game
from tetrion.engine.randomisers import WORST
from tetrion.engine.rules import DROPPED, MOVEMENTS, TOP_ROW
from tetrion.engine.singly import ROWS, choose_drop_one_by_one, choose_two_measured, choose_two_nearby
from tetrion.engine.words import Array
from tetrion.errors import AgentError, RulesError

THREADS = 32  # a block, at most: a warp, whose threads go in step
FEW = 8  # games for each of the teams at work, up to which teams are faster than threads on their own
LAST = 63  # place of a placement in the order that breaks ties
SECONDS = 15  # that a kernel takes to compile
WORDS = GAME.itemsize // 8
MINE, SCRATCH, NEARBY = (np.dtype((np.record, each)) for each in (GAME, BARE, ROWS))  # which the simulator can read
ON_CPU = "Use the CPU for it: leave the device away."


class Kernel:
    """A module-level function that runs on the GPU; compiled once a machine and kept beside the rest of the engine."""

    def __init__(self, function: Callable[..., None], team: int) -> None:
        self.name, self.team, self.ready = function.__name__, team, False
        with cached():
            self.dispatcher = cuda.jit(cache=True)(function)

    def launch(self, holders: int, *args: Any) -> None:
        """Run so many threads, or teams of them; a few threads are spread over as many blocks as there can be."""
        if not self.ready and not any(cache_folder().rglob(f"*.{self.name}-*.nbi")):
            print(ANNOUNCEMENT.format(seconds=SECONDS), file=sys.stderr, flush=True)
        threads = holders * self.team
        a_block = min(THREADS, -(-threads // self.blocks)) if self.team == 1 else self.team
        with former_numpy(), warnings.catch_warnings(action="ignore"):  # that few threads leave the GPU idle
            self.dispatcher[-(-threads // a_block), a_block](*args)
        self.ready = True

    @property
    def blocks(self) -> int:
        """How many blocks the GPU works on at a time; one before it is compiled, and on CUDA's simulator."""
        overloads = list(self.dispatcher.overloads.values())
        return int(overloads[-1].max_cooperative_grid_blocks(THREADS)) if overloads else 1

    @property
    def most(self) -> int:
        """How many games it plays at a time."""
        return self.blocks * THREADS // self.team


def kernel(team: int) -> Callable[[Callable[..., None]], Kernel]:
    """Make a function a kernel whose games are played by teams of so many threads: one, or a block."""
    return lambda function: Kernel(function, team)


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
    take: Callable[[Array], int],
    wait: Callable[[], None],
    holder: int,
    games: Array,
    held: Array,
    following: Array,
    setting: Setting,
    budget: int,
    mine: Games,
    scratch: Scratch,
) -> None:
    """What a holder of games does in a slice: so many pieces of the one it holds, and of the next ones when that ends.

    Meanwhile the game is in memory of the thread's own. After every piece its end is looked for, because threads go in
    step: one whose game ends must not wait for the ends of its neighbours' games.
    """
    words = mine.view(np.int64)
    if holder < len(held):
        g = int(held[holder])
        copy(words, games[g])
        wait()
        while budget > 0 and g < len(games):
            if mine[0].status == PLAYING:
                play_game(deal_ahead, choose, place_at_once, mine[0], setting, 1, scratch)
                budget -= 1
            else:
                copy(games[g], words)
                g = int(take(following))
                if g < len(games):
                    copy(words, games[g])
                    wait()
        if g < len(games):
            copy(games[g], words)
        held[holder] = g


@compiled
def wiped(scratch: Scratch) -> Scratch:
    """Memory to work in, made ready: it holds anything, and pieces at the right edge look at heights beyond."""
    for beyond in range(WIDTH, HEIGHTS):
        scratch.heights[beyond] = 0
    return scratch


@compiled
def take_alone(following: Array) -> int:
    """The number of the next game."""
    return int(cuda.atomic.add(following, 0, 1))


@compiled
def wait_for_nobody() -> None:
    """A thread on its own goes on."""


@compiled
def wait_for_all() -> None:
    """Until all threads of the team have read the game, none may write it."""
    cuda.syncthreads()


@compiled
def take_together(following: Array) -> int:
    """The number of the next game, which one of the team's threads takes for all."""
    taken = cuda.shared.array(1, np.int32)
    if cuda.threadIdx.x == 0:
        taken[0] = cuda.atomic.add(following, 0, 1)
    cuda.syncthreads()
    number = int(taken[0])
    cuda.syncthreads()
    return number


@compiled
def choose_together(
    game: Any, rules: Any, interval: int, agent: Any, agents: Array, tables: Array, scratch: Scratch
) -> Choice:
    """What `choose_one_by_one` chooses, found by a team whose threads look at every thirty-second placement each."""
    board, piece, turn, x, best = game.board, int(game.queue[0]), 0, int(cuda.threadIdx.x), 0
    now, turns = situation(board, rules.rows, agent.mask, scratch.heights), int(rules.turns[piece])
    while turn < turns:
        while turn < turns and x >= PLACES[int(rules.turned[piece, turn])]:
            x -= int(PLACES[int(rules.turned[piece, turn])])
            turn += 1
        if turn < turns:
            orientation = int(rules.turned[piece, turn])
            row = landing_row(scratch.heights, orientation, x)
            possible = fits(orientation, x, row, rules.rows)
            if possible:
                alive = rules.over < TOP_ROW or survives(board, rules, orientation, x, row)
                points = judge(now, agent, tables, possible, orientation, x, row, scratch)
                best = max(best, offer(alive, points, turn, x))
            x += THREADS
    best = best_of_all(best)
    if best == 0:
        return NO_PLACEMENT, 0, 0
    place = LAST - best % (LAST + 1)
    orientation, x = int(rules.turned[piece, place // LANES]), place % LANES
    return orientation, x, landing_row(scratch.heights, orientation, x)


@compiled
def offer(alive: bool, points: int, turn: int, x: int) -> int:
    """A placement as a number above 0, the larger the better: the game goes on, points, first in order."""
    return ((int(alive) << 32) + int(points) - WORST_POINTS) * (LAST + 1) + LAST - (turn * LANES + x)


@compiled
def best_of_all(mine: int) -> int:
    """The best of what a team's threads offer."""
    offers = cuda.shared.array(THREADS, np.int64)
    offers[cuda.threadIdx.x] = mine
    cuda.syncthreads()
    for thread in range(THREADS):
        mine = max(mine, int(offers[thread]))
    cuda.syncthreads()
    return mine


@kernel(team=1)
def play_alone(games: Array, held: Array, following: Array, setting: Setting, budget: int) -> None:
    """A thread a game, for agents that look at one piece in one mode."""
    mine, scratch = cuda.local.array(1, MINE), wiped(cuda.local.array(1, SCRATCH)[0])
    holder = cuda.grid(1)
    play_on(
        choose_one_by_one, take_alone, wait_for_nobody, holder, games, held, following, setting, budget, mine, scratch
    )


@kernel(team=1)
def play_nearby(games: Array, held: Array, following: Array, setting: Setting, budget: int) -> None:
    """The same where drops can be judged by their neighbourhood."""
    mine, scratch = cuda.local.array(1, MINE), cuda.local.array(1, NEARBY)[0]
    holder = cuda.grid(1)
    play_on(
        choose_drop_one_by_one,
        take_alone,
        wait_for_nobody,
        holder,
        games,
        held,
        following,
        setting,
        budget,
        mine,
        scratch,
    )


@kernel(team=1)
def play_two(games: Array, held: Array, following: Array, setting: Setting, budget: int) -> None:
    """A thread a game, for agents that look at two pieces in one mode."""
    mine, board = cuda.local.array(1, MINE), cuda.local.array(WIDTH, np.int32)
    scratch = wiped(cuda.local.array(1, SCRATCH)[0]), wiped(cuda.local.array(1, SCRATCH)[0]), board
    holder = cuda.grid(1)
    play_on(
        choose_two_measured, take_alone, wait_for_nobody, holder, games, held, following, setting, budget, mine, scratch
    )


@kernel(team=1)
def play_two_nearby(games: Array, held: Array, following: Array, setting: Setting, budget: int) -> None:
    """The same where drops can be judged by their neighbourhood."""
    mine, board = cuda.local.array(1, MINE), cuda.local.array(WIDTH, np.int32)
    scratch = cuda.local.array(1, NEARBY)[0], cuda.local.array(1, NEARBY)[0], board
    holder = cuda.grid(1)
    play_on(
        choose_two_nearby, take_alone, wait_for_nobody, holder, games, held, following, setting, budget, mine, scratch
    )


@kernel(team=THREADS)
def play_together(games: Array, held: Array, following: Array, setting: Setting, budget: int) -> None:
    """A block a game, for agents that look at one piece; its threads do all but the choice in step."""
    mine, scratch = cuda.local.array(1, MINE), wiped(cuda.local.array(1, SCRATCH)[0])
    holder = cuda.blockIdx.x
    play_on(
        choose_together, take_together, wait_for_all, holder, games, held, following, setting, budget, mine, scratch
    )


def kernels_for(setting: Setting) -> tuple[Kernel, Kernel]:
    """The kernels that play by a setting, many games or few; or the error that says what a GPU does not play."""
    agents, movement, randomiser = (
        setting.agents,
        int(setting.rules["movement"][0]),
        int(setting.rules["randomiser"][0]),
    )
    if movement != DROPPED or randomiser == WORST:
        name = next(name for name, number in MOVEMENTS.items() if number == movement)
        given = "randomiser=adversary" if movement == DROPPED else f"movement={name}"
        raise RulesError(f"The GPU plays by movement=drop without the adversary; given {given}. {ON_CPU}")
    if (agents["mask"] & OWN).any():
        raise AgentError(f"The GPU knows no features of your own; given an agent that has some. {ON_CPU}")
    if agents["expect"].any() or agents["beam"].any() or agents["other"].any() or (agents["depth"] > 2).any():
        raise AgentError(
            f"The GPU looks at one or two known pieces in one mode; given an agent that does more. {ON_CPU}"
        )
    if (agents["depth"] == 2).all():
        return (play_two_nearby, play_two_nearby) if drops_nearby(setting) else (play_two, play_two)
    if (agents["depth"] > 1).any():
        raise AgentError(f"The GPU plays agents that all look at one piece, or all at two; given both. {ON_CPU}")
    return play_nearby if drops_nearby(setting) else play_alone, play_together


class Table:
    """Games on the GPU, one or more; here, in `games`, they are as they were when last fetched."""

    def __init__(self, games: Games, setting: Setting) -> None:
        self.many, self.few = kernels_for(setting)
        arrays = {name: there(part) for name, part in setting._asdict().items() if isinstance(part, np.ndarray)}
        self.words = games.view(np.int64).reshape(len(games), WORDS)
        self.there, self.setting = there(self.words), setting._replace(**arrays)
        for kernel in (self.many, self.few):
            if not kernel.ready:  # compiled or loaded
                kernel.launch(1, self.there, there(np.zeros(1, np.int32)), there(np.ones(1, np.int32)), self.setting, 0)
        first = self.few if len(games) <= FEW * self.few.most else self.many
        self.held = np.arange(min(len(games), first.most), dtype=np.int32)
        self.following = there(np.array([len(self.held)], np.int32))

    @property
    def going(self) -> int:
        """How many games are under way."""
        return len(self.held)

    def play(self, budget: int) -> None:
        """Play a slice: so many pieces a thread or a team."""
        kernel, held = self.few if self.going <= self.few.most else self.many, there(self.held)
        kernel.launch(self.going, self.there, held, self.following, self.setting, budget)
        held.copy_to_host(self.held)
        self.held = self.held[self.held < len(self.words)]  # without those for whom no game is left

    def fetch(self) -> None:
        """Bring the games here as they are."""
        self.there.copy_to_host(self.words)


def there(array: Array) -> Any:
    """An array on the GPU; its records, if it has them, have fields that CUDA's simulator can read too."""
    return cuda.to_device(array.view(np.recarray) if array.dtype.names else array)
