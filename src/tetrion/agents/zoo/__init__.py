"""Every named agent with its published numbers, a family a file."""

from functools import cache
from importlib import import_module

from tetrion.agents.data import DataAgent
from tetrion.agents.keys import RandomKeys

FAMILIES = ("baselines", "gavrilov", "becker", "hindi", "tetrais", "medico", "literature")


@cache
def zoo() -> dict[str, DataAgent | RandomKeys]:
    """All named agents by name, in the order of their families."""
    return {agent.name: agent for family in FAMILIES for agent in import_module(f"tetrion.agents.zoo.{family}").AGENTS}
