"""An evaluation as a table of statistics, and its games as records for CSV files and data frames."""

from functools import partial
from typing import TYPE_CHECKING

from tetrion.engine.batch_play import STATUS_CAPPED, STATUS_OVER, STATUS_PLAYING
from tetrion.evaluation.number_format import MILLIONS_THRESHOLD, format_mean_interval, format_number

if TYPE_CHECKING:
    from tetrion.evaluation.game_statistics import Evaluation

GAME_STATUS_NAMES = {STATUS_OVER: "over", STATUS_CAPPED: "capped", STATUS_PLAYING: "stopped"}
_CLEAR_COLUMNS = ("singles", "doubles", "triples", "tetrises")
GAME_COLUMNS = ("agent", "rules", "seed", "game", "status", "pieces", "lines", "score", *_CLEAR_COLUMNS, "frames")
STATISTICS_HEADINGS = ("", "mean", "median", "quartiles", "min", "max")
ESTIMATE_MARK = " *"  # after means that are estimated from capped games


def list_game_records(evaluation: "Evaluation") -> list[dict[str, int | str]]:
    """Return one dictionary of plain numbers and texts per game, with the keys `GAME_COLUMNS`."""
    games = evaluation.per_game
    columns: dict[str, list[int]] = {name: games[name].tolist() for name in ("pieces", "lines", "score", "frames")}
    columns |= {name: games["clears"][:, index].tolist() for index, name in enumerate(_CLEAR_COLUMNS)}
    shared: dict[str, int | str] = {"agent": evaluation.agent, "rules": str(evaluation.rules), "seed": evaluation.seed}
    columns["game"] = evaluation.game_numbers.tolist()
    statuses = [GAME_STATUS_NAMES[status] for status in games["status"].tolist()]
    rows = (
        shared | {"status": status} | {name: values[index] for name, values in columns.items()}
        for index, status in enumerate(statuses)
    )
    return [{name: row[name] for name in GAME_COLUMNS} for row in rows]


def format_statistics(evaluation: "Evaluation", millions_from: float = MILLIONS_THRESHOLD) -> list[list[str]]:
    """Return the table rows of lines, score and pieces; numbers from `millions_from` on are in millions."""
    statistics = {"lines": evaluation.lines, "score": evaluation.score, "pieces": evaluation.pieces}
    shorten = partial(format_number, millions_threshold=millions_from)
    mark = ESTIMATE_MARK if evaluation.capped else ""
    return [
        [
            name,
            format_mean_interval(summary.mean, summary.ci95, millions_threshold=millions_from) + mark,
            shorten(summary.median),
            f"{shorten(summary.q1, 0)}–{shorten(summary.q3, 0)}",
            shorten(summary.min, 0),
            shorten(summary.max, 0),
        ]
        for name, summary in statistics.items()
    ]
