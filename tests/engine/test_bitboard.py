"""Tests of the removal of full rows, in Python and compiled, and of the orientations."""

from itertools import product
from typing import Any

import numba
from hypothesis import given, strategies as st

from tetrion.engine.bitboard import remove_full_rows
from tetrion.engine.columns import TenColumns
from tetrion.engine.pieces import FIRST_ORIENTATION, PIECES, SHAPES

Rows = list[list[bool]]


@numba.njit
def remove_full_rows_compiled(columns: Any, full: int) -> Any:
    return remove_full_rows(columns, full)


def to_columns(rows: Rows) -> TenColumns:
    return tuple(sum(row[x] << y for y, row in enumerate(rows)) for x in range(10))  # type: ignore[return-value]


def check_removal(rows: Rows) -> None:
    full = sum(all(row) << y for y, row in enumerate(rows))
    expected = to_columns([row for row in rows if not all(row)])
    assert remove_full_rows(to_columns(rows), full) == expected
    assert remove_full_rows_compiled(to_columns(rows), full) == expected


def test_every_combination_of_full_rows_is_removed() -> None:
    for is_full in product((True, False), repeat=8):
        check_removal(
            [[True] * 10 if full else [(x + y) % 3 == 0 for x in range(10)] for y, full in enumerate(is_full)]
        )


def test_partial_row_between_two_full_rows_remains() -> None:
    """The row in between and the rows above fall by different distances, which is wrong in Gavrilov's game."""
    partial, above = [x != 4 for x in range(10)], [x == 7 for x in range(10)]
    check_removal([[True] * 10, partial, [True] * 10, above])


@given(st.lists(st.one_of(st.just([True] * 10), st.lists(st.booleans(), min_size=10, max_size=10)), max_size=28))
def test_full_rows_of_any_board_are_removed(rows: Rows) -> None:
    check_removal(rows)


def test_orientations_follow_clockwise() -> None:
    t = SHAPES[FIRST_ORIENTATION[PIECES.index("T")] :][:4]
    assert t == [(1, 3, 1), (7, 2), (2, 3, 2), (2, 7)]  # pointing up, right, down, left
