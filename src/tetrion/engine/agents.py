"""Agents as the engine knows them: a record of whole numbers, never code.

An agent has a term for each feature that it uses: a weight, or a table from the feature's value to points. Its numbers
are rounded once, by `quantise`, so that every sum is exact and every backend chooses the same placement.
"""

import math
from collections.abc import Mapping, Sequence
from numbers import Real
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from tetrion.engine.compiler import compiled
from tetrion.engine.features import FEATURES
from tetrion.engine.near import judged_near
from tetrion.engine.own import OwnFeature
from tetrion.engine.registry import BOARD, FIRST_OWN, MOST_FEATURES, MOST_OWN, Feature, written_out
from tetrion.engine.words import Array, get, lowest, maximum, minimum, pick, spread
from tetrion.errors import AgentError, UnknownNameError

LIMIT = 2**31  # scores stay below it, in size
LARGEST_WEIGHT = 1e30
MOST_DOUBLINGS = 1000  # what a float can hold; only vanishing weights would want more

AGENT = np.dtype(
    [
        ("mask", np.int64),  # the features that it uses; the rest is by the feature's number
        ("added", np.int64),  # those of them that add up over several pieces
        ("near", np.int32),  # 1: its placements can be judged by their neighbourhood
        ("removed", np.int32),  # 1: measured after full rows are removed, 0: before
        ("weight", np.int32, MOST_FEATURES),
        ("table", np.int32, MOST_FEATURES),  # where a table begins, −1 for a weight
        ("length", np.int32, MOST_FEATURES),
        ("smallest", np.int32, MOST_FEATURES),  # the value of the table's first entry
        ("own", np.int64, MOST_OWN),  # the addresses of a person's own features
        ("depth", np.int64),  # how many pieces are looked at, the current one included
        ("expect", np.int64),  # 1: after them every piece that may come
        ("beam", np.int64),  # how many placements of a piece are followed; 0: all
        ("other", np.int64),  # the number of the agent's second mode; 0: there is none
        ("selector", np.int64),  # the feature that decides between the modes, as a mask
        ("threshold", np.int64),  # from which value on it is the second
    ],
    align=True,
)

Term = float | Sequence[float]
Terms = Mapping[str, Term]

DEEPEST = 3
WIDEST = 1000
SELECTORS = (
    "aggregate_height",
    "max_height",
    "min_height",
    "filled_cells",
    "holes",
    "bumpiness",
    "altitude_difference",
    "last_column_cells",
)
measure_selector = written_out(SELECTORS)


class CompiledAgent(NamedTuple):
    """What the engine plays: terms, measured after full rows are removed or before, look-ahead, and a second mode."""

    terms: Terms
    removed: bool = True
    depth: int = 1
    expect: bool = False
    beam: int = 0
    other: Terms | None = None
    selector: str = ""
    threshold: int = 0
    own: Mapping[str, OwnFeature] = MappingProxyType({})


Playable = CompiledAgent | tuple[Terms, bool]  # in short: the terms, and whether full rows are removed before


def known(name: str, own: Mapping[str, OwnFeature] = MappingProxyType({})) -> Feature | OwnFeature:
    """The feature of that name, or the error that offers the nearest one."""
    if name in own:
        return own[name]
    if name not in FEATURES:
        raise UnknownNameError("feature", name, [*FEATURES, *own], listing="`tetrion list features` shows all.")
    return FEATURES[name]


def quantise(
    terms: Terms, own: Mapping[str, OwnFeature] = MappingProxyType({})
) -> tuple[dict[str, int | list[int]], float]:
    """Round an agent's numbers to whole ones: value × scale, and the scale.

    The scale is the largest power of two for which no score can reach 2³¹ on any board.
    """
    largest = sum(_largest_points(known(name, own), term) for name, term in terms.items())
    if largest == 0:
        return {name: _rounded(term, 1.0) for name, term in terms.items()}, 1.0
    scale = 2.0 ** min(math.floor(math.log2(LIMIT) - math.log2(largest)), MOST_DOUBLINGS)
    while True:
        whole = {name: _rounded(term, scale) for name, term in terms.items()}
        if sum(_largest_points(known(name, own), term) for name, term in whole.items()) < LIMIT:
            return whole, scale
        scale /= 2


def _largest_points(feature: Feature | OwnFeature, term: Term) -> float:
    return abs(term) * feature.largest if isinstance(term, int | float) else max(map(abs, term))


def _rounded(term: Term, scale: float) -> int | list[int]:
    return round(term * scale) if isinstance(term, int | float) else [round(points * scale) for points in term]


def checked_terms(terms: Terms, own: Mapping[str, OwnFeature] = MappingProxyType({})) -> dict[str, float | list[float]]:
    """Terms that can be played, as floats, or the error that says why not."""
    if not isinstance(terms, Mapping) or not terms:
        raise AgentError(f"An agent needs a weight or a table for at least one feature; given {terms!r}.")
    if len(mine := [name for name in terms if isinstance(known(name, own), OwnFeature)]) > MOST_OWN:
        raise AgentError(f"An agent has room for {MOST_OWN} features of your own; given {', '.join(mine)}.")
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


def compiled_agents(agents: Sequence[Playable]) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Records for the engine, one an agent and then one for each second mode, and the tables of all of them."""
    described = [CompiledAgent(*agent) for agent in agents]
    seconds = [number for number, agent in enumerate(described) if agent.other is not None]
    records, tables = np.zeros(len(agents) + len(seconds), AGENT), [0]
    for record, agent in zip(records, described, strict=False):
        _fill(record, agent, agent.terms, tables)
    for place, number in enumerate(seconds, len(agents)):
        agent = described[number]
        _fill(records[place], agent, agent.other or {}, tables)
        records[number]["other"], records[number]["threshold"] = place, agent.threshold
        records[number]["selector"] = 1 << FEATURES[agent.selector].number
    return records, np.array(tables, np.int32)


def _fill(record: Any, agent: CompiledAgent, terms: Terms, tables: list[int]) -> None:
    """Write one set of terms into a record, and its tables behind the others."""
    record["removed"], record["depth"] = agent.removed, agent.depth
    record["expect"], record["beam"] = agent.expect, agent.beam
    mine = 0
    for name, term in quantise(checked_terms(terms, agent.own), agent.own)[0].items():
        feature = known(name, agent.own)
        if isinstance(feature, OwnFeature):
            number, record["own"][mine], mine = FIRST_OWN + mine, feature.address(), mine + 1
        else:
            number = feature.number
        record["mask"] |= 1 << number
        record["added"] |= (feature.of != BOARD) << number
        if isinstance(term, int):
            record["weight"][number], record["table"][number] = term, -1
        else:
            record["table"][number], record["length"][number] = len(tables), len(term)
            record["smallest"][number] = feature.smallest
            tables += term
    record["near"] = judged_near(int(record["mask"])) and not record["length"].any()


@compiled
def score(agent: Any, mask: int, tables: Array, values: Array, x: int) -> int:
    """The points for those features of a placement that the mask has, measured into `values` before."""
    points, left = spread(0, x), mask
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
