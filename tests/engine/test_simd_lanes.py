"""Tests of SIMD lanes against NumPy."""

import operator
from typing import Any

import numba
import numpy as np

from tetrion.engine import simd_lanes
from tetrion.engine.compiler import define_function
from tetrion.engine.simd_lanes import LANES, load, store

ROWS = 200
NUMBERS, OTHERS = (
    np.random.default_rng(seed).integers(-(2**31), 2**31, (ROWS, LANES)).astype(np.int32) for seed in (5, 6)
)
SMALL, OTHER_SMALL = NUMBERS % 3, OTHERS % 3  # so that some are equal
SHIFTS = OTHERS & 31
ARITHMETIC = ("and_", "or_", "xor", "add", "sub", "mul")
COMPARISONS = ("gt", "ge", "lt", "le", "eq", "ne")
BITS = np.array([[int(number) & 0xFFFFFFFF for number in row] for row in NUMBERS])
# By source code of `a`, `b` (any numbers), `s`, `t` (small ones) and `d` (shifts): the expected values.
EXPECTED: dict[str, Any] = {
    **{f"operator.{name}(a, b)": getattr(operator, name)(NUMBERS, OTHERS) for name in ARITHMETIC},
    **{
        f"lanes.mask_to_lanes(operator.{name}(s, t))": getattr(operator, name)(SMALL, OTHER_SMALL)
        for name in COMPARISONS
    },
    **{
        f"lanes.select(operator.{name}(s, t), s, t)": np.where(
            getattr(operator, name)(SMALL, OTHER_SMALL), SMALL, OTHER_SMALL
        )
        for name in COMPARISONS
    },
    "a << d": NUMBERS << SHIFTS,
    "a >> d": (NUMBERS.view(np.uint32) >> SHIFTS.view(np.uint32)).view(np.int32),  # fills with zeros
    "lanes.mask_to_lanes((a > 0) & (b > 0))": (NUMBERS > 0) & (OTHERS > 0),
    "lanes.mask_to_lanes((a > 0) | (b > 0))": (NUMBERS > 0) | (OTHERS > 0),
    "(7 - a) * 3": (7 - NUMBERS) * 3,
    "~a": ~NUMBERS,
    "lanes.broadcast_lanes(2**33 + 5) + a * 0": np.full_like(NUMBERS, 5),
    "lanes.broadcast_lanes(np.int8(-3)) + a * 0": np.full_like(NUMBERS, -3),
    "lanes.broadcast_lanes(np.uint8(200)) + a * 0": np.full_like(NUMBERS, 200),
    "lanes.popcount(a)": [[int(bits).bit_count() for bits in row] for row in BITS],
    "lanes.leading_zeros(a >> d)": [
        [32 - (int(bits) >> shift).bit_length() for bits, shift in zip(row, shifts, strict=True)]
        for row, shifts in zip(BITS, SHIFTS.tolist(), strict=True)
    ],
    "lanes.reverse_bits(a)": [
        [(int(f"{bits:032b}"[::-1], 2) ^ 2**31) - 2**31 for bits in map(int, row)] for row in BITS
    ],
    "lanes.maximum(a, b)": np.maximum(NUMBERS, OTHERS),
    "lanes.minimum(a, b)": np.minimum(NUMBERS, OTHERS),
    "lanes.broadcast_lanes(lanes.reduce_max(a))": np.broadcast_to(NUMBERS.max(axis=1)[:, None], (ROWS, LANES)),
    "lanes.broadcast_lanes(lanes.reduce_min(a))": np.broadcast_to(NUMBERS.min(axis=1)[:, None], (ROWS, LANES)),
    "lanes.broadcast_lanes(lanes.mask_to_bits(a > 0))": np.broadcast_to(
        ((NUMBERS > 0) << np.arange(LANES)).sum(axis=1)[:, None], (ROWS, LANES)
    ),
    "lanes.broadcast_lanes(int(lanes.any_lane_set(lanes.mask_to_lanes(s == 2))))": np.broadcast_to(
        (SMALL == 2).any(axis=1)[:, None], (ROWS, LANES)
    ),
    "lanes.broadcast_lanes(lanes.extract_lane(a, 3))": np.broadcast_to(NUMBERS[:, 3:4], (ROWS, LANES)),
    "lanes.gather(table, 10, d)": 110 + SHIFTS,
}


def compute_in_lanes() -> Any:
    """Return the values of all expressions, computed by one compiled function."""
    stores = [f"        store(out[{i}], start, {expression})" for i, expression in enumerate(EXPECTED)]
    loads = [f"        {name} = load({name}_array, start)" for name in "abstd"]
    head = [
        "def compute(a_array, b_array, s_array, t_array, d_array, table, out):",
        f"    for start in range(0, {NUMBERS.size}, {LANES}):",
    ]
    names = {"lanes": simd_lanes, "load": load, "store": store, "operator": operator, "np": np}
    compute = numba.njit(define_function("compute", "\n".join([*head, *loads, *stores]), names))
    out = np.zeros((len(EXPECTED), NUMBERS.size), np.int32)
    arrays = [array.reshape(-1).astype(np.int32) for array in (NUMBERS, OTHERS, SMALL, OTHER_SMALL, SHIFTS)]
    compute(*arrays, np.arange(100, 200, dtype=np.int32), out)
    return out.reshape(len(EXPECTED), ROWS, LANES)


def test_operations_equal_those_of_numpy() -> None:
    for (expression, expected), values in zip(EXPECTED.items(), compute_in_lanes(), strict=True):
        assert (values == np.array(expected)).all(), expression
