"""Text: the bundled font, vertical position, alignment and caching."""

import time

import pygame
import pytest

from tests.drawing.pixels import get_pixel, make_surface
from tetrion.app.toolkit.tooltip import wrap_long_text
from tetrion.drawing.palette import ACCENT, BACKGROUND
from tetrion.drawing.pen import Pen
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


def find_drawn_rows(surface: pygame.Surface) -> list[int]:
    """Return the rows that contain other pixels than the background."""
    width, height = surface.size
    return [y for y in range(height) if any(get_pixel(surface, x, y) != BACKGROUND for x in range(width))]


def test_capitals_are_centred_with_sharp_baselines() -> None:
    for size in (13, 14, 16, 24, 48):
        drawn = make_surface((120, 120))
        draw_text(drawn, "H", (10, 60), size, True)
        rows = find_drawn_rows(drawn)
        assert abs((rows[0] + rows[-1]) / 2 - 60) <= 1
        lowest, above = ([get_pixel(drawn, x, rows[row]) for x in range(120)] for row in (-1, -2))
        assert lowest == above, "the lowest row is not blurred"


def test_text_is_aligned_to_its_position() -> None:
    for align, min_x, max_x in ((0, 60, 120), (1, 0, 60), (0.5, 30, 90)):
        drawn = make_surface((120, 40))
        draw_text(drawn, "Lines", (60, 20), 16, colour=ACCENT, align=align)
        columns = [x for x in range(120) if any(get_pixel(drawn, x, y) != BACKGROUND for y in range(40))]
        assert min_x <= columns[0]
        assert columns[-1] < max_x


def test_digits_have_equal_widths() -> None:
    assert len({measure_text(digit * 6, 24, True) for digit in "0123456789"}) == 1
    assert measure_text("11", 24) > measure_text("1", 24)


def test_text_is_cached() -> None:
    assert render_text("Score", 14)[0] is render_text("Score", 14)[0]
    assert render_text("Score", 14)[0] is not render_text("Score", 14, True)[0]
    first_bytes = pygame.image.tobytes(render_text("Score", 14)[0], "RGBA")
    render_text.cache_clear()
    assert pygame.image.tobytes(render_text("Score", 14)[0], "RGBA") == first_bytes


def test_font_has_its_licence() -> None:
    assert "SIL OPEN FONT LICENSE Version 1.1" in (FONT_FOLDER / "OFL.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", HOSTILE_TEXTS)
def test_any_text_can_be_drawn_and_measured(name: str) -> None:
    """Names from files are cut to what can be seen, and refused characters are replaced."""
    text = HOSTILE_TEXTS[name]
    pen = Pen(pygame.Surface((800, 640)), 1.5)
    start = time.monotonic()
    for size in (13, 48):
        assert render_text(text, size)[0].width <= 4096
        pen.draw_text(text, (400, 300), size, align=0.5)
        shortened = pen.truncate_text(text, 300, size)
        assert pen.measure_text(shortened, size) <= 300
    assert len(pen.wrap_text(text, 300)) < 100
    assert len(wrap_long_text(pen, text, 300)) < 200
    assert pen.draw_paragraph(text, (0, 0), 300) <= 9 * 20
    assert time.monotonic() - start < 5, "drawing must not depend on the length of a text"


@pytest.mark.parametrize("text", ["", "W", "Dellacherie", "AVAVAV fi…", "Тетрис", "你好"])
@pytest.mark.parametrize("width", [0, 5, 20, 60, 1000])
def test_shortened_text_is_the_longest_that_fits(text: str, width: int) -> None:
    pen = Pen(pygame.Surface((8, 8)), 1.3)
    expected = text
    if pen.measure_text(text) > width:
        beginnings = [text[:length] for length in range(len(text), 0, -1)]
        fitting = (part for part in beginnings if pen.measure_text(part + "…") <= width)
        expected = next(fitting, "").rstrip() + "…"
    assert pen.truncate_text(text, width) == expected


def test_measured_width_is_the_rendered_width() -> None:
    for text in ("", "Score", "AVAVAV", "1,234.5 %", "a\0b", "W" * 60):
        for size in (13, 16, 21, 48):
            for semibold in (False, True):
                assert measure_text(text, size, semibold) == render_text(text, size, semibold)[0].width
