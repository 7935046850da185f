"""A board in its well, with what stands in it and what is about to."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache

import pygame

from tetrion.board import EMPTY, Cell, Placement
from tetrion.drawing.cells import ACTIVE, ENDED, FLAT, LOCKED, cell_picture
from tetrion.drawing.contours import Contour, contour_picture
from tetrion.drawing.contours import ghost as ghost_of
from tetrion.drawing.look import USUAL, Look
from tetrion.drawing.palette import OUTLINE, WELL, WELL_LINE, WHITE, pieces_of
from tetrion.drawing.shapes import Size, paint, put, rounded
from tetrion.drawing.stack import Stack
from tetrion.engine.pieces import DRAWINGS, WIDTH

FRAME, SMALL_FRAME = 4, 3  # around the cells, its outline included
RADIUS, SMALL_RADIUS = 10, 5
LINES_FROM = 14  # the size of cells from which on an empty well shows lines
KEPT, STACKS = 64, 96  # pictures

Place = tuple[int, int]
Draw = Callable[[], None]  # what a caller draws in between


def frame_of(cell: int) -> int:
    """How wide the frame is around cells of a size."""
    return FRAME if cell >= FLAT else SMALL_FRAME


def board_size(cell: int, height: int = 20) -> Size:
    """How wide and high a board with its frame is."""
    return WIDTH * cell + 2 * frame_of(cell), height * cell + 2 * frame_of(cell)


def place_of(place: Place, cell: int, height: int, column: int, row: int) -> Place:
    """Where the upper left corner of a cell is, on a board whose frame begins at a place."""
    return place[0] + frame_of(cell) + column * cell, place[1] + frame_of(cell) + (height - 1 - row) * cell


def draw_board(
    surface: pygame.Surface,
    place: Place,
    cell: int,
    stack: Stack,
    *,
    active: Placement | None = None,
    ghost: Placement | None = None,
    contours: Iterable[tuple[Placement, Contour]] = (),
    flash: Mapping[int, float] | None = None,
    out: bool = False,
    look: Look = USUAL,
    under: Draw | None = None,
    over: Draw | None = None,
) -> pygame.Rect:
    """Draw the visible rows of a board, its frame's upper left corner at a place; gives back what it covers.

    `active` is the piece in play, `ghost` where it would land; `contours` are other places with how they are drawn.
    `flash` says by row how white its cells are; `out` is for a game that has ended. `under` draws between the well and
    the stack, `over` between the stack and the piece in play; neither reaches beyond the cells.
    """
    put(surface, well_picture(cell, stack.height, look.grid), place)
    covered = pygame.Rect(place, board_size(cell, stack.height))
    with clipped(surface, covered.inflate(-2 * frame_of(cell), -2 * frame_of(cell))):
        if under:
            under()
        draw_stack(surface, place, cell, stack, ENDED if out else LOCKED, look)
        for row, white in (flash or {}).items():
            whiten(surface, place, cell, stack, row, white)
        outlined = list(contours)
        if ghost:
            outlined.insert(0, (ghost, ghost_of(pieces_of(look.palette)[ghost.piece])))
        for placement, contour in outlined:
            draw_contour(surface, place, cell, stack.height, placement.cells, contour)
        if over:
            over()
        if active:
            for column, row in active.cells:
                picture = cell_picture(cell, active.piece, ACTIVE, look)
                put(surface, picture, place_of(place, cell, stack.height, column, row))
    return covered


def draw_contour(
    surface: pygame.Surface, place: Place, cell: int, height: int, cells: Iterable[Cell], contour: Contour
) -> None:
    """Outline cells on a board with so many visible rows, its frame's upper left corner at a place."""
    left, top, shape = from_above(cells)
    put(surface, contour_picture(cell, shape, contour), place_of(place, cell, height, left, top))


def draw_piece(
    surface: pygame.Surface, centre: Place, cell: int, letter: str, state: str = ACTIVE, look: Look = USUAL
) -> None:
    """Draw a piece as it enters, with its middle at a place."""
    drawing = DRAWINGS[letter]
    left, top = centre[0] - len(drawing[0]) * cell // 2, centre[1] - len(drawing) * cell // 2
    for y, row in enumerate(drawing):
        for x, sign in enumerate(row):
            if sign == "#":
                put(surface, cell_picture(cell, letter, state, look), (left + x * cell, top + y * cell))


def draw_stack(surface: pygame.Surface, place: Place, cell: int, stack: Stack, state: str, look: Look) -> None:
    """The cells that are filled, as far as they are visible."""
    if rows := stack.rows[: stack.height]:
        picture = stack_picture(cell, rows, state, look)
        put(surface, picture, place_of(place, cell, stack.height, 0, len(rows) - 1))


@lru_cache(STACKS)
def stack_picture(cell: int, rows: tuple[str, ...], state: str, look: Look) -> pygame.Surface:
    """Rows of cells, counted from the floor: drawn once while nothing locks. Do not draw on it: it is shared."""
    surface = pygame.Surface((WIDTH * cell, len(rows) * cell), pygame.SRCALPHA, 32)
    pictures = {letter: cell_picture(cell, letter, state, look) for letter in set("".join(rows)) - {EMPTY}}
    cells = [
        (pictures[letter], (column * cell, (len(rows) - 1 - row) * cell))
        for row, letters in enumerate(rows)
        for column, letter in enumerate(letters)
        if letter != EMPTY
    ]
    surface.fblits(cells, pygame.BLEND_PREMULTIPLIED)
    return surface


def whiten(surface: pygame.Surface, place: Place, cell: int, stack: Stack, row: int, white: float) -> None:
    """Let the filled cells of a visible row shine."""
    light = pygame.Surface((cell, cell), pygame.SRCALPHA, 32)
    light.fill(paint(WHITE, white))
    for column in range(WIDTH):
        if row < stack.height and stack.at(column, row) != EMPTY:
            put(surface, light, place_of(place, cell, stack.height, column, row))


def from_above(cells: Iterable[Cell]) -> tuple[int, int, frozenset[Cell]]:
    """The leftmost column and the highest row of cells, and the cells counted from there, rightwards and downwards."""
    known = list(cells)
    left, top = min(column for column, _ in known), max(row for _, row in known)
    return left, top, frozenset((column - left, top - row) for column, row in known)


@lru_cache(KEPT)
def well_picture(cell: int, height: int, grid: bool = True) -> pygame.Surface:
    """An empty board with its frame. Do not draw on it: it is shared."""
    radius, frame = (RADIUS if cell >= FLAT else SMALL_RADIUS), frame_of(cell)
    surface = rounded(board_size(cell, height), radius, WELL, OUTLINE).copy()
    if grid and cell >= LINES_FROM:
        for column in range(1, WIDTH):
            surface.fill(paint(WELL_LINE), (frame + column * cell, frame, 1, height * cell))
        for row in range(1, height):
            surface.fill(paint(WELL_LINE), (frame, frame + row * cell, WIDTH * cell, 1))
    return surface


@contextmanager
def clipped(surface: pygame.Surface, area: pygame.Rect) -> Iterator[None]:
    """Draw within an area alone, and within what was allowed before."""
    before = surface.get_clip()
    surface.set_clip(area.clip(before))
    try:
        yield
    finally:
        surface.set_clip(before)
