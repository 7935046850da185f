"""`tetrion reproduce`: what a document says beside what we measure."""

from pathlib import Path

import click
from rich.progress import Progress

from tetrion.cli.output import console, print_blocks, print_indented, print_table
from tetrion.cli.progress import a_line, words
from tetrion.engine.randomisers import checked_seed
from tetrion.errors import TetrionError
from tetrion.evaluation import threads
from tetrion.evaluation.games import Standing
from tetrion.evaluation.words import counted
from tetrion.lab.papers import PAPERS, paper
from tetrion.lab.reproduction.markdown import with_basis
from tetrion.lab.reproduction.reproducing import SEED, Reproduction, reproduce
from tetrion.lab.reproduction.watching import Watcher
from tetrion.lab.reproduction.writing import write_report

STOPPED = 130  # exit code: ended by Ctrl-C
ALL = "all"
HEADS = ("claim", "published", "ours", "verdict", "why")
ROOM = 120  # columns from which on a table of five is readable
OUT = {False: Path("runs/papers"), True: Path("runs/papers-quick")}


@click.command()
@click.argument("names", nargs=-1, required=True, metavar="PAPER...")
@click.option("--quick", is_flag=True, help="Fewer games and seeds: a minute or two a paper.")
@click.option(
    "--out",
    metavar="DIR",
    help="A folder that gets one for each paper; runs/papers or, quick, runs/papers-quick if not given.",
)
@click.option("--seed", default=SEED, show_default=True, help="Same seed, same table.")
@click.option("--workers", type=click.IntRange(1, 1024), help="Threads; all cores if not given.")
def command(names: tuple[str, ...], quick: bool, out: str | None, seed: int, workers: int | None) -> None:
    """Measure what PAPER says: a name (tetrion list papers), several, or all.

    Every claim is printed beside what we find, with its interval, and whether the two agree. A page with the document's
    figures, Markdown and JSON are written into the paper's folder. Ctrl-C stops; the same command goes on.
    """
    known = [paper(name) for name in dict.fromkeys(names) if name != ALL]
    chosen = [paper(name) for name in PAPERS] if ALL in names else known
    home, seed = OUT[quick] if out is None else Path(out), checked_seed(seed)
    if out == "":
        raise TetrionError("--out is a folder; given nothing. Leave it out, or name one.")
    with threads(workers) as team:
        for document in chosen:
            folder = home / document.name
            try:
                with a_line() as bar:
                    found = reproduce(document, folder, team, quick=quick, seed=seed, watcher=Shown(bar))
                    page = write_report(found, folder)
            except KeyboardInterrupt:
                click.echo("Stopped; what was measured is kept. The same command goes on.", err=True)
                raise SystemExit(STOPPED) from None
            print_rows(found)
            click.echo(f"\n{page}\n")


def print_rows(found: Reproduction) -> None:
    """Every claim with its verdict, and the answers to what was left open."""
    rows = found.rows
    agreeing = sum(row.agrees for row in rows)
    click.echo(f"{found.paper.name}: {found.paper.title}\n{agreeing} of {counted(len(rows), 'row')} agree.\n")
    cells = [[row.claim, row.published, with_basis(row.ours, row.basis), row.verdict, row.reason] for row in rows]
    if console().width < ROOM:
        print_blocks(HEADS, cells)
    else:
        print_table(HEADS, cells, wrapped=True)
    for asked, _, answer in found.answers:
        print_indented(f"\n{asked}", answer)


class Shown(Watcher):
    """Tells on the terminal how far a reproduction is."""

    def __init__(self, bar: Progress) -> None:
        self.bar, self.task, self.seeds = bar, bar.add_task("", total=None, words=""), ""

    def begins(self, paper: str, measurement: str, number: int, of: int) -> None:
        """A measurement begins."""
        self.seeds = ""
        self.bar.update(self.task, description=f"{paper} {number + 1}/{of}  {measurement}", total=None, words="")

    def plays(self, standing: Standing) -> None:
        """Games go on."""
        self.bar.update(self.task, total=standing.planned, completed=standing.done, words=words(standing, None))

    def trains(self, seed: int, of: int) -> None:
        """Training begins with a seed."""
        self.seeds = f"seed {seed + 1} of {of}"
        self.bar.update(self.task, total=of, completed=seed, words=self.seeds)

    def learns(self, generations: int) -> None:
        """A generation has ended."""
        self.bar.update(self.task, words=f"{self.seeds}, {generations:,} generations or episodes")

    def ends(self, paper: str) -> None:
        """All is measured, and is written down."""
        self.bar.update(self.task, description=f"{paper}  writing the report", total=None, words="")
