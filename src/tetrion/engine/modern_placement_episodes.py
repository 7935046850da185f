"""Episodes of modern games whose actions are placements, with and without hold, by kind of spin."""

from typing import Annotated, Any

import numpy as np

from tetrion.engine.batch_play import STATUS_OVER, STATUS_PLAYING
from tetrion.engine.best_placements import decode_placement
from tetrion.engine.compiler import compile_entry_with_memory, compile_inline
from tetrion.engine.episodes import END_ACTION, NO_CODE, EpisodeBatch
from tetrion.engine.modern_episodes import (
    clear_modern_episode,
    clear_modern_step,
    finish_modern_step,
    read_modern_totals,
)
from tetrion.engine.modern_play import deal_modern_preview, encode_modern_placements, place_code
from tetrion.engine.modern_records import ModernGameRecord, ModernRulesRecord
from tetrion.engine.pieces import BOARD_WIDTH
from tetrion.engine.placement_episodes import DROP_ACTIONS
from tetrion.engine.records import Int32Array, Records
from tetrion.engine.rules import DROP_MOVEMENT
from tetrion.engine.scalar_or_simd import Array
from tetrion.engine.spins import ModernScratch, decode_modern_placement

MAX_PLACEMENT_ACTIONS = 1024


class ModernActionScratch(ModernScratch):
    """Working memory for the list of all placements."""

    codes: Annotated[Int32Array, MAX_PLACEMENT_ACTIONS]


@compile_inline
def find_drop_action(code: int) -> int:
    """Return the action of a straight drop: rotation × 10 + column, after all drops without hold if it uses hold."""
    placement, _, hold = decode_modern_placement(code)
    rotation, x, _ = decode_placement(placement)
    return hold * DROP_ACTIONS + rotation * BOARD_WIDTH + x


@compile_inline
def list_modern_actions(
    game: ModernGameRecord, rules: ModernRulesRecord, scratch: ModernActionScratch, codes: Array, mask: Array
) -> None:
    """Deal the next pieces and write the legal actions.

    Without any, or if the piece cannot spawn, the game is over, and the mask has END_ACTION.
    """
    deal_modern_preview(game, rules)
    count = 0
    if game.status == STATUS_PLAYING:
        count = encode_modern_placements(game, rules, scratch, scratch.codes)
    if count == 0:
        game.status = STATUS_OVER
    for action in range(len(codes)):
        codes[action] = NO_CODE
        mask[action] = np.int8(count == 0 and action == END_ACTION)
    for index in range(count):
        action = find_drop_action(int(scratch.codes[index])) if rules.movement == DROP_MOVEMENT else index
        if action < len(codes):
            codes[action] = scratch.codes[index]
            mask[action] = np.int8(1)


@compile_entry_with_memory(ModernActionScratch.dtype, seconds=8)
def start_modern_placement_episodes(memory: Records[ModernActionScratch], batch: EpisodeBatch, chosen: Array) -> None:
    """Start new episodes in the chosen modern games, with placements as actions; the others continue."""
    rules: Any = batch.settings.engine.rules[0]
    for g in range(len(batch.games)):
        if chosen[g]:
            game: Any = batch.games[g]
            episode: Any = batch.episodes[g]
            clear_modern_episode(game, episode)
            list_modern_actions(game, rules, memory[0], batch.codes[g], batch.mask[g])


@compile_entry_with_memory(ModernActionScratch.dtype, seconds=12)
def step_modern_placements(memory: Records[ModernActionScratch], batch: EpisodeBatch, actions: Array) -> None:
    """Take a step in each modern game: place a piece, or start its next episode if the last one has ended."""
    rules: Any = batch.settings.engine.rules[0]
    for g in range(len(batch.games)):
        game: Any = batch.games[g]
        episode: Any = batch.episodes[g]
        code = int(batch.codes[g, actions[g]])
        if episode.is_ended:
            episode.number += 1
            clear_modern_episode(game, episode)
            list_modern_actions(game, rules, memory[0], batch.codes[g], batch.mask[g])
        else:
            clear_modern_step(episode)
            before = read_modern_totals(game)
            if code >= 0:
                place_code(game, rules, code)
                list_modern_actions(game, rules, memory[0], batch.codes[g], batch.mask[g])
            else:
                episode.is_legal = 0
            finish_modern_step(game, episode, batch.settings, before)
