"""The results of `tetrion bench` as a table and as CSV."""

import csv
import textwrap
from collections.abc import Iterator, Sequence
from functools import partial
from io import StringIO
from itertools import chain, islice

from rich.text import Text

from tetrion.cli.console_output import make_console, wrap_text
from tetrion.engine.batch_play import STATUS_CAPPED, STATUS_OVER, STATUS_PLAYING
from tetrion.evaluation import Evaluation, SummaryStatistics
from tetrion.evaluation.number_format import (
    MILLIONS_THRESHOLD,
    format_count,
    format_mean_interval,
    format_number,
    format_percent,
    format_speed,
)

_COLUMN_HEADINGS = ["", "mean", "median", "quartiles", "min", "max"]
_WIDE_TERMINAL_WIDTH = 120  # characters; from this width on, columns are further apart
_ESTIMATE_MARK = " *"  # after means that are estimated from capped games
_MILLION = 10**6
_LINES_SCORING = "lines"  # the scoring system with one point per line
_CSV_COLUMNS = [
    *("agent", "rules", "seed", "game", "status", "pieces", "lines", "score"),
    *("singles", "doubles", "triples", "tetrises", "frames"),
]
GAME_STATUS_NAMES = {STATUS_OVER: "over", STATUS_CAPPED: "capped", STATUS_PLAYING: "stopped"}


def print_results(results: Sequence[Evaluation], target: float | None = None) -> None:
    """Print the table of results, the notes below it, and the comparison of each agent with the first one.

    `target` is the requested precision, as a share of the mean.
    """
    console = make_console()
    notes = [*list_notes(results, target), *(describe_comparison(result, results[0]) for result in results[1:])]
    for line in (*format_results(results, console.width), *(Text(wrap_text(note, console.width)) for note in notes)):
        console.print(line, soft_wrap=True)  # so that numbers are never truncated


def format_results(results: Sequence[Evaluation], width: int) -> Iterator[Text]:
    """Return the results as lines of at most `width` characters: a table, or stacked if the table is too wide.

    Large numbers are in millions where the table would be too wide otherwise.
    """
    for millions_from in (MILLIONS_THRESHOLD, _MILLION):
        blocks = [format_rows(result, millions_from) for result in results]
        lines = align_columns([_COLUMN_HEADINGS, *chain(*blocks)])
        if len("  ".join(lines[0])) <= width:
            return format_table(results, lines, width)
    return format_stacked(results, width)


def format_table(results: Sequence[Evaluation], lines: list[list[str]], width: int) -> Iterator[Text]:
    """Yield the lines of the table: the aligned rows of each agent, and the facts below them."""
    gap = " " * (4 if width >= _WIDE_TERMINAL_WIDTH else 2)
    heading, *rows = (gap.join(cells) for cells in lines)
    yield Text(heading, style="bold")
    remaining_rows = iter(rows)
    for result in results:
        yield Text(result.agent, style="bold")
        yield from map(Text, islice(remaining_rows, len(list_measures(result))))
        yield from format_facts(result, width)


def format_stacked(results: Sequence[Evaluation], width: int) -> Iterator[Text]:
    """Yield the results for a narrow terminal: the mean on a line of its own, and the other columns below it."""
    for result in results:
        yield Text(result.agent, style="bold")
        for name, mean, *others in format_rows(result):
            yield Text(f"{name}  {mean}")
            named = [f"{heading} {cell}" for heading, cell in zip(_COLUMN_HEADINGS[2:], others, strict=True)]
            yield from (Text(f"    {line}") for line in join_facts(named, width - 4))
        yield from format_facts(result, width)


def format_facts(result: Evaluation, width: int) -> Iterator[Text]:
    """Yield the facts below an agent's rows, as lines of at most `width` characters."""
    for line in join_facts(list_facts(result), width - 2):
        yield Text(textwrap.indent(wrap_text(line, width - 2), "  "), style="dim")


def align_columns(rows: Sequence[Sequence[str]]) -> list[list[str]]:
    """Pad cells to the width of their column; the first column is left-aligned, the others right-aligned."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        [row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))]
        for row in rows
    ]


def format_rows(result: Evaluation, millions_from: float = MILLIONS_THRESHOLD) -> list[list[str]]:
    """Return the table rows of an agent, one per measure. Numbers from `millions_from` on are in millions."""
    shorten = partial(format_number, millions_threshold=millions_from)
    mark = _ESTIMATE_MARK if result.capped else ""
    return [
        [
            f"  {name}",
            format_mean_interval(summary.mean, summary.ci95, millions_threshold=millions_from) + mark,
            shorten(summary.median),
            f"{shorten(summary.q1, 0)}–{shorten(summary.q3, 0)}",
            shorten(summary.min, 0),
            shorten(summary.max, 0),
        ]
        for name, summary in list_measures(result).items()
    ]


def list_measures(result: Evaluation) -> dict[str, SummaryStatistics]:
    """Return the measures of an agent by name; the score is left out where it is the number of lines."""
    score = {} if scores_lines(result) else {"score": result.score}
    return {"lines": result.lines, **score, "pieces": result.pieces}


def scores_lines(result: Evaluation) -> bool:
    """Return whether the rules give one point per line and nothing else."""
    return result.rules.scoring == _LINES_SCORING


def list_facts(result: Evaluation) -> list[str]:
    """Return the facts that are printed below an agent's rows."""
    facts = [
        f"{format_count(result.games, 'game')}, {format_count(result.deaths, 'death')}, {result.capped:,} capped",
        *describe_uncorrected_means(result),
        ""
        if result.points_per_line is None or scores_lines(result)
        else f"{format_number(result.points_per_line)} points per line",
        "" if result.tetris_rate is None else f"{format_percent(result.tetris_rate)} of lines from tetrises",
        "" if result.normalised_variance is None else f"normalised variance {result.normalised_variance:.2f}",
        format_speed(result.pieces_per_second),
    ]
    return [fact for fact in facts if fact]


def describe_uncorrected_means(result: Evaluation) -> list[str]:
    """Return the uncorrected means if some games were capped, else nothing."""
    if not result.capped:
        return []
    lines, score = (float(result.per_game[name].mean()) for name in ("lines", "score"))
    points = "" if scores_lines(result) else f", {format_number(score)} points"
    return [f"uncorrected mean: {format_number(lines)} lines{points}"]


def join_facts(facts: Sequence[str], width: int) -> list[str]:
    """Join facts into lines of at most `width` characters."""
    lines = [""]
    for fact in facts:
        longer = f"{lines[-1]} · {fact}" if lines[-1] else fact
        if len(longer) <= width or not lines[-1]:
            lines[-1] = longer
        else:
            lines.append(fact)
    return lines


def list_notes(results: Sequence[Evaluation], target: float | None) -> Iterator[str]:
    """Yield the notes below the table: conditions, the meaning of the mark, and precisions that were not reached."""
    first = results[0]
    yield f"rules {first.rules}, seed {first.seed}; means per game with 95 % confidence intervals"
    if scores_lines(first):
        yield "score = lines under these rules"
    if any(result.capped for result in results):
        yield (
            "* Some games were capped, so the mean is estimated as total / deaths; if no game ended, it is above total "
            "/ 3 with 95 % confidence. The other columns describe the capped games without correction."
        )
    for result in results:
        reached = result.lines.precision
        if target is not None and not result.was_stopped and (reached is None or reached > target):
            reason = "no line was cleared" if result.deaths else "no game ended"
            so_far = reason if reached is None else f"± {format_percent(reached)}"
            yield (
                f"{result.agent}: the precision of {format_percent(target)} was not reached within {result.games:,} "
                f"games ({so_far})."
            )


def describe_comparison(result: Evaluation, first: Evaluation) -> str:
    """Return a sentence that compares an agent with the first one."""
    difference = result.compare_to(first)
    if difference is None:
        return f"{result.agent} and {first.agent} did not complete the same games, so they are not compared."
    return difference.describe(result.agent, first.agent)


def results_to_csv(results: Sequence[Evaluation]) -> str:
    """Return the games as CSV, one row per game."""
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(_CSV_COLUMNS)
    for result in results:
        rules = str(result.rules)
        for number, game in zip(result.game_numbers.tolist(), result.per_game, strict=True):
            counts = (game.pieces, game.lines, game.score, *game.clears, game.frames)
            status = GAME_STATUS_NAMES[game.status]
            writer.writerow([result.agent, rules, result.seed, number, status, *counts])
    return text.getvalue()
