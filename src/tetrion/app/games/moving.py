"""A board that moves: pieces slide, lock and leave a trail, full rows shine, open and go. No game waits for it."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from tetrion.app.games.follower import Lock
from tetrion.board import Placement
from tetrion.drawing import motion
from tetrion.drawing.boards import draw_board, draw_contour
from tetrion.drawing.contours import Contour
from tetrion.drawing.contours import ghost as ghost_of
from tetrion.drawing.palette import pieces_of
from tetrion.drawing.pen import Fitted, Pen
from tetrion.drawing.stack import Stack

SLIDE, FADE = motion.SLIDE / 1000, motion.LOCK / 1000  # seconds: a column, and a lock or a trail
CLEAR = motion.CLEAR / 1000
STAYS, STILL = 0.5, 0.2  # without motion: how white full rows are, and for how many seconds
TRAIL_FROM = 3  # rows


@dataclass
class Slide:
    """How far to the side of its place the piece is seen, in columns, and since when."""

    begun: float = 0.0
    age: float = SLIDE

    @property
    def now(self) -> float:
        """How far it is now: fast at first."""
        return self.begun * (1 - min(1.0, self.age / SLIDE)) ** 2


class MovingBoard:
    """What moves on a board; tell it what happens, and draw the board by it."""

    def __init__(self, moves: bool = True) -> None:
        self.moves = moves
        self.slide = Slide()
        self._shown: tuple[int, Placement] | None = None
        self._lock: Lock | None = None
        self._trail: tuple[Placement, Placement] | None = None  # where it ends, and where it begins
        self._age, self._trail_age = 0.0, FADE

    def update(self, seconds: float) -> None:
        """Let time pass."""
        self.slide.age += seconds
        self._age += seconds
        self._trail_age += seconds
        if self._lock and self._age >= self._length(self._lock):
            self._lock = None

    def see(self, falling: Placement | None, number: int) -> None:
        """The piece of that number is there now."""
        before, self._shown = self._shown, (number, falling) if falling else None
        if not falling or not before or before[0] != number or before[1].rotation != falling.rotation:
            self.slide = Slide()
            return
        was = before[1]
        if was.column != falling.column:
            self.slide = Slide(was.column - falling.column + self.slide.now, 0.0)
        if was.row - falling.row >= TRAIL_FROM:
            self._begin_trail(was, falling)

    def lock(self, lock: Lock) -> None:
        """A piece has come to rest."""
        if self._shown and self._shown[1].piece == lock.placement.piece:
            was = self._shown[1]
            same = (was.rotation, was.column) == (lock.placement.rotation, lock.placement.column)
            if same and was.row - lock.placement.row >= TRAIL_FROM:
                self._begin_trail(was, lock.placement)
        self._lock, self._age = lock, 0.0

    @property
    def clearing(self) -> bool:
        """Whether full rows are still seen."""
        return self._lock is not None and bool(self._lock.full)

    def draw(
        self,
        pen: Pen,
        fitted: Fitted,
        stack: Stack,
        *,
        active: Placement | None = None,
        ghost: Placement | None = None,
        contours: Iterable[tuple[Placement, Contour]] = (),
    ) -> None:
        """Draw a board on which that stands."""
        surface, place, cell = pen.surface, pen.point(fitted.box.topleft), fitted.cell
        clearing = self._lock if self._lock and self._lock.full else None
        shown = clearing.lying if clearing else stack
        if not self.moves:
            flash = dict.fromkeys(clearing.full, STAYS) if clearing else None
            draw_board(
                surface, place, cell, shown, active=active, ghost=ghost, contours=contours, flash=flash, look=pen.look
            )
            return
        outlined = list(contours)
        if ghost and not clearing:
            outlined.insert(0, (ghost, ghost_of(pieces_of(pen.look.palette)[ghost.piece])))

        def over() -> None:
            for placement, contour in outlined:
                draw_contour(surface, place, cell, stack.height, placement.cells, contour)

        landed, above, age = self._landed()
        seen = motion.Moving(
            shown,
            active,
            (self.slide.now, 0.0),
            landed,
            above,
            1000 * age,
            1000 * self._age if clearing else None,
        )
        motion.draw_moving(surface, place, cell, seen, look=pen.look, over=over)

    def _landed(self) -> tuple[Placement | None, Placement | None, float]:
        """The piece that has just dropped or come to rest, from where it has dropped, and how long ago."""
        if self._trail and self._trail_age < FADE:
            return *self._trail, self._trail_age
        if self._lock and not self._lock.full and self._age < FADE:
            return self._lock.placement, None, self._age
        return None, None, 0.0

    def _length(self, lock: Lock) -> float:
        if not lock.full:
            return FADE
        return CLEAR if self.moves else STILL

    def _begin_trail(self, was: Placement, now: Placement) -> None:
        above = replace(now, row=was.row)  # a piece may have moved aside in the same moment
        self._trail, self._trail_age = (now, above), 0.0
