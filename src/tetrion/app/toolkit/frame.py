"""The frame of every screen: header with chips, footer with keys and buttons, and overlays over a board."""

from collections.abc import Sequence
from contextlib import nullcontext
from typing import NamedTuple

from tetrion.app.toolkit.controls import BUTTON_HEIGHT, ButtonSpec, draw_button
from tetrion.app.toolkit.ui import Ui
from tetrion.drawing.layout import Box, flexible, inset, place, split_column, split_row
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
    WHITE,
    mix_colours,
)
from tetrion.drawing.pen import Pen

MIN_WIDE_WIDTH = 1100  # units; narrower windows have the compact arrangement
OVERLAY_WIDTH = 264
_MIN_CHIP_WIDTH = 88  # of a chip that is cut
_CHIP_GAP = 8
_LEGEND_GAPS = (24, 16, 10)  # between entries; the first one that fits
_LOGO_CELLS = ((0, 0), (1, 0), (2, 0), (1, 1))

KeyLegend = Sequence[tuple[Sequence[str], str]]  # keys and the label of their action


class Chip(NamedTuple):
    """A short text in the header; a chip with a `name` can be used like a button."""

    text: str
    has_dot: bool = False
    name: str = ""


class Frame(NamedTuple):
    """The areas of a screen and the input of its header; `gap` separates panels."""

    content: Box
    footer: Box
    is_wide: bool
    gap: int
    is_closed: bool = False  # whether Esc or its label was used
    used_chip: str = ""  # the name of the chip that was used


def draw_frame(ui: Ui, title: str, chips: Sequence[Chip] = (), back_label: str = "") -> Frame:
    """Draw the header and the line above the footer; return the areas of the screen and the input of the header.

    `back_label` replaces the label "Menu" or "Back" of the key Esc.
    """
    pen = ui.pen
    is_wide = pen.width >= MIN_WIDE_WIDTH
    gap, margin = (16, 24) if is_wide else (12, 16)
    header_height, footer_height = (56, 60) if is_wide else (48, 56)
    header, _, content, _, footer = split_column(
        inset(pen.area, margin, 0), [header_height, gap + 4, flexible(), gap, footer_height]
    )
    pen.draw_separator(0, header.bottom, pen.width, HEADER_SEPARATOR)
    pen.draw_separator(0, footer.top, pen.width, HEADER_SEPARATOR)
    back_label = back_label or ("Menu" if ui.is_above_menu else "Back")
    app_width = pen.measure_text("Tetrion /", 17, True) + 12 if is_wide else 0
    logo, app, name, chip_area, back = split_row(
        header,
        [
            34,
            app_width,
            pen.measure_text(title, 17, True) + 16,
            flexible(),
            16 + pen.measure_keycap("Esc") + 8 + pen.measure_text(back_label, 14),
        ],
    )
    draw_logo(pen, logo.midleft, 7)
    if app:
        pen.draw_text("Tetrion", app.midleft, 17, True, DIM_TEXT)
        pen.draw_text("/", (app.right - 16, app.centery), 17, False, FAINT_TEXT)
    pen.draw_text(title, name.midleft, 17, True, STRONG_TEXT)
    back = place(back, back.width - 16, 28, 1)
    state = ui.add_control("back", back, radius=6, key="Esc")
    pen.draw_keycap(back.midleft, "Esc")
    pen.draw_text(back_label, back.midright, 14, False, NORMAL_TEXT if state.is_hovered else DIM_TEXT, align=1)
    used_chip = draw_chips(ui, chip_area, chips)
    notice_height = 28 if is_wide else 22
    ui.notice_area = Box(content.left, content.top - notice_height - 2, content.width, notice_height)
    return Frame(content, footer, is_wide, gap, state.is_activated, used_chip)


def draw_chips(ui: Ui, area: Box, chips: Sequence[Chip]) -> str:
    """Draw chips at the right of an area; return the name of the one that was used, or "".

    If they do not fit, the longest are cut, with their full text in a tooltip, and then the last ones are left out. A
    chip that is cut can be focused to read its full text.
    """
    pen = ui.pen
    shown = [chip for chip in chips if chip.text]
    widths = fit_chip_widths([pen.measure_chip(chip.text, chip.has_dot) for chip in shown], area.width)
    used = ""
    for chip, box in zip(shown, split_row(area, widths, _CHIP_GAP, align=1), strict=False):
        box = place(box, box.width, 28)
        pen.draw_chip(box.right, box.centery, chip.text, chip.has_dot, max_width=box.width)
        is_cut = box.width < pen.measure_chip(chip.text, chip.has_dot)
        if chip.name or is_cut:
            name = f"{chip.name} chip" if chip.name else f"chip {chip.text}"
            state = ui.add_control(name, box, radius=14, group="chips")
            if is_cut:
                ui.add_tooltip(box, chip.text, state.is_focused)
            if chip.name and state.is_hovered:
                pen.draw_outline(box, 14, mix_colours(BOARD_OUTLINE, WHITE, 0.3), 1)
            used = chip.name if state.is_activated else used
    return used


def fit_chip_widths(widths: Sequence[int], space: int) -> list[int]:
    """Return the widths of the chips that fit into `space` units: the longest are cut, then the last are left out."""
    for count in range(len(widths), 0, -1):
        space_left = space - _CHIP_GAP * (count - 1)
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


def draw_logo(pen: Pen, position: tuple[float, float], cell: float) -> None:
    """Draw the logo, a T piece; `position` is its left edge and vertical centre."""
    for x, y in _LOGO_CELLS:
        box = Box(round(position[0] + x * (cell + 1)), round(position[1] - cell + y * (cell + 1)), cell, cell)
        pen.fill_rounded(box, cell / 4, ACCENT)


def draw_key_legend(ui: Ui, box: Box, entries: KeyLegend, align: float = 0.5, clickable: Sequence[str] = ()) -> str:
    """Draw keys and their actions in a row, or in two rows if they do not fit into one.

    Actions in `clickable` can be clicked or used by their key; return the one that was used, or "".
    """
    used = ""
    rows: list[KeyLegend] = [entries]
    gap = _LEGEND_GAPS[0]
    if measure_key_legend(ui.pen, entries, gap) > box.width:
        rows, gap = fit_two_rows(ui.pen, entries, box.width)
    for row, row_box in zip(rows, split_column(box, [26] * len(rows), align=0.5), strict=True):
        widths = [measure_entry(ui.pen, entry) for entry in row]
        for (keys, action), entry_box in zip(row, split_row(row_box, widths, gap, align), strict=True):
            colour = DIM_TEXT
            if action in clickable:
                state = ui.add_control(action, inset(entry_box, -4, 0), radius=6, key=keys[0] if keys else "")
                colour = NORMAL_TEXT if state.is_hovered else DIM_TEXT
                used = action if state.is_activated else used
            left = entry_box.left
            for key in keys:
                left += ui.pen.draw_keycap((left, entry_box.centery), key) + 4
            ui.pen.draw_text(action, (left + 4, entry_box.centery), 14, False, colour)
    return used


def measure_key_legend(pen: Pen, entries: KeyLegend, gap: int = _LEGEND_GAPS[0]) -> int:
    """Return the width of a key legend in one row."""
    return sum(measure_entry(pen, entry) for entry in entries) + gap * (len(entries) - 1)


def measure_entry(pen: Pen, entry: tuple[Sequence[str], str]) -> int:
    """Return the width of the keys and the action of an entry."""
    keys, action = entry
    return sum(pen.measure_keycap(key) + 4 for key in keys) + 4 + pen.measure_text(action, 14)


def fit_two_rows(pen: Pen, entries: KeyLegend, width: int) -> tuple[list[KeyLegend], int]:
    """Divide a key legend into two rows of about equal width; return them and the gap with which they fit."""
    splits = [(entries[:count], entries[count:]) for count in range(1, len(entries))]
    rows = min(splits, key=lambda rows: max(measure_key_legend(pen, row) for row in rows))
    fits = (gap for gap in _LEGEND_GAPS if max(measure_key_legend(pen, row, gap) for row in rows) <= width)
    return list(rows), next(fits, _LEGEND_GAPS[-1])


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
    texts_height = 22 * len(text_lines) + (8 if text_lines else 0)
    sizes = [50, texts_height, *[BUTTON_HEIGHT + 10] * len(buttons)]
    box = place(board, width, sum(sizes) + 28)
    box.clamp_ip(pen.area)
    pen.draw_overlay(board, 10, BACKGROUND, 0.7)
    pen.fill_rounded(box, 12, PANEL, BOARD_OUTLINE)
    title, texts, *button_boxes = split_column(inset(box, 20, 12), sizes)
    pen.draw_text(headline, (title.centerx, title.top + 22), 18, True, STRONG_TEXT, align=0.5)
    for number, line in enumerate(text_lines):
        pen.draw_text(line, (texts.centerx, texts.top + 2 + 22 * number), 15, False, NORMAL_TEXT, align=0.5)
    used = ""
    with ui.modal_layer() if is_modal else nullcontext():
        for number, ((label, key), row) in enumerate(zip(buttons, button_boxes, strict=True)):
            button = Box(row.left, row.top, row.width, BUTTON_HEIGHT)
            spec = ButtonSpec(f"overlay {label}", label, key, is_primary=number == 0)
            used = label if draw_button(ui, button, spec, "overlay") else used
    return used


def wrap_evenly(pen: Pen, text: str, width: int, size: float) -> list[str]:
    """Break a text into as few lines as possible, of about equal length, so that no word is left alone."""
    lines = pen.wrap_text(text, width, size)
    for narrower in range(round(pen.measure_text(text, size) / len(lines)), width, 8):
        even_lines = pen.wrap_text(text, narrower, size)
        if len(even_lines) == len(lines) and not any(line.endswith("…") for line in even_lines):
            return even_lines
    return lines
