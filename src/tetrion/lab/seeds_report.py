"""An HTML report that compares the runs of several seeds."""

import os
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any

from tetrion.lab.figure_charts import FigureSize
from tetrion.lab.html_elements import (
    render_details,
    render_element,
    render_page,
    render_section,
    render_table,
    render_text_element,
)
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
from tetrion.lab.training_report import render_brand, render_chart, render_headline_number
from tetrion.training.run import REPORT_FILE, Run

_CHART_SIZE = FigureSize(1120, 440)


def render_seeds_report(runs: Sequence[Run], report_file: Path) -> bytes:
    """Return the page that compares seeds; it links to the reports of the runs, relative to `report_file`."""
    recipe = runs[0].recipe
    name = f"{recipe.name}, {len(runs)} seeds"
    summary = render_text_element("p", recipe.summary, class_="summary") if recipe.summary else ""
    chips = {"seeds": f"{len(runs)}", "rules": recipe.rules, "learner": recipe.learner}
    toml = render_element("pre", escape(recipe.to_toml()), tabindex="0")
    items = "".join(
        render_element("li", f"{render_text_element('span', key)} {escape(value)}") for key, value in chips.items()
    )
    return render_page(
        f"{name}: training report",
        [
            render_element(
                "header",
                render_brand()
                + render_text_element("h1", name)
                + summary
                + render_element("ul", items, class_="chips"),
            ),
            render_element("section", render_seeds_result_panel(runs)),
            render_section("Seeds", render_seeds_table(runs, report_file)),
            render_section(
                "Training progress",
                render_element("div", render_chart(make_seeds_plot(runs), _CHART_SIZE), class_="grid"),
            ),
            render_section("Recipe", render_element("div", render_details("Recipe as TOML", toml), class_="panel")),
            render_text_element("footer", "Created by tetrion report from the files of the runs."),
        ],
    )


def get_finished_results(runs: Sequence[Run]) -> list[dict[str, Any]]:
    """Return the results of the finished runs."""
    return [result for run in runs if (result := get_final_result(run))]


def render_seeds_result_panel(runs: Sequence[Run]) -> str:
    """Return the panel with the mean over seeds."""
    name, finished = get_headline_metric(runs[0]), get_finished_results(runs)
    mean = format_mean_over_seeds([get_held_out_mean(result, name) for result in finished])
    description = (
        f"Mean of {len(finished)} seed{'s'[: len(finished) != 1]}, each measured in held-out games (not used for "
        "training or selection). The interval is over seeds: it shows how much the result of training varies by "
        "chance, and is wide for few seeds."
    )
    if len(finished) < len(runs):
        description += f" {len(runs) - len(finished)} of {len(runs)} runs have not finished and are not included."
    title = render_text_element("h3", "Held-out games, mean over seeds with 95 % confidence interval")
    return render_element(
        "div",
        title + render_headline_number(mean, f"{RESULT_UNITS[name]} per game") + render_text_element("p", description),
        class_="panel",
    )


def render_seeds_table(runs: Sequence[Run], report_file: Path) -> str:
    """Return a table with one row per seed, and one for all seeds."""
    rows = [make_seed_row(run, report_file) for run in runs]
    finished = get_finished_results(runs)
    means = [
        escape(format_mean_over_seeds([get_held_out_mean(result, name) for result in finished]))
        for name in RESULT_UNITS
    ]
    rows.append([f"{len(finished)} finished", *means, "", "", ""])
    headers = ["Seed", *(f"{unit} per game".capitalize() for unit in RESULT_UNITS.values())]
    headers += ["Origin of the best agent", f"{runs[0].step_name}s".capitalize(), "Time"]
    caption = "Means with 95 % confidence intervals; the last row is over all seeds."
    return render_element("div", render_table(headers, rows, caption, {len(runs): "total"}), class_="panel")


def make_seed_row(run: Run, report_file: Path) -> list[str]:
    """Return the table row of a seed, with a link to its report."""
    address = Path(os.path.relpath(run.folder / REPORT_FILE, report_file.parent)).as_posix()
    link = (
        render_text_element("a", f"Seed {run.recipe.seed}", href=address)
        if run.generation_count
        else f"Seed {run.recipe.seed}"
    )
    duration = [f"{run.generation_count:,}", format_training_time(run)]
    result = get_final_result(run)
    if result is None:
        return [link, *("–" for _ in RESULT_UNITS), escape(describe_status(run)), *duration]
    figures = [escape(format_held_out_mean(result, name)) for name in RESULT_UNITS]
    return [link, *figures, escape(result["origin"]), *duration]
