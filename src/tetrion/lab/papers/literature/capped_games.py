"""Capped games of controllers whose games are too long to play to their end, and whether the cap matters."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tetrion.engine.placing import STATUS_OVER
from tetrion.evaluation.confidence_intervals import SampleArray, compute_censored_interval
from tetrion.evaluation.number_format import format_count, format_duration, format_mean_interval, format_number
from tetrion.lab.papers.literature.literature_figures import MILLION_LINES, make_board_lines_reader
from tetrion.lab.reproduction.measurements import GameMeasurement, MeasurementContext, summarise_games
from tetrion.lab.reproduction.paper_definition import MeasurementResults
from tetrion.lab.reproduction.published_values import MeasuredValue

CAP_SHARES = (0.1, 0.25, 0.5, 1.0)  # earlier caps, as shares of the cap
_LINES_PER_PIECE = 0.4  # four cells per piece, ten cells per line


@dataclass(frozen=True)
class CappedGameMeasurement(GameMeasurement):
    """Capped games, with what they would have shown under earlier caps."""

    def measure(self, context: MeasurementContext) -> dict[str, Any]:
        """Play the games and return their summary with the deaths under each cap."""
        result = self.play(context)
        cap = self.get_limits(context.is_quick)[1]
        workers = context.gpu if self.is_long and context.gpu else context.workers
        summary = summarise_games(result) | {"cap": cap}
        summary["time"] |= {"device": workers.description}
        if cap is not None:
            is_dead = result.per_game["status"] == STATUS_OVER
            summary["earlier_caps"] = count_deaths_under_caps(result.per_game["pieces"], is_dead, cap)
        return summary


def count_deaths_under_caps(pieces: SampleArray, is_dead: SampleArray, cap: int) -> list[dict[str, float]]:
    """Return the number of deaths and of pieces of the same games under earlier caps."""
    caps = [int(share * cap) for share in CAP_SHARES]
    return [
        {
            "cap": earlier,
            "deaths": int(np.sum(is_dead & (pieces <= earlier))),
            "pieces": float(np.minimum(pieces, earlier).sum()),
        }
        for earlier in caps
    ]


def estimate_lines(entry: Mapping[str, float]) -> MeasuredValue:
    """Return the mean lines per game from the pieces and deaths under one cap."""
    lines = _LINES_PER_PIECE * entry["pieces"]
    deaths = int(entry["deaths"])
    return MeasuredValue(lines / deaths if deaths else None, compute_censored_interval(lines, deaths))


def make_cap_table(names: Sequence[str], results: MeasurementResults) -> list[list[str]]:
    """Return one row per controller with capped games: lines per game and deaths under each cap."""
    rows = []
    for name in names:
        data = results[f"{name}-10x20"]
        if data["capped"]:
            cells = [format_estimate(entry) for entry in data["earlier_caps"]]
            rows.append([name, *cells])
    return rows


def format_estimate(entry: Mapping[str, float]) -> str:
    """Format the mean lines under one cap with the number of deaths."""
    return f"{format_lines(estimate_lines(entry))} ({format_count(int(entry['deaths']), 'death')})"


def format_lines(lines: MeasuredValue) -> str:
    """Format a number of lines, in millions if it is large."""
    return format_mean_interval(lines.value, lines.ci95, millions_threshold=MILLION_LINES)


def make_long_games_table(names: Sequence[str], results: MeasurementResults) -> list[list[str]]:
    """Return one row per controller with capped games: games, cap, pieces, deaths, lines, time and speed."""
    rows = []
    for name in names:
        data = results[f"{name}-10x20"]
        if data["capped"]:
            pieces = data["earlier_caps"][-1]["pieces"]
            time = data["time"]
            rows.append(
                [
                    name,
                    f"{data['games']:,}",
                    f"{data['cap']:,} pieces",
                    f"{format_number(pieces / 1e9)} billion",
                    f"{data['games'] - data['capped']:,}",
                    make_board_lines_reader(20, name)(results).formatted,
                    f"{format_duration(time['seconds'])} ({time['device']})",
                    f"{format_number(time['pieces_per_second'] / 1e6)} M",
                ]
            )
    return rows
