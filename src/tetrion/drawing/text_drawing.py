"""Text in Source Sans Pro, rendered with even spacing and sharp baselines, and cached."""

from bisect import bisect_left
from collections.abc import Callable
from functools import cache, lru_cache
from pathlib import Path

import pygame

from tetrion.drawing.palette import STRONG_TEXT, hex_to_rgb
from tetrion.drawing.shapes import SUPERSAMPLING, blit_picture, make_canvas, scale_down
from tetrion.text_cleaning import clean_text

FONT_FOLDER = Path(__file__).parent / "fonts"
_CAPITAL_HEIGHT = 0.66  # height of capital letters as a share of the font size
_CACHE_SIZE = 2048
_MEASURE_CACHE_SIZE = 8192
_MAX_TEXT_LENGTH = 1000  # characters that are measured or drawn
_MAX_TEXT_PIXELS = 4096


@cache
def load_font(size: int, semibold: bool) -> pygame.Font:
    """Load the font at `SUPERSAMPLING` times a size in pixels."""
    pygame.font.init()
    pygame.register_quit(load_font.cache_clear)  # fonts become invalid if other code calls `pygame.quit`
    return pygame.Font(FONT_FOLDER / f"SourceSansPro-{'Semibold' if semibold else 'Regular'}.ttf", SUPERSAMPLING * size)


@lru_cache(_CACHE_SIZE)
def render_text(text: str, size: int, semibold: bool = False, colour: str = STRONG_TEXT) -> tuple[pygame.Surface, int]:
    """Render a text; return it and its baseline in pixels from the top. The result is cached: do not draw on it.

    A text that is wider than any window is shortened: SDL fails with extremely wide pictures.
    """
    font = load_font(size, semibold)
    text = shorten_text(clean_text(text), lambda part: measure_text(part, size, semibold) <= _MAX_TEXT_PIXELS)
    large_text = font.render(text, True, colour)
    baseline = -(-font.get_ascent() // SUPERSAMPLING)
    below = -(-(large_text.height - font.get_ascent()) // SUPERSAMPLING)
    surface = make_canvas((-(-large_text.width // SUPERSAMPLING), baseline + below))
    surface.fill((*hex_to_rgb(colour), 0))  # transparent text colour, so that scaling down adds no other colour
    surface.blit(large_text, (0, baseline * SUPERSAMPLING - font.get_ascent()), special_flags=pygame.BLEND_RGBA_MAX)
    return scale_down(surface).premul_alpha(), baseline


@lru_cache(_MEASURE_CACHE_SIZE)
def measure_text(text: str, size: int, semibold: bool = False) -> int:
    """Return the width of a text in pixels, of at most its first 1,000 characters."""
    return -(-load_font(size, semibold).size(clean_text(text[:_MAX_TEXT_LENGTH]))[0] // SUPERSAMPLING)


def shorten_text(text: str, fits: Callable[[str], bool]) -> str:
    """Return a text if it fits, otherwise its longest beginning that fits with an ellipsis."""
    if len(text) <= _MAX_TEXT_LENGTH and fits(text):
        return text
    lengths = range(1, min(len(text), _MAX_TEXT_LENGTH) + 1)
    length = bisect_left(lengths, True, key=lambda length: not fits(text[:length] + "…"))
    return text[:length].rstrip() + "…"


def draw_text(
    surface: pygame.Surface,
    text: str,
    position: tuple[int, int],
    size: int,
    semibold: bool = False,
    *,
    colour: str = STRONG_TEXT,
    align: float = 0,
) -> None:
    """Draw text; its capital letters are centred vertically on the position.

    `align` is the part of the text at the position: 0 for its left end, 0.5 for its centre, 1 for its right end.
    """
    picture, baseline = render_text(text[:_MAX_TEXT_LENGTH], size, semibold, colour)
    x, y = position
    blit_picture(surface, picture, (x - round(align * picture.width), y + round(_CAPITAL_HEIGHT * size / 2) - baseline))
