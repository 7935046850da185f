"""The dealer who wants the player to lose (after Brzustowski 1992): always the piece that suits the board least."""

from typing import Any

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
from tetrion.engine.local_evaluation import Scratch
from tetrion.engine.pieces import PIECES, PLACEMENT_COLUMNS
from tetrion.engine.placement_choice import examine_board
from tetrion.engine.scalar_or_simd import Array

_NO_PLACEMENT_VALUE = -(2**31)  # the worth of a piece that fits nowhere


@compile_separate
def compute_best_drop_value(board: Array, rules: Any, piece: int, scratch: Scratch) -> int:
    """The points of a piece's best straight drop by Dellacherie's evaluation, doubled for the half rows."""
    now, best = examine_board(board, rules.rows, 0, scratch.heights), _NO_PLACEMENT_VALUE
    for turn in range(rules.turns[piece]):
        orientation = int(rules.turned[piece, turn])
        for x in range(PLACEMENT_COLUMNS[orientation]):
            row = find_landing_row(scratch.heights, orientation, x)
            if fits(orientation, x, row, rules.rows):
                after = compute_outcome(now, True, orientation, x, row)
                gain = eroded_cells(after) - row_transitions(after) - column_transitions(after) - wells(after)
                best = max(best, 2 * (gain - 4 * holes(after)) - landing_height(after))
    return best


@compile_inline
def find_worst_piece(board: Array, rules: Any, scratch: Scratch) -> int:
    """The piece whose best drop is worth least."""
    worst, least = 0, compute_best_drop_value(board, rules, 0, scratch)
    for piece in range(1, len(PIECES)):
        points = compute_best_drop_value(board, rules, piece, scratch)
        if points < least:
            worst, least = piece, points
    return worst
