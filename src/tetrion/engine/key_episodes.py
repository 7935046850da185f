"""Episodes whose actions are keys, in real time."""

import numpy as np

from tetrion.engine.batch_play import STATUS_PLAYING, prepare_position
from tetrion.engine.compiler import compile_entry_with_memory, compile_inline
from tetrion.engine.episodes import (
    END_ACTION,
    EpisodeBatch,
    EpisodeRecord,
    EpisodeSettings,
    clear_episode,
    clear_step,
    finish_step,
)
from tetrion.engine.piece_motion import GAME_KEYS, apply_key
from tetrion.engine.placement_choice import SimdScratch
from tetrion.engine.realtime import (
    NO_KEY,
    FallingRecord,
    advance_frame,
    get_piece_state,
    press_key,
    spawn_or_lock,
    spawn_piece,
)
from tetrion.engine.records import GameRecord, Records, RulesRecord
from tetrion.engine.scalar_or_simd import Array

NO_KEY_ACTION = END_ACTION  # the action that presses no key; the others press the keys of the rules, in order


@compile_inline
def list_key_actions(game: GameRecord, fall: FallingRecord, rules: RulesRecord, mask: Array) -> None:
    """Write which actions have an effect now: to wait, and each key that would move, rotate or lock the piece.

    After the end of the game it is the first alone.
    """
    mask[NO_KEY_ACTION] = np.int8(1)
    action = NO_KEY_ACTION
    for key in range(len(GAME_KEYS)):
        if rules.has_key[key]:
            action += 1
            has_effect = False
            if game.status == STATUS_PLAYING and fall.is_active:
                piece_state = get_piece_state(fall)
                moved = apply_key(game.board, rules, int(game.queue[0]), piece_state, key) != piece_state
                has_effect = moved or rules.key_locks[key] != 0
            mask[action] = np.int8(has_effect)


@compile_inline
def find_key(rules: RulesRecord, action: int) -> int:
    """Return the key of an action, or NO_KEY."""
    remaining = action
    for key in range(len(GAME_KEYS)):
        remaining -= int(rules.has_key[key])
        if rules.has_key[key] and remaining == 0:
            return key
    return NO_KEY


@compile_inline
def start_key_episode(
    game: GameRecord, fall: FallingRecord, episode: EpisodeRecord, rules: RulesRecord, scratch: SimdScratch
) -> None:
    """Start an episode whose actions are keys, and spawn its first piece."""
    clear_episode(game, episode)
    fall.is_active = 0
    fall.spawn_wait = 0
    fall.pressed_keys[0] = NO_KEY
    fall.pressed_keys[1] = NO_KEY
    prepare_position(game, rules, scratch)
    if game.status == STATUS_PLAYING:
        spawn_piece(game, fall, rules)


@compile_inline
def spawn_and_lock_until_settled(
    game: GameRecord, fall: FallingRecord, rules: RulesRecord, pieces: int, scratch: SimdScratch
) -> None:
    """Spawn the next piece after a lock; repeat as long as pieces lock as soon as they spawn."""
    while game.pieces != pieces:
        pieces = int(game.pieces)
        spawn_or_lock(game, fall, rules, scratch)


@compile_inline
def press_and_wait(
    game: GameRecord, fall: FallingRecord, settings: EpisodeSettings, key: int, scratch: SimdScratch
) -> None:
    """Press and release a key, and advance the clock; equals `Game.press` and `Game.tick`."""
    rules = settings.engine.rules[0]
    if key != NO_KEY:
        pieces = int(game.pieces)
        press_key(game, fall, rules, key, scratch)
        if game.pieces == pieces:
            spawn_or_lock(game, fall, rules, scratch)
        spawn_and_lock_until_settled(game, fall, rules, pieces, scratch)
    for _ in range(settings.frames_per_step):
        if game.status == STATUS_PLAYING:
            pieces = int(game.pieces)
            advance_frame(game, fall, rules, scratch)
            spawn_and_lock_until_settled(game, fall, rules, pieces, scratch)


@compile_entry_with_memory(SimdScratch.dtype, seconds=8)
def start_key_episodes(memory: Records[SimdScratch], batch: EpisodeBatch, chosen: Array) -> None:
    """Start new episodes in the chosen games, with keys as actions; the others continue."""
    rules = batch.settings.engine.rules[0]
    for g in range(len(batch.games)):
        if chosen[g]:
            start_key_episode(batch.games[g], batch.falls[g], batch.episodes[g], rules, memory[0])
            list_key_actions(batch.games[g], batch.falls[g], rules, batch.mask[g])


@compile_entry_with_memory(SimdScratch.dtype, seconds=12)
def step_keys(memory: Records[SimdScratch], batch: EpisodeBatch, actions: Array) -> None:
    """Take a step in each game: press a key and advance the clock, or start the next episode."""
    rules = batch.settings.engine.rules[0]
    scratch = memory[0]
    for g in range(len(batch.games)):
        game = batch.games[g]
        fall = batch.falls[g]
        episode = batch.episodes[g]
        if episode.is_ended:
            episode.number += 1
            start_key_episode(game, fall, episode, rules, scratch)
        else:
            clear_step(episode)
            episode.is_legal = batch.mask[g, actions[g]]
            before = int(game.pieces), int(game.lines), int(game.score)
            press_and_wait(game, fall, batch.settings, find_key(rules, int(actions[g])), scratch)
            finish_step(game, episode, batch.settings, before)
        list_key_actions(game, fall, rules, batch.mask[g])
