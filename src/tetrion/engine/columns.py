"""Operations on tuples of columns, of any length.

In Python they are ordinary functions of tuples. The compiled versions are generated for the length of the tuple.
"""

import inspect
from collections.abc import Callable
from functools import reduce
from typing import Any, TypeVar

from numba.extending import overload

from tetrion.engine.compiler import INLINE_OPTIONS, compile_inline, define_function
from tetrion.engine.scalar_or_simd import Array, finish_popcount, maximum, minimum, partial_popcount, store_value

Columns = tuple[int, ...]
TenColumns = tuple[int, int, int, int, int, int, int, int, int, int]
ColumnsT = TypeVar("ColumnsT", bound=Columns)
_F = TypeVar("_F", bound=Callable[..., Any])


def unroll(format_expression: Callable[[int], str], length_argument: int = 0) -> Callable[[_F], _F]:
    """Decorate a function: in compiled code it becomes the expression that `format_expression(length)` returns.

    `length` is the length of the argument with index `length_argument`.
    """

    def decorate(function: _F) -> _F:
        # Numba compares this signature with that of the generated function, which has no annotations.
        parameters = inspect.signature(function).parameters.values()
        signature = inspect.Signature([part.replace(annotation=inspect.Parameter.empty) for part in parameters])

        def implement(*kinds: Any) -> Any:
            source = f"def implementation{signature}: return {format_expression(len(kinds[length_argument]))}"
            return define_function("implementation", source, {"maximum": maximum, "minimum": minimum})

        vars(implement)["__signature__"] = signature
        overload(function, jit_options=INLINE_OPTIONS)(implement)
        return function

    return decorate


def _format_tuple(element: str) -> Callable[[int], str]:
    return lambda count: f"({''.join(element.format(i=i) + ', ' for i in range(count))})"


def _format_pairwise(element: Callable[[str, str], str]) -> Callable[[int], str]:
    """Combine elements in a balanced tree, because a chain of dependent operations is slower."""

    def format_tree(count: int) -> str:
        parts = [f"a[{i}]" for i in range(count)]
        while len(parts) > 1:
            pairs = [element(*parts[i : i + 2]) for i in range(0, len(parts) - 1, 2)]
            parts = pairs + parts[2 * len(pairs) :]
        return parts[0]

    return format_tree


@unroll(_format_tuple("f(a[{i}])"), length_argument=1)
def map_columns(f: Callable[[int], int], a: Columns) -> Any:
    """Return the tuple of f(column) for all columns."""
    return tuple(map(f, a))


@unroll(_format_tuple("f(a[{i}], b[{i}])"), length_argument=1)
def map_columns2(f: Callable[[int, int], int], a: Columns, b: Columns) -> Any:
    """Return the tuple of f(a[i], b[i]) for all columns."""
    return tuple(map(f, a, b))


@unroll(_format_tuple("f(a[{i}], b[{i}], c[{i}])"), length_argument=1)
def map_columns3(f: Callable[..., int], a: Columns, b: Columns, c: Columns) -> Any:
    """Return the tuple of f(a[i], b[i], c[i]) for all columns."""
    return tuple(map(f, a, b, c))


@unroll(_format_pairwise("({} + {})".format))
def sum_columns(a: Columns) -> int:
    """Return the sum of the columns."""
    return sum(a)


@unroll(_format_pairwise("({} | {})".format))
def or_columns(a: Columns) -> int:
    """Return the bits that are set in any column."""
    return reduce(lambda one, other: one | other, a)


@unroll(_format_pairwise("({} & {})".format))
def and_columns(a: Columns) -> int:
    """Return the bits that are set in all columns."""
    return reduce(lambda one, other: one & other, a)


@unroll(_format_pairwise("maximum({}, {})".format))
def max_column(a: Columns) -> int:
    """Return the largest column."""
    return max(a)


@unroll(_format_pairwise("minimum({}, {})".format))
def min_column(a: Columns) -> int:
    """Return the smallest column."""
    return min(a)


@unroll(_format_tuple("f(a[{i}], b)"), length_argument=1)
def map_columns_with(f: Callable[[int, int], int], a: Columns, b: int) -> Any:
    """Return the tuple of f(column, b) for all columns."""
    return tuple(f(column, b) for column in a)


@compile_inline
def count_bits(a: Any) -> int:
    """Return the total number of set bits, summed over all columns."""
    return finish_popcount(sum_columns(map_columns(partial_popcount, a)))


@compile_inline
def map_column_numbers(f: Callable[[Any, int, int], int], a: Any, x: int) -> TenColumns:
    """Return the tuple of f(a, column, x) for the column numbers 0 to 9."""
    left = f(a, 0, x), f(a, 1, x), f(a, 2, x), f(a, 3, x), f(a, 4, x)
    right = f(a, 5, x), f(a, 6, x), f(a, 7, x), f(a, 8, x), f(a, 9, x)
    return left + right


@compile_inline
def write_columns(array: Array, a: TenColumns) -> None:
    """Write the columns into the first ten elements of an array."""
    array[0], array[1], array[2], array[3], array[4] = a[0], a[1], a[2], a[3], a[4]
    array[5], array[6], array[7], array[8], array[9] = a[5], a[6], a[7], a[8], a[9]


@compile_inline
def store_ten_values(block: Array, first: int, ten: TenColumns) -> None:
    """Store ten columns as the values with the numbers `first` to `first` + 9."""
    store_value(block, first, ten[0])
    store_value(block, first + 1, ten[1])
    store_value(block, first + 2, ten[2])
    store_value(block, first + 3, ten[3])
    store_value(block, first + 4, ten[4])
    store_value(block, first + 5, ten[5])
    store_value(block, first + 6, ten[6])
    store_value(block, first + 7, ten[7])
    store_value(block, first + 8, ten[8])
    store_value(block, first + 9, ten[9])


@compile_inline
def get_left_neighbours(a: Any, first: int) -> Any:
    """Return the left neighbour of each column; `first` is the left neighbour of the first one."""
    return (first, *a[:-1])


@compile_inline
def get_right_neighbours(a: Any, last: int) -> Any:
    """Return the right neighbour of each column; `last` is the right neighbour of the last one."""
    return (*a[1:], last)


@unroll(lambda count: f"({''.join(_format_pair(i, count) for i in range(0, count, 2))})")
def merge_column_pairs(a: Columns) -> Any:
    """Return the union of each pair of neighbours, which must have no common bits, for faster counting."""
    return tuple(or_columns(a[index : index + 2]) for index in range(0, len(a), 2))


def _format_pair(index: int, count: int) -> str:
    return f"a[{index}] | a[{index + 1}], " if index + 1 < count else f"a[{index}], "
