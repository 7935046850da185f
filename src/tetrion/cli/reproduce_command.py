"""`tetrion reproduce`: what a document says beside what we measure."""

from pathlib import Path

import click
from rich.progress import Progress

from tetrion.cli.console_output import make_console, print_blocks, print_indented, print_table
from tetrion.cli.progress_bar import format_progress, make_progress_bar
from tetrion.engine.randomisers import validate_seed
from tetrion.errors import TetrionError
from tetrion.evaluation import start_threads
from tetrion.evaluation.agent_evaluation import EvaluationProgress
from tetrion.evaluation.number_format import format_count
from tetrion.lab.papers import PAPER_NAMES, load_paper
from tetrion.lab.reproduction.markdown_report import format_with_basis
from tetrion.lab.reproduction.report_files import write_report
from tetrion.lab.reproduction.reproduction import DEFAULT_REPRODUCTION_SEED, Reproduction, reproduce
from tetrion.lab.reproduction.reproduction_observer import ReproductionObserver

_EXIT_STOPPED = 130  # exit code: ended by Ctrl-C
_ALL_PAPERS = "all"
_COLUMN_HEADINGS = ("claim", "published", "ours", "verdict", "why")
_MIN_TABLE_WIDTH = 120  # columns from which on a table of five is readable
_OUTPUT_FOLDERS = {False: Path("runs/papers"), True: Path("runs/papers-quick")}


@click.command()
@click.argument("names", nargs=-1, required=True, metavar="PAPER...")
@click.option("--quick", is_flag=True, help="Fewer games and seeds: a minute or two a paper.")
@click.option(
    "--out",
    metavar="DIR",
    help="A folder that gets one for each paper; runs/papers or, quick, runs/papers-quick if not given.",
)
@click.option("--seed", default=DEFAULT_REPRODUCTION_SEED, show_default=True, help="Same seed, same table.")
@click.option("--workers", type=click.IntRange(1, 1024), help="Threads; all cores if not given.")
def command(names: tuple[str, ...], quick: bool, out: str | None, seed: int, workers: int | None) -> None:
    """Measure what PAPER says: a name (tetrion list papers), several, or all.

    Every claim is printed beside what we find, with its interval, and whether the two agree. A page with the document's
    figures, Markdown and JSON are written into the paper's folder. Ctrl-C stops; the same command goes on.
    """
    known = [load_paper(name) for name in dict.fromkeys(names) if name != _ALL_PAPERS]
    chosen = [load_paper(name) for name in PAPER_NAMES] if _ALL_PAPERS in names else known
    home, seed = _OUTPUT_FOLDERS[quick] if out is None else Path(out), validate_seed(seed)
    if out == "":
        raise TetrionError("--out is a folder; given nothing. Leave it out, or name one.")
    with start_threads(workers) as team:
        for document in chosen:
            folder = home / document.name
            try:
                with make_progress_bar() as bar:
                    found = reproduce(
                        document, folder, team, quick=quick, seed=seed, observer=ReproductionProgress(bar)
                    )
                    page = write_report(found, folder)
            except KeyboardInterrupt:
                click.echo("Stopped; what was measured is kept. The same command goes on.", err=True)
                raise SystemExit(_EXIT_STOPPED) from None
            print_reproduction(found)
            click.echo(f"\n{page}\n")


def print_reproduction(found: Reproduction) -> None:
    """Every claim with its verdict, and the answers to what was left open."""
    rows = found.rows
    agreeing = sum(row.agrees for row in rows)
    click.echo(f"{found.paper.name}: {found.paper.title}\n{agreeing} of {format_count(len(rows), 'row')} agree.\n")
    cells = [
        [row.claim, row.published, format_with_basis(row.measured, row.basis), row.verdict, row.reason] for row in rows
    ]
    if make_console().width < _MIN_TABLE_WIDTH:
        print_blocks(_COLUMN_HEADINGS, cells)
    else:
        print_table(_COLUMN_HEADINGS, cells, wrap_first_column=True)
    for asked, _, answer in found.answers:
        print_indented(f"\n{asked}", answer)


class ReproductionProgress(ReproductionObserver):
    """Tells on the terminal how far a reproduction is."""

    def __init__(self, bar: Progress) -> None:
        self.bar = bar
        self.task = bar.add_task("", total=None, words="")
        self.seed_label = ""

    def on_measurement_begin(self, paper: str, measurement: str, number: int, of: int) -> None:
        """A measurement begins."""
        self.seed_label = ""
        self.bar.update(self.task, description=f"{paper} {number + 1}/{of}  {measurement}", total=None, words="")

    def on_games(self, standing: EvaluationProgress) -> None:
        """Games go on."""
        self.bar.update(
            self.task,
            total=standing.games_planned,
            completed=standing.games_done,
            words=format_progress(standing, None),
        )

    def on_seed_begin(self, seed: int, of: int) -> None:
        """Training begins with a seed."""
        self.seed_label = f"seed {seed + 1} of {of}"
        self.bar.update(self.task, total=of, completed=seed, words=self.seed_label)

    def on_step(self, generations: int) -> None:
        """A generation has ended."""
        self.bar.update(self.task, words=f"{self.seed_label}, {generations:,} generations or episodes")

    def on_finish(self, paper: str) -> None:
        """All is measured, and is written down."""
        self.bar.update(self.task, description=f"{paper}  writing the report", total=None, words="")
