"""Small line charts: no frame, few grid lines, and the name and last value of each line at its right end."""

import math
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

import pygame

from tetrion.drawing.chart_ticks import (
    MAX_MARKED_POINTS,
    MIN_LABEL_DISTANCE,
    choose_round_values,
    choose_step_ticks,
    compute_scale,
    count_fitting_ticks,
    format_tick,
    spread_labels,
)
from tetrion.drawing.palette import (
    ACCENT,
    BOARD_OUTLINE,
    FAINT_TEXT,
    NEGATIVE,
    PANEL,
    SEPARATOR,
    STRONG_TEXT,
    mix_colours,
)
from tetrion.drawing.pen import PANEL_TITLE_OFFSET, Box, Pen
from tetrion.drawing.shapes import (
    SUPERSAMPLING,
    PremultipliedColour,
    blit_picture,
    make_canvas,
    premultiply_colour,
    scale_down,
)
from tetrion.evaluation.number_format import format_count, format_number

# units
_FONT_SIZE = 13
_LINE_WIDTH = 2
END_POINT_RADIUS = 4
_POINT_RADIUS = 2.5
_DASH_LENGTH = 4  # equal to the gap between dashes
_END_LABEL_GAP = 12
_TICK_LABEL_GAP = 10
_STEP_LABEL_HEIGHT = 24
_STEP_LABEL_WIDTH = 32
_AREA_ALPHA = 0.11
_CACHE_SIZE = 64

ChartPoints = tuple[tuple[float, float], ...]


class ChartLine(NamedTuple):
    """A line of a chart; values that are not finite are skipped.

    `last_label` replaces the text of the last value. The area below the line is filled if `has_area` is set, or if it
    is the only line.
    """

    name: str
    values: Sequence[float]
    colour: str = ACCENT
    last_label: str | None = None
    has_area: bool = False


class PlotArea(NamedTuple):
    """The area of a chart's lines: its box in units, the range of the values, and the number of steps."""

    box: Box
    low: float
    high: float
    step_count: int

    def to_x(self, step: int) -> float:
        """Return the x coordinate of a step (counted from 0)."""
        return self.box.left + self.box.width * step / max(1, self.step_count - 1)

    def to_y(self, value: float) -> float:
        """Return the y coordinate of a value, limited to the box."""
        share = (value - self.low) / (self.high - self.low)
        return self.box.bottom - self.box.height * max(0.0, min(1.0, share))


def draw_chart(
    pen: Pen,
    box: Box,
    series: Sequence[ChartLine],
    *,
    low: float | None = None,
    high: float | None = None,
    threshold: float | None = None,
    show_steps: bool = False,
    show_end_labels: bool = True,
    empty_message: str = "",
) -> None:
    """Draw lines into a box.

    The scale runs from `low` to `high`; by default it includes 0 and all values. A dashed line marks `threshold`. With
    `show_steps`, the step numbers 1, 2, 3 … are below the chart; with `show_end_labels`, names and last values are at
    the right. `empty_message` is shown while no line has two points.
    """
    lines = [line for line in series if any(map(math.isfinite, line.values))]
    if not any(sum(map(math.isfinite, line.values)) > 1 for line in lines):
        message = pen.wrap_text(empty_message, box.width, 14)
        for number, text in enumerate(message):
            position = box.centerx, box.centery + 20 * (number - (len(message) - 1) / 2)
            pen.draw_text(text, position, 14, False, FAINT_TEXT, align=0.5)
        return
    values = [value for line in lines for value in line.values if math.isfinite(value)]
    automatic_low, automatic_high = compute_scale(min(values), max(values))
    scale_low = automatic_low if low is None else low
    scale_high = automatic_high if high is None else high
    scale_high = scale_high if scale_high > scale_low else scale_low + 1
    plot_height = box.height - _FONT_SIZE // 2 - (_STEP_LABEL_HEIGHT if show_steps else _FONT_SIZE // 2)
    grid_values = choose_round_values(
        scale_low,
        scale_high,
        all(value == int(value) for value in values),
        max_count=count_fitting_ticks(plot_height),
    )
    plot_area = make_plot_area(
        pen,
        box,
        lines,
        (scale_low, scale_high),
        grid_values,
        show_steps=show_steps,
        show_end_labels=show_end_labels,
    )
    draw_grid_lines(pen, plot_area, grid_values)
    if show_steps:
        draw_step_labels(pen, plot_area)
    if threshold is not None and scale_low < threshold < scale_high:
        draw_threshold(pen, plot_area, threshold)
    for line in lines:
        draw_chart_line(pen, plot_area, line, line.has_area or len(lines) == 1)
    if show_end_labels:
        draw_end_labels(pen, box, plot_area, lines)


def draw_stack_heights(
    pen: Pen,
    box: Box,
    heights: Sequence[int],
    rows: int,
    colour: str = ACCENT,
    *,
    threshold: float | None = None,
    right_text: str = "",
) -> None:
    """Draw a panel with the stack height after each of the last pieces; `rows` is the height of the board.

    The last height is next to the end of the line if there is a `right_text`, otherwise it takes the text's place.
    """
    inside = pen.draw_panel(box, "Stack height", right_text)
    current = format_count(heights[-1] if heights else 0, "row")
    if not right_text:
        pen.draw_text(current, (inside.right, box.top + PANEL_TITLE_OFFSET), 14, True, STRONG_TEXT, align=1)
    draw_chart(
        pen,
        inside,
        [ChartLine("", heights, colour, last_label=current, has_area=True)],
        low=0,
        high=rows,
        threshold=threshold,
        show_end_labels=bool(right_text),
        empty_message="Appears after the second piece.",
    )


def make_plot_area(
    pen: Pen,
    box: Box,
    series: Sequence[ChartLine],
    scale: tuple[float, float],
    grid_values: Sequence[float],
    *,
    show_steps: bool,
    show_end_labels: bool,
) -> PlotArea:
    """Return the area of the lines, between the tick labels at the left and the end labels at the right."""
    left = _TICK_LABEL_GAP + max(pen.measure_text(format_tick(tick, grid_values), _FONT_SIZE) for tick in grid_values)
    name_width, value_width = measure_end_labels(pen, series) if show_end_labels else (0, 0)
    right = END_POINT_RADIUS
    if name_width or value_width:
        right = _END_LABEL_GAP + name_width + (_END_LABEL_GAP if name_width and value_width else 0) + value_width
    top = _FONT_SIZE // 2
    bottom = _STEP_LABEL_HEIGHT if show_steps else _FONT_SIZE // 2
    area = Box(box.left + left, box.top + top, max(1, box.width - left - right), max(1, box.height - top - bottom))
    return PlotArea(area, *scale, max(len(line.values) for line in series))


def measure_end_labels(pen: Pen, series: Sequence[ChartLine]) -> tuple[int, int]:
    """Return the widths of the longest name and the longest last value, in units."""
    names = [pen.measure_text(line.name, _FONT_SIZE, True) for line in series if line.name]
    values = [pen.measure_text(format_last_value(line), _FONT_SIZE, True) for line in series if format_last_value(line)]
    return max(names, default=0), max(values, default=0)


def format_last_value(line: ChartLine) -> str:
    """Return the text of a line's last value."""
    return format_number(find_last_value(line)[1]) if line.last_label is None else line.last_label


def find_last_value(line: ChartLine) -> tuple[int, float]:
    """Return the last step of a line with a finite value, and the value."""
    return next((step, value) for step, value in reversed(list(enumerate(line.values))) if math.isfinite(value))


def draw_grid_lines(pen: Pen, plot_area: PlotArea, grid_values: Sequence[float]) -> None:
    """Draw horizontal grid lines with tick labels at the left; the base line is brighter."""
    base = 0 if 0 in grid_values else grid_values[0]
    for tick in grid_values:
        y = plot_area.to_y(tick)
        colour = BOARD_OUTLINE if tick == base else SEPARATOR
        pen.draw_separator(plot_area.box.left, y, plot_area.box.width, colour)
        position = plot_area.box.left - _TICK_LABEL_GAP, y
        pen.draw_text(format_tick(tick, grid_values), position, _FONT_SIZE, False, FAINT_TEXT, align=1)


def draw_step_labels(pen: Pen, plot_area: PlotArea) -> None:
    """Draw step numbers below the chart, as many as fit."""
    for step in choose_step_ticks(plot_area.step_count, max(2, plot_area.box.width // _STEP_LABEL_WIDTH)):
        position = plot_area.to_x(step - 1), plot_area.box.bottom + _STEP_LABEL_HEIGHT - _FONT_SIZE // 2
        pen.draw_text(f"{step:,}", position, _FONT_SIZE, False, FAINT_TEXT, align=0.5)


def draw_chart_line(pen: Pen, plot_area: PlotArea, line: ChartLine, has_area: bool) -> None:
    """Draw a line with marks on its points, or only on the last point if there are many."""
    steps = [(step, value) for step, value in enumerate(line.values) if math.isfinite(value)]
    positions = [(plot_area.to_x(step), plot_area.to_y(value)) for step, value in steps]
    floor = plot_area.to_y(max(plot_area.low, min(0.0, plot_area.high))) if has_area else None
    heights = [y for _, y in positions] + ([] if floor is None else [floor])
    # The picture is only as large as the line.
    left, top = pen.to_pixel_point((plot_area.box.left - END_POINT_RADIUS, min(heights) - END_POINT_RADIUS))
    right, bottom = pen.to_pixel_point(
        (plot_area.box.right + END_POINT_RADIUS + 1, max(heights) + END_POINT_RADIUS + 1)
    )
    points = tuple((x * pen.scale - left, y * pen.scale - top) for x, y in positions)
    base = None if floor is None else floor * pen.scale - top
    fill = premultiply_colour(line.colour, _AREA_ALPHA) if has_area else None
    radius = _POINT_RADIUS * pen.scale if len(points) < MAX_MARKED_POINTS else 0.0
    picture = render_chart_line(
        (right - left, bottom - top),
        points,
        colour=premultiply_colour(line.colour),
        width=_LINE_WIDTH * pen.scale,
        base=base,
        fill=fill,
        point_radius=radius,
        end_radius=END_POINT_RADIUS * pen.scale,
    )
    blit_picture(pen.surface, picture, (left, top))


@lru_cache(_CACHE_SIZE)
def render_chart_line(
    size: tuple[int, int],
    points: ChartPoints,
    *,
    colour: PremultipliedColour,
    width: float,
    base: float | None,
    fill: PremultipliedColour | None,
    point_radius: float,
    end_radius: float,
) -> pygame.Surface:
    """Render a line with a disc at its end, marks on its points, and the area down to the y coordinate `base`.

    All lengths are in pixels. The result is cached: do not draw on it.
    """
    surface = make_canvas(size)
    large = [(SUPERSAMPLING * x, SUPERSAMPLING * y) for x, y in points]
    if base is not None and fill is not None and len(large) > 1:
        floor = SUPERSAMPLING * base - 1  # so that the base line stays visible
        pygame.draw.polygon(surface, fill, [*large, (large[-1][0], floor), (large[0][0], floor)])
    half = SUPERSAMPLING * width / 2
    for start, stop in pairwise(large):
        draw_stroke(surface, colour, start, stop, half)
    for point in large:
        pygame.draw.circle(surface, colour, point, max(half, SUPERSAMPLING * point_radius))
    pygame.draw.circle(surface, colour, large[-1], SUPERSAMPLING * end_radius)
    return scale_down(surface)


def draw_stroke(
    surface: pygame.Surface,
    colour: PremultipliedColour,
    start: tuple[float, float],
    stop: tuple[float, float],
    half_width: float,
) -> None:
    """Draw a straight line that extends `half_width` pixels to each side."""
    dx, dy = stop[0] - start[0], stop[1] - start[1]
    length = math.hypot(dx, dy) or 1
    x, y = -dy / length * half_width, dx / length * half_width
    corners = [(start[0] + x, start[1] + y), (stop[0] + x, stop[1] + y)]
    pygame.draw.polygon(surface, colour, [*corners, (stop[0] - x, stop[1] - y), (start[0] - x, start[1] - y)])


def draw_threshold(pen: Pen, plot_area: PlotArea, threshold: float) -> None:
    """Draw a dashed horizontal line at a value."""
    x, y = pen.to_pixel_point((plot_area.box.left, plot_area.to_y(threshold)))
    right = x + pen.to_pixels(plot_area.box.width)
    dash = pen.to_pixels(_DASH_LENGTH)
    colour = mix_colours(PANEL, NEGATIVE, 0.6)
    for start in range(x, right, 2 * dash):
        pen.surface.fill(colour, (start, y, min(dash, right - start), 1))


def draw_end_labels(pen: Pen, box: Box, plot_area: PlotArea, series: Sequence[ChartLine]) -> None:
    """Draw names and last values at the right, far enough apart to be readable."""
    has_names = measure_end_labels(pen, series)[0] > 0
    left = plot_area.box.right + _END_LABEL_GAP
    heights = [plot_area.to_y(find_last_value(line)[1]) for line in series]
    label_heights = spread_labels(heights, box.top + _FONT_SIZE // 2, box.bottom - _FONT_SIZE // 2, MIN_LABEL_DISTANCE)
    for line, height in zip(series, label_heights, strict=True):
        pen.draw_text(line.name, (left, height), _FONT_SIZE, True, line.colour)
        if has_names:
            pen.draw_text(format_last_value(line), (box.right, height), _FONT_SIZE, True, STRONG_TEXT, align=1)
        else:
            pen.draw_text(format_last_value(line), (left, height), _FONT_SIZE, True, STRONG_TEXT)
