"""Findings about the agents of Tables I and II of Hindi et al.: their scores and their weights."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tetrion.agents import load_weighted_agent
from tetrion.agents.named.hindi_agents import HINDI_FEATURES
from tetrion.evaluation.confidence_intervals import SampleArray, compute_difference_interval, compute_share_interval
from tetrion.evaluation.number_format import format_count, format_number, format_percent
from tetrion.lab.papers.hindi.hindi_configurations import (
    STRONG_SCORE,
    TABLE_I_AGENTS,
    TABLE_II_AGENTS,
    PublishedAgent,
)
from tetrion.lab.papers.hindi.hindi_games import REMOVED_WEIGHTS, SUMMED_GAME_COUNTS
from tetrion.lab.papers.hindi.hindi_statistics import (
    compute_central_range,
    compute_mean_over_runs,
    decide_difference,
    describe_share,
    get_metric,
    get_runs,
    make_statement,
)
from tetrion.lab.papers.hindi.hindi_training_effects import MARKED_GAIN
from tetrion.lab.reproduction.measured_values import ValueReader, compute_difference
from tetrion.lab.reproduction.paper_definition import MeasurementResults
from tetrion.lab.reproduction.published_values import MeasuredValue, decide_above
from tetrion.training.learner import INCUMBENT_PREFIX

FAR_GREATER_FACTOR = 2  # an impact at least this many times as large is "far greater"
MIN_RANGE_RUN_COUNT = 39  # the chance that one further run is the lowest or highest of 40 is 5 %
_DRAW_COUNT = 10_000  # draws of four agents, one of each configuration of Table I


def make_last_generation_reader(row: PublishedAgent, training: str = "") -> ValueReader:
    """Return a reader of the best score of the last generation, over the runs of a row's configuration or a training.

    With fewer than 39 runs the range is unknown: more than 5 % of further runs would lie outside the range of so few.
    """

    def read(results: MeasurementResults) -> MeasuredValue:
        runs = results[training or row.configuration.name]["runs"]
        best = compute_last_best(runs, row.score)
        if len(runs) >= MIN_RANGE_RUN_COUNT:
            return best
        return MeasuredValue(
            best.value,
            (math.nan, math.nan),
            text=format_number(best.value or 0),
            basis=f"median of {format_count(len(runs), 'run')}; a 95 % range needs at least {MIN_RANGE_RUN_COUNT}",
        )

    return read


def compute_last_best(runs: Sequence[Mapping[str, Any]], score: int) -> MeasuredValue:
    """Return the median and 95 % range of the best scores of the last generations, compared with a published score."""
    best = np.array([get_metric(run, "max")[-1] for run in runs])
    below = format_percent(float((best < score).mean()))
    return compute_central_range(
        best, f"median and 95 % range of {format_count(len(best), 'run')}; {below} of them are below theirs"
    )


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
    """Check whether more scores of the tables fit sums of several games than fit single games."""
    fits = {count: count_fitting_scores(results, count) for count in SUMMED_GAME_COUNTS}
    rows = len(TABLE_I_AGENTS) + len(TABLE_II_AGENTS)
    text = "; ".join(f"{format_count(count, 'game')}: {fit} of {rows} scores fit" for count, fit in fits.items())
    several = max(fit for count, fit in fits.items() if count > 1)
    return make_statement(
        None if several == fits[1] else several > fits[1],
        ("more scores fit a sum of several games", "more scores fit a single game", "as many scores fit either"),
        text,
        "the best of a generation of agents with the published weights, 95 % range",
    )


def get_published_mean(results: MeasurementResults, row: PublishedAgent) -> MeasuredValue:
    """Return our mean score per game with the published weights."""
    published = results["published"][row.agent]
    return MeasuredValue(published["mean"], tuple(published["ci95"]))


def check_strongest_agent(results: MeasurementResults) -> MeasuredValue:
    """Check whether the weights of row 3, the only ones with a positive weight for lines, score the most."""
    means = {row.agent: get_published_mean(results, row) for row in TABLE_I_AGENTS}
    strongest = TABLE_I_AGENTS[2].agent
    decisions = [
        decide_above(compute_difference(means[strongest], mean).interval, 0)
        for agent, mean in means.items()
        if agent != strongest
    ]
    holds = False if False in decisions else True if all(decisions) else None
    return make_statement(
        holds,
        (
            "its mean is significantly above those of the other three",
            "the mean of another agent is significantly higher",
            "its mean is not significantly above those of the other three",
        ),
        "; ".join(f"row {number}: {mean.formatted}" for number, mean in enumerate(means.values(), 1))
        + " points per game",
        f"{format_count(results['published'][strongest]['games'], 'game')} with the published weights",
    )


def to_number(term: object) -> float:
    """Return a numeric weight as a float; NaN for other terms."""
    return float(term) if isinstance(term, int | float) else math.nan


def compute_published_weight(*features: str) -> float:
    """Return the mean of a weight, or of a sum of weights, over the four agents of Table I."""
    sums = [
        sum(to_number(load_weighted_agent(row.agent).weights[feature]) for feature in features)
        for row in TABLE_I_AGENTS
    ]
    return sum(sums) / len(sums)


def get_last_weights(results: MeasurementResults, row: PublishedAgent) -> SampleArray:
    """Return the weights of the best agent of the last generation, one row per run of a configuration."""
    runs = get_runs(results, row.configuration)
    return np.array(
        [[get_metric(run, f"{INCUMBENT_PREFIX}{feature}")[-1] for feature in HINDI_FEATURES] for run in runs]
    )


def make_weight_reader(*features: str) -> ValueReader:
    """Return a reader of the mean weight of four agents, one of our runs of each configuration of Table I."""

    def read(results: MeasurementResults) -> MeasuredValue:
        generator = np.random.default_rng(1)
        columns = [HINDI_FEATURES.index(feature) for feature in features]
        values = [get_last_weights(results, row)[:, columns].sum(axis=1) for row in TABLE_I_AGENTS]
        draws = np.mean([generator.choice(each, _DRAW_COUNT) for each in values], axis=0)
        low, median, high = (float(end) for end in np.percentile(draws, [2.5, 50, 97.5]))
        runs = "+".join(str(len(each)) for each in values)
        return MeasuredValue(
            median,
            (low, high),
            text=f"{format_number(median, 2)} ({format_number(low, 2)} to {format_number(high, 2)})",
            basis=f"median and 95 % range of the mean of four, drawn from {runs} runs",
        )

    return read


def check_negative_line_weights(results: MeasurementResults) -> MeasuredValue:
    """Check whether most of our strong agents, of the configurations of Table I, have negative weights for lines."""
    column = HINDI_FEATURES.index("full_rows")
    negative = [
        bool(weights[column] < 0)
        for row in TABLE_I_AGENTS
        for run, weights in zip(get_runs(results, row.configuration), get_last_weights(results, row), strict=True)
        if get_metric(run, "max")[-1] >= STRONG_SCORE
    ]
    return make_statement(
        decide_above(compute_share_interval(sum(negative), len(negative)), 0.5),
        ("more than half of ours have one too", "less than half of ours have one", "the interval contains one half"),
        describe_share(sum(negative), len(negative), "such agent"),
    )


def check_height_outweighs_lines(results: MeasurementResults) -> MeasuredValue:
    """Check whether setting the weight for height to 0 changes the score at least twice as much as that for lines."""
    removal = results["weights-set-to-zero"]
    height, lines = (np.array(removal["changes"][name]) for name in REMOVED_WEIGHTS)
    impacts = [compute_mean_over_runs(values, compute_difference_interval, "game") for values in (height, lines)]
    return make_statement(
        decide_difference(height - FAR_GREATER_FACTOR * lines),
        (
            "the change is at least twice as large",
            "the change is less than twice as large",
            "whether the change is twice as large is not significant",
        ),
        f"a change of {impacts[0].formatted} points per game without the weight for height, {impacts[1].formatted} "
        "without that for lines",
        f"mean over the four agents of Table I; {impacts[0].basis} each",
    )


def check_lookahead_agents(results: MeasurementResults) -> MeasuredValue:
    """Check whether the agents of Table II score at least a quarter more than those of Table I."""
    means = [[get_published_mean(results, row) for row in table] for table in (TABLE_I_AGENTS, TABLE_II_AGENTS)]
    single, lookahead = (sum(mean.value or 0 for mean in table) / len(table) for table in means)
    margins = [
        math.sqrt(sum(((mean.interval[1] - mean.interval[0]) / 2) ** 2 for mean in table)) / len(table)
        for table in means
    ]
    surplus = lookahead - (1 + MARKED_GAIN) * single
    margin = math.hypot((1 + MARKED_GAIN) * margins[0], margins[1])
    return make_statement(
        decide_above((surplus - margin, surplus + margin), 0),
        (
            "they score at least a quarter more",
            "they do not score a quarter more",
            "whether they score a quarter more is not significant",
        ),
        f"{format_number(lookahead)} and {format_number(single)} points per game",
        "mean of the agents of Tables II and I",
    )
