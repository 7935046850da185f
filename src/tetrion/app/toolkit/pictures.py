"""Pictures of parts of a screen, drawn anew only when what they show has changed."""

from collections.abc import Callable, Hashable

import pygame

from tetrion.drawing.palette import GROUND
from tetrion.drawing.pen import Box, Pen


class Pictures:
    """Parts by name; each is kept as it was last drawn."""

    def __init__(self) -> None:
        self.kept: dict[Hashable, tuple[Hashable, Hashable, pygame.Surface]] = {}

    def draw(
        self,
        pen: Pen,
        name: Hashable,
        box: Box,
        shows: Hashable,
        paint: Callable[[Pen, Box], None],
        later: bool = False,
    ) -> bool:
        """Draw a part into a box; `shows` is all that it depends on, and `paint` draws it where it is not known.

        With `later` it may be shown once more as it was; tells whether it was drawn anew.
        """
        size = pen.pixels(box.width), pen.pixels(box.height)
        form = size, pen.scale, pen.look
        known = self.kept.get(name)
        anew = known is None or known[1] != form or (known[0] != shows and not later)
        if known is None or anew:
            surface = pygame.Surface(size)
            surface.fill(GROUND)
            paint(Pen(surface, pen.scale, pen.look), Box(0, 0, box.width, box.height))
            known = self.kept[name] = shows, form, surface
        pen.surface.blit(known[2], pen.point(box.topleft))
        return anew
