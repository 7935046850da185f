"""Answers to the open questions of Hindi et al., made from the measured results."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tetrion.evaluation.confidence_intervals import compute_difference_interval
from tetrion.evaluation.number_format import format_count, format_number
from tetrion.lab.papers.hindi.hindi_configurations import (
    FIGURE_7_CONFIGURATION,
    MAIN_CONFIGURATION,
    TABLE_I_AGENTS,
    TABLE_II_AGENTS,
    GeneticConfiguration,
)
from tetrion.lab.papers.hindi.hindi_crowds import make_crowd_difference_reader
from tetrion.lab.papers.hindi.hindi_games import EXPERT_SELECTIONS
from tetrion.lab.papers.hindi.hindi_measurements import (
    FEATURE_COUNTS,
    FITNESS_VARIANTS,
    format_feature_count_name,
    format_fitness_training_name,
)
from tetrion.lab.papers.hindi.hindi_statistics import (
    compute_mean_over_runs,
    get_held_out_means,
    get_metric,
    get_runs,
)
from tetrion.lab.reproduction.measured_values import compute_difference, compute_mean, compute_mean_over_seeds
from tetrion.lab.reproduction.paper_definition import MeasurementResults
from tetrion.lab.reproduction.published_values import MeasuredValue
from tetrion.lab.reproduction.rank_correlation import compute_correlation_interval, compute_rank_correlation

HINDI_LEARNER_LABELS = {"genetic": "their algorithm", "entropy": "the cross-entropy method"}
_PUBLISHED_FEATURE_COUNT = 4
_LONGEST_AGENT_LABEL, _LOOKAHEAD_AGENT_LABEL = "ours, trained for length", "ours, with the next piece"
_SIGNIFICANCE_TEXTS = ("significantly more", "significantly less", "no difference was found")


def choose_text_by_interval(gain: MeasuredValue, more: str, less: str, same: str) -> str:
    """Return one of three texts: for an interval above 0, below 0, or containing 0."""
    low, high = gain.interval
    return more if low > 0 else less if high < 0 else same


def compute_paired_difference(
    first: Sequence[Mapping[str, Any]], second: Sequence[Mapping[str, Any]], metric: str
) -> MeasuredValue:
    """Return the mean difference of two trainings in held-out games, paired by seed."""
    pairs = min(len(first), len(second))
    return compute_mean_over_runs(
        get_held_out_means(first[:pairs], metric) - get_held_out_means(second[:pairs], metric),
        compute_difference_interval,
    )


def compute_fitness_gain(results: MeasurementResults, first: str, second: str) -> MeasuredValue:
    """Return the difference in pieces per game between two kinds of fitness, in games without a limit."""
    return compute_paired_difference(
        results[format_fitness_training_name(first)]["runs"],
        results[format_fitness_training_name(second)]["runs"],
        "pieces",
    )


def compute_trained_game_length(results: MeasurementResults, variant: str) -> MeasuredValue:
    """Return the pieces per game of agents trained with a kind of fitness, in games without a limit."""
    return compute_mean_over_seeds(results[format_fitness_training_name(variant)], "pieces")


def describe_limit_effect(results: MeasurementResults) -> str:
    """Describe how training in games without a limit changes the length of games."""
    capped, unlimited, *_ = FITNESS_VARIANTS
    gain = compute_fitness_gain(results, unlimited, capped)
    verdict = choose_text_by_interval(
        gain, "their games last longer", "their games are shorter", "no difference was found"
    )
    return (
        "Trained for points in games without a limit, agents place "
        f"{compute_trained_game_length(results, unlimited).formatted} pieces per game; trained in games of 500 "
        f"pieces, {compute_trained_game_length(results, capped).formatted} ({gain.basis} each, measured in games "
        f"without a limit): {verdict} (difference paired by seed: {gain.formatted})."
    )


def describe_length_fitness(results: MeasurementResults) -> str:
    """Describe how training for the length of games instead of points changes the length of games."""
    capped, unlimited, capped_length, unlimited_length = FITNESS_VARIANTS
    capped_gain = compute_fitness_gain(results, capped_length, capped)
    unlimited_gain = compute_fitness_gain(results, unlimited_length, unlimited)
    return (
        "Trained for length instead of points, agents place "
        f"{compute_trained_game_length(results, capped_length).formatted} pieces per game if games end with the 500th "
        f"piece (difference from points: {capped_gain.formatted}, "
        f"{choose_text_by_interval(capped_gain, *_SIGNIFICANCE_TEXTS)}), and "
        f"{compute_trained_game_length(results, unlimited_length).formatted} if games have no limit "
        f"({unlimited_gain.formatted}, {choose_text_by_interval(unlimited_gain, *_SIGNIFICANCE_TEXTS)})."
    )


def compute_agent_game_lengths(results: MeasurementResults) -> dict[str, MeasuredValue]:
    """Return the pieces per game of the published agents and of our longest-playing agent, without a limit."""
    lengths = {
        row.agent: compute_mean(results[f"endless-{row.agent}"], "pieces")
        for row in (*TABLE_I_AGENTS, *TABLE_II_AGENTS)
    }
    best = results["well-formed"]
    return lengths | {
        _LONGEST_AGENT_LABEL: compute_mean(best["alone"], "pieces"),
        _LOOKAHEAD_AGENT_LABEL: compute_mean(best["ahead"], "pieces"),
    }


def describe_longest_games(results: MeasurementResults) -> str:
    """Describe how long the published agents and our longest-playing agent play."""
    lengths = compute_agent_game_lengths(results)
    first, second = ([lengths[row.agent].value or 0 for row in table] for table in (TABLE_I_AGENTS, TABLE_II_AGENTS))
    lookahead = results["well-formed"]["ahead"]
    return (
        f"Without a limit, the agents of Table I place {format_number(min(first))} to {format_number(max(first))} "
        f"pieces per game on average, those of Table II {format_number(min(second))} to {format_number(max(second))}. "
        f"The longest-playing agent that we trained for length places {lengths[_LONGEST_AGENT_LABEL].formatted}, and "
        f"{lengths[_LOOKAHEAD_AGENT_LABEL].formatted} if it also sees the next piece: {lookahead['deaths']:,} of "
        f"{format_count(lookahead['games'], 'game')} then ended within {lookahead['cap']:,} pieces."
    )


def compute_scores_by_feature_count(results: MeasurementResults, learner: str) -> dict[int, MeasuredValue]:
    """Return the held-out score for each number of features."""
    return {
        count: compute_mean_over_seeds(results[format_feature_count_name(learner, count)], "score")
        for count in FEATURE_COUNTS
    }


def describe_more_features(results: MeasurementResults) -> str:
    """Describe whether further features give a stronger agent."""
    placed = results["pieces-placed"]
    parts = []
    for learner, label in HINDI_LEARNER_LABELS.items():
        scores = compute_scores_by_feature_count(results, learner)
        gain = compute_paired_difference(
            results[format_feature_count_name(learner, 5)]["runs"],
            results[format_feature_count_name(learner, _PUBLISHED_FEATURE_COUNT)]["runs"],
            "score",
        )
        parts.append(
            f"{label} reaches {scores[5].formatted} points per game instead of "
            f"{scores[_PUBLISHED_FEATURE_COUNT].formatted} ({choose_text_by_interval(gain, *_SIGNIFICANCE_TEXTS)})"
        )
    unchanged = f"{placed['same']:,} of {format_count(placed['games'], 'game')}"
    return (
        f"With the height of the tallest column as a fifth feature, {'; '.join(parts)}. The number of pieces placed "
        f"is the same for all placements, so it cannot influence a decision: with a weight for it, {unchanged} are "
        "unchanged. It can only serve as the fitness (the length of a game)."
    )


def describe_best_feature_count(results: MeasurementResults) -> str:
    """Describe beyond which number of features further ones do not help."""
    parts = []
    best_counts = set()
    most_features = FEATURE_COUNTS[-1]
    for learner, label in HINDI_LEARNER_LABELS.items():
        scores = compute_scores_by_feature_count(results, learner)
        published, with_all = scores[_PUBLISHED_FEATURE_COUNT], scores[most_features]
        best = max(scores, key=lambda count: scores[count].value or 0)
        best_counts.add(best)
        part = f"{label} reaches its best score with {best} features, {scores[best].formatted} points per game"
        if best != _PUBLISHED_FEATURE_COUNT:
            comparison = choose_text_by_interval(
                compute_difference(scores[best], published),
                "significantly more than",
                "significantly less than",
                "not significantly different from",
            )
            part += f", {comparison} the {published.formatted} with their four"
        if best != most_features:
            decline = choose_text_by_interval(
                compute_difference(scores[best], with_all),
                "significantly less",
                "not less",
                "not significantly less",
            )
            part += f"; with all {most_features} it reaches {with_all.formatted} ({decline})"
        parts.append(f"{part[0].upper()}{part[1:]}.")
    training = results[format_feature_count_name("genetic", _PUBLISHED_FEATURE_COUNT)]
    conclusion = "depends on the learner" if len(best_counts) > 1 else "is the same for both learners"
    return (
        "Every number of features was trained with the same number of games "
        f"({compute_mean_over_seeds(training).basis}). "
        f"{' '.join(parts)} The best number of features {conclusion}."
    )


def correlate_first_generation_with_result(
    results: MeasurementResults, configuration: GeneticConfiguration, name: str
) -> tuple[float, int]:
    """Return the rank correlation of a metric of the first generation with the held-out score, and the run count."""
    runs = get_runs(results, configuration)
    return compute_rank_correlation(
        np.array([get_metric(run, name)[0] for run in runs]), get_held_out_means(runs)
    ), len(runs)


def describe_first_generation_effect(results: MeasurementResults) -> str:
    """Describe whether runs with poor first generations end with stronger agents."""
    parts, signs = [], []
    for configuration in (MAIN_CONFIGURATION, FIGURE_7_CONFIGURATION):
        for name, label in (("mean", "average"), ("max", "best")):
            value, pairs = correlate_first_generation_with_result(results, configuration, name)
            low, high = compute_correlation_interval(value, pairs)
            signs.append(-1 if high < 0 else 1 if low > 0 else 0)
            interval = f"{format_number(low, 2)} to {format_number(high, 2)}"
            parts.append(
                f"{format_number(value, 2)} ({interval}) for the {label} score of {pairs} runs with "
                f"{configuration.description}"
            )
    if min(signs) < 0 < max(signs):
        verdict = "It depends on the configuration"
    elif min(signs) < 0:
        verdict = "Yes, where an interval is below 0: runs with poor first generations end stronger"
    elif max(signs) > 0:
        verdict = "No: where an interval excludes 0, runs with poor first generations end weaker"
    else:
        verdict = "No correlation was found"
    return f"{verdict}. Rank correlation of the score of the first generation with the final score: {'; '.join(parts)}."


def describe_consensus_crowd(results: MeasurementResults) -> str:
    """Describe how a consensus crowd compares with the mean crowd and with the experts."""
    kind = "crowd (consensus)"
    gains = {
        name: make_crowd_difference_reader(name, kind)(results)
        for name in ("crowd (mean)", "average expert", "best expert")
    }
    labels = {
        "crowd (mean)": "the mean of all experts",
        "average expert": "the average expert",
        "best expert": "the best expert",
    }
    parts = [
        f"{gain.formatted} compared with {labels[name]} ({choose_text_by_interval(gain, *_SIGNIFICANCE_TEXTS)})"
        for name, gain in gains.items()
    ]
    return (
        "Gain in points per game of the consensus crowd, the mean of similar experts weighted by their scores: "
        f"{', '.join(parts)}; {gains['crowd (mean)'].basis}."
    )


def describe_expert_selection(results: MeasurementResults) -> str:
    """Describe whether another selection of experts gives a stronger crowd."""
    scores = {name: np.array(results["choices"]["means"][name]) for name in EXPERT_SELECTIONS}
    all_experts = scores[EXPERT_SELECTIONS[0]]
    parts = []
    for name in EXPERT_SELECTIONS[1:]:
        gain = compute_mean_over_runs(scores[name] - all_experts, compute_difference_interval, "run")
        parts.append(f"{name}: {gain.formatted} ({choose_text_by_interval(gain, *_SIGNIFICANCE_TEXTS)})")
    return (
        f"The crowd of the best agents of all generations scores {compute_mean_over_runs(all_experts).formatted} "
        f"points per game. Gains of crowds of other selections: {', '.join(parts)}."
    )
