"""Drawing of a board: frame, stack, active piece, ghost and other outlines."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache

import pygame

from tetrion.board import EMPTY_CELL, Cell, Placement
from tetrion.drawing.cells import (
    ACTIVE_CELL,
    GAME_OVER_CELL,
    LOCKED_CELL,
    MIN_ROUNDED_CELL_SIZE,
    Contour,
    make_ghost_contour,
    render_cell,
    render_contour,
)
from tetrion.drawing.palette import (
    BOARD_BACKGROUND,
    BOARD_OUTLINE,
    DEFAULT_BOARD_STYLE,
    GRID_LINE_COLOUR,
    WHITE,
    BoardStyle,
    get_piece_colours,
)
from tetrion.drawing.shapes import PixelSize, blit_picture, premultiply_colour, render_overlay, render_rounded_rect
from tetrion.engine.pieces import BOARD_WIDTH
from tetrion.game_facts import get_flat_drawing
from tetrion.stack import Stack

_MIN_GRID_CELL_SIZE = 14  # smaller cells have no grid lines
_EMPTY_BOARD_CACHE_SIZE = 64
_STACK_CACHE_SIZE = 96

PixelPoint = tuple[int, int]
DrawCallback = Callable[[], None]  # draws additional content of the caller


def get_frame_width(cell_size: int) -> int:
    """Return the width of the frame in pixels, including its outline."""
    return 4 if cell_size >= MIN_ROUNDED_CELL_SIZE else 3


def compute_board_size(cell_size: int, height: int = 20) -> PixelSize:
    """Return the width and height of a board with its frame, in pixels; `height` is the number of visible rows."""
    frame = get_frame_width(cell_size)
    return BOARD_WIDTH * cell_size + 2 * frame, height * cell_size + 2 * frame


def get_cell_position(top_left: PixelPoint, cell_size: int, height: int, column: int, row: int) -> PixelPoint:
    """Return the top-left corner of a cell, on a board of `height` rows whose frame begins at `top_left`."""
    frame = get_frame_width(cell_size)
    return top_left[0] + frame + column * cell_size, top_left[1] + frame + (height - 1 - row) * cell_size


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
    """Draw the visible rows of a board with the top-left corner of its frame at `top_left`; return the area it covers.

    `active` is the piece in play, `ghost` its landing position; `contours` are further outlined placements. `flash`
    maps rows to their share of white (0 to 1). `is_over` draws the stack in grey. `draw_below` draws between the
    background and the stack, `draw_above` between the stack and the piece in play; both are clipped to the cells.
    """
    blit_picture(surface, render_empty_board(cell_size, stack.height, style.has_grid), top_left)
    covered = pygame.Rect(top_left, compute_board_size(cell_size, stack.height))
    frame = get_frame_width(cell_size)
    with clip_to(surface, covered.inflate(-2 * frame, -2 * frame)):
        if draw_below:
            draw_below()
        if rows := stack.rows[: stack.height]:
            picture = render_stack(cell_size, rows, GAME_OVER_CELL if is_over else LOCKED_CELL, style)
            blit_picture(surface, picture, get_cell_position(top_left, cell_size, stack.height, 0, len(rows) - 1))
        for row, whiteness in (flash or {}).items():
            for column, letter in enumerate(stack.rows[row] if row < min(stack.height, len(stack.rows)) else ""):
                if letter != EMPTY_CELL:
                    position = get_cell_position(top_left, cell_size, stack.height, column, row)
                    blit_picture(surface, render_overlay((cell_size, cell_size), 0, WHITE, whiteness), position)
        if ghost:
            contours = [(ghost, make_ghost_contour(get_piece_colours(style.palette)[ghost.piece])), *contours]
        for placement, contour in contours:
            draw_contour(surface, top_left, cell_size, stack.height, placement.cells, contour=contour)
        if draw_above:
            draw_above()
        if active:
            picture = render_cell(cell_size, active.piece, ACTIVE_CELL, style)
            for cell in active.cells:
                blit_picture(surface, picture, get_cell_position(top_left, cell_size, stack.height, *cell))
    return covered


def draw_contour(
    surface: pygame.Surface,
    top_left: PixelPoint,
    cell_size: int,
    height: int,
    cells: Iterable[Cell],
    *,
    contour: Contour,
) -> None:
    """Outline cells on a board of `height` visible rows whose frame begins at `top_left`."""
    board_cells = list(cells)
    left = min(column for column, _ in board_cells)
    top = max(row for _, row in board_cells)
    shape = frozenset((column - left, top - row) for column, row in board_cells)
    picture = render_contour(cell_size, shape, contour)
    blit_picture(surface, picture, get_cell_position(top_left, cell_size, height, left, top))


def draw_piece(
    surface: pygame.Surface,
    centre: PixelPoint,
    cell_size: int,
    letter: str,
    state: str = ACTIVE_CELL,
    *,
    rotation: str = "",
    style: BoardStyle = DEFAULT_BOARD_STYLE,
) -> None:
    """Draw a piece around a centre as it spawns in a rotation system; by default, T, J and L point up."""
    drawing = get_flat_drawing(letter, rotation)
    left, top = centre[0] - len(drawing[0]) * cell_size // 2, centre[1] - len(drawing) * cell_size // 2
    picture = render_cell(cell_size, letter, state, style)
    for y, row in enumerate(drawing):
        for x, character in enumerate(row):
            if character == "#":
                blit_picture(surface, picture, (left + x * cell_size, top + y * cell_size))


@lru_cache(_STACK_CACHE_SIZE)
def render_stack(cell_size: int, rows: tuple[str, ...], state: str, style: BoardStyle) -> pygame.Surface:
    """Render rows of cells, listed from the floor up. The result is cached: do not draw on it."""
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


@lru_cache(_EMPTY_BOARD_CACHE_SIZE)
def render_empty_board(cell_size: int, height: int, has_grid: bool = True) -> pygame.Surface:
    """Render an empty board with its frame. The result is cached: do not draw on it."""
    radius = 10 if cell_size >= MIN_ROUNDED_CELL_SIZE else 5
    frame = get_frame_width(cell_size)
    surface = render_rounded_rect(compute_board_size(cell_size, height), radius, BOARD_BACKGROUND, BOARD_OUTLINE).copy()
    if has_grid and cell_size >= _MIN_GRID_CELL_SIZE:
        line = premultiply_colour(GRID_LINE_COLOUR)
        for column in range(1, BOARD_WIDTH):
            surface.fill(line, (frame + column * cell_size, frame, 1, height * cell_size))
        for row in range(1, height):
            surface.fill(line, (frame, frame + row * cell_size, BOARD_WIDTH * cell_size, 1))
    return surface


@contextmanager
def clip_to(surface: pygame.Surface, area: pygame.Rect) -> Iterator[None]:
    """Restrict drawing to an area (within the previous clip area) inside this context."""
    previous = surface.get_clip()
    surface.set_clip(area.clip(previous))
    try:
        yield
    finally:
        surface.set_clip(previous)
