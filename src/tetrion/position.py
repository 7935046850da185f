"""A position: everything that a player can see, the legal placements, and the positions that they lead to."""

from dataclasses import MISSING, dataclass, fields
from functools import cached_property, reduce
from operator import and_
from typing import Any

import numpy as np

from tetrion.board import Board, Placement, get_placement
from tetrion.engine.batch_play import MAX_COUNTER
from tetrion.engine.key_paths import MAX_PATH_KEYS, NO_PATH, find_keys
from tetrion.engine.piece_motion import MOVEMENT_ROWS, PieceOnBoard, get_spawn_state
from tetrion.engine.pieces import BOARD_WIDTH, PIECES
from tetrion.engine.placement_choice import is_blocked_out
from tetrion.engine.placements import decode_placement
from tetrion.engine.placing import is_stopped_at_spawn, list_placements, place_piece
from tetrion.engine.records import (
    GAME_KEYS,
    MAX_GARBAGE_BATCHES,
    MAX_KNOWN_PIECES,
    MAX_ROTATION_STATES,
    FullGameRecord,
    GameRecord,
    GameRecords,
    RulesRecord,
)
from tetrion.engine.rules import Rules
from tetrion.engine.scoring import compute_frames_per_row, compute_level
from tetrion.errors import PlacementError, PositionError, UnknownNameError, describe_value
from tetrion.modern_position import (
    UNKNOWN_PIECE_MESSAGE,
    find_keys_in_position,
    get_engine_settings as get_engine_settings,
    list_modern_position,
    make_position_after,
    read_bag,
    read_modern_fields,
    write_modern_fields,
)
from tetrion.notebook_display import format_count, make_short_repr, render_board

MAX_PLACEMENTS = MAX_ROTATION_STATES * BOARD_WIDTH * MOVEMENT_ROWS
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
_MODERN_FIELDS = ("hold", "combo", "back_to_back", "garbage", "attack", "sent", "garbage_height")


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
        if not self.rules.is_modern and (used := [name for name in _MODERN_FIELDS if getattr(self, name)]):
            raise PositionError(f"{' and '.join(used)} need modern rules, such as guideline; given {self.rules}.")

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
        if reduce(and_, board.columns):
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
        if self.hold and self.rules.is_modern and not self.rules.hold:
            raise PositionError(
                f"A piece in the hold box needs rules with hold=1; given {self.rules} and hold={self.hold!r}."
            )
        if len(set(self.bag)) < len(self.bag):
            raise PositionError(f"A bag holds each piece at most once; given bag={self.bag!r}.")
        if self.bag and self.rules.randomiser != "bag":
            raise PositionError(
                f"A bag needs rules with randomiser=bag; given {self.rules} and bag={self.bag!r}. Leave it out."
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

    @classmethod
    def _from_engine(cls, **fields: Any) -> "Position":
        """Return a position that the engine has made, without the checks, which would make stepped games slower."""
        position = object.__new__(cls)
        position.__dict__.update(_DEFAULTS, **fields)
        return position

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

    @classmethod
    def from_record(cls, record: GameRecord, rules: Rules, max_known: int = MAX_KNOWN_PIECES) -> "Position":
        """Return what a player can see of a game, given its engine record; at most `max_known` pieces are known."""
        known = "".join(PIECES[number] for number in record.queue[: record.known].tolist())[:max_known]
        counters: dict[str, Any] = {name: int(getattr(record, name)) for name in ("pieces", "lines", "score", "frames")}
        modern_fields = read_modern_fields(record, rules) if rules.is_modern else {}
        return cls._from_engine(
            board=Board(tuple(record.board.tolist()), rules.rows),
            piece=known[:1] or None,
            next=known[1:],
            rules=rules,
            bag=read_bag(record, rules),
            **counters,
            **modern_fields,
        )

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
        legal = self.validate_placement(placement)
        if self.rules.is_modern:
            after: Position = make_position_after(self, legal)
            return after
        games = self.to_game_records()
        place_piece(games, get_engine_settings(self.rules), (legal.orientation, legal.column, legal.row))
        return Position._from_engine(
            board=Board(tuple(map(int, games["board"][0])), self.board.rows),
            piece=self.next[:1] or None,
            next=self.next[1:],
            rules=self.rules,
            bag=self.bag,
            pieces=int(games["pieces"][0]),
            lines=int(games["lines"][0]),
            score=int(games["score"][0]),
            frames=int(games["frames"][0]),
        )

    def to_game_records(self) -> GameRecords:
        """Return an engine record of a game in this position, as an array of one element."""
        known = (self.piece or "") + self.next
        games: GameRecords = (FullGameRecord if self.rules.is_modern else GameRecord).make_array(1)
        games["board"] = self.board.columns
        games["pieces"] = self.pieces
        games["lines"] = self.lines
        games["score"] = self.score
        games["frames"] = self.frames
        games["known"] = len(known)
        games["queue"][0, : len(known)] = [PIECES.index(letter) for letter in known]
        if self.rules.is_modern:
            write_modern_fields(self, games)
        return games

    def make_placement(self, rotation: int, column: int, row: int) -> Placement:
        """Return a placement of the current piece without checking that it is legal."""
        return Placement(self._known_piece, rotation, column, row, self.rules.rotation)

    def make_placement_from_orientation(self, orientation: int, column: int, row: int) -> Placement:
        """Return a placement of the current piece from an engine orientation, without checking that it is legal."""
        return get_placement((orientation, column, row), self.rules.rotation)

    @property
    def can_spawn(self) -> bool:
        """Whether the current piece can spawn; always true where a blocked spawn does not end the game."""
        board, piece = np.array(self.board.columns, np.int32), PIECES.index(self._known_piece)
        ends_game = is_stopped_at_spawn if self.rules.is_modern else is_blocked_out
        return not ends_game(board, self._rules_record, piece)  # type: ignore[arg-type]

    def find_keys(self, placement: Placement) -> tuple[str, ...]:
        """Return the shortest sequence of keys that leads to a placement; ties follow the order of `GAME_KEYS`.

        The sequence includes every step down, whether a key or gravity makes it. It does not lock the piece: a key of
        `rules.lock_keys` or time does that, except that with `lock_delay=0` the last step down locks it.
        """
        return tuple(key for _, key in self._find_key_path(placement, 0))

    def find_timed_keys(self, placement: Placement) -> tuple[tuple[int, str], ...]:
        """Return (frame, key) pairs that lead to a placement under `timed` movement; frames count from the spawn."""
        if self.rules.movement != "timed":
            raise PositionError(
                f"find_timed_keys needs rules with movement=timed; these have movement={self.rules.movement}."
            )
        if not self.frames_per_row:
            raise PositionError("find_timed_keys needs gravity; with gravity=0, call find_keys().")
        return self._find_key_path(placement, self.frames_per_row)

    def validate_placement(self, placement: Placement) -> Placement:
        """Return the legal placement that equals the given one, or raise a `PlacementError`."""
        if not isinstance(placement, Placement):
            raise PlacementError(f"Expected one of position.placements(); given {describe_value(placement)}.")
        if placement.piece != self.piece and not placement.hold:
            raise PlacementError(f"The current piece is {self.piece}; given {placement}.")
        if placement not in self._legal_placements:
            count = len(self._legal_placements)
            raise PlacementError(
                f"{placement} is not a legal placement. position.placements() lists the {count} legal ones."
            )
        return self._legal_placements[placement]

    def __repr__(self) -> str:
        stack = f"stack {format_count(max(self.board.heights), 'row')} high"
        return make_short_repr("Position", ", ".join([*self._list_facts(), stack]))

    @property
    def spawn(self) -> Placement | None:
        """Where the current piece appears, written as a placement; None if the piece is unknown."""
        if self.piece is None:
            return None
        _, column, row = get_spawn_state(self._rules_record, PIECES.index(self.piece))
        return self.make_placement(0, column, row)

    def _repr_svg_(self) -> str:
        return self.board.draw_svg(self.spawn)

    def _repr_html_(self) -> str:
        return render_board(self._repr_svg_(), self._list_facts())

    def _list_facts(self) -> list[str]:
        pieces = f"{describe_pieces(self)}{f', next {self.next}' if self.next else ''}"
        return [pieces, f"rules {self.rules}", describe_counters(self.pieces, self.lines, self.score)]

    @property
    def _known_piece(self) -> str:
        if self.piece is None:
            raise PositionError(UNKNOWN_PIECE_MESSAGE)
        return self.piece

    @property
    def _rules_record(self) -> RulesRecord:
        return get_engine_settings(self.rules).rules[0]

    @cached_property
    def _legal_placements(self) -> dict[Placement, Placement]:
        if self.rules.is_modern:
            return list_modern_position(self)
        codes = np.zeros(MAX_PLACEMENTS, np.int32)
        board = np.array(self.board.columns, np.int32)
        piece = PIECES.index(self._known_piece)
        piece_on_board = PieceOnBoard(board, get_engine_settings(self.rules).rules, piece)
        count = list_placements(piece_on_board, self.frames_per_row, codes)
        placements = [self.make_placement(*decode_placement(code)) for code in codes[:count].tolist()]
        return {placement: placement for placement in placements}

    def _find_key_path(self, placement: Placement, frames_per_row: int) -> tuple[tuple[int, str], ...]:
        goal = self.validate_placement(placement)
        if self.rules.is_modern:
            return find_keys_in_position(self, goal)
        keys = np.zeros(MAX_PATH_KEYS, np.int64)
        frames = np.zeros(MAX_PATH_KEYS, np.int64)
        board = np.array(self.board.columns, np.int32)
        rules = get_engine_settings(self.rules).rules
        piece_on_board = PieceOnBoard(board, rules, PIECES.index(goal.piece))
        count = find_keys(piece_on_board, frames_per_row, (goal.rotation, goal.column, goal.row), keys, frames)
        if count == NO_PATH:
            raise PlacementError(f"No sequence of keys leads from the spawn to {placement}.")
        return tuple(
            (frame, GAME_KEYS[key]) for frame, key in zip(frames[:count].tolist(), keys[:count].tolist(), strict=True)
        )


_DEFAULTS = {field.name: field.default for field in fields(Position) if field.default is not MISSING}
