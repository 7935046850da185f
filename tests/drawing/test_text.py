"""Words: in the shipped type, at the right height, and figures of equal width."""

import pygame

from drawing.pixels import pixel, surface
from tetrion.drawing.palette import ACCENT, BACKGROUND
from tetrion.drawing.text_drawing import FONT_FOLDER, draw_text, measure_text, render_text


def rows_with_ink(drawn: pygame.Surface) -> list[int]:
    wide, high = drawn.size
    return [y for y in range(high) if any(pixel(drawn, x, y) != BACKGROUND for x in range(wide))]


def test_capitals_are_centred_with_sharp_baselines() -> None:
    for size in (13, 14, 16, 24, 48):
        drawn = surface((120, 120))
        draw_text(drawn, "H", (10, 60), size, True)
        rows = rows_with_ink(drawn)
        assert abs((rows[0] + rows[-1]) / 2 - 60) <= 1
        lowest, above = ([pixel(drawn, x, rows[row]) for x in range(120)] for row in (-1, -2))
        assert lowest == above, "the lowest row is full, not half"


def test_words_begin_or_end_at_their_place() -> None:
    for align, least, most in ((0, 60, 120), (1, 0, 60), (0.5, 30, 90)):
        drawn = surface((120, 40))
        draw_text(drawn, "Lines", (60, 20), 16, colour=ACCENT, align=align)
        inked = [x for x in range(120) if any(pixel(drawn, x, y) != BACKGROUND for y in range(40))]
        assert least <= inked[0]
        assert inked[-1] < most


def test_figures_have_equal_widths() -> None:
    assert len({measure_text(figure * 6, 24, True) for figure in "0123456789"}) == 1
    assert measure_text("11", 24) > measure_text("1", 24)


def test_words_are_drawn_once() -> None:
    assert render_text("Score", 14)[0] is render_text("Score", 14)[0]
    assert render_text("Score", 14)[0] is not render_text("Score", 14, True)[0]
    kept = pygame.image.tobytes(render_text("Score", 14)[0], "RGBA")
    render_text.cache_clear()
    assert pygame.image.tobytes(render_text("Score", 14)[0], "RGBA") == kept


def test_the_type_comes_with_its_licence() -> None:
    assert "SIL OPEN FONT LICENSE Version 1.1" in (FONT_FOLDER / "OFL.txt").read_text(encoding="utf-8")
