"""SIMD lanes: Numba types for vectors of sixteen 32-bit integers and of sixteen booleans, with the usual operators.

`lanes_type` is one vector register where the processor has registers of 512 bits, and several registers elsewhere;
`mask_type` holds the results of a comparison. Right shifts fill with zeros, and arithmetic wraps around. This module is
independent of Tetris.
"""

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import config, types
from numba.extending import lower_builtin, lower_cast, models, register_model

from tetrion.engine.numba_internals import (
    AbstractTemplate,
    Conversion,
    call_llvm,
    define_intrinsic,
    get_host_cpu_features,
    infer_global,
)

LANES = 16
LANE_NUMBERS = np.arange(LANES, dtype=np.int32)

LLVM_INT1 = ir.IntType(1)
LLVM_INT32 = ir.IntType(32)
LLVM_INT64 = ir.IntType(64)
LLVM_LANES, LLVM_MASK = ir.VectorType(LLVM_INT32, LANES), ir.VectorType(LLVM_INT1, LANES)
LLVM_BYTES = ir.VectorType(ir.IntType(8), 4 * LANES)

Emit = Callable[..., Any]


class LanesType(types.Type):
    """The Numba type of sixteen 32-bit integers."""

    def __init__(self) -> None:
        super().__init__("lanes")

    def can_convert_from(self, context: Any, other: Any) -> Any:
        """Allow an integer where lanes are expected; it is broadcast to all lanes."""
        return Conversion.safe if isinstance(other, types.Integer) else None


class MaskType(types.Type):
    """The Numba type of sixteen booleans."""

    def __init__(self) -> None:
        super().__init__("mask")


lanes_type, mask_type = LanesType(), MaskType()


@register_model(LanesType)
class _LanesModel(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, LLVM_LANES)


@register_model(MaskType)
class _MaskModel(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, LLVM_MASK)


def make_instruction(result: Any, emit: Emit) -> Any:
    """Return a function of one, two or three arguments that compiles to `emit(builder, *values)`."""

    def lower(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return emit(builder, *arguments)

    def type_one(context: Any, a: Any) -> Any:
        return result(a), lower

    def type_two(context: Any, a: Any, b: Any) -> Any:
        return result(a, b), lower

    def type_three(context: Any, a: Any, b: Any, c: Any) -> Any:
        return result(a, b, c), lower

    by_count: dict[int, Callable[..., Any]] = {2: type_one, 3: type_two, 4: type_three}
    return define_intrinsic(by_count[emit.__code__.co_argcount - len(emit.__defaults__ or ())])


def _get_element_pointer(
    array: Any, offset: Any, context: Any, builder: Any, signature: Any, *, kind: Any = LLVM_LANES
) -> Any:
    data = context.make_array(signature.args[0])(context, builder, array).data
    return builder.bitcast(builder.gep(data, [offset]), kind.as_pointer())


def splat(builder: Any, number: Any) -> Any:
    """Emit a vector with a 32-bit integer in every lane."""
    undefined = ir.Constant(LLVM_LANES, ir.Undefined)
    first = builder.insert_element(undefined, number, ir.Constant(LLVM_INT32, 0))
    return builder.shuffle_vector(first, undefined, ir.Constant(LLVM_LANES, [0] * LANES))


@define_intrinsic
def broadcast_lanes(context: Any, number: Any) -> Any:
    """Return an integer broadcast to all lanes; lanes are returned unchanged."""

    def lower(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return context.cast(builder, arguments[0], signature.args[0], lanes_type)

    return lanes_type(number), lower


@define_intrinsic
def load(context: Any, array: Any, offset: Any) -> Any:
    """Return sixteen consecutive elements of an int32 array, from `offset` on."""

    def lower(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        vector = builder.load(_get_element_pointer(arguments[0], arguments[1], context, builder, signature))
        vector.align = 4
        return vector

    return lanes_type(array, offset), lower


def _split_into_powers_of_two(count: int) -> list[tuple[int, int]]:
    """Split `count` lanes into parts (start, length) whose lengths are powers of two.

    A vector that was stored in parts must be loaded in the same parts. Otherwise the processor cannot forward it from
    the store buffer and waits until it is written.
    """
    parts = []
    start = 0
    while start < count:
        length = 1 << (count - start).bit_length() - 1
        parts.append((start, length))
        start += length
    return parts


def make_load_first(count: int) -> Any:
    """Return a function that loads the first `count` elements of an int32 array, and a fill value in other lanes."""

    def typing(context: Any, array: Any, beyond: Any) -> Any:
        def lower(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            result = context.cast(builder, arguments[1], signature.args[1], lanes_type)
            for start, length in _split_into_powers_of_two(count):
                kind, offset = ir.VectorType(LLVM_INT32, length), ir.Constant(LLVM_INT64, start)
                part = builder.load(_get_element_pointer(arguments[0], offset, context, builder, signature, kind=kind))
                part.align = 4
                padding = [i if i < length else length for i in range(LANES)]
                padded = builder.shuffle_vector(part, ir.Constant(kind, ir.Undefined), ir.Constant(LLVM_LANES, padding))
                selection = [LANES + i - start if start <= i < start + length else i for i in range(LANES)]
                result = builder.shuffle_vector(result, padded, ir.Constant(LLVM_LANES, selection))
            return result

        return lanes_type(array, beyond), lower

    return define_intrinsic(typing)


def make_store_first(count: int) -> Any:
    """Return a function that stores the first `count` lanes into an int32 array."""

    def typing(context: Any, array: Any, value: Any) -> Any:
        def lower(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            for start, length in _split_into_powers_of_two(count):
                kind, offset = ir.VectorType(LLVM_INT32, length), ir.Constant(LLVM_INT64, start)
                selection = ir.Constant(kind, list(range(start, start + length)))
                part = builder.shuffle_vector(arguments[1], arguments[1], selection)
                pointer = _get_element_pointer(arguments[0], offset, context, builder, signature, kind=kind)
                builder.store(part, pointer).align = 4
            return context.get_dummy_value()

        return types.none(array, value), lower

    return define_intrinsic(typing)


@define_intrinsic
def store(context: Any, array: Any, offset: Any, value: Any) -> Any:
    """Store sixteen lanes into an int32 array, from `offset` on."""

    def lower(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        pointer = _get_element_pointer(arguments[0], arguments[1], context, builder, signature)
        builder.store(arguments[2], pointer).align = 4
        return context.get_dummy_value()

    return types.none(array, offset, value), lower


@define_intrinsic
def gather(context: Any, array: Any, offset: Any, index: Any) -> Any:
    """Return, for each lane, the element of an int32 array at `offset` plus the lane's index."""

    def lower(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array, offset, index = arguments
        data = context.make_array(signature.args[0])(context, builder, array).data
        start, result = builder.gep(data, [offset]), ir.Constant(LLVM_LANES, ir.Undefined)
        for number in range(LANES):
            lane = ir.Constant(LLVM_INT32, number)
            element = builder.load(builder.gep(start, [builder.extract_element(index, lane)]))
            result = builder.insert_element(result, element, lane)
        return result

    return lanes_type(array, offset, index), lower


@define_intrinsic
def extract_lane(context: Any, value: Any, number: Any) -> Any:
    """Return the integer in one lane."""

    def lower(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.sext(builder.extract_element(*arguments), LLVM_INT64)

    return types.int64(value, number), lower


def _emit_reduction(name: str) -> Emit:
    return lambda b, x: b.sext(call_llvm(b, f"llvm.vector.reduce.{name}.v{LANES}i32", LLVM_INT32, [x]), LLVM_INT64)


def _shift_lanes(b: Any, x: Any, step: int) -> Any:
    zeros = ir.Constant(LLVM_LANES, [0] * LANES)
    sources = [lane - step for lane in range(LANES)]
    selection = [source if 0 <= source < LANES else LANES for source in sources]
    return b.shuffle_vector(x, zeros, ir.Constant(LLVM_LANES, selection))


def make_lane_rotation(offset: int, period: int = LANES) -> Any:
    """Return a function that rotates lanes: lane i of the result is lane i + `offset` of the argument, modulo 16.

    With a `period`, lane i of the result equals lane i % period.
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
    def add_halves(x: Any, bits: int, low_half: int) -> Any:
        mask = ir.Constant(LLVM_LANES, [low_half] * LANES)
        distance = ir.Constant(LLVM_LANES, [bits] * LANES)
        return b.add(b.and_(x, mask), b.and_(b.lshr(x, distance), mask))

    return add_halves(add_halves(x, 8, 0x00FF00FF), 16, 0x0000FFFF)


def _has_lane_popcount() -> bool:
    """Return whether the processor counts the bits of 32-bit lanes in one instruction."""
    configured = config.CPU_FEATURES
    features = get_host_cpu_features() if configured is None else configured
    return "+avx512vpopcntdq" in features.split(",")


popcount = make_instruction(lanes_type, lambda b, x: call_llvm(b, f"llvm.ctpop.v{LANES}i32", LLVM_LANES, [x]))
# If the processor counts bits only in bytes, counts are added by bytes first, and the bytes are summed at the end.
partial_popcount = popcount if _has_lane_popcount() else make_instruction(lanes_type, _bytewise_popcount)
finish_popcount = make_instruction(lanes_type, (lambda b, x: x) if _has_lane_popcount() else _sum_bytes)
leading_zeros = make_instruction(
    lanes_type, lambda b, x: call_llvm(b, f"llvm.ctlz.v{LANES}i32", LLVM_LANES, [x, ir.Constant(LLVM_INT1, 0)])
)
reverse_bits = make_instruction(lanes_type, lambda b, x: call_llvm(b, f"llvm.bitreverse.v{LANES}i32", LLVM_LANES, [x]))
# Lane i of the result is lane i − 1 of the argument, with a zero in the first lane.
shift_lanes_right = make_instruction(lanes_type, lambda b, x: _shift_lanes(b, x, 1))
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
    """Define an operator for two values of a type, or for one value and an integer, which is broadcast."""

    @infer_global(symbol)
    class Operator(AbstractTemplate):
        def generic(self, arguments: Any, keywords: Any) -> Any:
            if kind in arguments and all(a is kind or isinstance(a, types.Integer) for a in arguments):
                return result(*[kind] * len(arguments))
            return None

    @lower_builtin(symbol, *[kind] * (emit.__code__.co_argcount - 1 - len(emit.__defaults__ or ())))
    def lower(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return emit(builder, *arguments)


@lower_cast(types.Integer, LanesType)
def _cast_to_lanes(context: Any, builder: Any, number: Any, target: Any, value: Any) -> Any:
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
