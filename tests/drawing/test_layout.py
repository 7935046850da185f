"""Tests of rows and columns: sizes, spare space, omitted parts, alignment, and panels that are drawn into them."""

import doctest
from itertools import pairwise

import pytest
from hypothesis import given, strategies as st

from tetrion.drawing import layout
from tetrion.drawing.layout import (
    Box,
    Panel,
    Part,
    draw_column,
    flexible,
    list_rows,
    split_column,
    split_grid,
    split_row,
)

AREA = Box(10, 20, 300, 200)


def get_widths(width: int, *parts: float | Part, gap: int = 0) -> list[int]:
    return [box.width for box in split_row(Box(0, 0, width, 10), parts, gap)]


def test_examples() -> None:
    assert doctest.testmod(layout) == (0, 5)


def test_row_has_fixed_and_flexible_parts_with_gaps() -> None:
    left, middle, right = split_row(AREA, [50, flexible(), 70], gap=10)
    assert left == Box(10, 20, 50, 200)
    assert middle == Box(70, 20, 160, 200)
    assert right == Box(240, 20, 70, 200)


def test_parts_grow_to_their_size_before_others_stretch() -> None:
    assert get_widths(100, Part(80, minimum=40), flexible(20)) == [80, 20]
    assert get_widths(100, Part(80, minimum=40), flexible(40)) == [60, 40]
    assert get_widths(150, Part(80, minimum=40), flexible(20)) == [80, 70]


def test_highest_rank_is_omitted_first_and_the_last_of_equal_ranks() -> None:
    parts = (100, Part(50, rank=1), Part(50, rank=2), Part(50, rank=2))
    assert get_widths(280, *parts, gap=10) == [100, 50, 50, 50]
    assert get_widths(279, *parts, gap=10) == [100, 50, 50, 0]
    assert get_widths(200, *parts, gap=10) == [100, 50, 0, 0]
    assert get_widths(120, *parts, gap=10) == [100, 0, 0, 0]


def test_omitted_part_leaves_no_gap_and_has_a_false_box() -> None:
    first, omitted, last = split_row(AREA, [200, Part(90, rank=1), 80], gap=10)
    assert not omitted
    assert last.left == first.right + 10


def test_parts_are_aligned_in_spare_space() -> None:
    assert [box.left for box in split_row(AREA, [100, 100], align=0.5)] == [60, 160]
    assert [box.bottom for box in split_column(AREA, [30, 30], align=1)] == [190, 220]


@given(st.integers(0, 2000), st.lists(st.floats(0, 400), min_size=1, max_size=7), st.integers(0, 30))
def test_flexible_parts_fill_the_box_exactly(width: int, minimums: list[float], gap: int) -> None:
    box = Box(0, 0, width + round(sum(minimums)) + gap * len(minimums) + 1, 10)
    boxes = split_row(box, [flexible(minimum) for minimum in minimums], gap)
    assert boxes[-1].right == box.right
    for left, right in pairwise(boxes):
        assert right.left == pytest.approx(left.right + gap, abs=1)


def test_grid_has_equal_cells_row_by_row() -> None:
    cells = split_grid(Box(0, 0, 110, 50), columns=2, rows=2, gap=10)
    assert [cell.topleft for cell in cells] == [(0, 0), (60, 0), (0, 30), (60, 30)]
    assert {cell.size for cell in cells} == {(50, 20)}


def test_rows_are_those_that_fit() -> None:
    assert [row.top for row in list_rows(Box(0, 0, 10, 99), 30)] == [0, 30, 60]
    assert [row.top for row in list_rows(Box(0, 0, 10, 100), 30, gap=5)] == [0, 35, 70]
    assert list_rows(Box(0, 0, 10, 29), 30) == []


def test_column_draws_the_panels_that_fit() -> None:
    drawn: list[tuple[str, Box]] = []
    draw_column(
        Box(0, 0, 50, 100),
        10,
        [
            Panel(40, lambda box: drawn.append(("first", box))),
            Panel(Part(60, rank=1), lambda box: drawn.append(("omitted", box))),
            Panel(flexible(20), lambda box: drawn.append(("last", box))),
        ],
    )
    assert drawn == [("first", Box(0, 0, 50, 40)), ("last", Box(0, 50, 50, 50))]
