"""Episodes of modern games whose actions are keys, in real time."""

from typing import Any

import numpy as np

from tetrion.engine.batch_play import STATUS_PLAYING
from tetrion.engine.compiler import compile_entry_with_memory, compile_inline
from tetrion.engine.episodes import EpisodeBatch, EpisodeSettings
from tetrion.engine.key_episodes import NO_KEY_ACTION, find_key
from tetrion.engine.modern_episodes import (
    ModernEpisodeRecord,
    clear_modern_episode,
    clear_modern_step,
    finish_modern_step,
    read_modern_totals,
)
from tetrion.engine.modern_motion import apply_modern_key
from tetrion.engine.modern_realtime import ModernFallingRecord, act_in_modern_game, prepare_and_spawn_modern
from tetrion.engine.modern_records import ModernGameRecord, ModernRulesRecord
from tetrion.engine.piece_motion import GAME_KEYS, KEY_HOLD
from tetrion.engine.realtime import (
    ACTION_PRESS,
    ACTION_SPAWN_OR_LOCK,
    ACTION_TICK,
    NO_KEY,
    EngineAction,
    get_piece_state,
)
from tetrion.engine.records import Records
from tetrion.engine.scalar_or_simd import Array
from tetrion.engine.spins import ModernScratch


@compile_inline
def has_effect(game: ModernGameRecord, fall: ModernFallingRecord, rules: ModernRulesRecord, key: int) -> bool:
    """Return whether a key would move, rotate, exchange or lock the falling piece."""
    if game.status != STATUS_PLAYING or not fall.is_active:
        return False
    if key == KEY_HOLD:
        return game.used_hold == 0
    moving = get_piece_state(fall), int(fall.turn)
    return apply_modern_key(game.board, rules, int(game.queue[0]), moving, key).is_successful or (
        rules.key_locks[key] != 0
    )


@compile_inline
def list_modern_key_actions(
    game: ModernGameRecord, fall: ModernFallingRecord, rules: ModernRulesRecord, mask: Array
) -> None:
    """Write which actions have an effect now: to wait, and each key that would change something.

    After the end of the game it is the first alone.
    """
    mask[NO_KEY_ACTION] = np.int8(1)
    action = NO_KEY_ACTION
    for key in range(len(GAME_KEYS)):
        if rules.has_key[key]:
            action += 1
            mask[action] = np.int8(has_effect(game, fall, rules, key))


@compile_inline
def act_until_settled(
    game: ModernGameRecord, fall: ModernFallingRecord, rules: ModernRulesRecord, action: EngineAction
) -> int:
    """Perform an action, spawn the next piece after each lock, and return the result of the action."""
    pieces = int(game.pieces)
    result = act_in_modern_game(game, fall, rules, action)
    while game.pieces != pieces:
        pieces = int(game.pieces)
        act_in_modern_game(game, fall, rules, EngineAction(ACTION_SPAWN_OR_LOCK, 0))
    return result


@compile_inline
def press_and_wait_modern(
    game: ModernGameRecord, fall: ModernFallingRecord, rules: ModernRulesRecord, settings: EpisodeSettings, key: int
) -> None:
    """Press and release a key, and advance the clock; equals `Game.press` and `Game.tick`."""
    if key != NO_KEY:
        act_until_settled(game, fall, rules, EngineAction(ACTION_PRESS, key))
    frames = settings.frames_per_step
    while frames > 0 and game.status == STATUS_PLAYING:
        frames -= act_until_settled(game, fall, rules, EngineAction(ACTION_TICK, frames))


@compile_inline
def start_modern_key_episode(
    game: ModernGameRecord,
    fall: ModernFallingRecord,
    episode: ModernEpisodeRecord,
    rules: ModernRulesRecord,
    scratch: ModernScratch,
) -> None:
    """Start an episode whose actions are keys, and spawn its first piece."""
    clear_modern_episode(game, episode)
    for slot in range(len(fall.pressed_keys)):
        fall.pressed_keys[slot] = NO_KEY
    prepare_and_spawn_modern(game, fall, rules, scratch)


@compile_entry_with_memory(ModernScratch.dtype, seconds=8)
def start_modern_key_episodes(memory: Records[ModernScratch], batch: EpisodeBatch, chosen: Array) -> None:
    """Start new episodes in the chosen modern games, with keys as actions; the others continue."""
    rules: Any = batch.settings.engine.rules[0]
    for g in range(len(batch.games)):
        if chosen[g]:
            game: Any = batch.games[g]
            fall: Any = batch.falls[g]
            episode: Any = batch.episodes[g]
            start_modern_key_episode(game, fall, episode, rules, memory[0])
            list_modern_key_actions(game, fall, rules, batch.mask[g])


@compile_entry_with_memory(ModernScratch.dtype, seconds=12)
def step_modern_keys(memory: Records[ModernScratch], batch: EpisodeBatch, actions: Array) -> None:
    """Take a step in each modern game: press a key and advance the clock, or start the next episode."""
    rules: Any = batch.settings.engine.rules[0]
    for g in range(len(batch.games)):
        game: Any = batch.games[g]
        fall: Any = batch.falls[g]
        episode: Any = batch.episodes[g]
        if episode.is_ended:
            episode.number += 1
            start_modern_key_episode(game, fall, episode, rules, memory[0])
        else:
            clear_modern_step(episode)
            episode.is_legal = batch.mask[g, actions[g]]
            before = read_modern_totals(game)
            key = find_key(rules, int(actions[g]))
            press_and_wait_modern(game, fall, rules, batch.settings, key)
            finish_modern_step(game, episode, batch.settings, before)
        list_modern_key_actions(game, fall, rules, batch.mask[g])
