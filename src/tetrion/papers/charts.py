"""Kinds of charts of papers, drawn from our results: forest plots, distributions, curves and sweeps."""

import math
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tetrion.drawing.palette import (
    BOARD_OUTLINE,
    NORMAL_TEXT,
    SECOND_ACCENT,
    SERIES_COLOURS,
    STRONG_TEXT,
    get_series_colour,
)
from tetrion.evaluation.number_format import format_number
from tetrion.lab.figure_charts import (
    LABEL_GAP,
    Chart,
    FigureSize as FigureSize,
    get_font_size,
    measure_text_width,
    set_log_scale,
    set_number_ticks,
)
from tetrion.papers.measured_values import MeasuredValue

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Figure
else:  # Matplotlib is imported when something is drawn
    Figure = Any

Results = Mapping[str, Any]  # of the measurements of a paper, by name
Drawing = Callable[[Results, FigureSize], Figure]  # draws a figure of a paper

_LOG_SCALE_RATIO = 20  # smallest ratio of largest to smallest value for a logarithmic scale
HISTOGRAM_BINS = 40
_MAX_TICKS = 7
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
        super().__init__(size, title, subtitle, legend)
        self.value_texts: Sequence[str] = [""] * len(row_labels)
        self.value_columns: Mapping[str, Sequence[str]] = {}  # several columns by their headings, instead
        self.axes.grid(visible=False, axis="y")
        self.axes.grid(axis="x")
        self.axes.set_yticks(range(len(row_labels)), row_labels, color=NORMAL_TEXT)
        self.axes.set_ylim(len(row_labels) - 0.4, -0.6)

    def use_log_scale(self, min_value: float = 1.0, max_value: float = math.inf) -> None:
        """Make the scale logarithmic; `min_value` is the smallest positive value, and `max_value` the largest one."""
        set_log_scale(self.axes, "x", (min_value, max_value), _MAX_TICKS)

    def set_up_axes(self) -> None:
        """Choose the ticks and write the values."""
        if not self.is_logarithmic:
            set_number_ticks(self.axes.xaxis, _MAX_TICKS)
            self.axes.axvline(0, color=BOARD_OUTLINE, linewidth=0.75, zorder=1).sticky_edges.x.append(0)
        right = 0.0
        columns = self.value_columns or {"": self.value_texts}
        for number, (heading, texts) in enumerate(columns.items()):
            right += LABEL_GAP + get_font_size() * max(map(measure_text_width, (heading, *texts)))
            style: dict[str, Any] = {"textcoords": "offset points", "ha": "right", "annotation_clip": False}
            self.axes.annotate(
                heading, (1, 1), (right, 6), xycoords="axes fraction", color=_get_colour(number), **style
            )
            style |= {"xycoords": self.axes.get_yaxis_transform(), "va": "center_baseline", "color": STRONG_TEXT}
            for row, text in enumerate(texts):
                self.axes.annotate(text, (1, row), (right, 0), **style)


def draw_forest_plot(
    size: FigureSize, title: str, subtitle: str, rows: Sequence[ForestRow], legend: str = ""
) -> Figure:
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
    positive = [end for end in ends if end > 0]
    if min(ends) >= 0 and positive and max(positive) / min(positive) > _LOG_SCALE_RATIO:
        chart.use_log_scale(min(positive), max(positive))
    for row in drawn_rows:
        number = series.index(row.series)
        position = labels.index(row.label) + _SERIES_DISTANCE * (number - (len(series) - 1) / 2)
        if row.published:
            _draw_published_range(chart, row.published, position)
        style: dict[str, Any] = {"color": _get_colour(number), "zorder": 4}
        chart.axes.plot(np.clip(row.measured.interval, min(ends), max(ends)), [position, position], **style)
        if row.measured.value is not None:
            chart.axes.plot([row.measured.value], [position], marker="o", clip_on=False, **style)
    return chart.finish()


def _get_colour(series: int) -> str:
    """Return the colour of a series of a forest plot, other than that of published ranges."""
    return get_series_colour(series + (series > 0))


def _draw_published_range(chart: RowChart, published: tuple[float, float], position: float) -> None:
    """Draw a published range as a bar, with a line in its middle."""
    bar: dict[str, Any] = {"alpha": 0.45, "linewidth": 7, "zorder": 2}
    chart.axes.plot(published, [position, position], color=SECOND_ACCENT, **bar)
    scale = chart.axes.transScale
    low, high = (scale.transform((end, position)) for end in published)
    middle = scale.inverted().transform((low + high) / 2)[0]
    chart.axes.plot([middle], [position], color=SECOND_ACCENT, marker="|", markersize=9, zorder=3)


def draw_ridgeline_plot(
    size: FigureSize,
    title: str,
    subtitle: str,
    samples: Mapping[str, Sequence[float]],
    *,
    marks: Mapping[str, float] = MappingProxyType({}),
) -> Figure:
    """Draw the distribution of each sample, one histogram per row, with its mean at the right.

    `marks` are published values, drawn as dashed lines through all rows.
    """
    legend = "Histogram: number of games · dot: mean"
    if marks:
        legend += " · dashed: published, " + ", ".join(f"{name} {value:,g}" for name, value in marks.items())
    chart = RowChart(size, title, subtitle, list(samples), legend)
    values = {name: np.asarray(sample, float) for name, sample in samples.items()}
    chart.value_texts = [format_number(float(sample.mean())) for sample in values.values()]
    means = [max(float(sample.mean()), 1.0) for sample in values.values()]
    if max(means) / min(means) > _LOG_SCALE_RATIO:
        chart.use_log_scale()
    drawn = np.concatenate([*values.values(), list(marks.values())])
    scale = chart.axes.xaxis.get_transform()
    low, high = scale.transform(np.array([min(0.0, drawn.min()), drawn.max()]))
    edges = scale.inverted().transform(np.linspace(low, high, HISTOGRAM_BINS + 1))
    edges[-1] = drawn.max()
    for row, sample in enumerate(values.values()):
        counts = np.histogram(sample, edges)[0]
        tops = row + 0.35 - 0.8 * counts / max(1, counts.max())
        style: dict[str, Any] = {"baseline": row + 0.35, "color": get_series_colour(row)}
        chart.axes.stairs(tops, edges, fill=True, alpha=0.35, linewidth=0, zorder=2, **style)
        chart.axes.stairs(tops, edges, linewidth=1, zorder=3, **style)
        chart.axes.plot([sample.mean()], [row + 0.35], color=STRONG_TEXT, marker="o", zorder=4)
    for value in marks.values():
        chart.axes.axvline(value, color=SECOND_ACCENT, linewidth=1, linestyle="--", zorder=5)
    return chart.finish()


def draw_generation_curves(
    size: FigureSize,
    title: str,
    curves: Mapping[str, Sequence[float | None]],
    legend: str = "",
    subtitle: str = "by generation",
) -> Figure:
    """Draw values over the generations, one line per curve."""
    values = {name: to_float_array(line) for name, line in curves.items()}
    chart = Chart(size, title, subtitle, legend)
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
) -> Figure:
    """Draw values with intervals over the settings of a parameter; `categories` are the settings as text."""
    chart = CategoryChart(size, title, subtitle, categories, legend or "Dot: measured, with 95 % confidence interval")
    ends = [end for line in curves.values() for measured in line for end in measured.interval if math.isfinite(end)]
    chart.choose_scale(np.array(ends))
    for number, (name, line) in enumerate(curves.items()):
        chart.draw_line(name, to_float_array([measured.value for measured in line]), get_series_colour(number))
        for step, measured in enumerate(line):
            interval = np.clip(measured.interval, min(ends), max(ends))
            chart.axes.plot([step, step], interval, color=get_series_colour(number), linewidth=1, zorder=4)
    return chart.finish()


class CategoryChart(Chart):
    """A chart whose steps are labelled with texts, as far as they fit."""

    def __init__(self, size: FigureSize, title: str, subtitle: str, categories: Sequence[str], legend: str) -> None:
        super().__init__(size, title, subtitle, legend, first_step=0)
        self.categories = categories

    def set_up_axes(self) -> None:
        """Choose the scale and the ticks of the axes."""
        from matplotlib.ticker import FuncFormatter

        super().set_up_axes()
        widest = get_font_size() * max(map(measure_text_width, self.categories))
        tick_count = int(0.5 * 72 * self.figure.get_figwidth() / (widest + 4))
        set_number_ticks(self.axes.xaxis, max(1, min(tick_count, len(self.categories))), integer=True)
        count = len(self.categories)
        labels = FuncFormatter(lambda step, _: self.categories[int(step)] if 0 <= step < count else "")
        self.axes.xaxis.set_major_formatter(labels)


def to_float_array(values: Sequence[float | None]) -> "np.ndarray[Any, Any]":
    """Return the values as an array, with NaN for None."""
    return np.array([np.nan if value is None else value for value in values], float)
