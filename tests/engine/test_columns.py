"""Tests of operations on tuples of columns, in Python, scalar code and SIMD lanes."""

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
from tetrion.engine.scalar_or_simd import bit_length
from tetrion.engine.simd_lanes import LANES, load, store

NUMBERS = np.random.default_rng(3).integers(-(2**31), 2**31, 30 * LANES).astype(np.int32)
ALL_BITS = np.full(30 * LANES, -1, np.int32)


@compile_inline
def weighted_sum(a: int, b: int, c: int) -> int:
    return a + 2 * b + 3 * c


@compile_inline
def subtract(a: int, b: int) -> int:
    return a - b


def apply_all_operations(a: Any, b: Any) -> Any:
    """Return the results of all operations on tuples of columns."""
    mapped = (
        map_columns(bit_length, a),
        map_columns2(subtract, a, b),
        map_columns3(weighted_sum, a, b, a),
        map_columns_with(subtract, a, 7),
        get_left_neighbours(a, 5),
        get_right_neighbours(a, 6),
    )
    return (
        mapped,
        merge_column_pairs(a),
        (sum_columns(a), or_columns(a), and_columns(a), max_column(a), min_column(a), count_bits(a)),
    )


@pytest.mark.parametrize("length", [3, 10])
def test_operations_agree_in_python_and_compiled(length: int) -> None:
    a = tuple(1 << index | 1 << (20 - index) for index in range(length))
    b = tuple(range(100, 100 + length))
    expected = (
        (
            tuple(21 - index for index in range(length)),
            tuple(one - other for one, other in zip(a, b, strict=True)),
            tuple(4 * one + 2 * other for one, other in zip(a, b, strict=True)),
            tuple(one - 7 for one in a),
            (5, *a)[:length],
            (*a, 6)[-length:],
        ),
        tuple(sum(a[index : index + 2]) for index in range(0, length, 2)),  # neighbours have no common bits
        (sum(a), int(np.bitwise_or.reduce(a)), int(np.bitwise_and.reduce(a)), max(a), min(a), 2 * length),
    )
    assert apply_all_operations(a, b) == expected
    assert numba.njit(apply_all_operations)(a, b) == expected


bytewise_popcount, sum_bytes = (
    simd_lanes.make_instruction(simd_lanes.lanes_type, emit)
    for emit in (simd_lanes._bytewise_popcount, simd_lanes._sum_bytes)
)


@numba.njit
def sum_thirty_counts(numbers: Any, out: Any) -> None:
    """Write sums of thirty bit counts, computed by bytes and in the way of this processor."""
    by_bytes = bytewise_popcount(load(numbers, 0))
    native = simd_lanes.partial_popcount(load(numbers, 0))
    for index in range(1, 30):
        by_bytes = by_bytes + bytewise_popcount(load(numbers, index * LANES))
        native = native + simd_lanes.partial_popcount(load(numbers, index * LANES))
    store(out, 0, sum_bytes(by_bytes))
    store(out, LANES, simd_lanes.finish_popcount(native))


def test_bit_counts_can_be_added_by_bytes() -> None:
    for numbers in (NUMBERS, ALL_BITS, NUMBERS & 0x0FFFFFFF, ALL_BITS * 0):
        out = np.zeros((2, LANES), np.int32)
        sum_thirty_counts(numbers, out.reshape(-1))
        expected = [sum(int(n).bit_count() for n in lane) for lane in numbers.view(np.uint32).reshape(30, LANES).T]
        assert out.tolist() == [expected, expected]
