"""The features of boards and placements, and those of attack, computed cell by cell from their definitions."""

from collections.abc import Callable, Iterable
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

from tests.reference.board import Board, Placement, fill_cells, full_rows, get_cells, remove_full_rows
from tests.reference.pieces import ORIENTATIONS, WIDTH, Cell


class MeasuredBoard:
    """A board with cached quantities that several features use."""

    def __init__(self, board: Board) -> None:
        self.board = board
        self.rows = len(board)
        self.columns = [[row[column] for row in board] for column in range(WIDTH)]  # from the floor up

    @cached_property
    def heights(self) -> list[int]:
        """For each column, the row of its highest filled cell, counted from 1; 0 if the column is empty."""
        return [max((row + 1 for row in range(self.rows) if column[row]), default=0) for column in self.columns]

    @cached_property
    def filled_cells(self) -> list[Cell]:
        return [(x, y) for x, column in enumerate(self.columns) for y in range(self.rows) if column[y]]

    @cached_property
    def holes(self) -> list[Cell]:
        """The empty cells that have a filled cell above them in their column."""
        return [
            (x, y)
            for x, column in enumerate(self.columns)
            for y in range(self.rows)
            if not column[y] and any(column[y + 1 :])
        ]

    def is_filled(self, column: int, row: int) -> bool:
        """Return whether a cell is filled; the walls count as filled."""
        return not 0 <= column < WIDTH or self.board[row][column]

    @cached_property
    def bumpiness(self) -> int:
        return sum(abs(left - right) for left, right in pairwise(self.heights))

    @cached_property
    def well_depths(self) -> list[int]:
        """For each column, its depth below the lower of its two neighbours; the walls are as high as the board."""
        heights = [self.rows, *self.heights, self.rows]
        return [
            max(0, min(left, right) - middle)
            for left, middle, right in zip(heights, heights[1:], heights[2:], strict=False)
        ]


class Landing:
    """A placement and the board after it.

    `removed`: whether full rows are removed from the board after the placement.
    """

    def __init__(self, before: MeasuredBoard, piece: str, cells: list[Cell], removed: bool) -> None:
        self.before = before
        self.piece = piece
        self.cells = cells
        with_piece = fill_cells(before.board, cells)
        self.full_rows = full_rows(with_piece)
        self.after = MeasuredBoard(remove_full_rows(with_piece) if removed else with_piece)

    @property
    def lowest_row(self) -> int:
        return min(row for _, row in self.cells)

    @property
    def highest_row(self) -> int:
        return max(row for _, row in self.cells)


FEATURES: dict[str, Callable[[Landing], int]] = {}
SMALLEST = {"max_height_change": -28, "bumpiness_change": -9 * 28, "holes_change": -10 * 27}  # 0 for all other features


def feature(function: Callable[[Landing], int]) -> Callable[[Landing], int]:
    """Register a function as the feature of the same name."""
    FEATURES[function.__name__] = function
    return function


def features(
    before: MeasuredBoard | Board, piece: str, placement: Placement, removed: bool, names: Iterable[str] = FEATURES
) -> dict[str, int]:
    """Return the features of a placement by name.

    `removed`: whether features are measured after full rows are removed.
    """
    return features_of_cells(before, piece, get_cells(piece, placement), removed, names)


def features_of_cells(
    before: MeasuredBoard | Board, piece: str, cells: list[Cell], removed: bool, names: Iterable[str] = FEATURES
) -> dict[str, int]:
    """Return the features of a placement that fills these cells, by name."""
    landing = Landing(before if isinstance(before, MeasuredBoard) else MeasuredBoard(before), piece, cells, removed)
    return {name: FEATURES[name](landing) for name in names}


# Features of Dellacherie and Thiery


@feature
def landing_height(landing: Landing) -> int:
    height_of_piece = landing.highest_row - landing.lowest_row + 1
    return 2 * landing.lowest_row + height_of_piece - 1


@feature
def eroded_cells(landing: Landing) -> int:
    return len(landing.full_rows) * sum(row in landing.full_rows for _, row in landing.cells)


@feature
def row_transitions(landing: Landing) -> int:
    return sum(a != b for row in landing.after.board for a, b in pairwise([True, *row, True]))


@feature
def column_transitions(landing: Landing) -> int:
    return sum(a != b for column in landing.after.columns for a, b in pairwise([True, *column, False]))


@feature
def holes(landing: Landing) -> int:
    return len(landing.after.holes)


@feature
def wells(landing: Landing) -> int:
    count = 0
    for x, column in enumerate(landing.after.columns):
        for y in range(landing.after.rows):
            if not column[y] and landing.after.is_filled(x - 1, y) and landing.after.is_filled(x + 1, y):
                lower = y
                while lower >= 0 and not column[lower]:
                    count += 1
                    lower -= 1
    return count


@feature
def hole_depth(landing: Landing) -> int:
    count = 0
    for x, y in landing.after.filled_cells:
        while y >= 0 and landing.after.board[y][x]:
            y -= 1
        count += y >= 0  # the filled cells end above an empty cell, not on the floor
    return count


@feature
def rows_with_holes(landing: Landing) -> int:
    return len({y for _, y in landing.after.holes})


# Features of the placement


@feature
def lines(landing: Landing) -> int:
    return len(landing.full_rows)


@feature
def one_line(landing: Landing) -> int:
    return int(len(landing.full_rows) == 1)


@feature
def two_lines(landing: Landing) -> int:
    return int(len(landing.full_rows) == 2)


@feature
def three_lines(landing: Landing) -> int:
    return int(len(landing.full_rows) == 3)


@feature
def four_lines(landing: Landing) -> int:
    return int(len(landing.full_rows) == 4)


@feature
def piece_top(landing: Landing) -> int:
    top_row_of_board = landing.before.rows - 1
    return top_row_of_board - landing.highest_row


@feature
def danger(landing: Landing) -> int:
    top_four = range(landing.before.rows - 4, landing.before.rows)
    return int(any(row in top_four and 3 <= column <= 6 for column, row in landing.cells))


@feature
def special_piece(landing: Landing) -> int:
    return int(landing.piece in ("O", "I", "Z"))


@feature
def piece_bottom(landing: Landing) -> int:
    return landing.lowest_row


@feature
def turns(landing: Landing) -> int:
    left, bottom = min(column for column, _ in landing.cells), landing.lowest_row
    shape = {(column - left, row - bottom) for column, row in landing.cells}
    return next(turn for turn, cells in enumerate(ORIENTATIONS[landing.piece]) if set(cells) == shape)


@feature
def lowest_column_distance(landing: Landing) -> int:
    heights = landing.before.heights
    return abs(min(column for column, _ in landing.cells) - heights.index(min(heights)))


@feature
def chance(landing: Landing) -> int:
    """Return a 30-bit hash of the board's columns and the placement."""
    value = 0
    mask = 0xFFFFFFFF
    for column in landing.before.columns:
        bits = sum(1 << row for row, is_filled in enumerate(column) if is_filled)
        value = ((value ^ bits) * 0x01000193 + 0x9E3779B1) & mask
    number = "IOTSZJL".index(landing.piece) * 4 + turns(landing)
    number = (number * 16 + min(column for column, _ in landing.cells)) * 32 + landing.lowest_row
    value ^= number * 0x9E3779B1 & mask
    for shift, factor in ((16, 0x85EBCA6B), (13, 0xC2B2AE35)):
        value = (value ^ value >> shift) * factor & mask
    return (value ^ value >> 16) >> 2


# Features of the column heights


@feature
def diversity(landing: Landing) -> int:
    steps = [right - left for left, right in pairwise(landing.after.heights)]
    return sum(step in steps for step in (-2, -1, 0, 1, 2))


@feature
def aggregate_height(landing: Landing) -> int:
    return sum(landing.after.heights)


@feature
def bumpiness(landing: Landing) -> int:
    return landing.after.bumpiness


@feature
def max_height(landing: Landing) -> int:
    return max(landing.after.heights)


@feature
def min_height(landing: Landing) -> int:
    return min(landing.after.heights)


@feature
def altitude_difference(landing: Landing) -> int:
    return max(landing.after.heights) - min(landing.after.heights)


@feature
def skyscraper(landing: Landing) -> int:
    return int(any(any(row) for row in landing.after.board[-4:]))


# Features of cells, wells and holes


@feature
def filled_cells(landing: Landing) -> int:
    return len(landing.after.filled_cells)


@feature
def weighted_filled_cells(landing: Landing) -> int:
    return sum(y + 1 for _, y in landing.after.filled_cells)


@feature
def last_column_cells(landing: Landing) -> int:
    return sum(row[-1] for row in landing.after.board)


@feature
def deepest_well(landing: Landing) -> int:
    return max(landing.after.well_depths)


@feature
def number_of_wells(landing: Landing) -> int:
    return sum(depth > 0 for depth in landing.after.well_depths)


@feature
def weighted_holes(landing: Landing) -> int:
    return sum(y + 1 for _, y in landing.after.holes)


@feature
def deepest_hole(landing: Landing) -> int:
    return max((landing.after.heights[x] - (y + 1) for x, y in landing.after.holes), default=0)


@feature
def highest_hole(landing: Landing) -> int:
    return max((y + 1 for _, y in landing.after.holes), default=0)


@feature
def columns_with_holes(landing: Landing) -> int:
    return len({x for x, _ in landing.after.holes})


# Full rows and changes by the placement


def count_full_rows(landing: Landing) -> int:
    return len(full_rows(landing.after.board))


FEATURES["full_rows"] = count_full_rows  # `full_rows` is already the name of a function


@feature
def max_height_change(landing: Landing) -> int:
    return max(landing.after.heights) - max(landing.before.heights)


@feature
def bumpiness_change(landing: Landing) -> int:
    return landing.after.bumpiness - landing.before.bumpiness


@feature
def holes_change(landing: Landing) -> int:
    return len(landing.after.holes) - len(landing.before.holes)


# Features of single columns, numbered from 1


def make_height_feature(number: int) -> Callable[[Landing], int]:
    return lambda landing: landing.after.heights[number - 1]


def make_difference_feature(number: int) -> Callable[[Landing], int]:
    return lambda landing: abs(landing.after.heights[number - 1] - landing.after.heights[number])


for _number in range(1, WIDTH + 1):
    FEATURES[f"height_{_number}"] = make_height_feature(_number)
for _number in range(1, WIDTH):
    FEATURES[f"difference_{_number}"] = make_difference_feature(_number)


# Features of attack, for games with hold and spins

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


def attack_feature(function: Callable[[Outcome], int]) -> Callable[[Outcome], int]:
    """Register a function as the attack feature of the same name."""
    ATTACK_FEATURES[function.__name__] = function
    return function


@attack_feature
def attack(outcome: Outcome) -> int:
    return min(outcome.attack, 32)


@attack_feature
def combo(outcome: Outcome) -> int:
    return min(outcome.combo, 20)


@attack_feature
def back_to_back_kept(outcome: Outcome) -> int:
    return int(outcome.has_back_to_back)


@attack_feature
def perfect_clear(outcome: Outcome) -> int:
    return int(not any(any(row) for row in outcome.board))


@attack_feature
def simple_lines(outcome: Outcome) -> int:
    return outcome.lines if outcome.spin == "none" and outcome.lines < 4 else 0


@attack_feature
def tetris(outcome: Outcome) -> int:
    return int(outcome.lines == 4)


@attack_feature
def spin_single(outcome: Outcome) -> int:
    return int((outcome.spin, outcome.lines) == ("full", 1))


@attack_feature
def spin_double(outcome: Outcome) -> int:
    return int((outcome.spin, outcome.lines) == ("full", 2))


@attack_feature
def spin_triple(outcome: Outcome) -> int:
    return int((outcome.spin, outcome.lines) == ("full", 3))


@attack_feature
def mini_spin_clear(outcome: Outcome) -> int:
    return int(outcome.spin == "mini" and outcome.lines > 0)


@attack_feature
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


@attack_feature
def t_slots_ready(outcome: Outcome) -> int:
    return sum(is_ready(outcome, slot) for slot in find_t_slots(outcome))


@attack_feature
def t_slots_unfinished(outcome: Outcome) -> int:
    return sum(not is_ready(outcome, slot) for slot in find_t_slots(outcome))


@attack_feature
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


@attack_feature
def height_in_upper_half(outcome: Outcome) -> int:
    return max(outcome.max_height - outcome.height // 2, 0)


@attack_feature
def height_in_upper_quarter(outcome: Outcome) -> int:
    return max(outcome.max_height - (outcome.height - outcome.height // 4), 0)


@attack_feature
def cover_of_holes(outcome: Outcome) -> int:
    total = 0
    for column in range(WIDTH):
        top = outcome.column_height(column)
        holes = [row for row in range(top) if not outcome.is_filled(column, row)]
        total += min(top - 1 - max(holes), 6) if holes else 0
    return total
