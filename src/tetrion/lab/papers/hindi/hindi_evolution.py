"""Findings about the evolution of Hindi et al.: first generations, spikes, steadiness and mutations."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from tetrion.evaluation.confidence_intervals import (
    SampleArray,
    compute_difference_interval,
    compute_share_interval,
)
from tetrion.evaluation.number_format import format_count, format_number, format_percent
from tetrion.lab.papers.hindi.hindi_configurations import (
    DECENT_SCORE,
    FIGURE_7_CONFIGURATION,
    HINDI_PUBLISHED_FIGURES,
    MAIN_CONFIGURATION,
    ONE_GAME_RECIPE,
    POPULATION_SIZES,
    SIGNED_CONFIGURATIONS,
    SINGLE_PIECE_COMBINATIONS,
    TABLE_I_AGENTS,
    GeneticConfiguration,
    load_settings,
)
from tetrion.lab.papers.hindi.hindi_measurements import (
    FIVE_GAMES_TRAINING,
    SHARED_PIECES_VARIANT,
    format_variant_name,
)
from tetrion.lab.papers.hindi.hindi_statistics import (
    FINAL_GENERATIONS,
    compute_mean_by_seed,
    compute_mean_over_runs,
    compute_roughness,
    compute_share_over_seeds,
    compute_trend,
    count_drops,
    count_seeds,
    decide_difference,
    decide_share,
    describe_share,
    explain_doubt,
    get_held_out_means,
    get_metric,
    get_runs,
    has_rising_mean,
    make_statement,
)
from tetrion.lab.reproduction.measured_values import ValueReader, compute_difference, join_names
from tetrion.lab.reproduction.paper_definition import MeasurementResults
from tetrion.lab.reproduction.published_values import MeasuredValue, decide_above
from tetrion.training.learner import INCUMBENT_PREFIX

FEW_AGENTS = 3  # "a few" agents are at least three
LATE_GENERATION = 9  # in Figure 7, the scores begin to climb between generations 9 and 11
CLIMB_SHARE = 0.25  # the climb has begun if an average exceeds this share of the last averages
TYPICAL_SHARE = 0.05  # a run of which less than this share of ours is like it is not typical
_COMPARISON_FACTOR = 1.52  # margin of 17 simultaneous comparisons relative to that of one (Bonferroni: 2.97 / 1.96)


def is_better_than_first_generation(run: Mapping[str, Any]) -> bool:
    """Return whether the agent of a run is better than the best of the first generation, in games not trained on.

    The agent is measured in held-out games, the best of the first generation in validation games; an agent with the
    same weights is not better.
    """
    first = {name: get_metric(run, f"{INCUMBENT_PREFIX}{name}")[0] for name in run["result"]["parameters"]}
    if all(math.isclose(first[name], weight) for name, weight in run["result"]["parameters"].items()):
        return False
    return bool(get_held_out_means([run])[0] > get_metric(run, "validation")[0])


def find_better_runs(runs: Sequence[Mapping[str, Any]]) -> SampleArray:
    """Return for each run whether its agent is better than the best of its first generation."""
    return np.array([is_better_than_first_generation(run) for run in runs])


def check_success(results: MeasurementResults) -> MeasuredValue:
    """Check whether the agent is better than the best of the first generation in most runs of Table I's settings."""
    configurations = [row.configuration for row in TABLE_I_AGENTS]
    share = compute_share_over_seeds(compute_mean_by_seed(results, configurations, find_better_runs))
    settings = load_settings(ONE_GAME_RECIPE)
    return make_statement(
        decide_share(share, 0.5),
        (
            "more than half of the runs do",
            "less than half of the runs do",
            explain_doubt(share.ci95, "the interval contains one half"),
        ),
        f"{share.formatted} of the runs with the four configurations of Table I",
        f"{format_count(count_seeds(results, configurations), 'seed')} of each configuration, with "
        f"{settings['validation.final_games']} held-out and {settings['validation.games']} validation games",
    )


def check_success_with_five_games(results: MeasurementResults) -> MeasuredValue:
    """Check whether the agent is better than the best of the first generation in most runs with five games."""
    return make_run_share_statement(find_better_runs(results[FIVE_GAMES_TRAINING]["runs"]), MAIN_CONFIGURATION)


def make_run_share_statement(found: SampleArray, configuration: GeneticConfiguration) -> MeasuredValue:
    """Return the statement that something happens in more than half of the runs of a configuration."""
    return make_statement(
        decide_above(compute_share_interval(int(found.sum()), len(found)), 0.5),
        ("more than half of the runs do", "less than half of the runs do", "the interval contains one half"),
        describe_share(int(found.sum()), len(found)),
        configuration.description,
    )


def check_first_generations(results: MeasurementResults) -> MeasuredValue:
    """Check for each population size whether most random first generations have a few decent agents."""
    decisions, parts = {}, []
    for size in POPULATION_SIZES:
        counts = results["first-generations"]["decent"][str(size)]
        enough = sum(count >= FEW_AGENTS for count in counts)
        decisions[size] = decide_above(compute_share_interval(enough, len(counts)), 0.5)
        parts.append(f"population {size}: {describe_share(enough, len(counts), 'first generation')}")
    holds = False if False in decisions.values() else True if all(decisions.values()) else None
    holding = [str(size) for size, decision in decisions.items() if decision]
    failing = [str(size) for size, decision in decisions.items() if decision is False]
    return make_statement(
        holds,
        (
            "more than half have them with every size",
            f"less than half have them with {join_names(failing or ['none'])}, more than half with "
            f"{join_names(holding or ['none'])}",
            "for at least one size the interval contains one half",
        ),
        "; ".join(parts),
    )


def make_figures_drop_check(metric: str) -> ValueReader:
    """Return a check whether a metric halves between generations in most runs of the figures' configurations."""

    def check(results: MeasurementResults) -> MeasuredValue:
        configurations = list(dict.fromkeys(configuration for configuration, _ in HINDI_PUBLISHED_FIGURES.values()))
        share = compute_share_over_seeds(
            compute_mean_by_seed(
                results, configurations, lambda runs: np.array([count_drops(run, metric) > 0 for run in runs])
            )
        )
        return make_statement(
            decide_share(share, 0.5),
            (
                "more than half of the runs have such drops",
                "less than half of the runs have such drops",
                explain_doubt(share.ci95, "the interval contains one half"),
            ),
            f"{share.formatted} of the runs with the configurations of Figures 1 to 7, 10 and 11",
            f"{format_count(count_seeds(results, configurations), 'seed')} of each configuration",
        )

    return check


def check_spikes(results: MeasurementResults) -> MeasuredValue:
    """Check whether the average halves in most runs of the figures; the reason names runs with the same pieces."""
    spikes = make_figures_drop_check("mean")(results)
    runs = results[format_variant_name(SHARED_PIECES_VARIANT)]["runs"]
    dropping = sum(count_drops(run, "mean") > 0 for run in runs)
    same_pieces = (
        f"{dropping} of {format_count(len(runs), 'run')} have them if all candidates of a generation play the same "
        "pieces, which is not judged as a reading: it was measured with the settings of two of the nine graphs, and "
        "the claim is about most of them"
    )
    return replace(spikes, evidence=f"{spikes.evidence} ({same_pieces})")


def format_points(share: float) -> str:
    """Format a difference of shares in percentage points."""
    return format_number(100 * share, 1)


def check_fluctuations(results: MeasurementResults) -> MeasuredValue:
    """Check whether the average changes less between generations with twenty games per candidate than with one."""
    changes = {
        games: compute_mean_over_runs(
            np.array([compute_roughness(run, "mean") for run in results[name]["runs"]]), compute_difference_interval
        )
        for games, name in ((1, MAIN_CONFIGURATION.name), (5, FIVE_GAMES_TRAINING), (20, "luck"))
    }
    difference = compute_difference(changes[1], changes[20])
    sizes = {games: format_percent(change.value or 0) for games, change in changes.items()}
    return make_statement(
        decide_above(difference.interval, 0),
        (
            "the interval of the difference is above 0",
            "the interval of the difference is below 0",
            "the interval of the difference contains 0",
        ),
        f"a mean change of {sizes[1]} between generations with one game per candidate, "
        f"{sizes[5]} with five and {sizes[20]} with twenty; difference "
        f"between one and twenty: {format_points(difference.value or 0)} percentage points (95 % interval: "
        f"{' to '.join(map(format_points, difference.interval))})",
        f"{changes[1].basis}, {changes[5].basis} and {changes[20].basis}; {MAIN_CONFIGURATION.description}",
    )


def compute_trends(results: MeasurementResults) -> dict[GeneticConfiguration, MeasuredValue]:
    """Return how steadily the average rises with each configuration: the rank correlation with the generation."""
    return {
        configuration: compute_mean_over_runs(
            np.array([compute_trend(run) for run in get_runs(results, configuration)]), compute_difference_interval
        )
        for configuration in SINGLE_PIECE_COMBINATIONS
    }


def check_steadiest_configuration(results: MeasurementResults) -> MeasuredValue:
    """Check whether the average rises most steadily with the configuration of Figure 4."""
    trends = compute_trends(results)
    main = trends.pop(MAIN_CONFIGURATION)
    best = max(trends, key=lambda configuration: trends[configuration].value or 0)
    difference = compute_difference(main, trends[best])
    rank = 1 + sum((trend.value or 0) > (main.value or 0) for trend in trends.values())
    text = (
        f"rank correlation of generation and average {main.formatted}, rank {rank} of "
        f"{len(SINGLE_PIECE_COMBINATIONS)}; the highest of the others is {trends[best].formatted} "
        f"({best.description}), a difference of {difference.formatted}"
    )
    return make_statement(
        decide_steadiest(main, trends[best]),
        (
            "no other configuration rises as steadily",
            "another configuration rises significantly more steadily",
            explain_doubt(
                trends[best].ci95,
                "with 17 simultaneous comparisons, the difference from the highest of the others is not significant",
            ),
        ),
        text,
        f"{main.basis}; at least {format_count(count_seeds(results, trends), 'seed')} of the others",
    )


def decide_steadiest(main: MeasuredValue, other: MeasuredValue) -> bool | None:
    """Return whether one trend is above the highest of 17 others, with the margin of 17 comparisons."""
    if main.ci95 is None or other.ci95 is None:
        return None
    difference = compute_difference(main, other)
    value = difference.value or 0
    low, high = ((end - value) * _COMPARISON_FACTOR + value for end in difference.interval)
    return decide_above((low, high), 0)


def check_most_improve(results: MeasurementResults) -> MeasuredValue:
    """Check whether the average rises over time with most configurations other than that of Figure 4."""
    others = [configuration for configuration in SINGLE_PIECE_COMBINATIONS if configuration != MAIN_CONFIGURATION]
    verdicts = [decide_improvement(results, configuration) for configuration in others]
    rising = verdicts.count(True)
    half = len(others) / 2
    holds = True if rising > half else False if verdicts.count(False) >= half else None
    return make_statement(
        holds,
        ("more than half of them improve", "half of them or more do not improve", "too few of them are decided"),
        f"{rising} of {len(others)} improve, {verdicts.count(False)} do not, {verdicts.count(None)} are undecided",
        f"at least {format_count(count_seeds(results, others), 'seed')} of each",
    )


def decide_improvement(results: MeasurementResults, configuration: GeneticConfiguration) -> bool | None:
    """Return whether the average rises in most runs of a configuration."""
    rising = [has_rising_mean(run) for run in get_runs(results, configuration)]
    return decide_above(compute_share_interval(sum(rising), len(rising)), 0.5)


def check_signed_mutation_improves(results: MeasurementResults) -> MeasuredValue:
    """Check whether the average rises over time in every run with signed mutations."""
    rising = [has_rising_mean(run) for run in get_runs(results, SIGNED_CONFIGURATIONS)]
    return make_statement(
        all(rising),
        ("this holds for every run", "this does not hold for every run", ""),
        f"the last {FINAL_GENERATIONS} generations score above the first {FINAL_GENERATIONS} in {sum(rising)} of "
        f"{format_count(len(rising), 'run')}",
        f"{len(SIGNED_CONFIGURATIONS)} configurations",
    )


def check_signed_mutation_strength(results: MeasurementResults) -> MeasuredValue:
    """Check whether signed mutations give stronger agents with 1 % and 20 % than with 2 % and 15 %."""
    return compare_configurations(
        results, SIGNED_CONFIGURATIONS[1], SIGNED_CONFIGURATIONS[2], get_held_out_means, "points per held-out game"
    )


def check_signed_mutation_trend(results: MeasurementResults) -> MeasuredValue:
    """Check whether signed mutations improve more distinctly with 2 % and 15 % than with 1 % and 20 %."""
    return compare_configurations(
        results,
        SIGNED_CONFIGURATIONS[2],
        SIGNED_CONFIGURATIONS[1],
        lambda runs: np.array([compute_trend(run) for run in runs]),
        "rank correlation of generation and average",
    )


def compare_configurations(
    results: MeasurementResults,
    first: GeneticConfiguration,
    second: GeneticConfiguration,
    get_values: Callable[[Sequence[Mapping[str, Any]]], SampleArray],
    unit: str,
) -> MeasuredValue:
    """Check whether the first configuration has higher values than the second, paired by seed."""
    seeds = count_seeds(results, (first, second))
    values, other_values = (get_values(get_runs(results, each)[:seeds]) for each in (first, second))
    means = [compute_mean_over_runs(each, compute_difference_interval) for each in (values, other_values)]
    gain = compute_mean_over_runs(values - other_values, compute_difference_interval)
    labels = [f"{each.mutation} %, {each.elitism} %" for each in (first, second)]
    return make_statement(
        decide_difference(values - other_values),
        (
            "the interval of the difference is above 0",
            "the interval of the difference is below 0",
            "the interval of the difference contains 0",
        ),
        f"{labels[0]}: {means[0].formatted}; {labels[1]}: {means[1].formatted} ({unit}); difference of "
        f"{gain.formatted}",
        f"{gain.basis}, paired by seed",
    )


def has_late_climb(run: Mapping[str, Any]) -> bool:
    """Return whether the averages of a run begin to climb as late as in Figure 7, and its agent is decent."""
    averages = get_metric(run, "mean")
    threshold = CLIMB_SHARE * averages[-FINAL_GENERATIONS:].mean()
    is_late = bool((averages[: LATE_GENERATION - 1] <= threshold).all())
    return is_late and bool(get_held_out_means([run])[0] >= DECENT_SCORE)


def check_late_improvement(results: MeasurementResults) -> MeasuredValue:
    """Check whether runs with swap mutation like that of Figure 7 are more frequent than one in twenty."""
    late = [has_late_climb(run) for run in get_runs(results, FIGURE_7_CONFIGURATION)]
    return make_statement(
        decide_above(compute_share_interval(sum(late), len(late)), TYPICAL_SHARE),
        (
            "more than one run in twenty is like theirs",
            "fewer than one run in twenty are like theirs",
            "the interval contains 5 %",
        ),
        describe_share(sum(late), len(late)),
    )
