"""Figures of the literature."""

import math

import numpy as np

from tetrion.drawing.palette import SECOND_ACCENT, get_series_colour
from tetrion.evaluation.number_format import format_number
from tetrion.papers.charts import (
    Figure,
    FigureSize,
    ForestRow,
    Results,
    RowChart,
    draw_forest_plot,
    draw_parameter_sweep,
)
from tetrion.papers.literature.measure import (
    CONTROLLERS,
    OLDER_RESULTS,
    PRINTED_AGENTS,
    PUBLISHED_MEANS,
    PUBLISHED_MEANS_ON_TEN_ROWS,
)
from tetrion.papers.measured_values import MeasuredValue, mean_lines

_MEAN_MULTIPLES = tuple(step / 2 for step in range(9))  # multiples of the mean at which survival is drawn


def draw_twenty(results: Results, size: FigureSize) -> Figure:
    """Draw the controllers on 10×20 over the published means, DT-10 and DT-20 with both features of wells."""
    rows = []
    for name, published in PUBLISHED_MEANS.items():
        rows.append(ForestRow(name, mean_lines(results[f"{name}-10x20"]), published.range))
        if name in PRINTED_AGENTS:
            wells = mean_lines(results["wells"][name]["fast_10x20"])
            rows.append(ForestRow(f"{name}, feature −6", wells, published.range))
    return draw_forest_plot(size, "Lines per game", "10×20", rows)


def draw_ten(results: Results, size: FigureSize) -> Figure:
    """Draw the controllers on 10×10 over the published means."""
    rows = [ForestRow(name, mean_lines(results[f"{name}-10x10"])) for name in CONTROLLERS]
    means = PUBLISHED_MEANS_ON_TEN_ROWS
    rows = [row._replace(published=means[row.label].range) if row.label in means else row for row in rows]
    return draw_forest_plot(size, "Lines per game", "10×10", rows)


def draw_history(results: Results, size: FigureSize) -> Figure:
    """Draw published results and ours, sorted by lines per game."""
    ours = {name: mean_lines(results[f"{name}-10x20"]) for name in ("tsitsiklis", *CONTROLLERS)}
    entries = [(result.authors, result.lines, format_number(result.lines, 0), False) for result in OLDER_RESULTS]
    entries += [(name, measured.value or measured.interval[0], str(measured), True) for name, measured in ours.items()]
    entries.sort(key=lambda entry: entry[1])
    chart = RowChart(
        size, "Lines per game", "10×20", [entry[0] for entry in entries], "Dot: ours · diamond: published, as cited"
    )
    chart.value_texts = [entry[2] for entry in entries]
    chart.use_log_scale(min(entry[1] for entry in entries))
    for row, (_, lines, _, is_ours) in enumerate(entries):
        colour = get_series_colour(0) if is_ours else SECOND_ACCENT
        chart.axes.plot([lines], [row], color=colour, marker="o" if is_ours else "D", zorder=4)
    return chart.finish()


def draw_lengths(results: Results, size: FigureSize) -> Figure:
    """Draw the share of games longer than multiples of the mean, compared with an exponential distribution."""
    shares = {"exponential": [math.exp(-multiple) for multiple in _MEAN_MULTIPLES]}
    for name in CONTROLLERS:
        sample = np.array(results[f"{name}-10x10"]["sample"]["lines"])
        shares[name] = [float((sample > multiple * sample.mean()).mean()) for multiple in _MEAN_MULTIPLES]
    points = {name: [MeasuredValue(share) for share in line] for name, line in shares.items()}
    categories = [f"{multiple:g}" for multiple in _MEAN_MULTIPLES]
    legend = "Horizontal: lines as a multiple of the mean · vertical: share of games with more lines"
    return draw_parameter_sweep(size, "Share of longer games", "10×10", categories, points, legend=legend)


DRAWINGS = (draw_twenty, draw_ten, draw_history, draw_lengths)
