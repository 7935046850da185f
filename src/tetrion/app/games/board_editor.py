"""Editing a board with strokes through cells, drawn with the mouse or with a cell cursor."""

from tetrion.app.games.practice_board import PracticeBoard
from tetrion.board import Cell, Placement
from tetrion.drawing.board_drawing import get_frame_width
from tetrion.drawing.pen import FittedBoard, Pen
from tetrion.engine.pieces import BOARD_WIDTH
from tetrion.errors import TetrionError

_COVERED_CELL_MESSAGE = "The current piece covers this cell. Move the piece to draw here."


class BoardEditor:
    """Edits a board with strokes, each of which fills or erases cells; `edited_board` is the board during a stroke.

    The cell cursor is for the keyboard. It is visible while `has_cursor` is True, and stays where it is meanwhile.
    """

    def __init__(self) -> None:
        self.edited_board: PracticeBoard | None = None
        self.error_message = ""  # the reason why a cell of the last stroke was not filled
        self.has_cursor = False
        self._cursor: Cell = (0, 0)
        self._is_filling = True
        self._last_cell: Cell = (0, 0)

    def begin_stroke(self, board: PracticeBoard, cell: Cell, is_filling: bool, piece: Placement | None) -> None:
        """Begin a stroke at a cell; the cells of `piece` are not filled."""
        self.edited_board = board
        self.error_message = ""
        self._is_filling = is_filling
        self._last_cell = cell
        self._edit_cell(cell, piece)

    def continue_stroke(self, cell: Cell, piece: Placement | None) -> None:
        """Continue the stroke to a cell, through all cells on the way."""
        if cell == self._last_cell:
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

    def get_cursor(self, height: int) -> Cell:
        """Return the cell of the cursor on a board with `height` visible rows."""
        column, row = self._cursor
        return column, min(row, height - 1)

    def move_cursor(self, columns: int, rows: int, height: int) -> Cell:
        """Move the cursor by columns and rows, within a board with `height` visible rows; return its cell."""
        column, row = self.get_cursor(height)
        self._cursor = max(0, min(BOARD_WIDTH - 1, column + columns)), max(0, min(height - 1, row + rows))
        return self._cursor

    def _edit_cell(self, cell: Cell, piece: Placement | None) -> None:
        if self.edited_board is None:
            return
        if self._is_filling and piece and cell in piece.cells:
            self.error_message = _COVERED_CELL_MESSAGE
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
