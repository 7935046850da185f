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

from tetrion.engine.compiler import compile_inline
from tetrion.engine.custom_features import CustomFeature
from tetrion.engine.feature_registry import (
    BOARD_FEATURE,
    FIRST_CUSTOM_FEATURE,
    MAX_CUSTOM_FEATURES,
    MAX_FEATURES,
    Feature,
    compile_measure,
)
from tetrion.engine.features import FEATURES
from tetrion.engine.local_evaluation import supports_local_evaluation
from tetrion.engine.scalar_or_simd import Array, broadcast, find_lowest_bit, gather_at, load_value, maximum, minimum
from tetrion.errors import AgentError, UnknownNameError

SCORE_LIMIT = 2**31  # scores stay below it, in size
MAX_WEIGHT = 1e30
_MAX_SCALE_EXPONENT = 1000  # what a float can hold; only vanishing weights would want more

AGENT_DTYPE = np.dtype(
    [
        ("mask", np.int64),  # the features that it uses; the rest is by the feature's number
        ("added", np.int64),  # those of them that add up over several pieces
        ("near", np.int32),  # 1: its placements can be judged by their neighbourhood
        ("removed", np.int32),  # 1: measured after full rows are removed, 0: before
        ("weight", np.int32, MAX_FEATURES),
        ("table", np.int32, MAX_FEATURES),  # where a table begins, −1 for a weight
        ("length", np.int32, MAX_FEATURES),
        ("smallest", np.int32, MAX_FEATURES),  # the value of the table's first entry
        ("own", np.int64, MAX_CUSTOM_FEATURES),  # the addresses of a person's own features
        ("depth", np.int64),  # how many pieces are looked at, the current one included
        ("expect", np.int64),  # 1: after them every piece that may come
        ("beam", np.int64),  # how many placements of a piece are followed; 0: all
        ("other", np.int64),  # the number of the agent's second mode; 0: there is none
        ("selector", np.int64),  # the feature that decides between the modes, as a mask
        ("threshold", np.int64),  # from which value on it is the second
    ],
    align=True,
)

FeatureTerm = float | Sequence[float]
FeatureTerms = Mapping[str, FeatureTerm]

MAX_DEPTH = 3
MAX_BEAM = 1000
SELECTOR_FEATURES = (
    "aggregate_height",
    "max_height",
    "min_height",
    "filled_cells",
    "holes",
    "bumpiness",
    "altitude_difference",
    "last_column_cells",
)
measure_selector = compile_measure(SELECTOR_FEATURES)


class CompiledAgent(NamedTuple):
    """What the engine plays: terms, measured after full rows are removed or before, look-ahead, and a second mode."""

    terms: FeatureTerms
    measures_after_clear: bool = True
    depth: int = 1
    expect: bool = False
    beam: int = 0
    second_terms: FeatureTerms | None = None
    selector: str = ""
    threshold: int = 0
    custom_features: Mapping[str, CustomFeature] = MappingProxyType({})


Playable = CompiledAgent | tuple[FeatureTerms, bool]  # in short: the terms, and whether full rows are removed before


def find_feature(
    name: str, custom_features: Mapping[str, CustomFeature] = MappingProxyType({})
) -> Feature | CustomFeature:
    """The feature of that name, or the error that offers the nearest one."""
    if name in custom_features:
        return custom_features[name]
    if name not in FEATURES:
        raise UnknownNameError(
            "feature", name, [*FEATURES, *custom_features], listing="`tetrion list features` shows all."
        )
    return FEATURES[name]


def quantise(
    terms: FeatureTerms, custom_features: Mapping[str, CustomFeature] = MappingProxyType({})
) -> tuple[dict[str, int | list[int]], float]:
    """Round an agent's numbers to whole ones: value × scale, and the scale.

    The scale is the largest power of two for which no score can reach 2³¹ on any board.
    """
    largest = sum(_compute_max_points(find_feature(name, custom_features), term) for name, term in terms.items())
    if largest == 0:
        return {name: _round_term(term, 1.0) for name, term in terms.items()}, 1.0
    scale = 2.0 ** min(math.floor(math.log2(SCORE_LIMIT) - math.log2(largest)), _MAX_SCALE_EXPONENT)
    while True:
        whole = {name: _round_term(term, scale) for name, term in terms.items()}
        if (
            sum(_compute_max_points(find_feature(name, custom_features), term) for name, term in whole.items())
            < SCORE_LIMIT
        ):
            return whole, scale
        scale /= 2


def _compute_max_points(feature: Feature | CustomFeature, term: FeatureTerm) -> float:
    return abs(term) * feature.max_value if isinstance(term, int | float) else max(map(abs, term))


def _round_term(term: FeatureTerm, scale: float) -> int | list[int]:
    return round(term * scale) if isinstance(term, int | float) else [round(points * scale) for points in term]


def validate_terms(
    terms: FeatureTerms, custom_features: Mapping[str, CustomFeature] = MappingProxyType({})
) -> dict[str, float | list[float]]:
    """Terms that can be played, as floats, or the error that says why not."""
    if not isinstance(terms, Mapping) or not terms:
        raise AgentError(f"An agent needs a weight or a table for at least one feature; given {terms!r}.")
    if (
        len(mine := [name for name in terms if isinstance(find_feature(name, custom_features), CustomFeature)])
        > MAX_CUSTOM_FEATURES
    ):
        raise AgentError(f"An agent has room for {MAX_CUSTOM_FEATURES} features of your own; given {', '.join(mine)}.")
    return {name: _validate_term(name, term) for name, term in terms.items()}


def _validate_term(name: str, term: FeatureTerm) -> float | list[float]:
    if isinstance(term, Real):
        return _validate_number(name, term)
    if isinstance(term, str) or not isinstance(term, Sequence):
        raise AgentError(f"The weight of '{name}' is a number, or a list of them for a table; given {term!r}.")
    if not term:
        raise AgentError(f"The table of '{name}' has at least one number; given none.")
    return [_validate_number(name, points) for points in term]


def _validate_number(name: str, number: object) -> float:
    value = math.nan
    if isinstance(number, Real) and not isinstance(number, bool):
        try:
            value = float(number)
        except OverflowError:  # a whole number beyond all floats
            value = 2 * MAX_WEIGHT
    if not math.isfinite(value):
        raise AgentError(f"The weight of '{name}' is made of finite numbers; given {number!r}.")
    if abs(value) > MAX_WEIGHT:
        raise AgentError(f"The weight of '{name}' is at most {MAX_WEIGHT:g} in size. Scale all weights down.")
    return value


def compile_agents(agents: Sequence[Playable]) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Records for the engine, one an agent and then one for each second mode, and the tables of all of them."""
    described = [CompiledAgent(*agent) for agent in agents]
    seconds = [number for number, agent in enumerate(described) if agent.second_terms is not None]
    records, tables = np.zeros(len(agents) + len(seconds), AGENT_DTYPE), [0]
    for record, agent in zip(records, described, strict=False):
        _fill_record(record, agent, agent.terms, tables)
    for place, number in enumerate(seconds, len(agents)):
        agent = described[number]
        _fill_record(records[place], agent, agent.second_terms or {}, tables)
        records[number]["other"], records[number]["threshold"] = place, agent.threshold
        records[number]["selector"] = 1 << FEATURES[agent.selector].number
    return records, np.array(tables, np.int32)


def _fill_record(record: Any, agent: CompiledAgent, terms: FeatureTerms, tables: list[int]) -> None:
    """Write one set of terms into a record, and its tables behind the others."""
    record["removed"], record["depth"] = agent.measures_after_clear, agent.depth
    record["expect"], record["beam"] = agent.expect, agent.beam
    mine = 0
    for name, term in quantise(validate_terms(terms, agent.custom_features), agent.custom_features)[0].items():
        feature = find_feature(name, agent.custom_features)
        if isinstance(feature, CustomFeature):
            number, record["own"][mine], mine = FIRST_CUSTOM_FEATURE + mine, feature.get_address(), mine + 1
        else:
            number = feature.number
        record["mask"] |= 1 << number
        record["added"] |= (feature.kind != BOARD_FEATURE) << number
        if isinstance(term, int):
            record["weight"][number], record["table"][number] = term, -1
        else:
            record["table"][number], record["length"][number] = len(tables), len(term)
            record["smallest"][number] = feature.min_value
            tables += term
    record["near"] = supports_local_evaluation(int(record["mask"])) and not record["length"].any()


@compile_inline
def compute_score(agent: Any, mask: int, tables: Array, values: Array, x: int) -> int:
    """The points for those features of a placement that the mask has, measured into `values` before."""
    points, left = broadcast(0, x), mask
    while left:
        number = find_lowest_bit(left)
        left &= left - 1
        value = load_value(values, number, x)
        if agent.table[number] < 0:
            points = points + value * agent.weight[number]
        else:
            entry = minimum(maximum(value - agent.smallest[number], 0), agent.length[number] - 1)
            points = points + gather_at(tables, agent.table[number], entry)
    return points
