"""An animated board: a piece slides, drops and locks; full rows flash, empty from the middle outwards, and disappear.

The caller keeps the time and passes the progress of each animation; this module defines its appearance and duration.
"""

from dataclasses import dataclass
from functools import lru_cache

import pygame

from tetrion.board import EMPTY_CELL, Placement
from tetrion.drawing.board_drawing import DrawCallback, PixelPoint, draw_board, get_cell_position
from tetrion.drawing.board_style import DEFAULT_BOARD_STYLE, BoardStyle
from tetrion.drawing.cells import ACTIVE_CELL, LOCKED_CELL, render_cell
from tetrion.drawing.palette import get_piece_colours
from tetrion.drawing.shapes import blit_picture, premultiply_colour
from tetrion.engine.pieces import BOARD_WIDTH
from tetrion.stack import Stack

SLIDE_MILLISECONDS = 60
_TRAIL_MILLISECONDS = 90
LOCK_MILLISECONDS = 90
_FLASH_MILLISECONDS = 80
_OPEN_MILLISECONDS = 160
_FALL_MILLISECONDS = 120
CLEAR_MILLISECONDS = _FLASH_MILLISECONDS + _OPEN_MILLISECONDS + _FALL_MILLISECONDS
_FLASH_WHITENESS = 0.7  # share of white in flashing rows
_TRAIL_ALPHA = 0.20  # opacity of a trail at its lower end
_FADE_STEPS = 8  # number of different opacities while fading
_CACHE_SIZE = 256


@dataclass(frozen=True)
class AnimatedBoard:
    """The stack of a board and its animations.

    `active` is the piece in play, drawn `active_offset` columns and rows from its position; `ghost` is where it will
    land. `landed` is a piece that locked `lock_elapsed` milliseconds ago after a drop from `dropped_from`.
    `clear_elapsed` is the number of milliseconds since the full rows began to disappear.
    """

    stack: Stack
    active: Placement | None = None
    active_offset: tuple[float, float] = (0.0, 0.0)
    landed: Placement | None = None
    dropped_from: Placement | None = None
    lock_elapsed: float = 0.0
    clear_elapsed: float | None = None
    is_over: bool = False
    ghost: Placement | None = None


def ease_out(progress: float) -> float:
    """Map the progress of a movement (0 to 1) so that it slows down towards its end."""
    return 1 - (1 - max(0.0, min(1.0, progress))) ** 3


def draw_animated_board(
    surface: pygame.Surface,
    top_left: PixelPoint,
    cell_size: int,
    board: AnimatedBoard,
    *,
    style: BoardStyle = DEFAULT_BOARD_STYLE,
    draw_below: DrawCallback | None = None,
    draw_above: DrawCallback | None = None,
) -> pygame.Rect:
    """Draw an animated board with the top-left corner of its frame at `top_left`; return the area it covers."""
    stack, elapsed = board.stack, board.clear_elapsed
    shown_stack = stack
    flash: dict[int, float] = {}
    if elapsed is not None:
        flash = dict.fromkeys(stack.full_rows, _FLASH_WHITENESS * min(1.0, elapsed / _FLASH_MILLISECONDS))
        open_progress = min(1.0, max(0.0, (elapsed - _FLASH_MILLISECONDS) / _OPEN_MILLISECONDS))
        if elapsed > _FLASH_MILLISECONDS:
            shown_stack = stack.with_opened_rows(round(open_progress * BOARD_WIDTH / 2))
    is_falling = elapsed is not None and elapsed > _FLASH_MILLISECONDS + _OPEN_MILLISECONDS

    def draw_over() -> None:
        if is_falling:
            fall_elapsed = (elapsed or 0.0) - _FLASH_MILLISECONDS - _OPEN_MILLISECONDS
            progress = ease_out(fall_elapsed / _FALL_MILLISECONDS)
            draw_falling_rows(surface, top_left, cell_size, stack, progress=progress, style=style)
        if draw_above:
            draw_above()
        if board.landed:
            draw_landed_piece(surface, top_left, cell_size, board, style)
        if board.active:
            draw_active_piece(surface, top_left, cell_size, board, style)

    base = Stack(height=stack.height) if is_falling else shown_stack
    return draw_board(
        surface,
        top_left,
        cell_size,
        base,
        ghost=board.ghost,
        flash=flash,
        is_over=board.is_over,
        style=style,
        draw_below=draw_below,
        draw_above=draw_over,
    )


def draw_falling_rows(
    surface: pygame.Surface, top_left: PixelPoint, cell_size: int, stack: Stack, *, progress: float, style: BoardStyle
) -> None:
    """Draw a stack without its full rows while the rows above fall; `progress` runs from 0 to 1."""
    removed_rows = 0
    for row, letters in enumerate(stack.rows):
        if EMPTY_CELL not in letters:
            removed_rows += 1
            continue
        offset = round(progress * removed_rows * cell_size)
        for column, letter in enumerate(letters):
            if letter != EMPTY_CELL:
                x, y = get_cell_position(top_left, cell_size, stack.height, column, row)
                blit_picture(surface, render_cell(cell_size, letter, LOCKED_CELL, style), (x, y + offset))


def draw_active_piece(
    surface: pygame.Surface, top_left: PixelPoint, cell_size: int, board: AnimatedBoard, style: BoardStyle
) -> None:
    """Draw the piece in play with its offset."""
    if board.active is None:
        return
    picture = render_cell(cell_size, board.active.piece, ACTIVE_CELL, style)
    columns_off, rows_off = board.active_offset
    for column, row in board.active.cells:
        x, y = get_cell_position(top_left, cell_size, board.stack.height, column, row)
        blit_picture(surface, picture, (x + round(columns_off * cell_size), y - round(rows_off * cell_size)))


def draw_landed_piece(
    surface: pygame.Surface, top_left: PixelPoint, cell_size: int, board: AnimatedBoard, style: BoardStyle
) -> None:
    """Draw a piece that has just locked, still bright, and the trail of its drop."""
    landed, height = board.landed, board.stack.height
    if landed is None:
        return
    trail_strength = 1 - board.lock_elapsed / _TRAIL_MILLISECONDS
    if board.dropped_from and trail_strength > 0:
        colour = get_piece_colours(style.palette)[landed.piece]
        for column in {column for column, _ in landed.cells}:
            top = max(row for x, row in board.dropped_from.cells if x == column)
            bottom = max(row for x, row in landed.cells if x == column)
            if top > bottom:
                x, y = get_cell_position(top_left, cell_size, height, column, top)
                length = (top - bottom) * cell_size
                picture = render_trail(cell_size, length, colour, round(_FADE_STEPS * trail_strength))
                blit_picture(surface, picture, (x, y))
    brightness = round(_FADE_STEPS * (1 - board.lock_elapsed / LOCK_MILLISECONDS))
    if brightness > 0:
        picture = render_faded_cell(cell_size, landed.piece, brightness, style)
        for column, row in landed.cells:
            blit_picture(surface, picture, get_cell_position(top_left, cell_size, height, column, row))


@lru_cache(_CACHE_SIZE)
def render_faded_cell(cell_size: int, letter: str, strength: int, style: BoardStyle) -> pygame.Surface:
    """Render an active cell with an opacity from 0 to `_FADE_STEPS`. The result is cached: do not draw on it."""
    picture = render_cell(cell_size, letter, ACTIVE_CELL, style).copy()
    alpha = 255 * strength // _FADE_STEPS
    picture.fill((alpha, alpha, alpha, alpha), special_flags=pygame.BLEND_RGBA_MULT)
    return picture


@lru_cache(_CACHE_SIZE)
def render_trail(cell_size: int, height: int, colour: str, strength: int) -> pygame.Surface:
    """Render the trail of a drop in one column, stronger towards its end. The result is cached: do not draw on it."""
    surface = pygame.Surface((cell_size, height), pygame.SRCALPHA, 32)
    for row in range(height):
        alpha = _TRAIL_ALPHA * strength / _FADE_STEPS * row / height
        surface.fill(premultiply_colour(colour, alpha), (0, row, cell_size, 1))
    return surface
