"""What is read, drawn and tabled of the controllers' games."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tetrion.drawing.palette import SECOND_ACCENT, get_series_colour
from tetrion.evaluation.number_format import format_count, format_mean_interval, format_number
from tetrion.lab.figure_charts import POINTS_PER_PIXEL, FigureSize
from tetrion.lab.reproduction.measured_values import ValueReader, compute_mean, compute_mean_over_seeds, compute_ratio
from tetrion.lab.reproduction.paper_definition import MeasurementResults
from tetrion.lab.reproduction.published_values import MeasuredValue
from tetrion.lab.reproduction.reproduction_figures import ForestRow, RowChart, draw_forest_plot, draw_parameter_sweep

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MILLION_LINES = 1e6
_MEAN_MULTIPLES = tuple(step / 2 for step in range(9))  # of the mean, at which the share of longer games is drawn
_REPORTED_LABEL = "reported"
_OURS_LABEL = "ours"


class ReportedResult(NamedTuple):
    """An older figure that is reported of an agent whose weights we do not have."""

    authors: str
    method: str
    low: float
    high: float
    rules: str = "others, not all known"


_OLDER_RESULTS = [  # as cited in the literature
    ReportedResult("Tsitsiklis and Van Roy 1996", "approximate value iteration", 30, 30),
    ReportedResult("Bertsekas and Ioffe 1996", "λ-policy iteration", 2800, 3200),
    ReportedResult("Farias and Van Roy 2006", "linear programming", 4700, 4700),
    ReportedResult("Kakade 2001", "natural policy gradient", 6800, 6800),
    ReportedResult("Szita and Lőrincz 2006", "noisy cross-entropy", 348_895, 348_895),
    ReportedResult("Dellacherie in Fahey 2003", "by hand", 0.6e6, 0.6e6, "Fahey's standard"),
]


def compute_lines(data: Mapping[str, Any]) -> MeasuredValue:
    """Lines a game without an end, in millions where there are as many, and by how many deaths."""
    ours = compute_mean(data)
    words = format_mean_interval(ours.value, ours.ci95, millions_threshold=MILLION_LINES)
    deaths = f"; {format_count(count_ended_games(data), 'death')}" if data["capped"] else ""
    return replace(ours, text=words, basis=ours.basis + deaths)


def count_ended_games(data: Mapping[str, Any]) -> int:
    """How many games of a measurement ended by the rules."""
    return int(data["games"] - data["capped"])


def make_lines_reader(name: str) -> ValueReader:
    """Lines a game of a measurement."""
    return lambda results: compute_lines(results[name])


def make_board_lines_reader(rows: int, name: str) -> ValueReader:
    """Lines a game of a controller on a board of so many rows."""
    return make_lines_reader(f"{name}-10x{rows}")


def compute_relative_deviation(data: Mapping[str, Any]) -> float:
    """The deviation of a measurement's lines as a share of their mean: 1 if they are exponential."""
    return float(data["lines"]["deviation"] / data["lines"]["played"])


def compute_row_value(more: MeasuredValue, fewer: MeasuredValue, rows: int) -> MeasuredValue:
    """By how much a further row multiplies the lines, where so many rows lie between two boards."""
    ours = compute_ratio(more, fewer)
    if ours.value is None:
        return MeasuredValue(text="–")
    low, high = ours.interval
    return MeasuredValue(ours.value ** (1 / rows), (low ** (1 / rows), high ** (1 / rows)))


def draw_controllers(
    known: Mapping[str, Sequence[tuple[float, float]]], rows: int, results: MeasurementResults, size: FigureSize
) -> "Figure":
    """The controllers on a board, and from where to where the figures that are reported of them lie."""
    entries = []
    for name, reports in known.items():
        ends = [value * (1 + way * share) for value, share in reports for way in (-1, 1)]
        entries.append(
            ForestRow(name, make_board_lines_reader(rows, name)(results), (min(ends), max(ends)) if ends else None)
        )
    entries.sort(key=lambda entry: entry.measured.interval[0])
    return draw_forest_plot(size, "Lines a game", f"10×{rows}", entries)


def rank_results(names: Sequence[str], results: MeasurementResults) -> list[tuple[str, float, str, str, str]]:
    """Agent, number, the same in words, whose figure and rules, from the fewest lines to the most."""
    found = [
        (
            report.authors,
            math.sqrt(report.low * report.high),
            format_reported_range(report),
            f"{_REPORTED_LABEL}: {report.method}",
            report.rules,
        )
        for report in _OLDER_RESULTS
    ]
    for name in names:
        ours = make_board_lines_reader(20, name)(results)
        number = ours.interval[0] if ours.value is None else ours.value
        found.append((name, number, ours.formatted, _OURS_LABEL, "standard"))
    learnt = compute_mean_over_seeds(results["cross-entropy"])
    found.append(("cross-entropy, learnt", learnt.value or 0, learnt.formatted, _OURS_LABEL, "standard"))
    return sorted(found, key=lambda rung: rung[1])


def format_reported_range(report: ReportedResult) -> str:
    """A reported figure or range in words."""
    low, high = (format_number(end, 0) for end in (report.low, report.high))
    return low if low == high else f"{low} to {high}"


def draw_result_history(names: Sequence[str], results: MeasurementResults, size: FigureSize) -> "Figure":
    """Reported figures and ours in one order."""
    found = rank_results(names, results)
    chart = RowChart(
        size, "Lines a game", "10×20", [who for who, *_ in found], "Dot: ours · diamond: reported, by other rules"
    )
    chart.value_texts = [words for _, _, words, _, _ in found]
    chart.is_logarithmic = True
    chart.include_values(*(number for _, number, *_ in found))
    for place, (_, number, _, whose, _) in enumerate(found):
        look: dict[str, Any] = {
            "marker": "o" if whose == _OURS_LABEL else "D",
            "markersize": 8 * POINTS_PER_PIXEL,
            "zorder": 4,
        }
        chart.axes.plot(
            [float(chart.to_axis(number))],
            [place],
            color=get_series_colour(0) if whose == _OURS_LABEL else SECOND_ACCENT,
            **look,
        )
    return chart.finish()


def draw_survival(names: Sequence[str], results: MeasurementResults, size: FigureSize) -> "Figure":
    """The share of games that are longer than so many times their mean, beside the exponential curve."""
    shares = {"exponential": [math.exp(-multiple) for multiple in _MEAN_MULTIPLES]}
    for name in names:
        sample = np.array(results[f"{name}-10x10"]["sample"]["lines"])
        shares[name] = [float((sample > multiple * sample.mean()).mean()) for multiple in _MEAN_MULTIPLES]
    points = {name: [MeasuredValue(share) for share in line] for name, line in shares.items()}
    places = [f"{multiple:g}" for multiple in _MEAN_MULTIPLES]
    key = "Across: lines as a multiple of the mean · up: the share of games with more"
    return draw_parameter_sweep(size, "Games that last longer", "10×10", places, points, key)


def make_controller_table(names: Sequence[str], results: MeasurementResults) -> list[list[str]]:
    """Every controller on both boards."""
    return [
        [
            name,
            make_board_lines_reader(10, name)(results).formatted,
            make_board_lines_reader(20, name)(results).formatted,
            f"{count_ended_games(results[f'{name}-10x20']):,}",
            format_number(compute_relative_deviation(results[f"{name}-10x10"])),
            compute_row_value(
                make_board_lines_reader(20, name)(results), make_board_lines_reader(10, name)(results), 10
            ).formatted,
        ]
        for name in names
    ]


def make_result_history_table(names: Sequence[str], results: MeasurementResults) -> list[list[str]]:
    """Reported figures and ours in one order, with the rules of each."""
    return [[who, words, whose, rules] for who, _, words, whose, rules in rank_results(names, results)]


def make_tie_table(tied: Mapping[str, str], results: MeasurementResults) -> list[list[str]]:
    """Every order of ties."""
    return [[words, make_lines_reader(name)(results).formatted] for words, name in tied.items()]


def make_height_table(heights: Sequence[int], results: MeasurementResults) -> list[list[str]]:
    """Dellacherie's controller on every height, and what a row is worth from each board to the next."""
    found = [make_board_lines_reader(rows, "dellacherie")(results) for rows in heights]
    worth = ["–"] + [
        compute_row_value(more, fewer, heights[place + 1] - heights[place]).formatted
        for place, (fewer, more) in enumerate(pairwise(found))
    ]
    return [[str(rows), ours.formatted, times] for rows, ours, times in zip(heights, found, worth, strict=True)]


def make_sz_table(names: Sequence[str], results: MeasurementResults) -> list[list[str]]:
    """How long each controller lasts against S and Z."""
    return [
        [
            name,
            f"{results[f'{name}-alternating']['pieces']['max']:,}",
            compute_mean(results[f"{name}-sz"], "pieces").formatted,
        ]
        for name in names
    ]
