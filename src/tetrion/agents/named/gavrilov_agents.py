"""Gavrilov 2023, sections 7 and 9.2: four agents with equal weights and the trained agent.

The height feature is the row of the piece's highest cell, counted from the top: the code of Figure 49 takes the
smallest y of its cells, and only this reading reproduces the published numbers of lines. Features are measured before
full rows are removed.
"""

from tetrion.agents.weighted_agent import WeightedAgent
from tetrion.engine.agent_records import FeatureTerms

EQUAL_WEIGHTS: FeatureTerms = {"piece_top": 1, "holes": -1, "bumpiness": -1, "lines": 1}


def make_gavrilov_agent(name: str, weights: FeatureTerms, section: str) -> WeightedAgent:
    """Create an agent from its weights and the section of the report that describes it."""
    source = f"Gavrilov 2023, section {section}"
    return WeightedAgent(name, weights, measured="before", source=source, family="gavrilov", rules="gavrilov")


def take_equal_weights(count: int) -> FeatureTerms:
    """Return the weights of the first `count` features of `EQUAL_WEIGHTS`; all have the absolute value 1."""
    return dict(list(EQUAL_WEIGHTS.items())[:count])


GAVRILOV_AGENTS = (
    make_gavrilov_agent("lowest", take_equal_weights(1), "7.2: the lowest point"),
    make_gavrilov_agent("gavrilov-2", take_equal_weights(2), "7.3: height and holes, equal weights"),
    make_gavrilov_agent("gavrilov-3", take_equal_weights(3), "7.4: bumpiness added"),
    make_gavrilov_agent("gavrilov-4", take_equal_weights(4), "7.5: clearing added"),
    make_gavrilov_agent(
        "gavrilov",
        {
            "piece_top": 0.5436822764440379,
            "holes": -9.328911430903139,
            "bumpiness": -1.735608284805026,
            "lines": 6.577302970502618,
        },
        "9.2: the trained agent",
    ),
)
