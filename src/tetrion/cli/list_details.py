"""One agent, feature, paper or recipe in detail, as `tetrion list … NAME` prints it."""

from collections.abc import Mapping

from tetrion.agents import AGENTS, Agent, WeightedAgent
from tetrion.agents.weighted_agent import describe_search, list_feature_names, list_weights
from tetrion.cli.console_output import echo, print_table, print_wrapped
from tetrion.engine.feature_registry import FEATURES, Feature
from tetrion.engine.features.attack_features import ATTACK_FEATURES, AttackFeature
from tetrion.errors import UnknownNameError
from tetrion.evaluation.agent_strengths import (
    ATTACK_METRIC,
    CAPPED_GAMES_NOTE,
    CAPPED_MARK,
    AgentStrength,
    format_strength,
    load_strengths,
)
from tetrion.evaluation.number_format import format_count
from tetrion.papers.definition import Paper
from tetrion.training.recipe import Recipe


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
