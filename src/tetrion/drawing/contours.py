"""Outlines of whole pieces: one contour around all cells, for ghosts, hints and planned placements."""

from functools import lru_cache
from itertools import product
from typing import NamedTuple

import pygame

from tetrion.board import Cell
from tetrion.drawing.cells import MIN_ROUNDED_CELL_SIZE, get_corner_radius
from tetrion.drawing.palette import ACCENT, SECOND_ACCENT, get_outline_colour
from tetrion.drawing.shapes import (
    SUPERSAMPLING,
    TRANSPARENT,
    PremultipliedColour,
    make_canvas,
    premultiply_colour,
    scale_down,
)

_CACHE_SIZE = 512
# pixels
_LINE_WIDTH = 2.0
_INSET = 1.5
_FLAT_LINE_WIDTH = 1.0  # of cells smaller than MIN_ROUNDED_CELL_SIZE, without an inset
_DOT_RADIUS = 1 / 8  # share of the cell size


class Contour(NamedTuple):
    """The appearance of a contour: colour, opacity of line and fill, and whether each cell has a dot."""

    colour: str
    line_alpha: float = 1.0
    fill_alpha: float = 0.0
    has_dots: bool = False


HINT_CONTOUR = Contour(ACCENT, has_dots=True)
PLAN_CONTOUR = Contour(SECOND_ACCENT, fill_alpha=0.12)


def make_ghost_contour(colour: str) -> Contour:
    """Return the contour that marks the landing position of a piece of that colour."""
    return Contour(get_outline_colour(colour), line_alpha=0.75, fill_alpha=0.14)


@lru_cache(_CACHE_SIZE)
def render_contour(size: int, cells: frozenset[Cell], contour: Contour) -> pygame.Surface:
    """Render a contour around cells (relative to the top-left corner). The result is cached: do not draw on it."""
    width, height = (1 + max(cell[axis] for cell in cells) for axis in (0, 1))
    surface = make_canvas((width * size, height * size))
    side = SUPERSAMPLING * size
    is_round = size >= MIN_ROUNDED_CELL_SIZE
    line_width, inset = (_LINE_WIDTH, _INSET) if is_round else (_FLAT_LINE_WIDTH, 0.0)
    outer_radius = get_corner_radius(size) + round(SUPERSAMPLING * _INSET) if is_round else 0

    def draw_cells(inset: int, colour: PremultipliedColour) -> None:
        """Draw the shape, smaller than `cells` by an inset, with rounded outer corners."""
        radius = max(0, outer_radius - inset)
        for x, y in cells:
            left, right, top, bottom = ((x + dx, y + dy) not in cells for dx, dy in ((-1, 0), (1, 0), (0, -1), (0, 1)))
            corner = x * side + left * inset, y * side + top * inset
            extent = side - (left + right) * inset, side - (top + bottom) * inset
            radii = [radius * is_outer for is_outer in (left and top, right and top, left and bottom, right and bottom)]
            pygame.draw.rect(surface, colour, (corner, extent), 0, -1, *radii)

    def fill_inner_corners(inset: int, colour: PremultipliedColour) -> None:
        """Fill the squares at the corners of cells where the shape turns inwards."""
        for (x, y), dx, dy in product(cells, (-1, 1), (-1, 1)):
            if {(x + dx, y), (x, y + dy)} <= cells and (x + dx, y + dy) not in cells:
                corner = (x + (dx > 0)) * side - (dx > 0) * inset, (y + (dy > 0)) * side - (dy > 0) * inset
                surface.fill(colour, (corner, (inset, inset)))

    line_colour = premultiply_colour(contour.colour, contour.line_alpha)
    outer, inner = round(SUPERSAMPLING * inset), round(SUPERSAMPLING * (inset + line_width))
    draw_cells(outer, line_colour)
    draw_cells(inner, premultiply_colour(contour.colour, contour.fill_alpha))
    fill_inner_corners(inner, line_colour)
    fill_inner_corners(outer, TRANSPARENT)
    for x, y in cells if contour.has_dots else ():
        pygame.draw.circle(surface, line_colour, (side * (x + 0.5), side * (y + 0.5)), side * _DOT_RADIUS)
    return scale_down(surface)
