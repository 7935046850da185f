"""The placements that an agent considers, drawn on its board: shaded by rank, the best numbered, the first outlined.

`draw_candidate_shades` and `draw_keep_clear_zones` draw below the stack, `draw_best_candidates` above it; pass them to
`draw_board` as callbacks.
"""

import math
from collections.abc import Mapping, Sequence
from functools import lru_cache, partial
from typing import NamedTuple

import pygame

from tetrion.board import EMPTY_CELL, Cell, Placement
from tetrion.drawing.board_drawing import PixelPoint, draw_contour, get_cell_position
from tetrion.drawing.cells import MIN_ROUNDED_CELL_SIZE
from tetrion.drawing.contours import Contour
from tetrion.drawing.palette import ACCENT, BOARD_BACKGROUND, NEGATIVE, ON_ACCENT, mix_colours
from tetrion.drawing.shapes import blit_picture, render_overlay, render_rounded_rect
from tetrion.drawing.text_drawing import draw_text, measure_text
from tetrion.engine.pieces import BOARD_WIDTH
from tetrion.stack import Stack

MAX_SHADED_PLACEMENTS = 12
# opacity of a shade by rank: see compute_shade
_SHADE_RANGE = 0.34
_MIN_SHADE = 0.02
_SHADE_EXPONENT = 1.6
_MAX_NUMBERED_PLACEMENTS = 5
# shares of the cell size
_NUMBER_RADIUS = 9 / 32
_NUMBER_FONT_SIZE = 13 / 32
_SHADE_CORNER_RADIUS = 4 / 32
_LABEL_FONT_SIZE = 14 / 32
_DASH_LENGTH = 4 / 32  # equal to the gap between dashes
_MIN_NUMBER_CELL_SIZE = 18  # smaller cells have no numbers
_MIN_LABEL_CELL_SIZE = 20  # smaller cells have no labels
_CHOICE_CONTOUR = Contour(ACCENT)

_DANGER_ALPHA = 0.07
_OPEN_COLUMN_ALPHA = 0.035
_DANGER_COLUMNS = range(3, 7)
_DANGER_ROWS = 4
_CACHE_SIZE = 32


class KeepClearZones(NamedTuple):
    """The zones that an agent keeps clear: the middle columns from `danger_row` up, and a whole column."""

    danger_row: int | None = None
    open_column: int | None = None


def find_keep_clear_zones(contributions: Mapping[str, float], rows: int) -> KeepClearZones:
    """Return the zones that an agent keeps clear, by the features it uses; `rows` includes hidden rows."""
    return KeepClearZones(
        danger_row=rows - _DANGER_ROWS if "danger" in contributions else None,
        open_column=BOARD_WIDTH - 1 if "last_column_cells" in contributions else None,
    )


def compute_shade(rank: int) -> float:
    """Return the opacity of a placement's shade; the best placement has rank 0."""
    return _MIN_SHADE + _SHADE_RANGE * math.pow(1 - rank / (MAX_SHADED_PLACEMENTS + 1), _SHADE_EXPONENT)


@lru_cache(_CACHE_SIZE)
def rank_cells(stack: Stack, placements: tuple[Placement, ...]) -> dict[Cell, int]:
    """Return, for each empty visible cell that placements cover, the rank of the best of them. The result is cached."""
    ranks: dict[Cell, int] = {}
    for rank, placement in enumerate(placements):
        for column, row in placement.cells:
            if row < stack.height and stack.get_cell(column, row) == EMPTY_CELL:
                ranks.setdefault((column, row), rank)
    return ranks


def place_rank_numbers(stack: Stack, placements: Sequence[Placement]) -> dict[int, Cell]:
    """Return the cell of each rank number: the highest cell of the placement that no better placement covers."""
    ranks = rank_cells(stack, tuple(placements[:MAX_SHADED_PLACEMENTS]))
    number_cells: dict[int, Cell] = {}
    for rank, placement in enumerate(placements[:_MAX_NUMBERED_PLACEMENTS]):
        if free_cells := [cell for cell in placement.cells if ranks.get(cell) == rank]:
            number_cells[rank] = min(free_cells, key=lambda cell: (-cell[1], cell[0]))
    return number_cells


def draw_candidate_shades(
    surface: pygame.Surface, top_left: PixelPoint, cell_size: int, stack: Stack, placements: Sequence[Placement]
) -> None:
    """Shade the cells of placements, which are listed from best to worst, on the board at `top_left`."""
    if ranks := rank_cells(stack, tuple(placements[:MAX_SHADED_PLACEMENTS])):
        top = max(row for _, row in ranks)
        picture = render_shades(cell_size, tuple(ranks.items()), top)
        blit_picture(surface, picture, get_cell_position(top_left, cell_size, stack.height, 0, top))


@lru_cache(_CACHE_SIZE)
def render_shades(cell_size: int, shaded: tuple[tuple[Cell, int], ...], top: int) -> pygame.Surface:
    """Render shaded cells (with their ranks) up to the row `top`. The result is cached: do not draw on it."""
    surface = pygame.Surface((BOARD_WIDTH * cell_size, (top + 1) * cell_size), pygame.SRCALPHA, 32)
    is_round = cell_size >= MIN_ROUNDED_CELL_SIZE
    radius = max(1, round(cell_size * _SHADE_CORNER_RADIUS)) if is_round else 0
    side = cell_size - (2 if is_round else 1)
    for (column, row), rank in shaded:
        picture = render_rounded_rect((side, side), radius, ACCENT, alpha=round(compute_shade(rank), 3))
        blit_picture(surface, picture, (column * cell_size + is_round, (top - row) * cell_size + is_round))
    return surface


def draw_best_candidates(
    surface: pygame.Surface, top_left: PixelPoint, cell_size: int, stack: Stack, placements: Sequence[Placement]
) -> None:
    """Outline the first placement, and number the five best ones if the cells are large enough."""
    if not placements:
        return
    draw_contour(surface, top_left, cell_size, stack.height, placements[0].cells, contour=_CHOICE_CONTOUR)
    if cell_size < _MIN_NUMBER_CELL_SIZE:
        return
    radius = round(cell_size * _NUMBER_RADIUS)
    font_size = round(cell_size * _NUMBER_FONT_SIZE)
    for rank, (column, row) in place_rank_numbers(stack, placements).items():
        x, y = get_cell_position(top_left, cell_size, stack.height, column, row)
        centre = x + cell_size // 2, y + cell_size // 2
        background = mix_colours(BOARD_BACKGROUND, ACCENT, 0.18) if rank else ACCENT
        disc = render_rounded_rect((2 * radius, 2 * radius), radius, background)
        blit_picture(surface, disc, (centre[0] - radius, centre[1] - radius))
        colour = ACCENT if rank else ON_ACCENT
        draw_text(surface, str(rank + 1), centre, font_size, True, colour=colour, align=0.5)


def draw_keep_clear_zones(
    surface: pygame.Surface,
    top_left: PixelPoint,
    cell_size: int,
    height: int,
    zones: KeepClearZones,
    *,
    label: str = "",
) -> None:
    """Shade the zones that an agent keeps clear, on a board of `height` visible rows; `label` names the danger zone."""
    get_position = partial(get_cell_position, top_left, cell_size, height)
    if zones.open_column is not None:
        picture = render_overlay((cell_size, height * cell_size), 0, ACCENT, _OPEN_COLUMN_ALPHA)
        blit_picture(surface, picture, get_position(zones.open_column, height - 1))
    if zones.danger_row is None or zones.danger_row >= height:
        return
    size = len(_DANGER_COLUMNS) * cell_size, (height - zones.danger_row) * cell_size
    area = pygame.Rect(get_position(_DANGER_COLUMNS.start, height - 1), size)
    blit_picture(surface, render_overlay(area.size, 0, NEGATIVE, _DANGER_ALPHA), area.topleft)
    dash = max(2, round(cell_size * _DASH_LENGTH))
    colour = mix_colours(BOARD_BACKGROUND, NEGATIVE, 0.7)
    for start in range(area.left, area.right, 2 * dash):
        surface.fill(colour, (start, area.bottom - 1, min(dash, area.right - start), 1))
    font_size = round(cell_size * _LABEL_FONT_SIZE)
    if label and cell_size >= _MIN_LABEL_CELL_SIZE and measure_text(label, font_size) <= area.width - cell_size // 2:
        draw_text(surface, label, (area.centerx, area.bottom - font_size), font_size, colour=colour, align=0.5)
