"""All placements of a piece with everything that an agent measures of them, for explanations."""

from typing import Any

import numpy as np

from tetrion.engine.best_placements import WORST_POINTS
from tetrion.engine.compiler import compile_entry, compile_inline
from tetrion.engine.feature_registry import MAX_FEATURES
from tetrion.engine.local_evaluation import Scratch
from tetrion.engine.lookahead import MAX_PLACEMENTS_PER_DEPTH, SEARCH_FIELDS, store_measured_placements
from tetrion.engine.placement_choice import find_best_placements
from tetrion.engine.scalar_or_simd import Array, find_lowest_bit, load_value
from tetrion.engine.simd_lanes import reduce_max as largest_lane
from tetrion.engine.simd_lanes import store

PLACEMENT_VALUES_DTYPE = np.dtype(
    [*SEARCH_FIELDS, ("measured", np.int32, MAX_FEATURES * MAX_PLACEMENTS_PER_DEPTH)], align=True
)


@compile_inline
def store_feature_values(
    scratch: Scratch, depth: int, agent: Any, tables: Array, possible: Any, points: Any, turn: int, x: Any, row: Any
) -> None:
    """Keep sixteen placements and the values of their features."""
    left, offset = agent.mask, scratch.count[depth]
    store_measured_placements(scratch, depth, agent, tables, possible, points, turn, x, row)
    if scratch.count[depth] == offset:
        return
    while left:
        number = find_lowest_bit(left)
        left &= left - 1
        store(scratch.measured, number * MAX_PLACEMENTS_PER_DEPTH + offset, load_value(scratch.values, number, x))


@compile_entry(seconds=25)
def evaluate_placements(
    board: Array, rule: Array, agents: Array, number: int, tables: Array, piece: int, interval: int, records: Array
) -> bool:
    """Write the placements of a piece into a record of `WEIGHED`, those that end the game only if all do.

    Tells whether the game goes on after one of them.
    """
    rules = rule[0]
    agent = agents[number]
    record = records[0]
    leaders, alive = find_best_placements(board, rules, piece, interval, agent, tables, record, store_feature_values, 0)
    return bool(alive and largest_lane(leaders.points) != WORST_POINTS)
