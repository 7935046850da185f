"""An animated board: a piece slides, drops and locks; full rows flash, empty from the middle outwards, and disappear.

`draw_animated_board` draws the progress of animations whose time the caller keeps; a `BoardAnimator` keeps it itself.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache, partial

import pygame

from tetrion.board import EMPTY_CELL, Placement
from tetrion.drawing.board_drawing import (
    DrawCallback,
    PixelPoint,
    clip_to,
    draw_board,
    draw_contour,
    get_cell_position,
    get_frame_width,
    render_stack,
)
from tetrion.drawing.cells import ACTIVE_CELL, LOCKED_CELL, Contour, render_cell
from tetrion.drawing.palette import (
    BACKGROUND,
    BOARD_BACKGROUND,
    DEFAULT_BOARD_STYLE,
    GRID_LINE_COLOUR,
    BoardStyle,
    get_piece_colours,
    mix_colours,
)
from tetrion.drawing.pen import FittedBoard, Pen
from tetrion.drawing.shapes import blit_picture, premultiply_colour, render_rounded_rect
from tetrion.engine.pieces import BOARD_WIDTH
from tetrion.stack import LockedPiece, Stack

SLIDE_MILLISECONDS = 60  # per column
LOCK_MILLISECONDS = 90  # also for trails
_FLASH_MILLISECONDS = 80
_OPEN_MILLISECONDS = 160
_FALL_MILLISECONDS = 120
CLEAR_MILLISECONDS = _FLASH_MILLISECONDS + _OPEN_MILLISECONDS + _FALL_MILLISECONDS
_STATIC_CLEAR_MILLISECONDS = 200  # with reduced motion
_FLASH_WHITENESS = 0.7  # share of white in flashing rows
_STATIC_WHITENESS = 0.5  # with reduced motion
_TRAIL_ALPHA = 0.20  # opacity of a trail at its lower end
_MIN_TRAIL_ROWS = 3
_FADE_STEPS = 8  # number of different opacities while fading
_CACHE_SIZE = 256


@dataclass(frozen=True)
class AnimatedBoard:
    """The stack of a board and its animations.

    `active` is the piece in play, drawn `active_offset` columns and rows from its position; `ghost` is where it will
    land. `landed` is a piece that locked `lock_elapsed` milliseconds ago after a drop from `dropped_from`.
    `clear_elapsed` is the number of milliseconds since the full rows began to disappear.
    """

    stack: Stack
    active: Placement | None = None
    active_offset: tuple[float, float] = (0.0, 0.0)
    landed: Placement | None = None
    dropped_from: Placement | None = None
    lock_elapsed: float = 0.0
    clear_elapsed: float | None = None
    is_over: bool = False
    ghost: Placement | None = None


def ease_out(progress: float) -> float:
    """Map the progress of a movement (0 to 1) so that it slows down towards its end."""
    return 1 - (1 - max(0.0, min(1.0, progress))) ** 3


def draw_animated_board(
    surface: pygame.Surface,
    top_left: PixelPoint,
    cell_size: int,
    board: AnimatedBoard,
    *,
    style: BoardStyle = DEFAULT_BOARD_STYLE,
    draw_below: DrawCallback | None = None,
    draw_above: DrawCallback | None = None,
) -> pygame.Rect:
    """Draw an animated board with the top-left corner of its frame at `top_left`; return the area it covers."""
    stack = shown_stack = board.stack
    flash: dict[int, float] = {}
    fall_elapsed = 0.0
    if board.clear_elapsed is not None:
        flash = dict.fromkeys(stack.full_rows, _FLASH_WHITENESS * min(1.0, board.clear_elapsed / _FLASH_MILLISECONDS))
        open_elapsed = board.clear_elapsed - _FLASH_MILLISECONDS
        fall_elapsed = open_elapsed - _OPEN_MILLISECONDS
        if fall_elapsed > 0:
            shown_stack = Stack(height=stack.height)
        elif open_elapsed > 0:
            shown_stack = stack.with_opened_rows(round(open_elapsed / _OPEN_MILLISECONDS * BOARD_WIDTH / 2))
    get_position = partial(get_cell_position, top_left, cell_size, stack.height)

    def draw_falling_rows() -> None:
        removed_rows = 0
        for row, letters in enumerate(stack.rows[: stack.height]):
            removed_rows += EMPTY_CELL not in letters
            if EMPTY_CELL in letters:
                x, y = get_position(0, row)
                offset = round(ease_out(fall_elapsed / _FALL_MILLISECONDS) * removed_rows * cell_size)
                blit_picture(surface, render_stack(cell_size, (letters,), LOCKED_CELL, style), (x, y + offset))

    def draw_landed_piece(piece: Placement, start: Placement | None, strength: float) -> None:
        steps = round(_FADE_STEPS * strength)
        for column in {column for column, _ in piece.cells} if start else ():
            top, bottom = (max(row for x, row in each.cells if x == column) for each in (start or piece, piece))
            if top > bottom:
                colour = get_piece_colours(style.palette)[piece.piece]
                picture = render_trail(cell_size, (top - bottom) * cell_size, colour, steps)
                blit_picture(surface, picture, get_position(column, top))
        for cell in piece.cells:
            blit_picture(surface, render_faded_cell(cell_size, piece.piece, steps, style), get_position(*cell))

    def draw_over() -> None:
        if fall_elapsed > 0:
            draw_falling_rows()
        if draw_above:
            draw_above()
        strength = 1 - board.lock_elapsed / LOCK_MILLISECONDS
        if board.landed and strength > 0:
            draw_landed_piece(board.landed, board.dropped_from, strength)
        if board.active:
            picture = render_cell(cell_size, board.active.piece, ACTIVE_CELL, style)
            positions = map(get_position, *zip(*board.active.cells, strict=True))
            draw_moved_cells(surface, picture, positions, board.active_offset)

    return draw_board(
        surface,
        top_left,
        cell_size,
        shown_stack,
        ghost=board.ghost,
        flash=flash,
        is_over=board.is_over,
        style=style,
        draw_below=draw_below,
        draw_above=draw_over,
    )


def draw_moved_cells(
    surface: pygame.Surface, picture: pygame.Surface, positions: Iterable[PixelPoint], offset: tuple[float, float]
) -> None:
    """Draw the picture of a cell at all positions, moved by an offset in columns and rows."""
    right, up = (round(part * picture.width) for part in offset)
    surface.fblits([(picture, (x + right, y - up)) for x, y in positions], pygame.BLEND_PREMULTIPLIED)


@lru_cache(_CACHE_SIZE)
def render_faded_cell(cell_size: int, letter: str, strength: int, style: BoardStyle) -> pygame.Surface:
    """Render an active cell with an opacity from 0 to `_FADE_STEPS`. The result is cached: do not draw on it."""
    picture = render_cell(cell_size, letter, ACTIVE_CELL, style).copy()
    alpha = 255 * strength // _FADE_STEPS
    picture.fill((alpha, alpha, alpha, alpha), special_flags=pygame.BLEND_RGBA_MULT)
    return picture


@lru_cache(_CACHE_SIZE)
def render_trail(cell_size: int, height: int, colour: str, strength: int) -> pygame.Surface:
    """Render the trail of a drop in one column, stronger towards its end. The result is cached: do not draw on it."""
    surface = pygame.Surface((cell_size, height), pygame.SRCALPHA, 32)
    for row in range(height):
        alpha = _TRAIL_ALPHA * strength / _FADE_STEPS * row / height
        surface.fill(premultiply_colour(colour, alpha), (0, row, cell_size, 1))
    return surface


class BoardAnimator:
    """The animation state of a board: report events with `track_piece` and `add_lock`, then call `draw`.

    It never delays the game.
    """

    def __init__(self, has_animation: bool = True) -> None:
        self.has_animation = has_animation
        self._last_piece: tuple[int, Placement] | None = None
        self._last_lock: LockedPiece | None = None
        self._trail: tuple[Placement, Placement] | None = None  # start and end
        self._slide_start = 0.0  # columns from the position of the piece, at the start of a sideways slide
        # milliseconds
        self._slide_age = 0.0
        self._lock_age = 0.0
        self._trail_age = 0.0

    def update(self, seconds: float) -> None:
        """Advance the animations by `seconds`."""
        self._slide_age += 1000 * seconds
        self._lock_age += 1000 * seconds
        self._trail_age += 1000 * seconds
        if self._trail_age >= LOCK_MILLISECONDS:
            self._trail = None
        clear_time = CLEAR_MILLISECONDS if self.has_animation else _STATIC_CLEAR_MILLISECONDS
        if self._lock_age >= (clear_time if self.is_clearing else LOCK_MILLISECONDS):
            self._last_lock = None

    def track_piece(self, falling: Placement | None, number: int) -> None:
        """Report the current placement of the piece `number` (counted from 0); None if no piece is falling."""
        previous = self._last_piece
        self._last_piece = (number, falling) if falling else None
        if not falling or not previous or previous[0] != number or previous[1].rotation != falling.rotation:
            self._slide_start = 0.0
            return
        before = previous[1]
        if before.column != falling.column:
            self._slide_start = before.column - falling.column + self._get_slide_offset()
            self._slide_age = 0.0
        self._begin_trail(before, falling)

    def add_lock(self, lock: LockedPiece) -> None:
        """Report a piece that has locked."""
        if self._last_piece and self._last_piece[1].piece == lock.placement.piece:
            before = self._last_piece[1]
            if (before.rotation, before.column) == (lock.placement.rotation, lock.placement.column):
                self._begin_trail(before, lock.placement)
        self._last_lock = lock
        self._lock_age = 0.0

    @property
    def is_clearing(self) -> bool:
        """Whether full rows are still visible."""
        return self._last_lock is not None and bool(self._last_lock.full_rows)

    def draw(
        self,
        pen: Pen,
        fitted: FittedBoard,
        stack: Stack,
        *,
        active: Placement | None = None,
        ghost: Placement | None = None,
        contours: Iterable[tuple[Placement, Contour]] = (),
    ) -> None:
        """Draw the board with its animations, and the rows above it if the board has them."""
        place = pen.surface, pen.to_pixel_point(fitted.box.topleft), fitted.cell_size
        lock, is_clearing = self._last_lock, self.is_clearing
        shown = lock.stack_before_clear if lock and is_clearing else stack
        offset = (self._get_slide_offset() if self.has_animation else 0.0, 0.0)

        def draw_contours() -> None:
            for placement, contour in contours:
                draw_contour(*place, stack.height, placement.cells, contour=contour)

        if self.has_animation:
            board = AnimatedBoard(shown, active, offset, ghost=None if is_clearing else ghost)
            if self._trail:
                start, end = self._trail
                board = replace(board, landed=end, dropped_from=start, lock_elapsed=self._trail_age)
            elif lock and not is_clearing:
                board = replace(board, landed=lock.placement, lock_elapsed=self._lock_age)
            if is_clearing:
                board = replace(board, clear_elapsed=self._lock_age)
            draw_animated_board(*place, board, style=pen.style, draw_above=draw_contours)
        else:
            flash = dict.fromkeys(lock.full_rows, _STATIC_WHITENESS) if lock else None
            draw_board(*place, shown, active=active, ghost=ghost, contours=contours, flash=flash, style=pen.style)
        draw_entry_rows(pen, fitted, shown, active=active, offset=offset)

    def _begin_trail(self, start: Placement, end: Placement) -> None:
        """Show the trail of a drop over several rows."""
        if start.row - end.row >= _MIN_TRAIL_ROWS:
            self._trail = (replace(end, row=start.row), end)  # it may have moved sideways in the same frame
            self._trail_age = 0.0

    def _get_slide_offset(self) -> float:
        """Return the current distance from the position of the piece in columns, with ease-out."""
        return self._slide_start * (1 - min(1.0, self._slide_age / SLIDE_MILLISECONDS)) ** 2


def draw_entry_rows(
    pen: Pen,
    fitted: FittedBoard,
    stack: Stack,
    *,
    active: Placement | None = None,
    offset: tuple[float, float] = (0.0, 0.0),
) -> None:
    """Draw the rows above a board, if it has such rows, with the cells of the stack and of the piece in play.

    `offset` is the distance in columns and rows between the piece and where it is drawn.
    """
    rows, cell_size = fitted.entry_rows, fitted.cell_size
    if not rows:
        return
    get_position = partial(get_cell_position, pen.to_pixel_point(fitted.box.topleft), cell_size, stack.height)
    area = pygame.Rect(get_position(0, stack.height + rows - 1), (BOARD_WIDTH * cell_size, rows * cell_size))
    blit_picture(pen.surface, render_entry_rows(cell_size, area.height - get_frame_width(cell_size)), area.topleft)
    with clip_to(pen.surface, area):
        for row, letters in enumerate(stack.rows[stack.height : stack.height + rows], stack.height):
            picture = render_stack(cell_size, (letters,), LOCKED_CELL, pen.style)
            blit_picture(pen.surface, picture, get_position(0, row))
        if active:
            picture = render_cell(cell_size, active.piece, ACTIVE_CELL, pen.style)
            draw_moved_cells(pen.surface, picture, map(get_position, *zip(*active.cells, strict=True)), offset)


@lru_cache(16)
def render_entry_rows(cell_size: int, height: int) -> pygame.Surface:
    """Render the empty rows above a board, `height` pixels high. The result is cached: do not draw on it."""
    fill = mix_colours(BACKGROUND, BOARD_BACKGROUND, 0.5)
    surface = render_rounded_rect((BOARD_WIDTH * cell_size, height), 8, fill, GRID_LINE_COLOUR).copy()
    for column in range(1, BOARD_WIDTH):
        surface.fill(premultiply_colour(GRID_LINE_COLOUR), (column * cell_size, 1, 1, height - 1))
    return surface
