"""A game as a sequence of scenes.

Each piece appears, falls and locks; full rows flash, empty from the middle outwards, and disappear.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import pygame

from tetrion.board import Placement
from tetrion.drawing.board_drawing import PixelPoint, compute_board_size, draw_board, draw_piece
from tetrion.drawing.board_style import DEFAULT_BOARD_STYLE, BoardStyle
from tetrion.drawing.palette import BACKGROUND, BOARD_OUTLINE, DIM_TEXT, PANEL, STRONG_TEXT
from tetrion.drawing.shapes import PixelSize, blit_picture, render_rounded_rect
from tetrion.drawing.text_drawing import draw_text
from tetrion.game import Game
from tetrion.stack import Stack

_APPEAR_MILLISECONDS = 100
_FALL_MILLISECONDS = 40
_LOCK_MILLISECONDS = 80
_FLASH_MILLISECONDS = 80
_OPEN_MILLISECONDS = 80
_END_MILLISECONDS = 2000  # duration of the last scene
_FALLING_SCENES = 2  # between the first position of a piece and its landing position
_FLASH_WHITENESS = 0.7  # share of white in flashing rows
_OPENED_COLUMNS = 3  # to each side of the middle

# pixels
_MARGIN = 16
_PANEL_GAP = 12
_PANEL_PADDING = 16
_PANEL_RADIUS = 12
_SIDE_PANEL_WIDTH = 136
_ROW_HEIGHT = 28
_TITLE_HEIGHT = 40
_GAME_OVER_HEIGHT = 44
_LARGE_CELL_SIZE = 16
_SMALL_CELL_SIZE = 14
_NEXT_PIECE_GAP = 10
_MAX_LARGE_PIECES = 3  # longer previews use the small cell size


@dataclass(frozen=True)
class Scene:
    """A state of a game that is shown for `milliseconds`."""

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


def make_scene(game: Game) -> Scene:
    """Return the scene of a game between two pieces."""
    return Scene(
        game.stack, game.pieces, game.lines, game.score, game.next, is_over=game.is_over, milliseconds=_END_MILLISECONDS
    )


def animate_placement(game: Game, placement: Placement) -> Iterator[Scene]:
    """Make a placement in a game and yield its scenes."""
    scene = make_scene(game)
    for number, row in enumerate(choose_falling_rows(game.stack, placement)):
        milliseconds = _FALL_MILLISECONDS if number else _APPEAR_MILLISECONDS
        yield replace(scene, active=replace(placement, row=row), ghost=placement, milliseconds=milliseconds)
    lock = game.stack.lock_piece(placement)
    game.place(placement)
    milliseconds = _FLASH_MILLISECONDS if lock.full_rows else _LOCK_MILLISECONDS
    scene = replace(scene, stack=lock.stack_before_clear, flashing_rows=lock.full_rows, milliseconds=milliseconds)
    yield scene
    if lock.full_rows:
        opened = lock.stack_before_clear.with_opened_rows(_OPENED_COLUMNS)
        yield replace(scene, stack=opened, milliseconds=_OPEN_MILLISECONDS)


def choose_falling_rows(stack: Stack, placement: Placement) -> list[int]:
    """Return a few rows from the top of the board to the placement, without rows where the piece does not fit."""
    piece_height = 1 + max(row for _, row in placement.cells) - placement.row
    top = max(stack.height - piece_height, placement.row)
    free_rows = [row for row in range(top, placement.row, -1) if stack.fits(replace(placement, row=row))]
    if not free_rows:
        return []
    count = _FALLING_SCENES + 1
    return list(dict.fromkeys(free_rows[len(free_rows) * step // count] for step in range(count)))


def lower_into_view(stack: Stack, placement: Placement) -> Placement:
    """Lower a piece that is above the visible rows until it is visible or blocked; return other pieces unchanged."""
    while max(row for _, row in placement.cells) >= stack.height and placement.row:
        lower = replace(placement, row=placement.row - 1)
        if not stack.fits(lower):
            break
        placement = lower
    return placement


def compute_scene_size(cell_size: int, height: int, preview: int) -> PixelSize:
    """Return the size of a scene in pixels, for `height` visible rows and a preview of `preview` pieces."""
    board_width, board_height = compute_board_size(cell_size, height)
    next_height = compute_next_height(preview) if preview else 0
    column_height = compute_numbers_height() + _PANEL_GAP + max(next_height, _GAME_OVER_HEIGHT)
    width = 2 * _MARGIN + board_width + _PANEL_GAP + _SIDE_PANEL_WIDTH
    return width, 2 * _MARGIN + max(board_height, column_height)


def draw_scene(surface: pygame.Surface, scene: Scene, cell_size: int, style: BoardStyle = DEFAULT_BOARD_STYLE) -> None:
    """Draw a scene at the top-left corner of a surface."""
    surface.fill(BACKGROUND)
    flash = dict.fromkeys(scene.flashing_rows, _FLASH_WHITENESS)
    covered = draw_board(
        surface,
        (_MARGIN, _MARGIN),
        cell_size,
        scene.stack,
        active=scene.active,
        ghost=scene.ghost,
        flash=flash,
        is_over=scene.is_over,
        style=style,
    )
    left = covered.right + _PANEL_GAP
    draw_numbers(surface, (left, _MARGIN), scene)
    below = left, _MARGIN + compute_numbers_height() + _PANEL_GAP
    if scene.is_over:
        panel = render_rounded_rect((_SIDE_PANEL_WIDTH, _GAME_OVER_HEIGHT), _PANEL_RADIUS, PANEL, BOARD_OUTLINE)
        blit_picture(surface, panel, below)
        position = (left + _PANEL_PADDING, below[1] + _GAME_OVER_HEIGHT // 2)
        draw_text(surface, "Game over", position, 16, True, colour=STRONG_TEXT)
    elif scene.next:
        draw_next(surface, below, scene.next, style)


def compute_numbers_height() -> int:
    """Return the height of the panel with the counters in pixels."""
    return 3 * _ROW_HEIGHT + _PANEL_PADDING


def draw_numbers(surface: pygame.Surface, top_left: PixelPoint, scene: Scene) -> None:
    """Draw a panel with the pieces, lines and score so far."""
    panel_size = (_SIDE_PANEL_WIDTH, compute_numbers_height())
    blit_picture(surface, render_rounded_rect(panel_size, _PANEL_RADIUS, PANEL, BOARD_OUTLINE), top_left)
    numbers = (("Pieces", scene.pieces), ("Lines", scene.lines), ("Score", scene.score))
    for row, (name, number) in enumerate(numbers):
        height = top_left[1] + _PANEL_PADDING // 2 + row * _ROW_HEIGHT + _ROW_HEIGHT // 2
        right = top_left[0] + _SIDE_PANEL_WIDTH - _PANEL_PADDING
        draw_text(surface, name, (top_left[0] + _PANEL_PADDING, height), 14, colour=DIM_TEXT)
        draw_text(surface, f"{number:,}", (right, height), 16, True, colour=STRONG_TEXT, align=1)


def get_next_cell_size(pieces: int) -> int:
    """Return the cell size of a preview with `pieces` pieces, in pixels."""
    return _LARGE_CELL_SIZE if pieces <= _MAX_LARGE_PIECES else _SMALL_CELL_SIZE


def compute_next_height(pieces: int) -> int:
    """Return the height of a preview panel with `pieces` pieces, in pixels."""
    return _TITLE_HEIGHT + pieces * (2 * get_next_cell_size(pieces) + _NEXT_PIECE_GAP) + _NEXT_PIECE_GAP // 2


def draw_next(surface: pygame.Surface, top_left: PixelPoint, letters: str, style: BoardStyle) -> None:
    """Draw a panel with the next pieces."""
    cell_size = get_next_cell_size(len(letters))
    panel_size = (_SIDE_PANEL_WIDTH, compute_next_height(len(letters)))
    blit_picture(surface, render_rounded_rect(panel_size, _PANEL_RADIUS, PANEL, BOARD_OUTLINE), top_left)
    draw_text(surface, "Next", (top_left[0] + _PANEL_PADDING, top_left[1] + 24), 14, True, colour=DIM_TEXT)
    for number, letter in enumerate(letters):
        height = top_left[1] + _TITLE_HEIGHT + number * (2 * cell_size + _NEXT_PIECE_GAP) + cell_size
        draw_piece(surface, (top_left[0] + _SIDE_PANEL_WIDTH // 2, height), cell_size, letter, style=style)
