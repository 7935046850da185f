"""Table III of Hindi et al.: scores of 26 generations, compared as a whole with our runs."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from tetrion.evaluation.confidence_intervals import SampleArray
from tetrion.evaluation.number_format import format_count, format_number
from tetrion.lab.papers.hindi.hindi_statistics import count_drops, get_metric, make_statement
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
PUBLISHED_DROP_COUNTS = {
    metric: count_drops({"metrics": {metric: [generation[index] for generation in TABLE_III_GENERATIONS]}}, metric)
    for index, metric in enumerate(TABLE_III_COLUMNS)
    if metric in {"max", "mean"}
}


def get_published_columns(metrics: Sequence[str]) -> SampleArray:
    """Return columns of Table III, one after the other, with one value per generation."""
    columns = list(zip(*TABLE_III_GENERATIONS, strict=True))
    return np.concatenate([np.array(columns[list(TABLE_III_COLUMNS).index(metric)], float) for metric in metrics])


def get_curves(results: MeasurementResults, training: str, metrics: Sequence[str]) -> SampleArray:
    """Return metrics of all runs of a training: one row per run, with the generations of one metric after the other."""
    return np.array(
        [np.concatenate([get_metric(run, metric) for metric in metrics]) for run in results[training]["runs"]]
    )


class CurveFit(NamedTuple):
    """How a curve fits others: in how many generations it lies within their 95 % range, and how far from their median.

    The distance is the mean over the generations, in widths of the range. Larger fits are better.
    """

    generations_within: int
    closeness: float  # minus the distance


def fit_curve(curve: SampleArray, curves: SampleArray) -> CurveFit:
    """Return how a curve fits other curves."""
    low, median, high = np.percentile(curves, [2.5, 50, 97.5], axis=0)
    distance = np.abs(curve - median) / np.maximum(high - low, 1)
    return CurveFit(int(((low <= curve) & (curve <= high)).sum()), -float(distance.mean()))


def fit_own_curves(curves: SampleArray) -> list[CurveFit]:
    """Return for each curve how it fits all others."""
    return [fit_curve(curve, np.delete(curves, number, axis=0)) for number, curve in enumerate(curves)]


def make_table_iii_check(training: str, metrics: Sequence[str] = tuple(TABLE_III_COLUMNS)) -> ValueReader:
    """Return a check whether Table III, or some of its columns, could be that of one of our runs.

    Columns and generations of a run depend on each other, so the number of values within the 95 % range of our runs is
    compared with the same number for each of our runs, relative to all others. Of equal numbers, that of the more
    distant run counts as lower.
    """

    def check(results: MeasurementResults) -> MeasuredValue:
        curves = get_curves(results, training, metrics)
        published = get_published_columns(metrics)
        basis = format_count(len(curves), "run")
        if len(curves) < _MIN_RUN_COUNT:
            doubt = f"at least {_MIN_RUN_COUNT} runs are needed to decide"
            return MeasuredValue(text="too few runs for ranges", basis=basis, evidence=doubt)
        fit = fit_curve(published, curves)
        text = f"{fit.generations_within} of {len(published)} values lie within the 95 % range of our runs"
        own = fit_own_curves(curves)
        as_low = sum(each <= fit for each in own)
        typical = np.median([each.generations_within for each in own])
        comparison = f"{as_low} of {basis} of ours fit the others as badly"
        return make_statement(
            decide_curve(as_low, curves),
            (
                f"{comparison}, so theirs could be one of our runs",
                f"{comparison}, so theirs is unlike our runs",
                f"{comparison}, but the ranges of our runs are too wide to decide",
            ),
            f"{text}; relative to the others, one of our runs typically has {typical:.0f} values within the range",
            basis,
        )

    return check


def make_table_iii_column_rows(results: MeasurementResults, training: str) -> list[list[str]]:
    """Return how each column of Table III fits our runs: values within the range, typically, and runs as bad."""
    rows = []
    for metric, label in TABLE_III_COLUMNS.items():
        curves = get_curves(results, training, [metric])
        published = get_published_columns([metric])
        counts = ["–"] * 3
        if len(curves) >= _MIN_RUN_COUNT:
            fit = fit_curve(published, curves)
            own = fit_own_curves(curves)
            counts = [
                f"{fit.generations_within} of {len(published)}",
                f"{np.median([each.generations_within for each in own]):.0f}",
                f"{sum(each <= fit for each in own)} of {len(own)}",
            ]
        ends = [format_number(float(value), 0) for value in (published[-1], np.median(curves[:, -1]))]
        rows.append([label, *counts, *ends])
    return rows


def decide_curve(as_low: int, curves: SampleArray) -> bool | None:
    """Return whether a curve could be one of ours, of which `as_low` fit as badly; None if undecided.

    If theirs were one of our runs, every run would have the same chance of being the one that fits worst. A curve that
    fits confirms nothing if most ranges are too wide.
    """
    if (1 + as_low) / (1 + len(curves)) <= MAX_CHANCE:
        return False
    return True if has_decisive_ranges(curves) else None


def has_decisive_ranges(curves: SampleArray) -> bool:
    """Return whether at least half of the 95 % ranges are narrow enough to decide."""
    ranges = np.percentile(curves, [2.5, 97.5], axis=0).T
    return sum(is_decisive((float(low), float(high))) for low, high in ranges) >= len(ranges) / 2
