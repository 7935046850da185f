"""The points and feature values of all placements of a piece, for explanations and for learning."""

from typing import Any

import numpy as np

from tetrion.engine.best_placements import WORST_POINTS
from tetrion.engine.compiler import compile_entry, compile_inline
from tetrion.engine.feature_registry import MAX_FEATURES
from tetrion.engine.local_evaluation import Scratch
from tetrion.engine.lookahead import MAX_PLACEMENTS_PER_DEPTH, SEARCH_FIELDS, store_measured_placements
from tetrion.engine.placement_choice import find_best_placements
from tetrion.engine.scalar_or_simd import Array, find_lowest_bit, load_value
from tetrion.engine.simd_lanes import reduce_max, store

PLACEMENT_VALUES_DTYPE = np.dtype(
    [*SEARCH_FIELDS, ("feature_values", np.int32, MAX_FEATURES * MAX_PLACEMENTS_PER_DEPTH)], align=True
)


@compile_inline
def store_feature_values(
    scratch: Scratch, depth: int, agent: Any, tables: Array, possible: Any, points: Any, rotation: int, x: Any, row: Any
) -> None:
    """Store sixteen placements and their feature values in the scratch."""
    remaining = agent.mask
    offset = scratch.count[depth]
    store_measured_placements(scratch, depth, agent, tables, possible, points, rotation, x, row)
    if scratch.count[depth] == offset:
        return
    while remaining:
        number = find_lowest_bit(remaining)
        remaining &= remaining - 1
        index = number * MAX_PLACEMENTS_PER_DEPTH + offset
        store(scratch.feature_values, index, load_value(scratch.values, number, x))


@compile_entry(seconds=25)
def evaluate_placements(
    board: Array,
    rules_array: Array,
    agents: Array,
    number: int,
    tables: Array,
    piece: int,
    interval: int,
    records: Array,
) -> bool:
    """Write the placements of a piece and their feature values into a record of `PLACEMENT_VALUES_DTYPE`.

    Placements that end the game are written only if all do. Return whether the game continues after some placement.
    """
    rules = rules_array[0]
    agent = agents[number]
    record = records[0]
    best, survives = find_best_placements(board, rules, piece, interval, agent, tables, record, store_feature_values, 0)
    return bool(survives and reduce_max(best.points) != WORST_POINTS)
