"""A custom feature, which `own_feature.json` uses."""

import tetrion


@tetrion.feature(max_value=9 * 27)
def cliffs(o: tetrion.Outcome) -> int:
    """Height differences of neighbouring columns beyond two."""
    found = 0
    for column in range(9):
        step = abs(o.heights[column] - o.heights[column + 1])
        if step > 2:
            found += step - 2
    return found
