"""A pen that draws in the units of a layout, on a surface whose pixels may be finer: crisp at any scale.

Places and sizes are whole units; `scale` tells how many pixels one has. Everything that the window, its panels and
videos consist of is drawn by it, so a layout never speaks of pixels.
"""

from collections.abc import Sequence
from typing import NamedTuple

import pygame

from tetrion.drawing.board_drawing import compute_board_size, draw_piece
from tetrion.drawing.board_style import DEFAULT_BOARD_STYLE, BoardStyle
from tetrion.drawing.cells import ACTIVE_CELL
from tetrion.drawing.palette import (
    ACCENT,
    BOARD_OUTLINE,
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
    mix_colours,
)
from tetrion.drawing.shapes import blit_picture, draw_rounded_rect, render_disc, render_outline, render_overlay
from tetrion.drawing.text_drawing import draw_text, measure_text

Box = pygame.Rect  # in units
UnitPoint = tuple[float, float]

PANEL_PADDING = 16
_PANEL_RADIUS = 12
PANEL_TITLE_OFFSET = 24
_KEYCAP_SIZE = 24
_KEYCAP_RADIUS = 6
_KEYCAP_PADDING = 8
ARROW_DIRECTIONS = {"←": (-1, 0), "→": (1, 0), "↑": (0, -1), "↓": (0, 1)}
_PROGRESS_BAR_HEIGHT = 6


class FittedBoard(NamedTuple):
    """A board that fits a box: the size of its cells in pixels, and the box that it covers, in units."""

    cell_size: int
    box: Box


class Pen:
    """Draws on a surface; `look` is how boards and pieces look."""

    def __init__(self, surface: pygame.Surface, scale: float = 1.0, style: BoardStyle = DEFAULT_BOARD_STYLE) -> None:
        self.surface = surface
        self.scale = scale
        self.style = style

    @property
    def width(self) -> int:
        """How many units the surface is wide."""
        return int(self.surface.width / self.scale)

    @property
    def height(self) -> int:
        """How many units the surface is high."""
        return int(self.surface.height / self.scale)

    @property
    def area(self) -> Box:
        """The whole surface."""
        return Box(0, 0, self.width, self.height)

    # From units to pixels.

    def to_pixels(self, length: float) -> int:
        """So many pixels is a length."""
        return round(length * self.scale)

    def to_pixel_point(self, place: UnitPoint) -> tuple[int, int]:
        """The pixel of a place."""
        return self.to_pixels(place[0]), self.to_pixels(place[1])

    def to_pixel_rect(self, box: Box) -> pygame.Rect:
        """The pixels that a box covers; boxes that touch still do."""
        left, top = self.to_pixel_point(box.topleft)
        right, bottom = self.to_pixel_point(box.bottomright)
        return pygame.Rect(left, top, right - left, bottom - top)

    # Shapes.

    def fill(self, box: Box, colour: str) -> None:
        """Fill a box that has sharp corners."""
        self.surface.fill(colour, self.to_pixel_rect(box))

    def fill_rounded(self, box: Box, radius: float, fill: str, outline: str | None = None, width: int = 1) -> None:
        """Fill a box that has round corners."""
        draw_rounded_rect(self.surface, self.to_pixel_rect(box), self.to_pixels(radius), fill, outline, width)

    def draw_overlay(self, box: Box, radius: float, colour: str, alpha: float) -> None:
        """Lay a colour over a box through which one sees."""
        area = self.to_pixel_rect(box)
        blit_picture(self.surface, render_overlay(area.size, self.to_pixels(radius), colour, alpha), area.topleft)

    def draw_outline(self, box: Box, radius: float, colour: str = ACCENT, width: float = 2, alpha: float = 1.0) -> None:
        """Draw an outline inside a box's border."""
        area = self.to_pixel_rect(box)
        thick = max(1, self.to_pixels(width))
        blit_picture(
            self.surface,
            render_outline(area.size, self.to_pixels(radius), colour, thick, round(alpha, 2)),
            area.topleft,
        )

    def draw_disc(self, centre: UnitPoint, radius: float, colour: str) -> None:
        """Draw a filled circle."""
        picture = render_disc(max(1, self.to_pixels(radius)), colour)
        x, y = self.to_pixel_point(centre)
        blit_picture(self.surface, picture, (x - picture.width // 2, y - picture.height // 2))

    def draw_separator(self, left: float, top: float, width: float, colour: str = SEPARATOR) -> None:
        """Draw a thin horizontal line."""
        x, y = self.to_pixel_point((left, top))
        self.surface.fill(colour, (x, y, self.to_pixels(width), 1))

    def draw_lines(self, places: Sequence[UnitPoint], colour: str, width: float = 2) -> None:
        """Draw a line through places, with round joins."""
        points, thick = [self.to_pixel_point(place) for place in places], max(1, self.to_pixels(width))
        if len(points) > 1:
            pygame.draw.lines(self.surface, colour, False, points, thick)
            pygame.draw.aalines(self.surface, colour, False, points)

    def fill_polygon(self, places: Sequence[UnitPoint], colour: str) -> None:
        """Fill a shape with smooth edges."""
        points = [self.to_pixel_point(place) for place in places]
        pygame.draw.polygon(self.surface, colour, points)
        pygame.draw.aalines(self.surface, colour, True, points)

    # Words.

    def draw_text(
        self,
        words: str,
        place: UnitPoint,
        size: float = 16,
        semibold: bool = False,
        colour: str = NORMAL_TEXT,
        align: float = 0,
    ) -> None:
        """Write words, their capitals centred on the height of a place, which is their left end (align 0) to right."""
        draw_text(self.surface, words, self.to_pixel_point(place), self.to_pixels(size), semibold, colour, align)

    def measure_text(self, words: str, size: float = 16, semibold: bool = False) -> int:
        """How many units words are wide."""
        return int(measure_text(words, self.to_pixels(size), semibold) / self.scale) + 1

    def truncate_text(self, words: str, width: float, size: float = 16, semibold: bool = False) -> str:
        """Words that are no wider; what is left out shows as three dots."""
        if self.measure_text(words, size, semibold) <= width:
            return words
        while words and self.measure_text(words + "…", size, semibold) > width:
            words = words[:-1]
        return words.rstrip() + "…"

    def wrap_text(self, words: str, width: float, size: float = 16) -> list[str]:
        """Words in lines that are no wider."""
        lines = [""]
        for word in words.split():
            longer = f"{lines[-1]} {word}".strip()
            if lines[-1] and self.measure_text(longer, size) > width:
                lines.append(word)
            else:
                lines[-1] = longer
        return [self.truncate_text(line, width, size) for line in lines]

    def draw_paragraph(
        self, words: str, place: UnitPoint, width: float, size: float = 14, colour: str = DIM_TEXT, max_lines: int = 9
    ) -> int:
        """Write words in lines below one another; gives back how high they are."""
        lines, leading = self.wrap_text(words, width, size), round(size * 1.4)
        for number, line in enumerate(lines[:max_lines]):
            self.draw_text(line, (place[0], place[1] + number * leading), size, False, colour)
        return leading * min(len(lines), max_lines)

    # Parts.

    def draw_panel(self, box: Box, title: str = "", right_text: str = "") -> Box:
        """Draw a panel with its title, and an aside at the right of the same line; gives back the room inside."""
        self.fill_rounded(box, _PANEL_RADIUS, PANEL, BOARD_OUTLINE)
        if title:
            self.draw_text(title, (box.left + PANEL_PADDING, box.top + PANEL_TITLE_OFFSET), 14, True, DIM_TEXT)
        if right_text:
            self.draw_text(
                right_text, (box.right - PANEL_PADDING, box.top + PANEL_TITLE_OFFSET), 14, False, FAINT_TEXT, align=1
            )
        top = PANEL_TITLE_OFFSET + PANEL_PADDING if title or right_text else PANEL_PADDING
        return Box(
            box.left + PANEL_PADDING, box.top + top, box.width - 2 * PANEL_PADDING, box.height - top - PANEL_PADDING
        )

    def draw_bar(self, box: Box, share: float, colour: str = ACCENT) -> None:
        """Draw a bar that is filled from the left up to a share of it."""
        radius = box.height / 2
        self.fill_rounded(box, radius, RAISED_PANEL)
        wide = round(box.width * max(0.0, min(1.0, share)))
        if wide:
            self.fill_rounded(Box(box.left, box.top, max(wide, box.height), box.height), radius, colour)

    def draw_progress(self, box: Box, words: str, figures: str, share: float) -> None:
        """Draw a bar at the lower edge of a box, with what it tells in words above it."""
        self.draw_text(words, (box.left, box.bottom - _PROGRESS_BAR_HEIGHT - 16), 14, False, DIM_TEXT)
        self.draw_text(figures, (box.right, box.bottom - _PROGRESS_BAR_HEIGHT - 16), 14, False, DIM_TEXT, align=1)
        self.draw_bar(Box(box.left, box.bottom - _PROGRESS_BAR_HEIGHT, box.width, _PROGRESS_BAR_HEIGHT), share)

    def measure_keycap(self, label: str) -> int:
        """How wide a keycap is."""
        return (
            _KEYCAP_SIZE
            if label in ARROW_DIRECTIONS
            else max(_KEYCAP_SIZE, self.measure_text(label, 13, True) + 2 * _KEYCAP_PADDING - 1)
        )

    def draw_keycap(self, place: UnitPoint, label: str, state: str = "") -> int:
        """Draw a key, its left edge and middle at a place; `state` is `pressed`, `coming` or `on accent`."""
        wide, (left, middle) = self.measure_keycap(label), place
        box = Box(round(left), round(middle) - _KEYCAP_SIZE // 2 + (state == "pressed"), wide, _KEYCAP_SIZE)
        fill, ink, edge = {
            "pressed": (ACCENT, ON_ACCENT, ACCENT),
            "coming": (PANEL, FAINT_TEXT, BOARD_OUTLINE),
            "on accent": (mix_colours(ACCENT, "#000000", 0.22), ON_ACCENT, mix_colours(ACCENT, "#000000", 0.22)),
        }.get(state, (mix_colours(RAISED_PANEL, WHITE, 0.03), STRONG_TEXT, mix_colours(BOARD_OUTLINE, WHITE, 0.06)))
        self.fill_rounded(box, _KEYCAP_RADIUS, fill, edge)
        if label in ARROW_DIRECTIONS:
            self.draw_arrow(box.center, ARROW_DIRECTIONS[label], ink)
        else:
            self.draw_text(label, box.center, 13, True, ink, align=0.5)
        return wide

    def draw_arrow(self, centre: UnitPoint, direction: tuple[int, int], colour: str) -> None:
        """Draw a small arrow."""
        (x, y), (dx, dy) = centre, direction
        tip, tail = (x + 5 * dx, y + 5 * dy), (x - 5 * dx, y - 5 * dy)
        wings = [(tip[0] - 4 * dx + 4 * side * dy, tip[1] - 4 * dy + 4 * side * dx) for side in (-1, 1)]
        self.draw_lines([tail, tip], colour)
        self.draw_lines([wings[0], tip, wings[1]], colour)

    def draw_badge(self, box: Box, words: str, is_negative: bool = False) -> None:
        """Draw a word that tells a mode: in accent, or in the colour of loss."""
        colour = NEGATIVE if is_negative else ACCENT
        self.fill_rounded(box, 8, mix_colours(PANEL, colour, 0.16))
        self.draw_disc((box.left + 16, box.centery), 4, colour)
        self.draw_text(words, (box.left + 30, box.centery), 16, True, colour)

    def measure_chip(self, words: str, has_dot: bool = False) -> int:
        """How wide a chip is."""
        return self.measure_text(words, 14) + 24 + 14 * has_dot

    def draw_chip(self, right: float, middle: float, words: str, has_dot: bool = False, max_width: float = 400) -> int:
        """Draw a round sign with a few words, ending at a place; gives back how wide it is."""
        words = self.truncate_text(words, max_width - 24 - 14 * has_dot, 14)
        wide = self.measure_chip(words, has_dot)
        box = Box(round(right) - wide, round(middle) - 14, wide, 28)
        self.fill_rounded(box, 14, PANEL, BOARD_OUTLINE)
        if has_dot:
            self.draw_disc((box.left + 16, box.centery), 4, ACCENT)
        self.draw_text(words, (box.left + 12 + 14 * has_dot, box.centery), 14, False, NORMAL_TEXT)
        return wide

    def draw_number(self, place: UnitPoint, label: str, number: str, size: float = 24) -> None:
        """Write a number below its label."""
        self.draw_text(label, place, 14, False, DIM_TEXT)
        self.draw_text(number, (place[0], place[1] + 26), size, True, STRONG_TEXT)

    def draw_row(self, box: Box, label: str, number: str, colour: str = STRONG_TEXT) -> None:
        """Write a label at the left of a box, and its number at the right."""
        self.draw_text(label, (box.left, box.centery), 16, False, DIM_TEXT)
        self.draw_text(number, (box.right, box.centery), 16, True, colour, align=1)

    # Boards and pieces.

    def draw_piece(self, centre: UnitPoint, cell_size: float, letter: str, state: str = ACTIVE_CELL) -> None:
        """Draw a piece as it enters, with its middle at a place."""
        draw_piece(self.surface, self.to_pixel_point(centre), self.to_pixels(cell_size), letter, state, self.style)

    def fit_board(self, box: Box, rows: int, align: float = 0.5) -> FittedBoard:
        """The largest board with so many visible rows in a box: at its top, and by `align` from left (0) to right."""
        area = self.to_pixel_rect(box)
        cell = max(1, min((area.height - 8) // rows, (area.width - 8) // 10))
        wide, high = compute_board_size(cell, rows)
        units = Box(0, box.top, round(wide / self.scale), round(high / self.scale))
        units.left = box.left + round(align * (box.width - units.width))
        return FittedBoard(cell, units)
