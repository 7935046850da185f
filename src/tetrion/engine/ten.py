"""Ten columns at once: the one place where ten is written out, so that everything else reads as one column."""

from collections.abc import Callable
from typing import Any

from tetrion.engine.compiler import compiled
from tetrion.engine.words import Array, maximum, minimum

Ten = tuple[int, int, int, int, int, int, int, int, int, int]


@compiled
def each(f: Callable[[int], int], a: Ten) -> Ten:
    """`f` of every column."""
    return f(a[0]), f(a[1]), f(a[2]), f(a[3]), f(a[4]), f(a[5]), f(a[6]), f(a[7]), f(a[8]), f(a[9])


@compiled
def each2(f: Callable[[int, int], int], a: Ten, b: Ten) -> Ten:
    """`f` of every column of two boards."""
    left = f(a[0], b[0]), f(a[1], b[1]), f(a[2], b[2]), f(a[3], b[3]), f(a[4], b[4])
    right = f(a[5], b[5]), f(a[6], b[6]), f(a[7], b[7]), f(a[8], b[8]), f(a[9], b[9])
    return left + right


@compiled
def each3(f: Callable[[int, int, int], int], a: Ten, b: Ten, c: Ten) -> Ten:
    """`f` of every column of three boards."""
    left = f(a[0], b[0], c[0]), f(a[1], b[1], c[1]), f(a[2], b[2], c[2]), f(a[3], b[3], c[3]), f(a[4], b[4], c[4])
    right = f(a[5], b[5], c[5]), f(a[6], b[6], c[6]), f(a[7], b[7], c[7]), f(a[8], b[8], c[8]), f(a[9], b[9], c[9])
    return left + right


@compiled
def numbered(f: Callable[[Any, int, int], int], a: Any, x: int) -> Ten:
    """`f(a, column, x)` for the columns 0 to 9."""
    left = f(a, 0, x), f(a, 1, x), f(a, 2, x), f(a, 3, x), f(a, 4, x)
    right = f(a, 5, x), f(a, 6, x), f(a, 7, x), f(a, 8, x), f(a, 9, x)
    return left + right


@compiled
def write(array: Array, a: Ten) -> None:
    """Keep the columns in the first ten places of an array."""
    array[0], array[1], array[2], array[3], array[4] = a[0], a[1], a[2], a[3], a[4]
    array[5], array[6], array[7], array[8], array[9] = a[5], a[6], a[7], a[8], a[9]


@compiled
def same(a: int) -> Ten:
    """Ten times the same."""
    return a, a, a, a, a, a, a, a, a, a


@compiled
def before(a: Ten, first: int) -> Ten:
    """Every column's left neighbour; `first` stands to the left of all."""
    return first, a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8]


@compiled
def behind(a: Ten, last: int) -> Ten:
    """Every column's right neighbour; `last` stands to the right of all."""
    return a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], last


@compiled
def total(a: Ten) -> int:
    """The sum."""
    return ((a[0] + a[1]) + (a[2] + a[3])) + ((a[4] + a[5]) + (a[6] + a[7])) + (a[8] + a[9])


@compiled
def joined(a: Ten) -> int:
    """The bits that any column has."""
    return ((a[0] | a[1]) | (a[2] | a[3])) | ((a[4] | a[5]) | (a[6] | a[7])) | (a[8] | a[9])


@compiled
def shared(a: Ten) -> int:
    """The bits that all columns have."""
    return ((a[0] & a[1]) & (a[2] & a[3])) & ((a[4] & a[5]) & (a[6] & a[7])) & (a[8] & a[9])


@compiled
def largest(a: Ten) -> int:
    """The largest."""
    left = maximum(maximum(maximum(a[0], a[1]), maximum(a[2], a[3])), a[4])
    return maximum(left, maximum(maximum(maximum(a[5], a[6]), maximum(a[7], a[8])), a[9]))


@compiled
def smallest(a: Ten) -> int:
    """The smallest."""
    left = minimum(minimum(minimum(a[0], a[1]), minimum(a[2], a[3])), a[4])
    return minimum(left, minimum(minimum(minimum(a[5], a[6]), minimum(a[7], a[8])), a[9]))
