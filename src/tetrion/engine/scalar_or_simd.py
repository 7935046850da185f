"""The few words that mean the same for one column and for sixteen side by side.

Each is an ordinary Python function of whole numbers, and Numba compiles it for either width. `x` is the place that is
looked at: a number, or sixteen lanes of which lane i stands for the place i further on.
"""

import inspect
import operator
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import overload

from tetrion.engine import simd_lanes
from tetrion.engine.compiler import INLINE_OPTIONS
from tetrion.engine.int32 import Int32Type, to_index, to_int32
from tetrion.engine.int32 import leading_zeros_int32 as _narrow_leading_zeros
from tetrion.engine.int32 import popcount_int32 as _narrow_popcount
from tetrion.engine.simd_lanes import (
    LANES,
    LLVM_INT1,
    LLVM_INT32,
    LLVM_INT64,
    LanesType,
    MaskType,
    broadcast_lanes,
    call_llvm,
    make_instruction,
)

Array = np.ndarray[Any, Any]
ColumnValues = Any  # an array, or lanes
LEFT_WALL_COLUMNS = 2  # columns of it in an array
PADDED_COLUMNS = 18  # columns in an array: two of a wall, ten, and six of the other
_F = TypeVar("_F", bound=Callable[..., Any])

_popcount = make_instruction(types.int32, lambda b, a: call_llvm(b, "llvm.ctpop.i32", LLVM_INT32, [a]))
_leading_zeros = make_instruction(
    types.int32, lambda b, a: call_llvm(b, "llvm.ctlz.i32", LLVM_INT32, [a, ir.Constant(LLVM_INT1, 0)])
)
_trailing_zeros = make_instruction(
    types.int64, lambda b, a: call_llvm(b, "llvm.cttz.i64", LLVM_INT64, [a, ir.Constant(LLVM_INT1, 0)])
)

_window_0, _window_1, _, _window_3, _window_4, _window_5, _window_6, _window_7 = (
    simd_lanes.make_lane_rotation(right) for right in range(-LEFT_WALL_COLUMNS, 6)
)


def define_for_scalar_and_simd(
    scalar: Callable[..., Any],
    simd: Callable[..., Any],
    dispatch_argument: int = 0,
    int32: Callable[..., Any] | None = None,
) -> Callable[[_F], _F]:
    """Let a Python function mean `one` for numbers and `sixteen` for lanes; argument `told_by` tells which.

    For numbers of 32 bits it means the same as for others, or `short`.
    """

    def declare(function: _F) -> _F:
        def implement(*kinds: Any) -> Any:
            if isinstance(kinds[dispatch_argument], Int32Type):
                return int32 or scalar
            return simd if isinstance(kinds[dispatch_argument], LanesType | MaskType) else scalar

        implement.__signature__ = inspect.signature(scalar)  # type: ignore[attr-defined]
        overload(function, jit_options=INLINE_OPTIONS)(implement)
        return function

    return declare


@define_for_scalar_and_simd(
    scalar=lambda a: types.int64(_popcount(types.int32(a))),
    simd=lambda a: simd_lanes.popcount(a),
    int32=lambda a: _narrow_popcount(a),
)
def popcount(a: int) -> int:
    """How many bits are set."""
    return a.bit_count()


@define_for_scalar_and_simd(scalar=lambda a: popcount(a), simd=lambda a: simd_lanes.partial_popcount(a))
def partial_popcount(a: int) -> int:
    """How many bits are set, in a form in which up to thirty of them can be added; `counted` makes a number of it."""
    return a.bit_count()


@define_for_scalar_and_simd(scalar=lambda a: a, simd=lambda a: simd_lanes.finish_popcount(a))
def finish_popcount(a: int) -> int:
    """The number that a sum of counts stands for."""
    return a


@define_for_scalar_and_simd(
    scalar=lambda a: types.int64(32 - _leading_zeros(types.int32(a))),
    simd=lambda a: 32 - simd_lanes.leading_zeros(a),
    int32=lambda a: 32 - _narrow_leading_zeros(a),
)
def bit_length(a: int) -> int:
    """The number of the highest bit that is set, counted from 1; 0 if there is none."""
    return a.bit_length()


def find_lowest_bit(mask: int) -> int:
    """The number of the lowest bit that is set; one mask alone, of up to 63 bits."""
    return int(mask & -mask).bit_length() - 1


overload(find_lowest_bit)(lambda mask: lambda mask: _trailing_zeros(mask))


@define_for_scalar_and_simd(scalar=lambda a: a != 0, simd=lambda a: simd_lanes.any_lane_set(a))
def any_bit_set(a: int) -> bool:
    """Whether any bit is set, in any lane."""
    return a != 0


@define_for_scalar_and_simd(
    scalar=lambda a, b: max(a, b),
    simd=lambda a, b: simd_lanes.maximum(a, broadcast_lanes(b)),
    int32=lambda a, b: a if a > b else to_int32(b),
)
def maximum(a: int, b: int) -> int:
    """The larger one."""
    return max(a, b)


@define_for_scalar_and_simd(scalar=lambda a, b: min(a, b), simd=lambda a, b: simd_lanes.minimum(a, broadcast_lanes(b)))
def minimum(a: int, b: int) -> int:
    """The smaller one."""
    return min(a, b)


@define_for_scalar_and_simd(
    scalar=lambda condition, a, b: a if condition else b,
    simd=lambda condition, a, b: simd_lanes.select(condition, broadcast_lanes(a), broadcast_lanes(b)),
)
def where(condition: bool, a: int, b: int) -> int:
    """`a` where the condition holds, `b` elsewhere."""
    return a if condition else b


@define_for_scalar_and_simd(
    scalar=lambda condition: types.int64(condition), simd=lambda condition: simd_lanes.mask_to_lanes(condition)
)
def to_int(condition: bool) -> int:
    """1 where the condition holds, 0 elsewhere."""
    return int(condition)


@define_for_scalar_and_simd(
    scalar=lambda number, x: types.int64(number),
    simd=lambda number, x: broadcast_lanes(number),
    dispatch_argument=1,
    int32=lambda number, x: to_int32(number),
)
def broadcast(number: int, x: int) -> int:
    """A number in as many lanes as `x` has."""
    return int(number)


@define_for_scalar_and_simd(
    scalar=lambda array, offset, x: types.int64(array[offset + x]),
    simd=lambda array, offset, x: simd_lanes.load(array, offset),
    dispatch_argument=2,
)
def load_at(array: Array, offset: int, x: int) -> int:
    """The element at `offset + x`; lane i sees the one at `offset + i`."""
    return int(array[offset + x])


@define_for_scalar_and_simd(
    scalar=lambda row, x: (
        types.int64(row[x]),
        types.int64(row[x + 1]),
        types.int64(row[x + 2]),
        types.int64(row[x + 3]),
        types.int64(row[x + 4]),
        types.int64(row[x + 5]),
        types.int64(row[x + 6]),
        types.int64(row[x + 7]),
    ),
    simd=lambda row, x: (
        _window_0(row),
        _window_1(row),
        row,
        _window_3(row),
        _window_4(row),
        _window_5(row),
        _window_6(row),
        _window_7(row),
    ),
    dispatch_argument=1,
    int32=lambda row, x: (
        to_int32(row[to_index(x)]),
        to_int32(row[to_index(x) + types.uint64(1)]),
        to_int32(row[to_index(x) + types.uint64(2)]),
        to_int32(row[to_index(x) + types.uint64(3)]),
        to_int32(row[to_index(x) + types.uint64(4)]),
        to_int32(row[to_index(x) + types.uint64(5)]),
        to_int32(row[to_index(x) + types.uint64(6)]),
        to_int32(row[to_index(x) + types.uint64(7)]),
    ),
)
def get_column_window(row: ColumnValues, x: int) -> tuple[int, ...]:
    """What the columns x − 2 to x + 5 have in a row, which is a number for every column and for walls beside them.

    For one placement it is an array that begins with the two columns of the left wall; for sixteen it is lanes, where
    the columns 10 to 15 are walls and 0 follows again.
    """
    return tuple(int(row[x + place]) for place in range(8))


@define_for_scalar_and_simd(
    scalar=lambda array, offset, index: types.int64(array[offset + index]),
    simd=lambda array, offset, index: simd_lanes.gather(array, offset, index),
    dispatch_argument=2,
)
def gather_at(array: Array, offset: int, index: int) -> int:
    """The element at `offset + index`, each lane by its own index."""
    return int(array[offset + index])


@define_for_scalar_and_simd(
    scalar=lambda array, number, value: operator.setitem(array, number, value),
    simd=lambda array, number, value: simd_lanes.store(array, number * LANES, value),
    dispatch_argument=2,
)
def store_value(array: Array, number: int, value: int) -> None:
    """Keep a value as number so and so; lanes take sixteen places each."""
    array[number] = value


@define_for_scalar_and_simd(
    scalar=lambda array, number, x: types.int64(array[number]),
    simd=lambda array, number, x: simd_lanes.load(array, number * LANES),
    dispatch_argument=2,
)
def load_value(array: Array, number: int, x: int) -> int:
    """What `put` has kept, in as many lanes as `x` has."""
    return int(array[number])
