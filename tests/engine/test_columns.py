"""Columns written out, the words that mean the same for one and for sixteen, and how bits are counted bytewise."""

from typing import Any

import numba
import numpy as np
import pytest

from tetrion.engine import simd_lanes
from tetrion.engine.columns import (
    and_columns,
    count_bits,
    get_left_neighbours,
    get_right_neighbours,
    map_columns,
    map_columns2,
    map_columns3,
    map_columns_with,
    max_column,
    merge_column_pairs,
    min_column,
    or_columns,
    sum_columns,
)
from tetrion.engine.compiler import compile_inline
from tetrion.engine.scalar_or_simd import LEFT_WALL_COLUMNS, PADDED_COLUMNS, bit_length, get_column_window
from tetrion.engine.simd_lanes import LANES, load, store

NUMBERS = np.random.default_rng(3).integers(-(2**31), 2**31, 30 * LANES).astype(np.int32)
FULL = np.full(30 * LANES, -1, np.int32)


@compile_inline
def weighted(a: int, b: int, c: int) -> int:
    return a + 2 * b + 3 * c


@compile_inline
def less(a: int, b: int) -> int:
    return a - b


def all_of(a: Any, b: Any) -> Any:
    """Everything that is written out for some columns."""
    many = (
        map_columns(bit_length, a),
        map_columns2(less, a, b),
        map_columns3(weighted, a, b, a),
        map_columns_with(less, a, 7),
        get_left_neighbours(a, 5),
        get_right_neighbours(a, 6),
    )
    return (
        many,
        merge_column_pairs(a),
        (sum_columns(a), or_columns(a), and_columns(a), max_column(a), min_column(a), count_bits(a)),
    )


@pytest.mark.parametrize("length", [1, 2, 3, 10])
def test_columns_of_any_length_in_plain_python_and_compiled(length: int) -> None:
    a = tuple(1 << place | 1 << (20 - place) for place in range(length))
    b = tuple(range(100, 100 + length))
    expected = (
        (
            tuple(21 - place for place in range(length)),
            tuple(one - other for one, other in zip(a, b, strict=True)),
            tuple(4 * one + 2 * other for one, other in zip(a, b, strict=True)),
            tuple(one - 7 for one in a),
            (5, *a)[:length],
            (*a, 6)[-length:],
        ),
        tuple(sum(a[place : place + 2]) for place in range(0, length, 2)),  # they have no bits in common
        (sum(a), int(np.bitwise_or.reduce(a)), int(np.bitwise_and.reduce(a)), max(a), min(a), 2 * length),
    )
    assert all_of(a, b) == expected
    assert numba.njit(all_of)(a, b) == expected


bytewise, bytes_counted = (
    simd_lanes.make_instruction(simd_lanes.lanes_type, emit)
    for emit in (simd_lanes._bytewise_popcount, simd_lanes._sum_bytes)
)
load_seven, load_ten, load_all = (simd_lanes.make_load_first(many) for many in (7, 10, LANES))
store_seven, store_ten, store_all = (simd_lanes.make_store_first(many) for many in (7, 10, LANES))
three_further, two_back_by_eight = simd_lanes.make_lane_rotation(3), simd_lanes.make_lane_rotation(-2, 8)


@numba.njit  # type: ignore[untyped-decorator]
def counts(numbers: Any, out: Any) -> None:
    """Sums of thirty counts: bytewise, and as this processor counts them."""
    by_bytes = bytewise(load(numbers, 0))
    as_here = simd_lanes.partial_popcount(load(numbers, 0))
    for place in range(1, 30):
        by_bytes = by_bytes + bytewise(load(numbers, place * LANES))
        as_here = as_here + simd_lanes.partial_popcount(load(numbers, place * LANES))
    store(out, 0, bytes_counted(by_bytes))
    store(out, LANES, simd_lanes.finish_popcount(as_here))


def test_counts_are_added_bytewise_before_they_become_numbers() -> None:
    for numbers in (NUMBERS, FULL, NUMBERS & 0x0FFFFFFF, FULL * 0):
        out = np.zeros((2, LANES), np.int32)
        counts(numbers, out.reshape(-1))
        expected = [sum(int(n).bit_count() for n in lane) for lane in numbers.view(np.uint32).reshape(30, LANES).T]
        assert out.tolist() == [expected, expected]


@numba.njit  # type: ignore[untyped-decorator]
def moved(numbers: Any, out: Any) -> None:
    """Some first lanes loaded and stored, and lanes that take what others have."""
    store(out[0], 0, load_seven(numbers, 5))
    store(out[1], 0, load_ten(numbers, load(numbers, LANES)))
    store(out[2], 0, load_all(numbers, 5))
    store_seven(out[3], load(numbers, 0))
    store_ten(out[4], load(numbers, 0))
    store_all(out[5], load(numbers, 0))
    store(out[6], 0, three_further(load(numbers, 0)))
    store(out[7], 0, two_back_by_eight(load(numbers, 0)))


def test_some_first_lanes_and_lanes_seen_from_others() -> None:
    out = np.zeros((8, LANES), np.int32)
    first = NUMBERS[:LANES].tolist()
    second = NUMBERS[LANES : 2 * LANES].tolist()
    moved(NUMBERS, out)
    assert out[0].tolist() == first[:7] + [5] * 9
    assert out[1].tolist() == first[:10] + second[10:]
    assert out[2].tolist() == first
    assert out[3].tolist() == first[:7] + [0] * 9
    assert out[4].tolist() == first[:10] + [0] * 6
    assert out[5].tolist() == first
    assert out[6].tolist() == first[3:] + first[:3]
    assert out[7].tolist() == 2 * (first[-2:] + first[:6])


@numba.njit  # type: ignore[untyped-decorator]
def seen_by_all(row: Any, out: Any) -> None:
    """What lanes see of the columns around them."""
    around = get_column_window(load(row, 0), load(row, 0))
    store(out[0], 0, around[0])
    store(out[1], 0, around[1])
    store(out[2], 0, around[2])
    store(out[3], 0, around[3])
    store(out[4], 0, around[4])
    store(out[5], 0, around[5])
    store(out[6], 0, around[6])
    store(out[7], 0, around[7])


def test_one_and_sixteen_see_the_same_neighbours() -> None:
    wall, columns = 77, list(range(100, 110))
    array = np.array(
        [wall] * LEFT_WALL_COLUMNS + columns + [wall] * (PADDED_COLUMNS - LEFT_WALL_COLUMNS - 10), np.int32
    )
    out = np.zeros((8, LANES), np.int32)
    seen_by_all(np.array(columns + [wall] * 6, np.int32), out)
    alone = numba.njit(lambda row, x: get_column_window(row, x))
    for x in range(10):
        expected = tuple([wall, wall, *columns, *[wall] * 5][x : x + 8])
        assert get_column_window(array, x) == expected
        assert alone(array, x) == expected
        assert tuple(out[:, x].tolist()) == expected


def test_which_lanes_are_meant() -> None:
    bits = numba.njit(lambda numbers: simd_lanes.mask_to_bits(load(numbers, 0) > 0))
    assert bits(NUMBERS) == sum(int(number > 0) << place for place, number in enumerate(NUMBERS[:LANES]))
