"""Findings about Becker's evaluation function: checks of the slides' claims, and answers to their open questions."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from tetrion.agents.named.becker_agents import BECKER_MIDPOINTS, BECKER_SLOPES, BECKER_WEIGHTS
from tetrion.evaluation.confidence_intervals import compute_share_interval
from tetrion.evaluation.number_format import format_name, format_number
from tetrion.lab.papers.becker.becker_games import (
    BECKER_CODE_READING,
    BECKER_FAST_FALL,
    BECKER_FAST_FALL_THINKING,
    DECISION_TIMES_MS,
    FITTING_ROW_TIME_MS,
    KEY_PRESS_MS,
    ROW_TIMES_MS,
    SLIDE_DECISION_TIME_MS,
    STRAIGHT_LINES,
    TIMED_DECISIONS,
    compute_curve,
    get_row_time_measurement,
    make_variants,
)
from tetrion.lab.reproduction.measured_values import (
    ValueReader,
    compute_mean,
    compute_mean_over_seeds,
    compute_ratio,
    describe_difference,
    join_names,
    make_mean_reader,
    make_ratio_reader,
    make_seed_mean_reader,
)
from tetrion.lab.reproduction.paper_definition import MeasurementResults
from tetrion.lab.reproduction.published_values import MeasuredValue, decide_above

SLIDE_LINES_RANGE = (20, 30)  # lines per game
SLIDE_BEST_GAME = 90  # lines
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
KEPT_LINES_SHARE = 0.95  # of the lines per game: a loss of less than 5 % makes a second thread unnecessary
NEARLY_ALL = 0.999  # shares above this are not shown with digits
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


def compute_best_game(results: MeasurementResults) -> MeasuredValue:
    """Return the best game of the default reading, with the tested numbers of games whose range contains 90 lines."""
    counts = results["distributions"][BECKER_CODE_READING]
    best = compute_best_of_games(counts, DEFAULT_SERIES_LENGTH)
    ranges = {number: compute_best_of_games(counts, number).interval for number in BEST_GAME_SERIES}
    fitting = [str(number) for number, (low, high) in ranges.items() if low <= SLIDE_BEST_GAME <= high]
    if len(fitting) == len(BEST_GAME_SERIES):
        series = f"{SLIDE_BEST_GAME} lies within the range of {join_names(fitting)} games alike"
    else:
        series = f"numbers of games whose range contains {SLIDE_BEST_GAME}: {', '.join(fitting) or 'none'}"
    return replace(best, basis=f"{best.basis}; {series}")


def compute_lines_of_fast_fall(results: MeasurementResults) -> MeasuredValue:
    """Return the mean lines per game of the fitting speed of falling, with those of the next tested speeds."""
    lines = compute_mean(results[BECKER_FAST_FALL])
    position = ROW_TIMES_MS.index(FITTING_ROW_TIME_MS)
    others = [
        f"{compute_mean(results[get_row_time_measurement(row_time)]).formatted} with {row_time / KEY_PRESS_MS:g} times"
        for row_time in (ROW_TIMES_MS[position - 1], ROW_TIMES_MS[position + 1])
    ]
    return replace(lines, basis=f"{lines.basis}; {join_names(others)}")


def check_usually_clears_lines(results: MeasurementResults) -> MeasuredValue:
    """Check whether more than half of all games clear some lines."""
    counts = results["distributions"][BECKER_CODE_READING]
    games = sum(counts)
    clearing = sum(counts[SOME_LINES:])
    low, high = compute_share_interval(clearing, games)
    interval = f"above {100 * NEARLY_ALL:g} %" if low > NEARLY_ALL else f"{100 * low:.1f} to {100 * high:.1f} %"
    return MeasuredValue(
        holds=decide_above((low, high), 0.5),
        text=f"{clearing:,} of {games:,} games clear at least {SOME_LINES} lines",
        evidence=f"95 % interval of the share: {interval}",
    )


def compute_evaluation_seconds(results: MeasurementResults) -> MeasuredValue:
    """Return the time per placement (drop the piece, remove full rows, evaluate the board), and that of a decision."""
    decisions = results["decisions"]
    decision = decisions["time"]["decision"]
    seconds = decision / decisions["placements"]
    return MeasuredValue(
        seconds,
        text=f"{format_seconds(seconds)} per board; {format_seconds(decision)} per decision about one piece, over all "
        "its placements (the slides do not say which of the two an evaluation is)",
        basis=f"a decision divided by its placements, median of {TIMED_DECISIONS:,} decisions",
        is_machine_dependent=True,
    )


def format_seconds(seconds: float) -> str:
    """Return a time in seconds with two significant digits."""
    digits = max(0, 1 - int(np.floor(np.log10(seconds)))) if seconds > 0 else 0
    return f"{seconds:.{digits}f} s"


def check_thread_need(results: MeasurementResults) -> MeasuredValue:
    """Check whether decisions that take as long as published cost few lines if no key is pressed meanwhile."""
    kept = check_kept_lines(f"thinking-{SLIDE_DECISION_TIME_MS}", "thinking-0", results)
    decisions = results["decisions"]
    mean, longest = (1000 * SLIDE_EVALUATION_SECONDS * decisions[key] for key in ("placements", "most_placements"))
    without_delay = compute_mean(results["thinking-0"])
    costly = [
        time
        for time in DECISION_TIMES_MS
        if compute_ratio(compute_mean(results[f"thinking-{time}"]), without_delay).interval[1] <= KEPT_LINES_SHARE
    ]
    first = f"{costly[0] / 1000:g} s is the shortest of the tested times that" if costly else "no tested time"
    return replace(
        kept,
        holds=kept.holds if longest <= SLIDE_DECISION_TIME_MS else None,
        text=f"{kept.text}; at the published {SLIDE_EVALUATION_SECONDS:g} s per board, a decision takes {mean:.1f} ms "
        f"on average and {longest:.1f} ms at most",
        basis=f"{kept.basis}; placements of {TIMED_DECISIONS:,} decisions; one row of fall per half second",
        evidence=f"{kept.evidence}; {first} costs more than {100 * (1 - KEPT_LINES_SHARE):.0f} % of the lines",
    )


def check_kept_lines(delayed: str, immediate: str, results: MeasurementResults) -> MeasuredValue:
    """Check whether games with a decision time keep nearly all lines of games without one."""
    lines = [compute_mean(results[name]) for name in (delayed, immediate)]
    ratio = compute_ratio(*lines)
    low, high = (format_number(end, 3) for end in ratio.interval)
    return MeasuredValue(
        holds=decide_above(ratio.interval, KEPT_LINES_SHARE),
        text=f"{format_number(ratio.value or 0, 3)} times the lines ({lines[0].formatted} against "
        f"{lines[1].formatted}) with {SLIDE_DECISION_TIME_MS} ms per decision",
        basis=f"{lines[0].basis} each",
        evidence=f"95 % interval of the ratio: {low} to {high}",
    )


def check_thread_need_of_fast_fall(results: MeasurementResults) -> MeasuredValue:
    """Check the need of a thread at the speed of falling that fits the published lines."""
    return check_kept_lines(BECKER_FAST_FALL_THINKING, BECKER_FAST_FALL, results)


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
        "more": f"their {parameter_count} parameters can be chosen far better",
        "less": "learning found no better parameters",
    }.get(describe_difference(tuned, original), "no difference was found")
    straight = compute_mean(results[STRAIGHT_LINES])
    return (
        f"With weights, slopes and midpoints learnt by CMA-ES, the four curves clear {tuned.formatted} lines per game "
        f"({tuned.basis}); with those of the slides, {original.formatted}: {verdict}. Straight lines instead of the "
        f"curves, with the slides' weights, clear {straight.formatted} "
        f"({describe_difference(straight, original)} than the slides' curves)."
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
    original = compute_mean(results["thinking-0"])
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
        f"{too_slow[0] / 1000:g} seconds: {lines.formatted} lines instead of {original.formatted} if a decision takes "
        "no time."
    )
