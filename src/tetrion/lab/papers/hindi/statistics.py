"""Statistics of runs that the reproduction of Hindi et al. reads its figures by."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tetrion.evaluation.intervals import Interval, Numbers, of_mean
from tetrion.evaluation.words import counted, figure
from tetrion.lab.reproduction.published import Ours, Published, Verdict
from tetrion.lab.reproduction.statistics import rank_correlation

FINAL = 5  # generations at the end that are taken together


@dataclass(frozen=True)
class OneRun(Published):
    """A figure of a single run, which lies among those of our runs or does not."""

    value: float = 0

    @property
    def shown(self) -> str:
        """The figure."""
        return self.words or figure(self.value)

    def verdict(self, ours: Ours) -> Verdict:
        """Whether it lies where the middle 95 % of ours do."""
        low, high = ours.interval
        room = f"what 95 % of ours lie between ({figure(low)} and {figure(high)})"
        if low <= self.value <= high:
            return Verdict(True, f"it is within {room}")
        return Verdict(False, f"it is {'below' if self.value < low else 'above'} {room}")


def column(run: Mapping[str, Any], name: str) -> Numbers:
    """A figure of a run, generation by generation."""
    return np.array(run["metrics"][name], float)


def over(numbers: Numbers, interval: Callable[[Numbers], Interval | None] = of_mean, thing: str = "seed") -> Ours:
    """The mean of numbers with its interval."""
    return Ours(float(numbers.mean()), interval(numbers), basis=counted(len(numbers), thing))


def among(numbers: Numbers, basis: str) -> Ours:
    """Where the middle 95 % of numbers lie."""
    low, middle, high = (float(value) for value in np.percentile(numbers, [2.5, 50, 97.5]))
    return Ours(middle, (low, high), words=f"{figure(middle)} ({figure(low)} to {figure(high)})", basis=basis)


def spikes(run: Mapping[str, Any]) -> int:
    """How often a generation's best score is less than half of that before."""
    best = column(run, "max")
    return int((best[1:] < best[:-1] / 2).sum())


def roughness(run: Mapping[str, Any]) -> float:
    """How much a generation's best differs from the one before on average, as a share of both, in the second half."""
    best = column(run, "max")
    later = best[len(best) // 2 :]
    return float(np.mean(np.abs(np.diff(later)) / np.maximum(later[1:] + later[:-1], 1) * 2))


def trend(run: Mapping[str, Any]) -> float:
    """How steadily the average rises: the rank correlation of generation and average score, 1 if it always rises."""
    return rank_correlation(np.arange(len(column(run, "mean"))), column(run, "mean"))


def rises(run: Mapping[str, Any]) -> bool:
    """Whether the last generations' average is above that of the first."""
    mean = column(run, "mean")
    return bool(mean[-FINAL:].mean() > mean[:FINAL].mean())


def explained(values: Numbers, groups: Sequence[Sequence[int]]) -> float:
    """The share of the variance that settings explain one by one, less what chance would explain."""
    columns = [np.ones(len(values))]
    for group in groups:
        columns += [np.equal(group, level).astype(float) for level in sorted(set(group))[1:]]
    design = np.column_stack(columns)
    rest = values - design @ np.linalg.lstsq(design, values, rcond=None)[0]
    left = len(values) - design.shape[1]
    return float(1 - (rest**2).sum() / left / (values.var(ddof=1) or 1))
