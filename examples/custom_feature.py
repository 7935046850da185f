"""A custom feature, compiled by the engine.

Evaluate an agent with it: `tetrion bench examples/custom_feature.json --allow-code`.

A feature is a function of an outcome, the result of one placement: `outcome.columns` (bit masks, bit 0 is the bottom
row), `outcome.heights`, `outcome.rows`, `outcome.lines`, the piece's `outcome.bottom` and `outcome.top`, and more. It
returns a whole number from 0 to `max_value`.
"""

import tetrion


@tetrion.feature(max_value=9 * 27)
def cliffs(outcome: tetrion.Outcome) -> int:
    """Sum of the height differences of neighbouring columns, counting only what exceeds two rows."""
    total = 0
    for column in range(9):
        step = abs(outcome.heights[column] - outcome.heights[column + 1])
        if step > 2:
            total += step - 2
    return total


if __name__ == "__main__":
    weights = {"holes": -8, "bumpiness": -1, "aggregate_height": -1, "lines": 2}
    for agent in (
        tetrion.WeightedAgent("plain", weights),
        tetrion.WeightedAgent("with cliffs", {**weights, "cliffs": -2}),
    ):
        result = tetrion.evaluate(agent, "standard-10x10", games=300, seed=1)
        print(f"{agent.name}: {result.lines.mean:.0f} lines per game")
