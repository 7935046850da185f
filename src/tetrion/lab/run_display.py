"""A training run in a notebook: its facts as a table, and its first plot."""

from tetrion.errors import RunError
from tetrion.lab.figure_charts import FigureSize
from tetrion.lab.training_plots import make_run_plots
from tetrion.notebook_display import render_html_table, render_picture
from tetrion.training.run import Run

_PLOT_SIZE = FigureSize(720, 360)


def render_run(run: Run) -> str:
    """Return a run as HTML: facts, and the plot of its fitness or its lines if a step has finished."""
    title = f"Run {run.folder}"
    try:
        table = render_html_table(title, [], run.list_facts(), text_columns=2)
        if not run.generation_count:
            return table
        plot = make_run_plots(run)[0]
        return table + render_picture(plot.render("svg", _PLOT_SIZE), plot.description, _PLOT_SIZE.width)
    except RunError as error:
        return render_html_table(title, [], [], note=str(error))
