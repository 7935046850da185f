"""Gavrilov 2023, sections 7 and 9.2: four hand-made agents and the trained one.

Their height is the row of the piece's highest cell, counted from the top: the code of Figure 49 takes the smallest y of
its cells, and only so do the published lines appear. Features see the board before full rows are removed.
"""

from tetrion.agents.weighted_agent import WeightedAgent
from tetrion.engine.agent_records import FeatureTerms

EQUAL_WEIGHTS: FeatureTerms = {"piece_top": 1, "holes": -1, "bumpiness": -1, "lines": 1}


def make_gavrilov_agent(name: str, weights: FeatureTerms, section: str) -> WeightedAgent:
    """One of them."""
    source = f"Gavrilov 2023, section {section}"
    return WeightedAgent(name, weights, "before", source, "gavrilov", "gavrilov")


def take_equal_weights(count: int) -> FeatureTerms:
    """The first so many of the equal weights."""
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
