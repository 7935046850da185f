"""Agents: the protocol, weighted agents, agents written in Python, random keys, and all named agents."""

from tetrion.agents.agent import Agent, Chooser, Decision, Player, choose_rules
from tetrion.agents.agent_check import check_agent
from tetrion.agents.agent_files import save_agent
from tetrion.agents.agent_loading import as_agent, load_agent, load_weighted_agent
from tetrion.agents.explanation import Candidate, Explanation
from tetrion.agents.named import AGENTS
from tetrion.agents.named.baseline_agents import RandomKeysAgent
from tetrion.agents.python_agent.agent_process import PythonAgent
from tetrion.agents.weighted_agent import SecondMode, WeightedAgent

__all__ = [
    "AGENTS",
    "Agent",
    "Candidate",
    "Chooser",
    "Decision",
    "Explanation",
    "Player",
    "PythonAgent",
    "RandomKeysAgent",
    "SecondMode",
    "WeightedAgent",
    "as_agent",
    "check_agent",
    "choose_rules",
    "load_agent",
    "load_weighted_agent",
    "save_agent",
]
