"""Every named agent with its published numbers, a family a file."""

from dataclasses import replace
from functools import cache
from importlib import import_module

from tetrion.agents.random_keys import RandomKeysAgent
from tetrion.agents.weighted_agent import WeightedAgent

AGENT_FAMILIES = ("baselines", "gavrilov", "becker", "hindi", "tetrais", "medico", "literature")


def named_agents() -> dict[str, WeightedAgent | RandomKeysAgent]:
    """All named agents by name, in the order of their families; copies, which may be changed."""
    return {name: replace(agent) for name, agent in _load_agents().items()}


@cache
def _load_agents() -> dict[str, WeightedAgent | RandomKeysAgent]:
    return {
        agent.name: agent
        for family in AGENT_FAMILIES
        for agent in import_module(f"tetrion.agents.named.{family}").AGENTS
    }
