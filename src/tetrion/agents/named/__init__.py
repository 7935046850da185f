"""All named agents with their published weights, one file per family."""

import json
from collections.abc import Iterable, Iterator, Mapping
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


class NamedAgents(Mapping[str, NamedAgent]):
    """All named agents by name, in the order of their families; each access returns a copy."""

    def __init__(self, families: Iterable[Iterable[WeightedAgent | RandomKeysAgent]]) -> None:
        self._agents = {agent.name: agent for family in families for agent in family}
        self._names = (*self._agents, *RECORD_AGENT_NAMES)

    def __getitem__(self, name: str) -> NamedAgent:
        if name in RECORD_AGENT_NAMES and name not in self._agents:
            self._agents[name] = load_record_agent(name)
        return replace(self._agents[name])

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __repr__(self) -> str:
        return f"<named agents: {', '.join(self)}>"


def load_record_agent(name: str) -> WeightedAgent:
    """Load one of `RECORD_AGENT_NAMES`."""
    return agent_from_json(json.loads(files(__name__).joinpath(f"{name}.json").read_bytes()), name)


named_agents = NamedAgents(_FAMILIES)
"""All named agents by name: `tetrion.named_agents["dellacherie"]` is a copy of the agent."""
