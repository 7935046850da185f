"""The game of the practice screen: a board that can be edited, a free piece, gravity and the moves of an agent."""

from collections.abc import Callable
from dataclasses import replace

from tetrion.app.games.board_editor import BoardEditor
from tetrion.app.games.human_game import get_lock_sound
from tetrion.app.games.practice_agent import PracticeAgent
from tetrion.app.games.practice_board import BLOCKED_SPAWN_MESSAGE, FreePiece, PracticeBoard, UndoHistory
from tetrion.board import EMPTY_CELL, Cell, Placement
from tetrion.drawing.board_animation import BoardAnimator
from tetrion.drawing.game_facts import ActionText
from tetrion.engine.rules import Rules
from tetrion.errors import TetrionError

MAX_GRAVITY = 20  # rows per second
_ACTION_SOUNDS = {"rotate": "rotate", "back": "rotate", "half": "rotate", "down": "step"}
_PIECE_ABOVE_BOARD_TEXT = "The piece is above the board because the top rows are filled."


class PracticeGame:
    """The practice board with its undo history and the piece on it; `problem` is why the last action failed, or ""."""

    def __init__(
        self,
        board: PracticeBoard,
        agent: PracticeAgent,
        play_sound: Callable[[str], None],
        has_animation: bool = True,
    ) -> None:
        self.history = UndoHistory(board)
        self.practice_agent = agent
        self.free_piece: FreePiece | None = None
        self.gravity = 0  # rows per second
        self.problem = ""
        self.board_animator = BoardAnimator(has_animation)
        self.action = ActionText()
        self.board_editor = BoardEditor()
        self._play_sound = play_sound
        self._rows_to_fall = 0.0
        self._place_free_piece()

    @property
    def practice_board(self) -> PracticeBoard:
        """The current board, including an unfinished stroke."""
        return self.board_editor.edited_board or self.history.current

    @property
    def warning(self) -> str:
        """The reason why the piece is not on the board, or ""."""
        if self.board_editor.edited_board:
            return ""
        if self.free_piece is None:
            return BLOCKED_SPAWN_MESSAGE.format(piece=self.practice_board.piece)
        lowest = min(row for _, row in self.free_piece.placement.cells)
        return _PIECE_ABOVE_BOARD_TEXT if lowest >= self.practice_board.rules.height else ""

    # Actions.

    def perform_action(self, action: str) -> None:
        """Move, rotate or drop the piece."""
        free_piece = self.free_piece
        if free_piece is None or self.practice_agent.moves_left:
            return
        if action == "hold":
            self._use_hold()
        elif action == "drop":
            self.lock_piece(free_piece.ghost.locked_placement)
        elif (moved := free_piece.move_by_key(action)) is not None:
            self.problem = ""
            self.free_piece = moved
            self._play_sound(_ACTION_SOUNDS.get(action, "move"))

    def _use_hold(self) -> None:
        """Exchange the piece for the held one, or for the next one, if the rules have hold."""
        board = self.practice_board
        if board.rules.hold:
            self.free_piece = None
            self.set_board(board.with_held_piece(board.pieces))
            self._play_sound("choose")

    def choose_piece(self, letter: str, as_next: bool = False) -> None:
        """Choose the current piece or the next one."""
        board = self.practice_board
        self.set_board(replace(board, next=letter + board.next[1:]) if as_next else replace(board, piece=letter))
        self._play_sound("choose")

    def choose_rules(self, text: str) -> bool:
        """Continue with other rules; return whether they are valid."""
        try:
            board = self.practice_board.with_rules(Rules.parse(text))
        except TetrionError as error:
            self.problem = str(error)
            return False
        self.free_piece = None
        self.set_board(board)
        return True

    def request_rules(self, text: str) -> None:
        """Start with an empty board if the rules are others than those of the board, as a step that can be undone."""
        try:
            rules = Rules.parse(text)
        except TetrionError as error:
            self.problem = str(error)
            return
        if rules != self.practice_board.rules:
            self.free_piece = None
            self.set_board(PracticeBoard.empty(rules))

    def set_board(self, practice_board: PracticeBoard) -> None:
        """Set a new board and leave the piece where it is, if it fits."""
        self.problem = ""
        self.history.push(practice_board)
        self._place_free_piece()

    def clear_board(self) -> None:
        """Erase all cells."""
        self.set_board(self.practice_board.with_empty_board())

    def undo_or_redo(self, undo: bool) -> None:
        """Undo the last step, or redo the last undone one; a stroke ends before."""
        self.end_stroke()
        if self.history.undo() if undo else self.history.redo():
            self.problem = ""
            self.practice_agent.stop()
            self.free_piece = None
            self._place_free_piece()
            self._play_sound("choose")

    def leave(self) -> None:
        """End drawing and stop the agent, before the game is kept for later or given up."""
        self.end_drawing()
        self.practice_agent.close()

    # Drawing cells.

    @property
    def cursor(self) -> Cell | None:
        """The cell of the cursor while cells are drawn with the keyboard, otherwise None."""
        return self.board_editor.get_cursor(self.practice_board.rules.height) if self.is_drawing else None

    @property
    def is_drawing(self) -> bool:
        """Whether cells are drawn with the keyboard."""
        return self.board_editor.has_cursor

    def begin_drawing(self) -> None:
        """Begin to draw cells with the keyboard; the agent stops, and the piece does not fall."""
        self.problem = ""
        self.practice_agent.stop()
        self.board_editor.has_cursor = True

    def end_drawing(self) -> None:
        """End drawing with the keyboard, including an unfinished stroke."""
        self.end_stroke()
        self.board_editor.has_cursor = False

    def move_cursor(self, columns: int, rows: int) -> None:
        """Move the cursor by columns and rows; a stroke follows it."""
        self.continue_stroke(self.board_editor.move_cursor(columns, rows, self.practice_board.rules.height))

    def begin_cursor_stroke(self) -> None:
        """Begin a stroke at the cursor, which fills cells if its first cell is empty, and erases them otherwise."""
        if (cell := self.cursor) is not None:
            self.begin_stroke(cell, self.practice_board.stack.get_cell(*cell) == EMPTY_CELL)

    def begin_stroke(self, cell: Cell, is_filling: bool) -> None:
        """Begin a stroke at a cell; the agent stops."""
        self.practice_agent.stop()
        self.board_editor.begin_stroke(self.practice_board, cell, is_filling, self._placement)

    def continue_stroke(self, cell: Cell) -> None:
        """Continue the stroke to a cell, if there is a stroke."""
        if self.board_editor.edited_board:
            self.board_editor.continue_stroke(cell, self._placement)

    def end_stroke(self) -> None:
        """End the stroke and take over the board that it has drawn; its problem stays visible."""
        if (drawn := self.board_editor.end_stroke()) is not None:
            self.set_board(drawn)
            self.problem = self.board_editor.error_message

    @property
    def _placement(self) -> Placement | None:
        """The placement of the piece, or None if it is not on the board."""
        return self.free_piece.placement if self.free_piece else None

    # Placing pieces.

    def lock_piece(self, placement: Placement) -> None:
        """Place the piece, unless it sticks out at the top."""
        board = self.practice_board
        try:
            after, lock = board.place_piece(placement, seed=board.pieces)
        except TetrionError as error:
            self.problem = str(error)
            self.practice_agent.stop()
            return
        self.board_animator.add_lock(lock)
        self.action.add_lock(lock, after.position)
        self._play_sound(get_lock_sound(lock.lines))
        self.free_piece = None
        self.set_board(after)

    def _place_free_piece(self) -> None:
        board = self.practice_board
        self.free_piece = (self.free_piece.move_to_board(board) if self.free_piece else None) or FreePiece.from_spawn(
            board
        )
        self._rows_to_fall = 0.0

    # Time.

    def update(self, seconds: float) -> None:
        """Apply gravity, and make the moves of the agent."""
        self.board_animator.update(seconds)
        self.action.update(seconds)
        self._apply_gravity(seconds)
        if (
            not self.board_editor.edited_board
            and (move := self.practice_agent.update(seconds, self.practice_board)) is not None
        ):
            self.lock_piece(move)
        self.board_animator.track_piece(self._placement, self.practice_board.pieces)

    def _apply_gravity(self, seconds: float) -> None:
        is_edited = self.is_drawing or self.board_editor.edited_board is not None
        if not self.gravity or not self.free_piece or self.practice_agent.moves_left or is_edited:
            self._rows_to_fall = 0.0
            return
        self._rows_to_fall += seconds * self.gravity
        while self._rows_to_fall >= 1 and self.free_piece:
            self._rows_to_fall -= 1
            if self.free_piece.is_resting:
                if self.free_piece.top_row >= self.practice_board.rules.rows:  # a piece cannot lock above the board
                    return
                self.lock_piece(self.free_piece.locked_placement)
                return
            self.free_piece = self.free_piece.move_by_key("down")
