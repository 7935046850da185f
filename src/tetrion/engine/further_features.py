"""The points of an agent's further features: those of its second mask, among them the custom features.

An agent without further features only tests two bits of its first mask and never calls the function of this module.
"""

from collections.abc import Callable
from typing import Any

from numba.extending import overload

from tetrion.engine.agent_records import compute_feature_points
from tetrion.engine.bitboard import Outcome
from tetrion.engine.compiler import SEPARATE_OPTIONS, compile_inline
from tetrion.engine.custom_features import measure_custom_features
from tetrion.engine.feature_registry import FIRST_FURTHER_FEATURE, FURTHER_ADDITIVE_POINTS, FURTHER_BOARD_POINTS
from tetrion.engine.features import FEATURES, measure_further_features
from tetrion.engine.placements import Search
from tetrion.engine.records import AgentRecord
from tetrion.engine.scalar_or_simd import broadcast, find_lowest_bit, store_value

_HAS_BUILTIN_FEATURES = any(feature.number >= FIRST_FURTHER_FEATURE for feature in FEATURES.values())
_SCRATCH_INDEX = Search._fields.index("scratch")


def _make_store_points(measure_custom: Callable[[AgentRecord, Outcome, bool, Any], None]) -> Callable[..., None]:
    def store_points(search: Any, after: Any, possible: Any) -> None:
        agent = search.agent
        values = search.scratch.values
        x = after.bottom
        measure_further_features(agent.further_mask, after, values)
        measure_custom(agent, after, possible, search.scratch)
        board_points = broadcast(0, x)
        additive_points = broadcast(0, x)
        remaining = agent.further_mask
        while remaining:
            bit = find_lowest_bit(remaining)
            remaining &= remaining - 1
            points = compute_feature_points(agent, FIRST_FURTHER_FEATURE + bit, search.tables, values, x)
            if (agent.further_additive_mask >> bit) & 1:
                additive_points = additive_points + points
            else:
                board_points = board_points + points
        store_value(values, FURTHER_BOARD_POINTS, board_points)
        store_value(values, FURTHER_ADDITIVE_POINTS, additive_points)

    return store_points


@compile_inline
def skip_custom_features(agent: AgentRecord, outcome: Outcome, possible: bool, scratch: object) -> None:
    """Do nothing (for a scratch without an outcome block, as on a GPU)."""


_store_builtin_points = _make_store_points(skip_custom_features)


def store_further_points(search: Search[object], after: Outcome, possible: bool) -> None:
    """Store the values of the agent's further features and their points among the scratch's values.

    Custom features are measured only where `possible` is true, and only if the scratch has an outcome block.
    """
    _store_builtin_points(search, after, possible)


def skip_further_features(search: Any, after: Any, possible: Any) -> None:
    """Do nothing (on a GPU, if all built-in features have their bits in the first mask)."""


@overload(store_further_points, jit_options=SEPARATE_OPTIONS)  # type: ignore[untyped-decorator]
def _select_store_points(search: Any, after: Any, possible: Any) -> Callable[..., None]:
    if "outcome_block" in search.types[_SCRATCH_INDEX].fields:
        return _make_store_points(measure_custom_features)
    return _store_builtin_points if _HAS_BUILTIN_FEATURES else skip_further_features
