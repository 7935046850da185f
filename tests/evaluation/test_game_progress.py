"""The progress of many games: totals, and the estimate of the pieces that are left."""

import math

import pytest

from tetrion.engine.placing import STATUS_CAPPED, STATUS_OVER, STATUS_PLAYING
from tetrion.engine.records import GameRecord, GameRecords
from tetrion.evaluation.agent_evaluation import GameTotals, estimate_pieces_left
from tetrion.evaluation.agent_games import GameLimits


def make_records(statuses: list[int], pieces: list[int]) -> GameRecords:
    records = GameRecord.make_array(len(statuses))
    records["status"] = statuses
    records["pieces"] = pieces
    return records


def test_totals() -> None:
    totals = GameTotals().add(make_records([STATUS_OVER, STATUS_PLAYING], [5, 7]))
    assert totals.add(make_records([STATUS_CAPPED], [9])) == GameTotals(games=3, finished=2, deaths=1, pieces=21)


def test_estimate_of_the_pieces_left() -> None:
    def estimate(
        games: GameRecords, planned: int, limits: GameLimits, earlier: GameTotals | None = None
    ) -> float | None:
        return estimate_pieces_left(games, (earlier or GameTotals()).add(games), planned, limits)

    running = make_records([STATUS_PLAYING, STATUS_PLAYING], [60, 40])
    assert estimate(running, 2, GameLimits()) is None
    assert estimate(running, 3, GameLimits(max_pieces=100)) == 40 + 60 + 100
    assert estimate(running, 2, GameLimits(max_lines=40)) == 40 + 60
    half = make_records([STATUS_OVER, STATUS_PLAYING], [60, 40])
    assert estimate(half, 3, GameLimits()) == pytest.approx(200)  # a mean of 100 pieces for each game
    capped = estimate(half, 3, GameLimits(max_pieces=50))
    assert capped == pytest.approx(100 * (1 - math.exp(-0.1)) + 100 * (1 - math.exp(-0.5)))
    assert estimate(make_records([STATUS_OVER] * 2, [60, 40]), 2, GameLimits()) == 0
    assert estimate(make_records([STATUS_OVER], [0]), 2, GameLimits(max_pieces=50)) == pytest.approx(1)
    earlier = GameTotals().add(make_records([STATUS_OVER, STATUS_OVER], [100, 200]))
    assert estimate(running, 4, GameLimits(), earlier) == pytest.approx(2 * 200)
