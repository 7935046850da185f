"""A board on which something moves: a piece slides, drops and locks, full rows shine, open and are gone.

How far each of these is comes from whoever keeps the time; here is how it looks, and how long it lasts.
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
from tetrion.drawing.stack import Stack
from tetrion.engine.pieces import BOARD_WIDTH

# milliseconds
SLIDE_MILLISECONDS = 60
_TRAIL_MILLISECONDS = 90
LOCK_MILLISECONDS = 90
_FLASH_MILLISECONDS = 80
_OPEN_MILLISECONDS = 160
_FALL_MILLISECONDS = 120
CLEAR_MILLISECONDS = _FLASH_MILLISECONDS + _OPEN_MILLISECONDS + _FALL_MILLISECONDS
_FLASH_WHITENESS = 0.7  # how much of it shining rows have
_TRAIL_ALPHA = 0.20  # how strong a trail is at its lower end
_FADE_STEPS = 8  # strengths of fading pictures that are told apart
_CACHE_SIZE = 256


@dataclass(frozen=True)
class AnimatedBoard:
    """What is seen on a board: the stack, and what moves there.

    The piece in play is `away` from its place by so many columns and rows. `landed` has just dropped from the place
    `above`, `locked` tells since how many milliseconds. Since `clearing` milliseconds the full rows are on their way.
    """

    stack: Stack
    active: Placement | None = None
    active_offset: tuple[float, float] = (0.0, 0.0)
    landed: Placement | None = None
    dropped_from: Placement | None = None
    lock_elapsed: float = 0.0
    clear_elapsed: float | None = None
    is_over: bool = False


def ease_out(share: float) -> float:
    """How far a movement is that slows down towards its end."""
    return 1 - (1 - max(0.0, min(1.0, share))) ** 3


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
    """Draw a board on which something moves, its frame's upper left corner at a place; gives back what it covers."""
    stack, elapsed = board.stack, board.clear_elapsed
    shown, flash = stack, dict[int, float]()
    if elapsed is not None:
        flash = dict.fromkeys(stack.full_rows, _FLASH_WHITENESS * min(1.0, elapsed / _FLASH_MILLISECONDS))
        opened = min(1.0, max(0.0, (elapsed - _FLASH_MILLISECONDS) / _OPEN_MILLISECONDS))
        shown = stack.with_opened_rows(round(opened * BOARD_WIDTH / 2)) if elapsed > _FLASH_MILLISECONDS else stack
    falls = elapsed is not None and elapsed > _FLASH_MILLISECONDS + _OPEN_MILLISECONDS

    def draw_over() -> None:
        if falls:
            draw_falling_rows(
                surface,
                top_left,
                cell_size,
                stack,
                ease_out(((elapsed or 0.0) - _FLASH_MILLISECONDS - _OPEN_MILLISECONDS) / _FALL_MILLISECONDS),
                style,
            )
        if draw_above:
            draw_above()
        if board.landed:
            draw_landed_piece(surface, top_left, cell_size, board, style)
        if board.active:
            draw_active_piece(surface, top_left, cell_size, stack.height, board.active, board.active_offset, style)

    base = Stack(height=stack.height) if falls else shown
    return draw_board(
        surface,
        top_left,
        cell_size,
        base,
        flash=flash,
        is_over=board.is_over,
        style=style,
        draw_below=draw_below,
        draw_above=draw_over,
    )


def draw_falling_rows(
    surface: pygame.Surface, top_left: PixelPoint, cell_size: int, stack: Stack, share: float, style: BoardStyle
) -> None:
    """The rows of a stack without its full ones, which those above have fallen a share of the way to replace."""
    gone = 0
    for row, letters in enumerate(stack.rows):
        if EMPTY_CELL not in letters:
            gone += 1
            continue
        down = round(share * gone * cell_size)
        for column, letter in enumerate(letters):
            if letter != EMPTY_CELL:
                x, y = get_cell_position(top_left, cell_size, stack.height, column, row)
                blit_picture(surface, render_cell(cell_size, letter, LOCKED_CELL, style), (x, y + down))


def draw_active_piece(
    surface: pygame.Surface,
    top_left: PixelPoint,
    cell_size: int,
    height: int,
    placement: Placement,
    offset: tuple[float, float],
    style: BoardStyle,
) -> None:
    """A piece in play, so many columns and rows from where it will be."""
    picture = render_cell(cell_size, placement.piece, ACTIVE_CELL, style)
    for column, row in placement.cells:
        x, y = get_cell_position(top_left, cell_size, height, column, row)
        blit_picture(surface, picture, (x + round(offset[0] * cell_size), y - round(offset[1] * cell_size)))


def draw_landed_piece(
    surface: pygame.Surface, top_left: PixelPoint, cell_size: int, board: AnimatedBoard, style: BoardStyle
) -> None:
    """A piece that has just come to rest, still bright, and the trail of its drop."""
    landed, height = board.landed, board.stack.height
    if landed is None:
        return
    left = 1 - board.lock_elapsed / _TRAIL_MILLISECONDS
    if board.dropped_from and left > 0:
        colour = get_piece_colours(style.palette)[landed.piece]
        for column in {column for column, _ in landed.cells}:
            top = max(row for x, row in board.dropped_from.cells if x == column)
            end = max(row for x, row in landed.cells if x == column)
            if top > end:
                x, y = get_cell_position(top_left, cell_size, height, column, top)
                picture = render_trail(cell_size, (top - end) * cell_size, colour, round(_FADE_STEPS * left))
                blit_picture(surface, picture, (x, y))
    bright = round(_FADE_STEPS * (1 - board.lock_elapsed / LOCK_MILLISECONDS))
    if bright > 0:
        picture = render_faded_cell(cell_size, landed.piece, bright, style)
        for column, row in landed.cells:
            blit_picture(surface, picture, get_cell_position(top_left, cell_size, height, column, row))


@lru_cache(_CACHE_SIZE)
def render_faded_cell(cell_size: int, letter: str, strength: int, style: BoardStyle) -> pygame.Surface:
    """An active cell, more or less strong, from 0 to STEPS. Do not draw on it: it is shared."""
    picture = render_cell(cell_size, letter, ACTIVE_CELL, style).copy()
    part = 255 * strength // _FADE_STEPS
    picture.fill((part, part, part, part), special_flags=pygame.BLEND_RGBA_MULT)
    return picture


@lru_cache(_CACHE_SIZE)
def render_trail(cell_size: int, height: int, colour: str, strength: int) -> pygame.Surface:
    """What a dropped piece leaves behind in a column, stronger towards its end. Do not draw on it: it is shared."""
    surface = pygame.Surface((cell_size, height), pygame.SRCALPHA, 32)
    for row in range(height):
        surface.fill(
            premultiply_colour(colour, _TRAIL_ALPHA * strength / _FADE_STEPS * row / height), (0, row, cell_size, 1)
        )
    return surface
