"""A board that moves: pieces slide, lock and leave a trail, full rows shine, open and go. No game waits for it."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from tetrion.app.games.game_tracker import LockedPiece
from tetrion.board import Placement
from tetrion.drawing import board_animation
from tetrion.drawing.board_drawing import draw_board, draw_contour
from tetrion.drawing.contours import Contour, make_ghost_contour
from tetrion.drawing.palette import get_piece_colours
from tetrion.drawing.pen import FittedBoard, Pen
from tetrion.drawing.stack import Stack

_SLIDE_SECONDS, _LOCK_FADE_SECONDS = (
    board_animation.SLIDE_MILLISECONDS / 1000,
    board_animation.LOCK_MILLISECONDS / 1000,
)  # seconds: a column, and a lock or a trail
_CLEAR_SECONDS = board_animation.CLEAR_MILLISECONDS / 1000
_STATIC_FLASH_STRENGTH, _STATIC_CLEAR_SECONDS = (
    0.5,
    0.2,
)  # without motion: how white full rows are, and for how many seconds
_MIN_TRAIL_ROWS = 3  # rows


@dataclass
class SlideAnimation:
    """How far to the side of its place the piece is seen, in columns, and since when."""

    start_offset: float = 0.0
    age: float = _SLIDE_SECONDS

    @property
    def offset(self) -> float:
        """How far it is now: fast at first."""
        return self.start_offset * (1 - min(1.0, self.age / _SLIDE_SECONDS)) ** 2


class BoardAnimator:
    """What moves on a board; tell it what happens, and draw the board by it."""

    def __init__(self, has_animation: bool = True) -> None:
        self.has_animation = has_animation
        self.slide = SlideAnimation()
        self._last_piece: tuple[int, Placement] | None = None
        self._last_lock: LockedPiece | None = None
        self._trail: tuple[Placement, Placement] | None = None  # where it ends, and where it begins
        self._lock_age = 0.0
        self._trail_age = _LOCK_FADE_SECONDS

    def update(self, seconds: float) -> None:
        """Let time pass."""
        self.slide.age += seconds
        self._lock_age += seconds
        self._trail_age += seconds
        if self._last_lock and self._lock_age >= self._get_lock_seconds(self._last_lock):
            self._last_lock = None

    def track_piece(self, falling: Placement | None, number: int) -> None:
        """The piece of that number is there now."""
        before, self._last_piece = self._last_piece, (number, falling) if falling else None
        if not falling or not before or before[0] != number or before[1].rotation != falling.rotation:
            self.slide = SlideAnimation()
            return
        was = before[1]
        if was.column != falling.column:
            self.slide = SlideAnimation(was.column - falling.column + self.slide.offset, 0.0)
        if was.row - falling.row >= _MIN_TRAIL_ROWS:
            self._begin_trail(was, falling)

    def add_lock(self, lock: LockedPiece) -> None:
        """A piece has come to rest."""
        if self._last_piece and self._last_piece[1].piece == lock.placement.piece:
            was = self._last_piece[1]
            same = (was.rotation, was.column) == (lock.placement.rotation, lock.placement.column)
            if same and was.row - lock.placement.row >= _MIN_TRAIL_ROWS:
                self._begin_trail(was, lock.placement)
        self._last_lock = lock
        self._lock_age = 0.0

    @property
    def is_clearing(self) -> bool:
        """Whether full rows are still seen."""
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
        """Draw a board on which that stands."""
        surface = pen.surface
        place = pen.to_pixel_point(fitted.box.topleft)
        cell = fitted.cell_size
        clearing = self._last_lock if self._last_lock and self._last_lock.full_rows else None
        shown = clearing.stack_before_clear if clearing else stack
        if not self.has_animation:
            flash = dict.fromkeys(clearing.full_rows, _STATIC_FLASH_STRENGTH) if clearing else None
            draw_board(
                surface, place, cell, shown, active=active, ghost=ghost, contours=contours, flash=flash, style=pen.style
            )
            return
        outlined = list(contours)
        if ghost and not clearing:
            outlined.insert(0, (ghost, make_ghost_contour(get_piece_colours(pen.style.palette)[ghost.piece])))

        def over() -> None:
            for placement, contour in outlined:
                draw_contour(surface, place, cell, stack.height, placement.cells, contour=contour)

        landed, above, age = self._get_landed_piece()
        seen = board_animation.AnimatedBoard(
            shown,
            active,
            (self.slide.offset, 0.0),
            landed,
            above,
            1000 * age,
            1000 * self._lock_age if clearing else None,
        )
        board_animation.draw_animated_board(surface, place, cell, seen, style=pen.style, draw_above=over)

    def _get_landed_piece(self) -> tuple[Placement | None, Placement | None, float]:
        """The piece that has just dropped or come to rest, from where it has dropped, and how long ago."""
        if self._trail and self._trail_age < _LOCK_FADE_SECONDS:
            return *self._trail, self._trail_age
        if self._last_lock and not self._last_lock.full_rows and self._lock_age < _LOCK_FADE_SECONDS:
            return self._last_lock.placement, None, self._lock_age
        return None, None, 0.0

    def _get_lock_seconds(self, lock: LockedPiece) -> float:
        if not lock.full_rows:
            return _LOCK_FADE_SECONDS
        return _CLEAR_SECONDS if self.has_animation else _STATIC_CLEAR_SECONDS

    def _begin_trail(self, was: Placement, now: Placement) -> None:
        above = replace(now, row=was.row)  # a piece may have moved aside in the same moment
        self._trail = (now, above)
        self._trail_age = 0.0
