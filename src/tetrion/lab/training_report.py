"""HTML reports of a training run, and of the runs of several seeds: results, progress, and how to repeat them."""

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

import numpy as np

from tetrion.agents import WeightedAgent
from tetrion.engine.rules import Rules
from tetrion.evaluation.number_format import format_name, format_number
from tetrion.extras import require
from tetrion.lab.figure_charts import FigureSize
from tetrion.lab.page_templates import render_template
from tetrion.lab.run_summary import (
    RESULT_UNITS,
    describe_best_in_training,
    describe_fitness,
    describe_held_out_games,
    describe_repeated_measurement,
    describe_selection,
    describe_status,
    describe_validation_score,
    find_best_step,
    format_held_out_mean,
    format_mean_over_seeds,
    format_number_or_dash,
    format_training_time,
    get_best_parameters,
    get_final_result,
    get_headline_metric,
    get_held_out_mean,
    list_attack_rates,
)
from tetrion.lab.training_plots import Plot, make_run_plots, make_seeds_plot
from tetrion.text_cleaning import join_command
from tetrion.training.fitness import SeedPurpose, derive_seed
from tetrion.training.run import REPORT_FILE, Run

_SCREEN_CHART_SIZE, _PHONE_CHART_SIZE = FigureSize(560, 340), FigureSize(368, 320)
_ANIMATION_PIECES = 150
_ANIMATION_SIZE = (388, 440)  # pixels
_MAX_TABLE_ROWS = 400
_DESIGN_DESCRIPTIONS = {
    "weights": "The value of a placement is the weighted sum of its features; the highest value is chosen.",
    "curves": "The value of a placement is the weighted sum of four curves of the board; the weights add up to 1.",
    "modes": "The value of a placement is the weighted sum of its features; the weights depend on the board's mode.",
    "tables": "The value of a placement is the sum of a piecewise-linear function of each feature.",
}
_METRIC_TITLES = {
    "median": "Median",
    "q1": "1st quartile",
    "q3": "3rd quartile",
    "min": "Min",
    "max": "Max",
    "mean": "Mean",
    "validation": "Validation",
    "max_pieces": "Piece limit",
    "games": "Games",
    "pieces": "Pieces placed",
    "lines": "Lines",
    "score": "Score",
    "mean_abs_error": "Error",
}
_INTEGER_METRICS = {"max_pieces", "games", "pieces"}


class GameImages(NamedTuple):
    """An animated image of a game, and a still image for readers who prefer reduced motion."""

    gif: bytes
    png: bytes


class ChartImages(NamedTuple):
    """A chart drawn in two sizes, with its description for readers who cannot see it."""

    image: bytes
    phone_image: bytes
    description: str


class BarRow(NamedTuple):
    """A row of a table with bars; `share` is the length of the bar, from -1 to 1."""

    name: str
    value: str
    share: float
    is_best: bool = False


_ImageRenderer = Callable[[WeightedAgent, Rules, int], GameImages]


def render_game_images(agent: WeightedAgent, rules: Rules, seed: int) -> GameImages:
    """Return images of the first pieces of an agent's game."""
    require("tetrion.lab.video", "the animation in a report")
    from tetrion.lab.video import render_gif, render_png
    from tetrion.lab.video_frames import Recording

    recording = Recording(agent, rules, seed, _ANIMATION_PIECES)
    return GameImages(render_gif(recording, _ANIMATION_SIZE), render_png(recording, _ANIMATION_SIZE))


def count_report_pictures(run: Run) -> int:
    """Return how many pictures the report of a run has: one per plot, and the animation."""
    return len(make_run_plots(run)) + 1


def render_training_report(
    run: Run, render_game: _ImageRenderer = render_game_images, on_picture: Callable[[], None] = lambda: None
) -> bytes:
    """Return the HTML report of a run; an unfinished run is marked as such.

    `on_picture` is called after each of the `count_report_pictures`, which take most of the time.
    """

    def draw_next_chart(plot: Plot) -> ChartImages:
        chart = draw_chart(plot)
        on_picture()
        return chart

    plots = make_run_plots(run)  # raises an error if there is nothing to draw
    rules, seed = Rules.parse(run.recipe.rules), derive_seed(run.recipe.seed, SeedPurpose.HELD_OUT)
    game = render_game(run.best_agent, rules, seed)  # takes longest, so it comes first
    on_picture()
    charts = [draw_next_chart(plot) for plot in plots]
    result = get_final_result(run)
    recipe = run.recipe
    metric_names = [name for name in _METRIC_TITLES if name in run.metrics]
    step_interval = -(-run.generation_count // _MAX_TABLE_ROWS)
    page = render_template(
        "training_report.html.jinja",
        recipe=recipe,
        folder_name=run.folder.name,
        status=describe_status(run),
        resume_command=join_command("tetrion", "train", "--resume", str(run.folder)),
        step=run.step_name,
        step_count=f"{run.generation_count:,}",
        planned_steps=f"{recipe.planned_steps:,}",
        training_time=format_training_time(run),
        started=format_timestamp(run.meta.get("started", "–")),
        unit=RESULT_UNITS[get_headline_metric(run)],
        result=describe_result(run, result) if result else None,
        game=game,
        game_pieces=_ANIMATION_PIECES,
        design_description=_DESIGN_DESCRIPTIONS[recipe.agent.design],
        has_weights=recipe.agent.design in ("weights", "modes"),
        parameters=make_parameter_rows(get_best_parameters(run)),
        charts=charts,
        fitness_description=describe_fitness(run),
        score_description=describe_validation_score(run),
        metric_titles=[_METRIC_TITLES[name] for name in metric_names],
        step_interval=step_interval,
        steps=make_step_rows(run, metric_names, step_interval),
        best_step=f"{find_best_step(run) + 1:,}",
        final_games=f"{recipe.validation.final_games:,}",
        finalists=rank_scores(result["finalists"], result["origin"]) if result and len(result["finalists"]) > 1 else [],
        crowd=compare_crowd(result["crowd"]) if result and result["crowd"] else None,
        facts=collect_facts(run),
    )
    return page.encode()


def draw_chart(plot: Plot, size: FigureSize = _SCREEN_CHART_SIZE) -> ChartImages:
    """Draw a plot for screens in a size, and for phones."""
    return ChartImages(plot.render("svg", size), plot.render("svg", _PHONE_CHART_SIZE), plot.description)


def format_timestamp(timestamp: str) -> str:
    """Format an ISO timestamp for readers."""
    return timestamp.replace("T", " ").replace("+00:00", " UTC")


def describe_result(run: Run, result: Mapping[str, Any]) -> dict[str, Any]:
    """Return the result in held-out games as texts, with the command that repeats the measurement."""
    metric = get_headline_metric(run)
    summary = result["held_out"][metric]
    details = {
        "Median": format_number(summary["median"]),
        "Quartiles": f"{format_number(summary['q1'])} to {format_number(summary['q3'])}",
        "Range": f"{format_number(summary['min'], 0)} to {format_number(summary['max'], 0)}",
    }
    details |= {
        f"{unit} per game".capitalize(): format_held_out_mean(result, name)
        for name, unit in RESULT_UNITS.items()
        if name != metric
    }
    details |= {name.capitalize(): rate for name, rate in list_attack_rates(result).items()}
    return {
        "note": result["note"],
        "games": f"{result['held_out']['games']:,}",
        "selection": describe_selection(run, result),
        "best_in_training": describe_best_in_training(run, result),
        "mean": format_held_out_mean(result, metric),
        "description": describe_held_out_games(run, result),
        "details": details,
        "command": format_bench_command(run, result["held_out"]),
        "command_note": describe_repeated_measurement(result, metric),
    }


def format_bench_command(run: Run, held_out: Mapping[str, Any]) -> str:
    """Return the command that plays the held-out games again."""
    recipe = run.recipe
    caps = [("--pieces", recipe.validation.max_pieces), ("--lines", recipe.games.max_lines)]
    limits = [part for option, limit in caps if limit for part in (option, str(limit))]
    seed = ["--seed", str(held_out["seed"])]
    parts = ["tetrion", "bench", str(run.folder), "--rules", held_out["rules"], "--games", str(held_out["games"])]
    return join_command(*parts, *limits, *seed)


def make_parameter_rows(parameters: Mapping[str, float]) -> list[BarRow]:
    """Return one row per parameter, in the order of the recipe; bars are relative to the largest parameter."""
    largest = max((abs(value) for value in parameters.values() if np.isfinite(value)), default=0.0)
    return [
        BarRow(format_name(name), format_number_or_dash(value, 2), compute_share(value, largest))
        for name, value in parameters.items()
    ]


def compute_share(value: float, largest: float) -> float:
    """Return the value as a share of the largest one, at most 1; 0 if it is unknown."""
    return float(np.clip(value / largest, -1, 1)) if largest and not np.isnan(value) else 0.0


def make_step_rows(run: Run, metric_names: Sequence[str], interval: int) -> list[list[str]]:
    """Return one row per generation, or one of every `interval`: the columns of Table III of Hindi et al., and more."""
    return [
        [f"{step + 1:,}", *(format_metric(name, float(run.metrics[name][step])) for name in metric_names)]
        for step in range(0, run.generation_count, interval)
    ]


def format_metric(metric: str, value: float) -> str:
    """Format a metric of a generation; a piece limit of 0 means none."""
    if metric == "max_pieces" and not value:
        return "none"
    return format_number_or_dash(value, 0 if metric in _INTEGER_METRICS else None)


def rank_scores(scores: Mapping[str, float], highlighted: str) -> list[BarRow]:
    """Return one row per name, in descending order of the scores."""
    largest = max(scores.values())
    return [
        BarRow(name, format_number(score), compute_share(score, largest), name == highlighted)
        for name, score in sorted(scores.items(), key=lambda item: -item[1])
    ]


def compare_crowd(crowd: Mapping[str, float]) -> dict[str, Any]:
    """Return the scores of the crowd and of the average and the best expert, and whether the crowd is better."""
    scores = {name: score for name, score in crowd.items() if name != "experts"}
    best = scores["best expert"]
    crowds = {name: score for name, score in scores.items() if not name.endswith(" expert")}
    leader = max(crowds, key=lambda name: crowds[name])
    return {
        "expert_count": f"{int(crowd['experts']):,}",
        "leader": leader,
        "comparison": "more than" if crowds[leader] > best else "as much as" if crowds[leader] == best else "less than",
        "scores": rank_scores(scores, leader),
    }


def collect_facts(run: Run) -> dict[str, str]:
    """Return the recipe, the times, the machine and the versions of a run."""
    meta = run.meta
    return {
        "Recipe": f"{run.recipe.name}{f' ({run.recipe.source})' if run.recipe.source else ''}",
        "Started": format_timestamp(meta.get("started", "–")),
        "Last updated": format_timestamp(meta.get("updated", "–")),
        "Machine": ", ".join(filter(None, [meta.get("system"), meta.get("workers")])) or "–",
        "Commit": meta.get("commit") or "–",
        "Versions": ", ".join(f"{name} {version}" for name, version in meta.get("versions", {}).items()) or "–",
    }


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
