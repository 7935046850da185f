"""The dealer who wants the player to lose (after Brzustowski 1992): always the piece that suits the board least."""

from typing import Any

from tetrion.engine.board import fits, landing_row, outcome
from tetrion.engine.choose import situation
from tetrion.engine.compiler import compiled, compiled_apart
from tetrion.engine.features.dellacherie import (
    column_transitions,
    eroded_cells,
    holes,
    landing_height,
    row_transitions,
    wells,
)
from tetrion.engine.near import Scratch
from tetrion.engine.pieces import PIECES, PLACES
from tetrion.engine.words import Array

HOPELESS = -(2**31)  # the worth of a piece that fits nowhere


@compiled_apart
def worth(board: Array, rules: Any, piece: int, scratch: Scratch) -> int:
    """The points of a piece's best straight drop by Dellacherie's evaluation, doubled for the half rows."""
    now, best = situation(board, rules.rows, 0, scratch.heights), HOPELESS
    for turn in range(rules.turns[piece]):
        orientation = int(rules.turned[piece, turn])
        for x in range(PLACES[orientation]):
            row = landing_row(scratch.heights, orientation, x)
            if fits(orientation, x, row, rules.rows):
                after = outcome(now, True, orientation, x, row)
                gain = eroded_cells(after) - row_transitions(after) - column_transitions(after) - wells(after)
                best = max(best, 2 * (gain - 4 * holes(after)) - landing_height(after))
    return best


@compiled
def worst_piece(board: Array, rules: Any, scratch: Scratch) -> int:
    """The piece whose best drop is worth least."""
    worst, least = 0, worth(board, rules, 0, scratch)
    for piece in range(1, len(PIECES)):
        points = worth(board, rules, piece, scratch)
        if points < least:
            worst, least = piece, points
    return worst
