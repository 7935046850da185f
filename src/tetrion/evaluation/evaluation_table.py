"""An evaluation as a table of statistics, and its games as records for CSV files and data frames."""

from collections.abc import Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

from tetrion.engine.placing import STATUS_CAPPED, STATUS_OVER, STATUS_PLAYING
from tetrion.engine.records import FULL_SPIN, MAX_CLEARED_ROWS, MINI_SPIN
from tetrion.engine.rules import Rules
from tetrion.evaluation.confidence_intervals import MIN_SAMPLE_SIZE
from tetrion.evaluation.number_format import MILLIONS_THRESHOLD, format_mean_interval, format_number

if TYPE_CHECKING:
    from tetrion.evaluation.game_statistics import Evaluation, SummaryStatistics

GAME_STATUS_NAMES = {STATUS_OVER: "over", STATUS_CAPPED: "capped", STATUS_PLAYING: "stopped"}
_CLEAR_COLUMNS = ("singles", "doubles", "triples", "tetrises")
GAME_COLUMNS = ("agent", "rules", "seed", "game", "status", "pieces", "lines", "score", *_CLEAR_COLUMNS, "frames")
_SPIN_COLUMNS = tuple(  # spins by kind and cleared rows, such as mini_spins_1
    (f"{name}_{rows}", kind, rows)
    for name, kind in (("mini_spins", MINI_SPIN), ("spins", FULL_SPIN))
    for rows in range(MAX_CLEARED_ROWS)
)
_MODERN_COUNTERS = ("attack", "sent", "received", "back_to_backs", "longest_combo", "perfect_clears")
_GAMES_PER_PART = 10_000  # converted to Python's numbers at a time
STATISTICS_HEADINGS = ("", "mean", "median", "quartiles", "min", "max")
_LINES_SCORING = "lines"  # the scoring system with one point per line
ESTIMATE_MARK = " *"  # after means that are estimated from capped games


def list_game_columns(rules: Rules) -> tuple[str, ...]:
    """Return the columns of a game in files: `GAME_COLUMNS`, and in modern games those of attack and spins."""
    return (
        (*GAME_COLUMNS, *_MODERN_COUNTERS, *(name for name, *_ in _SPIN_COLUMNS)) if rules.is_modern else GAME_COLUMNS
    )


def iterate_game_records(evaluation: "Evaluation") -> Iterator[dict[str, int | str]]:
    """Yield one dictionary of plain numbers and texts per game, with the keys of `list_game_columns`."""
    names = list_game_columns(evaluation.rules)
    shared: dict[str, int | str] = {"agent": evaluation.agent, "rules": str(evaluation.rules), "seed": evaluation.seed}
    for start in range(0, evaluation.games, _GAMES_PER_PART):
        part = slice(start, start + _GAMES_PER_PART)
        games: Any = evaluation.per_game[part]
        columns: dict[str, list[int]] = {name: games[name].tolist() for name in ("pieces", "lines", "score", "frames")}
        columns |= {name: games["clears"][:, index].tolist() for index, name in enumerate(_CLEAR_COLUMNS)}
        if evaluation.rules.is_modern:
            columns |= {name: games[name].tolist() for name in _MODERN_COUNTERS}
            columns |= {name: games["clears_by_spin"][:, kind, rows].tolist() for name, kind, rows in _SPIN_COLUMNS}
        columns["game"] = evaluation.game_numbers[part].tolist()
        for index, status in enumerate(games["status"].tolist()):
            row = shared | {"status": GAME_STATUS_NAMES[status]}
            row |= {name: values[index] for name, values in columns.items()}
            yield {name: row[name] for name in names}


def list_measures(evaluation: "Evaluation") -> "dict[str, SummaryStatistics]":
    """Return the measures of an evaluation by name; the score is left out where it is the number of lines."""
    score = {} if scores_lines(evaluation) else {"score": evaluation.score}
    return {"lines": evaluation.lines, **score, "pieces": evaluation.pieces}


def scores_lines(evaluation: "Evaluation") -> bool:
    """Return whether the rules give one point per line and nothing else."""
    return evaluation.rules.scoring == _LINES_SCORING


def format_statistics(evaluation: "Evaluation", millions_from: float = MILLIONS_THRESHOLD) -> list[list[str]]:
    """Return the table rows, one per measure; numbers from `millions_from` on are in millions."""
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
        for name, summary in list_measures(evaluation).items()
    ]


def describe_intervals(evaluations: Iterable["Evaluation"]) -> str:
    """Return the words that follow "means" in the note of a table: with confidence intervals, or why there are none."""
    if any(evaluation.lines.ci95 for evaluation in evaluations):
        return "with 95 % confidence intervals"
    return f"without confidence intervals, which need at least {MIN_SAMPLE_SIZE} games"
