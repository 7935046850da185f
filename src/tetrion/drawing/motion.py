"""A board on which something moves: a piece slides, drops and locks, full rows shine, open and are gone.

How far each of these is comes from whoever keeps the time; here is how it looks, and how long it lasts.
"""

from dataclasses import dataclass
from functools import lru_cache

import pygame

from tetrion.board import EMPTY, Placement
from tetrion.drawing.boards import Draw, Place, draw_board, place_of
from tetrion.drawing.cells import ACTIVE, LOCKED, cell_picture
from tetrion.drawing.look import USUAL, Look
from tetrion.drawing.palette import pieces_of
from tetrion.drawing.shapes import paint, put
from tetrion.drawing.stack import Stack
from tetrion.engine.pieces import WIDTH

SLIDE, TRAIL, LOCK = 60, 90, 90  # milliseconds
SHINE, OPEN, FALL = 80, 160, 120
CLEAR = SHINE + OPEN + FALL
WHITE = 0.7  # how much of it shining rows have
TRACE = 0.20  # how strong a trail is at its lower end
STEPS = 8  # strengths of fading pictures that are told apart
KEPT = 256


@dataclass(frozen=True)
class Moving:
    """What is seen on a board: the stack, and what moves there.

    The piece in play is `away` from its place by so many columns and rows. `landed` has just dropped from the place
    `above`, `locked` tells since how many milliseconds. Since `clearing` milliseconds the full rows are on their way.
    """

    stack: Stack
    active: Placement | None = None
    away: tuple[float, float] = (0.0, 0.0)
    landed: Placement | None = None
    above: Placement | None = None
    locked: float = 0.0
    clearing: float | None = None
    out: bool = False


def eased(share: float) -> float:
    """How far a movement is that slows down towards its end."""
    return 1 - (1 - max(0.0, min(1.0, share))) ** 3


def draw_moving(
    surface: pygame.Surface,
    place: Place,
    cell: int,
    moving: Moving,
    *,
    look: Look = USUAL,
    under: Draw | None = None,
    over: Draw | None = None,
) -> pygame.Rect:
    """Draw a board on which something moves, its frame's upper left corner at a place; gives back what it covers."""
    stack, elapsed = moving.stack, moving.clearing
    shown, flash = stack, dict[int, float]()
    if elapsed is not None:
        flash = dict.fromkeys(stack.full_rows, WHITE * min(1.0, elapsed / SHINE))
        opened = min(1.0, max(0.0, (elapsed - SHINE) / OPEN))
        shown = stack.opened(round(opened * WIDTH / 2)) if elapsed > SHINE else stack
    falls = elapsed is not None and elapsed > SHINE + OPEN

    def draw_over() -> None:
        if falls:
            draw_falling(surface, place, cell, stack, eased(((elapsed or 0.0) - SHINE - OPEN) / FALL), look)
        if over:
            over()
        if moving.landed:
            draw_landed(surface, place, cell, moving, look)
        if moving.active:
            draw_away(surface, place, cell, stack.height, moving.active, moving.away, look)

    base = Stack(height=stack.height) if falls else shown
    return draw_board(surface, place, cell, base, flash=flash, out=moving.out, look=look, under=under, over=draw_over)


def draw_falling(surface: pygame.Surface, place: Place, cell: int, stack: Stack, share: float, look: Look) -> None:
    """The rows of a stack without its full ones, which those above have fallen a share of the way to replace."""
    gone = 0
    for row, letters in enumerate(stack.rows):
        if EMPTY not in letters:
            gone += 1
            continue
        down = round(share * gone * cell)
        for column, letter in enumerate(letters):
            if letter != EMPTY:
                x, y = place_of(place, cell, stack.height, column, row)
                put(surface, cell_picture(cell, letter, LOCKED, look), (x, y + down))


def draw_away(
    surface: pygame.Surface,
    place: Place,
    cell: int,
    height: int,
    placement: Placement,
    away: tuple[float, float],
    look: Look,
) -> None:
    """A piece in play, so many columns and rows from where it will be."""
    picture = cell_picture(cell, placement.piece, ACTIVE, look)
    for column, row in placement.cells:
        x, y = place_of(place, cell, height, column, row)
        put(surface, picture, (x + round(away[0] * cell), y - round(away[1] * cell)))


def draw_landed(surface: pygame.Surface, place: Place, cell: int, moving: Moving, look: Look) -> None:
    """A piece that has just come to rest, still bright, and the trail of its drop."""
    landed, height = moving.landed, moving.stack.height
    if landed is None:
        return
    left = 1 - moving.locked / TRAIL
    if moving.above and left > 0:
        colour = pieces_of(look.palette)[landed.piece]
        for column in {column for column, _ in landed.cells}:
            top = max(row for x, row in moving.above.cells if x == column)
            end = max(row for x, row in landed.cells if x == column)
            if top > end:
                x, y = place_of(place, cell, height, column, top)
                picture = trail_picture(cell, (top - end) * cell, colour, round(STEPS * left))
                put(surface, picture, (x, y))
    bright = round(STEPS * (1 - moving.locked / LOCK))
    if bright > 0:
        picture = faded_cell(cell, landed.piece, bright, look)
        for column, row in landed.cells:
            put(surface, picture, place_of(place, cell, height, column, row))


@lru_cache(KEPT)
def faded_cell(cell: int, letter: str, strength: int, look: Look) -> pygame.Surface:
    """An active cell, more or less strong, from 0 to STEPS. Do not draw on it: it is shared."""
    picture = cell_picture(cell, letter, ACTIVE, look).copy()
    part = 255 * strength // STEPS
    picture.fill((part, part, part, part), special_flags=pygame.BLEND_RGBA_MULT)
    return picture


@lru_cache(KEPT)
def trail_picture(cell: int, height: int, colour: str, strength: int) -> pygame.Surface:
    """What a dropped piece leaves behind in a column, stronger towards its end. Do not draw on it: it is shared."""
    surface = pygame.Surface((cell, height), pygame.SRCALPHA, 32)
    for row in range(height):
        surface.fill(paint(colour, TRACE * strength / STEPS * row / height), (0, row, cell, 1))
    return surface
