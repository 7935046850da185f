"""The sign that each piece may carry in its cells, so that colour is never needed."""

from math import hypot

import pygame

from tetrion.drawing.palette import BLACK, WHITE, hex_to_rgb, mix_colours
from tetrion.drawing.shapes import SUPERSAMPLING, premultiply_colour

_DARK_LUMA = 125  # the luma below which a piece has a light mark
_DARK_MARK_STRENGTH, _LIGHT_MARK_STRENGTH = 0.60, 0.72
_LINE_WIDTH = 2.6 / 32  # as a share of a cell's size, like all lengths here
_BAR_LENGTH = 0.22
_SLASH_LENGTH = 0.155
_PLUS_LENGTH = 0.17
_DOT_RADIUS = 0.13
_SQUARE_SIZE = 0.18
_MARK_LINES = {  # from where to where, from the middle of the cell
    "I": [(-_BAR_LENGTH, 0.0, _BAR_LENGTH, 0.0)],
    "J": [(0.0, -_BAR_LENGTH, 0.0, _BAR_LENGTH)],
    "L": [(-_PLUS_LENGTH, 0.0, _PLUS_LENGTH, 0.0), (0.0, -_PLUS_LENGTH, 0.0, _PLUS_LENGTH)],
    "S": [(-_SLASH_LENGTH, _SLASH_LENGTH, _SLASH_LENGTH, -_SLASH_LENGTH)],
    "Z": [(-_SLASH_LENGTH, -_SLASH_LENGTH, _SLASH_LENGTH, _SLASH_LENGTH)],
}

_Point = tuple[float, float]


def get_mark_colour(piece: str, body: str, strength: float = 1.0) -> str:
    """The colour of a sign on a body; the piece's own colour decides whether it is light or dark."""
    if compute_luma(piece) < _DARK_LUMA:
        return mix_colours(body, WHITE, strength * _LIGHT_MARK_STRENGTH)
    return mix_colours(body, BLACK, strength * _DARK_MARK_STRENGTH)


def draw_piece_mark(surface: pygame.Surface, letter: str, colour: str, centre: _Point, size: int) -> None:
    """Draw a piece's sign onto the canvas of a cell."""
    ink, side, (x, y) = premultiply_colour(colour), SUPERSAMPLING * size, centre
    width = _LINE_WIDTH * side
    if letter == "T":
        pygame.draw.circle(surface, ink, centre, _DOT_RADIUS * side)
    elif letter == "O":
        box = pygame.Rect(0, 0, round(2 * _SQUARE_SIZE * side), round(2 * _SQUARE_SIZE * side))
        box.center = round(x), round(y)
        pygame.draw.rect(surface, ink, box, width=round(width), border_radius=round(width))
    for left, top, right, bottom in _MARK_LINES.get(letter, []):
        draw_round_line(surface, ink, (x + left * side, y + top * side), (x + right * side, y + bottom * side), width)


def draw_round_line(
    surface: pygame.Surface, ink: tuple[int, int, int, int], start: _Point, end: _Point, width: float
) -> None:
    """A stroke with round ends."""
    along, across = end[0] - start[0], end[1] - start[1]
    far = width / 2 / hypot(along, across)
    x, y = -across * far, along * far
    corners = [(px + side * x, py + side * y) for (px, py), side in ((start, 1), (start, -1), (end, -1), (end, 1))]
    pygame.draw.polygon(surface, ink, corners)
    for point in (start, end):
        pygame.draw.circle(surface, ink, point, width / 2)


def compute_luma(colour: str) -> float:
    """How light a colour is, from 0 to 255."""
    red, green, blue = hex_to_rgb(colour)
    return 0.299 * red + 0.587 * green + 0.114 * blue
