"""The kinds of figures that documents have, drawn from our results in the look of the house."""

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tetrion.drawing.palette import FAINT, OUTLINE, RULE, SECOND, SERIES, STRONG, TEXT, series
from tetrion.drawing.ticks import round_numbers, scale_of, tick_words
from tetrion.evaluation.words import figure
from tetrion.lab.charts import A_PIXEL, BOTTOM, GAP, MARGIN, SMALL, Chart, Size, width_of
from tetrion.lab.reproduction.published import Ours

if TYPE_CHECKING:
    from matplotlib.figure import Figure

APART = 20  # from which ratio of the largest to the smallest on a scale is logarithmic
BINS = 40
LONGEST = 0.42  # of the width that labels may take


class Entry(NamedTuple):
    """A line of a chart: its label, our figure, and from where to where the published one lies, if there is one."""

    label: str
    ours: Ours
    published: tuple[float, float] | None = None


class Rows(Chart):
    """A chart whose rows are labelled at the left and valued at the right, along a scale from left to right."""

    def __init__(self, size: Size, title: str, aside: str, labels: Sequence[str], key: str = "") -> None:
        super().__init__(size, title, aside, 1, key)
        self.labels, self.values = labels, [""] * len(labels)

    def place(self, numbers: Any) -> Any:
        """Where numbers lie on the scale."""
        return np.log10(np.maximum(numbers, 10**self.low)) if self.logarithmic else np.asarray(numbers, float)

    @property
    def low(self) -> float:
        """Where a logarithmic scale begins, as a power of ten."""
        return math.floor(math.log10(max(self.least, 1e-3)))

    def lay_out(self) -> None:
        """Labels, a scale, values."""
        width, height = self.size
        left = MARGIN + min(max(map(width_of, self.labels)), LONGEST * width) + GAP
        right = MARGIN + GAP + max(map(width_of, self.values), default=0)
        box = (left / width, BOTTOM / height, (width - left - right) / width, 1 - (self.top + BOTTOM) / height)
        self.axes.set_position(box)
        ticks = self.rules()
        low, high = self.bounds
        self.axes.set_xlim(low, high)
        self.axes.set_ylim(len(self.labels) - 0.4, -0.6)
        self.axes.set_yticks([])
        words = [tick_words(tick, [tick]) if self.logarithmic else tick_words(tick, ticks) for tick in ticks]
        self.axes.set_xticks(self.place(ticks), words, color=FAINT, size=SMALL * A_PIXEL)
        self.axes.tick_params(length=0, pad=6 * A_PIXEL)
        for tick in ticks:
            self.axes.axvline(float(self.place(tick)), color=OUTLINE if not tick else RULE, linewidth=A_PIXEL, zorder=1)
        for place, (label, value) in enumerate(zip(self.labels, self.values, strict=True)):
            y = self.top + (place + 0.6) * (height - self.top - BOTTOM) / (len(self.labels) + 0.2)
            self.words(left - GAP, y, label, TEXT, ha="right", va="center_baseline")
            self.words(width - MARGIN, y, value, STRONG, ha="right", va="center_baseline")

    def rules(self) -> list[float]:
        """At which round numbers there are rules."""
        if self.logarithmic:
            high = math.log10(self.most)
            self.bounds = (self.low - 0.05, high + 0.04 * (high - self.low) + 0.05)
            orders = range(int(self.low), math.floor(high) + 1)
            return [10.0**order for order in orders[:: math.ceil(len(orders) / 6)]]
        self.bounds = scale_of(self.least, self.most)
        return round_numbers(*self.bounds)


def forest(size: Size, title: str, aside: str, entries: Sequence[Entry], key: str = "") -> "Figure":
    """Our figures with their intervals, one below another, and the published ones as bars behind them."""
    known = [entry for entry in entries if entry.ours.value is not None or entry.ours.ci95]
    published = any(entry.published for entry in known)
    words = "Dot: ours, with its 95 % interval" + (" · bar: published" if published else "")
    chart = Rows(size, title, aside, [entry.label for entry in known], key or words)
    chart.values = [entry.ours.shown for entry in known]
    ends = [end for entry in known for end in (*entry.ours.interval, *(entry.published or ())) if math.isfinite(end)]
    chart.holds(*ends, *(entry.ours.value for entry in known if entry.ours.value is not None))
    positive = [end for end in ends if end > 0]
    chart.logarithmic = min(ends) >= 0 and bool(positive) and max(positive) / min(positive) > APART
    if chart.logarithmic:
        chart.least = min(positive)
    for place, entry in enumerate(known):
        low, high = (min(max(end, -1e300), chart.most) for end in entry.ours.interval)
        if entry.published:
            least, most = chart.place(entry.published)
            chart.axes.plot([least, most], [place, place], color=SECOND, alpha=0.45, linewidth=9 * A_PIXEL, zorder=2)
            chart.axes.plot([(least + most) / 2], [place], color=SECOND, marker="|", markersize=12 * A_PIXEL, zorder=3)
        chart.axes.plot(chart.place([low, high]), [place, place], color=series(0), linewidth=2 * A_PIXEL, zorder=4)
        if entry.ours.value is not None:
            dot: dict[str, Any] = {"marker": "o", "markersize": 8 * A_PIXEL, "clip_on": False, "zorder": 5}
            chart.axes.plot([float(chart.place(entry.ours.value))], [place], color=series(0), **dot)
    return chart.finished()


def hills(size: Size, title: str, aside: str, samples: Mapping[str, Sequence[float]], key: str = "") -> "Figure":
    """How the games of each are distributed, a hill a row, with the mean of each at the right."""
    words = "Hill: number of games · dot: their mean"
    chart = Rows(size, title, aside, list(samples), key or words)
    numbers = {name: np.asarray(sample, float) for name, sample in samples.items()}
    chart.values = [figure(float(sample.mean())) for sample in numbers.values()]
    means = [max(float(sample.mean()), 1.0) for sample in numbers.values()]
    chart.holds(*numbers.values())
    chart.logarithmic = max(means) / min(means) > APART
    if chart.logarithmic:
        chart.least = 1.0
    low, high = (0.0, math.log10(chart.most)) if chart.logarithmic else (min(0.0, chart.least), chart.most)
    edges = np.linspace(low, high, BINS + 1)
    for place, (name, sample) in enumerate(numbers.items()):
        counts = np.histogram(chart.place(sample), edges)[0]
        tops = place + 0.35 - 0.8 * counts / max(1, counts.max())
        style: dict[str, Any] = {"baseline": place + 0.35, "color": series(place)}
        chart.axes.stairs(tops, edges, fill=True, alpha=0.35, linewidth=0, zorder=2, **style)
        chart.axes.stairs(tops, edges, linewidth=1.2 * A_PIXEL, zorder=3, **style)
        mean = float(chart.place(max(numbers[name].mean(), 1e-9)))
        chart.axes.plot([mean], [place + 0.35], color=STRONG, marker="o", markersize=6 * A_PIXEL, zorder=4)
    return chart.finished()


def over_generations(
    size: Size, title: str, lines: Mapping[str, Sequence[float | None]], key: str = "", aside: str = "by generation"
) -> "Figure":
    """Numbers generation by generation, a line each."""
    values = {name: known_numbers(line) for name, line in lines.items()}
    chart = Chart(size, title, aside, max(map(len, values.values())), key)
    chart.scale_by(np.concatenate(list(values.values())))
    for place, (name, line) in enumerate(values.items()):
        chart.line(name, line, series(place), dashed=place >= len(SERIES))
    return chart.finished()


def quartiles(size: Size, title: str, run: Mapping[str, Any], key: str = "") -> "Figure":
    """Mean, first and third quartile of every generation of a run."""
    metrics = run["metrics"]
    columns = {"3rd quartile": "q3", "Mean": "mean", "1st quartile": "q1"}
    return over_generations(size, title, {name: metrics[column] for name, column in columns.items()}, key)


def against(
    size: Size, title: str, aside: str, places: Sequence[str], lines: Mapping[str, Sequence[Ours]], key: str = ""
) -> "Figure":
    """Figures against a setting that was varied, a line each with its intervals; `places` are the settings in words."""
    chart = Places(size, title, aside, places, key or "Dot: ours, with its 95 % interval")
    ends = [end for line in lines.values() for ours in line for end in ours.interval if math.isfinite(end)]
    chart.scale_by(np.array(ends))
    for number, (name, line) in enumerate(lines.items()):
        chart.line(name, known_numbers([ours.value for ours in line]), series(number))
        for place, ours in enumerate(line, 1):
            low, high = (float(np.clip(end, min(ends), max(ends))) for end in ours.interval)
            chart.holds(low, high)
            chart.axes.plot([place, place], [low, high], color=series(number), linewidth=1.5 * A_PIXEL, zorder=4)
    return chart.finished()


class Places(Chart):
    """A chart whose steps have words below them."""

    def __init__(self, size: Size, title: str, aside: str, places: Sequence[str], key: str) -> None:
        super().__init__(size, title, aside, len(places), key)
        self.places = places

    def lay_out(self) -> None:
        """As every chart, with words for the steps."""
        super().lay_out()
        room = self.axes.get_position().width * self.size.width / max(1, len(self.places) - 1)
        step = max(1, math.ceil(max(map(width_of, self.places)) / max(room - 4, 1)))
        shown = range(0, len(self.places), step)
        look: dict[str, Any] = {"color": FAINT, "size": SMALL * A_PIXEL}
        self.axes.set_xticks([place + 1 for place in shown], [self.places[place] for place in shown], **look)


def known_numbers(values: Sequence[float | None]) -> "np.ndarray[Any, Any]":
    """Numbers, with those that are not known as not a number."""
    return np.array([np.nan if value is None else value for value in values], float)
