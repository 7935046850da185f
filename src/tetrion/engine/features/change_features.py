"""Features of what a placement changes: after less before; over several pieces they add up."""

from tetrion.engine.bitboard import MAX_ROWS, Outcome
from tetrion.engine.feature_registry import CHANGE_FEATURE, builtin_feature
from tetrion.engine.features.board_features import bumpiness, max_height
from tetrion.engine.features.dellacherie_features import holes
from tetrion.engine.features.feature_sources import TETRAIS_SOURCE
from tetrion.engine.pieces import BOARD_WIDTH


@builtin_feature(
    "Max height after less before the placement", f"{TETRAIS_SOURCE}, Q-learning", MAX_ROWS, CHANGE_FEATURE
)
def max_height_change(o: Outcome) -> int:
    return max_height(o) - o.before.max_height


@builtin_feature(
    "Bumpiness after less before the placement",
    f"{TETRAIS_SOURCE}, Q-learning, there called delta",
    (BOARD_WIDTH - 1) * MAX_ROWS,
    CHANGE_FEATURE,
)
def bumpiness_change(o: Outcome) -> int:
    return bumpiness(o) - o.before.bumpiness


@builtin_feature(
    "Holes after less before the placement",
    f"{TETRAIS_SOURCE}, Q-learning",
    BOARD_WIDTH * (MAX_ROWS - 1),
    CHANGE_FEATURE,
)
def holes_change(o: Outcome) -> int:
    return holes(o) - o.before.holes
