"""How TetrAIs' figures are read from what was measured, and what its questions come to in words."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

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
from tetrion.lab.reproduction.published_values import MeasuredValue, PublishedValue, Verdict

MEAN_STATISTIC, VARIANCE_STATISTIC = "mean", "normalised_variance"
VARIANCE_DECIMALS = 3  # decimals of a normalised variance
_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


@dataclass(frozen=True)
class PublishedRunStatistic(PublishedValue):
    """A figure of so many games, which agrees if it is one that so many of our games have 95 times in 100."""

    value: float = 0
    runs: int = 1
    digits: int | None = None

    @property
    def formatted(self) -> str:
        """The figure, and of how many games."""
        return f"{self.text or format_number(self.value, self.digits)} ({format_count(self.runs, 'game')})"

    def compare(self, ours: MeasuredValue) -> Verdict:
        """Whether it lies within."""
        low, high = ours.interval
        room = f"what {format_count(self.runs, 'game')} leave open ({format_value_range(low, high, self.digits)})"
        if low <= self.value <= high:
            return Verdict(True, f"it lies in {room}")
        return Verdict(False, f"it lies {'above' if self.value > high else 'below'} {room}")


def format_value_range(low: float, high: float, digits: int | None = None) -> str:
    """A range in words."""
    return f"{format_number(low, digits)} to {format_number(high, digits)}"


def make_statistic_reader(name: str, runs: int, statistic: str) -> ValueReader:
    """A cell of Figure 13 or 14: what our games have, and what so many of them leave open."""
    return lambda results: compute_statistic(results[name], runs, statistic)


def compute_statistic(data: Mapping[str, Any], runs: int, statistic: str) -> MeasuredValue:
    """The same, of one measurement."""
    value = float(data["score"]["mean"] if statistic == MEAN_STATISTIC else data[VARIANCE_STATISTIC])
    low, _, high = data["runs"][str(runs)][statistic]
    digits = None if statistic == MEAN_STATISTIC else VARIANCE_DECIMALS
    basis = f"{format_count(data['games'], 'game')}; {runs:,} of them: {format_value_range(low, high, digits)}"
    return MeasuredValue(value, (low, high), text=format_number(value, digits), basis=basis)


def make_extreme_reader(name: str, statistic: str) -> ValueReader:
    """The lowest or highest of a thousand games: the middle of many such thousands, and where most of them lie."""

    def found(results: MeasurementResults) -> MeasuredValue:
        low, middle, high = results[name]["runs"][str(RUN_COUNTS[-1])][statistic]
        words = f"{format_number(middle, 0)} ({format_value_range(low, high, 0)})"
        return MeasuredValue(middle, (low, high), text=words, basis=f"the {statistic} of 1,000 games")

    return found


def make_share_reader(
    name: str, metric: str, low: float, high: float = math.inf
) -> Callable[[MeasurementResults], float]:
    """The share of games above a number, and up to another."""

    def found(results: MeasurementResults) -> float:
        numbers = np.array(results[name]["sample"][metric])
        return float(np.mean((numbers > low) & (numbers <= high)))

    return found


def make_share_check(
    name: str, metric: str, low: float, is_expected: Callable[[float], bool], because: str, high: float = 1e99
) -> ValueReader:
    """Whether the share of games above a number, and up to another, is as it should be."""

    def found(results: MeasurementResults) -> MeasuredValue:
        part = make_share_reader(name, metric, low, high)(results)
        words = f"{format_percent(part)} of games" if part else "no game"
        basis = f"the first {format_count(len(results[name]['sample'][metric]), 'game')}"
        return MeasuredValue(holds=is_expected(part), text=words, basis=basis, evidence=because)

    return found


def check_exceptional_games(results: MeasurementResults) -> MeasuredValue:
    """How likely a thousand games of the minimum height agent have one with more than five lines."""
    each = float(results["min-height"]["many_lines"])
    chance = 1 - (1 - each) ** RUN_COUNTS[-1]
    words = f"in {format_percent(chance)} of series of 1,000 games"
    basis = f"by {format_count(results['min-height']['games'], 'game')}"
    return MeasuredValue(holds=chance > 0.05, text=words, basis=basis, evidence="more than 5 % of such series have one")


def check_series_won(results: MeasurementResults) -> MeasuredValue:
    """In how many series of ten games the minimum height agent has the higher mean."""
    height, chance = (compute_means_of_ten(results[name]["sample"]["score"]) for name in ("min-height", "random"))
    won = float(np.mean(height > chance))
    words = f"{format_percent(won)} of {format_count(len(height), 'series').removesuffix('s')} of ten games"
    return MeasuredValue(holds=won > 0.95, text=words, evidence="the random agent loses more than 95 % of such series")


def compute_means_of_ten(scores: Sequence[int]) -> Any:
    """The means of ten games each."""
    return np.array(scores)[: len(scores) // 10 * 10].reshape(-1, 10).mean(axis=1)


def compute_agent_scores(results: MeasurementResults) -> dict[str, MeasuredValue]:
    """The mean score of each of the five agents."""
    return {
        "random": compute_mean(results["random"], "score"),
        "minimum height": compute_mean(results["min-height"], "score"),
        "greedy": compute_mean(results["greedy"], "score"),
        "Q-learning": compute_mean_over_seeds(results["q"], "score"),
        "depth-limited": compute_mean(results["depth2"], "score"),
    }


def check_score_order(names: Sequence[str], results: MeasurementResults) -> MeasuredValue:
    """Whether each agent scores more than the one before it, beyond doubt."""
    known = compute_agent_scores(results)
    chain = [known[name] for name in names]
    holds = all(first.interval[1] < second.interval[0] for first, second in pairwise(chain))
    words = ", ".join(f"{name} {known[name].formatted}" for name in names)
    return MeasuredValue(
        holds=holds, text=words, basis="score a game", evidence="the intervals lie apart, in this order"
    )


def check_variance_order(results: MeasurementResults) -> MeasuredValue:
    """Whether the normalised variances have the order of Figure 14."""
    found = [float(results[name][VARIANCE_STATISTIC]) for name in ("random", "greedy", "min-height")]
    words = ", ".join(format_number(number, VARIANCE_DECIMALS) for number in found)
    return MeasuredValue(holds=found == sorted(found), text=words, evidence="they have this order")


def check_endless(name: str, results: MeasurementResults) -> MeasuredValue:
    """Whether games go on without an end: none of them ended."""
    return check_games_endless(results[name])


def check_games_endless(data: Mapping[str, Any]) -> MeasuredValue:
    """The same, of one measurement."""
    ended, games = data["games"] - data["capped"], data["games"]
    lines = compute_mean(data)
    words = f"{ended:,} of {format_count(games, 'game')} ended; {lines.formatted} lines a game"
    return MeasuredValue(holds=not ended, text=words, basis=describe_games(data), evidence="none of our games ended")


def check_games_end(results: MeasurementResults) -> MeasuredValue:
    """Whether some of the depth-limited agent's games have ended."""
    found = check_endless("depth2", results)
    return MeasuredValue(holds=not found.holds, text=found.text, basis=found.basis, evidence="some of our games ended")


def check_q_learning_endless(results: MeasurementResults) -> MeasuredValue:
    """Whether what Q-learning learnt plays without an end."""
    held_out = [run["result"]["held_out"] for run in results["q"]["runs"]]
    ended, games = (sum(data[key] for data in held_out) for key in ("deaths", "games"))
    words = f"{ended:,} of {format_count(games, 'game')} ended; {compute_mean_over_seeds(results['q']).formatted} lines a game as played"
    basis = f"{format_count(len(held_out), 'seed')}, games of at most 10,000 pieces"
    return MeasuredValue(holds=not ended, text=words, basis=basis, evidence="none of our games ended")


def check_q_learning_variance(results: MeasurementResults) -> MeasuredValue:
    """Whether the Q-learning agent's scores vary no more than the greedy agent's."""
    greedy = float(results["greedy"][VARIANCE_STATISTIC])
    found = [float(run["result"]["held_out"][VARIANCE_STATISTIC]) for run in results["q"]["runs"]]
    words = f"{format_number(float(np.mean(found)), 2)}, greedy {format_number(greedy, 2)}"
    return MeasuredValue(
        holds=max(found) <= greedy, text=words, basis="normalised variance", evidence="it varies no more"
    )


def format_power_of_ten(number: float) -> str:
    """A number of any size."""
    if abs(number) < 1e5:
        return format_number(number)
    digits, _, exponent = f"{number:.2e}".partition("e")
    return f"{digits} × 10{str(int(exponent)).translate(_SUPERSCRIPTS)}".replace("-", "−")


def find_largest_weight(
    results: MeasurementResults, features: str, episode: int, alpha: float = RECIPE_LEARNING_RATE
) -> tuple[str, float]:
    """The weight that is largest after an episode, by the feature's name and its size."""
    learnt = results["divergence"][features][f"{alpha:g}"]
    sizes = [abs(weight) if weight is not None else math.inf for weight in learnt["weights"][episode - 1]]
    place = int(np.argmax(sizes))
    return learnt["names"][place], sizes[place]


def check_weights_explode(results: MeasurementResults) -> MeasuredValue:
    """Whether a raw feature's weight is beyond 10^10 after three episodes."""
    name, size = find_largest_weight(results, "raw", 3)
    words = f"{format_power_of_ten(size)}, that of {format_name(name)}"
    basis = f"learning rate {RECIPE_LEARNING_RATE:g}, which the report does not give"
    return MeasuredValue(holds=size >= 1e10, text=words, basis=basis, evidence="ours have grown at least as far")


def check_weights_reach_figure_12(results: MeasurementResults) -> MeasuredValue:
    """Whether some learning rate leads to 10^122 by episode five, as Figure 12 shows."""
    sizes = {
        alpha: find_largest_weight(results, "raw", DIVERGENCE_EPISODES, float(alpha))[1]
        for alpha in results["divergence"]["raw"]
    }
    words = "; ".join(f"{alpha}: {format_power_of_ten(size)}" for alpha, size in sizes.items())
    holds = min(sizes.values()) < 5.46e122 < max(sizes.values())
    because = "the published one lies between those of two learning rates"
    return MeasuredValue(holds=holds, text=words, basis="by learning rate", evidence=because)


def check_height_weight_largest(results: MeasurementResults) -> MeasuredValue:
    """Whether the weight of total height is the one that has grown most after the first episode."""
    found = [find_largest_weight(results, "raw", 1, float(alpha))[0] for alpha in results["divergence"]["raw"]]
    right = sum(name == "aggregate_height" for name in found)
    words = f"the largest weight at {right} of {format_count(len(found), 'learning rate')}"
    return MeasuredValue(
        holds=2 * right > len(found), text=words, basis="after one episode", evidence="so at most of them"
    )


def check_difference_weights_bounded(results: MeasurementResults) -> MeasuredValue:
    """Whether the weights of differences stay small, where those of raw features grow."""
    name, size = find_largest_weight(results, "differences", DIVERGENCE_EPISODES)
    words = f"{format_power_of_ten(size)} at most, that of {format_name(name)}"
    bounded = [alpha for alpha in results["divergence"]["differences"] if has_small_weights(results, float(alpha))]
    because = f"they stay below 10 at the learning rates {', '.join(bounded)}"
    return MeasuredValue(holds=size < 10, text=words, basis=f"after {DIVERGENCE_EPISODES} episodes", evidence=because)


def has_small_weights(results: MeasurementResults, alpha: float) -> bool:
    """Whether the weights of differences stay below ten at a learning rate."""
    return find_largest_weight(results, "differences", DIVERGENCE_EPISODES, alpha)[1] < 10


def check_towers(results: MeasurementResults) -> MeasuredValue:
    """What an agent plays like whose raw weights have begun to diverge."""
    held_out = results["raw"]["runs"][0]["result"]["uncorrected"]
    lines, pieces = held_out["lines"]["mean"], held_out["pieces"]["mean"]
    words = f"{format_number(lines)} lines, {format_number(pieces)} pieces a game"
    return MeasuredValue(holds=lines < 1, text=words, evidence="it clears less than a line a game")


def check_q_learning_beats_greedy(name: str, results: MeasurementResults) -> MeasuredValue:
    """Whether what Q-learning has learnt scores more than the greedy agent."""
    learnt, greedy = compute_mean_over_seeds(results[name], "score"), compute_mean(results["greedy"], "score")
    basis = f"{format_count(len(results[name]['runs']), 'seed')}, games of at most 10,000 pieces"
    words = f"{learnt.formatted} points a game, greedy {greedy.formatted}"
    because = "the interval of the ratio is above 1"
    return MeasuredValue(holds=compare_by_ratio(learnt, greedy) == "more", text=words, basis=basis, evidence=because)


def compute_placement_counts(results: MeasurementResults) -> MeasuredValue:
    """How many placements a piece has on an empty board."""
    found = results["thinking"]["placements"]
    words = "; ".join(f"{''.join(pieces)} {number}" for number, pieces in group_by_placement_count(found).items())
    return MeasuredValue(
        float(np.mean(list(found.values()))), text=words, basis="different placements on an empty board"
    )


def group_by_placement_count(found: Mapping[str, int]) -> dict[int, list[str]]:
    """Pieces by how many placements they have."""
    numbers = sorted(set(found.values()))
    return {number: [piece for piece, those in found.items() if those == number] for number in numbers}


def check_decision_time(depth: int, less_than: float, results: MeasurementResults) -> MeasuredValue:
    """Whether a decision of that depth takes less than so many seconds."""
    seconds = results["thinking"]["time"]["decision"][str(depth)]
    words, because = f"{1e3 * seconds:.2g} ms a decision", "it takes less time here"
    return MeasuredValue(holds=seconds < less_than, text=words, evidence=because, is_machine_dependent=True)


def check_time_growth(results: MeasurementResults) -> MeasuredValue:
    """Whether every further piece multiplies the time by forty, give or take a quarter."""
    rates = results["thinking"]["time"]["pieces_per_second"]
    second, third = (rates[f"{depth - 1}"] / rates[f"{depth}"] for depth in (2, 3))
    words = f"{second:.0f} times for the second piece, {third:.0f} for the third"
    holds = all(30 <= times <= 50 for times in (second, third))
    return MeasuredValue(holds=holds, text=words, evidence="both are near forty", is_machine_dependent=True)


def check_depth_two_too_slow(results: MeasurementResults) -> MeasuredValue:
    """Whether a decision of depth two takes longer than a row at the highest speed."""
    ours = check_decision_time(2, 0.1, results)
    return MeasuredValue(
        holds=not ours.holds, text=ours.text, evidence="it takes longer than 100 ms", is_machine_dependent=True
    )


def check_scores_at_high_speed(results: MeasurementResults) -> MeasuredValue:
    """Whether agents without look-ahead keep their score at the highest speed, if a piece is moved at once."""
    kept = {}
    for agent in FALL_SPEED_GAMES:
        if agent != "tetrais-depth2":
            slow = compute_mean(results[format_fall_speed_name(agent, 1000)], "score", uncorrected=True)
            kept[agent] = compute_ratio(
                compute_mean(results[f"{agent}-100ms-at-once"], "score", uncorrected=True), slow
            )
    holds = all(times.interval[0] <= 1 <= times.interval[1] or (times.value or 0) > 1 for times in kept.values())
    words = "; ".join(f"{agent} {format_number(times.value or 0)} times" for agent, times in kept.items())
    basis = "the score at 100 ms a row against that at 1,000 ms, a key every millisecond"
    return MeasuredValue(holds=holds, text=words, basis=basis, evidence="no interval lies below 1")


def check_genetic_speed(results: MeasurementResults) -> MeasuredValue:
    """How many times as many pieces a second the genetic agent plays as the depth-limited one."""
    times = results["genetic-games"]["time"]
    words = f"{format_number(times['depth-1'] / times['by-hand'])} times the pieces a second"
    holds = times["depth-1"] > times["by-hand"]
    return MeasuredValue(
        holds=holds, text=words, basis="at depth one", evidence="it looks at one piece alone", is_machine_dependent=True
    )


def check_genetic_lines(results: MeasurementResults) -> MeasuredValue:
    """Whether the genetic agent clears more lines than the depth-limited one."""
    first, by_hand = compute_mean(results["genetic-games"]["depth-1"]), compute_mean(results["depth2"])
    words = f"{first.formatted} lines a game, depth-limited {by_hand.formatted}"
    because = "the interval of the ratio is above 1"
    return MeasuredValue(
        holds=compare_by_ratio(first, by_hand) == "more", text=words, basis="at depth one", evidence=because
    )


def compare_by_ratio(first: MeasuredValue, second: MeasuredValue) -> str:
    """How the first compares with the second, in a word, as far as the interval of their ratio tells."""
    (low, high), (least, most) = first.interval, second.interval
    if first.value and second.value:
        (low, high), (least, most) = compute_ratio(first, second).interval, (1.0, 1.0)
    return "more" if low > most else "less" if high < least else "no different"


def format_in_sentence(ours: MeasuredValue) -> str:
    """A figure inside a sentence."""
    return ours.formatted.replace("> ", "more than ")


def describe_soft_drop(results: MeasurementResults) -> str:
    """What moves after landing bring to each agent."""
    parts = []
    for label, name, drop in (("greedy", "greedy", "greedy"), ("Q-learning", "q", "q-drop"), ("depth-2", "depth2", "")):
        soft, stiff = (compute_mean(results[f"{name}-{kind}"]) for kind in ("soft", "stiff"))
        plain = compute_mean(results[drop or "depth2"])
        parts.append(
            f"{label} {format_in_sentence(soft)} lines with it, {format_in_sentence(stiff)} without ({_EFFECT_TEXTS[compare_by_ratio(soft, stiff)]}), "
            f"{format_in_sentence(plain)} by the report's rule ({_EFFECT_TEXTS[compare_by_ratio(soft, plain)]})"
        )
    return (
        f"Moving a piece after it has landed: {'; '.join(parts)}. Both with and without it a piece starts where it "
        "enters and has to find a way; by the report's rule it is turned and moved above everything."
    )


_EFFECT_TEXTS = {"more": "it helps", "less": "it harms", "no different": "no difference found"}
_COMPARISON_TEXTS = {"more": "more than", "less": "less than", "no different": "not to be told from"}


def describe_genetic_agent(results: MeasurementResults) -> str:
    """Whether a genetic agent beats the depth-limited one."""
    games, by_hand = results["genetic-games"], compute_mean(results["depth2"])
    first, second, third = (compute_mean(games[name]) for name in ("depth-1", "looking-ahead", "learnt-ahead"))
    return (
        f"At depth one the same five features with genetic weights clear {format_in_sentence(first)} lines a game, "
        f"{_COMPARISON_TEXTS[compare_by_ratio(first, by_hand)]} the {format_in_sentence(by_hand)} of the depth-limited agent; how much faster they "
        f"play stands among the claims. At depth two these weights clear {format_in_sentence(second)} "
        f"({_COMPARISON_TEXTS[compare_by_ratio(second, by_hand)]} the weights by hand), and weights learnt at depth two, on ten rows, "
        f"{format_in_sentence(third)} ({_COMPARISON_TEXTS[compare_by_ratio(third, by_hand)]} the weights by hand)."
    )


def describe_fall_speeds(results: MeasurementResults) -> str:
    """How agents fare as pieces fall faster."""
    parts = []
    for agent in FALL_SPEED_GAMES:
        slow, quick = (
            compute_mean(results[format_fall_speed_name(agent, time)], "score", uncorrected=True)
            for time in (1000, 100)
        )
        change = (
            "no difference found"
            if compare_by_ratio(quick, slow) == "no different"
            else format_score_ratio(compute_ratio(quick, slow))
        )
        parts.append(f"{agent} {slow.formatted} → {quick.formatted} ({change})")
    cap = results[format_fall_speed_name("tetrais-depth2", 100)]["cap"]
    at_once = compute_mean(results["tetrais-greedy-100ms-at-once"], "score", uncorrected=True)
    return (
        f"From 1,000 to 100 ms a row, with ten keys a second and games of at most {cap:,} pieces, the score a game "
        f"goes: {'; '.join(parts)}. With a key every millisecond tetrais-greedy has {at_once.formatted} at 100 ms."
    )


def format_score_ratio(change: MeasuredValue) -> str:
    """A ratio in words."""
    return f"{change.formatted} times"


def describe_features(results: MeasurementResults) -> str:
    """What the results here say of features; the ablation says more."""
    greedy = compute_mean(results["greedy"])
    learnt = compute_mean_over_seeds(results["genetic"])
    q = compute_mean_over_seeds(results["q"])
    weights = results["genetic-games"]["weights"]["depth-1"]
    sizes = sorted(weights, key=lambda name: abs(weights[name]))
    better = compare_by_ratio(learnt, greedy)
    verdict = {"more": "so the weights held it back, not the features", "less": "so learning found no better weights"}
    return (
        f"The greedy agent's five features clear {greedy.formatted} lines a game with weights by hand, {learnt.formatted} with "
        f"genetic ones ({verdict.get(better, 'no difference found')}); Q-learning's four differences, without total "
        f"height, clear {q.formatted}. The largest genetic weight is that of {format_name(sizes[-1])}, the smallest that of "
        f"{format_name(sizes[0])}. What each of many features is worth is measured by tetrion reproduce ablation."
    )
