"""A curve over a whole game whose part up to the current move is highlighted."""

import numpy as np
import numpy.typing as npt
import pygame

from tetrion.drawing.chart_ticks import choose_round_values
from tetrion.drawing.line_charts import END_POINT_RADIUS, ChartLine, draw_chart, make_plot_area
from tetrion.drawing.palette import ACCENT, BOARD_OUTLINE, PANEL
from tetrion.drawing.pen import Box, Pen

_MAX_POINTS = 500


class ProgressCurve:
    """A curve of numbers between 0 and `high`, rendered once; `plot_area` is in units."""

    def __init__(self, pen: Pen, area: Box, numbers: npt.NDArray[np.int64], high: int) -> None:
        self.size = pen.to_pixel_rect(area).size
        self.scale = pen.scale
        indices = np.linspace(0, len(numbers) - 1, min(len(numbers), _MAX_POINTS)).astype(int)
        values = [float(number) for number in numbers[indices]]
        self.values = values
        self.plot_area = make_plot_area(
            pen,
            Box(0, 0, area.width, area.height),
            [ChartLine("", values)],
            (0, high),
            choose_round_values(0, high),
            show_steps=False,
            show_end_labels=False,
        )
        self.remaining_surface = self._draw_surface(values, high, BOARD_OUTLINE)
        self.done_surface = self._draw_surface(values, high, ACCENT)

    def _draw_surface(self, values: list[float], high: int, colour: str) -> pygame.Surface:
        surface = pygame.Surface(self.size)
        surface.fill(PANEL)
        pen = Pen(surface, self.scale)
        line = ChartLine("", values, colour)
        draw_chart(pen, Box(0, 0, pen.width, pen.height), [line], low=0, high=high, show_end_labels=False)
        return surface

    def draw(self, pen: Pen, area: Box, share: float) -> None:
        """Draw the curve with a share of it highlighted, from 0 to 1."""
        position = pen.to_pixel_point(area.topleft)
        x = self.plot_area.box.left + share * self.plot_area.box.width
        pen.surface.blit(self.remaining_surface, position)
        pen.surface.blit(self.done_surface, position, (0, 0, pen.to_pixels(x), self.size[1]))
        number = np.interp(share * (len(self.values) - 1), range(len(self.values)), self.values)
        pen.draw_disc((area.left + x, area.top + self.plot_area.to_y(float(number))), END_POINT_RADIUS, ACCENT)
