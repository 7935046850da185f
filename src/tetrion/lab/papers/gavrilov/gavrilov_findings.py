"""Findings about Gavrilov's agents: checks of his claims about games."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from tetrion.agents import load_weighted_agent
from tetrion.evaluation.confidence_intervals import Interval, compute_share_interval, compute_student_margin
from tetrion.evaluation.number_format import format_count, format_number, format_percent
from tetrion.lab.papers.gavrilov.gavrilov_games import format_key_rate
from tetrion.lab.reproduction.measured_values import compute_difference, compute_mean, compute_median, compute_ratio
from tetrion.lab.reproduction.paper_definition import MeasurementResults
from tetrion.lab.reproduction.published_values import MeasuredValue, decide_above

FloatArray = np.ndarray[Any, Any]

GAMES_PER_SERIES = 10  # games per test in the report (section 7.6)
GAVRILOV_TRAINED_WEIGHTS = {  # section 9.2
    name: float(str(weight)) for name, weight in load_weighted_agent("gavrilov").weights.items()
}
GAVRILOV_FEATURE_NAMES = tuple(GAVRILOV_TRAINED_WEIGHTS)
GAVRILOV_FEATURE_LABELS = dict(  # names in the report
    zip(GAVRILOV_FEATURE_NAMES, ("height", "holes", "bumpiness", "clearing"), strict=True)
)
BUMPINESS_WEIGHTS = ("0", "0.1", "0.25", "0.5", "1")
HOLES_WEIGHTS = ("2", "3", "5", "10")
HEAVY_HOLES_WITHOUT_BUMPINESS = "holes-10-bumpiness-0"
GAVRILOV_RANDOMISERS = ("bag", "uniform", "nes", "nes-counts", "sz", "alternating-sz", "adversary")
GAVRILOV_AGENT_NAMES = ("random-keys", "lowest", "gavrilov-2", "gavrilov-3", "gavrilov-4", "gavrilov")
AGENTS_BY_FEATURE_COUNT = GAVRILOV_AGENT_NAMES[1:5]  # one to four features, equal weights
ADDED_FEATURES = {  # training name: features added to the four of the report
    "with-wells": ("wells",),
    "with-number-of-wells": ("number_of_wells",),
    "with-aggregate-height": ("aggregate_height",),
    "with-weighted-cells": ("weighted_filled_cells",),
    "with-three": ("wells", "aggregate_height", "weighted_filled_cells"),
}
NOTICEABLE_FACTOR = 2  # our criterion for "noticeably"
MODEST_FACTOR = 3  # our criterion for "modest"
IMPORTANT_LOSS = 0.2  # our criterion for "influential", "important" and "serious"
RARE_LINES = 100  # our criterion for "rare": once in more lines than these
BUG_AGENT = "gavrilov-2"  # height and holes: the agent with which he found the bug (section 7.3.2)
RANDOM_KEY_RATES = ("60", "120", "200", "400")  # keys per second of the random player
_DEFAULT_KEY_RATE = RANDOM_KEY_RATES[0]
_MANY_GAMES = 100  # a number of games that is no longer a few
_UNLIKELY = 0.05
_AGENT_LABELS = {
    "random-keys": "random keys",
    "lowest": "one feature",
    "gavrilov-2": "two features",
    "gavrilov-3": "three features",
    "gavrilov-4": "four features",
    "gavrilov": "trained agent",
}


# Decisions: true, false, or None if our measurements do not decide


def decide_all(decisions: Iterable[bool | None]) -> bool | None:
    """Return whether all decisions are true; None if none is false and some are undecided."""
    collected = list(decisions)
    if False in collected:
        return False
    return None if None in collected else True


def decide_below(interval: Interval, bound: float) -> bool | None:
    """Return whether an interval lies below a bound; None if it contains the bound and so does not decide."""
    low, high = interval
    return decide_above((-high, -low), -bound)


def decide_more(first: MeasuredValue, second: MeasuredValue, factor: float = 1) -> bool | None:
    """Return whether the first mean is more than `factor` times the second one."""
    return decide_above(compute_ratio(first, second).interval, factor)


def make_finding(holds: bool | None, text: str, reasons: tuple[str, str, str], basis: str = "") -> MeasuredValue:
    """Return a measured statement with the reason if it holds, if it does not, and if it is undecided."""
    held, failed, undecided = reasons
    evidence = undecided if holds is None else held if holds else failed
    return MeasuredValue(holds=holds, text=text, basis=basis, evidence=evidence)


def format_share(successes: int, count: int) -> str:
    """Format a share with its 95 % confidence interval."""
    low, high = compute_share_interval(successes, count)
    return f"{format_percent(successes / count)} ({format_percent(low)} to {format_percent(high)})"


# Agents with equal weights


def get_sample_lines(results: MeasurementResults, name: str) -> FloatArray:
    """Return the lines of the first games of a measurement."""
    return np.array(results[name]["sample"]["lines"], float)


def split_into_series(lines: FloatArray) -> FloatArray:
    """Split games into series of ten, one row per series."""
    return lines[: len(lines) // GAMES_PER_SERIES * GAMES_PER_SERIES].reshape(-1, GAMES_PER_SERIES)


def compute_best_of_ten(name: str, results: MeasurementResults) -> MeasuredValue:
    """Return the median over series of ten games of the best game in each series."""
    series = split_into_series(get_sample_lines(results, name))
    return compute_median(series.max(axis=1), f"the best of ten games, {len(series):,} times")


def compute_lines_ratio(first: str, second: str, results: MeasurementResults) -> MeasuredValue:
    """Return the ratio of the lines of two measurements."""
    return compute_ratio(compute_mean(results[first]), compute_mean(results[second]))


def read_key_rate(rate: str, results: MeasurementResults) -> MeasuredValue:
    """Return the lines of the random player at a key rate."""
    return compute_mean(results["random-keys"] if rate == _DEFAULT_KEY_RATE else results["key-rates"][rate])


def format_lines_and_games(measured: MeasuredValue, noun: str = "") -> str:
    """Format a mean with the number of its games: “17.9 ± 0.1 lines (20,000 games)”."""
    return f"{measured.formatted}{noun and ' ' + noun} ({measured.basis})"


def format_ends(measured: MeasuredValue) -> str:
    """Format the ends of an interval: “1.50 to 2.50”."""
    low, high = measured.interval
    return f"{format_number(low)} to {format_number(high)}"


def check_more_lines(first: str, second: str, results: MeasurementResults, factor: float = 1) -> MeasuredValue:
    """Check whether the first clears more than `factor` times as many lines as the second."""
    more, less = compute_mean(results[first]), compute_mean(results[second])
    times = f"the 95 % interval of the ratio is {format_ends(compute_ratio(more, less))}"
    text = f"{format_lines_and_games(more, 'lines')} against {format_lines_and_games(less)}"
    return make_finding(decide_more(more, less, factor), text, (times, times, times))


def check_beats_random_keys(name: str, results: MeasurementResults, factor: float = 1) -> MeasuredValue:
    """Check whether an agent clears more than `factor` times as many lines as random keys, at every key rate."""
    ours = compute_mean(results[name])
    players = {rate: read_key_rate(rate, results) for rate in RANDOM_KEY_RATES}
    holds = decide_all(decide_more(ours, player, factor) for player in players.values())
    parts = ", ".join(
        f"{format_lines_and_games(player)} at {format_key_rate(int(rate))}" for rate, player in players.items()
    )
    times = ", ".join(format_ends(compute_ratio(ours, player)) for player in players.values())
    evidence = f"the 95 % intervals of the ratios are {times}"
    text = f"{format_lines_and_games(ours, 'lines')} against random keys at several keys per second: {parts}"
    return make_finding(holds, text, (evidence, evidence, evidence))


def format_agent_lines(names: Sequence[str], results: MeasurementResults) -> str:
    """List agents with their lines."""
    return ", ".join(f"{_AGENT_LABELS[name]} {format_lines_and_games(compute_mean(results[name]))}" for name in names)


def check_rank(name: str, better: Sequence[str], results: MeasurementResults) -> MeasuredValue:
    """Check whether an agent with equal weights clears fewer lines than the `better` ones and more than the others."""
    lines = {agent: compute_mean(results[agent]) for agent in AGENTS_BY_FEATURE_COUNT}
    others = [agent for agent in AGENTS_BY_FEATURE_COUNT if agent not in (name, *better)]
    holds = decide_all(
        [
            *(decide_more(lines[agent], lines[name]) for agent in better),
            *(decide_more(lines[name], lines[agent]) for agent in others),
        ]
    )
    reasons = ("the intervals of all ratios confirm it", "another order is confirmed", "an interval contains 1")
    return make_finding(holds, format_agent_lines(AGENTS_BY_FEATURE_COUNT, results), reasons)


def check_modest_improvement(names: Sequence[str], results: MeasurementResults) -> MeasuredValue:
    """Check whether each agent clears more lines than the one before it, but less than three times as many."""
    ratios = [compute_lines_ratio(later, earlier, results) for earlier, later in pairwise(names)]
    holds = decide_all(
        decision
        for ratio in ratios
        for decision in (decide_above(ratio.interval, 1), decide_below(ratio.interval, MODEST_FACTOR))
    )
    steps = f"the ratios of each to the one before are {', '.join(ratio.formatted for ratio in ratios)}"
    return make_finding(holds, format_agent_lines(names, results), (steps, steps, steps))


def check_significance_in_ten_games(first: str, second: str, results: MeasurementResults) -> MeasuredValue:
    """Check whether fewer than half of the series of ten games show a significant lead of the first."""
    pairs = list(
        zip(
            split_into_series(get_sample_lines(results, first)),
            split_into_series(get_sample_lines(results, second)),
            strict=False,
        )
    )
    significant = sum(
        more.mean() - less.mean() > float(np.hypot(compute_student_margin(more), compute_student_margin(less)))
        for more, less in pairs
    )
    more, less = compute_mean(results[first]), compute_mean(results[second])
    reasons = (
        "this is fewer than half: ten games of each usually do not show a difference",
        "this is more than half: ten games of each usually show the difference",
        "the interval of this share contains one half",
    )
    return make_finding(
        decide_below(compute_share_interval(significant, len(pairs)), 0.5),
        f"{format_lines_and_games(more, 'lines')} against {format_lines_and_games(less)}; above 0 in "
        f"{format_share(significant, len(pairs))} of {len(pairs):,} series of ten games of each",
        reasons,
    )


def format_weighting_name(name: str) -> str:
    """Return the measurement name of an agent with other weights."""
    return f"weighed-{name}"


def check_equal_weights_cause(results: MeasurementResults) -> MeasuredValue:
    """Check whether bumpiness lowers the lines with equal weights, and raises them if holes have a larger weight."""
    equal_without, equal_with = compute_mean(results["gavrilov-2"]), compute_mean(results["gavrilov-3"])
    heavy_without, heavy_with = (
        compute_mean(results[format_weighting_name(name)]) for name in (HEAVY_HOLES_WITHOUT_BUMPINESS, "holes-10")
    )
    reasons = (
        "bumpiness lowers the lines with equal weights, and raises them with the larger weight of holes",
        "bumpiness does not lower the lines with equal weights and raise them with the larger weight of holes",
        "an interval does not decide it",
    )
    return make_finding(
        decide_all([decide_more(heavy_with, heavy_without), decide_more(equal_without, equal_with)]),
        f"weight of holes 1: {format_lines_and_games(equal_without, 'lines')} without bumpiness, "
        f"{format_lines_and_games(equal_with)} with it; weight of holes 10: {format_lines_and_games(heavy_without)} "
        f"without bumpiness, {format_lines_and_games(heavy_with)} with it",
        reasons,
    )


# The trained agent


def format_ablation_name(feature: str) -> str:
    """Return the measurement name of the trained agent without a feature."""
    return f"without-{feature}"


def compute_lines_without_features(results: MeasurementResults) -> dict[str, MeasuredValue]:
    """Return the lines of the trained agent without each of its features."""
    return {feature: compute_mean(results[format_ablation_name(feature)]) for feature in GAVRILOV_FEATURE_NAMES}


def format_lines_without_features(lines: dict[str, MeasuredValue]) -> str:
    """List the lines of the trained agent without each of its features."""
    return "; ".join(
        f"without {GAVRILOV_FEATURE_LABELS[name]} {format_lines_and_games(ours)}" for name, ours in lines.items()
    )


def check_most_important(feature: str, results: MeasurementResults) -> MeasuredValue:
    """Check whether removing a feature leaves fewer lines than removing any other."""
    lines = compute_lines_without_features(results)
    holds = decide_all(decide_more(lines[name], lines[feature]) for name in lines if name != feature)
    reasons = (
        "removing it leaves the fewest lines",
        "removing another feature leaves fewer lines",
        "the intervals do not decide it",
    )
    return make_finding(holds, format_lines_without_features(lines), reasons)


def describe_remaining_share(remaining: MeasuredValue) -> str:
    """Describe which share of the lines remains without a feature, given the ratio of the lines; it may be harmful."""
    low, high = remaining.interval
    if low > 1:
        return f"it is harmful: {format_ends(remaining)} times as many lines without it (95 % interval)"
    return f"{format_percent(low)} to {format_percent(high)} of the lines remain (95 % interval)"


def check_feature_matters(feature: str, results: MeasurementResults) -> MeasuredValue:
    """Check whether the trained agent loses at least a fifth of its lines without a feature."""
    complete, without = compute_mean(results["gavrilov"]), compute_lines_without_features(results)[feature]
    remaining = compute_ratio(without, complete)
    evidence = describe_remaining_share(remaining)
    return make_finding(
        decide_below(remaining.interval, 1 - IMPORTANT_LOSS),
        f"{format_lines_and_games(without, 'lines')} without it, {format_lines_and_games(complete)} with it",
        (evidence, evidence, evidence),
    )


def check_weights_optimal(results: MeasurementResults) -> MeasuredValue:
    """Check that the trained agent is not better without one of its weights."""
    complete, lines = compute_mean(results["gavrilov"]), compute_lines_without_features(results)
    best = max(lines, key=lambda name: lines[name].interval[0])
    low, high = compute_difference(lines[best], complete).interval
    better = f"without {GAVRILOV_FEATURE_LABELS[best]} it clears more lines"
    reasons = ("it clears fewer lines without any of them", better, "the interval of the difference contains 0")
    return make_finding(
        decide_below((low, high), 0),
        f"{format_lines_and_games(complete, 'lines')} with these weights; {format_lines_and_games(lines[best])} if the "
        f"weight of {GAVRILOV_FEATURE_LABELS[best]} is 0",
        reasons,
    )


def check_every_game_above(bound: int, results: MeasurementResults) -> MeasuredValue:
    """Check whether every game of the trained agent could have more than `bound` lines, in a few and in many games."""
    lines = get_sample_lines(results, "gavrilov")
    above = int((lines > bound).sum())
    low, high = compute_share_interval(above, len(lines))
    few, many = (format_percent((above / len(lines)) ** count) for count in (GAMES_PER_SERIES, _MANY_GAMES))
    chances = (
        f"this would be so in all of {GAMES_PER_SERIES} games with a probability of {few}, in all of {_MANY_GAMES} "
        f"games with {many}"
    )
    fewest = f"the shortest game has {format_number(float(lines.min()), 0)} lines"
    holds = True if low**_MANY_GAMES >= _UNLIKELY else False if high**GAMES_PER_SERIES < _UNLIKELY else None
    reasons = (
        f"{chances}; {fewest}",
        f"{chances}; {fewest}",
        f"{chances}: it agrees if he played few games and differs if he played many; {fewest}",
    )
    text = f"{format_share(above, len(lines))} of games"
    return make_finding(holds, text, reasons, format_count(len(lines), "game"))


def get_real_time_games(rate: int, results: MeasurementResults) -> Mapping[str, Any]:
    """Return the measured games of the trained agent in real time at a key rate."""
    for name in ("real-time", "real-time-fast"):
        if str(rate) in results[name]:
            found: Mapping[str, Any] = results[name][str(rate)]
            return found
    raise KeyError(rate)


def read_real_time_lines(rate: int, results: MeasurementResults) -> MeasuredValue:
    """Return the lines of the trained agent in real time at a key rate."""
    return compute_mean(get_real_time_games(rate, results)["lines"])


def read_lines_with_bug(results: MeasurementResults) -> MeasuredValue:
    """Return the lines of the trained agent if the line-clearing bug is part of the game."""
    return compute_mean(results["hanging-rows"]["with"])


def check_bug_is_rare(results: MeasurementResults) -> MeasuredValue:
    """Check whether the bug occurs less than once per 100 lines of the agent with height and holes."""
    found, trained = results[f"hanging-rows-{BUG_AGENT}"], results["hanging-rows"]
    bugs, lines = found["bug_count"], found["cleared_lines"]
    per_series = format_number(GAMES_PER_SERIES * bugs / found["with"]["games"])
    expected = f"in ten games of this agent it occurs {per_series} times on average"
    text = (
        f"once per {format_number(lines / max(1, bugs), 0)} lines of the agent with height and holes "
        f"({format_count(bugs, 'time')} in {format_count(lines, 'line')}); of the trained agent, once per "
        f"{format_number(trained['cleared_lines'] / max(1, trained['bug_count']), 0)} lines"
    )
    reasons = (
        f"this is rarer; {expected}",
        f"this is more often; {expected}",
        f"the interval of this rate contains our criterion; {expected}",
    )
    return make_finding(decide_below(compute_share_interval(bugs, lines), 1 / RARE_LINES), text, reasons)


def check_bug_is_harmless(results: MeasurementResults) -> MeasuredValue:
    """Check whether at least four fifths of the lines of the agent with height and holes remain with the bug."""
    with_bug = compute_mean(results[f"hanging-rows-{BUG_AGENT}"]["with"])
    without_bug = compute_mean(results[BUG_AGENT])
    low, high = (remaining := compute_ratio(with_bug, without_bug)).interval
    evidence = f"{format_percent(low)} to {format_percent(high)} of the lines remain (95 % interval)"
    text = f"{format_lines_and_games(with_bug, 'lines')} with the bug, {format_lines_and_games(without_bug)} without"
    return make_finding(decide_above(remaining.interval, 1 - IMPORTANT_LOSS), text, (evidence, evidence, evidence))


def check_bag_deals_evenly(results: MeasurementResults) -> MeasuredValue:
    """Check whether a bag has shorter waits and shorter streaks than uniform draws."""
    bag, uniform = (results["sequences"][name] for name in ("bag", "uniform"))
    text = (
        f"longest wait {bag['wait']} pieces and longest streak {bag['streak']}; with uniform draws {uniform['wait']} "
        f"and {uniform['streak']}"
    )
    holds = bag["wait"] < uniform["wait"] and bag["streak"] < uniform["streak"]
    reasons = ("both are shorter with a bag", "not both are shorter with a bag", "")
    return make_finding(holds, text, reasons, format_count(bag["pieces"], "piece"))


def format_randomiser_measurement_name(agent: str, randomiser: str) -> str:
    """Return the measurement name of an agent with a randomiser; the report's own randomiser is the bag."""
    return agent if randomiser == "bag" else f"{agent}-by-{randomiser}"
