"""Rounded shapes: drawn four times as large and scaled down smoothly, so that edges are even; each is drawn once.

Every picture has its colours multiplied by their alpha, and is put onto a surface by `put`.
"""

from functools import lru_cache

import pygame

from tetrion.drawing.palette import red_green_blue

SHARPER = 4  # how much larger a shape is drawn
KEPT = 1024  # shapes

Size = tuple[int, int]
Paint = tuple[int, int, int, int]
CLEAR: Paint = (0, 0, 0, 0)


def paint(colour: str, alpha: float = 1.0) -> Paint:
    """A colour multiplied by its alpha, as every picture here holds it."""
    red, green, blue = (round(part * alpha) for part in red_green_blue(colour))
    return red, green, blue, round(255 * alpha)


def canvas(size: Size) -> pygame.Surface:
    """An empty surface that is SHARPER times as large."""
    return pygame.Surface((size[0] * SHARPER, size[1] * SHARPER), pygame.SRCALPHA, 32)


def scaled_down(surface: pygame.Surface) -> pygame.Surface:
    """What was drawn on a canvas, in its true size."""
    return pygame.transform.smoothscale(surface, (surface.width // SHARPER, surface.height // SHARPER))


def put(surface: pygame.Surface, picture: pygame.Surface, place: tuple[int, int]) -> None:
    """Lay a picture onto a surface, its upper left corner at a place."""
    surface.blit(picture, place, special_flags=pygame.BLEND_PREMULTIPLIED)


@lru_cache(KEPT)
def rounded(
    size: Size, radius: int, fill: str, outline: str | None = None, width: int = 1, alpha: float = 1.0
) -> pygame.Surface:
    """A rounded rectangle; an outline of so many pixels lies inside its border. Do not draw on it: it is shared."""
    surface = canvas(size)
    whole, far = surface.get_rect(), SHARPER * width
    if outline is None:
        pygame.draw.rect(surface, paint(fill, alpha), whole, border_radius=SHARPER * radius)
    else:
        pygame.draw.rect(surface, paint(outline), whole, border_radius=SHARPER * radius)
        inside = whole.inflate(-2 * far, -2 * far)
        pygame.draw.rect(surface, paint(fill, alpha), inside, border_radius=max(0, SHARPER * (radius - width)))
    return scaled_down(surface)
