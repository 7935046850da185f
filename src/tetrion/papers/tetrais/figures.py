"""Figures of the TetrAIs report, from our games, with the published values."""

from typing import Any

import numpy as np

from tetrion.drawing.palette import get_series_colour
from tetrion.papers.charts import (
    CategoryChart,
    Figure,
    FigureSize,
    ForestRow,
    Results,
    draw_forest_plot,
    draw_parameter_sweep,
    draw_ridgeline_plot,
)
from tetrion.papers.measured_values import MeasuredValue, compute_mean, compute_mean_over_seeds, mean, ratio
from tetrion.papers.tetrais.measure import (
    FALL_SPEED_GAMES,
    FALL_SPEED_LEVELS,
    PUBLISHED,
    REPORT_SIZES,
    format_rate,
    list_sizes,
    of_series,
)

_SERIES_LEGEND = "Line: 95 % range of as many of our games · dot: all of our games · bar: published"
_DEFAULTS = {"random": "random", "min-height": "min-height-plain", "greedy": "greedy"}  # agent: measurement
_LABELS = {"random": "random", "min-height": "minimum height", "greedy": "greedy"}
_FITTED = {"min-height": "min-height", "greedy": "greedy-higher"}


def draw_averages(results: Results, size: FigureSize) -> Figure:
    """Draw Figure 13 with one row per cell, relative to our own mean, by default and with fitted rules."""
    rows = []
    for agent, name in [*_DEFAULTS.items(), *_FITTED.items()]:
        is_fitted = name not in _DEFAULTS.values()
        for games in (1000,) if is_fitted else (10, 100, 1000):
            ours = of_series(results[name], "mean", games)
            whole = ours.value or 1.0
            low, high = (end / whole for end in ours.interval)
            published = PUBLISHED["mean"][agent][games] / whole
            label = f"{_LABELS[agent]}, {'fitted' if is_fitted else f'{games:,} games'}"
            rows.append(ForestRow(label, MeasuredValue(1.0, (low, high), text=ours.text), (published, published)))
    return draw_forest_plot(size, "Average score", "as a share of our mean", rows, _SERIES_LEGEND)


def draw_variances(results: Results, size: FigureSize) -> Figure:
    """Draw Figure 14 with one row per cell."""
    rows = [
        ForestRow(
            f"{_LABELS[agent]}, {games:,} games", of_series(results[name], "normalised_variance", games), (value, value)
        )
        for agent, name in _DEFAULTS.items()
        for games, value in PUBLISHED["normalised_variance"][agent].items()
    ]
    return draw_forest_plot(size, "Normalised variance", "by agent and number of games", rows, _SERIES_LEGEND)


def draw_distributions(results: Results, size: FigureSize) -> Figure:
    """Draw Figures 5, 7 and 9, by default and with fitted rules, with published values as lines."""
    names = {
        "random": "random",
        "minimum height": "min-height-plain",
        "minimum height, fitted": "min-height",
        "greedy": "greedy",
        "greedy, fitted": "greedy-higher",
    }
    samples = {label: results[name]["sample"]["score"] for label, name in names.items()}
    marks = {_LABELS[agent]: cells[1000] for agent, cells in PUBLISHED["mean"].items()}
    marks |= {"highest": 300.0, "highest of greedy": 30_000.0}
    return draw_ridgeline_plot(size, "Score per game", "rules tetrais", samples, marks=marks)


def draw_divergence(results: Results, size: FigureSize) -> Figure:
    """Draw the largest weight after each episode for one run per learning rate, and that of Figure 12."""
    categories = ["start", *map(str, range(1, 6))]
    legend = "α: learning rate, which the report does not give · one run each"
    chart = CategoryChart(size, "Largest weight, as a power of ten", "by episode", categories, legend)
    curves: dict[str, list[Any]] = {"the report": [REPORT_SIZES[0], None, REPORT_SIZES[1], None, REPORT_SIZES[2]]}
    for features, rate in (("raw", 0.001), ("raw", 0.01), ("differences", 0.01)):
        run = min(results["growth"][features]["runs"], key=lambda run: abs(np.log(run["rate"] / rate)))
        curves[f"{features}, α {rate:g}"] = list_sizes(run)
    for number, (label, sizes) in enumerate(curves.items()):
        powers = np.log10([4, *(np.nan if value is None else value for value in sizes)])
        chart.draw_line(label, powers, get_series_colour(number))
    return chart.finish()


def draw_practice(results: Results, size: FigureSize) -> Figure:
    """Draw the mean score over the seeds against the length of training, one curve per learning rate."""
    cells = results["grid"]["cells"]
    start = compute_mean(results["q-start"], "score")
    lengths = sorted({cell["episodes"] for cell in cells})
    curves = {
        f"α {format_rate(rate)}": [start, *(mean(cell["scores"]) for cell in cells if cell["rate"] == rate)]
        for rate in sorted({cell["rate"] for cell in cells})
    }
    curves["greedy"] = [compute_mean(results["greedy"], "score")] * (len(lengths) + 1)
    categories = ["0", *(f"{length:,}" for length in lengths)]
    legend = "α: learning rate, which the report does not give · dot: mean over the seeds, with its 95 % interval"
    return draw_parameter_sweep(
        size, "Score of Q-learning", "by episodes of training", categories, curves, legend=legend
    )


def draw_agents(results: Results, size: FigureSize) -> Figure:
    """Draw the scores of all agents, also of genetic ones, which the report leaves for future work."""
    games = results["genetic-games"]
    rows = [
        ForestRow(_LABELS[agent], compute_mean(results[name], "score"), (PUBLISHED["mean"][agent][1000],) * 2)
        for agent, name in _DEFAULTS.items()
    ]
    rows += [
        ForestRow("Q-learning", compute_mean_over_seeds(results["q-report"], "score")),
        ForestRow("tetrais-q", compute_mean_over_seeds(results["q"], "score")),
        ForestRow("genetic", compute_mean(games["depth-1"], "score")),
        ForestRow("depth-limited", compute_mean(results["depth2"], "score")),
        ForestRow("genetic, depth 2", compute_mean(games["looking-ahead"], "score")),
        ForestRow("learned at depth 2", compute_mean(games["learned-ahead"], "score")),
    ]
    return draw_forest_plot(size, "Score per game", "rules tetrais", rows)


def draw_falling(results: Results, size: FigureSize) -> Figure:
    """Draw the score against the time per row, relative to the score at the lowest speed."""
    curves = {}
    for agent in FALL_SPEED_GAMES:
        scores = [
            compute_mean(results[f"{agent}-{milliseconds}ms"], "score", uncorrected=True)
            for milliseconds in FALL_SPEED_LEVELS
        ]
        curves[agent] = [MeasuredValue(1.0, (1.0, 1.0)), *(ratio(score, scores[0]) for score in scores[1:])]
    categories = [f"{milliseconds:,}" for milliseconds in FALL_SPEED_LEVELS]
    return draw_parameter_sweep(
        size, "Score relative to 1,000 ms per row", "by milliseconds per row", categories, curves
    )


DRAWINGS = (
    *(draw_averages, draw_practice, draw_distributions, draw_divergence, draw_variances, draw_agents, draw_falling),
)
