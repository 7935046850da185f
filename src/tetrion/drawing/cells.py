"""Cells of pieces, and outlines of whole pieces for ghosts, hints and planned placements."""

from functools import lru_cache
from itertools import product
from typing import NamedTuple

import pygame

from tetrion.board import Cell
from tetrion.drawing.palette import (
    ACCENT,
    ACTIVE_CELL as ACTIVE_CELL,
    BLACK,
    CELL_CORNER_RADIUS,
    CELL_EDGE_WHITENESS,
    CELL_LIP_HEIGHT,
    DEFAULT_BOARD_STYLE,
    GAME_OVER_CELL as GAME_OVER_CELL,
    LOCKED_CELL as LOCKED_CELL,
    SECOND_ACCENT,
    WHITE,
    BoardStyle,
    get_body_colour,
    get_outline_colour,
    get_piece_colours,
    hex_to_rgb,
    mix_colours,
)
from tetrion.drawing.shapes import (
    SUPERSAMPLING,
    TRANSPARENT,
    PremultipliedColour,
    draw_stroke,
    make_canvas,
    premultiply_colour,
    scale_down,
)

MIN_ROUNDED_CELL_SIZE = 13  # pixels; smaller cells are flat squares
_MIN_GAP_CELL_SIZE = 5  # pixels; smaller cells have no gap
_MIN_CORNER_RADIUS = 2  # pixels
_CACHE_SIZE = 1024

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
