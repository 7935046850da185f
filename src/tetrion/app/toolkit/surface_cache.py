"""Pictures of parts of a screen, drawn anew only when what they show has changed."""

from collections.abc import Callable, Hashable

import pygame

from tetrion.drawing.palette import BACKGROUND
from tetrion.drawing.pen import Box, Pen


class SurfaceCache:
    """Parts by name; each is kept as it was last drawn."""

    def __init__(self) -> None:
        self.cached_surfaces: dict[Hashable, tuple[Hashable, Hashable, pygame.Surface]] = {}

    def draw(
        self,
        pen: Pen,
        name: Hashable,
        box: Box,
        cache_key: Hashable,
        paint: Callable[[Pen, Box], None],
        may_be_stale: bool = False,
    ) -> bool:
        """Draw a part into a box; `shows` is all that it depends on, and `paint` draws it where it is not known.

        With `later` it may be shown once more as it was; tells whether it was drawn anew.
        """
        size = pen.to_pixels(box.width), pen.to_pixels(box.height)
        form = size, pen.scale, pen.style
        known = self.cached_surfaces.get(name)
        anew = known is None or known[1] != form or (known[0] != cache_key and not may_be_stale)
        if known is None or anew:
            surface = pygame.Surface(size)
            surface.fill(BACKGROUND)
            paint(Pen(surface, pen.scale, pen.style), Box(0, 0, box.width, box.height))
            known = self.cached_surfaces[name] = cache_key, form, surface
        pen.surface.blit(known[2], pen.to_pixel_point(box.topleft))
        return anew
