"""A board that moves: pieces slide, lock and leave a trail, full rows shine, open and go. No game waits for it."""

from collections.abc import Iterable
from dataclasses import dataclass

import pygame

from tetrion.app.follower import Lock
from tetrion.board import EMPTY, Placement
from tetrion.drawing.boards import Place, draw_board, place_of
from tetrion.drawing.cells import ACTIVE, LOCKED, cell_picture
from tetrion.drawing.contours import Contour
from tetrion.drawing.palette import pieces_of
from tetrion.drawing.pen import Fitted, Pen
from tetrion.drawing.shapes import paint, put
from tetrion.drawing.stack import Stack
from tetrion.engine.pieces import WIDTH

SLIDE, FADE = 0.06, 0.09  # seconds: a column, and a lock or a trail
SHINE, OPEN, FALL = 0.08, 0.16, 0.12  # a clear: rows turn white, open, and those above come down
SHINES, STAYS = 0.7, 0.5  # how white rows become, with motion and without
STILL = 0.2  # seconds that they stay without motion
TRAIL = 0.22  # how strong it is at first
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


class Moving:
    """What moves on a board; tell it what happens, and draw the board by it."""

    def __init__(self, moves: bool = True) -> None:
        self.moves = moves
        self.slide = Slide()
        self._shown: tuple[int, Placement] | None = None
        self._lock: Lock | None = None
        self._trail: tuple[Placement, int] | None = None  # where it ends, and from which row on
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
        lock = self._lock
        shown, flash, falls = stack, dict[int, float](), 0.0
        if lock and lock.full:
            shown, flash, falls = self._cleared(lock, stack)

        def over() -> None:
            if falls and lock:
                draw_coming_down(pen, place, cell, lock.lying, falls)
            if lock and not lock.full and self.moves:
                faded = 1 - self._age / FADE
                draw_cells(pen, place, cell, stack.height, lock.placement, 0, faded)
            self._draw_trail(pen, place, cell, stack.height)
            if active:
                draw_cells(pen, place, cell, stack.height, active, round(self._aside * cell))

        draw_board(
            surface, place, cell, shown, ghost=ghost, contours=contours, flash=flash, look=pen.look, over=over
        )

    @property
    def _aside(self) -> float:
        return self.slide.now if self.moves else 0.0

    def _length(self, lock: Lock) -> float:
        if not lock.full:
            return FADE
        return SHINE + OPEN + FALL if self.moves else STILL

    def _cleared(self, lock: Lock, stack: Stack) -> tuple[Stack, dict[int, float], float]:
        """What is seen of a clear now: the stack, which rows shine how much, and how far the rest has come down."""
        if not self.moves:
            return lock.lying, dict.fromkeys(lock.full, STAYS), 0.0
        if self._age < SHINE:
            return lock.lying, dict.fromkeys(lock.full, round(SHINES * self._age / SHINE, 2)), 0.0
        if self._age < SHINE + OPEN:
            opened = 1 + int((WIDTH // 2) * (self._age - SHINE) / OPEN)
            return lock.lying.opened(min(opened, WIDTH // 2)), dict.fromkeys(lock.full, SHINES), 0.0
        share = (self._age - SHINE - OPEN) / FALL
        return Stack(lock.lying.rows[: lock.full[0]], stack.height), {}, max(0.01, 1 - (1 - share) ** 2)

    def _begin_trail(self, was: Placement, now: Placement) -> None:
        self._trail, self._trail_age = (now, was.row), 0.0

    def _draw_trail(self, pen: Pen, place: Place, cell: int, height: int) -> None:
        if not self._trail or self._trail_age >= FADE or not self.moves:
            return
        placement, begun = self._trail
        strength = TRAIL * (1 - self._trail_age / FADE)
        higher = begun - placement.row
        for column in {x for x, _ in placement.cells}:
            top = max(y for x, y in placement.cells if x == column)
            x, y = place_of(place, cell, height, column, top + higher)
            veil = pygame.Surface((cell, cell * higher), pygame.SRCALPHA, 32)
            veil.fill(paint(pieces_of(pen.look.palette)[placement.piece], strength))
            put(pen.surface, veil, (x, y))


def draw_cells(
    pen: Pen, place: Place, cell: int, height: int, placement: Placement, aside: int = 0, strength: float = 1.0
) -> None:
    """Draw a piece in play so many pixels to the side, and as strong as it is to be seen."""
    picture = cell_picture(cell, placement.piece, ACTIVE, pen.look)
    if strength < 1:
        picture = picture.copy()
        part = round(255 * max(0.0, strength))
        picture.fill((part, part, part, part), special_flags=pygame.BLEND_RGBA_MULT)
    for column, row in placement.cells:
        x, y = place_of(place, cell, height, column, row)
        put(pen.surface, picture, (x + aside, y))


def draw_coming_down(pen: Pen, place: Place, cell: int, lying: Stack, share: float) -> None:
    """Draw the rows above the lowest full one, a share of their way down; full rows are gone."""
    gone = 0
    for row, letters in enumerate(lying.rows):
        if EMPTY not in letters:
            gone += 1
        elif gone:
            for column, letter in enumerate(letters):
                if letter != EMPTY:
                    x, y = place_of(place, cell, lying.height, column, row)
                    put(pen.surface, cell_picture(cell, letter, LOCKED, pen.look), (x, y + round(share * gone * cell)))
