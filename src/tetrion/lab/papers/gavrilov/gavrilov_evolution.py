"""How figures of Gavrilov's evolution are read: he ran it once, we with many seeds. Generations count from 0."""

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

_FULL_GAME_LINES = 330  # of the 340 lines that 850 pieces fill: whoever lives on has a few rows on the board still
_POOR_SHARE = 0.1  # of the possible lines: less is "not satisfying"
_PUBLISHED_HOLES_CHANGE = -9.32 + 3  # of the weight of holes, as he tells it
_LINES_PER_PIECE = 0.4  # that its four cells come to, of ten columns


def get_runs(results: MeasurementResults, name: str = "evolution") -> list[Mapping[str, Any]]:
    """The runs of a training."""
    return list(results[name]["runs"])


def get_metric(results: MeasurementResults, metric: str, name: str = "evolution") -> FloatArray:
    """A metric of every run, a row each; generations are counted from 0 as his code counts them."""
    return np.array([run["metrics"][metric] for run in get_runs(results, name)], float)


def find_first_generation(reached: FloatArray) -> FloatArray:
    """The first generation of each run where something holds; behind the last one if nowhere."""
    found: FloatArray = np.where(reached.any(axis=1), reached.argmax(axis=1), reached.shape[1])
    return found


def compute_best_full_game_generation(results: MeasurementResults) -> MeasuredValue:
    """When the best of a generation reaches the most that 850 moves allow."""
    reached = find_first_generation(get_metric(results, "max") >= _FULL_GAME_LINES)
    return compute_median(reached, format_count(len(reached), "seed"))


def compute_median_full_game_generation(results: MeasurementResults) -> MeasuredValue:
    """When half of a generation reaches it, so that the next one may make more moves."""
    reached = find_first_generation(get_metric(results, "median") >= _FULL_GAME_LINES)
    return compute_median(reached, format_count(len(reached), "seed"))


def compute_mean_at_generation(generation: int, results: MeasurementResults, name: str = "evolution") -> MeasuredValue:
    """The mean lines of a generation, over seeds."""
    means = get_metric(results, "mean", name)[:, generation]
    return compute_median(means, format_count(len(means), "seed"))


def check_first_generation_poor(results: MeasurementResults) -> MeasuredValue:
    """How little the first generation clears of what is possible."""
    means = get_metric(results, "mean")[:, 0]
    most = get_metric(results, "max_pieces")[:, 0].mean() * _LINES_PER_PIECE
    words = f"{format_number(float(means.mean()))} lines a game of {format_number(most, 0)} that are possible"
    return MeasuredValue(holds=float(means.mean()) < _POOR_SHARE * most, text=words, evidence="that is next to nothing")


def check_mean_rises(results: MeasurementResults) -> MeasuredValue:
    """Whether the mean rises with the generations."""
    means = get_metric(results, "mean").mean(axis=0)
    looked = [means[generation] for generation in (0, 4, 8, 14)]
    words = ", ".join(format_number(float(value)) for value in looked) + " lines in generations 0, 4, 8, 14"
    return MeasuredValue(
        holds=bool((np.diff(looked) > 0).all()), text=words, evidence="each is more than the one before"
    )


def check_spread_narrows(results: MeasurementResults) -> MeasuredValue:
    """Whether the spread of a generation becomes smaller beside its mean."""
    spread = get_metric(results, "q3") - get_metric(results, "q1")
    share = (spread.mean(axis=0) / get_metric(results, "mean").mean(axis=0)).tolist()
    early, late = float(np.mean(share[1:5])), float(np.mean(share[10:15]))
    words = f"the middle half is {format_percent(early)} of the mean wide in generations 1 to 4, {format_percent(late)} in 10 to 14"
    return MeasuredValue(holds=late < early, text=words, evidence="it becomes narrower")


def check_no_gain_after_stop(results: MeasurementResults) -> MeasuredValue:
    """Whether the mean rises after generation 14, by the runs that went on to 30."""
    means = get_metric(results, "mean")
    at, end = means[:, 13:16].mean(axis=1), means[:, -3:].mean(axis=1)
    low, high = compute_difference_interval(end - at) or (-np.inf, np.inf)
    gain = float((end - at).mean())
    words = f"{format_number(gain)} lines more by generation {means.shape[1] - 1} ({format_number(low)} to {format_number(high)})"
    return MeasuredValue(
        holds=low <= 0, text=words, basis=format_count(len(means), "seed"), evidence="the interval contains 0"
    )


def get_incumbent_weights(results: MeasurementResults, feature: str) -> FloatArray:
    """A weight of every generation's best, a row a run."""
    return get_metric(results, f"{INCUMBENT_PREFIX}{feature}")


def compute_final_weight(feature: str, results: MeasurementResults) -> MeasuredValue:
    """A weight where he halted, over seeds."""
    values = get_incumbent_weights(results, feature)[:, 14]
    return compute_median(values, format_count(len(values), "seed"))


def check_weight_signs(results: MeasurementResults) -> MeasuredValue:
    """In how many seeds all four weights have his signs."""
    finals = np.column_stack([get_incumbent_weights(results, name)[:, 14] for name in GAVRILOV_FEATURE_NAMES])
    same = (np.sign(finals) == np.sign(list(GAVRILOV_TRAINED_WEIGHTS.values()))).mean(axis=0)
    words = ", ".join(
        f"{GAVRILOV_FEATURE_LABELS[name]} {format_percent(float(share))}"
        for name, share in zip(GAVRILOV_FEATURE_NAMES, same, strict=True)
    )
    holds = bool((same > 0.5).all())
    return MeasuredValue(
        holds=holds,
        text=f"the same sign: {words}",
        basis=format_seed_count(results),
        evidence="most seeds have each sign",
    )


def format_seed_count(results: MeasurementResults) -> str:
    """How many seeds evolution was tried with."""
    return format_count(len(get_runs(results)), "seed")


def check_weight_order(results: MeasurementResults) -> MeasuredValue:
    """Which order of the weights by their sizes the seeds have most often."""
    finals = np.abs(np.column_stack([get_incumbent_weights(results, name)[:, 14] for name in GAVRILOV_FEATURE_NAMES]))
    orders = [tuple(GAVRILOV_FEATURE_NAMES[place] for place in row) for row in np.argsort(-finals, axis=1)]
    his = tuple(sorted(GAVRILOV_FEATURE_NAMES, key=lambda name: -abs(GAVRILOV_TRAINED_WEIGHTS[name])))
    often = max(sorted(set(orders)), key=orders.count)
    words = f"his order in {format_percent(orders.count(his) / len(orders))} of seeds"
    if often != his:
        usual = ", ".join(GAVRILOV_FEATURE_LABELS[name] for name in often)
        words += f"; most often ({format_percent(orders.count(often) / len(orders))}) {usual}"
    return MeasuredValue(
        holds=often == his, text=words, basis=format_seed_count(results), evidence="no other order is more frequent"
    )


def check_largest_weight(feature: str, results: MeasurementResults) -> MeasuredValue:
    """In how many seeds a weight is the largest of the four."""
    finals = np.abs(np.column_stack([get_incumbent_weights(results, name)[:, 14] for name in GAVRILOV_FEATURE_NAMES]))
    share = float((finals.argmax(axis=1) == GAVRILOV_FEATURE_NAMES.index(feature)).mean())
    return MeasuredValue(
        holds=share > 0.5,
        text=f"in {format_percent(share)} of seeds",
        basis=format_seed_count(results),
        evidence="in most seeds",
    )


def compute_weight_changes(results: MeasurementResults, feature: str) -> tuple[float, float]:
    """How much a weight of the best changes from a generation to the next, until generation 3 and after it."""
    steps = np.abs(np.diff(get_incumbent_weights(results, feature)[:, :15], axis=1)).mean(axis=0)
    return float(steps[:3].mean()), float(steps[3:].mean())


def check_weight_settles(feature: str, results: MeasurementResults) -> MeasuredValue:
    """Whether a weight changes much less after generation 3."""
    early, late = compute_weight_changes(results, feature)
    words = f"it changes by {format_number(early)} a generation until 3, by {format_number(late)} after"
    return MeasuredValue(
        holds=late < early / 2, text=words, basis=format_seed_count(results), evidence="less than half of it"
    )


def check_steadiest_weight(feature: str, results: MeasurementResults) -> MeasuredValue:
    """Whether a weight is the one that changes least over the generations."""
    whole = {name: sum(compute_weight_changes(results, name)) / 2 for name in GAVRILOV_FEATURE_NAMES}
    words = ", ".join(f"{GAVRILOV_FEATURE_LABELS[name]} {format_number(value)}" for name, value in whole.items())
    holds = min(whole, key=lambda name: whole[name]) == feature
    words = f"mean change a generation: {words}"
    return MeasuredValue(holds=holds, text=words, basis=format_seed_count(results), evidence="it changes least")


def check_holes_weight_falls(results: MeasurementResults) -> MeasuredValue:
    """How far the weight of holes goes from the first generation's best to where he halted."""
    weights = get_incumbent_weights(results, "holes")
    first, last = (float(np.median(weights[:, place])) for place in (0, 14))
    share = float((weights[:, 14] < weights[:, 0]).mean())
    low, high = (float(end) for end in np.percentile(weights[:, 14] - weights[:, 0], [2.5, 97.5]))
    words = f"from {format_number(first)} to {format_number(last)}; it falls in {format_percent(share)} of seeds"
    because = f"his fall lies where 95 % of seeds' changes do ({format_number(low)} to {format_number(high)})"
    holds = last < first and low <= _PUBLISHED_HOLES_CHANGE <= high
    return MeasuredValue(holds=holds, text=words, basis=f"the median of {format_seed_count(results)}", evidence=because)


def compute_training_days(results: MeasurementResults) -> MeasuredValue:
    """How long half of the generations take now."""
    seconds = float(np.mean(results["evolution"]["time"]["seconds"]))
    words = f"{format_number(seconds / 2, 1)} s for half of the generations"
    return MeasuredValue(
        seconds / 2 / 86_400, text=words, basis=f"the mean of {format_seed_count(results)}", is_machine_dependent=True
    )
