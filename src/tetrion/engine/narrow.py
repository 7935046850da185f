"""A whole number of 32 bits that stays one: Numba makes 64 bits of every sum, which a GPU counts in two steps.

It has the ordinary operators; with a wider number it wraps around, as lanes do. In plain Python it is an ordinary int.
"""

import operator
from collections.abc import Callable
from typing import Any

from numba import types
from numba.extending import models, overload, register_model

from tetrion.engine.lanes import BIT, INT, LONG, instruction, llvm, primitive


class NarrowType(types.Type):  # type: ignore[misc]
    """The type of such a number."""

    def __init__(self) -> None:
        super().__init__("narrow")


narrow32 = NarrowType()


@register_model(NarrowType)
class _NarrowModel(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, INT)


@primitive
def _made(context: Any, number: Any) -> Any:
    def lower(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind = signature.args[0]
        return arguments[0] if kind is narrow32 else context.cast(builder, arguments[0], kind, types.int32)

    return narrow32(number), lower


def narrow(number: int) -> int:
    """The number in 32 bits."""
    return int(number)


overload(narrow)(lambda number: lambda number: _made(number))


def wide(number: int) -> int:
    """The number as Numba knows it."""
    return int(number)


_widened = instruction(types.int64, lambda b, x: b.sext(x, LONG))
overload(wide)(lambda number: (lambda number: _widened(number)) if number is narrow32 else (lambda number: number))


def index(number: int) -> int:
    """The number as the index of an array, which is not negative: Numba need not ask whether it counts from the end."""
    return int(number)


_unsigned = instruction(types.uint64, lambda b, x: b.zext(x, LONG))
overload(index)(lambda number: lambda number: _unsigned(_made(number)))

popcount = instruction(narrow32, lambda b, x: llvm(b, "llvm.ctpop.i32", INT, [x]))
leading_zeros = instruction(narrow32, lambda b, x: llvm(b, "llvm.ctlz.i32", INT, [x, BIT(0)]))


def _define(symbol: Any, result: Any, emit: Callable[..., Any]) -> None:
    """Give an operator its meaning for two such numbers, or for one and an ordinary one."""
    two = instruction(result, emit)

    def fits(*kinds: Any) -> bool:
        return narrow32 in kinds and all(kind is narrow32 or isinstance(kind, types.Integer) for kind in kinds)

    overload(symbol)(lambda a, b: (lambda a, b: two(_made(a), _made(b))) if fits(a, b) else None)


_define(operator.and_, narrow32, lambda b, x, y: b.and_(x, y))
_define(operator.or_, narrow32, lambda b, x, y: b.or_(x, y))
_define(operator.xor, narrow32, lambda b, x, y: b.xor(x, y))
_define(operator.add, narrow32, lambda b, x, y: b.add(x, y))
_define(operator.sub, narrow32, lambda b, x, y: b.sub(x, y))
_define(operator.mul, narrow32, lambda b, x, y: b.mul(x, y))
_define(operator.lshift, narrow32, lambda b, x, y: b.shl(x, y))
_define(operator.rshift, narrow32, lambda b, x, y: b.lshr(x, y))
_define(operator.gt, types.boolean, lambda b, x, y: b.icmp_signed(">", x, y))
_define(operator.ge, types.boolean, lambda b, x, y: b.icmp_signed(">=", x, y))
_define(operator.lt, types.boolean, lambda b, x, y: b.icmp_signed("<", x, y))
_define(operator.le, types.boolean, lambda b, x, y: b.icmp_signed("<=", x, y))
_define(operator.eq, types.boolean, lambda b, x, y: b.icmp_signed("==", x, y))
_define(operator.ne, types.boolean, lambda b, x, y: b.icmp_signed("!=", x, y))

_inverted = instruction(narrow32, lambda b, x: b.not_(x))


overload(operator.invert)(lambda a: (lambda a: _inverted(a)) if a is narrow32 else None)
