"""Small frameless charts over generations, with names and last values at the right ends of the lines."""

import math
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache, lru_cache
from importlib.resources import as_file, files
from io import BytesIO
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tetrion.drawing.chart_ticks import (
    MAX_GRID_LINES,
    MAX_MARKED_POINTS,
    choose_round_values,
    choose_step_ticks,
    compute_scale,
    format_tick,
    spread_labels,
)
from tetrion.drawing.palette import BOARD_OUTLINE, DARK_THEME, DIM_TEXT, FAINT_TEXT, PANEL, SEPARATOR, STRONG_TEXT
from tetrion.errors import TetrionError
from tetrion.evaluation.number_format import format_number
from tetrion.lab.figure_themes import apply_theme
from tetrion.text_cleaning import clean_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FONT_FAMILY = "Source Sans Pro"
FONT_FILES = ("SourceSansPro-Regular.ttf", "SourceSansPro-Semibold.ttf")
POINTS_PER_PIXEL = 0.75
PIXELS_PER_INCH, _RESOLUTION_FACTOR = 96, 2
PAPER_COLUMN_WIDTH = 3.5  # inches
MIN_PLOT_WIDTH = 3
MAX_PLOT_WIDTH = 20
_TITLE_FONT_SIZE, CHART_FONT_SIZE = 14, 13  # pixels, as are the lengths below
_TOP_MARGIN = 44
_LINE_HEIGHT = 18
CHART_BOTTOM_MARGIN = 36
CHART_SIDE_MARGIN = 16
CHART_LABEL_GAP = 12
_LOG_SCALE_RATIO = 50  # smallest ratio of maximum to median for a logarithmic scale
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
def apply_chart_style() -> Iterator[None]:
    """Apply the common style of all charts; within it equal input gives equal bytes, and no text is read as a formula.

    A character that the font does not have is drawn as a box, without a warning. Settings of the user and of a file
    `matplotlibrc`, which matplotlib reads even from the current folder, have no effect.
    """
    try:
        from matplotlib import rc_context, rcdefaults, rcParams
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
        rcParams.update(
            {
                "font.family": FONT_FAMILY,
                "text.parse_math": False,
                "svg.hashsalt": "tetrion",
                "pdf.fonttype": 42,  # TrueType, which journals require and in which text can be searched
                "hatch.linewidth": 0.8,
                "path.simplify": False,
                "lines.solid_joinstyle": "round",
                "lines.solid_capstyle": "round",
            }
        )
        warnings.filterwarnings("ignore", "Glyph .* missing from", UserWarning)
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
    raise TetrionError(f"width must be a number of inches from {MIN_PLOT_WIDTH} to {MAX_PLOT_WIDTH}; given {width!r}.")


def render_figure(figure: "Figure", file_type: str, theme: str = DARK_THEME) -> bytes:
    """Return a figure in a theme as the content of a .png, .svg or .pdf file."""
    from matplotlib.text import Text

    content = BytesIO()
    for artist in figure.findobj():
        if isinstance(artist, Text):
            artist.set_text(clean_text(artist.get_text()))  # an SVG file with control characters would be invalid
    undated: dict[str, Any] = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(file_type, {})
    apply_theme(figure, theme)
    if file_type == "pdf":  # stores many equal points once, so that they need not become a bitmap
        for artist in figure.findobj(lambda artist: bool(artist.get_rasterized())):
            artist.set_rasterized(False)
    dots_per_inch = _RESOLUTION_FACTOR * PIXELS_PER_INCH
    figure.savefig(content, format=file_type, dpi=dots_per_inch, facecolor="auto", metadata=undated)
    return content.getvalue()


@lru_cache(4096)
def measure_text_width(text: str, font_size: int = CHART_FONT_SIZE, weight: str = "normal") -> float:
    """Return the width of a text in pixels."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    font = FontProperties(family=FONT_FAMILY, weight=weight)
    vertices, _ = text_to_path.get_text_path(font, clean_text(text))
    return float(np.max(np.asarray(vertices)[:, 0], initial=0.0)) * font_size / text_to_path.FONT_SCALE


def wrap_text(text: str, max_width: float) -> list[str]:
    """Split a text into lines of at most `max_width` pixels."""
    lines: list[str] = []
    for word in text.split():
        extended = f"{lines[-1]} {word}" if lines else word
        if lines and measure_text_width(extended) <= max_width:
            lines[-1] = extended
        else:
            lines.append(word)
    return lines


class Chart:
    """A chart over generations or episodes 1 to `step_count`; call its draw methods, then `finish`.

    `first_step` is the number shown for step 1, for documents that count generations from 0.
    """

    def __init__(
        self, size: FigureSize, title: str, subtitle: str, step_count: int, legend: str = "", *, first_step: int = 1
    ) -> None:
        from matplotlib.figure import Figure

        self.size = size
        self.step_count = step_count
        self.first_step = first_step
        self.line_labels = list[LineLabel]()
        inches = (size.width / PIXELS_PER_INCH, size.height / PIXELS_PER_INCH)
        self.figure: Figure = Figure(figsize=inches, dpi=PIXELS_PER_INCH, facecolor=PANEL)
        self.legend_lines = wrap_text(legend, size.width - 2 * CHART_SIDE_MARGIN)
        self.axes: Axes = self.figure.add_axes((0, 0, 1, 1))
        self.min_value = math.inf
        self.max_value = -math.inf
        self.is_logarithmic = False
        self.extra_steps = 0.0  # space after the last generation, in generations
        self.title = title
        self.subtitle = subtitle
        self.annotation_rows = 0  # rows of text above the axes

    @property
    def top_margin(self) -> float:
        """Height of the space above the axes in pixels."""
        rows = len(self.legend_lines) + self.annotation_rows
        return _TOP_MARGIN + _LINE_HEIGHT * rows + (6 if rows else 0)

    def draw_text(
        self, x: float, y: float, text: str, colour: str, font_size: int = CHART_FONT_SIZE, **options: Any
    ) -> None:
        """Draw text at a position in pixels from the left and the top."""
        position = (x / self.size.width, 1 - y / self.size.height)
        self.figure.text(
            *position, text, color=colour, size=font_size * POINTS_PER_PIXEL, **{"va": "center", **options}
        )

    def include_values(self, *numbers: float | ChartValues) -> None:
        """Extend the scale to include the values; values that are not finite are ignored."""
        values = np.concatenate([np.ravel(np.asarray(part, float)) for part in numbers])
        finite = values[np.isfinite(values)]
        if finite.size:
            self.min_value = min(self.min_value, float(finite.min()))
            self.max_value = max(self.max_value, float(finite.max()))

    def choose_scale(self, values: ChartValues) -> None:
        """Use a logarithmic scale if the largest value is far above the median."""
        finite = values[np.isfinite(values)]
        if finite.size and finite.min() >= 0:
            self.is_logarithmic = bool(finite.max() / max(float(np.median(finite)), 1.0) >= _LOG_SCALE_RATIO)

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
        self.include_values(values)
        if not finite.size:
            return
        style: dict[str, Any] = {"color": colour, "linewidth": 2 * POINTS_PER_PIXEL, "alpha": opacity, "zorder": 4}
        dots: dict[str, Any] = (
            {"marker": "o", "markersize": 5 * POINTS_PER_PIXEL} if finite.size < MAX_MARKED_POINTS else {}
        )
        dashes: dict[str, Any] = {"dashes": (4, 2)} if is_dashed else {}
        self.axes.plot(finite + 1, values[finite], clip_on=False, **style, **dots, **dashes)
        if not name:
            return
        last = float(values[finite[-1]])
        self.axes.plot([finite[-1] + 1], [last], clip_on=False, **style, marker="o", markersize=8 * POINTS_PER_PIXEL)
        self.line_labels.append(LineLabel(name, format_number(last, digits), last, colour))

    def draw_band(self, low: ChartValues, high: ChartValues, colour: str, opacity: float = 0.16) -> None:
        """Fill the area between two lines."""
        self.include_values(low, high)
        self.axes.fill_between(np.arange(len(low)) + 1, low, high, color=colour, alpha=opacity, linewidth=0, zorder=2)

    def draw_points(self, steps: ChartValues, values: ChartValues, colour: str, opacity: float = 0.35) -> None:
        """Draw single points."""
        self.include_values(values)
        is_rasterised = len(steps) > _MIN_RASTERISED_POINTS
        area = (3.6 if is_rasterised else 5) ** 2 * POINTS_PER_PIXEL**2
        style: dict[str, Any] = {
            "s": area,
            "alpha": opacity,
            "linewidths": 0,
            "rasterized": is_rasterised,
            "clip_on": False,
        }
        self.axes.scatter(steps, values, color=colour, zorder=3, **style)

    def finish(self) -> "Figure":
        """Return the figure after drawing axes, titles and labels."""
        title = self.title + (", logarithmic" if self.is_logarithmic else "")
        self.draw_text(CHART_SIDE_MARGIN, 24, title, DIM_TEXT, _TITLE_FONT_SIZE, weight=600)
        titles_width = measure_text_width(f"{title}{self.subtitle}", _TITLE_FONT_SIZE, "semibold")
        if titles_width < self.size.width - 3 * CHART_SIDE_MARGIN:
            right = self.size.width - CHART_SIDE_MARGIN
            self.draw_text(right, 24, self.subtitle, FAINT_TEXT, _TITLE_FONT_SIZE, ha="right")
        for row, text in enumerate(self.legend_lines):
            self.draw_text(CHART_SIDE_MARGIN, _TOP_MARGIN + 2 + _LINE_HEIGHT * row, text, FAINT_TEXT)
        for side in self.axes.spines.values():
            side.set_visible(False)
        self.axes.set_facecolor("none")
        if self.min_value > self.max_value:
            self.axes.set_visible(False)
            return self.figure
        self.lay_out_axes()
        self.draw_line_labels()
        return self.figure

    def lay_out_axes(self) -> None:
        """Place the axes between the tick labels on the left and the line labels on the right."""
        ticks = self.choose_ticks()
        tick_texts = [format_tick(tick, ticks) for tick in ticks]
        left = CHART_SIDE_MARGIN + max(map(measure_text_width, tick_texts)) + CHART_LABEL_GAP
        width, height = self.size
        right: float = CHART_SIDE_MARGIN
        if self.line_labels:
            right += sum(self.measure_label_widths()) + 2 * CHART_LABEL_GAP
        box = (
            left / width,
            CHART_BOTTOM_MARGIN / height,
            (width - left - right) / width,
            1 - (self.top_margin + CHART_BOTTOM_MARGIN) / height,
        )
        self.axes.set_position(box)
        self.axes.set_xlim(1 - 0.02 * max(1, self.step_count - 1), max(self.step_count, 1.02) + self.extra_steps)
        max_ticks = max(2, min(12, int((width - left - right) / 48)))
        text_style: dict[str, Any] = {"color": FAINT_TEXT, "size": CHART_FONT_SIZE * POINTS_PER_PIXEL}
        last_step = self.first_step + self.step_count - 1
        step_ticks = choose_step_ticks(last_step, max_ticks)
        distance = step_ticks[1] - step_ticks[0] if len(step_ticks) > 1 else 1
        numbers = [self.first_step, *(tick for tick in step_ticks if tick - self.first_step > distance / 2)]
        steps = [number - self.first_step + 1 for number in numbers]
        self.axes.set_xticks(steps, [f"{number:,}" for number in numbers], **text_style)
        self.axes.set_yticks(ticks, tick_texts, **text_style)
        self.axes.minorticks_off()
        self.axes.tick_params(length=0, pad=6 * POINTS_PER_PIXEL)
        self.axes.set_axisbelow(True)
        for number, tick in enumerate(ticks):
            is_base = tick == 0 or (number == 0 and 0 not in ticks)
            self.axes.axhline(tick, color=BOARD_OUTLINE if is_base else SEPARATOR, linewidth=POINTS_PER_PIXEL, zorder=1)

    def choose_ticks(self) -> list[float]:
        """Set the scale of the y axis and return its tick values."""
        if self.is_logarithmic:
            self.axes.set_yscale("symlog", linthresh=1, linscale=0.5)
            self.axes.set_ylim(0, self.max_value * 1.3)
            orders = range(max(1, math.floor(math.log10(self.max_value)) + 1))
            step = math.ceil(len(orders) / (MAX_GRID_LINES - 1))
            return [0.0, *(10.0**order for order in orders[(len(orders) - 1) % step :: step])]
        low, high = compute_scale(self.min_value, self.max_value)
        self.axes.set_ylim(low, high)
        return choose_round_values(low, high)

    def measure_label_widths(self) -> tuple[float, float]:
        """Return the widths of the widest name and the widest value in pixels."""
        names, values = zip(
            *((measure_text_width(label.name), measure_text_width(label.value_text)) for label in self.line_labels),
            strict=True,
        )
        return max(names), max(values)

    def draw_line_labels(self) -> None:
        """Draw names and last values with enough vertical distance between them."""
        if not self.line_labels:
            return
        heights = [float(self.axes.transData.transform((self.step_count, label.y))[1]) for label in self.line_labels]
        right = self.size.width - CHART_SIDE_MARGIN
        x = right - sum(self.measure_label_widths()) - CHART_LABEL_GAP
        positions = spread_labels(heights, CHART_BOTTOM_MARGIN + 4, self.size.height - self.top_margin)
        for label, position in zip(self.line_labels, positions, strict=True):
            y = self.size.height - position
            self.draw_text(x, y, label.name, label.colour, va="center_baseline")
            self.draw_text(right, y, label.value_text, STRONG_TEXT, ha="right", va="center_baseline")

    def is_annotated_on_the_left(self, step: float) -> bool:
        """Return whether the text of `annotate_step` ends at its line, because there is little space to the right."""
        return step > 0.6 * self.step_count

    def annotate_step(self, step: float, text: str, row: int) -> None:
        """Draw a dashed vertical line at a generation, with text above it in the given row."""
        self.axes.axvline(step, color=FAINT_TEXT, linewidth=POINTS_PER_PIXEL, dashes=(4, 4), zorder=1)
        coordinates: dict[str, Any] = {"xycoords": self.axes.get_xaxis_transform(), "textcoords": "offset points"}
        align_right = self.is_annotated_on_the_left(step)
        self.annotation_rows = max(self.annotation_rows, row + 1)
        offset = (3 if align_right else -3, (8 + _LINE_HEIGHT * row) * POINTS_PER_PIXEL)
        text_style: dict[str, Any] = {
            "color": DIM_TEXT,
            "size": CHART_FONT_SIZE * POINTS_PER_PIXEL,
            "ha": "right" if align_right else "left",
            "zorder": 6,
        }
        self.axes.annotate(text, (step, 1), xytext=offset, va="center", **coordinates, **text_style)


def make_message_figure(size: FigureSize, title: str, message: str) -> "Figure":
    """Return an empty chart with a message in its centre."""
    chart = Chart(size, title, "", 1)
    chart.draw_text(size.width / 2, size.height / 2, message, FAINT_TEXT, _TITLE_FONT_SIZE, ha="center")
    return chart.finish()
