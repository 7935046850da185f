"""Tests of SIMD lanes against NumPy."""

import operator
from collections.abc import Callable
from typing import Any

import numba
import numpy as np
import pytest

from tetrion.engine import simd_lanes

NUMBERS = np.random.default_rng(5).integers(-(2**31), 2**31, (200, simd_lanes.LANES)).astype(np.int32)
OTHERS = np.random.default_rng(6).integers(-(2**31), 2**31, (200, simd_lanes.LANES)).astype(np.int32)
SHIFTS = np.random.default_rng(7).integers(0, 32, (200, simd_lanes.LANES)).astype(np.int32)


def compile_for_arrays(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a function of lanes and return it as a function of arrays with sixteen numbers per row."""
    inner = numba.njit(function)

    @numba.njit
    def apply_to_rows(a: Any, b: Any, out: Any) -> None:
        for row in range(len(out)):
            start = row * simd_lanes.LANES
            simd_lanes.store(
                out.reshape(-1),
                start,
                inner(simd_lanes.load(a.reshape(-1), start), simd_lanes.load(b.reshape(-1), start)),
            )

    def call(a: Any, b: Any) -> Any:
        out = np.empty_like(a)
        apply_to_rows(a, b, out)
        return out

    return call


@pytest.mark.parametrize("symbol", ["and_", "or_", "xor", "add", "sub", "mul"])
def test_arithmetic_wraps_around(symbol: str) -> None:
    apply = getattr(operator, symbol)
    assert (compile_for_arrays(lambda a, b: apply(a, b))(NUMBERS, OTHERS) == apply(NUMBERS, OTHERS)).all()


def test_right_shifts_fill_with_zeros() -> None:
    assert (compile_for_arrays(lambda a, b: a << b)(NUMBERS, SHIFTS) == NUMBERS << SHIFTS).all()
    assert (
        compile_for_arrays(lambda a, b: a >> b)(NUMBERS, SHIFTS).view(np.uint32) == NUMBERS.view(np.uint32) >> SHIFTS
    ).all()


@pytest.mark.parametrize("symbol", ["gt", "ge", "lt", "le", "eq", "ne"])
def test_comparisons_select_by_lane(symbol: str) -> None:
    compare = getattr(operator, symbol)
    a, b = NUMBERS % 3, OTHERS % 3  # small numbers, so that some are equal
    assert (compile_for_arrays(lambda a, b: simd_lanes.mask_to_lanes(compare(a, b)))(a, b) == compare(a, b)).all()
    assert (
        compile_for_arrays(lambda a, b: simd_lanes.select(compare(a, b), a, b))(a, b) == np.where(compare(a, b), a, b)
    ).all()


def test_masks_can_be_combined() -> None:
    result = compile_for_arrays(lambda a, b: simd_lanes.mask_to_lanes((a > 0) & (b > 0)))(NUMBERS, OTHERS)
    assert (result == ((NUMBERS > 0) & (OTHERS > 0))).all()


def test_scalars_are_broadcast_to_lanes() -> None:
    assert (compile_for_arrays(lambda a, b: (7 - a) * 3)(NUMBERS, OTHERS) == (7 - NUMBERS) * 3).all()
    assert (compile_for_arrays(lambda a, b: ~a)(NUMBERS, OTHERS) == ~NUMBERS).all()
    assert (compile_for_arrays(lambda a, b: simd_lanes.broadcast_lanes(2**33 + 5) + a * 0)(NUMBERS, OTHERS) == 5).all()
    assert (
        compile_for_arrays(lambda a, b: simd_lanes.broadcast_lanes(np.int8(-3)) + a * 0)(NUMBERS, OTHERS) == -3
    ).all()
    assert (
        compile_for_arrays(lambda a, b: simd_lanes.broadcast_lanes(np.uint8(200)) + a * 0)(NUMBERS, OTHERS) == 200
    ).all()


def test_bits_and_leading_zeros_are_counted() -> None:
    numbers = np.array([[0, 1, 2, 3, -1, -(2**31), 2**31 - 1, 2**28, 255, 256, 7, 8, 9, 10, 11, 12]], np.int32)
    bits = [[f"{int(n) & 0xFFFFFFFF:032b}" for n in row] for row in numbers]
    count, zeros = (
        compile_for_arrays(lambda a, b: simd_lanes.popcount(a)),
        compile_for_arrays(lambda a, b: simd_lanes.leading_zeros(a)),
    )
    assert count(numbers, numbers).tolist() == [[text.count("1") for text in row] for row in bits]
    assert zeros(numbers, numbers).tolist() == [[len(text) - len(text.lstrip("0")) for text in row] for row in bits]


def test_maximum_and_minimum() -> None:
    assert (
        compile_for_arrays(lambda a, b: simd_lanes.maximum(a, b))(NUMBERS, OTHERS) == np.maximum(NUMBERS, OTHERS)
    ).all()
    assert (
        compile_for_arrays(lambda a, b: simd_lanes.minimum(a, b))(NUMBERS, OTHERS) == np.minimum(NUMBERS, OTHERS)
    ).all()
    spread = compile_for_arrays(
        lambda a, b: (
            simd_lanes.broadcast_lanes(simd_lanes.reduce_max(a)) - simd_lanes.broadcast_lanes(simd_lanes.reduce_min(a))
        )
    )
    small = NUMBERS >> 4
    assert (spread(small, small) == (small.max(axis=1) - small.min(axis=1))[:, None]).all()


def test_any_lane_set() -> None:
    any_set = compile_for_arrays(lambda a, b: simd_lanes.broadcast_lanes(int(simd_lanes.any_lane_set(a))))
    assert (any_set(np.zeros((1, 16), np.int32), SHIFTS) == 0).all()
    assert (any_set(np.eye(16, dtype=np.int32) << 31, SHIFTS) == 1).all()


def test_gather_and_extract_lane() -> None:
    table = np.arange(100, 200, dtype=np.int32)

    @numba.njit
    def gather(index: Any, table: Any, out: Any) -> int:
        simd_lanes.store(out, 0, simd_lanes.gather(table, 10, simd_lanes.load(index, 0)))
        return int(simd_lanes.extract_lane(simd_lanes.load(index, 0), 3))

    index, out = np.arange(40, 24, -1, dtype=np.int32), np.empty(16, np.int32)
    assert gather(index, table, out) == 37
    assert out.tolist() == table[10 + index].tolist()
