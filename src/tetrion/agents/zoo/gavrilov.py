"""Gavrilov 2023, sections 7 and 9.2: four hand-made agents and the trained one.

Their height is the row of the piece's highest cell, counted from the top: the code of Figure 49 takes the smallest y of
its cells, and only so do the published lines appear. Features see the board before full rows are removed.
"""

from tetrion.agents.data import DataAgent
from tetrion.engine.agents import Terms

EQUAL: Terms = {"piece_top": 1, "holes": -1, "bumpiness": -1, "lines": 1}


def gavrilov(name: str, weights: Terms, section: str) -> DataAgent:
    """One of them."""
    source = f"Gavrilov 2023, section {section}"
    return DataAgent(name, weights, "before", source, "gavrilov", "gavrilov")


def first(count: int) -> Terms:
    """The first so many of the equal weights."""
    return dict(list(EQUAL.items())[:count])


AGENTS = (
    gavrilov("lowest", first(1), "7.2: the lowest point"),
    gavrilov("gavrilov-2", first(2), "7.3: height and holes, equal weights"),
    gavrilov("gavrilov-3", first(3), "7.4: bumpiness added"),
    gavrilov("gavrilov-4", first(4), "7.5: clearing added"),
    gavrilov(
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
