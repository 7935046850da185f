"""An HTML report that compares the runs of several seeds."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from tetrion.lab.figure_charts import FigureSize
from tetrion.lab.page_templates import render_template
from tetrion.lab.run_summary import (
    RESULT_UNITS,
    describe_status,
    format_held_out_mean,
    format_mean_over_seeds,
    format_training_time,
    get_final_result,
    get_headline_metric,
    get_held_out_mean,
)
from tetrion.lab.training_plots import make_seeds_plot
from tetrion.lab.training_report import draw_chart
from tetrion.training.run import REPORT_FILE, Run

_CHART_SIZE = FigureSize(1120, 440)


class SeedRow(NamedTuple):
    """The row of a seed: the address of its report (empty if it has none), and its results as texts."""

    seed: int
    report: str
    cells: list[str]


def render_seeds_report(runs: Sequence[Run], report_file: Path) -> bytes:
    """Return the page that compares seeds; it links to the reports of the runs, relative to `report_file`."""
    finished = [result for run in runs if (result := get_final_result(run))]
    means = {
        name: format_mean_over_seeds([get_held_out_mean(result, name) for result in finished]) for name in RESULT_UNITS
    }
    metric = get_headline_metric(runs[0])
    page = render_template(
        "seeds_report.html.jinja",
        recipe=runs[0].recipe,
        unit=RESULT_UNITS[metric],
        mean=means[metric],
        finished_count=len(finished),
        headers=[
            "Seed",
            *(f"{unit} per game".capitalize() for unit in RESULT_UNITS.values()),
            "Origin of the best agent",
            f"{runs[0].step_name}s".capitalize(),
            "Time",
        ],
        rows=[make_seed_row(run, report_file) for run in runs],
        means=list(means.values()),
        chart=draw_chart(make_seeds_plot(runs), _CHART_SIZE),
    )
    return page.encode()


def make_seed_row(run: Run, report_file: Path) -> SeedRow:
    """Return the table row of a seed; a run has a report after its first generation."""
    path = Path(os.path.relpath(run.folder / REPORT_FILE, report_file.parent)).as_posix()
    result = get_final_result(run)
    means = [format_held_out_mean(result, name) if result else "–" for name in RESULT_UNITS]
    origin = result["origin"] if result else describe_status(run)
    return SeedRow(
        run.recipe.seed,
        quote(os.fsencode(path)) if run.generation_count else "",
        [*means, origin, f"{run.generation_count:,}", format_training_time(run)],
    )
