"""The frame of every screen: header, footer, logo, and overlays over a board."""

from collections.abc import Sequence
from contextlib import nullcontext
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
_MIN_WIDE_WIDTH = 1180
_MIN_MEDIUM_WIDTH = 960
OVERLAY_WIDTH = 264
_MIN_CHIP_WIDTH = 88  # of a chip that is cut
CHIP_GAP = 8
_NOTICE_HEIGHT = 28  # between the controls of the header and the content
_COMPACT_NOTICE_HEIGHT = 22
_MAX_SPACE_BELOW_BOARD = 30
_LOGO_CELLS = ((0, 0), (1, 0), (2, 0), (1, 1))

KeyLegend = Sequence[tuple[Sequence[str], str]]  # keys and the label of their action


class ScreenArea(NamedTuple):
    """The areas of a screen: the content between header and footer, and the footer; `gap` separates panels."""

    content: Box
    footer: Box
    layout_size: str
    gap: int

    @property
    def is_compact(self) -> bool:
        """Whether the layout is the compact one."""
        return self.layout_size == COMPACT_LAYOUT


def get_layout_size(pen: Pen) -> str:
    """Return the layout for the width of the window: wide, medium or compact."""
    if pen.width >= _MIN_WIDE_WIDTH:
        return WIDE_LAYOUT
    return MEDIUM_LAYOUT if pen.width >= _MIN_MEDIUM_WIDTH else COMPACT_LAYOUT


def compute_screen_area(pen: Pen) -> ScreenArea:
    """Return the content and footer areas of a screen."""
    layout_size = get_layout_size(pen)
    is_compact = layout_size == COMPACT_LAYOUT
    margin = 16 if is_compact else 24
    footer_height = 56 if is_compact else 60
    top = 62 if is_compact else 76
    bottom = pen.height - footer_height - (14 if is_compact else 16)
    content = Box(margin, top, pen.width - 2 * margin, bottom - top)
    footer = Box(margin, pen.height - footer_height, pen.width - 2 * margin, footer_height)
    return ScreenArea(content, footer, layout_size, 12 if is_compact else 16)


def compute_side_height(board: Box, content: Box) -> int:
    """Return the height of the columns next to a board: that of the board, or of the content if it is much higher."""
    return board.height if content.height - board.height < _MAX_SPACE_BELOW_BOARD else content.height


def draw_header_footer(
    ui: Ui, title: str, chips: Sequence[str] = (), agent: str = "", back_label: str = ""
) -> tuple[ScreenArea, bool]:
    """Draw the header and the footer line; return the areas of the screen and whether Esc or Menu was used.

    Chips are at the right; the agent's chip comes first and has a dot. If they do not fit, the longest are cut, with
    their full text in a tooltip, and then the last ones are left out. `back_label` replaces the label "Menu" or "Back"
    of the key Esc.
    """
    pen = ui.pen
    area = compute_screen_area(ui.pen)
    back_label = back_label or ("Menu" if ui.is_above_menu else "Back")
    header_height = 48 if area.is_compact else 56
    pen.draw_separator(0, header_height, pen.width, HEADER_SEPARATOR)
    pen.draw_separator(0, area.footer.top, pen.width, HEADER_SEPARATOR)
    left = area.content.left
    draw_logo(pen, (left, header_height // 2), 7)
    left += 34
    if not area.is_compact:
        pen.draw_text("Tetrion", (left, header_height // 2), 17, True, DIM_TEXT)
        left += pen.measure_text("Tetrion", 17, True) + 10
        pen.draw_text("/", (left, header_height // 2), 17, False, FAINT_TEXT)
        left += 15
    pen.draw_text(title, (left, header_height // 2), 17, True, STRONG_TEXT)
    left += pen.measure_text(title, 17, True) + 16
    width = pen.measure_keycap("Esc") + 8 + pen.measure_text(back_label, 14)
    back_box = Box(area.content.right - width, header_height // 2 - 14, width, 28)
    state = ui.add_control("back", back_box, radius=6, key="Esc")
    pen.draw_keycap((back_box.left, header_height // 2), "Esc")
    pen.draw_text(
        back_label,
        (back_box.right, header_height // 2),
        14,
        False,
        NORMAL_TEXT if state.is_hovered else DIM_TEXT,
        align=1,
    )
    draw_chips(ui, (left, back_box.left - 16), header_height // 2, chips, agent)
    ui.notice_area = compute_notice_area(area)
    return area, state.is_activated


def compute_notice_area(area: ScreenArea) -> Box:
    """Return the strip between the controls of the header and the content, which no control uses."""
    height = _COMPACT_NOTICE_HEIGHT if area.is_compact else _NOTICE_HEIGHT
    return Box(area.content.left, area.content.top - height - 2, area.content.width, height)


def draw_chips(ui: Ui, x_range: tuple[int, int], y: int, chips: Sequence[str], agent: str) -> None:
    """Draw chips between two x coordinates, right-aligned; a chip that is cut can be focused to read its full text."""
    pen = ui.pen
    candidates = ([(agent, True)] if agent else []) + [(chip, False) for chip in chips if chip]
    widths = fit_chip_widths([pen.measure_chip(*chip) for chip in candidates], x_range[1] - x_range[0])
    right = x_range[1] - sum(widths) - CHIP_GAP * max(0, len(widths) - 1)
    for (text, has_dot), max_width in zip(candidates, widths, strict=False):
        right += max_width
        width = pen.draw_chip(right, y, text, has_dot, max_width=max_width)
        if width < pen.measure_chip(text, has_dot):
            box = Box(right - width, y - 14, width, 28)
            state = ui.add_control(f"chip {text}", box, radius=14, group="chips")
            ui.add_tooltip(box, text, state.is_focused)
        right += CHIP_GAP


def fit_chip_widths(widths: Sequence[int], space: int) -> list[int]:
    """Return the widths of the chips that fit into `space` units: the longest are cut, then the last are left out."""
    for count in range(len(widths), 0, -1):
        space_left = space - CHIP_GAP * (count - 1)
        max_width = space_left
        for number, width in enumerate(sorted(widths[:count])):
            max_width = space_left // (count - number)  # if this one and the longer ones share the rest
            if width > max_width:
                break
            space_left -= width
        else:
            return list(widths[:count])
        if max_width >= _MIN_CHIP_WIDTH:
            return [min(width, max_width) for width in widths[:count]]
    return []


def draw_logo(pen: Pen, position: tuple[float, float], cell: float, colour: str = ACCENT) -> None:
    """Draw the logo, a T piece; `position` is its left edge and vertical centre."""
    for x, y in _LOGO_CELLS:
        box = Box(
            round(position[0] + x * (cell + 1)), round(position[1] - cell + y * (cell + 1)), round(cell), round(cell)
        )
        pen.fill_rounded(box, cell / 4, colour)


def draw_key_legend(ui: Ui, footer: Box, entries: KeyLegend, align: float = 0.5, clickable: Sequence[str] = ()) -> str:
    """Draw a row of keys and their actions, without the texts if they do not fit.

    Actions in `clickable` can be clicked or used by their key; return the one that was used, or "".
    """
    pen = ui.pen
    used = ""
    with_text = compute_key_legend_width(pen, entries, True) <= footer.width
    left = footer.left + round(align * (footer.width - compute_key_legend_width(pen, entries, with_text)))
    for keys, action in entries:
        colour = DIM_TEXT
        width = compute_key_legend_width(pen, [(keys, action)], with_text)
        if action in clickable:
            shortcut = keys[0] if keys else ""
            state = ui.add_control(action, Box(left - 4, footer.centery - 16, width + 8, 32), radius=6, key=shortcut)
            colour = NORMAL_TEXT if state.is_hovered else DIM_TEXT
            used = action if state.is_activated else used
        for key in keys:
            left += pen.draw_keycap((left, footer.centery), key) + 4
        left += 4
        if with_text:
            pen.draw_text(action, (left, footer.centery), 14, False, colour)
            left += pen.measure_text(action, 14)
        left += 24 if with_text else 8
    return used


def compute_key_legend_width(pen: Pen, entries: KeyLegend, with_text: bool) -> int:
    """Return the width of a key legend, with or without the texts of the actions."""
    keys = sum(pen.measure_keycap(key) + 4 for keys, _ in entries for key in keys) + 4 * len(entries)
    actions = sum(pen.measure_text(action, 14) for _, action in entries) if with_text else 0
    return keys + actions + (24 if with_text else 8) * (len(entries) - 1)


def draw_overlay(
    ui: Ui,
    board: Box,
    headline: str,
    lines: Sequence[str],
    buttons: Sequence[tuple[str, str]],
    *,
    width: int = OVERLAY_WIDTH,
    is_modal: bool = True,
) -> str:
    """Cover a board and draw a panel over its centre; return the label of the button that was used, or "".

    `buttons` are pairs of a label and a key; the first one is the primary button and has the focus. With `is_modal`,
    only they can be used; without it, the other controls of the screen too, and the screen sets the focus.
    """
    pen = ui.pen
    text_lines = [part for line in lines for part in wrap_evenly(pen, line, width - 40, 15)]
    buttons_top = 62 + (22 * len(text_lines) + 8 if text_lines else 0)
    height = buttons_top + (BUTTON_HEIGHT + 10) * len(buttons) + 16
    box = Box(0, 0, width, height)
    box.center = board.center
    box.clamp_ip(pen.area)
    pen.draw_overlay(board, 10, BACKGROUND, 0.7)
    pen.fill_rounded(box, 12, PANEL, BOARD_OUTLINE)
    pen.draw_text(headline, (box.centerx, box.top + 34), 18, True, STRONG_TEXT, align=0.5)
    for number, line in enumerate(text_lines):
        pen.draw_text(line, (box.centerx, box.top + 64 + 22 * number), 15, False, NORMAL_TEXT, align=0.5)
    used = ""
    with ui.modal_layer() if is_modal else nullcontext():
        for number, (label, key) in enumerate(buttons):
            top = box.top + buttons_top + (BUTTON_HEIGHT + 10) * number
            button_box = Box(box.left + 20, top, box.width - 40, BUTTON_HEIGHT)
            if draw_button(ui, f"overlay {label}", button_box, label, key=key, is_primary=number == 0, group="overlay"):
                used = label
    return used


def wrap_evenly(pen: Pen, text: str, width: int, size: float) -> list[str]:
    """Break a text into as few lines as possible, of about equal length, so that no word is left alone."""
    lines = pen.wrap_text(text, width, size)
    for narrower in range(round(pen.measure_text(text, size) / len(lines)), width, 8):
        even_lines = pen.wrap_text(text, narrower, size)
        if len(even_lines) == len(lines) and not any(line.endswith("…") for line in even_lines):
            return even_lines
    return lines


class FooterButton(NamedTuple):
    """A button of a footer; `name` identifies it."""

    name: str
    label: str
    key: str = ""
    icon: str = ""
    is_primary: bool = False
    is_enabled: bool = True


def draw_footer_buttons(ui: Ui, footer: Box, buttons: Sequence[FooterButton]) -> tuple[str, int]:
    """Draw buttons from the left of a footer; return the name of the one that was used, or "", and the next free x."""
    used = ""
    left = footer.left
    for button in buttons:
        width = compute_button_width(ui.pen, button.label, button.key, button.icon) + 8
        box = Box(left, footer.centery - BUTTON_HEIGHT // 2, width, BUTTON_HEIGHT)
        if draw_button(
            ui,
            button.name,
            box,
            button.label,
            key=button.key,
            icon=button.icon,
            is_primary=button.is_primary,
            is_enabled=button.is_enabled,
        ):
            used = button.name
        left = box.right + 12
    return used, left
