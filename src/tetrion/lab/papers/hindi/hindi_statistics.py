"""Statistics of training runs for the reproduction of Hindi et al."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from tetrion.evaluation.confidence_intervals import Interval, SampleArray, compute_mean_interval
from tetrion.evaluation.number_format import format_count, format_number
from tetrion.lab.reproduction.published_values import MeasuredValue
from tetrion.lab.reproduction.rank_correlation import compute_rank_correlation

FINAL_GENERATIONS = 5  # number of last generations that are averaged


def get_metric(run: Mapping[str, Any], metric: str) -> SampleArray:
    """Return a metric of a run, one value per generation."""
    return np.array(run["metrics"][metric], float)


def compute_mean_over_runs(
    values: SampleArray,
    compute_interval: Callable[[SampleArray], Interval | None] = compute_mean_interval,
    unit: str = "seed",
) -> MeasuredValue:
    """Return the mean of values with its interval; `unit` names what is counted."""
    return MeasuredValue(float(values.mean()), compute_interval(values), basis=format_count(len(values), unit))


def compute_central_range(values: SampleArray, basis: str) -> MeasuredValue:
    """Return the median and the central 95 % range of values."""
    low, median, high = (float(value) for value in np.percentile(values, [2.5, 50, 97.5]))
    return MeasuredValue(
        median,
        (low, high),
        text=f"{format_number(median)} ({format_number(low)} to {format_number(high)})",
        basis=basis,
    )


def count_score_drops(run: Mapping[str, Any]) -> int:
    """Return how often the best score of a generation is less than half of the previous one."""
    best = get_metric(run, "max")
    return int((best[1:] < best[:-1] / 2).sum())


def compute_roughness(run: Mapping[str, Any]) -> float:
    """Return the mean relative change of the best score between generations, in the second half of a run."""
    best = get_metric(run, "max")
    second_half = best[len(best) // 2 :]
    return float(np.mean(np.abs(np.diff(second_half)) / np.maximum(second_half[1:] + second_half[:-1], 1) * 2))


def compute_trend(run: Mapping[str, Any]) -> float:
    """Return the rank correlation of generation and average score; 1 if the average always rises."""
    return compute_rank_correlation(np.arange(len(get_metric(run, "mean"))), get_metric(run, "mean"))


def has_rising_mean(run: Mapping[str, Any]) -> bool:
    """Return whether the average of the last generations is above that of the first."""
    mean = get_metric(run, "mean")
    return bool(mean[-FINAL_GENERATIONS:].mean() > mean[:FINAL_GENERATIONS].mean())


def compute_explained_variance(values: SampleArray, groups: Sequence[Sequence[int]]) -> float:
    """Return the share of the variance that settings explain additively, adjusted for chance."""
    columns = [np.ones(len(values))]
    for group in groups:
        columns += [np.equal(group, level).astype(float) for level in sorted(set(group))[1:]]
    design = np.column_stack(columns)
    residuals = values - design @ np.linalg.lstsq(design, values, rcond=None)[0]
    degrees_of_freedom = len(values) - design.shape[1]
    return float(1 - (residuals**2).sum() / degrees_of_freedom / (values.var(ddof=1) or 1))
