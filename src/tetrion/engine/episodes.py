"""Episodes of many games at once, as environments for learning need them: steps, rewards, ends and resets.

What an action does is defined in `placement_episodes` and `key_episodes`; modern games have files of their own, which
begin with `modern_`. A game whose episode has ended starts its next episode in the next step: game number n + 1 of the
same seed.
"""

from typing import Literal, NamedTuple

import numpy as np

from tetrion.engine.batch_play import (
    STATUS_OVER,
    STATUS_PLAYING,
    EngineSettings,
)
from tetrion.engine.bitboard import make_board_outcome
from tetrion.engine.compiler import compile_entry, compile_inline
from tetrion.engine.features.board_features import aggregate_height, bumpiness
from tetrion.engine.features.dellacherie_features import holes
from tetrion.engine.pieces import BOARD_WIDTH
from tetrion.engine.randomisers import SPLITMIX_INCREMENT, draw_below, mix_bits
from tetrion.engine.realtime import (
    FallingRecord,
)
from tetrion.engine.records import (
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
from tetrion.engine.scalar_or_simd import Array

LINES_REWARD, SCORE_REWARD, SURVIVAL_REWARD, SHAPED_REWARD, ATTACK_REWARD = range(5)
REWARD_KINDS = {
    "lines": LINES_REWARD,
    "score": SCORE_REWARD,
    "survival": SURVIVAL_REWARD,
    "shaped": SHAPED_REWARD,
    "attack": ATTACK_REWARD,  # of modern games: `modern_episodes` writes it in place of the shaped reward
}
# The weights of the agent `lee` (Lee 2013), divided by its weight of a line.
SHAPING_WEIGHTS = {
    "aggregate_height": -0.510066 / 0.760666,
    "holes": -0.35663 / 0.760666,
    "bumpiness": -0.184483 / 0.760666,
}
_HEIGHT_WEIGHT, _HOLES_WEIGHT, _BUMPINESS_WEIGHT = SHAPING_WEIGHTS.values()

NO_CODE = -1  # in place of the code of a placement: the action is illegal
# After the end of a game the mask has this action alone, because a policy with an empty mask has no probabilities. The
# next step ignores it, and its probability of 1 adds nothing to the gradient of a policy.
END_ACTION = 0

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
