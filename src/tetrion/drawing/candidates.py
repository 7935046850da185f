"""What an agent considers, on its board: placements shaded by their rank, the choice outlined, the best ones numbered.

`draw_considered` and `draw_marks` lie under the stack, `draw_choice` over it; `draw_board` calls them in between.
"""

import math
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

import pygame

from tetrion.board import EMPTY, Cell, Placement
from tetrion.drawing.boards import Place, draw_contour, place_of
from tetrion.drawing.cells import FLAT
from tetrion.drawing.contours import Contour
from tetrion.drawing.palette import ACCENT, BAD, ON_ACCENT, WELL, mixed
from tetrion.drawing.shapes import disc, put, rounded, veil
from tetrion.drawing.stack import Stack
from tetrion.drawing.text import draw_text, width_of
from tetrion.engine.pieces import WIDTH

SHADED = 12  # of the best placements
STRONGEST, WEAKEST, FADING = 0.34, 0.02, 1.6
TAGS = 5  # placements that have a number
USUAL_CELL = 32  # the size of cells that the next lengths are of
TAG_RADIUS, TAG_TYPE, CELL_RADIUS, LABEL_TYPE = 9, 13, 4, 14
TAGS_FROM, LABEL_FROM = 18, 20  # the sizes of cells from which on there is room for them
CHOICE = Contour(ACCENT)

DANGER, KEPT_OPEN = 0.07, 0.035  # how strong they are
DASH = 4  # on, and as many off
MIDDLE = range(3, 7)  # the columns that a danger zone spans
DANGER_ROWS = 4
KEPT = 32  # pictures


class Marks(NamedTuple):
    """What an agent keeps clear: rows from one on in the middle columns, and a column."""

    danger_from: int | None = None
    open_column: int | None = None


def marks_of(shares: Mapping[str, float], rows: int) -> Marks:
    """What an agent keeps clear on a board of so many rows, hidden ones included, by the features it looks at."""
    return Marks(
        rows - DANGER_ROWS if "danger" in shares else None, WIDTH - 1 if "last_column_cells" in shares else None
    )


def strength(rank: int) -> float:
    """How strong the shade of a placement is, the best one having rank 0."""
    return WEAKEST + STRONGEST * math.pow(1 - rank / (SHADED + 1), FADING)


def ranks(stack: Stack, placements: Sequence[Placement]) -> dict[Cell, int]:
    """For each empty visible cell that is covered, the rank of the best placement that covers it."""
    covered: dict[Cell, int] = {}
    for rank, placement in enumerate(placements[:SHADED]):
        for column, row in placement.cells:
            if row < stack.height and stack.at(column, row) == EMPTY:
                covered.setdefault((column, row), rank)
    return covered


def tags(stack: Stack, placements: Sequence[Placement]) -> dict[int, Cell]:
    """Where the numbers of the best placements stand: each in its highest cell that no better one covers."""
    covered, places = ranks(stack, placements), dict[int, Cell]()
    for rank, placement in enumerate(placements[:TAGS]):
        if own := [cell for cell in placement.cells if covered.get(cell) == rank]:
            places[rank] = min(own, key=lambda cell: (-cell[1], cell[0]))
    return places


def draw_considered(
    surface: pygame.Surface, place: Place, cell: int, stack: Stack, placements: Sequence[Placement]
) -> None:
    """Shade the cells of placements, the best one first; on a board that is drawn at a place, under its stack."""
    if shaded := ranks_of(stack, tuple(placements[:SHADED])):
        top = max(row for (_, row), _ in shaded)
        put(surface, shades_picture(cell, shaded, top), place_of(place, cell, stack.height, 0, top))


@lru_cache(KEPT)
def ranks_of(stack: Stack, placements: tuple[Placement, ...]) -> tuple[tuple[Cell, int], ...]:
    """The same as `ranks`, found once for each move."""
    return tuple(ranks(stack, placements).items())


@lru_cache(KEPT)
def shades_picture(cell: int, shaded: tuple[tuple[Cell, int], ...], top: int) -> pygame.Surface:
    """Shaded cells up to a row, drawn once for each move. Do not draw on it: it is shared."""
    surface = pygame.Surface((WIDTH * cell, (top + 1) * cell), pygame.SRCALPHA, 32)
    gap, radius = int(cell >= FLAT), max(1, round(cell * CELL_RADIUS / USUAL_CELL))
    side = cell - 1 if not gap else cell - 2 * gap
    for (column, row), rank in shaded:
        picture = rounded((side, side), radius if gap else 0, ACCENT, alpha=round(strength(rank), 3))
        put(surface, picture, (column * cell + gap, (top - row) * cell + gap))
    return surface


def draw_choice(
    surface: pygame.Surface, place: Place, cell: int, stack: Stack, placements: Sequence[Placement]
) -> None:
    """Outline the best of placements, and number the five best where cells have room for it."""
    if not placements:
        return
    draw_contour(surface, place, cell, stack.height, placements[0].cells, CHOICE)
    if cell < TAGS_FROM:
        return
    radius = round(cell * TAG_RADIUS / USUAL_CELL)
    for rank, (column, row) in tags(stack, placements).items():
        x, y = place_of(place, cell, stack.height, column, row)
        middle = x + cell // 2, y + cell // 2
        put(surface, disc(radius, ground_of(rank)), (middle[0] - radius, middle[1] - radius))
        ink = ACCENT if rank else ON_ACCENT
        draw_text(surface, str(rank + 1), middle, round(cell * TAG_TYPE / USUAL_CELL), True, ink, align=0.5)


def ground_of(rank: int) -> str:
    """The colour of a number's disc: solid for the best, darker than its cell for others."""
    return mixed(WELL, ACCENT, 0.18) if rank else ACCENT


def draw_marks(surface: pygame.Surface, place: Place, cell: int, height: int, marks: Marks, label: str = "") -> None:
    """Shade what an agent keeps clear, on a board with so many visible rows."""
    if marks.open_column is not None:
        x, y = place_of(place, cell, height, marks.open_column, height - 1)
        put(surface, veil((cell, height * cell), 0, ACCENT, KEPT_OPEN), (x, y))
    if marks.danger_from is None or marks.danger_from >= height:
        return
    x, y = place_of(place, cell, height, MIDDLE.start, height - 1)
    area = pygame.Rect(x, y, len(MIDDLE) * cell, (height - marks.danger_from) * cell)
    put(surface, veil(area.size, 0, BAD, DANGER), area.topleft)
    dash, ink = max(2, round(cell * DASH / USUAL_CELL)), mixed(WELL, BAD, 0.7)
    for start in range(area.left, area.right, 2 * dash):
        surface.fill(ink, (start, area.bottom - 1, min(dash, area.right - start), 1))
    size = round(cell * LABEL_TYPE / USUAL_CELL)
    if label and cell >= LABEL_FROM and width_of(label, size) <= area.width - cell // 2:
        middle = area.centerx, area.bottom - cell * LABEL_TYPE // USUAL_CELL
        draw_text(surface, label, middle, size, False, ink, align=0.5)
