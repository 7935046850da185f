"""Agents as records of integers, the form that the engine reads.

An agent has one term for each feature that it uses: a weight, or a table that maps the feature's value to points. For
each pattern that it uses it has a table. These numbers are rounded once, by `quantise`, so that all sums are exact and
all backends choose the same placement.
"""

import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from numbers import Real
from types import MappingProxyType
from typing import NamedTuple, TypeGuard

import numpy as np

from tetrion.engine.compiler import compile_inline
from tetrion.engine.custom_features import CustomFeature
from tetrion.engine.feature_registry import (
    BOARD_FEATURE,
    FIRST_CUSTOM_FEATURE,
    FURTHER_ADDITIVE_POINTS,
    FURTHER_BOARD_POINTS,
    MAX_CUSTOM_FEATURES,
    SECOND_MASK_START,
    Feature,
    compile_measure,
)
from tetrion.engine.features import FEATURES
from tetrion.engine.features.attack_features import ATTACK_FEATURES, AttackFeature
from tetrion.engine.local_evaluation import supports_local_evaluation
from tetrion.engine.patterns import PATTERNS, Pattern
from tetrion.engine.records import MAX_KNOWN_PIECES, AgentRecord, AgentRecords
from tetrion.engine.scalar_or_simd import Array, broadcast, find_lowest_bit, gather_at, load_value, maximum, minimum
from tetrion.errors import AgentError, UnknownNameError, describe_value

SCORE_LIMIT = 2**31  # the absolute value of a score is smaller
MAX_WEIGHT = 1e30
_MAX_SCALE_EXPONENT = 1000  # below the limit of a float (2^1023); only extremely small weights would need more

FeatureTerm = float | Sequence[float]  # a weight, or a table; a table may also be an array of numbers
FeatureTerms = Mapping[str, FeatureTerm]

AnyFeature = Feature | CustomFeature | Pattern | AttackFeature

MAX_DEPTH = 3
MAX_BEAM_DEPTH = MAX_KNOWN_PIECES  # of agents with attack features: the current piece, the preview, and hold
MAX_DEPTH_WITHOUT_BEAM = 2  # of such agents
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


class ValidTerms(dict[str, float | Array]):
    """Terms that `validate_terms` has checked: tables are arrays of floats."""

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Mapping) or self.keys() != other.keys():
            return False
        return all(np.array_equal(term, other[name]) for name, term in self.items())

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = None


class EngineAgent(NamedTuple):
    """An agent for the engine: its terms, its search, and optionally a second mode."""

    terms: FeatureTerms
    measures_after_clear: bool = True
    depth: int = 1
    expect: bool = False
    beam: int = 0
    view_rows: int = 0
    second_terms: FeatureTerms | None = None
    selector: str = ""
    threshold: int = 0
    custom_features: Mapping[str, CustomFeature] = MappingProxyType({})


EngineAgentOrTerms = EngineAgent | tuple[FeatureTerms, bool]  # the tuple is (terms, measures_after_clear)


def find_feature(name: str, custom_features: Mapping[str, CustomFeature] = MappingProxyType({})) -> AnyFeature:
    """Return the feature or pattern with this name, or raise an UnknownNameError."""
    registries: tuple[Mapping[str, AnyFeature], ...] = (FEATURES, PATTERNS, custom_features, ATTACK_FEATURES)
    for registry in registries:
        if name in registry:
            return registry[name]
    names = [name for registry in registries for name in registry]
    raise UnknownNameError("feature", name, names, listing="`tetrion.FEATURES` lists all features.")


def quantise(
    terms: FeatureTerms | ValidTerms, custom_features: Mapping[str, CustomFeature] = MappingProxyType({})
) -> tuple[dict[str, int | list[int]], float]:
    """Return an agent's terms as integers (term × scale, rounded), and the scale.

    The scale is the largest power of two for which no score can reach SCORE_LIMIT on any board.
    """
    arrays = {name: term if isinstance(term, int | float) else np.array(term) for name, term in terms.items()}
    integers, scale = _quantise_arrays(arrays, custom_features)
    return {name: term if isinstance(term, int) else term.tolist() for name, term in integers.items()}, scale


def _quantise_arrays(
    terms: Mapping[str, float | Array], custom_features: Mapping[str, CustomFeature]
) -> tuple[dict[str, int | Array], float]:
    """Do what `quantise` does, with arrays for the tables."""

    def compute_max_score(terms: Mapping[str, float | Array]) -> float:
        return sum(_compute_max_points(find_feature(name, custom_features), term) for name, term in terms.items())

    max_score = compute_max_score(terms)
    if max_score == 0:
        return {name: _round_term(term, 1.0) for name, term in terms.items()}, 1.0
    scale = 2.0 ** min(math.floor(math.log2(SCORE_LIMIT) - math.log2(max_score)), _MAX_SCALE_EXPONENT)
    while True:  # because rounding can lift the largest score to the limit
        integers = {name: _round_term(term, scale) for name, term in terms.items()}
        if compute_max_score(integers) < SCORE_LIMIT:
            return integers, scale
        scale /= 2


def _compute_max_points(feature: AnyFeature, term: float | Array) -> float:
    if isinstance(feature, Pattern):
        return feature.places * float(np.abs(term).max())
    return abs(term) * feature.max_value if isinstance(term, int | float) else float(np.abs(term).max())


def _round_term(term: float | Array, scale: float) -> int | Array:
    if isinstance(term, int | float):
        return round(term * scale)
    integers: Array = np.rint(term * scale).astype(np.int64)
    return integers


def validate_terms(
    terms: FeatureTerms, custom_features: Mapping[str, CustomFeature] = MappingProxyType({})
) -> ValidTerms:
    """Return the terms as floats, with arrays for the tables, or raise an error if they are invalid."""
    if isinstance(terms, ValidTerms):
        return terms
    if not isinstance(terms, Mapping) or not terms:
        raise AgentError(f"An agent needs a weight or a table for at least one feature; given {describe_value(terms)}.")
    custom_names = [name for name in terms if isinstance(find_feature(name, custom_features), CustomFeature)]
    if len(custom_names) > MAX_CUSTOM_FEATURES:
        raise AgentError(
            f"An agent can use at most {MAX_CUSTOM_FEATURES} custom features; given {', '.join(custom_names)}."
        )
    for name in terms.keys() & PATTERNS.keys():
        _check_pattern_table(PATTERNS[name], terms[name])
    for name in terms.keys() & ATTACK_FEATURES.keys():
        if not isinstance(terms[name], Real):
            raise AgentError(
                f"The attack feature '{name}' needs a weight, not a table; given {describe_value(terms[name])}."
            )
    return ValidTerms({name: _validate_term(name, term) for name, term in terms.items()})


def _check_pattern_table(pattern: Pattern, term: FeatureTerm) -> None:
    if not _is_table(term) or len(term) != pattern.size:
        given = f"{len(term):,} numbers" if _is_table(term) else repr(term)
        raise AgentError(f"The pattern '{pattern.name}' needs a table of {pattern.size:,} numbers; given {given}.")


def _is_table(term: object) -> TypeGuard[Sequence[float]]:
    if isinstance(term, np.ndarray):
        return term.ndim == 1 and term.dtype.kind in "fiu"
    return isinstance(term, Sequence) and not isinstance(term, str)


def _validate_term(name: str, term: FeatureTerm) -> float | Array:
    if isinstance(term, Real):
        return _validate_number(name, term)
    if not _is_table(term):
        raise AgentError(
            f"The weight of '{name}' must be a number, or a list of numbers for a table; given {describe_value(term)}."
        )
    if len(term) == 0:
        raise AgentError(f"The table of '{name}' must have at least one number; given an empty list.")
    if isinstance(term, np.ndarray) or set(map(type, term)) <= {int, float}:  # the quick way for large tables
        with suppress(OverflowError):
            points_array = np.array(term, np.float64)
            if bool((np.abs(points_array) <= MAX_WEIGHT).all()):  # False for NaN
                return points_array
    return np.array([_validate_number(name, points) for points in term])


def _validate_number(name: str, number: object) -> float:
    value = math.nan
    if isinstance(number, Real) and not isinstance(number, bool):
        try:
            value = float(number)
        except OverflowError:  # an int that is larger than any float
            value = 2 * MAX_WEIGHT
    if not math.isfinite(value):
        raise AgentError(f"The weight of '{name}' must be a finite number; given {describe_value(number)}.")
    if abs(value) > MAX_WEIGHT:
        raise AgentError(
            f"The absolute weight of '{name}' must be at most {MAX_WEIGHT:g}; given {value:g}. Scale all weights down."
        )
    return value


def compile_agents(agents: Sequence[EngineAgentOrTerms]) -> tuple[AgentRecords, Array]:
    """Return records of the agents, followed by records of their second modes, and the array of all their tables."""
    compiled = [EngineAgent(*agent) for agent in agents]
    two_mode_agents = [number for number, agent in enumerate(compiled) if agent.second_terms is not None]
    records = AgentRecord.make_array(len(agents) + len(two_mode_agents))
    tables: list[Array] = [np.zeros(1, np.int64)]
    for record, agent in zip(records, compiled, strict=False):
        _fill_record(record, agent, agent.terms, tables)
    for second_mode, number in enumerate(two_mode_agents, len(agents)):
        agent = compiled[number]
        _fill_record(records[second_mode], agent, agent.second_terms or {}, tables)
        records[number].second_mode = second_mode
        records[number].threshold = agent.threshold
        records[number].selector = 1 << FEATURES[agent.selector].number
    return records, np.concatenate(tables).astype(np.int32)


def _fill_record(record: AgentRecord, agent: EngineAgent, terms: FeatureTerms, tables: list[Array]) -> None:
    """Write one set of an agent's terms into a record, and append its tables to `tables`."""
    record.measures_after_clear = agent.measures_after_clear
    record.depth = agent.depth
    record.expect = agent.expect
    record.beam = agent.beam
    record.view_rows = agent.view_rows
    starts = record.table_start
    lengths = record.table_length
    is_additive: dict[int, bool] = {}  # by number of the feature
    custom_count = 0
    start = sum(map(len, tables))
    valid_terms = validate_terms(terms, agent.custom_features)
    for name, term in _quantise_arrays(valid_terms, agent.custom_features)[0].items():
        feature = find_feature(name, agent.custom_features)
        if isinstance(feature, AttackFeature):
            record.attack_mask |= 1 << feature.number
            record.attack_weight[feature.number] = term
            continue
        if isinstance(feature, Pattern):
            record.pattern_mask |= 1 << feature.number
            record.pattern_start[feature.number] = start
            start += _add_table(tables, term)
            continue
        if isinstance(feature, CustomFeature):
            number = FIRST_CUSTOM_FEATURE + custom_count
            record.custom_addresses[custom_count] = feature.get_address()
            custom_count += 1
        else:
            number = feature.number
        is_additive[number] = feature.kind != BOARD_FEATURE
        if isinstance(term, int):
            record.weight[number] = term
            starts[number] = -1
        else:
            starts[number] = start
            lengths[number] = len(term)
            record.table_min[number] = feature.min_value
            start += _add_table(tables, term)
    _write_masks(record, is_additive)
    is_local = supports_local_evaluation(int(record.mask)) and not lengths.any() and not record.pattern_mask
    record.is_local = is_local


def _add_table(tables: list[Array], term: int | Array) -> int:
    """Append a table, or one with a single number; return its length."""
    tables.append(np.atleast_1d(term))
    return len(tables[-1])


def _write_masks(record: AgentRecord, is_additive: Mapping[int, bool]) -> None:
    """Set the bits of features, given by number; for further features, also those of the points of all of them."""
    masks = [0, 0, 0, 0]  # features, additive features, further features, additive further features
    for number, additive in is_additive.items():
        if number >= SECOND_MASK_START:
            bit = 1 << number - SECOND_MASK_START
            masks[2] |= bit
            masks[3] |= additive * bit
            number = FURTHER_ADDITIVE_POINTS if additive else FURTHER_BOARD_POINTS
            record.weight[number] = 1
            record.table_start[number] = -1
        masks[0] |= 1 << number
        masks[1] |= additive << number
    record.mask, record.additive_mask, record.second_mask, record.second_additive_mask = masks


@compile_inline
def compute_feature_points(agent: AgentRecord, number: int, tables: Array, values: Array, x: int) -> int:
    """Return the agent's points for one feature, whose measured value is in `values`."""
    value = load_value(values, number, x)
    if agent.table_start[number] < 0:
        return value * int(agent.weight[number])
    entry = minimum(maximum(value - agent.table_min[number], 0), agent.table_length[number] - 1)
    return gather_at(tables, agent.table_start[number], entry)


@compile_inline
def compute_score(agent: AgentRecord, mask: int, tables: Array, values: Array, x: int) -> int:
    """Return the agent's points for the features in the mask, whose measured values are in `values`."""
    points = broadcast(0, x)
    remaining = mask
    while remaining:
        number = find_lowest_bit(remaining)
        remaining &= remaining - 1
        points = points + compute_feature_points(agent, number, tables, values, x)
    return points
