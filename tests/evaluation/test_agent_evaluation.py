"""Games in bulk: the same whoever plays them, and honest about those that were cut short."""

import json
import math
from typing import Any

import numpy as np
import pytest

from tetrion.agents import WeightedAgent, load_agent
from tetrion.engine.batch_play import STATUS_PLAYING
from tetrion.errors import TetrionError
from tetrion.evaluation import EvaluationProgress, agent_evaluation, evaluate

WEAK = WeightedAgent("weak", {"landing_height": -1.0})


def test_workers_change_nothing() -> None:
    alone, together = (evaluate(load_agent("dellacherie"), "standard-10x10", 40, seed=3, workers=w) for w in (1, 5))
    assert alone.per_game.tobytes() == together.per_game.tobytes()
    assert (alone.games, alone.deaths, alone.capped) == (40, 40, 0)


def test_more_games_begin_with_the_same_ones() -> None:
    few, many = (evaluate(WEAK, games=games, seed=3) for games in (5, 20))
    assert few.per_game.tobytes() == many.per_game[:5].tobytes()


def test_one_game_has_no_interval() -> None:
    assert evaluate(WEAK, games=1).lines.ci95 is None


def test_agents_are_compared_on_the_same_games() -> None:
    first, second = evaluate(WEAK, games=30, seed=1), evaluate(load_agent("du"), games=30, seed=1, max_pieces=500)
    difference = second.compare_to(first)
    assert difference is not None
    assert difference.mean == pytest.approx(second.per_game["lines"].mean() - first.per_game["lines"].mean())
    assert difference.ci95 is not None
    assert difference.ci95[0] > 0
    assert (difference.games, difference.capped) == (30, True)


def test_ctrl_c_keeps_what_was_played() -> None:
    def interrupt(standing: EvaluationProgress) -> None:
        if standing.pieces:
            raise KeyboardInterrupt

    result = evaluate(load_agent("du"), games=50, seed=1, workers=2, on_progress=interrupt)
    assert result.was_stopped
    assert 0 < result.games <= 50
    assert (result.per_game["status"] == STATUS_PLAYING).any()
    whole = evaluate(load_agent("du"), games=50, seed=1, max_pieces=100)
    assert result.compare_to(whole) is None  # no game was finished
    assert (result.per_game["key"] == whole.per_game["key"][result.game_numbers]).all()


def test_precision_is_reached_whoever_plays() -> None:
    alone, together = (evaluate(WEAK, precision=0.05, seed=3, workers=w) for w in (1, 5))
    assert alone.per_game.tobytes() == together.per_game.tobytes()
    assert alone.lines.precision is not None
    assert 0.04 < alone.lines.precision <= 0.05
    fixed = evaluate(WEAK, games=alone.games, seed=3)
    assert fixed.per_game.tobytes() == alone.per_game.tobytes()


def test_games_without_a_line_or_a_death_are_given_up() -> None:
    """More of them would not tell the mean either."""
    tower = WeightedAgent("tower", {"landing_height": 1.0})
    for result in (
        evaluate(tower, "standard:randomiser=only-Z", precision=0.001),
        evaluate("du", precision=0.05, max_pieces=20),
    ):
        assert (result.games, result.lines.precision) == (1600, None)


def test_rounds_end_at_the_largest_number_of_games(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agent_evaluation, "MAX_GAMES_FOR_PRECISION", 350)
    result = evaluate(load_agent("du"), precision=0.05, max_pieces=20)
    assert (result.games, result.deaths, result.lines.precision) == (350, 0, None)


def test_ctrl_c_in_a_later_round_keeps_the_earlier_ones() -> None:
    def interrupt(standing: EvaluationProgress) -> None:
        if standing.games_done > 100:
            raise KeyboardInterrupt

    result = evaluate(WEAK, precision=0.005, seed=3, on_progress=interrupt)
    assert result.was_stopped
    assert result.games > 100
    assert result.per_game[:100].tobytes() == evaluate(WEAK, seed=3).per_game.tobytes()


def test_progress_tells_of_all_rounds() -> None:
    seen: list[EvaluationProgress] = []
    result = evaluate(WEAK, precision=0.05, on_progress=seen.append)
    assert seen[-1].games_done == seen[-1].games_planned == result.games
    assert seen[-1].pieces == result.per_game["pieces"].sum()
    assert seen[-1].precision == result.lines.precision
    assert [standing.games_done for standing in seen] == sorted(standing.games_done for standing in seen)


def test_a_mistake_while_playing_ends_the_games() -> None:
    def fail(standing: EvaluationProgress) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        evaluate(load_agent("du"), games=50, seed=1, on_progress=fail)


@pytest.mark.parametrize(
    "wrong",
    [
        {"workers": 0},
        {"max_pieces": 2**70},
        {"games": 10**13},
        {"games": 0},
        {"games": 1.5},
        {"workers": -1},
        {"max_pieces": 0},
        {"max_lines": True},
        {"seed": "x"},
        {"rules": "x"},
        {"precision": 0.0001},
        {"precision": 5},
        {"precision": "5%"},
        {"precision": math.nan},
        {"precision": True},
        {"precision": 0.05, "games": 100},
    ],
)
def test_mistakes(wrong: dict[str, Any]) -> None:
    with pytest.raises(TetrionError):
        evaluate(WEAK, **wrong)


def test_numbers_are_numbers() -> None:
    assert json.dumps(evaluate(WEAK, games=np.int64(3), seed=np.int64(3)).to_json())  # type: ignore[arg-type]
