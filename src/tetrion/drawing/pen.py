"""A pen that draws in the units of a layout, on a surface whose pixels may be finer: crisp at any scale.

Places and sizes are whole units; `scale` tells how many pixels one has. Everything that the window, its panels and
videos consist of is drawn by it, so a layout never speaks of pixels.
"""

from collections.abc import Sequence
from typing import NamedTuple

import pygame

from tetrion.drawing.boards import board_size, draw_piece
from tetrion.drawing.cells import ACTIVE
from tetrion.drawing.look import USUAL, Look
from tetrion.drawing.palette import (
    ACCENT,
    BAD,
    DIM,
    FAINT,
    ON_ACCENT,
    OUTLINE,
    PANEL,
    RAISED,
    RULE,
    STRONG,
    TEXT,
    WHITE,
    mixed,
)
from tetrion.drawing.shapes import disc, framed, put, ring, veil
from tetrion.drawing.text import draw_text, width_of

Box = pygame.Rect  # in units
Place = tuple[float, float]

PADDING, PANEL_RADIUS, TITLE = 16, 12, 24
KEYCAP, KEYCAP_RADIUS, KEYCAP_PADDING = 24, 6, 8
ARROWS = {"←": (-1, 0), "→": (1, 0), "↑": (0, -1), "↓": (0, 1)}
TRACK = 6


class Fitted(NamedTuple):
    """A board that fits a box: the size of its cells in pixels, and the box that it covers, in units."""

    cell: int
    box: Box


class Pen:
    """Draws on a surface; `look` is how boards and pieces look."""

    def __init__(self, surface: pygame.Surface, scale: float = 1.0, look: Look = USUAL) -> None:
        self.surface, self.scale, self.look = surface, scale, look

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

    def pixels(self, length: float) -> int:
        """So many pixels is a length."""
        return round(length * self.scale)

    def point(self, place: Place) -> tuple[int, int]:
        """The pixel of a place."""
        return self.pixels(place[0]), self.pixels(place[1])

    def rect(self, box: Box) -> pygame.Rect:
        """The pixels that a box covers; boxes that touch still do."""
        left, top = self.point(box.topleft)
        right, bottom = self.point(box.bottomright)
        return pygame.Rect(left, top, right - left, bottom - top)

    # Shapes.

    def fill(self, box: Box, colour: str) -> None:
        """Fill a box that has sharp corners."""
        self.surface.fill(colour, self.rect(box))

    def rounded(self, box: Box, radius: float, fill: str, outline: str | None = None, width: int = 1) -> None:
        """Fill a box that has round corners."""
        framed(self.surface, self.rect(box), self.pixels(radius), fill, outline, width)

    def veil(self, box: Box, radius: float, colour: str, alpha: float) -> None:
        """Lay a colour over a box through which one sees."""
        area = self.rect(box)
        put(self.surface, veil(area.size, self.pixels(radius), colour, alpha), area.topleft)

    def ring(self, box: Box, radius: float, colour: str = ACCENT, width: float = 2, alpha: float = 1.0) -> None:
        """Draw an outline inside a box's border."""
        area = self.rect(box)
        thick = max(1, self.pixels(width))
        put(self.surface, ring(area.size, self.pixels(radius), colour, thick, round(alpha, 2)), area.topleft)

    def disc(self, centre: Place, radius: float, colour: str) -> None:
        """Draw a filled circle."""
        picture = disc(max(1, self.pixels(radius)), colour)
        x, y = self.point(centre)
        put(self.surface, picture, (x - picture.width // 2, y - picture.height // 2))

    def rule(self, left: float, top: float, width: float, colour: str = RULE) -> None:
        """Draw a thin horizontal line."""
        x, y = self.point((left, top))
        self.surface.fill(colour, (x, y, self.pixels(width), 1))

    def lines(self, places: Sequence[Place], colour: str, width: float = 2) -> None:
        """Draw a line through places, with round joins."""
        points, thick = [self.point(place) for place in places], max(1, self.pixels(width))
        if len(points) > 1:
            pygame.draw.lines(self.surface, colour, False, points, thick)
            pygame.draw.aalines(self.surface, colour, False, points)

    def polygon(self, places: Sequence[Place], colour: str) -> None:
        """Fill a shape with smooth edges."""
        points = [self.point(place) for place in places]
        pygame.draw.polygon(self.surface, colour, points)
        pygame.draw.aalines(self.surface, colour, True, points)

    # Words.

    def text(
        self,
        words: str,
        place: Place,
        size: float = 16,
        semibold: bool = False,
        colour: str = TEXT,
        align: float = 0,
    ) -> None:
        """Write words, their capitals centred on the height of a place, which is their left end (align 0) to right."""
        draw_text(self.surface, words, self.point(place), self.pixels(size), semibold, colour, align)

    def width_of(self, words: str, size: float = 16, semibold: bool = False) -> int:
        """How many units words are wide."""
        return int(width_of(words, self.pixels(size), semibold) / self.scale) + 1

    def cut(self, words: str, width: float, size: float = 16, semibold: bool = False) -> str:
        """Words that are no wider; what is left out shows as three dots."""
        if self.width_of(words, size, semibold) <= width:
            return words
        while words and self.width_of(words + "…", size, semibold) > width:
            words = words[:-1]
        return words.rstrip() + "…"

    def wrapped(self, words: str, width: float, size: float = 16) -> list[str]:
        """Words in lines that are no wider."""
        lines = [""]
        for word in words.split():
            longer = f"{lines[-1]} {word}".strip()
            if lines[-1] and self.width_of(longer, size) > width:
                lines.append(word)
            else:
                lines[-1] = longer
        return [self.cut(line, width, size) for line in lines]

    def paragraph(
        self, words: str, place: Place, width: float, size: float = 14, colour: str = DIM, most: int = 9
    ) -> int:
        """Write words in lines below one another; gives back how high they are."""
        lines, leading = self.wrapped(words, width, size), round(size * 1.4)
        for number, line in enumerate(lines[:most]):
            self.text(line, (place[0], place[1] + number * leading), size, False, colour)
        return leading * min(len(lines), most)

    # Parts.

    def panel(self, box: Box, title: str = "", aside: str = "") -> Box:
        """Draw a panel with its title, and an aside at the right of the same line; gives back the room inside."""
        self.rounded(box, PANEL_RADIUS, PANEL, OUTLINE)
        if title:
            self.text(title, (box.left + PADDING, box.top + TITLE), 14, True, DIM)
        if aside:
            self.text(aside, (box.right - PADDING, box.top + TITLE), 14, False, FAINT, align=1)
        top = TITLE + PADDING if title or aside else PADDING
        return Box(box.left + PADDING, box.top + top, box.width - 2 * PADDING, box.height - top - PADDING)

    def track(self, box: Box, share: float, colour: str = ACCENT) -> None:
        """Draw a bar that is filled from the left up to a share of it."""
        radius = box.height / 2
        self.rounded(box, radius, RAISED)
        wide = round(box.width * max(0.0, min(1.0, share)))
        if wide:
            self.rounded(Box(box.left, box.top, max(wide, box.height), box.height), radius, colour)

    def progress(self, box: Box, words: str, figures: str, share: float) -> None:
        """Draw a bar at the lower edge of a box, with what it tells in words above it."""
        self.text(words, (box.left, box.bottom - TRACK - 16), 14, False, DIM)
        self.text(figures, (box.right, box.bottom - TRACK - 16), 14, False, DIM, align=1)
        self.track(Box(box.left, box.bottom - TRACK, box.width, TRACK), share)

    def keycap_width(self, label: str) -> int:
        """How wide a keycap is."""
        return KEYCAP if label in ARROWS else max(KEYCAP, self.width_of(label, 13, True) + 2 * KEYCAP_PADDING - 1)

    def keycap(self, place: Place, label: str, state: str = "") -> int:
        """Draw a key, its left edge and middle at a place; `state` is `pressed`, `coming` or `on accent`."""
        wide, (left, middle) = self.keycap_width(label), place
        box = Box(round(left), round(middle) - KEYCAP // 2 + (state == "pressed"), wide, KEYCAP)
        fill, ink, edge = {
            "pressed": (ACCENT, ON_ACCENT, ACCENT),
            "coming": (PANEL, FAINT, OUTLINE),
            "on accent": (mixed(ACCENT, "#000000", 0.22), ON_ACCENT, mixed(ACCENT, "#000000", 0.22)),
        }.get(state, (mixed(RAISED, WHITE, 0.03), STRONG, mixed(OUTLINE, WHITE, 0.06)))
        self.rounded(box, KEYCAP_RADIUS, fill, edge)
        if label in ARROWS:
            self.arrow(box.center, ARROWS[label], ink)
        else:
            self.text(label, box.center, 13, True, ink, align=0.5)
        return wide

    def arrow(self, centre: Place, towards: tuple[int, int], colour: str) -> None:
        """Draw a small arrow."""
        (x, y), (dx, dy) = centre, towards
        tip, tail = (x + 5 * dx, y + 5 * dy), (x - 5 * dx, y - 5 * dy)
        wings = [(tip[0] - 4 * dx + 4 * side * dy, tip[1] - 4 * dy + 4 * side * dx) for side in (-1, 1)]
        self.lines([tail, tip], colour)
        self.lines([wings[0], tip, wings[1]], colour)

    def badge(self, box: Box, words: str, bad: bool = False) -> None:
        """Draw a word that tells a mode: in accent, or in the colour of loss."""
        colour = BAD if bad else ACCENT
        self.rounded(box, 8, mixed(PANEL, colour, 0.16))
        self.disc((box.left + 16, box.centery), 4, colour)
        self.text(words, (box.left + 30, box.centery), 16, True, colour)

    def chip_width(self, words: str, dot: bool = False) -> int:
        """How wide a chip is."""
        return self.width_of(words, 14) + 24 + 14 * dot

    def chip(self, right: float, middle: float, words: str, dot: bool = False, most: float = 400) -> int:
        """Draw a round sign with a few words, ending at a place; gives back how wide it is."""
        words = self.cut(words, most - 24 - 14 * dot, 14)
        wide = self.chip_width(words, dot)
        box = Box(round(right) - wide, round(middle) - 14, wide, 28)
        self.rounded(box, 14, PANEL, OUTLINE)
        if dot:
            self.disc((box.left + 16, box.centery), 4, ACCENT)
        self.text(words, (box.left + 12 + 14 * dot, box.centery), 14, False, TEXT)
        return wide

    def figure(self, place: Place, label: str, number: str, size: float = 24) -> None:
        """Write a number below its label."""
        self.text(label, place, 14, False, DIM)
        self.text(number, (place[0], place[1] + 26), size, True, STRONG)

    def row(self, box: Box, label: str, number: str, colour: str = STRONG) -> None:
        """Write a label at the left of a box, and its number at the right."""
        self.text(label, (box.left, box.centery), 16, False, DIM)
        self.text(number, (box.right, box.centery), 16, True, colour, align=1)

    # Boards and pieces.

    def piece(self, centre: Place, cell: float, letter: str, state: str = ACTIVE) -> None:
        """Draw a piece as it enters, with its middle at a place."""
        draw_piece(self.surface, self.point(centre), self.pixels(cell), letter, state, self.look)

    def fitted(self, box: Box, height: int, align: float = 0.5) -> Fitted:
        """The largest board with so many visible rows in a box: at its top, and by `align` from left (0) to right."""
        area = self.rect(box)
        cell = max(1, min((area.height - 8) // height, (area.width - 8) // 10))
        wide, high = board_size(cell, height)
        units = Box(0, box.top, round(wide / self.scale), round(high / self.scale))
        units.left = box.left + round(align * (box.width - units.width))
        return Fitted(cell, units)
