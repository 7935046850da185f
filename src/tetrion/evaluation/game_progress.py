"""The progress of many games: totals, and an estimate of the pieces that are left."""

from typing import NamedTuple

import numpy as np

from tetrion.engine.batch_play import UNLIMITED
from tetrion.engine.placing import STATUS_OVER, STATUS_PLAYING
from tetrion.engine.records import GameRecords
from tetrion.evaluation.stepped_games import GameLimits

PIECES_PER_LINE = 2.5  # a line has ten cells, a piece four


class GameTotals(NamedTuple):
    """The number of games, how many of them have finished or ended by the rules, and the sum of their pieces."""

    games: int = 0
    finished: int = 0
    deaths: int = 0
    pieces: int = 0

    def add(self, games: GameRecords) -> "GameTotals":
        """Return the totals of these games and further ones."""
        status = games["status"].copy()  # faster than to read a field of the records twice
        return GameTotals(
            games=self.games + len(games),
            finished=self.finished + int((status != STATUS_PLAYING).sum()),
            deaths=self.deaths + int((status == STATUS_OVER).sum()),
            pieces=self.pieces + int(games["pieces"].sum()),
        )


def estimate_pieces_left(batch: GameRecords, totals: GameTotals, planned: int, limits: GameLimits) -> float | None:
    """Estimate the number of pieces that `planned` games still need; None if no game has ended and none is capped.

    `batch` are the games that are being played, and `totals` describe them and all earlier games. Every piece is taken
    to end the game with the same probability, which is how the length of games is distributed approximately. As long as
    no game has ended, all games are expected to reach their limit.
    """
    limit = min(limits.max_pieces, limits.max_lines * PIECES_PER_LINE)
    if not totals.deaths and limit >= UNLIMITED:
        return None
    placed = batch["pieces"][batch["status"] == STATUS_PLAYING]
    distances = np.append(np.maximum(limit - placed, 0.0), limit)  # the last one is that of a game not yet begun
    if totals.deaths:
        mean = max(totals.pieces, 1) / totals.deaths
        distances = mean * -np.expm1(-distances / mean)
    waiting_games = max(0, planned - totals.games)
    return float(distances[:-1].sum() + waiting_games * distances[-1])
