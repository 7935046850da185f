"""The spin of a locked piece: none, mini or full, decided by its last successful action and the cells around it."""

from typing import NamedTuple

from tests.reference.board import Board, is_free
from tests.reference.pieces import Cell
from tests.reference.rules import Rules

SPINS = ("none", "mini", "full")  # in the order of placements that fill the same cells
SIDES = ((-1, 0), (1, 0), (0, -1), (0, 1))
FIFTH_TEST = 4  # tests count from 0, the rotation without a kick


class LastRotation(NamedTuple):
    """The rotation that was the last successful action of a piece."""

    turns: int  # quarter turns clockwise: 1, -1, or 2 for a half turn
    test: int  # the kick test that succeeded
    right: int  # columns by which the kick moved the piece
    up: int  # rows by which the kick moved the piece


def add(cell: Cell, offset: Cell) -> Cell:
    return cell[0] + offset[0], cell[1] + offset[1]


def find_spin(board: Board, piece: str, cells: list[Cell], last: LastRotation | None, rules: Rules) -> str:
    """Return the spin of a piece that locks on these cells; `last` is None if its last action was no rotation."""
    if rules.spins == "none" or last is None:
        return "none"
    if piece == "T" and count_filled(board, find_corners(cells)) >= 3:
        has_filled_front = count_filled(board, find_front_corners(cells)) == 2
        return "full" if has_filled_front or is_promoting(last, rules) else "mini"
    if rules.spins != "t" and is_immobile(board, cells):
        return "full" if rules.spins == "all" and piece != "T" else "mini"
    return "none"


def count_filled(board: Board, cells: list[Cell]) -> int:
    """Return how many cells are filled; walls and the floor count as filled, cells above the board as empty."""
    return sum(not is_free(board, cell) for cell in cells)


def find_centre(cells: list[Cell]) -> Cell:
    """Return the cell of a T that touches its three others."""
    return next(cell for cell in cells if sum(add(cell, side) in cells for side in SIDES) == 3)


def find_corners(cells: list[Cell]) -> list[Cell]:
    """Return the four cells diagonal to the centre of a T."""
    return [add(find_centre(cells), (right, up)) for right in (-1, 1) for up in (-1, 1)]


def find_front_corners(cells: list[Cell]) -> list[Cell]:
    """Return the two corners on the side to which a T points: beside the cell that has no other cell opposite."""
    centre = find_centre(cells)
    right, up = next(side for side in SIDES if add(centre, (-side[0], -side[1])) not in cells)
    point = add(centre, (right, up))
    return [add(point, (up, right)), add(point, (-up, -right))]


def is_promoting(last: LastRotation, rules: Rules) -> bool:
    """Return whether a rotation makes a mini T-spin a full one: by a quarter turn with the fifth test.

    Cold Clear, battletris and cobra-movegen take any fifth kick; TETR.IO and solution-finder only those that move the
    piece two rows down. In cobra-movegen half turns promote from the fifth test on. In Jstris, by copies of its code,
    no kick promotes.
    """
    if rules.spin_kick == "none":
        return False
    if abs(last.turns) != 1:
        return rules.spin_kick == "late" and last.test >= FIFTH_TEST
    return last.test == FIFTH_TEST and (rules.spin_kick != "long" or last.up == -2)


def is_immobile(board: Board, cells: list[Cell]) -> bool:
    """Return whether a piece can move by one cell neither left nor right, nor up or down."""
    return not any(all(is_free(board, add(cell, side)) for cell in cells) for side in SIDES)
