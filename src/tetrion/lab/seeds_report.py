"""The runs of several seeds as one page: how far they differ, and a way to each of them."""

import os
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any

from tetrion.lab.charts import Size
from tetrion.lab.html import folded, page, section, table, tag, words
from tetrion.lab.report import brand, chart, hero_of
from tetrion.lab.run_words import (
    MEASURED,
    as_played,
    headline,
    measured,
    outcome,
    over_seeds,
    status_of,
    step_of,
    time_taken,
)
from tetrion.lab.training_plots import seeds_plot
from tetrion.training.run import REPORT, Run

ACROSS = Size(1120, 440)


def seeds_report(runs: Sequence[Run], file: Path) -> bytes:
    """The page that compares seeds, with links from its file to each seed's own report."""
    recipe, name = runs[0].recipe, f"{runs[0].recipe.name}, {len(runs)} seeds"
    about = words("p", recipe.summary, class_="summary") if recipe.summary else ""
    chips = {"seeds": f"{len(runs)}", "rules": recipe.rules, "learner": recipe.learner}
    toml = tag("pre", escape(recipe.to_toml()), tabindex="0")
    listed = "".join(tag("li", f"{words('span', key)} {escape(value)}") for key, value in chips.items())
    return page(
        f"{name}: training report",
        [
            tag("header", brand() + words("h1", name) + about + tag("ul", listed, class_="chips")),
            tag("section", result_panel(runs)),
            section("Seeds", seeds_table(runs, file)),
            section("How training went", tag("div", chart(seeds_plot(runs), ACROSS), class_="grid")),
            section("How it was made", tag("div", folded("The recipe as TOML", toml), class_="panel")),
            words("footer", "Made by tetrion report. All figures are read from the runs' own files."),
        ],
    )


def results_of(runs: Sequence[Run]) -> list[dict[str, Any]]:
    """What the seeds that have finished came to."""
    return [result for run in runs if (result := outcome(run))]


def result_panel(runs: Sequence[Run]) -> str:
    """The mean over seeds."""
    name, finished = headline(runs[0]), results_of(runs)
    mean = over_seeds([as_played(result, name) for result in finished])
    told = (
        f"The mean of {len(finished)} seed{'s'[: len(finished) != 1]}, each of which was measured in games that "
        "neither trained nor chose anybody. The interval is over seeds: it tells how much luck there is in training, "
        "and it is wide where seeds are few."
    )
    if len(finished) < len(runs):
        told += f" {len(runs) - len(finished)} of {len(runs)} have not finished and are not counted."
    title = words("h3", "Held-out games, mean over seeds with its 95 % interval")
    return tag("div", title + hero_of(mean, f"{MEASURED[name]} a game") + words("p", told), class_="panel")


def seeds_table(runs: Sequence[Run], file: Path) -> str:
    """A row a seed, and one for all."""
    rows = [row(run, file) for run in runs]
    finished = results_of(runs)
    means = [escape(over_seeds([as_played(result, name) for result in finished])) for name in MEASURED]
    rows.append([f"{len(finished)} finished", *means, "", "", ""])
    heads = ["Seed", *(f"{word} a game".capitalize() for word in MEASURED.values())]
    heads += ["Best from", f"{step_of(runs[0])}s".capitalize(), "Time"]
    caption = "Means with their 95 % intervals; the last row is over seeds."
    return tag("div", table(heads, rows, caption, {len(runs): "total"}), class_="panel")


def row(run: Run, file: Path) -> list[str]:
    """What a seed came to, with a link to its report."""
    where = Path(os.path.relpath(run.folder / REPORT, file.parent)).as_posix()
    link = words("a", f"Seed {run.recipe.seed}", href=where) if run.generations else f"Seed {run.recipe.seed}"
    took = [f"{run.generations:,}", time_taken(run)]
    result = outcome(run)
    if result is None:
        return [link, *("–" for _ in MEASURED), escape(status_of(run)), *took]
    figures = [escape(measured(result, name)) for name in MEASURED]
    return [link, *figures, escape(result["origin"]), *took]
