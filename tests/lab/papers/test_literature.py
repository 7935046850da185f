"""Tests of the literature's controllers: verdicts and answers that follow from the results, and a few games."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tetrion.evaluation.workers import ThreadWorkers
from tetrion.lab.papers.literature import capped_games, literature_figures, literature_paper as literature
from tetrion.lab.papers.literature.literature_paper import CONTROLLER_NAMES, LITERATURE_ANSWERS
from tetrion.lab.reproduction.measurements import MeasurementContext


def make_games(lines: float | None, share: float = 0.01, games: int = 1000, capped: int = 0) -> dict[str, Any]:
    """Return the summary of games with the given mean lines, or of games of which none has ended (None)."""
    ends = [1e6, None] if lines is None else [lines * (1 - share), lines * (1 + share)]
    known = lines or 1e6
    summary = {"mean": lines, "ci95": ends, "deviation": known, "played": known, "max": int(known)}
    return {"lines": summary, "pieces": summary, "games": games, "capped": capped, "sample": {"lines": [1, 2, 4]}}


def make_results() -> dict[str, Any]:
    """Return results in which every controller is 0.1 % better than the previous one, less than its interval."""
    results: dict[str, Any] = {}
    for number, name in enumerate(CONTROLLER_NAMES):
        factor = 1 + number / 1000
        results |= {f"{name}-10x10": make_games(2000 * factor), f"{name}-10x20": make_games(2000 * 1024 * factor)}
        results |= {f"{name}-alternating": make_games(100 + number), f"{name}-sz": make_games(200 + number)}
    results |= {
        f"dellacherie-10x{rows}": make_games(2000 * 2.0 ** (rows - 10)) for rows in literature.LITERATURE_BOARD_HEIGHTS
    }
    results |= {name: make_games(2000) for name in literature.TIE_MEASUREMENTS.values()}
    runs = [{"result": {"uncorrected": {"lines": {"mean": 1e5, "ci95": [1e5, 1e5]}}}} for _ in range(3)]
    return results | {"dellacherie-entry": make_games(2000 * 256), "cross-entropy": {"runs": runs}}


def test_best_controller_is_named_only_if_all_means_are_known() -> None:
    results = make_results()
    assert "not statistically significant" in LITERATURE_ANSWERS.describe_ranking(results)
    results["dt10-10x10"] = make_games(5000)
    assert LITERATURE_ANSWERS.describe_ranking(results).startswith(
        "On ten rows it is dt10 with 5,000 ± 50 lines per game, 2.4"
    )
    results["dt20-10x20"] = make_games(None, capped=1000)
    assert "no game of dt20 has ended" in LITERATURE_ANSWERS.describe_ranking(results)


def test_earlier_caps_count_the_deaths_of_the_same_games() -> None:
    pieces = np.array([5, 40, 100, 100, 100])
    is_dead = np.array([True, True, True, False, False])
    entries = capped_games.count_deaths_under_caps(pieces, is_dead, 100)
    assert [(entry["cap"], entry["deaths"], entry["pieces"]) for entry in entries] == [
        (10, 1, 45),
        (25, 1, 105),
        (50, 2, 195),
        (100, 3, 345),
    ]
    assert capped_games.estimate_lines(entries[-1]).value == pytest.approx(0.4 * 345 / 3)
    assert capped_games.estimate_lines({"deaths": 0, "pieces": 100.0}).value is None


def test_constant_risk_gives_the_same_mean_under_every_cap() -> None:
    lifetimes = np.random.default_rng(1).exponential(1e6, 200_000)
    cap = 10_000
    entries = capped_games.count_deaths_under_caps(np.minimum(lifetimes, cap), lifetimes <= cap, cap)
    for entry in entries:
        low, high = capped_games.estimate_lines(entry).interval
        assert low < 0.4 * 1e6 < high


def test_row_value_follows_results() -> None:
    results = make_results()
    answer = LITERATURE_ANSWERS.describe_row_value(results)
    assert "Dellacherie's lines by 2.00 ± 0.00" in answer
    assert "divides the lines by 4.00, as much as removing 2.00 rows would" in answer
    rows = literature_figures.make_height_table(literature.LITERATURE_BOARD_HEIGHTS, results)
    assert rows[0][2] == "–"
    assert all(row[2].startswith("2.00") for row in rows[1:])
    results["dellacherie-entry"] = make_games(None, capped=1000)
    assert LITERATURE_ANSWERS.describe_row_value(results) == "Too few games have ended for an answer."


def test_tie_effect_follows_results() -> None:
    results = make_results()
    assert "not statistically significant" in LITERATURE_ANSWERS.describe_tie_effect(results)
    results["tie-2"] = make_games(2500)
    assert "(lower highest cell): 1.25" in LITERATURE_ANSWERS.describe_tie_effect(results)
    assert "many, statistically significant" in LITERATURE_ANSWERS.describe_tie_effect(results)


def test_exponential_spread_is_checked_for_long_games() -> None:
    results = make_results()
    assert LITERATURE_ANSWERS.check_exponential_spread(results).holds
    results["lee-10x10"] = make_games(100) | {"lines": {"deviation": 80, "played": 100}}
    spread = LITERATURE_ANSWERS.check_exponential_spread(results)
    assert spread.holds
    assert spread.text.endswith("lee 0.80")
    results["du-10x10"]["lines"]["deviation"] = 1
    assert not LITERATURE_ANSWERS.check_exponential_spread(results).holds


def test_longest_sz_games_are_named() -> None:
    results = make_results()
    assert (
        LITERATURE_ANSWERS.find_longest_sz_game(results).basis
        == f"the longest of {len(CONTROLLER_NAMES)} controllers: {CONTROLLER_NAMES[-1]}"
    )
    assert (
        f"alternate, {CONTROLLER_NAMES[-1]} plays longest with 107 pieces, while {CONTROLLER_NAMES[0]}"
        in LITERATURE_ANSWERS.describe_sz_survival(results)
    )


def test_history_of_results_is_sorted_and_names_rules() -> None:
    rows = literature_figures.make_result_history_table(CONTROLLER_NAMES, make_results())
    assert rows[0][:2] == ["Tsitsiklis and Van Roy 1996", "30"]
    assert rows[0][3] == "different, partly unknown"
    assert {row[3] for row in rows if row[2] == "ours"} == {"standard"}


def test_measurement_names_are_complete_and_unique() -> None:
    names = [measurement.name for measurement in literature.LITERATURE_PAPER.measurements]
    assert len(set(names)) == len(names)
    assert set(make_results()) <= set(names)


def test_alternating_game_has_known_length(tmp_path: Path) -> None:
    expected = {"dellacherie-alternating": 253, "du-alternating": 67}  # pieces
    with ThreadWorkers(1) as workers:
        context = MeasurementContext(tmp_path, 1, True, workers)
        results = {
            measurement.name: measurement.measure(context)
            for measurement in literature.LITERATURE_PAPER.measurements
            if measurement.name in expected
        }
    assert {name: data["pieces"]["max"] for name, data in results.items()} == expected
