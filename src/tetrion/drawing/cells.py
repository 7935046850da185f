"""A cell in each of its states."""

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

MIN_ROUNDED_CELL_SIZE = 13  # the size below which cells are flat squares
_MIN_GAP_CELL_SIZE = 5  # the size below which these have no gap
CELL_CORNER_RADIUS = 0.13  # the radius of a cell's corners, as a share of its size
_MIN_CORNER_RADIUS = 2
CELL_LIP_HEIGHT = 0.08
_GAME_OVER_MARK_STRENGTH = 0.4  # how strong marks are on a board whose game has ended
_CACHE_SIZE = 1024

ACTIVE_CELL = "active"
LOCKED_CELL = "locked"
GAME_OVER_CELL = "out"
CELL_EDGE_WHITENESS = {ACTIVE_CELL: 0.34, LOCKED_CELL: 0.20, GAME_OVER_CELL: 0.20}  # how much white the upper edge has


def get_body_colour(letter: str, state: str, style: BoardStyle = DEFAULT_BOARD_STYLE) -> str:
    """The colour of a cell, of a piece (its letter) or of one that is not known (any other sign)."""
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
    """A cell of a piece, by its letter, that is active, locked or out. Do not draw on it: it is shared."""
    body = get_body_colour(letter, state, style)
    if size < MIN_ROUNDED_CELL_SIZE:
        return render_flat_cell(size, body)
    surface = make_canvas((size, size))
    side = SUPERSAMPLING * size
    lip = SUPERSAMPLING * round(CELL_LIP_HEIGHT * size)
    radius = get_corner_radius(size)
    gap = SUPERSAMPLING // 2
    whole = pygame.Rect(gap, gap, side - 2 * gap, side - 2 * gap)
    above = pygame.Rect(gap, gap, whole.width, whole.height - lip)
    face = pygame.Rect(gap, gap + SUPERSAMPLING, whole.width, above.height - SUPERSAMPLING)
    for part, colour in (
        (whole, mix_colours(body, BLACK, 0.30)),
        (above, mix_colours(body, WHITE, CELL_EDGE_WHITENESS[state])),
        (face, body),
    ):
        pygame.draw.rect(surface, premultiply_colour(colour), part, border_radius=radius)
    if style.has_marks and letter in get_piece_colours(style.palette):
        ink = get_mark_colour(
            get_piece_colours(style.palette)[letter], body, _GAME_OVER_MARK_STRENGTH if state == GAME_OVER_CELL else 1
        )
        draw_piece_mark(surface, letter, ink, above.center, size)
    return scale_down(surface)


def get_corner_radius(size: int) -> int:
    """The radius of a cell's corners, SHARPER times as large."""
    return round(SUPERSAMPLING * max(_MIN_CORNER_RADIUS, CELL_CORNER_RADIUS * size))


def render_flat_cell(size: int, colour: str) -> pygame.Surface:
    """A square with a gap at its right and below, or without one where it would be too wide."""
    surface = pygame.Surface((size, size), pygame.SRCALPHA, 32)
    side = size - 1 if size >= _MIN_GAP_CELL_SIZE else size
    surface.fill(premultiply_colour(colour), (0, 0, side, side))
    return surface
