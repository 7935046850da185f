"""Whole games, compiled: any mixture of agents under one set of rules, in slices, on as many threads as there are."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Self

import numpy as np

from tetrion.engine.adversary import find_worst_piece
from tetrion.engine.agent_records import CompiledAgent, Playable, compile_agents
from tetrion.engine.best_placements import NO_PLACEMENT, ChosenPlacement
from tetrion.engine.bitboard import compute_heights, load_columns, lock_piece
from tetrion.engine.columns import max_column
from tetrion.engine.compiler import CompiledFunction, compile_entry_with_memory, compile_inline
from tetrion.engine.local_evaluation import Scratch, lock_piece_simd
from tetrion.engine.lookahead import SEARCH_DTYPE, choose_local_drop_with_lookahead, choose_with_lookahead
from tetrion.engine.piece_motion import can_spawn
from tetrion.engine.pieces import BOARD_WIDTH, ORIENTATION_HEIGHTS, PIECE_OF_ORIENTATION
from tetrion.engine.placement_choice import (
    SCALAR_SCRATCH_DTYPE,
    SIMD_SCRATCH_DTYPE,
    choose_any_placement,
    choose_drop_scalar,
    choose_drop_simd,
)
from tetrion.engine.randomisers import ADVERSARY, deal_piece, make_game_keys
from tetrion.engine.reachable_placements import find_reachable_in_time
from tetrion.engine.rules import DROP_MOVEMENT, END_ABOVE_TOP, END_SPAWN_BLOCKED, END_TOP_ROW, TIMED_MOVEMENT, Rules
from tetrion.engine.scalar_or_simd import Array, popcount
from tetrion.engine.scoring import compute_entry_delay, compute_frames_per_row, compute_level, compute_points
from tetrion.engine.simd_drops import choose_local_drop_simd
from tetrion.errors import AgentError

MAX_KNOWN_PIECES = 8  # pieces: the current one, those of the longest preview, and one more

GAME_DTYPE = np.dtype(
    [
        ("key", np.uint64),  # of its randomness
        ("bag", np.int64),  # what the randomiser remembers, such as the pieces left in the bag
        ("pieces", np.int64),  # placed so far
        ("lines", np.int64),
        ("score", np.int64),
        ("frames", np.int64),  # that it has lasted, where there is a clock
        ("clears", np.int64, 4),  # how often one, two, three and four lines were cleared at once
        ("board", np.int32, BOARD_WIDTH),
        ("agent", np.int32),  # who plays
        ("status", np.int32),
        ("placement", np.int64, 3),  # the last one: orientation, column, row
        ("known", np.int64),  # how many pieces are dealt and not yet placed
        ("queue", np.int64, MAX_KNOWN_PIECES),  # these pieces, the current one first
    ],
    align=True,
)
STATUS_PLAYING, STATUS_OVER, STATUS_CAPPED = range(3)

UNLIMITED = 2**62

GameRecords = np.ndarray[Any, Any]


class EngineSettings(NamedTuple):
    """Everything that stays the same while games are played."""

    agents: Array
    tables: Array
    rules: Array
    max_pieces: int
    max_lines: int

    @classmethod
    def from_agents(
        cls, agents: Sequence[Playable], rules: Rules, max_pieces: int = UNLIMITED, max_lines: int = UNLIMITED
    ) -> Self:
        """What is played by: some agents, rules, and caps on the length of a game."""
        for agent in agents:
            check_preview(CompiledAgent(*agent), rules)
        return cls(*compile_agents(agents), rules.to_record(), max_pieces, max_lines)


def check_preview(agent: CompiledAgent, rules: Rules) -> None:
    """Make sure that the rules show as many next pieces as an agent looks at."""
    if agent.depth > rules.preview + 1:
        wanted = agent.depth - 1
        raise AgentError(
            f"depth={agent.depth} needs {wanted} next piece{'s'[: wanted > 1]} to be known; {rules} shows "
            f"{rules.preview}. Use {rules.with_(preview=wanted)}."
        )


def make_games(count: int, seed: int, first: int = 0, agent: int = 0) -> GameRecords:
    """Games number `first`, `first + 1`, … of a seed, not yet begun."""
    games = np.zeros(count, GAME_DTYPE)
    games["key"] = make_game_keys(seed, first, count)
    games["agent"] = agent
    return games


@compile_inline
def append_to_queue(game: Any, piece: int) -> None:
    """Put a piece behind those that are known."""
    game.queue[game.known] = piece
    game.known += 1


@compile_inline
def deal_next(game: Any, rules: Any) -> None:
    """Deal one piece, whatever the board looks like."""
    piece, bag = deal_piece(rules, game.key, game.pieces + game.known, game.bag)
    game.bag = bag
    append_to_queue(game, piece)


@compile_inline
def deal_preview(game: Any, rules: Any, scratch: Scratch) -> None:
    """Deal until the current piece and those of the preview are known."""
    while game.known <= rules.preview:
        deal_next(game, rules)


@compile_inline
def deal_preview_any_randomiser(game: Any, rules: Any, scratch: Scratch) -> None:
    """The same by any randomiser; after the first piece the adversary looks at the board."""
    while game.known <= rules.preview:
        if rules.randomiser == ADVERSARY and game.pieces + game.known > 0:
            append_to_queue(game, find_worst_piece(game.board, rules, scratch))
        else:
            deal_next(game, rules)


@compile_inline
def commit_placement(lock_piece: Callable[..., int], game: Any, rules: Any, choice: ChosenPlacement) -> None:
    """Place the current piece for good: remove full rows, count, and end the game if that ends it."""
    orientation, x, row = choice
    full, lines = lock_piece(game.board, orientation, x, row), 0
    if full:
        lines = popcount(full)
        game.lines += lines
        game.clears[lines - 1] += 1
    game.score += compute_points(rules, lines, compute_level(rules, game.lines))
    game.pieces += 1
    game.placement[0], game.placement[1], game.placement[2] = orientation, x, row
    game.known -= 1
    for place in range(game.known):
        game.queue[place] = game.queue[place + 1]
    if rules.game_over == END_ABOVE_TOP and row + ORIENTATION_HEIGHTS[orientation] > rules.height:
        game.status = STATUS_OVER
    if rules.game_over == END_TOP_ROW and max_column(compute_heights(load_columns(game.board, 0))) >= rules.height:
        game.status = STATUS_OVER


@compile_inline
def compute_gravity_interval(game: Any, rules: Any) -> int:
    """How many frames the current piece takes for a row."""
    return compute_frames_per_row(rules, compute_level(rules, game.lines), game.frames)


@compile_inline
def place_scalar(game: Any, rules: Any, choice: ChosenPlacement, scratch: Scratch) -> None:
    """Place the current piece for good, without a clock."""
    commit_placement(lock_piece, game, rules, choice)


@compile_inline
def place_simd(game: Any, rules: Any, choice: ChosenPlacement, scratch: Scratch) -> None:
    """The same, all columns at once."""
    commit_placement(lock_piece_simd, game, rules, choice)


@compile_inline
def place_timed(game: Any, rules: Any, choice: ChosenPlacement, scratch: Scratch) -> None:
    """Place the current piece for good; where time counts, let it pass until the next piece enters."""
    orientation, x, row = choice
    lines, frames = game.lines, 0
    if rules.movement == TIMED_MOVEMENT:
        piece, turn = int(PIECE_OF_ORIENTATION[orientation]), 0
        while rules.turned[piece, turn] != orientation:
            turn += 1
        frames = find_reachable_in_time(
            game.board, rules, piece, compute_gravity_interval(game, rules), scratch.room, turn, x, row
        )
    commit_placement(lock_piece_simd, game, rules, choice)
    if rules.movement == TIMED_MOVEMENT:
        game.frames += frames + compute_entry_delay(rules, row, game.lines - lines)


@compile_inline
def play_game(
    deal: Callable[..., None],
    choose: Callable[..., ChosenPlacement],
    place: Callable[..., None],
    game: Any,
    setting: EngineSettings,
    budget: int,
    scratch: Scratch,
) -> int:
    """Go on with a game until it is over, capped, or `budget` pieces are placed; tells how many were."""
    agent = setting.agents[game.agent]
    rules = setting.rules[0]
    begun = game.pieces
    while game.status == STATUS_PLAYING and game.pieces - begun < budget:
        if game.pieces >= setting.max_pieces or game.lines >= setting.max_lines:
            game.status = STATUS_CAPPED
            break
        deal(game, rules, scratch)
        if rules.game_over == END_SPAWN_BLOCKED and not can_spawn(game.board, rules, int(game.queue[0])):
            game.status = STATUS_OVER
            break
        choice = choose(
            game, rules, compute_gravity_interval(game, rules), agent, setting.agents, setting.tables, scratch
        )
        if choice[0] == NO_PLACEMENT:
            game.status = STATUS_OVER
            break
        place(game, rules, choice, scratch)
    return int(game.pieces - begun)


@compile_inline
def play_games(
    deal: Callable[..., None],
    choose: Callable[..., ChosenPlacement],
    place: Callable[..., None],
    scratch: Scratch,
    games: GameRecords,
    setting: EngineSettings,
    budget: int,
) -> int:
    """Go on with games one after another until `budget` pieces are placed; tells how many were."""
    played = 0
    for g in range(len(games)):
        if games[g].status == STATUS_PLAYING and played < budget:
            played += play_game(deal, choose, place, games[g], setting, budget - played, scratch)
    return played


@compile_entry_with_memory(SIMD_SCRATCH_DTYPE, seconds=20)
def play_local_drops(memory: Array, games: GameRecords, setting: EngineSettings, budget: int) -> int:
    """Play a slice of many games by straight drops that can be judged by their neighbourhood: the fastest way."""
    return play_games(deal_preview, choose_local_drop_simd, place_simd, memory[0], games, setting, budget)


@compile_entry_with_memory(SIMD_SCRATCH_DTYPE, seconds=20)
def play_drops_simd(memory: Array, games: GameRecords, setting: EngineSettings, budget: int) -> int:
    """Play a slice of many games by straight drops, all columns at once; the adversary cannot deal."""
    return play_games(deal_preview, choose_drop_simd, place_simd, memory[0], games, setting, budget)


@compile_entry_with_memory(SCALAR_SCRATCH_DTYPE, seconds=20)
def play_drops_scalar(memory: Array, games: GameRecords, setting: EngineSettings, budget: int) -> int:
    """Play a slice of many games by straight drops, one placement after another; the adversary cannot deal."""
    return play_games(deal_preview, choose_drop_scalar, place_scalar, memory[0], games, setting, budget)


@compile_entry_with_memory(SIMD_SCRATCH_DTYPE, seconds=30)
def play_any_movement(memory: Array, games: GameRecords, setting: EngineSettings, budget: int) -> int:
    """Play a slice of many games by any rules, all columns at once."""
    return play_games(deal_preview_any_randomiser, choose_any_placement, place_timed, memory[0], games, setting, budget)


@compile_entry_with_memory(SEARCH_DTYPE, seconds=25)
def play_local_drops_with_lookahead(memory: Array, games: GameRecords, setting: EngineSettings, budget: int) -> int:
    """Play a slice of many games by straight drops judged by their neighbourhood, for agents that look ahead."""
    return play_games(deal_preview, choose_local_drop_with_lookahead, place_simd, memory[0], games, setting, budget)


@compile_entry_with_memory(SEARCH_DTYPE, seconds=50)
def play_with_lookahead(memory: Array, games: GameRecords, setting: EngineSettings, budget: int) -> int:
    """Play a slice of many games by any rules and agents: those too that look ahead or have two modes."""
    return play_games(
        deal_preview_any_randomiser, choose_with_lookahead, place_timed, memory[0], games, setting, budget
    )


@compile_entry_with_memory(SIMD_SCRATCH_DTYPE, seconds=4)
def place_piece(memory: Array, games: GameRecords, setting: EngineSettings, orientation: int, x: int, row: int) -> None:
    """Place the current piece of the first of the games."""
    place_timed(games[0], setting.rules[0], (orientation, x, row), memory[0])


def uses_lookahead(setting: EngineSettings) -> bool:
    """Whether an agent does more than weigh the placements of one piece in one mode."""
    agents = setting.agents
    return bool((agents["depth"] > 1).any() or agents["expect"].any() or agents["other"].any())


def supports_local_drops(setting: EngineSettings) -> bool:
    """Whether all placements are straight drops that can be judged by their neighbourhood."""
    rules = setting.rules[0]
    drops = rules["movement"] == DROP_MOVEMENT and rules["game_over"] < END_TOP_ROW and rules["randomiser"] != ADVERSARY
    return bool(drops and setting.agents["near"].all())


def select_fastest_play(setting: EngineSettings) -> CompiledFunction[[GameRecords, EngineSettings, int], int]:
    """The fastest way to play on the CPU."""
    rules = setting.rules[0]
    if supports_local_drops(setting):
        return play_local_drops_with_lookahead if uses_lookahead(setting) else play_local_drops
    if uses_lookahead(setting):
        return play_with_lookahead
    return (
        play_drops_simd
        if rules["movement"] == DROP_MOVEMENT and rules["randomiser"] != ADVERSARY
        else play_any_movement
    )
