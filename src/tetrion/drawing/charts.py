"""Small charts on a surface: no frame, few rules, and each line's name and last value at its right end."""

import math
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

import pygame

from tetrion.drawing.palette import ACCENT, BAD, FAINT, OUTLINE, PANEL, RULE, STRONG, mixed
from tetrion.drawing.pen import Box, Pen
from tetrion.drawing.shapes import SHARPER, Paint, canvas, paint, put, scaled_down
from tetrion.drawing.ticks import APART, FEW, round_numbers, scale_of, spread_out, tick_words, ticks_of
from tetrion.evaluation.words import figure

TYPE = 13
LINE, END, POINT = 2, 4, 2.5  # the width of a line, and the radii of its last point and of others
AREA = 0.11
DASH = 4  # on, and as many off
BESIDE, FIGURES = 12, 10  # room between a line and what stands right of it, and between figures and rules
BELOW = 24  # room for the figures below
A_FIGURE = 32  # room that one of these needs
KEPT = 64

Points = tuple[tuple[float, float], ...]


class Series(NamedTuple):
    """A line: its name, its values in order (what is no number is left out), and how the last one reads.

    The area below is filled if it is the only line, or if `area` says so.
    """

    name: str
    values: Sequence[float]
    colour: str = ACCENT
    last: str | None = None
    area: bool = False


class Plane(NamedTuple):
    """Where a chart's lines are: their box in units, the range of the values, and how many steps there are."""

    box: Box
    low: float
    high: float
    steps: int

    def x(self, step: int) -> float:
        """Where a step is, counted from 0."""
        return self.box.left + self.box.width * step / max(1, self.steps - 1)

    def y(self, value: float) -> float:
        """Where a value is."""
        share = (value - self.low) / (self.high - self.low)
        return self.box.bottom - self.box.height * max(0.0, min(1.0, share))


def draw_chart(
    pen: Pen,
    box: Box,
    series: Sequence[Series],
    *,
    low: float | None = None,
    high: float | None = None,
    threshold: float | None = None,
    steps: bool = False,
    ends: bool = True,
    nothing: str = "",
) -> None:
    """Draw lines into a box; the scale runs from `low` to `high`, or where one is not given as far as needed, with 0.

    With `steps` the numbers 1, 2, 3 … stand below; without `ends` the names and last values are left to the caller.
    `nothing` is said while no line has two points.
    """
    shown = [line for line in series if any(map(math.isfinite, line.values))]
    if not any(sum(map(math.isfinite, line.values)) > 1 for line in shown):
        for number, words in enumerate(lines := pen.wrapped(nothing, box.width, 14)):
            pen.text(words, (box.centerx, box.centery + 20 * (number - (len(lines) - 1) / 2)), 14, False, FAINT, 0.5)
        return
    known = [value for line in shown for value in line.values if math.isfinite(value)]
    automatic = scale_of(min(known), max(known))
    least = automatic[0] if low is None else low
    most = automatic[1] if high is None else high
    most = most if most > least else least + 1
    rules = round_numbers(least, most, all(value == int(value) for value in known))
    plane = plane_of(pen, box, shown, (least, most), rules, steps, ends)
    draw_rules(pen, plane, rules)
    if steps:
        draw_steps(pen, plane)
    if threshold is not None and least < threshold < most:
        draw_threshold(pen, plane, threshold)
    for line in shown:
        draw_line(pen, plane, line, line.area or len(shown) == 1)
    if ends:
        draw_ends(pen, box, plane, shown)


def plane_of(
    pen: Pen,
    box: Box,
    series: Sequence[Series],
    scale: tuple[float, float],
    rules: Sequence[float],
    steps: bool,
    ends: bool,
) -> Plane:
    """Where the lines are, between the figures at their left and the names at their right."""
    left = FIGURES + max(pen.width_of(tick_words(tick, rules), TYPE) for tick in rules)
    name, value = widths(pen, series) if ends else (0, 0)
    right = BESIDE + name + (BESIDE if name and value else 0) + value if name or value else END
    below, above = (BELOW if steps else TYPE // 2), TYPE // 2
    inside = Box(box.left + left, box.top + above, max(1, box.width - left - right), max(1, box.height - above - below))
    return Plane(inside, *scale, max(len(line.values) for line in series))


def widths(pen: Pen, series: Sequence[Series]) -> tuple[int, int]:
    """How much room names and last values need."""
    names = [pen.width_of(line.name, TYPE, True) for line in series if line.name]
    values = [pen.width_of(last_words(line), TYPE, True) for line in series if last_words(line)]
    return max(names, default=0), max(values, default=0)


def last_words(line: Series) -> str:
    """How the last value of a line reads."""
    return figure(last_of(line)[1]) if line.last is None else line.last


def last_of(line: Series) -> tuple[int, float]:
    """The last step of a line that has a value, and the value."""
    return next((step, value) for step, value in reversed(list(enumerate(line.values))) if math.isfinite(value))


def draw_rules(pen: Pen, plane: Plane, rules: Sequence[float]) -> None:
    """Lines across, with their figures at the left; the base line is stronger."""
    base = 0 if 0 in rules else rules[0]
    for tick in rules:
        pen.rule(plane.box.left, plane.y(tick), plane.box.width, OUTLINE if tick == base else RULE)
        words = tick_words(tick, rules)
        pen.text(words, (plane.box.left - FIGURES, plane.y(tick)), TYPE, False, FAINT, align=1)


def draw_steps(pen: Pen, plane: Plane) -> None:
    """The numbers of steps below, as many as there is room for."""
    for step in ticks_of(plane.steps, max(2, plane.box.width // A_FIGURE)):
        place = plane.x(step - 1), plane.box.bottom + BELOW - TYPE // 2
        pen.text(f"{step:,}", place, TYPE, False, FAINT, align=0.5)


def draw_line(pen: Pen, plane: Plane, line: Series, area: bool) -> None:
    """A line with its points, or only its last one where there are many."""
    known = [(step, value) for step, value in enumerate(line.values) if math.isfinite(value)]
    places = [(plane.x(step), plane.y(value)) for step, value in known]
    floor = plane.y(max(plane.low, min(0.0, plane.high))) if area else None
    heights = [y for _, y in places] + ([] if floor is None else [floor])
    left, top = pen.point((plane.box.left - END, min(heights) - END))
    right, bottom = pen.point((plane.box.right + END + 1, max(heights) + END + 1))  # no more than the line covers
    points = tuple((x * pen.scale - left, y * pen.scale - top) for x, y in places)
    base = None if floor is None else floor * pen.scale - top
    fill = paint(line.colour, AREA) if area else None
    radius = POINT * pen.scale if len(points) < FEW else 0.0
    size = right - left, bottom - top
    picture = line_picture(size, points, paint(line.colour), LINE * pen.scale, base, fill, radius, END * pen.scale)
    put(pen.surface, picture, (left, top))


@lru_cache(KEPT)
def line_picture(
    size: tuple[int, int],
    points: Points,
    ink: Paint,
    width: float,
    base: float | None,
    fill: Paint | None,
    radius: float,
    end: float,
) -> pygame.Surface:
    """A smooth line with round joins and a disc at its end, points, and the area down to its base. It is shared."""
    surface = canvas(size)
    large = [(SHARPER * x, SHARPER * y) for x, y in points]
    if base is not None and fill is not None and len(large) > 1:
        floor = SHARPER * base - 1  # clear of the base line
        pygame.draw.polygon(surface, fill, [*large, (large[-1][0], floor), (large[0][0], floor)])
    half = SHARPER * width / 2
    for start, stop in pairwise(large):
        draw_stroke(surface, ink, start, stop, half)
    for place in large:
        pygame.draw.circle(surface, ink, place, max(half, SHARPER * radius))
    pygame.draw.circle(surface, ink, large[-1], SHARPER * end)
    return scaled_down(surface)


def draw_stroke(
    surface: pygame.Surface, ink: Paint, start: tuple[float, float], stop: tuple[float, float], half: float
) -> None:
    """A straight line so wide to both sides."""
    across, down = stop[0] - start[0], stop[1] - start[1]
    length = math.hypot(across, down) or 1
    x, y = -down / length * half, across / length * half
    corners = [(start[0] + x, start[1] + y), (stop[0] + x, stop[1] + y)]
    pygame.draw.polygon(surface, ink, [*corners, (stop[0] - x, stop[1] - y), (start[0] - x, start[1] - y)])


def draw_threshold(pen: Pen, plane: Plane, threshold: float) -> None:
    """A dashed line across at a value."""
    x, y = pen.point((plane.box.left, plane.y(threshold)))
    right, dash, ink = x + pen.pixels(plane.box.width), pen.pixels(DASH), mixed(PANEL, BAD, 0.6)
    for start in range(x, right, 2 * dash):
        pen.surface.fill(ink, (start, y, min(dash, right - start), 1))


def draw_ends(pen: Pen, box: Box, plane: Plane, series: Sequence[Series]) -> None:
    """Names and last values, far enough apart to be read."""
    name = widths(pen, series)[0]
    left = plane.box.right + BESIDE
    heights = [plane.y(last_of(line)[1]) for line in series]
    places = spread_out(heights, box.top + TYPE // 2, box.bottom - TYPE // 2, APART)
    for line, height in zip(series, places, strict=True):
        pen.text(line.name, (left, height), TYPE, True, line.colour)
        if name:
            pen.text(last_words(line), (box.right, height), TYPE, True, STRONG, align=1)
        else:
            pen.text(last_words(line), (left, height), TYPE, True, STRONG)
