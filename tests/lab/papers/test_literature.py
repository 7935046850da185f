"""Tests of the literature's controllers: verdicts and answers that follow from the results, and a few games."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tetrion.evaluation.workers import ThreadWorkers
from tetrion.lab.papers.literature import capped_games, literature_figures
from tetrion.lab.papers.literature.literature_answers import BURGIEL_MAX_PIECES
from tetrion.lab.papers.literature.literature_claims import LITERATURE_ANSWERS, LITERATURE_CLAIMS
from tetrion.lab.papers.literature.literature_controllers import (
    CONTROLLER_NAMES,
    LITERATURE_BOARD_HEIGHTS,
    MDP_TETRIS_MEANS,
    TIE_MEASUREMENTS,
)
from tetrion.lab.papers.literature.literature_paper import LITERATURE_PAPER
from tetrion.lab.reproduction.measurements import MeasurementContext
from tetrion.lab.reproduction.paper_definition import ClaimKind
from tetrion.lab.reproduction.reproduction import ClaimRow, compare_claim


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
    results |= {f"dellacherie-10x{rows}": make_games(2000 * 2.0 ** (rows - 10)) for rows in LITERATURE_BOARD_HEIGHTS}
    results |= {name: make_games(2000) for name in TIE_MEASUREMENTS.values()}
    results |= {f"cross-entropy-{noise}": make_runs((1e5, 1e5, 1e5)) for noise in ("none", "constant", "decreasing")}
    return results | {"dellacherie-entry": make_games(2000 * 256)}


def make_runs(last_means: tuple[float, ...], generations: int = 80) -> dict[str, Any]:
    """Return runs of cross-entropy whose last validation gives the means."""
    validation = [None] * (generations - 1)
    return {
        "runs": [
            {
                "result": {"uncorrected": {"lines": {"mean": mean, "ci95": [mean, mean]}}},
                "metrics": {"validation": [*validation, mean]},
            }
            for mean in last_means
        ]
    }


def get_row(start: str, results: dict[str, Any], kind: ClaimKind = ClaimKind.DOCUMENT) -> ClaimRow:
    """Return the row of the first claim that starts with the text."""
    claim = next(claim for claim in LITERATURE_CLAIMS if claim.statement.startswith(start) and claim.kind == kind)
    return compare_claim(claim, results)


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
    assert capped_games.format_estimate(entries[0]).endswith("(1 death)")


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
    rows = literature_figures.make_height_table(LITERATURE_BOARD_HEIGHTS, results)
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


def test_exponential_spread_is_checked_with_intervals() -> None:
    results = make_results()
    assert LITERATURE_ANSWERS.check_exponential_spread(results).holds
    results["lee-10x10"]["lines"]["deviation"] = 0.8 * results["lee-10x10"]["lines"]["played"]
    spread = LITERATURE_ANSWERS.check_exponential_spread(results)
    assert spread.holds  # Thiery and Scherrer's publications do not contain Lee's controller
    assert spread.basis.startswith("of controllers in other publications: lee 0.80")
    results["du-10x10"]["lines"]["deviation"] *= 1.09
    assert LITERATURE_ANSWERS.check_exponential_spread(results).holds is None
    results["bdu-10x10"]["lines"]["deviation"] = 1
    assert LITERATURE_ANSWERS.check_exponential_spread(results).holds is False


def test_burgiel_bound_fails_for_a_game_that_reaches_it() -> None:
    results = make_results()
    assert LITERATURE_ANSWERS.check_burgiel_bound(results).holds
    results["du-alternating"] = make_games(BURGIEL_MAX_PIECES)
    failed = LITERATURE_ANSWERS.check_burgiel_bound(results)
    assert failed.holds is False
    assert failed.evidence == "a game of du has not ended before the bound"


@pytest.mark.parametrize(("lines", "verdict"), [(35e6, "agrees"), (60e6, "differs"), (None, "undecided")])
def test_cited_mean_is_compared_with_its_margin(lines: float | None, verdict: str) -> None:
    row = get_row("du, lines per game on 10×20", make_results() | {"du-10x20": make_games(lines, capped=10)})
    assert row.verdict == verdict
    assert "our criterion" not in row.published  # the margin is that of the publication
    assert (
        get_row("bdu, lines per game on 10×20", make_results()).published
        == "36,000,000 lines; our criterion: within 20 %"
    )


@pytest.mark.parametrize(("name", "rows"), MDP_TETRIS_MEANS)
def test_cross_check_compares_intervals(name: str, rows: int) -> None:
    mean = MDP_TETRIS_MEANS[name, rows]
    low, high = mean.interval
    assert low < mean.lines < high
    statement = f"{name}, lines per game on 10×{rows}"
    for factor, verdict in ((1, "agrees"), (2, "differs")):
        results = {f"{name}-10x{rows}": make_games(factor * mean.lines)}
        row = get_row(statement, results, ClaimKind.OWN)
        assert row.verdict == verdict
        assert f"{mean.games:,} games of its own simulator" in row.location


@pytest.mark.parametrize(
    ("last_means", "verdict"),
    [
        ((9e4, 1e5, 1.1e5), "agrees"),
        ((9e5, 1e6, 1.1e6), "differs"),
        ((1e3, 1e5, 2e5), "undecided"),
    ],
)
def test_runs_are_compared_with_logs(last_means: tuple[float, ...], verdict: str) -> None:
    results = make_results() | {"cross-entropy-constant": make_runs(last_means)}
    row = get_row("cross-entropy with constant noise on Bertsekas' 21 features", results)
    assert row.verdict == verdict
    assert row.published.startswith("mean of ten runs 102,870 (95 % interval 86,238 to 122,710;")


def test_fewer_generations_than_in_the_logs_decide_nothing() -> None:
    results = make_results() | {"cross-entropy-none": make_runs((100, 110, 120), generations=15)}
    row = get_row("cross-entropy without noise", results)
    assert row.verdict == "undecided"
    assert row.reason.endswith("a quick reproduction ends after 15 of 80 generations.")


@pytest.mark.parametrize(
    ("without", "verdict"),
    [((400, 500, 600), "agrees"), ((9e6, 1e7, 1.1e7), "differs"), ((1e4, 1e5, 2e5), "undecided")],
)
def test_noise_is_compared_over_runs(without: tuple[float, ...], verdict: str) -> None:
    results = make_results() | {"cross-entropy-none": make_runs(without)}
    assert get_row("cross-entropy with constant noise gives more", results).verdict == verdict


def test_longest_sz_games_are_named() -> None:
    results = make_results()
    longest = LITERATURE_ANSWERS.check_burgiel_bound(results)
    assert longest.text == "the longest game has 107 pieces"
    assert longest.basis == f"{CONTROLLER_NAMES[-1]}; one game of each of {len(CONTROLLER_NAMES)} controllers"
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
    names = [measurement.name for measurement in LITERATURE_PAPER.measurements]
    assert len(set(names)) == len(names)
    assert set(make_results()) <= set(names)


def test_alternating_game_has_known_length(tmp_path: Path) -> None:
    expected = {"dellacherie-alternating": 253, "du-alternating": 67}  # pieces
    with ThreadWorkers(1) as workers:
        context = MeasurementContext(tmp_path, 1, True, workers)
        results = {
            measurement.name: measurement.measure(context)
            for measurement in LITERATURE_PAPER.measurements
            if measurement.name in expected
        }
    assert {name: data["pieces"]["max"] for name, data in results.items()} == expected
