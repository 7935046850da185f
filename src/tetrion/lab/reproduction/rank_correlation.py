"""Spearman's rank correlation and its confidence interval."""

import math

import numpy as np

from tetrion.evaluation.confidence_intervals import NORMAL_QUANTILE, Interval, SampleArray


def compute_ranks(values: SampleArray) -> SampleArray:
    """Return the rank of each value; equal values share their mean rank."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    return np.asarray((np.cumsum(counts) - (counts + 1) / 2)[inverse])


def compute_rank_correlation(first: SampleArray, second: SampleArray) -> float:
    """Return Spearman's rank correlation; 0 if one of the samples is constant."""
    first_ranks, second_ranks = compute_ranks(first), compute_ranks(second)
    if first_ranks.std() == 0 or second_ranks.std() == 0:
        return 0.0
    return float(np.corrcoef(first_ranks, second_ranks)[0, 1])


def compute_correlation_interval(correlation: float, pair_count: int) -> Interval:
    """Return the 95 % interval of a rank correlation (Fisher's transformation; Bonett and Wright 2000)."""
    if pair_count < 5:
        return -1.0, 1.0
    centre = math.atanh(min(max(correlation, -0.999999), 0.999999))
    margin = NORMAL_QUANTILE * math.sqrt((1 + correlation**2 / 2) / (pair_count - 3))
    return math.tanh(centre - margin), math.tanh(centre + margin)
