"""Findings about the population sizes of Hindi et al., with the same mutation rates and elitisms at each size."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from tetrion.evaluation.confidence_intervals import MIN_SAMPLE_SIZE, SampleArray, compute_difference_interval
from tetrion.evaluation.number_format import format_count, format_percent
from tetrion.lab.papers.hindi.hindi_configurations import (
    POPULATION_SIZES,
    SINGLE_PIECE_COMBINATIONS,
    GeneticConfiguration,
)
from tetrion.lab.papers.hindi.hindi_statistics import (
    compute_mean_by_seed,
    compute_mean_over_runs,
    decide_difference,
    get_last_best_scores,
    get_runs,
    make_statement,
)
from tetrion.lab.reproduction.measured_values import ValueReader
from tetrion.lab.reproduction.paper_definition import MeasurementResults
from tetrion.lab.reproduction.published_values import MeasuredValue

POSITIVE_EFFECT = 0.1  # a score that is higher by more than this share is a positive effect


class MutationAndElitism(NamedTuple):
    """Mutation rate and elitism, in percent."""

    mutation: int
    elitism: int


def select_common_settings(results: MeasurementResults) -> list[MutationAndElitism]:
    """Return the settings that have enough runs at every population size; all of them if none has."""
    settings = [
        MutationAndElitism(each.mutation, each.elitism)
        for each in SINGLE_PIECE_COMBINATIONS
        if each.population == POPULATION_SIZES[0]
    ]
    common = [
        each
        for each in settings
        if all(
            len(get_runs(results, GeneticConfiguration(size, *each))) >= MIN_SAMPLE_SIZE for size in POPULATION_SIZES
        )
    ]
    return common or settings


def make_population_check(get_values: Callable[[Sequence[Mapping[str, Any]]], SampleArray], unit: str) -> ValueReader:
    """Return a check that larger populations do not raise a value by more than a tenth, paired by seed."""

    def check(results: MeasurementResults) -> MeasuredValue:
        settings = select_common_settings(results)
        values = {
            size: compute_mean_by_seed(results, [GeneticConfiguration(size, *each) for each in settings], get_values)
            for size in POPULATION_SIZES
        }
        seeds = min(map(len, values.values()))
        small, *larger = (values[size][:seeds] for size in POPULATION_SIZES)
        decisions = [decide_difference(each - (1 + POSITIVE_EFFECT) * small) for each in larger]
        means = ", ".join(
            f"{size}: {compute_mean_over_runs(values[size][:seeds], compute_difference_interval).formatted}"
            for size in POPULATION_SIZES
        )
        gains = " and ".join(
            compute_mean_over_runs(each - small, compute_difference_interval).formatted for each in larger
        )
        return make_statement(
            False if True in decisions else True if decisions == [False] * len(larger) else None,
            (
                "neither 50 nor 100 score more than a tenth above 20",
                "at least one of 50 and 100 scores significantly more than a tenth above 20",
                "an interval does not decide whether 50 or 100 score a tenth more than 20",
            ),
            f"{means} {unit}; differences of 50 and 100 from 20: {gains}",
            f"{format_count(seeds, 'seed')}, paired by seed; mean over the same "
            f"{format_count(len(settings), 'combination')} of mutation rate and elitism at each size",
        )

    return check


def check_single_runs(results: MeasurementResults) -> MeasuredValue:
    """Check whether a single run with 20 ends with a higher best score than one with 100 in most pairs of runs."""
    small, large = (
        get_last_best_scores(
            get_runs(results, [each for each in SINGLE_PIECE_COMBINATIONS if each.population == population])
        )
        for population in (POPULATION_SIZES[0], POPULATION_SIZES[-1])
    )
    share = float((small[:, None] > large[None]).mean())
    return make_statement(
        share > 0.5,
        ("it does in more than half", "it does in half or fewer", ""),
        f"{format_percent(share)} of all pairs of runs",
        f"{format_count(len(small), 'run')} with 20, {format_count(len(large), 'run')} with 100",
    )
