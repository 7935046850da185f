"""Buttons, switches, choices and sliders: how each looks, and what it tells."""

from collections.abc import Sequence

import pygame

from tetrion.app.toolkit.ui import ControlState, Ui
from tetrion.drawing.palette import (
    ACCENT,
    BACKGROUND,
    BOARD_OUTLINE,
    DIM_TEXT,
    FAINT_TEXT,
    NORMAL_TEXT,
    ON_ACCENT,
    PANEL,
    RAISED_PANEL,
    STRONG_TEXT,
    WHITE,
    mix_colours,
)
from tetrion.drawing.pen import ARROW_DIRECTIONS, Box, Pen

BUTTON_HEIGHT, SEGMENT_HEIGHT = 40, 36  # how high they are
_TOGGLE_SIZE = (40, 22)
CONTROL_RADIUS = 8
_HOVER_LIGHTENING = 0.06
_BUTTON_ICON_WIDTH = 22  # the width of a sign in a button


def compute_button_width(pen: Pen, label: str, key: str = "", icon: str = "") -> int:
    """How wide a button is that fits its words."""
    wide = pen.measure_text(label, 16, True) + 28 if label else 24
    return wide + (_BUTTON_ICON_WIDTH if icon else 0) + (pen.measure_keycap(key) + 14 if key else 0)


def draw_button(
    ui: Ui,
    name: str,
    box: Box,
    label: str,
    *,
    key: str = "",
    icon: str = "",
    is_primary: bool = False,
    is_enabled: bool = True,
    group: str = "",
) -> bool:
    """Draw a button; tells whether it was just used. `key` is its shortcut and stands in it, as does `sign`."""
    touch = ui.add_control(name, box, radius=CONTROL_RADIUS, key=key, is_enabled=is_enabled, group=group)
    fill, ink, edge = (ACCENT, ON_ACCENT, ACCENT) if is_primary else (RAISED_PANEL, STRONG_TEXT, BOARD_OUTLINE)
    if not is_enabled:
        fill = PANEL
        ink = FAINT_TEXT
        edge = BOARD_OUTLINE
    elif touch.is_hovered:
        fill = mix_colours(fill, WHITE, _HOVER_LIGHTENING)
    shown = box.move(0, 1) if touch.is_pressed else box
    ui.pen.fill_rounded(shown, CONTROL_RADIUS, fill, edge)
    wide = compute_button_width(ui.pen, label, key, icon)
    left = shown.left + max(0, (shown.width - wide) // 2) + (14 if label else 12)
    if icon:
        draw_icon(ui.pen, icon, (left + 6, shown.centery), ink)
        left += _BUTTON_ICON_WIDTH
    if label in ARROW_DIRECTIONS:
        ui.pen.draw_arrow(shown.center, ARROW_DIRECTIONS[label], ink)
    elif label:
        ui.pen.draw_text(label, (left, shown.centery), 16, True, ink)
    if key:
        state = "on accent" if is_primary and is_enabled else "" if is_enabled else "coming"
        ui.pen.draw_keycap(
            (shown.right - (shown.width - wide) // 2 - ui.pen.measure_keycap(key) - 12, shown.centery), key, state
        )
    return touch.is_activated


def draw_icon(pen: Pen, icon: str, centre: tuple[float, float], colour: str) -> None:
    """Draw what a player of music would know: play, pause, step, back."""
    x, y = centre
    if icon == "play":
        pen.fill_polygon([(x - 5, y - 6), (x - 5, y + 6), (x + 6, y)], colour)
    elif icon == "pause":
        for left in (x - 5, x + 1):
            pen.fill(Box(round(left), round(y) - 6, 4, 12), colour)
    else:
        side = 1 if icon == "step" else -1
        pen.fill_polygon([(x - 6 * side, y - 6), (x - 6 * side, y + 6), (x + 4 * side, y)], colour)
        pen.fill(Box(round(x + (4 if side > 0 else -6)), round(y) - 6, 2, 12), colour)


def draw_toggle(ui: Ui, name: str, box: Box, is_on: bool) -> bool:
    """Draw a switch in the middle of a box's right end; gives back whether it is on now."""
    switch = Box(box.right - _TOGGLE_SIZE[0], box.centery - _TOGGLE_SIZE[1] // 2, *_TOGGLE_SIZE)
    touch = ui.add_control(name, switch, radius=_TOGGLE_SIZE[1] / 2, uses_arrows=True)
    if touch.is_activated or (touch.arrow_steps > 0 and not is_on) or (touch.arrow_steps < 0 and is_on):
        is_on = not is_on
    ui.pen.fill_rounded(
        switch, _TOGGLE_SIZE[1] / 2, ACCENT if is_on else RAISED_PANEL, None if is_on else BOARD_OUTLINE
    )
    ui.pen.draw_disc(
        (switch.right - 11 if is_on else switch.left + 11, switch.centery), 8, BACKGROUND if is_on else DIM_TEXT
    )
    return is_on


def compute_segments_width(pen: Pen, options: Sequence[str]) -> int:
    """How wide a choice between a few words is."""
    return sum(pen.measure_text(option, 15, True) + 24 for option in options) + 8


def draw_segments(ui: Ui, name: str, box: Box, options: Sequence[str], selected: int) -> int:
    """Draw a choice between a few words that ends at a box's right; gives back which one is chosen now."""
    wide = compute_segments_width(ui.pen, options)
    frame = Box(box.right - wide, box.centery - SEGMENT_HEIGHT // 2, wide, SEGMENT_HEIGHT)
    touch = ui.add_control(name, frame, radius=CONTROL_RADIUS, uses_arrows=True)
    selected = max(0, min(len(options) - 1, selected + touch.arrow_steps))
    ui.pen.fill_rounded(frame, CONTROL_RADIUS, BACKGROUND, BOARD_OUTLINE)
    left = frame.left + 4
    for number, option in enumerate(options):
        part = Box(left, frame.top + 3, ui.pen.measure_text(option, 15, True) + 24, SEGMENT_HEIGHT - 6)
        if touch.is_activated and part.collidepoint(ui.pointer):
            selected = number
        left = part.right
    left = frame.left + 4
    for number, option in enumerate(options):
        part = Box(left, frame.top + 3, ui.pen.measure_text(option, 15, True) + 24, SEGMENT_HEIGHT - 6)
        if number == selected:
            ui.pen.fill_rounded(part, 6, RAISED_PANEL, BOARD_OUTLINE)
        colour = STRONG_TEXT if number == selected else DIM_TEXT
        ui.pen.draw_text(option, part.center, 15, number == selected, colour, align=0.5)
        left = part.right
    return selected


def draw_slider(ui: Ui, name: str, box: Box, value: float, step: float = 0.05) -> float:
    """Draw a slider over the width of a box; gives back its value now, from 0 to 1."""
    area = Box(box.left, box.centery - 12, box.width, 24)
    touch = ui.add_control(name, area, radius=12, uses_arrows=True)
    if touch.is_pressed or (touch.is_activated and touch.is_hovered):
        value = (ui.pointer[0] - box.left) / max(1, box.width)
    value = max(0.0, min(1.0, value + step * touch.arrow_steps))
    ui.pen.draw_bar(Box(box.left, box.centery - 2, box.width, 4), value)
    ui.pen.draw_disc((box.left + round(value * box.width), box.centery), 8, WHITE)
    return value


def draw_stepper(ui: Ui, name: str, box: Box, value: int, min_value: int, max_value: int) -> int:
    """Draw a whole number with a smaller and a larger one beside it; digits can be typed. Gives back what it is now."""
    touch = ui.add_control(name, box, radius=CONTROL_RADIUS, uses_arrows=True)
    third = 36
    value += touch.arrow_steps
    if touch.is_activated and ui.pointer[0] < box.left + third and touch.is_hovered:
        value -= 1
    elif touch.is_activated and ui.pointer[0] > box.right - third and touch.is_hovered:
        value += 1
    if touch.is_focused:
        value = apply_typed_digits(ui, value)
    value = max(min_value, min(max_value, value))
    ui.pen.fill_rounded(
        box,
        CONTROL_RADIUS,
        mix_colours(RAISED_PANEL, WHITE, _HOVER_LIGHTENING) if touch.is_hovered else RAISED_PANEL,
        BOARD_OUTLINE,
    )
    for centre, sign, possible in ((box.left + 18, "−", value > min_value), (box.right - 18, "+", value < max_value)):
        ui.pen.draw_text(sign, (centre, box.centery), 18, True, NORMAL_TEXT if possible else FAINT_TEXT, align=0.5)
    ui.pen.draw_text(f"{value}", box.center, 16, True, STRONG_TEXT, align=0.5)
    return value


def apply_typed_digits(ui: Ui, value: int) -> int:
    """A number with the digits that were just typed behind it, and without those that were taken back."""
    for event in list(ui.keys):
        sign = getattr(event, "unicode", "")
        if sign.isascii() and sign.isdigit():
            value = value * 10 + int(sign)
        elif event.key == pygame.K_BACKSPACE:
            value //= 10
        else:
            continue
        ui.keys.remove(event)
    return value


def draw_selectable_row(ui: Ui, name: str, box: Box, *, is_selected: bool = False, group: str = "") -> ControlState:
    """Draw the ground of a row that can be chosen: raised if it is selected or focused."""
    touch = ui.add_control(name, box, radius=CONTROL_RADIUS, group=group)
    if is_selected or touch.is_focused or touch.is_hovered:
        ui.pen.fill_rounded(
            box,
            CONTROL_RADIUS,
            RAISED_PANEL if is_selected or touch.is_focused else mix_colours(PANEL, RAISED_PANEL, 0.5),
        )
    return touch
