"""The strongest agents, trained by recipes: those of the record, and `modern-1` for modern games.

Their tables have many numbers, so their files are read when the agents are used.
"""

import json
from importlib.resources import files

from tetrion.agents.agent_files import agent_from_json
from tetrion.agents.weighted_agent import WeightedAgent

RECORD_AGENT_NAMES = ("tetrion-1", "tetrion-1-10x10", "tetrion-1-two-pieces", "tetrion-1-expect", "modern-1")


def load_record_agent(name: str) -> WeightedAgent:
    """Load one of `RECORD_AGENT_NAMES`."""
    return agent_from_json(json.loads(files(__package__).joinpath(f"{name}.json").read_bytes()), name)
