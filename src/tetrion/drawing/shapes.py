"""Rounded shapes: drawn four times as large and scaled down smoothly, so that edges are even; each is drawn once.

Every picture has its colours multiplied by their alpha, and is put onto a surface by `put`.
"""

from functools import lru_cache

import pygame

from tetrion.drawing.palette import hex_to_rgb

SUPERSAMPLING = 4  # how much larger a shape is drawn
_SHAPE_CACHE_SIZE, _OVERLAY_CACHE_SIZE = 1024, 16  # shapes, and those that may be large

PixelSize = tuple[int, int]
PremultipliedColour = tuple[int, int, int, int]
TRANSPARENT: PremultipliedColour = (0, 0, 0, 0)


def premultiply_colour(colour: str, alpha: float = 1.0) -> PremultipliedColour:
    """A colour multiplied by its alpha, as every picture here holds it."""
    red, green, blue = (round(part * alpha) for part in hex_to_rgb(colour))
    return red, green, blue, round(255 * alpha)


def make_canvas(size: PixelSize) -> pygame.Surface:
    """An empty surface that is SHARPER times as large."""
    return pygame.Surface((size[0] * SUPERSAMPLING, size[1] * SUPERSAMPLING), pygame.SRCALPHA, 32)


def scale_down(surface: pygame.Surface) -> pygame.Surface:
    """What was drawn on a canvas, in its true size."""
    return pygame.transform.smoothscale(surface, (surface.width // SUPERSAMPLING, surface.height // SUPERSAMPLING))


def blit_picture(surface: pygame.Surface, picture: pygame.Surface, place: tuple[int, int]) -> None:
    """Lay a picture onto a surface, its upper left corner at a place."""
    surface.blit(picture, place, special_flags=pygame.BLEND_PREMULTIPLIED)


@lru_cache(_SHAPE_CACHE_SIZE)
def render_rounded_rect(
    size: PixelSize, radius: int, fill: str, outline: str | None = None, width: int = 1, alpha: float = 1.0
) -> pygame.Surface:
    """A rounded rectangle; an outline of so many pixels lies inside its border. Do not draw on it: it is shared."""
    surface = make_canvas(size)
    whole, far = surface.get_rect(), SUPERSAMPLING * width
    if outline is None:
        pygame.draw.rect(surface, premultiply_colour(fill, alpha), whole, border_radius=SUPERSAMPLING * radius)
    else:
        pygame.draw.rect(surface, premultiply_colour(outline), whole, border_radius=SUPERSAMPLING * radius)
        inside = whole.inflate(-2 * far, -2 * far)
        pygame.draw.rect(
            surface, premultiply_colour(fill, alpha), inside, border_radius=max(0, SUPERSAMPLING * (radius - width))
        )
    return scale_down(surface)


def draw_rounded_rect(
    surface: pygame.Surface, box: pygame.Rect, radius: int, fill: str, outline: str | None = None, width: int = 1
) -> None:
    """Draw a rounded rectangle of any size; its corners alone are pictures, so that a window's many sizes cost nothing.

    An outline of so many pixels lies inside the border.
    """
    corner = max(radius, width) + 1
    if min(box.size) < 2 * corner:
        blit_picture(
            surface, render_rounded_rect(box.size, min(radius, min(box.size) // 2), fill, outline, width), box.topleft
        )
        return
    picture = render_rounded_rect((2 * corner, 2 * corner), radius, fill, outline, width)
    for x, left in ((0, box.left), (corner, box.right - corner)):
        for y, top in ((0, box.top), (corner, box.bottom - corner)):
            surface.blit(picture, (left, top), (x, y, corner, corner), special_flags=pygame.BLEND_PREMULTIPLIED)
    thick = 0 if outline is None else width
    surface.fill(fill, box.inflate(-2 * corner, -2 * thick))
    high = box.height - 2 * corner
    for left, edge in ((box.left, box.left), (box.right - corner, box.right - thick)):
        surface.fill(fill, (left + thick * (left == box.left), box.top + corner, corner - thick, high))
        if outline is not None:
            surface.fill(outline, (edge, box.top + corner, thick, high))
    if outline is not None:
        for edge in (box.top, box.bottom - thick):
            surface.fill(outline, (box.left + corner, edge, box.width - 2 * corner, thick))


@lru_cache(_OVERLAY_CACHE_SIZE)
def render_overlay(size: PixelSize, radius: int, colour: str, alpha: float) -> pygame.Surface:
    """A rounded rectangle through which one sees; it may be as large as a window. Do not draw on it: it is shared."""
    surface = pygame.Surface(size, pygame.SRCALPHA, 32)
    surface.fill(premultiply_colour(colour, alpha))
    if corner := min(radius, *(side // 2 for side in size)):
        picture = render_rounded_rect((2 * corner, 2 * corner), corner, colour, alpha=alpha)
        for x, left in ((0, 0), (corner, size[0] - corner)):
            for y, top in ((0, 0), (corner, size[1] - corner)):
                surface.fill(TRANSPARENT, (left, top, corner, corner))
                surface.blit(picture, (left, top), (x, y, corner, corner), special_flags=pygame.BLEND_PREMULTIPLIED)
    return surface


@lru_cache(_SHAPE_CACHE_SIZE)
def render_outline(size: PixelSize, radius: int, colour: str, width: int = 2, alpha: float = 1.0) -> pygame.Surface:
    """A rounded outline with nothing inside. Do not draw on it: it is shared."""
    surface = make_canvas(size)
    pygame.draw.rect(
        surface,
        premultiply_colour(colour, alpha),
        surface.get_rect(),
        width=SUPERSAMPLING * width,
        border_radius=SUPERSAMPLING * radius,
    )
    return scale_down(surface)


@lru_cache(_SHAPE_CACHE_SIZE)
def render_disc(radius: int, colour: str) -> pygame.Surface:
    """A filled circle. Do not draw on it: it is shared."""
    surface = make_canvas((2 * radius, 2 * radius))
    pygame.draw.circle(surface, premultiply_colour(colour), surface.get_rect().center, SUPERSAMPLING * radius)
    return scale_down(surface)
