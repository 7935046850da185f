"""Findings about TetrAIs' agents: checks of the report's claims, and answers to its open questions."""

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from tetrion.evaluation.number_format import format_count, format_name, format_number, format_percent
from tetrion.lab.papers.tetrais.tetrais_measurements import (
    DIVERGENCE_EPISODES,
    FALL_SPEED_GAMES,
    RECIPE_LEARNING_RATE,
    RUN_COUNTS,
    format_fall_speed_name,
)
from tetrion.lab.reproduction.measured_values import (
    ValueReader,
    compute_mean,
    compute_mean_over_seeds,
    compute_ratio,
    describe_games,
)
from tetrion.lab.reproduction.paper_definition import MeasurementResults
from tetrion.lab.reproduction.published_values import MeasuredValue

MEAN_STATISTIC, VARIANCE_STATISTIC = "mean", "normalised_variance"
VARIANCE_DECIMALS = 3
_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def format_value_range(low: float, high: float, digits: int | None = None) -> str:
    """Format a range."""
    return f"{format_number(low, digits)} to {format_number(high, digits)}"


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
    return MeasuredValue(value, (low, high), text=format_number(value, digits), basis=basis)


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

    def compute_share(self, values: Sequence[float]) -> float:
        """Return the share of the values that lie in the range."""
        array = np.array(values)
        return float(np.mean((array > self.low) & (array <= self.high)))


def make_share_check(
    name: str, metric: str, value_range: ValueRange, is_expected: Callable[[float], bool], evidence: str
) -> ValueReader:
    """Return a check whether the share of games with values in a range is as expected."""

    def check(results: MeasurementResults) -> MeasuredValue:
        sample = results[name]["sample"][metric]
        share = value_range.compute_share(sample)
        text = f"{format_percent(share)} of games" if share else "no game"
        basis = f"the first {format_count(len(sample), 'game')}"
        return MeasuredValue(holds=is_expected(share), text=text, basis=basis, evidence=evidence)

    return check


def check_exceptional_games(results: MeasurementResults) -> MeasuredValue:
    """Check whether 1,000 games of the minimum height agent may contain one with more than five lines."""
    share = float(results["min-height"]["many_lines"])
    probability = 1 - (1 - share) ** RUN_COUNTS[-1]
    text = f"in {format_percent(probability)} of series of 1,000 games"
    basis = f"from {format_count(results['min-height']['games'], 'game')}"
    evidence = "more than 5 % of such series contain such a game"
    return MeasuredValue(holds=probability > 0.05, text=text, basis=basis, evidence=evidence)


def check_series_won(results: MeasurementResults) -> MeasuredValue:
    """Check whether the minimum height agent has the higher mean in nearly all series of ten games."""
    min_height, random = (compute_means_of_ten(results[name]["sample"]["score"]) for name in ("min-height", "random"))
    won = float(np.mean(min_height > random))
    text = f"{format_percent(won)} of {len(min_height):,} series of ten games"
    return MeasuredValue(holds=won > 0.95, text=text, evidence="the random agent loses more than 95 % of such series")


def compute_means_of_ten(scores: Sequence[int]) -> Any:
    """Return the means of consecutive series of ten games."""
    return np.array(scores)[: len(scores) // 10 * 10].reshape(-1, 10).mean(axis=1)


def compute_agent_scores(results: MeasurementResults) -> dict[str, MeasuredValue]:
    """Return the mean score of each of the five agents."""
    return {
        "random": compute_mean(results["random"], "score"),
        "minimum height": compute_mean(results["min-height"], "score"),
        "greedy": compute_mean(results["greedy"], "score"),
        "Q-learning": compute_mean_over_seeds(results["q"], "score"),
        "depth-limited": compute_mean(results["depth2"], "score"),
    }


def check_score_order(names: Sequence[str], results: MeasurementResults) -> MeasuredValue:
    """Check whether each agent scores significantly more than the previous one."""
    scores = compute_agent_scores(results)
    ordered = [scores[name] for name in names]
    holds = all(first.interval[1] < second.interval[0] for first, second in pairwise(ordered))
    text = ", ".join(f"{name} {scores[name].formatted}" for name in names)
    return MeasuredValue(
        holds=holds, text=text, basis="score per game", evidence="the intervals do not overlap and have this order"
    )


def check_variance_order(results: MeasurementResults) -> MeasuredValue:
    """Check whether the normalised variances have the order of Figure 14."""
    variances = [float(results[name][VARIANCE_STATISTIC]) for name in ("random", "greedy", "min-height")]
    text = ", ".join(format_number(variance, VARIANCE_DECIMALS) for variance in variances)
    return MeasuredValue(holds=variances == sorted(variances), text=text, evidence="they have this order")


def check_endless(name: str, results: MeasurementResults) -> MeasuredValue:
    """Check that no game of a measurement ended before its cap."""
    data = results[name]
    ended, games = data["games"] - data["capped"], data["games"]
    text = f"{ended:,} of {format_count(games, 'game')} ended; {compute_mean(data).formatted} lines per game"
    return MeasuredValue(holds=not ended, text=text, basis=describe_games(data), evidence="none of our games ended")


def check_games_end(results: MeasurementResults) -> MeasuredValue:
    """Check whether some games of the depth-limited agent have ended."""
    ours = check_endless("depth2", results)
    return MeasuredValue(holds=not ours.holds, text=ours.text, basis=ours.basis, evidence="some of our games ended")


def check_q_learning_endless(results: MeasurementResults) -> MeasuredValue:
    """Check that no held-out game of the Q-learning agent ended before its cap."""
    held_out = [run["result"]["held_out"] for run in results["q"]["runs"]]
    ended, games = (sum(data[key] for data in held_out) for key in ("deaths", "games"))
    lines = compute_mean_over_seeds(results["q"]).formatted
    text = f"{ended:,} of {format_count(games, 'game')} ended; uncorrected mean {lines} lines per game"
    basis = f"{format_count(len(held_out), 'seed')}, games of at most 10,000 pieces"
    return MeasuredValue(holds=not ended, text=text, basis=basis, evidence="none of our games ended")


def check_q_learning_variance(results: MeasurementResults) -> MeasuredValue:
    """Check whether the scores of the Q-learning agent vary no more than those of the greedy agent."""
    greedy = float(results["greedy"][VARIANCE_STATISTIC])
    variances = [float(run["result"]["held_out"][VARIANCE_STATISTIC]) for run in results["q"]["runs"]]
    text = f"{format_number(float(np.mean(variances)), 2)}, greedy {format_number(greedy, 2)}"
    return MeasuredValue(
        holds=max(variances) <= greedy, text=text, basis="normalised variance", evidence="it varies no more"
    )


def format_power_of_ten(number: float) -> str:
    """Format a number, with a power of ten if it is large."""
    if abs(number) < 1e5:
        return format_number(number)
    digits, _, exponent = f"{number:.2e}".partition("e")
    return f"{digits} × 10{str(int(exponent)).translate(_SUPERSCRIPTS)}".replace("-", "−")


def find_largest_weight(
    results: MeasurementResults, features: str, episode: int, alpha: float = RECIPE_LEARNING_RATE
) -> tuple[str, float]:
    """Return the feature with the largest weight after an episode, and the absolute value of the weight."""
    data = results["divergence"][features][f"{alpha:g}"]
    sizes = [abs(weight) if weight is not None else math.inf for weight in data["weights"][episode - 1]]
    index = int(np.argmax(sizes))
    return data["names"][index], sizes[index]


def check_weights_explode(results: MeasurementResults) -> MeasuredValue:
    """Check whether the weight of a raw feature exceeds 10^10 after three episodes."""
    name, size = find_largest_weight(results, "raw", 3)
    text = f"{format_power_of_ten(size)} ({format_name(name)})"
    basis = f"learning rate {RECIPE_LEARNING_RATE:g}; the report gives none"
    return MeasuredValue(holds=size >= 1e10, text=text, basis=basis, evidence="ours are at least as large")


def check_weights_reach_figure_12(results: MeasurementResults) -> MeasuredValue:
    """Check whether the weights of Figure 12 lie within the range of our learning rates."""
    sizes = {
        alpha: find_largest_weight(results, "raw", DIVERGENCE_EPISODES, float(alpha))[1]
        for alpha in results["divergence"]["raw"]
    }
    text = "; ".join(f"{alpha}: {format_power_of_ten(size)}" for alpha, size in sizes.items())
    holds = min(sizes.values()) < 5.46e122 < max(sizes.values())
    evidence = "the published value lies between those of two learning rates"
    return MeasuredValue(holds=holds, text=text, basis="by learning rate", evidence=evidence)


def check_height_weight_largest(results: MeasurementResults) -> MeasuredValue:
    """Check whether total height has the largest weight after the first episode at most learning rates."""
    names = [find_largest_weight(results, "raw", 1, float(alpha))[0] for alpha in results["divergence"]["raw"]]
    count = sum(name == "aggregate_height" for name in names)
    text = f"the largest weight at {count} of {format_count(len(names), 'learning rate')}"
    return MeasuredValue(
        holds=2 * count > len(names),
        text=text,
        basis="after one episode",
        evidence="this holds at most learning rates",
    )


def check_difference_weights_bounded(results: MeasurementResults) -> MeasuredValue:
    """Check whether the weights of differences stay small."""
    name, size = find_largest_weight(results, "differences", DIVERGENCE_EPISODES)
    text = f"at most {format_power_of_ten(size)} ({format_name(name)})"
    bounded = [alpha for alpha in results["divergence"]["differences"] if has_small_weights(results, float(alpha))]
    evidence = f"they stay below 10 at the learning rates {', '.join(bounded)}"
    return MeasuredValue(holds=size < 10, text=text, basis=f"after {DIVERGENCE_EPISODES} episodes", evidence=evidence)


def has_small_weights(results: MeasurementResults, alpha: float) -> bool:
    """Return whether the weights of differences stay below ten at a learning rate."""
    return find_largest_weight(results, "differences", DIVERGENCE_EPISODES, alpha)[1] < 10


def check_towers(results: MeasurementResults) -> MeasuredValue:
    """Check whether an agent with diverging raw weights clears less than one line per game."""
    held_out = results["raw"]["runs"][0]["result"]["uncorrected"]
    lines, pieces = held_out["lines"]["mean"], held_out["pieces"]["mean"]
    text = f"{format_number(lines)} lines, {format_number(pieces)} pieces per game"
    return MeasuredValue(holds=lines < 1, text=text, evidence="it clears less than one line per game")


def check_q_learning_beats_greedy(name: str, results: MeasurementResults) -> MeasuredValue:
    """Check whether the Q-learning agent scores significantly more than the greedy agent."""
    learnt, greedy = compute_mean_over_seeds(results[name], "score"), compute_mean(results["greedy"], "score")
    basis = f"{format_count(len(results[name]['runs']), 'seed')}, games of at most 10,000 pieces"
    text = f"{learnt.formatted} points per game, greedy {greedy.formatted}"
    evidence = "the interval of the ratio is above 1"
    return MeasuredValue(holds=compare_by_ratio(learnt, greedy) == "more", text=text, basis=basis, evidence=evidence)


def compute_placement_counts(results: MeasurementResults) -> MeasuredValue:
    """Return the number of placements of each piece on an empty board."""
    counts = results["thinking"]["placements"]
    text = "; ".join(f"{''.join(pieces)} {number}" for number, pieces in group_by_placement_count(counts).items())
    return MeasuredValue(
        float(np.mean(list(counts.values()))), text=text, basis="different placements on an empty board"
    )


def group_by_placement_count(counts: Mapping[str, int]) -> dict[int, list[str]]:
    """Return the pieces grouped by their number of placements."""
    numbers = sorted(set(counts.values()))
    return {number: [piece for piece, count in counts.items() if count == number] for number in numbers}


def check_decision_time(depth: int, less_than: float, results: MeasurementResults) -> MeasuredValue:
    """Check whether a decision at a depth takes less than the given number of seconds."""
    seconds = results["thinking"]["time"]["decision"][str(depth)]
    text = f"{1e3 * seconds:.2g} ms per decision"
    evidence = "it takes less time here"
    return MeasuredValue(holds=seconds < less_than, text=text, evidence=evidence, is_machine_dependent=True)


def check_time_growth(results: MeasurementResults) -> MeasuredValue:
    """Check whether each additional piece multiplies the time by forty, within a quarter."""
    rates = results["thinking"]["time"]["pieces_per_second"]
    second, third = (rates[f"{depth - 1}"] / rates[f"{depth}"] for depth in (2, 3))
    text = f"{second:.0f} times for the second piece, {third:.0f} for the third"
    holds = all(30 <= ratio <= 50 for ratio in (second, third))
    return MeasuredValue(holds=holds, text=text, evidence="both are near forty", is_machine_dependent=True)


def check_depth_two_too_slow(results: MeasurementResults) -> MeasuredValue:
    """Check whether a decision at depth two takes longer than 100 ms, one row at the highest speed."""
    ours = check_decision_time(2, 0.1, results)
    return MeasuredValue(
        holds=not ours.holds, text=ours.text, evidence="it takes longer than 100 ms", is_machine_dependent=True
    )


def check_scores_at_high_speed(results: MeasurementResults) -> MeasuredValue:
    """Check whether agents without lookahead keep their score at the highest speed, with one key per millisecond."""
    ratios = {}
    for agent in FALL_SPEED_GAMES:
        if agent != "tetrais-depth2":
            slow = compute_mean(results[format_fall_speed_name(agent, 1000)], "score", uncorrected=True)
            ratios[agent] = compute_ratio(
                compute_mean(results[f"{agent}-100ms-at-once"], "score", uncorrected=True), slow
            )
    holds = all(ratio.interval[0] <= 1 <= ratio.interval[1] or (ratio.value or 0) > 1 for ratio in ratios.values())
    text = "; ".join(f"{agent} {format_number(ratio.value or 0)} times" for agent, ratio in ratios.items())
    basis = "the score at 100 ms per row compared with 1,000 ms, with one key per millisecond"
    return MeasuredValue(holds=holds, text=text, basis=basis, evidence="no interval lies below 1")


def check_genetic_speed(results: MeasurementResults) -> MeasuredValue:
    """Check whether the genetic agent places more pieces per second than the depth-limited one."""
    rates = results["genetic-games"]["time"]
    return MeasuredValue(
        holds=rates["depth-1"] > rates["by-hand"],
        text=f"{format_number(rates['depth-1'] / rates['by-hand'])} times the pieces per second",
        basis="at depth one",
        evidence="it searches only one piece",
        is_machine_dependent=True,
    )


def check_genetic_lines(results: MeasurementResults) -> MeasuredValue:
    """Check whether the genetic agent clears significantly more lines than the depth-limited one."""
    genetic, depth_limited = compute_mean(results["genetic-games"]["depth-1"]), compute_mean(results["depth2"])
    return MeasuredValue(
        holds=compare_by_ratio(genetic, depth_limited) == "more",
        text=f"{genetic.formatted} lines per game, depth-limited {depth_limited.formatted}",
        basis="at depth one",
        evidence="the interval of the ratio is above 1",
    )


def compare_by_ratio(first: MeasuredValue, second: MeasuredValue) -> str:
    """Return "more", "less" or "no different", by the interval of the ratio of two values."""
    (low, high), (second_low, second_high) = first.interval, second.interval
    if first.value and second.value:
        (low, high), (second_low, second_high) = compute_ratio(first, second).interval, (1.0, 1.0)
    return "more" if low > second_high else "less" if high < second_low else "no different"


def format_in_sentence(ours: MeasuredValue) -> str:
    """Format a value for use inside a sentence."""
    return ours.formatted.replace("> ", "more than ")


def describe_soft_drop(results: MeasurementResults) -> str:
    """Describe how much moves after landing help each agent."""
    parts = []
    for label, name, drop in (("greedy", "greedy", "greedy"), ("Q-learning", "q", "q-drop"), ("depth-2", "depth2", "")):
        soft, without = (compute_mean(results[f"{name}-{kind}"]) for kind in ("soft", "stiff"))
        reported = compute_mean(results[drop or "depth2"])
        parts.append(
            f"{label} {format_in_sentence(soft)} lines with it, {format_in_sentence(without)} without "
            f"({_EFFECT_TEXTS[compare_by_ratio(soft, without)]}), {format_in_sentence(reported)} with the report's "
            f"rule ({_EFFECT_TEXTS[compare_by_ratio(soft, reported)]})"
        )
    return (
        f"Moving a piece after it has landed: {'; '.join(parts)}. With and without it, a piece starts at its spawn and "
        "needs a path; with the report's rule it is rotated and moved above the board."
    )


_EFFECT_TEXTS = {"more": "it helps", "less": "it harms", "no different": "no difference found"}
_COMPARISON_TEXTS = {"more": "more than", "less": "less than", "no different": "not measurably different from"}


def describe_genetic_agent(results: MeasurementResults) -> str:
    """Describe whether a genetic agent beats the depth-limited one."""
    games, reported = results["genetic-games"], compute_mean(results["depth2"])
    first, second, third = (compute_mean(games[name]) for name in ("depth-1", "looking-ahead", "learnt-ahead"))
    comparisons = [_COMPARISON_TEXTS[compare_by_ratio(ours, reported)] for ours in (first, second, third)]
    return (
        f"At depth one, the same five features with genetic weights clear {format_in_sentence(first)} lines per game, "
        f"{comparisons[0]} the {format_in_sentence(reported)} of the depth-limited agent; the claims above give how "
        f"much faster they play. At depth two, these weights clear {format_in_sentence(second)} ({comparisons[1]} the "
        f"report's weights), and weights learnt at depth two on ten rows {format_in_sentence(third)} "
        f"({comparisons[2]} the report's weights)."
    )


def describe_fall_speeds(results: MeasurementResults) -> str:
    """Describe how the scores of the agents change when pieces fall faster."""
    parts = []
    for agent in FALL_SPEED_GAMES:
        slow, fast = (
            compute_mean(results[format_fall_speed_name(agent, milliseconds)], "score", uncorrected=True)
            for milliseconds in (1000, 100)
        )
        is_equal = compare_by_ratio(fast, slow) == "no different"
        change = "no difference found" if is_equal else f"{compute_ratio(fast, slow).formatted} times"
        parts.append(f"{agent} {slow.formatted} → {fast.formatted} ({change})")
    cap = results[format_fall_speed_name("tetrais-depth2", 100)]["cap"]
    fast_keys = compute_mean(results["tetrais-greedy-100ms-at-once"], "score", uncorrected=True)
    return (
        f"Score per game at 1,000 → 100 ms per row, with ten keys per second and games of at most {cap:,} pieces: "
        f"{'; '.join(parts)}. With one key per millisecond, tetrais-greedy scores {fast_keys.formatted} at 100 ms."
    )


def describe_features(results: MeasurementResults) -> str:
    """Describe what these results show about features; the ablation study covers more features."""
    greedy = compute_mean(results["greedy"])
    learnt = compute_mean_over_seeds(results["genetic"])
    q = compute_mean_over_seeds(results["q"])
    weights = results["genetic-games"]["weights"]["depth-1"]
    sizes = sorted(weights, key=lambda name: abs(weights[name]))
    verdicts = {
        "more": "so the weights were the limit, not the features",
        "less": "so learning found no better weights",
    }
    verdict = verdicts.get(compare_by_ratio(learnt, greedy), "no difference found")
    return (
        f"The greedy agent's five features clear {greedy.formatted} lines per game with the report's weights and "
        f"{learnt.formatted} with genetic weights ({verdict}); Q-learning's four differences, without total height, "
        f"clear {q.formatted}. The largest genetic weight is that of {format_name(sizes[-1])}, the smallest that of "
        f"{format_name(sizes[0])}. `tetrion reproduce ablation` measures the value of each of many features."
    )
