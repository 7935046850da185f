"""Small charts on a surface: no frame, few rules, and each line's name and last value at its right end."""

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
from tetrion.drawing.pen import Box, Pen
from tetrion.drawing.shapes import (
    SUPERSAMPLING,
    PremultipliedColour,
    blit_picture,
    make_canvas,
    premultiply_colour,
    scale_down,
)
from tetrion.evaluation.number_format import format_number

_FONT_SIZE = 13
# the width of a line, and the radii of its last point and of others
_LINE_WIDTH = 2
END_POINT_RADIUS = 4
_POINT_RADIUS = 2.5
_AREA_ALPHA = 0.11
_DASH_LENGTH = 4  # on, and as many off
_END_LABEL_GAP, _TICK_LABEL_GAP = (
    12,
    10,
)  # room between a line and what stands right of it, and between figures and rules
_STEP_LABEL_HEIGHT = 24  # room for the figures below
_STEP_LABEL_WIDTH = 32  # room that one of these needs
_CACHE_SIZE = 64

ChartPoints = tuple[tuple[float, float], ...]


class ChartLine(NamedTuple):
    """A line: its name, its values in order (what is no number is left out), and how the last one reads.

    The area below is filled if it is the only line, or if `area` says so.
    """

    name: str
    values: Sequence[float]
    colour: str = ACCENT
    last_label: str | None = None
    has_area: bool = False


class PlotArea(NamedTuple):
    """Where a chart's lines are: their box in units, the range of the values, and how many steps there are."""

    box: Box
    low: float
    high: float
    step_count: int

    def to_x(self, step: int) -> float:
        """Where a step is, counted from 0."""
        return self.box.left + self.box.width * step / max(1, self.step_count - 1)

    def to_y(self, value: float) -> float:
        """Where a value is."""
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
    """Draw lines into a box; the scale runs from `low` to `high`, or where one is not given as far as needed, with 0.

    With `steps` the numbers 1, 2, 3 … stand below; without `ends` the names and last values are left to the caller.
    `nothing` is said while no line has two points.
    """
    shown = [line for line in series if any(map(math.isfinite, line.values))]
    if not any(sum(map(math.isfinite, line.values)) > 1 for line in shown):
        for number, words in enumerate(lines := pen.wrap_text(empty_message, box.width, 14)):
            pen.draw_text(
                words, (box.centerx, box.centery + 20 * (number - (len(lines) - 1) / 2)), 14, False, FAINT_TEXT, 0.5
            )
        return
    known = [value for line in shown for value in line.values if math.isfinite(value)]
    automatic = compute_scale(min(known), max(known))
    least = automatic[0] if low is None else low
    most = automatic[1] if high is None else high
    most = most if most > least else least + 1
    rules = choose_round_values(least, most, all(value == int(value) for value in known))
    plane = make_plot_area(pen, box, shown, (least, most), rules, show_steps, show_end_labels)
    draw_grid_lines(pen, plane, rules)
    if show_steps:
        draw_step_labels(pen, plane)
    if threshold is not None and least < threshold < most:
        draw_threshold(pen, plane, threshold)
    for line in shown:
        draw_chart_line(pen, plane, line, line.has_area or len(shown) == 1)
    if show_end_labels:
        draw_end_labels(pen, box, plane, shown)


def make_plot_area(
    pen: Pen,
    box: Box,
    series: Sequence[ChartLine],
    scale: tuple[float, float],
    grid_values: Sequence[float],
    show_steps: bool,
    show_end_labels: bool,
) -> PlotArea:
    """Where the lines are, between the figures at their left and the names at their right."""
    left = _TICK_LABEL_GAP + max(pen.measure_text(format_tick(tick, grid_values), _FONT_SIZE) for tick in grid_values)
    name, value = measure_end_labels(pen, series) if show_end_labels else (0, 0)
    right = (
        _END_LABEL_GAP + name + (_END_LABEL_GAP if name and value else 0) + value if name or value else END_POINT_RADIUS
    )
    below, above = (_STEP_LABEL_HEIGHT if show_steps else _FONT_SIZE // 2), _FONT_SIZE // 2
    inside = Box(box.left + left, box.top + above, max(1, box.width - left - right), max(1, box.height - above - below))
    return PlotArea(inside, *scale, max(len(line.values) for line in series))


def measure_end_labels(pen: Pen, series: Sequence[ChartLine]) -> tuple[int, int]:
    """How much room names and last values need."""
    names = [pen.measure_text(line.name, _FONT_SIZE, True) for line in series if line.name]
    values = [pen.measure_text(format_last_value(line), _FONT_SIZE, True) for line in series if format_last_value(line)]
    return max(names, default=0), max(values, default=0)


def format_last_value(line: ChartLine) -> str:
    """How the last value of a line reads."""
    return format_number(find_last_value(line)[1]) if line.last_label is None else line.last_label


def find_last_value(line: ChartLine) -> tuple[int, float]:
    """The last step of a line that has a value, and the value."""
    return next((step, value) for step, value in reversed(list(enumerate(line.values))) if math.isfinite(value))


def draw_grid_lines(pen: Pen, plot_area: PlotArea, grid_values: Sequence[float]) -> None:
    """Lines across, with their figures at the left; the base line is stronger."""
    base = 0 if 0 in grid_values else grid_values[0]
    for tick in grid_values:
        pen.draw_separator(
            plot_area.box.left, plot_area.to_y(tick), plot_area.box.width, BOARD_OUTLINE if tick == base else SEPARATOR
        )
        words = format_tick(tick, grid_values)
        pen.draw_text(
            words, (plot_area.box.left - _TICK_LABEL_GAP, plot_area.to_y(tick)), _FONT_SIZE, False, FAINT_TEXT, align=1
        )


def draw_step_labels(pen: Pen, plot_area: PlotArea) -> None:
    """The numbers of steps below, as many as there is room for."""
    for step in choose_step_ticks(plot_area.step_count, max(2, plot_area.box.width // _STEP_LABEL_WIDTH)):
        place = plot_area.to_x(step - 1), plot_area.box.bottom + _STEP_LABEL_HEIGHT - _FONT_SIZE // 2
        pen.draw_text(f"{step:,}", place, _FONT_SIZE, False, FAINT_TEXT, align=0.5)


def draw_chart_line(pen: Pen, plot_area: PlotArea, line: ChartLine, has_area: bool) -> None:
    """A line with its points, or only its last one where there are many."""
    known = [(step, value) for step, value in enumerate(line.values) if math.isfinite(value)]
    places = [(plot_area.to_x(step), plot_area.to_y(value)) for step, value in known]
    floor = plot_area.to_y(max(plot_area.low, min(0.0, plot_area.high))) if has_area else None
    heights = [y for _, y in places] + ([] if floor is None else [floor])
    left, top = pen.to_pixel_point((plot_area.box.left - END_POINT_RADIUS, min(heights) - END_POINT_RADIUS))
    right, bottom = pen.to_pixel_point(
        (plot_area.box.right + END_POINT_RADIUS + 1, max(heights) + END_POINT_RADIUS + 1)
    )  # no more than the line covers
    points = tuple((x * pen.scale - left, y * pen.scale - top) for x, y in places)
    base = None if floor is None else floor * pen.scale - top
    fill = premultiply_colour(line.colour, _AREA_ALPHA) if has_area else None
    radius = _POINT_RADIUS * pen.scale if len(points) < MAX_MARKED_POINTS else 0.0
    size = right - left, bottom - top
    picture = render_chart_line(
        size,
        points,
        premultiply_colour(line.colour),
        _LINE_WIDTH * pen.scale,
        base,
        fill,
        radius,
        END_POINT_RADIUS * pen.scale,
    )
    blit_picture(pen.surface, picture, (left, top))


@lru_cache(_CACHE_SIZE)
def render_chart_line(
    size: tuple[int, int],
    points: ChartPoints,
    line_colour: PremultipliedColour,
    width: float,
    base: float | None,
    fill: PremultipliedColour | None,
    radius: float,
    end_radius: float,
) -> pygame.Surface:
    """A smooth line with round joins and a disc at its end, points, and the area down to its base. It is shared."""
    surface = make_canvas(size)
    large = [(SUPERSAMPLING * x, SUPERSAMPLING * y) for x, y in points]
    if base is not None and fill is not None and len(large) > 1:
        floor = SUPERSAMPLING * base - 1  # clear of the base line
        pygame.draw.polygon(surface, fill, [*large, (large[-1][0], floor), (large[0][0], floor)])
    half = SUPERSAMPLING * width / 2
    for start, stop in pairwise(large):
        draw_stroke(surface, line_colour, start, stop, half)
    for place in large:
        pygame.draw.circle(surface, line_colour, place, max(half, SUPERSAMPLING * radius))
    pygame.draw.circle(surface, line_colour, large[-1], SUPERSAMPLING * end_radius)
    return scale_down(surface)


def draw_stroke(
    surface: pygame.Surface,
    line_colour: PremultipliedColour,
    start: tuple[float, float],
    stop: tuple[float, float],
    half_width: float,
) -> None:
    """A straight line so wide to both sides."""
    across, down = stop[0] - start[0], stop[1] - start[1]
    length = math.hypot(across, down) or 1
    x, y = -down / length * half_width, across / length * half_width
    corners = [(start[0] + x, start[1] + y), (stop[0] + x, stop[1] + y)]
    pygame.draw.polygon(surface, line_colour, [*corners, (stop[0] - x, stop[1] - y), (start[0] - x, start[1] - y)])


def draw_threshold(pen: Pen, plot_area: PlotArea, threshold: float) -> None:
    """A dashed line across at a value."""
    x, y = pen.to_pixel_point((plot_area.box.left, plot_area.to_y(threshold)))
    right = x + pen.to_pixels(plot_area.box.width)
    dash = pen.to_pixels(_DASH_LENGTH)
    ink = mix_colours(PANEL, NEGATIVE, 0.6)
    for start in range(x, right, 2 * dash):
        pen.surface.fill(ink, (start, y, min(dash, right - start), 1))


def draw_end_labels(pen: Pen, box: Box, plot_area: PlotArea, series: Sequence[ChartLine]) -> None:
    """Names and last values, far enough apart to be read."""
    name = measure_end_labels(pen, series)[0]
    left = plot_area.box.right + _END_LABEL_GAP
    heights = [plot_area.to_y(find_last_value(line)[1]) for line in series]
    places = spread_labels(heights, box.top + _FONT_SIZE // 2, box.bottom - _FONT_SIZE // 2, MIN_LABEL_DISTANCE)
    for line, height in zip(series, places, strict=True):
        pen.draw_text(line.name, (left, height), _FONT_SIZE, True, line.colour)
        if name:
            pen.draw_text(format_last_value(line), (box.right, height), _FONT_SIZE, True, STRONG_TEXT, align=1)
        else:
            pen.draw_text(format_last_value(line), (left, height), _FONT_SIZE, True, STRONG_TEXT)
