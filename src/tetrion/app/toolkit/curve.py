"""A line over a whole game, drawn once, of which the part so far is seen in colour."""

import numpy as np
import numpy.typing as npt
import pygame

from tetrion.drawing.charts import END, Series, draw_chart, plane_of
from tetrion.drawing.palette import ACCENT, OUTLINE, PANEL
from tetrion.drawing.pen import Box, Pen
from tetrion.drawing.ticks import round_numbers

POINTS = 500  # at most


class Curve:
    """Numbers from the first to the last, from 0 to `high`; `plane` is where their line is within its area."""

    def __init__(self, pen: Pen, area: Box, numbers: npt.NDArray[np.int64], high: int) -> None:
        self.size, self.scale = pen.rect(area).size, pen.scale
        places = np.linspace(0, len(numbers) - 1, min(len(numbers), POINTS)).astype(int)
        values = [float(number) for number in numbers[places]]
        self.values = values
        own, whole = Box(0, 0, area.width, area.height), Series("", values)
        self.plane = plane_of(pen, own, [whole], (0, high), round_numbers(0, high), steps=False, ends=False)
        self.coming, self.done = (self._picture(values, high, colour) for colour in (OUTLINE, ACCENT))

    def _picture(self, values: list[float], high: int, colour: str) -> pygame.Surface:
        surface = pygame.Surface(self.size)
        surface.fill(PANEL)
        pen = Pen(surface, self.scale)
        line = Series("", values, colour)
        draw_chart(pen, Box(0, 0, pen.width, pen.height), [line], low=0, high=high, ends=False)
        return surface

    def draw(self, pen: Pen, area: Box, share: float) -> None:
        """Draw it with a share of it in colour."""
        place, box = pen.point(area.topleft), self.plane.box
        across = box.left + share * box.width
        split = pen.pixels(across)
        pen.surface.blit(self.coming, place)
        pen.surface.blit(self.done, place, (0, 0, split, self.size[1]))
        number = np.interp(share * (len(self.values) - 1), range(len(self.values)), self.values)
        pen.disc((area.left + across, area.top + self.plane.y(float(number))), END, ACCENT)
