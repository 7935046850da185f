"""Layout of boxes in rows and columns: fixed and flexible parts, and parts that are omitted where space is short.

Sizes are in units. A part is a number (its size) or a `Part`:

>>> from tetrion.drawing.layout import Box, flexible, split_row
>>> left, right = split_row(Box(0, 0, 300, 100), [200, flexible()], gap=16)
>>> left.width, right.width
(200, 84)

A part with a rank is omitted if the parts do not fit; its box is then empty, which is false:

>>> board, extra = split_row(Box(0, 0, 300, 100), [250, flexible(minimum=100, rank=1)])
>>> board.width, bool(extra)
(250, False)
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import NamedTuple

import pygame

Box = pygame.Rect  # in units


class Part(NamedTuple):
    """A part of a row or column, along its direction.

    It has `size` units where there is space, at least `minimum` (by default `size`), and takes `stretch` shares of the
    space that the sizes leave over. A part without any size is omitted. While the minimums do not fit, the parts with
    the highest `rank` are omitted, too, the last one first; parts of rank 0 stay.
    """

    size: float = 0
    minimum: float | None = None
    stretch: float = 0
    rank: int = 0

    @property
    def least(self) -> float:
        """The smallest size."""
        return self.size if self.minimum is None else self.minimum


def flexible(minimum: float = 0, share: float = 1, rank: int = 0) -> Part:
    """Return a part that takes a share of the space that other parts leave over."""
    return Part(minimum, minimum, share, rank)


@lru_cache(maxsize=4096)  # every frame divides the same boxes again
def divide(length: float, parts: tuple[float | Part, ...], gap: float = 0) -> tuple[float, ...]:
    """Return the sizes of parts that share a length with gaps between them; 0 for those that are omitted."""
    all_parts = [part if isinstance(part, Part) else Part(part) for part in parts]
    shown = {number: part for number, part in enumerate(all_parts) if part.size or part.least or part.stretch}

    def measure_rest(sizes: Sequence[float]) -> float:
        return length - sum(sizes) - gap * (len(sizes) - 1)

    while measure_rest([part.least for part in shown.values()]) < 0:
        last = max(shown, key=lambda number: (shown[number].rank, number))
        if not shown[last].rank:
            break
        del shown[last]
    sizes = [part.least for part in shown.values()]
    rest = max(0.0, measure_rest(sizes))
    missing = [max(0.0, part.size - part.least) for part in shown.values()]
    growth = min(1.0, rest / (sum(missing) or 1))  # towards the sizes, before anything is stretched
    rest -= growth * sum(missing)
    shares = sum(part.stretch for part in shown.values()) or 1
    result = dict.fromkeys(range(len(all_parts)), 0.0)
    for (number, part), size, wanted in zip(shown.items(), sizes, missing, strict=True):
        result[number] = size + growth * wanted + rest * part.stretch / shares
    return tuple(result.values())


def split(box: Box, parts: Sequence[float | Part], gap: float, align: float, *, is_row: bool) -> list[Box]:
    """Return the boxes of the parts of a row or column; omitted parts have empty boxes where they would be."""
    start, length = (box.left, box.width) if is_row else (box.top, box.height)
    sizes = divide(length, tuple(parts), gap)
    used = sum(sizes) + gap * (sum(size > 0 for size in sizes) - 1)
    position = start + align * max(0.0, length - used)
    boxes = []
    for size in sizes:
        low, high = round(position), round(position + size)
        boxes.append(Box(low, box.top, high - low, box.height) if is_row else Box(box.left, low, box.width, high - low))
        position += size + gap if size else 0
    return boxes


def split_row(box: Box, parts: Sequence[float | Part], gap: float = 0, align: float = 0) -> list[Box]:
    """Divide a box into parts from left to right; `align` places them if they leave space (0.5: in the middle)."""
    return split(box, parts, gap, align, is_row=True)


def split_column(box: Box, parts: Sequence[float | Part], gap: float = 0, align: float = 0) -> list[Box]:
    """Divide a box into parts from top to bottom; `align` places them if they leave space (1: at the bottom)."""
    return split(box, parts, gap, align, is_row=False)


def split_grid(box: Box, columns: int, rows: int, gap: float = 0) -> list[Box]:
    """Divide a box into equal cells, row by row."""
    equal = flexible()
    return [cell for row in split_column(box, [equal] * rows, gap) for cell in split_row(row, [equal] * columns, gap)]


def list_rows(box: Box, height: float, gap: float = 0) -> list[Box]:
    """Return the rows of a height that fit into a box, from the top."""
    count = max(0, int((box.height + gap) // (height + gap)))
    return split_column(box, [height] * count, gap)


def place(box: Box, width: float, height: float, x: float = 0.5, y: float = 0.5) -> Box:
    """Return a box of a size inside another one; `x` and `y` are 0 for left and top, 1 for right and bottom."""
    left, top = box.left + x * (box.width - width), box.top + y * (box.height - height)
    return Box(round(left), round(top), round(width), round(height))


def inset(box: Box, x: float, y: float | None = None) -> Box:
    """Return a box that is smaller by `x` units at the left and right, and by `y` (default: `x`) above and below."""
    return box.inflate(-2 * x, -2 * (x if y is None else y))


class Panel(NamedTuple):
    """A part of a row or column, and the function that draws it into its box."""

    part: float | Part
    draw: Callable[[Box], object]


def draw_column(box: Box, gap: float, panels: Sequence[Panel]) -> None:
    """Draw panels one below the other, those that fit."""
    draw_panels(panels, split_column(box, [panel.part for panel in panels], gap))


def draw_row(box: Box, gap: float, panels: Sequence[Panel]) -> None:
    """Draw panels side by side, those that fit."""
    draw_panels(panels, split_row(box, [panel.part for panel in panels], gap))


def draw_panels(panels: Sequence[Panel], boxes: Sequence[Box]) -> None:
    """Draw each panel into its box, unless the box is empty."""
    for panel, box in zip(panels, boxes, strict=True):
        if box:
            panel.draw(box)
