"""A run as one page that needs nothing else: what it came to, how it got there, and how to do it again."""

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
    render_bar,
    render_definition_list,
    render_details,
    render_image,
    render_page,
    render_section,
    render_table,
    tag,
    text_tag,
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
    get_planned_steps,
    get_step_name,
)
from tetrion.lab.training_plots import Plot, make_run_plots
from tetrion.training.run import Run
from tetrion.training.seeds import SeedPurpose, derive_seed

_SCREEN_CHART_SIZE, _PHONE_CHART_SIZE = FigureSize(560, 340), FigureSize(368, 320)
_PHONE_MEDIA_QUERY = "(max-width: 600px)"
_ANIMATION_PIECES = 150  # in the moving picture
_MAX_PARAMETERS_BESIDE_GAME = 10  # of an agent, that fit beside the game
_MAX_UNFOLDED_ROWS, _MAX_TABLE_ROWS = 12, 400  # of a table before it is folded, and altogether
_DESIGN_DESCRIPTIONS = {
    "weights": "A placement's score is the sum of its features, each times its weight; the highest is chosen.",
    "curves": "A placement's score is the sum of four curves of its board, each times its weight, which add up to 1.",
    "modes": "A placement's score is the sum of its features, each times its weight in the mode that the board is in.",
}
_METRIC_TITLES = {
    "median": "Median",
    "q1": "1st quartile",
    "q3": "3rd quartile",
    "min": "Min",
    "max": "Max",
    "mean": "Average",
    "validation": "Validation",
    "max_pieces": "Piece limit",
    "games": "Games",
    "pieces": "Pieces placed",
    "lines": "Lines",
    "score": "Points",
    "mean_abs_error": "Mean abs. error",
}
_REPORT_SCRIPT = """<script>
for (const button of document.querySelectorAll("button[hidden]")) {
  const game = button.closest("figure");
  button.hidden = matchMedia("(prefers-reduced-motion: reduce)").matches;
  button.onclick = () => {
    button.textContent = game.classList.toggle("stopped") ? "Play" : "Stop";
  };
}
</script>"""


class GameImages(NamedTuple):
    """A moving picture of a game, and a still one for whoever wants nothing to move."""

    gif: bytes
    png: bytes


GameRenderer = Callable[[WeightedAgent, Rules, int], GameImages]


def render_game_images(agent: WeightedAgent, rules: Rules, seed: int) -> GameImages:
    """The first pieces of an agent's game."""
    from tetrion.lab.animation import render_gif, render_png

    return GameImages(
        render_gif(agent, rules, seed, _ANIMATION_PIECES), render_png(agent, rules, seed, _ANIMATION_PIECES)
    )


def render_training_report(run: Run, render_game: GameRenderer = render_game_images) -> bytes:
    """The page of a run; also of one that has not finished, which says so."""
    plots = make_run_plots(run)
    parts = [
        render_header(run),
        render_notices(run),
        tag("section", tag("div", render_result_column(run) + render_game_panel(run, render_game), class_="grid lead")),
        render_section("The best agent", render_best_agent_note(run), render_parameter_tables(run))
        if has_many_parameters(run)
        else "",
        render_section("How training went", tag("div", "\n".join(map(render_chart, plots)), class_="grid two")),
        render_section(f"{get_step_name(run).capitalize()}s", render_steps_table(run)),
        render_section("The final", *render_finalists(run)),
        render_section("The crowd beside its experts", *render_crowd(run)),
        render_section("How it was made", *render_provenance(run)),
        render_footer(run),
        _REPORT_SCRIPT,
    ]
    return render_page(f"{run.recipe.name}, seed {run.recipe.seed}: training report", [part for part in parts if part])


def render_brand() -> str:
    """Whose page it is."""
    return tag("p", f"{LOGO_SVG}Tetrion / Training report", class_="brand")


def render_header(run: Run) -> str:
    """What was trained, and when."""
    recipe, meta = run.recipe, run.meta
    chips = {
        "seed": str(recipe.seed),
        "rules": recipe.rules,
        "learner": recipe.learner,
        f"{get_step_name(run)}s": f"{run.generation_count:,} of {get_planned_steps(run):,}",
        "training took": format_training_time(run),
        "on": format_timestamp(meta.get("started", "–")),
    }
    listed = "".join(tag("li", f"{text_tag('span', name)} {escape(value)}") for name, value in chips.items())
    about = text_tag("p", recipe.summary, class_="summary") if recipe.summary else ""
    return tag("header", render_brand() + text_tag("h1", recipe.name) + about + tag("ul", listed, class_="chips"))


def format_timestamp(timestamp: str) -> str:
    """A date and time as people read them."""
    return timestamp.replace("T", " ").replace("+00:00", " UTC")


def render_notices(run: Run) -> str:
    """What a person must know before reading on: that training diverged, or has not ended."""
    result = get_final_result(run)
    note = result["note"] if result else ""
    told = text_tag("p", note) if note else ""
    shown = tag("div", f"<p><strong>Training diverged.</strong></p>{told}", class_="panel notice bad") if note else ""
    if result:
        return shown
    status = describe_status(run)
    go_on = f"<p>Go on with it: <code>{escape(f'tetrion train --resume {shlex.quote(str(run.folder))}')}</code></p>"
    so_far = (
        f"{run.generation_count:,} of {get_planned_steps(run):,} {get_step_name(run)}s. There is no held-out figure yet, and what "
        "favourites did while they were chosen flatters them."
    )
    return shown + tag(
        "div",
        f"<p><strong>Not finished ({escape(status)}).</strong> {escape(so_far)}</p>{go_on}",
        class_="panel notice",
    )


def render_result_column(run: Run) -> str:
    """What stands beside the game: the figure, and whose it is."""
    best = (
        text_tag("h3", "The best agent")
        + render_best_agent_note(run)
        + render_parameter_table(run, get_best_parameters(run))
    )
    shown = "" if has_many_parameters(run) else tag("div", best, class_="panel bars")
    return tag("div", render_result_panel(run) + shown, class_="stack")


def render_result_panel(run: Run) -> str:
    """The figure that the run came to, on games that decided nothing, and the command that repeats it."""
    name = get_headline_metric(run)
    result = get_final_result(run)
    if result is None:
        unknown = render_headline_number("–", f"{RESULT_UNITS[name]} a game") + text_tag(
            "p", "Known once training has finished."
        )
        return tag("div", text_tag("h3", "Held-out games") + unknown, class_="panel")
    held_out = result["held_out"]
    hero = render_headline_number(format_held_out_mean(result, name), f"{RESULT_UNITS[name]} a game")
    others = {
        f"{word} a game".capitalize(): format_held_out_mean(result, key)
        for key, word in RESULT_UNITS.items()
        if key != name
    }
    spread = held_out[name]
    more = {
        "Median": format_number(spread["median"]),
        "Quartiles": f"{format_number(spread['q1'])} to {format_number(spread['q3'])}",
        "Range": f"{format_number(spread['min'], 0)} to {format_number(spread['max'], 0)}",
        **others,
    }
    return tag(
        "div",
        text_tag("h3", "Held-out games, mean with its 95 % interval")
        + hero
        + text_tag("p", describe_held_out_games(run, result))
        + render_definition_list(more, "figures")
        + text_tag("h3", "Measure it again")
        + tag("pre", escape(format_bench_command(run, held_out)), class_="command", tabindex="0"),
        class_="panel",
    )


def render_headline_number(number: str, unit: str) -> str:
    """The one large figure of the page, its interval and unit smaller behind it."""
    mean, space, interval = number.partition(" ") if not number.startswith(">") else (number, "", "")
    behind = text_tag("small", f"{interval}{space}{unit}")
    return tag("p", f"{escape(mean)} {behind}", class_="hero")


def format_bench_command(run: Run, held_out: Mapping[str, Any]) -> str:
    """What a person types to see the same games again."""
    recipe = run.recipe
    caps = [("--pieces", recipe.validation.max_pieces), ("--lines", recipe.games.max_lines)]
    limits = [part for option, most in caps if most for part in (option, str(most))]
    seed = ["--seed", str(held_out["seed"])]
    parts = ["tetrion", "bench", str(run.folder), "--rules", held_out["rules"], "--games", str(held_out["games"])]
    return shlex.join([*parts, *limits, *seed])


def render_game_panel(run: Run, render_game: GameRenderer) -> str:
    """The best agent at play."""
    rules = Rules.parse(run.recipe.rules)
    pictures = render_game(run.best_agent, rules, derive_seed(run.recipe.seed, SeedPurpose.HELD_OUT))
    caption = f"The best agent in the first of the held-out games, its first {_ANIMATION_PIECES} pieces at most."
    shown = (
        render_image(pictures.gif, f"{caption} Moving picture of a board that pieces fall into.", class_="moving")
        + render_image(pictures.png, f"{caption} The board after the last of them.", class_="still")
        + text_tag("figcaption", caption)
        + '<button type="button" hidden>Stop</button>'
    )
    return tag("div", text_tag("h3", "At play") + tag("figure", shown, class_="game"), class_="panel")


def render_best_agent_note(run: Run) -> str:
    """Where the best agent comes from."""
    result = get_final_result(run)
    origin = result["origin"] if result else f"{get_step_name(run)} {find_best_step(run) + 1}, the best judged so far"
    return text_tag("p", f"From {origin}. {_DESIGN_DESCRIPTIONS[run.recipe.agent.design]}", class_="aside")


def has_many_parameters(run: Run) -> bool:
    """Whether the best agent has more numbers than fit beside the game."""
    return len(run.parameter_names) > _MAX_PARAMETERS_BESIDE_GAME


def render_parameter_tables(run: Run) -> str:
    """Many numbers, side by side where there is room."""
    numbers = list(get_best_parameters(run).items())
    half = -(-len(numbers) // 2)
    halves = [render_parameter_table(run, dict(part)) for part in (numbers[:half], numbers[half:])]
    return tag("div", "".join(tag("div", part, class_="panel bars") for part in halves), class_="grid two")


def render_parameter_table(run: Run, parameters: dict[str, float]) -> str:
    """Numbers of the best agent with bars, in the order of its recipe."""
    most = max((abs(number) for number in get_best_parameters(run).values() if np.isfinite(number)), default=1.0)
    if run.recipe.agent.design == "curves":  # whose numbers are of different kinds
        return render_table(
            ["Name", "Number"],
            [[escape(format_name(name)), format_number_or_dash(n, 2)] for name, n in parameters.items()],
        )
    rows = [
        [escape(format_name(name)), format_number_or_dash(n, 2), render_bar(n, most, is_signed=True)]
        for name, n in parameters.items()
    ]
    return render_table(["Feature", "Weight", "Share of the largest"], rows)


def render_chart(plot: Plot, size: FigureSize = _SCREEN_CHART_SIZE) -> str:
    """A plot, drawn once for screens and once for telephones."""
    narrow = f'<source media="{_PHONE_MEDIA_QUERY}" srcset="{make_data_url(plot.render("svg", _PHONE_CHART_SIZE))}">'
    shown = render_image(plot.render("svg", size), plot.description)
    return tag("figure", tag("picture", narrow + shown), class_="chart")


def render_steps_table(run: Run) -> str:
    """A row a generation: the columns of Hindi et al.'s Table III, and what it took."""
    shown = [name for name in _METRIC_TITLES if name in run.metrics]
    every = -(-run.generation_count // _MAX_TABLE_ROWS)
    numbers = range(0, run.generation_count, every)
    whole = {"max_pieces", "games", "pieces"}
    rows = [
        [f"{number + 1:,}", *(format_metric(name, float(run.metrics[name][number]), name in whole) for name in shown)]
        for number in numbers
    ]
    best = {place: "best" for place, number in enumerate(numbers) if number == find_best_step(run)}
    caption = f"Fitness is {describe_fitness(run)}; judged is {describe_validation_score(run)} of the favourite, coloured where it is best."
    if every > 1:
        caption += f" Every {every}th is shown; metrics.csv has all."
    made = tag(
        "div",
        render_table([get_step_name(run).capitalize(), *(_METRIC_TITLES[name] for name in shown)], rows, caption, best),
        class_="panel",
    )
    return (
        render_details(f"All {run.generation_count:,} {get_step_name(run)}s", made)
        if len(rows) > _MAX_UNFOLDED_ROWS
        else made
    )


def format_metric(metric: str, value: float, is_integer: bool) -> str:
    """A figure of a generation; no most pieces are no end."""
    return "none" if metric == "max_pieces" and not value else format_number_or_dash(value, 0 if is_integer else None)


def render_ranking(scores: dict[str, float], highlighted: str, name_header: str, score_header: str) -> str:
    """Names and scores with bars, the best first."""
    most = max(scores.values())
    order = sorted(scores, key=lambda name: -scores[name])
    rows = [
        [escape(name), format_number(scores[name]), render_bar(scores[name], most, is_signed=False)] for name in order
    ]
    classes = {order.index(highlighted): "best"} if highlighted in order else {}
    return tag(
        "div", render_table([name_header, score_header, "Share of the best"], rows, "", classes), class_="panel bars"
    )


def render_finalists(run: Run) -> list[str]:
    """Who played for the first place."""
    result = get_final_result(run)
    if not result or len(result["finalists"]) < 2:
        return []
    told = (
        f"The best judged favourites{' and the crowd' if result['crowd'] else ''} played "
        f"{run.recipe.validation.final_games:,} games each for the first place. These games chose the winner, so they flatter it; "
        "the figure at the top is of others."
    )
    scores = render_ranking(
        result["finalists"], result["origin"], "Finalist", describe_validation_score(run).capitalize()
    )
    return [text_tag("p", told, class_="aside"), scores]


def render_crowd(run: Run) -> list[str]:
    """What the crowd is worth, beside the average and the best of those that it is made of."""
    result = get_final_result(run)
    if not result or not result["crowd"]:
        return []
    scores = dict(result["crowd"])
    experts = int(scores.pop("experts"))
    best = scores["best expert"]
    crowds = {name: score for name, score in scores.items() if not name.endswith(" expert")}
    leader = max(crowds, key=lambda name: crowds[name])
    against = "more than" if crowds[leader] > best else "as much as" if crowds[leader] == best else "less than"
    told = (
        f"{experts:,} experts, the favourite of every {get_step_name(run)}, and the crowd formed of them, all in the same "
        f"held-out games. {leader.capitalize()} makes {against} the best expert, which other games chose; "
        "differences without an interval prove little."
    )
    return [
        text_tag("p", told, class_="aside"),
        render_ranking(scores, leader, "Who", describe_validation_score(run).capitalize()),
    ]


def render_provenance(run: Run) -> list[str]:
    """The recipe, versions and machine."""
    meta = run.meta
    told = {
        "Recipe": f"{run.recipe.name}{f' ({run.recipe.source})' if run.recipe.source else ''}",
        "Started": format_timestamp(meta.get("started", "–")),
        "Last written": format_timestamp(meta.get("updated", "–")),
        "Machine": ", ".join(filter(None, [meta.get("system"), meta.get("workers")])) or "–",
        "Commit": meta.get("commit") or "–",
        "Versions": ", ".join(f"{name} {version}" for name, version in meta.get("versions", {}).items()) or "–",
    }
    toml = tag("pre", escape(run.recipe.to_toml()), tabindex="0")
    again = "The same file makes the same run again: save it as recipe.toml, then tetrion train recipe.toml."
    if first := meta.get("first_population"):
        told |= {"Begun with": f"the population of {first}"}
        again = "With --import-text and the population that it was begun with, the same file makes the same run again."
    recipe = render_details("The whole recipe as TOML", text_tag("p", again, class_="aside") + toml)
    return [tag("div", render_definition_list(told) + recipe, class_="panel")]


def render_footer(run: Run) -> str:
    """Where the numbers come from."""
    return text_tag(
        "footer", f"Made by tetrion report from {run.folder.name}/. All figures are read from the run's own files."
    )
