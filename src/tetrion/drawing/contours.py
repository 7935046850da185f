"""The outline of a whole piece, for where it would land or might be placed: one contour, not a frame for each cell."""

from functools import lru_cache
from itertools import product
from typing import NamedTuple

import pygame

from tetrion.board import Cell
from tetrion.drawing.cells import MIN_ROUNDED_CELL_SIZE, get_corner_radius
from tetrion.drawing.palette import ACCENT, SECOND_ACCENT
from tetrion.drawing.shapes import (
    SUPERSAMPLING,
    TRANSPARENT,
    PremultipliedColour,
    make_canvas,
    premultiply_colour,
    scale_down,
)

_CACHE_SIZE = 512
_LINE_WIDTH, _INSET = 2.0, 1.5
_FLAT_LINE_WIDTH, _FLAT_INSET = 1.0, 0.0  # of small boards
_DOT_RADIUS = 1 / 8  # the radius of a hint's dots, as a share of a cell's size


class Contour(NamedTuple):
    """How a contour is drawn: its colour, how strong line and filling are, and whether each cell has a dot."""

    colour: str
    line_alpha: float = 1.0
    fill_alpha: float = 0.0
    has_dots: bool = False


HINT_CONTOUR = Contour(ACCENT, has_dots=True)
PLAN_CONTOUR = Contour(SECOND_ACCENT, fill_alpha=0.12)


def make_ghost_contour(colour: str) -> Contour:
    """The contour of where a piece of that colour would land."""
    return Contour(colour, line_alpha=0.75, fill_alpha=0.14)


@lru_cache(_CACHE_SIZE)
def render_contour(size: int, cells: frozenset[Cell], contour: Contour) -> pygame.Surface:
    """A contour around cells, columns and rows counted from its picture's corner. Do not draw on it: it is shared."""
    wide, high = (1 + max(cell[axis] for cell in cells) for axis in (0, 1))
    surface = make_canvas((wide * size, high * size))
    stroke, inset = (_LINE_WIDTH, _INSET) if size >= MIN_ROUNDED_CELL_SIZE else (_FLAT_LINE_WIDTH, _FLAT_INSET)
    outside, inside = SUPERSAMPLING * inset, SUPERSAMPLING * (inset + stroke)
    line = premultiply_colour(contour.colour, contour.line_alpha)
    for cell in cells:
        draw_cell_part(surface, size, cells, cell, round(outside), line)
    for cell in cells:
        draw_cell_part(
            surface, size, cells, cell, round(inside), premultiply_colour(contour.colour, contour.fill_alpha)
        )
    for cell in cells:
        draw_inner_corners(surface, size, cells, cell, round(inside), line)
        draw_inner_corners(surface, size, cells, cell, round(outside), TRANSPARENT)
    if contour.has_dots:
        for x, y in cells:
            middle = SUPERSAMPLING * size * (x + 0.5), SUPERSAMPLING * size * (y + 0.5)
            pygame.draw.circle(surface, line, middle, SUPERSAMPLING * size * _DOT_RADIUS)
    return scale_down(surface)


def draw_cell_part(
    surface: pygame.Surface, size: int, cells: frozenset[Cell], cell: Cell, inset: int, ink: PremultipliedColour
) -> None:
    """A cell's part of a shape that lies so far inside the border of its cells, outer corners rounded."""
    (x, y), side = cell, SUPERSAMPLING * size
    left, right, above, below = ((x + dx, y + dy) not in cells for dx, dy in ((-1, 0), (1, 0), (0, -1), (0, 1)))
    place = x * side + left * inset, y * side + above * inset
    extent = side - (left + right) * inset, side - (above + below) * inset
    radius = (
        max(0, get_corner_radius(size) + round(SUPERSAMPLING * _INSET) - inset) if size >= MIN_ROUNDED_CELL_SIZE else 0
    )
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
    surface: pygame.Surface, size: int, cells: frozenset[Cell], cell: Cell, inset: int, ink: PremultipliedColour
) -> None:
    """The squares where a shape turns inwards at a corner of a cell."""
    (x, y), side = cell, SUPERSAMPLING * size
    for dx, dy in product((-1, 1), repeat=2):
        if {(x + dx, y), (x, y + dy)} <= cells and (x + dx, y + dy) not in cells:
            corner = (x + (dx > 0)) * side - (dx > 0) * inset, (y + (dy > 0)) * side - (dy > 0) * inset
            surface.fill(ink, (corner, (inset, inset)))
