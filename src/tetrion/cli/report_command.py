"""`tetrion report`: an HTML report about a training run."""

import time
from collections.abc import Callable, Sequence
from pathlib import Path

import click

from tetrion.agents import load_agent
from tetrion.agents.compiled_parts import plan_stepped_games
from tetrion.agents.run_folders import find_run_folders
from tetrion.cli.console_output import echo
from tetrion.cli.output_files import check_writable, write_bytes
from tetrion.engine.rules import Rules
from tetrion.evaluation.progress_bar import show_progress
from tetrion.lab.training_report import count_report_pictures, render_seeds_report, render_training_report
from tetrion.progress import Observer, Progress
from tetrion.training.run import REPORT_FILE, Run

_PROGRESS_TASK = "Writing the report"


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
    is_named = out is not None
    check_writable("--out", str(file), follows_links=is_named)
    with show_progress(_PROGRESS_TASK) as on_progress:
        on_picture = count_pictures(runs, on_progress)
        if runs[0].folder == folder:
            files = []
            if runs[0].generation_count:
                plan_stepped_games([load_agent(folder)], Rules.parse(runs[0].recipe.rules))
            page = render_training_report(runs[0], on_picture=on_picture)
        else:
            page = render_seeds_report(runs, file)
            files = write_seed_reports(runs, on_picture)
        write_bytes("--out", str(file), page, follows_links=is_named)
        files.append(file)
    for written in files:  # after the progress bar, which would take over standard output
        echo(written)


def count_pictures(runs: Sequence[Run], on_progress: Observer[Progress]) -> Callable[[], None]:
    """Report the progress of all reports; return a function to call after each of their pictures."""
    planned = sum(count_report_pictures(run) for run in runs if run.generation_count)
    start = time.monotonic()
    done = -1

    def count_picture() -> None:
        nonlocal done
        done += 1
        seconds = time.monotonic() - start
        on_progress(Progress(task=_PROGRESS_TASK, done=done, planned=planned, unit="picture", seconds=seconds))

    count_picture()
    return count_picture


def write_seed_reports(runs: Sequence[Run], on_picture: Callable[[], None]) -> list[Path]:
    """Write one page per seed into the folders of the runs; return the files."""
    files = []
    for run in runs:
        if run.generation_count:
            page = run.folder / REPORT_FILE
            write_bytes("--out", str(page), render_training_report(run, on_picture=on_picture), follows_links=False)
            files.append(page)
    return files
