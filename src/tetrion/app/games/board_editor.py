"""Drawing a board with the mouse: the left button fills cells, the right one empties them, a drag does many."""

import pygame

from tetrion.app.games.practice_board import PracticeBoard
from tetrion.board import Cell, Placement
from tetrion.drawing.board_drawing import get_frame_width
from tetrion.drawing.pen import FittedBoard, Pen
from tetrion.engine.pieces import BOARD_WIDTH
from tetrion.errors import TetrionError

_EDIT_BUTTONS = (pygame.BUTTON_LEFT, pygame.BUTTON_RIGHT)


class BoardEditor:
    """A stroke from when a button goes down on a board until it goes up; `stroke` is the board meanwhile."""

    def __init__(self) -> None:
        self.edited_board: PracticeBoard | None = None
        self.error_message = ""  # why a cell was not filled
        self._is_filling = True
        self._last_cell = (0, 0)

    def begin_stroke(
        self, event: pygame.event.Event, bench: PracticeBoard, pen: Pen, fitted: FittedBoard, piece: Placement | None
    ) -> bool:
        """Begin a stroke if the event does so; tells whether it did."""
        if event.type != pygame.MOUSEBUTTONDOWN or event.button not in _EDIT_BUTTONS:
            return False
        cell = find_cell_at(event.pos, bench, pen, fitted)
        if cell is None:
            return False
        self.edited_board = bench
        self._is_filling = event.button == pygame.BUTTON_LEFT
        self._last_cell = cell
        self._edit_cell(cell, piece)
        return True

    def continue_stroke(
        self, event: pygame.event.Event, pen: Pen, fitted: FittedBoard, piece: Placement | None
    ) -> None:
        """Go on to where the mouse is, over every cell on the way."""
        cell = find_cell_at(event.pos, self.edited_board, pen, fitted) if self.edited_board else None
        if cell is None or cell == self._last_cell:
            return
        (x, y), (to_x, to_y) = self._last_cell, cell
        steps = max(abs(to_x - x), abs(to_y - y))
        for step in range(1, steps + 1):
            self._edit_cell((x + round((to_x - x) * step / steps), y + round((to_y - y) * step / steps)), piece)
        self._last_cell = cell

    def end_stroke(self) -> PracticeBoard | None:
        """End the stroke; gives back what was drawn, if there was one."""
        stroke, self.edited_board = self.edited_board, None
        return stroke

    def _edit_cell(self, cell: Cell, piece: Placement | None) -> None:
        if self.edited_board is None or (self._is_filling and piece and cell in piece.cells):
            return
        try:
            self.edited_board = self.edited_board.with_cell(*cell, self._is_filling)
        except TetrionError as mistake:
            self.error_message = str(mistake)


def find_cell_at(pixel: tuple[int, int], bench: PracticeBoard, pen: Pen, fitted: FittedBoard) -> Cell | None:
    """The visible cell of a board under a pixel; None outside."""
    left, top = pen.to_pixel_point(fitted.box.topleft)
    column = (pixel[0] - left - get_frame_width(fitted.cell_size)) // fitted.cell_size
    row = bench.rules.height - 1 - (pixel[1] - top - get_frame_width(fitted.cell_size)) // fitted.cell_size
    return (column, row) if 0 <= column < BOARD_WIDTH and 0 <= row < bench.rules.height else None
