"""Figures of the comparison of learners."""

import numpy as np

from tetrion.drawing.palette import get_series_colour
from tetrion.evaluation.number_format import format_number
from tetrion.papers.charts import CategoryChart, Figure, FigureSize, ForestRow, Results, draw_forest_plot
from tetrion.papers.comparison.measure import (
    COMPARED_LEARNERS,
    FEATURE_SETS,
    compute_learning_curve,
    get_group,
    ranking,
)

_CURVE_POINTS = 24
_DRAWN_LEARNERS = (
    *("CMA-ES", "cross-entropy (decreasing noise)", "harmony search"),
    *("genetic (uniform)", "genetic (Hindi et al.)", "Q-learning"),
)


def draw_learners(results: Results, size: FigureSize) -> Figure:
    """Draw the mean lines of every learner with four and with eight features; the best with eight comes first."""
    rankings = {name: ranking(get_group(results, name)) for name in ("eight", "four")}
    order = list(dict.fromkeys(row["learner"] for rows in rankings.values() for row in rows))
    rows = [
        ForestRow(row["learner"], row["lines"], series=FEATURE_SETS[name].label)
        for name in ("four", "eight")
        for row in rankings[name]
    ]
    rows.sort(key=lambda row: order.index(row.label))
    return draw_forest_plot(size, "Lines per game", "10×10", rows)


def draw_four_curves(results: Results, size: FigureSize) -> Figure:
    """Draw learning with four features."""
    return _draw_learning(results, size, "four")


def draw_eight_curves(results: Results, size: FigureSize) -> Figure:
    """Draw learning with eight features."""
    return _draw_learning(results, size, "eight")


def _draw_learning(results: Results, size: FigureSize, set_name: str) -> Figure:
    """Draw lines in validation games against pieces placed, as the mean over seeds."""
    group = get_group(results, set_name)
    runs = {
        name: group[COMPARED_LEARNERS[name][0]]["runs"]
        for name in _DRAWN_LEARNERS
        if COMPARED_LEARNERS[name][0] in group
    }
    budget = max(sum(run["metrics"]["pieces"]) for learner_runs in runs.values() for run in learner_runs)
    grid = [budget * (step + 1) / _CURVE_POINTS for step in range(_CURVE_POINTS)]
    digits = 1 if budget >= 5e6 else 2 if budget >= 5e5 else 3
    categories = [f"{format_number(pieces / 1e6, digits)} M" for pieces in grid]
    legend = "By pieces placed during training: the last validated incumbent, mean over seeds"
    chart = CategoryChart(size, "Lines per validation game", FEATURE_SETS[set_name].label, categories, legend)
    for number, (name, learner_runs) in enumerate(runs.items()):
        curves = [compute_learning_curve(run["metrics"], grid) for run in learner_runs]
        chart.draw_line(name, np.mean(curves, axis=0), get_series_colour(number))
    return chart.finish()


DRAWINGS = (draw_learners, draw_four_curves, draw_eight_curves)
