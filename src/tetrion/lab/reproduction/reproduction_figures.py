"""The kinds of figures that documents have, drawn from our results in the look of the house."""

import math
from collections.abc import Mapping, Sequence
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
from tetrion.lab.reproduction.published_values import MeasuredValue

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_LOG_SCALE_RATIO = 20  # from which ratio of the largest to the smallest on a scale is logarithmic
HISTOGRAM_BINS = 40
_MAX_LABEL_SHARE = 0.42  # of the width that labels may take


class ForestRow(NamedTuple):
    """A line of a chart: its label, our figure, and from where to where the published one lies, if there is one."""

    label: str
    measured: MeasuredValue
    published: tuple[float, float] | None = None


class RowChart(Chart):
    """A chart whose rows are labelled at the left and valued at the right, along a scale from left to right."""

    def __init__(
        self, size: FigureSize, title: str, subtitle: str, row_labels: Sequence[str], legend: str = ""
    ) -> None:
        super().__init__(size, title, subtitle, 1, legend)
        self.row_labels = row_labels
        self.value_texts = [""] * len(row_labels)

    def to_axis(self, values: Any) -> Any:
        """Where numbers lie on the scale."""
        return np.log10(np.maximum(values, 10**self.min_exponent)) if self.is_logarithmic else np.asarray(values, float)

    @property
    def min_exponent(self) -> float:
        """Where a logarithmic scale begins, as a power of ten."""
        return math.floor(math.log10(max(self.min_value, 1e-3)))

    def lay_out_axes(self) -> None:
        """Labels, a scale, values."""
        width, height = self.size
        left = (
            CHART_SIDE_MARGIN
            + min(max(map(measure_text_width, self.row_labels)), _MAX_LABEL_SHARE * width)
            + CHART_LABEL_GAP
        )
        right = CHART_SIDE_MARGIN + CHART_LABEL_GAP + max(map(measure_text_width, self.value_texts), default=0)
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
        words = [format_tick(tick, [tick]) if self.is_logarithmic else format_tick(tick, ticks) for tick in ticks]
        self.axes.set_xticks(self.to_axis(ticks), words, color=FAINT_TEXT, size=CHART_FONT_SIZE * POINTS_PER_PIXEL)
        self.axes.tick_params(length=0, pad=6 * POINTS_PER_PIXEL)
        for tick in ticks:
            self.axes.axvline(
                float(self.to_axis(tick)),
                color=BOARD_OUTLINE if not tick else SEPARATOR,
                linewidth=POINTS_PER_PIXEL,
                zorder=1,
            )
        for place, (label, value) in enumerate(zip(self.row_labels, self.value_texts, strict=True)):
            y = self.top_margin + (place + 0.6) * (height - self.top_margin - CHART_BOTTOM_MARGIN) / (
                len(self.row_labels) + 0.2
            )
            self.draw_text(left - CHART_LABEL_GAP, y, label, NORMAL_TEXT, ha="right", va="center_baseline")
            self.draw_text(width - CHART_SIDE_MARGIN, y, value, STRONG_TEXT, ha="right", va="center_baseline")

    def choose_ticks(self) -> list[float]:
        """At which round numbers there are rules."""
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
    """Our figures with their intervals, one below another, and the published ones as bars behind them."""
    known = [entry for entry in rows if entry.measured.value is not None or entry.measured.ci95]
    published = any(entry.published for entry in known)
    words = "Dot: ours, with its 95 % interval" + (" · bar: published" if published else "")
    chart = RowChart(size, title, subtitle, [entry.label for entry in known], legend or words)
    chart.value_texts = [entry.measured.formatted for entry in known]
    ends = [
        end for entry in known for end in (*entry.measured.interval, *(entry.published or ())) if math.isfinite(end)
    ]
    chart.include_values(*ends, *(entry.measured.value for entry in known if entry.measured.value is not None))
    positive = [end for end in ends if end > 0]
    chart.is_logarithmic = min(ends) >= 0 and bool(positive) and max(positive) / min(positive) > _LOG_SCALE_RATIO
    if chart.is_logarithmic:
        chart.min_value = min(positive)
    for place, entry in enumerate(known):
        low, high = (min(max(end, -1e300), chart.max_value) for end in entry.measured.interval)
        if entry.published:
            least, most = chart.to_axis(entry.published)
            chart.axes.plot(
                [least, most], [place, place], color=SECOND_ACCENT, alpha=0.45, linewidth=9 * POINTS_PER_PIXEL, zorder=2
            )
            chart.axes.plot(
                [(least + most) / 2],
                [place],
                color=SECOND_ACCENT,
                marker="|",
                markersize=12 * POINTS_PER_PIXEL,
                zorder=3,
            )
        chart.axes.plot(
            chart.to_axis([low, high]),
            [place, place],
            color=get_series_colour(0),
            linewidth=2 * POINTS_PER_PIXEL,
            zorder=4,
        )
        if entry.measured.value is not None:
            dot: dict[str, Any] = {"marker": "o", "markersize": 8 * POINTS_PER_PIXEL, "clip_on": False, "zorder": 5}
            chart.axes.plot([float(chart.to_axis(entry.measured.value))], [place], color=get_series_colour(0), **dot)
    return chart.finish()


def draw_ridgeline_plot(
    size: FigureSize, title: str, subtitle: str, samples: Mapping[str, Sequence[float]], legend: str = ""
) -> "Figure":
    """How the games of each are distributed, a hill a row, with the mean of each at the right."""
    words = "Hill: number of games · dot: their mean"
    chart = RowChart(size, title, subtitle, list(samples), legend or words)
    numbers = {name: np.asarray(sample, float) for name, sample in samples.items()}
    chart.value_texts = [format_number(float(sample.mean())) for sample in numbers.values()]
    means = [max(float(sample.mean()), 1.0) for sample in numbers.values()]
    chart.include_values(*numbers.values())
    chart.is_logarithmic = max(means) / min(means) > _LOG_SCALE_RATIO
    if chart.is_logarithmic:
        chart.min_value = 1.0
    low, high = (
        (0.0, math.log10(chart.max_value)) if chart.is_logarithmic else (min(0.0, chart.min_value), chart.max_value)
    )
    edges = np.linspace(low, high, HISTOGRAM_BINS + 1)
    for place, (name, sample) in enumerate(numbers.items()):
        counts = np.histogram(chart.to_axis(sample), edges)[0]
        tops = place + 0.35 - 0.8 * counts / max(1, counts.max())
        style: dict[str, Any] = {"baseline": place + 0.35, "color": get_series_colour(place)}
        chart.axes.stairs(tops, edges, fill=True, alpha=0.35, linewidth=0, zorder=2, **style)
        chart.axes.stairs(tops, edges, linewidth=1.2 * POINTS_PER_PIXEL, zorder=3, **style)
        mean = float(chart.to_axis(max(numbers[name].mean(), 1e-9)))
        chart.axes.plot(
            [mean], [place + 0.35], color=STRONG_TEXT, marker="o", markersize=6 * POINTS_PER_PIXEL, zorder=4
        )
    return chart.finish()


def draw_generation_curves(
    size: FigureSize,
    title: str,
    curves: Mapping[str, Sequence[float | None]],
    legend: str = "",
    subtitle: str = "by generation",
) -> "Figure":
    """Numbers generation by generation, a line each."""
    values = {name: to_float_array(line) for name, line in curves.items()}
    chart = Chart(size, title, subtitle, max(map(len, values.values())), legend)
    chart.choose_scale(np.concatenate(list(values.values())))
    for place, (name, line) in enumerate(values.items()):
        chart.draw_line(name, line, get_series_colour(place), is_dashed=place >= len(SERIES_COLOURS))
    return chart.finish()


def draw_quartile_curves(size: FigureSize, title: str, run: Mapping[str, Any], legend: str = "") -> "Figure":
    """Mean, first and third quartile of every generation of a run."""
    metrics = run["metrics"]
    columns = {"3rd quartile": "q3", "Mean": "mean", "1st quartile": "q1"}
    return draw_generation_curves(size, title, {name: metrics[column] for name, column in columns.items()}, legend)


def draw_parameter_sweep(
    size: FigureSize,
    title: str,
    subtitle: str,
    categories: Sequence[str],
    curves: Mapping[str, Sequence[MeasuredValue]],
    legend: str = "",
) -> "Figure":
    """Figures against a setting that was varied, a line each with its intervals; `places` are the settings in words."""
    chart = CategoryChart(size, title, subtitle, categories, legend or "Dot: ours, with its 95 % interval")
    ends = [end for line in curves.values() for ours in line for end in ours.interval if math.isfinite(end)]
    chart.choose_scale(np.array(ends))
    for number, (name, line) in enumerate(curves.items()):
        chart.draw_line(name, to_float_array([ours.value for ours in line]), get_series_colour(number))
        for place, ours in enumerate(line, 1):
            low, high = (float(np.clip(end, min(ends), max(ends))) for end in ours.interval)
            chart.include_values(low, high)
            chart.axes.plot(
                [place, place], [low, high], color=get_series_colour(number), linewidth=1.5 * POINTS_PER_PIXEL, zorder=4
            )
    return chart.finish()


class CategoryChart(Chart):
    """A chart whose steps have words below them."""

    def __init__(self, size: FigureSize, title: str, subtitle: str, categories: Sequence[str], legend: str) -> None:
        super().__init__(size, title, subtitle, len(categories), legend)
        self.categories = categories

    def lay_out_axes(self) -> None:
        """As every chart, with words for the steps."""
        super().lay_out_axes()
        room = self.axes.get_position().width * self.size.width / max(1, len(self.categories) - 1)
        step = max(1, math.ceil(max(map(measure_text_width, self.categories)) / max(room - 4, 1)))
        shown = range(0, len(self.categories), step)
        look: dict[str, Any] = {"color": FAINT_TEXT, "size": CHART_FONT_SIZE * POINTS_PER_PIXEL}
        self.axes.set_xticks([place + 1 for place in shown], [self.categories[place] for place in shown], **look)


def to_float_array(values: Sequence[float | None]) -> "np.ndarray[Any, Any]":
    """Numbers, with those that are not known as not a number."""
    return np.array([np.nan if value is None else value for value in values], float)
