"""`tetrion list`: what there is."""

from dataclasses import fields
from textwrap import fill

import click

from tetrion.agents import named_agents
from tetrion.cli.console_output import make_console, print_table
from tetrion.engine.features import FEATURES
from tetrion.engine.presets import PRESETS
from tetrion.engine.randomisers import NAMED_RANDOMISERS, RANDOMISER_PATTERNS
from tetrion.engine.rules import Rules
from tetrion.lab.papers import PAPER_NAMES, load_paper
from tetrion.training.recipe import Recipe, list_recipes


@click.group()
def command() -> None:
    """Show what there is."""


@command.command()
def features() -> None:
    """Every feature: name, values, meaning, source."""
    rows = [
        [f.name, f"{f.min_value} to {f.max_value}".replace("-", "−"), f.description, f.source]
        for f in FEATURES.values()
    ]
    print_table(["feature", "values", "meaning", "source"], rows)


@command.command()
def agents() -> None:
    """Every named agent: name, family, the rules that it was made for, source."""
    print_table(
        ["agent", "family", "rules", "source"], [[a.name, a.family, a.rules, a.source] for a in named_agents().values()]
    )
    click.echo()
    for paragraph in (
        "Options follow a colon: du:depth=2 looks at the next piece too (depth=3 at two), expect=1 adds the seven that "
        "may come then, beam=8 follows the eight best placements of each piece, measured=before looks at the board "
        "while full rows are still there.",
        "An agent of yours is a file of numbers (mine.json) or a class (mine.py:Mine).",
    ):
        click.echo(fill(paragraph, make_console().width))


@command.command()
def papers() -> None:
    """Every document that is reproduced: name, title, source, what it is."""
    known = [load_paper(name) for name in PAPER_NAMES]
    rows = [[p.name, p.title, p.source, f"{len(p.claims)} claims, {len(p.questions)} questions"] for p in known]
    print_table(["paper", "title", "source", "holds"], rows)
    click.echo(
        "\n`tetrion reproduce PAPER` measures one, --quick in a minute or two; `tetrion reproduce all` every one."
    )


@command.command()
@click.argument("name", required=False)
def rules(name: str | None) -> None:
    """The named rule sets side by side; with NAME, one of them and the choices it needed."""
    names = [name] if name else [known for known in PRESETS if known != "standard-10x10"]
    sets = [Rules.from_preset(known) for known in names]
    known_fields = [field.name for field in fields(Rules) if field.name != "name"]
    print_table(["rule", *names], [[field, *(format_rule(field, rule) for rule in sets)] for field in known_fields])
    click.echo()
    for known in names:
        click.echo(f"{known}: {PRESETS[known].source}.")
        for choice in PRESETS[known].choices if name else ():
            click.echo(fill(choice, make_console().width, initial_indent="  – ", subsequent_indent="    "))
    if not name:
        click.echo(f"standard-10x10: {PRESETS['standard-10x10'].source}.\n")
        patterns = "; ".join(f"{pattern}, {meaning}" for pattern, meaning in RANDOMISER_PATTERNS.items())
        for paragraph in (
            "`tetrion list rules NAME` tells what was chosen where a document is silent.",
            f"Any rule can be changed, as in standard:height=14,randomiser=bag. Randomisers: {', '.join(NAMED_RANDOMISERS)} and "
            f"{patterns}.",
        ):
            click.echo(fill(paragraph, make_console().width))


@command.command()
@click.argument("name", required=False)
def recipes(name: str | None) -> None:
    """The recipes to train by; with NAME, everything that one of them says, and what its settings mean."""
    if name is None:
        rows = [[r.name, r.learner, r.rules, r.summary, r.source] for r in map(Recipe.load, list_recipes())]
        print_table(["recipe", "learner", "rules", "what it does", "source"], rows)
        click.echo("\n`tetrion list recipes NAME` shows all of its settings; any of them changes by --set key=value.")
        return
    recipe = Recipe.load(name)
    click.echo(f"{recipe.name}: {recipe.summary}\nSource: {recipe.source}\nRules: {recipe.rules}\n")
    print_table(["setting", "value", "meaning"], [list(row) for row in recipe.list_settings()])


def format_rule(field: str, rules: Rules) -> str:
    """A rule's value in a table: keys one under another."""
    return str(getattr(rules, field)).replace("+", "\n")
