"""Who plays: agents made of numbers, agents of a person's own, and all the named ones."""

from tetrion.agents.data import DataAgent, SecondMode
from tetrion.agents.explain import Candidate, Explanation
from tetrion.agents.files import save
from tetrion.agents.keys import RandomKeys
from tetrion.agents.names import AnyAgent, data_agent, load
from tetrion.agents.own.agent import Chooser, OwnAgent
from tetrion.agents.zoo import zoo

__all__ = [
    "AnyAgent",
    "Candidate",
    "Chooser",
    "DataAgent",
    "Explanation",
    "OwnAgent",
    "RandomKeys",
    "SecondMode",
    "data_agent",
    "load",
    "save",
    "zoo",
]
