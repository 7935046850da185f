"""Games in bulk: the same whoever plays them, and honest about those that were cut short."""

import json
import math
from typing import Any

import numpy as np
import pytest

from tetrion.agents import DataAgent, load
from tetrion.engine.play import CAPPED, OVER, PLAYING, Games, new_games
from tetrion.engine.rules import Rules
from tetrion.errors import TetrionError
from tetrion.evaluation import Evaluation, evaluate

WEAK = DataAgent("weak", {"landing_height": -1.0})


def test_workers_change_nothing() -> None:
    alone, together = (evaluate(load("dellacherie"), "standard-10x10", 40, seed=3, workers=w) for w in (1, 5))
    assert alone.per_game.tobytes() == together.per_game.tobytes()
    assert (alone.games, alone.deaths, alone.capped) == (40, 40, 0)


def test_more_games_begin_with_the_same_ones() -> None:
    few, many = (evaluate(WEAK, games=games, seed=3) for games in (5, 20))
    assert few.per_game.tobytes() == many.per_game[:5].tobytes()


def test_statistics_by_hand() -> None:
    games = new_games(5, 0)
    games["lines"], games["pieces"] = [1, 2, 3, 4, 10], [10, 20, 30, 40, 100]
    games["score"] = games["lines"]
    games["status"], games["clears"][:, 3] = [OVER, OVER, OVER, CAPPED, CAPPED], [0, 0, 0, 1, 1]
    result = Evaluation.of("x", Rules.preset("standard"), 0, games, 2.0, stopped=False)
    assert (result.deaths, result.capped, result.pieces_per_second, result.tetris_rate) == (3, 2, 100.0, 0.4)
    assert (result.lines.mean, result.lines.median, result.lines.q1, result.lines.q3) == (4.0, 3.0, 2.0, 4.0)
    assert (result.lines.min, result.lines.max) == (1, 10)
    margin = 1.96 * math.sqrt((9 + 4 + 1 + 0 + 36) / 4) / math.sqrt(5)
    assert result.lines.ci95 == pytest.approx((4 - margin, 4 + margin))
    assert result.lines_per_death == pytest.approx((20 / 3, 1.96 / math.sqrt(3)))
    assert result.normalised_variance == pytest.approx((9 + 4 + 1 + 0 + 36) / 5 / 16)


def test_one_game_has_no_interval() -> None:
    assert evaluate(WEAK, games=1).lines.ci95 is None


def test_agents_are_compared_on_the_same_games() -> None:
    first, second = evaluate(WEAK, games=30, seed=1), evaluate(load("du"), games=30, seed=1, most_pieces=500)
    difference = second.difference_to(first)
    assert difference is not None
    assert difference["mean"] == pytest.approx(second.lines.mean - first.lines.mean)
    assert difference["ci95"][0] > 0


def test_ctrl_c_keeps_what_was_played() -> None:
    def interrupt(games: Games) -> None:
        if (games["pieces"] > 0).any():
            raise KeyboardInterrupt

    result = evaluate(load("du"), games=50, seed=1, workers=2, progress=interrupt)
    assert result.stopped
    assert 0 < result.games <= 50
    assert (result.per_game["status"] == PLAYING).any()
    whole = evaluate(load("du"), games=50, seed=1, most_pieces=100)
    assert result.difference_to(whole) is None  # other games, other lengths


def test_a_mistake_while_playing_ends_the_games() -> None:
    def fail(games: Games) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        evaluate(load("du"), games=50, seed=1, progress=fail)


@pytest.mark.parametrize(
    "wrong",
    [
        {"workers": 0},
        {"most_pieces": 2**70},
        {"games": 10**13},
        {"games": 0},
        {"games": 1.5},
        {"workers": -1},
        {"most_pieces": 0},
        {"most_lines": True},
        {"seed": "x"},
        {"rules": "x"},
    ],
)
def test_mistakes(wrong: dict[str, Any]) -> None:
    with pytest.raises(TetrionError):
        evaluate(WEAK, **wrong)


def test_numbers_are_numbers() -> None:
    assert json.dumps(evaluate(WEAK, games=np.int64(3), seed=np.int64(3)).to_json())  # type: ignore[arg-type]
