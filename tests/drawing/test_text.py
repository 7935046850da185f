"""Text: the bundled font, vertical position, alignment and caching."""

import pygame

from tests.drawing.pixels import get_pixel, make_surface
from tetrion.drawing.palette import ACCENT, BACKGROUND
from tetrion.drawing.text_drawing import FONT_FOLDER, draw_text, measure_text, render_text


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
