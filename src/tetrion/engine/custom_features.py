"""Custom features: Python functions of an `Outcome` that are compiled separately and called by their address.

A custom feature is written for one placement. Where the engine evaluates sixteen placements at once, the feature is
called for one after another, so that its values are identical everywhere.
"""

import inspect
import re
import time
from collections.abc import Callable, Iterable
from random import Random
from types import CodeType, FunctionType
from typing import Any
from weakref import WeakValueDictionary

import numba
import numpy as np
from llvmlite import ir
from numba import types

from tetrion.engine.bitboard import (
    BoardBefore,
    FeaturesBefore,
    Outcome,
    compute_heights,
    compute_outcome,
    find_landing_row,
    fits,
    make_board_outcome,
)
from tetrion.engine.columns import and_columns, map_column_numbers, store_ten_values
from tetrion.engine.compiler import compile_inline, compile_separate
from tetrion.engine.feature_registry import (
    BOARD_FEATURE,
    FIRST_CUSTOM_FEATURE,
    MAX_FEATURES,
    PLACEMENT_FEATURE,
    SECOND_MASK_START,
)
from tetrion.engine.features import FEATURES
from tetrion.engine.features.board_features import bumpiness, max_height
from tetrion.engine.features.dellacherie_features import holes
from tetrion.engine.numba_internals import NumbaError, define_intrinsic
from tetrion.engine.pieces import BOARD_WIDTH, PLACEMENT_COLUMNS, SHAPES
from tetrion.engine.records import AgentRecord
from tetrion.engine.scalar_or_simd import Array, broadcast, find_lowest_bit, store_value, to_int
from tetrion.engine.simd_lanes import LANES
from tetrion.errors import AgentError, UnknownNameError, describe_value

_CUSTOM_FEATURES_MASK = sum(1 << number - SECOND_MASK_START for number in range(FIRST_CUSTOM_FEATURE, MAX_FEATURES))
MAX_FEATURE_VALUE = 2**30
_MAX_CAUSE_LENGTH = 160  # characters of Numba's error message
_UNKNOWN_ATTRIBUTE = re.compile(r"Unknown attribute '(\w+)' of type (\w+)\(")
_ATTRIBUTES = {  # of the objects that a custom feature reads
    Outcome.__name__: Outcome._fields,
    FeaturesBefore.__name__: ("max_height", "bumpiness", "holes"),
}
_LIBRARIES = ("numba", "numpy", "tetrion")  # their functions are called as they are
_SAMPLE_COUNT = 200  # placements on which a feature is tested before it is used
_PYTHON_TEST_SECONDS = 2  # until no more samples are compared with Python, for features that are slow there

OUTCOME_BLOCK_SIZE = 4 * BOARD_WIDTH + 4  # integers that describe an outcome
_IS_POSSIBLE_INDEX = 4 * BOARD_WIDTH + 3  # the last of them: whether the placement is possible

CUSTOM_FEATURES: dict[str, "CustomFeature"] = {}
_features_by_address = WeakValueDictionary[int, "CustomFeature"]()


class CustomFeature:
    """A custom feature: its function, its largest value, and its kind (board or placement)."""

    def __init__(self, function: Callable[[Outcome], int], max_value: int, kind: str) -> None:
        self.name = function.__name__
        self.function = function
        self.max_value = max_value
        self.kind = kind
        self.min_value = 0
        self.description = (function.__doc__ or "").strip().split("\n")[0]
        self._compiled: Any = None
        self._failure_flag = np.zeros(1, np.int64)

    def __call__(self, outcome: Outcome) -> int:
        """Return the feature's value for an outcome, computed in Python."""
        return self.function(outcome)

    def get_address(self) -> int:
        """Return the address of the compiled code; the first call compiles the function and tests it on samples."""
        if self._compiled is None:
            self._compiled = self._compile()
            _features_by_address[int(self._compiled.address)] = self
        return int(self._compiled.address)

    def check_no_failure(self) -> None:
        """Raise an AgentError if the function failed during a game, where compiled code can only set a flag."""
        if self._failure_flag[0]:
            raise AgentError(
                f"The feature '{self.name}' failed during a game, for example because of an index out of range. It "
                "must return a whole number for every placement on every board of 4 to 28 rows."
            )

    def _compile(self) -> Any:
        inner = copy_with_helpers(self.function, numba.njit(boundscheck=True), {})
        max_value = self.max_value
        failure_flag_address = self._failure_flag.ctypes.data

        def measure(block: Array, values: Array, width: int) -> None:
            for lane in range(width):
                is_possible = block[_IS_POSSIBLE_INDEX * width + lane] != 0
                if is_possible and read_at_address(failure_flag_address) == 0:
                    value = 0
                    try:
                        value = inner(unpack_outcome(block, width, lane))
                    except Exception:  # Numba supports no narrower class
                        write_one_at_address(failure_flag_address)
                    values[lane] = min(max(value, 0), max_value)

        try:
            self._compare_with_python(inner)
            pointer = types.CPointer(types.int32)
            return numba.cfunc(types.void(pointer, pointer, types.int64))(measure)
        except AgentError:
            raise
        except NumbaError as problem:
            raise AgentError(f"The feature '{self.name}' cannot be compiled. {explain_numba_error(problem)}") from None
        except Exception as problem:
            message = f"{type(problem).__name__}: {problem}".rstrip(".")
            raise AgentError(f"The feature '{self.name}' failed: {message}.") from None

    def _compare_with_python(self, inner: Any) -> None:
        """Raise an AgentError unless the compiled function returns valid values, and those of Python.

        They differ if, for example, integers exceed 64 bits. Python comes first, because Ctrl-C can stop it in a loop
        without end.
        """
        samples = make_sample_outcomes()
        inner.compile((numba.typeof(samples[0]),))
        (signature,) = inner.nopython_signatures
        in_python = copy_with_helpers(self.function, lambda copied: copied, {})
        end = time.monotonic() + _PYTHON_TEST_SECONDS
        for sample in samples:
            expected = None
            if time.monotonic() < end:
                with np.errstate(all="ignore"):
                    expected = self._check_value(in_python(sample), sample)
            value = self._check_value(inner(sample), sample)
            if expected is not None and abs(expected - value) > 1:  # floats may be rounded differently
                raise AgentError(
                    f"The feature '{self.name}' returns {value} in compiled code, but {expected} in Python, for "
                    f"the column heights {format_heights(sample)}. Compiled integers have 64 bits: use smaller "
                    "ones."
                )
        if isinstance(signature.return_type, types.Optional):
            raise AgentError(
                f"The feature '{self.name}' must return a whole number in every case; in some it returns None. Add a "
                "return statement at the end."
            )

    def _check_value(self, value: Any, sample: Outcome) -> int:
        if not isinstance(value, int | np.integer | np.bool_):
            raise AgentError(
                f"The feature '{self.name}' must return a whole number; it returned {value!r}. Use int() or round()."
            )
        if not 0 <= value <= self.max_value:
            raise AgentError(
                f"The feature '{self.name}' must return a value from 0 to {self.max_value} (its max_value); it "
                f"returned {value} for the column heights {format_heights(sample)}. Increase max_value, or add a "
                "constant to avoid negative values."
            )
        return int(value)


def copy_with_helpers(
    function: Callable[..., Any], convert: Callable[[FunctionType], Any], copies: dict[Callable[..., Any], Any]
) -> Any:
    """Return a converted copy of a function in which the user's own functions that it calls are converted, too.

    Functions that the user has compiled are replaced, because Numba checks no indices in them. `copies` holds the
    copies so far, by function.
    """
    if function not in copies:
        names = dict(function.__globals__)
        copied = FunctionType(function.__code__, names, function.__name__, function.__defaults__, function.__closure__)
        copies[function] = convert(copied)
        for name in list_names(function.__code__):
            called = getattr(names.get(name), "py_func", names.get(name))
            if isinstance(called, FunctionType) and called.__module__.partition(".")[0] not in _LIBRARIES:
                names[name] = copy_with_helpers(called, convert, copies)
    return copies[function]


def list_names(code: CodeType) -> set[str]:
    """Return the global names that a function uses, with those of its inner functions."""
    inner = [list_names(part) for part in code.co_consts if isinstance(part, CodeType)]
    return set(code.co_names).union(*inner)


def find_features(addresses: Iterable[int]) -> dict[int, CustomFeature]:
    """Return the features of this process whose compiled code has these addresses, by address."""
    return {address: _features_by_address[address] for address in addresses}


def feature(
    *bare: object, max_value: int = 0, kind: str = BOARD_FEATURE
) -> Callable[[Callable[[Outcome], int]], CustomFeature]:
    """Decorate a function of an outcome: register it as a feature with values from 0 to `max_value`, under its name.

    `kind` is "board", or "placement" for a feature that is summed over the placements of a lookahead.

    >>> import tetrion
    >>> @tetrion.feature(max_value=28)
    ... def left_height(outcome):
    ...     return outcome.heights[0]
    >>> tetrion.WeightedAgent("low at the left", {"left_height": -1, "holes": -1}).weights
    {'left_height': -1, 'holes': -1}
    """
    if bare:
        raise AgentError("A feature needs a max_value: write @tetrion.feature(max_value=10) above the function.")
    if type(max_value) is not int or not 1 <= max_value <= MAX_FEATURE_VALUE:
        raise AgentError(
            f"The max_value of a feature must be a whole number from 1 to {MAX_FEATURE_VALUE:,}; given "
            f"{describe_value(max_value)}."
        )
    if kind not in (BOARD_FEATURE, PLACEMENT_FEATURE):
        raise UnknownNameError("kind of feature", kind, (BOARD_FEATURE, PLACEMENT_FEATURE))

    def register(function: Callable[[Outcome], int]) -> CustomFeature:
        if not inspect.isfunction(function):
            raise AgentError(f"A feature must be a function of an outcome; given {describe_value(function)}.")
        if function.__name__ in FEATURES:
            raise AgentError(f"A feature named '{function.__name__}' already exists. Choose another name.")
        CUSTOM_FEATURES[function.__name__] = CustomFeature(function, max_value, kind)
        return CUSTOM_FEATURES[function.__name__]

    return register


def format_heights(sample: Outcome) -> str:
    """Return the column heights of an outcome as text."""
    return ", ".join(map(str, sample.heights))


def explain_numba_error(problem: Exception) -> str:
    """Return what to change in a feature that Numba cannot compile: an unknown attribute, or unsupported code."""
    if (match := _UNKNOWN_ATTRIBUTE.search(str(problem))) and match[2] in _ATTRIBUTES:
        return str(UnknownNameError("attribute", match[1], _ATTRIBUTES[match[2]]))
    return f"Use only what Numba supports: {extract_cause(problem)}"


def extract_cause(problem: Exception) -> str:
    """Return the first informative line of a Numba error, without references to Numba's own source."""
    if "setitem" in str(problem) and "readonly array" in str(problem):
        return "a global array is constant, and cannot be changed. Change a copy of it: table.copy()."
    lines = [line.strip() for line in re.sub(r"\x1b\[\d*m", "", str(problem)).splitlines()]
    causes = [line for line in lines if line and not line.startswith(("Failed in", "During:", "File "))]
    return f"{causes[0][:_MAX_CAUSE_LENGTH]}." if causes else "it uses something that Numba does not support."


def make_sample_outcomes() -> list[Outcome]:
    """Return the outcomes of random placements on random boards; each call returns identical samples."""
    random = Random(1)
    samples: list[Outcome] = []
    while len(samples) < _SAMPLE_COUNT:
        rows = random.randint(4, 28)
        density = random.random()
        columns = [
            sum((random.random() < density) << y for y in range(random.randint(0, rows))) for _ in range(BOARD_WIDTH)
        ]
        board = np.array(columns, np.int32)
        current = make_board_outcome(board, rows)
        heights = np.array([*compute_heights(current.columns), *[0] * LANES], np.int32)
        features = FeaturesBefore(int(max_height(current)), int(bumpiness(current)), int(holes(current)))
        orientation = random.randrange(len(SHAPES))
        x = random.randrange(PLACEMENT_COLUMNS[orientation])
        row = find_landing_row(heights, orientation, x)
        if fits(orientation, x, row, rows) and not and_columns(current.columns):  # a board of a game has no full rows
            before = BoardBefore(board, heights, rows, int(current.filled_cells), features)
            samples.append(_to_python_ints(compute_outcome(before, random.random() < 0.8, orientation, x, row)))
    return samples


def _to_python_ints(part: Any) -> Any:
    """Return an outcome whose numbers are all Python ints, so that a feature is compiled for one type only."""
    if isinstance(part, tuple):
        parts = [_to_python_ints(each) for each in part]
        return type(part)(*parts) if hasattr(part, "_fields") else tuple(parts)
    return int(part)


# An outcome is passed to a custom feature as a block: its integers one after another, each with one value per lane.


@compile_inline
def _read_number(source: tuple[Array, int, int, int], number: int, x: int) -> int:
    block, width, lane, first = source
    return int(np.int64(block[(first + number) * width + lane]))


@compile_inline
def unpack_outcome(block: Array, width: int, lane: int) -> Outcome:
    """Return the outcome of one lane of a block that has `width` lanes."""
    columns = map_column_numbers(_read_number, (block, width, lane, 0), 0)
    heights = map_column_numbers(_read_number, (block, width, lane, BOARD_WIDTH), 0)
    landed = map_column_numbers(_read_number, (block, width, lane, 2 * BOARD_WIDTH), 0)
    cells, rows, wall, piece, quarter_turns, left, bottom, top, full, lines = map_column_numbers(
        _read_number, (block, width, lane, 3 * BOARD_WIDTH), 0
    )
    last = (block, width, lane, 4 * BOARD_WIDTH)
    before = FeaturesBefore(_read_number(last, 0, 0), _read_number(last, 1, 0), _read_number(last, 2, 0), 0, 0)
    return Outcome(
        columns, heights, cells, rows, wall, piece, quarter_turns, left, landed, bottom, top, full, lines, before
    )


@compile_separate
def pack_outcome(o: Outcome, possible: bool, block: Array) -> None:
    """Write an outcome, or sixteen in lanes, into a block, with a flag for each: whether the placement is possible."""
    x = o.bottom
    before = o.before
    store_ten_values(block, 0, o.columns)
    store_ten_values(block, BOARD_WIDTH, o.heights)
    store_ten_values(block, 2 * BOARD_WIDTH, o.piece_columns)
    scalars = (
        o.filled_cells,
        broadcast(o.rows, x),
        o.wall,
        broadcast(o.piece, x),
        broadcast(o.quarter_turns, x),
        o.left,
        o.bottom,
        o.top,
        o.full_rows,
        o.lines,
    )
    store_ten_values(block, 3 * BOARD_WIDTH, scalars)
    store_value(block, 4 * BOARD_WIDTH, broadcast(before.max_height, x))
    store_value(block, 4 * BOARD_WIDTH + 1, broadcast(before.bumpiness, x))
    store_value(block, 4 * BOARD_WIDTH + 2, broadcast(before.holes, x))
    store_value(block, _IS_POSSIBLE_INDEX, to_int(possible))


@define_intrinsic
def write_one_at_address(context: Any, address: Any) -> Any:
    """Write the 64-bit integer 1 at an address."""

    def lower(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        number = ir.IntType(64)
        builder.store(ir.Constant(number, 1), builder.inttoptr(arguments[0], number.as_pointer()))
        return context.get_dummy_value()

    return types.none(types.int64), lower


@define_intrinsic
def read_at_address(context: Any, address: Any) -> Any:
    """Return the 64-bit integer at an address."""

    def lower(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.load(builder.inttoptr(arguments[0], ir.IntType(64).as_pointer()))

    return types.int64(types.int64), lower


@define_intrinsic
def call_function_at_address(context: Any, address: Any, block: Any, values: Any, span: Any) -> Any:
    """Call the function at an address, which reads the block and writes one value per lane.

    `span` is the index of the first value and the number of lanes.
    """

    def lower(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        address, block, values, span = arguments
        offset, width = builder.extract_value(span, 0), builder.extract_value(span, 1)
        pointer = ir.IntType(32).as_pointer()
        kind = ir.FunctionType(ir.VoidType(), [pointer, pointer, ir.IntType(64)])
        source = context.make_array(signature.args[1])(context, builder, block).data
        target = builder.gep(context.make_array(signature.args[2])(context, builder, values).data, [offset])
        builder.call(builder.inttoptr(address, kind.as_pointer()), [source, target, width])
        return context.get_dummy_value()

    return types.none(types.int64, block, values, types.UniTuple(types.int64, 2)), lower


@compile_inline
def measure_custom_features(agent: AgentRecord, outcome: Outcome, possible: bool, scratch: Any) -> None:
    """Measure the agent's custom features into the scratch's values, by means of its outcome block."""
    remaining = agent.second_mask & _CUSTOM_FEATURES_MASK
    if remaining:
        pack_outcome(outcome, possible, scratch.outcome_block)
    width = len(scratch.values) // MAX_FEATURES  # lanes
    while remaining:
        number = SECOND_MASK_START + find_lowest_bit(remaining)
        remaining &= remaining - 1
        address = agent.custom_addresses[number - FIRST_CUSTOM_FEATURE]
        call_function_at_address(address, scratch.outcome_block, scratch.values, (number * width, width))
