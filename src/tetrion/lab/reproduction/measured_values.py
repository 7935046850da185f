"""Values read from measurements: means, best games, results over seeds, differences and ratios."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from tetrion.evaluation.confidence_intervals import Interval, SampleArray, compute_mean_interval
from tetrion.evaluation.number_format import format_count, format_mean_interval
from tetrion.lab.reproduction.paper_definition import MeasurementResults
from tetrion.lab.reproduction.published_values import MeasuredValue

ValueReader = Callable[[MeasurementResults], MeasuredValue]  # computes one value from the results of all measurements


def parse_interval(ends: Sequence[float | None] | None) -> Interval | None:
    """Return an interval from JSON; a missing end is infinite."""
    if ends is None:
        return None
    low, high = ends
    return (-math.inf if low is None else low, math.inf if high is None else high)


def describe_games(data: Mapping[str, Any]) -> str:
    """Describe the number of games of a measurement, and how many were capped."""
    description = format_count(data["games"], "game")
    if data.get("cap"):
        description += f" of at most {data['cap']:,} pieces"
    return f"{description}, {data['capped']:,} of them capped" if data["capped"] else description


def compute_mean(data: Mapping[str, Any], metric: str = "lines", *, uncorrected: bool = False) -> MeasuredValue:
    """Return the mean per game from the data of one measurement.

    If games were capped, this is the censored mean, or with `uncorrected` the uncorrected mean.
    """
    summary = data[metric]
    mean, ends = (summary["played"], summary["played_ci95"]) if uncorrected else (summary["mean"], summary["ci95"])
    kind = f"; {'uncorrected' if uncorrected else 'censored'} mean" if data["capped"] else ""
    basis = f"{describe_games(data)}{kind}"
    return MeasuredValue(mean, parse_interval(ends), standard_deviation=summary["deviation"], basis=basis)


def make_mean_reader(measurement: str, metric: str = "lines", *, uncorrected: bool = False) -> ValueReader:
    """Return a reader of a measurement's mean lines, score or pieces per game."""
    return lambda results: compute_mean(results[measurement], metric, uncorrected=uncorrected)


def make_best_game_reader(measurement: str, metric: str = "lines") -> ValueReader:
    """Return a reader of the best game of a measurement."""
    return lambda results: MeasuredValue(
        results[measurement][metric]["max"], basis=f"best of {describe_games(results[measurement])}"
    )


def compute_mean_over_seeds(data: Mapping[str, Any], metric: str = "lines") -> MeasuredValue:
    """Return the mean over the seeds of a training measurement, from uncorrected held-out means.

    The interval is over seeds; for a single seed it is that of its games, and for two seeds it is unknown.
    """
    uncorrected = [run["result"]["uncorrected"][metric] for run in data["runs"]]
    means = np.array([summary["mean"] for summary in uncorrected])
    interval = parse_interval(uncorrected[0]["ci95"]) if len(uncorrected) == 1 else compute_mean_interval(means)
    return MeasuredValue(
        float(means.mean()), interval, standard_deviation=float(means.std()), basis=format_count(len(means), "seed")
    )


def make_seed_mean_reader(measurement: str, metric: str = "lines") -> ValueReader:
    """Return a reader of the held-out mean over the seeds of a training measurement."""
    return lambda results: compute_mean_over_seeds(results[measurement], metric)


def compute_median(values: Sequence[float] | SampleArray, basis: str) -> MeasuredValue:
    """Return the median of many repetitions, with the range that contains 95 % of them."""
    low, median, high = (float(value) for value in np.percentile(np.asarray(values, float), [2.5, 50, 97.5]))
    return MeasuredValue(median, (low, high), basis=f"median of {basis}, with the range of 95 % of them")


def compute_difference(first: MeasuredValue, second: MeasuredValue) -> MeasuredValue:
    """Return first minus second, assuming independence."""
    if first.value is None or second.value is None:
        return MeasuredValue(basis="one of the two values is unknown")
    value = first.value - second.value
    below, above = (math.hypot(*ends) for ends in zip(get_margins(first), reversed(get_margins(second)), strict=True))
    return MeasuredValue(value, (value - below, value + above))


def compute_ratio(first: MeasuredValue, second: MeasuredValue) -> MeasuredValue:
    """Return first divided by second, assuming independence of their logarithms."""
    if not first.value or not second.value:
        return MeasuredValue(basis="one of the two values is unknown")
    value = first.value / second.value
    (low, high), (second_low, second_high) = first.interval, second.interval
    below = math.hypot(compute_log_ratio(first.value, low), compute_log_ratio(second_high, second.value))
    above = math.hypot(compute_log_ratio(high, first.value), compute_log_ratio(second.value, second_low))
    return MeasuredValue(value, (value / math.exp(below), value * math.exp(above)))


def compute_log_ratio(numerator: float, denominator: float) -> float:
    """Return the logarithm of a ratio; infinity if the denominator is not positive."""
    return math.log(numerator / denominator) if denominator > 0 else math.inf


def get_margins(measured: MeasuredValue) -> tuple[float, float]:
    """Return the distances from the value to the lower and the upper end of its interval."""
    low, high = measured.interval
    value = low if measured.value is None else measured.value
    return value - low, high - value


def make_ratio_reader(first: ValueReader, second: ValueReader) -> ValueReader:
    """Return a reader of the ratio of two values, with a text such as “1.5 ± 0.2 times”."""

    def read_ratio(results: MeasurementResults) -> MeasuredValue:
        numerator, denominator = first(results), second(results)
        ratio = compute_ratio(numerator, denominator)
        if ratio.value is None:
            return MeasuredValue(text="–", basis="too few games have ended")
        ci95 = None if numerator.ci95 is None or denominator.ci95 is None else ratio.ci95
        basis = f"{numerator.formatted} to {denominator.formatted}"
        return MeasuredValue(ratio.value, ci95, text=f"{format_mean_interval(ratio.value, ci95)} times", basis=basis)

    return read_ratio


def describe_difference(first: MeasuredValue, second: MeasuredValue) -> str:
    """Return “more” or “less”, or that no difference is significant if the interval contains 1."""
    low, high = compute_ratio(first, second).interval
    return "more" if low > 1 else "less" if high < 1 else "no significant difference"


def join_names(names: Sequence[str]) -> str:
    """Join names as in a sentence: “a, b and c”."""
    return ", ".join(names[:-1]) + (" and " if len(names) > 1 else "") + names[-1]
