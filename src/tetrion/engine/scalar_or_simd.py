"""Basic operations that work for scalars and for SIMD lanes, so that other code is written only once.

Each is an ordinary Python function of integers, which Numba compiles for scalars or for sixteen lanes. An argument `x`
is usually the column of the piece's left edge: an integer, or lanes with one column each.
"""

import inspect
import operator
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import overload

from tetrion.engine import simd_lanes
from tetrion.engine.compiler import INLINE_OPTIONS, define_function
from tetrion.engine.gpu.int32 import (
    Int32Type,
    leading_zeros_int32 as _leading_zeros_int32,
    popcount_int32 as _popcount_int32,
    to_index,
    to_int32,
    to_int64,
)
from tetrion.engine.numba_internals import call_llvm
from tetrion.engine.simd_lanes import (
    LANES,
    LLVM_INT1,
    LLVM_INT32,
    LLVM_INT64,
    LanesType,
    MaskType,
    broadcast_lanes,
    make_instruction,
)

Array = np.ndarray[Any, Any]
ColumnValues = Any  # one integer per column, as an array or as lanes; see `get_column_window`
LEFT_WALL_COLUMNS = 2  # columns of the left wall in an array of padded columns
PADDED_COLUMNS = 18  # two columns of the left wall, ten of the board, and six of the right wall
_F = TypeVar("_F", bound=Callable[..., Any])

_popcount = make_instruction(types.int32, lambda b, a: call_llvm(b, "llvm.ctpop.i32", LLVM_INT32, [a]))
_leading_zeros = make_instruction(
    types.int32, lambda b, a: call_llvm(b, "llvm.ctlz.i32", LLVM_INT32, [a, ir.Constant(LLVM_INT1, 0)])
)
_trailing_zeros = make_instruction(
    types.int64, lambda b, a: call_llvm(b, "llvm.cttz.i64", LLVM_INT64, [a, ir.Constant(LLVM_INT1, 0)])
)


def make_window(element: str, rotations: Sequence[Callable[..., Any]] = ()) -> Callable[[Any, int], Any]:
    """Return a function of `row` and `x` whose result is a tuple of eight elements, given as source code.

    In the source, `{i}` is the number of the element, and `rotate_{i}` is one of the rotations.
    """
    source = f"def get_window(row, x): return ({', '.join(element.format(i=i) for i in range(8))})"
    names = {f"rotate_{i}": rotation for i, rotation in enumerate(rotations)}
    return define_function("get_window", source, {"types": types, "to_int32": to_int32, "to_index": to_index, **names})


def define_for_scalar_and_simd(
    scalar: Callable[..., Any],
    simd: Callable[..., Any],
    dispatch_argument: int = 0,
    int32: Callable[..., Any] | None = None,
) -> Callable[[_F], _F]:
    """Decorate a Python function with its compiled versions for scalars and for lanes.

    The type of the argument with index `dispatch_argument` selects the version. For values of `Int32Type` it is `int32`
    if given, else `scalar`.
    """

    def decorate(function: _F) -> _F:
        def implement(*kinds: Any) -> Any:
            if isinstance(kinds[dispatch_argument], Int32Type):
                return int32 or scalar
            return simd if isinstance(kinds[dispatch_argument], LanesType | MaskType) else scalar

        vars(implement)["__signature__"] = inspect.signature(scalar)
        overload(function, jit_options=INLINE_OPTIONS)(implement)
        return function

    return decorate


@define_for_scalar_and_simd(
    scalar=lambda a: types.int64(_popcount(types.int32(a))),
    simd=lambda a: simd_lanes.popcount(a),
    int32=lambda a: _popcount_int32(a),
)
def popcount(a: int) -> int:
    """Return the number of bits that are set."""
    return a.bit_count()


@define_for_scalar_and_simd(scalar=lambda a: popcount(a), simd=lambda a: simd_lanes.partial_popcount(a))
def partial_popcount(a: int) -> int:
    """Return a partial bit count; up to thirty of them may be summed before `finish_popcount`."""
    return a.bit_count()


@define_for_scalar_and_simd(scalar=lambda a: a, simd=lambda a: simd_lanes.finish_popcount(a))
def finish_popcount(a: int) -> int:
    """Return the integer that a sum of partial counts represents."""
    return a


@define_for_scalar_and_simd(
    scalar=lambda a: types.int64(32 - _leading_zeros(types.int32(a))),
    simd=lambda a: 32 - simd_lanes.leading_zeros(a),
    int32=lambda a: 32 - _leading_zeros_int32(a),
)
def bit_length(a: int) -> int:
    """Return the position of the highest set bit, counted from 1; 0 if no bit is set."""
    return a.bit_length()


def find_lowest_bit(mask: int) -> int:
    """Return the position of the lowest set bit of a scalar mask of up to 63 bits, counted from 0."""
    return int(mask & -mask).bit_length() - 1


overload(find_lowest_bit)(lambda mask: lambda mask: _trailing_zeros(mask))


@define_for_scalar_and_simd(scalar=lambda a: to_int32(a), simd=lambda a: a)
def as_32_bits(a: int) -> int:
    """Return a scalar as a 32-bit integer that wraps around, like a lane: GPUs compute faster with it."""
    return a


@define_for_scalar_and_simd(scalar=lambda a: to_int64(a), simd=lambda a: a)
def as_64_bits(a: int) -> int:
    """Return a scalar as Numba's ordinary 64-bit integer."""
    return a


@define_for_scalar_and_simd(scalar=lambda a: a != 0, simd=lambda a: simd_lanes.any_lane_set(a))
def any_bit_set(a: int) -> bool:
    """Return whether any bit is set in any lane."""
    return a != 0


@define_for_scalar_and_simd(
    scalar=lambda a, b: max(a, b),
    simd=lambda a, b: simd_lanes.maximum(a, broadcast_lanes(b)),
    int32=lambda a, b: a if a > b else to_int32(b),
)
def maximum(a: int, b: int) -> int:
    """Return the larger value, for each lane."""
    return max(a, b)


@define_for_scalar_and_simd(
    scalar=lambda a, b: min(a, b),
    simd=lambda a, b: simd_lanes.minimum(a, broadcast_lanes(b)),
    int32=lambda a, b: a if a < b else to_int32(b),
)
def minimum(a: int, b: int) -> int:
    """Return the smaller value, for each lane."""
    return min(a, b)


@define_for_scalar_and_simd(
    scalar=lambda condition, a, b: a if condition else b,
    simd=lambda condition, a, b: simd_lanes.select(condition, broadcast_lanes(a), broadcast_lanes(b)),
)
def where(condition: bool, a: int, b: int) -> int:
    """Return `a` where the condition is true and `b` elsewhere."""
    return a if condition else b


@define_for_scalar_and_simd(
    scalar=lambda condition: types.int64(condition), simd=lambda condition: simd_lanes.mask_to_lanes(condition)
)
def to_int(condition: bool) -> int:
    """Return 1 where the condition is true and 0 elsewhere."""
    return int(condition)


@define_for_scalar_and_simd(
    scalar=lambda number, x: types.int64(number),
    simd=lambda number, x: broadcast_lanes(number),
    dispatch_argument=1,
    int32=lambda number, x: to_int32(number),
)
def broadcast(number: int, x: int) -> int:
    """Return a number as a scalar or in all lanes, like `x`."""
    return int(number)


@define_for_scalar_and_simd(
    scalar=lambda array, offset, x: types.int64(array[offset + x]),
    simd=lambda array, offset, x: simd_lanes.load(array, offset),
    dispatch_argument=2,
)
def load_at(array: Array, offset: int, x: int) -> int:
    """Return the element at `offset + x`; for lanes, lane i is the element at `offset + i`."""
    return int(array[offset + x])


@define_for_scalar_and_simd(
    scalar=make_window("types.int64(row[x + {i}])"),
    simd=make_window(
        "rotate_{i}(row)", [simd_lanes.make_lane_rotation(right) for right in range(-LEFT_WALL_COLUMNS, 6)]
    ),
    dispatch_argument=1,
    int32=make_window("to_int32(row[to_index(x) + types.uint64({i})])"),
)
def get_column_window(row: ColumnValues, x: int) -> tuple[int, ...]:
    """Return the values of the columns x − 2 to x + 5.

    For scalars, `row` is an array that starts with the two columns of the left wall. For lanes, the columns 10 to 15
    are walls, and column 0 follows column 15.
    """
    return tuple(int(row[x + index]) for index in range(8))


@define_for_scalar_and_simd(
    scalar=lambda array, offset, index: types.int64(array[offset + index]),
    simd=lambda array, offset, index: simd_lanes.gather(array, offset, index),
    dispatch_argument=2,
    int32=lambda array, offset, index: to_int32(array[to_index(offset + index)]),
)
def gather_at(array: Array, offset: int, index: int) -> int:
    """Return the element at `offset + index`; each lane has its own index."""
    return int(array[offset + index])


@define_for_scalar_and_simd(
    scalar=lambda array, number, value: operator.setitem(array, number, value),
    simd=lambda array, number, value: simd_lanes.store(array, number * LANES, value),
    dispatch_argument=2,
    int32=lambda array, number, value: operator.setitem(array, number, to_int64(value)),
)
def store_value(array: Array, number: int, value: int) -> None:
    """Store a value as entry `number` of an array; an entry of lanes has sixteen elements."""
    array[number] = value


@define_for_scalar_and_simd(
    scalar=lambda array, number, x: types.int64(array[number]),
    simd=lambda array, number, x: simd_lanes.load(array, number * LANES),
    dispatch_argument=2,
)
def load_value(array: Array, number: int, x: int) -> int:
    """Return entry `number` of an array, as stored by `store_value`; as a scalar or lanes like `x`."""
    return int(array[number])
