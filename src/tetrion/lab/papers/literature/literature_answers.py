"""What the games of the literature's controllers tell together, in sentences that follow the figures."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tetrion.evaluation.number_format import format_number, format_percent
from tetrion.lab.papers.literature.literature_figures import (
    compute_relative_deviation,
    compute_row_value,
    make_board_lines_reader,
    make_lines_reader,
)
from tetrion.lab.reproduction.measured_values import make_ratio_reader
from tetrion.lab.reproduction.paper_definition import MeasurementResults
from tetrion.lab.reproduction.published_values import MeasuredValue

BURGIEL_MAX_PIECES = 70_000  # pieces within which S and Z in turn end every game (Burgiel 1997)
_EXPONENTIAL_TOLERANCE = 0.1  # how far from 1 the deviation may be as a share of the mean, to call lengths exponential
_MIN_LASTING_LINES = 500  # lines from which on the empty board at the start counts for little
_LOW_ROWS, _HIGH_ROWS = 10, 18  # rows between which a row's worth is told
_TOO_FEW_GAMES_TEXT = "Too few games have ended to say."


@dataclass(frozen=True)
class LiteratureAnswers:
    """The answers about these controllers and orders of ties (in words, and as measurements)."""

    controller_names: Sequence[str]
    tie_measurements: Mapping[str, str]

    def check_exponential_spread(self, results: MeasurementResults) -> MeasuredValue:
        """Whether the lines of games spread as much as their mean, for every controller whose games last."""
        data = {name: results[f"{name}-10x10"] for name in self.controller_names}
        shares = {name: compute_relative_deviation(data[name]) for name in self.controller_names}
        lasting = [
            shares[name] for name in self.controller_names if data[name]["lines"]["played"] >= _MIN_LASTING_LINES
        ]
        if not lasting:
            return MeasuredValue(holds=False, text="no controller's games last")
        short = [name for name in self.controller_names if data[name]["lines"]["played"] < _MIN_LASTING_LINES]
        words = f"the deviation is {format_number(min(lasting))} to {format_number(max(lasting))} times the mean"
        if short:
            told = ", ".join(f"{name} {format_number(shares[name])}" for name in short)
            words += f"; below {_MIN_LASTING_LINES} lines, where the empty board at the start counts: {told}"
        holds = min(lasting) >= 1 - _EXPONENTIAL_TOLERANCE and max(lasting) <= 1 + _EXPONENTIAL_TOLERANCE
        basis = f"{len(self.controller_names)} controllers on ten rows"
        return MeasuredValue(
            holds=holds,
            text=words,
            basis=basis,
            evidence=f"where games last it is within {_EXPONENTIAL_TOLERANCE:g} of 1",
        )

    def find_longest_sz_game(self, results: MeasurementResults) -> MeasuredValue:
        """The longest game of any controller when S and Z come in turn."""
        pieces = {name: results[f"{name}-alternating"]["pieces"]["max"] for name in self.controller_names}
        name = max(pieces, key=lambda name: pieces[name])
        basis = f"the longest of {len(pieces)} controllers: {name}"
        return MeasuredValue(pieces[name], text=f"{pieces[name]:,} pieces", basis=basis)

    def describe_ranking(self, results: MeasurementResults) -> str:
        """Who is best on ten rows and on twenty, and whether that is known."""
        ten, twenty = (
            self.describe_best_controller(10, "ten", results),
            self.describe_best_controller(20, "twenty", results),
        )
        return f"{ten[0].upper()}{ten[1:]}; {twenty}."

    def describe_best_controller(self, rows: int, rows_text: str, results: MeasurementResults) -> str:
        """Who is best on a board."""
        found = {name: make_board_lines_reader(rows, name)(results) for name in self.controller_names}
        if unseen := [name for name in self.controller_names if found[name].value is None]:
            return f"on {rows_text} rows no game of {', '.join(unseen)} has ended here, so that the best is not known"
        first, second = sorted(found, key=lambda name: -(found[name].value or 0))[:2]
        gap = make_ratio_reader(make_board_lines_reader(rows, first), make_board_lines_reader(rows, second))(results)
        sure = "more than chance explains" if gap.interval[0] > 1 else "which chance may explain"
        return f"on {rows_text} rows it is {first} with {found[first].formatted} lines a game, {gap.formatted} {second}'s, {sure}"

    def describe_row_value(self, results: MeasurementResults) -> str:
        """What a further row of height is worth, by Dellacherie's controller."""
        low, high = (make_board_lines_reader(rows, "dellacherie")(results) for rows in (_LOW_ROWS, _HIGH_ROWS))
        worth = compute_row_value(high, low, _HIGH_ROWS - _LOW_ROWS)
        entry = make_ratio_reader(make_board_lines_reader(20, "dellacherie"), make_lines_reader("dellacherie-entry"))(
            results
        )
        if not worth.value or worth.value <= 1 or not entry.value:
            return _TOO_FEW_GAMES_TEXT
        rows = math.log(entry.value) / math.log(worth.value)
        return (
            f"Because height counts for so much: between {_LOW_ROWS} and {_HIGH_ROWS} rows every further row multiplies "
            f"Dellacherie's lines by {worth.formatted}. That a new piece needs room to enter leaves the twenty rows but "
            f"divides the lines by {format_number(entry.value)}, as {format_number(rows)} rows fewer would."
        )

    def describe_tie_effect(self, results: MeasurementResults) -> str:
        """How far the order of ties moves a mean."""
        found = {words: make_lines_reader(name)(results) for words, name in self.tie_measurements.items()}
        least, most = (choose(found, key=lambda words: found[words].value or 0) for choose in (min, max))
        gap = make_ratio_reader(
            make_lines_reader(self.tie_measurements[most]), make_lines_reader(self.tie_measurements[least])
        )(results)
        known = "more than chance explains" if gap.interval[0] > 1 else "which chance may explain"
        return f"From {found[least].formatted} lines ({least}) to {found[most].formatted} ({most}): {gap.formatted} as many, {known}."

    def describe_sz_survival(self, results: MeasurementResults) -> str:
        """Who lasts longest when S and Z come in turn, and when they come by lot."""
        turn = {name: results[f"{name}-alternating"]["pieces"]["max"] for name in self.controller_names}
        lot = {name: results[f"{name}-sz"]["pieces"]["mean"] for name in self.controller_names}
        first, last = (choose(turn, key=lambda name: turn[name]) for choose in (max, min))
        best = max(lot, key=lambda name: lot[name])
        return (
            f"If they come in turn, {first} with {turn[first]:,} pieces, and {last} is the first to end with "
            f"{turn[last]:,}; if they come by lot, {best} with {format_number(lot[best])} pieces a game. The bound of "
            f"{BURGIEL_MAX_PIECES:,} is one for the best play that there can be: the longest game here is "
            f"{format_percent(turn[first] / BURGIEL_MAX_PIECES)} of it."
        )
