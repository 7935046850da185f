"""Themes of figures: dark as the window, and light for papers, where each colour has a counterpart on white.

Charts are drawn in the colours of the dark theme; for the light theme these are replaced by their counterparts.
"""

import colorsys
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from tetrion.drawing.palette import (
    BACKGROUND,
    BOARD_OUTLINE,
    DEFAULT_PIECE_COLOURS,
    DIM_TEXT,
    FAINT_TEXT,
    HEADER_SEPARATOR,
    NORMAL_TEXT,
    PANEL,
    RAISED_PANEL,
    SEPARATOR,
    STRONG_TEXT,
    WHITE,
    compute_contrast,
    hex_to_rgb,
)
from tetrion.errors import UnknownNameError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DARK_THEME = "dark"
LIGHT_THEME = "light"
THEMES = (DARK_THEME, LIGHT_THEME)
_LIGHT_COLOURS = {  # backgrounds, lines and texts of the light theme; data colours are darkened
    BACKGROUND: WHITE,
    PANEL: WHITE,
    RAISED_PANEL: "#F2F4F7",
    HEADER_SEPARATOR: "#E4E8EE",
    SEPARATOR: "#E4E8EE",
    BOARD_OUTLINE: "#AEB6C2",
    STRONG_TEXT: "#14181F",
    NORMAL_TEXT: "#343B47",
    DIM_TEXT: "#4C5565",
    FAINT_TEXT: "#687182",
    DEFAULT_PIECE_COLOURS["O"]: "#6B4F00",  # a darkened yellow would look like the orange series
}
_MIN_LIGHT_CONTRAST = 4.5  # of data colours on white, because names of lines are written in them (WCAG 2.2, 1.4.3)
_DARKENING_STEP = 0.01  # of the lightness, from 0 to 1


def validate_theme(theme: str) -> str:
    """Return the name of a theme, or raise an UnknownNameError."""
    if theme not in THEMES:
        raise UnknownNameError("theme", theme, THEMES)
    return theme


@lru_cache(256)
def get_light_colour(colour: str) -> str:
    """Return the counterpart of a colour in the light theme: data colours become darker until they are readable."""
    if colour.upper() in _LIGHT_COLOURS:
        return _LIGHT_COLOURS[colour.upper()]
    while compute_contrast(colour, WHITE) < _MIN_LIGHT_CONTRAST:
        colour = darken(colour, _DARKENING_STEP)
    return colour


def darken(colour: str, amount: float) -> str:
    """Return a colour of the same hue and saturation whose lightness (0 to 1) is lower by `amount`."""
    red, green, blue = hex_to_rgb(colour)
    hue, lightness, saturation = colorsys.rgb_to_hls(red / 255, green / 255, blue / 255)
    components = colorsys.hls_to_rgb(hue, max(0.0, lightness - amount), saturation)
    return "#" + "".join(f"{round(255 * component):02X}" for component in components)


def apply_theme(figure: "Figure", theme: str) -> None:
    """Replace the colours of a figure by those of a theme."""
    if validate_theme(theme) != LIGHT_THEME:
        return
    from matplotlib.collections import Collection
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch
    from matplotlib.text import Text

    figure.draw_without_rendering()  # creates all ticks
    for artist in figure.findobj():
        if isinstance(artist, Line2D):
            marker_face = artist.get_markerfacecolor()
            artist.set_color(replace_colour(artist.get_color()))
            artist.set_markeredgecolor(replace_colour(artist.get_markeredgecolor()))
            artist.set_markerfacecolor(replace_colour(marker_face))
        elif isinstance(artist, Text):
            artist.set_color(replace_colour(artist.get_color()))
        elif isinstance(artist, Patch):
            face, edge = artist.get_facecolor(), artist.get_edgecolor()
            artist.set_facecolor(replace_colour(face))
            artist.set_edgecolor(replace_colour(edge))
        elif isinstance(artist, Collection):
            faces, edges = artist.get_facecolor(), artist.get_edgecolor()
            artist.set_facecolor([replace_colour(face) for face in np.atleast_2d(faces)] if len(faces) else faces)
            artist.set_edgecolor([replace_colour(edge) for edge in np.atleast_2d(edges)] if len(edges) else edges)


def replace_colour(colour: Any) -> Any:
    """Return the counterpart of a colour of matplotlib in the light theme, with the same opacity."""
    from matplotlib.colors import to_hex, to_rgba

    opacity = to_rgba(colour)[3]
    return colour if opacity == 0 else to_rgba(get_light_colour(to_hex(colour)), opacity)
