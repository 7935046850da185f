"""Table III of Hindi et al.: scores of 26 generations, compared as whole columns with our runs."""

import numpy as np

from tetrion.evaluation.confidence_intervals import SampleArray
from tetrion.evaluation.number_format import format_count, format_number
from tetrion.lab.papers.hindi.hindi_statistics import count_score_drops, get_metric, make_statement
from tetrion.lab.reproduction.measured_values import ValueReader
from tetrion.lab.reproduction.paper_definition import MeasurementResults
from tetrion.lab.reproduction.published_values import MeasuredValue, is_decisive

MAX_CHANCE = 0.05  # a run is unlike ours if at most this share of runs has as few generations within the range
_MIN_RUN_COUNT = round(1 / MAX_CHANCE) - 1  # with fewer runs, no run could be unlike the others
TABLE_III_COLUMNS = {
    "median": "Median",
    "q1": "1st quartile",
    "q3": "3rd quartile",
    "min": "Min",
    "max": "Max",
    "mean": "Average",
}
TABLE_III_GENERATIONS = (  # median, quartiles, minimum, maximum and average of each generation
    (0, 0, 120, 0, 20320, 851.2),
    (0, 0, 5335, 0, 122920, 10362.4),
    (0, 0, 70, 0, 6300, 395.2),
    (180, 0, 835, 0, 93480, 3940.8),
    (370, 40, 6110, 0, 138660, 10764.8),
    (180, 0, 1065, 0, 132260, 7030.4),
    (320, 0, 930, 0, 126520, 6006),
    (750, 0, 1755, 0, 63320, 2826.8),
    (1050, 55, 3370, 0, 138740, 5224.4),
    (790, 405, 1505, 0, 48440, 2582.4),
    (1510, 615, 3380, 0, 26660, 3327.2),
    (1450, 605, 4510, 0, 20560, 3381.2),
    (1260, 545, 3130, 40, 14260, 2708.4),
    (3120, 1370, 7455, 80, 33800, 5848.4),
    (2000, 990, 4080, 0, 16160, 3422.8),
    (1990, 590, 3810, 0, 17520, 2690),
    (3550, 1970, 8785, 120, 54180, 7226.4),
    (2710, 890, 9090, 80, 23700, 5520.4),
    (1990, 1120, 3605, 0, 10000, 2631.6),
    (2830, 1240, 4265, 40, 32320, 3960),
    (3880, 2155, 8050, 0, 26860, 5856.8),
    (2210, 810, 4380, 0, 18580, 3382.8),
    (4550, 2290, 9405, 180, 37160, 6777.6),
    (4110, 2205, 7430, 180, 21060, 5146.8),
    (2280, 760, 5310, 0, 19960, 3643.2),
    (3510, 2120, 7280, 160, 22940, 5404.4),
)
PUBLISHED_DROP_COUNT = count_score_drops({"metrics": {"max": [generation[4] for generation in TABLE_III_GENERATIONS]}})


def get_published_column(metric: str) -> SampleArray:
    """Return a column of Table III, one value per generation."""
    index = list(TABLE_III_COLUMNS).index(metric)
    return np.array([generation[index] for generation in TABLE_III_GENERATIONS], float)


def get_curves(results: MeasurementResults, training: str, metric: str) -> SampleArray:
    """Return a metric of all runs of a training, one row per run and one column per generation."""
    return np.array([get_metric(run, metric) for run in results[training]["runs"]])


def count_generations_within(curve: SampleArray, curves: SampleArray) -> int:
    """Return in how many generations a curve lies within the central 95 % range of other curves."""
    low, high = np.percentile(curves, [2.5, 97.5], axis=0)
    return int(((low <= curve) & (curve <= high)).sum())


def count_own_generations_within(curves: SampleArray) -> SampleArray:
    """Return for each curve in how many generations it lies within the 95 % range of all others."""
    return np.array(
        [count_generations_within(curve, np.delete(curves, number, axis=0)) for number, curve in enumerate(curves)]
    )


def make_curve_check(metric: str, training: str) -> ValueReader:
    """Return a check whether a column of Table III could be that of one of our runs.

    Generations of a run depend on each other, so the number of generations within the 95 % range of our runs is
    compared with the same number for each of our runs, relative to all others.
    """

    def check(results: MeasurementResults) -> MeasuredValue:
        curves = get_curves(results, training, metric)
        published = get_published_column(metric)
        count = count_generations_within(published, curves)
        own = count_own_generations_within(curves)
        last = float(np.median(curves[:, -1]))
        return make_statement(
            decide_curve(count, own, curves),
            (
                f"{describe_own_counts(count, own)}, so theirs could be one of our runs",
                f"{describe_own_counts(count, own)}, so theirs is unlike our runs",
                f"{describe_own_counts(count, own)}; {describe_doubt(curves)}",
            ),
            f"{count} of {len(published)} values lie within the 95 % range of our runs; the median of ours in "
            f"generation {len(published)} is {format_number(last)}",
            format_count(len(curves), "run"),
        )

    return check


def decide_curve(count: int, own: SampleArray, curves: SampleArray) -> bool | None:
    """Return whether a curve with `count` generations within the range could be one of ours; None if undecided.

    If theirs were one of our runs, all runs would have the same chance of the fewest generations within the range. A
    curve that fits confirms nothing if most ranges are too wide.
    """
    if len(own) < _MIN_RUN_COUNT:
        return None
    chance = (1 + int((own <= count).sum())) / (1 + len(own))
    if chance <= MAX_CHANCE:
        return False
    return True if has_decisive_ranges(curves) else None


def has_decisive_ranges(curves: SampleArray) -> bool:
    """Return whether at least half of the 95 % ranges are narrow enough to decide."""
    ranges = np.percentile(curves, [2.5, 97.5], axis=0).T
    return sum(is_decisive((float(low), float(high))) for low, high in ranges) >= len(ranges) / 2


def describe_own_counts(count: int, own: SampleArray) -> str:
    """Describe how many of our runs have as few generations within the range of the others."""
    fewest = f"the fewest of ours is {int(own.min())}"
    return f"{int((own <= count).sum())} of {format_count(len(own), 'run')} of ours have as few ({fewest})"


def describe_doubt(curves: SampleArray) -> str:
    """Describe why a curve does not decide: too few runs, or ranges that are too wide."""
    if len(curves) < _MIN_RUN_COUNT:
        return f"at least {_MIN_RUN_COUNT} runs are needed to decide"
    return "the ranges of our runs are too wide to decide"
