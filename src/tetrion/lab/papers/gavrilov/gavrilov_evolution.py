"""Findings about Gavrilov's evolution, which he ran once and we ran with many seeds. Generations count from 0."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from tetrion.evaluation.confidence_intervals import compute_difference_interval
from tetrion.evaluation.number_format import format_count, format_number, format_percent
from tetrion.lab.papers.gavrilov.gavrilov_findings import (
    GAVRILOV_FEATURE_LABELS,
    GAVRILOV_FEATURE_NAMES,
    GAVRILOV_TRAINED_WEIGHTS,
    FloatArray,
)
from tetrion.lab.reproduction.measured_values import compute_median
from tetrion.lab.reproduction.paper_definition import MeasurementResults
from tetrion.lab.reproduction.published_values import MeasuredValue
from tetrion.training.learner import INCUMBENT_PREFIX

_FULL_GAME_LINES = 330  # 850 pieces fill 340 lines; a game that is not over still has a few rows on the board
_POOR_SHARE = 0.1  # a smaller share of the possible lines is "not satisfying"
_PUBLISHED_HOLES_CHANGE = -9.32 + 3  # change of the weight of holes in the report
_LINES_PER_PIECE = 0.4  # four cells per piece, ten columns


def get_runs(results: MeasurementResults, name: str = "evolution") -> list[Mapping[str, Any]]:
    """Return the runs of a training."""
    return list(results[name]["runs"])


def get_metric(results: MeasurementResults, metric: str, name: str = "evolution") -> FloatArray:
    """Return a metric of all runs: one row per run, one column per generation."""
    return np.array([run["metrics"][metric] for run in get_runs(results, name)], float)


def find_first_generation(reached: FloatArray) -> FloatArray:
    """Return the first generation of each run where `reached` is true; the number of generations if nowhere."""
    generations: FloatArray = np.where(reached.any(axis=1), reached.argmax(axis=1), reached.shape[1])
    return generations


def compute_best_full_game_generation(results: MeasurementResults) -> MeasuredValue:
    """Return the first generation whose best candidate reaches the maximum of 850 moves."""
    reached = find_first_generation(get_metric(results, "max") >= _FULL_GAME_LINES)
    return compute_median(reached, format_count(len(reached), "seed"))


def compute_median_full_game_generation(results: MeasurementResults) -> MeasuredValue:
    """Return the first generation of which half reaches the maximum of 850 moves, which raises the limit."""
    reached = find_first_generation(get_metric(results, "median") >= _FULL_GAME_LINES)
    return compute_median(reached, format_count(len(reached), "seed"))


def compute_mean_at_generation(generation: int, results: MeasurementResults, name: str = "evolution") -> MeasuredValue:
    """Return the mean lines of a generation, as the median over seeds."""
    means = get_metric(results, "mean", name)[:, generation]
    return compute_median(means, format_count(len(means), "seed"))


def check_first_generation_poor(results: MeasurementResults) -> MeasuredValue:
    """Check whether the first generation clears only a small share of the possible lines."""
    mean = float(get_metric(results, "mean")[:, 0].mean())
    possible = get_metric(results, "max_pieces")[:, 0].mean() * _LINES_PER_PIECE
    text = f"{format_number(mean)} lines per game of {format_number(possible, 0)} possible lines"
    return MeasuredValue(holds=mean < _POOR_SHARE * possible, text=text, evidence="this is a small share")


def check_mean_rises(results: MeasurementResults) -> MeasuredValue:
    """Check whether the mean lines rise over generations 0, 4, 8 and 14."""
    means = get_metric(results, "mean").mean(axis=0)
    selected = [means[generation] for generation in (0, 4, 8, 14)]
    text = ", ".join(format_number(float(value)) for value in selected) + " lines in generations 0, 4, 8, 14"
    return MeasuredValue(
        holds=bool((np.diff(selected) > 0).all()), text=text, evidence="each value is higher than the previous one"
    )


def check_spread_narrows(results: MeasurementResults) -> MeasuredValue:
    """Check whether the spread of a generation, relative to its mean, becomes smaller."""
    spread = get_metric(results, "q3") - get_metric(results, "q1")
    share = (spread.mean(axis=0) / get_metric(results, "mean").mean(axis=0)).tolist()
    early, late = float(np.mean(share[1:5])), float(np.mean(share[10:15]))
    text = (
        f"the interquartile range is {format_percent(early)} of the mean in generations 1 to 4, "
        f"{format_percent(late)} in 10 to 14"
    )
    return MeasuredValue(holds=late < early, text=text, evidence="it becomes smaller")


def check_no_gain_after_stop(results: MeasurementResults) -> MeasuredValue:
    """Check that the mean lines do not rise from generation 14 to the last one."""
    means = get_metric(results, "mean")
    gains = means[:, -3:].mean(axis=1) - means[:, 13:16].mean(axis=1)
    low, high = compute_difference_interval(gains) or (-np.inf, np.inf)
    interval = f"{format_number(low)} to {format_number(high)}"
    text = f"{format_number(float(gains.mean()))} lines more by generation {means.shape[1] - 1} ({interval})"
    return MeasuredValue(
        holds=low <= 0, text=text, basis=format_count(len(means), "seed"), evidence="the interval contains 0"
    )


def get_incumbent_weights(results: MeasurementResults, feature: str) -> FloatArray:
    """Return a weight of the best candidate of every generation, one row per run."""
    return get_metric(results, f"{INCUMBENT_PREFIX}{feature}")


def compute_final_weight(feature: str, results: MeasurementResults) -> MeasuredValue:
    """Return a weight at generation 14, where he stopped, as the median over seeds."""
    values = get_incumbent_weights(results, feature)[:, 14]
    return compute_median(values, format_count(len(values), "seed"))


def check_weight_signs(results: MeasurementResults) -> MeasuredValue:
    """Check whether each weight has the sign of the report in most seeds."""
    finals = np.column_stack([get_incumbent_weights(results, name)[:, 14] for name in GAVRILOV_FEATURE_NAMES])
    shares = (np.sign(finals) == np.sign(list(GAVRILOV_TRAINED_WEIGHTS.values()))).mean(axis=0)
    parts = ", ".join(
        f"{GAVRILOV_FEATURE_LABELS[name]} {format_percent(float(share))}"
        for name, share in zip(GAVRILOV_FEATURE_NAMES, shares, strict=True)
    )
    return MeasuredValue(
        holds=bool((shares > 0.5).all()),
        text=f"same sign: {parts}",
        basis=format_seed_count(results),
        evidence="most seeds have the same sign for each weight",
    )


def format_seed_count(results: MeasurementResults) -> str:
    """Return the number of seeds of the evolution, as text."""
    return format_count(len(get_runs(results)), "seed")


def check_weight_order(results: MeasurementResults) -> MeasuredValue:
    """Check whether the report's order of the weights by size is the most frequent one over seeds."""
    finals = np.abs(np.column_stack([get_incumbent_weights(results, name)[:, 14] for name in GAVRILOV_FEATURE_NAMES]))
    orders = [tuple(GAVRILOV_FEATURE_NAMES[index] for index in row) for row in np.argsort(-finals, axis=1)]
    published = tuple(sorted(GAVRILOV_FEATURE_NAMES, key=lambda name: -abs(GAVRILOV_TRAINED_WEIGHTS[name])))
    most_frequent = max(sorted(set(orders)), key=orders.count)
    text = f"his order in {format_percent(orders.count(published) / len(orders))} of seeds"
    if most_frequent != published:
        names = ", ".join(GAVRILOV_FEATURE_LABELS[name] for name in most_frequent)
        text += f"; most frequent ({format_percent(orders.count(most_frequent) / len(orders))}): {names}"
    return MeasuredValue(
        holds=most_frequent == published,
        text=text,
        basis=format_seed_count(results),
        evidence="no other order is more frequent",
    )


def check_largest_weight(feature: str, results: MeasurementResults) -> MeasuredValue:
    """Check whether a weight is the largest of the four in most seeds."""
    finals = np.abs(np.column_stack([get_incumbent_weights(results, name)[:, 14] for name in GAVRILOV_FEATURE_NAMES]))
    share = float((finals.argmax(axis=1) == GAVRILOV_FEATURE_NAMES.index(feature)).mean())
    return MeasuredValue(
        holds=share > 0.5,
        text=f"in {format_percent(share)} of seeds",
        basis=format_seed_count(results),
        evidence="this holds for most seeds",
    )


def compute_weight_changes(results: MeasurementResults, feature: str) -> tuple[float, float]:
    """Return the mean change per generation of a weight of the best candidate, until generation 3 and after it."""
    steps = np.abs(np.diff(get_incumbent_weights(results, feature)[:, :15], axis=1)).mean(axis=0)
    return float(steps[:3].mean()), float(steps[3:].mean())


def check_weight_settles(feature: str, results: MeasurementResults) -> MeasuredValue:
    """Check whether a weight changes less than half as much after generation 3."""
    early, late = compute_weight_changes(results, feature)
    text = f"it changes by {format_number(early)} per generation until generation 3, by {format_number(late)} after it"
    return MeasuredValue(
        holds=late < early / 2, text=text, basis=format_seed_count(results), evidence="the change is less than half"
    )


def check_steadiest_weight(feature: str, results: MeasurementResults) -> MeasuredValue:
    """Check whether a weight changes least over the generations."""
    changes = {name: sum(compute_weight_changes(results, name)) / 2 for name in GAVRILOV_FEATURE_NAMES}
    parts = ", ".join(f"{GAVRILOV_FEATURE_LABELS[name]} {format_number(value)}" for name, value in changes.items())
    holds = min(changes, key=lambda name: changes[name]) == feature
    text = f"mean change per generation: {parts}"
    return MeasuredValue(holds=holds, text=text, basis=format_seed_count(results), evidence="it changes least")


def check_holes_weight_falls(results: MeasurementResults) -> MeasuredValue:
    """Check whether the weight of holes falls from generation 0 to 14 as in the report."""
    weights = get_incumbent_weights(results, "holes")
    first, last = (float(np.median(weights[:, generation])) for generation in (0, 14))
    share = float((weights[:, 14] < weights[:, 0]).mean())
    low, high = (float(end) for end in np.percentile(weights[:, 14] - weights[:, 0], [2.5, 97.5]))
    text = f"from {format_number(first)} to {format_number(last)}; it falls in {format_percent(share)} of seeds"
    evidence = f"his change lies within the 95 % range of the seeds ({format_number(low)} to {format_number(high)})"
    holds = last < first and low <= _PUBLISHED_HOLES_CHANGE <= high
    return MeasuredValue(holds=holds, text=text, basis=f"the median of {format_seed_count(results)}", evidence=evidence)


def compute_training_days(results: MeasurementResults) -> MeasuredValue:
    """Return the training time for half of the generations, in days."""
    seconds = float(np.mean(results["evolution"]["time"]["seconds"]))
    text = f"{format_number(seconds / 2, 1)} s for half of the generations"
    return MeasuredValue(
        seconds / 2 / 86_400, text=text, basis=f"the mean of {format_seed_count(results)}", is_machine_dependent=True
    )
