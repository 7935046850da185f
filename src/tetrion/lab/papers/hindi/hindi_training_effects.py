"""Findings about what affects the training of Hindi et al.: the next piece, three settings, and the crossover."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from tetrion.evaluation.confidence_intervals import SampleArray, compute_difference_interval
from tetrion.evaluation.number_format import format_count, format_percent
from tetrion.lab.papers.hindi.hindi_configurations import (
    CONFIGURATION_GRID,
    LOOKAHEAD_CONFIGURATIONS,
    MAIN_CONFIGURATION,
    GeneticConfiguration,
)
from tetrion.lab.papers.hindi.hindi_statistics import (
    SCORE_METRIC,
    compute_bootstrap_interval,
    compute_explained_variance,
    compute_mean_by_seed,
    compute_mean_over_runs,
    count_seeds,
    decide_difference,
    explain_doubt,
    format_range,
    get_held_out_means,
    get_last_averages,
    get_runs,
    make_statement,
)
from tetrion.lab.reproduction.measured_values import compute_mean_over_seeds
from tetrion.lab.reproduction.paper_definition import MeasurementResults
from tetrion.lab.reproduction.published_values import MeasuredValue, decide_above

MARKED_GAIN = 0.25  # scores that are better by at least this share are "markedly better"
_GENETIC_SETTINGS = ("population", "mutation", "elitism")
_OTHER_CROSSOVERS = ("uniform", "one-point")


def check_lookahead_average(results: MeasurementResults) -> MeasuredValue:
    """Check whether the average score of the last generation is higher with the next piece than without."""
    lookahead, single = compute_lookahead_values(results, get_last_averages)
    seeds = min(len(lookahead), len(single))
    means = [compute_mean_over_runs(values) for values in (lookahead, single)]
    gain = compute_mean_over_runs(lookahead[:seeds] - single[:seeds], compute_difference_interval)
    return make_statement(
        decide_difference(lookahead[:seeds] - single[:seeds]),
        (
            "the interval of the difference is above 0",
            "the interval of the difference is below 0",
            "the interval of the difference contains 0",
        ),
        f"{means[0].formatted} with it, {means[1].formatted} without; difference of {gain.formatted}",
        gain.basis,
    )


def compute_lookahead_values(
    results: MeasurementResults, get_values: Callable[[Sequence[Mapping[str, Any]]], SampleArray]
) -> tuple[SampleArray, SampleArray]:
    """Return a value with the next piece and without, one number per seed, for the same settings."""
    single = [GeneticConfiguration(*configuration[:3]) for configuration in LOOKAHEAD_CONFIGURATIONS]
    return (
        compute_mean_by_seed(results, LOOKAHEAD_CONFIGURATIONS, get_values),
        compute_mean_by_seed(results, single, get_values),
    )


def check_lookahead_scores(results: MeasurementResults) -> MeasuredValue:
    """Check whether agents trained with the next piece score at least a quarter more than those without."""
    lookahead, single = compute_lookahead_values(results, get_held_out_means)
    seeds = min(len(lookahead), len(single))
    surplus = lookahead[:seeds] - (1 + MARKED_GAIN) * single[:seeds]
    means = [compute_mean_over_runs(values) for values in (lookahead, single)]
    ratio = (means[0].value or 0) / (means[1].value or 1)
    return make_statement(
        decide_difference(surplus),
        (
            "they score at least a quarter more",
            "they do not score a quarter more",
            "whether they score a quarter more is not significant",
        ),
        f"{means[0].formatted} points per held-out game with it, {means[1].formatted} without: {ratio:.2f} times",
        format_count(seeds, "seed"),
    )


def check_settings_influence(results: MeasurementResults) -> MeasuredValue:
    """Check whether population, mutation rate and elitism explain most of the variance of the results."""
    seeds = count_seeds(results, CONFIGURATION_GRID)
    scores = np.array(
        [get_held_out_means(get_runs(results, configuration)[:seeds]) for configuration in CONFIGURATION_GRID]
    )
    groups = [
        [getattr(configuration, name) for configuration in CONFIGURATION_GRID for _ in range(seeds)]
        for name in _GENETIC_SETTINGS
    ]
    total = compute_explained_variance(scores.ravel(), groups)
    interval = compute_bootstrap_interval(
        lambda chosen: compute_explained_variance(scores[:, chosen].ravel(), groups), seeds
    )
    parts = ", ".join(
        f"{name} alone {format_percent(round(max(compute_explained_variance(scores.ravel(), [group]), 0), 2))}"
        for name, group in zip(_GENETIC_SETTINGS, groups, strict=True)
    )
    ends = f"; 95 % interval: {format_range((max(interval[0], 0), interval[1]))}" if interval else ""
    return make_statement(
        None if interval is None else decide_above(interval, 0.5),
        ("this is more than half", "this is less than half", explain_doubt(interval, "the interval contains one half")),
        f"the three explain {format_percent(max(total, 0))} of the variance of the runs' held-out scores "
        f"({parts}{ends})",
        f"{format_count(scores.size, 'run')}",
    )


def check_crossover_influence(results: MeasurementResults) -> MeasuredValue:
    """Check whether the averaging crossover scores more than the other two, paired by seed."""
    average = get_held_out_means(get_runs(results, MAIN_CONFIGURATION))
    decisions, parts = [], []
    for name in _OTHER_CROSSOVERS:
        other = get_held_out_means(results[f"crossover-{name}"]["runs"])
        seeds = min(len(average), len(other))
        decisions.append(decide_difference(average[:seeds] - other[:seeds]))
        parts.append(f"{name} {compute_mean_over_seeds(results[f'crossover-{name}'], SCORE_METRIC).formatted}")
    holds = False if False in decisions else True if all(decisions) else None
    mean = compute_mean_over_runs(average)
    other_seeds = format_count(len(results[f"crossover-{_OTHER_CROSSOVERS[0]}"]["runs"]), "seed")
    return make_statement(
        holds,
        (
            "it scores significantly more than both",
            "another crossover scores significantly more",
            "it is not significantly better than both, nor worse",
        ),
        f"average {mean.formatted}, {', '.join(parts)} points per held-out game",
        f"{mean.basis}; {other_seeds} of the others",
    )
