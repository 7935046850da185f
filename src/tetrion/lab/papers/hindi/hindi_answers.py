"""What Hindi et al. left open, answered in sentences made from results."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tetrion.evaluation.confidence_intervals import compute_difference_interval
from tetrion.evaluation.number_format import format_count, format_number
from tetrion.lab.papers.hindi.hindi_crowds import make_crowd_difference_reader
from tetrion.lab.papers.hindi.hindi_findings import get_held_out_means, get_runs
from tetrion.lab.papers.hindi.hindi_measurements import (
    EXPERT_SELECTIONS,
    FEATURE_COUNTS,
    FIGURE_7_CONFIGURATION,
    FITNESS_VARIANTS,
    MAIN_CONFIGURATION,
    TABLE_I_AGENTS,
    TABLE_II_AGENTS,
    GeneticConfiguration,
    format_feature_count_name,
    format_fitness_training_name,
)
from tetrion.lab.papers.hindi.hindi_statistics import compute_mean_over_runs, get_metric
from tetrion.lab.reproduction.measured_values import compute_difference, compute_mean, compute_mean_over_seeds
from tetrion.lab.reproduction.paper_definition import MeasurementResults
from tetrion.lab.reproduction.published_values import MeasuredValue
from tetrion.lab.reproduction.rank_correlation import compute_correlation_interval, compute_rank_correlation

HINDI_LEARNER_LABELS = {"genetic": "their algorithm", "entropy": "the cross-entropy method"}
_PUBLISHED_FEATURE_COUNT = 4  # features
_LONGEST_AGENT_LABEL, _LOOKAHEAD_AGENT_LABEL = "ours, bred for length", "ours, with the next piece"


def choose_text_by_interval(gain: MeasuredValue, more: str, less: str, same: str) -> str:
    """What a difference comes to: surely more, surely less, or not known."""
    low, high = gain.interval
    return more if low > 0 else less if high < 0 else same


def compute_paired_difference(
    first: Sequence[Mapping[str, Any]], second: Sequence[Mapping[str, Any]], metric: str
) -> MeasuredValue:
    """How much more the runs of one kind come to than those of another that began the same."""
    pairs = min(len(first), len(second))
    return compute_mean_over_runs(
        get_held_out_means(first[:pairs], metric) - get_held_out_means(second[:pairs], metric),
        compute_difference_interval,
    )


def compute_fitness_gain(results: MeasurementResults, first: str, second: str) -> MeasuredValue:
    """How many pieces a game more the one kind of fitness makes than the other, in games without a limit."""
    return compute_paired_difference(
        results[format_fitness_training_name(first)]["runs"],
        results[format_fitness_training_name(second)]["runs"],
        "pieces",
    )


def compute_trained_game_length(results: MeasurementResults, words: str) -> MeasuredValue:
    """How many pieces a game the agents of a kind of fitness place, in games without a limit."""
    return compute_mean_over_seeds(results[format_fitness_training_name(words)], "pieces")


def describe_limit_effect(results: MeasurementResults) -> str:
    """What becomes of agents if games have no limit."""
    capped, free, *_ = FITNESS_VARIANTS
    gain = compute_fitness_gain(results, free, capped)
    told = choose_text_by_interval(gain, "they live longer", "they live shorter", "no difference was found")
    return (
        f"Bred for points in games without a limit, agents place {compute_trained_game_length(results, free).formatted} pieces a game, bred in "
        f"games of 500 pieces {compute_trained_game_length(results, capped).formatted} ({gain.basis} each, measured in games without a limit): "
        f"{told} (difference of runs that begin the same: {gain.formatted})."
    )


def describe_length_fitness(results: MeasurementResults) -> str:
    """What becomes of agents if the length of games counts."""
    capped, free, short, long = FITNESS_VARIANTS
    within, without = compute_fitness_gain(results, short, capped), compute_fitness_gain(results, long, free)
    words = "that is surely more", "that is surely less", "no difference was found"
    return (
        f"Bred for length instead of points, agents place {compute_trained_game_length(results, short).formatted} pieces a game if games end "
        f"with the 500th piece ({within.formatted} against points: {choose_text_by_interval(within, *words)}), and "
        f"{compute_trained_game_length(results, long).formatted} if they have no limit ({without.formatted}: {choose_text_by_interval(without, *words)})."
    )


def compute_agent_game_lengths(results: MeasurementResults) -> dict[str, MeasuredValue]:
    """How many pieces agents place in games without a limit."""
    told = {
        row.agent: compute_mean(results[f"endless-{row.agent}"], "pieces")
        for row in (*TABLE_I_AGENTS, *TABLE_II_AGENTS)
    }
    best = results["well-formed"]
    return told | {
        _LONGEST_AGENT_LABEL: compute_mean(best["alone"], "pieces"),
        _LOOKAHEAD_AGENT_LABEL: compute_mean(best["ahead"], "pieces"),
    }


def describe_longest_games(results: MeasurementResults) -> str:
    """How long a well-formed agent can play."""
    told = compute_agent_game_lengths(results)
    first, second = ([told[row.agent].value or 0 for row in table] for table in (TABLE_I_AGENTS, TABLE_II_AGENTS))
    ahead = results["well-formed"]["ahead"]
    return (
        f"Without a limit the agents of Table I place {format_number(min(first))} to {format_number(max(first))} pieces a game on "
        f"average, those of Table II {format_number(min(second))} to {format_number(max(second))}. The longest living agent that we "
        f"bred for length places {told[_LONGEST_AGENT_LABEL].formatted}, and {told[_LOOKAHEAD_AGENT_LABEL].formatted} if it is also shown the next piece: "
        f"{ahead['deaths']:,} of {format_count(ahead['games'], 'game')} then ended within {ahead['cap']:,} pieces."
    )


def compute_scores_by_feature_count(results: MeasurementResults, learner: str) -> dict[int, MeasuredValue]:
    """What each number of features comes to."""
    return {
        count: compute_mean_over_seeds(results[format_feature_count_name(learner, count)], "score")
        for count in FEATURE_COUNTS
    }


def describe_more_features(results: MeasurementResults) -> str:
    """Whether further features make a stronger agent."""
    placed = results["pieces-placed"]
    words = "which is surely more", "which is surely less", "no difference was found"
    parts = []
    for learner, name in HINDI_LEARNER_LABELS.items():
        told = compute_scores_by_feature_count(results, learner)
        gain = compute_paired_difference(
            results[format_feature_count_name(learner, 5)]["runs"],
            results[format_feature_count_name(learner, _PUBLISHED_FEATURE_COUNT)]["runs"],
            "score",
        )
        parts.append(
            f"with the height of the tallest column as a fifth, {name} comes to {told[5].formatted} points a game instead "
            f"of {told[_PUBLISHED_FEATURE_COUNT].formatted} ({choose_text_by_interval(gain, *words)})"
        )
    told_of = "; ".join(parts)
    same = f"{placed['same']:,} of {format_count(placed['games'], 'game')}"
    return (
        f"{told_of[0].upper()}{told_of[1:]}. The number of pieces placed is the same wherever a piece is put, so it "
        f"can choose nothing: with a weight for it, {same} are the same. It can only be a fitness, a game's length."
    )


def describe_best_feature_count(results: MeasurementResults) -> str:
    """From when on further features do not help."""
    parts, ends = [], set()
    for learner, name in HINDI_LEARNER_LABELS.items():
        told = compute_scores_by_feature_count(results, learner)
        best = max(told, key=lambda count: told[count].value or 0)
        over_theirs, over_all = (
            compute_difference(told[best], told[_PUBLISHED_FEATURE_COUNT]),
            compute_difference(told[best], told[FEATURE_COUNTS[-1]]),
        )
        gained = choose_text_by_interval(
            over_theirs, "surely more than", "surely less than", "not distinguishable from"
        )
        falls = choose_text_by_interval(
            over_all, "and surely falls off", "and does not fall off", "and does not surely fall off"
        )
        then = (
            ""
            if best == FEATURE_COUNTS[-1]
            else f" {falls} to {told[FEATURE_COUNTS[-1]].formatted} with all {FEATURE_COUNTS[-1]}"
        )
        ends.add(best)
        beside = (
            ""
            if best == _PUBLISHED_FEATURE_COUNT
            else f" {gained} the {told[_PUBLISHED_FEATURE_COUNT].formatted} of their four,"
        )
        parts.append(
            f"{name} comes furthest with {best} features, {told[best].formatted} points a game,{beside}{then}".rstrip(
                ","
            )
        )
    matter = "a matter of the learner too" if len(ends) > 1 else "the same for both learners"
    return (
        f"With as many games for each ({compute_mean_over_seeds(results[format_feature_count_name('genetic', _PUBLISHED_FEATURE_COUNT)]).basis}), "
        f"{'; '.join(parts)}. Where it ends is {matter}."
    )


def correlate_first_generation_with_result(
    results: MeasurementResults, setup: GeneticConfiguration, name: str
) -> tuple[float, int]:
    """The rank correlation of a figure of the first generation with what the run comes to."""
    runs = get_runs(results, setup)
    return compute_rank_correlation(
        np.array([get_metric(run, name)[0] for run in runs]), get_held_out_means(runs)
    ), len(runs)


def describe_first_generation_effect(results: MeasurementResults) -> str:
    """Whether poor first generations end stronger."""
    parts, signs = [], []
    for setup in (MAIN_CONFIGURATION, FIGURE_7_CONFIGURATION):
        for name, words in (("mean", "average"), ("max", "best")):
            value, pairs = correlate_first_generation_with_result(results, setup, name)
            low, high = compute_correlation_interval(value, pairs)
            signs.append(-1 if high < 0 else 1 if low > 0 else 0)
            ends = f"{format_number(low, 2)} to {format_number(high, 2)}"
            parts.append(f"{format_number(value, 2)} ({ends}) for the {words} of {pairs} runs with {setup.description}")
    if min(signs) < 0 < max(signs):
        told = "It depends on the configuration"
    elif min(signs) < 0:
        told = "Yes, where an interval is below 0: poor first generations end stronger"
    elif max(signs) > 0:
        told = "No: where an interval excludes 0, poor first generations end weaker"
    else:
        told = "No connection was found"
    return f"{told}. Rank correlation of the first generation's score with that at the end: {'; '.join(parts)}."


def describe_consensus_crowd(results: MeasurementResults) -> str:
    """What the crowd that they propose comes to."""
    kind = "crowd (consensus)"
    gains = {
        name: make_crowd_difference_reader(name, kind)(results)
        for name in ("crowd (mean)", "average expert", "best expert")
    }
    words = "surely more", "surely less", "no difference was found"
    named = {
        "crowd (mean)": "the mean of all experts",
        "average expert": "the average one",
        "best expert": "the best",
    }
    parts = [
        f"{gain.formatted} against {named[name]} ({choose_text_by_interval(gain, *words)})"
        for name, gain in gains.items()
    ]
    return (
        "The mean of those experts who agree, weighted by their scores, gains so many points a game: "
        f"{', '.join(parts)}; {gains['crowd (mean)'].basis}."
    )


def describe_expert_selection(results: MeasurementResults) -> str:
    """Whether another choice of experts makes a stronger crowd."""
    told = {name: np.array(results["choices"][name]) for name in EXPERT_SELECTIONS}
    words = "surely more", "surely less", "no difference was found"
    parts = []
    for name in EXPERT_SELECTIONS[1:]:
        gain = compute_mean_over_runs(told[name] - told[EXPERT_SELECTIONS[0]], compute_difference_interval, "run")
        parts.append(f"{name}: {gain.formatted} ({choose_text_by_interval(gain, *words)})")
    return (
        f"The crowd of all generations' best scores {compute_mean_over_runs(told[EXPERT_SELECTIONS[0]]).formatted} points a game; crowds of others, "
        f"against it, {', '.join(parts)}."
    )
