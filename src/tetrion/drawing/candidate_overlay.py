"""What an agent considers, on its board: placements shaded by their rank, the choice outlined, the best ones numbered.

`draw_considered` and `draw_marks` lie under the stack, `draw_choice` over it; `draw_board` calls them in between.
"""

import math
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

import pygame

from tetrion.board import EMPTY_CELL, Cell, Placement
from tetrion.drawing.board_drawing import PixelPoint, draw_contour, get_cell_position
from tetrion.drawing.cells import MIN_ROUNDED_CELL_SIZE
from tetrion.drawing.contours import Contour
from tetrion.drawing.palette import ACCENT, BOARD_BACKGROUND, NEGATIVE, ON_ACCENT, mix_colours
from tetrion.drawing.shapes import blit_picture, render_disc, render_overlay, render_rounded_rect
from tetrion.drawing.stack import Stack
from tetrion.drawing.text_drawing import draw_text, measure_text
from tetrion.engine.pieces import BOARD_WIDTH

MAX_SHADED_PLACEMENTS = 12  # of the best placements
_SHADE_RANGE = 0.34
_MIN_SHADE = 0.02
_SHADE_EXPONENT = 1.6
_MAX_NUMBERED_PLACEMENTS = 5  # placements that have a number
_REFERENCE_CELL_SIZE = 32  # the size of cells that the next lengths are of
_NUMBER_RADIUS = 9
_NUMBER_FONT_SIZE = 13
_SHADE_CORNER_RADIUS = 4
_LABEL_FONT_SIZE = 14
_MIN_NUMBER_CELL_SIZE, _MIN_LABEL_CELL_SIZE = 18, 20  # the sizes of cells from which on there is room for them
_CHOICE_CONTOUR = Contour(ACCENT)

_DANGER_ALPHA, _OPEN_COLUMN_ALPHA = 0.07, 0.035  # how strong they are
_DASH_LENGTH = 4  # on, and as many off
_DANGER_COLUMNS = range(3, 7)  # the columns that a danger zone spans
_DANGER_ROWS = 4
_CACHE_SIZE = 32  # pictures


class KeepClearZones(NamedTuple):
    """What an agent keeps clear: rows from one on in the middle columns, and a column."""

    danger_row: int | None = None
    open_column: int | None = None


def find_keep_clear_zones(shares: Mapping[str, float], rows: int) -> KeepClearZones:
    """What an agent keeps clear on a board of so many rows, hidden ones included, by the features it looks at."""
    return KeepClearZones(
        rows - _DANGER_ROWS if "danger" in shares else None, BOARD_WIDTH - 1 if "last_column_cells" in shares else None
    )


def compute_shade(rank: int) -> float:
    """How strong the shade of a placement is, the best one having rank 0."""
    return _MIN_SHADE + _SHADE_RANGE * math.pow(1 - rank / (MAX_SHADED_PLACEMENTS + 1), _SHADE_EXPONENT)


def rank_cells(stack: Stack, placements: Sequence[Placement]) -> dict[Cell, int]:
    """For each empty visible cell that is covered, the rank of the best placement that covers it."""
    covered: dict[Cell, int] = {}
    for rank, placement in enumerate(placements[:MAX_SHADED_PLACEMENTS]):
        for column, row in placement.cells:
            if row < stack.height and stack.get_cell(column, row) == EMPTY_CELL:
                covered.setdefault((column, row), rank)
    return covered


def place_rank_numbers(stack: Stack, placements: Sequence[Placement]) -> dict[int, Cell]:
    """Where the numbers of the best placements stand: each in its highest cell that no better one covers."""
    covered, places = rank_cells(stack, placements), dict[int, Cell]()
    for rank, placement in enumerate(placements[:_MAX_NUMBERED_PLACEMENTS]):
        if own := [cell for cell in placement.cells if covered.get(cell) == rank]:
            places[rank] = min(own, key=lambda cell: (-cell[1], cell[0]))
    return places


def draw_candidate_shades(
    surface: pygame.Surface, top_left: PixelPoint, cell_size: int, stack: Stack, placements: Sequence[Placement]
) -> None:
    """Shade the cells of placements, the best one first; on a board that is drawn at a place, under its stack."""
    if shaded := rank_cells_cached(stack, tuple(placements[:MAX_SHADED_PLACEMENTS])):
        top = max(row for (_, row), _ in shaded)
        blit_picture(
            surface, render_shades(cell_size, shaded, top), get_cell_position(top_left, cell_size, stack.height, 0, top)
        )


@lru_cache(_CACHE_SIZE)
def rank_cells_cached(stack: Stack, placements: tuple[Placement, ...]) -> tuple[tuple[Cell, int], ...]:
    """The same as `ranks`, found once for each move."""
    return tuple(rank_cells(stack, placements).items())


@lru_cache(_CACHE_SIZE)
def render_shades(cell_size: int, shaded: tuple[tuple[Cell, int], ...], top: int) -> pygame.Surface:
    """Shaded cells up to a row, drawn once for each move. Do not draw on it: it is shared."""
    surface = pygame.Surface((BOARD_WIDTH * cell_size, (top + 1) * cell_size), pygame.SRCALPHA, 32)
    gap, radius = (
        int(cell_size >= MIN_ROUNDED_CELL_SIZE),
        max(1, round(cell_size * _SHADE_CORNER_RADIUS / _REFERENCE_CELL_SIZE)),
    )
    side = cell_size - 1 if not gap else cell_size - 2 * gap
    for (column, row), rank in shaded:
        picture = render_rounded_rect((side, side), radius if gap else 0, ACCENT, alpha=round(compute_shade(rank), 3))
        blit_picture(surface, picture, (column * cell_size + gap, (top - row) * cell_size + gap))
    return surface


def draw_best_candidates(
    surface: pygame.Surface, top_left: PixelPoint, cell_size: int, stack: Stack, placements: Sequence[Placement]
) -> None:
    """Outline the best of placements, and number the five best where cells have room for it."""
    if not placements:
        return
    draw_contour(surface, top_left, cell_size, stack.height, placements[0].cells, _CHOICE_CONTOUR)
    if cell_size < _MIN_NUMBER_CELL_SIZE:
        return
    radius = round(cell_size * _NUMBER_RADIUS / _REFERENCE_CELL_SIZE)
    for rank, (column, row) in place_rank_numbers(stack, placements).items():
        x, y = get_cell_position(top_left, cell_size, stack.height, column, row)
        middle = x + cell_size // 2, y + cell_size // 2
        blit_picture(
            surface, render_disc(radius, get_number_background(rank)), (middle[0] - radius, middle[1] - radius)
        )
        ink = ACCENT if rank else ON_ACCENT
        draw_text(
            surface,
            str(rank + 1),
            middle,
            round(cell_size * _NUMBER_FONT_SIZE / _REFERENCE_CELL_SIZE),
            True,
            ink,
            align=0.5,
        )


def get_number_background(rank: int) -> str:
    """The colour of a number's disc: solid for the best, darker than its cell for others."""
    return mix_colours(BOARD_BACKGROUND, ACCENT, 0.18) if rank else ACCENT


def draw_keep_clear_zones(
    surface: pygame.Surface, top_left: PixelPoint, cell_size: int, height: int, zones: KeepClearZones, label: str = ""
) -> None:
    """Shade what an agent keeps clear, on a board with so many visible rows."""
    if zones.open_column is not None:
        x, y = get_cell_position(top_left, cell_size, height, zones.open_column, height - 1)
        blit_picture(surface, render_overlay((cell_size, height * cell_size), 0, ACCENT, _OPEN_COLUMN_ALPHA), (x, y))
    if zones.danger_row is None or zones.danger_row >= height:
        return
    x, y = get_cell_position(top_left, cell_size, height, _DANGER_COLUMNS.start, height - 1)
    area = pygame.Rect(x, y, len(_DANGER_COLUMNS) * cell_size, (height - zones.danger_row) * cell_size)
    blit_picture(surface, render_overlay(area.size, 0, NEGATIVE, _DANGER_ALPHA), area.topleft)
    dash, ink = (
        max(2, round(cell_size * _DASH_LENGTH / _REFERENCE_CELL_SIZE)),
        mix_colours(BOARD_BACKGROUND, NEGATIVE, 0.7),
    )
    for start in range(area.left, area.right, 2 * dash):
        surface.fill(ink, (start, area.bottom - 1, min(dash, area.right - start), 1))
    size = round(cell_size * _LABEL_FONT_SIZE / _REFERENCE_CELL_SIZE)
    if label and cell_size >= _MIN_LABEL_CELL_SIZE and measure_text(label, size) <= area.width - cell_size // 2:
        middle = area.centerx, area.bottom - cell_size * _LABEL_FONT_SIZE // _REFERENCE_CELL_SIZE
        draw_text(surface, label, middle, size, False, ink, align=0.5)
