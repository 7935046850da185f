"""How far two orders agree, and how well that is known."""

import math

import numpy as np

from tetrion.evaluation.intervals import NORMAL, Interval, Numbers


def ranks(numbers: Numbers) -> Numbers:
    """The place of each number in order, equal ones sharing theirs."""
    _, inverse, counts = np.unique(numbers, return_inverse=True, return_counts=True)
    return np.asarray((np.cumsum(counts) - (counts + 1) / 2)[inverse])


def rank_correlation(first: Numbers, second: Numbers) -> float:
    """Spearman's correlation; 0 where one of them does not vary."""
    one, other = ranks(first), ranks(second)
    if one.std() == 0 or other.std() == 0:
        return 0.0
    return float(np.corrcoef(one, other)[0, 1])


def correlation_interval(value: float, pairs: int) -> Interval:
    """The interval of a rank correlation (Fisher's transformation, with Bonett and Wright's variance of 2000)."""
    if pairs < 5:
        return -1.0, 1.0
    centre, margin = math.atanh(min(max(value, -0.999999), 0.999999)), math.sqrt((1 + value**2 / 2) / (pairs - 3))
    return math.tanh(centre - NORMAL * margin), math.tanh(centre + NORMAL * margin)
