"""Figures of Medico's report."""

from typing import Any

import numpy as np

from tetrion.drawing.palette import SECOND_ACCENT, STRONG_TEXT, get_series_colour
from tetrion.evaluation.confidence_intervals import compute_mean_interval
from tetrion.evaluation.number_format import format_number
from tetrion.papers.charts import HISTOGRAM_BINS, Figure, FigureSize, ForestRow, Results, RowChart, draw_forest_plot
from tetrion.papers.measured_values import compute_mean, compute_mean_over_seeds
from tetrion.papers.medico.measure import RUNS

_VARIANTS = {  # label: measurement
    "both modes, as in the report": "medico",
    "recovery mode alone": "threshold-0",
    "scoring mode alone": "threshold-200",
    "without the next piece": "one piece",
    "hard drops only": "drop",
    "spawn above the board": "above",
}


def draw_scores(results: Results, size: FigureSize) -> Figure:
    """Draw the distribution of our scores and the report's ten runs."""
    ours, published = np.array(results["medico"]["sample"]["score"]), RUNS[:, 0]
    legend = f"Histogram: {len(ours):,} of our games · circles: the report's ten runs · dot: the mean"
    chart = RowChart(size, "Points per game", "rules medico", ["Ours", "Report"], legend)
    chart.value_texts = [format_number(float(scores.mean())) for scores in (ours, published)]
    counts, edges = np.histogram(ours, np.linspace(0, ours.max(), HISTOGRAM_BINS + 1))
    tops = 0.35 - 0.9 * counts / max(1, counts.max())
    style: dict[str, Any] = {"baseline": 0.35, "color": get_series_colour(0)}
    chart.axes.stairs(tops, edges, fill=True, alpha=0.35, linewidth=0, zorder=2, **style)
    chart.axes.stairs(tops, edges, linewidth=1, zorder=3, **style)
    ring: dict[str, Any] = {"marker": "o", "linestyle": "none", "zorder": 4}
    chart.axes.plot(published, np.ones(len(published)), color=SECOND_ACCENT, markerfacecolor="none", **ring)
    dot: dict[str, Any] = {"color": STRONG_TEXT, "marker": "o", "zorder": 5}
    chart.axes.plot([float(ours.mean())], [0.35], **dot)
    chart.axes.plot([float(published.mean())], [1], **dot)
    return chart.finish()


def draw_variants(results: Results, size: FigureSize) -> Figure:
    """Draw the mean score of every variant and the interval of the report's mean."""
    entries = [ForestRow(label, compute_mean(results[name], "score")) for label, name in _VARIANTS.items()]
    entries[0] = entries[0]._replace(published=compute_mean_interval(RUNS[:, 0]))
    entries.append(ForestRow("learned weights", compute_mean_over_seeds(results["learned weights"], "score")))
    entries.append(ForestRow("Dellacherie's features", compute_mean(results["dellacherie"], "score", uncorrected=True)))
    legend = "Dot: ours, with its 95 % confidence interval · bar: interval of the mean of the report's ten runs"
    return draw_forest_plot(size, "Points per game", "rules medico", entries, legend)


DRAWINGS = (draw_scores, draw_variants)
