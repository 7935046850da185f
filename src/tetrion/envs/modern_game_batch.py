"""Modern games, with hold, spins, attack and garbage, that are played step by step in one compiled call."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tetrion.board import Placement
from tetrion.engine.episodes import (
    EpisodeRecord,
    start_key_episodes,
    start_placement_episodes,
    step_keys,
    step_placements,
)
from tetrion.engine.pieces import BOARD_WIDTH
from tetrion.engine.real_time import FallingRecord
from tetrion.engine.records import FullGameRecord
from tetrion.envs.env_options import EnvOptions
from tetrion.envs.game_batch import MODERN_RESULTS, TOTALS, GameBatch, KeyBatch
from tetrion.modern_position import decode_in_position
from tetrion.position import Position

_MODERN_TOTALS = ("attack", "sent", "received", "perfect_clears")
_MODERN_COUNTERS = (*_MODERN_TOTALS, "combo", "back_to_back")  # shown in `info`
ALL_TOTALS = (*TOTALS, *_MODERN_TOTALS)


class ModernBatch(GameBatch):
    """A number of modern games under the same options; actions are placements."""

    game_type = FullGameRecord
    episode_type = EpisodeRecord
    falling_type = FallingRecord
    start_function = start_placement_episodes
    step_function = step_placements

    def _view_columns(self) -> None:
        super()._view_columns()
        games: Any = self.games
        episodes: Any = self.episodes
        self.counters |= {name: games[name] for name in _MODERN_COUNTERS} | {"spin": episodes["spin"]}

    def _get_modern_results(self) -> dict[str, NDArray[np.int64]]:
        episodes: Any = self.episodes
        return {name: episodes[name].copy() for name in MODERN_RESULTS}

    def redraw_futures(self, generator: np.random.Generator) -> None:
        """Replace what is not yet known in any game, also the gaps of batches of which no row has risen."""
        super().redraw_futures(generator)
        games: Any = self.games
        gaps = games["batch_gap"]
        games["batch_gap"] = np.where(games["batch_is_new"], generator.integers(BOARD_WIDTH, size=gaps.shape), gaps)

    def decode_placement(self, position: Position, code: int) -> Placement:
        """Return the placement of an engine code in a position."""
        return decode_in_position(position, code)


class ModernKeyBatch(ModernBatch, KeyBatch):
    """A number of modern games whose actions are keys."""

    start_function = start_key_episodes
    step_function = step_keys


def make_game_batch(options: EnvOptions, count: int) -> GameBatch:
    """Return games whose actions are placements."""
    return ModernBatch(options, count) if options.rules.is_modern else GameBatch(options, count)


def make_key_batch(options: EnvOptions, count: int) -> KeyBatch:
    """Return games whose actions are keys."""
    return ModernKeyBatch(options, count) if options.rules.is_modern else KeyBatch(options, count)
