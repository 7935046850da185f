"""The outline of a whole piece, for where it would land or might be placed: one contour, not a frame for each cell."""

from functools import lru_cache
from itertools import product
from typing import NamedTuple

import pygame

from tetrion.board import Cell
from tetrion.drawing.cells import FLAT, radius_of
from tetrion.drawing.palette import ACCENT, SECOND
from tetrion.drawing.shapes import CLEAR, SHARPER, Paint, canvas, paint, scaled_down

KEPT = 512
STROKE, INSET = 2.0, 1.5
FLAT_STROKE, FLAT_INSET = 1.0, 0.0  # of small boards
DOT = 1 / 8  # the radius of a hint's dots, as a share of a cell's size


class Contour(NamedTuple):
    """How a contour is drawn: its colour, how strong line and filling are, and whether each cell has a dot."""

    colour: str
    line: float = 1.0
    filling: float = 0.0
    dots: bool = False


HINT = Contour(ACCENT, dots=True)
PLAN = Contour(SECOND, filling=0.12)


def ghost(colour: str) -> Contour:
    """The contour of where a piece of that colour would land."""
    return Contour(colour, line=0.75, filling=0.14)


@lru_cache(KEPT)
def contour_picture(size: int, cells: frozenset[Cell], contour: Contour) -> pygame.Surface:
    """A contour around cells, columns and rows counted from its picture's corner. Do not draw on it: it is shared."""
    wide, high = (1 + max(cell[axis] for cell in cells) for axis in (0, 1))
    surface = canvas((wide * size, high * size))
    stroke, inset = (STROKE, INSET) if size >= FLAT else (FLAT_STROKE, FLAT_INSET)
    outside, inside = SHARPER * inset, SHARPER * (inset + stroke)
    line = paint(contour.colour, contour.line)
    for cell in cells:
        draw_part(surface, size, cells, cell, round(outside), line)
    for cell in cells:
        draw_part(surface, size, cells, cell, round(inside), paint(contour.colour, contour.filling))
    for cell in cells:
        draw_inner_corners(surface, size, cells, cell, round(inside), line)
        draw_inner_corners(surface, size, cells, cell, round(outside), CLEAR)
    if contour.dots:
        for x, y in cells:
            middle = SHARPER * size * (x + 0.5), SHARPER * size * (y + 0.5)
            pygame.draw.circle(surface, line, middle, SHARPER * size * DOT)
    return scaled_down(surface)


def draw_part(surface: pygame.Surface, size: int, cells: frozenset[Cell], cell: Cell, inset: int, ink: Paint) -> None:
    """A cell's part of a shape that lies so far inside the border of its cells, outer corners rounded."""
    (x, y), side = cell, SHARPER * size
    left, right, above, below = ((x + dx, y + dy) not in cells for dx, dy in ((-1, 0), (1, 0), (0, -1), (0, 1)))
    place = x * side + left * inset, y * side + above * inset
    extent = side - (left + right) * inset, side - (above + below) * inset
    radius = max(0, radius_of(size) + round(SHARPER * INSET) - inset) if size >= FLAT else 0
    pygame.draw.rect(
        surface,
        ink,
        (place, extent),
        border_top_left_radius=radius * (left and above),
        border_top_right_radius=radius * (right and above),
        border_bottom_left_radius=radius * (left and below),
        border_bottom_right_radius=radius * (right and below),
    )


def draw_inner_corners(
    surface: pygame.Surface, size: int, cells: frozenset[Cell], cell: Cell, inset: int, ink: Paint
) -> None:
    """The squares where a shape turns inwards at a corner of a cell."""
    (x, y), side = cell, SHARPER * size
    for dx, dy in product((-1, 1), repeat=2):
        if {(x + dx, y), (x, y + dy)} <= cells and (x + dx, y + dy) not in cells:
            corner = (x + (dx > 0)) * side - (dx > 0) * inset, (y + (dy > 0)) * side - (dy > 0) * inset
            surface.fill(ink, (corner, (inset, inset)))
