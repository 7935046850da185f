"""Measured values with their intervals, and the expressions of claims and pages that compute them.

An expression such as `ratio(tuned.lines, becker.lines)` is written in Python's syntax. A measurement is called by its
name, with underscores instead of other characters; `.lines`, `.score` and `.pieces` are its mean per game, or its mean
over the seeds of a training. The first words of several names stand for all these measurements: `without` is the group
of `without_wells` and `without_holes`. Nothing else of Python can be used, so that reading a claim executes no code.
"""

import ast
import math
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np

from tetrion.errors import TetrionError, UnknownNameError
from tetrion.evaluation.confidence_intervals import (
    NORMAL_QUANTILE,
    Interval,
    SampleArray,
    compute_difference_interval,
    compute_mean_interval,
    compute_share_interval,
)
from tetrion.evaluation.number_format import format_count, format_mean_interval, format_number, format_percent

METRICS = ("lines", "score", "pieces")
Functions = Mapping[str, Callable[..., Any]]  # of expressions, by name


@dataclass(frozen=True)
class MeasuredValue:
    """A measured number with its 95 % confidence interval, or whether a statement holds (None: undecided).

    `standard_deviation` is that of single games; it gives the uncertainty of a published mean of few games. `text`
    replaces the formatted number, `basis` describes what the value is based on, and `evidence` explains why a statement
    holds, does not hold, or is undecided. A machine-dependent value, such as a time, is not reproducible.
    """

    value: float | None = None
    ci95: Interval | None = None
    holds: bool | None = None
    standard_deviation: float | None = None
    text: str = ""
    basis: str = ""
    evidence: str = ""
    is_machine_dependent: bool = False
    interval_kind: str = "95 % interval"  # or a range, for example of our runs

    def __str__(self) -> str:
        return self.text or format_mean_interval(self.value, self.ci95)

    @property
    def interval(self) -> Interval:
        """Confidence interval; both ends are the value itself if it has none."""
        if self.ci95 is not None:
            return self.ci95
        return (math.nan, math.nan) if self.value is None else (self.value, self.value)

    @property
    def ends(self) -> str:
        """The two ends of the interval as text, with more decimals if they are close to each other."""
        low, high = self.interval
        decimals = 3 if high - low < 0.1 and abs(high) < 10 else None
        return (
            f"{format_number(low, decimals)} {'upwards' if math.isinf(high) else f'to {format_number(high, decimals)}'}"
        )

    def format_ends(self, decimals: int = 0) -> str:
        """Return the two ends of the interval with a number of decimals."""
        return " to ".join(format_number(end, decimals) for end in self.interval)


UNKNOWN = MeasuredValue(basis="too few games have ended")


# Values of single measurements


def compute_mean(data: Mapping[str, Any], metric: str = "lines", *, uncorrected: bool = False) -> MeasuredValue:
    """Return the mean per game from the summary of games; of capped games the censored or the uncorrected mean."""
    summary = data[metric]
    mean, ends = (summary["played"], summary["played_ci95"]) if uncorrected else (summary["mean"], summary["ci95"])
    kind = f"; {'uncorrected' if uncorrected else 'censored'} mean" if data["capped"] else ""
    basis = f"{describe_games(data)}{kind}"
    return MeasuredValue(mean, parse_interval(ends), standard_deviation=summary["deviation"], basis=basis)


def compute_mean_over_seeds(data: Mapping[str, Any], metric: str = "lines") -> MeasuredValue:
    """Return the mean over the seeds of a training measurement, from uncorrected held-out means.

    The interval is over seeds; for a single seed it is that of its games, and for two seeds it is unknown.
    """
    uncorrected = [run["result"]["uncorrected"][metric] for run in data["runs"]]
    means = np.array([summary["mean"] for summary in uncorrected])
    interval = parse_interval(uncorrected[0]["ci95"]) if len(uncorrected) == 1 else compute_mean_interval(means)
    return MeasuredValue(
        float(means.mean()), interval, standard_deviation=float(means.std()), basis=format_count(len(means), "seed")
    )


def parse_interval(ends: Sequence[float | None] | None) -> Interval | None:
    """Return an interval from JSON; a missing end is infinite."""
    if ends is None:
        return None
    low, high = ends
    return (-math.inf if low is None else low, math.inf if high is None else high)


def restore_lines(saved: Mapping[str, Any], basis: str = "") -> MeasuredValue:
    """Return the mean lines of a saved result with its interval, in millions if it is large."""
    interval = parse_interval(saved.get("ci95"))
    text = format_mean_interval(saved["mean"], interval, millions_threshold=1e6)
    return MeasuredValue(saved["mean"], interval, basis=basis, text=text)


def describe_games(data: Mapping[str, Any]) -> str:
    """Describe the number of games of a measurement, and how many were capped."""
    description = format_count(data["games"], "game")
    if data.get("cap"):
        description += f" of at most {data['cap']:,} pieces"
    return f"{description}, {data['capped']:,} of them capped" if data["capped"] else description


# Functions of expressions. Their names are those that claims and pages use.


def uncorrected(data: Mapping[str, Any], metric: str = "lines") -> MeasuredValue:
    """Return the mean per game that counts capped games as they are."""
    return compute_mean(data, metric, uncorrected=True)


def mean_lines(data: Mapping[str, Any]) -> MeasuredValue:
    """Return the mean lines of whole games, of capped games or by splitting, in millions if it is large."""
    if data.get("method") == "splitting":
        summary = data["lines"]
        basis = f"splitting, {data['pieces_played'] / 1e6:,.0f} M pieces"
        measured = MeasuredValue(summary["mean"], parse_interval(summary["ci95"]), basis=basis)
    else:
        measured = compute_mean(data)
        if data["capped"]:
            ended = format_count(data["games"] - data["capped"], "game")
            measured = replace(measured, basis=f"{measured.basis}; {ended} ended")
    text = format_mean_interval(measured.value, measured.ci95, millions_threshold=1e6)
    return replace(measured, text=text)


def best(data: Mapping[str, Any], metric: str = "lines") -> MeasuredValue:
    """Return the best game of a measurement."""
    return MeasuredValue(data[metric]["max"], basis=f"best of {describe_games(data)}")


def sample(data: Mapping[str, Any], metric: str = "lines") -> list[float]:
    """Return the results of the first thousand games of a measurement."""
    return list(data["sample"][metric])


def over_seeds(data: Mapping[str, Any], *keys: str) -> list[Any]:
    """Return a part of the summary of each run of a training measurement, such as its last mean fitness."""
    return [_get_nested(run, keys) for run in data["runs"]]


def _get_nested(content: Any, keys: Sequence[str]) -> Any:
    for key in keys:
        content = content[key]
    return content


def number(value: float, basis: str = "") -> MeasuredValue:
    """Return a number without an interval as a measured value."""
    return MeasuredValue(float(value), basis=basis)


def mean(values: Sequence[float], basis: str = "") -> MeasuredValue:
    """Return the mean of non-negative numbers with its interval."""
    array = np.asarray(values, float)
    return MeasuredValue(
        float(array.mean()), compute_mean_interval(array), standard_deviation=float(array.std()), basis=basis
    )


def median(values: Sequence[float] | SampleArray, basis: str = "") -> MeasuredValue:
    """Return the median of many repetitions, with the range that contains 95 % of them."""
    low, middle, high = (float(value) for value in np.percentile(np.asarray(values, float), [2.5, 50, 97.5]))
    basis = f"median of {basis or format_count(len(values), 'run')}, with the range of 95 % of them"
    return MeasuredValue(middle, (low, high), basis=basis, interval_kind="95 % range")


def share(successes: int, count: int, unit: str = "game") -> MeasuredValue:
    """Return a share with its interval, as “35 % (31 % to 39 %)”."""
    low, high = (round(end, 12) for end in compute_share_interval(successes, count))  # of no successes exactly 0
    text = f"{format_percent(successes / count if count else 0)} ({format_percent(low)} to {format_percent(high)})"
    return MeasuredValue(successes / count if count else None, (low, high), text=text, basis=format_count(count, unit))


def share_above(values: Sequence[float], bound: float, unit: str = "game") -> MeasuredValue:
    """Return the share of numbers above a bound."""
    return share(sum(value > bound for value in values), len(values), unit)


def difference(first: MeasuredValue, second: MeasuredValue) -> MeasuredValue:
    """Return first minus second, assuming independence."""
    if first.value is None or second.value is None:
        return UNKNOWN
    value = first.value - second.value
    below, above = (math.hypot(*ends) for ends in zip(_get_margins(first), reversed(_get_margins(second)), strict=True))
    return MeasuredValue(value, (value - below, value + above))


def _get_margins(measured: MeasuredValue) -> tuple[float, float]:
    """Return the distances from the value to the lower and the upper end of its interval."""
    low, high = measured.interval
    value = low if measured.value is None else measured.value
    return value - low, high - value


def ratio(first: MeasuredValue, second: MeasuredValue) -> MeasuredValue:
    """Return first divided by second, assuming independence of their logarithms, as “1.5 ± 0.2 times”."""
    if not first.value or not second.value:
        return replace(UNKNOWN, text="–")
    value = first.value / second.value
    (low, high), (second_low, second_high) = first.interval, second.interval
    below = math.hypot(_compute_log_ratio(first.value, low), _compute_log_ratio(second_high, second.value))
    above = math.hypot(_compute_log_ratio(high, first.value), _compute_log_ratio(second.value, second_low))
    basis = f"{first} to {second}"
    if first.ci95 is None or second.ci95 is None:  # such as the mean of two seeds
        return MeasuredValue(value, (0, math.inf), text=f"{format_number(value)} times", basis=basis)
    ci95 = (value / math.exp(below), value * math.exp(above))
    return MeasuredValue(value, ci95, text=f"{format_mean_interval(value, ci95)} times", basis=basis)


def _compute_log_ratio(numerator: float, denominator: float) -> float:
    """Return the logarithm of a ratio; infinity if the denominator is not positive."""
    return math.log(numerator / denominator) if denominator > 0 else math.inf


def ratios(*values: MeasuredValue) -> list[MeasuredValue]:
    """Return the ratio of each value to the one before it."""
    return [ratio(second, first) for first, second in pairwise(values)]


def ratios_to(first: MeasuredValue, *others: MeasuredValue) -> list[MeasuredValue]:
    """Return the ratio of a value to each of others."""
    return [ratio(first, other) for other in others]


def paired_difference(first: Sequence[float], second: Sequence[float], basis: str = "") -> MeasuredValue:
    """Return the mean difference of numbers that belong together in pairs, such as runs with the same seed."""
    differences = np.asarray(first, float) - np.asarray(second, float)
    return MeasuredValue(float(differences.mean()), compute_difference_interval(differences), basis=basis)


def rank_correlation(first: Sequence[float], second: Sequence[float], basis: str = "") -> MeasuredValue:
    """Return Spearman's rank correlation with its interval (Fisher's transformation; Bonett and Wright 2000)."""
    first_ranks, second_ranks = (_compute_ranks(np.asarray(values, float)) for values in (first, second))
    is_constant = first_ranks.std() == 0 or second_ranks.std() == 0
    correlation = 0.0 if is_constant else float(np.corrcoef(first_ranks, second_ranks)[0, 1])
    return MeasuredValue(correlation, _compute_correlation_interval(correlation, len(first)), basis=basis)


def _compute_ranks(values: SampleArray) -> SampleArray:
    """Return the rank of each value; equal values share their mean rank."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    return np.asarray((np.cumsum(counts) - (counts + 1) / 2)[inverse])


def _compute_correlation_interval(correlation: float, pair_count: int) -> Interval:
    """Return the 95 % interval of a rank correlation."""
    if pair_count < 5:
        return -1.0, 1.0
    centre = math.atanh(min(max(correlation, -0.999999), 0.999999))
    margin = NORMAL_QUANTILE * math.sqrt((1 + correlation**2 / 2) / (pair_count - 3))
    return math.tanh(centre - margin), math.tanh(centre + margin)


def more_or_less(first: MeasuredValue, second: MeasuredValue) -> str:
    """Return “significantly more” or “significantly less”, or that there is no significant difference."""
    low, high = ratio(first, second).interval
    return "significantly more" if low > 1 else "significantly less" if high < 1 else "no significant difference"


GENERAL_FUNCTIONS: dict[str, Callable[..., Any]] = {
    function.__name__: function
    for function in (
        *(uncorrected, mean_lines, best, sample, over_seeds, number, mean, median, share, share_above),
        *(difference, ratio, ratios, ratios_to, paired_difference, rank_correlation, more_or_less),
    )
}


# Expressions


class ExpressionError(TetrionError):
    """An expression that cannot be read."""


def to_identifier(name: str) -> str:
    """Return the name of a measurement or of a part of it as it is written in expressions."""
    return re.sub(r"\W+", "_", name)


@cache
def parse_expression(text: str) -> ast.expr:
    """Return the syntax tree of an expression."""
    try:
        return ast.parse(text.strip(), mode="eval").body
    except SyntaxError as error:
        raise ExpressionError(
            f"An expression such as `ratio(first.lines, second.lines)` is expected; given {text!r}."
        ) from error


def check_expression(text: str, measurements: Collection[str], functions: Functions) -> None:
    """Raise an error with the nearest name if an expression uses an unknown measurement or function."""
    called = set()
    tree = parse_expression(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            if not isinstance(node.func, ast.Name):
                raise ExpressionError(f"Only functions can be called; given {text!r}.")
            called.add(node.func)
            if node.func.id not in functions:
                raise UnknownNameError("function", node.func.id, sorted(functions), listing=f"It is used in {text!r}.")
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node not in called and not get_names(node.id, measurements):
            raise UnknownNameError("measurement", node.id, sorted(measurements), listing=f"It is used in {text!r}.")
        if not isinstance(node, _NODE_TYPES):
            raise ExpressionError(f"{type(node).__name__} cannot be used in an expression; given {text!r}.")


_NODE_TYPES = (
    *(ast.Name, ast.Load, ast.Attribute, ast.Subscript, ast.Call, ast.keyword, ast.Constant, ast.List, ast.Tuple),
    *(ast.UnaryOp, ast.USub),
)


def get_names(name: str, measurements: Collection[str]) -> list[str]:
    """Return the measurement of a name; or else, if several names begin with it and an underscore, all of these."""
    if name in measurements:
        return [name]
    names = [measurement for measurement in measurements if measurement.startswith(f"{name}_")]
    return names if len(names) > 1 else []


def evaluate_expression(text: str, results: Mapping[str, Any], functions: Functions) -> Any:
    """Return the value of an expression from the results of all measurements, by their names in expressions."""
    return _evaluate(parse_expression(text), results, functions)


def _evaluate(node: ast.AST, results: Mapping[str, Any], functions: Functions) -> Any:
    match node:
        case ast.Name(id=name):
            names = get_names(name, results)
            return results[name] if names == [name] else {part[len(name) + 1 :]: results[part] for part in names}
        case ast.Constant(value=value):
            return value
        case ast.UnaryOp(operand=operand):
            return -_evaluate(operand, results, functions)
        case ast.List(elts=elements) | ast.Tuple(elts=elements):
            return [_evaluate(element, results, functions) for element in elements]
        case ast.Attribute(value=owner, attr=name):
            return get_part(_evaluate(owner, results, functions), name)
        case ast.Subscript(value=owner, slice=key):
            return get_part(_evaluate(owner, results, functions), _evaluate(key, results, functions))
        case ast.Call(func=ast.Name(id=name), args=arguments, keywords=keywords):
            return functions[name](
                *(_evaluate(argument, results, functions) for argument in arguments),
                **{str(keyword.arg): _evaluate(keyword.value, results, functions) for keyword in keywords},
            )
    raise ExpressionError(f"{type(node).__name__} cannot be used in an expression.")


def get_part(owner: Any, key: Any) -> Any:
    """Return a part of a result: a mean of games or of seeds, an element of a list, or an entry by its name."""
    if not isinstance(owner, Mapping):
        return owner[key] if isinstance(key, int) else getattr(owner, key)
    if key in METRICS and isinstance(owner.get("runs"), list):
        return compute_mean_over_seeds(owner, key)
    if key in METRICS and isinstance(owner.get(key), Mapping) and "played" in owner[key]:
        return compute_mean(owner, key)
    if key in owner:
        return owner[key]
    parts = {to_identifier(name): part for name, part in owner.items()}
    if key not in parts:
        raise KeyError(str(UnknownNameError("part of a result", str(key), sorted(parts))))
    return parts[key]
