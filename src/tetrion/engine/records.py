"""The records that compiled code reads and writes: their fields are declared here, once for NumPy, mypy and editors.

A record is an element of a NumPy array, and its fields are attributes: `games[0].lines`. A field of all records of an
array is a column: `games["lines"]`. mypy rejects unknown fields and columns.
"""

import functools
import inspect
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    ClassVar,
    Concatenate,
    Generic,
    Literal,
    Never,
    ParamSpec,
    Self,
    TypeVar,
    cast,
    get_origin,
    get_type_hints,
    overload,
)

import numpy as np
from numba.extending import overload as overload_function

from tetrion.engine.compiler import INLINE_OPTIONS, compile_inline, define_function
from tetrion.engine.feature_registry import MAX_CUSTOM_FEATURES, MAX_FEATURES, MAX_PATTERNS
from tetrion.engine.pieces import BOARD_WIDTH, PIECES, SHAPES
from tetrion.engine.scalar_or_simd import Array

# The types of fields. A field that is an array adds its shape, as in `Annotated[Int64Array, 4]`.
UInt64 = Annotated[np.uint64, np.uint64]
Float64 = Annotated[float, np.float64]
Int32 = Annotated[int, np.int32]
Int64 = Annotated[int, np.int64]
Int32Array = Annotated[Array, np.int32]
Int64Array = Annotated[Array, np.int64]

ColumnName = TypeVar("ColumnName", bound=str)  # the names of the fields that Python reads as columns
RecordT = TypeVar("RecordT", bound="Record[Any]", covariant=True)


class Record(Generic[ColumnName]):
    """Base of the classes that declare the fields of a record; the records themselves are of type `numpy.record`.

    A subclass inherits the fields of its base, and may change their shapes.
    """

    dtype: ClassVar[np.dtype[Any]]
    field_alignment: ClassVar[int] = 1  # each field starts at a multiple of so many bytes, and where its type requires

    def __init_subclass__(cls) -> None:
        hints = get_type_hints(cls, include_extras=True)
        fields = {name: hint.__metadata__ for name, hint in hints.items() if get_origin(hint) is Annotated}
        cls.dtype = np.dtype((np.record, lay_out_fields(fields, cls.field_alignment)))

    @classmethod
    def make_array(cls, count: int) -> "Records[Self]":
        """Return an array of records whose fields are all 0."""
        return cast("Records[Self]", np.zeros(count, cls.dtype))

    if TYPE_CHECKING:

        def __getitem__(self, name: ColumnName) -> Any: ...
        def __setitem__(self, name: ColumnName, value: object) -> None: ...
        def copy(self) -> Self: ...  # noqa: D102 -- of NumPy


def lay_out_fields(fields: Mapping[str, tuple[Any, ...]], alignment: int) -> np.dtype[Any]:
    """Return the type of a record, given the type of each field, with its shape if it is an array."""
    formats = [np.dtype(field if len(field) > 1 else field[0]) for field in fields.values()]
    offsets = []
    end = 0
    for kind in formats:
        step = math.lcm(alignment, kind.base.alignment)
        offsets.append(math.ceil(end / step) * step)
        end = offsets[-1] + kind.itemsize
    return np.dtype({"names": list(fields), "formats": formats, "offsets": offsets}, align=True)


if TYPE_CHECKING:

    class Records(np.ndarray[Any, Any], Generic[RecordT]):
        """An array of records."""

        @overload  # type: ignore[override] # a field is a column, and an element a record
        def __getitem__(self, key: int | np.integer[Any]) -> RecordT: ...
        @overload
        def __getitem__(self: "Records[Record[ColumnName]]", key: ColumnName | list[ColumnName]) -> Array: ...
        @overload
        def __getitem__(self, key: slice | list[int] | Array | np.bool) -> Self: ...
        def __getitem__(self, key: Any) -> Any: ...
        def __setitem__(
            self: "Records[Record[ColumnName]]", key: ColumnName | int | slice | Array, value: object
        ) -> None: ...
        def __iter__(self) -> Iterator[RecordT]: ...  # type: ignore[override] # as above
else:
    Records = np.ndarray


def join_records(arrays: Sequence[Records[RecordT]]) -> Records[RecordT]:
    """Return the records of all arrays in one array."""
    return cast("Records[RecordT]", np.concatenate(arrays))


MAX_ATTACK_FEATURES = 24
MAX_KNOWN_PIECES = 8  # the current piece, the longest preview, and one more
NO_SPIN, MINI_SPIN, FULL_SPIN = range(3)
SPIN_KINDS = ("none", "mini", "full")
MAX_CLEARED_ROWS = 4
MAX_BASE_ATTACK = 6
ATTACK_BITS = 10  # attack is computed in 1,024ths of a row
MAX_COUNTED_BACK_TO_BACK = 63  # larger values count as these
MAX_COUNTED_COMBO = 31
MAX_GARBAGE_BATCHES = 8

ClearNumbers = Annotated[Int64Array, (len(SPIN_KINDS), MAX_CLEARED_ROWS + 1)]  # by spin and cleared rows
BatchNumbers = Annotated[Int64Array, MAX_GARBAGE_BATCHES]
GameColumn = Literal[
    "key",
    "bag",
    "pieces",
    "lines",
    "score",
    "frames",
    "clears",
    "board",
    "agent",
    "status",
    "placement",
    "known",
    "queue",
    # Only of `FullGameRecord`.
    "hold",
    "used_hold",
    "combo",
    "back_to_back",
    "attack",
    "sent",
    "received",
    "clears_by_spin",
    "back_to_backs",
    "longest_combo",
    "perfect_clears",
    "batch_count",
    "batch_gap",
    "batch_is_new",
    "garbage_mask",
]


class GameRecord(Record[GameColumn]):
    """What every game has, and all that bulk play without hold, spins, attack and garbage needs.

    The record is small, because batches and GPUs play many games at once. Functions that take it work for
    `FullGameRecord`, too: the same source is compiled for both (see `compile_for_full_games`).
    """

    key: UInt64  # the key of the game's random numbers
    bag: Int64  # the randomiser's state, such as the pieces left in the bag
    pieces: Int64  # pieces placed
    lines: Int64
    score: Int64
    frames: Int64  # duration, if the rules have a clock
    clears: Annotated[Int64Array, 4]  # numbers of single, double, triple and tetris line clears
    board: Annotated[Int32Array, BOARD_WIDTH]
    agent: Int32  # index of the agent that plays
    status: Int32
    placement: Annotated[Int64Array, 3]  # the last placement: orientation, column, row
    known: Int64  # number of pieces that are dealt and not yet placed
    queue: Annotated[Int64Array, MAX_KNOWN_PIECES]  # those pieces, the current one first


class FullGameRecord(GameRecord):
    """A game with hold, spins, attack and garbage; all games that are not played in bulk have this record."""

    hold: Int64  # the piece in the hold box + 1; 0: it is empty
    used_hold: Int64  # 1: the current piece came from hold
    placed_from_hold: Int64  # 1: the last placed piece came from hold
    combo: Int64  # consecutive placements with a clear
    back_to_back: Int64  # consecutive difficult clears
    spin: Int64  # of the last placement
    attack: Int64  # rows of garbage made
    sent: Int64  # those that did not cancel rows of the queue
    received: Int64  # rows of garbage that have risen
    clears_by_spin: ClearNumbers
    back_to_backs: Int64  # difficult clears that followed another
    longest_combo: Int64
    perfect_clears: Int64
    # The queue of garbage, oldest batch first.
    batch_count: Int64
    batch_rows: BatchNumbers
    batch_due: BatchNumbers  # the pieces or frames after which the batch may rise
    batch_gap: BatchNumbers  # the column of the gap of its next row
    batch_is_new: BatchNumbers  # 1: none of its rows has risen
    gaps_decided: Int64  # rows of garbage whose gap was decided
    garbage_mask: Int64  # one bit per row of the board: 1 if it is a row of garbage


GameRecords = Records[GameRecord]
FullGameRecords = Records[FullGameRecord]
_P = ParamSpec("_P")
_ResultT = TypeVar("_ResultT")
_OfFullGame = Callable[Concatenate[FullGameRecord, _P], _ResultT]
_OfAnyGame = Callable[Concatenate[GameRecord, _P], _ResultT]


def compile_for_full_games(default: _ResultT) -> Callable[[_OfFullGame[_P, _ResultT]], _OfAnyGame[_P, _ResultT]]:
    """Decorate a function whose first argument is a game: in a small game it does nothing and returns `default`.

    What a record does not have is therefore a constant of its type, and the compiler removes the branches that depend
    on it.
    """

    def decorate(function: _OfFullGame[_P, _ResultT]) -> _OfAnyGame[_P, _ResultT]:
        full = compile_inline(function)
        signature = inspect.signature(function)
        small: Any = define_function("skip", f"def skip({', '.join(signature.parameters)}):\n    return {default}", {})

        def select(*kinds: Any) -> Any:
            return full if "hold" in kinds[0].fields else small

        def call(game: Any, *arguments: Any) -> Any:
            return cast("Any", function)(game, *arguments) if "hold" in game.dtype.names else default

        vars(select)["__signature__"] = vars(small)["__signature__"] = signature  # Numba compares them
        functools.update_wrapper(call, function)
        overload_function(call, jit_options=INLINE_OPTIONS)(select)
        return cast("_OfAnyGame[_P, _ResultT]", call)

    return decorate


AgentColumn = Literal["mask", "pattern_mask", "is_local", "depth", "expect", "beam", "second_mode", "custom_addresses"]


class AgentRecord(Record[AgentColumn]):
    """One mode of an agent: its terms as integers, and its search."""

    mask: Int64  # bit mask of the features that the agent uses, see `feature_registry`
    additive_mask: Int64  # those of them that are summed over the pieces of a variation
    second_mask: Int64  # the second mask, of the features from SECOND_MASK_START on
    second_additive_mask: Int64
    is_local: Int32  # 1: supports local evaluation
    measures_after_clear: Int32  # 1: features are measured after full rows are removed, 0: before
    weight: Annotated[Int32Array, MAX_FEATURES]  # by feature number, like the next three
    table_start: Annotated[Int32Array, MAX_FEATURES]  # index of a table's first entry; −1 for a weight
    table_length: Annotated[Int32Array, MAX_FEATURES]
    table_min: Annotated[Int32Array, MAX_FEATURES]  # the feature's value for the first entry
    pattern_mask: Int64  # bit mask of the patterns that the agent uses
    view_rows: Int64  # rows of the view on which patterns are measured; 0: the whole board
    pattern_start: Annotated[Int32Array, MAX_PATTERNS]  # by pattern number: index of its table's first entry
    custom_addresses: Annotated[Int64Array, MAX_CUSTOM_FEATURES]  # addresses of the compiled custom features
    depth: Int64  # number of known pieces that are searched, including the current one
    expect: Int64  # 1: the search adds the expectation over the next unknown piece
    beam: Int64  # number of placements of a piece that are searched further; 0: all
    second_mode: Int64  # index of the record of the second mode; 0: there is none
    selector: Int64  # mask of the feature that selects the mode
    threshold: Int64  # value of the selector from which the second mode is used
    attack_mask: Int64  # bit mask of the attack features that the agent uses
    attack_weight: Annotated[Int32Array, MAX_ATTACK_FEATURES]


AgentRecords = Records[AgentRecord]

# Values of the fields of the rules. From END_LOCK_OUT on, a placement that fits on the board can itself end the game.
DROP_MOVEMENT, REACH_MOVEMENT, TIMED_MOVEMENT, STEERED_MOVEMENT = range(4)  # from TIMED_MOVEMENT on, with a clock
END_NO_PLACEMENT, END_SPAWN_BLOCKED, END_LOCK_OUT, END_TOP_ROW, END_ABOVE_TOP = range(5)
LOCK_AT_CONTACT = 0  # a piece locks as soon as it rests
LOCK_BY_GRAVITY = -1  # a resting piece locks when gravity would move it down
INSTANT_REPEAT = -1  # a key that is held down moves the piece as far as it can go
PIECES_UNIT, FRAMES_UNIT = range(2)

GAME_KEYS = ("left", "right", "rotate", "back", "half", "down", "drop", "hold")
TURN_COUNT = 3  # directions of a rotation: the keys rotate, back and half
MAX_SCRIPT_LENGTH = 1024
MAX_ROTATION_STATES = 4
MAX_DROPS = 34  # of a piece with four rotations
DROP_ORDERS = 64  # the number of orders: rotation × 16 + column
MAX_KICK_TESTS = 6  # positions that a rotation tries, including the first, which has no kick

KeyFlags = Annotated[Int64Array, len(GAME_KEYS)]  # by key
PieceNumbers = Annotated[Int64Array, len(PIECES)]  # by piece
StateNumbers = Annotated[Int64Array, (len(PIECES), MAX_ROTATION_STATES)]  # by piece, and by rotation state or rotation
ShapeNumbers = Annotated[Int32Array, (len(SHAPES), 4)]  # by orientation and column of its box
KickOffsets = Annotated[Int64Array, (len(PIECES), MAX_ROTATION_STATES, TURN_COUNT, MAX_KICK_TESTS)]


class RulesRecord(Record[Never]):
    """The rules of a game.

    A piece has rotation states, as its drawings show them. States that look alike have the same orientation, which is a
    number for all pieces. The distinct orientations of one piece are its rotations, numbered from 0.
    """

    rows: Int64  # rows in which pieces may lock, including the hidden ones
    height: Int64  # visible rows
    spawn_height: Int64
    preview: Int64
    movement: Int64
    has_key: KeyFlags  # 1 for each key that the rules have
    key_locks: KeyFlags  # 1 for each key that locks the piece
    lock_delay: Int64
    line_points: Annotated[Int64Array, 4]  # for one to four lines
    points_per_piece: Int64
    points_per_soft_drop_row: Int64
    points_by_level: Int64  # 1: line points are multiplied by level + 1
    start_level: Int64
    level_system: Int64
    gravity_system: Int64
    gravity: Int64  # frames per row if the system is constant; frames per 1,000 seconds if it is the guideline's
    spawn_delay: Int64
    clear_delay: Int64
    das: Int64
    arr: Int64
    soft_drop_interval: Int64
    thinking_frames: Int64
    frames_per_key: Int64
    game_over: Int64
    # Written by `Randomiser`.
    randomiser: Int64  # the kind of randomiser
    register: Int64  # the start of the NES register; 0: derived from the seed
    sequence_length: Int64
    sequence: Annotated[Int64Array, MAX_SCRIPT_LENGTH]  # the pieces to choose from, or the script
    # Written by `RotationSystem`.
    state_count: PieceNumbers
    orientation_of_state: StateNumbers
    rotation_of_state: StateNumbers
    rotation_count: PieceNumbers
    orientations: StateNumbers  # by rotation
    first_wide_rotation: PieceNumbers  # the first one that is three or four columns wide; −1 if there is none
    narrow_count: PieceNumbers  # the number of rotations that are one or two columns wide
    narrow_rotations: StateNumbers
    drop_count: PieceNumbers  # the number of straight drops
    drops: Annotated[Int32Array, (len(PIECES), MAX_DROPS)]  # orientation × DROP_ORDERS + order
    # Copies of the tables of the same names, by orientation. Threads of a GPU read a constant table one after another,
    # but they read these in parallel.
    orientation_columns: ShapeNumbers
    column_bottoms: ShapeNumbers
    column_tops: ShapeNumbers  # heights of the columns of the box; −99 without cells
    orientation_heights: Annotated[Int32Array, len(SHAPES)]
    spawn_left: PieceNumbers  # the leftmost column of a new piece
    spawn_bottom: PieceNumbers  # its lowest row, relative to the row above the top visible one
    kick_tests: Annotated[Int64Array, (len(PIECES), TURN_COUNT)]  # the number of positions that a rotation tries
    max_descent: PieceNumbers  # the largest number of rows by which a rotation or a step lowers the lowest row
    turning_depth: PieceNumbers  # rows below its lowest row that a new piece needs to be rotated into any state
    # How the leftmost column and the lowest row change, by piece, state, direction and test.
    dx: KickOffsets
    dy: KickOffsets
    # Hold, spins, attack and garbage.
    needs_full_games: Int64  # 1: games have any of them, `scoring=guideline` or `placement_frames`
    hold: Int64  # 1: the current piece can be exchanged for the one in the hold box
    spins: Int64  # which spins there are
    promotes: Annotated[Int64Array, (MAX_ROTATION_STATES, TURN_COUNT, MAX_KICK_TESTS)]  # 1: this kick makes a mini full
    base_attack: ClearNumbers
    # In 1,024ths of a row, by base attack, back-to-back and combo: the attack of a difficult clear, and of any other.
    difficult_attack: Annotated[Int32Array, (MAX_BASE_ATTACK + 1, MAX_COUNTED_BACK_TO_BACK + 1, MAX_COUNTED_COMBO + 1)]
    simple_attack: Annotated[Int32Array, (MAX_BASE_ATTACK + 1, MAX_COUNTED_BACK_TO_BACK + 1, MAX_COUNTED_COMBO + 1)]
    surges: Annotated[Int64Array, MAX_COUNTED_BACK_TO_BACK + 1]  # the part of it in `simple_attack`, in rows
    perfect_clear_attack: Annotated[Int64Array, MAX_COUNTED_COMBO + 1]  # in rows, by combo
    perfect_clear_replaces: Int64  # 1: its attack replaces that of the clear, 0: it is added
    perfect_clear_is_difficult: Int64
    spin_points: ClearNumbers  # score by spin and cleared rows, if `combo_points` is not 0
    perfect_clear_points: Annotated[Int64Array, MAX_CLEARED_ROWS + 2]  # by rows; the last one: back-to-back with four
    combo_points: Int64
    points_per_hard_drop_row: Int64
    garbage_rows: Int64
    garbage_interval: Int64
    garbage_delay: Int64
    garbage_cap: Int64
    garbage_messiness: Int64
    start_garbage: Int64  # rows of garbage at the start of a game
    garbage_interval_unit: Int64  # PIECES_UNIT or FRAMES_UNIT, like the next one
    garbage_delay_unit: Int64
    garbage_blocking: Int64  # 1: no garbage rises when a piece clears rows
    clearing: Int64  # how rows move down when full rows are cleared
    garbage_clear_bonus: Int64  # attack that a difficult clear with rows of garbage adds
    opener_pieces: Int64  # the number of pieces in which attack may cancel twice its rows
    attack_growth: Int64  # thousandths by which the multiplier of attack grows per second
    attack_growth_start: Int64  # frames after which it grows
    frames_per_1000_seconds: Int64
    placement_frames: Int64  # frames that pass after a placement in games without a clock
    # In real time.
    lock_resets: Int64  # how often moves and rotations restart the lock delay of a piece; 0: they do not
    initial_rotation: Int64  # 1: a rotation key that is down when a piece spawns acts at once
    initial_hold: Int64  # 1: a hold key that is down when a piece spawns acts at once


RulesRecords = Records[RulesRecord]
