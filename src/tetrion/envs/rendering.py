"""Pictures of games for the render modes of Gymnasium: arrays of pixels, a window, or text.

The engine's boards do not contain the piece of each cell, so stacks are updated after each step. pygame is imported
when the first picture is drawn.
"""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tetrion.board import EMPTY_CELL, Board, Placement
from tetrion.engine.pieces import BOARD_WIDTH
from tetrion.engine.rules import Rules
from tetrion.envs.game_batch import GameBatch
from tetrion.envs.options import RENDER_MODES
from tetrion.errors import UnknownNameError
from tetrion.evaluation.number_format import format_count
from tetrion.extras import require
from tetrion.position import Position
from tetrion.stack import Stack

if TYPE_CHECKING:
    from tetrion.envs.picture import GamePicture, PictureWindow


class GameView(NamedTuple):
    """What is drawn of a game: the board, the falling piece (None: at its spawn), the preview and the counters.

    Modern games also show hold, garbage and attack of their position.
    """

    stack: Stack
    falling: Placement | None
    piece: str
    next: str
    pieces: int
    lines: int
    score: int
    is_over: bool
    position: Position | None = None  # of a modern game


class GameRenderer:
    """Pictures of a game for the render modes of Gymnasium.

    `rgb_array` returns the picture as an array of (height, width, 3) bytes, `ansi` returns it as text, and `human`
    shows it in a window, at most `frames_per_second` times per second. The window opens with the first picture. A user
    can close it at any time: the game continues without a window and without waiting, and no window opens again.
    A current piece without a location is drawn where it spawns.
    """

    def __init__(self, rules: Rules, render_mode: str, frames_per_second: float) -> None:
        if render_mode not in RENDER_MODES:
            raise UnknownNameError("render mode", render_mode, RENDER_MODES)
        self.rules = rules
        self.render_mode = render_mode
        self.frames_per_second = frames_per_second
        self._picture: GamePicture | None = None
        self._window: PictureWindow | None = None

    def render(self, view: GameView) -> NDArray[np.uint8] | str | None:
        """Draw a view of the game; return an array or text, or None after showing it in the window."""
        if view.falling is None and not view.is_over:
            view = view._replace(falling=Position(Board(rows=self.rules.rows), view.piece, "", self.rules).spawn)
        if self.render_mode == "ansi":
            return format_view(view, self.rules.entry_rows)
        if self.render_mode == "human":
            self._show(view)
            return None
        return self._get_picture().draw(view).to_array()

    def close(self) -> None:
        """Close the window, if one is open."""
        if self._window is not None:
            self._window.close()

    def __getstate__(self) -> dict[str, object]:
        """Return the state without picture and window, so that an environment can be copied after it was rendered."""
        return {**self.__dict__, "_picture": None, "_window": None}

    def _get_picture(self) -> "GamePicture":
        if self._picture is None:
            require("pygame", "pictures of games")
            from tetrion.envs.picture import GamePicture

            self._picture = GamePicture(self.rules)
        return self._picture

    def _show(self, view: GameView) -> None:
        from tetrion.envs.picture import PictureWindow

        picture = self._get_picture()
        if self._window is None:
            self._window = PictureWindow(picture.surface.size, self.frames_per_second)
        if self._window.is_open:
            self._window.show(picture.draw(view).surface)


class GameStacks:
    """The stack of each game of a batch, updated after each step, and their renderer."""

    def __init__(self, batch: GameBatch, render_mode: str) -> None:
        self._batch = batch
        self._renderer = GameRenderer(batch.rules, render_mode, batch.steps_per_second)
        self._stacks = [Stack(height=batch.rules.height, clearing=batch.rules.clearing)] * batch.count
        self._pieces = [0] * batch.count
        self._received = [0] * batch.count  # rows of garbage
        self._numbers = [-1] * batch.count

    def update(self) -> None:
        """Add the pieces that have locked since the last call."""
        for index in range(self._batch.count):
            self._update_game(index)

    def _update_game(self, index: int) -> None:
        pieces = int(self._batch.games["pieces"][index])
        number = int(self._batch.episodes["number"][index])
        added = pieces - self._pieces[index]
        if number != self._numbers[index] or added < 0 or pieces == 0:
            self._stacks[index] = Stack(height=self._batch.rules.height, clearing=self._batch.rules.clearing)
            self._received[index] = 0
            added = pieces
            if pieces == 0:  # the rows of garbage with which the game starts
                self._raise_stack(index)
        if added == 1:
            self._stacks[index] = self._stacks[index].after_placement(self._batch.get_last_placement(index))
            self._raise_stack(index)
        elif added > 1:  # several keys in one step: the pieces of the cells are not known
            board = self._batch.get_position(index).board
            rules = self._batch.rules
            self._stacks[index] = Stack.from_board(board, rules.height, rules.clearing)
        self._pieces[index] = pieces
        self._numbers[index] = number
        self._received[index] = int(self._batch.games["received"][index])

    def _raise_stack(self, index: int) -> None:
        """Push a stack up by the rows of garbage that have risen since the last call."""
        risen = int(self._batch.games["received"][index]) - self._received[index]
        if risen:
            rows = Stack.from_board(self._batch.get_position(index).board).rows[:risen]
            self._stacks[index] = self._stacks[index].with_garbage(rows)

    def render(self, index: int) -> NDArray[np.uint8] | str | None:
        """Return the picture or text of a game; None if it is shown in a window."""
        position = self._batch.get_position(index)
        falling = self._batch.get_falling_piece(index)
        counters = position.pieces, position.lines, position.score
        is_over = bool(self._batch.is_terminated[index])
        shown = position if self._batch.parts.has_attack else None
        return self._renderer.render(
            GameView(self._stacks[index], falling, position.piece or "", position.next, *counters, is_over, shown)
        )

    def close(self) -> None:
        """Close the window, if there is one."""
        self._renderer.close()


def format_view(view: GameView, entry_rows: int) -> str:
    """Return a view as text: the board with `entry_rows` rows above it, the current and next pieces and the counters.

    A cell is the letter of its piece, `#` for an unknown piece, or `.` for empty; above the board, empty is blank.
    """
    stack = view.stack if view.falling is None else view.stack.with_locked_piece(view.falling)
    rows = stack.to_text(view.stack.height + entry_rows).split("\n")
    lines = [
        *(f" {row}".replace(EMPTY_CELL, " ").rstrip() for row in rows[:entry_rows]),
        *(f"|{row}|" for row in rows[entry_rows:]),
        f"+{'-' * BOARD_WIDTH}+",
        f"Piece {view.piece}" + (f", next {view.next}" if view.next else ""),
        f"Pieces {view.pieces:,}, lines {view.lines:,}, score {view.score:,}",
    ]
    if view.position:
        lines += format_modern_state(view.position)
    return "\n".join([*lines, "Game over"] if view.is_over else lines)


def format_modern_state(position: Position) -> list[str]:
    """Return lines of text with the hold box, the counters and the waiting garbage of a modern game."""
    hold = f"Hold {position.hold or 'empty'}{'' if position.can_hold else ' (used)'}"
    waiting = [format_batch(rows, pieces) for rows, pieces in position.garbage]
    return [
        *([hold] if position.rules.hold else []),
        f"Attack {position.attack:,}, combo {position.combo}, back-to-back {position.back_to_back}",
        *([f"Garbage {', '.join(waiting) or 'none'}"] if position.rules.garbage_rows else []),
    ]


def format_batch(rows: int, pieces: int) -> str:
    """Return a batch of garbage as text, with the number of pieces after which it may rise."""
    time = f"after {format_count(pieces, 'piece')}" if pieces else "now"
    return f"{format_count(rows, 'row')} {time}"
