"""Copies of whole records in compiled code.

Numba's own assignment loads a record as one value, which LLVM splits into single bytes; to copy its memory takes less
code.
"""

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils

from tetrion.engine.simd_lanes import LLVM_INT64, define_intrinsic


@define_intrinsic
def copy_record(context: Any, target: Any, source: Any) -> Any:
    """Copy all fields of a record to another record of the same type."""

    def lower(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        size = ir.Constant(LLVM_INT64, signature.args[0].size)
        cgutils.raw_memcpy(builder, arguments[0], arguments[1], size, 1)
        return context.get_dummy_value()

    return (types.none(target, source), lower) if target == source else None
