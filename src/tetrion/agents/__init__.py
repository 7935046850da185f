"""Agents: weighted agents, agents written as Python classes, random keys, and all named agents."""

from tetrion.agents.agent_files import save_agent
from tetrion.agents.agent_loading import AnyAgent, load_agent, load_weighted_agent
from tetrion.agents.explanation import Candidate, Explanation
from tetrion.agents.named import named_agents
from tetrion.agents.python_agent.python_agent import Chooser, PythonAgent
from tetrion.agents.random_keys import RandomKeysAgent
from tetrion.agents.weighted_agent import SecondMode, WeightedAgent

__all__ = [
    "AnyAgent",
    "Candidate",
    "Chooser",
    "Explanation",
    "PythonAgent",
    "RandomKeysAgent",
    "SecondMode",
    "WeightedAgent",
    "load_agent",
    "load_weighted_agent",
    "named_agents",
    "save_agent",
]
