"""A Numba type for 32-bit integers whose sums stay 32-bit, for GPUs.

Numba widens the result of every operation to 64 bits, which takes a GPU two instructions. This type has the usual
operators and wraps around, as lanes do. In Python it is an ordinary int.
"""

import operator
from collections.abc import Callable
from typing import Any

from numba import types
from numba.extending import models, overload, register_model

from tetrion.engine.numba_internals import call_llvm, define_intrinsic
from tetrion.engine.simd_lanes import LLVM_INT1, LLVM_INT32, LLVM_INT64, make_instruction


class Int32Type(types.Type):
    """The Numba type of 32-bit integers that wrap around."""

    def __init__(self) -> None:
        super().__init__("wrapping_int32")


int32_type = Int32Type()


@register_model(Int32Type)
class _Int32Model(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, LLVM_INT32)


@define_intrinsic
def _cast_to_int32(context: Any, number: Any) -> Any:
    def lower(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind = signature.args[0]
        return arguments[0] if kind is int32_type else context.cast(builder, arguments[0], kind, types.int32)

    return int32_type(number), lower


def to_int32(number: int) -> int:
    """Return the number as a 32-bit integer that wraps around."""
    return int(number)


overload(to_int32)(lambda number: lambda number: _cast_to_int32(number))


def to_int64(number: int) -> int:
    """Return the number as Numba's ordinary 64-bit integer."""
    return int(number)


_sign_extend = make_instruction(types.int64, lambda b, x: b.sext(x, LLVM_INT64))
overload(to_int64)(
    lambda number: (lambda number: _sign_extend(number)) if number is int32_type else (lambda number: number)
)


def to_index(number: int) -> int:
    """Return the number as an unsigned array index, for which Numba omits the test for negative indices."""
    return int(number)


_zero_extend = make_instruction(types.uint64, lambda b, x: b.zext(x, LLVM_INT64))
overload(to_index)(lambda number: lambda number: _zero_extend(_cast_to_int32(number)))

popcount_int32 = make_instruction(int32_type, lambda b, x: call_llvm(b, "llvm.ctpop.i32", LLVM_INT32, [x]))
leading_zeros_int32 = make_instruction(
    int32_type, lambda b, x: call_llvm(b, "llvm.ctlz.i32", LLVM_INT32, [x, LLVM_INT1(0)])
)


def _define_operator(symbol: Any, result: Any, emit: Callable[..., Any]) -> None:
    """Define an operator for two 32-bit integers, or for one and an ordinary integer."""
    instruction = make_instruction(result, emit)

    def is_supported(*kinds: Any) -> bool:
        return int32_type in kinds and all(kind is int32_type or isinstance(kind, types.Integer) for kind in kinds)

    overload(symbol)(
        lambda a, b: (lambda a, b: instruction(_cast_to_int32(a), _cast_to_int32(b))) if is_supported(a, b) else None
    )


_define_operator(operator.and_, int32_type, lambda b, x, y: b.and_(x, y))
_define_operator(operator.or_, int32_type, lambda b, x, y: b.or_(x, y))
_define_operator(operator.xor, int32_type, lambda b, x, y: b.xor(x, y))
_define_operator(operator.add, int32_type, lambda b, x, y: b.add(x, y))
_define_operator(operator.sub, int32_type, lambda b, x, y: b.sub(x, y))
_define_operator(operator.mul, int32_type, lambda b, x, y: b.mul(x, y))
_define_operator(operator.lshift, int32_type, lambda b, x, y: b.shl(x, y))
_define_operator(operator.rshift, int32_type, lambda b, x, y: b.lshr(x, y))
_define_operator(operator.gt, types.boolean, lambda b, x, y: b.icmp_signed(">", x, y))
_define_operator(operator.ge, types.boolean, lambda b, x, y: b.icmp_signed(">=", x, y))
_define_operator(operator.lt, types.boolean, lambda b, x, y: b.icmp_signed("<", x, y))
_define_operator(operator.le, types.boolean, lambda b, x, y: b.icmp_signed("<=", x, y))
_define_operator(operator.eq, types.boolean, lambda b, x, y: b.icmp_signed("==", x, y))
_define_operator(operator.ne, types.boolean, lambda b, x, y: b.icmp_signed("!=", x, y))

_invert = make_instruction(int32_type, lambda b, x: b.not_(x))
overload(operator.invert)(lambda a: (lambda a: _invert(a)) if a is int32_type else None)
