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
# pixels, for cells smaller than MIN_ROUNDED_CELL_SIZE
_FLAT_LINE_WIDTH = 1.0
_FLAT_INSET = 0.0
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
    line_width, inset = (_LINE_WIDTH, _INSET) if size >= MIN_ROUNDED_CELL_SIZE else (_FLAT_LINE_WIDTH, _FLAT_INSET)
    outer_inset = round(SUPERSAMPLING * inset)
    inner_inset = round(SUPERSAMPLING * (inset + line_width))
    line_colour = premultiply_colour(contour.colour, contour.line_alpha)
    fill_colour = premultiply_colour(contour.colour, contour.fill_alpha)
    for cell in cells:
        draw_cell_part(surface, size, cells, cell, inset=outer_inset, colour=line_colour)
    for cell in cells:
        draw_cell_part(surface, size, cells, cell, inset=inner_inset, colour=fill_colour)
    for cell in cells:
        draw_inner_corners(surface, size, cells, cell, inset=inner_inset, colour=line_colour)
        draw_inner_corners(surface, size, cells, cell, inset=outer_inset, colour=TRANSPARENT)
    if contour.has_dots:
        for x, y in cells:
            centre = SUPERSAMPLING * size * (x + 0.5), SUPERSAMPLING * size * (y + 0.5)
            pygame.draw.circle(surface, line_colour, centre, SUPERSAMPLING * size * _DOT_RADIUS)
    return scale_down(surface)


def draw_cell_part(
    surface: pygame.Surface, size: int, cells: frozenset[Cell], cell: Cell, *, inset: int, colour: PremultipliedColour
) -> None:
    """Draw the part of one cell of a shape that is inset from the border of `cells`, with rounded outer corners."""
    (x, y), side = cell, SUPERSAMPLING * size
    left, right, above, below = ((x + dx, y + dy) not in cells for dx, dy in ((-1, 0), (1, 0), (0, -1), (0, 1)))
    position = x * side + left * inset, y * side + above * inset
    extent = side - (left + right) * inset, side - (above + below) * inset
    radius = (
        max(0, get_corner_radius(size) + round(SUPERSAMPLING * _INSET) - inset) if size >= MIN_ROUNDED_CELL_SIZE else 0
    )
    pygame.draw.rect(
        surface,
        colour,
        (position, extent),
        border_top_left_radius=radius * (left and above),
        border_top_right_radius=radius * (right and above),
        border_bottom_left_radius=radius * (left and below),
        border_bottom_right_radius=radius * (right and below),
    )


def draw_inner_corners(
    surface: pygame.Surface, size: int, cells: frozenset[Cell], cell: Cell, *, inset: int, colour: PremultipliedColour
) -> None:
    """Fill the squares at the corners of a cell where the shape turns inwards."""
    (x, y), side = cell, SUPERSAMPLING * size
    for dx, dy in product((-1, 1), repeat=2):
        if {(x + dx, y), (x, y + dy)} <= cells and (x + dx, y + dy) not in cells:
            corner = (x + (dx > 0)) * side - (dx > 0) * inset, (y + (dy > 0)) * side - (dy > 0) * inset
            surface.fill(colour, (corner, (inset, inset)))
