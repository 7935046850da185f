"""All named agents with their published weights, one file per family."""

import json
from dataclasses import replace
from importlib.resources import files
from typing import Protocol

from tetrion.agents.agent import Agent
from tetrion.agents.agent_files import agent_from_json
from tetrion.agents.named.baseline_agents import BASELINE_AGENTS, RandomKeysAgent
from tetrion.agents.named.becker_agents import BECKER_AGENTS
from tetrion.agents.named.gavrilov_agents import GAVRILOV_AGENTS
from tetrion.agents.named.hindi_agents import HINDI_AGENTS
from tetrion.agents.named.literature_agents import LITERATURE_AGENTS
from tetrion.agents.named.medico_agents import MEDICO_AGENTS
from tetrion.agents.named.tetrais_agents import TETRAIS_AGENTS
from tetrion.agents.weighted_agent import WeightedAgent
from tetrion.registry import Registry

_FAMILIES = (
    BASELINE_AGENTS,
    GAVRILOV_AGENTS,
    BECKER_AGENTS,
    HINDI_AGENTS,
    TETRAIS_AGENTS,
    MEDICO_AGENTS,
    LITERATURE_AGENTS,
)

# The strongest agents, trained by recipes: those of the record, and `modern-1` for modern games. Their tables have many
# numbers, so their files are read when the agents are used.
RECORD_AGENT_NAMES = ("tetrion-1", "tetrion-1-10x10", "tetrion-1-two-pieces", "tetrion-1-expect", "modern-1")


class NamedAgent(Agent, Protocol):
    """An agent with its source, such as a paper, and the family under which it is listed."""

    @property
    def source(self) -> str:
        """Where the agent was published."""

    @property
    def family(self) -> str:
        """The family under which the agent is listed."""


_agents: dict[str, WeightedAgent | RandomKeysAgent] = {agent.name: agent for family in _FAMILIES for agent in family}


def _load_named_agent(name: str) -> NamedAgent:
    """Return a copy of a named agent."""
    if name not in _agents:
        content = json.loads(files(__name__).joinpath(f"{name}.json").read_bytes())
        _agents[name] = agent_from_json(content, name)
    return replace(_agents[name])


AGENTS: Registry[NamedAgent] = Registry(
    "agent", (*_agents, *RECORD_AGENT_NAMES), _load_named_agent, lambda agent: agent.source
)
"""All named agents, in the order of their families: `tetrion.AGENTS["dellacherie"]`."""
