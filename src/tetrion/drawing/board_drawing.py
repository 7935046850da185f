"""A board in its well, with what stands in it and what is about to."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache

import pygame

from tetrion.board import EMPTY_CELL, Cell, Placement
from tetrion.drawing.board_style import DEFAULT_BOARD_STYLE, BoardStyle
from tetrion.drawing.cells import ACTIVE_CELL, GAME_OVER_CELL, LOCKED_CELL, MIN_ROUNDED_CELL_SIZE, render_cell
from tetrion.drawing.contours import Contour, render_contour
from tetrion.drawing.contours import make_ghost_contour as ghost_of
from tetrion.drawing.palette import BOARD_BACKGROUND, BOARD_OUTLINE, WELL_GRID, WHITE, get_piece_colours
from tetrion.drawing.shapes import PixelSize, blit_picture, premultiply_colour, render_rounded_rect
from tetrion.drawing.stack import Stack
from tetrion.engine.pieces import BOARD_WIDTH, PIECE_DRAWINGS

_FRAME_WIDTH, _SMALL_FRAME_WIDTH = 4, 3  # around the cells, its outline included
_CORNER_RADIUS, _SMALL_CORNER_RADIUS = 10, 5
_MIN_GRID_CELL_SIZE = 14  # the size of cells from which on an empty well shows lines
_WELL_CACHE_SIZE, _STACK_CACHE_SIZE = 64, 96  # pictures

PixelPoint = tuple[int, int]
DrawCallback = Callable[[], None]  # what a caller draws in between


def get_frame_width(cell_size: int) -> int:
    """How wide the frame is around cells of a size."""
    return _FRAME_WIDTH if cell_size >= MIN_ROUNDED_CELL_SIZE else _SMALL_FRAME_WIDTH


def compute_board_size(cell_size: int, height: int = 20) -> PixelSize:
    """How wide and high a board with its frame is."""
    return BOARD_WIDTH * cell_size + 2 * get_frame_width(cell_size), height * cell_size + 2 * get_frame_width(cell_size)


def get_cell_position(top_left: PixelPoint, cell_size: int, height: int, column: int, row: int) -> PixelPoint:
    """Where the upper left corner of a cell is, on a board whose frame begins at a place."""
    return top_left[0] + get_frame_width(cell_size) + column * cell_size, top_left[1] + get_frame_width(cell_size) + (
        height - 1 - row
    ) * cell_size


def draw_board(
    surface: pygame.Surface,
    top_left: PixelPoint,
    cell_size: int,
    stack: Stack,
    *,
    active: Placement | None = None,
    ghost: Placement | None = None,
    contours: Iterable[tuple[Placement, Contour]] = (),
    flash: Mapping[int, float] | None = None,
    is_over: bool = False,
    style: BoardStyle = DEFAULT_BOARD_STYLE,
    draw_below: DrawCallback | None = None,
    draw_above: DrawCallback | None = None,
) -> pygame.Rect:
    """Draw the visible rows of a board, its frame's upper left corner at a place; gives back what it covers.

    `active` is the piece in play, `ghost` where it would land; `contours` are other places with how they are drawn.
    `flash` says by row how white its cells are; `out` is for a game that has ended. `under` draws between the well and
    the stack, `over` between the stack and the piece in play; neither reaches beyond the cells.
    """
    blit_picture(surface, render_well(cell_size, stack.height, style.has_grid), top_left)
    covered = pygame.Rect(top_left, compute_board_size(cell_size, stack.height))
    with clip_to(surface, covered.inflate(-2 * get_frame_width(cell_size), -2 * get_frame_width(cell_size))):
        if draw_below:
            draw_below()
        draw_stack(surface, top_left, cell_size, stack, GAME_OVER_CELL if is_over else LOCKED_CELL, style)
        for row, white in (flash or {}).items():
            flash_row(surface, top_left, cell_size, stack, row, white)
        outlined = list(contours)
        if ghost:
            outlined.insert(0, (ghost, ghost_of(get_piece_colours(style.palette)[ghost.piece])))
        for placement, contour in outlined:
            draw_contour(surface, top_left, cell_size, stack.height, placement.cells, contour)
        if draw_above:
            draw_above()
        if active:
            for column, row in active.cells:
                picture = render_cell(cell_size, active.piece, ACTIVE_CELL, style)
                blit_picture(surface, picture, get_cell_position(top_left, cell_size, stack.height, column, row))
    return covered


def draw_contour(
    surface: pygame.Surface, top_left: PixelPoint, cell_size: int, height: int, cells: Iterable[Cell], contour: Contour
) -> None:
    """Outline cells on a board with so many visible rows, its frame's upper left corner at a place."""
    left, top, shape = to_picture_cells(cells)
    blit_picture(
        surface, render_contour(cell_size, shape, contour), get_cell_position(top_left, cell_size, height, left, top)
    )


def draw_piece(
    surface: pygame.Surface,
    centre: PixelPoint,
    cell_size: int,
    letter: str,
    state: str = ACTIVE_CELL,
    style: BoardStyle = DEFAULT_BOARD_STYLE,
) -> None:
    """Draw a piece as it enters, with its middle at a place."""
    drawing = PIECE_DRAWINGS[letter]
    left, top = centre[0] - len(drawing[0]) * cell_size // 2, centre[1] - len(drawing) * cell_size // 2
    for y, row in enumerate(drawing):
        for x, sign in enumerate(row):
            if sign == "#":
                blit_picture(
                    surface, render_cell(cell_size, letter, state, style), (left + x * cell_size, top + y * cell_size)
                )


def draw_stack(
    surface: pygame.Surface, top_left: PixelPoint, cell_size: int, stack: Stack, state: str, style: BoardStyle
) -> None:
    """The cells that are filled, as far as they are visible."""
    if rows := stack.rows[: stack.height]:
        picture = render_stack(cell_size, rows, state, style)
        blit_picture(surface, picture, get_cell_position(top_left, cell_size, stack.height, 0, len(rows) - 1))


@lru_cache(_STACK_CACHE_SIZE)
def render_stack(cell_size: int, rows: tuple[str, ...], state: str, style: BoardStyle) -> pygame.Surface:
    """Rows of cells, counted from the floor: drawn once while nothing locks. Do not draw on it: it is shared."""
    surface = pygame.Surface((BOARD_WIDTH * cell_size, len(rows) * cell_size), pygame.SRCALPHA, 32)
    pictures = {letter: render_cell(cell_size, letter, state, style) for letter in set("".join(rows)) - {EMPTY_CELL}}
    cells = [
        (pictures[letter], (column * cell_size, (len(rows) - 1 - row) * cell_size))
        for row, letters in enumerate(rows)
        for column, letter in enumerate(letters)
        if letter != EMPTY_CELL
    ]
    surface.fblits(cells, pygame.BLEND_PREMULTIPLIED)
    return surface


def flash_row(
    surface: pygame.Surface, top_left: PixelPoint, cell_size: int, stack: Stack, row: int, whiteness: float
) -> None:
    """Let the filled cells of a visible row shine."""
    light = pygame.Surface((cell_size, cell_size), pygame.SRCALPHA, 32)
    light.fill(premultiply_colour(WHITE, whiteness))
    for column in range(BOARD_WIDTH):
        if row < stack.height and stack.get_cell(column, row) != EMPTY_CELL:
            blit_picture(surface, light, get_cell_position(top_left, cell_size, stack.height, column, row))


def to_picture_cells(cells: Iterable[Cell]) -> tuple[int, int, frozenset[Cell]]:
    """The leftmost column and the highest row of cells, and the cells counted from there, rightwards and downwards."""
    known = list(cells)
    left, top = min(column for column, _ in known), max(row for _, row in known)
    return left, top, frozenset((column - left, top - row) for column, row in known)


@lru_cache(_WELL_CACHE_SIZE)
def render_well(cell_size: int, height: int, has_grid: bool = True) -> pygame.Surface:
    """An empty board with its frame. Do not draw on it: it is shared."""
    radius, frame = (
        (_CORNER_RADIUS if cell_size >= MIN_ROUNDED_CELL_SIZE else _SMALL_CORNER_RADIUS),
        get_frame_width(cell_size),
    )
    surface = render_rounded_rect(compute_board_size(cell_size, height), radius, BOARD_BACKGROUND, BOARD_OUTLINE).copy()
    if has_grid and cell_size >= _MIN_GRID_CELL_SIZE:
        for column in range(1, BOARD_WIDTH):
            surface.fill(premultiply_colour(WELL_GRID), (frame + column * cell_size, frame, 1, height * cell_size))
        for row in range(1, height):
            surface.fill(premultiply_colour(WELL_GRID), (frame, frame + row * cell_size, BOARD_WIDTH * cell_size, 1))
    return surface


@contextmanager
def clip_to(surface: pygame.Surface, area: pygame.Rect) -> Iterator[None]:
    """Draw within an area alone, and within what was allowed before."""
    before = surface.get_clip()
    surface.set_clip(area.clip(before))
    try:
        yield
    finally:
        surface.set_clip(before)
