"""The patterns, read cell by cell from their descriptions: the numbers of the table entries that a board adds up.

A table holds one part per stage of the game, and the part of a stage holds one part per group of places that mirror
each other, from the walls to the middle. Numbers with several digits start with the most significant one.
"""

from collections.abc import Callable, Sequence

from tests.reference.board import Board, empty_board
from tests.reference.features import MeasuredBoard
from tests.reference.pieces import WIDTH

FREE_ROWS_OF_VIEW = 4
MAX_ROWS = 28

PATTERNS: dict[str, Callable[[MeasuredBoard], list[int]]] = {}
TABLE_SIZES = {
    "surface_of_five": 16 * 3 * 7**4,
    "surface_of_four": 16 * 4 * 9**3,
    "column_tops": 16 * 5 * 2**7,
    "row_cells": 16 * 2**WIDTH,
    "hole_rows_and_free_rows": 16 * (MAX_ROWS + 1),
    "hole_rows_and_free_cells": 16 * (WIDTH * MAX_ROWS // 2 + 1),
}


def show_view(after: Board, view_rows: int, height_before: int) -> Board:
    """Return the board that an agent with this view sees; 0 or a view that is as high as the board shows all of it.

    The view is the lowest part of the board in which the stack before the placement leaves four rows free.
    """
    if not 0 < view_rows < len(after):
        return after
    bottom = 0
    while height_before - bottom > view_rows - FREE_ROWS_OF_VIEW:
        bottom += 1
    return (after + empty_board(MAX_ROWS + FREE_ROWS_OF_VIEW))[bottom : bottom + view_rows]


def pattern(function: Callable[[MeasuredBoard], list[int]]) -> Callable[[MeasuredBoard], list[int]]:
    """Register a function as the pattern of the same name."""
    PATTERNS[function.__name__] = function
    return function


def count_rows_with_holes(board: MeasuredBoard) -> int:
    return len({row for _, row in board.holes})


def count_free_rows(board: MeasuredBoard) -> int:
    return board.rows - max(board.heights)


def find_stage(board: MeasuredBoard) -> int:
    """Return the stage of the game: pairs of free rows (up to three) × rows with holes (up to three)."""
    return 4 * min(count_free_rows(board) // 2, 3) + min(count_rows_with_holes(board), 3)


def join_digits(digits: Sequence[int], base: int) -> int:
    number = 0
    for digit in digits:
        assert 0 <= digit < base
        number = number * base + digit
    return number


def find_surface_entries(board: MeasuredBoard, width: int, largest: int) -> list[int]:
    """Return the entries of the surface of some neighbouring columns, at all places from left to right.

    A place that is nearer to the right wall is read from right to left.
    """
    base = 2 * largest + 1
    last_place = WIDTH - width
    groups = last_place // 2 + 1
    entries = []
    for place in range(last_place + 1):
        heights = board.heights[place : place + width]
        group = place
        if place > last_place - place:
            heights.reverse()
            group = last_place - place
        steps = [heights[k + 1] - heights[k] for k in range(width - 1)]
        digits = [max(-largest, min(step, largest)) + largest for step in steps]
        entries.append((find_stage(board) * groups + group) * base ** (width - 1) + join_digits(digits, base))
    return entries


@pattern
def surface_of_five(board: MeasuredBoard) -> list[int]:
    return find_surface_entries(board, 5, 3)


@pattern
def surface_of_four(board: MeasuredBoard) -> list[int]:
    return find_surface_entries(board, 4, 4)


@pattern
def column_tops(board: MeasuredBoard) -> list[int]:
    """Return the entries of the seven cells below the highest cell of each column, the uppermost cell first.

    An empty column has its highest cell in the floor.
    """
    entries = []
    for x, column in enumerate(board.columns):
        highest = board.heights[x] - 1
        cells = [row < 0 or column[row] for row in range(highest - 1, highest - 8, -1)]
        group = min(x, WIDTH - 1 - x)
        entries.append((find_stage(board) * 5 + group) * 2**7 + join_digits(cells, 2))
    return entries


@pattern
def row_cells(board: MeasuredBoard) -> list[int]:
    """Return the entries of the rows that are not empty; the rightmost cell is the first digit."""
    return [find_stage(board) * 2**WIDTH + join_digits(row[::-1], 2) for row in board.board if any(row)]


@pattern
def hole_rows_and_free_rows(board: MeasuredBoard) -> list[int]:
    return [min(count_rows_with_holes(board), 15) * (MAX_ROWS + 1) + count_free_rows(board)]


@pattern
def hole_rows_and_free_cells(board: MeasuredBoard) -> list[int]:
    free_cells = sum(board.rows - height for height in board.heights)
    return [min(count_rows_with_holes(board), 15) * (WIDTH * MAX_ROWS // 2 + 1) + free_cells // 2]
