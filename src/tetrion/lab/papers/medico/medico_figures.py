"""The figures and tables of Medico's report, and those of what it left open."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from tetrion.drawing.palette import SECOND_ACCENT, STRONG_TEXT, get_series_colour
from tetrion.evaluation.confidence_intervals import compute_mean_interval
from tetrion.evaluation.number_format import format_name, format_number
from tetrion.lab.figure_charts import POINTS_PER_PIXEL
from tetrion.lab.papers.medico.medico_games import MEDICO_BOT, MEDICO_SECOND_MODE
from tetrion.lab.papers.medico.medico_published_runs import (
    MEDICO_RUNS,
    MEDICO_SCORES,
    compute_p_value,
    compute_points_per_line,
    compute_published_statistic,
    fits_published_runs,
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

MEDICO_THRESHOLD = 100  # of our agent
MODE_THRESHOLDS = (0, 20, 40, 60, 70, 80, 90, 100, 110, 120, 140, 160, 200)
FULLNESS_THRESHOLDS = {
    "max_height": (8, 10, 12, 14, 16),
    "filled_cells": (60, 80, 100, 120),
}  # other ways to say how full it is
FULLNESS_LABELS = {"aggregate_height": "sum of heights", "max_height": "highest column", "filled_cells": "filled cells"}
MEDICO_PARAMETERS = {  # as the report calls them, and the features that they are
    "holes": ("holes",),
    "evenness": ("bumpiness",),
    "board fill": ("aggregate_height",),
    "1 line": ("one_line",),
    "2 lines": ("two_lines",),
    "3 lines": ("three_lines",),
    "1, 2 and 3 lines": ("one_line", "two_lines", "three_lines"),
    "4 lines": ("four_lines",),
    "last column": ("last_column_cells",),
    "danger zone": ("danger",),
}
COMPARED_SCORING_WEIGHTS = {
    "aggregate_height": 1,
    "bumpiness": 1,
    "holes": 50,
    "last_column_cells": 1000,
}  # of scoring mode
_VARIANT_MEASUREMENTS = {
    "both modes, as the report": "medico",
    "recovery mode alone": "threshold-0",
    "scoring mode alone": "threshold-200",
    "without the next piece": "one piece",
    "straight drops": "drop",
    "entering above": "above",
    "entering above, straight drops": "above, drop",
}


def get_threshold_data(results: MeasurementResults, threshold: int) -> Mapping[str, Any]:
    """The games with a threshold."""
    found: Mapping[str, Any] = results["medico" if threshold == MEDICO_THRESHOLD else f"threshold-{threshold}"]
    return found


def get_fullness_data(results: MeasurementResults) -> dict[tuple[str, int], Mapping[str, Any]]:
    """The games of every reading of how full the board is, by measure and threshold."""
    own = {("aggregate_height", threshold): get_threshold_data(results, threshold) for threshold in MODE_THRESHOLDS}
    others = {
        (measure, threshold): results[f"{measure}-{threshold}"]
        for measure, thresholds in FULLNESS_THRESHOLDS.items()
        for threshold in thresholds
    }
    return own | others


def draw_score_distribution(results: MeasurementResults, size: "FigureSize") -> "Figure":
    """How our games' scores are distributed, and where the ten runs lie."""
    ours, his = np.array(results["medico"]["sample"]["score"]), np.array([run.score for run in MEDICO_RUNS])
    key = f"Hill: {len(ours):,} of our games · circles: the report's ten runs · dot: the mean"
    chart = RowChart(size, "Points a game", "rules medico", ["Ours", "Report"], key)
    chart.value_texts = [format_number(float(scores.mean())) for scores in (ours, his)]
    chart.include_values(0.0, ours)
    counts, edges = np.histogram(ours, np.linspace(0, chart.max_value, HISTOGRAM_BINS + 1))
    tops = 0.35 - 0.9 * counts / max(1, counts.max())
    style: dict[str, Any] = {"baseline": 0.35, "color": get_series_colour(0)}
    chart.axes.stairs(tops, edges, fill=True, alpha=0.35, linewidth=0, zorder=2, **style)
    chart.axes.stairs(tops, edges, linewidth=1.2 * POINTS_PER_PIXEL, zorder=3, **style)
    ring: dict[str, Any] = {"marker": "o", "markersize": 9 * POINTS_PER_PIXEL, "linestyle": "none", "zorder": 4}
    chart.axes.plot(his, np.ones(len(his)), color=SECOND_ACCENT, markerfacecolor="none", **ring)
    dot: dict[str, Any] = {"color": STRONG_TEXT, "marker": "o", "markersize": 6 * POINTS_PER_PIXEL, "zorder": 5}
    chart.axes.plot([float(ours.mean())], [0.35], **dot)
    chart.axes.plot([float(his.mean())], [1], **dot)
    return chart.finish()


def draw_variants(results: MeasurementResults, size: "FigureSize") -> "Figure":
    """The score of every variant beside the report's mean."""
    entries = [ForestRow(words, compute_mean(results[name], "score")) for words, name in _VARIANT_MEASUREMENTS.items()]
    entries[0] = entries[0]._replace(published=compute_mean_interval(MEDICO_SCORES[0]))
    entries.append(ForestRow("weights learnt", compute_mean_over_seeds(results["tuned"], "score")))
    key = "Dot: ours, with its 95 % interval · bar: what the report's ten runs tell of their mean"
    return draw_forest_plot(size, "Points a game", "rules medico", entries, key)


def draw_parameter_removal(results: MeasurementResults, size: "FigureSize") -> "Figure":
    """The score without each parameter."""
    entries = [ForestRow("all parameters", compute_mean(results["medico"], "score"))]
    entries += [
        ForestRow(f"without {words}", compute_mean(results[f"without {words}"], "score")) for words in MEDICO_PARAMETERS
    ]
    return draw_forest_plot(size, "Points a game", "rules medico", entries)


def draw_score_by_threshold(results: MeasurementResults, size: "FigureSize") -> "Figure":
    """The score against the threshold."""
    lines = {
        "ours": [compute_mean(get_threshold_data(results, threshold), "score") for threshold in MODE_THRESHOLDS],
        "report": [MeasuredValue(compute_published_statistic("mean"))] * len(MODE_THRESHOLDS),
    }
    key = "From which sum of heights on it is in recovery mode; the line across is the mean of the report's ten runs"
    return draw_parameter_sweep(size, "Points a game", "by threshold", list(map(str, MODE_THRESHOLDS)), lines, key)


def draw_points_per_line_by_threshold(results: MeasurementResults, size: "FigureSize") -> "Figure":
    """Points a line against the threshold."""
    lines = {
        "ours": [compute_points_per_line(get_threshold_data(results, threshold)) for threshold in MODE_THRESHOLDS],
        "report": [MeasuredValue(compute_published_statistic("points a line"))] * len(MODE_THRESHOLDS),
    }
    key = "From which sum of heights on it is in recovery mode; the line across is the report's ten runs"
    return draw_parameter_sweep(size, "Points a line", "by threshold", list(map(str, MODE_THRESHOLDS)), lines, key)


def format_whole_percent(share: float | None) -> str:
    """A share in whole percent."""
    return "–" if share is None else f"{100 * share:.0f} %"


def make_games_row(data: Mapping[str, Any]) -> list[str]:
    """Score, lines, points a line, and the share of lines by fours."""
    fours = format_whole_percent(data["tetris_rate"])
    return [
        compute_mean(data, "score").formatted,
        compute_mean(data).formatted,
        compute_points_per_line(data).formatted,
        fours,
    ]


def make_variants_table(results: MeasurementResults) -> list[list[str]]:
    """Every variant in figures."""
    return [[words, *make_games_row(results[name])] for words, name in _VARIANT_MEASUREMENTS.items()]


def make_parameters_table(results: MeasurementResults) -> list[list[str]]:
    """The bot without each of its parameters."""
    own = compute_mean(results["medico"], "score")
    rows = [["none", *make_games_row(results["medico"]), ""]]
    for words in MEDICO_PARAMETERS:
        data = results[f"without {words}"]
        rows.append([words, *make_games_row(data), compute_ratio(compute_mean(data, "score"), own).formatted])
    return rows


def make_fullness_table(results: MeasurementResults) -> list[list[str]]:
    """Which readings of how full the board is fit the ten runs."""
    return [
        [
            f"{FULLNESS_LABELS[measure]}, from {threshold}",
            compute_mean(data, "score").formatted,
            compute_points_per_line(data).formatted,
            *(format_whole_percent(compute_p_value(data, what)) for what in ("mean", "points a line")),
            "yes" if fits_published_runs(data) else "no",
        ]
        for (measure, threshold), data in get_fullness_data(results).items()
    ]


def make_values_table(results: MeasurementResults) -> list[list[str]]:
    """What the parameters come to after a placement, and what their weights make of that in scoring mode."""
    values = results["decisions"]["values"]
    return [
        [format_name(name), format_number(values[name]), f"{weight:,}"]
        for name, weight in COMPARED_SCORING_WEIGHTS.items()
    ]


def make_learnt_weights_table(results: MeasurementResults) -> list[list[str]]:
    """The numbers of the report, and what learning makes of them: the middle of all seeds, least and most."""
    runs = [run["result"]["parameters"] for run in results["tuned"]["runs"]]
    his = {f"scoring {name}": weight for name, weight in MEDICO_BOT.weights.items()}
    his |= {f"recovery {name}": weight for name, weight in MEDICO_SECOND_MODE.weights.items()} | {
        "threshold": MEDICO_SECOND_MODE.threshold
    }
    rows = []
    for name, given in his.items():
        learnt = [run[name] for run in runs]
        ends = f"{format_number(min(learnt))} to {format_number(max(learnt))}"
        shown = [
            format_number(float(given)) if isinstance(given, int | float) else "",
            format_number(float(np.median(learnt))),
            ends,
        ]
        rows.append([format_name(name), *shown])
    return rows
