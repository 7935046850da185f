"""Cached surfaces for parts of a screen, redrawn only when their content has changed."""

from collections.abc import Callable, Hashable, Sequence
from typing import Any, NamedTuple

import pygame

from tetrion.drawing.layout import Box, Part, split_column
from tetrion.drawing.palette import BACKGROUND
from tetrion.drawing.pen import Pen


class CachedPanel(NamedTuple):
    """A part of a column that is painted by `paint(pen, box, *content)`, when the content has changed."""

    name: str
    part: float | Part
    paint: Callable[..., Any]
    content: tuple[Any, ...]


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
        paint: Callable[[Pen, Box], Any],
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

    def draw_column(
        self, pen: Pen, box: Box, gap: float, panels: Sequence[CachedPanel], *, one_per_frame: bool = False
    ) -> None:
        """Draw panels one below the other, those that fit; with `one_per_frame`, only one of them is redrawn."""
        is_redrawn = False
        for panel, part in zip(panels, split_column(box, [panel.part for panel in panels], gap), strict=True):
            if part:

                def paint(pen: Pen, box: Box, panel: CachedPanel = panel) -> None:
                    panel.paint(pen, box, *panel.content)

                may_be_stale = one_per_frame and is_redrawn
                is_redrawn |= self.draw(pen, panel.name, part, panel.content, paint, may_be_stale=may_be_stale)
