"""Small charts: lines are where their values are, names do not touch, and little data is no problem."""

import math
from collections import Counter

import numpy as np
import pygame
import pytest

from drawing.pixels import near, pixel
from tetrion.drawing.chart_ticks import choose_round_values, compute_scale, format_tick
from tetrion.drawing.palette import ACCENT, BOARD_OUTLINE, NEGATIVE, PANEL, SECOND_ACCENT, mix_colours
from tetrion.drawing.pen import Box, Pen
from tetrion.drawing.surface_charts import ChartLine, draw_chart, find_last_value, make_plot_area, render_chart_line

BOX = Box(10, 10, 380, 180)


def pen(scale: float = 1.0) -> Pen:
    surface = pygame.Surface((round(400 * scale), round(200 * scale)), 0, 32)
    surface.fill(PANEL)
    return Pen(surface, scale)


def content(of: Pen) -> bytes:
    return pygame.image.tobytes(of.surface, "RGB")


def colours_in(of: Pen, colour: str) -> list[tuple[int, int]]:
    wanted = np.array(list(bytes.fromhex(colour[1:])))
    distances = abs(pygame.surfarray.array3d(of.surface).astype(int) - wanted).max(axis=2)
    return [(int(x), int(y)) for x, y in np.argwhere(distances <= 3)]


@pytest.mark.parametrize("scale", [1.0, 1.35, 2.0])
def test_a_line_is_where_its_values_are(scale: float) -> None:
    drawn, values = pen(scale), [5, 15, 10, 0, 20, 10]
    draw_chart(drawn, BOX, [ChartLine("", values, last_label="10 rows")], low=0, high=20)
    plane = make_plot_area(drawn, BOX, [ChartLine("", values, last_label="10 rows")], (0, 20), [0, 10, 20], False, True)
    for step, value in enumerate(values):
        x, y = drawn.to_pixel_point((plane.to_x(step), plane.to_y(value)))
        assert pixel(drawn.surface, x, y) == ACCENT
    x, y = drawn.to_pixel_point((plane.to_x(4), plane.to_y(10)))
    assert near(pixel(drawn.surface, x, y + 4), mix_colours(PANEL, ACCENT, 0.11)), "the area below the only line"
    assert pixel(drawn.surface, *drawn.to_pixel_point((plane.to_x(3), plane.to_y(14)))) == PANEL


def test_the_last_point_is_a_disc_and_others_are_points_while_they_are_few() -> None:
    few, many = pen(), pen()
    for drawn, count in ((few, 8), (many, 30)):
        line = ChartLine("", [10.0] * count, last_label="")
        draw_chart(drawn, BOX, [line], low=0, high=20)
        plane = make_plot_area(drawn, BOX, [line], (0, 20), [0, 10, 20], False, True)
        x, y = drawn.to_pixel_point((plane.to_x(count - 1), plane.to_y(10)))
        assert pixel(drawn.surface, x, y - 3) == ACCENT
        x, y = drawn.to_pixel_point((plane.to_x(2), plane.to_y(10)))
        assert (pixel(drawn.surface, x, y - 2) != PANEL) == (drawn is few)


def test_names_are_apart_where_lines_meet() -> None:
    drawn = pen()
    draw_chart(drawn, BOX, [ChartLine("Best", [1, 2, 3.01]), ChartLine("Mean", [1, 1, 3], SECOND_ACCENT)])
    for colour, other in ((ACCENT, SECOND_ACCENT), (SECOND_ACCENT, ACCENT)):
        heights = [y for x, y in colours_in(drawn, colour) if x > 330]
        others = [y for x, y in colours_in(drawn, other) if x > 330]
        assert heights, "a name stands at the right"
        assert max(heights) < min(others) or min(heights) > max(others)


def test_two_lines_have_no_area_unless_one_asks_for_it() -> None:
    plain, filled = pen(), pen()
    lines = [ChartLine("A", [5, 5, 5]), ChartLine("B", [2, 2, 2], SECOND_ACCENT)]
    draw_chart(plain, BOX, lines, low=0, high=10)
    draw_chart(filled, BOX, [lines[0], lines[1]._replace(has_area=True)], low=0, high=10)
    assert len(colours_in(plain, mix_colours(PANEL, SECOND_ACCENT, 0.11))) < 50
    assert len(colours_in(filled, mix_colours(PANEL, SECOND_ACCENT, 0.11))) > 5000


def test_a_threshold_is_dashed() -> None:
    drawn = pen()
    draw_chart(drawn, BOX, [ChartLine("", [1, 1, 2], last_label="")], low=0, high=20, threshold=8)
    dashes = colours_in(drawn, mix_colours(PANEL, NEGATIVE, 0.6))
    assert len({y for _, y in dashes}) == 1
    assert {(x - dashes[0][0]) % 8 for x, _ in dashes} == {0, 1, 2, 3}


def test_steps_stand_below() -> None:
    with_steps, without = pen(), pen()
    line = [ChartLine("", [1, 2, 3, 4], last_label="")]
    draw_chart(with_steps, BOX, line, low=0, high=4, show_steps=True)
    draw_chart(without, BOX, line, low=0, high=4)
    low, lower = (
        Counter(y for _, y in colours_in(drawn, BOARD_OUTLINE)).most_common(1)[0] for drawn in (with_steps, without)
    )
    assert min(low[1], lower[1]) > 300, "the base line"
    assert low[0] < lower[0]


@pytest.mark.parametrize("values", [[], [3.0], [math.nan, 3.0, math.nan]])
def test_with_fewer_than_two_points_it_says_when_there_will_be_more(values: list[float]) -> None:
    silent = pen()
    saying = pen()
    untouched = pen()
    draw_chart(silent, BOX, [ChartLine("Best", values)])
    draw_chart(saying, BOX, [ChartLine("Best", values)], empty_message="Appears after the second generation.")
    assert content(silent) == content(untouched) != content(saying)


@pytest.mark.parametrize(
    "values", [[0, 0, 0], [5.0, math.nan, 7.0], [1e-9, 2e-9], [-3.0, -1.0], [1e12, 3e12], [0, math.inf, 1], [4] * 500]
)
def test_any_numbers_can_be_drawn(values: list[float]) -> None:
    drawn = pen()
    draw_chart(drawn, BOX, [ChartLine("Value", values)], show_steps=True)
    assert colours_in(drawn, ACCENT)


def test_even_a_tiny_box_is_no_error() -> None:
    draw_chart(pen(), Box(0, 0, 20, 10), [ChartLine("A long name", [1, 2, 3])], show_steps=True)


def test_scales() -> None:
    assert compute_scale(3, 10) == (0, 10.4)
    assert compute_scale(0, 0) == (0, 1.04)
    for low, high in ((0, 1.04), (-0.8, 0.4), (0, 355), (0, 3e-8), (-1e7, 1e7)):
        rules = choose_round_values(low, high)
        assert 2 <= len(rules) <= 4
        assert len({format_tick(tick, rules) for tick in rules}) == len(rules)
    assert find_last_value(ChartLine("", [1, 2, math.nan])) == (1, 2)


def test_pictures_are_made_once() -> None:
    first, second = pen(), pen()
    draw_chart(first, BOX, [ChartLine("", list(range(120)))])
    made = render_chart_line.cache_info().misses
    draw_chart(second, BOX, [ChartLine("", list(range(120)))])
    assert render_chart_line.cache_info().misses == made
    assert content(first) == content(second)
