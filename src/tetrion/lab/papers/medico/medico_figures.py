"""Figures and tables of the reproduction of Medico's report."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from tetrion.drawing.palette import SECOND_ACCENT, STRONG_TEXT, get_series_colour
from tetrion.evaluation.confidence_intervals import compute_mean_interval
from tetrion.evaluation.number_format import format_name, format_number
from tetrion.lab.figure_charts import POINTS_PER_PIXEL
from tetrion.lab.papers.medico.medico_published_runs import (
    MEDICO_RUNS,
    MEDICO_SCORES,
    compute_p_value,
    compute_points_per_line,
    compute_published_statistic,
    fits_published_runs,
)
from tetrion.lab.papers.medico.medico_variants import (
    AGENT_ZONE,
    CHANGED_WEIGHTS,
    DANGER_ZONES,
    FEW_LINES_FEATURES,
    MEDICO_BOT,
    MEDICO_SECOND_MODE,
    MEDICO_THRESHOLD,
)
from tetrion.lab.reproduction.measured_values import compute_mean, compute_mean_over_seeds, compute_ratio
from tetrion.lab.reproduction.paper_definition import MeasurementResults
from tetrion.lab.reproduction.published_values import MeasuredValue
from tetrion.lab.reproduction.reproduction_figures import (
    HISTOGRAM_BINS,
    ForestRow,
    RowChart,
    draw_forest_plot,
    draw_parameter_sweep,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from tetrion.lab.figure_charts import FigureSize

MODE_THRESHOLDS = (0, 20, 40, 60, 70, 80, 90, 100, 110, 120, 140, 160, 200)
FULLNESS_THRESHOLDS = {  # other features that may measure how full the board is
    "max_height": (8, 10, 12, 14, 16),
    "filled_cells": (60, 80, 100, 120),
}
FULLNESS_LABELS = {"aggregate_height": "sum of heights", "max_height": "highest column", "filled_cells": "filled cells"}
MEDICO_PARAMETERS = {  # name in the report: features
    "holes": ("holes",),
    "evenness": ("bumpiness",),
    "board fill": ("aggregate_height",),
    "1 line": ("one_line",),
    "2 lines": ("two_lines",),
    "3 lines": ("three_lines",),
    "1, 2 and 3 lines": FEW_LINES_FEATURES,
    "4 lines": ("four_lines",),
    "last column": ("last_column_cells",),
    "danger zone": ("danger",),
}
COMPARED_SCORING_WEIGHTS = {  # weights of the scoring mode
    "aggregate_height": 1,
    "bumpiness": 1,
    "holes": 50,
    "last_column_cells": 1000,
}
_VARIANT_MEASUREMENTS = {
    "both modes, as in the report": "medico",
    "recovery mode alone": "threshold-0",
    "scoring mode alone": "threshold-200",
    "without the next piece": "one piece",
    "hard drops only": "drop",
    "spawn above the board": "above",
    "spawn above the board, hard drops only": "above, drop",
}


def get_threshold_data(results: MeasurementResults, threshold: int) -> Mapping[str, Any]:
    """Return the games with a mode threshold."""
    data: Mapping[str, Any] = results["medico" if threshold == MEDICO_THRESHOLD else f"threshold-{threshold}"]
    return data


def get_fullness_data(results: MeasurementResults) -> dict[tuple[str, int], Mapping[str, Any]]:
    """Return the games of every interpretation of the fill level, by feature and threshold."""
    sums = {("aggregate_height", threshold): get_threshold_data(results, threshold) for threshold in MODE_THRESHOLDS}
    others = {
        (measure, threshold): results[f"{measure}-{threshold}"]
        for measure, thresholds in FULLNESS_THRESHOLDS.items()
        for threshold in thresholds
    }
    return sums | others


def draw_score_distribution(results: MeasurementResults, size: "FigureSize") -> "Figure":
    """Draw the distribution of our scores and the report's ten runs."""
    ours, published = np.array(results["medico"]["sample"]["score"]), np.array([run.score for run in MEDICO_RUNS])
    legend = f"Histogram: {len(ours):,} of our games · circles: the report's ten runs · dot: the mean"
    chart = RowChart(size, "Points per game", "rules medico", ["Ours", "Report"], legend)
    chart.value_texts = [format_number(float(scores.mean())) for scores in (ours, published)]
    chart.include_values(0.0, ours)
    counts, edges = np.histogram(ours, np.linspace(0, chart.max_value, HISTOGRAM_BINS + 1))
    tops = 0.35 - 0.9 * counts / max(1, counts.max())
    style: dict[str, Any] = {"baseline": 0.35, "color": get_series_colour(0)}
    chart.axes.stairs(tops, edges, fill=True, alpha=0.35, linewidth=0, zorder=2, **style)
    chart.axes.stairs(tops, edges, linewidth=1.2 * POINTS_PER_PIXEL, zorder=3, **style)
    ring: dict[str, Any] = {"marker": "o", "markersize": 9 * POINTS_PER_PIXEL, "linestyle": "none", "zorder": 4}
    chart.axes.plot(published, np.ones(len(published)), color=SECOND_ACCENT, markerfacecolor="none", **ring)
    dot: dict[str, Any] = {"color": STRONG_TEXT, "marker": "o", "markersize": 6 * POINTS_PER_PIXEL, "zorder": 5}
    chart.axes.plot([float(ours.mean())], [0.35], **dot)
    chart.axes.plot([float(published.mean())], [1], **dot)
    return chart.finish()


def draw_variants(results: MeasurementResults, size: "FigureSize") -> "Figure":
    """Draw the mean score of every variant and the interval of the report's mean."""
    entries = [ForestRow(label, compute_mean(results[name], "score")) for label, name in _VARIANT_MEASUREMENTS.items()]
    entries[0] = entries[0]._replace(published=compute_mean_interval(MEDICO_SCORES[0]))
    entries.append(ForestRow("learnt weights", compute_mean_over_seeds(results["tuned"], "score")))
    legend = "Dot: ours, with its 95 % confidence interval · bar: interval of the mean of the report's ten runs"
    return draw_forest_plot(size, "Points per game", "rules medico", entries, legend)


def draw_parameter_removal(results: MeasurementResults, size: "FigureSize") -> "Figure":
    """Draw the mean score without each parameter."""
    entries = [ForestRow("all parameters", compute_mean(results["medico"], "score"))]
    entries += [
        ForestRow(f"without {label}", compute_mean(results[f"without {label}"], "score")) for label in MEDICO_PARAMETERS
    ]
    return draw_forest_plot(size, "Points per game", "rules medico", entries)


def draw_score_by_threshold(results: MeasurementResults, size: "FigureSize") -> "Figure":
    """Draw the mean score against the mode threshold."""
    curves = {
        "ours": [compute_mean(get_threshold_data(results, threshold), "score") for threshold in MODE_THRESHOLDS],
        "report": [MeasuredValue(compute_published_statistic("mean"))] * len(MODE_THRESHOLDS),
    }
    legend = "Sum of heights at which recovery mode begins; horizontal line: mean of the report's ten runs"
    thresholds = list(map(str, MODE_THRESHOLDS))
    return draw_parameter_sweep(size, "Points per game", "by threshold", thresholds, curves, legend=legend)


def draw_points_per_line_by_threshold(results: MeasurementResults, size: "FigureSize") -> "Figure":
    """Draw points per line against the mode threshold."""
    curves = {
        "ours": [compute_points_per_line(get_threshold_data(results, threshold)) for threshold in MODE_THRESHOLDS],
        "report": [MeasuredValue(compute_published_statistic("points per line"))] * len(MODE_THRESHOLDS),
    }
    legend = "Sum of heights at which recovery mode begins; horizontal line: the report's ten runs"
    thresholds = list(map(str, MODE_THRESHOLDS))
    return draw_parameter_sweep(size, "Points per line", "by threshold", thresholds, curves, legend=legend)


def format_whole_percent(share: float | None) -> str:
    """Format a share in whole percent."""
    return "–" if share is None else f"{100 * share:.0f} %"


def format_ratio(first: MeasuredValue, second: MeasuredValue) -> str:
    """Format a ratio of two values with three decimals and half the width of its interval."""
    ratio = compute_ratio(first, second)
    if ratio.value is None:
        return "–"
    low, high = ratio.interval
    return f"{ratio.value:.3f} ± {(high - low) / 2:.3f}"


def make_games_row(data: Mapping[str, Any]) -> list[str]:
    """Return score, lines, points per line, and the share of lines from tetrises."""
    return [
        compute_mean(data, "score").formatted,
        compute_mean(data).formatted,
        compute_points_per_line(data).formatted,
        format_whole_percent(data["tetris_rate"]),
    ]


def make_variants_table(results: MeasurementResults) -> list[list[str]]:
    """Return one row per variant."""
    return [[label, *make_games_row(results[name])] for label, name in _VARIANT_MEASUREMENTS.items()]


def make_parameters_table(results: MeasurementResults) -> list[list[str]]:
    """Return one row per removed parameter."""
    original = compute_mean(results["medico"], "score")
    rows = [["none", *make_games_row(results["medico"]), ""]]
    for label in MEDICO_PARAMETERS:
        data = results[f"without {label}"]
        rows.append([label, *make_games_row(data), format_ratio(compute_mean(data, "score"), original)])
    return rows


def make_changed_weights_table(results: MeasurementResults) -> list[list[str]]:
    """Return one row per bot with changed weights."""
    labels = {
        "scoring mode without 1, 2 and 3 lines": "scoring mode: weight 0 for 1, 2 and 3 lines",
        "scoring mode with recovery rewards": "scoring mode: 100, 400 and 900 for 1, 2 and 3 lines (recovery mode)",
        "low weight of holes": "both modes: weight of holes 1 instead of 50",
        "low weights of lines": "both modes: weights of 1, 2, 3 and 4 lines divided by 100",
    }
    rows = [["none", *make_games_row(results["medico"])]]
    return rows + [[labels[name], *make_games_row(results[name])] for name in CHANGED_WEIGHTS]


def make_danger_zones_table(results: MeasurementResults) -> list[list[str]]:
    """Return one row per danger zone: games, score ratio to no zone, and whether the zone fits the ten runs."""
    without = results["without danger zone"]
    readings = {AGENT_ZONE: results["medico"]} | {label: results["zones"][label] for label in DANGER_ZONES}
    rows = [
        [
            label,
            *make_games_row(data),
            format_ratio(compute_mean(data, "score"), compute_mean(without, "score")),
            "yes" if fits_published_runs(data) else "no",
        ]
        for label, data in readings.items()
    ]
    return [["no danger zone", *make_games_row(without), "", "yes" if fits_published_runs(without) else "no"], *rows]


def make_fullness_table(results: MeasurementResults) -> list[list[str]]:
    """Return one row per interpretation of the fill level, and whether it fits the ten runs."""
    return [
        [
            f"{FULLNESS_LABELS[measure]}, from {threshold}",
            compute_mean(data, "score").formatted,
            compute_points_per_line(data).formatted,
            *(f"{100 * compute_p_value(data, statistic):.1f} %" for statistic in ("mean", "points per line")),
            "yes" if fits_published_runs(data) else "no",
        ]
        for (measure, threshold), data in get_fullness_data(results).items()
    ]


def make_values_table(results: MeasurementResults) -> list[list[str]]:
    """Return the mean value of each parameter after a placement in scoring mode, and its weight there."""
    values = results["decisions"]["values"]
    return [
        [format_name(name), format_number(values[name]), f"{weight:,}"]
        for name, weight in COMPARED_SCORING_WEIGHTS.items()
    ]


def make_learnt_weights_table(results: MeasurementResults) -> list[list[str]]:
    """Return the weights of the report, the median of the learnt weights, and their range over seeds."""
    runs = [run["result"]["parameters"] for run in results["tuned"]["runs"]]
    published = {f"scoring {name}": weight for name, weight in MEDICO_BOT.weights.items()}
    published |= {f"recovery {name}": weight for name, weight in MEDICO_SECOND_MODE.weights.items()} | {
        "threshold": MEDICO_SECOND_MODE.threshold
    }
    rows = []
    for name, given in published.items():
        learnt = [run[name] for run in runs]
        ends = f"{format_number(min(learnt))} to {format_number(max(learnt))}"
        shown = [
            format_number(float(given)) if isinstance(given, int | float) else "",
            format_number(float(np.median(learnt))),
            ends,
        ]
        rows.append([format_name(name), *shown])
    return rows
