"""A test bench: a board that is drawn by hand, a piece that is moved freely, and every step can be taken back.

What the rules say is asked of the engine: where a piece enters, how it moves and turns, what comes next.
"""

from dataclasses import dataclass, replace

import numpy as np

from tetrion.app.games.game_tracker import LockedPiece
from tetrion.board import EMPTY_CELL, Board, Placement
from tetrion.drawing.scenes import fits_on_stack
from tetrion.drawing.stack import EMPTY_ROW, UNKNOWN_CELL, Stack
from tetrion.engine.piece_motion import GAME_KEYS, KEY_DOWN, KEY_DROP, apply_key
from tetrion.engine.pieces import BOARD_WIDTH, PIECES
from tetrion.engine.rules import Rules
from tetrion.errors import TetrionError
from tetrion.game import Game
from tetrion.position import Position, get_engine_settings

UP_KEY = "up"  # a key that games do not have
_FULL_ROW_MESSAGE = "A full row would be cleared at once: leave a gap in it."
_STICKS_OUT_MESSAGE = "The piece would stick out at the top. Erase some cells, move it, or choose another one."
BLOCKED_SPAWN_MESSAGE = "{piece} cannot enter: its way in is blocked. Erase some cells, or take a step back."
_MAX_UNDO_STEPS = 1000  # that can be taken back


@dataclass(frozen=True)
class PracticeBoard:
    """What stands on the bench: the stack, the current and the known next pieces, and what was counted so far."""

    rules: Rules
    stack: Stack
    piece: str
    next: str
    lines: int = 0
    pieces: int = 0

    @classmethod
    def empty(cls, rules: Rules, seed: int = 0) -> "PracticeBoard":
        """An empty board with the pieces that a game of that seed begins with."""
        game = Game(rules, seed)
        return cls(rules, Stack(height=rules.height), game.piece, game.next[: rules.preview])

    @classmethod
    def from_position(cls, position: Position) -> "PracticeBoard":
        """A bench on which a position stands."""
        stack, rules = Stack.from_board(position.board, position.rules.height), position.rules
        return cls(rules, stack, position.piece or PIECES[0], position.next, position.lines, position.pieces)

    @property
    def board(self) -> Board:
        """The board."""
        rows = self.stack.rows[: self.rules.rows]
        columns = tuple(sum((row[x] != EMPTY_CELL) << y for y, row in enumerate(rows)) for x in range(BOARD_WIDTH))
        return Board(columns, self.rules.rows)

    @property
    def position(self) -> Position:
        """What a player sees."""
        return Position.from_board(self.board, self.piece, self.next, self.rules, lines=self.lines)

    def with_rules(self, rules: Rules) -> "PracticeBoard":
        """The same under other rules; what does not fit is left out."""
        stack = Stack(self.stack.rows[: rules.rows], rules.height)
        return replace(self, rules=rules, stack=stack, next=deal_preview(rules, self.piece, self.next, 0))

    def with_cell(self, column: int, row: int, is_filled: bool) -> "PracticeBoard":
        """The same with a cell drawn or erased; a `TetrionError` says why not."""
        rows = list(self.stack.rows) + [EMPTY_ROW] * (row + 1 - len(self.stack.rows))
        known = rows[row][column]
        letter = (known if known != EMPTY_CELL else UNKNOWN_CELL) if is_filled else EMPTY_CELL
        rows[row] = rows[row][:column] + letter + rows[row][column + 1 :]
        if EMPTY_CELL not in rows[row]:
            raise TetrionError(_FULL_ROW_MESSAGE)
        while rows and rows[-1] == EMPTY_ROW:
            rows.pop()
        return replace(self, stack=Stack(tuple(rows), self.stack.height))

    def with_empty_board(self) -> "PracticeBoard":
        """The same with nothing on the board."""
        return replace(self, stack=Stack(height=self.stack.height))

    def fits(self, placement: Placement) -> bool:
        """Whether nothing stands where a piece would be."""
        return fits_on_stack(self.stack, placement)

    def place_piece(self, placement: Placement, seed: int) -> tuple["PracticeBoard", LockedPiece]:
        """What stands after the piece has come to rest there, and the lock; a `TetrionError` if it sticks out."""
        if max(row for _, row in placement.cells) >= self.rules.rows:
            raise TetrionError(_STICKS_OUT_MESSAGE)
        lying = self.stack.with_locked_piece(placement)
        lock = LockedPiece(placement, lying, lying.full_rows)
        coming = self.next or deal_preview(self.rules.with_(preview=1), self.piece, "", seed)
        after = replace(
            self,
            stack=lying.without_full_rows() if lock.full_rows else lying,
            piece=coming[0],
            next=deal_preview(self.rules, coming[0], coming[1:], seed + 1),
            lines=self.lines + lock.lines,
            pieces=self.pieces + 1,
        )
        return after, lock


def deal_preview(rules: Rules, piece: str, known: str, seed: int) -> str:
    """The next pieces as far as the rules show them: the known ones, and others by the seed."""
    start = Position.from_board(Board(rows=rules.rows), piece, known[: rules.preview], rules)
    return Game.from_position(start, seed).next[: rules.preview]


@dataclass(frozen=True)
class FreePiece:
    """A piece in the air: a state of its rotation system, its leftmost column and lowest row."""

    practice_board: PracticeBoard
    piece_state: tuple[int, int, int]

    @classmethod
    def from_spawn(cls, bench: PracticeBoard) -> "FreePiece | None":
        """The piece where it enters, let down until it is seen; None if it cannot enter."""
        position = bench.position
        game = Game.from_position(replace(position, board=Board(rows=position.rules.rows)))
        if (falling := game.falling_piece) is None:
            return None
        free = cls(bench, (0, falling.column, falling.row))
        if not bench.fits(free.placement):
            return None
        return free.lower_into_view()

    def lower_into_view(self) -> "FreePiece":
        """The same let down until all of it is seen, as far as nothing is in the way."""
        free = self
        while free.top_row >= self.practice_board.rules.height and (lower := free.move_by_key("down")) is not None:
            free = lower
        return free

    @property
    def placement(self) -> Placement:
        """Where it is."""
        state, column, row = self.piece_state
        turn = get_engine_settings(self.practice_board.rules).rules["rotation_of_state"][0][
            PIECES.index(self.practice_board.piece), state
        ]
        return Placement(self.practice_board.piece, int(turn), column, row, self.practice_board.rules.rotation)

    @property
    def top_row(self) -> int:
        """The row of its highest cell."""
        return max(row for _, row in self.placement.cells)

    def move_by_key(self, key: str) -> "FreePiece | None":
        """Where a key takes it; None if something is in the way."""
        state, column, row = self.piece_state
        if key == UP_KEY:
            higher = FreePiece(self.practice_board, (state, column, row + 1))
            free = self.top_row + 1 < self.practice_board.rules.height and self.practice_board.fits(higher.placement)
            return higher if free else None
        bench = self.practice_board
        record = get_engine_settings(bench.rules).rules.view(np.recarray)[0]
        columns = np.array(bench.board.columns, np.int32)
        place = apply_key(columns, record, PIECES.index(bench.piece), self.piece_state, GAME_KEYS.index(key))
        now = FreePiece(bench, (int(place[0]), int(place[1]), int(place[2])))
        return now if now.piece_state != self.piece_state else None

    @property
    def ghost(self) -> "FreePiece":
        """Where it would come to rest if it fell straight down."""
        return self.move_by_key(GAME_KEYS[KEY_DROP]) or self

    @property
    def is_resting(self) -> bool:
        """Whether it cannot fall any further."""
        return self.move_by_key(GAME_KEYS[KEY_DOWN]) is None

    def move_to_board(self, bench: PracticeBoard) -> "FreePiece | None":
        """The same piece on another board, if nothing is in its way there."""
        same = FreePiece(bench, self.piece_state)
        known = bench.piece == self.practice_board.piece and bench.rules == self.practice_board.rules
        return same.lower_into_view() if known and bench.fits(same.placement) else None


class UndoHistory:
    """Benches one after another, each of which can be gone back to."""

    def __init__(self, bench: PracticeBoard) -> None:
        self.current = bench
        self._undo_stack: list[PracticeBoard] = []
        self._redo_stack: list[PracticeBoard] = []

    def push(self, bench: PracticeBoard) -> None:
        """Go on to another bench."""
        if bench != self.current:
            self._undo_stack = [*self._undo_stack[1 - _MAX_UNDO_STEPS :], self.current]
            self._redo_stack.clear()
            self.current = bench

    def undo(self) -> bool:
        """Take the last step back; tells whether there was one."""
        return self._move_step(self._undo_stack, self._redo_stack)

    def redo(self) -> bool:
        """Make the step again that was taken back last."""
        return self._move_step(self._redo_stack, self._undo_stack)

    @property
    def can_undo(self) -> bool:
        """Whether there is a step to take back."""
        return bool(self._undo_stack)

    @property
    def can_redo(self) -> bool:
        """Whether there is one to make again."""
        return bool(self._redo_stack)

    def _move_step(self, source: list[PracticeBoard], target: list[PracticeBoard]) -> bool:
        if not source:
            return False
        target.append(self.current)
        self.current = source.pop()
        return True
