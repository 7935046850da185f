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

LLVM_INT1 = ir.IntType(1)
LLVM_INT32 = ir.IntType(32)
LLVM_INT64 = ir.IntType(64)
LLVM_LANES, LLVM_MASK = ir.VectorType(LLVM_INT32, LANES), ir.VectorType(LLVM_INT1, LANES)
LLVM_BYTES = ir.VectorType(ir.IntType(8), 4 * LANES)

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


lanes_type, mask_type = LanesType(), MaskType()


@register_model(LanesType)
class _LanesModel(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, LLVM_LANES)


@register_model(MaskType)
class _MaskModel(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, LLVM_MASK)


def call_llvm(builder: Any, name: str, result: Any, arguments: list[Any]) -> Any:
    """Call one of LLVM's own functions."""
    kind = ir.FunctionType(result, [argument.type for argument in arguments])
    return builder.call(cgutils.get_or_insert_function(builder.module, kind, name), arguments)


def define_intrinsic(typing: Callable[..., Any]) -> Any:
    """A function that is made of LLVM's instructions; `typing(context, *types)` gives its signature and lowering."""
    return intrinsic(typing)


def make_instruction(result: Any, emit: Emit) -> Any:
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
    return define_intrinsic(by_count[emit.__code__.co_argcount - len(emit.__defaults__ or ())])


def _get_element_pointer(
    array: Any, offset: Any, context: Any, builder: Any, signature: Any, kind: Any = LLVM_LANES
) -> Any:
    data = context.make_array(signature.args[0])(context, builder, array).data
    return builder.bitcast(builder.gep(data, [offset]), kind.as_pointer())


def splat(builder: Any, number: Any) -> Any:
    """A 32-bit number in every lane."""
    undefined = ir.Constant(LLVM_LANES, ir.Undefined)
    first = builder.insert_element(undefined, number, ir.Constant(LLVM_INT32, 0))
    return builder.shuffle_vector(first, undefined, ir.Constant(LLVM_LANES, [0] * LANES))


@define_intrinsic
def broadcast_lanes(context: Any, number: Any) -> Any:
    """The same number in every lane; lanes stay as they are."""

    def lower(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return context.cast(builder, arguments[0], signature.args[0], lanes_type)

    return lanes_type(number), lower


@define_intrinsic
def load(context: Any, array: Any, offset: Any) -> Any:
    """Sixteen neighbours of an int32 array, from `offset` on."""

    def lower(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        vector = builder.load(_get_element_pointer(arguments[0], arguments[1], context, builder, signature))
        vector.align = 4
        return vector

    return lanes_type(array, offset), lower


def _split_into_powers_of_two(count: int) -> list[tuple[int, int]]:
    """Where parts of so many lanes begin and how long they are, each a power of two.

    What was stored in parts must be loaded in the same parts, or the processor waits until it has left the store queue.
    """
    parts, start = [], 0
    while start < count:
        length = 1 << (count - start).bit_length() - 1
        parts.append((start, length))
        start += length
    return parts


def make_load_first(count: int) -> Any:
    """A function that loads the first so many of an int32 array, with another number in the lanes beyond them."""

    def typing(context: Any, array: Any, beyond: Any) -> Any:
        def lower(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            result = context.cast(builder, arguments[1], signature.args[1], lanes_type)
            for start, length in _split_into_powers_of_two(count):
                kind, offset = ir.VectorType(LLVM_INT32, length), ir.Constant(LLVM_INT64, start)
                place = _get_element_pointer(arguments[0], offset, context, builder, signature, kind)
                part = builder.load(place)
                part.align = 4
                undefined, wide = ir.Constant(kind, ir.Undefined), [i if i < length else length for i in range(LANES)]
                whole = builder.shuffle_vector(part, undefined, ir.Constant(LLVM_LANES, wide))
                chosen = [LANES + i - start if start <= i < start + length else i for i in range(LANES)]
                result = builder.shuffle_vector(result, whole, ir.Constant(LLVM_LANES, chosen))
            return result

        return lanes_type(array, beyond), lower

    return define_intrinsic(typing)


def make_store_first(count: int) -> Any:
    """A function that writes the first so many lanes into an int32 array."""

    def typing(context: Any, array: Any, value: Any) -> Any:
        def lower(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            for start, length in _split_into_powers_of_two(count):
                kind, offset = ir.VectorType(LLVM_INT32, length), ir.Constant(LLVM_INT64, start)
                chosen = ir.Constant(kind, list(range(start, start + length)))
                part = builder.shuffle_vector(arguments[1], arguments[1], chosen)
                place = _get_element_pointer(arguments[0], offset, context, builder, signature, kind)
                builder.store(part, place).align = 4
            return context.get_dummy_value()

        return types.none(array, value), lower

    return define_intrinsic(typing)


@define_intrinsic
def store(context: Any, array: Any, offset: Any, value: Any) -> Any:
    """Write sixteen numbers into an int32 array, from `offset` on."""

    def lower(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        written = builder.store(
            arguments[2], _get_element_pointer(arguments[0], arguments[1], context, builder, signature)
        )
        written.align = 4
        return context.get_dummy_value()

    return types.none(array, offset, value), lower


@define_intrinsic
def gather(context: Any, array: Any, offset: Any, index: Any) -> Any:
    """Lane by lane the element of an int32 array at `offset` plus the lane's index."""

    def lower(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array, offset, index = arguments
        data = context.make_array(signature.args[0])(context, builder, array).data
        start, result = builder.gep(data, [offset]), ir.Constant(LLVM_LANES, ir.Undefined)
        for number in range(LANES):
            here = ir.Constant(LLVM_INT32, number)
            element = builder.load(builder.gep(start, [builder.extract_element(index, here)]))
            result = builder.insert_element(result, element, here)
        return result

    return lanes_type(array, offset, index), lower


@define_intrinsic
def extract_lane(context: Any, value: Any, number: Any) -> Any:
    """One of the sixteen numbers."""

    def lower(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.sext(builder.extract_element(*arguments), LLVM_INT64)

    return types.int64(value, number), lower


def _emit_reduction(name: str) -> Emit:
    return lambda b, x: b.sext(call_llvm(b, f"llvm.vector.reduce.{name}.v{LANES}i32", LLVM_INT32, [x]), LLVM_INT64)


def _shift_lanes(b: Any, x: Any, step: int) -> Any:
    nothing, sources = ir.Constant(LLVM_LANES, [0] * LANES), [lane - step for lane in range(LANES)]
    chosen = [source if 0 <= source < LANES else LANES for source in sources]
    return b.shuffle_vector(x, nothing, ir.Constant(LLVM_LANES, chosen))


def make_lane_rotation(offset: int, period: int = LANES) -> Any:
    """A function of lanes: lane i takes what the lane so many further right has, and 0 follows the last.

    With a `period` lane i does as the lane i % period.
    """
    sources = [(number % period + offset) % LANES for number in range(LANES)]
    return make_instruction(lanes_type, lambda b, x: b.shuffle_vector(x, x, ir.Constant(LLVM_LANES, sources)))


def _emit_any_nonzero(b: Any, x: Any) -> Any:
    bits = b.bitcast(b.icmp_signed("!=", x, ir.Constant(LLVM_LANES, [0] * LANES)), ir.IntType(LANES))
    return b.icmp_unsigned("!=", bits, ir.Constant(ir.IntType(LANES), 0))


def _bytewise_popcount(b: Any, x: Any) -> Any:
    counts = call_llvm(b, f"llvm.ctpop.v{4 * LANES}i8", LLVM_BYTES, [b.bitcast(x, LLVM_BYTES)])
    return b.bitcast(counts, LLVM_LANES)


def _sum_bytes(b: Any, x: Any) -> Any:
    def folded(x: Any, bits: int, kept: int) -> Any:
        mask, distance = ir.Constant(LLVM_LANES, [kept] * LANES), ir.Constant(LLVM_LANES, [bits] * LANES)
        return b.add(b.and_(x, mask), b.and_(b.lshr(x, distance), mask))

    return folded(folded(x, 8, 0x00FF00FF), 16, 0x0000FFFF)


def _has_lane_popcount() -> bool:
    """Whether the processor counts the bits of whole lanes in one instruction."""
    told = config.CPU_FEATURES
    features = get_host_cpu_features() if told is None else told
    return "+avx512vpopcntdq" in features.split(",")


popcount = make_instruction(lanes_type, lambda b, x: call_llvm(b, f"llvm.ctpop.v{LANES}i32", LLVM_LANES, [x]))
# Where a processor counts the bits of bytes only, counts are added bytewise first and made one number at the end.
partial_popcount = popcount if _has_lane_popcount() else make_instruction(lanes_type, _bytewise_popcount)
finish_popcount = make_instruction(lanes_type, (lambda b, x: x) if _has_lane_popcount() else _sum_bytes)
leading_zeros = make_instruction(
    lanes_type, lambda b, x: call_llvm(b, f"llvm.ctlz.v{LANES}i32", LLVM_LANES, [x, ir.Constant(LLVM_INT1, 0)])
)
reverse_bits = make_instruction(lanes_type, lambda b, x: call_llvm(b, f"llvm.bitreverse.v{LANES}i32", LLVM_LANES, [x]))
shift_lanes_right = make_instruction(
    lanes_type, lambda b, x: _shift_lanes(b, x, 1)
)  # lane i takes what lane i − 1 has; a zero comes in
shift_lanes_left = make_instruction(lanes_type, lambda b, x: _shift_lanes(b, x, -1))
reduce_max = make_instruction(types.int64, _emit_reduction("smax"))
reduce_sum = make_instruction(types.int64, _emit_reduction("add"))
reduce_or = make_instruction(types.int64, _emit_reduction("or"))
reduce_and = make_instruction(types.int64, _emit_reduction("and"))
reduce_min = make_instruction(types.int64, _emit_reduction("smin"))
any_lane_set = make_instruction(types.boolean, _emit_any_nonzero)
maximum = make_instruction(lanes_type, lambda b, x, y: b.select(b.icmp_signed(">", x, y), x, y))
minimum = make_instruction(lanes_type, lambda b, x, y: b.select(b.icmp_signed("<", x, y), x, y))
mask_to_bits = make_instruction(types.int64, lambda b, which: b.zext(b.bitcast(which, ir.IntType(LANES)), LLVM_INT64))
mask_to_lanes = make_instruction(lanes_type, lambda b, which: b.zext(which, LLVM_LANES))
select = make_instruction(lanes_type, lambda b, which, x, y: b.select(which, x, y))


def _define_operator(symbol: Any, kind: Any, result: Any, emit: Emit) -> None:
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
def _cast_to_lanes(context: Any, builder: Any, number: Any, wanted: Any, value: Any) -> Any:
    return splat(builder, context.cast(builder, value, number, types.int32))


_define_operator(operator.and_, lanes_type, lanes_type, lambda b, x, y: b.and_(x, y))
_define_operator(operator.or_, lanes_type, lanes_type, lambda b, x, y: b.or_(x, y))
_define_operator(operator.xor, lanes_type, lanes_type, lambda b, x, y: b.xor(x, y))
_define_operator(operator.add, lanes_type, lanes_type, lambda b, x, y: b.add(x, y))
_define_operator(operator.sub, lanes_type, lanes_type, lambda b, x, y: b.sub(x, y))
_define_operator(operator.mul, lanes_type, lanes_type, lambda b, x, y: b.mul(x, y))
_define_operator(operator.lshift, lanes_type, lanes_type, lambda b, x, y: b.shl(x, y))
_define_operator(operator.rshift, lanes_type, lanes_type, lambda b, x, y: b.lshr(x, y))
for _symbol, _sign in (
    (operator.gt, ">"),
    (operator.ge, ">="),
    (operator.lt, "<"),
    (operator.le, "<="),
    (operator.eq, "=="),
    (operator.ne, "!="),
):
    _define_operator(_symbol, lanes_type, mask_type, lambda b, x, y, sign=_sign: b.icmp_signed(sign, x, y))

_define_operator(operator.and_, mask_type, mask_type, lambda b, x, y: b.and_(x, y))
_define_operator(operator.or_, mask_type, mask_type, lambda b, x, y: b.or_(x, y))
_define_operator(operator.invert, lanes_type, lanes_type, lambda b, x: b.not_(x))
