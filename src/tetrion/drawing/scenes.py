"""A game as a row of scenes: each placement appears, falls and locks; full rows shine, open and are gone."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import pygame

from tetrion.board import EMPTY_CELL, Placement
from tetrion.drawing.board_drawing import PixelPoint, compute_board_size, draw_board, draw_piece
from tetrion.drawing.board_style import DEFAULT_BOARD_STYLE, BoardStyle
from tetrion.drawing.palette import BACKGROUND, BOARD_OUTLINE, DIM_TEXT, PANEL, STRONG_TEXT
from tetrion.drawing.shapes import PixelSize, blit_picture, render_rounded_rect
from tetrion.drawing.stack import Stack
from tetrion.drawing.text_drawing import draw_text
from tetrion.game import Game

# milliseconds
_APPEAR_MILLISECONDS = 100
_FALL_MILLISECONDS = 40
_LOCK_MILLISECONDS = 80
_FLASH_MILLISECONDS = 80
_OPEN_MILLISECONDS = 80
_END_MILLISECONDS = 2000  # how long the last scene stays
_FALLING_SCENES = 2  # scenes between where a piece appears and where it lies
_FLASH_WHITENESS = 0.7  # how much of it shining rows have
_OPENED_COLUMNS = 3  # columns to both sides

_MARGIN = 16
_PANEL_GAP = 12
_PANEL_PADDING = 16
_PANEL_RADIUS = 12
_SIDE_PANEL_WIDTH = 136  # the width of what stands beside the board
# heights: of a number, of a panel's title, of the panel that says that a game is over
_ROW_HEIGHT = 28
_TITLE_HEIGHT = 40
_GAME_OVER_HEIGHT = 44
_MAX_LARGE_PIECES = 3  # pieces that are shown larger
_LARGE_CELL_SIZE = 16
_SMALL_CELL_SIZE = 14
_NEXT_PIECE_GAP = 10


@dataclass(frozen=True)
class Scene:
    """What is seen of a game for some milliseconds."""

    stack: Stack
    pieces: int = 0
    lines: int = 0
    score: int = 0
    next: str = ""
    active: Placement | None = None
    ghost: Placement | None = None
    flashing_rows: tuple[int, ...] = ()
    is_over: bool = False
    milliseconds: int = _LOCK_MILLISECONDS


def make_scene(game: Game, stack: Stack) -> Scene:
    """A game between two pieces, what stands on its board being known."""
    return Scene(
        stack, game.pieces, game.lines, game.score, game.next, is_over=game.is_over, milliseconds=_END_MILLISECONDS
    )


def animate_placement(game: Game, stack: Stack, placement: Placement) -> Iterator[Scene]:
    """Make a placement in a game whose stack is given, scene by scene; `stack.after` is what stands then."""
    scene = make_scene(game, stack)
    for number, row in enumerate(choose_falling_rows(stack, placement)):
        milliseconds = _FALL_MILLISECONDS if number else _APPEAR_MILLISECONDS
        yield replace(scene, active=replace(placement, row=row), ghost=placement, milliseconds=milliseconds)
    lying = stack.with_locked_piece(placement)
    full = lying.full_rows if game.place(placement) else ()
    yield replace(
        scene, stack=lying, flashing_rows=full, milliseconds=_FLASH_MILLISECONDS if full else _LOCK_MILLISECONDS
    )
    if full:
        yield replace(
            scene, stack=lying.with_opened_rows(_OPENED_COLUMNS), flashing_rows=full, milliseconds=_OPEN_MILLISECONDS
        )


def choose_falling_rows(stack: Stack, placement: Placement) -> list[int]:
    """A few rows that a piece passes as it falls to its place, leaving out those where something is in its way."""
    tall = 1 + max(row for _, row in placement.cells) - placement.row
    top = max(stack.height - tall, placement.row)
    free = [row for row in range(top, placement.row, -1) if fits_on_stack(stack, replace(placement, row=row))]
    return (
        list(dict.fromkeys(free[len(free) * step // (_FALLING_SCENES + 1)] for step in range(_FALLING_SCENES + 1)))
        if free
        else []
    )


def fits_on_stack(stack: Stack, placement: Placement) -> bool:
    """Whether nothing stands where a piece would be."""
    return all(stack.get_cell(column, row) == EMPTY_CELL for column, row in placement.cells)


def lower_into_view(stack: Stack, placement: Placement) -> Placement:
    """A piece above the visible rows, lowered until it is seen or something is in its way; others as they are."""
    while max(row for _, row in placement.cells) >= stack.height and placement.row:
        lower = replace(placement, row=placement.row - 1)
        if not fits_on_stack(stack, lower):
            break
        placement = lower
    return placement


def compute_scene_size(cell_size: int, height: int, preview: int) -> PixelSize:
    """How wide and high a scene is, on boards with so many visible rows and pieces that are known in advance."""
    wide, high = compute_board_size(cell_size, height)
    column = (
        compute_numbers_height() + _PANEL_GAP + max(compute_next_height(preview) if preview else 0, _GAME_OVER_HEIGHT)
    )
    return 2 * _MARGIN + wide + _PANEL_GAP + _SIDE_PANEL_WIDTH, 2 * _MARGIN + max(high, column)


def draw_scene(surface: pygame.Surface, scene: Scene, cell_size: int, style: BoardStyle = DEFAULT_BOARD_STYLE) -> None:
    """Draw a scene from the upper left corner of a surface."""
    surface.fill(BACKGROUND)
    shining = dict.fromkeys(scene.flashing_rows, _FLASH_WHITENESS)
    covered = draw_board(
        surface,
        (_MARGIN, _MARGIN),
        cell_size,
        scene.stack,
        active=scene.active,
        ghost=scene.ghost,
        flash=shining,
        is_over=scene.is_over,
        style=style,
    )
    left = covered.right + _PANEL_GAP
    draw_numbers(surface, (left, _MARGIN), scene)
    below = left, _MARGIN + compute_numbers_height() + _PANEL_GAP
    if scene.is_over:
        blit_picture(
            surface,
            render_rounded_rect((_SIDE_PANEL_WIDTH, _GAME_OVER_HEIGHT), _PANEL_RADIUS, PANEL, BOARD_OUTLINE),
            below,
        )
        draw_text(
            surface, "Game over", (left + _PANEL_PADDING, below[1] + _GAME_OVER_HEIGHT // 2), 16, True, STRONG_TEXT
        )
    elif scene.next:
        draw_next(surface, below, scene.next, style)


def compute_numbers_height() -> int:
    """How high the panel of numbers is."""
    return 3 * _ROW_HEIGHT + _PANEL_PADDING


def draw_numbers(surface: pygame.Surface, top_left: PixelPoint, scene: Scene) -> None:
    """A panel with the pieces, lines and score so far."""
    blit_picture(
        surface,
        render_rounded_rect((_SIDE_PANEL_WIDTH, compute_numbers_height()), _PANEL_RADIUS, PANEL, BOARD_OUTLINE),
        top_left,
    )
    numbers = (("Pieces", scene.pieces), ("Lines", scene.lines), ("Score", scene.score))
    for row, (name, number) in enumerate(numbers):
        height = top_left[1] + _PANEL_PADDING // 2 + row * _ROW_HEIGHT + _ROW_HEIGHT // 2
        draw_text(surface, name, (top_left[0] + _PANEL_PADDING, height), 14, False, DIM_TEXT)
        draw_text(
            surface,
            f"{number:,}",
            (top_left[0] + _SIDE_PANEL_WIDTH - _PANEL_PADDING, height),
            16,
            True,
            STRONG_TEXT,
            align=1,
        )


def get_next_cell_size(pieces: int) -> int:
    """The size of cells of the next pieces, if there are so many."""
    return _LARGE_CELL_SIZE if pieces <= _MAX_LARGE_PIECES else _SMALL_CELL_SIZE


def compute_next_height(pieces: int) -> int:
    """How high the panel of so many next pieces is."""
    return _TITLE_HEIGHT + pieces * (2 * get_next_cell_size(pieces) + _NEXT_PIECE_GAP) + _NEXT_PIECE_GAP // 2


def draw_next(surface: pygame.Surface, top_left: PixelPoint, letters: str, style: BoardStyle) -> None:
    """A panel with the pieces that are known to come."""
    cell = get_next_cell_size(len(letters))
    blit_picture(
        surface,
        render_rounded_rect(
            (_SIDE_PANEL_WIDTH, compute_next_height(len(letters))), _PANEL_RADIUS, PANEL, BOARD_OUTLINE
        ),
        top_left,
    )
    draw_text(surface, "Next", (top_left[0] + _PANEL_PADDING, top_left[1] + 24), 14, True, DIM_TEXT)
    for number, letter in enumerate(letters):
        height = top_left[1] + _TITLE_HEIGHT + number * (2 * cell + _NEXT_PIECE_GAP) + cell
        draw_piece(surface, (top_left[0] + _SIDE_PANEL_WIDTH // 2, height), cell, letter, style=style)
