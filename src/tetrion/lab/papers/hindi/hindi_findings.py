"""Findings about the evolution and the agents of Hindi et al."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from tetrion.agents import load_weighted_agent
from tetrion.agents.named.hindi_agents import HINDI_FEATURES
from tetrion.evaluation.confidence_intervals import (
    MIN_SAMPLE_SIZE,
    Interval,
    SampleArray,
    compute_difference_interval,
    compute_mean_interval,
)
from tetrion.evaluation.number_format import format_count, format_mean_interval, format_number, format_percent
from tetrion.lab.papers.hindi.hindi_measurements import (
    CONFIGURATION_GRID,
    FEATURE_REMOVAL_TRAININGS,
    FIGURE_7_CONFIGURATION,
    LOOKAHEAD_CONFIGURATIONS,
    MAIN_CONFIGURATION,
    SIGNED_CONFIGURATIONS,
    SUMMED_GAME_COUNTS,
    TABLE_I_AGENTS,
    TABLE_II_AGENTS,
    GeneticConfiguration,
    PublishedAgent,
)
from tetrion.lab.papers.hindi.hindi_statistics import (
    FINAL_GENERATIONS,
    compute_central_range,
    compute_explained_variance,
    compute_mean_over_runs,
    compute_roughness,
    compute_trend,
    count_score_drops,
    get_metric,
    has_rising_mean,
)
from tetrion.lab.reproduction.measured_values import ValueReader, compute_difference, compute_mean_over_seeds
from tetrion.lab.reproduction.paper_definition import MeasurementResults
from tetrion.lab.reproduction.published_values import MeasuredValue

DECENT_SCORE = 10_000  # points per game, a tenth of the score of their strongest agent
_STRONG_SHARE = 0.25  # best share of our runs, whose agents are "strong agents"
_POPULATION_SIZES = (20, 50, 100)
_GENETIC_SETTINGS = ("population", "mutation", "elitism")
_EARLY_GENERATIONS = 8  # in Figure 7, the climb begins in generations 9 to 11
_SCORE_METRIC = "score"


def get_runs(
    results: MeasurementResults, configurations: GeneticConfiguration | Iterable[GeneticConfiguration]
) -> list[Mapping[str, Any]]:
    """Return all runs of one or several configurations."""
    chosen = [configurations] if isinstance(configurations, GeneticConfiguration) else configurations
    return [run for configuration in chosen for run in results[configuration.name]["runs"]]


def get_held_out_means(runs: Iterable[Mapping[str, Any]], metric: str = _SCORE_METRIC) -> SampleArray:
    """Return the mean per held-out game of each run's agent."""
    return np.array([run["result"]["uncorrected"][metric]["mean"] for run in runs])


def make_last_generation_reader(row: PublishedAgent) -> ValueReader:
    """Return a reader of the best score of the last generation, over the seeds of a row's configuration."""

    def read(results: MeasurementResults) -> MeasuredValue:
        best = np.array([get_metric(run, "max")[-1] for run in get_runs(results, row.configuration)])
        below = format_percent(float((best < row.score).mean()))
        return compute_central_range(
            best, f"median and 95 % range of {format_count(len(best), 'run')}; {below} of them are below theirs"
        )

    return read


def make_best_of_generation_reader(row: PublishedAgent) -> ValueReader:
    """Return a reader of the best score of a generation of agents with a row's weights, one game each."""

    def read(results: MeasurementResults) -> MeasuredValue:
        best = results["published"][row.agent]["best"]["1"]
        median, low, high = (best[key] for key in ("middle", "low", "high"))
        text = f"{format_number(median)} ({format_number(low)} to {format_number(high)})"
        below = format_percent(best["below"])
        basis = f"the best of {row.configuration.population} games; {below} of such values are below theirs"
        return MeasuredValue(median, (low, high), text=text, basis=basis)

    return read


def count_fitting_scores(results: MeasurementResults, count: int) -> int:
    """Return how many scores of Tables I and II fit the best of a generation, if `count` games are summed."""
    published = results["published"]
    bests = [(published[row.agent]["best"][str(count)], row) for row in (*TABLE_I_AGENTS, *TABLE_II_AGENTS)]
    return sum(best["low"] <= row.score <= best["high"] for best, row in bests)


def check_scores_are_sums(results: MeasurementResults) -> MeasuredValue:
    """Check whether the scores in the tables are sums of several games."""
    fits = {count: count_fitting_scores(results, count) for count in SUMMED_GAME_COUNTS}
    rows = len(TABLE_I_AGENTS) + len(TABLE_II_AGENTS)
    text = "; ".join(f"{format_count(count, 'game')}: {fit} of {rows} scores fit" for count, fit in fits.items())
    return MeasuredValue(
        holds=max(fits, key=lambda count: fits[count]) > 1, text=text, basis="samples of the games played"
    )


def check_table_i_order(results: MeasurementResults) -> MeasuredValue:
    """Check whether our means with the weights of Table I have the order of the published scores."""
    published = results["published"]
    ranked = sorted(TABLE_I_AGENTS, key=lambda row: -row.score)
    ours = [MeasuredValue(published[row.agent]["mean"], tuple(published[row.agent]["ci95"])) for row in ranked]
    differences = [compute_difference(first, second).interval for first, second in pairwise(ours)]
    text = "; ".join(f"{row.agent} {mean.formatted}" for row, mean in zip(ranked, ours, strict=True))
    holds = all(high >= 0 for _, high in differences)
    evidence = "no agent's mean is significantly above that of an agent with a higher published score"
    return MeasuredValue(holds=holds, text=text, evidence=evidence)


def check_strongest_agent_weight(results: MeasurementResults) -> MeasuredValue:
    """Check whether the only agent with a positive weight for lines is the strongest."""
    published = results["published"]
    best = max(TABLE_I_AGENTS, key=lambda row: float(published[row.agent]["mean"]))
    positive = [
        row.agent for row in TABLE_I_AGENTS if to_number(load_weighted_agent(row.agent).weights["full_rows"]) > 0
    ]
    text = f"{best.agent} has the highest mean, {format_number(published[best.agent]['mean'])}"
    return MeasuredValue(
        holds=positive == [best.agent], text=text, evidence="it is the only one with a positive weight"
    )


def to_number(term: object) -> float:
    """Return a numeric weight as a float; NaN for other terms."""
    return float(term) if isinstance(term, int | float) else math.nan


def check_first_generations(results: MeasurementResults) -> MeasuredValue:
    """Check whether most first generations have a decent agent, for every population size."""
    shares = {}
    for population in _POPULATION_SIZES:
        runs = get_runs(
            results, [configuration for configuration in CONFIGURATION_GRID if configuration.population == population]
        )
        shares[population] = float(np.mean([get_metric(run, "max")[0] >= DECENT_SCORE for run in runs]))
    parts = ", ".join(f"{format_percent(share)} of those of {population}" for population, share in shares.items())
    text = f"{parts} have an agent with at least {DECENT_SCORE:,} points"
    evidence = "more than half have one, for every population size"
    return MeasuredValue(holds=min(shares.values()) > 0.5, text=text, evidence=evidence)


def check_best_score_drops(results: MeasurementResults) -> MeasuredValue:
    """Check whether the best score drops by more than half between generations in most runs."""
    counts = np.array(
        [
            count_score_drops(run)
            for run in get_runs(results, [*CONFIGURATION_GRID, *SIGNED_CONFIGURATIONS, FIGURE_7_CONFIGURATION])
        ]
    )
    share = float((counts > 0).mean())
    text = f"the best score halves in {format_percent(share)} of the runs, {counts.mean():.1f} times per run"
    evidence = "more than half of the runs have such drops"
    return MeasuredValue(holds=share > 0.5, text=text, basis=format_count(len(counts), "run"), evidence=evidence)


def check_luck_explains_swings(results: MeasurementResults) -> MeasuredValue:
    """Check whether the best scores fluctuate less if each candidate plays twenty games instead of one."""
    one = compute_mean_over_runs(np.array([compute_roughness(run) for run in get_runs(results, MAIN_CONFIGURATION)]))
    twenty = compute_mean_over_runs(np.array([compute_roughness(run) for run in results["luck"]["runs"]]))
    change_one, change_twenty = format_percent(one.value or 0), format_percent(twenty.value or 0)
    return MeasuredValue(
        holds=twenty.interval[1] < one.interval[0],
        text=f"a change of {change_one} between generations with one game per candidate, {change_twenty} with 20",
        basis=one.basis,
        evidence="with more games per candidate the change is significantly smaller",
    )


def compute_score_by_population(results: MeasurementResults, population: int) -> MeasuredValue:
    """Return the mean held-out score of a population size, over mutation rates and elitisms."""
    return compute_score_by_seed(
        results, [configuration for configuration in CONFIGURATION_GRID if configuration.population == population]
    )


def compute_score_by_seed(results: MeasurementResults, configurations: Sequence[GeneticConfiguration]) -> MeasuredValue:
    """Return the mean held-out score of several configurations, with an interval over seeds.

    Runs with the same seed have the same first generation. Configurations with too few runs are left out.
    """
    included = [
        configuration for configuration in configurations if len(get_runs(results, configuration)) >= MIN_SAMPLE_SIZE
    ]
    seeds = min(len(get_runs(results, configuration)) for configuration in included)
    return compute_mean_over_runs(
        np.mean([get_held_out_means(get_runs(results, configuration)[:seeds]) for configuration in included], axis=0),
        compute_difference_interval,
    )


def select_equal_run_counts(
    results: MeasurementResults, configurations: Sequence[GeneticConfiguration]
) -> list[Mapping[str, Any]]:
    """Return the same number of runs of each configuration."""
    fewest = min(len(results[configuration.name]["runs"]) for configuration in configurations)
    return [run for configuration in configurations for run in results[configuration.name]["runs"][:fewest]]


def check_larger_populations(results: MeasurementResults) -> MeasuredValue:
    """Check that a larger population is not significantly better."""
    small, medium, large = (compute_score_by_population(results, population) for population in _POPULATION_SIZES)
    gain = compute_difference(large, small)
    best = {
        population: np.array(
            [
                get_metric(run, "max")[-1]
                for configuration in CONFIGURATION_GRID
                if configuration.population == population
                for run in get_runs(results, configuration)
            ]
        )
        for population in _POPULATION_SIZES[::2]
    }
    reversed_share = float((best[20][:, None] > best[100][None]).mean())
    text = (
        f"20: {small.formatted}, 50: {medium.formatted}, 100: {large.formatted} points per game; a run with 20 ends "
        f"with a higher best score than one with 100 in {format_percent(reversed_share)} of all pairs"
    )
    return MeasuredValue(
        holds=gain.interval[0] <= 0, text=text, basis=small.basis, evidence="100 is not significantly better than 20"
    )


def check_steadiest_configuration(results: MeasurementResults) -> MeasuredValue:
    """Check whether the average rises most steadily with the configuration of Figure 4."""
    trends = {
        configuration: compute_mean_over_runs(
            np.array([compute_trend(run) for run in get_runs(results, configuration)]), compute_difference_interval
        )
        for configuration in CONFIGURATION_GRID
    }
    ranking = sorted(trends, key=lambda configuration: -(trends[configuration].value or 0))
    main, best = trends[MAIN_CONFIGURATION], ranking[0]
    rank = ranking.index(MAIN_CONFIGURATION) + 1
    text = (
        f"rank correlation of generation and average {main.formatted}, rank {rank} of {len(CONFIGURATION_GRID)}; the "
        f"highest is {trends[best].formatted} ({best.description})"
    )
    evidence = "no other configuration rises more steadily"
    return MeasuredValue(holds=best == MAIN_CONFIGURATION, text=text, basis=main.basis, evidence=evidence)


def make_improvement_check(configurations: Sequence[GeneticConfiguration], min_share: float) -> ValueReader:
    """Return a check whether the average rises over time in more than a given share of runs."""

    def check(results: MeasurementResults) -> MeasuredValue:
        rising = [has_rising_mean(run) for run in get_runs(results, configurations)]
        share = sum(rising) / len(rising)
        text = (
            f"the last {FINAL_GENERATIONS} generations score above the first {FINAL_GENERATIONS} in "
            f"{format_percent(share)} of the runs"
        )
        evidence = f"this holds for more than {format_percent(min_share)} of the runs"
        return MeasuredValue(
            holds=share > min_share, text=text, basis=format_count(len(rising), "run"), evidence=evidence
        )

    return check


def check_signed_mutation_strength(results: MeasurementResults) -> MeasuredValue:
    """Check whether signed mutations give stronger agents with 1 % and 20 % than with 2 % and 15 %."""
    return compare_signed_configurations(results, get_held_out_means, compute_mean_interval, "points per game")


def check_signed_mutation_trend(results: MeasurementResults) -> MeasuredValue:
    """Check whether signed mutations improve more distinctly with 2 % and 15 % than with 1 % and 20 %."""
    return compare_signed_configurations(
        results,
        lambda runs: np.array([compute_trend(run) for run in runs]),
        compute_difference_interval,
        "rank correlation",
        reverse=True,
    )


def compare_signed_configurations(
    results: MeasurementResults,
    get_values: Callable[[Sequence[Mapping[str, Any]]], SampleArray],
    interval: Callable[[SampleArray], Interval | None],
    unit: str,
    *,
    reverse: bool = False,
) -> MeasuredValue:
    """Check whether the configuration of Figure 6 has higher values than that of Figure 5, or the reverse."""
    figure_6, figure_5 = (
        compute_mean_over_runs(get_values(get_runs(results, configuration)), interval)
        for configuration in (SIGNED_CONFIGURATIONS[1], SIGNED_CONFIGURATIONS[2])
    )
    gain = compute_difference(figure_5, figure_6) if reverse else compute_difference(figure_6, figure_5)
    text = f"1 %, 20 %: {figure_6.formatted}; 2 %, 15 %: {figure_5.formatted} ({unit})"
    evidence = "the interval of the difference is above 0"
    return MeasuredValue(holds=gain.interval[0] > 0, text=text, basis=figure_6.basis, evidence=evidence)


def check_late_improvement(results: MeasurementResults) -> MeasuredValue:
    """Check whether some runs with swap mutation begin as poorly as in Figure 7 and end with a decent agent."""
    runs = get_runs(results, FIGURE_7_CONFIGURATION)
    improved = [
        get_metric(run, "mean")[:_EARLY_GENERATIONS].mean() < get_metric(run, "mean")[-FINAL_GENERATIONS:].mean() / 4
        and score >= DECENT_SCORE
        for run, score in zip(runs, get_held_out_means(runs), strict=True)
    ]
    text = f"{sum(improved)} of {format_count(len(runs), 'run')}"
    basis = (
        f"a decent agent, and the average of the first {_EARLY_GENERATIONS} generations below a quarter of the last "
        f"{FINAL_GENERATIONS}"
    )
    return MeasuredValue(holds=sum(improved) > 0, text=text, basis=basis, evidence="such runs occur")


def check_best_before_end(results: MeasurementResults) -> MeasuredValue:
    """Check whether an earlier generation had a higher best score than the last in most runs."""
    higher = [
        bool(get_metric(run, "max")[:-1].max() > get_metric(run, "max")[-1])
        for run in get_runs(results, CONFIGURATION_GRID)
    ]
    share = sum(higher) / len(higher)
    text = f"in {format_percent(share)} of the runs"
    evidence = "this holds for more than half of the runs"
    return MeasuredValue(holds=share > 0.5, text=text, basis=format_count(len(higher), "run"), evidence=evidence)


def get_strong_agent_weights(results: MeasurementResults) -> SampleArray:
    """Return the normalised weights of the strongest quarter of all runs without the next piece, one row per agent."""
    runs = select_equal_run_counts(results, CONFIGURATION_GRID)
    scores = get_held_out_means(runs)
    chosen = np.argsort(-scores, kind="stable")[: max(3, round(_STRONG_SHARE * len(runs)))]
    weights = np.array(
        [[runs[index]["result"]["parameters"][feature] for feature in HINDI_FEATURES] for index in chosen]
    )
    return np.asarray(weights / np.linalg.norm(weights, axis=1, keepdims=True))


def make_weight_reader(*features: str) -> ValueReader:
    """Return a reader of the mean weight of a feature, or the sum of several, in our strong agents."""

    def read(results: MeasurementResults) -> MeasuredValue:
        weights = get_strong_agent_weights(results)
        mean = compute_mean_over_runs(
            weights[:, [HINDI_FEATURES.index(feature) for feature in features]].sum(axis=1),
            compute_difference_interval,
            "agent",
        )
        return MeasuredValue(mean.value, mean.ci95, basis=f"the strongest quarter, {mean.basis}")

    return read


def find_published_weight_range(*features: str) -> tuple[float, float]:
    """Return the range of a weight, or of a sum of weights, in Table I."""
    sums = [
        sum(to_number(load_weighted_agent(row.agent).weights[feature]) for feature in features)
        for row in TABLE_I_AGENTS
    ]
    return min(sums), max(sums)


def check_negative_line_weights(results: MeasurementResults) -> MeasuredValue:
    """Check whether most of our strong agents have a negative weight for full rows."""
    share = float((get_strong_agent_weights(results)[:, HINDI_FEATURES.index("full_rows")] < 0).mean())
    text = f"{format_percent(share)} of the strongest quarter have a negative weight"
    return MeasuredValue(holds=share > 0.5, text=text, evidence="most of our strong agents also have one")


def check_height_outweighs_lines(results: MeasurementResults) -> MeasuredValue:
    """Check whether removing aggregate height costs significantly more points than removing full rows."""
    height, holes, rows = (
        compute_mean_over_seeds(results[FEATURE_REMOVAL_TRAININGS[name]], _SCORE_METRIC)
        for name in ("aggregate_height", "holes", "full_rows")
    )
    complete = compute_mean_over_runs(get_held_out_means(get_runs(results, MAIN_CONFIGURATION)))
    text = (
        f"without aggregate height {height.formatted}, without holes {holes.formatted}, without full rows "
        f"{rows.formatted} points per game; with all four {complete.formatted}"
    )
    is_worse = compute_difference(rows, height).interval[0] > 0 and compute_difference(complete, height).interval[0] > 0
    evidence = "removing the height costs significantly more"
    return MeasuredValue(holds=is_worse, text=text, basis=height.basis, evidence=evidence)


def check_lookahead_training(results: MeasurementResults) -> MeasuredValue:
    """Check whether runs with the next piece score significantly more than those of the same configurations without."""
    lookahead = compute_score_by_seed(results, LOOKAHEAD_CONFIGURATIONS)
    single = compute_score_by_seed(
        results, [GeneticConfiguration(*configuration[:3]) for configuration in LOOKAHEAD_CONFIGURATIONS]
    )
    gain = compute_difference(lookahead, single)
    text = f"{lookahead.formatted} with it, {single.formatted} without"
    evidence = "the interval of the difference is above 0"
    return MeasuredValue(holds=gain.interval[0] > 0, text=text, basis=lookahead.basis, evidence=evidence)


def check_lookahead_agents(results: MeasurementResults) -> MeasuredValue:
    """Check whether all agents of Table II score more per game than all agents of Table I."""
    published = results["published"]
    best = max(published[row.agent]["mean"] for row in TABLE_I_AGENTS)
    worst = min(published[row.agent]["mean"] for row in TABLE_II_AGENTS)
    text = (
        f"the weakest of Table II scores {format_number(worst)} per game, the strongest of Table I "
        f"{format_number(best)}"
    )
    return MeasuredValue(holds=worst > best, text=text, evidence="all of Table II are above all of Table I")


def check_settings_influence(results: MeasurementResults) -> MeasuredValue:
    """Check whether population, mutation rate and elitism explain most of the variance of the results."""
    fewest = min(len(results[configuration.name]["runs"]) for configuration in CONFIGURATION_GRID)
    groups = [
        [getattr(configuration, name) for configuration in CONFIGURATION_GRID for _ in range(fewest)]
        for name in _GENETIC_SETTINGS
    ]
    scores = get_held_out_means(select_equal_run_counts(results, CONFIGURATION_GRID))
    shares = [compute_explained_variance(scores, [group]) for group in groups]
    total = compute_explained_variance(scores, groups)
    parts = ", ".join(
        f"{name} {format_percent(round(max(share, 0), 2))}"
        for name, share in zip(_GENETIC_SETTINGS, shares, strict=True)
    )
    text = f"the three explain {format_percent(max(total, 0))} of the variance of runs ({parts}); the rest is chance"
    return MeasuredValue(
        holds=total > 0.5, text=text, basis=format_count(len(scores), "run"), evidence="this is more than half"
    )


def check_crossover_influence(results: MeasurementResults) -> MeasuredValue:
    """Check whether the averaging crossover scores significantly more than other crossovers."""
    average = compute_mean_over_runs(get_held_out_means(get_runs(results, MAIN_CONFIGURATION)))
    others = {
        name: compute_mean_over_seeds(results[f"crossover-{name}"], _SCORE_METRIC) for name in ("uniform", "one-point")
    }
    better = all(compute_difference(average, other).interval[0] > 0 for other in others.values())
    parts = ", ".join(f"{name} {other.formatted}" for name, other in others.items())
    return MeasuredValue(
        holds=better,
        text=f"average {average.formatted}, {parts} points per game",
        basis=average.basis,
        evidence="it is significantly better than both",
    )


def check_harmony_search(results: MeasurementResults) -> MeasuredValue:
    """Check that harmony search with the same features, games and rules is not significantly better."""
    genetic = compute_mean_over_runs(get_held_out_means(get_runs(results, MAIN_CONFIGURATION)))
    harmony = compute_mean_over_seeds(results["harmony"], _SCORE_METRIC)
    holds = compute_difference(harmony, genetic).interval[0] <= 0
    text = f"genetic {genetic.formatted}, harmony search {harmony.formatted} points per game"
    evidence = "harmony search is not significantly better"
    return MeasuredValue(holds=holds, text=text, basis=genetic.basis, evidence=evidence)


def check_reinforcement_learning(results: MeasurementResults) -> MeasuredValue:
    """Check whether the genetic algorithm scores significantly more than a Q-learning agent."""
    genetic = compute_mean_over_runs(get_held_out_means(get_runs(results, MAIN_CONFIGURATION)))
    q_learning = results["reinforcement"]["score"]
    q_learning_mean = format_mean_interval(q_learning["played"], q_learning["played_ci95"])
    return MeasuredValue(
        holds=genetic.interval[0] > q_learning["played_ci95"][1],
        text=f"genetic {genetic.formatted}, Q-learning {q_learning_mean} points per game",
        basis="tetrais-q in the same games",
        evidence="it is significantly above",
    )
