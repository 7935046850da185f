"""A feature of your own, compiled by the engine: `tetrion bench examples/own_feature.json` plays with it.

A feature is a function of an outcome: `o.columns` (bits, bit 0 is the floor), `o.heights`, `o.rows`, `o.lines`,
`o.bottom` and `o.top` of the piece, and more. It is written for one placement and gives a whole number from 0 to
`max_value`.
"""

import tetrion


@tetrion.feature(max_value=9 * 27)
def cliffs(o: tetrion.Outcome) -> int:
    """Height differences of neighbouring columns beyond two: what takes more than an upright piece to mend."""
    found = 0
    for column in range(9):
        step = abs(o.heights[column] - o.heights[column + 1])
        if step > 2:
            found += step - 2
    return found


if __name__ == "__main__":
    weights = {"holes": -8, "bumpiness": -1, "aggregate_height": -1, "lines": 2}
    for agent in (
        tetrion.WeightedAgent("plain", weights),
        tetrion.WeightedAgent("with cliffs", {**weights, "cliffs": -2}),
    ):
        result = tetrion.evaluate(agent, "standard-10x10", games=300, seed=1)
        print(f"{agent.name}: {result.lines.mean:.0f} lines a game")
