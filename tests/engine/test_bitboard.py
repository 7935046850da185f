"""Row removal and resting places, in plain Python and compiled."""

from itertools import product
from typing import Any

import numba
from hypothesis import given
from hypothesis import strategies as st

from tetrion.engine.bitboard import remove_full_rows
from tetrion.engine.columns import TenColumns
from tetrion.engine.pieces import FIRST_ORIENTATION, PIECES, SHAPES

Rows = list[list[bool]]


@numba.njit  # type: ignore[untyped-decorator]
def compiled_removal(columns: Any, full: int) -> Any:
    return remove_full_rows(columns, full)


def columns_of(rows: Rows) -> TenColumns:
    return tuple(sum(row[x] << y for y, row in enumerate(rows)) for x in range(10))  # type: ignore[return-value]


def check(rows: Rows) -> None:
    full = sum(all(row) << y for y, row in enumerate(rows))
    expected = columns_of([row for row in rows if not all(row)])
    assert remove_full_rows(columns_of(rows), full) == expected
    assert compiled_removal(columns_of(rows), full) == expected


def test_every_combination_of_full_rows() -> None:
    for kinds in product((True, False), repeat=8):
        check([[True] * 10 if kind else [(x + y) % 3 == 0 for x in range(10)] for y, kind in enumerate(kinds)])


def test_a_partial_row_between_two_full_ones() -> None:
    """What broke Gavrilov's game: the rows in between and above must fall by different amounts."""
    partial, above = [x != 4 for x in range(10)], [x == 7 for x in range(10)]
    check([[True] * 10, partial, [True] * 10, above])


@given(st.lists(st.one_of(st.just([True] * 10), st.lists(st.booleans(), min_size=10, max_size=10)), max_size=28))
def test_any_board(rows: Rows) -> None:
    check(rows)


def test_orientations_turn_clockwise() -> None:
    t = SHAPES[FIRST_ORIENTATION[PIECES.index("T")] :][:4]
    assert t == [(1, 3, 1), (7, 2), (2, 3, 2), (2, 7)]  # nose up, right, down, left
