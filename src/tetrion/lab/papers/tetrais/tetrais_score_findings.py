"""Findings about the scores of TetrAIs' agents: statistics of many games, shares of games, and the order of agents."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from tetrion.evaluation.confidence_intervals import Interval, compute_share_interval
from tetrion.evaluation.number_format import format_count, format_mean_interval, format_number, format_percent
from tetrion.lab.papers.tetrais.tetrais_measurements import RUN_COUNTS
from tetrion.lab.reproduction.measured_values import (
    ValueReader,
    compute_mean,
    compute_mean_over_seeds,
    compute_ratio,
    parse_interval,
)
from tetrion.lab.reproduction.paper_definition import MeasurementResults
from tetrion.lab.reproduction.published_values import DECISIVE_FACTOR, MeasuredValue, decide_above

MEAN_STATISTIC, VARIANCE_STATISTIC = "mean", "normalised_variance"
VARIANCE_DECIMALS = 3
TETRAIS_PUBLISHED_VALUES = {  # Figures 13 and 14, by agent and number of games
    MEAN_STATISTIC: {
        "random": {10: 24.0, 100: 25.93, 1000: 24.756},
        "min-height-plain": {10: 51.6, 100: 56.92, 1000: 58.705},
        "greedy": {10: 7143.3, 100: 7473.21, 1000: 6883.101},
    },
    VARIANCE_STATISTIC: {
        "random": {10: 0.25347222, 100: 0.142430249, 1000: 0.09662975},
        "min-height-plain": {10: 0.163316507, 100: 0.463788158, 1000: 0.334299294},
        "greedy": {10: 0.108576377, 100: 0.336619846, 1000: 0.317827668},
    },
}
FEW_GAMES_SHARE = 0.05  # our threshold for "nearly impossible" and, as the upper bound, for "exceptional"
EXCEPTIONAL_SHARE = 0.001  # our lower bound for "exceptional": one game of 1,000
NEARLY_ALL_SHARE = 0.95  # our threshold for "constantly"
LARGE_FACTOR = 2.0  # our threshold for "a significant impact" on the score


def format_value_range(low: float, high: float, digits: int | None = None) -> str:
    """Format a range."""
    return f"{format_number(low, digits)} to {format_number(high, digits)}"


def format_share_range(interval: Interval) -> str:
    """Format an interval of a share in percent."""
    low, high = interval
    return f"{100 * low:.2g} % to {100 * high:.3g} %"


def make_statistic_reader(name: str, runs: int, statistic: str) -> ValueReader:
    """Return a reader of a cell of Figure 13 or 14: the value of all our games and the 95 % range of `runs` games."""
    return lambda results: compute_statistic(results[name], runs, statistic)


def compute_statistic(data: Mapping[str, Any], runs: int, statistic: str) -> MeasuredValue:
    """Return a statistic of all games of a measurement, with the 95 % range of `runs` games."""
    value = float(data["score"]["mean"] if statistic == MEAN_STATISTIC else data[VARIANCE_STATISTIC])
    low, _, high = data["runs"][str(runs)][statistic]
    digits = None if statistic == MEAN_STATISTIC else VARIANCE_DECIMALS
    value_range = format_value_range(low, high, digits)
    basis = f"{format_count(data['games'], 'game')}; 95 % range of {runs:,} games: {value_range}"
    mean_interval = parse_interval(data["score"].get("ci95")) if statistic == MEAN_STATISTIC else None
    text = format_mean_interval(value, mean_interval) if mean_interval else format_number(value, digits)
    return MeasuredValue(value, (low, high), text=text, basis=basis)


def make_extreme_reader(name: str, statistic: str) -> ValueReader:
    """Return a reader of the lowest or highest of 1,000 games: the median over many series and their 95 % range."""

    def read(results: MeasurementResults) -> MeasuredValue:
        low, median, high = results[name]["runs"][str(RUN_COUNTS[-1])][statistic]
        text = f"{format_number(median, 0)} ({format_value_range(low, high, 0)})"
        return MeasuredValue(median, (low, high), text=text, basis=f"the {statistic} of 1,000 games")

    return read


class ValueRange(NamedTuple):
    """A range of values: above `low`, and at most `high`."""

    low: float
    high: float = math.inf

    def count_values(self, values: Sequence[float]) -> int:
        """Return how many of the values lie in the range."""
        array = np.array(values)
        return int(np.sum((array > self.low) & (array <= self.high)))


def decide_below(interval: Interval, bound: float) -> bool | None:
    """Return whether an interval lies below a bound; None if it contains the bound and so does not decide."""
    is_above = decide_above(interval, bound)
    return None if is_above is None else not is_above


def make_share_check(
    name: str,
    metric: str,
    value_range: ValueRange,
    decide: Callable[[Interval, float], bool | None],
    bound: float,
) -> ValueReader:
    """Return a check whether the share of games with values in a range lies above or below a bound."""

    def check(results: MeasurementResults) -> MeasuredValue:
        sample = results[name]["sample"][metric]
        count = value_range.count_values(sample)
        interval = compute_share_interval(count, len(sample))
        return MeasuredValue(
            holds=decide(interval, bound),
            text=f"{format_percent(count / len(sample))} of games",
            basis=f"the first {format_count(len(sample), 'game')}",
            evidence=f"the 95 % interval of this share is {format_share_range(interval)}",
        )

    return check


def make_exceptional_games_check(name: str) -> ValueReader:
    """Return a check whether games with more than five lines are exceptional: some, but few."""

    def check(results: MeasurementResults) -> MeasuredValue:
        data = results[name]
        count = round(data["many_lines"] * data["games"])
        interval = compute_share_interval(count, data["games"])
        parts = (decide_above(interval, EXCEPTIONAL_SHARE), decide_below(interval, FEW_GAMES_SHARE))
        return MeasuredValue(
            holds=combine_decisions(parts),
            text=f"{count:,} of {format_count(data['games'], 'game')} have more than five lines",
            evidence=f"the 95 % interval of this share is {format_share_range(interval)}",
        )

    return check


def combine_decisions(decisions: Sequence[bool | None]) -> bool | None:
    """Return whether all statements hold: false if one does not hold, None if one is undecided."""
    if False in decisions:
        return False
    return None if None in decisions else True


def check_series_won(results: MeasurementResults) -> MeasuredValue:
    """Check whether the minimum height agent has the higher mean in nearly all series of ten games."""
    names = ("min-height-plain", "random")
    min_height, random = (compute_means_of_ten(results[name]["sample"]["score"]) for name in names)
    won, count = int(np.sum(min_height > random)), len(min_height)
    interval = compute_share_interval(won, count)
    return MeasuredValue(
        holds=decide_above(interval, NEARLY_ALL_SHARE),
        text=f"in {won:,} of {count:,} series of ten games",
        evidence=f"the 95 % interval of this share is {format_share_range(interval)}",
    )


def compute_means_of_ten(scores: Sequence[int]) -> Any:
    """Return the means of consecutive series of ten games."""
    return np.array(scores)[: len(scores) // 10 * 10].reshape(-1, 10).mean(axis=1)


def read_mean(data: Mapping[str, Any], metric: str = "lines") -> MeasuredValue:
    """Return the mean per game; of capped games with few deaths only the lower end of its interval is shown."""
    ours = compute_mean(data, metric)
    low, high = ours.interval
    is_wide = data["capped"] and ours.value is not None and high > DECISIVE_FACTOR * low
    return replace(ours, text=f"> {format_number(low)}") if is_wide else ours


def compute_agent_scores(results: MeasurementResults) -> dict[str, MeasuredValue]:
    """Return the mean scores from the random to the depth-limited agent, in the order of the report."""
    return {
        "random": compute_mean(results["random"], "score"),
        "minimum height": compute_mean(results["min-height-plain"], "score"),
        "greedy": compute_mean(results["greedy"], "score"),
        "depth-limited": read_mean(results["depth2"], "score"),
    }


def check_score_order(results: MeasurementResults) -> MeasuredValue:
    """Check whether each agent up to the depth-limited one scores significantly more than the previous one.

    The report nowhere compares Q-learning with the depth-limited agent: its score is shown, and does not count.
    """
    scores = compute_agent_scores(results)
    comparisons = [
        (second, compare_by_ratio(scores[second], scores[first]), first) for first, second in pairwise(scores)
    ]
    parts = [f"{second} scores {COMPARISON_TEXTS[comparison]} {first}" for second, comparison, first in comparisons]
    learnt = compute_mean_over_seeds(results["q-report"], "score")
    learnt_parts = [
        f"{COMPARISON_TEXTS[compare_by_ratio(learnt, scores[name])]} {name}" for name in ("greedy", "depth-limited")
    ]
    evidence = (
        f"{'; '.join(parts)}; the fifth agent, Q-learning as the report writes it, scores "
        f"{' and '.join(learnt_parts)}, with which the report does not compare it"
    )
    texts = [f"{name} {score.formatted}" for name, score in scores.items()]
    return MeasuredValue(
        holds=combine_decisions([_RISE_DECISIONS[comparison] for _, comparison, _ in comparisons]),
        text=f"{', '.join(texts)}; Q-learning {learnt.formatted}",
        basis=f"score per game; depth-limited: {scores['depth-limited'].basis}",
        evidence=evidence,
    )


def make_increase_check(min_height: str) -> ValueReader:
    """Return a check whether average and normalised variance rise from a minimum height agent to the greedy agent."""

    def check(results: MeasurementResults) -> MeasuredValue:
        texts, decisions = [], []
        for statistic, label in ((MEAN_STATISTIC, "average"), (VARIANCE_STATISTIC, "normalised variance")):
            first, second = (
                compute_statistic(results[name], RUN_COUNTS[-1], statistic) for name in (min_height, "greedy")
            )
            texts.append(f"{label} {first.formatted} → {second.formatted}")
            decisions.append(decide_rise(first.interval, second.interval))
        variances = TETRAIS_PUBLISHED_VALUES[VARIANCE_STATISTIC]
        published = [
            format_number(variances[agent][RUN_COUNTS[-1]], VARIANCE_DECIMALS)
            for agent in ("min-height-plain", "greedy")
        ]
        outcomes = [
            f"the {label} {_RISE_TEXTS[decision]}"
            for label, decision in zip(("average", "normalised variance"), decisions, strict=True)
        ]
        return MeasuredValue(
            holds=combine_decisions(decisions),
            text="; ".join(texts),
            basis="minimum height → greedy",
            evidence=f"{' and '.join(outcomes)}; Figure 14 itself has {' → '.join(published)} for 1,000 games, which "
            "is no increase of the normalised variance",
        )

    return check


def decide_rise(first: Interval, second: Interval) -> bool | None:
    """Return whether the second range lies above the first; False if it lies below, None if they overlap."""
    if second[0] > first[1]:
        return True
    return False if second[1] < first[0] else None


_RISE_TEXTS = {True: "rises", False: "falls", None: "does not change measurably"}


def check_weights_impact(results: MeasurementResults) -> MeasuredValue:
    """Check whether genetic weights of the same five features change the greedy agent's score by a large factor."""
    learnt, by_hand = (
        compute_mean(results["genetic-games"]["depth-1"], "score"),
        compute_mean(results["greedy"], "score"),
    )
    ratio = compute_ratio(learnt, by_hand)
    return MeasuredValue(
        holds=decide_above(ratio.interval, LARGE_FACTOR),
        text=f"{learnt.formatted} points with genetic weights, {by_hand.formatted} with the report's",
        basis="depth one, the same five features",
        evidence=f"genetic weights multiply the score by {ratio.formatted}",
    )


def compare_by_ratio(first: MeasuredValue, second: MeasuredValue) -> str:
    """Return "more", "less" or "no different", by the interval of the ratio of two values."""
    (low, high), (second_low, second_high) = first.interval, second.interval
    if first.value and second.value:
        (low, high), (second_low, second_high) = compute_ratio(first, second).interval, (1.0, 1.0)
    return "more" if low > second_high else "less" if high < second_low else "no different"


COMPARISON_TEXTS = {"more": "more than", "less": "less than", "no different": "not measurably more or less than"}
_RISE_DECISIONS = {"more": True, "less": False, "no different": None}
