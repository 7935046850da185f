"""`tetrion list`: agents, features, papers, recipes and rules."""

from collections.abc import Mapping, Sequence
from dataclasses import fields

import click
from rich.text import Text

from tetrion.agents import load_agent
from tetrion.cli.code_option import allow_code_option
from tetrion.cli.console_output import echo, make_console, print_table, print_wrapped, wrap_text
from tetrion.cli.list_details import (
    format_value_range,
    get_feature,
    print_agent,
    print_feature,
    print_paper,
    print_recipe,
)
from tetrion.engine.feature_registry import FEATURES
from tetrion.engine.features.attack_features import ATTACK_FEATURES
from tetrion.engine.randomisers import NAMED_RANDOMISERS, RANDOMISER_PATTERNS
from tetrion.engine.rules import KEY_LIST_FIELDS, PRESET_DEFINITIONS, PRESETS, Rules, get_rule_text
from tetrion.errors import UnknownNameError
from tetrion.evaluation.agent_strengths import (
    CAPPED_GAMES_NOTE,
    format_strength_cells,
    group_agents_by_rules,
    load_strengths,
)
from tetrion.evaluation.number_format import format_count
from tetrion.papers import PAPERS
from tetrion.papers.definition import Paper
from tetrion.training.recipe import RECIPES, Recipe

_AGENT_HEADINGS = ("agent", "strength", "games", "source")
_MIN_SOURCE_WIDTH = 24  # characters; where less is left, the source has a line of its own


class ListGroup(click.Group):
    """The group of all lists."""

    def resolve_command(
        self, context: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the list to print; for an unknown name, raise an error that suggests the most similar name."""
        if args and args[0] not in self.commands and not args[0].startswith("-"):
            raise UnknownNameError("list", args[0], self.commands)
        return super().resolve_command(context, args)


@click.group(cls=ListGroup)
def command() -> None:
    """List agents, features, papers, recipes or rules."""


@command.command()
@click.argument("name", required=False)
def features(name: str | None) -> None:
    """List the features, or show one of them.

    Without NAME, the values, meaning and source of all features are shown; with NAME, also the agents that use it.
    """
    if name is not None:
        print_feature(get_feature(name))
        return
    rows, attack_rows = (
        [[f.name, format_value_range(f), f.description, f.source] for f in group.values()]
        for group in (FEATURES, ATTACK_FEATURES)
    )
    print_table(["feature", "values", "meaning", "source"], rows)
    echo()
    print_table(["attack feature", "values", "meaning", "source"], attack_rows)


@command.command()
@click.argument("name", required=False)
@allow_code_option("name")
def agents(name: str | None) -> None:
    """List the named agents with their strength, or show one agent.

    Without NAME, the agents are grouped by the rules that they were designed for, the strongest first. With NAME, the
    weights of an agent are shown: one of these names, a weights file or the folder of a run.
    """
    if name is not None:
        print_agent(load_agent(name))
        return
    strengths = load_strengths()
    rows = {
        rules: [[a.name, *format_strength_cells(strengths.get(a.name)), a.source] for a in group]
        for rules, group in group_agents_by_rules().items()
    }
    print_agent_groups(rows)
    for paragraph in (
        "Strength is the mean per game under the rules that head the group, with its 95 % confidence interval, over "
        "the given number of games; for agents of modern games it is the attack per piece. Only agents under the same "
        "rules can be compared.",
        CAPPED_GAMES_NOTE,
        "Options follow a colon. du:depth=2 also searches the next piece (depth=3: the next two), expect=1 adds the "
        "expectation over the seven possible pieces after those, beam=8 keeps the eight best placements of each piece, "
        "measured=before evaluates the features before full rows are removed.",
        "`tetrion list agents NAME` lists the weights of an agent.",
        "Your own agent is a file with weights (mine.json) or a Python class (mine.py:Mine).",
    ):
        print_wrapped(paragraph)


def print_agent_groups(rows: Mapping[str, Sequence[Sequence[str]]]) -> None:
    """Print the rows of each rule set below its name."""
    console = make_console()
    figures = [_AGENT_HEADINGS[:3], *(row[:3] for group in rows.values() for row in group)]
    widths = [max(map(len, column)) for column in zip(*figures, strict=True)]
    console.print(Text(format_agent_row(_AGENT_HEADINGS, widths, console.width), "bold"), soft_wrap=True)
    for rules, group in rows.items():
        console.print(Text(f"\nrules {rules}", "bold"))
        for row in group:
            console.print(Text(format_agent_row(row, widths, console.width)), soft_wrap=True)
    console.print()


def format_agent_row(row: Sequence[str], widths: Sequence[int], width: int) -> str:
    """Return name, strength, games and source of an agent; where `width` is small, each has lines of its own."""
    name, strength, games, source = row
    figures = f"{name:{widths[0]}}  {strength:>{widths[1]}}  {games:>{widths[2]}}  "
    if len(figures.rstrip()) > width:
        return "\n".join((name, f"  {strength}", f"  {games}", wrap_text(source, width, "  ")))
    fits = width - len(figures) >= _MIN_SOURCE_WIDTH
    indent = " " * (len(figures) if fits else 2)
    text = wrap_text(source, width, indent)
    return figures + text.removeprefix(indent) if fits else f"{figures.rstrip()}\n{text}"


@command.command()
@click.argument("name", required=False)
def papers(name: str | None) -> None:
    """List the papers that can be reproduced, or show one of them with its claims."""
    if name is not None:
        print_paper(PAPERS[name])
        return
    loaded = list(PAPERS.values())
    rows = [[paper.name, paper.title, paper.source, describe_contents(paper)] for paper in loaded]
    print_table(["paper", "title", "source", "contents"], rows)
    echo()
    print_wrapped(
        "`tetrion reproduce PAPER` reproduces one paper (with --quick in a minute or two), `tetrion reproduce all` "
        "reproduces every paper."
    )


def describe_contents(paper: Paper) -> str:
    """Return the number of claims of the document, or that it is a study of our own."""
    claims = sum(not claim.is_own for claim in paper.claims)
    return "our own study" if paper.is_study else format_count(claims, "claim")


@command.command()
@click.argument("name", required=False)
def rules(name: str | None) -> None:
    """List the rule sets, or show one of them.

    Without NAME, the rule sets are shown side by side; with NAME, one of them with the decisions behind it.
    """
    names = [name] if name else [preset for preset in PRESETS if preset != "standard-10x10"]
    rule_sets = [Rules.from_preset(preset) for preset in names]
    rule_fields = [field.name for field in fields(Rules) if field.name != "name"]
    print_table(["rule", *names], [[field, *(format_rule(field, rule) for rule in rule_sets)] for field in rule_fields])
    echo()
    for preset in names:
        print_wrapped(f"{preset}: {PRESET_DEFINITIONS[preset].source}.")
        for decision in PRESET_DEFINITIONS[preset].decisions if name else ():
            print_wrapped(decision, "  – ")
    if not name:
        print_wrapped(f"standard-10x10: {PRESET_DEFINITIONS['standard-10x10'].source}.")
        echo()
        patterns = "; ".join(f"{pattern}, {meaning}" for pattern, meaning in RANDOMISER_PATTERNS.items())
        for paragraph in (
            "`tetrion list rules NAME` lists the decisions made where the source leaves a rule open.",
            "Change any rule after a colon: standard:height=14,randomiser=bag. "
            f"Randomisers: {', '.join(NAMED_RANDOMISERS)} and {patterns}.",
        ):
            print_wrapped(paragraph)


@command.command()
@click.argument("name", required=False)
def recipes(name: str | None) -> None:
    """List the training recipes, or show one of them.

    With NAME, all settings of the recipe and their meaning are shown.
    """
    if name is None:
        rows = [[r.name, r.learner, r.rules, r.summary, r.source] for r in RECIPES.values()]
        print_table(["recipe", "learner", "rules", "description", "source"], rows)
        echo()
        print_wrapped("`tetrion list recipes NAME` lists the settings of a recipe. Change them with --set key=value.")
        return
    print_recipe(Recipe.load(name))


def format_rule(field: str, rules: Rules) -> str:
    """Return the value of a rule for the table, with one key per line."""
    value = get_rule_text(rules, field)
    return value.replace("+", "\n") if field in KEY_LIST_FIELDS else value
