"""Tests of the checks in compiled custom features (index out of range, endless loops, NaN)."""

import math
from typing import Any

import numba
import numpy as np
import pytest

from tetrion.engine.feature_compiler import compile_checked

TABLE = np.arange(10)
EVERY_SECOND = np.arange(20)[::2]
PAIRS = (np.arange(3), np.arange(3))
LEVELS = tuple(range(10))
INVALID_INDICES = [10, -11, 100_000, -100_000, 10**9, -(10**9)]


def get_element(values: Any, index: int) -> Any:
    return values[index]


def sum_elements(values: Any, index: int) -> Any:
    total = 0
    for _ in numba.prange(3):
        total += values[index]
    return total


def call(function: Any, index: int) -> Any:
    return function(index)


get_compiled = numba.njit(get_element)
get_inlined = numba.njit(inline="always")(get_element)
sum_parallel = numba.njit(parallel=True, fastmath=True, nogil=True)(sum_elements)


def read_tuple(heights: Any, index: int) -> Any:
    return int(heights[index])


def read_global_tuple(heights: Any, index: int) -> Any:
    return LEVELS[index]


def read_array(heights: Any, index: int) -> Any:
    return int(np.array(heights)[index])


def write_array(heights: Any, index: int) -> int:
    values = np.zeros(10, np.int64)
    values[index] = 5
    return int(values[0])


def read_slice(heights: Any, index: int) -> Any:
    return int(np.array(heights)[2:][index])


def read_matrix(heights: Any, index: int) -> Any:
    return int(np.zeros((3, 10), np.int64)[1, index])


def read_many(heights: Any, index: int) -> Any:
    return int(np.array(heights)[np.array([0, index])][1])


def read_list(heights: Any, index: int) -> Any:
    return [height for height in heights][index]  # noqa: C416 (Numba cannot make a list of a tuple)


def read_global(heights: Any, index: int) -> Any:
    return TABLE[index] + EVERY_SECOND[index]


def read_in_nested_loops(heights: Any, index: int) -> Any:
    total = 0
    for _ in range(2):
        for column in range(index, index + 2):
            total += TABLE[column]
    return total


def read_in_helper(heights: Any, index: int) -> Any:
    return get_compiled(TABLE, index)


def read_in_inlined_helper(heights: Any, index: int) -> Any:
    return get_inlined(TABLE, index)


def read_in_parallel_helper(heights: Any, index: int) -> Any:
    return sum_parallel(TABLE, index)


def read_in_plain_helper(heights: Any, index: int) -> Any:
    return get_element(TABLE, index)


def read_in_inner_function(heights: Any, index: int) -> Any:
    return call(lambda column: TABLE[column], index)


@pytest.mark.parametrize(
    "function",
    [
        read_tuple,
        read_global_tuple,
        read_array,
        write_array,
        read_slice,
        read_matrix,
        read_many,
        read_list,
        read_global,
        read_in_nested_loops,
        read_in_helper,
        read_in_inlined_helper,
        read_in_parallel_helper,
        read_in_plain_helper,
        read_in_inner_function,
    ],
)
def test_index_out_of_range_raises_an_error(function: Any) -> None:
    compiled = compile_checked(function)
    assert compiled(LEVELS, 3) == function(LEVELS, 3)
    for index in INVALID_INDICES:
        with pytest.raises(IndexError, match=r"out of (bounds|range)"):
            compiled(LEVELS, index)


def test_global_arrays_are_constant() -> None:
    def change_array() -> int:
        TABLE[0] += 1
        return int(TABLE[0])

    def change_array_in_tuple() -> int:
        PAIRS[0][0] += 1
        return int(PAIRS[0][0])

    for function in (change_array, change_array_in_tuple):
        with pytest.raises(numba.TypingError, match="readonly array"):
            compile_checked(function)()


def test_global_arrays_are_copied() -> None:
    """Without a copy, Numba reads arrays that are not contiguous from their original memory."""
    values = np.arange(20)[::2]

    def get_last() -> int:
        return int(values[-1])

    compiled = compile_checked(get_last)
    assert compiled() == 18
    values[-1] = 5
    assert compiled() == 18


def test_endless_loops_raise_an_error() -> None:
    def count(start: int) -> int:
        while start != 0:
            start += 2
        return start

    def append(start: int) -> int:
        numbers = [start]
        for number in numbers:
            numbers.append(number)
        return 0

    def loop_over_range(start: int) -> int:
        total = 0
        for number in range(start, 10**15):
            total ^= number
        return total

    def nest(start: int) -> int:
        total = 0
        for first in range(start, 10**4):
            for second in range(10**4):
                total ^= first * second
        return total

    for function in (count, append, loop_over_range, nest):
        with pytest.raises(RuntimeError, match="more than 10,000,000 iterations"):
            compile_checked(function)(1)
    assert compile_checked(count)(-1000) == 0
    assert compile_checked(nest)(9_990) == nest(9_990)


def test_floats_without_an_integer_raise_an_error() -> None:
    def convert(number: float) -> int:
        return int(number)

    def round_number(number: float) -> int:
        return round(number)

    def round_down(number: float) -> int:
        return math.floor(number)

    for function in (convert, round_number, round_down):
        compiled = compile_checked(function)
        assert [compiled(number) for number in (2.5, -2.5, 3.5)] == [function(number) for number in (2.5, -2.5, 3.5)]
        for number in (math.nan, math.inf, -math.inf, 1e30):
            with pytest.raises(ValueError, match="cannot convert NaN"):
                compiled(number)
