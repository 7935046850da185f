"""Small charts over generations: no frame, few rules, and names with their last values at the right ends of lines."""

import math
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
from tetrion.drawing.palette import BOARD_OUTLINE, DIM_TEXT, FAINT_TEXT, PANEL, SEPARATOR, STRONG_TEXT
from tetrion.evaluation.number_format import format_number

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FONT_FAMILY, FONT_FILES = "Source Sans Pro", ("SourceSansPro-Regular.ttf", "SourceSansPro-Semibold.ttf")
POINTS_PER_PIXEL = 0.75  # points
PIXELS_PER_INCH, _RESOLUTION_FACTOR = 96, 2
_TITLE_FONT_SIZE, CHART_FONT_SIZE = 14, 13  # sizes of type in pixels
_TOP_MARGIN = 44
_LINE_HEIGHT = 18
CHART_BOTTOM_MARGIN = 36
CHART_SIDE_MARGIN = 16
CHART_LABEL_GAP = 12
_LOG_SCALE_RATIO = 50  # from which ratio of the largest number to the median on a scale is logarithmic
_MIN_RASTERISED_POINTS = 800  # points, which would make a drawing of lines large

ChartValues = np.ndarray[Any, Any]


class FigureSize(NamedTuple):
    """Pixels of a picture, as a page counts them."""

    width: int
    height: int


class LineLabel(NamedTuple):
    """What stands at the right end of a line."""

    name: str
    value_text: str
    y: float
    colour: str


@contextmanager
def apply_chart_style() -> Iterator[None]:
    """What all pictures have in common; within it equal input gives equal bytes."""
    from matplotlib import rc_context

    register_fonts()
    with rc_context(
        {
            "font.family": FONT_FAMILY,
            "svg.hashsalt": "tetrion",
            "path.simplify": False,
            "lines.solid_joinstyle": "round",
            "lines.solid_capstyle": "round",
        }
    ):
        yield


@cache
def register_fonts() -> None:
    """Make the house type known to the plots."""
    from matplotlib.font_manager import fontManager

    for name in FONT_FILES:
        with as_file(files("tetrion.drawing").joinpath("fonts", name)) as path:
            fontManager.addfont(path)


def render_figure(figure: "Figure", file_type: str) -> bytes:
    """A drawing as the content of a .png, .svg or .pdf file."""
    content = BytesIO()
    undated: dict[str, Any] = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(file_type, {})
    figure.savefig(
        content, format=file_type, dpi=_RESOLUTION_FACTOR * PIXELS_PER_INCH, facecolor=PANEL, metadata=undated
    )
    return content.getvalue()


@lru_cache(4096)
def measure_text_width(text: str, font_size: int = CHART_FONT_SIZE, weight: str = "normal") -> float:
    """How many pixels wide words are."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import TextPath

    path = TextPath((0, 0), text, font_size, FontProperties(family=FONT_FAMILY, weight=weight))
    return float(path.vertices[:, 0].max(initial=0.0))


def wrap_text(text: str, max_width: float) -> list[str]:
    """Words in lines that are no wider than that."""
    lines: list[str] = []
    for word in text.split():
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and measure_text_width(longer) <= max_width:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines


class Chart:
    """A chart over generations or episodes 1 to `steps`, which is drawn as it is told and then finished."""

    def __init__(self, size: FigureSize, title: str, subtitle: str, step_count: int, legend: str = "") -> None:
        from matplotlib.figure import Figure

        self.size = size
        self.step_count = step_count
        self.line_labels = list[LineLabel]()
        inches = (size.width / PIXELS_PER_INCH, size.height / PIXELS_PER_INCH)
        self.figure: Figure = Figure(figsize=inches, dpi=PIXELS_PER_INCH, facecolor=PANEL)
        self.legend_lines = wrap_text(legend, size.width - 2 * CHART_SIDE_MARGIN)
        self.axes: Axes = self.figure.add_axes((0, 0, 1, 1))
        self.min_value = math.inf
        self.max_value = -math.inf
        self.is_logarithmic = False
        self.extra_steps = 0.0  # room for more behind the last generation, in generations
        # marks: rows of words above the axes
        self.title = title
        self.subtitle = subtitle
        self.annotation_rows = 0

    @property
    def top_margin(self) -> float:
        """Pixels above the axes."""
        return (
            _TOP_MARGIN
            + _LINE_HEIGHT * (len(self.legend_lines) + self.annotation_rows)
            + (6 if self.legend_lines or self.annotation_rows else 0)
        )

    def draw_text(
        self, x: float, y: float, text: str, colour: str, font_size: int = CHART_FONT_SIZE, **more: Any
    ) -> None:
        """Words at pixels counted from the left and the top."""
        place = (x / self.size.width, 1 - y / self.size.height)
        self.figure.text(*place, text, color=colour, size=font_size * POINTS_PER_PIXEL, **{"va": "center", **more})

    def include_values(self, *numbers: float | ChartValues) -> None:
        """Make sure that the scale has a place for numbers; what is not one counts nothing."""
        every = np.concatenate([np.ravel(np.asarray(part, float)) for part in numbers])
        known = every[np.isfinite(every)]
        if known.size:
            self.min_value = min(self.min_value, float(known.min()))
            self.max_value = max(self.max_value, float(known.max()))

    def choose_scale(self, values: ChartValues) -> None:
        """Draw by orders of magnitude if the largest of numbers is far from the middle of them."""
        known = values[np.isfinite(values)]
        if known.size and known.min() >= 0:
            self.is_logarithmic = bool(known.max() / max(float(np.median(known)), 1.0) >= _LOG_SCALE_RATIO)

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
        """A line over all generations, named at its end; over a number that is not known it goes on to the next."""
        known = np.flatnonzero(np.isfinite(values))
        self.include_values(values)
        if not known.size:
            return
        style: dict[str, Any] = {"color": colour, "linewidth": 2 * POINTS_PER_PIXEL, "alpha": opacity, "zorder": 4}
        dots: dict[str, Any] = (
            {"marker": "o", "markersize": 5 * POINTS_PER_PIXEL} if known.size < MAX_MARKED_POINTS else {}
        )
        dashes: dict[str, Any] = {"dashes": (4, 2)} if is_dashed else {}
        self.axes.plot(known + 1, values[known], clip_on=False, **style, **dots, **dashes)
        if not name:
            return
        last = float(values[known[-1]])
        self.axes.plot([known[-1] + 1], [last], clip_on=False, **style, marker="o", markersize=8 * POINTS_PER_PIXEL)
        self.line_labels.append(LineLabel(name, format_number(last, digits), last, colour))

    def draw_band(self, low: ChartValues, high: ChartValues, colour: str, opacity: float = 0.16) -> None:
        """The area between two lines."""
        self.include_values(low, high)
        self.axes.fill_between(np.arange(len(low)) + 1, low, high, color=colour, alpha=opacity, linewidth=0, zorder=2)

    def draw_points(self, steps: ChartValues, values: ChartValues, colour: str, opacity: float = 0.35) -> None:
        """Single points."""
        self.include_values(values)
        many = len(steps) > _MIN_RASTERISED_POINTS
        area = (3.6 if many else 5) ** 2 * POINTS_PER_PIXEL**2
        style: dict[str, Any] = {"s": area, "alpha": opacity, "linewidths": 0, "rasterized": many, "clip_on": False}
        self.axes.scatter(steps, values, color=colour, zorder=3, **style)

    def finish(self) -> "Figure":
        """The drawing, with axes, titles and names."""
        title = self.title + (", logarithmic" if self.is_logarithmic else "")
        self.draw_text(CHART_SIDE_MARGIN, 24, title, DIM_TEXT, _TITLE_FONT_SIZE, weight=600)
        if (
            measure_text_width(f"{title}{self.subtitle}", _TITLE_FONT_SIZE, "semibold")
            < self.size.width - 3 * CHART_SIDE_MARGIN
        ):
            self.draw_text(
                self.size.width - CHART_SIDE_MARGIN, 24, self.subtitle, FAINT_TEXT, _TITLE_FONT_SIZE, ha="right"
            )
        for place, words in enumerate(self.legend_lines):
            self.draw_text(CHART_SIDE_MARGIN, _TOP_MARGIN + 2 + _LINE_HEIGHT * place, words, FAINT_TEXT)
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
        """Axes between the figures at their left and the names at their right."""
        ticks = self.choose_ticks()
        words = [format_tick(tick, ticks) for tick in ticks]
        left = CHART_SIDE_MARGIN + max(map(measure_text_width, words)) + CHART_LABEL_GAP
        width, height = self.size
        right = CHART_SIDE_MARGIN + (
            self.measure_label_widths()[0] + CHART_LABEL_GAP + self.measure_label_widths()[1] + CHART_LABEL_GAP
            if self.line_labels
            else 0
        )
        box = (
            left / width,
            CHART_BOTTOM_MARGIN / height,
            (width - left - right) / width,
            1 - (self.top_margin + CHART_BOTTOM_MARGIN) / height,
        )
        self.axes.set_position(box)
        self.axes.set_xlim(1 - 0.02 * max(1, self.step_count - 1), max(self.step_count, 1.02) + self.extra_steps)
        many = max(2, min(12, int((width - left - right) / 48)))
        small: dict[str, Any] = {"color": FAINT_TEXT, "size": CHART_FONT_SIZE * POINTS_PER_PIXEL}
        places = choose_step_ticks(self.step_count, many)
        self.axes.set_xticks(places, [f"{place:,}" for place in places], **small)
        self.axes.set_yticks(ticks, words, **small)
        self.axes.minorticks_off()
        self.axes.tick_params(length=0, pad=6 * POINTS_PER_PIXEL)
        self.axes.set_axisbelow(True)
        for place, tick in enumerate(ticks):
            base = tick == 0 or (place == 0 and 0 not in ticks)
            self.axes.axhline(tick, color=BOARD_OUTLINE if base else SEPARATOR, linewidth=POINTS_PER_PIXEL, zorder=1)

    def choose_ticks(self) -> list[float]:
        """Set the scale, and tell at which round numbers there are rules."""
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
        """How wide names and values are."""
        names, values = zip(
            *((measure_text_width(end.name), measure_text_width(end.value_text)) for end in self.line_labels),
            strict=True,
        )
        return max(names), max(values)

    def draw_line_labels(self) -> None:
        """Names and last values, far enough apart to be read."""
        if not self.line_labels:
            return
        heights = [float(self.axes.transData.transform((self.step_count, end.y))[1]) for end in self.line_labels]
        x, right = (
            self.size.width - CHART_SIDE_MARGIN - sum(self.measure_label_widths()) - CHART_LABEL_GAP,
            self.size.width - CHART_SIDE_MARGIN,
        )
        places = spread_labels(heights, CHART_BOTTOM_MARGIN + 4, self.size.height - self.top_margin)
        for end, place in zip(self.line_labels, places, strict=True):
            y = self.size.height - place
            self.draw_text(x, y, end.name, end.colour, va="center_baseline")
            self.draw_text(right, y, end.value_text, STRONG_TEXT, ha="right", va="center_baseline")

    def annotate_step(self, step: float, text: str, row: int) -> None:
        """A dashed line up at a generation, with words above it."""
        self.axes.axvline(step, color=FAINT_TEXT, linewidth=POINTS_PER_PIXEL, dashes=(4, 4), zorder=1)
        beside: dict[str, Any] = {"xycoords": self.axes.get_xaxis_transform(), "textcoords": "offset points"}
        late = step > 0.6 * self.step_count
        self.annotation_rows = max(self.annotation_rows, row + 1)
        offset = (3 if late else -3, (8 + _LINE_HEIGHT * row) * POINTS_PER_PIXEL)
        look: dict[str, Any] = {
            "color": DIM_TEXT,
            "size": CHART_FONT_SIZE * POINTS_PER_PIXEL,
            "ha": "right" if late else "left",
            "zorder": 6,
        }
        self.axes.annotate(text, (step, 1), xytext=offset, va="center", **beside, **look)


def make_message_figure(size: FigureSize, title: str, message: str) -> "Figure":
    """A chart that has nothing to show yet, and says when it will."""
    chart = Chart(size, title, "", 1)
    chart.draw_text(size.width / 2, size.height / 2, message, FAINT_TEXT, _TITLE_FONT_SIZE, ha="center")
    return chart.finish()
