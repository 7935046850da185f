"""`tetrion reproduce`: measure the claims of a paper and compare the results."""

from contextlib import nullcontext
from pathlib import Path

import click

from tetrion.cli.console_output import echo, make_console, print_blocks, print_indented, print_notice, print_table
from tetrion.cli.exit_codes import EXIT_STOPPED
from tetrion.cli.progress_bar import show_progress
from tetrion.cli.shared_options import DEVICE_METAVAR, parse_device, workers_option
from tetrion.data_files import refuse_link
from tetrion.engine.randomisers import validate_seed
from tetrion.errors import TetrionError
from tetrion.evaluation import open_gpu, start_threads
from tetrion.lab.papers import PAPER_NAMES, load_paper
from tetrion.lab.reproduction.report_files import collect_claim_tables, write_report
from tetrion.lab.reproduction.reproduction import DEFAULT_REPRODUCTION_SEED, Reproduction, reproduce
from tetrion.progress import Progress

_ALL_PAPERS = "all"
_COLUMNS = ("claim", "published", "measured", "verdict", "reason")
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
@click.option(
    "--device",
    callback=parse_device,
    metavar=DEVICE_METAVAR,
    default="cpu",
    show_default=True,
    help="Device that plays the longest games: cpu, or cuda for an NVIDIA GPU. The results are identical.",
)
def command(
    names: tuple[str, ...], *, quick: bool, out: str | None, seed: int, workers: int | None, device: str
) -> None:
    """Reproduce the results of each PAPER (see tetrion list papers), or of every paper with "all".

    Each claim is printed next to the measured result with its confidence interval and a verdict. An HTML
    page with the paper's figures, a Markdown file and a JSON file are written to the paper's folder. Ctrl-C stops; the
    same command resumes.
    """
    named_papers = [load_paper(name) for name in dict.fromkeys(names) if name != _ALL_PAPERS]
    papers = [load_paper(name) for name in PAPER_NAMES] if _ALL_PAPERS in names else named_papers
    parent_folder = _OUTPUT_FOLDERS[quick] if out is None else Path(out)
    seed = validate_seed(seed)
    if out == "":
        raise TetrionError("--out is a folder; given an empty name. Give a folder, or omit --out.")
    with start_threads(workers) as threads, open_gpu() if device == "cuda" else nullcontext() as gpu:
        for paper in papers:
            folder = parent_folder / paper.name
            refuse_link(folder)
            try:
                with show_progress() as on_progress:
                    reproduction = reproduce(
                        paper, folder, threads, quick=quick, seed=seed, on_progress=on_progress, gpu=gpu
                    )
                    on_progress(Progress(task=f"{paper.name}  writing the report"))
                    page = write_report(reproduction, folder)
            except KeyboardInterrupt:
                print_notice("Stopped. The measurements so far are saved; the same command resumes.")
                raise SystemExit(EXIT_STOPPED) from None
            print_reproduction(reproduction)
            echo(f"\n{page}\n")


def print_reproduction(reproduction: Reproduction) -> None:
    """Print every claim with its verdict, what is not counted, and the answers to the questions left open."""
    rows = reproduction.rows
    echo(f"{reproduction.paper.name}: {reproduction.paper.title}")
    for table in collect_claim_tables(rows):
        print_indented(f"\n{table.title}", table.description)
        echo()
        cells = [[str(claim[key]) for key in _COLUMNS] for claim in table.claims]
        if make_console().width < _MIN_TABLE_WIDTH:
            print_blocks(_COLUMNS, cells)
        else:
            print_table(_COLUMNS, cells, wrap_first_column=True)
    for question, _, answer in reproduction.answers:
        print_indented(f"\n{question}", answer)
