"""Episodes whose actions are placements: a straight drop, or an index into all reachable placements."""

import numpy as np

from tetrion.engine.batch_play import STATUS_PLAYING, place_timed, prepare_position
from tetrion.engine.best_placements import decode_placement, encode_placement
from tetrion.engine.compiler import compile_entry_with_memory, compile_inline
from tetrion.engine.episodes import (
    END_ACTION,
    NO_CODE,
    EpisodeBatch,
    clear_episode,
    clear_step,
    finish_step,
)
from tetrion.engine.piece_motion import MOVEMENT_ROWS
from tetrion.engine.pieces import BOARD_WIDTH
from tetrion.engine.placement_choice import SimdScratch, encode_found_placements
from tetrion.engine.reachable_placements import RESTING_OFFSET
from tetrion.engine.records import MAX_ROTATION_STATES, GameRecord, Records, RulesRecord
from tetrion.engine.rules import DROP_MOVEMENT
from tetrion.engine.scalar_or_simd import Array, bit_length, where
from tetrion.engine.simd_lanes import LANE_NUMBERS, LANES, load, store

DROP_ACTIONS = MAX_ROTATION_STATES * BOARD_WIDTH  # straight drops: rotation × 10 + column


@compile_inline
def list_drop_actions(rules: RulesRecord, piece: int, flood: Array, codes: Array) -> None:
    """Write the code of each straight drop; its action is rotation × 10 + column."""
    columns = load(LANE_NUMBERS, 0)
    for rotation in range(MAX_ROTATION_STATES):
        lanes_offset = RESTING_OFFSET + rotation * LANES
        if rotation < rules.rotation_count[piece]:
            row_bits = load(flood, lanes_offset)  # at most one per column
            rows = MOVEMENT_ROWS - bit_length(row_bits)
            store(flood, lanes_offset, where(row_bits != 0, encode_placement(rotation, columns, rows), NO_CODE))
            for x in range(BOARD_WIDTH):
                codes[rotation * BOARD_WIDTH + x] = flood[lanes_offset + x]
        else:
            for x in range(BOARD_WIDTH):
                codes[rotation * BOARD_WIDTH + x] = NO_CODE


@compile_inline
def list_placement_actions(game: GameRecord, rules: RulesRecord, flood: Array, codes: Array, mask: Array) -> None:
    """Write the legal actions of a game whose placements are in the flood; END_ACTION if the game is over."""
    count = 0
    if game.status == STATUS_PLAYING:
        piece = int(game.queue[0])
        if rules.movement == DROP_MOVEMENT:
            list_drop_actions(rules, piece, flood, codes)
            count = DROP_ACTIONS
        else:
            count = encode_found_placements(rules.rotation_count[piece], flood, codes)
    for action in range(count, len(codes)):
        codes[action] = NO_CODE
    for action in range(len(codes)):
        mask[action] = np.int8(codes[action] >= 0)
    if game.status != STATUS_PLAYING:
        mask[END_ACTION] = np.int8(1)


@compile_entry_with_memory(SimdScratch.dtype, seconds=8)
def start_placement_episodes(memory: Records[SimdScratch], batch: EpisodeBatch, chosen: Array) -> None:
    """Start new episodes in the chosen games, with placements as actions; the others continue."""
    rules = batch.settings.engine.rules[0]
    scratch = memory[0]
    for g in range(len(batch.games)):
        if chosen[g]:
            game = batch.games[g]
            clear_episode(game, batch.episodes[g])
            prepare_position(game, rules, scratch)
            list_placement_actions(game, rules, scratch.flood, batch.codes[g], batch.mask[g])


@compile_entry_with_memory(SimdScratch.dtype, seconds=12)
def step_placements(memory: Records[SimdScratch], batch: EpisodeBatch, actions: Array) -> None:
    """Take a step in each game: place its piece, or start its next episode if the last one has ended."""
    rules = batch.settings.engine.rules[0]
    scratch = memory[0]
    for g in range(len(batch.games)):
        game = batch.games[g]
        episode = batch.episodes[g]
        code = int(batch.codes[g, actions[g]])
        if episode.is_ended:
            episode.number += 1
            clear_episode(game, episode)
            prepare_position(game, rules, scratch)
        else:
            clear_step(episode)
            before = int(game.pieces), int(game.lines), int(game.score)
            if code >= 0:
                rotation, x, row = decode_placement(code)
                orientation = int(rules.orientations[game.queue[0], rotation])
                place_timed(game, rules, (orientation, x, row), scratch)
                prepare_position(game, rules, scratch)
            else:
                episode.is_legal = 0
            finish_step(game, episode, batch.settings, before)
        if episode.is_legal:
            list_placement_actions(game, rules, scratch.flood, batch.codes[g], batch.mask[g])
