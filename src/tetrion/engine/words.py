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

from tetrion.engine import lanes
from tetrion.engine.compiler import INLINED
from tetrion.engine.lanes import BIT, INT, LANES, LONG, LanesType, MaskType, everywhere, instruction, llvm
from tetrion.engine.narrow import NarrowType, index, narrow
from tetrion.engine.narrow import leading_zeros as _narrow_leading_zeros
from tetrion.engine.narrow import popcount as _narrow_popcount

Array = np.ndarray[Any, Any]
Row = Any  # an array, or lanes
LEFT_WALL = 2  # columns of it in an array
ROW = 18  # columns in an array: two of a wall, ten, and six of the other
F = TypeVar("F", bound=Callable[..., Any])

_popcount = instruction(types.int32, lambda b, a: llvm(b, "llvm.ctpop.i32", INT, [a]))
_leading_zeros = instruction(types.int32, lambda b, a: llvm(b, "llvm.ctlz.i32", INT, [a, ir.Constant(BIT, 0)]))
_trailing_zeros = instruction(types.int64, lambda b, a: llvm(b, "llvm.cttz.i64", LONG, [a, ir.Constant(BIT, 0)]))

_V0, _V1, _, _V3, _V4, _V5, _V6, _V7 = (lanes.seen_from(right) for right in range(-LEFT_WALL, 6))


def word(
    one: Callable[..., Any], sixteen: Callable[..., Any], told_by: int = 0, short: Callable[..., Any] | None = None
) -> Callable[[F], F]:
    """Let a Python function mean `one` for numbers and `sixteen` for lanes; argument `told_by` tells which.

    For numbers of 32 bits it means the same as for others, or `short`.
    """

    def declare(function: F) -> F:
        def implement(*kinds: Any) -> Any:
            if isinstance(kinds[told_by], NarrowType):
                return short or one
            return sixteen if isinstance(kinds[told_by], LanesType | MaskType) else one

        implement.__signature__ = inspect.signature(one)  # type: ignore[attr-defined]
        overload(function, jit_options=INLINED)(implement)
        return function

    return declare


@word(
    one=lambda a: types.int64(_popcount(types.int32(a))),
    sixteen=lambda a: lanes.popcount(a),
    short=lambda a: _narrow_popcount(a),
)
def popcount(a: int) -> int:
    """How many bits are set."""
    return a.bit_count()


@word(one=lambda a: popcount(a), sixteen=lambda a: lanes.count(a))
def count(a: int) -> int:
    """How many bits are set, in a form in which up to thirty of them can be added; `counted` makes a number of it."""
    return a.bit_count()


@word(one=lambda a: a, sixteen=lambda a: lanes.counted(a))
def counted(a: int) -> int:
    """The number that a sum of counts stands for."""
    return a


@word(
    one=lambda a: types.int64(32 - _leading_zeros(types.int32(a))),
    sixteen=lambda a: 32 - lanes.leading_zeros(a),
    short=lambda a: 32 - _narrow_leading_zeros(a),
)
def height(a: int) -> int:
    """The number of the highest bit that is set, counted from 1; 0 if there is none."""
    return a.bit_length()


def lowest(mask: int) -> int:
    """The number of the lowest bit that is set; one mask alone, of up to 63 bits."""
    return int(mask & -mask).bit_length() - 1


overload(lowest)(lambda mask: lambda mask: _trailing_zeros(mask))


@word(one=lambda a: a != 0, sixteen=lambda a: lanes.any_set(a))
def anywhere(a: int) -> bool:
    """Whether any bit is set, in any lane."""
    return a != 0


@word(
    one=lambda a, b: max(a, b),
    sixteen=lambda a, b: lanes.maximum(a, everywhere(b)),
    short=lambda a, b: a if a > b else narrow(b),
)
def maximum(a: int, b: int) -> int:
    """The larger one."""
    return max(a, b)


@word(one=lambda a, b: min(a, b), sixteen=lambda a, b: lanes.minimum(a, everywhere(b)))
def minimum(a: int, b: int) -> int:
    """The smaller one."""
    return min(a, b)


@word(
    one=lambda condition, a, b: a if condition else b,
    sixteen=lambda condition, a, b: lanes.select(condition, everywhere(a), everywhere(b)),
)
def where(condition: bool, a: int, b: int) -> int:
    """`a` where the condition holds, `b` elsewhere."""
    return a if condition else b


@word(one=lambda condition: types.int64(condition), sixteen=lambda condition: lanes.ones(condition))
def truth(condition: bool) -> int:
    """1 where the condition holds, 0 elsewhere."""
    return int(condition)


@word(
    one=lambda number, x: types.int64(number),
    sixteen=lambda number, x: everywhere(number),
    told_by=1,
    short=lambda number, x: narrow(number),
)
def spread(number: int, x: int) -> int:
    """A number in as many lanes as `x` has."""
    return int(number)


@word(
    one=lambda array, offset, x: types.int64(array[offset + x]),
    sixteen=lambda array, offset, x: lanes.load(array, offset),
    told_by=2,
)
def look(array: Array, offset: int, x: int) -> int:
    """The element at `offset + x`; lane i sees the one at `offset + i`."""
    return int(array[offset + x])


@word(
    one=lambda row, x: (
        types.int64(row[x]),
        types.int64(row[x + 1]),
        types.int64(row[x + 2]),
        types.int64(row[x + 3]),
        types.int64(row[x + 4]),
        types.int64(row[x + 5]),
        types.int64(row[x + 6]),
        types.int64(row[x + 7]),
    ),
    sixteen=lambda row, x: (_V0(row), _V1(row), row, _V3(row), _V4(row), _V5(row), _V6(row), _V7(row)),
    told_by=1,
    short=lambda row, x: (
        narrow(row[index(x)]),
        narrow(row[index(x) + types.uint64(1)]),
        narrow(row[index(x) + types.uint64(2)]),
        narrow(row[index(x) + types.uint64(3)]),
        narrow(row[index(x) + types.uint64(4)]),
        narrow(row[index(x) + types.uint64(5)]),
        narrow(row[index(x) + types.uint64(6)]),
        narrow(row[index(x) + types.uint64(7)]),
    ),
)
def seen(row: Row, x: int) -> tuple[int, ...]:
    """What the columns x − 2 to x + 5 have in a row, which is a number for every column and for walls beside them.

    For one placement it is an array that begins with the two columns of the left wall; for sixteen it is lanes, where
    the columns 10 to 15 are walls and 0 follows again.
    """
    return tuple(int(row[x + place]) for place in range(8))


@word(
    one=lambda array, offset, index: types.int64(array[offset + index]),
    sixteen=lambda array, offset, index: lanes.gather(array, offset, index),
    told_by=2,
)
def pick(array: Array, offset: int, index: int) -> int:
    """The element at `offset + index`, each lane by its own index."""
    return int(array[offset + index])


@word(
    one=lambda array, number, value: operator.setitem(array, number, value),
    sixteen=lambda array, number, value: lanes.store(array, number * LANES, value),
    told_by=2,
)
def put(array: Array, number: int, value: int) -> None:
    """Keep a value as number so and so; lanes take sixteen places each."""
    array[number] = value


@word(
    one=lambda array, number, x: types.int64(array[number]),
    sixteen=lambda array, number, x: lanes.load(array, number * LANES),
    told_by=2,
)
def get(array: Array, number: int, x: int) -> int:
    """What `put` has kept, in as many lanes as `x` has."""
    return int(array[number])
