"""Tick values and label positions of charts. This module imports no graphics library."""

import math
from collections.abc import Sequence
from itertools import pairwise

from tetrion.evaluation.number_format import format_number

MIN_LABEL_DISTANCE = 16  # pixels between the labels of two lines
MAX_MARKED_POINTS = 15  # lines with fewer points have a mark on each point
MAX_GRID_LINES = 4


def spread_labels(
    heights: Sequence[float], low: float, high: float, min_distance: float = MIN_LABEL_DISTANCE
) -> list[float]:
    """Move label heights as little as needed to be `min_distance` apart, within `low` and `high` if there is room."""
    order = sorted(range(len(heights)), key=lambda index: heights[index])
    result = list(heights)
    for before, index in pairwise(order):
        result[index] = max(result[index], result[before] + min_distance)
    upper = max(high, low + min_distance * (len(result) - 1))
    for index in reversed(order):
        result[index] = min(result[index], upper)
        upper = result[index] - min_distance
    return result


def choose_step_ticks(steps: int, max_ticks: int) -> list[int]:
    """Return the steps (1, 2, …) that get a label below a chart: the first one and round numbers."""
    if steps <= max_ticks:
        return list(range(1, steps + 1))
    units = (1, *(factor * 10**power for power in range(12) for factor in (5, 10, 20)))
    unit = next(unit for unit in units if steps / unit <= max(2, max_ticks - 1))
    return [1, *(tick for tick in range(unit, steps + 1, unit) if tick > 1 + unit / 2)]


def compute_scale(minimum: float, maximum: float) -> tuple[float, float]:
    """Return the range of a scale that includes 0, the minimum and the maximum, with a margin beyond them."""
    low, high = min(0.0, minimum), max(0.0, maximum)
    high = high if high > low else low + 1
    margin = 0.04 * (high - low)
    return (low - margin if low < 0 else low), (high + margin if high > 0 else high)


def count_fitting_ticks(height: float) -> int:
    """Return how many tick labels fit one above another into a height in units: 2 to `MAX_GRID_LINES`."""
    return max(2, min(MAX_GRID_LINES, int(height // MIN_LABEL_DISTANCE)))


def choose_round_values(
    low: float, high: float, integers_only: bool = False, *, max_count: int = MAX_GRID_LINES
) -> list[float]:
    """Return at most `max_count` (2 or more) round numbers between two values, only whole ones with `integers_only`."""
    order = math.floor(math.log10(high - low)) - 1
    for unit in (factor * 10.0**power for power in range(order, order + 4) for factor in (1, 2, 2.5, 5)):
        first, last = math.ceil(low / unit), math.floor(high / unit)
        if last - first < max_count and (not integers_only or unit == int(unit)):
            break
    return [number * unit for number in range(first, last + 1)]


def format_tick(tick: float, ticks: Sequence[float]) -> str:
    """Return the label of a tick, with as many decimals as all ticks need."""
    max_magnitude = max(map(abs, ticks))
    if max_magnitude >= 10**6:
        return f"{tick / 1e6:,g} M".replace("-", "−") if tick else "0"
    for digits in range(7):
        if all(abs(round(other, digits) - other) <= 1e-9 * max_magnitude for other in ticks):
            return format_number(tick, digits) if tick else "0"
    return f"{tick:.3g}".replace("-", "−")
