"""The picture of a game in an environment: board, panels and garbage meter; and a window that shows it."""

from typing import Self

import numpy as np
import pygame
from numpy.typing import NDArray

from tetrion.display_check import check_display
from tetrion.drawing.board_animation import draw_entry_rows
from tetrion.drawing.board_drawing import compute_board_size, draw_board, get_frame_width
from tetrion.drawing.palette import BACKGROUND
from tetrion.drawing.pen import Box, FittedBoard, Pen
from tetrion.drawing.side_panels import (
    LOW_HOLD_PANEL_HEIGHT,
    compute_queue_height,
    compute_score_panel_height,
    draw_game_over,
    draw_garbage_meter,
    draw_hold_panel,
    draw_queue_column,
    draw_score_panel,
)
from tetrion.engine.rules import Rules
from tetrion.envs.options import get_game_parts
from tetrion.envs.rendering import GameView
from tetrion.evaluation.number_format import format_count
from tetrion.game_facts import VisiblePieces
from tetrion.position import Position

# pixels
_CELL_SIZE = 24
_MARGIN = 16
_PANEL_GAP = 16
_SLOT_HEIGHT = 38  # of a next piece
_COLUMN_WIDTH = 168

_COUNTERS = 2  # below the score
_MODERN_COUNTERS = 3  # below those
_KEPT_EVENTS = (pygame.KEYDOWN, pygame.KEYUP, pygame.QUIT)  # left in the queue for the program that uses the window


class GamePicture:
    """A surface on which views of one game are drawn, one after another; its size depends on the rules only."""

    def __init__(self, rules: Rules) -> None:
        width, board_height = compute_board_size(_CELL_SIZE, rules.height)
        entry_height = max(0, rules.entry_rows * _CELL_SIZE - get_frame_width(_CELL_SIZE))
        self._rows_box = Box(_MARGIN, _MARGIN, width, entry_height + board_height)  # the board and the rows above it
        board_box = Box(_MARGIN, _MARGIN + entry_height, width, board_height)
        self._board = FittedBoard(_CELL_SIZE, board_box, rules.entry_rows)
        self._preview = rules.preview
        self._has_hold = bool(rules.hold)
        left = board_box.right + _PANEL_GAP
        self._hold_box = Box(left, _MARGIN, _COLUMN_WIDTH, LOW_HOLD_PANEL_HEIGHT)
        next_top = self._hold_box.bottom + _PANEL_GAP if rules.hold else _MARGIN
        self._next_box = Box(left, next_top, _COLUMN_WIDTH, compute_queue_height(rules.preview, _SLOT_HEIGHT))
        score_top = self._next_box.bottom + _PANEL_GAP if rules.preview else next_top
        counters = _COUNTERS + (_MODERN_COUNTERS if get_game_parts(rules).has_attack else 0)
        self._score_box = Box(left, score_top, _COLUMN_WIDTH, compute_score_panel_height(counters))
        height = max(board_box.bottom, self._score_box.bottom) + _MARGIN
        self.surface = pygame.Surface((self._score_box.right + _MARGIN, height), 0, 32)
        self._pen = Pen(self.surface)

    def draw(self, view: GameView) -> Self:
        """Draw a view in place of the previous one."""
        pen = self._pen
        self.surface.fill(BACKGROUND)
        draw_board(self.surface, self._board.box.topleft, _CELL_SIZE, view.stack, active=view.falling)
        draw_entry_rows(pen, self._board, view.stack, active=view.falling)
        if self._preview:
            draw_queue_column(pen, self._next_box, view.next, self._preview)
        counters = [("Lines", f"{view.lines:,}"), ("Pieces", f"{view.pieces:,}")]
        if view.position:
            self._draw_hold_and_garbage(view.position)
            counters += [
                ("Attack", f"{view.position.attack:,}"),
                ("Combo", f"{view.position.combo:,}"),
                ("Back-to-back", f"{view.position.back_to_back:,}"),
            ]
        draw_score_panel(pen, self._score_box, f"{view.score:,}", counters)
        if view.is_over:
            result = f"{format_count(view.lines, 'line')}, {format_count(view.score, 'point')}"
            draw_game_over(pen, self._rows_box, result)
        return self

    def _draw_hold_and_garbage(self, position: Position) -> None:
        draw_garbage_meter(self._pen, self._board.box, _CELL_SIZE, position)
        if self._has_hold:
            pieces = VisiblePieces.from_position(position)
            draw_hold_panel(self._pen, self._hold_box, pieces)

    def to_array(self) -> NDArray[np.uint8]:
        """Return a copy of the picture as an array of (height, width, 3) bytes: red, green and blue."""
        width, height = self.surface.size
        pixels = np.frombuffer(pygame.image.tobytes(self.surface, "RGB"), np.uint8)
        return pixels.reshape(height, width, 3).copy()


class PictureWindow:
    """A window that shows pictures of one size, at most `frames_per_second` times per second.

    The user can close it. It leaves key presses in the event queue, so that a program can read them.
    """

    def __init__(self, size: tuple[int, int], frames_per_second: float) -> None:
        check_display("Use render_mode='rgb_array', which needs no display.")
        self._window: pygame.Window | None = pygame.Window("Tetrion", size)
        pygame.register_quit(self.close)  # other environments call `pygame.quit` when they are closed
        self._clock = pygame.Clock()
        self._frames_per_second = frames_per_second

    @property
    def is_open(self) -> bool:
        """Whether the window is open: neither the user nor the program has closed it."""
        return self._window is not None

    def show(self, picture: pygame.Surface) -> None:
        """Show a picture as soon as the frame rate allows, unless the user closes the window."""
        self._clock.tick(self._frames_per_second)
        self._handle_events()
        if self._window is not None:
            self._window.get_surface().blit(picture, (0, 0))
            self._window.flip()

    def close(self) -> None:
        """Close the window, if it is open."""
        if self._window is not None:
            self._window.destroy()
        self._window = None

    def _handle_events(self) -> None:
        """Process the waiting events, which keeps the window responsive; put back those that close other windows."""
        for event in pygame.event.get(exclude=_KEPT_EVENTS):
            if event.type == pygame.WINDOWCLOSE:
                if event.window is self._window:
                    self.close()
                elif event.window is not None:
                    pygame.event.post(event)
