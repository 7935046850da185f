"""Tests of TetrAIs' Q-learning: the growth of weights, the variants, and the checks of the claims."""

from pathlib import Path
from typing import Any

import pytest

from tetrion.evaluation import start_threads
from tetrion.lab.papers.tetrais import (
    tetrais_q_learning_findings as findings,
    tetrais_q_learning_measurements as measurements,
)
from tetrion.lab.papers.tetrais.tetrais_tables import (
    make_learning_rate_table,
    make_scan_table,
    make_variants_table,
    make_weights_table,
)
from tetrion.lab.reproduction.measurements import MeasurementContext, TrainingMeasurement
from tetrion.training.recipe import Recipe


@pytest.fixture
def context(tmp_path: Path) -> Any:
    with start_threads(1) as workers:
        yield MeasurementContext(tmp_path, 1, True, workers)


def make_summary(mean: float) -> dict[str, Any]:
    """Return the summary of a metric with a narrow interval."""
    ci95 = [0.9 * mean, 1.1 * mean]
    return {"mean": mean, "ci95": ci95, "played": mean, "played_ci95": ci95, "deviation": 1.0}


def make_runs(
    *scores: float, deaths: int = 10, pieces: float = 15, note: str = "", weight: float = 3
) -> dict[str, Any]:
    """Return runs with these held-out scores, a hundredth of them as lines."""
    return {
        "runs": [
            {
                "metrics": {"lines": [0, 1, 2]},
                "result": {
                    "uncorrected": {
                        "score": make_summary(score),
                        "lines": make_summary(score / 100),
                        "pieces": make_summary(pieces),
                    },
                    "held_out": {"deaths": deaths, "games": 10},
                    "parameters": {"lines": weight, "holes_change": -1},
                    "note": note,
                },
            }
            for score in scores
        ]
    }


def make_games(score: float) -> dict[str, Any]:
    """Return games with this mean score."""
    return {"games": 10, "capped": 0, "cap": None, "score": make_summary(score)}


def make_scan(*sizes: tuple[float, float, float]) -> list[dict[str, Any]]:
    """Return runs of the scan with these largest weights after the first, third and fifth episode."""
    return [{"rate": 0.01, "discount": 0.9, "seed": seed, "sizes": list(size)} for seed, size in enumerate(sizes)]


def test_report_recipe_has_the_learning_rate_of_the_tables() -> None:
    settings = Recipe.load(measurements.REPORT_RECIPE).settings
    assert settings.alpha == settings.alpha_end == measurements.RECIPE_LEARNING_RATE


def test_raw_weights_diverge_and_differences_do_not(context: MeasurementContext) -> None:
    results = {"divergence": measurements.measure_divergence(context)}
    assert findings.find_largest_weight(results, "raw", 5)[1] > 1e10
    assert findings.find_largest_weight(results, "differences", 5)[1] < 10
    table = make_weights_table(results)
    assert table[0] == ["the report, initial", "4.00", "−2.00", "−1.00", "−1.00", "−1.00"]
    assert table[2][-1] == "−5.46 × 10¹²²"
    assert len(make_learning_rate_table(results)) == 4


def test_scan_has_the_same_runs_with_and_without_total_height(
    context: MeasurementContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(measurements, "SCAN_RATES", (0.0001, 0.01))
    monkeypatch.setattr(measurements, "_QUICK_RATE_STEP", 1)
    scan = measurements.measure_growth_scan(context)
    settings = [[(run["rate"], run["discount"], run["seed"]) for run in runs] for runs in scan.values()]
    assert settings[0] == settings[1]
    assert len(settings[0]) == 2 * 2 * 2
    assert scan["scan"] != scan["without_height"]


@pytest.mark.parametrize(
    ("sizes", "fits"),
    [
        ((36, 2e10, 1e120), (True, True, True)),
        ((4, 4, 4), (False, False, False)),  # weights that do not change
        ((1e20, 1e60, 1e110), (False, True, True)),
        ((200, 1e9, 1e90), (False, False, False)),
    ],
)
def test_weights_fit_the_report_after_each_episode(
    sizes: tuple[float, float, float], fits: tuple[bool, bool, bool]
) -> None:
    assert findings.judge_scan_run(make_scan(sizes)[0]) == fits


def test_growth_agrees_only_if_one_run_fits_after_all_episodes() -> None:
    fitting, early, late = (36, 2e10, 1e120), (36, 1e3, 1e5), (1e20, 1e60, 1e110)
    separate = findings.check_weight_growth({"growth-scan": {"scan": make_scan(early, late)}})
    assert separate.holds is False
    assert "1.00 × 10²⁰ or more after the first" in separate.evidence
    assert findings.check_weight_growth({"growth-scan": {"scan": make_scan(early, fitting)}}).holds is True
    rows = make_scan_table({"growth-scan": {"scan": make_scan(early, late)}})
    assert [row[0] for row in rows] == ["the report", "0.01"]
    assert rows[1][-1] == "1, 1, 1 of 2 seeds"


@pytest.mark.parametrize(
    ("with_height", "without_height", "holds"), [(20, 5, True), (10, 10, None), (5, 20, False), (0, 0, None)]
)
def test_total_height_is_the_cause_if_fewer_runs_grow_without_it(
    with_height: int, without_height: int, holds: bool | None
) -> None:
    grown, small = (1.0, 1e12, 1e20), (1.0, 1.0, 1.0)
    scan = {
        "scan": make_scan(*[grown] * with_height, *[small] * without_height),
        "without_height": make_scan(*[small] * with_height, *[grown] * without_height),
    }
    assert findings.check_height_is_cause({"growth-scan": scan}).holds is holds


@pytest.mark.parametrize(
    ("lines", "pieces", "holds"), [(0, 15, True), (0.05, 15, False), (0.01, 15, None), (0, 40, False), (0, 22, None)]
)
def test_towers_have_no_lines_and_fewer_pieces_than_random_games(
    lines: float, pieces: float, holds: bool | None
) -> None:
    runs = make_runs(1, 1, 1, pieces=pieces)
    for run in runs["runs"]:
        run["result"]["held_out"] = {"deaths": 1000, "games": 1000, "lines": {"mean": lines}}
    random = make_games(22) | {"pieces": make_summary(22)}
    assert findings.check_towers({"raw": runs, "random": random}).holds is holds


@pytest.mark.parametrize(("raw", "refined", "holds"), [(20, 5, True), (10, 10, None), (5, 20, False)])
def test_refinement_reduces_growth_at_the_same_rates(raw: int, refined: int, holds: bool | None) -> None:
    grown, small = (1.0, 1e12, 1e20), (1.0, 1.0, 1.0)
    fastest = [{"rate": measurements.FASTEST_RATE, "discount": 0.9, "seed": 0, "sizes": [1.0, None, None]}]
    results = {
        "growth-scan": {"scan": make_scan(*[grown] * raw, *[small] * refined)},
        "differences-scan": {"scan": make_scan(*[small] * raw, *[grown] * refined) + fastest},
        "q-report-fast": make_runs(1, note="diverged"),
    }
    ours = findings.check_refinement(results)
    assert ours.holds is holds
    assert f"{refined} of {raw + refined} runs at the learning rate 0.01 and 1 of 1 run at" in ours.evidence
    assert "diverge with 1 of 1 seed" in ours.evidence


def test_scan_of_differences_has_the_rates_of_the_raw_features(
    context: MeasurementContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(measurements, "SCAN_RATES", (0.0001, 0.01))
    monkeypatch.setattr(measurements, "_QUICK_RATE_STEP", 1)
    runs = measurements.measure_differences_scan(context)["scan"]
    assert {run["rate"] for run in runs} == {0.0001, 0.01, measurements.FASTEST_RATE}
    assert len(runs) == 3 * 2 * 2
    assert all(size < 100 for run in runs if run["rate"] == 0.0001 for size in run["sizes"])


@pytest.mark.parametrize(("scores", "holds"), [((90, 91, 92), False), ((900, 910, 920), True), ((150, 300, 450), None)])
def test_comparisons_with_greedy_and_with_initial_weights(scores: tuple[float, ...], holds: bool | None) -> None:
    results = {name: make_runs(*scores) for name in measurements.Q_LEARNING_VARIANTS}
    results |= {"greedy": make_games(300), "q-start": make_games(300)}
    better = findings.make_better_than_greedy_check("q-report")(results)
    assert better.holds is holds
    assert "with traces" in better.evidence
    assert findings.make_practice_check("q-report")(results).holds is holds
    rows = make_variants_table(results)
    assert len(rows) == len(measurements.Q_LEARNING_VARIANTS) + 1
    assert rows[1][-2:] == ["3", "0"]


@pytest.mark.parametrize(("deaths", "holds", "is_uncorrected"), [(0, True, True), (1, False, True), (10, False, False)])
def test_limitless_games(deaths: int, holds: bool, is_uncorrected: bool) -> None:
    ours = findings.make_limitless_check("q")({"q": make_runs(1, 2, deaths=deaths)})
    assert ours.holds is holds
    assert ours.text.startswith("uncorrected mean") == is_uncorrected


def test_copies_of_published_weights() -> None:
    initial = findings.FIGURE_12_WEIGHTS["initial"]
    assert findings.make_weights_check(initial, findings.load_initial_weights)({}).holds is True
    assert findings.make_weights_check((1, 2), lambda: [1, 3])({}).holds is False
    greedy = list(findings.REPORT_GREEDY_WEIGHTS.values())
    assert findings.make_weights_check(greedy, findings.load_greedy_weights)({}).holds is True


def test_quick_variants_are_valid_recipes() -> None:
    for measurement in measurements.Q_LEARNING_MEASUREMENTS:
        if isinstance(measurement, TrainingMeasurement):
            for is_quick in (False, True):
                _, changes = measurement.get_plan(is_quick)
                Recipe.load(measurement.recipe, changes)


def test_averaged_variants() -> None:
    averaged = {name for name, variant in measurements.Q_LEARNING_VARIANTS.items() if variant.has_average}
    assert "q-report-average" in averaged
    assert "q" in averaged
    assert "q-report" not in averaged


def test_large_numbers_are_formatted_with_powers_of_ten() -> None:
    assert findings.format_power_of_ten(-2) == "−2.00"
    assert findings.format_power_of_ten(1.05e59) == "1.05 × 10⁵⁹"
