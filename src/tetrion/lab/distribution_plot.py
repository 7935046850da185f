"""Plots of evaluations: the distribution of each agent's games, with means and confidence intervals."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tetrion.drawing.palette import (
    BACKGROUND,
    BOARD_OUTLINE,
    DIM_TEXT,
    FAINT_TEXT,
    NORMAL_TEXT,
    SEPARATOR,
    STRONG_TEXT,
    get_series_colour,
)
from tetrion.engine.batch_play import STATUS_OVER
from tetrion.engine.records import GameColumn
from tetrion.errors import TetrionError
from tetrion.evaluation import Evaluation, SummaryStatistics
from tetrion.evaluation.number_format import format_mean_interval, format_number

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PLOT_FILE_TYPES = ("png", "svg", "pdf")
_LOG_SCALE_RATIO = 10  # smallest ratio of medians and means for a logarithmic scale
_MIN_BINS, _MAX_BINS = 24, 48
_LOG_ZERO_POSITION = 0.5  # value at whose position a logarithmic scale shows 0
_HISTOGRAM_HEIGHT = 0.66  # relative to the distance between two agents
_QUARTILE_BAR_OFFSET = 0.13  # below the base of the histogram, in the same unit
# inches
_PANEL_WIDTH = 5.6
_TOP_MARGIN = 1.15
_BOTTOM_MARGIN = 0.7
_DOTS_PER_INCH = 160

BinEdges = np.ndarray[Any, Any]


def save_distribution_plot(results: Sequence[Evaluation], file: str | Path) -> None:
    """Plot the distribution of each agent's games into a .png, .svg or .pdf file."""
    Path(file).write_bytes(render_distribution_plot(results, validate_plot_file_type(file)))


def validate_plot_file_type(file: str | Path) -> str:
    """Return the plot type of a file name; raise TetrionError if it is not .png, .svg or .pdf."""
    ending = Path(file).suffix.lower().removeprefix(".")
    if ending not in PLOT_FILE_TYPES:
        raise TetrionError(f"A plot file must end in .png, .svg or .pdf; given {str(file)!r}.")
    return ending


def render_distribution_plot(results: Sequence[Evaluation], file_type: str) -> bytes:
    """Return the distribution plot as the content of a file; equal results give equal bytes."""
    from matplotlib import rc_context

    with rc_context({"font.family": "DejaVu Sans", "svg.hashsalt": "tetrion", "hatch.linewidth": 0.8}):
        figure = draw_distribution_figure(results)
        content = BytesIO()
        undated: dict[str, Any] = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(file_type, {})
        figure.savefig(content, format=file_type, dpi=_DOTS_PER_INCH, facecolor=BACKGROUND, metadata=undated)
    return content.getvalue()


def draw_distribution_figure(results: Sequence[Evaluation]) -> "Figure":
    """Draw one panel for the lines, and one for the score if it differs from the lines."""
    from matplotlib.figure import Figure

    score_is_lines = all((result.per_game["score"] == result.per_game["lines"]).all() for result in results)
    metrics: list[GameColumn] = ["lines"] if score_is_lines else ["lines", "score"]
    names_width = 0.45 + 0.105 * max(5, *(len(result.agent) for result in results))  # inches, as are all lengths below
    means_width = 0.25 + 0.082 * max(len(format_mean(result, metric)) for result in results for metric in metrics)
    bottom = _BOTTOM_MARGIN + 0.18 * any(result.capped for result in results)
    width = names_width + len(metrics) * (_PANEL_WIDTH + means_width) + 0.2
    height = _TOP_MARGIN + bottom + 0.95 * len(results)
    figure = Figure(figsize=(width, height))
    for column, metric in enumerate(metrics):
        left = names_width + column * (_PANEL_WIDTH + means_width)
        box = (left / width, bottom / height, _PANEL_WIDTH / width, 1 - (_TOP_MARGIN + bottom) / height)
        draw_panel(figure.add_axes(box), metric, results, show_names=column == 0)
    draw_titles(figure, results, width, height, bottom)
    return figure


def draw_titles(figure: "Figure", results: Sequence[Evaluation], width: float, height: float, bottom: float) -> None:
    """Draw the title, the settings of the evaluation and the legend."""
    counts = sorted({result.games for result in results})
    left = 0.3 / width
    count_text = f"{counts[0]:,}" if len(counts) == 1 else f"{counts[0]:,} to {counts[-1]:,}"
    games = f"{count_text} game{'' if counts == [1] else 's'}"
    subtitle = f"{games}{' per agent' if len(results) > 1 else ''} · rules {results[0].rules} · seed {results[0].seed}"
    figure.text(
        left, 1 - 0.32 / height, "Distribution of game results", size=14, weight="bold", color=STRONG_TEXT, va="center"
    )
    figure.text(left, 1 - 0.6 / height, subtitle, size=9.5, color=DIM_TEXT, va="center")
    legend = "histogram: number of games · bar: quartiles · tick: median · dot: mean with 95 % confidence interval"
    if any(result.capped for result in results):
        legend = f"{legend}\nhatched: capped games · * censored mean: total / deaths"
    figure.text(left, (bottom - 0.38) / height, legend, size=8.5, color=FAINT_TEXT, va="top", linespacing=1.5)


@dataclass(frozen=True)
class AxisScale:
    """A linear or logarithmic axis; the logarithmic one has a position for 0."""

    is_logarithmic: bool
    min_value: float
    max_value: float
    bin_count: int

    @classmethod
    def from_summaries(cls, summaries: Sequence[SummaryStatistics], game_count: int) -> "AxisScale":
        """Return a scale that covers all games and means, with more bins for more games."""
        centres = [max(number, 1.0) for summary in summaries for number in (summary.median, get_mean_or_bound(summary))]
        max_value = max(find_max_drawn_value(summary) for summary in summaries)
        bins = min(max(math.isqrt(game_count), _MIN_BINS), _MAX_BINS)
        if max(centres) / min(centres) < _LOG_SCALE_RATIO:
            return cls(False, 0, max_value, bins)
        return cls(True, min(summary.min for summary in summaries), max_value, bins)

    def to_axis(self, values: Any) -> Any:
        """Convert values to positions on the axis."""
        return np.log10(np.maximum(values, _LOG_ZERO_POSITION)) if self.is_logarithmic else np.asarray(values, float)

    def compute_bin_edges(self) -> BinEdges:
        """Return the edges of the bins, which have equal widths on the axis and hold whole numbers."""
        if not self.is_logarithmic:
            width = max(1, math.ceil(self.max_value / self.bin_count))
            return np.arange(math.floor(self.max_value / width) + 2) * width - 0.5
        edges = np.geomspace(max(self.min_value, _LOG_ZERO_POSITION), self.max_value + 1, self.bin_count + 1).astype(
            int
        )
        return np.unique([math.floor(self.min_value), *edges, math.ceil(self.max_value) + 1]) - 0.5

    def edges_to_axis(self, edges: BinEdges) -> BinEdges:
        """Convert bin edges to axis positions; the edges around 0 are placed symmetrically to its position."""
        if self.is_logarithmic:
            edges = np.where(edges < 0, _LOG_ZERO_POSITION**1.5, np.where(edges < 1, _LOG_ZERO_POSITION**0.5, edges))
            return np.asarray(np.log10(edges))
        return edges

    def compute_ticks(self) -> list[float]:
        """Return round values for the ticks of the axis."""
        from matplotlib.ticker import MaxNLocator

        if not self.is_logarithmic:
            ticks = MaxNLocator(5, integer=True).tick_values(0, self.max_value)
            return [float(tick) for tick in ticks if 0 <= tick <= self.max_value]
        orders = range(math.floor(math.log10(self.max_value)) + 1)
        steps = (1, 2, 5) if self.max_value < 200 * max(self.min_value, 1) else (1,)
        candidates = [float(step * 10**order) for order in orders for step in steps]
        return ([0.0] if self.min_value == 0 else []) + [
            tick for tick in candidates if self.min_value <= tick <= self.max_value
        ]


def get_summary(result: Evaluation, metric: str) -> SummaryStatistics:
    """Return an agent's summary of the lines or the score."""
    summary: SummaryStatistics = getattr(result, metric)
    return summary


def format_mean(result: Evaluation, metric: str) -> str:
    """Format the mean with its interval, with an asterisk if it is estimated from capped games."""
    summary = get_summary(result, metric)
    return format_mean_interval(summary.mean, summary.ci95) + (" *" if result.capped else "")


def get_mean_or_bound(summary: SummaryStatistics) -> float:
    """Return the mean, or its lower bound if the mean is unknown."""
    if summary.mean is not None:
        return summary.mean
    return summary.ci95[0] if summary.ci95 else summary.median


def find_max_drawn_value(summary: SummaryStatistics) -> float:
    """Return the largest value that is drawn."""
    beyond_mean = 1.4 * get_mean_or_bound(summary)  # space for an arrow if the interval is unbounded
    return max(1.0, summary.max, *(end if math.isfinite(end) else beyond_mean for end in summary.ci95 or ()))


def draw_panel(axes: "Axes", metric: GameColumn, results: Sequence[Evaluation], show_names: bool) -> None:
    """Draw one row per agent along a common scale, with the mean as text at the right."""
    scale = AxisScale.from_summaries(
        [get_summary(result, metric) for result in results], min(result.games for result in results)
    )
    prepare_axes(axes, scale, len(results))
    title = f"{metric.capitalize()} per game" + (" (logarithmic scale)" if scale.is_logarithmic else "")
    axes.set_title(title, loc="left", size=10.5, color=NORMAL_TEXT, weight="bold", pad=8)
    axes.annotate(
        "mean", (1.02, 1), xytext=(0, 8), xycoords="axes fraction", textcoords="offset points", color=DIM_TEXT
    )
    transform = axes.get_yaxis_transform()
    for row, result in enumerate(results):
        color = get_series_colour(row)
        axes.axhline(row, color=BOARD_OUTLINE, linewidth=1, zorder=1)
        draw_histogram(axes, scale, result, metric, row)
        draw_summary(axes, scale, get_summary(result, metric), row)
        axes.text(1.02, row, format_mean(result, metric), transform=transform, size=10, color=STRONG_TEXT)
        if show_names:
            axes.text(-0.02, row, result.agent, transform=transform, size=10.5, color=color, weight="bold", ha="right")


def prepare_axes(axes: "Axes", scale: AxisScale, agent_count: int) -> None:
    """Set limits, ticks and grid of axes without a frame."""
    low, *_, high = scale.edges_to_axis(scale.compute_bin_edges())
    axes.set_facecolor(BACKGROUND)
    axes.set_xlim(low - (0.03 if scale.is_logarithmic else 0) * (high - low), high + 0.01 * (high - low))
    axes.set_ylim(agent_count - 0.62, -0.8)
    axes.set_yticks([])
    for side in axes.spines.values():
        side.set_visible(False)
    ticks = scale.compute_ticks()
    axes.set_xticks(scale.to_axis(ticks), format_ticks(ticks), color=FAINT_TEXT, size=8.5)
    axes.tick_params(length=0, pad=5)
    axes.grid(axis="x", color=SEPARATOR, linewidth=0.8)
    axes.set_axisbelow(True)


def format_ticks(ticks: Sequence[float]) -> list[str]:
    """Format tick values, in millions from one million on."""
    if max(ticks) < 10**6:
        return [format_number(tick, 0) for tick in ticks]
    return [format_number(tick, 0) if tick < 10**6 else f"{tick / 1e6:,g} M" for tick in ticks]


def draw_histogram(axes: "Axes", scale: AxisScale, result: Evaluation, metric: GameColumn, row: int) -> None:
    """Draw the histogram of an agent's games, capped games hatched on top of the others."""
    values = result.per_game[metric]
    ended = result.per_game["status"] == STATUS_OVER
    edges = scale.compute_bin_edges()
    counts, over_counts = np.histogram(values, edges)[0], np.histogram(values[ended], edges)[0]
    nonempty = np.flatnonzero(counts)
    drawn_bins = slice(nonempty[0], nonempty[-1] + 1)
    drawn_edges = scale.edges_to_axis(edges[nonempty[0] : nonempty[-1] + 2])
    heights, over_heights = (bin_counts[drawn_bins] / np.diff(drawn_edges) for bin_counts in (counts, over_counts))
    top, middle = (row - _HISTOGRAM_HEIGHT * height / heights.max() for height in (heights, over_heights))
    axes.stairs(
        middle, drawn_edges, baseline=row, fill=True, color=get_series_colour(row), alpha=0.3, linewidth=0, zorder=2
    )
    if not ended.all():
        hatched: dict[str, Any] = {
            "facecolor": "none",
            "edgecolor": get_series_colour(row),
            "hatch": "//////",
            "linewidth": 0,
        }
        axes.stairs(top, drawn_edges, baseline=middle, fill=True, zorder=2, **hatched)
    axes.stairs(top, drawn_edges, baseline=row, color=get_series_colour(row), linewidth=1.4, zorder=3)


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
