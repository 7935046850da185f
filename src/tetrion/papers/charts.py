"""Kinds of charts of papers, drawn from our results: forest plots, distributions, curves and sweeps."""

import math
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tetrion.drawing.chart_ticks import choose_round_values, compute_scale, format_tick
from tetrion.drawing.palette import (
    BOARD_OUTLINE,
    FAINT_TEXT,
    NORMAL_TEXT,
    SECOND_ACCENT,
    SEPARATOR,
    SERIES_COLOURS,
    STRONG_TEXT,
    get_series_colour,
)
from tetrion.evaluation.number_format import format_number
from tetrion.lab.figure_charts import (
    CHART_BOTTOM_MARGIN,
    CHART_FONT_SIZE,
    CHART_LABEL_GAP,
    CHART_SIDE_MARGIN,
    POINTS_PER_PIXEL,
    Chart,
    FigureSize,
    measure_text_width,
)
from tetrion.papers.measured_values import MeasuredValue

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_LOG_SCALE_RATIO = 20  # smallest ratio of largest to smallest value for a logarithmic scale
HISTOGRAM_BINS = 40
_MAX_LABEL_SHARE = 0.42  # maximum share of the width for labels
_SERIES_DISTANCE = 0.3  # between the values of a row, in rows


class ForestRow(NamedTuple):
    """A value of a forest plot: label, measured value, and the published range if there is one.

    Rows with one label are drawn in one row; each `series` then has a colour and a column of values.
    """

    label: str
    measured: MeasuredValue
    published: tuple[float, float] | None = None
    series: str = ""


class RowChart(Chart):
    """A chart with a horizontal scale, row labels at the left and values at the right."""

    def __init__(
        self, size: FigureSize, title: str, subtitle: str, row_labels: Sequence[str], legend: str = ""
    ) -> None:
        super().__init__(size, title, subtitle, 1, legend)
        self.row_labels = row_labels
        self.value_texts: Sequence[str] = [""] * len(row_labels)
        self.value_columns: Mapping[str, Sequence[str]] = {}  # several columns by their headings, instead

    def to_axis(self, values: Any) -> Any:
        """Convert values to positions on the scale."""
        return np.log10(np.maximum(values, 10**self.min_exponent)) if self.is_logarithmic else np.asarray(values, float)

    @property
    def min_exponent(self) -> float:
        """Power of ten at which a logarithmic scale begins."""
        return math.floor(math.log10(max(self.min_value, 1e-3)))

    def lay_out_axes(self) -> None:
        """Place row labels, scale and values."""
        width, height = self.size
        left = (
            CHART_SIDE_MARGIN
            + min(max(map(measure_text_width, self.row_labels)), _MAX_LABEL_SHARE * width)
            + CHART_LABEL_GAP
        )
        columns = self.value_columns or {"": self.value_texts}
        widths = [
            CHART_LABEL_GAP + max(map(measure_text_width, (heading, *texts))) for heading, texts in columns.items()
        ]
        right = CHART_SIDE_MARGIN + sum(widths)
        self.annotation_rows = int(any(columns))
        box = (
            left / width,
            CHART_BOTTOM_MARGIN / height,
            (width - left - right) / width,
            1 - (self.top_margin + CHART_BOTTOM_MARGIN) / height,
        )
        self.axes.set_position(box)
        ticks = self.choose_ticks()
        low, high = self.axis_bounds
        self.axes.set_xlim(low, high)
        self.axes.set_ylim(len(self.row_labels) - 0.4, -0.6)
        self.axes.set_yticks([])
        tick_texts = [format_tick(tick, [tick]) if self.is_logarithmic else format_tick(tick, ticks) for tick in ticks]
        self.axes.set_xticks(self.to_axis(ticks), tick_texts, color=FAINT_TEXT, size=CHART_FONT_SIZE * POINTS_PER_PIXEL)
        self.axes.tick_params(length=0, pad=6 * POINTS_PER_PIXEL)
        for tick in ticks:
            self.axes.axvline(
                float(self.to_axis(tick)),
                color=BOARD_OUTLINE if not tick else SEPARATOR,
                linewidth=POINTS_PER_PIXEL,
                zorder=1,
            )
        row_height = (height - self.top_margin - CHART_BOTTOM_MARGIN) / (len(self.row_labels) + 0.2)
        heights = [self.top_margin + (row + 0.6) * row_height for row in range(len(self.row_labels))]
        style: dict[str, Any] = {"ha": "right", "va": "center_baseline"}
        for y, label in zip(heights, self.row_labels, strict=True):
            self.draw_text(left - CHART_LABEL_GAP, y, label, NORMAL_TEXT, **style)
        for number, (heading, texts) in enumerate(columns.items()):
            x = width - CHART_SIDE_MARGIN - sum(widths[number + 1 :])
            self.draw_text(x, self.top_margin - 10, heading, _get_colour(number), **style)
            for y, text in zip(heights, texts, strict=True):
                self.draw_text(x, y, text, STRONG_TEXT, **style)

    def choose_ticks(self) -> list[float]:
        """Set the bounds of the scale and return its tick values."""
        if self.is_logarithmic:
            high = math.log10(self.max_value)
            self.axis_bounds = (self.min_exponent - 0.05, high + 0.04 * (high - self.min_exponent) + 0.05)
            orders = range(int(self.min_exponent), math.floor(high) + 1)
            return [10.0**order for order in orders[:: math.ceil(len(orders) / 6)]]
        self.axis_bounds = compute_scale(self.min_value, self.max_value)
        return choose_round_values(*self.axis_bounds)


def draw_forest_plot(
    size: FigureSize, title: str, subtitle: str, rows: Sequence[ForestRow], legend: str = ""
) -> "Figure":
    """Draw measured values with their intervals, one per row, over the published ranges as bars."""
    drawn_rows = [row for row in rows if row.measured.value is not None or row.measured.ci95]
    has_published = any(row.published for row in drawn_rows)
    default_legend = "Dot: measured, with 95 % confidence interval" + (" · bar: published" if has_published else "")
    labels = list(dict.fromkeys(row.label for row in drawn_rows))
    series = list(dict.fromkeys(row.series for row in drawn_rows))
    chart = RowChart(size, title, subtitle, labels, legend or default_legend)
    texts = {(row.series, row.label): str(row.measured) for row in drawn_rows}
    chart.value_columns = {name: [texts.get((name, label), "") for label in labels] for name in series}
    ends = [end for row in drawn_rows for end in (*row.measured.interval, *(row.published or ())) if math.isfinite(end)]
    chart.include_values(*ends, *(row.measured.value for row in drawn_rows if row.measured.value is not None))
    positive = [end for end in ends if end > 0]
    chart.is_logarithmic = min(ends) >= 0 and bool(positive) and max(positive) / min(positive) > _LOG_SCALE_RATIO
    if chart.is_logarithmic:
        chart.min_value = min(positive)
    for row in drawn_rows:
        number = series.index(row.series)
        position = labels.index(row.label) + _SERIES_DISTANCE * (number - (len(series) - 1) / 2)
        if row.published:
            _draw_published_range(chart, row.published, position)
        style: dict[str, Any] = {"color": _get_colour(number), "zorder": 4}
        ends = chart.to_axis([min(max(end, -1e300), chart.max_value) for end in row.measured.interval])
        chart.axes.plot(ends, [position, position], linewidth=2 * POINTS_PER_PIXEL, **style)
        if row.measured.value is not None:
            dot: dict[str, Any] = {"marker": "o", "markersize": 8 * POINTS_PER_PIXEL, "clip_on": False}
            chart.axes.plot([float(chart.to_axis(row.measured.value))], [position], **style, **dot)
    return chart.finish()


def _get_colour(series: int) -> str:
    """Return the colour of a series of a forest plot, other than that of published ranges."""
    return get_series_colour(series + (series > 0))


def _draw_published_range(chart: RowChart, published: tuple[float, float], position: float) -> None:
    """Draw a published range as a bar, with a line in its middle."""
    low, high = chart.to_axis(published)
    bar: dict[str, Any] = {"alpha": 0.45, "linewidth": 9 * POINTS_PER_PIXEL, "zorder": 2}
    chart.axes.plot([low, high], [position, position], color=SECOND_ACCENT, **bar)
    middle: dict[str, Any] = {"marker": "|", "markersize": 12 * POINTS_PER_PIXEL, "zorder": 3}
    chart.axes.plot([(low + high) / 2], [position], color=SECOND_ACCENT, **middle)


def draw_ridgeline_plot(
    size: FigureSize,
    title: str,
    subtitle: str,
    samples: Mapping[str, Sequence[float]],
    legend: str = "",
    *,
    marks: Mapping[str, float] = MappingProxyType({}),
) -> "Figure":
    """Draw the distribution of each sample, one histogram per row, with its mean at the right.

    `marks` are published values, drawn as dashed lines through all rows.
    """
    default_legend = "Histogram: number of games · dot: mean"
    if marks:
        default_legend += " · dashed: published, " + ", ".join(f"{name} {value:,g}" for name, value in marks.items())
    chart = RowChart(size, title, subtitle, list(samples), legend or default_legend)
    values = {name: np.asarray(sample, float) for name, sample in samples.items()}
    chart.value_texts = [format_number(float(sample.mean())) for sample in values.values()]
    means = [max(float(sample.mean()), 1.0) for sample in values.values()]
    chart.include_values(*values.values(), *marks.values())
    chart.is_logarithmic = max(means) / min(means) > _LOG_SCALE_RATIO
    if chart.is_logarithmic:
        chart.min_value = 1.0
    low, high = (
        (0.0, math.log10(chart.max_value)) if chart.is_logarithmic else (min(0.0, chart.min_value), chart.max_value)
    )
    edges = np.linspace(low, high, HISTOGRAM_BINS + 1)
    for row, (name, sample) in enumerate(values.items()):
        counts = np.histogram(chart.to_axis(sample), edges)[0]
        tops = row + 0.35 - 0.8 * counts / max(1, counts.max())
        style: dict[str, Any] = {"baseline": row + 0.35, "color": get_series_colour(row)}
        chart.axes.stairs(tops, edges, fill=True, alpha=0.35, linewidth=0, zorder=2, **style)
        chart.axes.stairs(tops, edges, linewidth=1.2 * POINTS_PER_PIXEL, zorder=3, **style)
        mean = float(chart.to_axis(max(values[name].mean(), 1e-9)))
        chart.axes.plot([mean], [row + 0.35], color=STRONG_TEXT, marker="o", markersize=6 * POINTS_PER_PIXEL, zorder=4)
    for value in marks.values():
        position = float(chart.to_axis(value))
        chart.axes.axvline(position, color=SECOND_ACCENT, linewidth=1.5 * POINTS_PER_PIXEL, linestyle="--", zorder=5)
    return chart.finish()


def draw_generation_curves(
    size: FigureSize,
    title: str,
    curves: Mapping[str, Sequence[float | None]],
    legend: str = "",
    subtitle: str = "by generation",
    *,
    first_step: int = 1,
) -> "Figure":
    """Draw values over the generations, one line per curve; `first_step` is the number of the first generation."""
    values = {name: to_float_array(line) for name, line in curves.items()}
    chart = Chart(size, title, subtitle, max(map(len, values.values())), legend, first_step=first_step)
    chart.choose_scale(np.concatenate(list(values.values())))
    for number, (name, line) in enumerate(values.items()):
        chart.draw_line(name, line, get_series_colour(number), is_dashed=number >= len(SERIES_COLOURS))
    return chart.finish()


def draw_parameter_sweep(
    size: FigureSize,
    title: str,
    subtitle: str,
    categories: Sequence[str],
    curves: Mapping[str, Sequence[MeasuredValue]],
    *,
    legend: str = "",
) -> "Figure":
    """Draw values with intervals over the settings of a parameter; `categories` are the settings as text."""
    chart = CategoryChart(size, title, subtitle, categories, legend or "Dot: measured, with 95 % confidence interval")
    ends = [end for line in curves.values() for measured in line for end in measured.interval if math.isfinite(end)]
    chart.choose_scale(np.array(ends))
    for number, (name, line) in enumerate(curves.items()):
        chart.draw_line(name, to_float_array([measured.value for measured in line]), get_series_colour(number))
        for step, measured in enumerate(line, 1):
            low, high = (float(np.clip(end, min(ends), max(ends))) for end in measured.interval)
            chart.include_values(low, high)
            chart.axes.plot(
                [step, step], [low, high], color=get_series_colour(number), linewidth=1.5 * POINTS_PER_PIXEL, zorder=4
            )
    return chart.finish()


class CategoryChart(Chart):
    """A chart whose steps are labelled with texts."""

    def __init__(self, size: FigureSize, title: str, subtitle: str, categories: Sequence[str], legend: str) -> None:
        super().__init__(size, title, subtitle, len(categories), legend)
        self.categories = categories

    def lay_out_axes(self) -> None:
        """Lay out the chart, and label the steps as far as they fit."""
        super().lay_out_axes()
        step_width = self.axes.get_position().width * self.size.width / max(1, len(self.categories) - 1)
        step = max(1, math.ceil(max(map(measure_text_width, self.categories)) / max(step_width - 4, 1)))
        indices = range(0, len(self.categories), step)
        text_style: dict[str, Any] = {"color": FAINT_TEXT, "size": CHART_FONT_SIZE * POINTS_PER_PIXEL}
        self.axes.set_xticks(
            [index + 1 for index in indices], [self.categories[index] for index in indices], **text_style
        )


def to_float_array(values: Sequence[float | None]) -> "np.ndarray[Any, Any]":
    """Return the values as an array, with NaN for None."""
    return np.array([np.nan if value is None else value for value in values], float)
