"""The figures beside and below a chart, and names at its right that do not touch; plain numbers, which load nothing."""

import math
from collections.abc import Sequence

import numpy as np

from tetrion.evaluation.number_format import format_number

MIN_LABEL_DISTANCE = 16  # pixels between the names of two lines
MAX_MARKED_POINTS = 15  # points, below which every one is marked
MAX_GRID_LINES = 4  # at most


def spread_labels(
    heights: Sequence[float], low: float, high: float, min_distance: float = MIN_LABEL_DISTANCE
) -> list[float]:
    """Heights moved as little as needed to be so far apart, within bounds as far as there is room."""
    order = np.argsort(heights, kind="stable")
    moved = np.array(heights, float)[order]
    for place in range(1, len(moved)):
        moved[place] = max(moved[place], moved[place - 1] + min_distance)
    moved[-1:] = np.minimum(moved[-1:], max(high, low + min_distance * (len(moved) - 1)))
    for place in range(len(moved) - 2, -1, -1):
        moved[place] = min(moved[place], moved[place + 1] - min_distance)
    result = np.empty(len(moved))
    result[order] = moved
    return [float(height) for height in result]


def choose_step_ticks(steps: int, max_ticks: int) -> list[int]:
    """Which of the generations 1, 2, … are written below a chart: the first and round ones."""
    if steps <= max_ticks:
        return list(range(1, steps + 1))
    units = (1, *(part * 10**order for order in range(12) for part in (5, 10, 20)))
    unit = next(unit for unit in units if steps / unit <= max(2, max_ticks - 1))
    return [1, *(tick for tick in range(unit, steps + 1, unit) if tick > 1 + unit / 2)]


def compute_scale(minimum: float, maximum: float) -> tuple[float, float]:
    """From where to where a scale runs that holds numbers and 0, with some room beyond the outermost."""
    low, high = min(0.0, minimum), max(0.0, maximum)
    high = high if high > low else low + 1
    spare = 0.04 * (high - low)
    return (low - spare if low < 0 else low), (high + spare if high > 0 else high)


def choose_round_values(low: float, high: float, integers_only: bool = False) -> list[float]:
    """As many round numbers between two as there may be rules; with `whole` they are whole ones."""
    order = math.floor(math.log10(high - low)) - 1
    for unit in (part * 10.0**power for power in range(order, order + 4) for part in (1, 2, 2.5, 5)):
        first, last = math.ceil(low / unit), math.floor(high / unit)
        if last - first < MAX_GRID_LINES and (not integers_only or unit == int(unit)):
            break
    return [number * unit for number in range(first, last + 1)]


def format_tick(tick: float, ticks: Sequence[float]) -> str:
    """A figure at a rule, with as many decimals as all of them need."""
    most = max(map(abs, ticks))
    if most >= 10**6:
        return f"{tick / 1e6:,g} M".replace("-", "−") if tick else "0"
    for digits in range(7):
        if all(abs(round(other, digits) - other) <= 1e-9 * most for other in ticks):
            return format_number(tick, digits) if tick else "0"
    return f"{tick:.3g}".replace("-", "−")
