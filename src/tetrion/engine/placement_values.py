"""The points and feature values of all placements of a piece, for explanations and for learning."""

import numpy as np

from tetrion.engine.best_placements import WORST_POINTS, PlacementLanes, Search
from tetrion.engine.compiler import compile_entry, compile_inline
from tetrion.engine.feature_registry import MAX_FEATURES
from tetrion.engine.lookahead import MAX_PLACEMENTS_PER_DEPTH, SEARCH_FIELDS, store_measured_placements
from tetrion.engine.piece_motion import PieceOnBoard
from tetrion.engine.placement_choice import find_best_placements
from tetrion.engine.scalar_or_simd import Array, find_lowest_bit, load_value
from tetrion.engine.simd_lanes import reduce_max, store

PLACEMENT_VALUES_DTYPE = np.dtype(
    [*SEARCH_FIELDS, ("feature_values", np.int32, MAX_FEATURES * MAX_PLACEMENTS_PER_DEPTH)], align=True
)


@compile_inline
def store_feature_values(search: Search, depth: int, lanes: PlacementLanes) -> None:
    """Store sixteen placements and their feature values in the scratch."""
    scratch = search.scratch
    remaining = search.agent.mask
    offset = scratch.count[depth]
    store_measured_placements(search, depth, lanes)
    if scratch.count[depth] == offset:
        return
    while remaining:
        number = find_lowest_bit(remaining)
        remaining &= remaining - 1
        index = number * MAX_PLACEMENTS_PER_DEPTH + offset
        store(scratch.feature_values, index, load_value(scratch.values, number, lanes.column))


@compile_entry(seconds=25)
def evaluate_placements(
    piece_on_board: PieceOnBoard, interval: int, agents: Array, tables: Array, records: Array
) -> bool:
    """Write the placements of a piece and their feature values into a record of `PLACEMENT_VALUES_DTYPE`.

    The first of `agents` scores them. Placements that end the game are written only if all do. Return whether the game
    continues after some placement.
    """
    board, rules, piece = piece_on_board
    search = Search(rules[0], interval, agents[0], agents, tables, records[0])
    best, survives = find_best_placements(board, piece, search, store_feature_values, 0)
    return bool(survives and reduce_max(best.points) != WORST_POINTS)
