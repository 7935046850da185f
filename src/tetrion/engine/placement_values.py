"""The points and feature values of all placements of a piece, for explanations and for learning."""

from typing import Annotated

from tetrion.engine.compiler import compile_entry, compile_inline
from tetrion.engine.feature_registry import FIRST_FURTHER_FEATURE, MAX_FEATURES
from tetrion.engine.lookahead import MAX_PLACEMENTS_PER_DEPTH, SearchScratch, store_measured_placements
from tetrion.engine.piece_motion import PieceOnBoard
from tetrion.engine.placement_choice import find_best_placements
from tetrion.engine.placements import WORST_POINTS, ScoredLanePlacements, Search
from tetrion.engine.records import AgentRecords, Int32Array, Records, RulesRecords
from tetrion.engine.scalar_or_simd import Array, find_lowest_bit, load_value
from tetrion.engine.simd_lanes import reduce_max, store


class PlacementValuesRecord(SearchScratch):
    """The placements of a piece and their feature values."""

    feature_values: Annotated[Int32Array, MAX_FEATURES * MAX_PLACEMENTS_PER_DEPTH]  # by feature number and placement


@compile_inline
def store_feature_values(search: Search[PlacementValuesRecord], depth: int, lanes: ScoredLanePlacements) -> None:
    """Store sixteen placements and their feature values in the scratch."""
    scratch = search.scratch
    offset = scratch.count[depth]
    store_measured_placements(search, depth, lanes)
    if scratch.count[depth] == offset:
        return
    for first, mask in ((0, search.agent.mask), (FIRST_FURTHER_FEATURE, search.agent.further_mask)):
        remaining = mask
        while remaining:
            number = first + find_lowest_bit(remaining)
            remaining &= remaining - 1
            index = number * MAX_PLACEMENTS_PER_DEPTH + offset
            store(scratch.feature_values, index, load_value(scratch.values, number, lanes.column))


@compile_entry(seconds=10)
def evaluate_placements(
    piece_on_board: PieceOnBoard[RulesRecords],
    interval: int,
    agents: AgentRecords,
    tables: Array,
    records: Records[PlacementValuesRecord],
) -> bool:
    """Write the placements of a piece and their feature values into the first of `records`.

    The first of `agents` scores them. Placements that end the game are written only if all do. Return whether the game
    continues after some placement.
    """
    board, rules, piece = piece_on_board
    search = Search(rules[0], interval, agents[0], agents, tables, records[0])
    best, survives = find_best_placements(board, piece, search, store_feature_values, 0)
    return bool(survives and reduce_max(best.points) != WORST_POINTS)
