"""Features that a person adds: each is compiled alone, and the ready engine calls it by its address.

It is written for one placement, as an ordinary function of an `Outcome`. Where the engine looks at sixteen placements
at once, it is called for one after another, so that it means the same everywhere.
"""

import inspect
import re
from collections.abc import Callable
from random import Random
from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import overload

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
from tetrion.engine.columns import TenColumns, and_columns, map_column_numbers
from tetrion.engine.compiler import compile_inline, compile_separate
from tetrion.engine.feature_registry import BOARD_FEATURE, FIRST_CUSTOM_FEATURE, MAX_FEATURES, PLACEMENT_FEATURE
from tetrion.engine.features import CHANGE_FEATURES_MASK, FEATURES
from tetrion.engine.features.board_features import bumpiness, max_height
from tetrion.engine.features.dellacherie_features import holes
from tetrion.engine.pieces import BOARD_WIDTH, PLACEMENT_COLUMNS, SHAPES
from tetrion.engine.scalar_or_simd import Array, broadcast, find_lowest_bit, store_value, to_int
from tetrion.engine.simd_lanes import LANES, LanesType, define_intrinsic
from tetrion.errors import AgentError, UnknownNameError

CUSTOM_FEATURES_MASK = sum(1 << number for number in range(FIRST_CUSTOM_FEATURE, MAX_FEATURES))
BOARD_BEFORE_MASK = (
    CHANGE_FEATURES_MASK | CUSTOM_FEATURES_MASK
)  # the features that ask for the board before the placement
MAX_FEATURE_VALUE = 2**30
_MAX_CAUSE_LENGTH = 160  # characters of Numba's words
_SAMPLE_COUNT = 200  # placements on which a feature is tried before it plays

OUTCOME_BLOCK_SIZE = 4 * BOARD_WIDTH + 4  # numbers that tell an outcome: three times ten columns, and the rest
_IS_POSSIBLE_INDEX = 4 * BOARD_WIDTH + 3  # the last of them: whether the outcome is possible at all

CUSTOM_FEATURES: dict[str, "CustomFeature"] = {}


class CustomFeature:
    """A person's feature: its function, its largest value, and whether it is of the board or the placement."""

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
        """Its value, in plain Python."""
        return self.function(outcome)

    def get_address(self) -> int:
        """Where its compiled code lies; compiled and tried on some boards the first time."""
        if self._compiled is None:
            self._compiled = self._compile()
        return int(self._compiled.address)

    def check_no_failure(self) -> None:
        """Raise the error that a game could not raise: compiled code only notes that the function has failed."""
        if self._failure_flag[0]:
            raise AgentError(
                f"The feature '{self.name}' failed during a game. It must give a whole number for every placement on "
                "every board of 4 to 28 rows."
            )

    def _compile(self) -> Any:
        inner = numba.njit(self.function)
        largest = self.max_value
        note = self._failure_flag.ctypes.data

        def measured(block: Any, values: Any, width: int) -> None:
            for lane in range(width):
                if block[_IS_POSSIBLE_INDEX * width + lane] != 0:
                    value = 0
                    try:
                        value = inner(unpack_outcome(block, width, lane))
                    except Exception:  # the only kind that compiled code knows
                        write_one_at_address(note)
                    values[lane] = min(max(value, 0), largest)

        try:
            for sample in make_sample_outcomes():
                self._check_value(inner(sample), sample)
            pointer = types.CPointer(types.int32)
            return numba.cfunc(types.void(pointer, pointer, types.int64))(measured)
        except AgentError:
            raise
        except numba.core.errors.NumbaError as problem:
            raise AgentError(f"The feature '{self.name}' cannot be compiled: {extract_cause(problem)}") from None
        except Exception as problem:
            raise AgentError(f"The feature '{self.name}' fails: {type(problem).__name__}: {problem}.") from None

    def _check_value(self, value: object, sample: Outcome) -> None:
        if not isinstance(value, int | np.integer):
            raise AgentError(f"The feature '{self.name}' is a whole number; it gave {value!r}. Use int() or round().")
        if not 0 <= value <= self.max_value:
            raise AgentError(
                f"The feature '{self.name}' is from 0 to {self.max_value}, its largest value; it gave {value} for "
                f"columns of the heights {', '.join(map(str, sample.heights))}. Raise `largest`, or add to the value."
            )


def feature(
    *bare: object, max_value: int = 0, kind: str = BOARD_FEATURE
) -> Callable[[Callable[[Outcome], int]], CustomFeature]:
    """Make a function of an outcome a feature, under its own name, with values from 0 to `largest`.

    `of` is "board", or "placement" for one that adds up over the pieces of a look-ahead.
    """
    if bare:
        raise AgentError("A feature needs its largest value: write @tetrion.feature(largest=10) above the function.")
    if type(max_value) is not int or not 1 <= max_value <= MAX_FEATURE_VALUE:
        raise AgentError(
            f"A feature's largest value is a whole number from 1 to {MAX_FEATURE_VALUE:,}; given {max_value!r}."
        )
    if kind not in (BOARD_FEATURE, PLACEMENT_FEATURE):
        raise UnknownNameError("kind of feature", kind, (BOARD_FEATURE, PLACEMENT_FEATURE))

    def enter(function: Callable[[Outcome], int]) -> CustomFeature:
        if not inspect.isfunction(function):
            raise AgentError(f"A feature is a function of an outcome; given {function!r}.")
        if function.__name__ in FEATURES:
            raise AgentError(f"There is a feature '{function.__name__}' already. Give yours another name.")
        CUSTOM_FEATURES[function.__name__] = CustomFeature(function, max_value, kind)
        return CUSTOM_FEATURES[function.__name__]

    return enter


def extract_cause(problem: Exception) -> str:
    """What Numba has against a function, without where in Numba that was found."""
    lines = [line.strip() for line in re.sub(r"\x1b\[\d*m", "", str(problem)).splitlines()]
    told = [line for line in lines if line and not line.startswith(("Failed in", "During:", "File "))]
    return f"{told[0][:_MAX_CAUSE_LENGTH]}." if told else "it uses what compiled code cannot do."


def make_sample_outcomes() -> list[Outcome]:
    """Outcomes of random placements on random boards, the same every time."""
    random, found = Random(1), list[Outcome]()
    while len(found) < _SAMPLE_COUNT:
        rows, density = random.randint(4, 28), random.random()
        columns = [
            sum((random.random() < density) << y for y in range(random.randint(0, rows))) for _ in range(BOARD_WIDTH)
        ]
        board = np.array(columns, np.int32)
        now = make_board_outcome(board, rows)
        heights = np.array([*compute_heights(now.columns), *[0] * LANES], np.int32)
        before = FeaturesBefore(int(max_height(now)), int(bumpiness(now)), int(holes(now)))
        orientation = random.randrange(len(SHAPES))
        x = random.randrange(PLACEMENT_COLUMNS[orientation])
        row = find_landing_row(heights, orientation, x)
        if fits(orientation, x, row, rows) and not and_columns(now.columns):  # full rows would have been removed
            there = BoardBefore(board, heights, rows, int(now.filled_cells), before)
            found.append(_to_python_ints(compute_outcome(there, random.random() < 0.8, orientation, x, row)))
    return found


def _to_python_ints(part: Any) -> Any:
    """An outcome of Python's own numbers alone, so that a feature is compiled once."""
    if isinstance(part, tuple):
        parts = [_to_python_ints(each) for each in part]
        return type(part)(*parts) if hasattr(part, "_fields") else tuple(parts)
    return int(part)


# An outcome on its way to a feature: its numbers one after another, each as often as there are lanes.


@compile_inline
def _read_number(place: tuple[Any, int, int, int], number: int, x: int) -> int:
    block, width, lane, first = place
    return int(np.int64(block[(first + number) * width + lane]))


@compile_inline
def unpack_outcome(block: Any, width: int, lane: int) -> Outcome:
    """The outcome that one lane of a block tells."""
    columns = map_column_numbers(_read_number, (block, width, lane, 0), 0)
    heights = map_column_numbers(_read_number, (block, width, lane, BOARD_WIDTH), 0)
    landed = map_column_numbers(_read_number, (block, width, lane, 2 * BOARD_WIDTH), 0)
    cells, rows, wall, piece, turns, left, bottom, top, full, lines = map_column_numbers(
        _read_number, (block, width, lane, 3 * BOARD_WIDTH), 0
    )
    last = (block, width, lane, 4 * BOARD_WIDTH)
    before = FeaturesBefore(_read_number(last, 0, 0), _read_number(last, 1, 0), _read_number(last, 2, 0), 0, 0)
    return Outcome(columns, heights, cells, rows, wall, piece, turns, left, landed, bottom, top, full, lines, before)


@compile_inline
def _store_ten_values(block: Array, first: int, ten: TenColumns) -> None:
    store_value(block, first, ten[0])
    store_value(block, first + 1, ten[1])
    store_value(block, first + 2, ten[2])
    store_value(block, first + 3, ten[3])
    store_value(block, first + 4, ten[4])
    store_value(block, first + 5, ten[5])
    store_value(block, first + 6, ten[6])
    store_value(block, first + 7, ten[7])
    store_value(block, first + 8, ten[8])
    store_value(block, first + 9, ten[9])


@compile_separate
def pack_outcome(o: Outcome, possible: bool, block: Array) -> None:
    """Write an outcome, or sixteen of them, into a block, and which of them are possible."""
    x, before = o.bottom, o.before
    _store_ten_values(block, 0, o.columns)
    _store_ten_values(block, BOARD_WIDTH, o.heights)
    _store_ten_values(block, 2 * BOARD_WIDTH, o.piece_columns)
    piece, turns = broadcast(o.piece, x), broadcast(o.quarter_turns, x)
    rest = (o.filled_cells, broadcast(o.rows, x), o.wall, piece, turns, o.left, o.bottom, o.top, o.full_rows, o.lines)
    _store_ten_values(block, 3 * BOARD_WIDTH, rest)
    store_value(block, 4 * BOARD_WIDTH, broadcast(before.max_height, x))
    store_value(block, 4 * BOARD_WIDTH + 1, broadcast(before.bumpiness, x))
    store_value(block, 4 * BOARD_WIDTH + 2, broadcast(before.holes, x))
    store_value(block, _IS_POSSIBLE_INDEX, to_int(possible))


@define_intrinsic
def write_one_at_address(context: Any, address: Any) -> Any:
    """Write a 1 at an address."""

    def lower(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        number = ir.IntType(64)
        builder.store(ir.Constant(number, 1), builder.inttoptr(arguments[0], number.as_pointer()))
        return context.get_dummy_value()

    return types.none(types.int64), lower


@define_intrinsic
def call_function_at_address(context: Any, address: Any, block: Any, values: Any, offset: Any, width: Any) -> Any:
    """Call the function at an address: it reads the block and writes as many values as there are lanes."""

    def lower(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        number, numbers, room, start, lanes = arguments
        pointer = ir.IntType(32).as_pointer()
        kind = ir.FunctionType(ir.VoidType(), [pointer, pointer, ir.IntType(64)])
        read = context.make_array(signature.args[1])(context, builder, numbers).data
        written = builder.gep(context.make_array(signature.args[2])(context, builder, room).data, [start])
        builder.call(builder.inttoptr(number, kind.as_pointer()), [read, written, lanes])
        return context.get_dummy_value()

    return types.none(types.int64, block, values, types.int64, types.int64), lower


def measure_custom_features(agent: Any, outcome: Outcome, possible: bool, scratch: Any) -> None:
    """Measure the features of a person's own, where there is room to tell them of the outcome."""


def skip_custom_features(agent: Any, outcome: Any, possible: Any, scratch: Any) -> None:
    """What it comes to without that room, as on a GPU."""


@overload(measure_custom_features)  # type: ignore[untyped-decorator]
def _overload_measure_custom_features(agent: Any, outcome: Any, possible: Any, scratch: Any) -> Any:
    if "block" not in scratch.fields:
        return skip_custom_features
    width = LANES if isinstance(outcome.types[_BOTTOM_INDEX], LanesType) else 1

    def measure(agent: Any, outcome: Any, possible: Any, scratch: Any) -> None:
        pack_outcome(outcome, possible, scratch.block)
        left = agent.mask & CUSTOM_FEATURES_MASK
        while left:
            number = find_lowest_bit(left)
            left &= left - 1
            call_function_at_address(
                agent.own[number - FIRST_CUSTOM_FEATURE], scratch.block, scratch.values, number * width, width
            )

    return measure


_BOTTOM_INDEX = Outcome._fields.index("bottom")
