"""What `tetrion bench` says of its results: a table for people, a row a game for programs."""

import csv
from collections.abc import Iterator, Sequence
from functools import partial
from io import StringIO
from itertools import chain
from textwrap import fill

from rich.text import Text

from tetrion.cli.console_output import make_console
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
_WIDE_TERMINAL_WIDTH = 120  # columns, from which on there is room to breathe
_ESTIMATE_MARK = " *"
_MILLION = 10**6
_CSV_COLUMNS = [
    *("agent", "rules", "seed", "game", "ended", "pieces", "lines", "score"),
    *("one", "two", "three", "four", "frames"),
]
GAME_STATUS_NAMES = {STATUS_OVER: "over", STATUS_CAPPED: "capped", STATUS_PLAYING: "stopped"}


def print_results(results: Sequence[Evaluation], goal: float | None = None) -> None:
    """Every figure of every agent, what must be known to read them, and how the agents compare."""
    here = make_console()
    sentences = [*list_notes(results, goal), *(describe_comparison(result, results[0]) for result in results[1:])]
    for line in (*format_table(results, here.width), *(Text(fill(sentence, here.width)) for sentence in sentences)):
        here.print(line, soft_wrap=True)  # a number is never cut


def format_table(results: Sequence[Evaluation], width: int) -> Iterator[Text]:
    """Three rows an agent, and the rest in words beneath; millions are written short where they would not fit."""
    gap = " " * (4 if width >= _WIDE_TERMINAL_WIDTH else 2)
    blocks = [format_rows(result) for result in results]
    if len(gap.join(align_columns([_COLUMN_HEADINGS, *chain(*blocks)])[0])) > width:
        blocks = [format_rows(result, _MILLION) for result in results]
    head, *rows = (gap.join(cells) for cells in align_columns([_COLUMN_HEADINGS, *chain(*blocks)]))
    yield Text(head, style="bold")
    for number, result in enumerate(results):
        yield Text(result.agent, style="bold")
        yield from map(Text, rows[3 * number : 3 * number + 3])
        for words in join_facts(list_facts(result), width - 2):
            yield Text(f"  {words}", style="dim")


def align_columns(rows: Sequence[Sequence[str]]) -> list[list[str]]:
    """The same cells, as wide as their columns: the first to the left, the others to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        [row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))]
        for row in rows
    ]


def format_rows(result: Evaluation, millions_from: float = MILLIONS_THRESHOLD) -> list[list[str]]:
    """Lines, score and pieces of an agent."""
    named: dict[str, SummaryStatistics] = {"lines": result.lines, "score": result.score, "pieces": result.pieces}
    short, mark = partial(format_number, millions_threshold=millions_from), _ESTIMATE_MARK if result.capped else ""
    return [
        [
            f"  {name}",
            format_mean_interval(summary.mean, summary.ci95, millions_threshold=millions_from) + mark,
            short(summary.median),
            f"{short(summary.q1, 0)}–{short(summary.q3, 0)}",
            short(summary.min, 0),
            short(summary.max, 0),
        ]
        for name, summary in named.items()
    ]


def list_facts(result: Evaluation) -> list[str]:
    """What is told beneath an agent's rows."""
    known = [
        f"{format_count(result.games, 'game')}, {format_count(result.deaths, 'death')}, {result.capped:,} capped",
        *describe_uncorrected_means(result),
        "" if result.points_per_line is None else f"{format_number(result.points_per_line)} points a line",
        "" if result.tetris_rate is None else f"{format_percent(result.tetris_rate)} of lines by fours",
        "" if result.normalised_variance is None else f"normalised variance {result.normalised_variance:.2f}",
        format_speed(result.pieces_per_second),
    ]
    return [fact for fact in known if fact]


def describe_uncorrected_means(result: Evaluation) -> list[str]:
    """The plain means of games of which some were cut short."""
    if not result.capped:
        return []
    lines, score = (float(result.per_game[name].mean()) for name in ("lines", "score"))
    return [f"as cut {format_number(lines)} lines, {format_number(score)} points a game"]


def join_facts(facts: Sequence[str], width: int) -> list[str]:
    """Facts side by side, as many as fit into a line."""
    lines = [""]
    for fact in facts:
        longer = f"{lines[-1]} · {fact}" if lines[-1] else fact
        if len(longer) <= width or not lines[-1]:
            lines[-1] = longer
        else:
            lines.append(fact)
    return lines


def list_notes(results: Sequence[Evaluation], goal: float | None) -> Iterator[str]:
    """What must be known to read the table."""
    first = results[0]
    yield f"rules {first.rules}, seed {first.seed}; means a game with their 95 % intervals"
    if any(result.capped for result in results):
        yield (
            "* Games were cut short, so the mean is estimated as total / deaths (without a death: more than "
            "total / 3); the other columns tell of the games as they were."
        )
    for result in results:
        reached = result.lines.precision
        if goal is not None and not result.was_stopped and (reached is None or reached > goal):
            unknown = "no line was cleared" if result.deaths else "nobody died"
            so_far = unknown if reached is None else f"± {format_percent(reached)}"
            yield (
                f"{result.agent}: the precision of {format_percent(goal)} was not reached within {result.games:,} games "
                f"({so_far})."
            )


def describe_comparison(result: Evaluation, first: Evaluation) -> str:
    """How an agent compares with the first one, in a sentence."""
    difference = result.compare_to(first)
    if difference is None:
        return f"{result.agent} and {first.agent} were not played through the same games, so they are not compared."
    return difference.describe(result.agent, first.agent)


def results_to_csv(results: Sequence[Evaluation]) -> str:
    """A row a game."""
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(_CSV_COLUMNS)
    for result in results:
        rules = str(result.rules)
        for number, game in zip(result.game_numbers.tolist(), result.per_game, strict=True):
            counts = (int(game[name]) for name in ("pieces", "lines", "score"))
            clears, frames = map(int, game["clears"]), int(game["frames"])
            ended = GAME_STATUS_NAMES[int(game["status"])]
            writer.writerow([result.agent, rules, result.seed, number, ended, *counts, *clears, frames])
    return text.getvalue()
