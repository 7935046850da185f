"""`evaluate`: reproducible games, a given number or a precision, capped games, and Ctrl-C."""

import json
import math
import subprocess
import sys
from contextlib import suppress
from typing import Any

import numpy as np
import pytest

from tests.evaluation.game_checks import check_game_numbers
from tetrion.agents import WeightedAgent, load_agent
from tetrion.engine.placing import STATUS_OVER, STATUS_PLAYING
from tetrion.engine.records import GameRecord, GameRecords
from tetrion.engine.rules import Rules
from tetrion.errors import TetrionError
from tetrion.evaluation import agent_evaluation, evaluate
from tetrion.evaluation.agent_evaluation import GameTotals, estimate_pieces_left
from tetrion.evaluation.agent_games import GameLimits
from tetrion.evaluation.agent_strengths import get_expected_pieces, load_strengths
from tetrion.progress import Progress

WEAK = WeightedAgent("weak", {"landing_height": -1.0})


def test_result_does_not_depend_on_the_number_of_workers() -> None:
    one, five = (evaluate(load_agent("dellacherie"), "standard-10x10", 40, seed=3, workers=count) for count in (1, 5))
    assert one.per_game.tobytes() == five.per_game.tobytes()
    assert (one.games, one.deaths, one.capped) == (40, 40, 0)


def test_agents_are_compared_on_the_same_games() -> None:
    first = evaluate(WEAK, games=30, seed=1)
    second = evaluate(load_agent("du"), games=30, seed=1, max_pieces=500)
    difference = second.compare_to(first)
    assert difference is not None
    assert difference.mean == pytest.approx(second.per_game["lines"].mean() - first.per_game["lines"].mean())
    assert difference.ci95 is not None
    assert difference.ci95[0] > 0
    assert (difference.games, difference.capped) == (30, True)


def test_ctrl_c_keeps_the_games_played_so_far() -> None:
    def interrupt(progress: Progress) -> None:
        if progress.pieces:
            raise KeyboardInterrupt

    result = evaluate(load_agent("du"), games=50, seed=1, workers=2, on_progress=interrupt)
    assert result.was_stopped
    assert 0 < result.games <= 50
    assert (result.per_game["status"] == STATUS_PLAYING).any()
    whole = evaluate(load_agent("du"), games=50, seed=1, max_pieces=100)
    assert result.compare_to(whole) is None  # no game was finished
    check_game_numbers(result)


def test_precision_is_reached_with_any_number_of_workers() -> None:
    one, five = (evaluate(WEAK, precision=0.05, seed=3, workers=count) for count in (1, 5))
    assert one.per_game.tobytes() == five.per_game.tobytes()
    assert one.lines.precision is not None
    assert 0.04 < one.lines.precision <= 0.05
    fixed = evaluate(WEAK, games=one.games, seed=3)
    assert fixed.per_game.tobytes() == one.per_game.tobytes()


def test_precision_is_given_up_without_lines_or_deaths() -> None:
    """More games would not determine the mean either."""
    tower = WeightedAgent("tower", {"landing_height": 1.0})
    for result in (
        evaluate(tower, "standard:randomiser=only-Z", precision=0.001),
        evaluate("du", precision=0.05, max_pieces=20),
    ):
        assert (result.games, result.lines.precision) == (1600, None)


@pytest.mark.parametrize(
    "arguments",
    [
        *({"workers": 0}, {"max_pieces": 2**70}, {"games": 1.5}, {"games": 10**8}, {"max_lines": True}, {"seed": "x"}),
        *({"precision": 5}, {"precision": "5%"}, {"precision": math.nan}, {"precision": 0.05, "games": 100}),
    ],
)
def test_invalid_arguments(arguments: dict[str, Any]) -> None:
    with pytest.raises(TetrionError):
        evaluate(WEAK, **arguments)


def test_numpy_numbers_are_valid_arguments() -> None:
    assert json.dumps(evaluate(WEAK, games=np.int64(3), seed=np.int64(3)).to_json())  # type: ignore[arg-type]


@pytest.mark.parametrize("arguments", [{"games": 20, "max_pieces": 30}, {"precision": 0.3}])
def test_result_does_not_depend_on_batches(arguments: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """The size of the batches does not change the result."""
    whole = evaluate(WEAK, seed=3, **arguments)
    monkeypatch.setattr(agent_evaluation, "GAMES_PER_BATCH", 7)
    reports: list[Progress] = []
    in_batches = evaluate(WEAK, seed=3, on_progress=reports.append, **arguments)
    assert in_batches.per_game.tobytes() == whole.per_game.tobytes()
    assert in_batches.to_json() | {"pieces_per_second": 0} == whole.to_json() | {"pieces_per_second": 0}
    assert reports[-1].done == reports[-1].planned == whole.games
    assert reports[-1].pieces == whole.per_game["pieces"].sum()
    assert [report.done for report in reports] == sorted(report.done for report in reports)
    assert [report.pieces for report in reports] == sorted(report.pieces for report in reports)


@pytest.mark.slow
def test_memory_of_ten_million_games() -> None:
    """Ten million games need less than 2 GB of memory."""
    pytest.importorskip("resource", reason="this system does not measure the memory of a process")
    program = (
        "import resource, tetrion\n"
        "print(tetrion.evaluate('dellacherie', 'standard-10x10', 10_000_000, max_pieces=2).games)\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)\n"
    )
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    games, memory = map(int, result.stdout.split())
    unit = 1 if sys.platform == "darwin" else 1024  # bytes
    assert games == 10**7
    assert memory * unit < 2 * 10**9


def make_records(statuses: list[int], pieces: list[int]) -> GameRecords:
    records = GameRecord.make_array(len(statuses))
    records["status"] = statuses
    records["pieces"] = pieces
    return records


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
    totals = GameTotals().add(running)
    assert estimate_pieces_left(running, totals, 3, GameLimits(), expected_pieces=1000) == pytest.approx(3000)
    assert estimate_pieces_left(half, GameTotals().add(half), 2, GameLimits(), 1e9) == pytest.approx(100)


def test_time_left_is_known_from_the_start_for_named_agents() -> None:
    reports: list[Progress] = []

    def stop_at_once(progress: Progress) -> None:
        reports.append(progress)
        raise KeyboardInterrupt

    with suppress(KeyboardInterrupt):
        evaluate("dellacherie", games=100, on_progress=stop_at_once)
    strength = load_strengths()["dellacherie"]
    assert strength.mean is not None
    assert reports[0].pieces_left == pytest.approx(100 * 2.5 * strength.mean, rel=0.05)
    assert get_expected_pieces("dellacherie", Rules("standard-10x10")) is None
