"""Pictures of a game for the render modes of Gymnasium: an array of pixels, a window, or text.

pygame is imported when the first picture is drawn.
"""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tetrion.board import EMPTY_CELL, Board, Placement
from tetrion.engine.pieces import BOARD_WIDTH
from tetrion.engine.rules import Rules
from tetrion.errors import UnknownNameError
from tetrion.evaluation.number_format import format_count
from tetrion.position import Position
from tetrion.stack import Stack

if TYPE_CHECKING:
    from tetrion.envs.game_picture import GamePicture, PictureWindow

RENDER_MODES = ("rgb_array", "human", "ansi")


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
        from tetrion.envs.game_picture import GamePicture

        if self._picture is None:
            self._picture = GamePicture(self.rules)
        return self._picture

    def _show(self, view: GameView) -> None:
        from tetrion.envs.game_picture import PictureWindow

        picture = self._get_picture()
        if self._window is None:
            self._window = PictureWindow(picture.surface.size, self.frames_per_second)
        if self._window.is_open:
            self._window.show(picture.draw(view).surface)


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
