"""The controllers of the literature: verdicts and answers that follow the figures, and a few games."""

from pathlib import Path
from typing import Any

from tetrion.evaluation.workers import ThreadWorkers
from tetrion.lab.papers.literature import literature_figures as literature_figures
from tetrion.lab.papers.literature import literature_paper as literature
from tetrion.lab.papers.literature.literature_paper import CONTROLLER_NAMES, LITERATURE_ANSWERS
from tetrion.lab.reproduction.measurements import MeasurementContext
from tetrion.lab.reproduction.published_values import MeasuredValue, PublishedOrdering
from tetrion.lab.reproduction.reproduction_observer import ReproductionObserver


def played(lines: float | None, share: float = 0.01, games: int = 1000, capped: int = 0) -> dict[str, Any]:
    """Games with so many lines in the mean, or of which none has ended."""
    ends = [1e6, None] if lines is None else [lines * (1 - share), lines * (1 + share)]
    told = {"mean": lines, "ci95": ends, "deviation": lines or 1e6, "played": lines or 1e6, "max": int(lines or 1e6)}
    return {"lines": told, "pieces": told, "games": games, "capped": capped, "sample": {"lines": [1, 2, 4]}}


def made_up() -> dict[str, Any]:
    """Results in which every controller is a thousandth better than the one before, which its interval cannot tell."""
    results: dict[str, Any] = {}
    for place, name in enumerate(CONTROLLER_NAMES):
        better = 1 + place / 1000
        results |= {f"{name}-10x10": played(2000 * better), f"{name}-10x20": played(2000 * 1024 * better)}
        results |= {f"{name}-alternating": played(100 + place), f"{name}-sz": played(200 + place)}
    results |= {
        f"dellacherie-10x{rows}": played(2000 * 2.0 ** (rows - 10)) for rows in literature.LITERATURE_BOARD_HEIGHTS
    }
    results |= {name: played(2000) for name in literature.TIE_MEASUREMENTS.values()}
    runs = [{"result": {"uncorrected": {"lines": {"mean": 1e5, "ci95": [1e5, 1e5]}}}} for _ in range(3)]
    return results | {"dellacherie-entry": played(2000 * 256), "cross-entropy": {"runs": runs}}


def test_wide_intervals_are_not_sold_as_agreement() -> None:
    figure = literature.make_reported_mean(35e6, 0.2)
    assert figure.formatted == "35 M ± 20 %"
    assert figure.compare(MeasuredValue(33e6, (25e6, 45e6))).reason == "ours meets the published figure ± 20 %"
    assert "too few games have ended" in figure.compare(MeasuredValue(None, (2e6, float("inf")))).reason
    assert not figure.compare(MeasuredValue(5e6, (4e6, 6e6))).agrees


def test_what_is_ahead() -> None:
    assert PublishedOrdering("more").compare(MeasuredValue(2, (1.5, 3))).agrees
    assert not PublishedOrdering("more").compare(MeasuredValue(0.5, (0.4, 0.9))).agrees
    open_still = PublishedOrdering("more").compare(MeasuredValue(1.2, (0.8, 1.6)))
    assert not open_still.agrees
    assert "contains 1" in open_still.reason
    assert "too few have been tried" in PublishedOrdering("more").compare(MeasuredValue(1.2)).reason
    assert not PublishedOrdering("more").compare(MeasuredValue(basis="since too few games have ended")).agrees


def test_the_best_is_told_only_if_known() -> None:
    results = made_up()
    assert "which chance may explain" in LITERATURE_ANSWERS.describe_ranking(results)
    results["dt10-10x10"] = played(5000)
    assert LITERATURE_ANSWERS.describe_ranking(results).startswith(
        "On ten rows it is dt10 with 5,000 ± 50 lines a game, 2.4"
    )
    results["dt20-10x20"] = played(None, capped=1000)
    assert "no game of dt20 has ended here" in LITERATURE_ANSWERS.describe_ranking(results)


def test_a_row_of_height() -> None:
    results = made_up()
    words = LITERATURE_ANSWERS.describe_row_value(results)
    assert "Dellacherie's lines by 2.00 ± 0.00" in words
    assert "divides the lines by 4.00, as 2.00 rows fewer" in words
    rows = literature_figures.make_height_table(literature.LITERATURE_BOARD_HEIGHTS, results)
    assert rows[0][2] == "–"
    assert all(row[2].startswith("2.00") for row in rows[1:])
    results["dellacherie-entry"] = played(None, capped=1000)
    assert LITERATURE_ANSWERS.describe_row_value(results) == "Too few games have ended to say."


def test_ties_and_chance() -> None:
    results = made_up()
    assert "which chance may explain" in LITERATURE_ANSWERS.describe_tie_effect(results)
    results["tie-2"] = played(2500)
    assert "(the one whose highest cell is lower): 1.25" in LITERATURE_ANSWERS.describe_tie_effect(results)
    assert "more than chance explains" in LITERATURE_ANSWERS.describe_tie_effect(results)


def test_how_games_spread() -> None:
    results = made_up()
    assert LITERATURE_ANSWERS.check_exponential_spread(results).holds
    results["lee-10x10"] = played(100) | {"lines": {"deviation": 80, "played": 100}}
    told = LITERATURE_ANSWERS.check_exponential_spread(results)
    assert told.holds
    assert told.text.endswith("lee 0.80")
    results["du-10x10"]["lines"]["deviation"] = 1
    assert not LITERATURE_ANSWERS.check_exponential_spread(results).holds


def test_s_and_z() -> None:
    results = made_up()
    assert (
        LITERATURE_ANSWERS.find_longest_sz_game(results).basis
        == f"the longest of {len(CONTROLLER_NAMES)} controllers: {CONTROLLER_NAMES[-1]}"
    )
    assert (
        f"in turn, {CONTROLLER_NAMES[-1]} with 107 pieces, and {CONTROLLER_NAMES[0]}"
        in LITERATURE_ANSWERS.describe_sz_survival(results)
    )


def test_older_figures_stand_in_order_with_their_rules() -> None:
    rows = literature_figures.make_result_history_table(CONTROLLER_NAMES, made_up())
    assert rows[0][:2] == ["Tsitsiklis and Van Roy 1996", "30"]
    assert rows[0][3] == "others, not all known"
    assert {row[3] for row in rows if row[2] == "ours"} == {"standard"}


def test_measurements_are_all_there_and_named_once() -> None:
    names = [measurement.name for measurement in literature.LITERATURE_PAPER.measurements]
    assert len(set(names)) == len(names)
    assert set(made_up()) <= set(names)


def test_an_alternating_game_is_the_same_everywhere(tmp_path: Path) -> None:
    wanted = {"dellacherie-alternating": 253, "du-alternating": 67}  # pieces
    with ThreadWorkers(1) as workers:
        laboratory = MeasurementContext(tmp_path, 1, True, workers, ReproductionObserver())
        found = {
            known.name: known.measure(laboratory)
            for known in literature.LITERATURE_PAPER.measurements
            if known.name in wanted
        }
    assert {name: data["pieces"]["max"] for name, data in found.items()} == wanted
