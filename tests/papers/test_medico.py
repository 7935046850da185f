from typing import Any

import numpy as np
import pytest

from tetrion.papers.measured_values import MeasuredValue
from tetrion.papers.medico import measure
from tetrion.papers.medico.measure import MEDICO_BOT, RUNS

PRINTED_AVERAGES = (94, 94, 108, 115, 123, 117, 115, 131, 91, 116)


def make_games(score: float, line: float = 110, number: int = 1000) -> dict[str, Any]:
    """Return the summary of games with exponentially distributed scores and nearly the given points per line."""
    scores = -score * np.log(1 - (np.arange(number) + 0.5) / number)
    return {
        "games": number,
        "capped": 0,
        "points_per_line": line,
        "score": {"mean": float(scores.mean()), "deviation": float(scores.std())},
        "sample": {"score": scores.tolist(), "lines": (np.resize([0.9, 1.1], number) * scores / line).tolist()},
    }


def test_published_runs_are_consistent_and_transcribed() -> None:
    assert RUNS[:, 0].mean() == 14_304
    assert RUNS[:, 1].mean() == pytest.approx(130.2)
    assert RUNS[:, 0].sum() / RUNS[:, 1].sum() == pytest.approx(109.86, abs=0.005)
    assert RUNS[:, 0].std() / RUNS[:, 0].mean() == pytest.approx(0.95, abs=0.005)
    assert (RUNS[:, 0] // RUNS[:, 1]).tolist() == list(PRINTED_AVERAGES)


def test_changed_parameters() -> None:
    for agent in (
        measure.remove_parameters("danger", "holes"),
        measure.replace_board_fill(),
        *measure.make_variants().values(),
    ):
        assert agent.second_mode is not None
        assert agent.second_mode.threshold == 100
    weights = measure.remove_parameters("danger", "holes").weights
    assert set(MEDICO_BOT.weights) - set(weights) == {"danger", "holes"}
    variants = measure.make_variants()
    assert variants["low weight of holes"].weights["holes"] == -1
    assert variants["low weights of lines"].weights["four_lines"] == 100
    few_lines = variants["scoring mode without 1, 2 and 3 lines"]
    assert few_lines.weights["two_lines"] == 0
    assert few_lines.second_mode == MEDICO_BOT.second_mode
    second = measure.change_fill_level("max_height", 12).second_mode
    assert second is not None
    assert (second.selector, second.threshold) == ("max_height", 12)


@pytest.mark.slow
def test_zone_of_the_agent_as_custom_feature_makes_the_same_choices() -> None:
    agent = measure.change_danger_zone(measure.make_danger_zone(4, 3, 7))
    assert measure.count_events(agent, 1, 0) == measure.count_events(MEDICO_BOT, 1, 0)


def test_game_events_are_counted() -> None:
    others = {"itself": MEDICO_BOT, "one": MEDICO_BOT.with_options(depth=1), "equivalent": measure.replace_board_fill()}
    counts = measure.count_events(MEDICO_BOT, 3, 0, others)
    assert counts["recoveries"] <= counts["troubles"]
    assert counts["filled"] <= counts["tucks"] == counts["itself tucks"]
    assert counts["flat"] == counts["itself flat"] < counts["orientable"] < counts["pieces"] < counts["low space"]
    assert counts["itself"] == counts["equivalent"] == 0 < counts["one"] < counts["pieces"]
    assert counts["recovery cleared"] <= counts["recovery clearable"]
    assert counts["placements with few holes"] <= counts["placements"]


def test_statistics_of_games() -> None:
    games = [{"tucks": 1, "pieces": 10}, {"tucks": 3, "pieces": 10}]
    assert measure.total(games, "tucks") == 4
    assert (measure.rate(games, "tucks", "pieces").value, measure.percentage(games, "tucks", "pieces").value) == (
        0.2,
        20,
    )
    assert measure.rate(games, "tucks", "pieces").interval == pytest.approx((0, 0.2 + 12.7062 * 0.1))
    assert measure.rate(games, "tucks", "holes").value is None
    same = make_games(14_304, 109.86)
    assert measure.fits(same)
    assert not measure.fits(make_games(14_304, 50))
    assert measure.p_value(make_games(100_000), "mean") < 0.01
    two = {"games": 2, "capped": 0, "points_per_line": 60, "sample": {"score": [100, 140], "lines": [1, 3]}}
    assert measure.points_per_line(two).interval == pytest.approx((60 - 20 * 1.96, 60 + 20 * 1.96), abs=0.01)
    assert measure.variation(same).value == pytest.approx(1, abs=0.01)
    agreeing = measure.agreeing_means(MeasuredValue(100, (90, 110), standard_deviation=40), 4)
    assert agreeing.interval == pytest.approx((50.8, 149.2), abs=0.01)
