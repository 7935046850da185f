"""Baseline agents that play at random, for comparison with other agents."""

from tetrion.agents.random_keys import RandomKeysAgent
from tetrion.agents.weighted_agent import WeightedAgent

BASELINE_AGENTS = (
    WeightedAgent(
        "random",
        {"chance": 1},
        source="TetrAIs 2023, section 6.1: a random placement, always the same one in the same position",
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
