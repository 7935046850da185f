"""Episodes of many games at once, as environments for learning need them: steps, rewards, ends and resets.

An action is a placement (a straight drop, or an index into all placements) or, in real time, a key. A game whose
episode has ended starts its next episode in the next step: game number n + 1 of the same seed.
"""

from typing import Literal, NamedTuple

import numpy as np

from tetrion.engine.bitboard import make_board_outcome
from tetrion.engine.compiler import compile_entry, compile_entry_with_memory, compile_inline, compile_separate
from tetrion.engine.features.board_features import aggregate_height, bumpiness
from tetrion.engine.features.dellacherie_features import holes
from tetrion.engine.numba_internals import clear_record
from tetrion.engine.piece_motion import KEY_HOLD, MOVEMENT_ROWS, move_piece
from tetrion.engine.pieces import BOARD_WIDTH
from tetrion.engine.placement_choice import SimdScratch, find_placements
from tetrion.engine.placements import NO_CODE, encode_location, encode_placement
from tetrion.engine.placing import (
    NO_PIECE,
    STATUS_OVER,
    STATUS_PLAYING,
    deal_preview_any_randomiser,
    decode_choice,
    encode_all_placements,
    get_placed_piece,
    is_stopped_at_spawn,
    place_timed,
)
from tetrion.engine.randomisers import SPLITMIX_INCREMENT, draw_below, mix_bits
from tetrion.engine.reachable_placements import RESTING_OFFSET
from tetrion.engine.real_time import (
    ACTION_PRESS,
    ACTION_SPAWN_OR_LOCK,
    ACTION_TICK,
    NO_KEY,
    EngineAction,
    FallingRecords,
    RealTimeGame,
    act_in_game,
    get_piece_state,
    prepare_and_spawn,
)
from tetrion.engine.records import (
    DROP_MOVEMENT,
    GAME_KEYS,
    MAX_ROTATION_STATES,
    NO_SPIN,
    Float64,
    FullGameRecord,
    FullGameRecords,
    Int32,
    Int64,
    Record,
    Records,
    RulesRecord,
    RulesRecords,
    UInt64,
)
from tetrion.engine.scalar_or_simd import Array, bit_length, where
from tetrion.engine.simd_lanes import LANE_NUMBERS, LANES, any_lane_set, load, store
from tetrion.engine.spins import SpinScratch

LINES_REWARD, SCORE_REWARD, SURVIVAL_REWARD, SHAPED_REWARD, ATTACK_REWARD = range(5)
REWARD_KINDS = {
    "lines": LINES_REWARD,
    "score": SCORE_REWARD,
    "survival": SURVIVAL_REWARD,
    "shaped": SHAPED_REWARD,
    "attack": ATTACK_REWARD,
}
# The weights of the agent `lee` (Lee 2013), divided by its weight of a line.
SHAPING_WEIGHTS = {
    "aggregate_height": -0.510066 / 0.760666,
    "holes": -0.35663 / 0.760666,
    "bumpiness": -0.184483 / 0.760666,
}
_HEIGHT_WEIGHT, _HOLES_WEIGHT, _BUMPINESS_WEIGHT = SHAPING_WEIGHTS.values()

DROP_ACTIONS = MAX_ROTATION_STATES * BOARD_WIDTH  # straight drops without hold: rotation × 10 + column
MAX_PLACEMENT_ACTIONS = 1024
# After the end of a game the mask has this action alone, because a policy with an empty mask has no probabilities. The
# next step ignores it, and its probability of 1 adds nothing to the gradient of a policy.
END_ACTION = 0
NO_KEY_ACTION = END_ACTION  # the action that presses no key; the others press the keys of the rules, in order

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
    "attack",
    "received",
    "spin",
    "perfect_clears",
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
    attack: Int64  # rows of garbage made in the last step
    received: Int64  # rows of garbage that have risen in the last step
    spin: Int64  # of the piece that was placed in the last step
    perfect_clears: Int64  # in the last step


EpisodeRecords = Records[EpisodeRecord]


class EpisodeSettings(NamedTuple):
    """The rules and limits of episodes."""

    rules: RulesRecords
    reward: int  # one of REWARD_KINDS
    illegal_ends: int  # 1: an illegal action ends the episode; 0: it has no effect
    max_steps: int
    frames_per_step: int  # that pass after each key


class EpisodeBatch(NamedTuple):
    """The episodes of many games; the first index of every array is the game."""

    games: FullGameRecords
    falls: FallingRecords  # empty if actions are placements
    episodes: EpisodeRecords
    codes: Array  # by action: the encoded placement, or NO_CODE if the action is illegal; not used for keys
    mask: Array  # by action: 1 if it is legal
    settings: EpisodeSettings


def mix_seeds(seeds: Array) -> Array:
    """Return the field `key_start` for each seed."""
    mixed: Array = mix_bits(seeds.astype(np.uint64) + SPLITMIX_INCREMENT)
    return mixed


@compile_inline
def clear_episode(game: FullGameRecord, episode: EpisodeRecord) -> None:
    """Start an episode: an empty board, an empty hold box, no garbage, no steps, and no result of a step."""
    key_start = episode.key_start
    number = episode.number
    clear_record(game)
    game.key = mix_bits(key_start + np.uint64(number + 1) * SPLITMIX_INCREMENT)  # as in `make_games`
    clear_record(episode)
    episode.key_start = key_start
    episode.number = number
    episode.is_legal = 1


@compile_inline
def measure_potential(game: FullGameRecord, rules: RulesRecord) -> float:
    """Return the value of a board in lines, for the shaped reward."""
    outcome = make_board_outcome(game.board, rules.rows)
    return (
        _HEIGHT_WEIGHT * aggregate_height(outcome)
        + _HOLES_WEIGHT * holes(outcome)
        + _BUMPINESS_WEIGHT * bumpiness(outcome)
    )


class Totals(NamedTuple):
    """The totals of a game that a step changes."""

    pieces: int
    lines: int
    score: int
    attack: int
    received: int
    perfect_clears: int


@compile_inline
def read_totals(game: FullGameRecord, rules: RulesRecord) -> Totals:
    """Return the totals of a game."""
    pieces, lines = int(game.pieces), int(game.lines)
    if not rules.needs_full_games:  # the others stay 0, and to read them takes time: they are in other cache lines
        return Totals(pieces, lines, int(game.score), 0, 0, 0)
    return Totals(pieces, lines, int(game.score), int(game.attack), int(game.received), int(game.perfect_clears))


@compile_inline
def finish_step(game: FullGameRecord, episode: EpisodeRecord, settings: EpisodeSettings, before: Totals) -> None:
    """Write the result of a step, except whether it was legal; `before` are the totals of the game before it."""
    episode.steps += 1
    after = read_totals(game, settings.rules[0])
    episode.pieces = after.pieces - before.pieces
    episode.lines = after.lines - before.lines
    episode.points = after.score - before.score
    if settings.rules[0].needs_full_games:  # otherwise they stay 0, and environments are up to 2 % faster
        episode.attack = after.attack - before.attack
        episode.received = after.received - before.received
        episode.perfect_clears = after.perfect_clears - before.perfect_clears
        episode.spin = game.spin if episode.pieces > 0 else NO_SPIN
    is_over = game.status == STATUS_OVER
    if settings.reward == LINES_REWARD:
        episode.reward = float(episode.lines)
    elif settings.reward == SCORE_REWARD:
        episode.reward = float(episode.points)
    elif settings.reward == SURVIVAL_REWARD:
        episode.reward = 0.0 if is_over else float(episode.pieces)
    elif settings.reward == ATTACK_REWARD:
        episode.reward = float(episode.attack)
    else:
        potential = measure_potential(game, settings.rules[0])
        episode.reward = episode.lines + potential - episode.potential
        episode.potential = potential
    episode.is_terminated = is_over or (settings.illegal_ends and not episode.is_legal)
    episode.is_truncated = episode.steps >= settings.max_steps
    episode.is_ended = episode.is_terminated or episode.is_truncated


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
        remaining = draw_below(count, key, number * games + g) if count else 0
        actions[g] = 0
        for action in range(mask.shape[1]):
            remaining -= mask[g, action]
            if remaining < 0:
                actions[g] = action
                break


# Placements as actions.


@compile_inline
def list_drop_actions(game: FullGameRecord, rules: RulesRecord, scratch: SimdScratch, codes: Array) -> bool:
    """Write the code of each straight drop, those with hold after all others; return whether there is any.

    The action of a drop is rotation × 10 + column. A rotation has at most one row per column, so that all columns are
    encoded at once.
    """
    flood = scratch.flood
    columns = load(LANE_NUMBERS, 0)
    is_any = False
    for action in range(len(codes)):
        codes[action] = NO_CODE
    if rules.hold and is_stopped_at_spawn(game.board, rules, int(game.queue[0])):
        return False
    for hold in range(1 + int(rules.hold)):
        piece = get_placed_piece(game, rules, hold)
        if piece != NO_PIECE:
            find_placements(game.board, rules, piece, 0, scratch)
            for rotation in range(rules.rotation_count[piece]):
                offset = RESTING_OFFSET + rotation * LANES
                row_bits = load(flood, offset)
                is_any = is_any or bool(any_lane_set(row_bits))
                locations = encode_location(rotation, columns, MOVEMENT_ROWS - bit_length(row_bits))
                store(flood, offset, where(row_bits != 0, encode_placement(locations, NO_SPIN, hold), NO_CODE))
                first = hold * DROP_ACTIONS + rotation * BOARD_WIDTH
                for x in range(BOARD_WIDTH):
                    codes[first + x] = flood[offset + x]
    return is_any


@compile_separate
def list_placement_actions(
    game: FullGameRecord, rules: RulesRecord, scratch: SpinScratch, codes: Array, mask: Array
) -> None:
    """Deal the next pieces and write the legal actions.

    Without any, or if the piece cannot spawn, the game is over, and the mask has END_ACTION alone.
    """
    deal_preview_any_randomiser(game, rules, scratch)
    is_any = False
    if game.status == STATUS_PLAYING:
        if rules.movement == DROP_MOVEMENT:
            is_any = list_drop_actions(game, rules, scratch, codes)
        else:
            count = encode_all_placements(game, rules, scratch, codes)
            is_any = count > 0
            for action in range(count, len(codes)):
                codes[action] = NO_CODE
    if is_any:
        for action in range(len(codes)):
            mask[action] = np.int8(codes[action] >= 0)
        return
    game.status = STATUS_OVER
    for action in range(len(codes)):
        codes[action] = NO_CODE
        mask[action] = np.int8(action == END_ACTION)


@compile_entry_with_memory(SpinScratch.dtype, seconds=8)
def start_placement_episodes(memory: Records[SpinScratch], batch: EpisodeBatch, chosen: Array) -> None:
    """Start new episodes in the chosen games, with placements as actions; the others continue."""
    rules = batch.settings.rules[0]
    for g in range(len(batch.games)):
        if chosen[g]:
            clear_episode(batch.games[g], batch.episodes[g])
            list_placement_actions(batch.games[g], rules, memory[0], batch.codes[g], batch.mask[g])


@compile_entry_with_memory(SpinScratch.dtype, seconds=12)
def step_placements(memory: Records[SpinScratch], batch: EpisodeBatch, actions: Array) -> None:
    """Take a step in each game: make a placement, or start its next episode if the last one has ended."""
    rules = batch.settings.rules[0]
    scratch = memory[0]
    for g in range(len(batch.games)):
        game = batch.games[g]
        episode = batch.episodes[g]
        if episode.is_ended:
            episode.number += 1
            clear_episode(game, episode)
            list_placement_actions(game, rules, scratch, batch.codes[g], batch.mask[g])
            continue
        code = int(batch.codes[g, actions[g]])
        before = read_totals(game, rules)
        episode.is_legal = code >= 0
        if code >= 0:
            place_timed(game, rules, decode_choice(game, rules, code), scratch)
            list_placement_actions(game, rules, scratch, batch.codes[g], batch.mask[g])
        finish_step(game, episode, batch.settings, before)


# Keys as actions.


@compile_inline
def has_effect(live: RealTimeGame, key: int) -> bool:
    """Return whether a key would move, rotate, exchange or lock the falling piece."""
    game, fall, rules, _ = live
    if game.status != STATUS_PLAYING or not fall.is_active:
        return False
    if key == KEY_HOLD:
        return game.used_hold == 0
    moving = get_piece_state(fall), int(fall.turn)
    moved = move_piece(game.board, rules, int(game.queue[0]), moving, key)
    return moved.is_successful or rules.key_locks[key] != 0


@compile_inline
def list_key_actions(live: RealTimeGame, mask: Array) -> None:
    """Write which actions have an effect now: to wait, and each key that would change something.

    After the end of the game it is the first alone.
    """
    mask[NO_KEY_ACTION] = np.int8(1)
    action = NO_KEY_ACTION
    for key in range(len(GAME_KEYS)):
        if live.rules.has_key[key]:
            action += 1
            mask[action] = np.int8(has_effect(live, key))


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
def act_until_settled(live: RealTimeGame, action: EngineAction) -> int:
    """Perform an action, spawn the next piece after each lock, and return the result of the action."""
    pieces = int(live.game.pieces)
    result = act_in_game(live, action)
    while live.game.pieces != pieces:
        pieces = int(live.game.pieces)
        deal_preview_any_randomiser(live.game, live.rules, live.scratch)
        act_in_game(live, EngineAction(ACTION_SPAWN_OR_LOCK, 0))
    return result


@compile_inline
def press_and_wait(live: RealTimeGame, settings: EpisodeSettings, key: int) -> None:
    """Press and release a key, and advance the clock; equals `Game.press` and `Game.tick`."""
    if key != NO_KEY:
        act_until_settled(live, EngineAction(ACTION_PRESS, key))
    frames = settings.frames_per_step
    while frames > 0 and live.game.status == STATUS_PLAYING:
        frames -= act_until_settled(live, EngineAction(ACTION_TICK, frames))


@compile_inline
def start_key_episode(live: RealTimeGame, episode: EpisodeRecord) -> None:
    """Start an episode whose actions are keys, and spawn its first piece."""
    clear_episode(live.game, episode)
    for slot in range(len(live.fall.pressed_keys)):
        live.fall.pressed_keys[slot] = NO_KEY
    deal_preview_any_randomiser(live.game, live.rules, live.scratch)
    prepare_and_spawn(live)


@compile_entry_with_memory(SimdScratch.dtype, seconds=8)
def start_key_episodes(memory: Records[SimdScratch], batch: EpisodeBatch, chosen: Array) -> None:
    """Start new episodes in the chosen games, with keys as actions; the others continue."""
    for g in range(len(batch.games)):
        if chosen[g]:
            live = RealTimeGame(batch.games[g], batch.falls[g], batch.settings.rules[0], memory[0])
            start_key_episode(live, batch.episodes[g])
            list_key_actions(live, batch.mask[g])


@compile_entry_with_memory(SimdScratch.dtype, seconds=12)
def step_keys(memory: Records[SimdScratch], batch: EpisodeBatch, actions: Array) -> None:
    """Take a step in each game: press a key and advance the clock, or start the next episode."""
    rules = batch.settings.rules[0]
    for g in range(len(batch.games)):
        live = RealTimeGame(batch.games[g], batch.falls[g], rules, memory[0])
        episode = batch.episodes[g]
        if episode.is_ended:
            episode.number += 1
            start_key_episode(live, episode)
        else:
            episode.is_legal = batch.mask[g, actions[g]]
            before = read_totals(live.game, rules)
            press_and_wait(live, batch.settings, find_key(rules, int(actions[g])))
            finish_step(live.game, episode, batch.settings, before)
        list_key_actions(live, batch.mask[g])
