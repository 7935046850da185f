"""`tetrion plot`: plots of a training run."""

from collections.abc import Sequence
from pathlib import Path

import click

from tetrion.agents.run_folders import find_run_folders
from tetrion.atomic_files import write_atomically
from tetrion.cli.console_output import echo
from tetrion.cli.output_files import explain_write_errors
from tetrion.cli.shared_options import theme_option, width_option
from tetrion.data_files import refuse_link
from tetrion.errors import TetrionError, UnknownNameError
from tetrion.lab.distribution_plot import PLOT_FILE_TYPES, validate_plot_file_type
from tetrion.lab.training_plots import Plot, find_plot_learners, make_run_plots, make_seeds_plot
from tetrion.training.run import PLOTS_FOLDER, Run


@click.command()
@click.argument("run")
@click.option(
    "--out",
    metavar="PATH",
    help="Folder of the plots (default: RUN/plots), or one file such as weights.pdf, whose ending is the file type.",
)
@click.option(
    "--only", metavar="NAME", help="Draw one plot: individuals, quartiles, weights, held-out, lines or error."
)
@click.option(
    "--format",
    "file_type",
    type=click.Choice(PLOT_FILE_TYPES),
    help="File type of the plots (default: the ending of --out, or png).",
)
@theme_option
@width_option
def command(
    run: str,
    *,
    out: str | None,
    only: str | None,
    file_type: str | None,
    theme: str,
    width: float | None,
) -> None:
    """Plot RUN, a folder created by tetrion train, and write the plots to RUN/plots.

    The plots show the fitness of all candidates, means and quartiles, the weights of the incumbent (the current best
    estimate) and the results on validation and held-out games. For a folder with several seeds there is one plot that
    compares them. An unfinished run is plotted up to its last generation. For a paper: tetrion plot RUN --theme light
    --out weights.pdf.
    """
    folder = Path(run)
    out_path = folder / PLOTS_FOLDER if out is None else Path(out)
    if out is None:
        refuse_link(out_path)
    is_file = bool(out_path.suffix) and not out_path.is_dir()
    file_type = check_file_type(out_path, file_type) if is_file else file_type or PLOT_FILE_TYPES[0]
    runs = [Run(path) for path in find_run_folders(folder)]
    plots = [make_seeds_plot(runs)] if runs[0].folder != folder else make_run_plots(runs[0])
    if is_file:
        files = {out_path: select_plot(plots, only, out_path)}
    else:
        selected = [find_plot(plots, only)] if only is not None else plots
        files = {out_path / f"{plot.name}.{file_type}": plot for plot in selected}
    for file, plot in files.items():
        content = plot.render(file_type, theme=theme, width=width)
        with explain_write_errors("--out", str(file)):
            file.parent.mkdir(exist_ok=True)
            write_atomically(file, content)
        echo(file)


def check_file_type(file: Path, given: str | None) -> str:
    """Return the file type by the ending of a file; raise a TetrionError if another one is given."""
    file_type = validate_plot_file_type(file)
    if given not in (None, file_type):
        raise TetrionError(f"--out {file} ends in .{file_type}, but --format is {given}. Omit --format.")
    return file_type


def select_plot(plots: Sequence[Plot], name: str | None, file: Path) -> Plot:
    """Return the plot for a file: by the given name, or the only one, or by the name of the file."""
    if name is not None or len(plots) > 1:
        names = [plot.name for plot in plots]
        if name is None and file.stem not in names:
            raise TetrionError(
                f"{file} is one file, but there are {len(plots)} plots: {', '.join(names)}. Choose one with --only, or "
                "give a folder to --out."
            )
        return find_plot(plots, name or file.stem)
    return plots[0]


def find_plot(plots: Sequence[Plot], name: str) -> Plot:
    """Return the plot with a name; raise an error if there is none, or if only runs of other learners have it."""
    by_name = {plot.name: plot for plot in plots}
    if name not in by_name:
        if learners := find_plot_learners(name):
            raise TetrionError(
                f"There is no plot {name} here, only {', '.join(by_name)}. Single runs of {', '.join(learners)} have "
                "that plot."
            )
        raise UnknownNameError("plot", name, by_name)
    return by_name[name]
