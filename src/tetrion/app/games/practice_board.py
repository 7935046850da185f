"""The practice board: a board that can be edited, a piece that can be moved freely, and an undo history.

The engine decides where a piece spawns, how it moves and rotates, and which pieces come next.
"""

from dataclasses import dataclass, replace

import numpy as np

from tetrion.board import EMPTY_CELL, UNKNOWN_CELL, Board, Placement
from tetrion.engine.piece_motion import KEY_DOWN, KEY_DROP, NO_TURN, PieceState, move_piece
from tetrion.engine.pieces import PIECES
from tetrion.engine.records import GAME_KEYS, SPIN_KINDS, Int32Array, RulesRecord
from tetrion.engine.rules import Rules
from tetrion.engine.spins import compute_spin
from tetrion.errors import TetrionError
from tetrion.game import Game
from tetrion.position import Position, get_engine_settings
from tetrion.stack import EMPTY_ROW, LockedPiece, Stack

UP_KEY = "up"  # moves the piece up one row; games have no such key
_FULL_ROW_MESSAGE = "A full row would be cleared. Leave a gap."
_STICKS_OUT_MESSAGE = "The piece would stick out at the top. Erase some cells, move it, or choose another one."
BLOCKED_SPAWN_MESSAGE = "{piece} cannot spawn because cells are in its way. Erase some cells, or undo the last step."
_MAX_UNDO_STEPS = 1000


@dataclass(frozen=True)
class PracticeBoard:
    """A position on the practice board: the stack, the current, next and held pieces, and the counters.

    Hold can be used any number of times. `combo` and `back_to_back` are counted as in a game.
    """

    rules: Rules
    stack: Stack
    piece: str
    next: str
    lines: int = 0
    pieces: int = 0
    hold: str = ""
    combo: int = 0
    back_to_back: int = 0

    @classmethod
    def empty(cls, rules: Rules, seed: int = 0) -> "PracticeBoard":
        """Return an empty board with the first pieces of a game with a seed."""
        game = Game(rules, seed)
        return cls(rules, Stack(height=rules.height, clearing=rules.clearing), game.piece, game.next[: rules.preview])

    @classmethod
    def from_position(cls, position: Position) -> "PracticeBoard":
        """Return a practice board with a position."""
        return cls(
            rules=position.rules,
            stack=Stack.from_board(position.board, position.rules.height, position.rules.clearing),
            piece=position.piece or PIECES[0],
            next=position.next,
            lines=position.lines,
            pieces=position.pieces,
            hold=position.hold,
            combo=position.combo,
            back_to_back=position.back_to_back,
        )

    @property
    def board(self) -> Board:
        """The filled cells as the engine stores them."""
        return Board.from_text(self.stack.to_text(self.rules.rows), self.rules.rows)

    @property
    def position(self) -> Position:
        """The position for an agent."""
        return Position(
            self.board,
            self.piece,
            self.next,
            self.rules,
            lines=self.lines,
            pieces=self.pieces,
            hold=self.hold,
            combo=self.combo,
            back_to_back=self.back_to_back,
        )

    def with_rules(self, rules: Rules) -> "PracticeBoard":
        """Return the board under other rules, without what they do not have: rows, next pieces, hold, combos."""
        stack = Stack(self.stack.rows[: rules.rows], rules.height, rules.clearing)
        counts_combos = rules.attack != "none" or rules.scoring == "guideline"
        return replace(
            self,
            rules=rules,
            stack=stack,
            next=deal_preview(rules, self.piece, self.next, 0),
            hold=self.hold if rules.hold else "",
            combo=self.combo if counts_combos else 0,
            back_to_back=self.back_to_back if counts_combos else 0,
        )

    def with_cell(self, column: int, row: int, is_filled: bool) -> "PracticeBoard":
        """Return the board with a cell filled or erased; raise a TetrionError if that fills a row."""
        rows = list(self.stack.rows) + [EMPTY_ROW] * (row + 1 - len(self.stack.rows))
        current = rows[row][column]
        letter = (current if current != EMPTY_CELL else UNKNOWN_CELL) if is_filled else EMPTY_CELL
        rows[row] = rows[row][:column] + letter + rows[row][column + 1 :]
        if EMPTY_CELL not in rows[row]:
            raise TetrionError(_FULL_ROW_MESSAGE)
        while rows and rows[-1] == EMPTY_ROW:
            rows.pop()
        return replace(self, stack=replace(self.stack, rows=tuple(rows)))

    def with_empty_board(self) -> "PracticeBoard":
        """Return the board with all cells erased."""
        return replace(self, stack=replace(self.stack, rows=()))

    def fits(self, placement: Placement) -> bool:
        """Return whether the cells of a placement are empty."""
        return self.stack.fits(placement)

    def with_held_piece(self, seed: int) -> "PracticeBoard":
        """Return the board with the current piece in the hold box, and the held or the next piece as the current one.

        The seed deals the next pieces that are not known yet.
        """
        game = Game.from_position(replace(self.position, board=Board(rows=self.rules.rows)), seed)
        game.press("hold")
        after = game.position
        return replace(self, piece=after.piece or self.piece, next=after.next[: self.rules.preview], hold=after.hold)

    def place_piece(self, placement: Placement, seed: int) -> tuple["PracticeBoard", LockedPiece]:
        """Return the board after a placement, and the lock; raise a TetrionError if the piece sticks out at the top.

        The seed deals the next pieces that are not known yet.
        """
        if placement.hold:
            return self.with_held_piece(seed).place_piece(replace(placement, hold=False), seed)
        if max(row for _, row in placement.cells) >= self.rules.rows:
            raise TetrionError(_STICKS_OUT_MESSAGE)
        lock = self.stack.lock_piece(placement)  # the pieces of the cells; the engine decides everything else
        locked = self.position.lock(placement)
        next_pieces = self.next or deal_preview(self.rules.with_(preview=1), self.piece, "", seed)
        after = replace(
            self,
            stack=lock.stack_after_clear,
            piece=next_pieces[0],
            next=deal_preview(self.rules, next_pieces[0], next_pieces[1:], seed + 1),
            lines=locked.lines,
            pieces=locked.pieces,
            combo=locked.combo,
            back_to_back=locked.back_to_back,
        )
        return after, lock


def deal_preview(rules: Rules, piece: str, known_pieces: str, seed: int) -> str:
    """Return the next pieces that the rules show: the known ones, followed by pieces dealt with the seed."""
    start = Position.from_board(Board(rows=rules.rows), piece, known_pieces[: rules.preview], rules)
    return Game.from_position(start, seed).next[: rules.preview]


@dataclass(frozen=True)
class FreePiece:
    """A freely movable piece; `piece_state` is its rotation state, leftmost column and lowest row.

    `turn` is its last successful action as the engine counts it, which decides whether it makes a spin.
    """

    practice_board: PracticeBoard
    piece_state: PieceState
    turn: int = NO_TURN

    @classmethod
    def from_spawn(cls, practice_board: PracticeBoard) -> "FreePiece | None":
        """Return the piece at its spawn position, lowered until it is visible; None if it cannot spawn."""
        position = practice_board.position
        game = Game.from_position(replace(position, board=Board(rows=position.rules.rows)))
        if (falling := game.falling_piece) is None:
            return None
        piece = cls(practice_board, PieceState(0, falling.column, falling.row))
        if not practice_board.fits(piece.placement):
            return None
        return piece.lower_into_view()

    def lower_into_view(self) -> "FreePiece":
        """Return the piece lowered until it is fully visible or blocked."""
        row = self.practice_board.stack.lower_into_view(self.placement).row
        return replace(self, piece_state=self.piece_state._replace(row=row))

    @property
    def placement(self) -> Placement:
        """The placement of the piece."""
        state, column, row = self.piece_state
        board = self.practice_board
        rotation = int(self._rules_record.rotation_of_state[PIECES.index(board.piece), state])
        return Placement(board.piece, rotation, column, row, board.rules.rotation)

    @property
    def locked_placement(self) -> Placement:
        """The placement that the piece makes if it locks here, with its spin."""
        piece = PIECES.index(self.practice_board.piece)
        spin = compute_spin(self._columns, self._rules_record, piece, self.piece_state, self.turn)
        return replace(self.placement, spin=SPIN_KINDS[spin])

    @property
    def _columns(self) -> Int32Array:
        return np.array(self.practice_board.board.columns, np.int32)

    @property
    def _rules_record(self) -> RulesRecord:
        return get_engine_settings(self.practice_board.rules).rules[0]

    @property
    def top_row(self) -> int:
        """The row of the highest cell."""
        return max(row for _, row in self.placement.cells)

    def move_by_key(self, key: str) -> "FreePiece | None":
        """Return the piece after a key press; None if it is blocked."""
        if key == UP_KEY:
            higher = FreePiece(self.practice_board, self.piece_state._replace(row=self.piece_state.row + 1))
            is_visible = self.top_row + 1 < self.practice_board.rules.height
            return higher if is_visible and self.practice_board.fits(higher.placement) else None
        piece, number = PIECES.index(self.practice_board.piece), GAME_KEYS.index(key)
        after = move_piece(self._columns, self._rules_record, piece, (self.piece_state, self.turn), number)
        moved = FreePiece(self.practice_board, PieceState(*map(int, after.piece_state)), int(after.turn))
        return moved if moved.piece_state != self.piece_state else None

    @property
    def ghost(self) -> "FreePiece":
        """The piece after a hard drop."""
        return self.move_by_key(GAME_KEYS[KEY_DROP]) or self

    @property
    def is_resting(self) -> bool:
        """Whether the piece cannot fall any further."""
        return self.move_by_key(GAME_KEYS[KEY_DOWN]) is None

    def move_to_board(self, board: PracticeBoard) -> "FreePiece | None":
        """Return the piece on another board; None if the piece or the rules differ, or if it does not fit."""
        moved = FreePiece(board, self.piece_state)
        is_same_piece = board.piece == self.practice_board.piece and board.rules == self.practice_board.rules
        return moved.lower_into_view() if is_same_piece and board.fits(moved.placement) else None


class UndoHistory:
    """The undo and redo history of a practice board."""

    def __init__(self, board: PracticeBoard) -> None:
        self.current = board
        self._undo_stack: list[PracticeBoard] = []
        self._redo_stack: list[PracticeBoard] = []

    def push(self, board: PracticeBoard) -> None:
        """Make another board the current one, as a step that can be undone."""
        if board != self.current:
            self._undo_stack = [*self._undo_stack[1 - _MAX_UNDO_STEPS :], self.current]
            self._redo_stack.clear()
            self.current = board

    def undo(self) -> bool:
        """Undo the last step; return whether there was one."""
        return self._move_step(self._undo_stack, self._redo_stack)

    def redo(self) -> bool:
        """Redo the last undone step; return whether there was one."""
        return self._move_step(self._redo_stack, self._undo_stack)

    @property
    def can_undo(self) -> bool:
        """Whether there is a step to undo."""
        return bool(self._undo_stack)

    @property
    def can_redo(self) -> bool:
        """Whether there is a step to redo."""
        return bool(self._redo_stack)

    def _move_step(self, source: list[PracticeBoard], target: list[PracticeBoard]) -> bool:
        if not source:
            return False
        target.append(self.current)
        self.current = source.pop()
        return True
