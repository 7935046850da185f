"""`tetrion list`: agents, features, papers, recipes and rules."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import fields

import click
from rich.text import Text

from tetrion.agents import AGENTS, Agent, WeightedAgent, load_agent
from tetrion.agents.weighted_agent import describe_search, list_feature_names, list_weights
from tetrion.cli import SuggestingGroup
from tetrion.cli.console_output import echo, make_console, print_table, print_wrapped, wrap_text
from tetrion.cli.shared_options import allow_code_option
from tetrion.engine.feature_registry import FEATURES, Feature
from tetrion.engine.features.attack_features import ATTACK_FEATURES, AttackFeature
from tetrion.engine.randomisers import NAMED_RANDOMISERS, RANDOMISER_PATTERNS
from tetrion.engine.rules import KEY_LIST_FIELDS, PRESET_DEFINITIONS, PRESETS, Rules, get_rule_text
from tetrion.errors import UnknownNameError
from tetrion.evaluation.agent_strengths import (
    ATTACK_METRIC,
    CAPPED_GAMES_NOTE,
    CAPPED_MARK,
    AgentStrength,
    format_strength,
    format_strength_cells,
    group_agents_by_rules,
    load_strengths,
)
from tetrion.evaluation.number_format import NO_VALUE, format_count, format_rough_duration
from tetrion.papers import PAPERS
from tetrion.papers.definition import Paper
from tetrion.training.recipe import RECIPES, Recipe
from tetrion.training.recipe_durations import estimate_seconds

_AGENT_HEADINGS = ("agent", "strength", "games", "source")
_MIN_SOURCE_WIDTH = 24  # characters; where less is left, the source has a line of its own


@click.group(cls=SuggestingGroup)
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
@click.option("--table", is_flag=True, help="Show every rule of all rule sets side by side.")
def rules(name: str | None, table: bool) -> None:
    """List the rule sets, or show one of them.

    Without NAME, one line describes each rule set; with NAME, all its rules and the decisions behind them are shown.
    """
    if not name and not table:
        print_rule_sets()
        return
    names = [name] if name else [preset for preset in PRESETS if preset != "standard-10x10"]
    rule_sets = [Rules(preset) for preset in names]
    rule_fields = [field.name for field in fields(Rules) if field.name != "name"]
    print_table(["rule", *names], [[field, *(format_rule(field, rule) for rule in rule_sets)] for field in rule_fields])
    echo()
    for preset in names if name else ():
        print_wrapped(f"{preset}: {PRESET_DEFINITIONS[preset].source}.")
        for decision in PRESET_DEFINITIONS[preset].decisions:
            print_wrapped(decision, "  – ")


def print_rule_sets() -> None:
    """Print the name and a description of each rule set, and how to change rules."""
    print_table(["rules", "description"], [[name, preset.source] for name, preset in PRESET_DEFINITIONS.items()])
    echo()
    patterns = "; ".join(f"{pattern}, {meaning}" for pattern, meaning in RANDOMISER_PATTERNS.items())
    for paragraph in (
        "`tetrion list rules NAME` lists the rules of one set and the decisions made where its source leaves a rule "
        "open; `tetrion list rules --table` compares all sets.",
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
        rows = [[r.name, describe_duration(r), r.summary] for r in RECIPES.values()]
        print_table(["recipe", "time", "description"], rows)
        echo()
        print_wrapped(f"The time is that of a run on all {format_count(os.cpu_count() or 1, 'core')} of this machine.")
        print_wrapped(
            "`tetrion list recipes NAME` shows the source, rules and settings; --set key=value changes a setting."
        )
        return
    print_recipe(Recipe.load(name))


def describe_duration(recipe: Recipe) -> str:
    """Return about how long a recipe takes on this machine."""
    seconds = estimate_seconds(recipe.name)
    return NO_VALUE if seconds is None else format_rough_duration(seconds)


def format_rule(field: str, rules: Rules) -> str:
    """Return the value of a rule for the table, with one key per line."""
    value = get_rule_text(rules, field)
    return value.replace("+", "\n") if field in KEY_LIST_FIELDS else value


def print_facts(title: str, facts: Mapping[str, str]) -> None:
    """Print a title and one line per fact; facts without a text are left out."""
    for line in (title, *(f"{name}: {text}" for name, text in facts.items() if text)):
        print_wrapped(line)


def print_agent(agent: Agent) -> None:
    """Print the source, rules, strength and search of an agent, and the weight of each of its features."""
    strength = load_strengths().get(agent.name) if agent.name in AGENTS else None
    weighted = agent if isinstance(agent, WeightedAgent) else None
    facts = {
        "Source": getattr(agent, "source", ""),
        "Rules": agent.rules,
        "Strength": describe_strength(strength) if strength else "",
        "Search": describe_search(weighted) if weighted else "",
        "Weights": "" if weighted else "none, because code chooses the moves",
    }
    print_facts(agent.name, facts)
    if strength and strength.is_censored:
        print_wrapped(CAPPED_GAMES_NOTE)
    if weighted:
        headings, rows = list_weights(weighted)
        echo()
        print_table(headings, rows)


def describe_strength(strength: AgentStrength) -> str:
    """Return the strength of an agent and how it was measured."""
    measured = "splitting" if strength.method == "splitting" else format_count(strength.games, "game")
    capped = f", {strength.capped:,} capped" if strength.capped else ""
    per_game = "" if strength.metric == ATTACK_METRIC else " per game"
    mark = CAPPED_MARK if strength.is_censored else ""
    return f"{format_strength(strength)}{per_game}{mark} ({measured}{capped})"


def get_feature(name: str) -> Feature | AttackFeature:
    """Return a feature of boards or of attack; raise an UnknownNameError if there is none with that name."""
    known: dict[str, Feature | AttackFeature] = {**FEATURES, **ATTACK_FEATURES}
    if name not in known:
        raise UnknownNameError("feature", name, known, listing="`tetrion.FEATURES` lists all features.")
    return known[name]


def print_feature(feature: Feature | AttackFeature) -> None:
    """Print the meaning, values and source of a feature, and the named agents that use it."""
    agents = [
        name
        for name, agent in AGENTS.items()
        if isinstance(agent, WeightedAgent) and feature.name in list_feature_names(agent)
    ]
    facts = {
        "Kind": feature.kind,
        "Values": format_value_range(feature),
        "Source": feature.source,
        "Agents": ", ".join(agents),
    }
    print_facts(f"{feature.name}: {feature.description}", facts)


def format_value_range(feature: Feature | AttackFeature) -> str:
    """Return the smallest and the largest value of a feature."""
    return f"{feature.min_value} to {feature.max_value}".replace("-", "−")


def print_paper(paper: Paper) -> None:
    """Print what a paper is about, and its claims."""
    print_facts(
        f"{paper.name}: {paper.title}",
        {"Source": paper.source, "Rules": paper.rules, "Implemented": paper.implemented},
    )
    print_wrapped(paper.description)
    echo()
    rows = [[claim.statement, claim.quotation, claim.location] for claim in paper.claims]
    print_table(["claim", "published", "location"], rows, wrap_first_column=True)


def print_recipe(recipe: Recipe) -> None:
    """Print the settings of a recipe and their meaning."""
    print_facts(f"{recipe.name}: {recipe.summary}", {"Source": recipe.source, "Rules": recipe.rules})
    echo()
    print_table(["setting", "value", "meaning"], [list(row) for row in recipe.list_settings()])
