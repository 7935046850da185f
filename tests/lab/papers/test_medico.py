from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tetrion.board import Board, Placement
from tetrion.evaluation.workers import threads
from tetrion.lab.papers.medico import findings as found
from tetrion.lab.papers.medico import followed
from tetrion.lab.papers.medico.followed import BOT, changing, follow, is_tuck, without
from tetrion.lab.papers.medico.paper import PAPER
from tetrion.lab.papers.medico.runs import FOURS, RUNS, Run, fits, likeness, points_a_line, share_below, theirs
from tetrion.lab.reproduction.findings import more_or_less
from tetrion.lab.reproduction.measuring import Laboratory
from tetrion.lab.reproduction.published import Ours
from tetrion.lab.reproduction.watching import Watcher


def games(score: float, line: float = 110, spread: float = 0.02, number: int = 1000) -> dict[str, Any]:
    """What is kept of games with a mean score, spread like an exponential, and points a line."""
    scores = score * -np.log(1 - (np.arange(number) + 0.5) / number)
    lines = scores / line

    def told(numbers: Any) -> dict[str, Any]:
        value = float(numbers.mean())
        ends = (value * (1 - spread), value * (1 + spread))
        shape = dict(zip(("min", "q1", "median", "q3", "max"), np.percentile(numbers, range(0, 101, 25)), strict=True))
        return {"mean": value, "ci95": ends, "played": value, "played_ci95": ends, "deviation": value, **shape}

    return {
        "games": number,
        "capped": 0,
        "cap": None,
        "score": told(scores),
        "lines": told(lines),
        "points_per_line": line,
        "tetris_rate": (line - 40) / 260,
        "normalised_variance": 1.0,
        "sample": {"score": scores.tolist(), "lines": lines.tolist()},
    }


def test_the_ten_runs_add_up() -> None:
    assert theirs("mean") == 14_304
    assert theirs("best") == 38_620
    assert theirs("worst") == 1580
    assert sum(run.lines for run in RUNS) == 1302
    assert theirs("points a line") == pytest.approx(143_040 / 1302)
    assert found.averages({}).holds


def test_points_and_lines_tell_how_many_fours_a_run_can_have_had() -> None:
    assert RUNS[7].fours == [1]  # 1,580 points by 12 lines
    assert Run(1200, 4, 300).fours == [1]
    assert Run(300, 3, 100).fours == [0]
    assert Run(200, 4, 50).fours == [0]
    assert Run(50, 1, 50).fours == []
    assert 0 < FOURS[0] < FOURS[1] < 1


def test_ten_runs_fit_games_like_them_and_no_others() -> None:
    same = games(14_304, theirs("points a line"))
    assert fits(same)
    assert likeness(games(100_000), "mean") < 0.01
    assert not fits(games(100_000, theirs("points a line")))
    assert not fits(games(14_304, 50))
    assert share_below(same, 0) < 0.01 < 0.99 < share_below(same, 10**6)
    assert found.each_run({"medico": same}).holds
    assert not found.each_run({"medico": games(1_000_000)}).holds


def test_points_a_line_are_certain_where_every_game_has_the_same() -> None:
    ours = points_a_line(games(1000, 80))
    assert ours.value == 80
    assert ours.interval == pytest.approx((80, 80))


def test_a_tuck_rests_below_something() -> None:
    board = Board.from_text("XX........\n..........\nX.........", height=20)
    assert is_tuck(board, Placement("I", 0, 1, 0))
    assert not is_tuck(board, Placement("I", 0, 2, 0))


def test_the_sum_of_heights_is_filled_cells_and_holes() -> None:
    features = Board.from_text("XX....XXX.\n..X.......\nX.X..X....", height=20).features()
    assert features["aggregate_height"] == features["filled_cells"] + features["holes"]


def test_parameters_are_left_out_of_both_modes() -> None:
    agent = without("danger", "holes")
    assert agent.second is not None
    for weights in (agent.weights, agent.second.weights):
        assert not {"danger", "holes"} & set(weights)
    other = changing("max_height", 12).second
    assert other is not None
    assert (other.selector, other.threshold) == ("max_height", 12)


def test_games_are_followed_piece_by_piece() -> None:
    others = {"itself": BOT, "one": BOT.with_(depth=1)}
    counts = follow(BOT, 3, 1, others=others)
    assert counts["scoring pieces"] + counts["recovery pieces"] == counts["pieces"] > 20
    assert counts["recoveries"] <= counts["troubles"]
    assert counts["filled"] <= counts["tucks"]
    assert "itself" not in counts
    assert 0 < counts["one"] < counts["pieces"]
    assert 0 < counts["one, left"] / counts["one"] < counts["pieces"]


def test_a_decision_is_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(followed, "QUICK_LOOKED", 2)
    with threads(1) as workers:
        told = followed.decisions(Laboratory(tmp_path, 1, True, workers, Watcher()))
    assert told["looked"] == 2
    assert told["placements"] < told["leaves"] <= told["most"]
    assert found.trivial({"decisions": told}).varies


def results(recovery: float = 70_000, drop: float = 16_000, straight: float = 15_500, learnt: float = 50_000) -> Any:
    """Results of every kind, in which these are the scores that decide."""
    counts = {"pieces": 100, "scoring pieces": 60, "troubles": 10, "recoveries": 9, "tucks": 5, "one piece": 30}
    told: dict[str, Any] = {measurement.name: games(14_000) for measurement in PAPER.measurements}
    ends = (0.9 * learnt, 1.1 * learnt)
    run = {"as_played": {"score": {"mean": learnt, "ci95": ends}}, "held_out": {"points_per_line": 90.0}}
    return told | {
        "threshold-0": games(recovery, 50),
        "recovery, cut": games(recovery),
        "drop": games(drop),
        "above": games(15_000),
        "above, drop": games(straight),
        "tuned": {"runs": [{"result": run}]},
        "followed": {"games": 6}
        | dict.fromkeys(("both", "one", "unfilled", "unholed", "above", "above, drop"), counts),
    }


def test_answers_follow_the_numbers() -> None:
    assert "gains by worthier lines it loses" in found.modes_words(results())
    assert "gains more by worthier lines" in found.modes_words(results(recovery=5000))
    assert "cannot be told apart" in found.modes_words(results(recovery=14_100))
    assert "recovery mode alone is the best" in found.threshold_words(results())
    assert "the best threshold is" in found.threshold_words(results(recovery=5000))
    assert "it is the way along the top that costs points" in found.tucks_words(results(straight=15_000))
    for others in (results(straight=17_000), results(drop=14_000)):
        assert "it is the way along the top" not in found.tucks_words(others)
    assert "learnt beside that: less" in found.tuned_words(results())
    assert "learnt beside that: more" in found.tuned_words(results(learnt=200_000))


def test_claims_hold_or_not_by_the_numbers() -> None:
    assert found.trouble(results()).holds
    assert not found.trouble(results(recovery=5000)).holds
    assert found.tuned(results()).holds
    assert not found.tuned(results(learnt=14_000)).holds
    assert not found.pays("holes")(results()).holds


def test_more_and_less_are_said_only_where_the_games_show_it() -> None:
    assert more_or_less(Ours(2, (1.9, 2.1)), Ours(1, (0.9, 1.1))) == "more"
    assert more_or_less(Ours(1, (0.9, 1.1)), Ours(2, (1.9, 2.1))) == "less"
    assert more_or_less(Ours(1, (0.5, 2)), Ours(1.2, (1, 1.4))).startswith("no difference")
