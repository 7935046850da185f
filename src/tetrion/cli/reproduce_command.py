"""`tetrion reproduce`: measure the claims of a paper and compare the results."""

from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import click

from tetrion.agents import load_agent
from tetrion.agents.compiled_parts import find_bulk_parts
from tetrion.cli import EXIT_STOPPED
from tetrion.cli.console_output import echo, make_console, print_blocks, print_notice, print_table, print_wrapped
from tetrion.cli.shared_options import workers_option
from tetrion.data_files import refuse_link
from tetrion.engine.compiler import CompiledFunction, plan_compilation
from tetrion.engine.randomisers import validate_seed
from tetrion.engine.rules import Rules
from tetrion.errors import TetrionError
from tetrion.evaluation import start_threads
from tetrion.evaluation.progress_bar import show_progress
from tetrion.extras import require
from tetrion.papers import PAPERS
from tetrion.papers.definition import Paper
from tetrion.papers.measurements import GameMeasurement, SplittingMeasurement, TrainingMeasurement
from tetrion.papers.report import write_report
from tetrion.papers.reproduction import DEFAULT_REPRODUCTION_SEED, ClaimRow, Reproduction, reproduce
from tetrion.progress import Progress
from tetrion.training.recipe import Recipe
from tetrion.training.trainer import find_training_parts

_ALL_PAPERS = "all"
_COLUMNS = ("claim", "published", "measured", "verdict", "reason")
_READING_COLUMNS = ("claim", "if", "measured", "verdict", "reason")
_MIN_TABLE_WIDTH = 120  # characters; narrower terminals show blocks instead of a table
_OUTPUT_FOLDERS = {False: Path("runs/papers"), True: Path("runs/papers-quick")}


@click.command()
@click.argument("names", nargs=-1, required=True, metavar="PAPER...")
@click.option("--quick", is_flag=True, help="Play fewer games and seeds: a minute or two per paper.")
@click.option(
    "--out",
    metavar="DIR",
    help="Folder in which each paper gets a subfolder (default: runs/papers, or runs/papers-quick with --quick).",
)
@click.option(
    "--seed",
    default=DEFAULT_REPRODUCTION_SEED,
    show_default=True,
    metavar="N",
    help="Seed of all games and training runs.",
)
@workers_option
def command(names: tuple[str, ...], *, quick: bool, out: str | None, seed: int, workers: int | None) -> None:
    """Reproduce the results of each PAPER (see tetrion list papers), or of every paper with "all".

    The verdict and each claim are printed next to the measured result with its confidence interval. An HTML
    page with the paper's figures, Markdown files and a JSON file are written to the paper's folder. Ctrl-C stops; the
    same command resumes.
    """
    named_papers = [PAPERS[name] for name in dict.fromkeys(names) if name != _ALL_PAPERS]
    papers = list(PAPERS.values()) if _ALL_PAPERS in names else named_papers
    parent_folder = _OUTPUT_FOLDERS[quick] if out is None else Path(out)
    seed = validate_seed(seed)
    if out == "":
        raise TetrionError("--out is a folder; given an empty name. Give a folder, or omit --out.")
    require("matplotlib", "the figures of a paper")  # before minutes of games
    plan_compilation(chain.from_iterable(map(find_measurement_parts, papers)))
    with start_threads(workers) as threads:
        for paper in papers:
            folder = parent_folder / paper.name
            refuse_link(folder)
            try:
                with show_progress() as on_progress:
                    reproduction = reproduce(paper, folder, threads, quick=quick, seed=seed, on_progress=on_progress)
                    on_progress(Progress(task=f"{paper.name}  writing the report"))
                    page = write_report(reproduction, folder)
            except KeyboardInterrupt:
                print_notice("Stopped. The measurements so far are saved; the same command resumes.")
                raise SystemExit(EXIT_STOPPED) from None
            print_reproduction(reproduction)
            echo(f"\n{page}\n")


def find_measurement_parts(paper: Paper) -> Iterator[CompiledFunction[Any, Any]]:
    """Yield the parts of the engine that the games and the training runs of a paper need."""
    for measurement in paper.measurements:
        if isinstance(measurement, GameMeasurement | SplittingMeasurement):
            agent = load_agent(measurement.agent) if isinstance(measurement.agent, str) else measurement.agent
            yield from find_bulk_parts(agent, Rules.parse(measurement.rules or agent.rules))
        elif isinstance(measurement, TrainingMeasurement):
            yield from find_training_parts(Recipe.load(measurement.recipe, measurement.changes))


def print_reproduction(reproduction: Reproduction) -> None:
    """Print the verdict, the central results, and every claim with its verdict."""
    paper = reproduction.paper
    echo(f"{paper.name}: {paper.title}")
    title = "Finding" if paper.is_study else f"The {paper.subject} {reproduction.verdict}"
    echo(f"\n{title}")
    print_wrapped(reproduction.summary, "  ")
    if reproduction.central_rows:
        echo("\nCentral results\n")
        columns = ("result", "compared with" if paper.is_study else "published", "ours", "verdict")
        print_cells(columns, [[*row.central, row.verdict] for row in reproduction.central_rows])
    print_claims("Claims of the document", reproduction.claim_rows)
    readings = [
        [row.statement, reading.condition, add_basis(reading.measured, reading.basis), reading.verdict, reading.reason]
        for row in reproduction.rows
        for reading in row.readings
    ]
    if readings:
        echo("\nOther readings\n")
        print_cells(_READING_COLUMNS, readings)
    print_claims("Our own comparisons", [row for row in reproduction.rows if row.is_own])


def print_claims(title: str, rows: Sequence[ClaimRow]) -> None:
    """Print claims with the published and the measured values, if there are any."""
    if rows:
        echo(f"\n{title}\n")
        print_cells(
            _COLUMNS,
            [
                [row.statement, row.published, add_basis(row.measured, row.basis), row.verdict, row.reason]
                for row in rows
            ],
        )


def add_basis(measured: str, basis: str) -> str:
    """Return a measured value with what it is based on."""
    return f"{measured} ({basis})" if basis else measured


def print_cells(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a table, or one block per row if the terminal is narrow."""
    if make_console().width < _MIN_TABLE_WIDTH:
        print_blocks(columns, rows)
    else:
        print_table(columns, rows, wrap_first_column=True)
