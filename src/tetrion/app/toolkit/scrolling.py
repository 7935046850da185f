"""Scrolling of lists that are longer than their space: keys, the mouse wheel and the scroll bar."""

import pygame

from tetrion.app.toolkit.ui import Ui
from tetrion.drawing.palette import BOARD_OUTLINE, RAISED_PANEL
from tetrion.drawing.pen import Box, Pen

_ROWS_PER_WHEEL_STEP = 3
_WHOLE_LIST = 10**9  # more rows than any list has


def read_row_steps(ui: Ui, visible_rows: int) -> list[int]:
    """Return by how many rows each pressed list key moves the selection; PgUp and PgDn move by the visible rows."""
    steps = {
        pygame.K_UP: -1,
        pygame.K_DOWN: 1,
        pygame.K_PAGEUP: -visible_rows,
        pygame.K_PAGEDOWN: visible_rows,
        pygame.K_HOME: -_WHOLE_LIST,
        pygame.K_END: _WHOLE_LIST,
    }
    return [steps[event.key] for event in ui.keys if event.key in steps]


def scroll_to_row(first_row: int, visible_rows: int, row: int) -> int:
    """Return the first visible row after scrolling as little as possible to show a row."""
    return max(row - visible_rows + 1, min(first_row, row))


def scroll_by_wheel(ui: Ui, first_row: int, visible_rows: int, row_count: int) -> int:
    """Return the first visible row after the turns of the mouse wheel in this frame."""
    return max(0, min(row_count - visible_rows, first_row - _ROWS_PER_WHEEL_STEP * ui.wheel))


def draw_scroll_bar(pen: Pen, box: Box, first_row: int, visible_rows: int, row_count: int) -> None:
    """Draw which part of a list is visible, unless all of it is."""
    if row_count <= visible_rows:
        return
    pen.fill_rounded(box, 2, RAISED_PANEL)
    height = min(box.height, max(24, box.height * visible_rows // row_count))
    top = box.top + round((box.height - height) * first_row / (row_count - visible_rows))
    pen.fill_rounded(Box(box.left, top, box.width, height), 2, BOARD_OUTLINE)
