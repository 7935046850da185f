"""Rendering of single cells: active, locked or on a board whose game is over, with marks for the colour-blind."""

from functools import lru_cache

import pygame

from tetrion.drawing.palette import (
    BLACK,
    BOARD_BACKGROUND,
    DEFAULT_BOARD_STYLE,
    GAME_OVER_GREY,
    UNKNOWN_PIECE_COLOUR,
    WHITE,
    BoardStyle,
    get_piece_colours,
    hex_to_rgb,
    mix_colours,
)
from tetrion.drawing.shapes import SUPERSAMPLING, draw_stroke, make_canvas, premultiply_colour, scale_down

MIN_ROUNDED_CELL_SIZE = 13  # pixels; smaller cells are flat squares
_MIN_GAP_CELL_SIZE = 5  # pixels; smaller cells have no gap
CELL_CORNER_RADIUS = 0.13  # share of the cell size
_MIN_CORNER_RADIUS = 2  # pixels
CELL_LIP_HEIGHT = 0.08  # height of the dark lower edge, as a share of the cell size
_CACHE_SIZE = 1024

ACTIVE_CELL = "active"
LOCKED_CELL = "locked"
GAME_OVER_CELL = "game over"
CELL_EDGE_WHITENESS = {ACTIVE_CELL: 0.34, LOCKED_CELL: 0.20, GAME_OVER_CELL: 0.20}  # share of white in the upper edge

# Marks: lines from (left, top) to (right, bottom) relative to the centre, as shares of the cell size.
_MARK_LINES = {
    "I": [(-0.22, 0.0, 0.22, 0.0)],
    "J": [(0.0, -0.22, 0.0, 0.22)],
    "L": [(-0.17, 0.0, 0.17, 0.0), (0.0, -0.17, 0.0, 0.17)],
    "S": [(-0.155, 0.155, 0.155, -0.155)],
    "Z": [(-0.155, -0.155, 0.155, 0.155)],
}
_MARK_WIDTH = 2.6 / 32
_MARK_DOT_RADIUS = 0.13
_MARK_SQUARE_SIZE = 0.36
_DARK_LUMA = 125  # pieces with a lower luma (perceived brightness, 0 to 255) have light marks
_DARK_MARK_STRENGTH = 0.60
_LIGHT_MARK_STRENGTH = 0.72
_GAME_OVER_MARK_STRENGTH = 0.4


def get_body_colour(letter: str, state: str, style: BoardStyle = DEFAULT_BOARD_STYLE) -> str:
    """Return the colour of a cell; a letter that is not a piece stands for an unknown piece."""
    colour = get_piece_colours(style.palette).get(letter, UNKNOWN_PIECE_COLOUR)
    if state == GAME_OVER_CELL:
        return mix_colours(mix_colours(colour, GAME_OVER_GREY, 0.75), BOARD_BACKGROUND, 0.55)
    if state == LOCKED_CELL and colour != UNKNOWN_PIECE_COLOUR:
        return mix_colours(colour, BOARD_BACKGROUND, 0.13)
    return colour


@lru_cache(_CACHE_SIZE)
def render_cell(size: int, letter: str, state: str, style: BoardStyle = DEFAULT_BOARD_STYLE) -> pygame.Surface:
    """Render a cell of a piece in one of the three states. The result is cached: do not draw on it."""
    body = get_body_colour(letter, state, style)
    if size < MIN_ROUNDED_CELL_SIZE:
        surface = pygame.Surface((size, size), pygame.SRCALPHA, 32)
        side = size - (size >= _MIN_GAP_CELL_SIZE)
        surface.fill(premultiply_colour(body), (0, 0, side, side))
        return surface
    surface = make_canvas((size, size))
    gap = SUPERSAMPLING // 2
    whole = surface.get_rect().inflate(-2 * gap, -2 * gap)
    top = whole.copy()
    top.height -= SUPERSAMPLING * round(CELL_LIP_HEIGHT * size)
    face = pygame.Rect(top.left, top.top + SUPERSAMPLING, top.width, top.height - SUPERSAMPLING)
    edge = mix_colours(body, WHITE, CELL_EDGE_WHITENESS[state])
    for rect, colour in ((whole, mix_colours(body, BLACK, 0.30)), (top, edge), (face, body)):
        pygame.draw.rect(surface, premultiply_colour(colour), rect, border_radius=get_corner_radius(size))
    if style.has_marks and letter in get_piece_colours(style.palette):
        strength = _GAME_OVER_MARK_STRENGTH if state == GAME_OVER_CELL else 1
        mark_colour = get_mark_colour(get_piece_colours(style.palette)[letter], body, strength)
        draw_piece_mark(surface, letter, mark_colour, top.center)
    return scale_down(surface)


def get_corner_radius(size: int) -> int:
    """Return the corner radius of a cell on a supersampled canvas."""
    return round(SUPERSAMPLING * max(_MIN_CORNER_RADIUS, CELL_CORNER_RADIUS * size))


def get_mark_colour(piece_colour: str, body: str, strength: float = 1.0) -> str:
    """Return the colour of a mark on a cell of colour `body`: light on dark pieces, dark on light pieces."""
    red, green, blue = hex_to_rgb(piece_colour)
    if 0.299 * red + 0.587 * green + 0.114 * blue < _DARK_LUMA:
        return mix_colours(body, WHITE, strength * _LIGHT_MARK_STRENGTH)
    return mix_colours(body, BLACK, strength * _DARK_MARK_STRENGTH)


def draw_piece_mark(surface: pygame.Surface, letter: str, colour: str, centre: tuple[int, int]) -> None:
    """Draw the mark that identifies a piece without colour on the supersampled canvas of a cell."""
    mark_colour = premultiply_colour(colour)
    side = surface.width
    width = _MARK_WIDTH * side
    x, y = centre
    if letter == "T":
        pygame.draw.circle(surface, mark_colour, centre, _MARK_DOT_RADIUS * side)
    elif letter == "O":
        box = pygame.Rect(0, 0, round(_MARK_SQUARE_SIZE * side), round(_MARK_SQUARE_SIZE * side))
        box.center = centre
        pygame.draw.rect(surface, mark_colour, box, width=round(width), border_radius=round(width))
    for left, top, right, bottom in _MARK_LINES.get(letter, []):
        start, stop = (x + left * side, y + top * side), (x + right * side, y + bottom * side)
        draw_stroke(surface, mark_colour, start, stop, width / 2)
        for point in (start, stop):
            pygame.draw.circle(surface, mark_colour, point, width / 2)
