"""Marks that identify the piece of a cell without colour."""

from math import hypot

import pygame

from tetrion.drawing.palette import BLACK, WHITE, hex_to_rgb, mix_colours
from tetrion.drawing.shapes import SUPERSAMPLING, premultiply_colour

_DARK_LUMA = 125  # pieces with a lower luma (0 to 255) have light marks
_DARK_MARK_STRENGTH = 0.60
_LIGHT_MARK_STRENGTH = 0.72
# shares of the cell size
_LINE_WIDTH = 2.6 / 32
_BAR_LENGTH = 0.22
_SLASH_LENGTH = 0.155
_PLUS_LENGTH = 0.17
_DOT_RADIUS = 0.13
_SQUARE_SIZE = 0.18
_MARK_LINES = {  # left, top, right, bottom, relative to the centre of the cell
    "I": [(-_BAR_LENGTH, 0.0, _BAR_LENGTH, 0.0)],
    "J": [(0.0, -_BAR_LENGTH, 0.0, _BAR_LENGTH)],
    "L": [(-_PLUS_LENGTH, 0.0, _PLUS_LENGTH, 0.0), (0.0, -_PLUS_LENGTH, 0.0, _PLUS_LENGTH)],
    "S": [(-_SLASH_LENGTH, _SLASH_LENGTH, _SLASH_LENGTH, -_SLASH_LENGTH)],
    "Z": [(-_SLASH_LENGTH, -_SLASH_LENGTH, _SLASH_LENGTH, _SLASH_LENGTH)],
}

_Point = tuple[float, float]


def get_mark_colour(piece_colour: str, body: str, strength: float = 1.0) -> str:
    """Return the colour of a mark on a cell of colour `body`: light on dark pieces, dark on light pieces."""
    if compute_luma(piece_colour) < _DARK_LUMA:
        return mix_colours(body, WHITE, strength * _LIGHT_MARK_STRENGTH)
    return mix_colours(body, BLACK, strength * _DARK_MARK_STRENGTH)


def draw_piece_mark(surface: pygame.Surface, letter: str, colour: str, centre: _Point, size: int) -> None:
    """Draw the mark of a piece on the supersampled canvas of a cell; `size` is the cell size in pixels."""
    mark_colour = premultiply_colour(colour)
    side = SUPERSAMPLING * size
    x, y = centre
    width = _LINE_WIDTH * side
    if letter == "T":
        pygame.draw.circle(surface, mark_colour, centre, _DOT_RADIUS * side)
    elif letter == "O":
        box = pygame.Rect(0, 0, round(2 * _SQUARE_SIZE * side), round(2 * _SQUARE_SIZE * side))
        box.center = round(x), round(y)
        pygame.draw.rect(surface, mark_colour, box, width=round(width), border_radius=round(width))
    for left, top, right, bottom in _MARK_LINES.get(letter, []):
        draw_round_line(
            surface, mark_colour, (x + left * side, y + top * side), (x + right * side, y + bottom * side), width
        )


def draw_round_line(
    surface: pygame.Surface, colour: tuple[int, int, int, int], start: _Point, end: _Point, width: float
) -> None:
    """Draw a line with round ends."""
    dx, dy = end[0] - start[0], end[1] - start[1]
    scale = width / 2 / hypot(dx, dy)
    x, y = -dy * scale, dx * scale
    corners = [(px + side * x, py + side * y) for (px, py), side in ((start, 1), (start, -1), (end, -1), (end, 1))]
    pygame.draw.polygon(surface, colour, corners)
    for point in (start, end):
        pygame.draw.circle(surface, colour, point, width / 2)


def compute_luma(colour: str) -> float:
    """Return the luma (perceived brightness) of a colour, from 0 to 255."""
    red, green, blue = hex_to_rgb(colour)
    return 0.299 * red + 0.587 * green + 0.114 * blue
