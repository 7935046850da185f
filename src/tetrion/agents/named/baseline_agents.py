"""Agents that do not think, to compare the others with."""

from tetrion.agents.random_keys import RandomKeysAgent
from tetrion.agents.weighted_agent import WeightedAgent

BASELINE_AGENTS = (
    WeightedAgent(
        "random",
        {"chance": 1},
        source="TetrAIs 2023, section 6.1: a random placement; the same position draws the same",
        family="baselines",
        rules="tetrais",
    ),
    RandomKeysAgent(
        "random-keys",
        source="Gavrilov 2023, section 7.1: random keys, until the game is lost",
        family="baselines",
        rules="gavrilov",
    ),
)
