"""Statistics of training runs for the reproduction of Hindi et al."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from tetrion.evaluation.confidence_intervals import (
    MIN_SAMPLE_SIZE,
    Interval,
    SampleArray,
    compute_difference_interval,
    compute_mean_interval,
    compute_share_interval,
)
from tetrion.evaluation.number_format import format_count, format_number, format_percent
from tetrion.lab.papers.hindi.hindi_configurations import GeneticConfiguration
from tetrion.lab.reproduction.paper_definition import MeasurementResults
from tetrion.lab.reproduction.published_values import MeasuredValue, decide_above
from tetrion.lab.reproduction.rank_correlation import compute_rank_correlation

FINAL_GENERATIONS = 5  # number of last generations that are averaged
SCORE_METRIC = "score"
_RESAMPLE_COUNT = 1000  # of bootstrap intervals


def get_runs(
    results: MeasurementResults, configurations: GeneticConfiguration | Iterable[GeneticConfiguration]
) -> list[Mapping[str, Any]]:
    """Return all runs of one or several configurations."""
    chosen = [configurations] if isinstance(configurations, GeneticConfiguration) else configurations
    return [run for configuration in chosen for run in results[configuration.name]["runs"]]


def count_seeds(results: MeasurementResults, configurations: Iterable[GeneticConfiguration]) -> int:
    """Return the number of seeds that all configurations have."""
    return min(len(get_runs(results, configuration)) for configuration in configurations)


def get_held_out_means(runs: Iterable[Mapping[str, Any]], metric: str = SCORE_METRIC) -> SampleArray:
    """Return the mean per held-out game of each run's agent."""
    return np.array([run["result"]["uncorrected"][metric]["mean"] for run in runs])


def get_last_best_scores(runs: Iterable[Mapping[str, Any]]) -> SampleArray:
    """Return the best score of the last generation of each run."""
    return np.array([get_metric(run, "max")[-1] for run in runs])


def compute_mean_by_seed(
    results: MeasurementResults,
    configurations: Sequence[GeneticConfiguration],
    get_values: Callable[[Sequence[Mapping[str, Any]]], SampleArray] = get_held_out_means,
) -> SampleArray:
    """Return for each seed the mean of a value over configurations; runs with the same seed begin alike.

    Configurations with too few runs, as in a quick reproduction, are left out.
    """
    included = [
        configuration for configuration in configurations if len(get_runs(results, configuration)) >= MIN_SAMPLE_SIZE
    ] or configurations
    seeds = count_seeds(results, included)
    values = [get_values(get_runs(results, configuration)[:seeds]) for configuration in included]
    return np.asarray(np.mean(values, axis=0))


def decide_difference(values: SampleArray) -> bool | None:
    """Return whether paired differences are above 0 on average; None if their interval does not decide."""
    interval = compute_difference_interval(values)
    return None if interval is None else decide_above(interval, 0)


def make_statement(holds: bool | None, reasons: tuple[str, str, str], text: str, basis: str = "") -> MeasuredValue:
    """Return whether a statement holds, with the reason if it does, if it does not, and if it is undecided."""
    held, failed, undecided = reasons
    evidence = undecided if holds is None else held if holds else failed
    return MeasuredValue(holds=holds, text=text, basis=basis, evidence=evidence)


def explain_doubt(interval: Interval | None, doubt: str) -> str:
    """Return why a statement is undecided: the given reason, or that there are too few runs for an interval."""
    return doubt if interval else "there are too few runs for an interval"


def format_range(interval: Interval) -> str:
    """Format an interval of shares: “3 % to 10 %”."""
    low, high = interval
    return f"{format_percent(low)} to {format_percent(high)}"


def describe_share(successes: int, count: int, unit: str = "run") -> str:
    """Return a share of counted things with its interval: “2 of 60 runs (3.3 %; 95 % interval: 0.9 % to 11 %)”."""
    interval = format_range(compute_share_interval(successes, count))
    return (
        f"{successes:,} of {format_count(count, unit)} ({format_percent(successes / count)}; 95 % interval: {interval})"
    )


def compute_share_over_seeds(shares: SampleArray) -> MeasuredValue:
    """Return the mean of one share per seed or run, with Student's interval; fewer than three have no interval."""
    interval = compute_difference_interval(shares) if len(shares) >= MIN_SAMPLE_SIZE else None
    value = float(shares.mean())
    if interval is None:
        return MeasuredValue(value, text=format_percent(value))
    interval = max(interval[0], 0.0), min(interval[1], 1.0)
    return MeasuredValue(value, interval, text=f"{format_percent(value)} (95 % interval: {format_range(interval)})")


def decide_share(share: MeasuredValue, bound: float) -> bool | None:
    """Return whether a share is above a bound; None if it has no interval or its interval does not decide."""
    return None if share.ci95 is None else decide_above(share.ci95, bound)


def compute_bootstrap_interval(compute: Callable[[SampleArray], float], seed_count: int) -> Interval | None:
    """Return the 95 % interval of a statistic, computed from resampled seeds; None for fewer than three seeds."""
    if seed_count < MIN_SAMPLE_SIZE:
        return None
    generator = np.random.default_rng(1)
    values = [compute(generator.integers(seed_count, size=seed_count)) for _ in range(_RESAMPLE_COUNT)]
    low, high = np.percentile(values, [2.5, 97.5])
    return float(low), float(high)


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


def count_drops(run: Mapping[str, Any], metric: str) -> int:
    """Return how often a metric of a generation ("mean" or "max") is less than half of the previous one."""
    scores = get_metric(run, metric)
    return int((scores[1:] < scores[:-1] / 2).sum())


def compute_roughness(run: Mapping[str, Any], metric: str) -> float:
    """Return the mean relative change of a metric between generations, in the second half of a run."""
    scores = get_metric(run, metric)
    second_half = scores[len(scores) // 2 :]
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
