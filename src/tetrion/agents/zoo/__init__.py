"""Every named agent with its published numbers, a family a file."""

from dataclasses import replace
from functools import cache
from importlib import import_module

from tetrion.agents.data import DataAgent
from tetrion.agents.keys import RandomKeys

FAMILIES = ("baselines", "gavrilov", "becker", "hindi", "tetrais", "medico", "literature")


def zoo() -> dict[str, DataAgent | RandomKeys]:
    """All named agents by name, in the order of their families; copies, which may be changed."""
    return {name: replace(agent) for name, agent in _agents().items()}


@cache
def _agents() -> dict[str, DataAgent | RandomKeys]:
    return {agent.name: agent for family in FAMILIES for agent in import_module(f"tetrion.agents.zoo.{family}").AGENTS}
