"""Rendering of single cells: active, locked or on a board whose game is over."""

from functools import lru_cache

import pygame

from tetrion.drawing.board_style import DEFAULT_BOARD_STYLE, BoardStyle
from tetrion.drawing.palette import (
    BLACK,
    BOARD_BACKGROUND,
    GAME_OVER_GREY,
    UNKNOWN_PIECE_COLOUR,
    WHITE,
    get_piece_colours,
    mix_colours,
)
from tetrion.drawing.piece_marks import draw_piece_mark, get_mark_colour
from tetrion.drawing.shapes import SUPERSAMPLING, make_canvas, premultiply_colour, scale_down

MIN_ROUNDED_CELL_SIZE = 13  # pixels; smaller cells are flat squares
_MIN_GAP_CELL_SIZE = 5  # pixels; smaller cells have no gap
CELL_CORNER_RADIUS = 0.13  # share of the cell size
_MIN_CORNER_RADIUS = 2  # pixels
CELL_LIP_HEIGHT = 0.08  # height of the dark lower edge, as a share of the cell size
_GAME_OVER_MARK_STRENGTH = 0.4
_CACHE_SIZE = 1024

ACTIVE_CELL = "active"
LOCKED_CELL = "locked"
GAME_OVER_CELL = "game over"
CELL_EDGE_WHITENESS = {ACTIVE_CELL: 0.34, LOCKED_CELL: 0.20, GAME_OVER_CELL: 0.20}  # share of white in the upper edge


def get_body_colour(letter: str, state: str, style: BoardStyle = DEFAULT_BOARD_STYLE) -> str:
    """Return the colour of a cell; a letter that is not a piece stands for an unknown piece."""
    colour = get_piece_colours(style.palette).get(letter, UNKNOWN_PIECE_COLOUR)
    if state == GAME_OVER_CELL:
        return mix_colours(mix_colours(colour, GAME_OVER_GREY, 0.75), BOARD_BACKGROUND, 0.55)
    return (
        mix_colours(colour, BOARD_BACKGROUND, 0.13)
        if state == LOCKED_CELL and colour != UNKNOWN_PIECE_COLOUR
        else colour
    )


@lru_cache(_CACHE_SIZE)
def render_cell(size: int, letter: str, state: str, style: BoardStyle = DEFAULT_BOARD_STYLE) -> pygame.Surface:
    """Render a cell of a piece in one of the three states. The result is cached: do not draw on it."""
    body = get_body_colour(letter, state, style)
    if size < MIN_ROUNDED_CELL_SIZE:
        return render_flat_cell(size, body)
    surface = make_canvas((size, size))
    side = SUPERSAMPLING * size
    lip = SUPERSAMPLING * round(CELL_LIP_HEIGHT * size)
    radius = get_corner_radius(size)
    gap = SUPERSAMPLING // 2
    body_rect = pygame.Rect(gap, gap, side - 2 * gap, side - 2 * gap)
    top_rect = pygame.Rect(gap, gap, body_rect.width, body_rect.height - lip)
    face_rect = pygame.Rect(gap, gap + SUPERSAMPLING, body_rect.width, top_rect.height - SUPERSAMPLING)
    for rect, colour in (
        (body_rect, mix_colours(body, BLACK, 0.30)),
        (top_rect, mix_colours(body, WHITE, CELL_EDGE_WHITENESS[state])),
        (face_rect, body),
    ):
        pygame.draw.rect(surface, premultiply_colour(colour), rect, border_radius=radius)
    if style.has_marks and letter in get_piece_colours(style.palette):
        strength = _GAME_OVER_MARK_STRENGTH if state == GAME_OVER_CELL else 1
        mark_colour = get_mark_colour(get_piece_colours(style.palette)[letter], body, strength)
        draw_piece_mark(surface, letter, mark_colour, top_rect.center, size)
    return scale_down(surface)


def get_corner_radius(size: int) -> int:
    """Return the corner radius of a cell on a supersampled canvas."""
    return round(SUPERSAMPLING * max(_MIN_CORNER_RADIUS, CELL_CORNER_RADIUS * size))


def render_flat_cell(size: int, colour: str) -> pygame.Surface:
    """Render a plain square with a gap at its right and lower edge; very small cells have no gap."""
    surface = pygame.Surface((size, size), pygame.SRCALPHA, 32)
    side = size - 1 if size >= _MIN_GAP_CELL_SIZE else size
    surface.fill(premultiply_colour(colour), (0, 0, side, side))
    return surface
