"""Figures of Gavrilov's report."""

from typing import Any

import numpy as np

from tetrion.drawing.palette import ACCENT, SECOND_ACCENT, STRONG_TEXT, get_series_colour
from tetrion.evaluation.number_format import format_name, format_number
from tetrion.lab.figure_charts import Chart, LineLabel
from tetrion.papers.charts import (
    Figure,
    FigureSize,
    ForestRow,
    Results,
    RowChart,
    draw_forest_plot,
    draw_ridgeline_plot,
)
from tetrion.papers.gavrilov.measure import (
    ADDED_FEATURES,
    BUMPINESS_WEIGHTS,
    FEATURE_LABELS,
    HOLES_WEIGHTS,
    LAST_GENERATION,
    TRAINED_WEIGHTS,
    lines_of_seeds,
    metric,
    relative_weights,
    typical_lines,
    weights,
)
from tetrion.papers.measured_values import compute_mean, compute_mean_over_seeds, median

_PUBLISHED = {  # label: measurement and published range
    "height": ("lowest", (7, 8)),
    "+ holes": ("gavrilov-2", (60, 70)),
    "+ bumpiness": ("gavrilov-3", (60 / 6, 70 / 6)),
    "+ clearing": ("gavrilov-4", (20, 20)),
    "printed weights": ("gavrilov", (1500, 1500)),
}
_PUBLISHED_MEAN = (8, 450)  # generation and mean lines
_SEED_ROWS = {"generation 14": "14", "generation 29": "29", "his keys and bug, 14": "program"}


def draw_agents(results: Results, size: FigureSize) -> Figure:
    """Draw the mean of each agent and the published one, and the typical agent of the genetic algorithm."""
    rows = [ForestRow("random keys, 125 per second", compute_mean(results["key-rates"]["125"]), (1, 2))]
    rows += [
        ForestRow(label, compute_mean(results[name]), published) for label, (name, published) in _PUBLISHED.items()
    ]
    rows.append(ForestRow("genetic algorithm, median", typical_lines(results["long-games"]["14"]), (1500, 1500)))
    return draw_forest_plot(size, "Lines per game", "rules gavrilov", rows)


def draw_seeds(results: Results, size: FigureSize) -> Figure:
    """Draw the lines of the best candidate of every seed, with the published number and that of his weights."""
    lines = {label: lines_of_seeds(results["long-games"][name]) for label, name in _SEED_ROWS.items()}
    printed = compute_mean(results["gavrilov"]).value or 1.0
    legend = "Circle: one seed · dashed: published, 1,500 · dotted: his printed weights · right: median"
    chart = RowChart(size, "Lines per game of each seed", "rules gavrilov", list(lines), legend)
    chart.value_texts = [format_number(float(np.median(values))) for values in lines.values()]
    chart.use_log_scale()
    for row, values in enumerate(lines.values()):
        heights = row + 0.3 * np.sin(2.4 * np.arange(len(values)))  # spread so that circles do not hide each other
        style: dict[str, Any] = {"marker": "o", "markerfacecolor": "none", "linestyle": "none", "zorder": 4}
        chart.axes.plot(values, heights, color=get_series_colour(0), **style)
    for value, line in ((1500.0, "--"), (printed, ":")):
        chart.axes.axvline(value, color=SECOND_ACCENT, linestyle=line, zorder=5)
    return chart.finish()


def draw_weighings(results: Results, size: FigureSize) -> Figure:
    """Draw the lines with other weights of holes and bumpiness."""
    names = {f"holes 1, bumpiness {weight}": f"bumpiness-{weight}" for weight in BUMPINESS_WEIGHTS}
    names |= {f"holes {weight}, bumpiness 1": f"holes-{weight}" for weight in HOLES_WEIGHTS}
    names["holes 10, bumpiness 0"] = "holes-10-bumpiness-0"
    rows = [ForestRow(label, compute_mean(results[f"weighed-{name}"])) for label, name in names.items()]
    return draw_forest_plot(size, "Lines per game", "weight of height: 1", rows)


def draw_individuals(results: Results, size: FigureSize) -> Figure:
    """Draw the lines of every candidate of a run."""
    fitness = np.array(results["individuals"]["fitness"], float)
    legend = f"Point: one of {fitness.shape[1]} candidates · line: their mean"
    chart = Chart(size, "Lines", "by generation", legend, first_step=0)
    chart.draw_points(np.repeat(np.arange(len(fitness)), fitness.shape[1]), fitness.ravel(), ACCENT)
    best = float(fitness[-1].max())
    chart.line_labels.append(LineLabel("Best", format_number(best), best, ACCENT))
    chart.draw_line("Mean", fitness.mean(axis=1), SECOND_ACCENT)
    return chart.finish()


def draw_averages(results: Results, size: FigureSize) -> Figure:
    """Draw the mean of every generation over the seeds, with the published points."""
    means = metric(results["evolution"], "mean")
    legend = "Mean lines of a generation: mean and percentiles over all seeds · diamond: published"
    chart = Chart(size, "Mean lines", "by generation", legend, first_step=0)
    curves = {"90th percentile": np.percentile(means, 90, axis=0), "Mean": means.mean(axis=0)}
    curves["10th percentile"] = np.percentile(means, 10, axis=0)
    generation, published = _PUBLISHED_MEAN
    chart.choose_scale(np.array([*curves["90th percentile"], published]))
    for number, (name, line) in enumerate(curves.items()):
        chart.draw_line(name, line, get_series_colour(number))
    _mark(chart, generation, published, STRONG_TEXT)
    return chart.finish()


def _mark(chart: Chart, generation: int, value: float, colour: str) -> None:
    """Draw a published value as a diamond; generations count from 0."""
    chart.axes.plot([generation], [value], color=colour, marker="D", clip_on=False, zorder=6)


def draw_weights(results: Results, size: FigureSize) -> Figure:
    """Draw the weights of the best candidate of a run, with the published ones."""
    run = results["individuals"]["run"]
    generations = range(metric(results["evolution"], "mean").shape[1])
    legend = f"One seed · diamond: published, at generation {LAST_GENERATION}"
    chart = Chart(size, "Weights of the best candidate", "by generation", legend, first_step=0)
    curves = {
        name: np.array([weights(results["evolution"], name, generation)[run] for generation in generations])
        for name in FEATURE_LABELS
    }
    chart.choose_scale(np.concatenate([*curves.values(), list(TRAINED_WEIGHTS.values())]))
    for number, (name, line) in enumerate(curves.items()):
        chart.draw_line(FEATURE_LABELS[name], line, get_series_colour(number))
        _mark(chart, LAST_GENERATION, TRAINED_WEIGHTS[name], get_series_colour(number))
    return chart.finish()


def draw_finals(results: Results, size: FigureSize) -> Figure:
    """Draw the weights at generation 14 as ratios to that of holes, and the published ones."""
    rows = []
    for name, label in FEATURE_LABELS.items():
        if name != "holes":
            published = TRAINED_WEIGHTS[name] / TRAINED_WEIGHTS["holes"]
            rows.append(ForestRow(label, median(relative_weights(results["evolution"], name)), (published, published)))
    legend = "Dot: median over seeds, with their 95 % range · bar: published"
    return draw_forest_plot(size, "Weight divided by that of holes", "at generation 14", rows, legend)


def draw_trained(results: Results, size: FigureSize) -> Figure:
    """Draw the distribution of lines of the printed weights, with the published number."""
    labels = {"gavrilov": "hard drops", "program": "his keys and bug", "reach": "all reachable placements"}
    samples = {label: results[name]["sample"]["lines"] for name, label in labels.items()}
    return draw_ridgeline_plot(size, "Lines per game", "rules gavrilov", samples, marks={"every game above": 1500})


def draw_features(results: Results, size: FigureSize) -> Figure:
    """Draw the lines of the recipe with additional features, and with all reachable placements."""
    names = {"four features": "evolution"}
    names |= {f"+ {', '.join(map(format_name, added))}": name for name, added in ADDED_FEATURES.items()}
    names["four features, all reachable placements"] = "evolution-reach"
    rows = [ForestRow(label, compute_mean_over_seeds(results[name])) for label, name in names.items()]
    legend = "Dot: mean over seeds, with its 95 % confidence interval"
    return draw_forest_plot(size, "Lines per held-out game", "same budget", rows, legend)


DRAWINGS = (
    *(draw_agents, draw_seeds, draw_weighings, draw_individuals, draw_averages, draw_weights, draw_finals),
    *(draw_trained, draw_features),
)
