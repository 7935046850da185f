"""Findings about TetrAIs' Q-learning: the growth of weights, the variants, and the scores of the learnt agents."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from tetrion.agents import load_weighted_agent
from tetrion.evaluation.confidence_intervals import compute_share_interval
from tetrion.evaluation.number_format import format_count, format_name, format_number
from tetrion.lab.papers.tetrais.tetrais_q_learning_measurements import (
    DIVERGENCE_EPISODES,
    FASTEST_RATE,
    RECIPE_LEARNING_RATE,
)
from tetrion.lab.papers.tetrais.tetrais_score_findings import (
    COMPARISON_TEXTS,
    combine_decisions,
    compare_by_ratio,
)
from tetrion.lab.papers.tetrais.tetrais_search_findings import compare_copies
from tetrion.lab.reproduction.measured_values import ValueReader, compute_mean, compute_mean_over_seeds, compute_ratio
from tetrion.lab.reproduction.paper_definition import MeasurementResults
from tetrion.lab.reproduction.published_values import MeasuredValue, decide_above
from tetrion.training.q_learning import INITIAL_WEIGHTS

FIGURE_12_FEATURES = ("lines", "aggregate_height", "max_height", "holes", "bumpiness")
FIGURE_12_WEIGHTS = {  # lines cleared, total height, maximum height, holes, deltas
    "initial": (4, -2, -1, -1, -1),
    "episode 1": (3.881490037, 5.149721621, 6.587757221, -35.66024158, 0.635713852),
    "episode 5": (1.05e59, 1.21e120, -1.30e121, 4.38e121, -5.46e122),
}
REPORT_GREEDY_WEIGHTS = {"max_height": -1, "aggregate_height": -1, "holes": -2, "lines": 2, "bumpiness": -1}
FIRST_EPISODE_FACTOR = 5  # our threshold; unchanged weights do not fit, because 4 × 5 is less than 35.7
THIRD_EPISODE_SIZE, FIFTH_EPISODE_EXPONENT = 1e10, 20  # the former is the report's, the latter our threshold
NO_LINES_SHARE = 0.99  # our threshold for towers "without clearing any lines": the share of games without a line
_FIRST_SIZE = max(map(abs, FIGURE_12_WEIGHTS["episode 1"]))
_FIFTH_SIZE = max(map(abs, FIGURE_12_WEIGHTS["episode 5"]))
_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


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


def judge_scan_run(run: Mapping[str, Any]) -> tuple[bool, bool, bool]:
    """Return whether the weights of a run fit the report after the first, the third and the fifth episode."""
    first, third, fifth = run["sizes"]
    return (
        _FIRST_SIZE / FIRST_EPISODE_FACTOR <= first <= _FIRST_SIZE * FIRST_EPISODE_FACTOR,
        third >= THIRD_EPISODE_SIZE,
        abs(math.log10(fifth / _FIFTH_SIZE)) <= FIFTH_EPISODE_EXPONENT,
    )


def check_weight_growth(results: MeasurementResults) -> MeasuredValue:
    """Check whether any learning rate gives the weights of Figure 12 and section 6.5 after all three episodes."""
    runs = results["growth-scan"]["scan"]
    fits = [judge_scan_run(run) for run in runs]
    joint = sum(all(fit) for fit in fits)
    singles = [sum(column) for column in zip(*fits, strict=True)]
    rates, seeds, discounts = (sorted({run[key] for run in runs}) for key in ("rate", "seed", "discount"))
    late = [run["sizes"][0] for run, fit in zip(runs, fits, strict=True) if fit[2]]
    evidence = f"{format_count(joint, 'run')} of {len(runs):,} fit{'s' if joint == 1 else ''} all three"
    if late and not joint:
        evidence += (
            "; runs that fit after the fifth episode already have a largest weight of "
            f"{format_power_of_ten(min(late))} or more after the first"
        )
    return MeasuredValue(
        holds=joint > 0,
        text=f"{joint:,} of {len(runs):,} runs (after episode 1 alone: {singles[0]:,}; 3: {singles[1]:,}; 5: "
        f"{singles[2]:,})",
        basis=f"{len(rates)} learning rates from {rates[0]:g} to {rates[-1]:g}, "
        f"{format_count(len(seeds), 'seed')}, discount factors {' and '.join(f'{value:g}' for value in discounts)}",
        evidence=evidence,
    )


def check_height_is_cause(results: MeasurementResults) -> MeasuredValue:
    """Check whether weights reach 10¹⁰ in three episodes in fewer runs if total height is not a feature.

    The runs with and without total height have the same learning rates, discount factors and seeds.
    """
    scan = results["growth-scan"]
    grown = [[has_grown(run) for run in scan[name]] for name in ("scan", "without_height")]
    only_with, only_without = count_discordant(*grown)
    interval = compute_share_interval(only_with, only_with + only_without)
    return MeasuredValue(
        holds=decide_above(interval, 0.5),
        text=f"{sum(grown[0]):,} of {format_count(len(grown[0]), 'run')} with total height, {sum(grown[1]):,} without",
        basis="runs that reach 10¹⁰, the same learning rates and seeds",
        evidence=f"{only_with:,} runs reach it only with total height, {only_without:,} only without",
    )


def check_towers(results: MeasurementResults) -> MeasuredValue:
    """Check whether agents with diverging raw weights place fewer pieces than the random agent and clear no lines."""
    pieces, random = compute_mean_over_seeds(results["raw"], "pieces"), compute_mean(results["random"], "pieces")
    held_out = [run["result"]["held_out"] for run in results["raw"]["runs"]]
    games = sum(data["games"] for data in held_out)
    lines = round(sum(data["games"] * data["lines"]["mean"] for data in held_out))
    without_lines = compute_share_interval(games - min(lines, games), games)
    comparison = compare_by_ratio(pieces, random)
    is_fewer = None if comparison == "no different" else comparison == "less"
    return MeasuredValue(
        holds=combine_decisions([decide_above(without_lines, NO_LINES_SHARE), is_fewer]),
        text=f"{format_count(lines, 'line')} in {format_count(games, 'game')}; {pieces.formatted} pieces per game, "
        f"random {random.formatted}",
        basis=f"{pieces.basis}, recipe `tetrais-q-report` with raw features, which stops when its weights diverge",
        evidence=f"it places {_PIECE_TEXTS[comparison]} the random agent, and at least "
        f"{games - min(lines, games):,} of its {games:,} games have no line",
    )


_PIECE_TEXTS = {
    "more": "more pieces than",
    "less": "fewer pieces than",
    "no different": "not measurably more or fewer pieces than",
}


def check_refinement(results: MeasurementResults) -> MeasuredValue:
    """Check whether fewer runs reach 10¹⁰ in three episodes with differences than with raw features.

    Both have the same learning rates, discount factors and seeds; a higher rate was measured with differences only.
    """
    raw = {get_run_key(run): run for run in results["growth-scan"]["scan"]}
    refined = {get_run_key(run): run for run in results["differences-scan"]["scan"]}
    grown = [[has_grown(runs[key]) for key in raw] for runs in (raw, refined)]
    only_raw, only_refined = count_discordant(*grown)
    failures = [
        f"{sum(map(has_grown, runs))} of {format_count(len(runs), 'run')} at the learning rate {rate:g}"
        for rate in (max(run["rate"] for run in raw.values()), FASTEST_RATE)
        if (runs := [run for run in refined.values() if run["rate"] == rate])
    ]
    fast = results["q-report-fast"]["runs"]
    diverged = sum(bool(run["result"]["note"]) for run in fast)
    return MeasuredValue(
        holds=decide_above(compute_share_interval(only_raw, only_raw + only_refined), 0.5),
        text=f"{sum(grown[0]):,} of {format_count(len(raw), 'run')} with raw features, {sum(grown[1]):,} with "
        "differences",
        basis="runs that reach 10¹⁰ in three episodes, the same learning rates and seeds",
        evidence=f"with differences, {' and '.join(failures)} still reach 10¹⁰, and in longer training with the rate "
        f"0.01 the weights diverge with {diverged} of {format_count(len(fast), 'seed')}",
    )


def get_run_key(run: Mapping[str, Any]) -> tuple[float, float, int]:
    """Return the learning rate, the discount factor and the seed of a run of a scan."""
    return run["rate"], run["discount"], run["seed"]


def has_grown(run: Mapping[str, Any]) -> bool:
    """Return whether the largest weight of a run has reached 10¹⁰ after three episodes (None: beyond all floats)."""
    size = run["sizes"][1]
    return size is None or size >= THIRD_EPISODE_SIZE


def count_discordant(first: Sequence[bool], second: Sequence[bool]) -> tuple[int, int]:
    """Return how many pairs are true only in the first and only in the second sequence."""
    pairs = list(zip(first, second, strict=True))
    return pairs.count((True, False)), pairs.count((False, True))


def make_better_than_greedy_check(name: str) -> ValueReader:
    """Return a check whether a variant of Q-learning scores significantly more than the greedy agent."""

    def check(results: MeasurementResults) -> MeasuredValue:
        learnt, greedy = compute_mean_over_seeds(results[name], "score"), compute_mean(results["greedy"], "score")
        return make_comparison(learnt, greedy, "greedy", describe_ablation(results))

    return check


def make_practice_check(name: str) -> ValueReader:
    """Return a check whether a variant of Q-learning scores significantly more than its initial weights."""

    def check(results: MeasurementResults) -> MeasuredValue:
        learnt, start = compute_mean_over_seeds(results[name], "score"), compute_mean(results["q-start"], "score")
        ratio = compute_ratio(learnt, start).formatted
        return make_comparison(
            learnt, start, "the agent with its initial weights", f"training multiplies the score by {ratio}"
        )

    return check


def make_comparison(learnt: MeasuredValue, other: MeasuredValue, name: str, remark: str) -> MeasuredValue:
    """Return whether a learnt agent scores significantly more than another one."""
    comparison = compare_by_ratio(learnt, other)
    return MeasuredValue(
        holds=None if comparison == "no different" else comparison == "more",
        text=f"{learnt.formatted} points per game, {name} {other.formatted}",
        basis=f"{learnt.basis}, games of at most 10,000 pieces",
        evidence=f"it scores {COMPARISON_TEXTS[comparison]} {name}; {remark}",
    )


def describe_ablation(results: MeasurementResults) -> str:
    """Return the scores of the most important variants of the report's recipe, as a part of a sentence."""
    variants = {
        "as the report writes it": "q-report",
        "with a constant feature": "q-report-constant",
        "with traces": "q-report-traces",
        "with both": "q-report-both",
        "without exploration": "q-report-greedy",
    }
    scores = [
        f"{label} {compute_mean_over_seeds(results[name], 'score').formatted}" for label, name in variants.items()
    ]
    return f"measured changes: {', '.join(scores)} points"


def make_limitless_check(name: str) -> ValueReader:
    """Return a check that no held-out game of a variant of Q-learning ended before its cap."""

    def check(results: MeasurementResults) -> MeasuredValue:
        held_out = [run["result"]["held_out"] for run in results[name]["runs"]]
        ended, games = (sum(data[key] for data in held_out) for key in ("deaths", "games"))
        lines = compute_mean_over_seeds(results[name]).formatted
        kind = "uncorrected mean " if ended < games else ""
        return MeasuredValue(
            holds=not ended,
            text=f"{kind}{lines} lines per game",
            basis=f"{format_count(len(held_out), 'seed')}, games of at most 10,000 pieces",
            evidence=f"{ended:,} of {format_count(games, 'game')} ended" if ended else "no game ended",
        )

    return check


def make_weights_check(published: Sequence[float], load_ours: Callable[[], Sequence[float]]) -> ValueReader:
    """Return a check whether our copy of published weights is the same."""
    return lambda results: compare_copies(published, load_ours())


def load_initial_weights() -> list[float]:
    """Return the initial weights of Q-learning with raw features, in the order of Figure 12."""
    return [INITIAL_WEIGHTS["raw"][name] for name in FIGURE_12_FEATURES]


def load_greedy_weights() -> list[float]:
    """Return the weights of the greedy agent, in the order of section 6.3."""
    weights = load_weighted_agent("tetrais-greedy").weights
    return [float(weights[name]) for name in REPORT_GREEDY_WEIGHTS]  # type: ignore[arg-type] # none of them is a table


def describe_largest_weight(results: MeasurementResults, features: str, alpha: float) -> str:
    """Return the largest weight after all episodes, with its feature."""
    name, size = find_largest_weight(results, features, DIVERGENCE_EPISODES, alpha)
    return f"{format_power_of_ten(size)} ({format_name(name)})"
