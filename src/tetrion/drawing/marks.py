"""The sign that each piece may carry in its cells, so that colour is never needed."""

from math import hypot

import pygame

from tetrion.drawing.palette import BLACK, WHITE, mixed, red_green_blue
from tetrion.drawing.shapes import SHARPER, paint

DARK = 125  # the luma below which a piece has a light mark
BLACKNESS, WHITENESS = 0.60, 0.72
STROKE = 2.6 / 32  # as a share of a cell's size, like all lengths here
BAR, SLASH, PLUS, DOT, SQUARE = 0.22, 0.155, 0.17, 0.13, 0.18
LINES = {  # from where to where, from the middle of the cell
    "I": [(-BAR, 0.0, BAR, 0.0)],
    "J": [(0.0, -BAR, 0.0, BAR)],
    "L": [(-PLUS, 0.0, PLUS, 0.0), (0.0, -PLUS, 0.0, PLUS)],
    "S": [(-SLASH, SLASH, SLASH, -SLASH)],
    "Z": [(-SLASH, -SLASH, SLASH, SLASH)],
}

Point = tuple[float, float]


def ink_of(piece: str, body: str, strength: float = 1.0) -> str:
    """The colour of a sign on a body; the piece's own colour decides whether it is light or dark."""
    if luma(piece) < DARK:
        return mixed(body, WHITE, strength * WHITENESS)
    return mixed(body, BLACK, strength * BLACKNESS)


def draw_mark(surface: pygame.Surface, letter: str, colour: str, centre: Point, size: int) -> None:
    """Draw a piece's sign onto the canvas of a cell."""
    ink, side, (x, y) = paint(colour), SHARPER * size, centre
    width = STROKE * side
    if letter == "T":
        pygame.draw.circle(surface, ink, centre, DOT * side)
    elif letter == "O":
        box = pygame.Rect(0, 0, round(2 * SQUARE * side), round(2 * SQUARE * side))
        box.center = round(x), round(y)
        pygame.draw.rect(surface, ink, box, width=round(width), border_radius=round(width))
    for left, top, right, bottom in LINES.get(letter, []):
        draw_line(surface, ink, (x + left * side, y + top * side), (x + right * side, y + bottom * side), width)


def draw_line(surface: pygame.Surface, ink: tuple[int, int, int, int], start: Point, end: Point, width: float) -> None:
    """A stroke with round ends."""
    along, across = end[0] - start[0], end[1] - start[1]
    far = width / 2 / hypot(along, across)
    x, y = -across * far, along * far
    corners = [(px + side * x, py + side * y) for (px, py), side in ((start, 1), (start, -1), (end, -1), (end, 1))]
    pygame.draw.polygon(surface, ink, corners)
    for point in (start, end):
        pygame.draw.circle(surface, ink, point, width / 2)


def luma(colour: str) -> float:
    """How light a colour is, from 0 to 255."""
    red, green, blue = red_green_blue(colour)
    return 0.299 * red + 0.587 * green + 0.114 * blue
