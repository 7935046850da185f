"""`tetrion plot`: pictures of a run of training."""

from pathlib import Path

import click

from tetrion.errors import RunError
from tetrion.files import write_whole
from tetrion.lab.plots import ENDINGS
from tetrion.lab.training_plots import Plot, plots_of, seeds_plot
from tetrion.training.run import PLOTS, Run, folders_of
from tetrion.training.text_files import export_text


@click.command()
@click.argument("run")
@click.option("--format", "ending", type=click.Choice(ENDINGS), default=ENDINGS[0], show_default=True)
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
    runs = [Run(path) for path in folders_of(folder)]
    several = runs[0].folder != folder
    if several and text_folder is not None:
        raise RunError(f"--export-text takes a single run, such as {runs[0].folder}; {folder} has {len(runs)} seeds.")
    for plot in [seeds_plot(runs)] if several else plots_of(runs[0]):
        click.echo(drawn(plot, folder / PLOTS, ending))
    if text_folder is not None:
        generations = export_text(runs[0], Path(text_folder))
        click.echo(f"{text_folder}: the text files of {generations:,} generation{'s'[: generations != 1]}")


def drawn(plot: Plot, folder: Path, ending: str) -> Path:
    """Draw a picture into a folder; tells its file."""
    file = folder / f"{plot.name}.{ending}"
    try:
        folder.mkdir(exist_ok=True)
        write_whole(file, plot.content(ending))
    except OSError as problem:
        reason = problem.strerror or problem
        raise RunError(
            f"{file} cannot be written: {reason}. Plots go into the run's folder: make it writable, or copy it."
        ) from None
    return file
