"""Findings about the evolution of Hindi et al.: first generations, spikes, populations, mutations and crossovers."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from tetrion.evaluation.confidence_intervals import (
    SampleArray,
    compute_difference_interval,
    compute_share_interval,
)
from tetrion.evaluation.number_format import format_count, format_percent
from tetrion.lab.papers.hindi.hindi_configurations import (
    CONFIGURATION_GRID,
    DECENT_SCORE,
    FIGURE_7_CONFIGURATION,
    HINDI_PUBLISHED_FIGURES,
    MAIN_CONFIGURATION,
    POPULATION_SIZES,
    SIGNED_CONFIGURATIONS,
    TABLE_I_AGENTS,
    GeneticConfiguration,
)
from tetrion.lab.papers.hindi.hindi_statistics import (
    FINAL_GENERATIONS,
    compute_mean_by_seed,
    compute_mean_over_runs,
    compute_roughness,
    compute_share_over_seeds,
    compute_trend,
    count_score_drops,
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
from tetrion.lab.reproduction.measured_values import ValueReader, compute_difference
from tetrion.lab.reproduction.paper_definition import MeasurementResults
from tetrion.lab.reproduction.published_values import MeasuredValue, decide_above

FEW_AGENTS = 3  # "a few" agents are at least three
LATE_GENERATION = 9  # in Figure 7, the scores begin to climb between generations 9 and 11
CLIMB_SHARE = 0.25  # the climb has begun if an average exceeds this share of the last averages
TYPICAL_SHARE = 0.05  # a run of which less than this share of ours is like it is not typical
_COMPARISON_FACTOR = 1.58  # margin of 26 simultaneous comparisons relative to that of one (Bonferroni: 3.10 / 1.96)


def check_success(results: MeasurementResults) -> MeasuredValue:
    """Check whether most runs of the configurations of Table I end with a decent agent."""
    configurations = [row.configuration for row in TABLE_I_AGENTS]
    share = compute_share_over_seeds(
        compute_mean_by_seed(results, configurations, lambda runs: get_held_out_means(runs) >= DECENT_SCORE)
    )
    return make_statement(
        decide_share(share, 0.5),
        (
            "more than half of the runs do",
            "less than half of the runs do",
            explain_doubt(share.ci95, "the interval contains one half"),
        ),
        f"{share.formatted} of the runs with the four configurations of Table I",
        format_count(count_seeds(results, configurations), "seed"),
    )


def check_first_generations(results: MeasurementResults) -> MeasuredValue:
    """Check whether most random first generations have a few decent agents."""
    counts = results["first-generations"]["decent"]
    enough = {size: sum(count >= FEW_AGENTS for count in counts[str(size)]) for size in POPULATION_SIZES}
    total = sum(len(counts[str(size)]) for size in POPULATION_SIZES)
    parts = ", ".join(
        f"{format_percent(enough[size] / len(counts[str(size)]))} of those of {size}" for size in POPULATION_SIZES
    )
    return make_statement(
        decide_above(compute_share_interval(sum(enough.values()), total), 0.5),
        (
            "more than half of all first generations have them",
            "less than half of all first generations have them",
            "the interval contains one half",
        ),
        f"{describe_share(sum(enough.values()), total, 'first generation')}: {parts}",
    )


def check_best_score_drops(results: MeasurementResults) -> MeasuredValue:
    """Check whether the best score halves between generations in most runs of the configurations of the figures."""
    configurations = list(dict.fromkeys(configuration for configuration, _ in HINDI_PUBLISHED_FIGURES.values()))
    share = compute_share_over_seeds(
        compute_mean_by_seed(
            results, configurations, lambda runs: np.array([count_score_drops(run) > 0 for run in runs])
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
        format_count(count_seeds(results, configurations), "seed"),
    )


def make_drop_check(training: str) -> ValueReader:
    """Return a check whether the best score halves between generations in most runs of a training."""

    def check(results: MeasurementResults) -> MeasuredValue:
        dropping = [count_score_drops(run) > 0 for run in results[training]["runs"]]
        return make_statement(
            decide_above(compute_share_interval(sum(dropping), len(dropping)), 0.5),
            (
                "more than half of the runs have such drops",
                "less than half of the runs have such drops",
                "the interval contains one half",
            ),
            describe_share(sum(dropping), len(dropping)),
            f"otherwise as for Table III: {describe_mean_drops(results[training]['runs'])}",
        )

    return check


def describe_mean_drops(runs: Sequence[Mapping[str, Any]]) -> str:
    """Describe how often the best score halves per run."""
    return f"{np.mean([count_score_drops(run) for run in runs]):.1f} drops per run"


def check_luck_explains_swings(results: MeasurementResults) -> MeasuredValue:
    """Check whether the best scores fluctuate less if each candidate plays twenty games instead of one."""
    one, twenty = (
        compute_mean_over_runs(np.array([compute_roughness(run) for run in runs]), compute_difference_interval)
        for runs in (get_runs(results, MAIN_CONFIGURATION), results["luck"]["runs"])
    )
    return make_statement(
        decide_above(compute_difference(one, twenty).interval, 0),
        (
            "with twenty games per candidate the change is significantly smaller",
            "with twenty games per candidate the change is not smaller",
            "the interval of the difference contains 0",
        ),
        f"a mean change of {format_percent(one.value or 0)} between generations with one game per candidate, "
        f"{format_percent(twenty.value or 0)} with twenty",
        f"{one.basis} and {twenty.basis}",
    )


def compute_score_by_population(results: MeasurementResults, population: int) -> MeasuredValue:
    """Return the mean held-out score of a population size, over mutation rates and elitisms."""
    configurations = [configuration for configuration in CONFIGURATION_GRID if configuration.population == population]
    return compute_mean_over_runs(compute_mean_by_seed(results, configurations), compute_difference_interval)


def check_larger_populations(results: MeasurementResults) -> MeasuredValue:
    """Check that agents of populations of 100 are not better than those of populations of 20."""
    small, medium, large = (compute_score_by_population(results, population) for population in POPULATION_SIZES)
    is_better = decide_above(compute_difference(large, small).interval, 0)
    reversed_share = format_percent(compute_reversed_share(results))
    return make_statement(
        None if is_better is None else not is_better,
        (
            "agents of populations of 100 are not better than those of 20",
            "agents of populations of 100 score significantly more than those of 20",
            "the interval of the difference between 100 and 20 contains 0",
        ),
        f"20: {small.formatted}, 50: {medium.formatted}, 100: {large.formatted} points per held-out game; a single run "
        f"with 20 ends with a higher best score than one with 100 in {reversed_share} of all pairs",
        f"{small.basis}; mean over mutation rates and elitisms",
    )


def compute_reversed_share(results: MeasurementResults) -> float:
    """Return how often a run with a population of 20 ends with a higher best score than one with 100."""
    small, large = (
        np.array(
            [
                get_metric(run, "max")[-1]
                for configuration in CONFIGURATION_GRID
                if configuration.population == population
                for run in get_runs(results, configuration)
            ]
        )
        for population in (POPULATION_SIZES[0], POPULATION_SIZES[-1])
    )
    return float((small[:, None] > large[None]).mean())


def compute_trends(results: MeasurementResults) -> dict[GeneticConfiguration, MeasuredValue]:
    """Return how steadily the average rises with each configuration: the rank correlation with the generation."""
    return {
        configuration: compute_mean_over_runs(
            np.array([compute_trend(run) for run in get_runs(results, configuration)]), compute_difference_interval
        )
        for configuration in CONFIGURATION_GRID
    }


def check_steadiest_configuration(results: MeasurementResults) -> MeasuredValue:
    """Check whether the average rises most steadily with the configuration of Figure 4."""
    trends = compute_trends(results)
    main = trends.pop(MAIN_CONFIGURATION)
    best = max(trends, key=lambda configuration: trends[configuration].value or 0)
    rank = 1 + sum((trend.value or 0) > (main.value or 0) for trend in trends.values())
    text = (
        f"rank correlation of generation and average {main.formatted}, rank {rank} of {len(CONFIGURATION_GRID)}; the "
        f"highest of the others is {trends[best].formatted} ({best.description})"
    )
    return make_statement(
        decide_steadiest(main, trends[best]),
        (
            "no other configuration rises as steadily",
            "another configuration rises significantly more steadily",
            explain_doubt(
                trends[best].ci95,
                "with 26 simultaneous comparisons, the difference from the highest of the others is not significant",
            ),
        ),
        text,
        main.basis,
    )


def decide_steadiest(main: MeasuredValue, other: MeasuredValue) -> bool | None:
    """Return whether one trend is above the highest of 26 others, with the margin of 26 comparisons."""
    if main.ci95 is None or other.ci95 is None:
        return None
    difference = compute_difference(main, other)
    value = difference.value or 0
    low, high = ((end - value) * _COMPARISON_FACTOR + value for end in difference.interval)
    return decide_above((low, high), 0)


def check_most_improve(results: MeasurementResults) -> MeasuredValue:
    """Check whether the average rises over time with most configurations other than that of Figure 4."""
    others = [configuration for configuration in CONFIGURATION_GRID if configuration != MAIN_CONFIGURATION]
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
        gain.basis,
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
