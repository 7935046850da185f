"""A run as one page that needs nothing else: what it came to, how it got there, and how to do it again."""

import shlex
from collections.abc import Callable, Mapping
from html import escape
from typing import Any, NamedTuple

import numpy as np

from tetrion.agents import DataAgent
from tetrion.engine.rules import Rules
from tetrion.evaluation.words import figure, in_words
from tetrion.lab.charts import Size
from tetrion.lab.html import MARK, bar, facts, folded, image, page, section, source, table, tag, words
from tetrion.lab.run_words import (
    MEASURED,
    best_numbers,
    best_step,
    fitness_words,
    games_words,
    headline,
    judged_words,
    known,
    measured,
    outcome,
    planned,
    status_of,
    step_of,
    time_taken,
)
from tetrion.lab.training_plots import Plot, plots_of
from tetrion.training.run import Run
from tetrion.training.seeds import HELD_OUT, derived

ON_A_SCREEN, ON_A_PHONE = Size(560, 340), Size(368, 320)
NARROW = "(max-width: 600px)"
PIECES_SHOWN = 150  # in the moving picture
FEW_NUMBERS = 10  # of an agent, that fit beside the game
ROWS_SHOWN, MOST_ROWS = 12, 400  # of a table before it is folded, and altogether
DESIGNS = {
    "weights": "A placement's score is the sum of its features, each times its weight; the highest is chosen.",
    "curves": "A placement's score is the sum of four curves of its board, each times its weight, which add up to 1.",
    "modes": "A placement's score is the sum of its features, each times its weight in the mode that the board is in.",
}
COLUMNS = {
    "median": "Median",
    "q1": "1st quartile",
    "q3": "3rd quartile",
    "min": "Min",
    "max": "Max",
    "mean": "Average",
    "judged": "Judged",
    "most_pieces": "Most pieces",
    "games": "Games",
    "pieces": "Pieces placed",
    "lines": "Lines",
    "score": "Points",
    "error": "Error",
}
SCRIPT = """<script>
for (const button of document.querySelectorAll("button[hidden]")) {
  const game = button.closest("figure");
  button.hidden = matchMedia("(prefers-reduced-motion: reduce)").matches;
  button.onclick = () => {
    button.textContent = game.classList.toggle("stopped") ? "Play" : "Stop";
  };
}
</script>"""


class Pictures(NamedTuple):
    """A moving picture of a game, and a still one for whoever wants nothing to move."""

    moving: bytes
    still: bytes


Filmed = Callable[[DataAgent, Rules, int], Pictures]


def filmed(agent: DataAgent, rules: Rules, seed: int) -> Pictures:
    """The first pieces of an agent's game."""
    from tetrion.lab.animation import animation, still

    return Pictures(animation(agent, rules, seed, PIECES_SHOWN), still(agent, rules, seed, PIECES_SHOWN))


def report(run: Run, film: Filmed = filmed) -> bytes:
    """The page of a run; also of one that has not finished, which says so."""
    plots = plots_of(run)
    parts = [
        head(run),
        notices(run),
        tag("section", tag("div", column(run) + game_panel(run, film), class_="grid lead")),
        section("The best agent", best_words(run), numbers_tables(run)) if many_numbers(run) else "",
        section("How training went", tag("div", "\n".join(map(chart, plots)), class_="grid two")),
        section(f"{step_of(run).capitalize()}s", steps_table(run)),
        section("The final", *finalists(run)),
        section("The crowd beside its experts", *crowd(run)),
        section("How it was made", *making(run)),
        foot(run),
        SCRIPT,
    ]
    return page(f"{run.recipe.name}, seed {run.recipe.seed}: training report", [part for part in parts if part])


def brand() -> str:
    """Whose page it is."""
    return tag("p", f"{MARK}Tetrion / Training report", class_="brand")


def head(run: Run) -> str:
    """What was trained, and when."""
    recipe, meta = run.recipe, run.meta
    chips = {
        "seed": str(recipe.seed),
        "rules": recipe.rules,
        "learner": recipe.learner,
        f"{step_of(run)}s": f"{run.generations:,} of {planned(run):,}",
        "training took": time_taken(run),
        "on": moment(meta.get("started", "–")),
    }
    listed = "".join(tag("li", f"{words('span', name)} {escape(value)}") for name, value in chips.items())
    about = words("p", recipe.summary, class_="summary") if recipe.summary else ""
    return tag("header", brand() + words("h1", recipe.name) + about + tag("ul", listed, class_="chips"))


def moment(written: str) -> str:
    """A date and time as people read them."""
    return written.replace("T", " ").replace("+00:00", " UTC")


def notices(run: Run) -> str:
    """What a person must know before reading on: that training diverged, or has not ended."""
    result = outcome(run)
    note = result["note"] if result else ""
    told = words("p", note) if note else ""
    shown = tag("div", f"<p><strong>Training diverged.</strong></p>{told}", class_="panel notice bad") if note else ""
    if result:
        return shown
    status = status_of(run)
    go_on = f"<p>Go on with it: <code>{escape(f'tetrion train --resume {shlex.quote(str(run.folder))}')}</code></p>"
    so_far = (
        f"{run.generations:,} of {planned(run):,} {step_of(run)}s. There is no held-out figure yet, and what "
        "favourites did while they were chosen flatters them."
    )
    return shown + tag(
        "div",
        f"<p><strong>Not finished ({escape(status)}).</strong> {escape(so_far)}</p>{go_on}",
        class_="panel notice",
    )


def column(run: Run) -> str:
    """What stands beside the game: the figure, and whose it is."""
    best = words("h3", "The best agent") + best_words(run) + numbers_table(run, best_numbers(run))
    shown = "" if many_numbers(run) else tag("div", best, class_="panel bars")
    return tag("div", result_panel(run) + shown, class_="stack")


def result_panel(run: Run) -> str:
    """The figure that the run came to, on games that decided nothing, and the command that repeats it."""
    name = headline(run)
    result = outcome(run)
    if result is None:
        unknown = hero_of("–", f"{MEASURED[name]} a game") + words("p", "Known once training has finished.")
        return tag("div", words("h3", "Held-out games") + unknown, class_="panel")
    held_out = result["held_out"]
    hero = hero_of(measured(result, name), f"{MEASURED[name]} a game")
    others = {f"{word} a game".capitalize(): measured(result, key) for key, word in MEASURED.items() if key != name}
    spread = held_out[name]
    more = {
        "Median": figure(spread["median"]),
        "Quartiles": f"{figure(spread['q1'])} to {figure(spread['q3'])}",
        "Range": f"{figure(spread['min'], 0)} to {figure(spread['max'], 0)}",
        **others,
    }
    return tag(
        "div",
        words("h3", "Held-out games, mean with its 95 % interval")
        + hero
        + words("p", games_words(run, result))
        + facts(more, "figures")
        + words("h3", "Measure it again")
        + tag("pre", escape(command(run, held_out)), class_="command", tabindex="0"),
        class_="panel",
    )


def hero_of(number: str, unit: str) -> str:
    """The one large figure of the page, its interval and unit smaller behind it."""
    mean, space, interval = number.partition(" ") if not number.startswith(">") else (number, "", "")
    behind = words("small", f"{interval}{space}{unit}")
    return tag("p", f"{escape(mean)} {behind}", class_="hero")


def command(run: Run, held_out: Mapping[str, Any]) -> str:
    """What a person types to see the same games again."""
    recipe = run.recipe
    caps = [("--pieces", recipe.judge.pieces), ("--lines", recipe.games.lines)]
    limits = [part for option, most in caps if most for part in (option, str(most))]
    seed = ["--seed", str(held_out["seed"])]
    parts = ["tetrion", "bench", str(run.folder), "--rules", held_out["rules"], "--games", str(held_out["games"])]
    return shlex.join([*parts, *limits, *seed])


def game_panel(run: Run, film: Filmed) -> str:
    """The best agent at play."""
    rules = Rules.parse(run.recipe.rules)
    pictures = film(run.best, rules, derived(run.recipe.seed, HELD_OUT))
    caption = f"The best agent in the first of the held-out games, its first {PIECES_SHOWN} pieces at most."
    shown = (
        image(pictures.moving, f"{caption} Moving picture of a board that pieces fall into.", class_="moving")
        + image(pictures.still, f"{caption} The board after the last of them.", class_="still")
        + words("figcaption", caption)
        + '<button type="button" hidden>Stop</button>'
    )
    return tag("div", words("h3", "At play") + tag("figure", shown, class_="game"), class_="panel")


def best_words(run: Run) -> str:
    """Where the best agent comes from."""
    result = outcome(run)
    origin = result["origin"] if result else f"{step_of(run)} {best_step(run) + 1}, the best judged so far"
    return words("p", f"From {origin}. {DESIGNS[run.recipe.agent.design]}", class_="aside")


def many_numbers(run: Run) -> bool:
    """Whether the best agent has more numbers than fit beside the game."""
    return len(run.names) > FEW_NUMBERS


def numbers_tables(run: Run) -> str:
    """Many numbers, side by side where there is room."""
    numbers = list(best_numbers(run).items())
    half = -(-len(numbers) // 2)
    halves = [numbers_table(run, dict(part)) for part in (numbers[:half], numbers[half:])]
    return tag("div", "".join(tag("div", part, class_="panel bars") for part in halves), class_="grid two")


def numbers_table(run: Run, numbers: dict[str, float]) -> str:
    """Numbers of the best agent with bars, in the order of its recipe."""
    most = max((abs(number) for number in best_numbers(run).values() if np.isfinite(number)), default=1.0)
    if run.recipe.agent.design == "curves":  # whose numbers are of different kinds
        return table(["Name", "Number"], [[escape(in_words(name)), known(n, 2)] for name, n in numbers.items()])
    rows = [[escape(in_words(name)), known(n, 2), bar(n, most, signed=True)] for name, n in numbers.items()]
    return table(["Feature", "Weight", "Share of the largest"], rows)


def chart(plot: Plot, size: Size = ON_A_SCREEN) -> str:
    """A plot, drawn once for screens and once for telephones."""
    narrow = f'<source media="{NARROW}" srcset="{source(plot.content("svg", ON_A_PHONE))}">'
    shown = image(plot.content("svg", size), plot.words)
    return tag("figure", tag("picture", narrow + shown), class_="chart")


def steps_table(run: Run) -> str:
    """A row a generation: the columns of Hindi et al.'s Table III, and what it took."""
    shown = [name for name in COLUMNS if name in run.metrics]
    every = -(-run.generations // MOST_ROWS)
    numbers = range(0, run.generations, every)
    whole = {"most_pieces", "games", "pieces"}
    rows = [
        [f"{number + 1:,}", *(cell(name, float(run.metrics[name][number]), name in whole) for name in shown)]
        for number in numbers
    ]
    best = {place: "best" for place, number in enumerate(numbers) if number == best_step(run)}
    caption = (
        f"Fitness is {fitness_words(run)}; judged is {judged_words(run)} of the favourite, coloured where it is best."
    )
    if every > 1:
        caption += f" Every {every}th is shown; metrics.csv has all."
    made = tag(
        "div",
        table([step_of(run).capitalize(), *(COLUMNS[name] for name in shown)], rows, caption, best),
        class_="panel",
    )
    return folded(f"All {run.generations:,} {step_of(run)}s", made) if len(rows) > ROWS_SHOWN else made


def cell(name: str, number: float, whole: bool) -> str:
    """A figure of a generation; no most pieces are no end."""
    return "none" if name == "most_pieces" and not number else known(number, 0 if whole else None)


def ranking(scores: dict[str, float], marked: str, head: str, value: str) -> str:
    """Names and scores with bars, the best first."""
    most = max(scores.values())
    order = sorted(scores, key=lambda name: -scores[name])
    rows = [[escape(name), figure(scores[name]), bar(scores[name], most, signed=False)] for name in order]
    classes = {order.index(marked): "best"} if marked in order else {}
    return tag("div", table([head, value, "Share of the best"], rows, "", classes), class_="panel bars")


def finalists(run: Run) -> list[str]:
    """Who played for the first place."""
    result = outcome(run)
    if not result or len(result["finalists"]) < 2:
        return []
    told = (
        f"The best judged favourites{' and the crowd' if result['crowd'] else ''} played "
        f"{run.recipe.judge.final:,} games each for the first place. These games chose the winner, so they flatter it; "
        "the figure at the top is of others."
    )
    scores = ranking(result["finalists"], result["origin"], "Finalist", judged_words(run).capitalize())
    return [words("p", told, class_="aside"), scores]


def crowd(run: Run) -> list[str]:
    """What the crowd is worth, beside the average and the best of those that it is made of."""
    result = outcome(run)
    if not result or not result["crowd"]:
        return []
    scores = dict(result["crowd"])
    experts = int(scores.pop("experts"))
    best = scores["best expert"]
    crowds = {name: score for name, score in scores.items() if not name.endswith(" expert")}
    leader = max(crowds, key=lambda name: crowds[name])
    against = "more than" if crowds[leader] > best else "as much as" if crowds[leader] == best else "less than"
    told = (
        f"{experts:,} experts, the favourite of every {step_of(run)}, and the crowd formed of them, all in the same "
        f"held-out games. {leader.capitalize()} makes {against} the best expert, which other games chose; "
        "differences without an interval prove little."
    )
    return [words("p", told, class_="aside"), ranking(scores, leader, "Who", judged_words(run).capitalize())]


def making(run: Run) -> list[str]:
    """The recipe, versions and machine."""
    meta = run.meta
    told = {
        "Recipe": f"{run.recipe.name}{f' ({run.recipe.source})' if run.recipe.source else ''}",
        "Started": moment(meta.get("started", "–")),
        "Last written": moment(meta.get("updated", "–")),
        "Machine": ", ".join(filter(None, [meta.get("system"), meta.get("workers")])) or "–",
        "Commit": meta.get("commit") or "–",
        "Versions": ", ".join(f"{name} {version}" for name, version in meta.get("versions", {}).items()) or "–",
    }
    toml = tag("pre", escape(run.recipe.to_toml()), tabindex="0")
    again = "The same file makes the same run again: save it as recipe.toml, then tetrion train recipe.toml."
    if first := meta.get("first_population"):
        told |= {"Begun with": f"the population of {first}"}
        again = "With --import-text and the population that it was begun with, the same file makes the same run again."
    recipe = folded("The whole recipe as TOML", words("p", again, class_="aside") + toml)
    return [tag("div", facts(told) + recipe, class_="panel")]


def foot(run: Run) -> str:
    """Where the numbers come from."""
    return words(
        "footer", f"Made by tetrion report from {run.folder.name}/. All figures are read from the run's own files."
    )
