"""Every feature by its definition, cell by cell."""

from collections.abc import Callable, Iterable
from functools import cached_property
from itertools import pairwise

from reference.board import Board, Placement, cells_of, filled, full_rows, remove_full_rows
from reference.pieces import ORIENTATIONS, WIDTH, Cell


class MeasuredBoard:
    """A board, with what many features ask for counted once."""

    def __init__(self, board: Board) -> None:
        self.board = board
        self.rows = len(board)
        self.columns = [[row[column] for row in board] for column in range(WIDTH)]  # each from the floor up

    @cached_property
    def heights(self) -> list[int]:
        """For each column the row of its highest filled cell, counted from 1, or 0."""
        return [max((row + 1 for row in range(self.rows) if column[row]), default=0) for column in self.columns]

    @cached_property
    def filled(self) -> list[Cell]:
        return [(x, y) for x, column in enumerate(self.columns) for y in range(self.rows) if column[y]]

    @cached_property
    def holes(self) -> list[Cell]:
        """The empty cells with a filled cell somewhere above them in their column."""
        return [
            (x, y)
            for x, column in enumerate(self.columns)
            for y in range(self.rows)
            if not column[y] and any(column[y + 1 :])
        ]

    def is_filled(self, column: int, row: int) -> bool:
        """Whether there is something in a cell; the walls are filled."""
        return not 0 <= column < WIDTH or self.board[row][column]

    @cached_property
    def bumpiness(self) -> int:
        return sum(abs(left - right) for left, right in pairwise(self.heights))

    @cached_property
    def well_depths(self) -> list[int]:
        """For each column how far its top is below the lower neighbour's, the walls being as high as the board."""
        tops = [self.rows, *self.heights, self.rows]
        return [max(0, min(left, right) - own) for left, own, right in zip(tops, tops[1:], tops[2:], strict=False)]


class Landing:
    """A placement, and the board after it: with its full rows still there, or removed."""

    def __init__(self, before: MeasuredBoard, piece: str, cells: list[Cell], removed: bool) -> None:
        self.before = before
        self.piece = piece
        self.cells = cells
        with_piece = filled(before.board, cells)
        self.full_rows = full_rows(with_piece)
        self.after = MeasuredBoard(remove_full_rows(with_piece) if removed else with_piece)

    @property
    def lowest_row(self) -> int:
        return min(row for _, row in self.cells)

    @property
    def highest_row(self) -> int:
        return max(row for _, row in self.cells)


FEATURES: dict[str, Callable[[Landing], int]] = {}
SMALLEST = {"max_height_change": -28, "bumpiness_change": -9 * 28, "holes_change": -10 * 27}  # all others: 0


def feature(function: Callable[[Landing], int]) -> Callable[[Landing], int]:
    FEATURES[function.__name__] = function
    return function


def features(
    before: MeasuredBoard | Board, piece: str, placement: Placement, removed: bool, names: Iterable[str] = FEATURES
) -> dict[str, int]:
    """The features of a placement, measured after full rows are removed or while they are still there."""
    return features_of_cells(before, piece, cells_of(piece, placement), removed, names)


def features_of_cells(
    before: MeasuredBoard | Board, piece: str, cells: list[Cell], removed: bool, names: Iterable[str] = FEATURES
) -> dict[str, int]:
    """The features of a placement that is given by the cells that it fills."""
    landing = Landing(before if isinstance(before, MeasuredBoard) else MeasuredBoard(before), piece, cells, removed)
    return {name: FEATURES[name](landing) for name in names}


# The eight of Dellacherie and Thiery.


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
                below = y
                while below >= 0 and not column[below]:
                    count += 1
                    below -= 1
    return count


@feature
def hole_depth(landing: Landing) -> int:
    count = 0
    for x, y in landing.after.filled:
        while y >= 0 and landing.after.board[y][x]:
            y -= 1
        count += y >= 0  # the stack ends on an empty cell and not on the floor
    return count


@feature
def rows_with_holes(landing: Landing) -> int:
    return len({y for _, y in landing.after.holes})


# What the placement does.


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
    return next(turn for turn, other in enumerate(ORIENTATIONS[landing.piece]) if set(other) == shape)


@feature
def lowest_column_distance(landing: Landing) -> int:
    heights = landing.before.heights
    return abs(min(column for column, _ in landing.cells) - heights.index(min(heights)))


@feature
def chance(landing: Landing) -> int:
    """A hash of the board's columns and the placement, 30 bits of it."""
    lot, word = 0, 0xFFFFFFFF
    for column in landing.before.columns:
        bits = sum(1 << row for row, there in enumerate(column) if there)
        lot = ((lot ^ bits) * 0x01000193 + 0x9E3779B1) & word
    number = "IOTSZJL".index(landing.piece) * 4 + turns(landing)
    number = (number * 16 + min(column for column, _ in landing.cells)) * 32 + landing.lowest_row
    lot ^= number * 0x9E3779B1 & word
    for shift, factor in ((16, 0x85EBCA6B), (13, 0xC2B2AE35)):
        lot = (lot ^ lot >> shift) * factor & word
    return (lot ^ lot >> 16) >> 2


# How high the columns are.


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


# What fills the board.


@feature
def filled_cells(landing: Landing) -> int:
    return len(landing.after.filled)


@feature
def weighted_filled_cells(landing: Landing) -> int:
    return sum(y + 1 for _, y in landing.after.filled)


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


# What the placement changes.


@feature
def full_rows_there(landing: Landing) -> int:
    return len(full_rows(landing.after.board))


FEATURES["full_rows"] = FEATURES.pop("full_rows_there")


@feature
def max_height_change(landing: Landing) -> int:
    return max(landing.after.heights) - max(landing.before.heights)


@feature
def bumpiness_change(landing: Landing) -> int:
    return landing.after.bumpiness - landing.before.bumpiness


@feature
def holes_change(landing: Landing) -> int:
    return len(landing.after.holes) - len(landing.before.holes)


# Every column for itself, counted from 1.


def height_of(number: int) -> Callable[[Landing], int]:
    return lambda landing: landing.after.heights[number - 1]


def difference_at(number: int) -> Callable[[Landing], int]:
    return lambda landing: abs(landing.after.heights[number - 1] - landing.after.heights[number])


for _number in range(1, WIDTH + 1):
    FEATURES[f"height_{_number}"] = height_of(_number)
for _number in range(1, WIDTH):
    FEATURES[f"difference_{_number}"] = difference_at(_number)
