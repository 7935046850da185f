"""Comparisons that the paper of Hindi et al. does not make: other learners, five games, fewer features."""

import numpy as np

from tetrion.evaluation.confidence_intervals import compute_difference_interval
from tetrion.evaluation.number_format import format_mean_interval, format_number
from tetrion.lab.papers.hindi.hindi_configurations import MAIN_CONFIGURATION
from tetrion.lab.papers.hindi.hindi_measurements import FEATURE_REMOVAL_TRAININGS, SUMMED_GAMES_TRAININGS
from tetrion.lab.papers.hindi.hindi_statistics import (
    SCORE_METRIC,
    compute_mean_over_runs,
    decide_difference,
    get_held_out_means,
    get_metric,
    get_runs,
    make_statement,
)
from tetrion.lab.reproduction.measured_values import compute_difference, compute_mean_over_seeds
from tetrion.lab.reproduction.paper_definition import MeasurementResults
from tetrion.lab.reproduction.published_values import MeasuredValue, decide_above


def compute_genetic_score(results: MeasurementResults) -> MeasuredValue:
    """Return the held-out score of the genetic algorithm with the configuration of Figure 4."""
    return compute_mean_over_runs(get_held_out_means(get_runs(results, MAIN_CONFIGURATION)))


def check_harmony_search(results: MeasurementResults) -> MeasuredValue:
    """Check whether the genetic algorithm scores at least as much as harmony search in the same games."""
    genetic = compute_genetic_score(results)
    harmony = compute_mean_over_seeds(results["harmony"], SCORE_METRIC)
    difference = compute_difference(genetic, harmony)
    is_worse = decide_above(compute_difference(harmony, genetic).interval, 0)
    return make_statement(
        None if is_worse is None else not is_worse,
        (
            "harmony search does not score more",
            "harmony search scores significantly more",
            "the interval of the difference contains 0",
        ),
        f"genetic algorithm {genetic.formatted}, harmony search {harmony.formatted} points per held-out game; "
        f"difference of {difference.formatted}",
        f"{genetic.basis} and {harmony.basis}",
    )


def check_reinforcement_learning(results: MeasurementResults) -> MeasuredValue:
    """Check whether the genetic algorithm scores more than a Q-learning agent in the same games."""
    genetic = compute_genetic_score(results)
    score = results["reinforcement"]["score"]
    q_learning = MeasuredValue(score["played"], tuple(score["played_ci95"]))
    difference = compute_difference(genetic, q_learning)
    return make_statement(
        decide_above(difference.interval, 0),
        (
            "the genetic algorithm scores significantly more",
            "the genetic algorithm does not score more",
            "the interval of the difference contains 0",
        ),
        f"genetic algorithm {genetic.formatted}, Q-learning "
        f"{format_mean_interval(q_learning.value, q_learning.ci95)} points per game; difference of "
        f"{difference.formatted}",
        f"{genetic.basis}; the agent tetrais-q, {results['reinforcement']['games']:,} games",
    )


def check_summed_games(results: MeasurementResults) -> MeasuredValue:
    """Check whether the sum of five games finds stronger agents than one game, paired by seed."""
    training, single_training = SUMMED_GAMES_TRAININGS["hindi"]
    five, one = (get_held_out_means(results[name]["runs"]) for name in (training, single_training))
    seeds = min(len(five), len(one))
    gain = compute_mean_over_runs(five[:seeds] - one[:seeds], compute_difference_interval)
    means = [compute_mean_over_runs(values[:seeds]) for values in (five, one)]
    return make_statement(
        decide_difference(five[:seeds] - one[:seeds]),
        (
            "the interval of the difference is above 0",
            "the interval of the difference is below 0",
            "the interval of the difference contains 0",
        ),
        f"hindi {means[0].formatted}, hindi-one-game {means[1].formatted} points per held-out game; difference of "
        f"{gain.formatted}",
        gain.basis,
    )


def check_removed_features(results: MeasurementResults) -> MeasuredValue:
    """Check whether training without aggregate height finds weaker agents than training without full rows."""
    height, rows = (
        get_held_out_means(results[FEATURE_REMOVAL_TRAININGS[name]]["runs"])
        for name in ("aggregate_height", "full_rows")
    )
    gain = compute_mean_over_runs(height - rows, compute_difference_interval)
    parts = [
        f"without {label} {compute_mean_over_seeds(results[FEATURE_REMOVAL_TRAININGS[name]], SCORE_METRIC).formatted}"
        for name, label in (
            ("aggregate_height", "aggregate height"),
            ("holes", "holes"),
            ("bumpiness", "bumpiness"),
            ("full_rows", "full rows"),
        )
    ]
    return make_statement(
        decide_difference(rows - height),
        (
            "training without full rows scores significantly more",
            "training without full rows scores significantly less",
            "the interval of the difference contains 0",
        ),
        f"{', '.join(parts)}, with all four {compute_genetic_score(results).formatted} points per held-out game; "
        f"difference between the first and the last of the four: {gain.formatted}",
        compute_mean_over_seeds(results[FEATURE_REMOVAL_TRAININGS["holes"]], SCORE_METRIC).basis,
    )


def make_summed_games_table(results: MeasurementResults) -> list[list[str]]:
    """Return the results of the recipes with five games and with one, one row per recipe."""
    rows = []
    for recipe, trainings in SUMMED_GAMES_TRAININGS.items():
        for name, training in zip((recipe, f"{recipe}-one-game"), trainings, strict=True):
            runs = results[training]["runs"]
            best = float(np.median([get_metric(run, "max")[-1] for run in runs]))
            average = float(np.median([get_metric(run, "mean")[-1] for run in runs]))
            held_out = compute_mean_over_runs(get_held_out_means(runs)).formatted
            rows.append([name, str(len(runs)), held_out, format_number(best), format_number(average)])
    return rows
