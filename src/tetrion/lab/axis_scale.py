"""The linear or logarithmic axis of a distribution plot: its range, its bins and its ticks."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tetrion.engine.records import GameColumn
from tetrion.evaluation import Evaluation, SummaryStatistics

_LOG_SCALE_RATIO = 10  # smallest ratio of medians and means for a logarithmic scale
_MIN_BINS, _MAX_BINS = 24, 48
_MAX_ORDER = 19  # of a logarithmic scale: larger than any 64-bit number
_LOG_ZERO_POSITION = 0.5  # value at whose position a logarithmic scale shows 0

BinEdges = np.ndarray[Any, Any]


@dataclass(frozen=True)
class AxisScale:
    """A linear or logarithmic axis; the logarithmic one has a position for 0."""

    is_logarithmic: bool
    min_value: float
    max_value: float
    bin_count: int

    @classmethod
    def from_results(cls, results: Sequence[Evaluation], metric: GameColumn) -> "AxisScale":
        """Return a scale that covers a metric of all agents."""
        summaries = [get_summary(result, metric) for result in results]
        return cls.from_summaries(summaries, min(result.games for result in results))

    @classmethod
    def from_summaries(cls, summaries: Sequence[SummaryStatistics], game_count: int) -> "AxisScale":
        """Return a scale that covers all games and means, with more bins for more games."""
        centres = [max(number, 1.0) for summary in summaries for number in (summary.median, get_mean_or_bound(summary))]
        max_value = max(find_max_drawn_value(summary) for summary in summaries)
        bins = min(max(math.isqrt(game_count), _MIN_BINS), _MAX_BINS)
        if max(centres) / min(centres) < _LOG_SCALE_RATIO:
            return cls(False, 0, max_value, bins)
        return cls(True, min(summary.min for summary in summaries), max_value, bins)

    def to_axis(self, values: Any) -> Any:
        """Convert values to positions on the axis."""
        return np.log10(np.maximum(values, _LOG_ZERO_POSITION)) if self.is_logarithmic else np.asarray(values, float)

    def compute_bin_edges(self) -> BinEdges:
        """Return the edges of the bins, which have equal widths on the axis and hold whole numbers."""
        if not self.is_logarithmic:
            width = max(1, math.ceil(self.max_value / self.bin_count))
            return np.arange(math.floor(self.max_value / width) + 2) * width - 0.5
        edges = np.geomspace(max(self.min_value, _LOG_ZERO_POSITION), self.max_value + 1, self.bin_count + 1).astype(
            int
        )
        return np.unique([math.floor(self.min_value), *edges, math.ceil(self.max_value) + 1]) - 0.5

    def edges_to_axis(self, edges: BinEdges) -> BinEdges:
        """Convert bin edges to axis positions; the edges around 0 are placed symmetrically to its position."""
        if self.is_logarithmic:
            edges = np.where(edges < 0, _LOG_ZERO_POSITION**1.5, np.where(edges < 1, _LOG_ZERO_POSITION**0.5, edges))
            return np.asarray(np.log10(edges))
        return edges

    def compute_ticks(self) -> list[float]:
        """Return round values for the ticks of the axis; those of a logarithmic axis enclose all values but 0."""
        from matplotlib.ticker import MaxNLocator

        if not self.is_logarithmic:
            ticks = MaxNLocator(5, integer=True).tick_values(0, self.max_value)
            return [float(tick) for tick in ticks if 0 <= tick <= self.max_value]
        low = max(self.min_value, 1.0)
        is_short = self.max_value < 200 * low
        first = max(value for value in list_log_values((1, 2, 5) if is_short else (1, 5)) if value <= low)
        last = min(value for value in list_log_values((1, 2, 5) if is_short else (1, 5)) if value >= self.max_value)
        ticks = [value for value in list_log_values((1, 2, 5) if is_short else (1,)) if first < value < last]
        return [*([0.0] if self.min_value == 0 else []), first, *ticks, last]


def list_log_values(steps: Sequence[int]) -> list[float]:
    """Return round values in ascending order: the steps times powers of ten."""
    return [float(step * 10**order) for order in range(_MAX_ORDER) for step in steps]


def get_summary(result: Evaluation, metric: str) -> SummaryStatistics:
    """Return an agent's summary of the lines or the score."""
    summary: SummaryStatistics = getattr(result, metric)
    return summary


def get_mean_or_bound(summary: SummaryStatistics) -> float:
    """Return the mean, or its lower bound if the mean is unknown."""
    if summary.mean is not None:
        return summary.mean
    return summary.ci95[0] if summary.ci95 else summary.median


def find_max_drawn_value(summary: SummaryStatistics) -> float:
    """Return the largest value that is drawn."""
    beyond_mean = 1.4 * get_mean_or_bound(summary)  # space for an arrow if the interval is unbounded
    return max(1.0, summary.max, *(end if math.isfinite(end) else beyond_mean for end in summary.ci95 or ()))
