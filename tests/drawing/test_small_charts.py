"""Small charts: positions of lines and labels, and charts with little or unusual data."""

import math
from collections import Counter

import numpy as np
import pygame
import pytest

from tests.drawing.pixels import get_pixel, is_near
from tetrion.drawing.chart_ticks import choose_round_values, compute_scale, format_tick
from tetrion.drawing.line_charts import ChartLine, draw_chart, make_plot_area, render_chart_line
from tetrion.drawing.palette import ACCENT, BOARD_OUTLINE, NEGATIVE, PANEL, SECOND_ACCENT, mix_colours
from tetrion.drawing.pen import Box, Pen

BOX = Box(10, 10, 380, 180)


def make_pen(scale: float = 1.0) -> Pen:
    """Return a pen on an empty surface of 400 × 200 units."""
    surface = pygame.Surface((round(400 * scale), round(200 * scale)), 0, 32)
    surface.fill(PANEL)
    return Pen(surface, scale)


def get_bytes(pen: Pen) -> bytes:
    """Return the pixels of a pen's surface."""
    return pygame.image.tobytes(pen.surface, "RGB")


def find_pixels(pen: Pen, colour: str) -> list[tuple[int, int]]:
    """Return the positions of all pixels that nearly have a colour."""
    target = np.array(list(bytes.fromhex(colour[1:])))
    distances = abs(pygame.surfarray.array3d(pen.surface).astype(int) - target).max(axis=2)
    return [(int(x), int(y)) for x, y in np.argwhere(distances <= 3)]


@pytest.mark.parametrize("scale", [1.0, 1.35, 2.0])
def test_line_passes_through_its_values(scale: float) -> None:
    drawn, values = make_pen(scale), [5, 15, 10, 0, 20, 10]
    draw_chart(drawn, BOX, [ChartLine("", values, last_label="10 rows")], low=0, high=20)
    plot_area = make_plot_area(
        drawn,
        BOX,
        [ChartLine("", values, last_label="10 rows")],
        (0, 20),
        [0, 10, 20],
        show_steps=False,
        show_end_labels=True,
    )
    for step, value in enumerate(values):
        x, y = drawn.to_pixel_point((plot_area.to_x(step), plot_area.to_y(value)))
        assert get_pixel(drawn.surface, x, y) == ACCENT
    x, y = drawn.to_pixel_point((plot_area.to_x(4), plot_area.to_y(10)))
    assert is_near(get_pixel(drawn.surface, x, y + 4), mix_colours(PANEL, ACCENT, 0.11)), "the area below the only line"
    assert get_pixel(drawn.surface, *drawn.to_pixel_point((plot_area.to_x(3), plot_area.to_y(14)))) == PANEL


def test_last_point_is_a_disc_and_few_points_are_marked() -> None:
    few, many = make_pen(), make_pen()
    for drawn, count in ((few, 8), (many, 30)):
        line = ChartLine("", [10.0] * count, last_label="")
        draw_chart(drawn, BOX, [line], low=0, high=20)
        plot_area = make_plot_area(drawn, BOX, [line], (0, 20), [0, 10, 20], show_steps=False, show_end_labels=True)
        x, y = drawn.to_pixel_point((plot_area.to_x(count - 1), plot_area.to_y(10)))
        assert get_pixel(drawn.surface, x, y - 3) == ACCENT
        x, y = drawn.to_pixel_point((plot_area.to_x(2), plot_area.to_y(10)))
        assert (get_pixel(drawn.surface, x, y - 2) != PANEL) == (drawn is few)


def test_labels_do_not_overlap_where_lines_meet() -> None:
    drawn = make_pen()
    draw_chart(drawn, BOX, [ChartLine("Best", [1, 2, 3.01]), ChartLine("Mean", [1, 1, 3], SECOND_ACCENT)])
    for colour, other in ((ACCENT, SECOND_ACCENT), (SECOND_ACCENT, ACCENT)):
        heights = [y for x, y in find_pixels(drawn, colour) if x > 330]
        others = [y for x, y in find_pixels(drawn, other) if x > 330]
        assert heights, "the name is at the right"
        assert max(heights) < min(others) or min(heights) > max(others)


def test_several_lines_have_no_filled_area_by_default() -> None:
    plain, filled = make_pen(), make_pen()
    lines = [ChartLine("A", [5, 5, 5]), ChartLine("B", [2, 2, 2], SECOND_ACCENT)]
    draw_chart(plain, BOX, lines, low=0, high=10)
    draw_chart(filled, BOX, [lines[0], lines[1]._replace(has_area=True)], low=0, high=10)
    assert len(find_pixels(plain, mix_colours(PANEL, SECOND_ACCENT, 0.11))) < 50
    assert len(find_pixels(filled, mix_colours(PANEL, SECOND_ACCENT, 0.11))) > 5000


def test_threshold_is_a_dashed_line() -> None:
    drawn = make_pen()
    draw_chart(drawn, BOX, [ChartLine("", [1, 1, 2], last_label="")], low=0, high=20, threshold=8)
    dashes = find_pixels(drawn, mix_colours(PANEL, NEGATIVE, 0.6))
    assert len({y for _, y in dashes}) == 1
    assert {(x - dashes[0][0]) % 8 for x, _ in dashes} == {0, 1, 2, 3}


def test_step_numbers_are_below_the_chart() -> None:
    with_steps, without = make_pen(), make_pen()
    line = [ChartLine("", [1, 2, 3, 4], last_label="")]
    draw_chart(with_steps, BOX, line, low=0, high=4, show_steps=True)
    draw_chart(without, BOX, line, low=0, high=4)
    low, lower = (
        Counter(y for _, y in find_pixels(drawn, BOARD_OUTLINE)).most_common(1)[0] for drawn in (with_steps, without)
    )
    assert min(low[1], lower[1]) > 300, "the base line"
    assert low[0] < lower[0]


@pytest.mark.parametrize("values", [[], [3.0], [math.nan, 3.0, math.nan]])
def test_message_is_shown_with_fewer_than_two_points(values: list[float]) -> None:
    without_message = make_pen()
    with_message = make_pen()
    empty = make_pen()
    draw_chart(without_message, BOX, [ChartLine("Best", values)])
    draw_chart(with_message, BOX, [ChartLine("Best", values)], empty_message="Appears after the second generation.")
    assert get_bytes(without_message) == get_bytes(empty) != get_bytes(with_message)


@pytest.mark.parametrize(
    "values", [[0, 0, 0], [5.0, math.nan, 7.0], [1e-9, 2e-9], [-3.0, -1.0], [1e12, 3e12], [0, math.inf, 1], [4] * 500]
)
def test_unusual_values_can_be_drawn(values: list[float]) -> None:
    drawn = make_pen()
    draw_chart(drawn, BOX, [ChartLine("Value", values)], show_steps=True)
    assert find_pixels(drawn, ACCENT)


def test_tiny_box_is_no_error() -> None:
    draw_chart(make_pen(), Box(0, 0, 20, 10), [ChartLine("A long name", [1, 2, 3])], show_steps=True)


def test_scales_and_ticks() -> None:
    assert compute_scale(3, 10) == (0, 10.4)
    assert compute_scale(0, 0) == (0, 1.04)
    for low, high in ((0, 1.04), (-0.8, 0.4), (0, 355), (0, 3e-8), (-1e7, 1e7)):
        ticks = choose_round_values(low, high)
        assert 2 <= len(ticks) <= 4
        assert len({format_tick(tick, ticks) for tick in ticks}) == len(ticks)
    assert ChartLine("", [1, 2, math.nan]).last_value == 2


def test_lines_are_cached() -> None:
    first, second = make_pen(), make_pen()
    draw_chart(first, BOX, [ChartLine("", list(range(120)))])
    misses = render_chart_line.cache_info().misses
    draw_chart(second, BOX, [ChartLine("", list(range(120)))])
    assert render_chart_line.cache_info().misses == misses
    assert get_bytes(first) == get_bytes(second)
