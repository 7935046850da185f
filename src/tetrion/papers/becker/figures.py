"""Figures of Becker's slides."""

from tetrion.agents.named.becker_agents import BECKER_WEIGHTS
from tetrion.evaluation.number_format import format_name
from tetrion.papers.becker.measure import compute_curve, make_variants
from tetrion.papers.charts import (
    Figure,
    FigureSize,
    ForestRow,
    Results,
    draw_forest_plot,
    draw_generation_curves,
    draw_parameter_sweep,
    draw_ridgeline_plot,
)
from tetrion.papers.measured_values import compute_mean, compute_mean_over_seeds

_PUBLISHED_LINES = (20, 30)
_CURVE_LIMITS = dict(zip(BECKER_WEIGHTS, (24, 200, 24, 20), strict=True))  # largest feature value drawn


def draw_games(results: Results, size: FigureSize) -> Figure:
    """Draw the distribution of lines per game with the published mean and best game."""
    samples = {name: results[name]["sample"]["lines"] for name in ("becker", "becker-before")}
    labels = {"becker": "as in the slides' code", "becker-before": "evaluated before clearing"}
    marks = {"mean": 23, "best game": 90}
    named = {labels[name]: sample for name, sample in samples.items()}
    return draw_ridgeline_plot(size, "Lines per game", "rules becker", named, marks=marks)


def draw_variants(results: Results, size: FigureSize) -> Figure:
    """Draw lines per game of the slides' function, of its variants, and with learned parameters."""
    rows = [ForestRow("as in the slides", compute_mean(results["becker"]), _PUBLISHED_LINES)]
    rows += [ForestRow(name, compute_mean(results[name])) for name in make_variants()]
    rows.append(ForestRow("learned parameters", compute_mean_over_seeds(results["tuned"])))
    return draw_forest_plot(size, "Lines per game", "rules becker", rows)


def draw_curves(results: Results, size: FigureSize) -> Figure:
    """Draw the four curves, each from 0 to its drawing limit."""
    steps = 101
    curves = {
        f"{format_name(name)}, to {limit}": [
            compute_curve(name)[round(limit * step / (steps - 1))] for step in range(steps)
        ]
        for name, limit in _CURVE_LIMITS.items()
    }
    legend = "Feature values from 0 (left) to the number in the label (right); before weighting"
    return draw_generation_curves(size, "Curve value of each feature", curves, legend, "percent of the feature range")


def draw_thinking(results: Results, size: FigureSize) -> Figure:
    """Draw lines per game against the time per decision."""
    times = (0, 1, 11, 1000, 2000, 3000, 4000, 5000, 6000)
    lines = {"becker": [compute_mean(results[f"thinking-{milliseconds}"]) for milliseconds in times]}
    categories = [f"{milliseconds / 1000:g} s" for milliseconds in times]
    return draw_parameter_sweep(size, "Lines per game", "by time per decision", categories, lines)


DRAWINGS = (draw_games, draw_variants, draw_curves, draw_thinking)
