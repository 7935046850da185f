"""`tetrion report`: an HTML report about a training run."""

from pathlib import Path

import click

from tetrion.cli.output_files import check_writable, write_bytes
from tetrion.lab.seeds_report import render_seeds_report
from tetrion.lab.training_report import render_training_report
from tetrion.training.run import REPORT_FILE, Run, find_run_folders


@click.command()
@click.argument("run")
@click.option("--out", metavar="FILE", help="Page to write (default: RUN/report.html).")
def command(run: str, out: str | None) -> None:
    """Write an HTML report about RUN, a folder created by tetrion train.

    The report is one self-contained page: the results, an animation of the best agent, plots, and everything needed to
    repeat the run. For a folder with several seeds there is one page per seed and one that compares them.
    """
    folder = Path(run)
    runs = [Run(path) for path in find_run_folders(folder)]
    file = Path(out) if out is not None else folder / REPORT_FILE
    check_writable("--out", str(file))
    if runs[0].folder == folder:
        write_report_page(file, render_training_report(runs[0]))
        return
    comparison = render_seeds_report(runs, file)
    for seed_run in runs:
        if seed_run.generation_count:
            write_report_page(seed_run.folder / REPORT_FILE, render_training_report(seed_run))
    write_report_page(file, comparison)


def write_report_page(file: Path, content: bytes) -> None:
    """Write a page and print its name."""
    write_bytes("--out", str(file), content)
    click.echo(file)
