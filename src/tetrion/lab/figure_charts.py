"""Figures: small frameless charts over generations, their style, and two themes.

Matplotlib places ticks, texts and margins (constrained layout). Charts are drawn in the colours of the dark theme, that
of the window; the light theme, for papers, replaces each of them by its counterpart on white.
"""

import colorsys
import math
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache, lru_cache
from importlib.resources import as_file, files
from io import BytesIO
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from tetrion.drawing.chart_ticks import MAX_GRID_LINES, MAX_MARKED_POINTS, format_tick, spread_labels
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
from tetrion.errors import TetrionError, UnknownNameError, describe_value
from tetrion.evaluation.number_format import format_number
from tetrion.extras import MissingLibraryError, require
from tetrion.text_cleaning import clean_lines, clean_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure
    from matplotlib.text import Annotation, Text


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


FONT_FAMILY = "Source Sans Pro"
FONT_FILES = ("SourceSansPro-Regular.ttf", "SourceSansPro-Semibold.ttf")
PIXELS_PER_INCH, _RESOLUTION_FACTOR = 96, 2
PAPER_COLUMN_WIDTH = 3.5  # inches
MIN_PLOT_WIDTH = 3
MAX_PLOT_WIDTH = 20
MIN_WIDE_INCHES = 6.0  # narrower plots have smaller text: 8 points in one column of a paper
NARROW_SCALE = 0.82
# points, as are the lengths below
_FONT_SIZE = 9.75
_TITLE_FONT_SIZE = 10.5
_TITLE_WIDTH = 1.15  # of a semibold title, compared with the same text in the normal size and weight
LABEL_GAP = 9
_LINE_HEIGHT = 1.35  # of the font size
_MARGIN_INCHES = 0.1
_LOG_SCALE_RATIO = 50  # smallest ratio of maximum to median for a logarithmic scale
_SHORT_SCALE_RATIO = 200  # of the largest to the smallest value: up to this ratio, ticks are at 1, 2, 5, 10 …
_MIN_RASTERISED_POINTS = 800  # more points than this would make a vector drawing too large

ChartValues = np.ndarray[Any, Any]


class FigureSize(NamedTuple):
    """Size of a figure in CSS pixels."""

    width: int
    height: int


class LineLabel(NamedTuple):
    """Name and last value of a line, written at its right end."""

    name: str
    value_text: str
    y: float
    colour: str


@contextmanager
def apply_chart_style(scale: float = 1.0) -> Iterator[None]:
    """Apply the common style of all charts; within it equal input gives equal bytes, and no text is read as a formula.

    `scale` is the size of texts, lines and points. A character that the font does not have is drawn as a box, without a
    warning. Settings of the user and of a file `matplotlibrc`, which matplotlib reads even from the current folder,
    have no effect.
    """
    try:
        require("matplotlib", "plots")
        from matplotlib import rc_context, rcdefaults, rcParams
    except MissingLibraryError:
        raise
    except UnicodeDecodeError:
        raise TetrionError(
            "matplotlib cannot read its settings: the file matplotlibrc, in the current folder or in matplotlib's "
            "configuration folder, is not UTF-8 text. Rename or delete it."
        ) from None
    except ValueError as error:
        raise TetrionError(f"matplotlib cannot be loaded: {error}. Unset the variable MPLBACKEND.") from None
    register_fonts()
    with warnings.catch_warnings(), rc_context():
        rcdefaults()
        settings: Any = (  # a dictionary whose keys mypy does not have to know
            {
                "font.family": FONT_FAMILY,
                "font.size": scale * _FONT_SIZE,
                "text.color": FAINT_TEXT,
                "text.parse_math": False,
                "figure.constrained_layout.use": True,
                "figure.constrained_layout.h_pad": _MARGIN_INCHES,
                "figure.constrained_layout.w_pad": _MARGIN_INCHES,
                "figure.facecolor": PANEL,
                "figure.titlesize": scale * _TITLE_FONT_SIZE,
                "figure.titleweight": 600,
                "figure.labelsize": scale * _FONT_SIZE,
                **dict.fromkeys([f"axes.spines.{side}" for side in ("left", "right", "top", "bottom")], False),
                "axes.facecolor": "none",
                "axes.axisbelow": True,
                "axes.xmargin": 0.02,
                "axes.ymargin": 0.04,
                "axes.titlesize": scale * _FONT_SIZE,
                "grid.color": SEPARATOR,
                "grid.linewidth": 0.75,
                **dict.fromkeys(("xtick.major.size", "ytick.major.size", "xtick.minor.size", "ytick.minor.size"), 0),
                **dict.fromkeys(("xtick.color", "ytick.color"), FAINT_TEXT),
                **dict.fromkeys(("xtick.major.pad", "ytick.major.pad"), scale * 5),
                "lines.linewidth": scale * 1.5,
                "lines.markersize": scale * 6,
                "lines.markeredgewidth": scale,
                "lines.solid_joinstyle": "round",
                "lines.solid_capstyle": "round",
                "hatch.linewidth": 0.8,
                "path.simplify": False,
                "svg.hashsalt": "tetrion",
                "pdf.fonttype": 42,  # TrueType, which journals require and in which text can be searched
            }
        )
        rcParams.update(settings)
        warnings.filterwarnings("ignore", "Glyph .* missing from", UserWarning)
        warnings.filterwarnings("ignore", "constrained_layout not applied", UserWarning)  # more text than space
        yield


@cache
def register_fonts() -> None:
    """Register the project's fonts with matplotlib."""
    from matplotlib.font_manager import fontManager

    for name in FONT_FILES:
        with as_file(files("tetrion.drawing").joinpath("fonts", name)) as path:
            fontManager.addfont(path)


def validate_plot_width(width: float | None) -> float | None:
    """Return the width of a plot in inches, or raise a `TetrionError` if it is out of range; None is the default."""
    if width is None or (not isinstance(width, bool) and MIN_PLOT_WIDTH <= width <= MAX_PLOT_WIDTH):
        return width
    raise TetrionError(
        f"width must be a number of inches from {MIN_PLOT_WIDTH} to {MAX_PLOT_WIDTH}; given {describe_value(width)}."
    )


def get_text_scale(width: float) -> float:
    """Return the scale of the texts in a plot of a width in inches."""
    return NARROW_SCALE if width < MIN_WIDE_INCHES else 1.0


def render_figure(figure: "Figure", file_type: str, theme: str = DARK_THEME) -> bytes:
    """Return a figure in a theme as the content of a .png, .svg or .pdf file."""
    content = BytesIO()
    clean_texts(figure)
    apply_theme(figure, theme)
    if file_type == "pdf":  # stores many equal points once, so that they need not become a bitmap
        for artist in figure.findobj(lambda artist: bool(artist.get_rasterized())):
            artist.set_rasterized(False)
    undated: dict[str, Any] = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(file_type, {})
    dots_per_inch = _RESOLUTION_FACTOR * PIXELS_PER_INCH
    figure.savefig(content, format=file_type, dpi=dots_per_inch, facecolor="auto", metadata=undated)
    return content.getvalue()


def clean_texts(figure: "Figure") -> None:
    """Remove control characters from all texts: an SVG file with them would be invalid."""
    from matplotlib.text import Text

    for artist in figure.findobj(Text):
        if isinstance(artist, Text):
            artist.set_text(clean_lines(artist.get_text()))


@lru_cache(4096)
def measure_text_width(text: str) -> float:
    """Return the width of a text as a multiple of its font size."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    vertices, _ = text_to_path.get_text_path(FontProperties(family=FONT_FAMILY), clean_text(text))
    return float(np.max(np.asarray(vertices)[:, 0], initial=0.0)) / text_to_path.FONT_SCALE


def get_font_size() -> float:
    """Return the font size of the chart style in points."""
    from matplotlib import rcParams

    return float(rcParams["font.size"])


def wrap_text(figure: "Figure", text: str, font_size: float | None = None) -> str:
    """Break a text into lines that fit into a figure; matplotlib's own wrapping would read formulas."""
    width = 72 * (figure.get_figwidth() - 2 * _MARGIN_INCHES) / (font_size or get_font_size())
    lines: list[str] = []
    for word in text.split(" "):
        if lines and measure_text_width(f"{lines[-1]} {word}") <= width:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return "\n".join(lines)


def draw_captions(figure: "Figure", title: str, colour: str, captions: Sequence[str]) -> "Text":
    """Draw a title at the top left and captions at the bottom left; return the title."""
    margin = _MARGIN_INCHES / figure.get_figwidth()
    heading = figure.suptitle("", x=margin, ha="left", color=colour)
    heading.set_text(wrap_text(figure, title, get_font_size() * _TITLE_WIDTH))
    figure.supxlabel(
        "\n".join(wrap_text(figure, caption) for caption in captions), x=margin, ha="left", linespacing=1.35
    )
    return heading


def set_number_ticks(axis: "Axis", max_count: int | Literal["auto"] = MAX_GRID_LINES, *, integer: bool = False) -> None:
    """Place ticks on round numbers of a linear axis, with as many decimals as they need."""
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    axis.set_major_locator(MaxNLocator(max_count, integer=integer, steps=[1, 2, 2.5, 5, 10], min_n_ticks=1))
    axis.set_major_formatter(FuncFormatter(lambda tick, _: format_tick(tick, axis.get_majorticklocs().tolist())))


def set_log_scale(
    axes: "Axes",
    name: Literal["x", "y"],
    values: tuple[float, float] = (1.0, math.inf),
    max_ticks: int = MAX_GRID_LINES,
) -> None:
    """Make the x or y axis logarithmic down to the power of ten below the smallest value, and linear from there to 0.

    `values` are the smallest positive value and the largest one.
    """
    from matplotlib.ticker import FuncFormatter, SymmetricalLogLocator

    threshold = 10.0 ** math.floor(math.log10(values[0]))
    steps = (1, 2, 5) if values[1] < _SHORT_SCALE_RATIO * values[0] else (1,)
    set_scale, axis = (axes.set_xscale, axes.xaxis) if name == "x" else (axes.set_yscale, axes.yaxis)
    set_scale("symlog", linthresh=threshold, linscale=0.5)
    locator = SymmetricalLogLocator(base=10, linthresh=threshold, subs=steps)
    locator.set_params(numticks=max_ticks)
    axis.set_major_locator(locator)
    axis.set_major_formatter(FuncFormatter(lambda tick, _: format_tick(tick, [tick])))


class Chart:
    """A chart over generations or episodes; call its draw methods, then `finish`.

    `first_step` is the number of the first step, for documents that count generations from 0.
    """

    def __init__(self, size: FigureSize, title: str, subtitle: str, legend: str = "", *, first_step: int = 1) -> None:
        from matplotlib.figure import Figure

        inches = (size.width / PIXELS_PER_INCH, size.height / PIXELS_PER_INCH)
        self.figure: Figure = Figure(figsize=inches, dpi=PIXELS_PER_INCH)
        self.axes: Axes = self.figure.subplots()
        self.axes.grid(axis="y")
        self.title = title
        self.subtitle = subtitle
        self.legend = legend
        self.first_step = first_step
        self.line_labels = list[LineLabel]()
        self._annotation_rows = 0

    @property
    def is_logarithmic(self) -> bool:
        """Whether an axis has a logarithmic scale."""
        return "symlog" in (self.axes.get_xscale(), self.axes.get_yscale())

    def choose_scale(self, values: ChartValues) -> None:
        """Use a logarithmic scale if the largest value is far above the median."""
        finite = values[np.isfinite(values)]
        if finite.size and finite.min() >= 0:
            ratio = finite.max() / max(float(np.median(finite)), 1.0)
            if ratio >= _LOG_SCALE_RATIO:
                set_log_scale(self.axes, "y")

    def draw_line(
        self,
        name: str,
        values: ChartValues,
        colour: str,
        digits: int | None = None,
        *,
        is_dashed: bool = False,
        opacity: float = 1,
    ) -> None:
        """Draw a line over all generations with its name at the end; missing values are bridged."""
        finite = np.flatnonzero(np.isfinite(values))
        if not finite.size:
            return
        style: dict[str, Any] = {"color": colour, "alpha": opacity, "zorder": 4, "clip_on": False}
        dots: dict[str, Any] = {"marker": ".", "markeredgewidth": 0} if finite.size < MAX_MARKED_POINTS else {}
        dashes: dict[str, Any] = {"dashes": (4, 2)} if is_dashed else {}
        self.axes.plot(finite + self.first_step, values[finite], **style, **dots, **dashes)
        if not name:
            return
        last = float(values[finite[-1]])
        self.axes.plot([finite[-1] + self.first_step], [last], **style, marker="o")
        self.line_labels.append(LineLabel(name, format_number(last, digits), last, colour))

    def draw_band(self, low: ChartValues, high: ChartValues, colour: str) -> None:
        """Fill the area between two lines."""
        steps = np.arange(len(low)) + self.first_step
        self.axes.fill_between(steps, low, high, color=colour, alpha=0.16, linewidth=0, zorder=2)

    def draw_points(self, steps: ChartValues, values: ChartValues, colour: str) -> None:
        """Draw single points."""
        is_rasterised = len(steps) > _MIN_RASTERISED_POINTS
        style: dict[str, Any] = {"alpha": 0.35, "linewidths": 0, "rasterized": is_rasterised, "clip_on": False}
        self.axes.scatter(steps, values, s=7 if is_rasterised else 14, color=colour, zorder=3, **style)

    def annotate_step(self, step: float, text: str) -> None:
        """Draw a dashed vertical line at a generation, with text above it in a row of its own."""
        self.axes.axvline(step, color=FAINT_TEXT, linewidth=0.75, dashes=(4, 4), zorder=1)
        low, high = self.axes.dataLim.intervalx
        is_left = step > low + 0.6 * (high - low)
        line_height = _LINE_HEIGHT * get_font_size()
        offset = (2 if is_left else -2, 0.4 * line_height + line_height * self._annotation_rows)
        place: dict[str, Any] = {"xycoords": self.axes.get_xaxis_transform(), "textcoords": "offset points"}
        self.axes.annotate(text, (step, 1), offset, color=DIM_TEXT, ha="right" if is_left else "left", **place)
        self._annotation_rows += 1

    def finish(self) -> "Figure":
        """Return the figure after adding axes, texts and labels."""
        self._draw_texts()
        if not self.axes.has_data():
            self.axes.set_axis_off()
            return self.figure
        self.set_up_axes()
        labels = self._draw_line_labels()
        clean_texts(self.figure)
        self.figure.draw_without_rendering()
        self._spread_line_labels(labels)
        return self.figure

    def _draw_texts(self) -> None:
        """Draw the titles at the top and the legend at the bottom."""
        title = self.title + (", logarithmic" if self.is_logarithmic else "")
        heading = draw_captions(self.figure, title, DIM_TEXT, [self.legend])
        margin = _MARGIN_INCHES / self.figure.get_figwidth()
        subtitle = self.axes.annotate(
            self.subtitle, (1 - margin, 0), xycoords=("figure fraction", heading), ha="right", va="bottom"
        )
        subtitle.set_in_layout(False)
        width = _TITLE_WIDTH * get_font_size() * measure_text_width(f"{title}   {self.subtitle}")
        subtitle.set_visible(width < 72 * (self.figure.get_figwidth() - 2 * _MARGIN_INCHES))

    def set_up_axes(self) -> None:
        """Choose the scale and the ticks of the axes."""
        set_number_ticks(self.axes.xaxis, "auto", integer=True)
        if not self.is_logarithmic:
            set_number_ticks(self.axes.yaxis)
        base = self.axes.axhline(0, color=BOARD_OUTLINE, linewidth=0.75, zorder=1)
        base.sticky_edges.y.append(0)

    def _draw_line_labels(self) -> "list[Annotation]":
        """Draw names and last values at the right of the axes, at the heights of the lines."""
        labels = []
        widths = [
            get_font_size() * max((measure_text_width(text) for text in texts), default=0)
            for texts in zip(*((label.name, label.value_text) for label in self.line_labels), strict=True)
        ]
        for label in self.line_labels:
            place: dict[str, Any] = {
                "xy": (1, label.y),
                "xycoords": self.axes.get_yaxis_transform(),
                "textcoords": "offset points",
                "va": "center_baseline",
                "annotation_clip": False,
            }
            right = math.fsum(widths) + 2 * LABEL_GAP
            labels.append(self.axes.annotate(label.name, xytext=(LABEL_GAP, 0), color=label.colour, **place))
            labels.append(
                self.axes.annotate(label.value_text, xytext=(right, 0), color=STRONG_TEXT, ha="right", **place)
            )
        return labels

    def _spread_line_labels(self, labels: "list[Annotation]") -> None:
        """Move the line labels apart as far as needed."""
        points_per_pixel = 72 / self.figure.dpi
        heights = [float(self.axes.transData.transform((0, label.y))[1]) for label in self.line_labels]
        box = self.axes.bbox
        distance = _LINE_HEIGHT * get_font_size() / points_per_pixel
        moved = spread_labels(heights, box.y0 + distance / 3, box.y1, distance)
        for number, (height, new_height) in enumerate(zip(heights, moved, strict=True)):
            for label in labels[2 * number : 2 * number + 2]:
                label.xyann = (label.xyann[0], (new_height - height) * points_per_pixel)


def make_message_figure(size: FigureSize, title: str, message: str) -> "Figure":
    """Return an empty chart with a message in its centre."""
    chart = Chart(size, title, "")
    chart.axes.annotate(message, (0.5, 0.5), xycoords="axes fraction", ha="center")
    return chart.finish()
