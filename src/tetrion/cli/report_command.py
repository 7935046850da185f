"""`tetrion report`: a run of training as one page."""

from pathlib import Path

import click

from tetrion.cli.output_files import check_writable, write_bytes
from tetrion.lab.seeds_report import render_seeds_report
from tetrion.lab.training_report import render_training_report
from tetrion.training.run import REPORT_FILE, Run, find_run_folders


@click.command()
@click.argument("run")
@click.option("--out", metavar="FILE", help="The page; RUN/report.html if not given.")
def command(run: str, out: str | None) -> None:
    """Write a page about RUN, a folder made by tetrion train, into RUN/report.html.

    The page needs no other file and no network: what the run came to, the best agent at play, plots, and all that is
    needed to repeat it. Of a folder of several seeds there is a page for each and one that compares them.
    """
    folder = Path(run)
    runs = [Run(path) for path in find_run_folders(folder)]
    file = Path(out) if out is not None else folder / REPORT_FILE
    check_writable("--out", str(file))
    if runs[0].folder == folder:
        write_report_page(file, render_training_report(runs[0]))
        return
    compared = render_seeds_report(runs, file)
    for seed in runs:
        if seed.generation_count:
            write_report_page(seed.folder / REPORT_FILE, render_training_report(seed))
    write_report_page(file, compared)


def write_report_page(file: Path, content: bytes) -> None:
    """Write a page and say where it is."""
    write_bytes("--out", str(file), content)
    click.echo(file)
