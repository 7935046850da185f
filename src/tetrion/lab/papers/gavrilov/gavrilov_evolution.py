"""Findings about Gavrilov's evolution, which he ran once and we ran with many seeds. Generations count from 0."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from tetrion.evaluation.confidence_intervals import (
    Interval,
    compute_difference_interval,
    compute_mean_interval,
    compute_share_interval,
)
from tetrion.evaluation.number_format import NO_VALUE, format_count, format_number, format_percent
from tetrion.lab.papers.gavrilov.gavrilov_findings import (
    GAVRILOV_FEATURE_LABELS,
    GAVRILOV_FEATURE_NAMES,
    GAVRILOV_TRAINED_WEIGHTS,
    FloatArray,
    decide_all,
    decide_below,
    format_share,
    get_real_time_games,
    make_finding,
)
from tetrion.lab.reproduction.measured_values import compute_median
from tetrion.lab.reproduction.paper_definition import MeasurementResults
from tetrion.lab.reproduction.published_values import MeasuredValue, decide_above, is_decisive
from tetrion.training.learner import INCUMBENT_PREFIX

FULL_GAME_LINES = 330  # 850 pieces fill 340 lines; a game that is not over still has a few rows on the board
POOR_SHARE = 0.1  # our criterion for "not satisfying": fewer of the possible lines
CONSIDERABLE_FACTOR = 10  # our criterion for "considerable gains"
NO_GAIN_SHARE = 0.05  # our criterion for "no need for continuing": a smaller gain
LAST_GENERATION = 14  # where he stopped
SUCCESSFUL_LINES = 400  # mean lines of generation 8 of a run that is similar to his
SECONDS_PER_DAY = 86_400
_LINES_PER_PIECE = 0.4  # four cells per piece, ten columns
_SHARE_REASONS = (
    "these are most seeds",
    "these are not most seeds",
    "the interval of this share contains one half",
)


def get_runs(results: MeasurementResults, name: str = "evolution") -> list[Mapping[str, Any]]:
    """Return the runs of a training."""
    return list(results[name]["runs"])


def get_metric(results: MeasurementResults, metric: str, name: str = "evolution") -> FloatArray:
    """Return a metric of all runs: one row per run, one column per generation."""
    return np.array([run["metrics"][metric] for run in get_runs(results, name)], float)


def get_incumbent_weights(results: MeasurementResults, feature: str) -> FloatArray:
    """Return a weight of the best candidate of every generation, one row per run."""
    return get_metric(results, f"{INCUMBENT_PREFIX}{feature}")


def get_training_pieces(results: MeasurementResults) -> FloatArray:
    """Return the number of pieces that all candidates placed until generation 14, one number per successful run.

    A run is successful if generation 8 clears at least 400 lines on average. His run did (450 lines); a run that
    learns later has shorter games, and so takes less time.
    """
    pieces: FloatArray = get_metric(results, "pieces")[:, : LAST_GENERATION + 1].sum(axis=1)
    is_successful = get_metric(results, "mean")[:, 8] >= SUCCESSFUL_LINES
    return pieces[is_successful]


def format_seed_count(results: MeasurementResults, name: str = "evolution") -> str:
    """Return the number of seeds of a training, as text."""
    return format_count(len(get_runs(results, name)), "seed")


def compute_interval_over_seeds(numbers: FloatArray) -> Interval:
    """Return the 95 % confidence interval of the mean over seeds; unlimited for a single seed."""
    return compute_difference_interval(numbers) or (-np.inf, np.inf)


def check_in_most_seeds(is_met: FloatArray, results: MeasurementResults, beginning: str = "") -> MeasuredValue:
    """Check whether a condition, given for each seed, is met in most seeds."""
    successes, count = int(is_met.sum()), len(is_met)
    holds = decide_above(compute_share_interval(successes, count), 0.5)
    text = f"{beginning}in {format_share(successes, count)} of seeds"
    return make_finding(holds, text, _SHARE_REASONS, format_seed_count(results))


# Lines


def find_first_generations(statistic: str, results: MeasurementResults, name: str) -> FloatArray:
    """Return the first generation in which a statistic reaches the maximum of 850 moves, infinity if none does."""
    is_reached = get_metric(results, statistic, name) >= FULL_GAME_LINES
    return np.where(is_reached.any(axis=1), is_reached.argmax(axis=1).astype(float), np.inf)


def check_first_generation(
    statistic: str, published: int, results: MeasurementResults, name: str = "evolution"
) -> MeasuredValue:
    """Compare the first generation that reaches the maximum of 850 moves with the range of 95 % of the seeds."""
    first = find_first_generations(statistic, results, name)
    low, median, high = (float(value) for value in np.percentile(first, [2.5, 50, 97.5], method="inverted_cdf"))
    never = f"not within {get_metric(results, statistic, name).shape[1]} generations"
    start, middle, end = (never if np.isinf(number) else format_number(number, 0) for number in (low, median, high))
    span = f"95 % range of one run ({start} to {end})"
    is_within = low <= published <= high
    holds = False if not is_within else True if np.isfinite(high) and is_decisive((low, high)) else None
    reasons = (
        f"the published generation lies within the {span}",
        f"the published generation lies outside the {span}",
        f"the published generation lies within the {span}, which is too wide to decide",
    )
    text = f"first in generation {middle}" if np.isfinite(median) else middle
    basis = f"median of {format_seed_count(results, name)}, with the range of 95 % of them"
    return make_finding(holds, f"{text} ({start} to {end})", reasons, basis)


def compute_mean_at_generation(generation: int, results: MeasurementResults, name: str = "evolution") -> MeasuredValue:
    """Return the mean lines of a generation, as the median over seeds."""
    means = get_metric(results, "mean", name)[:, generation]
    return compute_median(means, format_count(len(means), "seed"))


def check_first_generation_poor(results: MeasurementResults) -> MeasuredValue:
    """Check whether the first generation clears only a small share of the possible lines."""
    means = get_metric(results, "mean")[:, 0]
    possible = float(get_metric(results, "max_pieces")[:, 0].mean()) * _LINES_PER_PIECE
    low, high = compute_mean_interval(means) or (0.0, np.inf)
    share = f"the 95 % interval is {format_percent(low / possible)} to {format_percent(high / possible)} of the lines"
    text = f"{format_number(float(means.mean()))} lines per game of {format_number(possible, 0)} possible lines"
    holds = decide_below((low, high), POOR_SHARE * possible)
    return make_finding(holds, text, (share, share, share), format_seed_count(results))


def get_line_shares(results: MeasurementResults) -> FloatArray:
    """Return the mean lines as a share of the lines that the limit of moves allows: one row per run."""
    shares: FloatArray = get_metric(results, "mean") / (get_metric(results, "max_pieces") * _LINES_PER_PIECE)
    return shares


def check_mean_rises(results: MeasurementResults) -> MeasuredValue:
    """Check whether the share of the possible lines rises from generations 0, 4, 8 to 14, and tenfold in all."""
    generations = (0, 4, 8, LAST_GENERATION)
    means, shares = get_metric(results, "mean"), get_line_shares(results)
    selected = [shares[:, generation] for generation in generations]
    gains = [compute_interval_over_seeds(later - earlier) for earlier, later in pairwise(selected)]
    total = compute_interval_over_seeds(selected[-1] - CONSIDERABLE_FACTOR * selected[0])
    parts = ", ".join(
        f"{format_number(float(means[:, generation].mean()))} ({format_percent(float(values.mean()))})"
        for generation, values in zip(generations, selected, strict=True)
    )
    text = f"{parts} lines (share of the possible lines) in generations 0, 4, 8, 14"
    reasons = (
        "each gain of the share is significant over the seeds, and the last share is more than ten times the first",
        "a share is lower than the previous one, or the last is less than ten times the first",
        "not every gain is significant over the seeds",
    )
    holds = decide_all(decide_above(interval, 0) for interval in (*gains, total))
    return make_finding(holds, text, reasons, format_seed_count(results))


def check_spread_narrows(results: MeasurementResults) -> MeasuredValue:
    """Check whether the spread of a generation, relative to its mean, becomes smaller."""
    means = np.maximum(get_metric(results, "mean"), 1)
    share = (get_metric(results, "q3") - get_metric(results, "q1")) / means
    early, late = share[:, 1:5].mean(axis=1), share[:, 10:15].mean(axis=1)
    text = (
        f"the interquartile range is {format_percent(float(early.mean()))} of the mean in generations 1 to 4, "
        f"{format_percent(float(late.mean()))} in 10 to 14"
    )
    reasons = (
        "the difference is significant over the seeds",
        "it does not become smaller",
        "the difference is not significant over the seeds",
    )
    holds = decide_above(compute_interval_over_seeds(early - late), 0)
    return make_finding(holds, text, reasons, format_seed_count(results))


def check_no_gain_after_stop(results: MeasurementResults) -> MeasuredValue:
    """Check that the mean lines of a generation rise by less than 5 % from generation 14 to the last one."""
    means = get_metric(results, "mean")
    stop = means[:, LAST_GENERATION - 1 : LAST_GENERATION + 2].mean(axis=1)
    gains = (means[:, -3:].mean(axis=1) - stop) / stop.mean()
    low, high = compute_interval_over_seeds(gains)
    interval = f"{format_number(100 * low, 1)} to {format_number(100 * high, 1)} %"
    last = means.shape[1] - 1
    text = (
        f"{format_number(100 * float(gains.mean()), 1)} % higher in generations {last - 2} to {last} than in "
        f"{LAST_GENERATION - 1} to {LAST_GENERATION + 1}"
    )
    reasons = (
        f"the gain is smaller ({interval})",
        f"the gain is larger ({interval})",
        f"the interval contains our criterion ({interval})",
    )
    return make_finding(decide_below((low, high), NO_GAIN_SHARE), text, reasons, format_seed_count(results))


# Weights


def get_final_weights(results: MeasurementResults) -> FloatArray:
    """Return the weights at generation 14, one row per run and one column per feature."""
    return np.column_stack(
        [get_incumbent_weights(results, name)[:, LAST_GENERATION] for name in GAVRILOV_FEATURE_NAMES]
    )


def compute_final_weight(feature: str, results: MeasurementResults) -> MeasuredValue:
    """Return a weight at generation 14, where he stopped, as the median over seeds."""
    values = get_incumbent_weights(results, feature)[:, LAST_GENERATION]
    return compute_median(values, format_count(len(values), "seed"))


def compute_weight_change(feature: str, results: MeasurementResults) -> MeasuredValue:
    """Return the change of a weight from generation 0 to 14, as the median over seeds."""
    weights = get_incumbent_weights(results, feature)
    return compute_median(weights[:, LAST_GENERATION] - weights[:, 0], format_count(len(weights), "seed"))


def check_height_positive(results: MeasurementResults) -> MeasuredValue:
    """Check whether the weight of height is positive in most seeds."""
    weights = get_incumbent_weights(results, "piece_top")[:, LAST_GENERATION]
    return check_in_most_seeds(weights > 0, results, "positive ")


def check_weight_signs(results: MeasurementResults) -> MeasuredValue:
    """Check whether each weight has the sign of the report in most seeds."""
    is_same = np.sign(get_final_weights(results)) == np.sign(list(GAVRILOV_TRAINED_WEIGHTS.values()))
    successes = dict(zip(GAVRILOV_FEATURE_NAMES, is_same.sum(axis=0).tolist(), strict=True))
    parts = ", ".join(
        f"{GAVRILOV_FEATURE_LABELS[name]} {format_share(number, len(is_same))}" for name, number in successes.items()
    )
    holds = decide_all(decide_above(compute_share_interval(number, len(is_same)), 0.5) for number in successes.values())
    reasons = ("each share is above one half", "a share is below one half", "an interval contains one half")
    return make_finding(holds, f"same sign: {parts}", reasons, format_seed_count(results))


def check_largest_weight(feature: str, results: MeasurementResults) -> MeasuredValue:
    """Check whether a weight is the largest of the four in size, in most seeds."""
    is_largest = np.abs(get_final_weights(results)).argmax(axis=1) == GAVRILOV_FEATURE_NAMES.index(feature)
    return check_in_most_seeds(is_largest, results)


def check_smaller_weight(feature: str, others: Sequence[str], results: MeasurementResults) -> MeasuredValue:
    """Check whether a weight is smaller in size than the mean of others, in most seeds."""
    sizes = dict(zip(GAVRILOV_FEATURE_NAMES, np.abs(get_final_weights(results)).T, strict=True))
    return check_in_most_seeds(sizes[feature] < np.mean([sizes[name] for name in others], axis=0), results)


def get_weight_steps(results: MeasurementResults, feature: str) -> FloatArray:
    """Return the size of each change of a weight of the best candidate until generation 14, one row per run."""
    return np.abs(np.diff(get_incumbent_weights(results, feature)[:, : LAST_GENERATION + 1], axis=1))


def check_weight_settles(feature: str, results: MeasurementResults) -> MeasuredValue:
    """Check whether a weight changes less than half as much after generation 3."""
    steps = get_weight_steps(results, feature)
    early, late = steps[:, :3].mean(axis=1), steps[:, 3:].mean(axis=1)
    text = (
        f"it changes by {format_number(float(early.mean()))} per generation until generation 3, "
        f"by {format_number(float(late.mean()))} after it"
    )
    reasons = (
        "this is significantly less than half, over the seeds",
        "this is not less than half",
        "over the seeds, it is not significantly less than half",
    )
    holds = decide_below(compute_interval_over_seeds(late - early / 2), 0)
    return make_finding(holds, text, reasons, format_seed_count(results))


def check_steadier_weight(feature: str, other: str, results: MeasurementResults) -> MeasuredValue:
    """Check whether a weight changes less per generation than another one, in most seeds."""
    steps = {name: get_weight_steps(results, name).mean(axis=1) for name in (feature, other)}
    parts = " and ".join(
        f"{GAVRILOV_FEATURE_LABELS[name]} by {format_number(float(values.mean()))}" for name, values in steps.items()
    )
    beginning = f"{parts} per generation on average; {GAVRILOV_FEATURE_LABELS[feature]} by less "
    return check_in_most_seeds(steps[feature] < steps[other], results, beginning)


# Time


def compute_real_time_training_days(rate: int, results: MeasurementResults) -> MeasuredValue:
    """Return the days that the pieces until generation 14 take in real time at a key rate, as the median over seeds."""
    seconds_per_piece = get_real_time_games(rate, results)["training_seconds_per_piece"]
    pieces = get_training_pieces(results)
    kind = f"with at least {SUCCESSFUL_LINES} lines in generation 8"
    if not len(pieces):
        return MeasuredValue(basis=f"there is no seed {kind}")
    measured = compute_median(
        pieces * seconds_per_piece / SECONDS_PER_DAY, f"{format_count(len(pieces), 'seed')} {kind}"
    )
    text = f"{format_days(measured)}: {float(np.median(pieces)):,.0f} pieces of {seconds_per_piece:.2f} s"
    return MeasuredValue(measured.value, measured.ci95, text=text, basis=measured.basis)


def format_days(measured: MeasuredValue) -> str:
    """Format a number of days with its range."""
    if measured.value is None:
        return NO_VALUE
    low, high = measured.interval
    return f"{format_number(measured.value, 1)} days ({format_number(low, 1)} to {format_number(high, 1)})"


def compute_training_days(results: MeasurementResults) -> MeasuredValue:
    """Return our training time for half of the generations, in days."""
    seconds = float(np.mean(results["evolution"]["time"]["seconds"]))
    text = f"{format_number(seconds / 2, 1)} s for half of the generations"
    return MeasuredValue(
        seconds / 2 / SECONDS_PER_DAY,
        text=text,
        basis=f"the mean of {format_seed_count(results)}",
        is_machine_dependent=True,
    )
