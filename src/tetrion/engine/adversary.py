"""The adversary (after Brzustowski 1992): it deals the piece whose best placement has the lowest value."""

from tetrion.engine.bitboard import compute_outcome, find_landing_row, fits
from tetrion.engine.compiler import compile_inline, compile_separate
from tetrion.engine.features.dellacherie_features import (
    column_transitions,
    eroded_cells,
    holes,
    landing_height,
    row_transitions,
    wells,
)
from tetrion.engine.pieces import PIECES, PLACEMENT_COLUMNS
from tetrion.engine.placement_choice import BasicScratch, examine_board
from tetrion.engine.records import RulesRecord
from tetrion.engine.scalar_or_simd import Array

_NO_PLACEMENT_VALUE = -(2**31)  # the value of a piece without any placement


@compile_separate
def compute_best_drop_value(board: Array, rules: RulesRecord, piece: int, scratch: BasicScratch) -> int:
    """Return twice the value of a piece's best straight drop by Dellacherie's evaluation function.

    The landing height counts in half rows, so the value is doubled.
    """
    before = examine_board(board, rules.rows, 0, scratch.heights)
    best = _NO_PLACEMENT_VALUE
    for rotation in range(rules.rotation_count[piece]):
        orientation = int(rules.orientations[piece, rotation])
        for x in range(PLACEMENT_COLUMNS[orientation]):
            row = find_landing_row(scratch.heights, orientation, x)
            if fits(orientation, x, row, rules.rows):
                after = compute_outcome(before, True, orientation, x, row)
                gain = eroded_cells(after) - row_transitions(after) - column_transitions(after) - wells(after)
                best = max(best, 2 * (gain - 4 * holes(after)) - landing_height(after))
    return best


@compile_inline
def find_worst_piece(board: Array, rules: RulesRecord, scratch: BasicScratch) -> int:
    """Return the piece whose best drop has the lowest value."""
    worst_piece = 0
    lowest_value = compute_best_drop_value(board, rules, 0, scratch)
    for piece in range(1, len(PIECES)):
        value = compute_best_drop_value(board, rules, piece, scratch)
        if value < lowest_value:
            worst_piece, lowest_value = piece, value
    return worst_piece
