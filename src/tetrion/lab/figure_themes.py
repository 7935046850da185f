"""Themes and sizes of finished figures: colours of the light theme, and a scale for narrow figures.

Charts are drawn in the colours of the dark theme; for the light theme these are replaced by their counterparts.
"""

from typing import TYPE_CHECKING, Any

import numpy as np

from tetrion.drawing.palette import LIGHT_THEME, get_light_colour, validate_theme

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def apply_theme(figure: "Figure", theme: str) -> None:
    """Replace the colours of a figure by those of a theme."""
    if validate_theme(theme) != LIGHT_THEME:
        return
    from matplotlib.collections import Collection
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch
    from matplotlib.text import Text

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


def scale_figure(figure: "Figure", factor: float) -> None:
    """Scale a figure whose positions are relative to its size: the size, and all texts, lines and points on it."""
    from matplotlib.collections import PathCollection
    from matplotlib.lines import Line2D
    from matplotlib.text import Annotation, Text

    if factor == 1:
        return
    for axes in figure.axes:
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_tick_params(pad=factor * float(axis.get_tick_params()["pad"]))
    for artist in figure.findobj():
        if isinstance(artist, Line2D):
            artist.set_linewidth(factor * artist.get_linewidth())
            artist.set_markersize(factor * artist.get_markersize())
        elif isinstance(artist, PathCollection):
            artist.set_sizes(factor**2 * np.asarray(artist.get_sizes()))
        elif isinstance(artist, Text):
            artist.set_fontsize(factor * float(artist.get_fontsize()))
        if isinstance(artist, Annotation):
            x, y = artist.xyann
            artist.xyann = (factor * x, factor * y)
    width, height = figure.get_size_inches()
    figure.set_size_inches(factor * width, factor * height)
