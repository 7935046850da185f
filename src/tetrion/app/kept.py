"""Parts of a screen that are drawn anew only when what they show has changed."""

from collections.abc import Callable
from dataclasses import dataclass, field

import pygame

from tetrion.drawing.pen import Box, Pen


@dataclass
class Kept:
    """Pictures of parts by their names. A part covers its box, and nothing lies below it but the ground."""

    _shown: dict[str, object] = field(default_factory=dict)
    _pictures: dict[str, pygame.Surface] = field(default_factory=dict)

    def draw(self, pen: Pen, name: str, box: Box, shows: object, draw: Callable[[], None]) -> None:
        """Draw a part by calling `draw`, or as it was last drawn if it shows the same in the same place."""
        area = pen.rect(box).clip(pen.surface.get_rect())
        key = tuple(area), pen.scale, pen.look, shows
        if self._shown.get(name) == key:
            pen.surface.blit(self._pictures[name], area)
            return
        draw()
        self._shown[name], self._pictures[name] = key, pen.surface.subsurface(area).copy()
