"""A pen that draws in layout units, independently of the resolution of the surface.

Positions and sizes are in units; `scale` is the number of pixels per unit.
"""

from collections.abc import Sequence
from typing import NamedTuple

import pygame

from tetrion.drawing.board_drawing import compute_board_size, draw_piece
from tetrion.drawing.cells import ACTIVE_CELL
from tetrion.drawing.layout import Box, inset, place
from tetrion.drawing.palette import (
    ACCENT,
    BOARD_OUTLINE,
    DEFAULT_BOARD_STYLE,
    DIM_TEXT,
    FAINT_TEXT,
    NEGATIVE,
    NORMAL_TEXT,
    ON_ACCENT,
    PANEL,
    RAISED_PANEL,
    SEPARATOR,
    STRONG_TEXT,
    WHITE,
    BoardStyle,
    mix_colours,
)
from tetrion.drawing.shapes import blit_picture, draw_rounded_rect, render_outline, render_overlay, render_rounded_rect
from tetrion.drawing.text_drawing import draw_text, measure_text, shorten_text
from tetrion.text_cleaning import clean_message

UnitPoint = tuple[float, float]

# units
PANEL_PADDING = 16
PANEL_TITLE_OFFSET = 24
_KEYCAP_SIZE = 24
_DARK_ACCENT = mix_colours(ACCENT, "#000000", 0.22)
_KEYCAP_COLOURS = {  # fill, text and outline by state
    "": (mix_colours(RAISED_PANEL, WHITE, 0.03), STRONG_TEXT, mix_colours(BOARD_OUTLINE, WHITE, 0.06)),
    "pressed": (ACCENT, ON_ACCENT, ACCENT),
    "dim": (PANEL, FAINT_TEXT, BOARD_OUTLINE),
    "on accent": (_DARK_ACCENT, ON_ACCENT, _DARK_ACCENT),
}

__all__ = ["ARROW_DIRECTIONS", "PANEL_PADDING", "PANEL_TITLE_OFFSET", "Box", "FittedBoard", "Pen"]

ARROW_DIRECTIONS = {"←": (-1, 0), "→": (1, 0), "↑": (0, -1), "↓": (0, 1)}


class FittedBoard(NamedTuple):
    """A board that fits a box: its cell size in pixels, the box that it covers in units, and the rows above it."""

    cell_size: int
    box: Box
    entry_rows: int = 0


class Pen:
    """A pen for a surface; `style` is the appearance of boards and pieces."""

    def __init__(self, surface: pygame.Surface, scale: float = 1.0, style: BoardStyle = DEFAULT_BOARD_STYLE) -> None:
        self.surface = surface
        self.scale = scale
        self.style = style

    @property
    def width(self) -> int:
        """The width of the surface in units."""
        return int(self.surface.width / self.scale)

    @property
    def height(self) -> int:
        """The height of the surface in units."""
        return int(self.surface.height / self.scale)

    @property
    def area(self) -> Box:
        """The whole surface."""
        return Box(0, 0, self.width, self.height)

    # Conversion from units to pixels.

    def to_pixels(self, length: float) -> int:
        """Convert a length to pixels."""
        return round(length * self.scale)

    def to_pixel_point(self, point: UnitPoint) -> tuple[int, int]:
        """Convert a point to pixels."""
        return self.to_pixels(point[0]), self.to_pixels(point[1])

    def to_pixel_rect(self, box: Box) -> pygame.Rect:
        """Convert a box to pixels; adjacent boxes stay adjacent."""
        left, top = self.to_pixel_point(box.topleft)
        right, bottom = self.to_pixel_point(box.bottomright)
        return pygame.Rect(left, top, right - left, bottom - top)

    # Shapes.

    def fill(self, box: Box, colour: str) -> None:
        """Fill a box."""
        self.surface.fill(colour, self.to_pixel_rect(box))

    def fill_rounded(self, box: Box, radius: float, fill: str, outline: str | None = None) -> None:
        """Fill a box with rounded corners; the outline is one pixel wide."""
        draw_rounded_rect(self.surface, self.to_pixel_rect(box), self.to_pixels(radius), fill, outline)

    def draw_overlay(self, box: Box, radius: float, colour: str, alpha: float) -> None:
        """Draw a semi-transparent colour over a box."""
        area = self.to_pixel_rect(box)
        blit_picture(self.surface, render_overlay(area.size, self.to_pixels(radius), colour, alpha), area.topleft)

    def draw_outline(self, box: Box, radius: float, colour: str = ACCENT, width: float = 2) -> None:
        """Draw an outline inside a box's border."""
        area = self.to_pixel_rect(box)
        picture = render_outline(area.size, self.to_pixels(radius), colour, max(1, self.to_pixels(width)))
        blit_picture(self.surface, picture, area.topleft)

    def draw_disc(self, centre: UnitPoint, radius: float, colour: str) -> None:
        """Draw a filled circle."""
        size = max(1, self.to_pixels(radius))
        x, y = self.to_pixel_point(centre)
        blit_picture(self.surface, render_rounded_rect((2 * size, 2 * size), size, colour), (x - size, y - size))

    def draw_separator(self, left: float, top: float, width: float, colour: str = SEPARATOR) -> None:
        """Draw a thin horizontal line."""
        x, y = self.to_pixel_point((left, top))
        self.surface.fill(colour, (x, y, self.to_pixels(width), 1))

    def draw_lines(self, points: Sequence[UnitPoint], colour: str) -> None:
        """Draw a line through points, two units wide."""
        pixels = [self.to_pixel_point(point) for point in points]
        if len(pixels) > 1:
            pygame.draw.lines(self.surface, colour, False, pixels, max(1, self.to_pixels(2)))
            pygame.draw.aalines(self.surface, colour, False, pixels)

    def fill_polygon(self, points: Sequence[UnitPoint], colour: str) -> None:
        """Fill a polygon with smooth edges."""
        pixels = [self.to_pixel_point(point) for point in points]
        pygame.draw.polygon(self.surface, colour, pixels)
        pygame.draw.aalines(self.surface, colour, True, pixels)

    # Text.

    def draw_text(
        self,
        text: str,
        position: UnitPoint,
        size: float = 16,
        semibold: bool = False,
        colour: str = NORMAL_TEXT,
        *,
        align: float = 0,
    ) -> None:
        """Draw text; its capital letters are centred vertically on the position.

        `align` is the part of the text at the position: 0 for its left end, 0.5 for its centre, 1 for its right end.
        """
        pixel, pixel_size = self.to_pixel_point(position), self.to_pixels(size)
        draw_text(self.surface, text, pixel, pixel_size, semibold, colour=colour, align=align)

    def measure_text(self, text: str, size: float = 16, semibold: bool = False) -> int:
        """Return the width of a text in units."""
        return int(measure_text(text, self.to_pixels(size), semibold) / self.scale) + 1

    def truncate_text(self, text: str, width: float, size: float = 16, semibold: bool = False) -> str:
        """Shorten a text with an ellipsis so that it is at most `width` units wide."""
        return shorten_text(text, lambda part: self.measure_text(part, size, semibold) <= width)

    def wrap_text(self, text: str, width: float, size: float = 16) -> list[str]:
        """Break a text into lines of at most `width` units; very long texts are shortened."""
        lines: list[str] = []
        for word in clean_message(text).split():
            if lines and self.measure_text(f"{lines[-1]} {word}", size) <= width:
                lines[-1] += f" {word}"
            else:
                lines.append(word)
        return [self.truncate_text(line, width, size) for line in lines] or [""]

    def draw_paragraph(
        self,
        text: str,
        position: UnitPoint,
        width: float,
        size: float = 14,
        colour: str = DIM_TEXT,
        *,
        max_lines: int = 9,
        align: float = 0,
    ) -> int:
        """Draw a text in lines of at most `width` units; return its height in units. `align` is that of `draw_text`."""
        lines = self.wrap_text(text, width, size)
        line_height = round(size * 1.4)
        for number, line in enumerate(lines[:max_lines]):
            self.draw_text(line, (position[0], position[1] + number * line_height), size, False, colour, align=align)
        return line_height * min(len(lines), max_lines)

    # Widgets.

    def draw_panel(self, box: Box, title: str = "", right_text: str = "") -> Box:
        """Draw a panel with a title and a text at the right of the same line; return the box for its content."""
        self.fill_rounded(box, 12, PANEL, BOARD_OUTLINE)
        inside = inset(box, PANEL_PADDING)
        middle = box.top + PANEL_TITLE_OFFSET
        self.draw_text(title, (inside.left, middle), 14, True, DIM_TEXT)
        self.draw_text(right_text, (inside.right, middle), 14, False, FAINT_TEXT, align=1)
        top = PANEL_TITLE_OFFSET if title or right_text else 0
        return Box(inside.left, inside.top + top, inside.width, inside.height - top)

    def draw_bar(self, box: Box, share: float, colour: str = ACCENT) -> None:
        """Draw a bar that is filled from the left; `share` (0 to 1) is the filled part."""
        radius = box.height / 2
        self.fill_rounded(box, radius, RAISED_PANEL)
        if filled_width := round(box.width * max(0.0, min(1.0, share))):
            self.fill_rounded(Box(box.left, box.top, max(filled_width, box.height), box.height), radius, colour)

    def draw_progress(self, box: Box, label: str, figures: str, share: float) -> None:
        """Draw a progress bar at the lower edge of a box, with a label and figures above it."""
        bar = place(box, box.width, 6, y=1)
        self.draw_text(label, (bar.left, bar.top - 16), 14, False, DIM_TEXT)
        self.draw_text(figures, (bar.right, bar.top - 16), 14, False, DIM_TEXT, align=1)
        self.draw_bar(bar, share)

    def measure_keycap(self, label: str) -> int:
        """Return the width of a keycap in units."""
        is_arrow = label in ARROW_DIRECTIONS
        return _KEYCAP_SIZE if is_arrow else max(_KEYCAP_SIZE, self.measure_text(label, 13, True) + 15)

    def draw_keycap(self, position: UnitPoint, label: str, state: str = "") -> int:
        """Draw a key with the middle of its left edge at a position; return its width.

        `state` is empty, `pressed`, `dim` (not pressed yet, or disabled) or `on accent` (on an accent-coloured button).
        """
        width = self.measure_keycap(label)
        left, middle = round(position[0]), round(position[1])
        box = Box(left, middle - _KEYCAP_SIZE // 2 + (state == "pressed"), width, _KEYCAP_SIZE)
        fill, text_colour, outline = _KEYCAP_COLOURS[state]
        self.fill_rounded(box, 6, fill, outline)
        if label in ARROW_DIRECTIONS:
            self.draw_arrow(box.center, ARROW_DIRECTIONS[label], text_colour)
        else:
            self.draw_text(label, box.center, 13, True, text_colour, align=0.5)
        return width

    def draw_arrow(self, centre: UnitPoint, direction: tuple[int, int], colour: str) -> None:
        """Draw a small arrow; `direction` is (columns, rows) with −1, 0 or 1."""
        (x, y), (dx, dy) = centre, direction
        tip, tail = (x + 5 * dx, y + 5 * dy), (x - 5 * dx, y - 5 * dy)
        wings = [(tip[0] - 4 * dx + 4 * side * dy, tip[1] - 4 * dy + 4 * side * dx) for side in (-1, 1)]
        self.draw_lines([tail, tip], colour)
        self.draw_lines([wings[0], tip, wings[1]], colour)

    def draw_badge(self, box: Box, text: str, is_negative: bool = False) -> None:
        """Draw a badge, such as an agent's mode, in the accent colour or the negative colour."""
        colour = NEGATIVE if is_negative else ACCENT
        self.fill_rounded(box, 8, mix_colours(PANEL, colour, 0.16))
        self.draw_disc((box.left + 16, box.centery), 4, colour)
        self.draw_text(text, (box.left + 30, box.centery), 16, True, colour)

    def measure_chip(self, text: str, has_dot: bool = False) -> int:
        """Return the width of a chip in units."""
        return self.measure_text(text, 14) + 24 + 14 * has_dot

    def draw_chip(self, right: float, middle: float, text: str, has_dot: bool = False, max_width: float = 400) -> int:
        """Draw a chip (short text in a rounded frame) that ends at `right`; return its width."""
        text = self.truncate_text(text, max_width - 24 - 14 * has_dot, 14)
        width = self.measure_chip(text, has_dot)
        box = Box(round(right) - width, round(middle) - 14, width, 28)
        self.fill_rounded(box, 14, PANEL, BOARD_OUTLINE)
        if has_dot:
            self.draw_disc((box.left + 16, box.centery), 4, ACCENT)
        self.draw_text(text, (box.left + 12 + 14 * has_dot, box.centery), 14, False, NORMAL_TEXT)
        return width

    def draw_number(self, position: UnitPoint, label: str, number: str, size: float = 24) -> None:
        """Draw a number below its label."""
        self.draw_text(label, position, 14, False, DIM_TEXT)
        self.draw_text(number, (position[0], position[1] + 26), size, True, STRONG_TEXT)

    def draw_row(self, box: Box, label: str, number: str, colour: str = STRONG_TEXT) -> None:
        """Draw a label at the left of a box and its number at the right."""
        self.draw_text(label, (box.left, box.centery), 16, False, DIM_TEXT)
        self.draw_text(number, (box.right, box.centery), 16, True, colour, align=1)

    # Boards and pieces.

    def draw_piece(self, centre: UnitPoint, cell_size: float, letter: str, state: str = ACTIVE_CELL) -> None:
        """Draw a piece in its flat orientation (T, J and L point up) around a centre."""
        pixel_size = self.to_pixels(cell_size)
        draw_piece(self.surface, self.to_pixel_point(centre), pixel_size, letter, state, style=self.style)

    def fit_board(self, box: Box, rows: int, align: float = 0.5, entry_rows: int = 0) -> FittedBoard:
        """Return the largest board with `rows` visible rows at the top of a box; `align` is 0 for left, 1 for right.

        `entry_rows` is the number of rows above the board, in which pieces spawn.
        """
        area = self.to_pixel_rect(box)
        cell_size = max(1, min((area.height - 8) // (rows + entry_rows), (area.width - 8) // 10))
        width, height = compute_board_size(cell_size, rows)
        top = box.top + round(entry_rows * cell_size / self.scale)
        board_box = Box(0, top, round(width / self.scale), round(height / self.scale))
        board_box.left = box.left + round(align * (box.width - board_box.width))
        return FittedBoard(cell_size, board_box, entry_rows)
