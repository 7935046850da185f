"""Findings about Becker's evaluation function: checks of the slides' claims, and answers to their open questions."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from tetrion.agents.named.becker_agents import BECKER_MIDPOINTS, BECKER_SLOPES, BECKER_WEIGHTS
from tetrion.evaluation.confidence_intervals import compute_share_interval
from tetrion.evaluation.number_format import format_name, format_number
from tetrion.lab.papers.becker.becker_games import (
    BECKER_CODE_READING,
    DECISION_TIMES_MS,
    TIMED_DECISIONS,
    compute_curve,
    make_variants,
)
from tetrion.lab.reproduction.measured_values import (
    ValueReader,
    compute_mean,
    compute_mean_over_seeds,
    describe_difference,
    make_mean_reader,
    make_ratio_reader,
    make_seed_mean_reader,
)
from tetrion.lab.reproduction.paper_definition import MeasurementResults
from tetrion.lab.reproduction.published_values import MeasuredValue, decide_above

BEST_GAME_SERIES = (10, 20, 50, 100)  # numbers of games whose best game is compared; the slides give no number
DEFAULT_SERIES_LENGTH = 20
SLIDE_CURVE_POINTS = {  # points of each curve in the slides: feature value to curve value
    "holes": {0: 1, 8: 0.5, 20: 0},
    "aggregate_height": {0: 1, 100: 0.5, 200: 0},
    "bumpiness": {0: 1, 8: 0.5, 20: 0},
    "max_height": {0: 1, 8: 0.5, 20: 0},
}
CURVE_TOLERANCE = 0.02  # for the slides' "basically 0" and "~0.5"
SLIDE_EVALUATION_SECONDS = 0.0003
FRAME_SECONDS = 1 / 60
SOME_LINES = 2  # the plural: at least two
SLIDE_PARAMETERS = {
    **{f"{feature} weight": value for feature, value in BECKER_WEIGHTS.items()},
    **{f"{feature} slope": value for feature, value in BECKER_SLOPES.items()},
    **{f"{feature} middle": value for feature, value in BECKER_MIDPOINTS.items()},
}


# The results of the slides.


def compute_best_of_games(counts: Sequence[int], series_length: int) -> MeasuredValue:
    """Return the median and the 95 % range of the best of some games, from the numbers of games with 0, 1, 2, … lines.

    The best of n games is at most x with probability F(x)^n, where F is the share of games with at most x lines.
    """
    shares = np.cumsum(counts) / sum(counts)
    quantiles = np.array([0.025, 0.5, 0.975]) ** (1 / series_length)
    low, median, high = (float(lines) for lines in np.searchsorted(shares, quantiles))
    basis = f"the best of {series_length} games: median and 95 % range, from {sum(counts):,} games"
    return MeasuredValue(median, (low, high), basis=basis)


def make_best_game_reader(reading: str, series_length: int = DEFAULT_SERIES_LENGTH) -> ValueReader:
    """Return a reader of the best of some games under a reading of the slides."""
    return lambda results: compute_best_of_games(results["distributions"][reading], series_length)


def check_usually_clears_lines(results: MeasurementResults) -> MeasuredValue:
    """Check whether more than half of all games clear some lines."""
    counts = results["distributions"][BECKER_CODE_READING]
    games = sum(counts)
    clearing = sum(counts[SOME_LINES:])
    interval = compute_share_interval(clearing, games)
    return MeasuredValue(
        holds=decide_above(interval, 0.5),
        text=f"{100 * clearing / games:.1f} % of the games clear at least {SOME_LINES} lines",
        basis=f"{games:,} games",
        evidence=f"95 % interval of the share: {100 * interval[0]:.1f} to {100 * interval[1]:.1f} %",
    )


def compute_evaluation_seconds(results: MeasurementResults) -> MeasuredValue:
    """Return the time per placement: dropping the piece, removing full rows and evaluating the board."""
    decisions = results["decisions"]
    seconds = decisions["time"]["decision"] / decisions["placements"]
    basis = f"a decision divided by its placements, median of {TIMED_DECISIONS:,} decisions"
    return make_time(seconds, basis)


def compute_decision_seconds(results: MeasurementResults) -> MeasuredValue:
    """Return the time per decision, over all placements of a piece."""
    return make_time(results["decisions"]["time"]["decision"], f"median of {TIMED_DECISIONS:,} decisions")


def make_time(seconds: float, basis: str) -> MeasuredValue:
    """Return a time that depends on the machine, shown in seconds with two significant digits."""
    digits = max(0, 1 - int(np.floor(np.log10(seconds)))) if seconds > 0 else 0
    return MeasuredValue(seconds, text=f"{seconds:.{digits}f} s", basis=basis, is_machine_dependent=True)


def check_thread_need(results: MeasurementResults) -> MeasuredValue:
    """Check whether a decision without a second thread, at the published time per board, takes less than a frame."""
    decisions = results["decisions"]
    mean, longest = (SLIDE_EVALUATION_SECONDS * decisions[name] for name in ("placements", "most_placements"))
    text = (
        f"{1000 * mean:.1f} ms per decision on average and {1000 * longest:.1f} ms at most, at the published "
        f"{SLIDE_EVALUATION_SECONDS:g} s for each of {format_number(decisions['placements'])} placements on average "
        f"and {decisions['most_placements']} at most"
    )
    relation = "less" if longest < FRAME_SECONDS else "not less"
    return MeasuredValue(
        holds=longest < FRAME_SECONDS,
        text=text,
        basis=f"placements of {TIMED_DECISIONS:,} decisions",
        evidence=f"the longest decision takes {relation} than a frame of {1000 * FRAME_SECONDS:.1f} ms",
    )


def compute_learning_gain(results: MeasurementResults) -> MeasuredValue:
    """Return the ratio of the lines with learnt parameters to those with the slides' parameters."""
    ratio = make_ratio_reader(make_seed_mean_reader("tuned"), make_mean_reader(BECKER_CODE_READING))(results)
    seeds = compute_mean_over_seeds(results["tuned"]).basis
    return replace(ratio, basis=f"{ratio.basis} lines; {seeds}, held-out games capped at 10,000 pieces")


# Our copy of the slides' constants.


def check_curve_points(feature: str, results: MeasurementResults) -> MeasuredValue:
    """Check whether the agent's curve goes through the points given in the slides."""
    curve = compute_curve(feature)
    expected = SLIDE_CURVE_POINTS[feature]
    largest = max(abs(curve[value] - point) for value, point in expected.items())
    text = "; ".join(f"{value}: {format_number(curve[value], 3)}" for value in expected)
    return MeasuredValue(
        holds=largest <= CURVE_TOLERANCE, text=text, evidence=f"the largest difference is {format_number(largest, 3)}"
    )


def check_weight_sum(results: MeasurementResults) -> MeasuredValue:
    """Check whether each weight lies between 0 and 1 and all weights sum to 1."""
    weights = list(BECKER_WEIGHTS.values())
    text = f"{', '.join(f'{weight:g}' for weight in weights)}; sum {sum(weights):g}"
    holds = all(0 < weight < 1 for weight in weights) and abs(sum(weights) - 1) < 1e-9
    return MeasuredValue(holds=holds, text=text, evidence=f"the sum is {sum(weights):g}")


def check_evaluation_range(results: MeasurementResults) -> MeasuredValue:
    """Check whether the evaluation of every board lies between 0 and 1."""
    low = results["decisions"]["least"]
    high = results["decisions"]["most"]
    empty = results["decisions"]["empty"]
    text = f"{format_number(low)} to {format_number(high)} in games, {format_number(empty)} for the empty board"
    return MeasuredValue(
        holds=0 <= low <= high <= empty <= 1 + 1e-9,
        text=text,
        basis=f"boards of {TIMED_DECISIONS:,} decisions",
        evidence="smallest and largest evaluation of these boards",
    )


# What the slides leave open.


def describe_learning_gain(results: MeasurementResults) -> str:
    """Describe how many lines the four curves clear with learnt parameters."""
    tuned = compute_mean_over_seeds(results["tuned"])
    original = compute_mean(results[BECKER_CODE_READING])
    parameter_count = len(results["tuned"]["runs"][0]["result"]["parameters"])
    verdict = {
        "more": f"the limit was not the curves but their {parameter_count} parameters",
        "less": "learning found no better parameters",
    }.get(describe_difference(tuned, original), "no difference was found")
    return (
        f"With weights, slopes and midpoints learnt by CMA-ES, the four curves clear {tuned.formatted} lines per game "
        f"({tuned.basis}); with those of the slides, {original.formatted}: {verdict}."
    )


def describe_limits(results: MeasurementResults) -> str:
    """Describe which single change to the slides' function changes the number of lines."""
    original = compute_mean(results[BECKER_CODE_READING])
    variants = [(name, compute_mean(results[name])) for name in make_variants()]
    parts = [f"{name} {lines.formatted} ({describe_difference(lines, original)})" for name, lines in variants]
    best_name, best_lines = max(variants, key=lambda variant: variant[1].value or 0)
    is_better = describe_difference(best_lines, original) == "more"
    best = f"The largest gain comes from this change: {best_name}." if is_better else ""
    return f"Unchanged, it clears {original.formatted} lines; {'; '.join(parts)}. {best}".strip()


def compute_parameter_changes(results: MeasurementResults) -> dict[str, tuple[float, list[float]]]:
    """Return each slide parameter with its learnt multiples, one per seed; the largest median change comes first."""
    runs = [run["result"]["parameters"] for run in results["tuned"]["runs"]]
    factors = {name: (given, [run[name] / given for run in runs]) for name, given in SLIDE_PARAMETERS.items()}
    return dict(sorted(factors.items(), key=lambda entry: -abs(np.log(max(1e-12, float(np.median(entry[1][1])))))))


def describe_parameter_changes(results: MeasurementResults) -> str:
    """Describe which parameters learning changed most, among those that changed in one direction with every seed."""
    changes = compute_parameter_changes(results)
    consistent = [name for name, (_, factors) in changes.items() if min(factors) > 1 or max(factors) < 1]
    parts = []
    for name in consistent[:3]:
        given, factors = changes[name]
        learnt = format_small_number(given * float(np.median(factors)))
        parts.append(f"{format_parameter(name)} (from {given:g} to {learnt})")
    inconsistent = [format_parameter(name) for name in changes if name not in consistent]
    text = f"By the median of {compute_mean_over_seeds(results['tuned']).basis}: {'; '.join(parts) or 'none'}."
    return f"{text} Different directions with different seeds: {', '.join(inconsistent)}." if inconsistent else text


def format_parameter(name: str) -> str:
    """Return the label of a parameter; training results store a midpoint as "middle"."""
    return format_name(name).replace("middle", "midpoint")


def format_small_number(number: float) -> str:
    """Format a small number with three significant digits."""
    return f"{number:.3g}" if 1e-4 <= number < 1000 else format_number(number) if number >= 1000 else "almost 0"


def describe_thinking_time(results: MeasurementResults) -> str:
    """Describe from which decision time on the number of lines drops."""
    original = compute_mean(results[BECKER_CODE_READING])
    too_slow = [
        decision_time
        for decision_time in DECISION_TIMES_MS
        if describe_difference(compute_mean(results[f"thinking-{decision_time}"]), original) == "less"
    ]
    if not too_slow:
        return f"Even {DECISION_TIMES_MS[-1] / 1000:g} seconds per decision cause no measurable loss of lines."
    lines = compute_mean(results[f"thinking-{too_slow[0]}"])
    return (
        f"With one row of fall per half second, the shortest of the tested times that costs lines is "
        f"{too_slow[0] / 1000:g} seconds: {lines.formatted} instead of {original.formatted}."
    )
