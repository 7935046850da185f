"""Pictures of what was measured: the distribution of every agent's games, with means and their intervals."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tetrion.drawing.palette import DIM, FAINT, GROUND, OUTLINE, RULE, STRONG, TEXT, series
from tetrion.engine.play import OVER
from tetrion.errors import TetrionError
from tetrion.evaluation import Evaluation, Summary
from tetrion.evaluation.words import figure, with_interval

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

ENDINGS = ("png", "svg", "pdf")
ORDERS_APART = 10  # from which ratio of medians and means on a scale is logarithmic
FEWEST_BINS, MOST_BINS = 24, 48
ZERO = 0.5  # where 0 stands on a logarithmic scale
HILL = 0.66  # the height of a distribution, where the distance of two agents is 1
BAR = 0.13  # how far below its base the quartiles are drawn
PANEL_WIDTH, TOP, BOTTOM = 5.6, 1.15, 0.7  # inches
DOTS_A_INCH = 160

Numbers = np.ndarray[Any, Any]


def distributions(results: Sequence[Evaluation], file: str | Path) -> None:
    """Draw how the games of each agent are distributed, into a .png, .svg or .pdf file."""
    Path(file).write_bytes(picture(results, checked_ending(file)))


def checked_ending(file: str | Path) -> str:
    """The kind of picture that a file's name asks for, or the error that names those that there are."""
    ending = Path(file).suffix.lower().removeprefix(".")
    if ending not in ENDINGS:
        raise TetrionError(f"A plot is a .png, .svg or .pdf file; given {str(file)!r}. Give it one of these endings.")
    return ending


def picture(results: Sequence[Evaluation], ending: str) -> bytes:
    """The same picture as the content of a file; equal results give equal bytes."""
    from matplotlib import rc_context

    with rc_context({"font.family": "DejaVu Sans", "svg.hashsalt": "tetrion", "hatch.linewidth": 0.8}):
        drawn, content = drawing(results), BytesIO()
        undated: dict[str, Any] = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(ending, {})
        drawn.savefig(content, format=ending, dpi=DOTS_A_INCH, facecolor=GROUND, metadata=undated)
    return content.getvalue()


def drawing(results: Sequence[Evaluation]) -> "Figure":
    """A panel for the lines, and one for the score where it is not simply the lines."""
    from matplotlib.figure import Figure

    same = all((result.per_game["score"] == result.per_game["lines"]).all() for result in results)
    names = ["lines"] if same else ["lines", "score"]
    agents = 0.45 + 0.105 * max(5, *(len(result.agent) for result in results))  # inches, as all below
    means = 0.25 + 0.082 * max(len(mean_in_words(result, name)) for result in results for name in names)
    bottom = BOTTOM + 0.18 * any(result.capped for result in results)
    width, height = agents + len(names) * (PANEL_WIDTH + means) + 0.2, TOP + bottom + 0.95 * len(results)
    drawn = Figure(figsize=(width, height))
    for place, name in enumerate(names):
        left = agents + place * (PANEL_WIDTH + means)
        box = (left / width, bottom / height, PANEL_WIDTH / width, 1 - (TOP + bottom) / height)
        draw_panel(drawn.add_axes(box), name, results, names_shown=place == 0)
    write_titles(drawn, results, width, height, bottom)
    return drawn


def write_titles(drawn: "Figure", results: Sequence[Evaluation], width: float, height: float, bottom: float) -> None:
    """What is shown, and how to read it."""
    counts, left = sorted({result.games for result in results}), 0.3 / width
    played = f"{counts[0]:,}" if len(counts) == 1 else f"{counts[0]:,} to {counts[-1]:,}"
    games = f"{played} game{'' if counts == [1] else 's'}"
    what = f"{games}{' an agent' if len(results) > 1 else ''} · rules {results[0].rules} · seed {results[0].seed}"
    drawn.text(left, 1 - 0.32 / height, "How the games ended", size=14, weight="bold", color=STRONG, va="center")
    drawn.text(left, 1 - 0.6 / height, what, size=9.5, color=DIM, va="center")
    key = "hill: number of games · bar: middle half · tick: median · dot: mean, with its 95 % interval"
    if any(result.capped for result in results):
        key = f"{key}\nhatched: games that were cut short · * mean estimated as total / deaths"
    drawn.text(left, (bottom - 0.38) / height, key, size=8.5, color=FAINT, va="top", linespacing=1.5)


@dataclass(frozen=True)
class Scale:
    """Where numbers are drawn on an axis: as they are, or by their order of magnitude with a place for 0."""

    logarithmic: bool
    least: float
    most: float
    bins: int

    @classmethod
    def of(cls, summaries: Sequence[Summary], games: int) -> "Scale":
        """The scale that shows every game and every mean, its bins as fine as so many games allow."""
        centres = [max(number, 1.0) for summary in summaries for number in (summary.median, centre_of(summary))]
        most = max(furthest(summary) for summary in summaries)
        bins = min(max(math.isqrt(games), FEWEST_BINS), MOST_BINS)
        if max(centres) / min(centres) < ORDERS_APART:
            return cls(False, 0, most, bins)
        return cls(True, min(summary.min for summary in summaries), most, bins)

    def place(self, numbers: Any) -> Any:
        """Where numbers are on the axis."""
        return np.log10(np.maximum(numbers, ZERO)) if self.logarithmic else np.asarray(numbers, float)

    def edges(self) -> Numbers:
        """The borders between bins of whole numbers: equally many in each, or as many orders of magnitude."""
        if not self.logarithmic:
            width = max(1, math.ceil(self.most / self.bins))
            return np.arange(math.floor(self.most / width) + 2) * width - 0.5
        whole = np.geomspace(max(self.least, ZERO), self.most + 1, self.bins + 1).astype(int)
        return np.unique([math.floor(self.least), *whole, math.ceil(self.most) + 1]) - 0.5

    def places_of_edges(self, edges: Numbers) -> Numbers:
        """Where borders are; those around 0 lie as far from it as its place from that of 1."""
        if self.logarithmic:
            edges = np.where(edges < 0, ZERO**1.5, np.where(edges < 1, ZERO**0.5, edges))
            return np.asarray(np.log10(edges))
        return edges

    def ticks(self) -> list[float]:
        """Round numbers along the axis."""
        from matplotlib.ticker import MaxNLocator

        if not self.logarithmic:
            places = MaxNLocator(5, integer=True).tick_values(0, self.most)
            return [float(place) for place in places if 0 <= place <= self.most]
        orders = range(math.floor(math.log10(self.most)) + 1)
        steps = (1, 2, 5) if self.most < 200 * max(self.least, 1) else (1,)
        known = [float(step * 10**order) for order in orders for step in steps]
        return ([0.0] if self.least == 0 else []) + [tick for tick in known if self.least <= tick <= self.most]


def summary_of(result: Evaluation, name: str) -> Summary:
    """An agent's lines or score."""
    summary: Summary = getattr(result, name)
    return summary


def mean_in_words(result: Evaluation, name: str) -> str:
    """The mean with its interval, marked where it is an estimate."""
    summary = summary_of(result, name)
    return with_interval(summary.mean, summary.ci95) + (" *" if result.capped else "")


def centre_of(summary: Summary) -> float:
    """The mean, or what it is more than."""
    if summary.mean is not None:
        return summary.mean
    return summary.ci95[0] if summary.ci95 else summary.median


def furthest(summary: Summary) -> float:
    """The largest number that is drawn."""
    beyond = 1.4 * centre_of(summary)  # room for an arrow where an interval has no end
    return max(1.0, summary.max, *(end if math.isfinite(end) else beyond for end in summary.ci95 or ()))


def draw_panel(axes: "Axes", name: str, results: Sequence[Evaluation], names_shown: bool) -> None:
    """One agent below another, along one scale, the means in figures beside them."""
    scale = Scale.of([summary_of(result, name) for result in results], min(result.games for result in results))
    prepare_axes(axes, scale, len(results))
    title = f"{name.capitalize()} a game" + (" (logarithmic scale)" if scale.logarithmic else "")
    axes.set_title(title, loc="left", size=10.5, color=TEXT, weight="bold", pad=8)
    axes.annotate("mean", (1.02, 1), xytext=(0, 8), xycoords="axes fraction", textcoords="offset points", color=DIM)
    beside = axes.get_yaxis_transform()
    for place, result in enumerate(results):
        color = series(place)
        axes.axhline(place, color=OUTLINE, linewidth=1, zorder=1)
        draw_hill(axes, scale, result, name, place)
        draw_summary(axes, scale, summary_of(result, name), place)
        axes.text(1.02, place, mean_in_words(result, name), transform=beside, size=10, color=STRONG)
        if names_shown:
            axes.text(-0.02, place, result.agent, transform=beside, size=10.5, color=color, weight="bold", ha="right")


def prepare_axes(axes: "Axes", scale: Scale, agents: int) -> None:
    """An axis of numbers without a frame."""
    low, *_, high = scale.places_of_edges(scale.edges())
    axes.set_facecolor(GROUND)
    axes.set_xlim(low - (0.03 if scale.logarithmic else 0) * (high - low), high + 0.01 * (high - low))
    axes.set_ylim(agents - 0.62, -0.8)
    axes.set_yticks([])
    for side in axes.spines.values():
        side.set_visible(False)
    ticks = scale.ticks()
    axes.set_xticks(scale.place(ticks), in_words(ticks), color=FAINT, size=8.5)
    axes.tick_params(length=0, pad=5)
    axes.grid(axis="x", color=RULE, linewidth=0.8)
    axes.set_axisbelow(True)


def in_words(ticks: Sequence[float]) -> list[str]:
    """The figures along an axis, in millions where there are millions."""
    if max(ticks) < 10**6:
        return [figure(tick, 0) for tick in ticks]
    return [figure(tick, 0) if tick < 10**6 else f"{tick / 1e6:,g} M" for tick in ticks]


def draw_hill(axes: "Axes", scale: Scale, result: Evaluation, name: str, place: int) -> None:
    """How many games ended where, those that were cut short hatched on top of the others."""
    numbers, ended, edges = result.per_game[name], result.per_game["status"] == OVER, scale.edges()
    counts, over = np.histogram(numbers, edges)[0], np.histogram(numbers[ended], edges)[0]
    used = np.flatnonzero(counts)
    part = slice(used[0], used[-1] + 1)
    borders = scale.places_of_edges(edges[used[0] : used[-1] + 2])
    heights, solid = (number[part] / np.diff(borders) for number in (counts, over))
    top, middle = (place - HILL * height / heights.max() for height in (heights, solid))
    axes.stairs(middle, borders, baseline=place, fill=True, color=series(place), alpha=0.3, linewidth=0, zorder=2)
    if not ended.all():
        hatched: dict[str, Any] = {"facecolor": "none", "edgecolor": series(place), "hatch": "//////", "linewidth": 0}
        axes.stairs(top, borders, baseline=middle, fill=True, zorder=2, **hatched)
    axes.stairs(top, borders, baseline=place, color=series(place), linewidth=1.4, zorder=3)


def draw_summary(axes: "Axes", scale: Scale, summary: Summary, place: int) -> None:
    """Quartiles, median, mean and its interval, below the hill."""
    color, height = series(place), place + BAR
    q1, median, q3 = scale.place([summary.q1, summary.median, summary.q3])
    axes.plot([q1, q3], [height, height], color=color, linewidth=5, alpha=0.5, solid_capstyle="butt", zorder=3)
    axes.plot([median, median], [height - 0.075, height + 0.075], color=color, linewidth=2, zorder=4)
    if summary.ci95:
        low, high = scale.place([summary.ci95[0], min(summary.ci95[1], scale.most)])
        if math.isinf(summary.ci95[1]):
            high = axes.get_xlim()[1]
            axes.plot([high], [height], marker=">", color=STRONG, markersize=4.5, clip_on=False, zorder=5)
        axes.plot([low, high], [height, height], color=STRONG, linewidth=1.2, zorder=5)
    if summary.mean is not None:
        dot = scale.place([summary.mean])
        axes.plot(dot, [height], marker="o", color=STRONG, markersize=4.5, clip_on=False, zorder=6)
