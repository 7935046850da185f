"""Cached surfaces for parts of a screen, redrawn only when their content has changed."""

from collections.abc import Callable, Hashable

import pygame

from tetrion.drawing.palette import BACKGROUND
from tetrion.drawing.pen import Box, Pen


class SurfaceCache:
    """The last drawn surface of each part of a screen, by name."""

    def __init__(self) -> None:
        self.cached_surfaces: dict[Hashable, tuple[Hashable, Hashable, pygame.Surface]] = {}

    def draw(
        self,
        pen: Pen,
        name: Hashable,
        box: Box,
        cache_key: Hashable,
        paint: Callable[[Pen, Box], None],
        *,
        may_be_stale: bool = False,
    ) -> bool:
        """Draw a part into a box and return whether it was redrawn; `paint` is called if `cache_key` has changed.

        With `may_be_stale`, the last surface may be shown although `cache_key` has changed.
        """
        size = pen.to_pixels(box.width), pen.to_pixels(box.height)
        style_key = size, pen.scale, pen.style
        cached = self.cached_surfaces.get(name)
        must_redraw = cached is None or cached[1] != style_key or (cached[0] != cache_key and not may_be_stale)
        if cached is None or must_redraw:
            surface = pygame.Surface(size)
            surface.fill(BACKGROUND)
            paint(Pen(surface, pen.scale, pen.style), Box(0, 0, box.width, box.height))
            cached = cache_key, style_key, surface
            self.cached_surfaces[name] = cached
        pen.surface.blit(cached[2], pen.to_pixel_point(box.topleft))
        return must_redraw
