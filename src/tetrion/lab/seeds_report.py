"""The runs of several seeds as one page: how far they differ, and a way to each of them."""

import os
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any

from tetrion.lab.figure_charts import FigureSize
from tetrion.lab.html_elements import render_details, render_page, render_section, render_table, tag, text_tag
from tetrion.lab.run_summary import (
    RESULT_UNITS,
    describe_status,
    format_held_out_mean,
    format_mean_over_seeds,
    format_training_time,
    get_final_result,
    get_headline_metric,
    get_held_out_mean,
    get_step_name,
)
from tetrion.lab.training_plots import make_seeds_plot
from tetrion.lab.training_report import render_brand, render_chart, render_headline_number
from tetrion.training.run import REPORT_FILE, Run

_CHART_SIZE = FigureSize(1120, 440)


def render_seeds_report(runs: Sequence[Run], report_file: Path) -> bytes:
    """The page that compares seeds, with links from its file to each seed's own report."""
    recipe, name = runs[0].recipe, f"{runs[0].recipe.name}, {len(runs)} seeds"
    about = text_tag("p", recipe.summary, class_="summary") if recipe.summary else ""
    chips = {"seeds": f"{len(runs)}", "rules": recipe.rules, "learner": recipe.learner}
    toml = tag("pre", escape(recipe.to_toml()), tabindex="0")
    listed = "".join(tag("li", f"{text_tag('span', key)} {escape(value)}") for key, value in chips.items())
    return render_page(
        f"{name}: training report",
        [
            tag("header", render_brand() + text_tag("h1", name) + about + tag("ul", listed, class_="chips")),
            tag("section", render_seeds_result_panel(runs)),
            render_section("Seeds", render_seeds_table(runs, report_file)),
            render_section(
                "How training went", tag("div", render_chart(make_seeds_plot(runs), _CHART_SIZE), class_="grid")
            ),
            render_section("How it was made", tag("div", render_details("The recipe as TOML", toml), class_="panel")),
            text_tag("footer", "Made by tetrion report. All figures are read from the runs' own files."),
        ],
    )


def get_finished_results(runs: Sequence[Run]) -> list[dict[str, Any]]:
    """What the seeds that have finished came to."""
    return [result for run in runs if (result := get_final_result(run))]


def render_seeds_result_panel(runs: Sequence[Run]) -> str:
    """The mean over seeds."""
    name, finished = get_headline_metric(runs[0]), get_finished_results(runs)
    mean = format_mean_over_seeds([get_held_out_mean(result, name) for result in finished])
    told = (
        f"The mean of {len(finished)} seed{'s'[: len(finished) != 1]}, each of which was measured in games that "
        "neither trained nor chose anybody. The interval is over seeds: it tells how much luck there is in training, "
        "and it is wide where seeds are few."
    )
    if len(finished) < len(runs):
        told += f" {len(runs) - len(finished)} of {len(runs)} have not finished and are not counted."
    title = text_tag("h3", "Held-out games, mean over seeds with its 95 % interval")
    return tag(
        "div",
        title + render_headline_number(mean, f"{RESULT_UNITS[name]} a game") + text_tag("p", told),
        class_="panel",
    )


def render_seeds_table(runs: Sequence[Run], report_file: Path) -> str:
    """A row a seed, and one for all."""
    rows = [make_seed_row(run, report_file) for run in runs]
    finished = get_finished_results(runs)
    means = [
        escape(format_mean_over_seeds([get_held_out_mean(result, name) for result in finished]))
        for name in RESULT_UNITS
    ]
    rows.append([f"{len(finished)} finished", *means, "", "", ""])
    heads = ["Seed", *(f"{word} a game".capitalize() for word in RESULT_UNITS.values())]
    heads += ["Best from", f"{get_step_name(runs[0])}s".capitalize(), "Time"]
    caption = "Means with their 95 % intervals; the last row is over seeds."
    return tag("div", render_table(heads, rows, caption, {len(runs): "total"}), class_="panel")


def make_seed_row(run: Run, report_file: Path) -> list[str]:
    """What a seed came to, with a link to its report."""
    where = Path(os.path.relpath(run.folder / REPORT_FILE, report_file.parent)).as_posix()
    link = text_tag("a", f"Seed {run.recipe.seed}", href=where) if run.generation_count else f"Seed {run.recipe.seed}"
    took = [f"{run.generation_count:,}", format_training_time(run)]
    result = get_final_result(run)
    if result is None:
        return [link, *("–" for _ in RESULT_UNITS), escape(describe_status(run)), *took]
    figures = [escape(format_held_out_mean(result, name)) for name in RESULT_UNITS]
    return [link, *figures, escape(result["origin"]), *took]
