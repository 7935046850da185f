"""Sixteen whole numbers side by side, as a type of Numba's with the ordinary operators.

`Lanes` hold sixteen 32-bit integers in one vector register where the machine has such wide ones, in several where it
has not; `Mask` holds sixteen answers of a comparison. Shifts to the right bring in zeros, arithmetic wraps around.
Nothing here knows of Tetris.
"""

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import config, types
from numba.core import cgutils
from numba.core.codegen import get_host_cpu_features
from numba.core.typeconv import Conversion
from numba.core.typing.templates import AbstractTemplate, infer_global
from numba.extending import intrinsic, lower_builtin, lower_cast, models, register_model

LANES = 16
LANE_NUMBERS = np.arange(LANES, dtype=np.int32)

BIT, INT, LONG = ir.IntType(1), ir.IntType(32), ir.IntType(64)
VECTOR, BITS = ir.VectorType(INT, LANES), ir.VectorType(BIT, LANES)
BYTES = ir.VectorType(ir.IntType(8), 4 * LANES)

Emit = Callable[..., Any]


class LanesType(types.Type):  # type: ignore[misc]
    """The type of sixteen numbers."""

    def __init__(self) -> None:
        super().__init__("lanes")

    def can_convert_from(self, context: Any, other: Any) -> Any:
        """A number can stand where lanes are wanted."""
        return Conversion.safe if isinstance(other, types.Integer) else None


class MaskType(types.Type):  # type: ignore[misc]
    """The type of sixteen truths."""

    def __init__(self) -> None:
        super().__init__("mask")


lanes, mask = LanesType(), MaskType()


@register_model(LanesType)
class _LanesModel(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, VECTOR)


@register_model(MaskType)
class _MaskModel(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, BITS)


def llvm(builder: Any, name: str, result: Any, arguments: list[Any]) -> Any:
    """Call one of LLVM's own functions."""
    kind = ir.FunctionType(result, [argument.type for argument in arguments])
    return builder.call(cgutils.get_or_insert_function(builder.module, kind, name), arguments)


def primitive(typing: Callable[..., Any]) -> Any:
    """A function that is made of LLVM's instructions; `typing(context, *types)` gives its signature and lowering."""
    return intrinsic(typing)


def instruction(result: Any, emit: Emit) -> Any:
    """Make a function of one, two or three arguments that stands for the instructions `emit(builder, *values)`."""

    def lower(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return emit(builder, *arguments)

    def one(context: Any, a: Any) -> Any:
        return result(a), lower

    def two(context: Any, a: Any, b: Any) -> Any:
        return result(a, b), lower

    def three(context: Any, a: Any, b: Any, c: Any) -> Any:
        return result(a, b, c), lower

    by_count: dict[int, Callable[..., Any]] = {2: one, 3: two, 4: three}
    return primitive(by_count[emit.__code__.co_argcount - len(emit.__defaults__ or ())])


def _element(array: Any, offset: Any, context: Any, builder: Any, signature: Any, kind: Any = VECTOR) -> Any:
    data = context.make_array(signature.args[0])(context, builder, array).data
    return builder.bitcast(builder.gep(data, [offset]), kind.as_pointer())


def splat(builder: Any, number: Any) -> Any:
    """A 32-bit number in every lane."""
    undefined = ir.Constant(VECTOR, ir.Undefined)
    first = builder.insert_element(undefined, number, ir.Constant(INT, 0))
    return builder.shuffle_vector(first, undefined, ir.Constant(VECTOR, [0] * LANES))


@primitive
def everywhere(context: Any, number: Any) -> Any:
    """The same number in every lane; lanes stay as they are."""

    def lower(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return context.cast(builder, arguments[0], signature.args[0], lanes)

    return lanes(number), lower


@primitive
def load(context: Any, array: Any, offset: Any) -> Any:
    """Sixteen neighbours of an int32 array, from `offset` on."""

    def lower(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        vector = builder.load(_element(arguments[0], arguments[1], context, builder, signature))
        vector.align = 4
        return vector

    return lanes(array, offset), lower


def _parts(many: int) -> list[tuple[int, int]]:
    """Where parts of so many lanes begin and how long they are, each a power of two.

    What was stored in parts must be loaded in the same parts, or the processor waits until it has left the store queue.
    """
    parts, start = [], 0
    while start < many:
        length = 1 << (many - start).bit_length() - 1
        parts.append((start, length))
        start += length
    return parts


def load_first(many: int) -> Any:
    """A function that loads the first so many of an int32 array, with another number in the lanes beyond them."""

    def typing(context: Any, array: Any, beyond: Any) -> Any:
        def lower(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            result = context.cast(builder, arguments[1], signature.args[1], lanes)
            for start, length in _parts(many):
                kind, offset = ir.VectorType(INT, length), ir.Constant(LONG, start)
                place = _element(arguments[0], offset, context, builder, signature, kind)
                part = builder.load(place)
                part.align = 4
                undefined, wide = ir.Constant(kind, ir.Undefined), [i if i < length else length for i in range(LANES)]
                whole = builder.shuffle_vector(part, undefined, ir.Constant(VECTOR, wide))
                chosen = [LANES + i - start if start <= i < start + length else i for i in range(LANES)]
                result = builder.shuffle_vector(result, whole, ir.Constant(VECTOR, chosen))
            return result

        return lanes(array, beyond), lower

    return primitive(typing)


def store_first(many: int) -> Any:
    """A function that writes the first so many lanes into an int32 array."""

    def typing(context: Any, array: Any, value: Any) -> Any:
        def lower(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            for start, length in _parts(many):
                kind, offset = ir.VectorType(INT, length), ir.Constant(LONG, start)
                chosen = ir.Constant(kind, list(range(start, start + length)))
                part = builder.shuffle_vector(arguments[1], arguments[1], chosen)
                place = _element(arguments[0], offset, context, builder, signature, kind)
                builder.store(part, place).align = 4
            return context.get_dummy_value()

        return types.none(array, value), lower

    return primitive(typing)


@primitive
def store(context: Any, array: Any, offset: Any, value: Any) -> Any:
    """Write sixteen numbers into an int32 array, from `offset` on."""

    def lower(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        written = builder.store(arguments[2], _element(arguments[0], arguments[1], context, builder, signature))
        written.align = 4
        return context.get_dummy_value()

    return types.none(array, offset, value), lower


@primitive
def gather(context: Any, array: Any, offset: Any, index: Any) -> Any:
    """Lane by lane the element of an int32 array at `offset` plus the lane's index."""

    def lower(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array, offset, index = arguments
        data = context.make_array(signature.args[0])(context, builder, array).data
        start, result = builder.gep(data, [offset]), ir.Constant(VECTOR, ir.Undefined)
        for number in range(LANES):
            here = ir.Constant(INT, number)
            element = builder.load(builder.gep(start, [builder.extract_element(index, here)]))
            result = builder.insert_element(result, element, here)
        return result

    return lanes(array, offset, index), lower


@primitive
def lane(context: Any, value: Any, number: Any) -> Any:
    """One of the sixteen numbers."""

    def lower(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.sext(builder.extract_element(*arguments), LONG)

    return types.int64(value, number), lower


def _reduce(name: str) -> Emit:
    return lambda b, x: b.sext(llvm(b, f"llvm.vector.reduce.{name}.v{LANES}i32", INT, [x]), LONG)


def _moved(b: Any, x: Any, step: int) -> Any:
    nothing, sources = ir.Constant(VECTOR, [0] * LANES), [lane - step for lane in range(LANES)]
    chosen = [source if 0 <= source < LANES else LANES for source in sources]
    return b.shuffle_vector(x, nothing, ir.Constant(VECTOR, chosen))


def seen_from(right: int, period: int = LANES) -> Any:
    """A function of lanes: lane i takes what the lane so many further right has, and 0 follows the last.

    With a `period` lane i does as the lane i % period.
    """
    sources = [(number % period + right) % LANES for number in range(LANES)]
    return instruction(lanes, lambda b, x: b.shuffle_vector(x, x, ir.Constant(VECTOR, sources)))


def _any(b: Any, x: Any) -> Any:
    bits = b.bitcast(b.icmp_signed("!=", x, ir.Constant(VECTOR, [0] * LANES)), ir.IntType(LANES))
    return b.icmp_unsigned("!=", bits, ir.Constant(ir.IntType(LANES), 0))


def _bytewise_popcount(b: Any, x: Any) -> Any:
    counts = llvm(b, f"llvm.ctpop.v{4 * LANES}i8", BYTES, [b.bitcast(x, BYTES)])
    return b.bitcast(counts, VECTOR)


def _sum_of_bytes(b: Any, x: Any) -> Any:
    def folded(x: Any, bits: int, kept: int) -> Any:
        mask, distance = ir.Constant(VECTOR, [kept] * LANES), ir.Constant(VECTOR, [bits] * LANES)
        return b.add(b.and_(x, mask), b.and_(b.lshr(x, distance), mask))

    return folded(folded(x, 8, 0x00FF00FF), 16, 0x0000FFFF)


def _counts_words() -> bool:
    """Whether the processor counts the bits of whole lanes in one instruction."""
    told = config.CPU_FEATURES
    features = get_host_cpu_features() if told is None else told
    return "+avx512vpopcntdq" in features.split(",")


popcount = instruction(lanes, lambda b, x: llvm(b, f"llvm.ctpop.v{LANES}i32", VECTOR, [x]))
# Where a processor counts the bits of bytes only, counts are added bytewise first and made one number at the end.
count = popcount if _counts_words() else instruction(lanes, _bytewise_popcount)
counted = instruction(lanes, (lambda b, x: x) if _counts_words() else _sum_of_bytes)
leading_zeros = instruction(lanes, lambda b, x: llvm(b, f"llvm.ctlz.v{LANES}i32", VECTOR, [x, ir.Constant(BIT, 0)]))
reversed_bits = instruction(lanes, lambda b, x: llvm(b, f"llvm.bitreverse.v{LANES}i32", VECTOR, [x]))
to_the_right = instruction(lanes, lambda b, x: _moved(b, x, 1))  # lane i takes what lane i − 1 has; a zero comes in
to_the_left = instruction(lanes, lambda b, x: _moved(b, x, -1))
largest = instruction(types.int64, _reduce("smax"))
total = instruction(types.int64, _reduce("add"))
joined = instruction(types.int64, _reduce("or"))
shared = instruction(types.int64, _reduce("and"))
smallest = instruction(types.int64, _reduce("smin"))
any_set = instruction(types.boolean, _any)
maximum = instruction(lanes, lambda b, x, y: b.select(b.icmp_signed(">", x, y), x, y))
minimum = instruction(lanes, lambda b, x, y: b.select(b.icmp_signed("<", x, y), x, y))
bits_of = instruction(types.int64, lambda b, which: b.zext(b.bitcast(which, ir.IntType(LANES)), LONG))
ones = instruction(lanes, lambda b, which: b.zext(which, VECTOR))
select = instruction(lanes, lambda b, which, x, y: b.select(which, x, y))


def _define(symbol: Any, kind: Any, result: Any, emit: Emit) -> None:
    """Give an operator its meaning for two values of a kind, or for one and a number that is spread."""

    @infer_global(symbol)
    class Operator(AbstractTemplate):  # type: ignore[misc]
        def generic(self, arguments: Any, keywords: Any) -> Any:
            if kind in arguments and all(a is kind or isinstance(a, types.Integer) for a in arguments):
                return result(*[kind] * len(arguments))
            return None

    @lower_builtin(symbol, *[kind] * (emit.__code__.co_argcount - 1 - len(emit.__defaults__ or ())))  # type: ignore[untyped-decorator]
    def lower(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return emit(builder, *arguments)


@lower_cast(types.Integer, LanesType)  # type: ignore[untyped-decorator]
def _spread(context: Any, builder: Any, number: Any, wanted: Any, value: Any) -> Any:
    return splat(builder, context.cast(builder, value, number, types.int32))


_define(operator.and_, lanes, lanes, lambda b, x, y: b.and_(x, y))
_define(operator.or_, lanes, lanes, lambda b, x, y: b.or_(x, y))
_define(operator.xor, lanes, lanes, lambda b, x, y: b.xor(x, y))
_define(operator.add, lanes, lanes, lambda b, x, y: b.add(x, y))
_define(operator.sub, lanes, lanes, lambda b, x, y: b.sub(x, y))
_define(operator.mul, lanes, lanes, lambda b, x, y: b.mul(x, y))
_define(operator.lshift, lanes, lanes, lambda b, x, y: b.shl(x, y))
_define(operator.rshift, lanes, lanes, lambda b, x, y: b.lshr(x, y))
for _symbol, _sign in (
    (operator.gt, ">"),
    (operator.ge, ">="),
    (operator.lt, "<"),
    (operator.le, "<="),
    (operator.eq, "=="),
    (operator.ne, "!="),
):
    _define(_symbol, lanes, mask, lambda b, x, y, sign=_sign: b.icmp_signed(sign, x, y))

_define(operator.and_, mask, mask, lambda b, x, y: b.and_(x, y))
_define(operator.or_, mask, mask, lambda b, x, y: b.or_(x, y))
_define(operator.invert, lanes, lanes, lambda b, x: b.not_(x))
