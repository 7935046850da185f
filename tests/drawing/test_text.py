"""Text: the bundled font, vertical position, alignment, caching and shortening."""

import time

import pytest

from tests.drawing.pixels import get_pixel, make_pen, make_surface
from tetrion.drawing.palette import ACCENT, BACKGROUND
from tetrion.drawing.text_drawing import FONT_FOLDER, draw_text, measure_text, render_text

HOSTILE_TEXTS = {
    "null": "a\0b",
    "surrogate": "a\ud800b",
    "lines": "a\nb\r\tc",
    "escape": "\x1b[31mred",
    "direction": "\u202etxt.exe",
    "emoji": "\U0001f600" * 50,
    "marks": "a" + "\u0300" * 5000,
    "wide": "\ufdfa" * 5000,
    "long word": "W" * 1_000_000,
    "many words": "W " * 500_000,
}


@pytest.mark.parametrize("size", [13, 24])
def test_capitals_are_centred_with_sharp_baselines_at_their_position(size: int) -> None:
    for align, min_x, max_x in ((0, 100, 200), (1, 0, 100), (0.5, 50, 150)):
        drawn = make_surface((200, 120))
        draw_text(drawn, "H", (100, 60), size, True, colour=ACCENT, align=align)
        rows = [[get_pixel(drawn, x, y) for x in range(200)] for y in range(120)]
        heights = [y for y, row in enumerate(rows) if set(row) != {BACKGROUND}]
        columns = [x for row in rows for x, colour in enumerate(row) if colour != BACKGROUND]
        assert abs((heights[0] + heights[-1]) / 2 - 60) <= 1
        assert rows[heights[-1]] == rows[heights[-2]], "the lowest row is not blurred"
        assert min_x <= min(columns) <= max(columns) < max_x


def test_digits_have_equal_widths_and_texts_are_cached() -> None:
    assert len({measure_text(digit * 6, 24, True) for digit in "0123456789"}) == 1
    assert render_text("Score", 14)[0] is render_text("Score", 14)[0]
    assert render_text("Score", 14)[0] is not render_text("Score", 14, True)[0]
    assert "SIL OPEN FONT LICENSE Version 1.1" in (FONT_FOLDER / "OFL.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", HOSTILE_TEXTS)
def test_any_text_can_be_drawn_and_measured(name: str) -> None:
    """Names from files are cut to what can be seen, and refused characters are replaced."""
    text = HOSTILE_TEXTS[name]
    pen = make_pen(1.5)
    start = time.monotonic()
    for size in (13, 48):
        assert measure_text(text[:200], size) == render_text(text[:200], size)[0].width or size == 48
        assert render_text(text, size)[0].width <= 4096
        pen.draw_text(text, (400, 300), size, align=0.5)
        assert pen.measure_text(pen.truncate_text(text, 300, size), size) <= 300
    assert len(pen.wrap_text(text, 300)) < 100
    assert pen.draw_paragraph(text, (0, 0), 300) <= 9 * 20
    assert time.monotonic() - start < 5, "drawing must not depend on the length of a text"


@pytest.mark.parametrize("text", ["", "Dellacherie", "AVAVAV fi…", "你好"])
@pytest.mark.parametrize("width", [0, 20, 60, 1000])
def test_shortened_text_is_the_longest_that_fits(text: str, width: int) -> None:
    pen = make_pen(1.3)
    expected = text
    if pen.measure_text(text) > width:
        beginnings = [text[:length] for length in range(len(text), 0, -1)]
        fitting = (part for part in beginnings if pen.measure_text(part + "…") <= width)
        expected = next(fitting, "").rstrip() + "…"
    assert pen.truncate_text(text, width) == expected
