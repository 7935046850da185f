"""Words in the house type, Source Sans Pro: evenly spaced, with sharp baselines, each drawn once."""

from functools import cache, lru_cache
from pathlib import Path

import pygame

from tetrion.drawing.palette import STRONG, red_green_blue
from tetrion.drawing.shapes import SHARPER, canvas, put, scaled_down

FONTS = Path(__file__).parent / "fonts"
CAPITALS = 0.66  # their height, as a share of the size
KEPT = 2048  # words


@cache
def font(size: int, semibold: bool) -> pygame.Font:
    """The type in a size, SHARPER times as large."""
    pygame.font.init()
    return pygame.Font(FONTS / f"SourceSansPro-{'Semibold' if semibold else 'Regular'}.ttf", SHARPER * size)


@lru_cache(KEPT)
def text(words: str, size: int, semibold: bool = False, colour: str = STRONG) -> tuple[pygame.Surface, int]:
    """A picture of words, and how far below its top the baseline is. Do not draw on it: it is shared."""
    type_ = font(size, semibold)
    drawn = type_.render(words, True, colour)
    baseline = -(-type_.get_ascent() // SHARPER)
    below = -(-(drawn.height - type_.get_ascent()) // SHARPER)
    surface = canvas((-(-drawn.width // SHARPER), baseline + below))
    surface.fill(
        (*red_green_blue(colour), 0)
    )  # its colour everywhere, so that it is multiplied by alpha when it is small
    surface.blit(drawn, (0, baseline * SHARPER - type_.get_ascent()), special_flags=pygame.BLEND_RGBA_MAX)
    return scaled_down(surface).premul_alpha(), baseline


def width_of(words: str, size: int, semibold: bool = False) -> int:
    """How wide words are."""
    return text(words, size, semibold)[0].width


def draw_text(
    surface: pygame.Surface,
    words: str,
    place: tuple[int, int],
    size: int,
    semibold: bool = False,
    colour: str = STRONG,
    align: float = 0,
) -> None:
    """Write words, their capitals centred on the height of a place, which is their left end (align 0) to right (1)."""
    picture, baseline = text(words, size, semibold, colour)
    x, y = place
    put(surface, picture, (x - round(align * picture.width), y + round(CAPITALS * size / 2) - baseline))
