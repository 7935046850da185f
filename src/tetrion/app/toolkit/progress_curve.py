"""A line over a whole game, drawn once, of which the part so far is seen in colour."""

import numpy as np
import numpy.typing as npt
import pygame

from tetrion.drawing.chart_ticks import choose_round_values
from tetrion.drawing.palette import ACCENT, BOARD_OUTLINE, PANEL
from tetrion.drawing.pen import Box, Pen
from tetrion.drawing.surface_charts import END_POINT_RADIUS, ChartLine, draw_chart, make_plot_area

_MAX_POINTS = 500  # at most


class ProgressCurve:
    """Numbers from the first to the last, from 0 to `high`; `plane` is where their line is within its area."""

    def __init__(self, pen: Pen, area: Box, numbers: npt.NDArray[np.int64], high: int) -> None:
        self.size = pen.to_pixel_rect(area).size
        self.scale = pen.scale
        places = np.linspace(0, len(numbers) - 1, min(len(numbers), _MAX_POINTS)).astype(int)
        values = [float(number) for number in numbers[places]]
        self.values = values
        own, whole = Box(0, 0, area.width, area.height), ChartLine("", values)
        self.plane = make_plot_area(
            pen, own, [whole], (0, high), choose_round_values(0, high), show_steps=False, show_end_labels=False
        )
        self.remaining_surface, self.done_surface = (
            self._draw_surface(values, high, colour) for colour in (BOARD_OUTLINE, ACCENT)
        )

    def _draw_surface(self, values: list[float], high: int, colour: str) -> pygame.Surface:
        surface = pygame.Surface(self.size)
        surface.fill(PANEL)
        pen = Pen(surface, self.scale)
        line = ChartLine("", values, colour)
        draw_chart(pen, Box(0, 0, pen.width, pen.height), [line], low=0, high=high, show_end_labels=False)
        return surface

    def draw(self, pen: Pen, area: Box, share: float) -> None:
        """Draw it with a share of it in colour."""
        place, box = pen.to_pixel_point(area.topleft), self.plane.box
        across = box.left + share * box.width
        split = pen.to_pixels(across)
        pen.surface.blit(self.remaining_surface, place)
        pen.surface.blit(self.done_surface, place, (0, 0, split, self.size[1]))
        number = np.interp(share * (len(self.values) - 1), range(len(self.values)), self.values)
        pen.draw_disc((area.left + across, area.top + self.plane.to_y(float(number))), END_POINT_RADIUS, ACCENT)
