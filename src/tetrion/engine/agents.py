"""Agents as the engine knows them: a record of whole numbers, never code.

An agent has a term for each feature that it uses: a weight, or a table from the feature's value to points. Its numbers
are rounded once, by `quantise`, so that every sum is exact and every backend chooses the same placement.
"""

import math
from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any

import numpy as np

from tetrion.engine.compiler import compiled
from tetrion.engine.features import FEATURES
from tetrion.engine.registry import MOST_FEATURES
from tetrion.engine.words import Array, get, lowest, maximum, minimum, pick, spread
from tetrion.errors import AgentError, UnknownNameError

LIMIT = 2**31  # scores stay below it, in size
LARGEST_WEIGHT = 1e30
MOST_DOUBLINGS = 1000  # what a float can hold; only vanishing weights would want more

AGENT = np.dtype(
    [
        ("mask", np.int64),  # the features that it uses; the rest is by the feature's number
        ("removed", np.int32),  # 1: measured after full rows are removed, 0: before
        ("weight", np.int32, MOST_FEATURES),
        ("table", np.int32, MOST_FEATURES),  # where a table begins, −1 for a weight
        ("length", np.int32, MOST_FEATURES),
        ("smallest", np.int32, MOST_FEATURES),  # the value of the table's first entry
    ],
    align=True,
)

Term = float | Sequence[float]
Terms = Mapping[str, Term]
CompiledAgent = tuple[Terms, bool]  # its terms, and whether they are measured after full rows are removed


def quantise(terms: Terms) -> tuple[dict[str, int | list[int]], float]:
    """Round an agent's numbers to whole ones: value × scale, and the scale.

    The scale is the largest power of two for which no score can reach 2³¹ on any board.
    """
    largest = sum(_largest_points(name, term) for name, term in terms.items())
    if largest == 0:
        return {name: _rounded(term, 1.0) for name, term in terms.items()}, 1.0
    scale = 2.0 ** min(math.floor(math.log2(LIMIT) - math.log2(largest)), MOST_DOUBLINGS)
    while True:
        whole = {name: _rounded(term, scale) for name, term in terms.items()}
        if sum(_largest_points(name, term) for name, term in whole.items()) < LIMIT:
            return whole, scale
        scale /= 2


def _largest_points(name: str, term: Term) -> float:
    return abs(term) * FEATURES[name].largest if isinstance(term, int | float) else max(map(abs, term))


def _rounded(term: Term, scale: float) -> int | list[int]:
    return round(term * scale) if isinstance(term, int | float) else [round(points * scale) for points in term]


def checked_terms(terms: Terms) -> dict[str, float | list[float]]:
    """Terms that can be played, as floats, or the error that says why not."""
    if not isinstance(terms, Mapping) or not terms:
        raise AgentError(f"An agent needs a weight or a table for at least one feature; given {terms!r}.")
    for name in terms:
        if name not in FEATURES:
            raise UnknownNameError("feature", name, FEATURES, listing="`tetrion list features` shows all.")
    return {name: _checked_term(name, term) for name, term in terms.items()}


def _checked_term(name: str, term: Term) -> float | list[float]:
    if isinstance(term, Real):
        return _checked_number(name, term)
    if isinstance(term, str) or not isinstance(term, Sequence):
        raise AgentError(f"The weight of '{name}' is a number, or a list of them for a table; given {term!r}.")
    if not term:
        raise AgentError(f"The table of '{name}' has at least one number; given none.")
    return [_checked_number(name, points) for points in term]


def _checked_number(name: str, number: object) -> float:
    value = math.nan
    if isinstance(number, Real) and not isinstance(number, bool):
        try:
            value = float(number)
        except OverflowError:  # a whole number beyond all floats
            value = 2 * LARGEST_WEIGHT
    if not math.isfinite(value):
        raise AgentError(f"The weight of '{name}' is made of finite numbers; given {number!r}.")
    if abs(value) > LARGEST_WEIGHT:
        raise AgentError(f"The weight of '{name}' is at most {LARGEST_WEIGHT:g} in size. Scale all weights down.")
    return value


def compiled_agents(agents: Sequence[CompiledAgent]) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Records for the engine, one an agent, and the tables of all of them."""
    records, tables = np.zeros(len(agents), AGENT), [0]
    for record, (terms, removed) in zip(records, agents, strict=True):
        record["removed"] = removed
        for name, term in quantise(checked_terms(terms))[0].items():
            number = FEATURES[name].number
            record["mask"] |= 1 << number
            if isinstance(term, int):
                record["weight"][number], record["table"][number] = term, -1
            else:
                record["table"][number], record["length"][number] = len(tables), len(term)
                record["smallest"][number] = FEATURES[name].smallest
                tables += term
    return records, np.array(tables, np.int32)


@compiled
def score(agent: Any, tables: Array, values: Array, x: int) -> int:
    """The points of a placement whose features have been measured into `values`."""
    points, left = spread(0, x), agent.mask
    while left:
        number = lowest(left)
        left &= left - 1
        value = get(values, number, x)
        if agent.table[number] < 0:
            points = points + value * agent.weight[number]
        else:
            entry = minimum(maximum(value - agent.smallest[number], 0), agent.length[number] - 1)
            points = points + pick(tables, agent.table[number], entry)
    return points
