"""The animation of a board: sliding pieces, drop trails, locks and line clears; it never delays the game."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from tetrion.board import Placement
from tetrion.drawing import board_animation
from tetrion.drawing.board_drawing import draw_board, draw_contour
from tetrion.drawing.contours import Contour
from tetrion.drawing.entry_rows import draw_entry_rows
from tetrion.drawing.pen import FittedBoard, Pen
from tetrion.stack import LockedPiece, Stack

_SLIDE_SECONDS = board_animation.SLIDE_MILLISECONDS / 1000  # per column
_LOCK_FADE_SECONDS = board_animation.LOCK_MILLISECONDS / 1000  # also for trails
_CLEAR_SECONDS = board_animation.CLEAR_MILLISECONDS / 1000
_STATIC_FLASH_STRENGTH = 0.5  # whiteness of full rows with reduced motion
_STATIC_CLEAR_SECONDS = 0.2  # with reduced motion
_MIN_TRAIL_ROWS = 3


@dataclass
class SlideAnimation:
    """A sideways slide of the current piece; `start_offset` is in columns."""

    start_offset: float = 0.0
    age: float = _SLIDE_SECONDS

    @property
    def offset(self) -> float:
        """The current distance from the position of the piece in columns, with ease-out."""
        return self.start_offset * (1 - min(1.0, self.age / _SLIDE_SECONDS)) ** 2


class BoardAnimator:
    """The animation state of a board: report events with `track_piece` and `add_lock`, then call `draw`."""

    def __init__(self, has_animation: bool = True) -> None:
        self.has_animation = has_animation
        self.slide = SlideAnimation()
        self._last_piece: tuple[int, Placement] | None = None
        self._last_lock: LockedPiece | None = None
        self._trail: tuple[Placement, Placement] | None = None  # end and start
        self._lock_age = 0.0
        self._trail_age = _LOCK_FADE_SECONDS

    def update(self, seconds: float) -> None:
        """Advance the animations by `seconds`."""
        self.slide.age += seconds
        self._lock_age += seconds
        self._trail_age += seconds
        if self._last_lock and self._lock_age >= self._get_lock_seconds(self._last_lock):
            self._last_lock = None

    def track_piece(self, falling: Placement | None, number: int) -> None:
        """Report the current placement of the piece `number` (counted from 0); None if no piece is falling."""
        previous = self._last_piece
        self._last_piece = (number, falling) if falling else None
        if not falling or not previous or previous[0] != number or previous[1].rotation != falling.rotation:
            self.slide = SlideAnimation()
            return
        before = previous[1]
        if before.column != falling.column:
            self.slide = SlideAnimation(before.column - falling.column + self.slide.offset, 0.0)
        if before.row - falling.row >= _MIN_TRAIL_ROWS:
            self._begin_trail(before, falling)

    def add_lock(self, lock: LockedPiece) -> None:
        """Report a piece that has locked."""
        if self._last_piece and self._last_piece[1].piece == lock.placement.piece:
            before = self._last_piece[1]
            is_drop = (before.rotation, before.column) == (lock.placement.rotation, lock.placement.column)
            if is_drop and before.row - lock.placement.row >= _MIN_TRAIL_ROWS:
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
        self._draw_board(pen, fitted, stack, active=active, ghost=ghost, contours=contours)
        offset = (self.slide.offset if self.has_animation else 0.0, 0.0)
        draw_entry_rows(pen, fitted, self._get_shown_stack(stack), active=active, offset=offset)

    def _get_shown_stack(self, stack: Stack) -> Stack:
        """Return the stack that is drawn: full rows are still visible while they are cleared."""
        return self._last_lock.stack_before_clear if self._last_lock and self._last_lock.full_rows else stack

    def _draw_board(
        self,
        pen: Pen,
        fitted: FittedBoard,
        stack: Stack,
        *,
        active: Placement | None,
        ghost: Placement | None,
        contours: Iterable[tuple[Placement, Contour]],
    ) -> None:
        surface = pen.surface
        origin = pen.to_pixel_point(fitted.box.topleft)
        cell = fitted.cell_size
        clearing = self._last_lock if self._last_lock and self._last_lock.full_rows else None
        shown = self._get_shown_stack(stack)
        if not self.has_animation:
            flash = dict.fromkeys(clearing.full_rows, _STATIC_FLASH_STRENGTH) if clearing else None
            draw_board(
                surface,
                origin,
                cell,
                shown,
                active=active,
                ghost=ghost,
                contours=contours,
                flash=flash,
                style=pen.style,
            )
            return

        def draw_contours() -> None:
            for placement, contour in contours:
                draw_contour(surface, origin, cell, stack.height, placement.cells, contour=contour)

        landed, above, age = self._get_landed_piece()
        animated_board = board_animation.AnimatedBoard(
            shown,
            active,
            (self.slide.offset, 0.0),
            landed,
            above,
            1000 * age,
            1000 * self._lock_age if clearing else None,
            ghost=None if clearing else ghost,
        )
        board_animation.draw_animated_board(
            surface, origin, cell, animated_board, style=pen.style, draw_above=draw_contours
        )

    def _get_landed_piece(self) -> tuple[Placement | None, Placement | None, float]:
        """Return the piece that has just dropped or locked, the start of its drop or None, and the seconds since."""
        if self._trail and self._trail_age < _LOCK_FADE_SECONDS:
            return *self._trail, self._trail_age
        if self._last_lock and not self._last_lock.full_rows and self._lock_age < _LOCK_FADE_SECONDS:
            return self._last_lock.placement, None, self._lock_age
        return None, None, 0.0

    def _get_lock_seconds(self, lock: LockedPiece) -> float:
        if not lock.full_rows:
            return _LOCK_FADE_SECONDS
        return _CLEAR_SECONDS if self.has_animation else _STATIC_CLEAR_SECONDS

    def _begin_trail(self, start: Placement, end: Placement) -> None:
        above = replace(end, row=start.row)  # the piece may have moved sideways in the same frame
        self._trail = (end, above)
        self._trail_age = 0.0
