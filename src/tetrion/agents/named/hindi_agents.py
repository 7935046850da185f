"""Hindi et al. 2018: the agents of Table I (current piece only) and Table II (current and next piece).

Features are measured before the full rows of the last piece are removed, and the lines feature counts the full rows on
that board: only this reading reproduces the order of Table I. With two pieces, the rows that the first piece fills are
removed before the second is placed.
"""

from tetrion.agents.weighted_agent import WeightedAgent

HINDI_FEATURES = ("bumpiness", "holes", "aggregate_height", "full_rows")
HINDI_TABLE_I = (
    (-0.341878, -0.32742803, -0.81250625, -0.34021157),
    (-0.40654381, -0.40281927, -0.71291201, -0.40523478),
    (-0.3211779, -0.26246908, -0.86267829, 0.289380202),
    (-0.36705203, -0.34971617, -0.77999803, -0.36684395),
)
HINDI_TABLE_II = (
    (-0.27897336, -0.50718315, -0.77487336, -0.25398897),
    (-0.22159162, -0.31094434, -0.63659727, -0.67004081),
    (-0.18963445, -0.31094434, -0.85399079, -0.40065865),
)


def make_hindi_agent(name: str, weights: tuple[float, ...], table: str, depth: int) -> WeightedAgent:
    """Create an agent from a row of a table."""
    return WeightedAgent(
        name,
        dict(zip(HINDI_FEATURES, weights, strict=True)),
        measured="before",
        source=f"Hindi et al. 2018, {table}",
        family="hindi",
        rules="hindi",
        depth=depth,
    )


HINDI_AGENTS = (
    *(
        make_hindi_agent(f"hindi-{row}", weights, f"Table I, row {row}", 1)
        for row, weights in enumerate(HINDI_TABLE_I, 1)
    ),
    *(
        make_hindi_agent(f"hindi-look-{row}", weights, f"Table II, row {row}", 2)
        for row, weights in enumerate(HINDI_TABLE_II, 1)
    ),
)
