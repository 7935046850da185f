"""The results of `tetrion bench` as a table and as CSV."""

import csv
import textwrap
from collections.abc import Iterator, Sequence
from io import StringIO
from itertools import chain, islice

from rich.text import Text

from tetrion.cli.console_output import make_console, wrap_text
from tetrion.evaluation import Evaluation
from tetrion.evaluation.game_statistics import (
    STATISTICS_HEADINGS,
    describe_intervals,
    format_attack_rates,
    format_statistics,
    iterate_game_records,
    list_game_columns,
    list_measures,
    scores_lines,
)
from tetrion.evaluation.number_format import (
    MILLIONS_THRESHOLD,
    format_count,
    format_number,
    format_percent,
    format_speed,
)

_WIDE_TERMINAL_WIDTH = 120  # characters; from this width on, columns are further apart
_MILLION = 10**6
_CSV_ROWS_PER_PART = 1000


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
        lines = align_columns([STATISTICS_HEADINGS, *chain(*blocks)])
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
        yield from format_fact_lines(list_facts(result), width)


def format_stacked(results: Sequence[Evaluation], width: int) -> Iterator[Text]:
    """Yield the results for a narrow terminal: the mean on a line of its own, and the other columns below it."""
    for result in results:
        yield Text(result.agent, style="bold")
        for name, mean, *others in format_rows(result):
            yield Text(f"{name}  {mean}")
            named = [f"{heading} {cell}" for heading, cell in zip(STATISTICS_HEADINGS[2:], others, strict=True)]
            yield from (Text(f"    {line}") for line in join_facts(named, width - 4))
        yield from format_fact_lines(list_facts(result), width)


def format_fact_lines(facts: Sequence[str], width: int) -> Iterator[Text]:
    """Yield the facts below an agent's rows, as lines of at most `width` characters."""
    for line in join_facts(facts, width - 2):
        yield Text(textwrap.indent(wrap_text(line, width - 2), "  "), style="dim")


def align_columns(rows: Sequence[Sequence[str]]) -> list[list[str]]:
    """Pad cells to the width of their column; the first column is left-aligned, the others right-aligned."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        [row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))]
        for row in rows
    ]


def format_rows(result: Evaluation, millions_from: float = MILLIONS_THRESHOLD) -> list[list[str]]:
    """Return the table rows of an agent, indented below its name."""
    return [[f"  {name}", *cells] for name, *cells in format_statistics(result, millions_from)]


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
        *(f"{value} {name}" for name, value in format_attack_rates(result.attack_rates)),
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
    yield f"rules {first.rules}, seed {first.seed}; means per game {describe_intervals(results)}"
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


def format_csv(results: Sequence[Evaluation]) -> Iterator[str]:
    """Yield the games as CSV, one row per game, in parts of many rows."""
    rows = chain.from_iterable(iterate_game_records(result) for result in results)
    columns = list_game_columns(results[0])
    yield ",".join(columns) + "\n"
    while part := list(islice(rows, _CSV_ROWS_PER_PART)):
        text = StringIO()
        csv.DictWriter(text, columns, lineterminator="\n").writerows(part)
        yield text.getvalue()
