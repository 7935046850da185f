"""The score and the counters of a game, in a panel or in one row."""

from collections.abc import Iterable

from tetrion.drawing.palette import DIM_TEXT, STRONG_TEXT
from tetrion.drawing.pen import Box, Pen

# units
_ROWS_TOP = 80
_ROW_HEIGHT = 28
_BOTTOM_PADDING = 12
_MIN_BOTTOM_PADDING = 4
_FONT_SIZE = 34
_SMALL_FONT_SIZE = 24  # of scores that are too wide otherwise

_FIGURE_WIDTH = 68  # of a figure in a row, at least
_FIGURE_GAP = 24

_SHORT_LABELS = {"Points per line": "Points/line", "Pieces per second": "Pieces/s"}


def compute_score_panel_height(row_count: int) -> int:
    """Return the height of a panel with `row_count` rows below the score, in units."""
    return _ROWS_TOP + _ROW_HEIGHT * row_count + _BOTTOM_PADDING


def draw_score_panel(pen: Pen, box: Box, score: str, labelled_rows: Iterable[tuple[str, str]]) -> None:
    """Draw the score, and below it labels and numbers, as many as fit."""
    inside = pen.draw_panel(box, "Score")
    size = _FONT_SIZE if pen.measure_text(score, _FONT_SIZE, True) <= inside.width else _SMALL_FONT_SIZE
    pen.draw_text(score, (inside.left, box.top + 52), size, True, STRONG_TEXT)
    row_box = Box(inside.left, box.top + _ROWS_TOP, inside.width, _ROW_HEIGHT)
    for label, number in labelled_rows:
        if row_box.bottom + _MIN_BOTTOM_PADDING <= box.bottom:
            draw_statistics_row(pen, row_box, label, number)
            row_box.top += _ROW_HEIGHT


def draw_statistics_row(pen: Pen, box: Box, label: str, number: str, colour: str = STRONG_TEXT) -> None:
    """Draw a label and a number; the label is shortened if both do not fit."""
    fits = pen.measure_text(label) + pen.measure_text(number, 16, True) + 8 <= box.width
    pen.draw_row(box, label if fits else _SHORT_LABELS.get(label, label), number, colour)


def draw_figures_row(pen: Pen, box: Box, labelled_figures: Iterable[tuple[str, str]]) -> None:
    """Draw numbers below their labels from the left of a box; after the first one, only those that fit are drawn."""
    left = box.left
    for label, figure in labelled_figures:
        width = max(pen.measure_text(label, 14), pen.measure_text(figure, 22, True))
        if left + width > box.right and left > box.left:
            break
        pen.draw_text(label, (left, box.top + 24), 14, False, DIM_TEXT)
        pen.draw_text(figure, (left, box.top + 52), 22, True, STRONG_TEXT)
        left += max(_FIGURE_WIDTH, 8 * -(-(width + _FIGURE_GAP) // 8))
