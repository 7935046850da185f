"""What stands around every screen: the header, the footer, and overlays in the middle of a board."""

from collections.abc import Sequence
from typing import NamedTuple

from tetrion.app.toolkit.controls import BUTTON_HEIGHT, compute_button_width, draw_button
from tetrion.app.toolkit.ui import Ui
from tetrion.drawing.palette import (
    ACCENT,
    BACKGROUND,
    BOARD_OUTLINE,
    DIM_TEXT,
    FAINT_TEXT,
    HEADER_SEPARATOR,
    NORMAL_TEXT,
    PANEL,
    STRONG_TEXT,
)
from tetrion.drawing.pen import Box, Pen

WIDE_LAYOUT = "wide"
MEDIUM_LAYOUT = "medium"
COMPACT_LAYOUT = "compact"
_MIN_WIDE_WIDTH, _MIN_MEDIUM_WIDTH = 1180, 960
OVERLAY_WIDTH = 264
_MAX_SPACE_BELOW_BOARD = 30  # units that a board may leave below it
_LOGO_CELLS = ((0, 0), (1, 0), (2, 0), (1, 1))

KeyLegend = Sequence[tuple[Sequence[str], str]]  # keys and what they do


class ScreenArea(NamedTuple):
    """What a screen may fill: the content between header and footer, the footer, and the form of the layout."""

    content: Box
    footer: Box
    layout_size: str
    gap: int

    @property
    def is_compact(self) -> bool:
        """Whether the window is small."""
        return self.layout_size == COMPACT_LAYOUT


def get_layout_size(pen: Pen) -> str:
    """How much room a layout has."""
    return (
        WIDE_LAYOUT
        if pen.width >= _MIN_WIDE_WIDTH
        else MEDIUM_LAYOUT
        if pen.width >= _MIN_MEDIUM_WIDTH
        else COMPACT_LAYOUT
    )


def compute_screen_area(pen: Pen) -> ScreenArea:
    """The room between header and footer."""
    form = get_layout_size(pen)
    compact = form == COMPACT_LAYOUT
    margin, head, foot = (16, 48, 56) if compact else (24, 56, 60)
    above, below = (14, 14) if compact else (20, 16)
    top, bottom = head + above, pen.height - foot - below
    content = Box(margin, top, pen.width - 2 * margin, bottom - top)
    return ScreenArea(
        content, Box(margin, pen.height - foot, pen.width - 2 * margin, foot), form, 12 if compact else 16
    )


def compute_side_height(board: Box, content: Box) -> int:
    """How high what stands beside a board is: as high as the board, unless that leaves much of the content empty."""
    return board.height if content.height - board.height < _MAX_SPACE_BELOW_BOARD else content.height


def draw_header_footer(ui: Ui, title: str, chips: Sequence[str] = (), agent: str = "") -> tuple[ScreenArea, bool]:
    """Draw header and footer lines; gives back the room between them, and whether the person wants to go back.

    Chips stand at the right, the agent's with a dot first; those that do not fit hide from the left.
    """
    pen = ui.pen
    room = compute_screen_area(ui.pen)
    back = "Menu" if ui.is_above_menu else "Back"
    head = 48 if room.is_compact else 56
    pen.draw_separator(0, head, pen.width, HEADER_SEPARATOR)
    pen.draw_separator(0, room.footer.top, pen.width, HEADER_SEPARATOR)
    left = room.content.left
    draw_logo(pen, (left, head // 2), 7)
    left += 34
    if not room.is_compact:
        pen.draw_text("Tetrion", (left, head // 2), 17, True, DIM_TEXT)
        left += pen.measure_text("Tetrion", 17, True) + 10
        pen.draw_text("/", (left, head // 2), 17, False, FAINT_TEXT)
        left += 15
    pen.draw_text(title, (left, head // 2), 17, True, STRONG_TEXT)
    left += pen.measure_text(title, 17, True) + 16
    wide = pen.measure_keycap("Esc") + 8 + pen.measure_text(back, 14)
    leave = Box(room.content.right - wide, head // 2 - 14, wide, 28)
    touch = ui.add_control("back", leave, radius=6, key="Esc")
    pen.draw_keycap((leave.left, head // 2), "Esc")
    pen.draw_text(back, (leave.right, head // 2), 14, False, NORMAL_TEXT if touch.is_hovered else DIM_TEXT, align=1)
    draw_chips(pen, left, leave.left - 16, head // 2, chips, agent)
    return room, touch.is_activated


def draw_chips(pen: Pen, left: int, right: int, middle: int, chips: Sequence[str], agent: str) -> None:
    """Draw chips up to a place at the right, as many as there is room for; the agent's stays longest."""
    every = ([(agent, True)] if agent else []) + [(chip, False) for chip in chips if chip]
    shown: list[tuple[str, bool]] = []
    room = right - left
    for chip in every:
        wide = min(pen.measure_chip(*chip), 260) + 8
        if wide <= room:
            shown.append(chip)
            room -= wide
    for words, dot in reversed(shown):
        right -= pen.draw_chip(right, middle, words, dot, max_width=260) + 8


def draw_logo(pen: Pen, position: tuple[float, float], cell: float, colour: str = ACCENT) -> None:
    """Draw the mark: a T that hangs, its left edge and middle at a place."""
    for x, y in _LOGO_CELLS:
        box = Box(
            round(position[0] + x * (cell + 1)), round(position[1] - cell + y * (cell + 1)), round(cell), round(cell)
        )
        pen.fill_rounded(box, cell / 4, colour)


def draw_key_legend(ui: Ui, footer: Box, entries: KeyLegend, align: float = 0.5, clickable: Sequence[str] = ()) -> str:
    """Draw keys and what they do in a row; where there is too little room, words hide first.

    Those whose words are among `buttons` can be clicked, and their key is heard; gives back the words of the one used.
    """
    pen, used = ui.pen, ""
    words = True
    if compute_key_legend_width(pen, entries, words) > footer.width:
        words = False
    left = footer.left + round(align * (footer.width - compute_key_legend_width(pen, entries, words)))
    for keys, meaning in entries:
        ink, wide = DIM_TEXT, compute_key_legend_width(pen, [(keys, meaning)], words)
        if meaning in clickable:
            touch = ui.add_control(meaning, Box(left - 4, footer.centery - 16, wide + 8, 32), radius=6, key=keys[0])
            ink, used = NORMAL_TEXT if touch.is_hovered else DIM_TEXT, meaning if touch.is_activated else used
        for key in keys:
            left += pen.draw_keycap((left, footer.centery), key) + 4
        left += 4
        if words:
            pen.draw_text(meaning, (left, footer.centery), 14, False, ink)
            left += pen.measure_text(meaning, 14)
        left += 24 if words else 8
    return used


def compute_key_legend_width(pen: Pen, entries: KeyLegend, with_text: bool) -> int:
    """How wide a legend is, with its words or without."""
    keys = sum(pen.measure_keycap(key) + 4 for keys, _ in entries for key in keys) + 4 * len(entries)
    meanings = sum(pen.measure_text(meaning, 14) for _, meaning in entries) if with_text else 0
    return keys + meanings + (24 if with_text else 8) * (len(entries) - 1)


def draw_overlay(
    ui: Ui,
    board: Box,
    headline: str,
    lines: Sequence[str],
    buttons: Sequence[tuple[str, str]],
    width: int = OVERLAY_WIDTH,
) -> str:
    """Cover a board with a panel in its middle; gives back the words of the button that was used, else nothing.

    Buttons are words and a key; the first one is the primary one and has the focus.
    """
    pen = ui.pen
    told = [part for line in lines for part in pen.wrap_text(line, width - 40, 15)]
    high = 64 + 22 * len(told) + (BUTTON_HEIGHT + 10) * len(buttons) + 14
    box = Box(0, 0, width, high)
    box.center = board.center
    box.clamp_ip(pen.area)
    pen.draw_overlay(board, 10, BACKGROUND, 0.7)
    pen.fill_rounded(box, 12, PANEL, BOARD_OUTLINE)
    pen.draw_text(headline, (box.centerx, box.top + 34), 18, True, STRONG_TEXT, align=0.5)
    for number, line in enumerate(told):
        pen.draw_text(line, (box.centerx, box.top + 64 + 22 * number), 15, False, NORMAL_TEXT, align=0.5)
    used = ""
    with ui.modal_layer():
        for number, (words, key) in enumerate(buttons):
            top = box.top + 62 + 22 * len(told) + (BUTTON_HEIGHT + 10) * number
            place = Box(box.left + 20, top, box.width - 40, BUTTON_HEIGHT)
            if draw_button(ui, f"overlay {words}", place, words, key=key, is_primary=number == 0, group="overlay"):
                used = words
    return used


class FooterButton(NamedTuple):
    """A button of a footer."""

    name: str
    label: str
    key: str = ""
    icon: str = ""
    is_primary: bool = False
    is_enabled: bool = True


def draw_footer_buttons(ui: Ui, footer: Box, buttons: Sequence[FooterButton]) -> tuple[str, int]:
    """Draw a footer's buttons from its left; gives back the name of the one that was used, and where they end."""
    used, left = "", footer.left
    for name, words, key, sign, primary, enabled in buttons:
        place = Box(
            left, footer.centery - BUTTON_HEIGHT // 2, compute_button_width(ui.pen, words, key, sign) + 8, BUTTON_HEIGHT
        )
        if draw_button(ui, name, place, words, key=key, icon=sign, is_primary=primary, is_enabled=enabled):
            used = name
        left = place.right + 12
    return used, left
