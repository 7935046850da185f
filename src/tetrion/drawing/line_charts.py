"""Small line charts: no frame, few grid lines, and the name and last value of each line at its right end."""

import math
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

import pygame

from tetrion.drawing.chart_ticks import (
    MAX_MARKED_POINTS,
    choose_round_values,
    choose_step_ticks,
    compute_scale,
    count_fitting_ticks,
    format_tick,
    spread_labels,
)
from tetrion.drawing.layout import Box, flexible, inset, split_column, split_row
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
from tetrion.drawing.pen import PANEL_TITLE_OFFSET, Pen
from tetrion.drawing.shapes import (
    SUPERSAMPLING,
    PixelPosition,
    blit_picture,
    draw_stroke,
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

    @property
    def last_value(self) -> float:
        """The last finite value."""
        return next(value for value in reversed(self.values) if math.isfinite(value))

    @property
    def last_text(self) -> str:
        """The text of the last value."""
        return format_number(self.last_value) if self.last_label is None else self.last_label


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
) -> Box:
    """Draw lines into a box; return the part of it in which the lines are.

    The scale runs from `low` to `high`; by default it includes 0 and all values. A dashed line marks `threshold`. With
    `show_steps`, the step numbers 1, 2, 3 … are below the chart; with `show_end_labels`, names and last values are at
    the right. `empty_message` is shown while no line has two points.
    """
    lines = [line for line in series if any(map(math.isfinite, line.values))]
    if not any(sum(map(math.isfinite, line.values)) > 1 for line in lines):
        top = box.centery - 10 * (len(pen.wrap_text(empty_message, box.width, 14)) - 1)
        pen.draw_paragraph(empty_message, (box.centerx, top), box.width, 14, FAINT_TEXT, align=0.5)
        return box
    values = [value for line in lines for value in line.values if math.isfinite(value)]
    automatic_low, automatic_high = compute_scale(min(values), max(values))
    scale_low = automatic_low if low is None else low
    scale_high = automatic_high if high is None else high
    scale_high = scale_high if scale_high > scale_low else scale_low + 1
    whole = all(value == int(value) for value in values)
    max_count = count_fitting_ticks(box.height - _FONT_SIZE // 2 - measure_bottom(show_steps))
    grid_values = choose_round_values(scale_low, scale_high, whole, max_count=max_count)
    options = {"show_steps": show_steps, "show_end_labels": show_end_labels}
    plot_area = make_plot_area(pen, box, lines, (scale_low, scale_high), grid_values, **options)
    draw_grid_lines(pen, plot_area, grid_values)
    if show_steps:
        y = plot_area.box.bottom + _STEP_LABEL_HEIGHT - _FONT_SIZE // 2
        for step in choose_step_ticks(plot_area.step_count, max(2, plot_area.box.width // _STEP_LABEL_WIDTH)):
            pen.draw_text(f"{step:,}", (plot_area.to_x(step - 1), y), _FONT_SIZE, False, FAINT_TEXT, align=0.5)
    if threshold is not None and scale_low < threshold < scale_high:
        draw_threshold(pen, plot_area, threshold)
    for line in lines:
        draw_chart_line(pen, plot_area, line, line.has_area or len(lines) == 1)
    if show_end_labels:
        draw_end_labels(pen, box, plot_area, lines)
    return plot_area.box


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


def measure_bottom(show_steps: bool) -> int:
    """Return the height below the lines of a chart."""
    return _STEP_LABEL_HEIGHT if show_steps else _FONT_SIZE // 2


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
    widths = measure_end_labels(pen, series) if show_end_labels else (0, 0)
    right = sum(_END_LABEL_GAP + width for width in widths if width) or END_POINT_RADIUS
    _, column, _ = split_row(box, [left, flexible(minimum=1), right])
    _, area, _ = split_column(column, [_FONT_SIZE // 2, flexible(minimum=1), measure_bottom(show_steps)])
    return PlotArea(area, *scale, max(len(line.values) for line in series))


def measure_end_labels(pen: Pen, series: Sequence[ChartLine]) -> tuple[int, int]:
    """Return the widths of the longest name and the longest last value in units; 0 if there are none."""
    names = [pen.measure_text(line.name, _FONT_SIZE, True) for line in series if line.name]
    values = [pen.measure_text(line.last_text, _FONT_SIZE, True) for line in series if line.last_text]
    return max(names, default=0), max(values, default=0)


def draw_grid_lines(pen: Pen, plot_area: PlotArea, grid_values: Sequence[float]) -> None:
    """Draw horizontal grid lines with tick labels at the left; the base line is brighter."""
    base = 0 if 0 in grid_values else grid_values[0]
    left, width = plot_area.box.left, plot_area.box.width
    for tick in grid_values:
        y = plot_area.to_y(tick)
        pen.draw_separator(left, y, width, BOARD_OUTLINE if tick == base else SEPARATOR)
        text = format_tick(tick, grid_values)
        pen.draw_text(text, (left - _TICK_LABEL_GAP, y), _FONT_SIZE, False, FAINT_TEXT, align=1)


def draw_chart_line(pen: Pen, plot_area: PlotArea, line: ChartLine, has_area: bool) -> None:
    """Draw a line with marks on its points, or only on the last point if there are many."""
    steps = [(step, value) for step, value in enumerate(line.values) if math.isfinite(value)]
    positions = [(plot_area.to_x(step), plot_area.to_y(value)) for step, value in steps]
    floor = plot_area.to_y(max(plot_area.low, min(0.0, plot_area.high)))
    heights = [y for _, y in positions] + [floor] * has_area
    # The picture is only as large as the line.
    top, height = math.floor(min(heights)), math.ceil(max(heights) - min(heights)) + 1
    covered = inset(Box(plot_area.box.left, top, plot_area.box.width, height), -END_POINT_RADIUS - 1)
    area = pen.to_pixel_rect(covered)
    picture = render_chart_line(
        area.size,
        tuple((x * pen.scale - area.left, y * pen.scale - area.top) for x, y in positions),
        scale=pen.scale,
        colour=line.colour,
        base=floor * pen.scale - area.top if has_area else None,
    )
    blit_picture(pen.surface, picture, area.topleft)


@lru_cache(_CACHE_SIZE)
def render_chart_line(
    size: tuple[int, int], points: tuple[PixelPosition, ...], *, scale: float, colour: str, base: float | None
) -> pygame.Surface:
    """Render a line with a disc at its end, marks on its points if they are few, and the area down to a y coordinate.

    Points and `base` are in pixels; `scale` is that of the pen. The result is cached: do not draw on it.
    """
    surface = make_canvas(size)
    unit = SUPERSAMPLING * scale
    large = [(SUPERSAMPLING * x, SUPERSAMPLING * y) for x, y in points]
    if base is not None and len(large) > 1:
        floor = SUPERSAMPLING * base - 1  # so that the base line stays visible
        area = [*large, (large[-1][0], floor), (large[0][0], floor)]
        pygame.draw.polygon(surface, premultiply_colour(colour, _AREA_ALPHA), area)
    line_colour = premultiply_colour(colour)
    for start, stop in pairwise(large):
        draw_stroke(surface, line_colour, start, stop, unit * _LINE_WIDTH / 2)
    radius = _POINT_RADIUS if len(large) < MAX_MARKED_POINTS else _LINE_WIDTH / 2
    for point in large:
        pygame.draw.circle(surface, line_colour, point, unit * radius)
    pygame.draw.circle(surface, line_colour, large[-1], unit * END_POINT_RADIUS)
    return scale_down(surface)


def draw_threshold(pen: Pen, plot_area: PlotArea, threshold: float) -> None:
    """Draw a dashed horizontal line at a value."""
    line = pen.to_pixel_rect(Box(plot_area.box.left, round(plot_area.to_y(threshold)), plot_area.box.width, 1))
    dash = pen.to_pixels(_DASH_LENGTH)
    for x in range(line.left, line.right, 2 * dash):
        pen.surface.fill(mix_colours(PANEL, NEGATIVE, 0.6), (x, line.top, min(dash, line.right - x), 1))


def draw_end_labels(pen: Pen, box: Box, plot_area: PlotArea, series: Sequence[ChartLine]) -> None:
    """Draw names and last values at the right, far enough apart to be readable."""
    has_names = any(line.name for line in series)
    left = plot_area.box.right + _END_LABEL_GAP
    limits = inset(box, 0, _FONT_SIZE // 2)
    heights = spread_labels([plot_area.to_y(line.last_value) for line in series], limits.top, limits.bottom)
    for line, y in zip(series, heights, strict=True):
        pen.draw_text(line.name, (left, y), _FONT_SIZE, True, line.colour)
        x = box.right if has_names else left
        pen.draw_text(line.last_text, (x, y), _FONT_SIZE, True, STRONG_TEXT, align=float(has_names))
