"""All named agents with their published weights, one file per family."""

from dataclasses import replace
from functools import cache

from tetrion.agents.named.baseline_agents import BASELINE_AGENTS
from tetrion.agents.named.becker_agents import BECKER_AGENTS
from tetrion.agents.named.gavrilov_agents import GAVRILOV_AGENTS
from tetrion.agents.named.hindi_agents import HINDI_AGENTS
from tetrion.agents.named.literature_agents import LITERATURE_AGENTS
from tetrion.agents.named.medico_agents import MEDICO_AGENTS
from tetrion.agents.named.tetrais_agents import TETRAIS_AGENTS
from tetrion.agents.random_keys import RandomKeysAgent
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


@cache
def _list_agents() -> dict[str, WeightedAgent | RandomKeysAgent]:
    return {agent.name: agent for family in _FAMILIES for agent in family}


def named_agents() -> dict[str, WeightedAgent | RandomKeysAgent]:
    """Return copies of all named agents by name, in the order of their families."""
    return {name: replace(agent) for name, agent in _list_agents().items()}
