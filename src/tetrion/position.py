"""A position: everything that a player can see, the legal placements, and the positions that they lead to."""

from dataclasses import MISSING, dataclass, fields, replace
from functools import cache, cached_property, reduce
from operator import and_
from typing import TypedDict, Unpack, cast

import numpy as np

from tetrion.board import Board, Placement
from tetrion.engine.attack import get_garbage_time
from tetrion.engine.batch_play import MAX_COUNTER, EngineSettings
from tetrion.engine.key_paths import MAX_PATH_KEYS, NO_PATH, find_keys, find_timed_keys
from tetrion.engine.piece_motion import MOVEMENT_ROWS, PieceOnBoard, get_spawn_state
from tetrion.engine.pieces import BOARD_WIDTH, PIECES
from tetrion.engine.placements import RotatedPlacement, decode_placement
from tetrion.engine.placing import is_stopped_at_spawn, list_placements, place_piece
from tetrion.engine.records import (
    GAME_KEYS,
    MAX_GARBAGE_BATCHES,
    MAX_KNOWN_PIECES,
    MAX_ROTATION_STATES,
    SPIN_KINDS,
    FullGameRecord,
    FullGameRecords,
    GameRecord,
    RulesRecord,
)
from tetrion.engine.rules import Rules
from tetrion.engine.scoring import compute_frames_per_row, compute_level
from tetrion.engine.steering import MAX_STEERED_STEPS, write_steered_steps
from tetrion.errors import PlacementError, PositionError, UnknownNameError, describe_value
from tetrion.notebook_display import format_count, render_board

MAX_PLACEMENTS = 2 * len(SPIN_KINDS) * MAX_ROTATION_STATES * BOARD_WIDTH * MOVEMENT_ROWS
_NEVER = 2**62  # a number of pieces or frames that no game reaches
# The largest counters of a position that is not the engine's own: those of any game, and far from where sums and
# products of them overflow. Combos count least, because the guideline multiplies them by the level.
_COUNTER_LIMITS = {
    "pieces": MAX_COUNTER,
    "lines": MAX_COUNTER,
    "score": 10**18,
    "frames": MAX_COUNTER,
    "combo": 10**4,
    "back_to_back": 10**6,
    "attack": MAX_COUNTER,
    "sent": MAX_COUNTER,
}
_FULL_FIELDS = ("combo", "back_to_back", "garbage", "attack", "sent", "garbage_height")


@cache
def get_engine_settings(rules: Rules) -> EngineSettings:
    """Return the engine settings for these rules, with no agents."""
    return EngineSettings.from_agents([], rules)


@cache
def decode_bag(bag: int) -> str:
    """Return the pieces of a bag as the engine stores it; cached, because every position of a game has one."""
    return "".join(letter for number, letter in enumerate(PIECES) if bag >> number & 1) or PIECES


def encode_bag(letters: str) -> int:
    """Return the pieces that are left in the bag as the engine stores them."""
    return sum(1 << PIECES.index(letter) for letter in letters)


def parse_rules(rules: Rules | str) -> Rules:
    """Return the rules, parsed if they are given as text."""
    return rules if isinstance(rules, Rules) else Rules.parse(rules)


def uses_levels(rules: Rules) -> bool:
    """Return whether the level has an effect under these rules."""
    return rules.level_system != "fixed" or rules.scoring == "nes" or rules.gravity in ("nes", "tetrais")


def describe_pieces(position: "Position") -> str:
    """Return the current piece and the one in the hold box as text, such as "piece T, hold L"."""
    return f"piece {position.piece or 'unknown'}{f', hold {position.hold}' if position.hold else ''}"


def describe_counters(pieces: int, lines: int, score: int) -> str:
    """Return the counters of a game as text, such as "3 pieces, 1 line, 40 points"."""
    return ", ".join((format_count(pieces, "piece"), format_count(lines, "line"), format_count(score, "point")))


class PositionChanges(TypedDict, total=False):
    """What can be given to `Position.replace`: the fields of `Position`."""

    board: Board
    piece: str | None
    next: str
    rules: Rules
    pieces: int
    lines: int
    score: int
    frames: int
    hold: str
    can_hold: bool
    combo: int
    back_to_back: int
    garbage: tuple[tuple[int, int], ...]
    bag: str
    attack: int
    sent: int
    garbage_height: int


@dataclass(frozen=True)
class Position:
    """Everything that a player can see: board, current piece (None if unknown), preview and counters.

    In modern games also the piece in the hold box (empty text: none), whether the current piece can still be exchanged
    for it, the consecutive clears (`combo`) and difficult clears (`back_to_back`), the garbage that waits, as pairs of
    rows and the pieces or frames (`Rules.garbage_delay_unit`) until it may rise, oldest first, the rows of garbage that
    clears have made (`attack`), those of them that did not cancel garbage (`sent`), and the number of the lowest rows
    that are garbage (`garbage_height`). `bag` holds the pieces that are left in the bag after the known ones (empty
    text: unknown, or another randomiser).

    `Position.from_board` creates one from a board. All fields are checked; a board with fewer rows than the rules gets
    empty rows at its top.

    >>> position = Position.from_board(Board.from_text("####.#####"), "I", next="T")
    >>> upright = [placement for placement in position.placements() if placement.rotation == 1]
    >>> [position.after(placement).lines for placement in upright]
    [0, 0, 0, 0, 1, 0, 0, 0, 0, 0]
    >>> position
    Position(Board.from_text(['####.#####'], rows=20), 'I', 'T', Rules('standard'))
    """

    board: Board
    piece: str | None
    next: str
    rules: Rules
    pieces: int = 0
    lines: int = 0
    score: int = 0
    frames: int = 0
    hold: str = ""
    can_hold: bool = True
    combo: int = 0
    back_to_back: int = 0
    garbage: tuple[tuple[int, int], ...] = ()
    bag: str = ""
    attack: int = 0
    sent: int = 0
    garbage_height: int = 0

    def __post_init__(self) -> None:
        if not isinstance(self.rules, Rules):
            raise PositionError(
                f"A position needs Rules, for example Rules.parse('guideline'); given {describe_value(self.rules)}."
            )
        self._check_board()
        self._check_pieces()
        for name, limit in (_COUNTER_LIMITS | {"garbage_height": self.rules.rows}).items():
            number = getattr(self, name)
            if type(number) is not int or not 0 <= number <= limit:
                raise PositionError(
                    f"{name} must be a whole number from 0 to {limit:,}; given {describe_value(number)}."
                )
        object.__setattr__(self, "garbage", self._list_garbage())
        if not self.rules.is_modern and (used := [name for name in _FULL_FIELDS if getattr(self, name)]):
            need = "needs" if len(used) == 1 else "need"
            raise PositionError(f"{' and '.join(used)} {need} modern rules, such as guideline; given {self.rules}.")

    def _check_board(self) -> None:
        board, rows = self.board, self.rules.rows
        if not isinstance(board, Board):
            raise PositionError(
                f"A position needs a Board, for example from Board.from_text; given {describe_value(board)}."
            )
        if board.rows > rows:
            raise PositionError(
                f"Boards under the rules {self.rules} have at most {rows} rows; this one has {board.rows}."
            )
        if self.rules.clearing == "standard" and reduce(and_, board.columns):
            raise PositionError(
                f"Row {board.full_rows[0]} is full (rows count from 0 at the floor), so it would already be cleared. "
                "Leave one cell of it empty."
            )
        if board.rows < rows:
            object.__setattr__(self, "board", Board(board.columns, rows))

    def _check_pieces(self) -> None:
        for name in ("next", "hold", "bag"):
            if not isinstance(getattr(self, name), str):
                given = describe_value(getattr(self, name))
                raise PositionError(f"{name} must be text, such as {name}='LJ', or '' for none; given {given}.")
        for piece in (*([] if self.piece is None else [self.piece]), *self.next, *self.bag, *filter(None, [self.hold])):
            if not isinstance(piece, str) or piece not in list(PIECES):
                raise UnknownNameError("piece", piece, PIECES)
        if self.piece is None and self.next:
            raise PositionError(f"Next pieces need a current piece; given piece=None and next={self.next!r}.")
        if len(self.next) >= MAX_KNOWN_PIECES:
            raise PositionError(f"At most {MAX_KNOWN_PIECES - 1} next pieces can be known; given {self.next}.")
        if type(self.can_hold) is not bool:
            raise PositionError(f"can_hold must be True or False; given {describe_value(self.can_hold)}.")
        if self.hold and not self.rules.hold:
            raise PositionError(
                f"A piece in the hold box needs rules with hold=True; given {self.rules} and hold={self.hold!r}."
            )
        if len(set(self.bag)) < len(self.bag):
            raise PositionError(f"A bag holds each piece at most once; given bag={describe_value(self.bag)}.")
        if self.bag and self.rules.randomiser != "bag":
            raise PositionError(
                f"A bag needs rules with randomiser=bag; given {self.rules} and bag={self.bag!r}. Omit bag."
            )

    def _list_garbage(self) -> tuple[tuple[int, int], ...]:
        """Return the validated garbage as a tuple of tuples."""
        batches = self.garbage if isinstance(self.garbage, tuple | list) else None
        if batches is None or len(batches) > MAX_GARBAGE_BATCHES:
            raise PositionError(
                f"garbage must be a tuple of at most {MAX_GARBAGE_BATCHES} pairs (rows, pieces or frames until they "
                f"may rise), such as ((2, 1),); given {describe_value(self.garbage)}."
            )
        last_wait = 0
        for batch in batches:
            numbers = batch if isinstance(batch, tuple | list) else ()
            is_valid = len(numbers) == 2 and all(type(number) is int for number in numbers)
            if not is_valid or not 1 <= numbers[0] <= MAX_COUNTER or not last_wait <= numbers[1] <= MAX_COUNTER:
                raise PositionError(
                    f"A batch of garbage has from 1 to {MAX_COUNTER:,} rows and waits for 0 to {MAX_COUNTER:,} pieces "
                    f"or frames, at least as long as the batch before it; given {describe_value(batch)}."
                )
            last_wait = numbers[1]
        return tuple((rows, wait) for rows, wait in batches)

    @property
    def due_garbage(self) -> int:
        """The rows of garbage that can rise if the current piece locks now."""
        return sum(rows for rows, wait in self.garbage if wait == 0)

    @classmethod
    def from_board(
        cls,
        board: Board,
        piece: str,
        next: str = "",  # noqa: A002 -- named as the field
        rules: Rules | str = "standard",
        *,
        lines: int = 0,
        frames: int = 0,
        hold: str = "",
        combo: int = 0,
        back_to_back: int = 0,
    ) -> "Position":
        """Create a position from a board; if it has fewer rows than the rules, empty rows are added at the top."""
        if piece is None:
            raise UnknownNameError("piece", piece, PIECES)
        return cls(
            board,
            piece,
            next,
            parse_rules(rules),
            lines=lines,
            frames=frames,
            hold=hold,
            combo=combo,
            back_to_back=back_to_back,
        )

    def replace(self, **changes: Unpack[PositionChanges]) -> "Position":
        """Return a copy of this position with some fields changed; all are checked again."""
        return replace(self, **changes)

    @property
    def level(self) -> int:
        """The current level."""
        return int(compute_level(self._rules_record, self.lines))

    @property
    def frames_per_row(self) -> int:
        """The gravity in frames per row; 0 if pieces do not fall by themselves."""
        return int(compute_frames_per_row(self._rules_record, self.level, self.frames))

    def placements(self) -> list[Placement]:
        """Return every placement of the current piece, ordered by rotation, column, and row from the top.

        In modern games those with hold follow, and the same cells with and without a spin are different placements.
        """
        return list(self._legal_placements)

    def after(self, placement: Placement) -> "Position":
        """Return the position after a placement; its current piece is the first of the preview.

        Its counters, such as `lines`, `score` and `attack`, are totals: their differences from those of this position
        are what the placement achieves. Garbage does not rise in it, because its gaps are not known; attack cancels it.
        """
        legal = validate_placement(self, placement)
        if self.piece is None:  # it is put into the hold box, and left out of the result
            return replace(lock_placement(replace(self, piece=legal.piece), legal), hold="")
        return lock_placement(self, legal)

    @property
    def can_spawn(self) -> bool:
        """Whether the current piece can spawn; always true where a blocked spawn does not matter (straight drops)."""
        board = np.array(self.board.columns, np.int32)
        return not is_stopped_at_spawn(board, self._rules_record, PIECES.index(self._check_piece_known()))

    def find_keys(self, placement: Placement) -> tuple[str, ...]:
        """Return the shortest sequence of keys that leads to a placement; ties follow the order of `GAME_KEYS`.

        The sequence includes every step down, whether a key or gravity makes it. It does not lock the piece: a key of
        `rules.lock_keys` or time does that, except that with `lock_delay=0` the last step down locks it.
        """
        goal = validate_placement(self, placement)
        keys = np.zeros(MAX_PATH_KEYS, np.int64)
        count = find_keys(make_game_records(self), get_engine_settings(self.rules).rules, goal.code, keys)
        return tuple(GAME_KEYS[key] for key in keys[: _check_path(count, goal)].tolist())

    def find_timed_keys(self, placement: Placement) -> tuple[tuple[int, str], ...]:
        """Return (frame, key) pairs that lead to a placement under `timed` movement; frames count from the spawn."""
        if self.rules.movement != "timed":
            raise PositionError(
                f"find_timed_keys needs rules with movement=timed; these have movement={self.rules.movement}."
            )
        if not self.frames_per_row:
            raise PositionError("find_timed_keys needs gravity; with gravity=0, call find_keys().")
        goal = validate_placement(self, placement)
        keys = np.zeros(MAX_PATH_KEYS, np.int64)
        frames = np.zeros(MAX_PATH_KEYS, np.int64)
        board = np.array(self.board.columns, np.int32)
        piece_on_board = PieceOnBoard(board, get_engine_settings(self.rules).rules, PIECES.index(goal.piece))
        location = RotatedPlacement(goal.rotation, goal.column, goal.row)
        count = _check_path(find_timed_keys(piece_on_board, self.frames_per_row, location, keys, frames), goal)
        names = [GAME_KEYS[key] for key in keys[:count].tolist()]
        return tuple(zip(frames[:count].tolist(), names, strict=True))

    def find_steered_steps(self, placement: Placement) -> tuple[tuple[str, Placement], ...]:
        """Return the steps of the current piece to a target under `steered` movement, until the piece locks.

        Each step is a key and the piece after it, written as a placement; a row by gravity is a step down. The last
        piece is where it locks, which can be elsewhere than the target.
        """
        if self.rules.movement != "steered":
            raise PositionError(
                f"find_steered_steps needs rules with movement=steered; these have movement={self.rules.movement}."
            )
        goal = validate_placement(self, placement)
        rules = get_engine_settings(self.rules).rules
        piece = PIECES.index(goal.piece)
        steps = np.zeros((MAX_STEERED_STEPS, 4), np.int64)
        on_board = PieceOnBoard(np.array(self.board.columns, np.int32), rules, piece)
        target = RotatedPlacement(goal.rotation, goal.column, goal.row)
        count = write_steered_steps(on_board, self.frames_per_row, target, steps)
        rotations = rules[0].rotation_of_state[piece].tolist()
        return tuple(
            (GAME_KEYS[key], Placement(goal.piece, rotations[state], column, row, self.rules.rotation))
            for key, state, column, row in steps[:count].tolist()
        )

    def __repr__(self) -> str:
        changes = [f"{name}={value!r}" for name in _DEFAULTS if (value := getattr(self, name)) != _DEFAULTS[name]]
        values = map(repr, (self.board, self.piece, self.next, self.rules))
        return f"Position({', '.join([*values, *changes])})"

    @property
    def spawn(self) -> Placement | None:
        """Where the current piece appears, written as a placement; None if the piece is unknown."""
        if self.piece is None:
            return None
        _, column, row = get_spawn_state(self._rules_record, PIECES.index(self.piece))
        return Placement(self.piece, 0, column, row, self.rules.rotation)

    def _repr_svg_(self) -> str:
        return self.board.draw_svg(self.spawn)

    def _repr_html_(self) -> str:
        return render_board(self._repr_svg_(), self._list_facts())

    def _list_facts(self) -> list[str]:
        pieces = f"{describe_pieces(self)}{f', next {self.next}' if self.next else ''}"
        return [pieces, f"rules {self.rules}", describe_counters(self.pieces, self.lines, self.score)]

    def _check_piece_known(self) -> str:
        """Return the current piece, or raise an error if it is unknown."""
        if self.piece is None:
            raise PositionError(
                "The current piece is unknown. Give the next pieces to Position.from_board, for example next='LJ'."
            )
        return self.piece

    @property
    def _rules_record(self) -> RulesRecord:
        return get_engine_settings(self.rules).rules[0]

    @cached_property
    def _legal_placements(self) -> dict[Placement, Placement]:
        """All placements in order; the keys are the values. An unknown piece can only be exchanged for the held one."""
        if self.piece is None and self.hold:
            placements = replace(self, piece=self.hold).placements()
            return {placement: placement for placement in placements if placement.hold}
        self._check_piece_known()
        codes = np.zeros(MAX_PLACEMENTS, np.int32)
        count = list_placements(make_game_records(self), get_engine_settings(self.rules).rules, codes)
        placements = [decode_legal_placement(self, code) for code in codes[:count].tolist()]
        return {placement: placement for placement in placements}


def read_position(record: GameRecord, rules: Rules, max_known: int = MAX_KNOWN_PIECES) -> Position:
    """Return what a player can see of a game, given its engine record; at most `max_known` pieces are known.

    The record may be small if the rules have no hold, spins, attack and garbage. An empty bag is filled again.
    """
    bag = decode_bag(int(record.bag)) if rules.randomiser == "bag" else ""
    return _read_position(record, rules, bag, rules.rows, max_known)


def _read_position(
    record: GameRecord, rules: Rules, bag: str, rows: int, max_known: int = MAX_KNOWN_PIECES
) -> Position:
    """Return a position without the checks, which would make stepped games slower: the engine has made it."""
    known = "".join(PIECES[number] for number in record.queue[: record.known].tolist())[:max_known]
    position = object.__new__(Position)
    position.__dict__.update(
        _DEFAULTS,
        board=Board(tuple(record.board.tolist()), rows),
        piece=known[:1] or None,
        next=known[1:],
        rules=rules,
        pieces=int(record.pieces),
        lines=int(record.lines),
        score=int(record.score),
        frames=int(record.frames),
        bag=bag,
        **(_read_full_fields(cast("FullGameRecord", record), rules) if rules.is_modern else {}),
    )
    return position


def _read_full_fields(record: FullGameRecord, rules: Rules) -> dict[str, object]:
    """Return the fields of a position that only games with hold, spins, attack or garbage have."""
    count = int(record.batch_count)
    now = get_garbage_time(record, get_engine_settings(rules).rules[0])
    batches = zip(record.batch_rows[:count].tolist(), record.batch_due[:count].tolist(), strict=True)
    return {
        "hold": PIECES[int(record.hold) - 1] if record.hold else "",
        "can_hold": bool(rules.hold and not record.used_hold),
        "combo": int(record.combo),
        "back_to_back": int(record.back_to_back),
        "garbage": tuple((rows, max(due - now, 0)) for rows, due in batches),
        "attack": int(record.attack),
        "sent": int(record.sent),
        "garbage_height": int(record.garbage_mask).bit_length(),  # garbage rises from below all other rows
    }


def make_game_records(position: Position) -> FullGameRecords:
    """Return an engine record of a game in a position, as an array of one element."""
    known = (position.piece or "") + position.next
    games = FullGameRecord.make_array(1)
    record = games[0]
    record.board[:] = position.board.columns
    for name in _COUNTER_LIMITS:
        setattr(record, name, getattr(position, name))
    record.known = len(known)
    record.queue[: len(known)] = [PIECES.index(letter) for letter in known]
    record.hold = PIECES.index(position.hold) + 1 if position.hold else 0
    record.used_hold = position.rules.hold and not position.can_hold
    record.garbage_mask = (1 << position.garbage_height) - 1
    record.batch_count = len(position.garbage)
    now = get_garbage_time(record, get_engine_settings(position.rules).rules[0])
    for batch, (rows, wait) in enumerate(position.garbage):
        record.batch_rows[batch] = rows
        record.batch_due[batch] = now + wait
    return games


def lock_placement(position: Position, placement: Placement) -> Position:
    """Return the position after a placement that need not be legal; its cells must be empty cells of the board."""
    games = make_game_records(position)
    record = games[0]
    waiting = record.batch_due.copy()
    record.batch_due[:] = _NEVER
    place_piece(games, get_engine_settings(position.rules).rules, placement.code)
    left = int((record.batch_due[: record.batch_count] == _NEVER).sum())
    record.batch_due[:left] = waiting[len(position.garbage) - left : len(position.garbage)]
    return _read_position(record, position.rules, position.bag, position.board.rows)


def decode_legal_placement(position: Position, code: int) -> Placement:
    """Return the placement of a position that the engine encodes by a number."""
    rotated, spin, hold = decode_placement(code)
    piece = (position.hold or position.next[:1]) if hold else position.piece
    return Placement(piece or "", *rotated, position.rules.rotation, SPIN_KINDS[spin], bool(hold))


def validate_placement(position: Position, placement: Placement) -> Placement:
    """Return the legal placement that equals the given one, or raise a `PlacementError`."""
    if not isinstance(placement, Placement):
        raise PlacementError(f"Expected one of position.placements(); given {describe_value(placement)}.")
    if placement.piece != position.piece and not placement.hold:
        raise PlacementError(f"The current piece is {position.piece}; given {placement}.")
    legal = position._legal_placements
    if placement not in legal:
        raise PlacementError(
            f"{placement} is not a legal placement. position.placements() lists the {len(legal)} legal ones."
        )
    return legal[placement]


def _check_path(count: int, goal: Placement) -> int:
    """Return the number of keys that lead to a placement, or raise an error if there is no path."""
    if count == NO_PATH:
        raise PlacementError(f"No sequence of keys leads from the spawn to {goal}.")
    return count


_DEFAULTS = {field.name: field.default for field in fields(Position) if field.default is not MISSING}
