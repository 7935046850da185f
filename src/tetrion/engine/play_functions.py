"""The compiled functions that play a slice of games on the CPU, each for some rules and agents."""

from typing import Never

from tetrion.engine.batch_play import (
    STATUS_CAPPED,
    STATUS_PLAYING,
    EngineSettings,
    PlaySlice,
    commit_placement,
    deal_preview,
    deal_preview_any_randomiser,
    place_scalar,
    place_simd,
    place_timed,
    play_games,
)
from tetrion.engine.best_placements import ChosenPlacement
from tetrion.engine.bitboard import compute_heights, load_columns
from tetrion.engine.columns import sum_columns
from tetrion.engine.compiler import compile_entry_with_memory, compile_inline
from tetrion.engine.local_evaluation import lock_piece_simd
from tetrion.engine.lookahead import SearchScratch, choose_local_drop_with_lookahead, choose_with_lookahead
from tetrion.engine.placement_choice import (
    ScalarScratch,
    SimdScratch,
    choose_any_placement,
    choose_drop_scalar,
    choose_drop_simd,
    choose_pattern_drop_simd,
)
from tetrion.engine.records import GameRecord, GameRecords, Int64, Record, Records, RulesRecord
from tetrion.engine.simd_drops import choose_local_drop_simd


class HeightLimits(Record[Never]):
    """The aggregate heights at which games are capped, in the working memory."""

    lower_height: Int64
    upper_height: Int64


class HeightLimitScratch(SimdScratch, HeightLimits):
    """Working memory for games between two aggregate heights."""


class HeightLimitSearchScratch(SearchScratch, HeightLimits):
    """Working memory for games between two aggregate heights with lookahead."""


@compile_inline
def place_between_heights(game: GameRecord, rules: RulesRecord, choice: ChosenPlacement, scratch: HeightLimits) -> None:
    """Lock the current piece in a game without a clock; cap the game if it reaches a height limit."""
    commit_placement(lock_piece_simd, game, rules, choice)
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
    """Play a slice of games under any rules with any agents, including lookahead and second modes."""
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


@compile_entry_with_memory(SimdScratch.dtype, seconds=3)
def place_piece(
    memory: Records[SimdScratch], games: GameRecords, settings: EngineSettings, choice: ChosenPlacement
) -> None:
    """Lock the current piece of the first game at a placement (orientation, column, row)."""
    place_timed(games[0], settings.rules[0], choice, memory[0])
