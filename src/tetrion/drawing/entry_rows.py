"""The rows above the visible board, in which pieces spawn, drawn more quietly than the board itself."""

from functools import lru_cache, partial

import pygame

from tetrion.board import EMPTY_CELL, Placement
from tetrion.drawing.board_drawing import clip_to, get_cell_position, get_frame_width
from tetrion.drawing.cells import ACTIVE_CELL, LOCKED_CELL, render_cell
from tetrion.drawing.palette import BACKGROUND, BOARD_BACKGROUND, GRID_LINE_COLOUR, mix_colours
from tetrion.drawing.pen import FittedBoard, Pen
from tetrion.drawing.shapes import blit_picture, premultiply_colour, render_rounded_rect
from tetrion.engine.pieces import BOARD_WIDTH
from tetrion.stack import Stack

_RADIUS = 8
_CACHE_SIZE = 16


def draw_entry_rows(
    pen: Pen,
    fitted: FittedBoard,
    stack: Stack,
    *,
    active: Placement | None = None,
    offset: tuple[float, float] = (0.0, 0.0),
) -> None:
    """Draw the rows above a board, if it has such rows, with the cells of the stack and of the piece in play.

    `offset` is the distance in columns and rows between the piece and where it is drawn.
    """
    rows, cell_size = fitted.entry_rows, fitted.cell_size
    if not rows:
        return
    get_position = partial(get_cell_position, pen.to_pixel_point(fitted.box.topleft), cell_size, stack.height)
    area = pygame.Rect(get_position(0, stack.height + rows - 1), (BOARD_WIDTH * cell_size, rows * cell_size))
    blit_picture(pen.surface, render_entry_rows(cell_size, area.height - get_frame_width(cell_size)), area.topleft)
    with clip_to(pen.surface, area):
        for row, letters in enumerate(stack.rows[stack.height : stack.height + rows], stack.height):
            for column, letter in enumerate(letters):
                if letter != EMPTY_CELL:
                    picture = render_cell(cell_size, letter, LOCKED_CELL, pen.style)
                    blit_picture(pen.surface, picture, get_position(column, row))
        if active:
            picture = render_cell(cell_size, active.piece, ACTIVE_CELL, pen.style)
            for cell in active.cells:
                x, y = get_position(*cell)
                position = x + round(offset[0] * cell_size), y - round(offset[1] * cell_size)
                blit_picture(pen.surface, picture, position)


@lru_cache(_CACHE_SIZE)
def render_entry_rows(cell_size: int, height: int) -> pygame.Surface:
    """Render the empty rows above a board, `height` pixels high. The result is cached: do not draw on it."""
    fill = mix_colours(BACKGROUND, BOARD_BACKGROUND, 0.5)
    surface = render_rounded_rect((BOARD_WIDTH * cell_size, height), _RADIUS, fill, GRID_LINE_COLOUR).copy()
    for column in range(1, BOARD_WIDTH):
        surface.fill(premultiply_colour(GRID_LINE_COLOUR), (column * cell_size, 1, 1, height - 1))
    return surface
