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

from tetrion.engine.board import Before, Outcome, Situation, fits, heights_of, landing_row, outcome, standing
from tetrion.engine.columns import Ten, numbered, shared
from tetrion.engine.compiler import compiled, compiled_apart
from tetrion.engine.features import CHANGES, FEATURES
from tetrion.engine.features.boards import bumpiness, max_height
from tetrion.engine.features.dellacherie import holes
from tetrion.engine.lanes import LANES, LanesType, primitive
from tetrion.engine.pieces import PLACES, SHAPES, WIDTH
from tetrion.engine.registry import BOARD, FIRST_OWN, MOST_FEATURES, PLACEMENT
from tetrion.engine.words import Array, lowest, put, spread, truth
from tetrion.errors import AgentError, UnknownNameError

OWN = sum(1 << number for number in range(FIRST_OWN, MOST_FEATURES))
COMPARED = CHANGES | OWN  # the features that ask for the board before the placement
LARGEST_VALUE = 2**30
LONGEST_CAUSE = 160  # characters of Numba's words
SAMPLES = 200  # placements on which a feature is tried before it plays

BLOCK = 4 * WIDTH + 4  # numbers that tell an outcome: three times ten columns, and the rest
ASKED = 4 * WIDTH + 3  # the last of them: whether the outcome is possible at all

OWN_FEATURES: dict[str, "OwnFeature"] = {}


class OwnFeature:
    """A person's feature: its function, its largest value, and whether it is of the board or the placement."""

    def __init__(self, function: Callable[[Outcome], int], largest: int, of: str) -> None:
        self.name, self.function, self.largest, self.of, self.smallest = function.__name__, function, largest, of, 0
        self.meaning = (function.__doc__ or "").strip().split("\n")[0]
        self._compiled: Any = None
        self._failed = np.zeros(1, np.int64)

    def __call__(self, outcome: Outcome) -> int:
        """Its value, in plain Python."""
        return self.function(outcome)

    def address(self) -> int:
        """Where its compiled code lies; compiled and tried on some boards the first time."""
        if self._compiled is None:
            self._compiled = self._compile()
        return int(self._compiled.address)

    def check(self) -> None:
        """Raise the error that a game could not raise: compiled code only notes that the function has failed."""
        if self._failed[0]:
            raise AgentError(
                f"The feature '{self.name}' failed during a game. It must give a whole number for every placement on "
                "every board of 4 to 28 rows."
            )

    def _compile(self) -> Any:
        inner, largest, note = numba.njit(self.function), self.largest, self._failed.ctypes.data

        def measured(block: Any, values: Any, width: int) -> None:
            for lane in range(width):
                if block[ASKED * width + lane] != 0:
                    value = 0
                    try:
                        value = inner(unpacked(block, width, lane))
                    except Exception:  # the only kind that compiled code knows
                        mark(note)
                    values[lane] = min(max(value, 0), largest)

        try:
            for sample in samples():
                self._check(inner(sample), sample)
            pointer = types.CPointer(types.int32)
            return numba.cfunc(types.void(pointer, pointer, types.int64))(measured)
        except AgentError:
            raise
        except numba.core.errors.NumbaError as problem:
            raise AgentError(f"The feature '{self.name}' cannot be compiled: {cause_of(problem)}") from None
        except Exception as problem:
            raise AgentError(f"The feature '{self.name}' fails: {type(problem).__name__}: {problem}.") from None

    def _check(self, value: object, sample: Outcome) -> None:
        if not isinstance(value, int | np.integer):
            raise AgentError(f"The feature '{self.name}' is a whole number; it gave {value!r}. Use int() or round().")
        if not 0 <= value <= self.largest:
            raise AgentError(
                f"The feature '{self.name}' is from 0 to {self.largest}, its largest value; it gave {value} for "
                f"columns of the heights {', '.join(map(str, sample.heights))}. Raise `largest`, or add to the value."
            )


def feature(*bare: object, largest: int = 0, of: str = BOARD) -> Callable[[Callable[[Outcome], int]], OwnFeature]:
    """Make a function of an outcome a feature, under its own name, with values from 0 to `largest`.

    `of` is "board", or "placement" for one that adds up over the pieces of a look-ahead.
    """
    if bare:
        raise AgentError("A feature needs its largest value: write @tetrion.feature(largest=10) above the function.")
    if type(largest) is not int or not 1 <= largest <= LARGEST_VALUE:
        raise AgentError(f"A feature's largest value is a whole number from 1 to {LARGEST_VALUE:,}; given {largest!r}.")
    if of not in (BOARD, PLACEMENT):
        raise UnknownNameError("kind of feature", of, (BOARD, PLACEMENT))

    def enter(function: Callable[[Outcome], int]) -> OwnFeature:
        if not inspect.isfunction(function):
            raise AgentError(f"A feature is a function of an outcome; given {function!r}.")
        if function.__name__ in FEATURES:
            raise AgentError(f"There is a feature '{function.__name__}' already. Give yours another name.")
        OWN_FEATURES[function.__name__] = OwnFeature(function, largest, of)
        return OWN_FEATURES[function.__name__]

    return enter


def cause_of(problem: Exception) -> str:
    """What Numba has against a function, without where in Numba that was found."""
    lines = [line.strip() for line in re.sub(r"\x1b\[\d*m", "", str(problem)).splitlines()]
    told = [line for line in lines if line and not line.startswith(("Failed in", "During:", "File "))]
    return f"{told[0][:LONGEST_CAUSE]}." if told else "it uses what compiled code cannot do."


def samples() -> list[Outcome]:
    """Outcomes of random placements on random boards, the same every time."""
    random, found = Random(1), list[Outcome]()
    while len(found) < SAMPLES:
        rows, density = random.randint(4, 28), random.random()
        columns = [sum((random.random() < density) << y for y in range(random.randint(0, rows))) for _ in range(WIDTH)]
        board = np.array(columns, np.int32)
        now = standing(board, rows)
        heights = np.array([*heights_of(now.columns), *[0] * LANES], np.int32)
        before = Before(int(max_height(now)), int(bumpiness(now)), int(holes(now)))
        orientation = random.randrange(len(SHAPES))
        x = random.randrange(PLACES[orientation])
        row = landing_row(heights, orientation, x)
        if fits(orientation, x, row, rows) and not shared(now.columns):  # full rows would have been removed
            there = Situation(board, heights, rows, int(now.cells), before)
            found.append(_plain(outcome(there, random.random() < 0.8, orientation, x, row)))
    return found


def _plain(part: Any) -> Any:
    """An outcome of Python's own numbers alone, so that a feature is compiled once."""
    if isinstance(part, tuple):
        parts = [_plain(each) for each in part]
        return type(part)(*parts) if hasattr(part, "_fields") else tuple(parts)
    return int(part)


# An outcome on its way to a feature: its numbers one after another, each as often as there are lanes.


@compiled
def _number(place: tuple[Any, int, int, int], number: int, x: int) -> int:
    block, width, lane, first = place
    return int(np.int64(block[(first + number) * width + lane]))


@compiled
def unpacked(block: Any, width: int, lane: int) -> Outcome:
    """The outcome that one lane of a block tells."""
    columns = numbered(_number, (block, width, lane, 0), 0)
    heights = numbered(_number, (block, width, lane, WIDTH), 0)
    landed = numbered(_number, (block, width, lane, 2 * WIDTH), 0)
    cells, rows, wall, piece, turns, left, bottom, top, full, lines = numbered(
        _number, (block, width, lane, 3 * WIDTH), 0
    )
    last = (block, width, lane, 4 * WIDTH)
    before = Before(_number(last, 0, 0), _number(last, 1, 0), _number(last, 2, 0), 0, 0)
    return Outcome(columns, heights, cells, rows, wall, piece, turns, left, landed, bottom, top, full, lines, before)


@compiled
def _put_ten(block: Array, first: int, ten: Ten) -> None:
    put(block, first, ten[0])
    put(block, first + 1, ten[1])
    put(block, first + 2, ten[2])
    put(block, first + 3, ten[3])
    put(block, first + 4, ten[4])
    put(block, first + 5, ten[5])
    put(block, first + 6, ten[6])
    put(block, first + 7, ten[7])
    put(block, first + 8, ten[8])
    put(block, first + 9, ten[9])


@compiled_apart
def pack(o: Outcome, possible: bool, block: Array) -> None:
    """Write an outcome, or sixteen of them, into a block, and which of them are possible."""
    x, before = o.bottom, o.before
    _put_ten(block, 0, o.columns)
    _put_ten(block, WIDTH, o.heights)
    _put_ten(block, 2 * WIDTH, o.landed)
    piece, turns = spread(o.piece, x), spread(o.turns, x)
    rest = (o.cells, spread(o.rows, x), o.wall, piece, turns, o.left, o.bottom, o.top, o.full, o.lines)
    _put_ten(block, 3 * WIDTH, rest)
    put(block, 4 * WIDTH, spread(before.max_height, x))
    put(block, 4 * WIDTH + 1, spread(before.bumpiness, x))
    put(block, 4 * WIDTH + 2, spread(before.holes, x))
    put(block, ASKED, truth(possible))


@primitive
def mark(context: Any, address: Any) -> Any:
    """Write a 1 at an address."""

    def lower(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        number = ir.IntType(64)
        builder.store(ir.Constant(number, 1), builder.inttoptr(arguments[0], number.as_pointer()))
        return context.get_dummy_value()

    return types.none(types.int64), lower


@primitive
def call(context: Any, address: Any, block: Any, values: Any, offset: Any, width: Any) -> Any:
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


def measure_own(agent: Any, outcome: Outcome, possible: bool, scratch: Any) -> None:
    """Measure the features of a person's own, where there is room to tell them of the outcome."""


def measure_nothing(agent: Any, outcome: Any, possible: Any, scratch: Any) -> None:
    """What it comes to without that room, as on a GPU."""


@overload(measure_own)  # type: ignore[untyped-decorator]
def _measure_own(agent: Any, outcome: Any, possible: Any, scratch: Any) -> Any:
    if "block" not in scratch.fields:
        return measure_nothing
    width = LANES if isinstance(outcome.types[OUTCOME_BOTTOM], LanesType) else 1

    def measure(agent: Any, outcome: Any, possible: Any, scratch: Any) -> None:
        pack(outcome, possible, scratch.block)
        left = agent.mask & OWN
        while left:
            number = lowest(left)
            left &= left - 1
            call(agent.own[number - FIRST_OWN], scratch.block, scratch.values, number * width, width)

    return measure


OUTCOME_BOTTOM = Outcome._fields.index("bottom")
