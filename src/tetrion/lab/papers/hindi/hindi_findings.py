"""How our figures for Hindi et al. are read from what was measured."""

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

DECENT_SCORE = 10_000  # points a game: a tenth of what their strongest agent scored
_STRONG_SHARE = 0.25  # the share of our runs that "strong agents" are taken from
_POPULATION_SIZES = (20, 50, 100)
_GENETIC_SETTINGS = ("population", "mutation", "elitism")
_EARLY_GENERATIONS = 8  # generations before those (9 to 11) in which Figure 7 begins to climb
_SCORE_METRIC = "score"


def get_runs(
    results: MeasurementResults, setups: GeneticConfiguration | Iterable[GeneticConfiguration]
) -> list[Mapping[str, Any]]:
    """All runs of a configuration or several."""
    chosen = [setups] if isinstance(setups, GeneticConfiguration) else setups
    return [run for setup in chosen for run in results[setup.name]["runs"]]


def get_held_out_means(runs: Iterable[Mapping[str, Any]], metric: str = _SCORE_METRIC) -> SampleArray:
    """What each run's agent scores a game, in games that nobody was trained on."""
    return np.array([run["result"]["uncorrected"][metric]["mean"] for run in runs])


def make_last_generation_reader(row: PublishedAgent) -> ValueReader:
    """The best of the last generation, over the seeds of a row's configuration."""

    def found(results: MeasurementResults) -> MeasuredValue:
        best = np.array([get_metric(run, "max")[-1] for run in get_runs(results, row.configuration)])
        below = format_percent(float((best < row.score).mean()))
        return compute_central_range(
            best, f"middle and 95 % of {format_count(len(best), 'run')}; {below} of them are below theirs"
        )

    return found


def make_best_of_generation_reader(row: PublishedAgent) -> ValueReader:
    """The best of a generation of agents with a row's weights, of one game each."""

    def found(results: MeasurementResults) -> MeasuredValue:
        best = results["published"][row.agent]["best"]["1"]
        middle, low, high = (best[key] for key in ("middle", "low", "high"))
        words = f"{format_number(middle)} ({format_number(low)} to {format_number(high)})"
        basis = f"the best of {row.configuration.population} games; {format_percent(best['below'])} of such are below theirs"
        return MeasuredValue(middle, (low, high), text=words, basis=basis)

    return found


def count_fitting_scores(results: MeasurementResults, count: int) -> int:
    """How many scores of Tables I and II lie where the best of a generation does if so many games are added up."""
    told = results["published"]
    bests = [(told[row.agent]["best"][str(count)], row) for row in (*TABLE_I_AGENTS, *TABLE_II_AGENTS)]
    return sum(best["low"] <= row.score <= best["high"] for best, row in bests)


def check_scores_are_sums(results: MeasurementResults) -> MeasuredValue:
    """Whether the tables' scores are sums of several games."""
    fits = {count: count_fitting_scores(results, count) for count in SUMMED_GAME_COUNTS}
    rows = len(TABLE_I_AGENTS) + len(TABLE_II_AGENTS)
    words = "; ".join(f"{format_count(count, 'game')}: {fit} of {rows} scores fit" for count, fit in fits.items())
    return MeasuredValue(
        holds=max(fits, key=lambda count: fits[count]) > 1, text=words, basis="games drawn from those played"
    )


def check_table_i_order(results: MeasurementResults) -> MeasuredValue:
    """Whether the weights of Table I rank as their scores do, by the means of games."""
    told = results["published"]
    ranked = sorted(TABLE_I_AGENTS, key=lambda row: -row.score)
    ours = [MeasuredValue(told[row.agent]["mean"], tuple(told[row.agent]["ci95"])) for row in ranked]
    apart = [compute_difference(first, second).interval for first, second in pairwise(ours)]
    words = "; ".join(f"{row.agent} {mean.formatted}" for row, mean in zip(ranked, ours, strict=True))
    holds = all(high >= 0 for _, high in apart)
    return MeasuredValue(
        holds=holds, text=words, evidence="no agent's mean is surely above that of one that ranks higher"
    )


def check_strongest_agent_weight(results: MeasurementResults) -> MeasuredValue:
    """Whether the only agent with a positive weight of lines is the strongest."""
    told = results["published"]
    best = max(TABLE_I_AGENTS, key=lambda row: float(told[row.agent]["mean"]))
    positive = [
        row.agent for row in TABLE_I_AGENTS if to_number(load_weighted_agent(row.agent).weights["full_rows"]) > 0
    ]
    words = f"{best.agent} has the highest mean, {format_number(told[best.agent]['mean'])}"
    return MeasuredValue(
        holds=positive == [best.agent], text=words, evidence="it is the only one with a positive weight"
    )


def to_number(term: object) -> float:
    """A weight that is a number."""
    return float(term) if isinstance(term, int | float) else math.nan


def check_first_generations(results: MeasurementResults) -> MeasuredValue:
    """How many first generations have a decent agent, by their size."""
    shares = {}
    for population in _POPULATION_SIZES:
        runs = get_runs(results, [setup for setup in CONFIGURATION_GRID if setup.population == population])
        shares[population] = float(np.mean([get_metric(run, "max")[0] >= DECENT_SCORE for run in runs]))
    words = ", ".join(f"{format_percent(share)} of those of {population}" for population, share in shares.items())
    because = "more than half have one, whatever their size"
    return MeasuredValue(
        holds=min(shares.values()) > 0.5, text=f"{words} have one of {DECENT_SCORE:,} points", evidence=because
    )


def check_best_score_drops(results: MeasurementResults) -> MeasuredValue:
    """In how many runs high scores drop by more than half from one generation to the next."""
    counts = np.array(
        [
            count_score_drops(run)
            for run in get_runs(results, [*CONFIGURATION_GRID, *SIGNED_CONFIGURATIONS, FIGURE_7_CONFIGURATION])
        ]
    )
    share = float((counts > 0).mean())
    words = f"the best score halves in {format_percent(share)} of the runs, {counts.mean():.1f} times a run"
    because = "more than half of the runs have such drops"
    return MeasuredValue(holds=share > 0.5, text=words, basis=format_count(len(counts), "run"), evidence=because)


def check_luck_explains_swings(results: MeasurementResults) -> MeasuredValue:
    """How much of the ups and downs is left if the luck of one game is averaged out over twenty."""
    one = compute_mean_over_runs(np.array([compute_roughness(run) for run in get_runs(results, MAIN_CONFIGURATION)]))
    twenty = compute_mean_over_runs(np.array([compute_roughness(run) for run in results["luck"]["runs"]]))
    words = f"{format_percent(one.value or 0)} from one generation to the next with a game, {format_percent(twenty.value or 0)} with 20"
    holds = twenty.interval[1] < one.interval[0]
    return MeasuredValue(
        holds=holds, text=words, basis=one.basis, evidence="with more games a candidate it is surely less"
    )


def compute_score_by_population(results: MeasurementResults, population: int) -> MeasuredValue:
    """What runs of a population size come to, over mutation rates and elitisms."""
    return compute_score_by_seed(results, [setup for setup in CONFIGURATION_GRID if setup.population == population])


def compute_score_by_seed(results: MeasurementResults, setups: Sequence[GeneticConfiguration]) -> MeasuredValue:
    """What configurations come to together; a seed's runs begin the same, so the interval is over seeds.

    Configurations of which a quick reproduction has too few runs are left out.
    """
    known = [setup for setup in setups if len(get_runs(results, setup)) >= MIN_SAMPLE_SIZE]
    seeds = min(len(get_runs(results, setup)) for setup in known)
    return compute_mean_over_runs(
        np.mean([get_held_out_means(get_runs(results, setup)[:seeds]) for setup in known], axis=0),
        compute_difference_interval,
    )


def select_equal_run_counts(
    results: MeasurementResults, setups: Sequence[GeneticConfiguration]
) -> list[Mapping[str, Any]]:
    """The runs of configurations, as many of each."""
    fewest = min(len(results[setup.name]["runs"]) for setup in setups)
    return [run for setup in setups for run in results[setup.name]["runs"][:fewest]]


def check_larger_populations(results: MeasurementResults) -> MeasuredValue:
    """Whether a larger population is no better."""
    small, large = compute_score_by_population(results, 20), compute_score_by_population(results, 100)
    more = compute_difference(large, small)
    best = {
        population: np.array(
            [
                get_metric(run, "max")[-1]
                for setup in CONFIGURATION_GRID
                if setup.population == population
                for run in get_runs(results, setup)
            ]
        )
        for population in _POPULATION_SIZES[::2]
    }
    upset = float((best[20][:, None] > best[100][None]).mean())
    words = (
        f"20: {small.formatted}, 50: {compute_score_by_population(results, 50).formatted}, 100: {large.formatted} points a game; a run of 20 "
        f"ends with a higher best than one of 100 in {format_percent(upset)} of all pairs"
    )
    return MeasuredValue(
        holds=more.interval[0] <= 0, text=words, basis=small.basis, evidence="100 is not surely better than 20"
    )


def check_steadiest_configuration(results: MeasurementResults) -> MeasuredValue:
    """Whether the configuration of Figure 4 rises most steadily."""
    trends = {
        setup: compute_mean_over_runs(
            np.array([compute_trend(run) for run in get_runs(results, setup)]), compute_difference_interval
        )
        for setup in CONFIGURATION_GRID
    }
    ranking = sorted(trends, key=lambda setup: -(trends[setup].value or 0))
    mine, best = trends[MAIN_CONFIGURATION], ranking[0]
    words = (
        f"rank correlation of generation and average {mine.formatted}, place {ranking.index(MAIN_CONFIGURATION) + 1} of {len(CONFIGURATION_GRID)}; the "
        f"highest is {trends[best].formatted} ({best.description})"
    )
    because = "no other configuration rises more steadily"
    return MeasuredValue(holds=best == MAIN_CONFIGURATION, text=words, basis=mine.basis, evidence=because)


def make_improvement_check(setups: Sequence[GeneticConfiguration], min_share: float) -> ValueReader:
    """Whether the average rises over time, in more than such a share of runs."""

    def found(results: MeasurementResults) -> MeasuredValue:
        rising = [has_rising_mean(run) for run in get_runs(results, setups)]
        share = sum(rising) / len(rising)
        words = f"the last {FINAL_GENERATIONS} generations score above the first {FINAL_GENERATIONS} in {format_percent(share)} of the runs"
        because = f"more than {format_percent(min_share)} of the runs do"
        return MeasuredValue(
            holds=share > min_share, text=words, basis=format_count(len(rising), "run"), evidence=because
        )

    return found


def check_signed_mutation_strength(results: MeasurementResults) -> MeasuredValue:
    """Whether signed mutations make stronger agents with 1 % and 20 % than with 2 % and 15 %."""
    return compare_signed_configurations(results, get_held_out_means, compute_mean_interval, "points a game")


def check_signed_mutation_trend(results: MeasurementResults) -> MeasuredValue:
    """Whether signed mutations improve more distinctly with 2 % and 15 % than with 1 % and 20 %."""
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
    """Figure 6's configuration beside Figure 5's."""
    sixth, fifth = (
        compute_mean_over_runs(get_values(get_runs(results, setup)), interval)
        for setup in (SIGNED_CONFIGURATIONS[1], SIGNED_CONFIGURATIONS[2])
    )
    more = compute_difference(fifth, sixth) if reverse else compute_difference(sixth, fifth)
    words = f"1 %, 20 %: {sixth.formatted}; 2 %, 15 %: {fifth.formatted} ({unit})"
    return MeasuredValue(holds=more.interval[0] > 0, text=words, basis=sixth.basis, evidence="it is surely so")


def check_late_improvement(results: MeasurementResults) -> MeasuredValue:
    """How many swap runs begin as poorly as Figure 7's and still end with a decent agent."""
    runs = get_runs(results, FIGURE_7_CONFIGURATION)
    risers = [
        get_metric(run, "mean")[:_EARLY_GENERATIONS].mean() < get_metric(run, "mean")[-FINAL_GENERATIONS:].mean() / 4
        and score >= DECENT_SCORE
        for run, score in zip(runs, get_held_out_means(runs), strict=True)
    ]
    words = f"{sum(risers)} of {format_count(len(runs), 'run')}"
    basis = f"a decent agent, and the first {_EARLY_GENERATIONS} generations below a quarter of the last {FINAL_GENERATIONS}"
    return MeasuredValue(holds=sum(risers) > 0, text=words, basis=basis, evidence="such runs happen")


def check_best_before_end(results: MeasurementResults) -> MeasuredValue:
    """In how many runs an earlier generation had a higher best score than the last."""
    higher = [
        bool(get_metric(run, "max")[:-1].max() > get_metric(run, "max")[-1])
        for run in get_runs(results, CONFIGURATION_GRID)
    ]
    share = sum(higher) / len(higher)
    words = f"in {format_percent(share)} of the runs"
    return MeasuredValue(
        holds=share > 0.5, text=words, basis=format_count(len(higher), "run"), evidence="so it is in more than half"
    )


def get_strong_agent_weights(results: MeasurementResults) -> SampleArray:
    """The weights of the strongest quarter of all single-piece runs, a row each."""
    runs = select_equal_run_counts(results, CONFIGURATION_GRID)
    scores = get_held_out_means(runs)
    chosen = np.argsort(-scores, kind="stable")[: max(3, round(_STRONG_SHARE * len(runs)))]
    weights = np.array(
        [[runs[place]["result"]["parameters"][feature] for feature in HINDI_FEATURES] for place in chosen]
    )
    return np.asarray(weights / np.linalg.norm(weights, axis=1, keepdims=True))


def make_weight_reader(*features: str) -> ValueReader:
    """The mean weight of a feature in our strong agents, or of several together."""

    def found(results: MeasurementResults) -> MeasuredValue:
        weights = get_strong_agent_weights(results)
        told = compute_mean_over_runs(
            weights[:, [HINDI_FEATURES.index(feature) for feature in features]].sum(axis=1),
            compute_difference_interval,
            "agent",
        )
        return MeasuredValue(told.value, told.ci95, basis=f"the strongest quarter, {told.basis}")

    return found


def find_published_weight_range(*features: str) -> tuple[float, float]:
    """From where to where the weights of Table I lie."""
    found = [
        sum(to_number(load_weighted_agent(row.agent).weights[feature]) for feature in features)
        for row in TABLE_I_AGENTS
    ]
    return min(found), max(found)


def check_negative_line_weights(results: MeasurementResults) -> MeasuredValue:
    """How many strong agents shun full rows."""
    share = float((get_strong_agent_weights(results)[:, HINDI_FEATURES.index("full_rows")] < 0).mean())
    words = f"{format_percent(share)} of the strongest quarter have a negative weight"
    return MeasuredValue(holds=share > 0.5, text=words, evidence="most of ours have one too")


def check_height_outweighs_lines(results: MeasurementResults) -> MeasuredValue:
    """What runs without the height of the columns come to, and runs without full rows."""
    height, rows = (
        compute_mean_over_seeds(results[FEATURE_REMOVAL_TRAININGS[name]], _SCORE_METRIC)
        for name in ("aggregate_height", "full_rows")
    )
    holes, whole = (
        compute_mean_over_seeds(results[FEATURE_REMOVAL_TRAININGS["holes"]], _SCORE_METRIC),
        compute_mean_over_runs(get_held_out_means(get_runs(results, MAIN_CONFIGURATION))),
    )
    words = (
        f"without the aggregate height {height.formatted}, without holes {holes.formatted}, without full rows {rows.formatted} "
        f"points a game; with all four {whole.formatted}"
    )
    worse = compute_difference(rows, height).interval[0] > 0 and compute_difference(whole, height).interval[0] > 0
    return MeasuredValue(
        holds=worse, text=words, basis=height.basis, evidence="leaving out the height costs surely more"
    )


def check_lookahead_training(results: MeasurementResults) -> MeasuredValue:
    """Runs with the next piece beside runs of the same configurations without."""
    ahead, single = (
        compute_score_by_seed(results, LOOKAHEAD_CONFIGURATIONS),
        compute_score_by_seed(results, [GeneticConfiguration(*setup[:3]) for setup in LOOKAHEAD_CONFIGURATIONS]),
    )
    more = compute_difference(ahead, single)
    words = f"{ahead.formatted} with it, {single.formatted} without"
    return MeasuredValue(
        holds=more.interval[0] > 0, text=words, basis=ahead.basis, evidence="the difference is surely above 0"
    )


def check_lookahead_agents(results: MeasurementResults) -> MeasuredValue:
    """The published agents of Table II beside those of Table I, a game each."""
    told = results["published"]
    best, worst = (
        max(told[row.agent]["mean"] for row in TABLE_I_AGENTS),
        min(told[row.agent]["mean"] for row in TABLE_II_AGENTS),
    )
    words = (
        f"the weakest of Table II scores {format_number(worst)} a game, the strongest of Table I {format_number(best)}"
    )
    return MeasuredValue(holds=worst > best, text=words, evidence="all of Table II are above all of Table I")


def check_settings_influence(results: MeasurementResults) -> MeasuredValue:
    """How much of what runs come to depends on population, mutation rate and elitism."""
    fewest = min(len(results[setup.name]["runs"]) for setup in CONFIGURATION_GRID)
    groups = [
        [getattr(setup, name) for setup in CONFIGURATION_GRID for _ in range(fewest)] for name in _GENETIC_SETTINGS
    ]
    scores = get_held_out_means(select_equal_run_counts(results, CONFIGURATION_GRID))
    shares = [compute_explained_variance(scores, [group]) for group in groups]
    whole = compute_explained_variance(scores, groups)
    named = ", ".join(
        f"{name} {format_percent(round(max(share, 0), 2))}"
        for name, share in zip(_GENETIC_SETTINGS, shares, strict=True)
    )
    words = f"the three explain {format_percent(max(whole, 0))} of the variance of runs ({named}), chance the rest"
    return MeasuredValue(
        holds=whole > 0.5, text=words, basis=format_count(len(scores), "run"), evidence="that is more than half"
    )


def check_crossover_influence(results: MeasurementResults) -> MeasuredValue:
    """Runs with the weighted average beside runs with other crossovers."""
    average = compute_mean_over_runs(get_held_out_means(get_runs(results, MAIN_CONFIGURATION)))
    others = {
        name: compute_mean_over_seeds(results[f"crossover-{name}"], _SCORE_METRIC) for name in ("uniform", "one-point")
    }
    better = all(compute_difference(average, other).interval[0] > 0 for other in others.values())
    words = f"average {average.formatted}, " + ", ".join(f"{name} {other.formatted}" for name, other in others.items())
    return MeasuredValue(
        holds=better, text=f"{words} points a game", basis=average.basis, evidence="it surely beats both"
    )


def check_harmony_search(results: MeasurementResults) -> MeasuredValue:
    """Their algorithm beside harmony search with the same features, games and rules."""
    theirs, other = (
        compute_mean_over_runs(get_held_out_means(get_runs(results, MAIN_CONFIGURATION))),
        compute_mean_over_seeds(results["harmony"], _SCORE_METRIC),
    )
    holds = compute_difference(other, theirs).interval[0] <= 0
    words = f"genetic {theirs.formatted}, harmony search {other.formatted} points a game"
    return MeasuredValue(holds=holds, text=words, basis=theirs.basis, evidence="harmony search is not surely better")


def check_reinforcement_learning(results: MeasurementResults) -> MeasuredValue:
    """Their algorithm beside an agent that learnt by Q-learning."""
    theirs, other = (
        compute_mean_over_runs(get_held_out_means(get_runs(results, MAIN_CONFIGURATION))),
        results["reinforcement"]["score"],
    )
    words = f"genetic {theirs.formatted}, Q-learning {format_mean_interval(other['played'], other['played_ci95'])} points a game"
    holds = theirs.interval[0] > other["played_ci95"][1]
    return MeasuredValue(holds=holds, text=words, basis="tetrais-q in the same games", evidence="it is surely above")
