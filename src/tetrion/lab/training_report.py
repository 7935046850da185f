"""An HTML report of a training run: its result, its progress, and how to repeat it."""

import shlex
from collections.abc import Callable, Mapping
from html import escape
from typing import Any, NamedTuple

import numpy as np

from tetrion.agents import WeightedAgent
from tetrion.engine.rules import Rules
from tetrion.evaluation.number_format import format_name, format_number
from tetrion.lab.figure_charts import FigureSize
from tetrion.lab.html_elements import (
    LOGO_SVG,
    make_data_url,
    read_page_file,
    render_bar,
    render_definition_list,
    render_details,
    render_element,
    render_image,
    render_page,
    render_section,
    render_table,
    render_text_element,
)
from tetrion.lab.run_summary import (
    RESULT_UNITS,
    describe_fitness,
    describe_held_out_games,
    describe_status,
    describe_validation_score,
    find_best_step,
    format_held_out_mean,
    format_number_or_dash,
    format_training_time,
    get_best_parameters,
    get_final_result,
    get_headline_metric,
)
from tetrion.lab.training_plots import Plot, make_run_plots
from tetrion.training.run import Run
from tetrion.training.seeds import SeedPurpose, derive_seed

_SCREEN_CHART_SIZE, _PHONE_CHART_SIZE = FigureSize(560, 340), FigureSize(368, 320)
_PHONE_MEDIA_QUERY = "(max-width: 600px)"
_ANIMATION_PIECES = 150
_MAX_PARAMETERS_NEXT_TO_GAME = 10
_MAX_UNFOLDED_ROWS = 12  # longer tables are collapsed
_MAX_TABLE_ROWS = 400
_DESIGN_DESCRIPTIONS = {
    "weights": "The value of a placement is the weighted sum of its features; the highest value is chosen.",
    "curves": "The value of a placement is the weighted sum of four curves of the board; the weights add up to 1.",
    "modes": "The value of a placement is the weighted sum of its features; the weights depend on the board's mode.",
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


class GameImages(NamedTuple):
    """An animated image of a game, and a still image for readers who prefer reduced motion."""

    gif: bytes
    png: bytes


GameRenderer = Callable[[WeightedAgent, Rules, int], GameImages]


def render_game_images(agent: WeightedAgent, rules: Rules, seed: int) -> GameImages:
    """Return images of the first pieces of an agent's game."""
    from tetrion.lab.animation import render_gif, render_png

    return GameImages(
        render_gif(agent, rules, seed, _ANIMATION_PIECES), render_png(agent, rules, seed, _ANIMATION_PIECES)
    )


def render_training_report(run: Run, render_game: GameRenderer = render_game_images) -> bytes:
    """Return the HTML report of a run; an unfinished run is marked as such."""
    plots = make_run_plots(run)
    parts = [
        render_header(run),
        render_notices(run),
        render_element(
            "section",
            render_element("div", render_result_column(run) + render_game_panel(run, render_game), class_="grid lead"),
        ),
        render_section("Best agent", render_best_agent_note(run), render_parameter_tables(run))
        if has_many_parameters(run)
        else "",
        render_section(
            "Training progress", render_element("div", "\n".join(map(render_chart, plots)), class_="grid two")
        ),
        render_section(f"{run.step_name.capitalize()}s", render_steps_table(run)),
        render_section("Finalists", *render_finalists(run)),
        render_section("Crowd compared with its experts", *render_crowd(run)),
        render_section("Recipe and environment", *render_provenance(run)),
        render_footer(run),
        render_element("script", "\n" + read_page_file("training_report.js")),
    ]
    return render_page(f"{run.recipe.name}, seed {run.recipe.seed}: training report", [part for part in parts if part])


def render_brand() -> str:
    """Return the line with the logo and the kind of page."""
    return render_element("p", f"{LOGO_SVG}Tetrion / Training report", class_="brand")


def render_header(run: Run) -> str:
    """Return the header with the recipe's name, its settings and the date."""
    recipe = run.recipe
    meta = run.meta
    chips = {
        "seed": str(recipe.seed),
        "rules": recipe.rules,
        "learner": recipe.learner,
        f"{run.step_name}s": f"{run.generation_count:,} of {run.recipe.planned_steps:,}",
        "training time": format_training_time(run),
        "started": format_timestamp(meta.get("started", "–")),
    }
    items = "".join(
        render_element("li", f"{render_text_element('span', name)} {escape(value)}") for name, value in chips.items()
    )
    summary = render_text_element("p", recipe.summary, class_="summary") if recipe.summary else ""
    return render_element(
        "header",
        render_brand() + render_text_element("h1", recipe.name) + summary + render_element("ul", items, class_="chips"),
    )


def format_timestamp(timestamp: str) -> str:
    """Format an ISO timestamp for readers."""
    return timestamp.replace("T", " ").replace("+00:00", " UTC")


def render_notices(run: Run) -> str:
    """Return notices that training diverged or has not finished."""
    result = get_final_result(run)
    note = result["note"] if result else ""
    note_html = render_text_element("p", note) if note else ""
    notices = (
        render_element("div", f"<p><strong>Training diverged.</strong></p>{note_html}", class_="panel notice bad")
        if note
        else ""
    )
    if result:
        return notices
    status = describe_status(run)
    resume = f"<p>Resume with <code>{escape(f'tetrion train --resume {shlex.quote(str(run.folder))}')}</code></p>"
    progress = (
        f"{run.generation_count:,} of {run.recipe.planned_steps:,} {run.step_name}s. There is no held-out result "
        "yet; validation scores are too optimistic because they were used for selection."
    )
    return notices + render_element(
        "div",
        f"<p><strong>Not finished ({escape(status)}).</strong> {escape(progress)}</p>{resume}",
        class_="panel notice",
    )


def render_result_column(run: Run) -> str:
    """Return the column next to the game: the result and the parameters of the best agent."""
    agent_html = (
        render_text_element("h3", "Best agent")
        + render_best_agent_note(run)
        + render_parameter_table(run, get_best_parameters(run))
    )
    agent_panel = "" if has_many_parameters(run) else render_element("div", agent_html, class_="panel bars")
    return render_element("div", render_result_panel(run) + agent_panel, class_="stack")


def render_result_panel(run: Run) -> str:
    """Return the result in held-out games, and the command that repeats the measurement."""
    metric = get_headline_metric(run)
    result = get_final_result(run)
    if result is None:
        unknown = render_headline_number("–", f"{RESULT_UNITS[metric]} per game") + render_text_element(
            "p", "Available when training has finished."
        )
        return render_element("div", render_text_element("h3", "Held-out games") + unknown, class_="panel")
    held_out = result["held_out"]
    headline = render_headline_number(format_held_out_mean(result, metric), f"{RESULT_UNITS[metric]} per game")
    others = {
        f"{unit} per game".capitalize(): format_held_out_mean(result, key)
        for key, unit in RESULT_UNITS.items()
        if key != metric
    }
    summary = held_out[metric]
    details = {
        "Median": format_number(summary["median"]),
        "Quartiles": f"{format_number(summary['q1'])} to {format_number(summary['q3'])}",
        "Range": f"{format_number(summary['min'], 0)} to {format_number(summary['max'], 0)}",
        **others,
    }
    return render_element(
        "div",
        render_text_element("h3", "Held-out games, mean with 95 % confidence interval")
        + headline
        + render_text_element("p", describe_held_out_games(run, result))
        + render_definition_list(details, "figures")
        + render_text_element("h3", "Repeat this measurement")
        + render_element("pre", escape(format_bench_command(run, held_out)), class_="command", tabindex="0"),
        class_="panel",
    )


def render_headline_number(number: str, unit: str) -> str:
    """Return the large number of the page, with its interval and unit in smaller type."""
    mean, space, interval = number.partition(" ") if not number.startswith(">") else (number, "", "")
    suffix = render_text_element("small", f"{interval}{space}{unit}")
    return render_element("p", f"{escape(mean)} {suffix}", class_="hero")


def format_bench_command(run: Run, held_out: Mapping[str, Any]) -> str:
    """Return the command that plays the held-out games again."""
    recipe = run.recipe
    caps = [("--pieces", recipe.validation.max_pieces), ("--lines", recipe.games.max_lines)]
    limits = [part for option, limit in caps if limit for part in (option, str(limit))]
    seed = ["--seed", str(held_out["seed"])]
    parts = ["tetrion", "bench", str(run.folder), "--rules", held_out["rules"], "--games", str(held_out["games"])]
    return shlex.join([*parts, *limits, *seed])


def render_game_panel(run: Run, render_game: GameRenderer) -> str:
    """Return the panel that shows the best agent playing."""
    rules = Rules.parse(run.recipe.rules)
    images = render_game(run.best_agent, rules, derive_seed(run.recipe.seed, SeedPurpose.HELD_OUT))
    caption = f"The best agent in the first held-out game, at most {_ANIMATION_PIECES} pieces."
    content = (
        render_image(images.gif, f"{caption} Animation of the board.", class_="moving")
        + render_image(images.png, f"{caption} The board after the last piece.", class_="still")
        + render_text_element("figcaption", caption)
        + '<button type="button" hidden>Stop</button>'
    )
    return render_element(
        "div", render_text_element("h3", "Game") + render_element("figure", content, class_="game"), class_="panel"
    )


def render_best_agent_note(run: Run) -> str:
    """Return a note about the origin and the evaluation function of the best agent."""
    result = get_final_result(run)
    origin = result["origin"] if result else f"{run.step_name} {find_best_step(run) + 1}, the best in validation so far"
    return render_text_element("p", f"From {origin}. {_DESIGN_DESCRIPTIONS[run.recipe.agent.design]}", class_="aside")


def has_many_parameters(run: Run) -> bool:
    """Return whether the best agent has more parameters than fit next to the game."""
    return len(run.parameter_names) > _MAX_PARAMETERS_NEXT_TO_GAME


def render_parameter_tables(run: Run) -> str:
    """Return the parameters as two tables side by side."""
    parameters = list(get_best_parameters(run).items())
    half = -(-len(parameters) // 2)
    halves = [render_parameter_table(run, dict(part)) for part in (parameters[:half], parameters[half:])]
    return render_element(
        "div", "".join(render_element("div", part, class_="panel bars") for part in halves), class_="grid two"
    )


def render_parameter_table(run: Run, parameters: dict[str, float]) -> str:
    """Return a table of parameters with bars, in the order of the recipe."""
    largest = max((abs(value) for value in get_best_parameters(run).values() if np.isfinite(value)), default=1.0)
    if run.recipe.agent.design == "curves":  # its parameters have different units
        return render_table(
            ["Parameter", "Value"],
            [[escape(format_name(name)), format_number_or_dash(value, 2)] for name, value in parameters.items()],
        )
    rows = [
        [escape(format_name(name)), format_number_or_dash(value, 2), render_bar(value, largest, is_signed=True)]
        for name, value in parameters.items()
    ]
    return render_table(["Feature", "Weight", "Relative to the largest"], rows)


def render_chart(plot: Plot, size: FigureSize = _SCREEN_CHART_SIZE) -> str:
    """Return a plot as a figure, drawn once for screens and once for phones."""
    phone_source = (
        f'<source media="{_PHONE_MEDIA_QUERY}" srcset="{make_data_url(plot.render("svg", _PHONE_CHART_SIZE))}">'
    )
    image = render_image(plot.render("svg", size), plot.description)
    return render_element("figure", render_element("picture", phone_source + image), class_="chart")


def render_steps_table(run: Run) -> str:
    """Return a table with one row per generation: the columns of Table III of Hindi et al., and more."""
    names = [name for name in _METRIC_TITLES if name in run.metrics]
    interval = -(-run.generation_count // _MAX_TABLE_ROWS)
    numbers = range(0, run.generation_count, interval)
    integer_metrics = {"max_pieces", "games", "pieces"}
    rows = [
        [
            f"{number + 1:,}",
            *(format_metric(name, float(run.metrics[name][number]), name in integer_metrics) for name in names),
        ]
        for number in numbers
    ]
    best = {row: "best" for row, number in enumerate(numbers) if number == find_best_step(run)}
    caption = (
        f"Fitness: {describe_fitness(run)}. Validation: {describe_validation_score(run)} of the incumbent; "
        "the best is highlighted."
    )
    if interval > 1:
        caption += f" One of every {interval} rows is shown; metrics.csv has all."
    table = render_element(
        "div",
        render_table([run.step_name.capitalize(), *(_METRIC_TITLES[name] for name in names)], rows, caption, best),
        class_="panel",
    )
    return (
        render_details(f"All {run.generation_count:,} {run.step_name}s", table)
        if len(rows) > _MAX_UNFOLDED_ROWS
        else table
    )


def format_metric(metric: str, value: float, is_integer: bool) -> str:
    """Format a metric of a generation; a piece limit of 0 means none."""
    return "none" if metric == "max_pieces" and not value else format_number_or_dash(value, 0 if is_integer else None)


def render_ranking(scores: dict[str, float], highlighted: str, name_header: str, score_header: str) -> str:
    """Return a table of names and scores with bars, in descending order."""
    largest = max(scores.values())
    order = sorted(scores, key=lambda name: -scores[name])
    rows = [
        [escape(name), format_number(scores[name]), render_bar(scores[name], largest, is_signed=False)]
        for name in order
    ]
    classes = {order.index(highlighted): "best"} if highlighted in order else {}
    return render_element(
        "div", render_table([name_header, score_header, "Relative to the best"], rows, "", classes), class_="panel bars"
    )


def render_finalists(run: Run) -> list[str]:
    """Return the scores of the finalists."""
    result = get_final_result(run)
    if not result or len(result["finalists"]) < 2:
        return []
    description = (
        f"The best incumbents{' and the crowd' if result['crowd'] else ''} played "
        f"{run.recipe.validation.final_games:,} validation games each. The winner was selected by these games, so "
        "its score here is too optimistic; the result at the top is from held-out games."
    )
    ranking = render_ranking(
        result["finalists"], result["origin"], "Finalist", describe_validation_score(run).capitalize()
    )
    return [render_text_element("p", description, class_="aside"), ranking]


def render_crowd(run: Run) -> list[str]:
    """Return the score of the crowd compared with the average and the best expert."""
    result = get_final_result(run)
    if not result or not result["crowd"]:
        return []
    scores = dict(result["crowd"])
    experts = int(scores.pop("experts"))
    best = scores["best expert"]
    crowds = {name: score for name, score in scores.items() if not name.endswith(" expert")}
    leader = max(crowds, key=lambda name: crowds[name])
    comparison = "more than" if crowds[leader] > best else "as much as" if crowds[leader] == best else "less than"
    description = (
        f"{experts:,} experts, the incumbents of all {run.step_name}s, and the crowd formed of them, all in the "
        f"same held-out games. {leader.capitalize()} scores {comparison} the best expert, which was selected in other "
        "games. The differences have no confidence intervals, so small ones may be due to chance."
    )
    return [
        render_text_element("p", description, class_="aside"),
        render_ranking(scores, leader, "Agent", describe_validation_score(run).capitalize()),
    ]


def render_provenance(run: Run) -> list[str]:
    """Return the recipe, versions and machine."""
    meta = run.meta
    facts = {
        "Recipe": f"{run.recipe.name}{f' ({run.recipe.source})' if run.recipe.source else ''}",
        "Started": format_timestamp(meta.get("started", "–")),
        "Last updated": format_timestamp(meta.get("updated", "–")),
        "Machine": ", ".join(filter(None, [meta.get("system"), meta.get("workers")])) or "–",
        "Commit": meta.get("commit") or "–",
        "Versions": ", ".join(f"{name} {version}" for name, version in meta.get("versions", {}).items()) or "–",
    }
    toml = render_element("pre", escape(run.recipe.to_toml()), tabindex="0")
    instructions = "To repeat the run, save this file as recipe.toml and run tetrion train recipe.toml."
    if first := meta.get("first_population"):
        facts |= {"First population": first}
        instructions = "To repeat the run, use this file with --import-text and the first population."
    recipe = render_details("Recipe as TOML", render_text_element("p", instructions, class_="aside") + toml)
    return [render_element("div", render_definition_list(facts) + recipe, class_="panel")]


def render_footer(run: Run) -> str:
    """Return the footer, which names the source of the numbers."""
    return render_text_element("footer", f"Created by tetrion report from the files in {run.folder.name}/.")
