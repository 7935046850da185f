"""Answers about the controllers of the literature, made from the measured results."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tetrion.evaluation.confidence_intervals import NORMAL_QUANTILE, Interval
from tetrion.evaluation.number_format import format_number, format_percent
from tetrion.lab.papers.literature.literature_figures import (
    compute_relative_deviation,
    compute_row_value,
    make_board_lines_reader,
    make_lines_reader,
)
from tetrion.lab.reproduction.measured_values import make_ratio_reader
from tetrion.lab.reproduction.paper_definition import MeasurementResults
from tetrion.lab.reproduction.published_values import MeasuredValue, decide_above

BURGIEL_MAX_PIECES = 70_000  # alternating S and Z pieces end every game within this many pieces (Burgiel 1997)
_EXPONENTIAL_TOLERANCE = 0.1  # largest distance from 1 of deviation / mean for a distribution close to exponential
_LOW_ROWS, _HIGH_ROWS = 10, 18  # board heights from which the value of a row is computed
_TOO_FEW_GAMES_TEXT = "Too few games have ended for an answer."


@dataclass(frozen=True)
class LiteratureAnswers:
    """Answers about the given controllers and tie-breaking rules (label to measurement name).

    `spread_names` are the controllers whose games are compared with an exponential distribution.
    """

    controller_names: Sequence[str]
    tie_measurements: Mapping[str, str]
    spread_names: Sequence[str]

    def check_exponential_spread(self, results: MeasurementResults) -> MeasuredValue:
        """Check whether the standard deviation of the lines is about their mean, as of an exponential distribution."""
        intervals = {name: compute_spread_interval(results[f"{name}-10x10"]) for name in self.spread_names}
        low, high = 1 - _EXPONENTIAL_TOLERANCE, 1 + _EXPONENTIAL_TOLERANCE
        within = [decide_within(interval, low, high) for interval in intervals.values()]
        holds = False if False in within else None if None in within else True
        ends = [end for interval in intervals.values() for end in interval]
        others = [name for name in self.controller_names if name not in self.spread_names]
        limits = f"{format_number(min(ends))} to {format_number(max(ends))}"
        return MeasuredValue(
            holds=holds,
            text=f"standard deviation / mean: {self.list_spreads(self.spread_names, results)}",
            basis=f"of controllers in other publications: {self.list_spreads(others, results)}",
            evidence=f"the 95 % intervals of these {len(intervals)} ratios reach from {limits}",
        )

    def list_spreads(self, names: Sequence[str], results: MeasurementResults) -> str:
        """List the ratios of standard deviation and mean of controllers on ten rows."""
        spreads = {name: compute_relative_deviation(results[f"{name}-10x10"]) for name in names}
        return ", ".join(f"{name} {format_number(spread)}" for name, spread in spreads.items())

    def check_burgiel_bound(self, results: MeasurementResults) -> MeasuredValue:
        """Check whether every game with alternating S and Z pieces ended before Burgiel's bound."""
        pieces = {name: results[f"{name}-alternating"]["pieces"]["max"] for name in self.controller_names}
        name = max(pieces, key=lambda name: pieces[name])
        holds = all(number < BURGIEL_MAX_PIECES for number in pieces.values())
        text = f"the longest game has {pieces[name]:,} pieces"
        evidence = "every game ended before the bound" if holds else f"a game of {name} has not ended before the bound"
        basis = f"{name}; one game of each of {len(pieces)} controllers"
        return MeasuredValue(holds=holds, text=text, basis=basis, evidence=evidence)

    def describe_ranking(self, results: MeasurementResults) -> str:
        """Describe which controller is best on ten and on twenty rows, and whether the lead is significant."""
        ten = self.describe_best_controller(10, "ten", results)
        twenty = self.describe_best_controller(20, "twenty", results)
        return f"{ten[0].upper()}{ten[1:]}; {twenty}."

    def describe_best_controller(self, rows: int, rows_text: str, results: MeasurementResults) -> str:
        """Describe which controller is best on a board with the given number of rows."""
        lines = {name: make_board_lines_reader(rows, name)(results) for name in self.controller_names}
        if unfinished := [name for name in self.controller_names if lines[name].value is None]:
            return f"on {rows_text} rows no game of {', '.join(unfinished)} has ended, so the best is not known"
        first, second = sorted(lines, key=lambda name: -(lines[name].value or 0))[:2]
        gap = make_ratio_reader(make_board_lines_reader(rows, first), make_board_lines_reader(rows, second))(results)
        return (
            f"on {rows_text} rows it is {first} with {lines[first].formatted} lines per game, {gap.formatted} the "
            f"lines of {second}, {describe_significance(gap)}"
        )

    def describe_row_value(self, results: MeasurementResults) -> str:
        """Describe by what factor an additional row increases the lines of Dellacherie's controller."""
        low, high = (make_board_lines_reader(rows, "dellacherie")(results) for rows in (_LOW_ROWS, _HIGH_ROWS))
        factor = compute_row_value(high, low, _HIGH_ROWS - _LOW_ROWS)
        entry = make_ratio_reader(make_board_lines_reader(20, "dellacherie"), make_lines_reader("dellacherie-entry"))(
            results
        )
        if not factor.value or factor.value <= 1 or not entry.value:
            return _TOO_FEW_GAMES_TEXT
        rows = math.log(entry.value) / math.log(factor.value)
        return (
            f"Because the height of the board matters so much: between {_LOW_ROWS} and {_HIGH_ROWS} rows, each "
            f"additional row multiplies Dellacherie's lines by {factor.formatted}. The rule that a new piece must fit "
            f"into the top rows keeps the twenty rows but divides the lines by {format_number(entry.value)}, as much "
            f"as removing {format_number(rows)} rows would."
        )

    def describe_tie_effect(self, results: MeasurementResults) -> str:
        """Describe how much the tie-breaking rule changes the mean lines."""
        lines = {label: make_lines_reader(name)(results) for label, name in self.tie_measurements.items()}
        worst, best = (choose(lines, key=lambda label: lines[label].value or 0) for choose in (min, max))
        gap = make_ratio_reader(
            make_lines_reader(self.tie_measurements[best]), make_lines_reader(self.tie_measurements[worst])
        )(results)
        return (
            f"From {lines[worst].formatted} lines ({worst}) to {lines[best].formatted} ({best}): {gap.formatted} as "
            f"many, {describe_significance(gap)} (not corrected for the choice of the extremes of {len(lines)} rules)."
        )

    def describe_sz_survival(self, results: MeasurementResults) -> str:
        """Describe which controller plays longest with alternating and with random S and Z pieces."""
        alternating = {name: results[f"{name}-alternating"]["pieces"]["max"] for name in self.controller_names}
        random = {name: results[f"{name}-sz"]["pieces"]["mean"] for name in self.controller_names}
        first, last = (choose(alternating, key=lambda name: alternating[name]) for choose in (max, min))
        best = max(random, key=lambda name: random[name])
        return (
            f"If S and Z alternate, {first} plays longest with {alternating[first]:,} pieces, while {last} ends first "
            f"with {alternating[last]:,}; if they are drawn at random, {best} plays longest with "
            f"{format_number(random[best])} pieces per game. The bound of {BURGIEL_MAX_PIECES:,} holds for the best "
            "possible play: the longest game here is "
            f"{format_percent(alternating[first] / BURGIEL_MAX_PIECES)} of it."
        )


def compute_spread_interval(data: Mapping[str, Any]) -> Interval:
    """Return the 95 % interval of standard deviation / mean of the lines.

    For n exponentially distributed numbers, the logarithm of this ratio has a variance of about 1 / n (delta method).
    """
    ratio = compute_relative_deviation(data)
    factor = math.exp(NORMAL_QUANTILE / math.sqrt(data["games"]))
    return ratio / factor, ratio * factor


def decide_within(interval: Interval, low: float, high: float) -> bool | None:
    """Return whether an interval lies within two bounds; None if it contains one of them and so does not decide."""
    is_above, is_below = decide_above(interval, low), decide_above((-interval[1], -interval[0]), -high)
    if is_above is False or is_below is False:
        return False
    return True if is_above and is_below else None


def describe_significance(ratio: MeasuredValue) -> str:
    """Return whether a ratio is significantly above 1, in words."""
    return "statistically significant" if ratio.interval[0] > 1 else "not statistically significant"
