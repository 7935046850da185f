"""`tetrion bench`: agents measured over many games."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from tetrion.agents import load
from tetrion.cli.output import check_writable, print_table, write_json
from tetrion.engine.play import PLAYING, UNLIMITED, Games
from tetrion.engine.randomisers import checked_seed
from tetrion.engine.rules import Rules
from tetrion.evaluation import Evaluation, Summary, evaluate
from tetrion.evaluation.games import MOST_GAMES

STOPPED = 130  # the exit code of a command that Ctrl-C ended


@click.command()
@click.argument("agents", nargs=-1, required=True, metavar="AGENT...")
@click.option("--rules", default="standard", show_default=True, help="A rule set, changed as in standard:height=14.")
@click.option("--games", default=100, show_default=True, type=click.IntRange(1, MOST_GAMES), help="Games an agent.")
@click.option("--pieces", type=click.IntRange(1, UNLIMITED), help="End a game after so many pieces.")
@click.option("--lines", type=click.IntRange(1, UNLIMITED), help="End a game after so many lines.")
@click.option("--seed", default=0, show_default=True, help="Same seed, same games, for every agent.")
@click.option("--workers", type=click.IntRange(1, 1024), help="Threads; all cores if not given.")
@click.option("--json", "json_file", metavar="FILE", help="Write every figure; - for the standard output.")
def command(
    agents: tuple[str, ...],
    rules: str,
    games: int,
    pieces: int | None,
    lines: int | None,
    seed: int,
    workers: int | None,
    json_file: str | None,
) -> None:
    """Measure agents over many games.

    AGENT is a published name (tetrion list agents) or an agent file. Every agent plays the same games. Strong agents
    play for millions of pieces on the standard board: cap them, or use the rules standard-10x10. Ctrl-C shows what has
    been measured so far.
    """
    chosen, wanted, seed = Rules.parse(rules), [load(name) for name in agents], checked_seed(seed)
    if json_file is not None:
        check_writable(json_file)
    results = []
    for agent in wanted:
        with shown_progress(agent.name, games) as progress:
            caps = {"most_pieces": pieces, "most_lines": lines, "workers": workers}
            results.append(evaluate(agent, chosen, games, seed, progress=progress, **caps))
        if results[-1].stopped:
            click.echo("Stopped: this is what was measured until then.", err=True)
            break
    if json_file != "-":
        print_results(results)
    if json_file is not None:
        write_json(json_file, [result.to_json(results[0] if number else None) for number, result in enumerate(results)])
    if results[-1].stopped:
        raise SystemExit(STOPPED)


@contextmanager
def shown_progress(name: str, games: int) -> Iterator[Any]:
    """A line on the terminal that tells how far an agent's games are; nothing where there is no terminal."""
    console = Console(stderr=True)
    silent = not console.is_terminal
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("games  {task.fields[rate]}"),
    )
    with Progress(
        *columns, TimeElapsedColumn(), TimeRemainingColumn(), console=console, transient=True, disable=silent
    ) as bar:
        task = bar.add_task(name, total=games, rate="")

        def update(played: Games) -> None:
            seconds = max(bar.tasks[0].elapsed or 0, 0.1)
            done, rate = int((played["status"] != PLAYING).sum()), int(played["pieces"].sum()) / seconds
            bar.update(task, completed=done, rate=f"{rate / 1e6:.1f} M pieces/s")

        yield update


def print_results(results: list[Evaluation]) -> None:
    """The figures that matter, an agent a row, and what must be known to read them."""
    heads = ["agent", "games", "deaths", "lines", "median", "quartiles", "most", "pieces/s"]
    print_table(heads, [row(result) for result in results], numbers=True)
    click.echo(f"rules {results[0].rules}, seed {results[0].seed}; lines a game with the 95 % interval of the mean")
    for result in results:
        if result.capped:
            click.echo(capped_note(result))


def row(result: Evaluation) -> list[str]:
    """An agent's row."""
    lines = result.lines
    return [
        result.agent,
        f"{result.games:,}",
        f"{result.deaths:,}",
        with_margin(lines),
        f"{lines.median:,.0f}",
        f"{lines.q1:,.0f}–{lines.q3:,.0f}",
        f"{lines.max:,}",
        f"{result.pieces_per_second / 1e6:.2f} M",
    ]


def with_margin(summary: Summary) -> str:
    """A mean and how far off it may be."""
    digits = 0 if summary.mean >= 100 else 1
    margin = f" ± {summary.mean - summary.ci95[0]:,.{digits}f}" if summary.ci95 else ""
    return f"{summary.mean:,.{digits}f}{margin}"


def capped_note(result: Evaluation) -> str:
    """What the games that were cut short mean for the figures."""
    note = f"{result.agent}: {result.capped:,} of {result.games:,} games were cut short, so lines tell of capped games"
    if result.lines_per_death is None:
        return f"{note}; none ended by itself."
    mean, margin = result.lines_per_death
    return f"{note}; without a cap about {mean:,.0f} ± {margin:.0%} lines (lines over deaths)."
