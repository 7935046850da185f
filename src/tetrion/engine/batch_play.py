"""Batches of whole games, played by any mixture of agents under one set of rules, in slices of a number of pieces."""

from collections.abc import Callable, Sequence
from typing import Generic, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from tetrion.engine.adversary import find_worst_piece
from tetrion.engine.agent_records import MAX_DEPTH_WITHOUT_BEAM, EngineAgent, EngineAgentOrTerms, compile_agents
from tetrion.engine.best_placements import NO_PLACEMENT, ChosenPlacement, ScratchT, Search
from tetrion.engine.bitboard import compute_heights, load_columns, lock_piece
from tetrion.engine.columns import max_column
from tetrion.engine.compiler import compile_inline
from tetrion.engine.local_evaluation import lock_piece_simd
from tetrion.engine.modern_features import MODERN_FEATURES
from tetrion.engine.piece_motion import PieceOnBoard
from tetrion.engine.pieces import ORIENTATION_HEIGHTS, PIECE_OF_ORIENTATION, PIECES
from tetrion.engine.placement_choice import (
    BasicScratch,
    SimdScratch,
    has_placement,
    is_blocked_out,
)
from tetrion.engine.randomisers import ADVERSARY, deal_piece, derive_random_keys, is_valid_bag
from tetrion.engine.reachable_placements import find_reachable_in_time
from tetrion.engine.records import (
    AgentRecords,
    GameRecord,
    GameRecords as GameRecords,
    RulesRecord,
    RulesRecords,
)
from tetrion.engine.rules import DROP_MOVEMENT, END_ABOVE_TOP, END_LOCK_OUT, END_TOP_ROW, TIMED_MOVEMENT, Rules
from tetrion.engine.scalar_or_simd import Array, popcount
from tetrion.engine.scoring import compute_frames_per_row, compute_level, compute_points, compute_spawn_delay
from tetrion.errors import AgentError

STATUS_PLAYING, STATUS_OVER, STATUS_CAPPED = range(3)

UNLIMITED = 2**62
NO_LOWER_HEIGHT = -1
MAX_COUNTER = 10**12  # of pieces, lines and frames from outside: no game has as many, and no sum or product overflows


class EngineSettings(NamedTuple):
    """The agents, rules and limits of a batch of games.

    With a lower or upper height, games with straight drops are also capped as soon as their aggregate height, the sum
    of the heights of the columns, is at most `lower_height` or at least `upper_height`.
    """

    agents: AgentRecords
    tables: Array
    rules: RulesRecords
    max_pieces: int
    max_lines: int
    lower_height: int = NO_LOWER_HEIGHT
    upper_height: int = UNLIMITED

    @classmethod
    def from_agents(
        cls, agents: Sequence[EngineAgentOrTerms], rules: Rules, max_pieces: int = UNLIMITED, max_lines: int = UNLIMITED
    ) -> Self:
        """Return the settings for some agents, rules, and limits on the length of a game."""
        for agent in agents:
            check_preview(EngineAgent(*agent), rules)
        return cls(*compile_agents(agents), rules.to_record(), max_pieces, max_lines)


class PlaySlice(NamedTuple, Generic[ScratchT]):
    """A slice of a batch of games: its settings, the number of pieces to place, and the working memory."""

    settings: EngineSettings
    budget: int
    scratch: ScratchT


def check_preview(agent: EngineAgent, rules: Rules) -> None:
    """Raise an AgentError if the rules do not fit the agent's features, or show too few pieces for its depth."""
    if names := [name for name in (*agent.terms, *(agent.second_terms or {})) if name in MODERN_FEATURES]:
        check_modern_agent(agent, names[0], rules)
    elif agent.depth > rules.preview + 1:
        needed = agent.depth - 1
        raise AgentError(
            f"depth={agent.depth} needs {needed} next piece{'s'[: needed > 1]}; the preview of {rules} has "
            f"{rules.preview}. Use {rules.with_(preview=needed)}."
        )


def check_modern_agent(agent: EngineAgent, feature: str, rules: Rules) -> None:
    """Raise an AgentError if an agent with a modern feature cannot play under the rules."""
    if not rules.is_modern:
        raise AgentError(f"The feature '{feature}' is for modern rules, such as guideline; given {rules}.")
    if agent.expect:
        raise AgentError("Agents with modern features search known pieces only; given expect=1. Use depth and beam.")
    if agent.second_terms is not None:
        raise AgentError(f"An agent with two modes cannot have modern features; given '{feature}'.")
    known = 1 + rules.preview + rules.hold
    if agent.depth > known:
        pieces = f"the current one, {rules.preview} in the preview{' and one in the hold box' if rules.hold else ''}"
        raise AgentError(
            f"depth={agent.depth} needs {agent.depth} known pieces; {rules} shows {known}: {pieces}. Use depth={known}."
        )
    if agent.depth > MAX_DEPTH_WITHOUT_BEAM and not agent.beam:
        raise AgentError(
            f"With modern features, depth={agent.depth} needs a beam: the number of states that are kept for each "
            "piece. Use, for example, beam=50."
        )


def make_games(
    count: int, seed: int, first: int = 0, agent: int = 0, record_type: type[GameRecord] = GameRecord
) -> GameRecords:
    """Return `count` new games of a seed, starting with game number `first`, for the agent with index `agent`."""
    games: GameRecords = record_type.make_array(count)
    games["key"] = derive_random_keys(seed, first, count)
    games["agent"] = agent
    return games


def is_valid_game(games: GameRecords, rules: RulesRecord) -> NDArray[np.bool_]:
    """Return for each game whether it can occur under the rules, for agent 0.

    Compiled code uses these numbers as indices and does not check them, so games of a file are checked with this.
    """
    board = games["board"]
    known = games["known"]
    pieces = games["queue"]
    counters = np.column_stack([games["pieces"], games["lines"], games["frames"], games["clears"]])
    is_valid: NDArray[np.bool_] = (
        (games["agent"] == 0)
        & np.isin(games["status"], (STATUS_PLAYING, STATUS_OVER, STATUS_CAPPED))
        & ((board >> rules.rows) == 0).all(axis=1)
        & (np.bitwise_and.reduce(board, axis=1) == 0)  # no row is full: it would be cleared with the next piece
        & ((known >= 0) & (known <= rules.preview + 1))
        & ((pieces >= 0) & (pieces < len(PIECES))).all(axis=1)
        & ((counters >= 0) & (counters <= MAX_COUNTER)).all(axis=1)
        & ((games["score"] >= 0) & (games["score"] < UNLIMITED))
        & is_valid_bag(rules, games["bag"])
    )
    return is_valid


@compile_inline
def append_to_queue(game: GameRecord, piece: int) -> None:
    """Append a piece to the queue of a game."""
    game.queue[game.known] = piece
    game.known += 1


@compile_inline
def deal_next(game: GameRecord, rules: RulesRecord) -> None:
    """Deal one piece with a randomiser that does not depend on the board."""
    piece, bag = deal_piece(rules, game.key, game.pieces + game.known, game.bag)
    game.bag = bag
    append_to_queue(game, piece)


@compile_inline
def deal_preview(game: GameRecord, rules: RulesRecord, scratch: object) -> None:
    """Deal pieces until the current piece and the preview are known; not for the adversary."""
    while game.known <= rules.preview:
        deal_next(game, rules)


@compile_inline
def deal_preview_any_randomiser(game: GameRecord, rules: RulesRecord, scratch: BasicScratch) -> None:
    """Deal pieces until the current piece and the preview are known, with any randomiser."""
    while game.known <= rules.preview:
        if rules.randomiser == ADVERSARY and game.pieces + game.known > 0:
            append_to_queue(game, find_worst_piece(game.board, rules, scratch))
        else:
            deal_next(game, rules)


@compile_inline
def compute_gravity_interval(game: GameRecord, rules: RulesRecord) -> int:
    """Return the gravity interval (frames per row) of the current piece."""
    return compute_frames_per_row(rules, compute_level(rules, game.lines), game.frames)


@compile_inline
def prepare_position(game: GameRecord, rules: RulesRecord, scratch: SimdScratch) -> None:
    """Deal the next piece and find its placements, which stay in the flood; without any, the game is over."""
    deal_preview_any_randomiser(game, rules, scratch)
    if game.status != STATUS_PLAYING:
        return
    piece = int(game.queue[0])
    interval = compute_gravity_interval(game, rules)
    if is_blocked_out(game.board, rules, piece) or not has_placement(game.board, rules, piece, interval, scratch):
        game.status = STATUS_OVER


@compile_inline
def commit_placement(
    lock_piece: Callable[[Array, int, int, int], int], game: GameRecord, rules: RulesRecord, choice: ChosenPlacement
) -> None:
    """Lock the current piece, remove full rows, update the counters, and end the game if the rules require it."""
    orientation, x, row = choice
    full = lock_piece(game.board, orientation, x, row)
    lines = 0
    if full:
        lines = popcount(full)
        game.lines += lines
        game.clears[lines - 1] += 1
    game.score += compute_points(rules, lines, compute_level(rules, game.lines))
    game.pieces += 1
    game.placement[0], game.placement[1], game.placement[2] = orientation, x, row
    game.known -= 1
    for index in range(game.known):
        game.queue[index] = game.queue[index + 1]
    if rules.game_over == END_LOCK_OUT and row >= rules.height:
        game.status = STATUS_OVER
    if rules.game_over == END_ABOVE_TOP and row + ORIENTATION_HEIGHTS[orientation] > rules.height:
        game.status = STATUS_OVER
    if rules.game_over == END_TOP_ROW and max_column(compute_heights(load_columns(game.board, 0))) >= rules.height:
        game.status = STATUS_OVER


@compile_inline
def place_scalar(game: GameRecord, rules: RulesRecord, choice: ChosenPlacement, scratch: object) -> None:
    """Lock the current piece in a game without a clock, with scalar code."""
    commit_placement(lock_piece, game, rules, choice)


@compile_inline
def place_simd(game: GameRecord, rules: RulesRecord, choice: ChosenPlacement, scratch: object) -> None:
    """Lock the current piece in a game without a clock, with all columns in SIMD lanes."""
    commit_placement(lock_piece_simd, game, rules, choice)


@compile_inline
def place_timed(game: GameRecord, rules: RulesRecord, choice: ChosenPlacement, scratch: SimdScratch) -> None:
    """Lock the current piece; under timed movement, advance the clock until the next piece spawns."""
    orientation, x, row = choice
    lines_before = game.lines
    frames = 0
    if rules.movement == TIMED_MOVEMENT:
        piece = int(PIECE_OF_ORIENTATION[orientation])
        rotation = 0
        while rules.orientations[piece, rotation] != orientation:
            rotation += 1
        piece_on_board = PieceOnBoard(game.board, rules, piece)
        interval = compute_gravity_interval(game, rules)
        frames = find_reachable_in_time(piece_on_board, interval, scratch.flood, (rotation, x, row))
    commit_placement(lock_piece_simd, game, rules, choice)
    if rules.movement == TIMED_MOVEMENT:
        game.frames += frames + compute_spawn_delay(rules, row, game.lines - lines_before)


@compile_inline
def begin_piece(
    deal: Callable[[GameRecord, RulesRecord, ScratchT], None], game: GameRecord, play_slice: PlaySlice[ScratchT]
) -> bool:
    """Deal the next piece of a game; return whether it can be placed. Otherwise the game ends."""
    settings = play_slice.settings
    if game.pieces >= settings.max_pieces or game.lines >= settings.max_lines:
        game.status = STATUS_CAPPED
        return False
    rules = settings.rules[0]
    deal(game, rules, play_slice.scratch)
    if is_blocked_out(game.board, rules, int(game.queue[0])):
        game.status = STATUS_OVER
        return False
    return True


@compile_inline
def finish_piece(
    place: Callable[[GameRecord, RulesRecord, ChosenPlacement, ScratchT], None],
    game: GameRecord,
    choice: ChosenPlacement,
    play_slice: PlaySlice[ScratchT],
) -> None:
    """Place the current piece of a game, which ends if there is no placement."""
    if choice[0] == NO_PLACEMENT:
        game.status = STATUS_OVER
    else:
        place(game, play_slice.settings.rules[0], choice, play_slice.scratch)


@compile_inline
def play_game(
    deal: Callable[[GameRecord, RulesRecord, ScratchT], None],
    choose: Callable[[GameRecord, Search[ScratchT]], ChosenPlacement],
    place: Callable[[GameRecord, RulesRecord, ChosenPlacement, ScratchT], None],
    game: GameRecord,
    play_slice: PlaySlice[ScratchT],
) -> int:
    """Continue a game until it is over, capped, or the slice ends; return the number of placed pieces."""
    settings = play_slice.settings
    budget = play_slice.budget
    scratch = play_slice.scratch
    agent = settings.agents[game.agent]
    rules = settings.rules[0]
    pieces_before = game.pieces
    while game.status == STATUS_PLAYING and game.pieces - pieces_before < budget:
        if begin_piece(deal, game, play_slice):
            interval = compute_gravity_interval(game, rules)
            choice = choose(game, Search(rules, interval, agent, settings.agents, settings.tables, scratch))
            finish_piece(place, game, choice, play_slice)
    return int(game.pieces - pieces_before)


@compile_inline
def play_games(
    deal: Callable[[GameRecord, RulesRecord, ScratchT], None],
    choose: Callable[[GameRecord, Search[ScratchT]], ChosenPlacement],
    place: Callable[[GameRecord, RulesRecord, ChosenPlacement, ScratchT], None],
    games: GameRecords,
    play_slice: PlaySlice[ScratchT],
) -> int:
    """Continue games one after another until the slice ends; return the number of placed pieces."""
    settings, budget, scratch = play_slice
    played = 0
    for g in range(len(games)):
        if games[g].status == STATUS_PLAYING and played < budget:
            played += play_game(deal, choose, place, games[g], PlaySlice(settings, budget - played, scratch))
    return played


def uses_lookahead(settings: EngineSettings) -> bool:
    """Return whether any agent uses lookahead, expectation or a second mode."""
    agents = settings.agents
    return bool((agents["depth"] > 1).any() or agents["expect"].any() or agents["second_mode"].any())


def supports_local_drops(settings: EngineSettings) -> bool:
    """Return whether all placements are straight drops and all agents support local evaluation."""
    rules = settings.rules[0]
    drops = rules.movement == DROP_MOVEMENT and rules.game_over < END_LOCK_OUT and rules.randomiser != ADVERSARY
    return bool(drops and settings.agents["is_local"].all())


def has_height_limits(settings: EngineSettings) -> bool:
    """Return whether games are capped at an aggregate height."""
    return settings.lower_height > NO_LOWER_HEIGHT or settings.upper_height < UNLIMITED
