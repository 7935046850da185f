"""How figures of ours are read from what was measured: means, the best of games, results over seeds, differences."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from tetrion.evaluation.intervals import Interval, Numbers, of_mean
from tetrion.evaluation.words import counted, with_interval
from tetrion.lab.reproduction.paper import Results
from tetrion.lab.reproduction.published import Ours

Found = Callable[[Results], Ours]


def interval_of(ends: Sequence[float | None] | None) -> Interval | None:
    """An interval as a file has it; an end that is not there is at infinity."""
    if ends is None:
        return None
    low, high = ends
    return (-math.inf if low is None else low, math.inf if high is None else high)


def games_words(data: Mapping[str, Any]) -> str:
    """How many games a figure is of, and how many of them were cut short."""
    words = counted(data["games"], "game")
    if data.get("cap"):
        words += f" of at most {data['cap']:,} pieces"
    return f"{words}, {data['capped']:,} of them cut short" if data["capped"] else words


def mean_in(data: Mapping[str, Any], of: str = "lines", *, played: bool = False) -> Ours:
    """The mean of games that were measured, by the data of one measurement.

    Where games were cut short it is estimated for games without an end, unless it is to be of the games as `played`.
    """
    told = data[of]
    mean, ends = (told["played"], told["played_ci95"]) if played else (told["mean"], told["ci95"])
    return Ours(mean, interval_of(ends), deviation=told["deviation"], basis=games_words(data))


def mean(name: str, of: str = "lines", *, played: bool = False) -> Found:
    """The mean lines, score or pieces a game of a measurement."""
    return lambda results: mean_in(results[name], of, played=played)


def best(name: str, of: str = "lines") -> Found:
    """The most of any game."""
    return lambda results: Ours(results[name][of]["max"], basis=f"the best of {games_words(results[name])}")


def over_seeds_in(data: Mapping[str, Any], of: str = "lines") -> Ours:
    """The mean over the seeds of a training, each one's held-out games as played.

    The interval is over seeds; of a single seed it is that of its games, and of two it is not known.
    """
    played = [run["result"]["as_played"][of] for run in data["runs"]]
    means = np.array([seed["mean"] for seed in played])
    interval = interval_of(played[0]["ci95"]) if len(played) == 1 else of_mean(means)
    return Ours(float(means.mean()), interval, deviation=float(means.std()), basis=counted(len(means), "seed"))


def over_seeds(name: str, of: str = "lines") -> Found:
    """What a training comes to over its seeds, in held-out games."""
    return lambda results: over_seeds_in(results[name], of)


def middle(values: Sequence[float] | Numbers, basis: str) -> Ours:
    """The median of many tries of what a document did once, and between where 95 % of them lie."""
    low, median, high = (float(value) for value in np.percentile(np.asarray(values, float), [2.5, 50, 97.5]))
    return Ours(median, (low, high), basis=f"the median of {basis}; 95 % of them lie within")


def difference(first: Ours, second: Ours) -> Ours:
    """How much more the first is than the second, if they are independent."""
    if first.value is None or second.value is None:
        return Ours(basis="unknown: one of the two is not known")
    value = first.value - second.value
    below, above = (math.hypot(*ends) for ends in zip(margins(first), reversed(margins(second)), strict=True))
    return Ours(value, (value - below, value + above))


def ratio(first: Ours, second: Ours) -> Ours:
    """How many times the second the first is, if they are independent; by the logarithms of both."""
    if not first.value or not second.value:
        return Ours(basis="unknown: one of the two is not known")
    value = first.value / second.value
    (low, high), (least, most) = first.interval, second.interval
    below = math.hypot(logarithm(first.value, low), logarithm(most, second.value))
    above = math.hypot(logarithm(high, first.value), logarithm(second.value, least))
    return Ours(value, (value / math.exp(below), value * math.exp(above)))


def logarithm(more: float, less: float) -> float:
    """The logarithm of a ratio; without end where the lesser may be nothing."""
    return math.log(more / less) if less > 0 else math.inf


def margins(ours: Ours) -> tuple[float, float]:
    """How far off a number may be, below and above."""
    low, high = ours.interval
    value = low if ours.value is None else ours.value
    return value - low, high - value


def times(first: Found, second: Found) -> Found:
    """How many times the second the first is, in words that say so."""

    def found(results: Results) -> Ours:
        one, other = first(results), second(results)
        ours = ratio(one, other)
        if ours.value is None:
            return Ours(words="–", basis="since too few games have ended")
        known = None if one.ci95 is None or other.ci95 is None else ours.ci95
        basis = f"{one.shown} to {other.shown}"
        return Ours(ours.value, known, words=f"{with_interval(ours.value, known)} times", basis=basis)

    return found


def more_or_less(first: Ours, second: Ours) -> str:
    """Whether the first is more or less than the second, in words; where the interval holds both, that none is seen."""
    low, high = ratio(first, second).interval
    return "more" if low > 1 else "less" if high < 1 else "no difference that these games can show"


def listed(names: Sequence[str]) -> str:
    """Names in a sentence."""
    return ", ".join(names[:-1]) + (" and " if len(names) > 1 else "") + names[-1]
