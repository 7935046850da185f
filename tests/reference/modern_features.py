"""Features of modern games, read cell by cell from their descriptions."""

from collections.abc import Callable
from typing import NamedTuple

from tests.reference.board import Board
from tests.reference.pieces import WIDTH

ATTACK_FEATURES: dict[str, Callable[["Outcome"], int]] = {}


class Outcome(NamedTuple):
    """A placement and the board after it, without full rows."""

    board: Board
    height: int  # visible rows
    piece: str
    spin: str
    lines: int
    attack: int
    combo: int  # consecutive placements with a clear, including this one
    has_back_to_back: bool  # whether the next difficult clear is a back-to-back

    def is_filled(self, column: int, row: int) -> bool:
        return row < len(self.board) and self.board[row][column]

    def column_height(self, column: int) -> int:
        return max((row + 1 for row in range(len(self.board)) if self.board[row][column]), default=0)

    @property
    def max_height(self) -> int:
        return max(self.column_height(column) for column in range(WIDTH))


def feature(function: Callable[[Outcome], int]) -> Callable[[Outcome], int]:
    """Register a function as the feature of the same name."""
    ATTACK_FEATURES[function.__name__] = function
    return function


@feature
def attack(outcome: Outcome) -> int:
    return min(outcome.attack, 32)


@feature
def combo(outcome: Outcome) -> int:
    return min(outcome.combo, 20)


@feature
def back_to_back_kept(outcome: Outcome) -> int:
    return int(outcome.has_back_to_back)


@feature
def perfect_clear(outcome: Outcome) -> int:
    return int(not any(any(row) for row in outcome.board))


@feature
def simple_lines(outcome: Outcome) -> int:
    return outcome.lines if outcome.spin == "none" and outcome.lines < 4 else 0


@feature
def tetris(outcome: Outcome) -> int:
    return int(outcome.lines == 4)


@feature
def spin_single(outcome: Outcome) -> int:
    return int((outcome.spin, outcome.lines) == ("full", 1))


@feature
def spin_double(outcome: Outcome) -> int:
    return int((outcome.spin, outcome.lines) == ("full", 2))


@feature
def spin_triple(outcome: Outcome) -> int:
    return int((outcome.spin, outcome.lines) == ("full", 3))


@feature
def mini_spin_clear(outcome: Outcome) -> int:
    return int(outcome.spin == "mini" and outcome.lines > 0)


@feature
def wasted_t(outcome: Outcome) -> int:
    return int(outcome.piece == "T" and not (outcome.spin != "none" and outcome.lines > 0))


def find_t_slots(outcome: Outcome) -> list[tuple[int, int]]:
    """Return the left column and the lowest row of each T-slot: an overhang on one side, open on the other."""
    slots = []
    for left in range(WIDTH - 2):
        for row in range(len(outcome.board)):
            for overhang, other in ((left, left + 2), (left + 2, left)):
                has_overhang = (
                    outcome.is_filled(overhang, row)
                    and not outcome.is_filled(overhang, row + 1)
                    and outcome.is_filled(overhang, row + 2)
                )
                if has_overhang and outcome.column_height(left + 1) <= row and outcome.column_height(other) == row + 1:
                    slots.append((left, row))
    return slots


def is_ready(outcome: Outcome, slot: tuple[int, int]) -> bool:
    """Return whether both rows of a T-slot are full outside its three columns."""
    left, lowest = slot
    others = [column for column in range(WIDTH) if not left <= column <= left + 2]
    return all(outcome.is_filled(column, row) for column in others for row in (lowest, lowest + 1))


@feature
def t_slots_ready(outcome: Outcome) -> int:
    return sum(is_ready(outcome, slot) for slot in find_t_slots(outcome))


@feature
def t_slots_unfinished(outcome: Outcome) -> int:
    return sum(not is_ready(outcome, slot) for slot in find_t_slots(outcome))


@feature
def tetris_well_depth(outcome: Outcome) -> int:
    """For each column, count the rows from its top on that are full but for it; I reaches four of them."""
    depths = []
    for well in range(WIDTH):
        depth = 0
        row = outcome.column_height(well)
        while depth < 4 and all(outcome.is_filled(column, row + depth) for column in range(WIDTH) if column != well):
            depth += 1
        depths.append(depth)
    return max(depths)


@feature
def height_in_upper_half(outcome: Outcome) -> int:
    return max(outcome.max_height - outcome.height // 2, 0)


@feature
def height_in_upper_quarter(outcome: Outcome) -> int:
    return max(outcome.max_height - (outcome.height - outcome.height // 4), 0)


@feature
def cover_of_holes(outcome: Outcome) -> int:
    total = 0
    for column in range(WIDTH):
        top = outcome.column_height(column)
        holes = [row for row in range(top) if not outcome.is_filled(column, row)]
        total += min(top - 1 - max(holes), 6) if holes else 0
    return total
