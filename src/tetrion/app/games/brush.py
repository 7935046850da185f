"""Drawing a board with the mouse: the left button fills cells, the right one empties them, a drag does many."""

import pygame

from tetrion.app.games.bench import Bench
from tetrion.board import Cell, Placement
from tetrion.drawing.boards import frame_of
from tetrion.drawing.pen import Fitted, Pen
from tetrion.engine.pieces import WIDTH
from tetrion.errors import TetrionError

BUTTONS = (pygame.BUTTON_LEFT, pygame.BUTTON_RIGHT)


class Brush:
    """A stroke from when a button goes down on a board until it goes up; `stroke` is the board meanwhile."""

    def __init__(self) -> None:
        self.stroke: Bench | None = None
        self.mistake = ""  # why a cell was not filled
        self._fills, self._last = True, (0, 0)

    def begin(self, event: pygame.event.Event, bench: Bench, pen: Pen, fitted: Fitted, piece: Placement | None) -> bool:
        """Begin a stroke if the event does so; tells whether it did."""
        if event.type != pygame.MOUSEBUTTONDOWN or event.button not in BUTTONS:
            return False
        cell = cell_under(event.pos, bench, pen, fitted)
        if cell is None:
            return False
        self.stroke, self._fills, self._last = bench, event.button == pygame.BUTTON_LEFT, cell
        self._paint(cell, piece)
        return True

    def drag(self, event: pygame.event.Event, pen: Pen, fitted: Fitted, piece: Placement | None) -> None:
        """Go on to where the mouse is, over every cell on the way."""
        cell = cell_under(event.pos, self.stroke, pen, fitted) if self.stroke else None
        if cell is None or cell == self._last:
            return
        (x, y), (to_x, to_y) = self._last, cell
        steps = max(abs(to_x - x), abs(to_y - y))
        for step in range(1, steps + 1):
            self._paint((x + round((to_x - x) * step / steps), y + round((to_y - y) * step / steps)), piece)
        self._last = cell

    def end(self) -> Bench | None:
        """End the stroke; gives back what was drawn, if there was one."""
        stroke, self.stroke = self.stroke, None
        return stroke

    def _paint(self, cell: Cell, piece: Placement | None) -> None:
        if self.stroke is None or (self._fills and piece and cell in piece.cells):
            return
        try:
            self.stroke = self.stroke.filled(*cell, self._fills)
        except TetrionError as mistake:
            self.mistake = str(mistake)


def cell_under(pixel: tuple[int, int], bench: Bench, pen: Pen, fitted: Fitted) -> Cell | None:
    """The visible cell of a board under a pixel; None outside."""
    left, top = pen.point(fitted.box.topleft)
    column = (pixel[0] - left - frame_of(fitted.cell)) // fitted.cell
    row = bench.rules.height - 1 - (pixel[1] - top - frame_of(fitted.cell)) // fitted.cell
    return (column, row) if 0 <= column < WIDTH and 0 <= row < bench.rules.height else None
