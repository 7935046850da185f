"""Episodes of modern games: what a step adds to those of the research game, and the start of a game.

What an action does is defined in `modern_placement_episodes` and `modern_key_episodes`.
"""

from typing import NamedTuple

from tetrion.engine.compiler import compile_inline
from tetrion.engine.episodes import (
    ATTACK_REWARD,
    EpisodeRecord,
    EpisodeSettings,
    clear_episode,
    clear_step,
    finish_step,
)
from tetrion.engine.modern_records import MAX_GARBAGE_BATCHES, NO_SPIN, ModernGameRecord
from tetrion.engine.records import Int64


class ModernEpisodeRecord(EpisodeRecord):
    """The episode of a modern game and the result of its last step."""

    attack: Int64  # rows of garbage made in the last step
    received: Int64  # rows of garbage that have risen in the last step
    spin: Int64  # of the piece that was placed in the last step
    perfect_clears: Int64  # in the last step


class ModernTotals(NamedTuple):
    """The totals of a modern game that a step changes."""

    pieces: int
    lines: int
    score: int
    attack: int
    received: int
    perfect_clears: int


@compile_inline
def read_modern_totals(game: ModernGameRecord) -> ModernTotals:
    """Return the totals of a game."""
    return ModernTotals(
        int(game.pieces),
        int(game.lines),
        int(game.score),
        int(game.attack),
        int(game.received),
        int(game.perfect_clears),
    )


@compile_inline
def clear_modern_step(episode: ModernEpisodeRecord) -> None:
    """Clear the result of the last step."""
    clear_step(episode)
    episode.attack = 0
    episode.received = 0
    episode.spin = NO_SPIN
    episode.perfect_clears = 0


@compile_inline
def clear_modern_episode(game: ModernGameRecord, episode: ModernEpisodeRecord) -> None:
    """Start an episode: an empty board, an empty hold box, no garbage, and no steps."""
    clear_episode(game, episode)
    clear_modern_step(episode)
    game.hold = 0
    game.used_hold = 0
    game.placed_from_hold = 0
    game.combo = 0
    game.back_to_back = 0
    game.spin = NO_SPIN
    game.attack = 0
    game.sent = 0
    game.received = 0
    game.back_to_backs = 0
    game.longest_combo = 0
    game.perfect_clears = 0
    game.gaps_decided = 0
    game.batch_count = 0
    game.garbage_mask = 0
    game.clears_by_spin[:, :] = 0
    for batch in range(MAX_GARBAGE_BATCHES):
        game.batch_rows[batch] = 0
        game.batch_due[batch] = 0
        game.batch_gap[batch] = 0
        game.batch_is_new[batch] = 0


@compile_inline
def finish_modern_step(
    game: ModernGameRecord, episode: ModernEpisodeRecord, settings: EpisodeSettings, before: ModernTotals
) -> None:
    """Write the reward and the end of a step; `before` are the totals of the game before it."""
    finish_step(game, episode, settings, (before.pieces, before.lines, before.score))
    episode.attack = game.attack - before.attack
    episode.received = game.received - before.received
    episode.perfect_clears = game.perfect_clears - before.perfect_clears
    episode.spin = game.spin if episode.pieces > 0 else NO_SPIN
    if settings.reward == ATTACK_REWARD:
        episode.reward = float(episode.attack)
