"""Batches of whole games, played by any mixture of agents under one set of rules, in slices of a number of pieces.

`play_game` deals, chooses and places, by the functions that it is given. The entry points at the end of this file
compile it for some rules and agents each; `select_fastest_play` selects one of them.
"""

from collections.abc import Callable, Sequence
from typing import Generic, NamedTuple, Never, Self, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from tetrion.engine.agent_records import MAX_DEPTH_WITHOUT_BEAM, EngineAgent, EngineAgentOrTerms, compile_agents
from tetrion.engine.beam_search import BeamSearchScratch, choose_by_beam_search
from tetrion.engine.bitboard import HANGING_CLEARING, compute_heights, load_columns, lock_piece
from tetrion.engine.columns import sum_columns
from tetrion.engine.compiler import CompiledFunction, compile_entry_with_memory, compile_inline, compile_separate
from tetrion.engine.features.attack_features import ATTACK_FEATURES
from tetrion.engine.local_evaluation import choose_local_drop_simd, lock_piece_simd
from tetrion.engine.lookahead import (
    SearchScratch,
    choose_local_drop_with_lookahead,
    choose_with_hold,
    choose_with_lookahead,
)
from tetrion.engine.pieces import PIECES
from tetrion.engine.placement_choice import (
    ScalarScratch,
    SimdScratch,
    choose_any_placement,
    choose_drop_scalar,
    choose_drop_simd,
    choose_pattern_drop_simd,
    is_blocked_out,
)
from tetrion.engine.placements import NO_CHOICE, NO_PLACEMENT, Choice, ScratchT, Search
from tetrion.engine.placing import (
    STATUS_CAPPED,
    STATUS_OVER,
    STATUS_PLAYING,
    compute_gravity_interval,
    deal_preview,
    deal_preview_any_randomiser,
    is_stopped_at_spawn,
    lock_current_piece,
    place_timed,
    place_untimed,
)
from tetrion.engine.randomisers import ADVERSARY, derive_random_keys, is_valid_bag
from tetrion.engine.records import (
    DROP_MOVEMENT,
    END_LOCK_OUT,
    STEERED_MOVEMENT,
    AgentRecords,
    FullGameRecord,
    FullGameRecords,
    GameRecord,
    GameRecords,
    Int64,
    Record,
    Records,
    RulesRecord,
    RulesRecords,
)
from tetrion.engine.rules import Rules, make_rules_record
from tetrion.engine.scalar_or_simd import Array
from tetrion.errors import AgentError

UNLIMITED = 2**62
CHOICE_ONLY = 0  # instead of the number of pieces that `play_full_games` places
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
        return cls(*compile_agents(agents), make_rules_record(rules), max_pieces, max_lines)


PlayFunction = CompiledFunction[[GameRecords, EngineSettings, int], int]
GameT = TypeVar("GameT", bound=GameRecord)


class PlaySlice(NamedTuple, Generic[ScratchT]):
    """A slice of a batch of games: its settings, the number of pieces to place, and the working memory."""

    settings: EngineSettings
    budget: int
    scratch: ScratchT


def check_preview(agent: EngineAgent, rules: Rules) -> None:
    """Raise an AgentError if the rules do not fit the agent's features, or show too few pieces for its depth."""
    if names := [name for name in (*agent.terms, *(agent.second_terms or {})) if name in ATTACK_FEATURES]:
        check_attack_agent(agent, names[0], rules)
    elif agent.depth > rules.preview + 1:
        needed = agent.depth - 1
        raise AgentError(
            f"depth={agent.depth} needs {needed} next piece{'s'[: needed > 1]}; the preview of {rules} has "
            f"{rules.preview}. Use {rules.replace(preview=needed)}."
        )


def check_attack_agent(agent: EngineAgent, feature: str, rules: Rules) -> None:
    """Raise an AgentError if an agent with an attack feature cannot play under the rules."""
    if not rules.is_modern:
        raise AgentError(f"The feature '{feature}' is for modern rules, such as guideline; given {rules}.")
    if agent.expect:
        raise AgentError("Agents with attack features search known pieces only; given expect=1. Use depth and beam.")
    if agent.second_terms is not None:
        raise AgentError(f"An agent with two modes cannot have attack features; given '{feature}'.")
    known = 1 + rules.preview + rules.hold
    if agent.depth > known:
        pieces = f"the current one, {rules.preview} in the preview{' and one in the hold box' if rules.hold else ''}"
        raise AgentError(
            f"depth={agent.depth} needs {agent.depth} known pieces; {rules} shows {known}: {pieces}. Use depth={known}."
        )
    if agent.depth > MAX_DEPTH_WITHOUT_BEAM and not agent.beam:
        raise AgentError(
            f"With attack features, depth={agent.depth} needs a beam: the number of states that are kept for each "
            "piece. Use, for example, beam=50."
        )


def make_games(count: int, seed: int, first: int = 0, agent: int = 0) -> GameRecords:
    """Return `count` new games with small records, for bulk play.

    They are games of a seed, starting with game number `first`, for the agent with index `agent`.
    """
    return start_games(GameRecord.make_array(count), seed, first, agent)


def make_full_games(count: int, seed: int, first: int = 0, agent: int = 0) -> FullGameRecords:
    """Return the games of `make_games` with full records."""
    return start_games(FullGameRecord.make_array(count), seed, first, agent)


def get_record_type(settings: EngineSettings) -> type[GameRecord]:
    """Return the records of games in bulk: full ones for hold, spins, attack, garbage or a clock."""
    return FullGameRecord if settings.rules[0].needs_full_games else GameRecord


def make_games_for(settings: EngineSettings, count: int, seed: int, first: int = 0, agent: int = 0) -> GameRecords:
    """Return the games of `make_games` with the records that the fastest function for these settings plays."""
    return start_games(get_record_type(settings).make_array(count), seed, first, agent)


def get_bulk_games(games: FullGameRecords, settings: EngineSettings) -> GameRecords:
    """Return a single game as the record that the fastest function for these settings plays, in the same memory."""
    return games if get_record_type(settings) is FullGameRecord else get_small_games(games)


def get_small_games(games: FullGameRecords) -> GameRecords:
    """Return a single game as a small record in the same memory, without hold, spins, attack and garbage.

    The fields of a small record are the first ones of a full record.
    """
    return cast("GameRecords", games.view(np.uint8)[: GameRecord.dtype.itemsize].view(GameRecord.dtype))


_GamesT = TypeVar("_GamesT", GameRecords, FullGameRecords)


def start_games(games: _GamesT, seed: int, first: int, agent: int) -> _GamesT:
    """Write the keys and the agent of new games."""
    games["key"] = derive_random_keys(seed, first, len(games))
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
        # No row is full: it would have been cleared, except that a hanging clear can leave one until the next piece.
        & ((np.bitwise_and.reduce(board, axis=1) == 0) | (rules.clearing == HANGING_CLEARING))
        & ((known >= 0) & (known <= rules.preview + 1))
        & ((pieces >= 0) & (pieces < len(PIECES))).all(axis=1)
        & ((counters >= 0) & (counters <= MAX_COUNTER)).all(axis=1)
        & ((games["score"] >= 0) & (games["score"] < UNLIMITED))
        & is_valid_bag(rules, games["bag"])
    )
    return is_valid


@compile_inline
def place_scalar(game: GameRecord, rules: RulesRecord, choice: Choice, scratch: object) -> None:
    """Lock the current piece in a game without a clock, with scalar code."""
    lock_current_piece(lock_piece, game, rules, choice.placement, choice.spin)


@compile_inline
def place_simd(game: GameRecord, rules: RulesRecord, choice: Choice, scratch: object) -> None:
    """Lock the current piece in a game without a clock, with all columns in SIMD lanes."""
    lock_current_piece(lock_piece_simd, game, rules, choice.placement, choice.spin)


@compile_inline
def begin_piece(
    deal: Callable[[GameT, RulesRecord, ScratchT], None], game: GameT, play_slice: PlaySlice[ScratchT]
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
    place: Callable[[GameT, RulesRecord, Choice, ScratchT], None],
    game: GameT,
    choice: Choice,
    play_slice: PlaySlice[ScratchT],
) -> None:
    """Place the current piece of a game, which ends if there is no placement."""
    if choice.placement.orientation == NO_PLACEMENT:
        game.status = STATUS_OVER
    else:
        place(game, play_slice.settings.rules[0], choice, play_slice.scratch)


@compile_inline
def play_game(
    deal: Callable[[GameT, RulesRecord, ScratchT], None],
    choose: Callable[[GameT, Search[ScratchT]], Choice],
    place: Callable[[GameT, RulesRecord, Choice, ScratchT], None],
    game: GameT,
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
    deal: Callable[[GameT, RulesRecord, ScratchT], None],
    choose: Callable[[GameT, Search[ScratchT]], Choice],
    place: Callable[[GameT, RulesRecord, Choice, ScratchT], None],
    games: Records[GameT],
    play_slice: PlaySlice[ScratchT],
) -> int:
    """Continue games one after another until the slice ends; return the number of placed pieces."""
    settings, budget, scratch = play_slice
    played = 0
    for g in range(len(games)):
        if games[g].status == STATUS_PLAYING and played < budget:
            played += play_game(deal, choose, place, games[g], PlaySlice(settings, budget - played, scratch))
    return played


class HeightLimits(Record[Never]):
    """The aggregate heights at which games are capped, in the working memory."""

    lower_height: Int64
    upper_height: Int64


class HeightLimitScratch(SimdScratch, HeightLimits):
    """Working memory for games between two aggregate heights."""


class HeightLimitSearchScratch(SearchScratch, HeightLimits):
    """Working memory for games between two aggregate heights with lookahead."""


@compile_inline
def place_between_heights(game: GameRecord, rules: RulesRecord, choice: Choice, scratch: HeightLimits) -> None:
    """Lock the current piece in a game without a clock; cap the game if it reaches a height limit."""
    place_simd(game, rules, choice, scratch)
    height = sum_columns(compute_heights(load_columns(game.board, 0)))
    if game.status == STATUS_PLAYING and (height <= scratch.lower_height or height >= scratch.upper_height):
        game.status = STATUS_CAPPED


@compile_inline
def copy_height_limits(scratch: HeightLimits, settings: EngineSettings) -> None:
    """Copy the height limits of the settings into the working memory, where `place_between_heights` reads them."""
    scratch.lower_height = settings.lower_height
    scratch.upper_height = settings.upper_height


@compile_entry_with_memory(SimdScratch.dtype, seconds=8)
def play_local_drops(memory: Records[SimdScratch], games: GameRecords, settings: EngineSettings, budget: int) -> int:
    """Play a slice of games with straight drops and local evaluation in SIMD lanes, the fastest method."""
    return play_games(deal_preview, choose_local_drop_simd, place_simd, games, PlaySlice(settings, budget, memory[0]))


@compile_entry_with_memory(SimdScratch.dtype, seconds=10)
def play_drops_simd(memory: Records[SimdScratch], games: GameRecords, settings: EngineSettings, budget: int) -> int:
    """Play a slice of games with straight drops in SIMD lanes, for agents without patterns; not for the adversary."""
    return play_games(deal_preview, choose_drop_simd, place_simd, games, PlaySlice(settings, budget, memory[0]))


@compile_entry_with_memory(SimdScratch.dtype, seconds=10)
def play_pattern_drops(memory: Records[SimdScratch], games: GameRecords, settings: EngineSettings, budget: int) -> int:
    """Play a slice of games with straight drops in SIMD lanes, for agents with patterns; not for the adversary."""
    return play_games(deal_preview, choose_pattern_drop_simd, place_simd, games, PlaySlice(settings, budget, memory[0]))


@compile_entry_with_memory(ScalarScratch.dtype, seconds=10)
def play_drops_scalar(memory: Records[ScalarScratch], games: GameRecords, settings: EngineSettings, budget: int) -> int:
    """Play a slice of games with straight drops in scalar code; not for the adversary."""
    return play_games(deal_preview, choose_drop_scalar, place_scalar, games, PlaySlice(settings, budget, memory[0]))


@compile_entry_with_memory(SimdScratch.dtype, seconds=15)
def play_any_movement(memory: Records[SimdScratch], games: GameRecords, settings: EngineSettings, budget: int) -> int:
    """Play a slice of games under any rules in SIMD lanes, without lookahead."""
    return play_games(
        deal_preview_any_randomiser, choose_any_placement, place_timed, games, PlaySlice(settings, budget, memory[0])
    )


@compile_entry_with_memory(SearchScratch.dtype, seconds=12)
def play_local_drops_with_lookahead(
    memory: Records[SearchScratch], games: GameRecords, settings: EngineSettings, budget: int
) -> int:
    """Play a slice of games with straight drops, local evaluation and lookahead."""
    return play_games(
        deal_preview, choose_local_drop_with_lookahead, place_simd, games, PlaySlice(settings, budget, memory[0])
    )


@compile_entry_with_memory(SearchScratch.dtype, seconds=20)
def play_with_lookahead(
    memory: Records[SearchScratch], games: GameRecords, settings: EngineSettings, budget: int
) -> int:
    """Play a slice of games under any rules with any agents, including lookahead and second modes; no adversary."""
    return play_games(deal_preview, choose_with_lookahead, place_timed, games, PlaySlice(settings, budget, memory[0]))


@compile_entry_with_memory(SearchScratch.dtype, seconds=20)
def play_with_lookahead_against_adversary(
    memory: Records[SearchScratch], games: GameRecords, settings: EngineSettings, budget: int
) -> int:
    """Play a slice of games in which the adversary deals, with any agents."""
    return play_games(
        deal_preview_any_randomiser, choose_with_lookahead, place_timed, games, PlaySlice(settings, budget, memory[0])
    )


@compile_entry_with_memory(HeightLimitScratch.dtype, seconds=8)
def play_local_drops_between_heights(
    memory: Records[HeightLimitScratch], games: GameRecords, settings: EngineSettings, budget: int
) -> int:
    """Play a slice of games between two heights with straight drops and local evaluation in SIMD lanes."""
    copy_height_limits(memory[0], settings)
    play_slice = PlaySlice(settings, budget, memory[0])
    return play_games(deal_preview, choose_local_drop_simd, place_between_heights, games, play_slice)


@compile_entry_with_memory(HeightLimitScratch.dtype, seconds=10)
def play_drops_between_heights(
    memory: Records[HeightLimitScratch], games: GameRecords, settings: EngineSettings, budget: int
) -> int:
    """Play a slice of games between two heights with straight drops in SIMD lanes; not for the adversary."""
    copy_height_limits(memory[0], settings)
    play_slice = PlaySlice(settings, budget, memory[0])
    return play_games(deal_preview, choose_pattern_drop_simd, place_between_heights, games, play_slice)


@compile_entry_with_memory(HeightLimitSearchScratch.dtype, seconds=20)
def play_with_lookahead_between_heights(
    memory: Records[HeightLimitSearchScratch], games: GameRecords, settings: EngineSettings, budget: int
) -> int:
    """Play a slice of games between two heights with straight drops and any agents; not for the adversary."""
    copy_height_limits(memory[0], settings)
    play_slice = PlaySlice(settings, budget, memory[0])
    return play_games(deal_preview, choose_with_lookahead, place_between_heights, games, play_slice)


@compile_separate
def choose_in_full_game(game: FullGameRecord, search: Search[BeamSearchScratch]) -> Choice:
    """Choose a placement with hold and spins: by a beam search if the agent has attack features."""
    if game.known > 0 and is_stopped_at_spawn(game.board, search.rules, int(game.queue[0])):
        return NO_CHOICE
    if search.agent.attack_mask:
        return choose_by_beam_search(game, search)
    return choose_with_hold(game, search)


@compile_inline
def write_choice(game: FullGameRecord, settings: EngineSettings, scratch: BeamSearchScratch) -> int:
    """Write the choice of the first agent as if it were the last placement; return 1, or 0 if there is none.

    It is a function of its own because what an entry point calls directly is compiled with its options, and once more.
    """
    rules = settings.rules[0]
    interval = compute_gravity_interval(game, rules)
    search = Search(rules, interval, settings.agents[0], settings.agents, settings.tables, scratch)
    placement, game.spin, game.placed_from_hold = choose_in_full_game(game, search)
    game.placement[0], game.placement[1], game.placement[2] = placement
    return int(placement.orientation != NO_PLACEMENT)


@compile_entry_with_memory(BeamSearchScratch.dtype, seconds=25)
def play_full_games(
    memory: Records[BeamSearchScratch], games: FullGameRecords, settings: EngineSettings, budget: int
) -> int:
    """Play a slice of games with hold, spins, attack and garbage; return the number of placed pieces.

    With CHOICE_ONLY instead of a budget, write the choice of the first agent in the first game, with the pieces that
    are known, as if it were the last placement; return 1, or 0 if there is none. Two entry points would take twice as
    long to compile.
    """
    if budget == CHOICE_ONLY:
        return write_choice(games[0], settings, memory[0])
    return play_games(deal_preview, choose_in_full_game, place_untimed, games, PlaySlice(settings, budget, memory[0]))


def choose_placement(games: FullGameRecords, settings: EngineSettings) -> bool:
    """Write the choice of the first agent in a single game as its last placement; return False if there is none.

    Games without hold, spins, attack and garbage also lock the piece.
    """
    if settings.rules[0].movement == STEERED_MOVEMENT:  # the choice is the target, which the piece can miss
        rules = settings.rules.copy()
        rules[0].movement = DROP_MOVEMENT
        settings = settings._replace(rules=rules)
    if get_record_type(settings) is FullGameRecord:
        return play_full_games(games, settings, CHOICE_ONLY) > 0
    return select_fastest_play(settings)(get_small_games(games), settings, 1) > 0


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


def select_fastest_play(settings: EngineSettings) -> PlayFunction:
    """Return the fastest function that plays these settings on the CPU."""
    rules = settings.rules[0]
    if get_record_type(settings) is FullGameRecord:
        return cast("PlayFunction", play_full_games)  # `make_games_for` makes the games for it
    if has_height_limits(settings):
        if uses_lookahead(settings):
            return play_with_lookahead_between_heights
        return play_local_drops_between_heights if supports_local_drops(settings) else play_drops_between_heights
    if supports_local_drops(settings):
        return play_local_drops_with_lookahead if uses_lookahead(settings) else play_local_drops
    if uses_lookahead(settings):
        return play_with_lookahead_against_adversary if rules.randomiser == ADVERSARY else play_with_lookahead
    if rules.movement == DROP_MOVEMENT and rules.randomiser != ADVERSARY:
        return play_pattern_drops if settings.agents["pattern_mask"].any() else play_drops_simd
    return play_any_movement
