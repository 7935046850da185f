"""Rounded shapes with smooth edges: drawn at four times their size, scaled down, and cached.

All pictures have premultiplied alpha; draw them with `blit_picture`.
"""

import math
from functools import lru_cache

import pygame

from tetrion.drawing.palette import hex_to_rgb

SUPERSAMPLING = 4  # scale at which shapes are drawn before they are scaled down
_SHAPE_CACHE_SIZE = 1024
_OVERLAY_CACHE_SIZE = 16  # overlays may be as large as the window

PixelSize = tuple[int, int]
PixelPosition = tuple[float, float]
PremultipliedColour = tuple[int, int, int, int]
TRANSPARENT: PremultipliedColour = (0, 0, 0, 0)


def premultiply_colour(colour: str, alpha: float = 1.0) -> PremultipliedColour:
    """Return a colour multiplied by its alpha (0 to 1)."""
    red, green, blue = (round(component * alpha) for component in hex_to_rgb(colour))
    return red, green, blue, round(255 * alpha)


def make_canvas(size: PixelSize) -> pygame.Surface:
    """Return an empty supersampled surface for a shape of that size."""
    return pygame.Surface((size[0] * SUPERSAMPLING, size[1] * SUPERSAMPLING), pygame.SRCALPHA, 32)


def scale_down(surface: pygame.Surface) -> pygame.Surface:
    """Scale a supersampled canvas down to its final size."""
    return pygame.transform.smoothscale(surface, (surface.width // SUPERSAMPLING, surface.height // SUPERSAMPLING))


def blit_picture(surface: pygame.Surface, picture: pygame.Surface, top_left: tuple[int, int]) -> None:
    """Draw a picture with premultiplied alpha on a surface."""
    surface.blit(picture, top_left, special_flags=pygame.BLEND_PREMULTIPLIED)


@lru_cache(_SHAPE_CACHE_SIZE)
def render_rounded_rect(
    size: PixelSize, radius: int, fill: str, outline: str | None = None, *, alpha: float = 1.0
) -> pygame.Surface:
    """Render a rounded rectangle with an optional outline, one pixel wide. The result is cached: do not draw on it."""
    surface = make_canvas(size)
    inside = surface.get_rect()
    if outline is not None:
        pygame.draw.rect(surface, premultiply_colour(outline), inside, border_radius=SUPERSAMPLING * radius)
        inside.inflate_ip(-2 * SUPERSAMPLING, -2 * SUPERSAMPLING)
        radius = max(0, radius - 1)
    pygame.draw.rect(surface, premultiply_colour(fill, alpha), inside, border_radius=SUPERSAMPLING * radius)
    return scale_down(surface)


def draw_rounded_rect(
    surface: pygame.Surface, box: pygame.Rect, radius: int, fill: str, outline: str | None = None
) -> None:
    """Draw a rounded rectangle with an optional outline, one pixel wide, inside its border.

    Only the corners are cached pictures, so that many different sizes need little memory.
    """
    corner = max(radius, 1) + 1
    if min(box.size) < 2 * corner:
        picture = render_rounded_rect(box.size, min(radius, min(box.size) // 2), fill, outline)
        blit_picture(surface, picture, box.topleft)
        return
    blit_corners(surface, render_rounded_rect((2 * corner, 2 * corner), radius, fill, outline), box)
    middle, sides = box.inflate(-2 * corner, 0), box.inflate(0, -2 * corner)
    surface.fill(fill, middle)
    for left in (box.left, box.right - corner):
        surface.fill(fill, (left, sides.top, corner, sides.height))
    if outline is not None:
        for top in (box.top, box.bottom - 1):
            surface.fill(outline, (middle.left, top, middle.width, 1))
        for left in (box.left, box.right - 1):
            surface.fill(outline, (left, sides.top, 1, sides.height))


def blit_corners(surface: pygame.Surface, picture: pygame.Surface, box: pygame.Rect) -> None:
    """Draw the four quarters of a square picture at the corners of a box."""
    corner = picture.width // 2
    for x, left in ((0, box.left), (corner, box.right - corner)):
        for y, top in ((0, box.top), (corner, box.bottom - corner)):
            surface.blit(picture, (left, top), (x, y, corner, corner), special_flags=pygame.BLEND_PREMULTIPLIED)


@lru_cache(_OVERLAY_CACHE_SIZE)
def render_overlay(size: PixelSize, radius: int, colour: str, alpha: float) -> pygame.Surface:
    """Render a semi-transparent rounded rectangle. The result is cached: do not draw on it."""
    surface = pygame.Surface(size, pygame.SRCALPHA, 32)
    surface.fill(premultiply_colour(colour, alpha))
    if corner := min(radius, *(side // 2 for side in size)):
        for left in (0, size[0] - corner):
            for top in (0, size[1] - corner):
                surface.fill(TRANSPARENT, (left, top, corner, corner))
        picture = render_rounded_rect((2 * corner, 2 * corner), corner, colour, alpha=alpha)
        blit_corners(surface, picture, surface.get_rect())
    return surface


@lru_cache(_SHAPE_CACHE_SIZE)
def render_outline(size: PixelSize, radius: int, colour: str, width: int) -> pygame.Surface:
    """Render a rounded outline. The result is cached: do not draw on it."""
    surface = make_canvas(size)
    line, radius = SUPERSAMPLING * width, SUPERSAMPLING * radius
    pygame.draw.rect(surface, premultiply_colour(colour), surface.get_rect(), line, border_radius=radius)
    return scale_down(surface)


def draw_stroke(
    surface: pygame.Surface, colour: PremultipliedColour, start: PixelPosition, stop: PixelPosition, half_width: float
) -> None:
    """Draw a straight line that extends `half_width` pixels to each side."""
    dx, dy = stop[0] - start[0], stop[1] - start[1]
    scale = half_width / (math.hypot(dx, dy) or 1)
    x, y = -dy * scale, dx * scale
    corners = [(start[0] + x, start[1] + y), (stop[0] + x, stop[1] + y)]
    pygame.draw.polygon(surface, colour, [*corners, (stop[0] - x, stop[1] - y), (start[0] - x, start[1] - y)])
