"""Plots of evaluations: the distribution of each agent's games, with means and confidence intervals."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tetrion.drawing.palette import (
    BACKGROUND,
    BOARD_OUTLINE,
    DARK_THEME,
    DIM_TEXT,
    FAINT_TEXT,
    NORMAL_TEXT,
    SEPARATOR,
    STRONG_TEXT,
    get_series_colour,
)
from tetrion.engine.placing import STATUS_OVER
from tetrion.engine.records import GameColumn
from tetrion.errors import TetrionError
from tetrion.evaluation import Evaluation, SummaryStatistics
from tetrion.evaluation.number_format import format_mean_interval, format_number
from tetrion.lab.axis_scale import AxisScale, BinEdges, get_summary
from tetrion.lab.figure_charts import (
    CHART_FONT_SIZE,
    PAPER_COLUMN_WIDTH,
    apply_chart_style,
    measure_text_width,
    render_figure,
    validate_plot_width,
    wrap_text,
)
from tetrion.text_cleaning import clean_name

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PLOT_FILE_TYPES = ("png", "svg", "pdf")
_HISTOGRAM_HEIGHT = 0.66  # relative to the distance between two agents
_NARROW_HISTOGRAM_HEIGHT = 0.5
_QUARTILE_BAR_OFFSET = 0.13  # below the base of the histogram, in the same unit
# inches
_PANEL_WIDTH = 5.6
_MIN_PANEL_WIDTH = 2.2  # if they were narrower, names and means are above the rows, and panels one below the other
_SIDE_MARGIN = 0.3
_NARROW_MARGIN = 0.12
_ROW_HEIGHT = 0.95
_NARROW_ROW_HEIGHT = 0.85
_PANEL_TITLE_HEIGHT = 0.33
_MIN_TICK_GAP = 0.08
# points
_NAME_FONT_SIZE = 11.5
_MEAN_FONT_SIZE = 11
_SETTINGS_FONT_SIZE = 10.5
_LEGEND_FONT_SIZE = 9.5
_NARROW_TEXT_SCALE = 0.8
_NARROW_LABEL_HEIGHT = 0.57  # of names and means above the base of their histogram, in distances between two agents


def validate_plot_file_type(file: str | Path) -> str:
    """Return the plot type of a file name; raise TetrionError if it is not .png, .svg or .pdf."""
    ending = Path(file).suffix.lower().removeprefix(".")
    if ending not in PLOT_FILE_TYPES:
        raise TetrionError(f"A plot file must end in .png, .svg or .pdf; given {str(file)!r}.")
    return ending


def render_distribution_plot(
    results: Sequence[Evaluation], file_type: str, *, theme: str = DARK_THEME, width: float | None = None
) -> bytes:
    """Return the distribution of each agent's games as a .png, .svg or .pdf file in a theme, "dark" or "light".

    `width` is in inches (default: as wide as the names and numbers need, or 3.5 for a .pdf file, which is one column of
    a paper). Equal results give equal bytes.
    """
    width = validate_plot_width(width) or (PAPER_COLUMN_WIDTH if file_type == "pdf" else None)
    named_results = [replace(result, agent=clean_name(result.agent)) for result in results]
    with apply_chart_style():
        return render_figure(draw_distribution_figure(named_results, width), file_type, theme)


@dataclass(frozen=True)
class DistributionLayout:
    """The sizes of a distribution plot in inches; a narrow one has its panels one below the other and smaller text."""

    metrics: list[GameColumn]
    is_narrow: bool
    width: float
    left: float
    panel_width: float
    means_width: float
    panel_height: float
    text_scale: float

    @classmethod
    def from_results(cls, results: Sequence[Evaluation], width: float | None = None) -> "DistributionLayout":
        """Return the layout for a total width (default: as wide as needed), with a panel for each different metric."""
        metrics = list_metrics(results)
        names = max(measure_inches(result.agent, _NAME_FONT_SIZE, "semibold") for result in results)
        means = [
            measure_inches(format_mean(result, metric), _MEAN_FONT_SIZE) for result in results for metric in metrics
        ]
        left = _SIDE_MARGIN + names + 0.15
        means_width = max(means) + 0.35
        panel_width = _PANEL_WIDTH
        if width is not None:
            panel_width = (width - left - _SIDE_MARGIN) / len(metrics) - means_width
        is_narrow = panel_width < _MIN_PANEL_WIDTH
        if is_narrow:
            left = means_width = _NARROW_MARGIN
            panel_width = (width or 0) - 2 * _NARROW_MARGIN
        total = left + len(metrics) * (panel_width + means_width) + _SIDE_MARGIN
        scale = _NARROW_TEXT_SCALE if is_narrow else 1.0
        return cls(
            metrics=metrics,
            is_narrow=is_narrow,
            width=total if width is None else width,
            left=left,
            panel_width=panel_width,
            means_width=means_width,
            panel_height=(_NARROW_ROW_HEIGHT if is_narrow else _ROW_HEIGHT) * len(results),
            text_scale=scale,
        )

    def wrap(self, text: str, font_size: float) -> list[str]:
        """Split a text of a font size in points into lines that fit between the side margins."""
        margin = _NARROW_MARGIN if self.is_narrow else _SIDE_MARGIN
        points = 72 * (self.width - 2 * margin) * 0.96  # small text in a bitmap is a little wider than its outlines
        return wrap_text(text, points * CHART_FONT_SIZE / (font_size * self.text_scale))


def measure_inches(text: str, font_size: float, weight: str = "normal") -> float:
    """Return the width of a text in inches; the font size is in points."""
    return measure_text_width(text, CHART_FONT_SIZE, weight) / CHART_FONT_SIZE * font_size / 72


def draw_distribution_figure(results: Sequence[Evaluation], width: float | None = None) -> "Figure":
    """Draw one panel for the lines, and one for the score if it differs from the lines; `width` is in inches."""
    from matplotlib.figure import Figure

    layout = DistributionLayout.from_results(results, width)
    scale = layout.text_scale
    header = layout.wrap(describe_settings(results), _SETTINGS_FONT_SIZE)
    legend = [line for text in list_legend_texts(results) for line in layout.wrap(text, _LEGEND_FONT_SIZE)]
    top = (0.62 + 0.17 * len(header)) * scale + _PANEL_TITLE_HEIGHT * scale
    bottom = (0.42 + 0.18 * len(legend)) * scale
    rows = len(layout.metrics) if layout.is_narrow else 1
    gap = (_PANEL_TITLE_HEIGHT + 0.42) * scale
    height = top + rows * layout.panel_height + (rows - 1) * gap + bottom
    figure = Figure(figsize=(layout.width, height), facecolor=BACKGROUND)
    for number, metric in enumerate(layout.metrics):
        column, row = (0, number) if layout.is_narrow else (number, 0)
        left = layout.left + column * (layout.panel_width + layout.means_width)
        panel_top = top + row * (layout.panel_height + gap)
        box = (
            left / layout.width,
            1 - (panel_top + layout.panel_height) / height,
            layout.panel_width / layout.width,
            layout.panel_height / height,
        )
        draw_panel(figure.add_axes(box), metric, results, layout, show_names=layout.is_narrow or number == 0)
    draw_captions(figure, layout, header, legend)
    return figure


def describe_settings(results: Sequence[Evaluation]) -> str:
    """Return the number of games, the rules and the seed of evaluations."""
    counts = sorted({result.games for result in results})
    count_text = f"{counts[0]:,}" if len(counts) == 1 else f"{counts[0]:,} to {counts[-1]:,}"
    games = f"{count_text} game{'' if counts == [1] else 's'}"
    return f"{games}{' per agent' if len(results) > 1 else ''} · rules {results[0].rules} · seed {results[0].seed}"


def list_legend_texts(results: Sequence[Evaluation]) -> list[str]:
    """Return what the legend explains, each text on lines of its own."""
    marks = "histogram: number of games · bar: quartiles · tick: median · dot: mean with 95 % confidence interval"
    texts = [marks]
    if any(result.capped for result in results):
        texts.append("hatched: capped games · * mean estimated from capped games: total / deaths")
    scales = [AxisScale.from_results(results, metric) for metric in list_metrics(results)]
    if any(scale.is_logarithmic and scale.min_value == 0 for scale in scales):
        texts.append("0 on a logarithmic scale: games without lines or points")
    return texts


def list_metrics(results: Sequence[Evaluation]) -> list[GameColumn]:
    """Return the metrics that have a panel: the lines, and the score if it differs from the lines."""
    score_is_lines = all((result.per_game["score"] == result.per_game["lines"]).all() for result in results)
    return ["lines"] if score_is_lines else ["lines", "score"]


def draw_captions(figure: "Figure", layout: DistributionLayout, header: Sequence[str], legend: Sequence[str]) -> None:
    """Draw the title and the settings of the evaluation at the top, and the legend at the bottom."""
    height = float(figure.get_size_inches()[1])
    scale = layout.text_scale
    left = (_NARROW_MARGIN if layout.is_narrow else _SIDE_MARGIN) / layout.width

    def draw_line(y: float, text: str, size: float, **style: Any) -> None:
        figure.text(left, y / height, text, size=size * scale, va="center", **style)

    draw_line(height - 0.32 * scale, "Distribution of game results", 14, weight=600, color=STRONG_TEXT)
    for number, text in enumerate(header):
        draw_line(height - (0.6 + 0.17 * number) * scale, text, _SETTINGS_FONT_SIZE, color=DIM_TEXT)
    for number, text in enumerate(reversed(legend)):
        draw_line((0.15 + 0.18 * number) * scale, text, _LEGEND_FONT_SIZE, color=FAINT_TEXT)


def format_mean(result: Evaluation, metric: str) -> str:
    """Format the mean with its interval, with an asterisk if it is estimated from capped games."""
    summary = get_summary(result, metric)
    return format_mean_interval(summary.mean, summary.ci95) + (" *" if result.capped else "")


def draw_panel(
    axes: "Axes",
    metric: GameColumn,
    results: Sequence[Evaluation],
    layout: DistributionLayout,
    *,
    show_names: bool,
) -> None:
    """Draw one row per agent along a common scale; names and means are beside the rows, or above in a narrow plot."""
    scale = AxisScale.from_results(results, metric)
    prepare_axes(axes, scale, len(results), layout)
    title = f"{metric.capitalize()} per game" + (" (logarithmic scale)" if scale.is_logarithmic else "")
    draw_panel_text(axes, 0, title, layout, color=NORMAL_TEXT, weight=600)
    if not layout.is_narrow:
        draw_panel_text(axes, 1.02, "mean", layout, color=DIM_TEXT)
    max_height = _NARROW_HISTOGRAM_HEIGHT if layout.is_narrow else _HISTOGRAM_HEIGHT
    transform = axes.get_yaxis_transform()
    for row, result in enumerate(results):
        color = get_series_colour(row)
        axes.axhline(row, color=BOARD_OUTLINE, linewidth=1, zorder=1)
        draw_histogram(axes, get_histogram(result, metric, scale), row, max_height)
        draw_summary(axes, scale, get_summary(result, metric), row)
        y = row - _NARROW_LABEL_HEIGHT if layout.is_narrow else row
        mean_style: dict[str, Any] = {"size": _MEAN_FONT_SIZE * layout.text_scale, "color": STRONG_TEXT}
        name_style: dict[str, Any] = {"size": _NAME_FONT_SIZE * layout.text_scale, "color": color, "weight": 600}
        x, side = (1, "right") if layout.is_narrow else (1.02, "left")
        axes.text(x, y, format_mean(result, metric), transform=transform, ha=side, **mean_style)
        x, side = (0, "left") if layout.is_narrow else (-0.02, "right")
        if show_names:
            axes.text(x, y, result.agent, transform=transform, ha=side, **name_style)


def draw_panel_text(axes: "Axes", x: float, text: str, layout: DistributionLayout, **style: Any) -> None:
    """Draw a text above a panel; `x` is a share of its width."""
    offset = (0, (10 if layout.is_narrow else 8) * layout.text_scale)
    coordinates: dict[str, Any] = {"xycoords": "axes fraction", "textcoords": "offset points"}
    axes.annotate(text, (x, 1), xytext=offset, size=10.5 * layout.text_scale, **coordinates, **style)


def prepare_axes(axes: "Axes", scale: AxisScale, agent_count: int, layout: DistributionLayout) -> None:
    """Set limits, ticks and grid of axes without a frame."""
    ticks = scale.compute_ticks()
    low, *_, high = scale.edges_to_axis(scale.compute_bin_edges())
    if scale.is_logarithmic:
        positions = scale.to_axis(ticks)
        low = min(low, positions[0])
        high = max(high, positions[-1])
    axes.set_facecolor(BACKGROUND)
    axes.set_xlim(low - (0.03 if scale.is_logarithmic else 0) * (high - low), high + 0.01 * (high - low))
    axes.set_ylim(agent_count - 0.62, -0.8)
    axes.set_yticks([])
    for side in axes.spines.values():
        side.set_visible(False)
    draw_ticks(axes, scale, ticks, layout)
    axes.grid(axis="x", color=SEPARATOR, linewidth=0.8)
    axes.set_axisbelow(True)


def draw_ticks(axes: "Axes", scale: AxisScale, ticks: Sequence[float], layout: DistributionLayout) -> None:
    """Draw the ticks that do not touch each other; the last one is always drawn, in a narrow plot inside the axis."""
    font_size = _LEGEND_FONT_SIZE * layout.text_scale
    ends_inside = layout.is_narrow and scale.is_logarithmic
    low, high = axes.get_xlim()
    positions = list[float]()
    texts = list[str]()
    left_end = math.inf  # of the tick at the right, in inches
    for position, text in zip(reversed(scale.to_axis(ticks)), reversed(format_ticks(ticks)), strict=True):
        width = measure_inches(text, font_size)
        right_end = (position - low) / (high - low) * layout.panel_width
        right_end += 0 if ends_inside and not texts else width / 2
        if right_end + _MIN_TICK_GAP <= left_end:
            positions.insert(0, position)
            texts.insert(0, text)
            left_end = right_end - width
    axes.set_xticks(positions, texts, color=FAINT_TEXT, size=font_size)
    if ends_inside:
        axes.get_xticklabels()[-1].set_horizontalalignment("right")
    axes.tick_params(length=0, pad=5 * layout.text_scale)


def format_ticks(ticks: Sequence[float]) -> list[str]:
    """Format tick values, in millions from one million on."""
    if max(ticks) < 10**6:
        return [format_number(tick, 0) for tick in ticks]
    return [format_number(tick, 0) if tick < 10**6 else f"{tick / 1e6:,g} M" for tick in ticks]


class Histogram(NamedTuple):
    """Numbers of games per bin, without empty bins at both ends; `ended` are those that ended by the rules."""

    edges: BinEdges  # positions on the axis
    counts: BinEdges
    ended: BinEdges


def get_histogram(result: Evaluation, metric: GameColumn, scale: AxisScale) -> Histogram:
    """Return the histogram of an agent's games."""
    values = result.per_game[metric]
    edges = scale.compute_bin_edges()
    counts = np.histogram(values, edges)[0]
    ended = np.histogram(values[result.per_game["status"] == STATUS_OVER], edges)[0]
    nonempty = np.flatnonzero(counts)
    bins = slice(nonempty[0], nonempty[-1] + 1)
    return Histogram(scale.edges_to_axis(edges[nonempty[0] : nonempty[-1] + 2]), counts[bins], ended[bins])


def draw_histogram(axes: "Axes", histogram: Histogram, row: int, max_height: float) -> None:
    """Draw the histogram of an agent's games, capped games hatched on top of the others."""
    edges = histogram.edges
    heights, ended_heights = (counts / np.diff(edges) for counts in (histogram.counts, histogram.ended))
    top, middle = (row - max_height * height / heights.max() for height in (heights, ended_heights))
    colour = get_series_colour(row)
    axes.stairs(middle, edges, baseline=row, fill=True, color=colour, alpha=0.3, linewidth=0, zorder=2)
    if histogram.ended.sum() < histogram.counts.sum():
        hatched: dict[str, Any] = {"facecolor": "none", "edgecolor": colour, "hatch": "//////", "linewidth": 0}
        axes.stairs(top, edges, baseline=middle, fill=True, zorder=2, **hatched)
    axes.stairs(top, edges, baseline=row, color=colour, linewidth=1.4, zorder=3)


def draw_summary(axes: "Axes", scale: AxisScale, summary: SummaryStatistics, row: int) -> None:
    """Draw quartiles, median, mean and its interval below the histogram."""
    color, height = get_series_colour(row), row + _QUARTILE_BAR_OFFSET
    q1, median, q3 = scale.to_axis([summary.q1, summary.median, summary.q3])
    axes.plot([q1, q3], [height, height], color=color, linewidth=5, alpha=0.5, solid_capstyle="butt", zorder=3)
    axes.plot([median, median], [height - 0.075, height + 0.075], color=color, linewidth=2, zorder=4)
    if summary.ci95:
        low, high = scale.to_axis([summary.ci95[0], min(summary.ci95[1], scale.max_value)])
        if math.isinf(summary.ci95[1]):
            high = axes.get_xlim()[1]
            axes.plot([high], [height], marker=">", color=STRONG_TEXT, markersize=4.5, clip_on=False, zorder=5)
        axes.plot([low, high], [height, height], color=STRONG_TEXT, linewidth=1.2, zorder=5)
    if summary.mean is not None:
        dot = scale.to_axis([summary.mean])
        axes.plot(dot, [height], marker="o", color=STRONG_TEXT, markersize=4.5, clip_on=False, zorder=6)
