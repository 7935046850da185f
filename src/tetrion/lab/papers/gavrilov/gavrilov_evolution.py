"""Findings about Gavrilov's evolution, which he ran once and we ran with many seeds. Generations count from 0."""

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np

from tetrion.evaluation.confidence_intervals import (
    Interval,
    compute_difference_interval,
    compute_mean_interval,
    compute_share_interval,
)
from tetrion.evaluation.number_format import format_count, format_number, format_percent
from tetrion.lab.papers.gavrilov.gavrilov_findings import (
    GAVRILOV_FEATURE_LABELS,
    GAVRILOV_FEATURE_NAMES,
    GAVRILOV_TRAINED_WEIGHTS,
    FloatArray,
    decide_all,
    decide_below,
    format_share,
    make_finding,
)
from tetrion.lab.reproduction.measured_values import compute_median
from tetrion.lab.reproduction.paper_definition import MeasurementResults
from tetrion.lab.reproduction.published_values import MeasuredValue, decide_above
from tetrion.training.learner import INCUMBENT_PREFIX

FULL_GAME_LINES = 330  # 850 pieces fill 340 lines; a game that is not over still has a few rows on the board
POOR_SHARE = 0.1  # our criterion for "not satisfying": fewer of the possible lines
CONSIDERABLE_FACTOR = 10  # our criterion for "considerable gains"
NO_GAIN_SHARE = 0.01  # our criterion for "no need for continuing": a smaller gain
LAST_GENERATION = 14  # where he stopped
SUCCESSFUL_LINES = 400  # mean lines of generation 8 of a run that is similar to his
_LINES_PER_PIECE = 0.4  # four cells per piece, ten columns
_UNDECIDED_SHARE = "the interval of this share contains one half"


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

    A run is successful if generation 8 clears at least 400 lines on average, as in the report (450).
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


# Lines


def check_reached_by_generation(
    statistic: str, generation: int, results: MeasurementResults, name: str = "evolution"
) -> MeasuredValue:
    """Check whether a statistic of a generation reaches the maximum of 850 moves by a generation, in most seeds."""
    best = get_metric(results, statistic, name)[:, : generation + 1].max(axis=1)
    successes, count = int((best >= FULL_GAME_LINES).sum()), len(best)
    reasons = ("these are most seeds", "these are not most seeds", _UNDECIDED_SHARE)
    text = f"by generation {generation} in {format_share(successes, count)} of seeds"
    holds = decide_above(compute_share_interval(successes, count), 0.5)
    return make_finding(holds, text, reasons, format_seed_count(results, name))


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


def check_mean_rises(results: MeasurementResults) -> MeasuredValue:
    """Check whether the mean lines rise from each of generations 0, 4, 8 and 14 to the next, and tenfold in all."""
    means = get_metric(results, "mean")
    selected = [means[:, generation] for generation in (0, 4, 8, LAST_GENERATION)]
    gains = [compute_interval_over_seeds(later - earlier) for earlier, later in pairwise(selected)]
    total = compute_interval_over_seeds(selected[-1] - CONSIDERABLE_FACTOR * selected[0])
    text = ", ".join(format_number(float(values.mean())) for values in selected) + " lines in generations 0, 4, 8, 14"
    reasons = (
        "each gain is significant over the seeds, and the last value is more than ten times the first",
        "a value is lower than the previous one, or the last is less than ten times the first",
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
    """Check that the mean lines rise by less than 1 % from generation 14 to the last one."""
    means = get_metric(results, "mean")
    stop = means[:, LAST_GENERATION - 1 : LAST_GENERATION + 2].mean(axis=1)
    gains = (means[:, -3:].mean(axis=1) - stop) / stop.mean()
    low, high = compute_interval_over_seeds(gains)
    interval = f"{format_number(100 * low, 1)} to {format_number(100 * high, 1)} %"
    text = f"{format_number(100 * float(gains.mean()), 1)} % more lines by generation {means.shape[1] - 1}"
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
    is_positive = get_incumbent_weights(results, "piece_top")[:, LAST_GENERATION] > 0
    successes, count = int(is_positive.sum()), len(is_positive)
    reasons = ("it is positive in most seeds", "it is not positive in most seeds", _UNDECIDED_SHARE)
    text = f"positive in {format_share(successes, count)} of seeds"
    holds = decide_above(compute_share_interval(successes, count), 0.5)
    return make_finding(holds, text, reasons, format_seed_count(results))


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


def check_weight_order(results: MeasurementResults) -> MeasuredValue:
    """Check whether most seeds have the report's order of the weights by size."""
    finals = np.abs(get_final_weights(results))
    orders = [tuple(GAVRILOV_FEATURE_NAMES[index] for index in row) for row in np.argsort(-finals, axis=1)]
    published = tuple(sorted(GAVRILOV_FEATURE_NAMES, key=lambda name: -abs(GAVRILOV_TRAINED_WEIGHTS[name])))
    most_frequent = max(sorted(set(orders)), key=orders.count)
    text = f"his order in {format_share(orders.count(published), len(orders))} of seeds"
    if most_frequent != published:
        names = ", ".join(GAVRILOV_FEATURE_LABELS[name] for name in most_frequent)
        text += f"; most frequent ({format_percent(orders.count(most_frequent) / len(orders))}): {names}"
    holds = decide_above(compute_share_interval(orders.count(published), len(orders)), 0.5)
    reasons = ("these are most seeds", "these are not most seeds", _UNDECIDED_SHARE)
    return make_finding(holds, text, reasons, format_seed_count(results))


def check_largest_weight(feature: str, results: MeasurementResults) -> MeasuredValue:
    """Check whether a weight is the largest of the four in most seeds."""
    is_largest = np.abs(get_final_weights(results)).argmax(axis=1) == GAVRILOV_FEATURE_NAMES.index(feature)
    successes, count = int(is_largest.sum()), len(is_largest)
    reasons = ("these are most seeds", "these are not most seeds", _UNDECIDED_SHARE)
    holds = decide_above(compute_share_interval(successes, count), 0.5)
    return make_finding(holds, f"in {format_share(successes, count)} of seeds", reasons, format_seed_count(results))


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


def check_steadiest_weight(feature: str, results: MeasurementResults) -> MeasuredValue:
    """Check whether a weight changes least over the generations."""
    steps = {name: get_weight_steps(results, name).mean(axis=1) for name in GAVRILOV_FEATURE_NAMES}
    decisions = {
        name: decide_above(compute_interval_over_seeds(steps[name] - steps[feature]), 0)
        for name in GAVRILOV_FEATURE_NAMES
        if name != feature
    }
    steadier = [GAVRILOV_FEATURE_LABELS[name] for name, decision in decisions.items() if decision is False]
    parts = ", ".join(
        f"{GAVRILOV_FEATURE_LABELS[name]} {format_number(float(values.mean()))}" for name, values in steps.items()
    )
    reasons = (
        "it changes less than each of the others",
        f"over the seeds, these change less: {', '.join(steadier)}",
        "over the seeds, the differences are not significant",
    )
    text = f"mean change per generation: {parts}"
    return make_finding(decide_all(decisions.values()), text, reasons, format_seed_count(results))


# Time


def compute_real_time_training_days(rate: int, results: MeasurementResults) -> MeasuredValue:
    """Return the days that the pieces until generation 14 take in real time at a key rate, as the median over seeds."""
    seconds_per_piece = results["real-time"][str(rate)]["training_seconds_per_piece"]
    days = get_training_pieces(results) * seconds_per_piece / 86_400
    kind = f"with at least {SUCCESSFUL_LINES} lines in generation 8"
    if not len(days):
        return MeasuredValue(basis=f"there is no seed {kind}")
    measured = compute_median(days, f"{format_count(len(days), 'seed')} {kind}")
    low, high = measured.interval
    text = f"{format_number(float(np.median(days)), 1)} days ({format_number(low, 1)} to {format_number(high, 1)})"
    return MeasuredValue(measured.value, measured.ci95, text=text, basis=measured.basis)


def compute_training_days(results: MeasurementResults) -> MeasuredValue:
    """Return our training time for half of the generations, in days."""
    seconds = float(np.mean(results["evolution"]["time"]["seconds"]))
    text = f"{format_number(seconds / 2, 1)} s for half of the generations"
    return MeasuredValue(
        seconds / 2 / 86_400, text=text, basis=f"the mean of {format_seed_count(results)}", is_machine_dependent=True
    )
