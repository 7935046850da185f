"""What is read, drawn and tabled of the controllers' games."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tetrion.drawing.palette import SECOND, series
from tetrion.evaluation.words import counted, figure, with_interval
from tetrion.lab.charts import A_PIXEL, Size
from tetrion.lab.reproduction.figures import Entry, Rows, against, forest
from tetrion.lab.reproduction.findings import Found, mean_in, over_seeds_in, ratio
from tetrion.lab.reproduction.paper import Results
from tetrion.lab.reproduction.published import Ours

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MILLION = 1e6
MULTIPLES = tuple(step / 2 for step in range(9))  # of the mean, at which the share of longer games is drawn
REPORTED = "reported"
OURS = "ours"


class Report(NamedTuple):
    """An older figure that is reported of an agent whose weights we do not have."""

    who: str
    method: str
    low: float
    high: float
    rules: str = "others, not all known"


OLDER = [  # as cited in the literature
    Report("Tsitsiklis and Van Roy 1996", "approximate value iteration", 30, 30),
    Report("Bertsekas and Ioffe 1996", "λ-policy iteration", 2800, 3200),
    Report("Farias and Van Roy 2006", "linear programming", 4700, 4700),
    Report("Kakade 2001", "natural policy gradient", 6800, 6800),
    Report("Szita and Lőrincz 2006", "noisy cross-entropy", 348_895, 348_895),
    Report("Dellacherie in Fahey 2003", "by hand", 0.6e6, 0.6e6, "Fahey's standard"),
]


def lines_in(data: Mapping[str, Any]) -> Ours:
    """Lines a game without an end, in millions where there are as many, and by how many deaths."""
    ours = mean_in(data)
    words = with_interval(ours.value, ours.ci95, millions_from=MILLION)
    deaths = f"; {counted(deaths_in(data), 'death')}" if data["capped"] else ""
    return replace(ours, words=words, basis=ours.basis + deaths)


def deaths_in(data: Mapping[str, Any]) -> int:
    """How many games of a measurement ended by the rules."""
    return int(data["games"] - data["capped"])


def lines(name: str) -> Found:
    """Lines a game of a measurement."""
    return lambda results: lines_in(results[name])


def on(rows: int, name: str) -> Found:
    """Lines a game of a controller on a board of so many rows."""
    return lines(f"{name}-10x{rows}")


def shape(data: Mapping[str, Any]) -> float:
    """The deviation of a measurement's lines as a share of their mean: 1 if they are exponential."""
    return float(data["lines"]["deviation"] / data["lines"]["played"])


def row_worth(more: Ours, fewer: Ours, rows: int) -> Ours:
    """By how much a further row multiplies the lines, where so many rows lie between two boards."""
    ours = ratio(more, fewer)
    if ours.value is None:
        return Ours(words="–")
    low, high = ours.interval
    return Ours(ours.value ** (1 / rows), (low ** (1 / rows), high ** (1 / rows)))


def forest_of(known: Mapping[str, Sequence[tuple[float, float]]], rows: int, results: Results, size: Size) -> "Figure":
    """The controllers on a board, and from where to where the figures that are reported of them lie."""
    entries = []
    for name, reports in known.items():
        ends = [value * (1 + way * share) for value, share in reports for way in (-1, 1)]
        entries.append(Entry(name, on(rows, name)(results), (min(ends), max(ends)) if ends else None))
    entries.sort(key=lambda entry: entry.ours.interval[0])
    return forest(size, "Lines a game", f"10×{rows}", entries)


def rungs(names: Sequence[str], results: Results) -> list[tuple[str, float, str, str, str]]:
    """Agent, number, the same in words, whose figure and rules, from the fewest lines to the most."""
    found = [
        (
            report.who,
            math.sqrt(report.low * report.high),
            range_words(report),
            f"{REPORTED}: {report.method}",
            report.rules,
        )
        for report in OLDER
    ]
    for name in names:
        ours = on(20, name)(results)
        number = ours.interval[0] if ours.value is None else ours.value
        found.append((name, number, ours.shown, OURS, "standard"))
    learnt = over_seeds_in(results["cross-entropy"])
    found.append(("cross-entropy, learnt", learnt.value or 0, learnt.shown, OURS, "standard"))
    return sorted(found, key=lambda rung: rung[1])


def range_words(report: Report) -> str:
    """A reported figure or range in words."""
    low, high = (figure(end, 0) for end in (report.low, report.high))
    return low if low == high else f"{low} to {high}"


def ladder(names: Sequence[str], results: Results, size: Size) -> "Figure":
    """Reported figures and ours in one order."""
    found = rungs(names, results)
    chart = Rows(
        size, "Lines a game", "10×20", [who for who, *_ in found], "Dot: ours · diamond: reported, by other rules"
    )
    chart.values = [words for _, _, words, _, _ in found]
    chart.logarithmic = True
    chart.holds(*(number for _, number, *_ in found))
    for place, (_, number, _, whose, _) in enumerate(found):
        look: dict[str, Any] = {"marker": "o" if whose == OURS else "D", "markersize": 8 * A_PIXEL, "zorder": 4}
        chart.axes.plot([float(chart.place(number))], [place], color=series(0) if whose == OURS else SECOND, **look)
    return chart.finished()


def survival(names: Sequence[str], results: Results, size: Size) -> "Figure":
    """The share of games that are longer than so many times their mean, beside the exponential curve."""
    shares = {"exponential": [math.exp(-multiple) for multiple in MULTIPLES]}
    for name in names:
        sample = np.array(results[f"{name}-10x10"]["sample"]["lines"])
        shares[name] = [float((sample > multiple * sample.mean()).mean()) for multiple in MULTIPLES]
    points = {name: [Ours(share) for share in line] for name, line in shares.items()}
    places = [f"{multiple:g}" for multiple in MULTIPLES]
    key = "Across: lines as a multiple of the mean · up: the share of games with more"
    return against(size, "Games that last longer", "10×10", places, points, key)


def controller_rows(names: Sequence[str], results: Results) -> list[list[str]]:
    """Every controller on both boards."""
    return [
        [
            name,
            on(10, name)(results).shown,
            on(20, name)(results).shown,
            f"{deaths_in(results[f'{name}-10x20']):,}",
            figure(shape(results[f"{name}-10x10"])),
            row_worth(on(20, name)(results), on(10, name)(results), 10).shown,
        ]
        for name in names
    ]


def scale_rows(names: Sequence[str], results: Results) -> list[list[str]]:
    """Reported figures and ours in one order, with the rules of each."""
    return [[who, words, whose, rules] for who, _, words, whose, rules in rungs(names, results)]


def tie_rows(tied: Mapping[str, str], results: Results) -> list[list[str]]:
    """Every order of ties."""
    return [[words, lines(name)(results).shown] for words, name in tied.items()]


def height_rows(heights: Sequence[int], results: Results) -> list[list[str]]:
    """Dellacherie's controller on every height, and what a row is worth from each board to the next."""
    found = [on(rows, "dellacherie")(results) for rows in heights]
    worth = ["–"] + [
        row_worth(more, fewer, heights[place + 1] - heights[place]).shown
        for place, (fewer, more) in enumerate(pairwise(found))
    ]
    return [[str(rows), ours.shown, times] for rows, ours, times in zip(heights, found, worth, strict=True)]


def sz_rows(names: Sequence[str], results: Results) -> list[list[str]]:
    """How long each controller lasts against S and Z."""
    return [
        [name, f"{results[f'{name}-alternating']['pieces']['max']:,}", mean_in(results[f"{name}-sz"], "pieces").shown]
        for name in names
    ]
