"""Values, figures and tables of the controllers of the literature."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tetrion.drawing.palette import SECOND_ACCENT, get_series_colour
from tetrion.evaluation.confidence_intervals import Interval
from tetrion.evaluation.number_format import format_count, format_mean_interval, format_number
from tetrion.lab.figure_charts import POINTS_PER_PIXEL, FigureSize
from tetrion.lab.reproduction.measured_values import ValueReader, compute_mean, compute_mean_over_seeds, compute_ratio
from tetrion.lab.reproduction.paper_definition import MeasurementResults
from tetrion.lab.reproduction.published_values import MeasuredValue
from tetrion.lab.reproduction.reproduction_figures import ForestRow, RowChart, draw_forest_plot, draw_parameter_sweep

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MILLION_LINES = 1e6
_MEAN_MULTIPLES = tuple(step / 2 for step in range(9))  # multiples of the mean at which survival is drawn
_REPORTED_LABEL = "reported"
_OURS_LABEL = "ours"


class ReportedResult(NamedTuple):
    """An older published result of an agent whose weights are not available."""

    authors: str
    method: str
    low: float
    high: float
    rules: str = "different, partly unknown"


_OLDER_RESULTS = [  # commonly cited; not checked in the originals
    ReportedResult("Tsitsiklis and Van Roy 1996", "approximate value iteration", 30, 30),
    ReportedResult("Bertsekas and Ioffe 1996", "λ-policy iteration", 2800, 3200),
    ReportedResult("Farias and Van Roy 2006", "linear programming", 4700, 4700),
    ReportedResult("Kakade 2001", "natural policy gradient", 6800, 6800),
    ReportedResult("Szita and Lőrincz 2006", "noisy cross-entropy", 348_895, 348_895),
    ReportedResult("Dellacherie in Fahey 2003", "hand-chosen weights", 0.6e6, 0.6e6, "Fahey's standard"),
]


def compute_lines(data: Mapping[str, Any]) -> MeasuredValue:
    """Return the mean lines per game, in millions where large, and the number of games that ended."""
    ours = compute_mean(data)
    text = format_mean_interval(ours.value, ours.ci95, millions_threshold=MILLION_LINES)
    ended = f"; {format_count(count_ended_games(data), 'game')} ended" if data["capped"] else ""
    return replace(ours, text=text, basis=ours.basis + ended)


def count_ended_games(data: Mapping[str, Any]) -> int:
    """Return the number of games that ended without being capped."""
    return int(data["games"] - data["capped"])


def make_lines_reader(name: str) -> ValueReader:
    """Return a reader of the mean lines per game of a measurement."""
    return lambda results: compute_lines(results[name])


def make_board_lines_reader(rows: int, name: str) -> ValueReader:
    """Return a reader of the mean lines per game of a controller on a board with the given number of rows."""
    return make_lines_reader(f"{name}-10x{rows}")


def compute_relative_deviation(data: Mapping[str, Any]) -> float:
    """Return the standard deviation of the lines divided by their mean; 1 for an exponential distribution."""
    return float(data["lines"]["deviation"] / data["lines"]["played"])


def compute_row_value(more: MeasuredValue, fewer: MeasuredValue, rows: int) -> MeasuredValue:
    """Return the factor in lines per additional row, from two boards that differ by the given number of rows."""
    ratio = compute_ratio(more, fewer)
    if ratio.value is None:
        return MeasuredValue(text="–")
    low, high = ratio.interval
    return MeasuredValue(ratio.value ** (1 / rows), (low ** (1 / rows), high ** (1 / rows)))


def draw_controllers(
    published: Mapping[str, Interval | None], rows: int, results: MeasurementResults, size: FigureSize
) -> "Figure":
    """Draw the controllers on a board, with the intervals of the values that they are compared with."""
    entries = [
        ForestRow(name, make_board_lines_reader(rows, name)(results), interval) for name, interval in published.items()
    ]
    entries.sort(key=lambda entry: entry.measured.interval[0])
    return draw_forest_plot(size, "Lines per game", f"10×{rows}", entries)


class RankedResult(NamedTuple):
    """A row of the history of results."""

    agent: str
    lines: float
    lines_text: str
    source: str
    rules: str


def rank_results(names: Sequence[str], results: MeasurementResults) -> list[RankedResult]:
    """Return published results and ours, sorted from the fewest lines to the most."""
    ranked = [
        RankedResult(
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
        lines = ours.interval[0] if ours.value is None else ours.value
        ranked.append(RankedResult(name, lines, ours.formatted, _OURS_LABEL, "standard"))
    learnt = compute_mean_over_seeds(results["cross-entropy-constant"])
    ranked.append(
        RankedResult("cross-entropy, constant noise", learnt.value or 0, learnt.formatted, _OURS_LABEL, "standard")
    )
    return sorted(ranked, key=lambda result: result.lines)


def format_reported_range(report: ReportedResult) -> str:
    """Format a published value or range."""
    low, high = (format_number(end, 0) for end in (report.low, report.high))
    return low if low == high else f"{low} to {high}"


def draw_result_history(names: Sequence[str], results: MeasurementResults, size: FigureSize) -> "Figure":
    """Draw published results and ours, sorted by lines per game."""
    ranked = rank_results(names, results)
    legend = "Dot: ours · diamond: reported, with other rules"
    chart = RowChart(size, "Lines per game", "10×20", [result.agent for result in ranked], legend)
    chart.value_texts = [result.lines_text for result in ranked]
    chart.is_logarithmic = True
    chart.include_values(*(result.lines for result in ranked))
    for row, result in enumerate(ranked):
        is_ours = result.source == _OURS_LABEL
        style: dict[str, Any] = {
            "marker": "o" if is_ours else "D",
            "markersize": 8 * POINTS_PER_PIXEL,
            "zorder": 4,
        }
        colour = get_series_colour(0) if is_ours else SECOND_ACCENT
        chart.axes.plot([float(chart.to_axis(result.lines))], [row], color=colour, **style)
    return chart.finish()


def draw_survival(names: Sequence[str], results: MeasurementResults, size: FigureSize) -> "Figure":
    """Draw the share of games longer than multiples of the mean, compared with an exponential distribution."""
    shares = {"exponential": [math.exp(-multiple) for multiple in _MEAN_MULTIPLES]}
    for name in names:
        sample = np.array(results[f"{name}-10x10"]["sample"]["lines"])
        shares[name] = [float((sample > multiple * sample.mean()).mean()) for multiple in _MEAN_MULTIPLES]
    points = {name: [MeasuredValue(share) for share in line] for name, line in shares.items()}
    categories = [f"{multiple:g}" for multiple in _MEAN_MULTIPLES]
    legend = "Horizontal: lines as a multiple of the mean · vertical: share of games with more lines"
    return draw_parameter_sweep(size, "Share of longer games", "10×10", categories, points, legend=legend)


def make_controller_table(names: Sequence[str], results: MeasurementResults) -> list[list[str]]:
    """Return one row per controller with its results on both boards."""
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
    """Return published results and ours with their rules, sorted by lines."""
    return [[row.agent, row.lines_text, row.source, row.rules] for row in rank_results(names, results)]


def make_tie_table(tie_measurements: Mapping[str, str], results: MeasurementResults) -> list[list[str]]:
    """Return one row per tie-breaking rule."""
    return [[label, make_lines_reader(name)(results).formatted] for label, name in tie_measurements.items()]


def make_height_table(heights: Sequence[int], results: MeasurementResults) -> list[list[str]]:
    """Return one row per board height: lines of Dellacherie's controller, and the factor per additional row."""
    lines = [make_board_lines_reader(rows, "dellacherie")(results) for rows in heights]
    factors = ["–"] + [
        compute_row_value(more, fewer, higher - lower).formatted
        for (lower, higher), (fewer, more) in zip(pairwise(heights), pairwise(lines), strict=True)
    ]
    return [[str(rows), ours.formatted, factor] for rows, ours, factor in zip(heights, lines, factors, strict=True)]


def make_sz_table(names: Sequence[str], results: MeasurementResults) -> list[list[str]]:
    """Return one row per controller with its number of pieces when only S and Z pieces come."""
    return [
        [
            name,
            f"{results[f'{name}-alternating']['pieces']['max']:,}",
            compute_mean(results[f"{name}-sz"], "pieces").formatted,
        ]
        for name in names
    ]
