"""Findings about the agents of Tables I and II of Hindi et al.: their scores and their weights."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from tetrion.agents import load_weighted_agent
from tetrion.agents.named.hindi_agents import HINDI_FEATURES
from tetrion.evaluation.confidence_intervals import Interval, SampleArray, compute_share_interval
from tetrion.evaluation.number_format import format_count, format_number, format_percent
from tetrion.lab.papers.hindi.hindi_configurations import (
    STRONG_SCORE,
    TABLE_I_AGENTS,
    TABLE_II_AGENTS,
    PublishedAgent,
)
from tetrion.lab.papers.hindi.hindi_games import REMOVED_WEIGHTS, SUMMED_GAME_COUNTS
from tetrion.lab.papers.hindi.hindi_measurements import SUMMED_GAMES_TRAININGS, TRAINED_GAME_COUNT
from tetrion.lab.papers.hindi.hindi_statistics import (
    compute_bootstrap_interval,
    compute_central_range,
    count_seeds,
    describe_share,
    get_last_best_scores,
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
        best = compute_last_best(results[training or row.configuration.name]["runs"], row.score)
        return best if best.ci95 else replace(best, ci95=(math.nan, math.nan))

    return read


def compute_last_best(runs: Sequence[Mapping[str, Any]], score: int) -> MeasuredValue:
    """Return the median and 95 % range of the best scores of the last generations, compared with a published score.

    With fewer than 39 runs it has no range.
    """
    best = get_last_best_scores(runs)
    count = format_count(len(best), "run")
    if len(best) < MIN_RANGE_RUN_COUNT:
        median = float(np.median(best))
        basis = f"median of {count}; a 95 % range needs at least {MIN_RANGE_RUN_COUNT}"
        return MeasuredValue(median, text=format_number(median), basis=basis)
    below = format_percent(float((best < score).mean()))
    return compute_central_range(best, f"median and 95 % range of {count}; {below} of them are below theirs")


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


class ScoreReading(NamedTuple):
    """A way of reading the published scores: how many of them fit, by the number of summed games."""

    label: str
    fits: Mapping[int, int]
    score_count: int


def count_fits(ranges: Sequence[tuple[Interval | None, PublishedAgent]]) -> int:
    """Return how many published scores lie within the range given with each."""
    return sum(ends is not None and ends[0] <= row.score <= ends[1] for ends, row in ranges)


def collect_score_readings(results: MeasurementResults) -> list[ScoreReading]:
    """Return all ways of reading the published scores; our runs are left out if they are too few for a range."""
    rows = (*TABLE_I_AGENTS, *TABLE_II_AGENTS)
    weight_ranges = {
        "the best of a generation of agents with the published weights": {
            row.agent: results["published"][row.agent]["best"] for row in rows
        },
        "one agent with the published weights": results["published-sums"],
    }
    readings = []
    for label, ranges in weight_ranges.items():
        fits = {
            count: count_fits(
                [((ranges[row.agent][str(count)]["low"], ranges[row.agent][str(count)]["high"]), row) for row in rows]
            )
            for count in SUMMED_GAME_COUNTS
        }
        readings.append(ScoreReading(label, fits, len(rows)))
    trainings = {single: five for five, single in SUMMED_GAMES_TRAININGS.values()}
    trained = [row for row in rows if row.configuration.name in trainings]
    bests = {
        count: [
            (compute_last_best(results[name if count == 1 else trainings[name]]["runs"], row.score).ci95, row)
            for row in trained
            for name in [row.configuration.name]
        ]
        for count in (1, TRAINED_GAME_COUNT)
    }
    if all(ends for ranges_of_rows in bests.values() for ends, _ in ranges_of_rows):
        fits = {count: count_fits(ranges_of_rows) for count, ranges_of_rows in bests.items()}
        readings.append(ScoreReading("the best of the last generation of our runs", fits, len(trained)))
    return readings


def check_scores_are_sums(results: MeasurementResults) -> MeasuredValue:
    """Check whether sums of several games fit the scores of the tables better than single games, however read."""
    readings = collect_score_readings(results)
    several = [max(fit for count, fit in reading.fits.items() if count > 1) for reading in readings]
    is_better = [most > reading.fits[1] for most, reading in zip(several, readings, strict=True)]
    can_fit = [2 * most >= reading.score_count for most, reading in zip(several, readings, strict=True)]
    parts = [
        f"{reading.label}: "
        + ", ".join(
            f"{fit} of {reading.score_count} with {format_count(count, 'game')}" for count, fit in reading.fits.items()
        )
        for reading in readings
    ]
    return make_statement(
        True if all(is_better) else None if any(can_fit) else False,
        (
            "under every way of reading a score, more scores fit a sum",
            "under no way of reading a score do half of the scores fit a sum",
            "under at least one way of reading a score, half of the scores or more fit a sum, but a sum does not fit "
            "better than a single game under all of them",
        ),
        f"scores within the 95 % range of {'; of '.join(parts)}",
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
        if min(map(len, values)) < MIN_RANGE_RUN_COUNT:
            basis = f"median of the mean of four, drawn from {runs} runs; a range needs {MIN_RANGE_RUN_COUNT} of each"
            return MeasuredValue(median, (math.nan, math.nan), text=format_number(median, 2), basis=basis)
        return MeasuredValue(
            median,
            (low, high),
            text=f"{format_number(median, 2)} ({format_number(low, 2)} to {format_number(high, 2)})",
            basis=f"median and 95 % range of the mean of four, drawn from {runs} runs",
        )

    return read


def get_strong_weights(results: MeasurementResults, rows: Sequence[PublishedAgent]) -> list[dict[str, float]]:
    """Return the weights of our strong agents with the settings of rows: the best of last generations, if strong."""
    return [
        dict(zip(HINDI_FEATURES, weights.tolist(), strict=True))
        for row in rows
        for run, weights in zip(get_runs(results, row.configuration), get_last_weights(results, row), strict=True)
        if get_metric(run, "max")[-1] >= STRONG_SCORE
    ]


def check_height_is_most_negative(results: MeasurementResults) -> MeasuredValue:
    """Check whether most of our strong agents weight height more negatively than holes and than bumpiness."""
    agents = get_strong_weights(results, TABLE_I_AGENTS)
    most_negative = sum(
        weights["aggregate_height"] < min(0, weights["holes"], weights["bumpiness"]) for weights in agents
    )
    means = ", ".join(
        f"{label} {format_number(float(np.mean([weights[name] for weights in agents])), 2)}"
        for name, label in (("aggregate_height", "height"), ("holes", "holes"), ("bumpiness", "bumpiness"))
    )
    return make_statement(
        decide_above(compute_share_interval(most_negative, len(agents)), 0.5),
        ("it is in more than half of ours", "it is in less than half of ours", "the interval contains one half"),
        f"{describe_share(most_negative, len(agents), 'such agent')}; mean weights: {means}",
    )


def count_negative_line_weights(results: MeasurementResults) -> MeasuredValue:
    """Return how many of four strong agents, one of each configuration of Table I, have negative weights for lines."""
    generator = np.random.default_rng(1)
    negative = [
        np.array([weights["full_rows"] < 0 for weights in get_strong_weights(results, [row])], int)
        for row in TABLE_I_AGENTS
    ]
    parts = ", ".join(f"{each.sum()} of {len(each)}" for each in negative)
    found = f"negative among our strong agents, by row: {parts}"
    runs = count_seeds(results, [row.configuration for row in TABLE_I_AGENTS])
    if runs < MIN_RANGE_RUN_COUNT or min(map(len, negative)) == 0:
        basis = f"{found}; a range needs {MIN_RANGE_RUN_COUNT} runs of each row, and a strong agent"
        return MeasuredValue(ci95=(math.nan, math.nan), text="no range", basis=basis)
    draws = np.sum([generator.choice(each, _DRAW_COUNT) for each in negative], axis=0)
    low, median, high = (float(end) for end in np.percentile(draws, [2.5, 50, 97.5]))
    return MeasuredValue(
        median,
        (low, high),
        text=f"{format_number(median, 0)} ({format_number(low, 0)} to {format_number(high, 0)})",
        basis=f"median and 95 % range of the number among four; {format_percent(float((draws >= 3).mean()))} of the "
        f"draws have three or more; {found}",
    )


def check_height_outweighs_lines(results: MeasurementResults) -> MeasuredValue:
    """Check whether setting the weight for height to 0 changes the score at least twice as much as that for lines."""
    removal = results["weights-set-to-zero"]
    height, lines = (np.array(removal["changes"][name]) for name in REMOVED_WEIGHTS)
    interval = compute_bootstrap_interval(
        lambda chosen: float(height[chosen].mean() / lines[chosen].mean()), len(height)
    )
    low, high = interval or (math.nan, math.nan)
    agents = "; ".join(
        f"row {number}: {format_change(means, 'aggregate_height')} without height, "
        f"{format_change(means, 'full_rows')} without lines"
        for number, means in enumerate(removal["means"].values(), 1)
    )
    return make_statement(
        decide_above((low, high), FAR_GREATER_FACTOR),
        (
            "the interval of the ratio is above two",
            "the interval of the ratio is below two",
            "the interval of the ratio contains two",
        ),
        f"changes of the score: {agents}; ratio of the mean sizes {height.mean() / lines.mean():.2f} (95 % interval: "
        f"{low:.2f} to {high:.2f})",
        f"the agents of Table I; {format_count(len(height), 'game')} each",
    )


def format_change(means: Mapping[str, float], removed: str) -> str:
    """Format by how much the score per game changes without a weight, with its sign."""
    change = means[removed] - means["all"]
    return f"{'+' if change > 0 else ''}{format_number(change, 0)}"


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
        f"{format_number(lookahead)} and {format_number(single)} points per game: {lookahead / single:.2f} times; the "
        f"former exceeds 1.25 times the latter by {format_number(surplus)} ± {format_number(margin)}",
        "mean of the agents of Tables II and I",
    )
