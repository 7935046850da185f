"""Features of what a placement changes: after less before; over several pieces they add up."""

from tetrion.engine.board import HIGHEST, Outcome
from tetrion.engine.features.boards import bumpiness, max_height
from tetrion.engine.features.dellacherie import holes
from tetrion.engine.features.sources import TETRAIS
from tetrion.engine.pieces import WIDTH
from tetrion.engine.registry import CHANGE, feature


@feature("Max height after less before the placement", f"{TETRAIS}, Q-learning", HIGHEST, CHANGE)
def max_height_change(o: Outcome) -> int:
    return max_height(o) - o.before.max_height


@feature(
    "Bumpiness after less before the placement",
    f"{TETRAIS}, Q-learning, there called delta",
    (WIDTH - 1) * HIGHEST,
    CHANGE,
)
def bumpiness_change(o: Outcome) -> int:
    return bumpiness(o) - o.before.bumpiness


@feature(
    "Holes after less before the placement",
    f"{TETRAIS}, Q-learning",
    WIDTH * (HIGHEST - 1),
    CHANGE,
)
def holes_change(o: Outcome) -> int:
    return holes(o) - o.before.holes
