"""Small charts over generations: no frame, few rules, and names with their last values at the right ends of lines."""

import math
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache, lru_cache
from importlib.resources import as_file, files
from io import BytesIO
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tetrion.drawing.palette import DIM, FAINT, OUTLINE, PANEL, RULE, STRONG
from tetrion.drawing.ticks import FEW, RULES, round_numbers, scale_of, spread_out, tick_words, ticks_of
from tetrion.evaluation.words import figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

TYPE, FILES = "Source Sans Pro", ("SourceSansPro-Regular.ttf", "SourceSansPro-Semibold.ttf")
A_PIXEL = 0.75  # points
PIXELS_AN_INCH, SHARPER = 96, 2
TITLE, SMALL = 14, 13  # sizes of type in pixels
TOP, LINE, BOTTOM, MARGIN, GAP = 44, 18, 36, 16, 12
ORDERS_APART = 50  # from which ratio of the largest number to the median on a scale is logarithmic
RASTERISED_FROM = 800  # points, which would make a drawing of lines large

Numbers = np.ndarray[Any, Any]


class Size(NamedTuple):
    """Pixels of a picture, as a page counts them."""

    width: int
    height: int


class End(NamedTuple):
    """What stands at the right end of a line."""

    name: str
    value: str
    height: float
    colour: str


@contextmanager
def house_look() -> Iterator[None]:
    """What all pictures have in common; within it equal input gives equal bytes."""
    from matplotlib import rc_context

    add_type()
    with rc_context(
        {
            "font.family": TYPE,
            "svg.hashsalt": "tetrion",
            "path.simplify": False,
            "lines.solid_joinstyle": "round",
            "lines.solid_capstyle": "round",
        }
    ):
        yield


@cache
def add_type() -> None:
    """Make the house type known to the plots."""
    from matplotlib.font_manager import fontManager

    for name in FILES:
        with as_file(files("tetrion.drawing").joinpath("fonts", name)) as path:
            fontManager.addfont(path)


def content_of(drawn: "Figure", ending: str) -> bytes:
    """A drawing as the content of a .png, .svg or .pdf file."""
    content = BytesIO()
    undated: dict[str, Any] = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(ending, {})
    drawn.savefig(content, format=ending, dpi=SHARPER * PIXELS_AN_INCH, facecolor=PANEL, metadata=undated)
    return content.getvalue()


@lru_cache(4096)
def width_of(words: str, size: int = SMALL, weight: str = "normal") -> float:
    """How many pixels wide words are."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import TextPath

    path = TextPath((0, 0), words, size, FontProperties(family=TYPE, weight=weight))
    return float(path.vertices[:, 0].max(initial=0.0))


def wrapped(words: str, width: float) -> list[str]:
    """Words in lines that are no wider than that."""
    lines: list[str] = []
    for word in words.split():
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and width_of(longer) <= width:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines


class Chart:
    """A chart over generations or episodes 1 to `steps`, which is drawn as it is told and then finished."""

    def __init__(self, size: Size, title: str, aside: str, steps: int, key: str = "") -> None:
        from matplotlib.figure import Figure

        self.size, self.steps, self.ends = size, steps, list[End]()
        inches = (size.width / PIXELS_AN_INCH, size.height / PIXELS_AN_INCH)
        self.figure: Figure = Figure(figsize=inches, dpi=PIXELS_AN_INCH, facecolor=PANEL)
        self.key = wrapped(key, size.width - 2 * MARGIN)
        self.axes: Axes = self.figure.add_axes((0, 0, 1, 1))
        self.least, self.most, self.logarithmic = math.inf, -math.inf, False
        self.beyond = 0.0  # room for more behind the last generation, in generations
        self.title, self.aside, self.marks = title, aside, 0  # marks: rows of words above the axes

    @property
    def top(self) -> float:
        """Pixels above the axes."""
        return TOP + LINE * (len(self.key) + self.marks) + (6 if self.key or self.marks else 0)

    def words(self, x: float, y: float, words: str, colour: str, size: int = SMALL, **more: Any) -> None:
        """Words at pixels counted from the left and the top."""
        place = (x / self.size.width, 1 - y / self.size.height)
        self.figure.text(*place, words, color=colour, size=size * A_PIXEL, **{"va": "center", **more})

    def holds(self, *numbers: float | Numbers) -> None:
        """Make sure that the scale has a place for numbers; what is not one counts nothing."""
        every = np.concatenate([np.ravel(np.asarray(part, float)) for part in numbers])
        known = every[np.isfinite(every)]
        if known.size:
            self.least, self.most = min(self.least, float(known.min())), max(self.most, float(known.max()))

    def scale_by(self, numbers: Numbers) -> None:
        """Draw by orders of magnitude if the largest of numbers is far from the middle of them."""
        known = numbers[np.isfinite(numbers)]
        if known.size and known.min() >= 0:
            self.logarithmic = bool(known.max() / max(float(np.median(known)), 1.0) >= ORDERS_APART)

    def line(
        self,
        name: str,
        values: Numbers,
        colour: str,
        digits: int | None = None,
        *,
        dashed: bool = False,
        strength: float = 1,
    ) -> None:
        """A line over all generations, named at its end; over a number that is not known it goes on to the next."""
        known = np.flatnonzero(np.isfinite(values))
        self.holds(values)
        if not known.size:
            return
        style: dict[str, Any] = {"color": colour, "linewidth": 2 * A_PIXEL, "alpha": strength, "zorder": 4}
        dots: dict[str, Any] = {"marker": "o", "markersize": 5 * A_PIXEL} if known.size < FEW else {}
        dashes: dict[str, Any] = {"dashes": (4, 2)} if dashed else {}
        self.axes.plot(known + 1, values[known], clip_on=False, **style, **dots, **dashes)
        if not name:
            return
        last = float(values[known[-1]])
        self.axes.plot([known[-1] + 1], [last], clip_on=False, **style, marker="o", markersize=8 * A_PIXEL)
        self.ends.append(End(name, figure(last, digits), last, colour))

    def band(self, low: Numbers, high: Numbers, colour: str, strength: float = 0.16) -> None:
        """The area between two lines."""
        self.holds(low, high)
        self.axes.fill_between(np.arange(len(low)) + 1, low, high, color=colour, alpha=strength, linewidth=0, zorder=2)

    def points(self, steps: Numbers, values: Numbers, colour: str, strength: float = 0.35) -> None:
        """Single points."""
        self.holds(values)
        many = len(steps) > RASTERISED_FROM
        area = (3.6 if many else 5) ** 2 * A_PIXEL**2
        style: dict[str, Any] = {"s": area, "alpha": strength, "linewidths": 0, "rasterized": many, "clip_on": False}
        self.axes.scatter(steps, values, color=colour, zorder=3, **style)

    def finished(self) -> "Figure":
        """The drawing, with axes, titles and names."""
        title = self.title + (", logarithmic" if self.logarithmic else "")
        self.words(MARGIN, 24, title, DIM, TITLE, weight=600)
        if width_of(f"{title}{self.aside}", TITLE, "semibold") < self.size.width - 3 * MARGIN:
            self.words(self.size.width - MARGIN, 24, self.aside, FAINT, TITLE, ha="right")
        for place, words in enumerate(self.key):
            self.words(MARGIN, TOP + 2 + LINE * place, words, FAINT)
        for side in self.axes.spines.values():
            side.set_visible(False)
        self.axes.set_facecolor("none")
        if self.least > self.most:
            self.axes.set_visible(False)
            return self.figure
        self.lay_out()
        self.write_ends()
        return self.figure

    def lay_out(self) -> None:
        """Axes between the figures at their left and the names at their right."""
        ticks = self.rules()
        words = [tick_words(tick, ticks) for tick in ticks]
        left = MARGIN + max(map(width_of, words)) + GAP
        width, height = self.size
        right = MARGIN + (self.widths()[0] + GAP + self.widths()[1] + GAP if self.ends else 0)
        box = (left / width, BOTTOM / height, (width - left - right) / width, 1 - (self.top + BOTTOM) / height)
        self.axes.set_position(box)
        self.axes.set_xlim(1 - 0.02 * max(1, self.steps - 1), max(self.steps, 1.02) + self.beyond)
        many = max(2, min(12, int((width - left - right) / 48)))
        small: dict[str, Any] = {"color": FAINT, "size": SMALL * A_PIXEL}
        places = ticks_of(self.steps, many)
        self.axes.set_xticks(places, [f"{place:,}" for place in places], **small)
        self.axes.set_yticks(ticks, words, **small)
        self.axes.minorticks_off()
        self.axes.tick_params(length=0, pad=6 * A_PIXEL)
        self.axes.set_axisbelow(True)
        for place, tick in enumerate(ticks):
            base = tick == 0 or (place == 0 and 0 not in ticks)
            self.axes.axhline(tick, color=OUTLINE if base else RULE, linewidth=A_PIXEL, zorder=1)

    def rules(self) -> list[float]:
        """Set the scale, and tell at which round numbers there are rules."""
        if self.logarithmic:
            self.axes.set_yscale("symlog", linthresh=1, linscale=0.5)
            self.axes.set_ylim(0, self.most * 1.3)
            orders = range(max(1, math.floor(math.log10(self.most)) + 1))
            step = math.ceil(len(orders) / (RULES - 1))
            return [0.0, *(10.0**order for order in orders[(len(orders) - 1) % step :: step])]
        low, high = scale_of(self.least, self.most)
        self.axes.set_ylim(low, high)
        return round_numbers(low, high)

    def widths(self) -> tuple[float, float]:
        """How wide names and values are."""
        names, values = zip(*((width_of(end.name), width_of(end.value)) for end in self.ends), strict=True)
        return max(names), max(values)

    def write_ends(self) -> None:
        """Names and last values, far enough apart to be read."""
        if not self.ends:
            return
        heights = [float(self.axes.transData.transform((self.steps, end.height))[1]) for end in self.ends]
        x, right = self.size.width - MARGIN - sum(self.widths()) - GAP, self.size.width - MARGIN
        places = spread_out(heights, BOTTOM + 4, self.size.height - self.top)
        for end, place in zip(self.ends, places, strict=True):
            y = self.size.height - place
            self.words(x, y, end.name, end.colour, va="center_baseline")
            self.words(right, y, end.value, STRONG, ha="right", va="center_baseline")

    def mark(self, step: float, words: str, row: int) -> None:
        """A dashed line up at a generation, with words above it."""
        self.axes.axvline(step, color=FAINT, linewidth=A_PIXEL, dashes=(4, 4), zorder=1)
        beside: dict[str, Any] = {"xycoords": self.axes.get_xaxis_transform(), "textcoords": "offset points"}
        late = step > 0.6 * self.steps
        self.marks = max(self.marks, row + 1)
        offset = (3 if late else -3, (8 + LINE * row) * A_PIXEL)
        look: dict[str, Any] = {"color": DIM, "size": SMALL * A_PIXEL, "ha": "right" if late else "left", "zorder": 6}
        self.axes.annotate(words, (step, 1), xytext=offset, va="center", **beside, **look)


def saying(size: Size, title: str, words: str) -> "Figure":
    """A chart that has nothing to show yet, and says when it will."""
    chart = Chart(size, title, "", 1)
    chart.words(size.width / 2, size.height / 2, words, FAINT, TITLE, ha="center")
    return chart.finished()
