"""Findings about what affects the training of Hindi et al.: the next piece, three settings, and the crossover."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from tetrion.evaluation.confidence_intervals import MIN_SAMPLE_SIZE, SampleArray, compute_difference_interval
from tetrion.evaluation.number_format import format_count, format_percent
from tetrion.lab.papers.hindi.hindi_configurations import (
    LOOKAHEAD_CONFIGURATIONS,
    MAIN_CONFIGURATION,
    SINGLE_PIECE_COMBINATIONS,
    GeneticConfiguration,
)
from tetrion.lab.papers.hindi.hindi_measurements import FIVE_GAMES_LOOKAHEAD_TRAINING, FIVE_GAMES_TRAINING
from tetrion.lab.papers.hindi.hindi_statistics import (
    compute_bootstrap_interval,
    compute_explained_variance,
    compute_mean_over_runs,
    count_seeds,
    decide_difference,
    explain_doubt,
    format_range,
    get_held_out_means,
    get_metric,
    get_runs,
    make_statement,
)
from tetrion.lab.reproduction.paper_definition import MeasurementResults
from tetrion.lab.reproduction.published_values import MeasuredValue, decide_above

MARKED_GAIN = 0.25  # scores that are better by at least this share are "markedly better"
SLOWER_FACTOR = 2  # what takes at least this many times as long is "significantly slower"
_GENETIC_SETTINGS = ("population", "mutation", "elitism")
_OTHER_CROSSOVERS = ("uniform", "one-point")


RunValues = Callable[[Sequence[Mapping[str, Any]], int], SampleArray]  # of runs, at a generation


class LookaheadPair(NamedTuple):
    """Values of runs with the next piece and without, one number per seed, and a description of the runs."""

    lookahead: SampleArray
    single: SampleArray
    basis: str


def get_averages(runs: Sequence[Mapping[str, Any]], generation: int) -> SampleArray:
    """Return the average score of each run in a generation."""
    return np.array([get_metric(run, "mean")[:generation][-1] for run in runs])


def get_agent_scores(runs: Sequence[Mapping[str, Any]], _: int) -> SampleArray:
    """Return the score of each run's agent in held-out games."""
    return get_held_out_means(runs)


def pair_lookahead_runs(
    results: MeasurementResults, get_values: RunValues, *, same_generations: bool = False
) -> LookaheadPair:
    """Return a value with the next piece and without, for the same settings on both sides, paired by seed.

    Settings with too few runs on either side, as in a quick reproduction, are left out on both.
    """
    singles = {each: GeneticConfiguration(*each[:3]) for each in LOOKAHEAD_CONFIGURATIONS}
    included = [
        each for each, single in singles.items() if count_seeds(results, (each, single)) >= MIN_SAMPLE_SIZE
    ] or LOOKAHEAD_CONFIGURATIONS
    seeds = min(count_seeds(results, (each, singles[each])) for each in included)
    lookahead = [get_values(get_runs(results, each)[:seeds], each.generations) for each in included]
    single = [
        get_values(
            get_runs(results, singles[each])[:seeds],
            each.generations if same_generations else singles[each].generations,
        )
        for each in included
    ]
    settings = ", ".join(f"{each.mutation} % and {each.elitism} %" for each in included)
    lengths = "14 or 15 generations" + ("" if same_generations else " with it and 25 without")
    return LookaheadPair(
        np.mean(lookahead, axis=0),
        np.mean(single, axis=0),
        f"{format_count(seeds, 'seed')}, paired by seed; population 20, mutation and elitism {settings}; {lengths}",
    )


def pair_five_games_runs(results: MeasurementResults, get_values: RunValues) -> LookaheadPair:
    """Return a value with the next piece and without for runs with five games per candidate, paired by seed."""
    lookahead, single = (results[name]["runs"] for name in (FIVE_GAMES_LOOKAHEAD_TRAINING, FIVE_GAMES_TRAINING))
    seeds = min(len(lookahead), len(single))
    return LookaheadPair(
        get_values(lookahead[:seeds], LOOKAHEAD_CONFIGURATIONS[0].generations),
        get_values(single[:seeds], MAIN_CONFIGURATION.generations),
        f"{format_count(seeds, 'seed')}, paired by seed; {MAIN_CONFIGURATION.description}; 14 generations with it and "
        "25 without",
    )


def make_lookahead_average_statement(pair: LookaheadPair) -> MeasuredValue:
    """Return the statement that the average score of a generation is higher with the next piece."""
    means = [compute_mean_over_runs(values) for values in (pair.lookahead, pair.single)]
    gain = compute_mean_over_runs(pair.lookahead - pair.single, compute_difference_interval)
    return make_statement(
        decide_difference(pair.lookahead - pair.single),
        (
            "the interval of the difference is above 0",
            "the interval of the difference is below 0",
            "the interval of the difference contains 0",
        ),
        f"{means[0].formatted} with it, {means[1].formatted} without; difference of {gain.formatted}",
        pair.basis,
    )


def check_lookahead_average(results: MeasurementResults) -> MeasuredValue:
    """Check whether the average score of the last generation is higher with the next piece than without."""
    return make_lookahead_average_statement(pair_lookahead_runs(results, get_averages))


def check_lookahead_average_of_same_generation(results: MeasurementResults) -> MeasuredValue:
    """Check whether the average score is higher with the next piece after the same number of generations."""
    return make_lookahead_average_statement(pair_lookahead_runs(results, get_averages, same_generations=True))


def check_lookahead_average_of_five_games(results: MeasurementResults) -> MeasuredValue:
    """Check whether the average score is higher with the next piece if each candidate plays five games."""
    return make_lookahead_average_statement(pair_five_games_runs(results, get_averages))


def make_lookahead_score_statement(pair: LookaheadPair) -> MeasuredValue:
    """Return the statement that agents trained with the next piece score at least a quarter more."""
    means = [compute_mean_over_runs(values) for values in (pair.lookahead, pair.single)]
    ratio = (means[0].value or 0) / (means[1].value or 1)
    surplus = compute_mean_over_runs(pair.lookahead - (1 + MARKED_GAIN) * pair.single, compute_difference_interval)
    return make_statement(
        None if surplus.ci95 is None else decide_above(surplus.ci95, 0),
        (
            "they score at least a quarter more",
            "they do not score a quarter more",
            explain_doubt(surplus.ci95, "the interval contains a quarter more"),
        ),
        f"{means[0].formatted} points per held-out game with it, {means[1].formatted} without: {ratio:.2f} times; the "
        f"former exceeds 1.25 times the latter by {surplus.formatted}",
        pair.basis,
    )


def check_lookahead_scores(results: MeasurementResults) -> MeasuredValue:
    """Check whether agents trained with the next piece score at least a quarter more than those without."""
    return make_lookahead_score_statement(pair_lookahead_runs(results, get_agent_scores))


def check_lookahead_scores_of_five_games(results: MeasurementResults) -> MeasuredValue:
    """Check whether agents score at least a quarter more with the next piece if candidates play five games."""
    return make_lookahead_score_statement(pair_five_games_runs(results, get_agent_scores))


def check_lookahead_time(results: MeasurementResults) -> MeasuredValue:
    """Check whether a generation takes at least twice as long with the next piece, with five games per candidate."""
    seconds = [
        float(np.median(results[name]["time"]["seconds"])) / generations
        for name, generations in (
            (FIVE_GAMES_LOOKAHEAD_TRAINING, LOOKAHEAD_CONFIGURATIONS[0].generations),
            (FIVE_GAMES_TRAINING, MAIN_CONFIGURATION.generations),
        )
    ]
    lookahead, single = seconds
    statement = make_statement(
        lookahead >= SLOWER_FACTOR * single,
        ("it takes at least twice as long", "it does not take twice as long", ""),
        f"{lookahead:.3f} s per generation with it, {single:.3f} s without: {lookahead / single:.1f} times",
        f"medians of our runs with five games per candidate, validation included; {MAIN_CONFIGURATION.description}",
    )
    return replace(statement, is_machine_dependent=True)


def check_settings_influence(results: MeasurementResults) -> MeasuredValue:
    """Check whether population, mutation rate and elitism explain most of the variance of the results."""
    seeds = count_seeds(results, SINGLE_PIECE_COMBINATIONS)
    scores = np.array(
        [get_held_out_means(get_runs(results, configuration)[:seeds]) for configuration in SINGLE_PIECE_COMBINATIONS]
    )
    groups = [
        [getattr(configuration, name) for configuration in SINGLE_PIECE_COMBINATIONS for _ in range(seeds)]
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
        gain = compute_mean_over_runs(average[:seeds] - other[:seeds], compute_difference_interval)
        mean = compute_mean_over_runs(average[:seeds])
        parts.append(
            f"average {mean.formatted}, {name} {compute_mean_over_runs(other[:seeds]).formatted}, difference of "
            f"{gain.formatted} ({gain.basis}, paired by seed)"
        )
    holds = False if False in decisions else True if all(decisions) else None
    return make_statement(
        holds,
        (
            "it scores significantly more than both",
            "another crossover scores significantly more",
            "it is not significantly better than both, nor worse",
        ),
        f"points per held-out game: {'; '.join(parts)}",
    )
