"""Editing a board with the mouse: the left button fills cells, the right button empties them."""

import pygame

from tetrion.app.games.practice_board import PracticeBoard
from tetrion.board import Cell, Placement
from tetrion.drawing.board_drawing import get_frame_width
from tetrion.drawing.pen import FittedBoard, Pen
from tetrion.engine.pieces import BOARD_WIDTH
from tetrion.errors import TetrionError

_EDIT_BUTTONS = (pygame.BUTTON_LEFT, pygame.BUTTON_RIGHT)


class BoardEditor:
    """Edits a board with mouse strokes, from button press to release; `edited_board` is the board during a stroke."""

    def __init__(self) -> None:
        self.edited_board: PracticeBoard | None = None
        self.error_message = ""  # the reason why a cell of the last stroke was not filled
        self._is_filling = True
        self._last_cell = (0, 0)

    def begin_stroke(
        self, event: pygame.event.Event, board: PracticeBoard, pen: Pen, fitted: FittedBoard, piece: Placement | None
    ) -> bool:
        """Begin a stroke if the event presses a button on the board; return whether it did."""
        if event.type != pygame.MOUSEBUTTONDOWN or event.button not in _EDIT_BUTTONS:
            return False
        cell = find_cell_at(event.pos, board, pen, fitted)
        if cell is None:
            return False
        self.edited_board = board
        self.error_message = ""
        self._is_filling = event.button == pygame.BUTTON_LEFT
        self._last_cell = cell
        self._edit_cell(cell, piece)
        return True

    def continue_stroke(
        self, event: pygame.event.Event, pen: Pen, fitted: FittedBoard, piece: Placement | None
    ) -> None:
        """Continue the stroke to the position of the mouse, through all cells on the way."""
        cell = find_cell_at(event.pos, self.edited_board, pen, fitted) if self.edited_board else None
        if cell is None or cell == self._last_cell:
            return
        (x, y), (to_x, to_y) = self._last_cell, cell
        steps = max(abs(to_x - x), abs(to_y - y))
        for step in range(1, steps + 1):
            self._edit_cell((x + round((to_x - x) * step / steps), y + round((to_y - y) * step / steps)), piece)
        self._last_cell = cell

    def end_stroke(self) -> PracticeBoard | None:
        """End the stroke; return the edited board, or None if there was no stroke."""
        board = self.edited_board
        self.edited_board = None
        return board

    def _edit_cell(self, cell: Cell, piece: Placement | None) -> None:
        if self.edited_board is None or (self._is_filling and piece and cell in piece.cells):
            return
        try:
            self.edited_board = self.edited_board.with_cell(*cell, self._is_filling)
        except TetrionError as error:
            self.error_message = str(error)


def find_cell_at(pixel: tuple[int, int], board: PracticeBoard, pen: Pen, fitted: FittedBoard) -> Cell | None:
    """Return the visible cell under a pixel, or None outside the board."""
    left, top = pen.to_pixel_point(fitted.box.topleft)
    column = (pixel[0] - left - get_frame_width(fitted.cell_size)) // fitted.cell_size
    row = board.rules.height - 1 - (pixel[1] - top - get_frame_width(fitted.cell_size)) // fitted.cell_size
    return (column, row) if 0 <= column < BOARD_WIDTH and 0 <= row < board.rules.height else None
