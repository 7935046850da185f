"""`tetrion plot`: plots of a training run."""

from pathlib import Path

import click

from tetrion.atomic_files import write_atomically
from tetrion.errors import RunError
from tetrion.evaluation.number_format import format_count
from tetrion.lab.distribution_plot import PLOT_FILE_TYPES
from tetrion.lab.training_plots import Plot, make_run_plots, make_seeds_plot
from tetrion.training.gavrilov_text_files import export_text
from tetrion.training.run import PLOTS_FOLDER, Run, find_run_folders


@click.command()
@click.argument("run")
@click.option(
    "--format",
    "file_type",
    type=click.Choice(PLOT_FILE_TYPES),
    default=PLOT_FILE_TYPES[0],
    show_default=True,
    help="File type of the plots.",
)
@click.option(
    "--export-text",
    "text_folder",
    metavar="DIR",
    help="Also write every generation to DIR in the text format of Gavrilov's program.",
)
def command(run: str, file_type: str, text_folder: str | None) -> None:
    """Plot RUN, a folder created by tetrion train, and write the plots to RUN/plots.

    The plots show the fitness of all candidates, means and quartiles, the weights of the incumbent (the current best
    estimate) and the results on validation and held-out games. For a folder with several seeds there is one plot that
    compares them. An unfinished run is plotted up to its last generation.
    """
    folder = Path(run)
    runs = [Run(path) for path in find_run_folders(folder)]
    has_several_seeds = runs[0].folder != folder
    if has_several_seeds and text_folder is not None:
        raise RunError(
            f"--export-text needs a single run, such as {runs[0].folder}; {folder} contains {len(runs)} seeds."
        )
    for plot in [make_seeds_plot(runs)] if has_several_seeds else make_run_plots(runs[0]):
        click.echo(write_plot(plot, folder / PLOTS_FOLDER, file_type))
    if text_folder is not None:
        generations = export_text(runs[0], Path(text_folder))
        click.echo(f"{text_folder}: text files of {format_count(generations, 'generation')}")


def write_plot(plot: Plot, folder: Path, file_type: str) -> Path:
    """Write a plot to a folder and return its file."""
    file = folder / f"{plot.name}.{file_type}"
    try:
        folder.mkdir(exist_ok=True)
        write_atomically(file, plot.render(file_type))
    except OSError as error:
        reason = error.strerror or error
        raise RunError(
            f"{file} cannot be written: {reason}. Plots are written to the run's folder: make it writable, or copy it."
        ) from None
    return file
