"""Figures and tables of the reproduction of Becker's slides."""

from typing import TYPE_CHECKING

import numpy as np

from tetrion.evaluation.number_format import format_name, format_number
from tetrion.lab.papers.becker.becker_findings import (
    BEST_GAME_SERIES,
    SLIDE_BEST_GAME,
    SLIDE_LINES_RANGE,
    compute_best_of_games,
    compute_parameter_changes,
    format_parameter,
    format_small_number,
)
from tetrion.lab.papers.becker.becker_games import (
    BECKER_BEFORE_CLEARING,
    BECKER_CODE_READING,
    BECKER_READINGS,
    DECISION_TIMES_MS,
    DEFAULT_GAME_END,
    KEY_PRESS_MS,
    ROW_TIMES_MS,
    RULE_INTERPRETATIONS,
    compute_curve,
    get_row_time_measurement,
    make_variants,
)
from tetrion.lab.reproduction.measured_values import compute_mean, compute_mean_over_seeds
from tetrion.lab.reproduction.paper_definition import MeasurementResults
from tetrion.lab.reproduction.reproduction_figures import (
    ForestRow,
    draw_forest_plot,
    draw_generation_curves,
    draw_parameter_sweep,
    draw_ridgeline_plot,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from tetrion.lab.figure_charts import FigureSize

_CURVE_DRAWING_LIMITS = {  # largest feature value drawn
    "holes": 24,
    "aggregate_height": 200,
    "bumpiness": 24,
    "max_height": 20,
}


def make_interpretations_table(results: MeasurementResults) -> list[list[str]]:
    """Return one row per interpretation of the slides: lines, and whether they overlap the published range."""
    lines = {
        f"{BECKER_READINGS[BECKER_CODE_READING].description}; {DEFAULT_GAME_END}": compute_mean(
            results[BECKER_CODE_READING]
        ),
        f"{BECKER_READINGS[BECKER_BEFORE_CLEARING].description} (contradicts the code)": compute_mean(
            results[BECKER_BEFORE_CLEARING]
        ),
    }
    lines |= {label: compute_mean(results[label]) for label in RULE_INTERPRETATIONS}
    lines |= {
        f"falling one row takes {row_time / KEY_PRESS_MS:g} times as long as a key press": compute_mean(
            results[get_row_time_measurement(row_time)]
        )
        for row_time in ROW_TIMES_MS
    }
    low, high = SLIDE_LINES_RANGE
    return [
        [label, ours.formatted, "yes" if ours.interval[0] <= high and ours.interval[1] >= low else "no"]
        for label, ours in lines.items()
    ]


def make_best_games_table(results: MeasurementResults) -> list[list[str]]:
    """Return one row per reading and number of games: the best game, its range, and whether that contains 90."""
    rows = []
    for name, reading in BECKER_READINGS.items():
        for series_length in BEST_GAME_SERIES:
            best = compute_best_of_games(results["distributions"][name], series_length)
            low, high = best.interval
            fits = "yes" if low <= SLIDE_BEST_GAME <= high else "no"
            lines = [format_number(number, 0) for number in (best.value or 0, low, high)]
            rows.append([reading.description, str(series_length), lines[0], f"{lines[1]} to {lines[2]}", fits])
    return rows


def make_learnt_parameters_table(results: MeasurementResults) -> list[list[str]]:
    """Return one row per parameter: value in the slides, learnt median, range over seeds, and ratio."""
    rows = []
    for name, (given, factors) in compute_parameter_changes(results).items():
        median = float(np.median(factors))
        ends = [format_small_number(given * factor) for factor in (min(factors), max(factors))]
        seed_range = " to ".join(dict.fromkeys(ends))
        learnt = format_small_number(given * median)
        rows.append([format_parameter(name), f"{given:g}", learnt, seed_range, format_small_number(median)])
    return rows


def draw_thinking_times(results: MeasurementResults, size: "FigureSize") -> "Figure":
    """Draw lines per game against the time per decision."""
    lines = {"becker": [compute_mean(results[f"thinking-{milliseconds}"]) for milliseconds in DECISION_TIMES_MS]}
    categories = [f"{milliseconds / 1000:g} s" for milliseconds in DECISION_TIMES_MS]
    return draw_parameter_sweep(size, "Lines per game", "by time per decision", categories, lines)


def draw_variants(results: MeasurementResults, size: "FigureSize") -> "Figure":
    """Draw lines per game of the slides' function and of its variants."""
    entries = [ForestRow("as in the slides", compute_mean(results[BECKER_CODE_READING]), SLIDE_LINES_RANGE)]
    entries += [ForestRow(name, compute_mean(results[name])) for name in make_variants()]
    return draw_forest_plot(size, "Lines per game", "rules becker", entries)


def draw_curves(results: MeasurementResults, size: "FigureSize") -> "Figure":
    """Draw the four curves, each from 0 to its drawing limit."""
    steps = 101
    curves = {
        f"{format_name(name)}, to {limit}": [
            compute_curve(name)[round(limit * step / (steps - 1))] for step in range(steps)
        ]
        for name, limit in _CURVE_DRAWING_LIMITS.items()
    }
    legend = "Feature values from 0 (left) to the number in the label (right); before weighting"
    return draw_generation_curves(size, "Curve value of each feature", curves, legend, "percent of the feature range")


def draw_lines_distribution(results: MeasurementResults, size: "FigureSize") -> "Figure":
    """Draw the distribution of lines per game."""
    samples = {
        "becker": results[BECKER_CODE_READING]["sample"]["lines"],
        "becker, before clearing": results[BECKER_BEFORE_CLEARING]["sample"]["lines"],
    }
    return draw_ridgeline_plot(size, "Lines per game", "rules becker", samples)


def draw_learnt_lines(results: MeasurementResults, size: "FigureSize") -> "Figure":
    """Draw lines per game of the slides' parameters and of learnt ones, with the published range."""
    entries = [
        ForestRow("becker", compute_mean(results[BECKER_CODE_READING]), SLIDE_LINES_RANGE),
        ForestRow("becker, before clearing", compute_mean(results[BECKER_BEFORE_CLEARING]), SLIDE_LINES_RANGE),
        ForestRow("becker-tuned", compute_mean_over_seeds(results["tuned"])),
    ]
    return draw_forest_plot(size, "Lines per game", "rules becker", entries)
