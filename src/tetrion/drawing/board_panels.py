"""Panels of a board: the preview next to it, and the message on top of it that the game is over."""

from tetrion.drawing.palette import BACKGROUND, DIM_TEXT, STRONG_TEXT
from tetrion.drawing.pen import PANEL_PADDING, Box, Pen

# units
_PREVIEW_TOP = 44  # of the first piece
_PREVIEW_CELL_SIZE = 24
_SMALL_PREVIEW_CELL_SIZE = 14
_MAX_LARGE_PIECES = 2  # longer previews use the small cell size
_PREVIEW_GAP = 10
_PREVIEW_BOTTOM_PADDING = 8
_GAME_OVER_SIZE = (240, 84)
_GAME_OVER_ALPHA = 0.7


def get_preview_cell_size(piece_count: int, width: int) -> int:
    """Return the cell size in a preview panel for `piece_count` pieces, in units."""
    return min(width // 8, _PREVIEW_CELL_SIZE if piece_count <= _MAX_LARGE_PIECES else _SMALL_PREVIEW_CELL_SIZE)


def compute_preview_height(piece_count: int, width: int) -> int:
    """Return the height of a preview panel for `piece_count` pieces, in units."""
    piece_height = 2 * get_preview_cell_size(piece_count, width) + _PREVIEW_GAP
    return _PREVIEW_TOP + piece_count * piece_height + _PREVIEW_BOTTOM_PADDING


def draw_preview_panel(pen: Pen, box: Box, pieces: str, piece_count: int) -> None:
    """Draw the next pieces, one below the other, in a panel with space for `piece_count` pieces."""
    pen.draw_panel(box, "Next")
    cell_size = get_preview_cell_size(piece_count, box.width)
    for number, letter in enumerate(pieces):
        middle = box.top + _PREVIEW_TOP + cell_size + number * (2 * cell_size + _PREVIEW_GAP)
        pen.draw_piece((box.centerx, middle), cell_size, letter)


def draw_game_over(pen: Pen, board: Box, message: str) -> None:
    """Draw the message that the game is over on top of a board."""
    pen.draw_overlay(board.inflate(-2, -2), 9, BACKGROUND, _GAME_OVER_ALPHA)
    box = Box(0, 0, min(_GAME_OVER_SIZE[0], board.width - 24), _GAME_OVER_SIZE[1])
    box.center = board.center
    pen.draw_panel(box)
    pen.draw_text("Game over", (box.centerx, box.top + 30), 18, True, STRONG_TEXT, align=0.5)
    message = pen.truncate_text(message, box.width - 2 * PANEL_PADDING, 14)
    pen.draw_text(message, (box.centerx, box.top + 56), 14, False, DIM_TEXT, align=0.5)
