"""Plots of evaluations: the distribution of each agent's games, with means and confidence intervals."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tetrion.drawing.palette import (
    BACKGROUND,
    BOARD_OUTLINE,
    NORMAL_TEXT,
    STRONG_TEXT,
    get_series_colour,
)
from tetrion.engine.placing import STATUS_OVER
from tetrion.engine.records import GameColumn
from tetrion.errors import TetrionError
from tetrion.evaluation import Evaluation, SummaryStatistics
from tetrion.evaluation.number_format import format_mean_interval
from tetrion.extras import require
from tetrion.lab.figure_charts import (
    DARK_THEME,
    MIN_WIDE_INCHES,
    PAPER_COLUMN_WIDTH,
    ChartValues,
    apply_chart_style,
    draw_captions,
    get_text_scale,
    render_figure,
    set_log_scale,
    set_number_ticks,
    validate_plot_width,
)
from tetrion.notebook_display import make_short_repr
from tetrion.text_cleaning import clean_name

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PLOT_FILE_TYPES = ("png", "svg", "pdf")
# relative to the distance between two agents
_HISTOGRAM_HEIGHT = 0.5
_LABEL_HEIGHT = 0.57  # above the base of the histogram
_QUARTILE_BAR_OFFSET = 0.13  # below it
# inches
_PANEL_WIDTH = 7.0
_ROW_HEIGHT = 0.95
_HEIGHT_OF_TEXTS = 1.5  # above and below the rows
_NOTEBOOK_WIDTH = 800  # pixels
_LOG_SCALE_RATIO = 10  # smallest ratio of medians and means for a logarithmic scale
_MAX_TICKS = 7
_MAX_TICKS_IN_COLUMN = 4  # in one column of a paper
_MAX_NAME_LENGTH = 40
_MIN_BINS, _MAX_BINS = 24, 48


def validate_plot_file_type(file: str | Path) -> str:
    """Return the plot type of a file name; raise an error if it is not .png, .svg or .pdf, or without Matplotlib."""
    ending = Path(file).suffix.lower().removeprefix(".")
    if ending not in PLOT_FILE_TYPES:
        raise TetrionError(f"A plot file must end in .png, .svg or .pdf; given {str(file)!r}.")
    require("matplotlib", "plots")
    return ending


def render_distribution_plot(
    results: Sequence[Evaluation], file_type: str, *, theme: str = DARK_THEME, width: float | None = None
) -> bytes:
    """Return the distribution of each agent's games as a .png, .svg or .pdf file in a theme, "dark" or "light".

    `width` is in inches (default: 7 for each metric, or 3.5 for a .pdf file, which is one column of a paper). Equal
    results give equal bytes.
    """
    width = validate_plot_width(width) or (PAPER_COLUMN_WIDTH if file_type == "pdf" else None)
    named_results = [replace(result, agent=clean_name(result.agent)) for result in results]
    with apply_chart_style(get_text_scale(width or _PANEL_WIDTH)):
        return render_figure(draw_distribution_figure(named_results, width), file_type, theme)


@dataclass(frozen=True)
class DistributionPlot:
    """The plot of the distributions of evaluations; a notebook shows it as a picture."""

    evaluations: tuple[Evaluation, ...]

    def render(self, file_type: str, *, theme: str = DARK_THEME, width: float | None = None) -> bytes:
        """Return the plot as `render_distribution_plot` does."""
        return render_distribution_plot(self.evaluations, file_type, theme=theme, width=width)

    def __repr__(self) -> str:
        return make_short_repr("DistributionPlot", ", ".join(result.agent for result in self.evaluations))

    def _repr_png_(self) -> tuple[bytes, dict[str, int]]:
        return self.render("png"), {"width": _NOTEBOOK_WIDTH}


def draw_distribution_figure(results: Sequence[Evaluation], width: float | None = None) -> "Figure":
    """Draw one panel for the lines, and one for the score if it differs from the lines; `width` is in inches."""
    from matplotlib.figure import Figure

    metrics = list_metrics(results)
    width = width or _PANEL_WIDTH * len(metrics)
    is_narrow = width < MIN_WIDE_INCHES * len(metrics)
    rows, columns = (len(metrics), 1) if is_narrow else (1, len(metrics))
    height = rows * len(results) * _ROW_HEIGHT + _HEIGHT_OF_TEXTS
    figure = Figure(figsize=(width, get_text_scale(width) * height), facecolor=BACKGROUND)
    draw_captions(figure, "Distribution of game results", STRONG_TEXT, list_captions(results))
    for axes, metric in zip(figure.subplots(rows, columns, squeeze=False).flat, metrics, strict=True):
        draw_panel(axes, metric, results, max_ticks=_MAX_TICKS_IN_COLUMN if width < MIN_WIDE_INCHES else _MAX_TICKS)
    return figure


def list_metrics(results: Sequence[Evaluation]) -> list[GameColumn]:
    """Return the metrics that have a panel: the lines, and the score if it differs from the lines."""
    score_is_lines = all((result.per_game["score"] == result.per_game["lines"]).all() for result in results)
    return ["lines"] if score_is_lines else ["lines", "score"]


def list_captions(results: Sequence[Evaluation]) -> list[str]:
    """Return the settings of the evaluations, and what the marks mean."""
    counts = sorted({result.games for result in results})
    count_text = f"{counts[0]:,}" if len(counts) == 1 else f"{counts[0]:,} to {counts[-1]:,}"
    games = f"{count_text} game{'' if counts == [1] else 's'}{' per agent' if len(results) > 1 else ''}"
    captions = [
        f"{games} · rules {results[0].rules} · seed {results[0].seed}",
        "Histogram: number of games · bar: quartiles · tick: median · dot and number: mean with 95 % confidence "
        "interval",
    ]
    if any(result.capped for result in results):
        captions.append("Hatched: capped games · * mean estimated from capped games: total / deaths")
    return captions


def draw_panel(axes: "Axes", metric: GameColumn, results: Sequence[Evaluation], *, max_ticks: int) -> None:
    """Draw one row per agent along a common scale, with its name and mean above the row."""
    summaries: list[SummaryStatistics] = [getattr(result, metric) for result in results]
    centres = [max(value, 1.0) for summary in summaries for value in (summary.median, get_mean_or_bound(summary))]
    is_logarithmic = max(centres) / min(centres) >= _LOG_SCALE_RATIO
    axes.set_title(
        f"{metric.capitalize()} per game" + (" (logarithmic scale)" if is_logarithmic else ""),
        loc="left",
        color=NORMAL_TEXT,
        weight=600,
    )
    if is_logarithmic:
        lowest = max(1, min(summary.min for summary in summaries))
        set_log_scale(axes, "x", (lowest, max(summary.max for summary in summaries)), max_ticks)
    else:
        set_number_ticks(axes.xaxis, max_ticks)
    edges = compute_bin_edges([result.per_game[metric] for result in results], is_logarithmic)
    for row, (result, summary) in enumerate(zip(results, summaries, strict=True)):
        colour = get_series_colour(row)
        axes.axhline(row, color=BOARD_OUTLINE, linewidth=0.75, zorder=1)
        draw_histogram(axes, result, metric, edges, row)
        draw_summary(axes, summary, row)
        mean = format_mean_interval(summary.mean, summary.ci95) + (" *" if result.capped else "")
        name = result.agent if len(result.agent) <= _MAX_NAME_LENGTH else result.agent[: _MAX_NAME_LENGTH - 1] + "…"
        place: dict[str, Any] = {"transform": axes.get_yaxis_transform(), "in_layout": False}
        axes.text(0, row - _LABEL_HEIGHT, name, color=colour, weight=600, **place)
        axes.text(1, row - _LABEL_HEIGHT, mean, color=STRONG_TEXT, ha="right", **place)
    axes.set_ylim(len(results) - 0.62, -0.8)
    axes.set_yticks([])
    axes.grid(axis="x")


def get_mean_or_bound(summary: SummaryStatistics) -> float:
    """Return the mean, or its lower bound if the mean is unknown."""
    return summary.mean if math.isfinite(summary.mean) else summary.ci95[0]


def compute_bin_edges(samples: Sequence[ChartValues], is_logarithmic: bool) -> ChartValues:
    """Return the edges of bins that hold whole numbers and have equal widths on the axis, more for more games."""
    lowest = int(min(sample.min() for sample in samples))
    highest = int(max(1, *(sample.max() for sample in samples)))
    bin_count = min(max(math.isqrt(min(map(len, samples))), _MIN_BINS), _MAX_BINS)
    if not is_logarithmic:
        width = math.ceil(highest / bin_count)
        return np.arange(highest // width + 2) * width - 0.5
    edges = np.geomspace(max(lowest, 0.5), highest + 1, bin_count + 1).astype(np.int64)
    return np.unique([lowest, *edges, highest + 1]) - 0.5


def draw_histogram(axes: "Axes", result: Evaluation, metric: GameColumn, edges: ChartValues, row: int) -> None:
    """Draw the histogram of an agent's games, capped games hatched on top of the others."""
    values = result.per_game[metric]
    counts = np.histogram(values, edges)[0]
    nonempty = np.flatnonzero(counts)
    edges = edges[nonempty[0] : nonempty[-1] + 2]
    widths = np.diff(axes.xaxis.get_transform().transform(edges))
    heights = np.histogram(values, edges)[0] / widths
    ended_heights = np.histogram(values[result.per_game["status"] == STATUS_OVER], edges)[0] / widths
    top, middle = (row - _HISTOGRAM_HEIGHT * part / heights.max() for part in (heights, ended_heights))
    colour = get_series_colour(row)
    axes.stairs(middle, edges, baseline=row, fill=True, color=colour, alpha=0.3, linewidth=0, zorder=2)
    if result.capped:
        hatched: dict[str, Any] = {"facecolor": "none", "edgecolor": colour, "hatch": "//////", "linewidth": 0}
        axes.stairs(top, edges, baseline=middle, fill=True, zorder=2, **hatched)
    axes.stairs(top, edges, baseline=row, color=colour, linewidth=1.2, zorder=3)


def draw_summary(axes: "Axes", summary: SummaryStatistics, row: int) -> None:
    """Draw quartiles, median, mean and its interval below the histogram; an unbounded interval ends in an arrow."""
    colour, height = get_series_colour(row), row + _QUARTILE_BAR_OFFSET
    quartiles: dict[str, Any] = {"linewidth": 5, "alpha": 0.5, "solid_capstyle": "butt"}
    axes.plot([summary.q1, summary.q3], [height, height], color=colour, zorder=3, **quartiles)
    axes.plot([summary.median] * 2, [height - 0.075, height + 0.075], color=colour, linewidth=2, zorder=4)
    mark: dict[str, Any] = {"color": STRONG_TEXT, "markersize": 4.5, "clip_on": False, "zorder": 5}
    if summary.has_interval:
        low, high = summary.ci95
        if math.isinf(high):
            high = max(summary.max, 1.4 * get_mean_or_bound(summary))
            axes.plot([high], [height], marker=">", **mark)
        axes.plot([low, high], [height, height], color=STRONG_TEXT, linewidth=1.2, zorder=5)
    if math.isfinite(summary.mean):
        axes.plot([summary.mean], [height], marker="o", **mark)
