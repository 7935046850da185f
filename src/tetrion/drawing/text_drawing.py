"""Words in the house type, Source Sans Pro: evenly spaced, with sharp baselines, each drawn once."""

from functools import cache, lru_cache
from pathlib import Path

import pygame

from tetrion.drawing.palette import STRONG_TEXT, hex_to_rgb
from tetrion.drawing.shapes import SUPERSAMPLING, blit_picture, make_canvas, scale_down

FONT_FOLDER = Path(__file__).parent / "fonts"
_CAPITAL_HEIGHT = 0.66  # their height, as a share of the size
_CACHE_SIZE = 2048  # words


@cache
def load_font(size: int, semibold: bool) -> pygame.Font:
    """The type in a size, SHARPER times as large."""
    pygame.font.init()
    return pygame.Font(FONT_FOLDER / f"SourceSansPro-{'Semibold' if semibold else 'Regular'}.ttf", SUPERSAMPLING * size)


@lru_cache(_CACHE_SIZE)
def render_text(words: str, size: int, semibold: bool = False, colour: str = STRONG_TEXT) -> tuple[pygame.Surface, int]:
    """A picture of words, and how far below its top the baseline is. Do not draw on it: it is shared."""
    type_ = load_font(size, semibold)
    drawn = type_.render(words, True, colour)
    baseline = -(-type_.get_ascent() // SUPERSAMPLING)
    below = -(-(drawn.height - type_.get_ascent()) // SUPERSAMPLING)
    surface = make_canvas((-(-drawn.width // SUPERSAMPLING), baseline + below))
    surface.fill((*hex_to_rgb(colour), 0))  # its colour everywhere, so that it is multiplied by alpha when it is small
    surface.blit(drawn, (0, baseline * SUPERSAMPLING - type_.get_ascent()), special_flags=pygame.BLEND_RGBA_MAX)
    return scale_down(surface).premul_alpha(), baseline


def measure_text(words: str, size: int, semibold: bool = False) -> int:
    """How wide words are."""
    return render_text(words, size, semibold)[0].width


def draw_text(
    surface: pygame.Surface,
    words: str,
    place: tuple[int, int],
    size: int,
    semibold: bool = False,
    colour: str = STRONG_TEXT,
    align: float = 0,
) -> None:
    """Write words, their capitals centred on the height of a place, which is their left end (align 0) to right (1)."""
    picture, baseline = render_text(words, size, semibold, colour)
    x, y = place
    blit_picture(surface, picture, (x - round(align * picture.width), y + round(_CAPITAL_HEIGHT * size / 2) - baseline))
