"""Pictures of what was measured: the distribution of every agent's games, with means and their intervals."""

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
from tetrion.errors import TetrionError
from tetrion.evaluation import Evaluation, SummaryStatistics
from tetrion.evaluation.number_format import format_mean_interval, format_number

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PLOT_FILE_TYPES = ("png", "svg", "pdf")
_LOG_SCALE_RATIO = 10  # from which ratio of medians and means on a scale is logarithmic
_MIN_BINS, _MAX_BINS = 24, 48
_LOG_ZERO_POSITION = 0.5  # where 0 stands on a logarithmic scale
_HISTOGRAM_HEIGHT = 0.66  # the height of a distribution, where the distance of two agents is 1
_QUARTILE_BAR_OFFSET = 0.13  # how far below its base the quartiles are drawn
# inches
_PANEL_WIDTH = 5.6
_TOP_MARGIN = 1.15
_BOTTOM_MARGIN = 0.7
_DOTS_PER_INCH = 160

BinEdges = np.ndarray[Any, Any]


def save_distribution_plot(results: Sequence[Evaluation], file: str | Path) -> None:
    """Draw how the games of each agent are distributed, into a .png, .svg or .pdf file."""
    Path(file).write_bytes(render_distribution_plot(results, validate_plot_file_type(file)))


def validate_plot_file_type(file: str | Path) -> str:
    """The kind of picture that a file's name asks for, or the error that names those that there are."""
    ending = Path(file).suffix.lower().removeprefix(".")
    if ending not in PLOT_FILE_TYPES:
        raise TetrionError(f"A plot is a .png, .svg or .pdf file; given {str(file)!r}. Give it one of these endings.")
    return ending


def render_distribution_plot(results: Sequence[Evaluation], file_type: str) -> bytes:
    """The same picture as the content of a file; equal results give equal bytes."""
    from matplotlib import rc_context

    with rc_context({"font.family": "DejaVu Sans", "svg.hashsalt": "tetrion", "hatch.linewidth": 0.8}):
        drawn, content = draw_distribution_figure(results), BytesIO()
        undated: dict[str, Any] = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(file_type, {})
        drawn.savefig(content, format=file_type, dpi=_DOTS_PER_INCH, facecolor=BACKGROUND, metadata=undated)
    return content.getvalue()


def draw_distribution_figure(results: Sequence[Evaluation]) -> "Figure":
    """A panel for the lines, and one for the score where it is not simply the lines."""
    from matplotlib.figure import Figure

    same = all((result.per_game["score"] == result.per_game["lines"]).all() for result in results)
    names = ["lines"] if same else ["lines", "score"]
    agents = 0.45 + 0.105 * max(5, *(len(result.agent) for result in results))  # inches, as all below
    means = 0.25 + 0.082 * max(len(format_mean(result, name)) for result in results for name in names)
    bottom = _BOTTOM_MARGIN + 0.18 * any(result.capped for result in results)
    width, height = agents + len(names) * (_PANEL_WIDTH + means) + 0.2, _TOP_MARGIN + bottom + 0.95 * len(results)
    drawn = Figure(figsize=(width, height))
    for place, name in enumerate(names):
        left = agents + place * (_PANEL_WIDTH + means)
        box = (left / width, bottom / height, _PANEL_WIDTH / width, 1 - (_TOP_MARGIN + bottom) / height)
        draw_panel(drawn.add_axes(box), name, results, show_names=place == 0)
    draw_titles(drawn, results, width, height, bottom)
    return drawn


def draw_titles(figure: "Figure", results: Sequence[Evaluation], width: float, height: float, bottom: float) -> None:
    """What is shown, and how to read it."""
    counts, left = sorted({result.games for result in results}), 0.3 / width
    played = f"{counts[0]:,}" if len(counts) == 1 else f"{counts[0]:,} to {counts[-1]:,}"
    games = f"{played} game{'' if counts == [1] else 's'}"
    what = f"{games}{' an agent' if len(results) > 1 else ''} · rules {results[0].rules} · seed {results[0].seed}"
    figure.text(left, 1 - 0.32 / height, "How the games ended", size=14, weight="bold", color=STRONG_TEXT, va="center")
    figure.text(left, 1 - 0.6 / height, what, size=9.5, color=DIM_TEXT, va="center")
    key = "hill: number of games · bar: middle half · tick: median · dot: mean, with its 95 % interval"
    if any(result.capped for result in results):
        key = f"{key}\nhatched: games that were cut short · * mean estimated as total / deaths"
    figure.text(left, (bottom - 0.38) / height, key, size=8.5, color=FAINT_TEXT, va="top", linespacing=1.5)


@dataclass(frozen=True)
class AxisScale:
    """Where numbers are drawn on an axis: as they are, or by their order of magnitude with a place for 0."""

    is_logarithmic: bool
    min_value: float
    max_value: float
    bin_count: int

    @classmethod
    def from_summaries(cls, summaries: Sequence[SummaryStatistics], game_count: int) -> "AxisScale":
        """The scale that shows every game and every mean, its bins as fine as so many games allow."""
        centres = [max(number, 1.0) for summary in summaries for number in (summary.median, get_mean_or_bound(summary))]
        most = max(find_max_drawn_value(summary) for summary in summaries)
        bins = min(max(math.isqrt(game_count), _MIN_BINS), _MAX_BINS)
        if max(centres) / min(centres) < _LOG_SCALE_RATIO:
            return cls(False, 0, most, bins)
        return cls(True, min(summary.min for summary in summaries), most, bins)

    def to_axis(self, values: Any) -> Any:
        """Where numbers are on the axis."""
        return np.log10(np.maximum(values, _LOG_ZERO_POSITION)) if self.is_logarithmic else np.asarray(values, float)

    def compute_bin_edges(self) -> BinEdges:
        """The borders between bins of whole numbers: equally many in each, or as many orders of magnitude."""
        if not self.is_logarithmic:
            width = max(1, math.ceil(self.max_value / self.bin_count))
            return np.arange(math.floor(self.max_value / width) + 2) * width - 0.5
        whole = np.geomspace(max(self.min_value, _LOG_ZERO_POSITION), self.max_value + 1, self.bin_count + 1).astype(
            int
        )
        return np.unique([math.floor(self.min_value), *whole, math.ceil(self.max_value) + 1]) - 0.5

    def edges_to_axis(self, edges: BinEdges) -> BinEdges:
        """Where borders are; those around 0 lie as far from it as its place from that of 1."""
        if self.is_logarithmic:
            edges = np.where(edges < 0, _LOG_ZERO_POSITION**1.5, np.where(edges < 1, _LOG_ZERO_POSITION**0.5, edges))
            return np.asarray(np.log10(edges))
        return edges

    def compute_ticks(self) -> list[float]:
        """Round numbers along the axis."""
        from matplotlib.ticker import MaxNLocator

        if not self.is_logarithmic:
            places = MaxNLocator(5, integer=True).tick_values(0, self.max_value)
            return [float(place) for place in places if 0 <= place <= self.max_value]
        orders = range(math.floor(math.log10(self.max_value)) + 1)
        steps = (1, 2, 5) if self.max_value < 200 * max(self.min_value, 1) else (1,)
        known = [float(step * 10**order) for order in orders for step in steps]
        return ([0.0] if self.min_value == 0 else []) + [
            tick for tick in known if self.min_value <= tick <= self.max_value
        ]


def get_summary(result: Evaluation, metric: str) -> SummaryStatistics:
    """An agent's lines or score."""
    summary: SummaryStatistics = getattr(result, metric)
    return summary


def format_mean(result: Evaluation, metric: str) -> str:
    """The mean with its interval, marked where it is an estimate."""
    summary = get_summary(result, metric)
    return format_mean_interval(summary.mean, summary.ci95) + (" *" if result.capped else "")


def get_mean_or_bound(summary: SummaryStatistics) -> float:
    """The mean, or what it is more than."""
    if summary.mean is not None:
        return summary.mean
    return summary.ci95[0] if summary.ci95 else summary.median


def find_max_drawn_value(summary: SummaryStatistics) -> float:
    """The largest number that is drawn."""
    beyond = 1.4 * get_mean_or_bound(summary)  # room for an arrow where an interval has no end
    return max(1.0, summary.max, *(end if math.isfinite(end) else beyond for end in summary.ci95 or ()))


def draw_panel(axes: "Axes", metric: str, results: Sequence[Evaluation], show_names: bool) -> None:
    """One agent below another, along one scale, the means in figures beside them."""
    scale = AxisScale.from_summaries(
        [get_summary(result, metric) for result in results], min(result.games for result in results)
    )
    prepare_axes(axes, scale, len(results))
    title = f"{metric.capitalize()} a game" + (" (logarithmic scale)" if scale.is_logarithmic else "")
    axes.set_title(title, loc="left", size=10.5, color=NORMAL_TEXT, weight="bold", pad=8)
    axes.annotate(
        "mean", (1.02, 1), xytext=(0, 8), xycoords="axes fraction", textcoords="offset points", color=DIM_TEXT
    )
    beside = axes.get_yaxis_transform()
    for place, result in enumerate(results):
        color = get_series_colour(place)
        axes.axhline(place, color=BOARD_OUTLINE, linewidth=1, zorder=1)
        draw_histogram(axes, scale, result, metric, place)
        draw_summary(axes, scale, get_summary(result, metric), place)
        axes.text(1.02, place, format_mean(result, metric), transform=beside, size=10, color=STRONG_TEXT)
        if show_names:
            axes.text(-0.02, place, result.agent, transform=beside, size=10.5, color=color, weight="bold", ha="right")


def prepare_axes(axes: "Axes", scale: AxisScale, agent_count: int) -> None:
    """An axis of numbers without a frame."""
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
    """The figures along an axis, in millions where there are millions."""
    if max(ticks) < 10**6:
        return [format_number(tick, 0) for tick in ticks]
    return [format_number(tick, 0) if tick < 10**6 else f"{tick / 1e6:,g} M" for tick in ticks]


def draw_histogram(axes: "Axes", scale: AxisScale, result: Evaluation, metric: str, row: int) -> None:
    """How many games ended where, those that were cut short hatched on top of the others."""
    numbers = result.per_game[metric]
    ended = result.per_game["status"] == STATUS_OVER
    edges = scale.compute_bin_edges()
    counts, over = np.histogram(numbers, edges)[0], np.histogram(numbers[ended], edges)[0]
    used = np.flatnonzero(counts)
    part = slice(used[0], used[-1] + 1)
    borders = scale.edges_to_axis(edges[used[0] : used[-1] + 2])
    heights, solid = (number[part] / np.diff(borders) for number in (counts, over))
    top, middle = (row - _HISTOGRAM_HEIGHT * height / heights.max() for height in (heights, solid))
    axes.stairs(
        middle, borders, baseline=row, fill=True, color=get_series_colour(row), alpha=0.3, linewidth=0, zorder=2
    )
    if not ended.all():
        hatched: dict[str, Any] = {
            "facecolor": "none",
            "edgecolor": get_series_colour(row),
            "hatch": "//////",
            "linewidth": 0,
        }
        axes.stairs(top, borders, baseline=middle, fill=True, zorder=2, **hatched)
    axes.stairs(top, borders, baseline=row, color=get_series_colour(row), linewidth=1.4, zorder=3)


def draw_summary(axes: "Axes", scale: AxisScale, summary: SummaryStatistics, row: int) -> None:
    """Quartiles, median, mean and its interval, below the hill."""
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
