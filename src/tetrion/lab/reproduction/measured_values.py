"""How figures of ours are read from what was measured: means, the best of games, results over seeds, differences."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from tetrion.evaluation.confidence_intervals import Interval, SampleArray, compute_mean_interval
from tetrion.evaluation.number_format import format_count, format_mean_interval
from tetrion.lab.reproduction.paper_definition import MeasurementResults
from tetrion.lab.reproduction.published_values import MeasuredValue

ValueReader = Callable[[MeasurementResults], MeasuredValue]


def parse_interval(ends: Sequence[float | None] | None) -> Interval | None:
    """An interval as a file has it; an end that is not there is at infinity."""
    if ends is None:
        return None
    low, high = ends
    return (-math.inf if low is None else low, math.inf if high is None else high)


def describe_games(data: Mapping[str, Any]) -> str:
    """How many games a figure is of, and how many of them were cut short."""
    words = format_count(data["games"], "game")
    if data.get("cap"):
        words += f" of at most {data['cap']:,} pieces"
    return f"{words}, {data['capped']:,} of them cut short" if data["capped"] else words


def compute_mean(data: Mapping[str, Any], metric: str = "lines", *, uncorrected: bool = False) -> MeasuredValue:
    """The mean of games that were measured, by the data of one measurement.

    Where games were cut short it is estimated for games without an end, unless it is to be of the games as `played`.
    """
    told = data[metric]
    mean, ends = (told["played"], told["played_ci95"]) if uncorrected else (told["mean"], told["ci95"])
    return MeasuredValue(mean, parse_interval(ends), standard_deviation=told["deviation"], basis=describe_games(data))


def make_mean_reader(measurement: str, metric: str = "lines", *, uncorrected: bool = False) -> ValueReader:
    """The mean lines, score or pieces a game of a measurement."""
    return lambda results: compute_mean(results[measurement], metric, uncorrected=uncorrected)


def make_best_game_reader(measurement: str, metric: str = "lines") -> ValueReader:
    """The most of any game."""
    return lambda results: MeasuredValue(
        results[measurement][metric]["max"], basis=f"the best of {describe_games(results[measurement])}"
    )


def compute_mean_over_seeds(data: Mapping[str, Any], metric: str = "lines") -> MeasuredValue:
    """The mean over the seeds of a training, each one's held-out games as played.

    The interval is over seeds; of a single seed it is that of its games, and of two it is not known.
    """
    played = [run["result"]["uncorrected"][metric] for run in data["runs"]]
    means = np.array([seed["mean"] for seed in played])
    interval = parse_interval(played[0]["ci95"]) if len(played) == 1 else compute_mean_interval(means)
    return MeasuredValue(
        float(means.mean()), interval, standard_deviation=float(means.std()), basis=format_count(len(means), "seed")
    )


def make_seed_mean_reader(measurement: str, metric: str = "lines") -> ValueReader:
    """What a training comes to over its seeds, in held-out games."""
    return lambda results: compute_mean_over_seeds(results[measurement], metric)


def compute_median(values: Sequence[float] | SampleArray, basis: str) -> MeasuredValue:
    """The median of many tries of what a document did once, and between where 95 % of them lie."""
    low, median, high = (float(value) for value in np.percentile(np.asarray(values, float), [2.5, 50, 97.5]))
    return MeasuredValue(median, (low, high), basis=f"the median of {basis}; 95 % of them lie within")


def compute_difference(first: MeasuredValue, second: MeasuredValue) -> MeasuredValue:
    """How much more the first is than the second, if they are independent."""
    if first.value is None or second.value is None:
        return MeasuredValue(basis="unknown: one of the two is not known")
    value = first.value - second.value
    below, above = (math.hypot(*ends) for ends in zip(get_margins(first), reversed(get_margins(second)), strict=True))
    return MeasuredValue(value, (value - below, value + above))


def compute_ratio(first: MeasuredValue, second: MeasuredValue) -> MeasuredValue:
    """How many times the second the first is, if they are independent; by the logarithms of both."""
    if not first.value or not second.value:
        return MeasuredValue(basis="unknown: one of the two is not known")
    value = first.value / second.value
    (low, high), (least, most) = first.interval, second.interval
    below = math.hypot(compute_log_ratio(first.value, low), compute_log_ratio(most, second.value))
    above = math.hypot(compute_log_ratio(high, first.value), compute_log_ratio(second.value, least))
    return MeasuredValue(value, (value / math.exp(below), value * math.exp(above)))


def compute_log_ratio(numerator: float, denominator: float) -> float:
    """The logarithm of a ratio; without end where the lesser may be nothing."""
    return math.log(numerator / denominator) if denominator > 0 else math.inf


def get_margins(measured: MeasuredValue) -> tuple[float, float]:
    """How far off a number may be, below and above."""
    low, high = measured.interval
    value = low if measured.value is None else measured.value
    return value - low, high - value


def make_ratio_reader(first: ValueReader, second: ValueReader) -> ValueReader:
    """How many times the second the first is, in words that say so."""

    def found(results: MeasurementResults) -> MeasuredValue:
        one, other = first(results), second(results)
        ours = compute_ratio(one, other)
        if ours.value is None:
            return MeasuredValue(text="–", basis="since too few games have ended")
        known = None if one.ci95 is None or other.ci95 is None else ours.ci95
        basis = f"{one.formatted} to {other.formatted}"
        return MeasuredValue(ours.value, known, text=f"{format_mean_interval(ours.value, known)} times", basis=basis)

    return found


def describe_difference(first: MeasuredValue, second: MeasuredValue) -> str:
    """Whether the first is more or less than the second, in words; where the interval holds both, that none is seen."""
    low, high = compute_ratio(first, second).interval
    return "more" if low > 1 else "less" if high < 1 else "no difference that these games can show"


def join_names(names: Sequence[str]) -> str:
    """Names in a sentence."""
    return ", ".join(names[:-1]) + (" and " if len(names) > 1 else "") + names[-1]
