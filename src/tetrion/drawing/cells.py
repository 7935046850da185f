"""A cell in each of its states."""

from functools import lru_cache

import pygame

from tetrion.drawing.look import USUAL, Look
from tetrion.drawing.marks import draw_mark, ink_of
from tetrion.drawing.palette import BLACK, OUT, PLAIN, WELL, WHITE, mixed, pieces_of
from tetrion.drawing.shapes import SHARPER, canvas, paint, scaled_down

FLAT = 13  # the size below which cells are flat squares
SEAMLESS = 5  # the size below which these have no gap
ROUND = 0.13  # the radius of a cell's corners, as a share of its size
LEAST_RADIUS = 2
LIP = 0.08
QUIET = 0.4  # how strong marks are on a board whose game has ended
KEPT = 1024

ACTIVE, LOCKED, ENDED = "active", "locked", "out"
EDGES = {ACTIVE: 0.34, LOCKED: 0.20, ENDED: 0.20}  # how much white the upper edge has


def body_colour(letter: str, state: str, look: Look = USUAL) -> str:
    """The colour of a cell, of a piece (its letter) or of one that is not known (any other sign)."""
    colour = pieces_of(look.palette).get(letter, PLAIN)
    if state == ENDED:
        return mixed(mixed(colour, OUT, 0.75), WELL, 0.55)
    return mixed(colour, WELL, 0.13) if state == LOCKED and colour != PLAIN else colour


@lru_cache(KEPT)
def cell_picture(size: int, letter: str, state: str, look: Look = USUAL) -> pygame.Surface:
    """A cell of a piece, by its letter, that is active, locked or out. Do not draw on it: it is shared."""
    body = body_colour(letter, state, look)
    if size < FLAT:
        return flat_cell(size, body)
    surface = canvas((size, size))
    side, lip, radius = SHARPER * size, SHARPER * round(LIP * size), radius_of(size)
    gap = SHARPER // 2
    whole = pygame.Rect(gap, gap, side - 2 * gap, side - 2 * gap)
    above = pygame.Rect(gap, gap, whole.width, whole.height - lip)
    face = pygame.Rect(gap, gap + SHARPER, whole.width, above.height - SHARPER)
    for part, colour in (
        (whole, mixed(body, BLACK, 0.30)),
        (above, mixed(body, WHITE, EDGES[state])),
        (face, body),
    ):
        pygame.draw.rect(surface, paint(colour), part, border_radius=radius)
    if look.marks and letter in pieces_of(look.palette):
        ink = ink_of(pieces_of(look.palette)[letter], body, QUIET if state == ENDED else 1)
        draw_mark(surface, letter, ink, above.center, size)
    return scaled_down(surface)


def radius_of(size: int) -> int:
    """The radius of a cell's corners, SHARPER times as large."""
    return round(SHARPER * max(LEAST_RADIUS, ROUND * size))


def flat_cell(size: int, colour: str) -> pygame.Surface:
    """A square with a gap at its right and below, or without one where it would be too wide."""
    surface = pygame.Surface((size, size), pygame.SRCALPHA, 32)
    side = size - 1 if size >= SEAMLESS else size
    surface.fill(paint(colour), (0, 0, side, side))
    return surface
