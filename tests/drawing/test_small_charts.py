"""Small charts: positions of lines and labels, and charts with little or unusual data."""

import math

import pytest

from tests.drawing.pixels import find_pixels, get_bytes, get_pixel, is_near, make_pen
from tetrion.drawing.chart_ticks import (
    choose_round_values,
    choose_step_ticks,
    compute_scale,
    format_tick,
    spread_labels,
)
from tetrion.drawing.line_charts import ChartLine, draw_chart, make_plot_area
from tetrion.drawing.palette import ACCENT, BACKGROUND, SECOND_ACCENT, mix_colours
from tetrion.drawing.pen import Box

BOX = Box(10, 10, 380, 180)


@pytest.mark.parametrize("scale", [1.0, 1.35])
def test_line_passes_through_its_values_above_a_filled_area(scale: float) -> None:
    pen, lines = make_pen(scale), [ChartLine("", [5, 15, 10, 0, 20, 10], last_label="10 rows")]
    draw_chart(pen, BOX, lines, low=0, high=20)
    area = make_plot_area(pen, BOX, lines, (0, 20), [0, 10, 20], show_steps=False, show_end_labels=True)
    for step, value in enumerate(lines[0].values):
        x, y = pen.to_pixel_point((area.to_x(step), area.to_y(value)))
        assert get_pixel(pen.surface, x, y) == ACCENT
    assert get_pixel(pen.surface, x, y - 3) == ACCENT, "the last point is a disc"
    x, y = pen.to_pixel_point((area.to_x(4), area.to_y(10)))
    assert is_near(get_pixel(pen.surface, x, y + 4), mix_colours(BACKGROUND, ACCENT, 0.11))
    assert get_pixel(pen.surface, *pen.to_pixel_point((area.to_x(3), area.to_y(14)))) == BACKGROUND


def test_names_do_not_overlap_where_lines_meet_and_several_lines_have_no_area() -> None:
    pen = make_pen()
    draw_chart(pen, BOX, [ChartLine("Best", [1, 2, 3.01]), ChartLine("Mean", [1, 1, 3], SECOND_ACCENT)])
    best, mean = ([y for x, y in find_pixels(pen.surface, colour) if x > 330] for colour in (ACCENT, SECOND_ACCENT))
    assert max(best) < min(mean) or min(best) > max(mean)
    assert len(find_pixels(pen.surface, mix_colours(BACKGROUND, SECOND_ACCENT, 0.11))) < 50


@pytest.mark.parametrize("values", [[], [3.0], [math.nan, 3.0, math.nan]])
def test_message_is_shown_with_fewer_than_two_points(values: list[float]) -> None:
    without_message, with_message = make_pen(), make_pen()
    draw_chart(without_message, BOX, [ChartLine("Best", values)])
    draw_chart(with_message, BOX, [ChartLine("Best", values)], empty_message="Appears after the second generation.")
    assert get_bytes(without_message.surface) == get_bytes(make_pen().surface) != get_bytes(with_message.surface)


@pytest.mark.parametrize(
    "values", [[0, 0, 0], [5.0, math.nan, 7.0], [1e-9, 2e-9], [-3.0, -1.0], [1e12, 3e12], [0, math.inf, 1], [4] * 500]
)
def test_unusual_values_can_be_drawn(values: list[float]) -> None:
    pen = make_pen()
    draw_chart(pen, BOX, [ChartLine("Value", values)], show_steps=True)
    assert find_pixels(pen.surface, ACCENT, 3)
    draw_chart(make_pen(), Box(0, 0, 20, 10), [ChartLine("A long name", values)], show_steps=True)


def test_scales_and_ticks() -> None:
    assert compute_scale(3, 10) == (0, 10.4)
    assert compute_scale(0, 0) == (0, 1.04)
    for low, high in ((0, 1.04), (-0.8, 0.4), (0, 355), (0, 3e-8), (-1e7, 1e7)):
        ticks = choose_round_values(low, high)
        assert 2 <= len(ticks) <= 4
        assert len({format_tick(tick, ticks) for tick in ticks}) == len(ticks)
    assert choose_round_values(-10.5, 9) == [-10, -5, 0, 5]
    assert choose_step_ticks(7, 10) == [1, 2, 3, 4, 5, 6, 7]
    assert choose_step_ticks(300, 4) == [1, 100, 200, 300]
    assert ChartLine("", [1, 2, math.nan]).last_value == 2


def test_labels_are_spread_in_their_order() -> None:
    moved = spread_labels([10.0, 11.0, 12.0, 200.0, 199.0], 0, 200)
    assert moved == [10, 26, 42, 200, 184]
    assert spread_labels([], 0, 1) == []
