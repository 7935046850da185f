"""Episodes of many games at once, as environments for learning need them: steps, rewards, ends and resets.

An action is a placement or a key. A game whose episode has ended starts its next episode in the next step: game number
n + 1 of the same seed.
"""

from typing import Literal, NamedTuple

import numpy as np

from tetrion.engine.batch_play import (
    STATUS_OVER,
    STATUS_PLAYING,
    EngineSettings,
    place_timed,
    prepare_position,
)
from tetrion.engine.best_placements import decode_placement, encode_placement
from tetrion.engine.bitboard import make_board_outcome
from tetrion.engine.compiler import compile_entry, compile_entry_with_memory, compile_inline
from tetrion.engine.features.board_features import aggregate_height, bumpiness
from tetrion.engine.features.dellacherie_features import holes
from tetrion.engine.piece_motion import GAME_KEYS, MOVEMENT_ROWS, apply_key
from tetrion.engine.pieces import BOARD_WIDTH
from tetrion.engine.placement_choice import SimdScratch, encode_found_placements
from tetrion.engine.randomisers import SPLITMIX_INCREMENT, draw_below, mix_bits
from tetrion.engine.reachable_placements import RESTING_OFFSET
from tetrion.engine.realtime import (
    NO_KEY,
    FallingRecord,
    advance_frame,
    get_piece_state,
    press_key,
    spawn_or_lock,
    spawn_piece,
)
from tetrion.engine.records import (
    MAX_ROTATION_STATES,
    Float64,
    GameRecord,
    GameRecords,
    Int32,
    Int64,
    Record,
    Records,
    RulesRecord,
    UInt64,
)
from tetrion.engine.rules import DROP_MOVEMENT
from tetrion.engine.scalar_or_simd import Array, bit_length, where
from tetrion.engine.simd_lanes import LANE_NUMBERS, LANES, load, store

LINES_REWARD, SCORE_REWARD, SURVIVAL_REWARD, SHAPED_REWARD = range(4)
REWARD_KINDS = {
    "lines": LINES_REWARD,
    "score": SCORE_REWARD,
    "survival": SURVIVAL_REWARD,
    "shaped": SHAPED_REWARD,
}
# The weights of the agent `lee` (Lee 2013), divided by its weight of a line.
SHAPING_WEIGHTS = {
    "aggregate_height": -0.510066 / 0.760666,
    "holes": -0.35663 / 0.760666,
    "bumpiness": -0.184483 / 0.760666,
}
_HEIGHT_WEIGHT, _HOLES_WEIGHT, _BUMPINESS_WEIGHT = SHAPING_WEIGHTS.values()

DROP_ACTIONS = MAX_ROTATION_STATES * BOARD_WIDTH  # straight drops: rotation × 10 + column
NO_CODE = -1  # in place of the code of a placement: the action is illegal
NO_KEY_ACTION = 0  # the action that presses no key; action k presses key k − 1 of the rules
KEY_ACTIONS = len(GAME_KEYS) + 1

EpisodeColumn = Literal[
    "key_start",
    "number",
    "steps",
    "is_ended",
    "is_legal",
    "is_terminated",
    "is_truncated",
    "pieces",
    "lines",
    "points",
    "potential",
    "reward",
]


class EpisodeRecord(Record[EpisodeColumn]):
    """The episode of a game and the result of its last step."""

    key_start: UInt64  # the seed with its bits mixed, from which the keys of the games are derived
    number: Int64  # game number of the seed
    steps: Int64  # since the start of the episode
    is_ended: Int32  # 1: the next step starts the next episode
    is_legal: Int32  # 0: the last action was illegal
    is_terminated: Int32
    is_truncated: Int32
    pieces: Int64  # placed in the last step
    lines: Int64  # cleared in the last step
    points: Int64  # scored in the last step
    potential: Float64  # of the board, for the shaped reward
    reward: Float64


EpisodeRecords = Records[EpisodeRecord]


class EpisodeSettings(NamedTuple):
    """The rules and limits of episodes."""

    engine: EngineSettings
    reward: int  # one of REWARD_KINDS
    illegal_ends: int  # 1: an illegal action ends the episode; 0: it has no effect
    max_steps: int
    frames_per_step: int  # that pass after each key


class EpisodeBatch(NamedTuple):
    """The episodes of many games; the first index of every array is the game."""

    games: GameRecords
    falls: Records[FallingRecord]  # empty if actions are placements
    episodes: EpisodeRecords
    codes: Array  # by action: the encoded placement, or NO_CODE if the action is illegal; not used for keys
    mask: Array  # by action: 1 if it is legal
    settings: EpisodeSettings


def mix_seeds(seeds: Array) -> Array:
    """Return the field `key_start` for each seed."""
    mixed: Array = mix_bits(seeds.astype(np.uint64) + SPLITMIX_INCREMENT)
    return mixed


@compile_inline
def clear_game(game: GameRecord, episode: EpisodeRecord) -> None:
    """Turn a game into the start of game `episode.number` of its seed, as `make_games` returns it."""
    game.key = mix_bits(episode.key_start + np.uint64(episode.number + 1) * SPLITMIX_INCREMENT)
    game.bag = 0
    game.pieces = 0
    game.lines = 0
    game.score = 0
    game.frames = 0
    game.status = STATUS_PLAYING
    game.known = 0
    for index in range(len(game.clears)):
        game.clears[index] = 0
    for column in range(BOARD_WIDTH):
        game.board[column] = 0


@compile_inline
def clear_step(episode: EpisodeRecord) -> None:
    """Clear the result of the last step."""
    episode.is_legal = 1
    episode.is_terminated = 0
    episode.is_truncated = 0
    episode.pieces = 0
    episode.lines = 0
    episode.points = 0
    episode.reward = 0.0


@compile_inline
def clear_episode(game: GameRecord, episode: EpisodeRecord) -> None:
    """Start an episode: an empty board, and no steps."""
    clear_game(game, episode)
    clear_step(episode)
    episode.steps = 0
    episode.is_ended = 0
    episode.potential = 0.0


@compile_inline
def measure_potential(game: GameRecord, rules: RulesRecord) -> float:
    """Return the value of a board in lines, for the shaped reward."""
    outcome = make_board_outcome(game.board, rules.rows)
    return (
        _HEIGHT_WEIGHT * aggregate_height(outcome)
        + _HOLES_WEIGHT * holes(outcome)
        + _BUMPINESS_WEIGHT * bumpiness(outcome)
    )


@compile_inline
def finish_step(
    game: GameRecord, episode: EpisodeRecord, settings: EpisodeSettings, before: tuple[int, int, int]
) -> None:
    """Write the reward and the end of a step; `before` are the pieces, lines and score before it."""
    pieces, lines, score = before
    episode.steps += 1
    episode.pieces = game.pieces - pieces
    episode.lines = game.lines - lines
    episode.points = game.score - score
    is_over = game.status == STATUS_OVER
    if settings.reward == LINES_REWARD:
        episode.reward = float(episode.lines)
    elif settings.reward == SCORE_REWARD:
        episode.reward = float(episode.points)
    elif settings.reward == SURVIVAL_REWARD:
        episode.reward = 0.0 if is_over else float(episode.pieces)
    else:
        potential = measure_potential(game, settings.engine.rules[0])
        episode.reward = episode.lines + potential - episode.potential
        episode.potential = potential
    episode.is_terminated = is_over or (settings.illegal_ends and not episode.is_legal)
    episode.is_truncated = episode.steps >= settings.max_steps
    episode.is_ended = episode.is_terminated or episode.is_truncated


# Placements as actions.


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
    """Write the legal actions of a game whose placements are in the flood; none if the game is over."""
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


# Keys as actions.


@compile_inline
def list_key_actions(game: GameRecord, fall: FallingRecord, rules: RulesRecord, mask: Array) -> None:
    """Write which actions have an effect now: to wait, and each key that would move, rotate or lock the piece."""
    mask[NO_KEY_ACTION] = np.int8(game.status == STATUS_PLAYING)
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


@compile_entry(seconds=1)
def sample_actions(mask: Array, key: np.uint64, number: int, actions: Array) -> None:
    """Draw a legal action for each game, all with the same probability; action 0 if there is none.

    `number` counts the calls with the same key.
    """
    games = len(mask)
    for g in range(games):
        count = 0
        for action in range(mask.shape[1]):
            count += mask[g, action]
        remaining = draw_below(count, key, number * games + g) if count else -1
        actions[g] = 0
        for action in range(mask.shape[1]):
            if mask[g, action]:
                if remaining == 0:
                    actions[g] = action
                    break
                remaining -= 1
