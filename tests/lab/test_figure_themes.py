"""Colours: those of the light theme are readable on white and differ from each other."""

from itertools import combinations

import pytest

from tetrion.drawing.palette import (
    BACKGROUND,
    BOARD_OUTLINE,
    DIM_TEXT,
    FAINT_TEXT,
    NEGATIVE,
    NORMAL_TEXT,
    PANEL,
    SERIES_COLOURS,
    STRONG_TEXT,
    WHITE,
    compute_contrast,
    hex_to_rgb,
)
from tetrion.errors import UnknownNameError
from tetrion.lab.figure_charts import get_light_colour, validate_theme


@pytest.mark.parametrize("colour", [*SERIES_COLOURS, NEGATIVE, STRONG_TEXT, NORMAL_TEXT, DIM_TEXT, FAINT_TEXT], ids=str)
def test_light_colours_are_readable_on_white(colour: str) -> None:
    assert compute_contrast(get_light_colour(colour), WHITE) >= 4.5
    assert get_light_colour(colour.lower()) == get_light_colour(colour)


def test_light_backgrounds_are_white_and_greys_keep_their_order() -> None:
    assert get_light_colour(BACKGROUND) == get_light_colour(PANEL) == WHITE
    texts = [get_light_colour(colour) for colour in (STRONG_TEXT, NORMAL_TEXT, DIM_TEXT, FAINT_TEXT, BOARD_OUTLINE)]
    contrasts = [compute_contrast(text, WHITE) for text in texts]
    assert contrasts == sorted(contrasts, reverse=True)


def test_light_series_colours_differ() -> None:
    colours = [hex_to_rgb(get_light_colour(colour)) for colour in SERIES_COLOURS]
    for first, second in combinations(colours, 2):
        assert max(abs(one - other) for one, other in zip(first, second, strict=True)) >= 40


def test_unknown_theme_raises_error() -> None:
    assert validate_theme("light") == "light"
    with pytest.raises(UnknownNameError, match="Did you mean 'dark'"):
        validate_theme("darc")
