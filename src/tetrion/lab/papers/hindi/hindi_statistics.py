"""Statistics of runs that the reproduction of Hindi et al. reads its figures by."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tetrion.evaluation.confidence_intervals import Interval, SampleArray, compute_mean_interval
from tetrion.evaluation.number_format import format_count, format_number
from tetrion.lab.reproduction.published_values import MeasuredValue, PublishedValue, Verdict
from tetrion.lab.reproduction.rank_correlation import compute_rank_correlation

FINAL_GENERATIONS = 5  # generations at the end that are taken together


@dataclass(frozen=True)
class PublishedSingleRun(PublishedValue):
    """A figure of a single run, which lies among those of our runs or does not."""

    value: float = 0

    @property
    def formatted(self) -> str:
        """The figure."""
        return self.text or format_number(self.value)

    def compare(self, ours: MeasuredValue) -> Verdict:
        """Whether it lies where the middle 95 % of ours do."""
        low, high = ours.interval
        room = f"what 95 % of ours lie between ({format_number(low)} and {format_number(high)})"
        if low <= self.value <= high:
            return Verdict(True, f"it is within {room}")
        return Verdict(False, f"it is {'below' if self.value < low else 'above'} {room}")


def get_metric(run: Mapping[str, Any], metric: str) -> SampleArray:
    """A figure of a run, generation by generation."""
    return np.array(run["metrics"][metric], float)


def compute_mean_over_runs(
    numbers: SampleArray,
    compute_interval: Callable[[SampleArray], Interval | None] = compute_mean_interval,
    thing: str = "seed",
) -> MeasuredValue:
    """The mean of numbers with its interval."""
    return MeasuredValue(float(numbers.mean()), compute_interval(numbers), basis=format_count(len(numbers), thing))


def compute_central_range(numbers: SampleArray, basis: str) -> MeasuredValue:
    """Where the middle 95 % of numbers lie."""
    low, middle, high = (float(value) for value in np.percentile(numbers, [2.5, 50, 97.5]))
    return MeasuredValue(
        middle,
        (low, high),
        text=f"{format_number(middle)} ({format_number(low)} to {format_number(high)})",
        basis=basis,
    )


def count_score_drops(run: Mapping[str, Any]) -> int:
    """How often a generation's best score is less than half of that before."""
    best = get_metric(run, "max")
    return int((best[1:] < best[:-1] / 2).sum())


def compute_roughness(run: Mapping[str, Any]) -> float:
    """How much a generation's best differs from the one before on average, as a share of both, in the second half."""
    best = get_metric(run, "max")
    later = best[len(best) // 2 :]
    return float(np.mean(np.abs(np.diff(later)) / np.maximum(later[1:] + later[:-1], 1) * 2))


def compute_trend(run: Mapping[str, Any]) -> float:
    """How steadily the average rises: the rank correlation of generation and average score, 1 if it always rises."""
    return compute_rank_correlation(np.arange(len(get_metric(run, "mean"))), get_metric(run, "mean"))


def has_rising_mean(run: Mapping[str, Any]) -> bool:
    """Whether the last generations' average is above that of the first."""
    mean = get_metric(run, "mean")
    return bool(mean[-FINAL_GENERATIONS:].mean() > mean[:FINAL_GENERATIONS].mean())


def compute_explained_variance(values: SampleArray, groups: Sequence[Sequence[int]]) -> float:
    """The share of the variance that settings explain one by one, less what chance would explain."""
    columns = [np.ones(len(values))]
    for group in groups:
        columns += [np.equal(group, level).astype(float) for level in sorted(set(group))[1:]]
    design = np.column_stack(columns)
    rest = values - design @ np.linalg.lstsq(design, values, rcond=None)[0]
    left = len(values) - design.shape[1]
    return float(1 - (rest**2).sum() / left / (values.var(ddof=1) or 1))
