"""How far two orders agree, and how well that is known."""

import math

import numpy as np

from tetrion.evaluation.confidence_intervals import NORMAL_QUANTILE, Interval, SampleArray


def compute_ranks(values: SampleArray) -> SampleArray:
    """The place of each number in order, equal ones sharing theirs."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    return np.asarray((np.cumsum(counts) - (counts + 1) / 2)[inverse])


def compute_rank_correlation(first: SampleArray, second: SampleArray) -> float:
    """Spearman's correlation; 0 where one of them does not vary."""
    one, other = compute_ranks(first), compute_ranks(second)
    if one.std() == 0 or other.std() == 0:
        return 0.0
    return float(np.corrcoef(one, other)[0, 1])


def compute_correlation_interval(correlation: float, pair_count: int) -> Interval:
    """The interval of a rank correlation (Fisher's transformation, with Bonett and Wright's variance of 2000)."""
    if pair_count < 5:
        return -1.0, 1.0
    centre, margin = (
        math.atanh(min(max(correlation, -0.999999), 0.999999)),
        math.sqrt((1 + correlation**2 / 2) / (pair_count - 3)),
    )
    return math.tanh(centre - NORMAL_QUANTILE * margin), math.tanh(centre + NORMAL_QUANTILE * margin)
