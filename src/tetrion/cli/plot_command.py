"""`tetrion plot`: pictures of a run of training."""

from pathlib import Path

import click

from tetrion.atomic_files import write_atomically
from tetrion.errors import RunError
from tetrion.lab.distribution_plot import PLOT_FILE_TYPES
from tetrion.lab.training_plots import Plot, make_run_plots, make_seeds_plot
from tetrion.training.gavrilov_text_files import export_text
from tetrion.training.run import PLOTS_FOLDER, Run, find_run_folders


@click.command()
@click.argument("run")
@click.option("--format", "ending", type=click.Choice(PLOT_FILE_TYPES), default=PLOT_FILE_TYPES[0], show_default=True)
@click.option(
    "--export-text", "text_folder", metavar="DIR", help="Write every generation as Gavrilov's text files, too."
)
def command(run: str, ending: str, text_folder: str | None) -> None:
    """Draw RUN, a folder made by tetrion train, into RUN/plots.

    There are pictures of every individual's fitness, of means and quartiles, of the favourite's weights and of games
    that trained nobody; of a folder of several seeds there is one that compares them. A run that has not finished is
    drawn as far as it is.
    """
    folder = Path(run)
    runs = [Run(path) for path in find_run_folders(folder)]
    several = runs[0].folder != folder
    if several and text_folder is not None:
        raise RunError(f"--export-text takes a single run, such as {runs[0].folder}; {folder} has {len(runs)} seeds.")
    for plot in [make_seeds_plot(runs)] if several else make_run_plots(runs[0]):
        click.echo(write_plot(plot, folder / PLOTS_FOLDER, ending))
    if text_folder is not None:
        generations = export_text(runs[0], Path(text_folder))
        click.echo(f"{text_folder}: the text files of {generations:,} generation{'s'[: generations != 1]}")


def write_plot(plot: Plot, folder: Path, ending: str) -> Path:
    """Draw a picture into a folder; tells its file."""
    file = folder / f"{plot.name}.{ending}"
    try:
        folder.mkdir(exist_ok=True)
        write_atomically(file, plot.render(ending))
    except OSError as problem:
        reason = problem.strerror or problem
        raise RunError(
            f"{file} cannot be written: {reason}. Plots go into the run's folder: make it writable, or copy it."
        ) from None
    return file
