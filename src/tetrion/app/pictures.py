"""Pictures of parts of a screen, drawn anew only when what they show has changed."""

from collections.abc import Callable, Hashable

import pygame

from tetrion.drawing.palette import GROUND
from tetrion.drawing.pen import Box, Pen


class Pictures:
    """Parts by name; each is kept as it was last drawn."""

    def __init__(self) -> None:
        self.kept: dict[Hashable, tuple[Hashable, pygame.Surface]] = {}

    def draw(self, pen: Pen, name: Hashable, box: Box, shows: Hashable, paint: Callable[[Pen, Box], None]) -> None:
        """Draw a part into a box; `shows` is all that it depends on, and `paint` draws it where it is not known."""
        size = pen.pixels(box.width), pen.pixels(box.height)
        wanted = (shows, size, pen.scale, pen.look)
        known = self.kept.get(name)
        if known is None or known[0] != wanted:
            surface = pygame.Surface(size)
            surface.fill(GROUND)
            paint(Pen(surface, pen.scale, pen.look), Box(0, 0, box.width, box.height))
            known = self.kept[name] = wanted, surface
        pen.surface.blit(known[1], pen.point(box.topleft))
