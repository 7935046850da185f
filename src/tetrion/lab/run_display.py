"""A training run in a notebook: its facts as a table, and its first plot."""

from tetrion.errors import RunError
from tetrion.lab.run_summary import describe_held_out_games, get_final_result
from tetrion.lab.training_plots import make_run_plots
from tetrion.notebook_display import render_html_table
from tetrion.training.run import Run


def render_run(run: Run) -> str:
    """Return a run as HTML: facts, and the plot of its fitness or its lines if a step has finished."""
    title = f"Run {run.folder}"
    try:
        result = get_final_result(run)
        note = describe_held_out_games(run, result) if result else ""
        table = render_html_table(title, [], run.list_facts(), note=note and f"Result on {note}", text_columns=2)
        if not run.generation_count:
            return table
        return table + make_run_plots(run)[0]._repr_html_()
    except RunError as error:
        return render_html_table(title, [], [], note=str(error))
