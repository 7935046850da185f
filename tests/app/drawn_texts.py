"""The texts of a frame with their positions, to check layouts at every window size."""

from typing import Any, NamedTuple

import pytest

from tests.app.window_driver import WindowDriver
from tetrion.app.toolkit.ui import Tooltip
from tetrion.drawing.pen import Box, Pen

_CAPITAL_HEIGHT = 0.66  # of the font size


class DrawnText(NamedTuple):
    """A text and the box of its capital letters, in units."""

    text: str
    box: Box


def record_texts(driver: WindowDriver) -> list[DrawnText]:
    """Draw a frame and return its texts, except tooltips, and those of cached pictures such as charts and tiles."""
    texts: list[DrawnText] = []
    draw_text = Pen.draw_text

    def record_text(pen: Pen, text: str, position: tuple[float, float], *args: Any, **options: Any) -> Any:
        size = args[0] if args else options.get("size", 16)
        semibold = args[1] if len(args) > 1 else options.get("semibold", False)
        if text and pen.surface is driver.window.surface:
            width, height = pen.measure_text(text, size, semibold), round(size * _CAPITAL_HEIGHT)
            left = round(position[0] - options.get("align", 0) * width)
            texts.append(DrawnText(text, Box(left, round(position[1] - height / 2), width, height)))
        return draw_text(pen, text, position, *args, **options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Pen, "draw_text", record_text)
        patch.setattr(Tooltip, "draw", lambda tooltip, pen: None)  # it may cover texts
        driver.run_frames()
    return texts


def find_overlaps(texts: list[DrawnText]) -> list[tuple[str, str]]:
    """Return the pairs of texts that cover each other."""
    return [
        (first.text, second.text)
        for number, first in enumerate(texts)
        for second in texts[number + 1 :]
        if first.box.colliderect(second.box)
    ]


def check_texts(driver: WindowDriver) -> str:
    """Check that the texts of a frame are complete, inside the window and side by side; return them as one text."""
    texts = record_texts(driver)
    pen = driver.window.ui.pen
    assert texts
    assert find_overlaps(texts) == []
    for drawn in texts:
        assert pen.area.contains(drawn.box), drawn
    return " ".join(drawn.text for drawn in texts)
