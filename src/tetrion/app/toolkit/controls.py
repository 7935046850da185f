"""Buttons, switches, choices and sliders: how each looks, and what it tells."""

from collections.abc import Sequence

import pygame

from tetrion.app.toolkit.ui import Touch, Ui
from tetrion.drawing.palette import (
    ACCENT,
    DIM,
    FAINT,
    GROUND,
    ON_ACCENT,
    OUTLINE,
    PANEL,
    RAISED,
    STRONG,
    TEXT,
    WHITE,
    mixed,
)
from tetrion.drawing.pen import ARROWS, Box, Pen

BUTTON, SEGMENT = 40, 36  # how high they are
TOGGLE = (40, 22)
RADIUS = 8
LIGHTER = 0.06
SIGN = 22  # the width of a sign in a button


def button_width(pen: Pen, words: str, key: str = "", sign: str = "") -> int:
    """How wide a button is that fits its words."""
    wide = pen.width_of(words, 16, True) + 28 if words else 24
    return wide + (SIGN if sign else 0) + (pen.keycap_width(key) + 14 if key else 0)


def button(
    ui: Ui,
    name: str,
    box: Box,
    words: str,
    *,
    key: str = "",
    sign: str = "",
    primary: bool = False,
    enabled: bool = True,
    group: str = "",
) -> bool:
    """Draw a button; tells whether it was just used. `key` is its shortcut and stands in it, as does `sign`."""
    touch = ui.control(name, box, radius=RADIUS, key=key, enabled=enabled, group=group)
    fill, ink, edge = (ACCENT, ON_ACCENT, ACCENT) if primary else (RAISED, STRONG, OUTLINE)
    if not enabled:
        fill, ink, edge = PANEL, FAINT, OUTLINE
    elif touch.hovered:
        fill = mixed(fill, WHITE, LIGHTER)
    shown = box.move(0, 1) if touch.pressed else box
    ui.pen.rounded(shown, RADIUS, fill, edge)
    wide = button_width(ui.pen, words, key, sign)
    left = shown.left + max(0, (shown.width - wide) // 2) + (14 if words else 12)
    if sign:
        draw_sign(ui.pen, sign, (left + 6, shown.centery), ink)
        left += SIGN
    if words in ARROWS:
        ui.pen.arrow(shown.center, ARROWS[words], ink)
    elif words:
        ui.pen.text(words, (left, shown.centery), 16, True, ink)
    if key:
        state = "on accent" if primary and enabled else "" if enabled else "coming"
        ui.pen.keycap(
            (shown.right - (shown.width - wide) // 2 - ui.pen.keycap_width(key) - 12, shown.centery), key, state
        )
    return touch.activated


def draw_sign(pen: Pen, sign: str, centre: tuple[float, float], colour: str) -> None:
    """Draw what a player of music would know: play, pause, step, back."""
    x, y = centre
    if sign == "play":
        pen.polygon([(x - 5, y - 6), (x - 5, y + 6), (x + 6, y)], colour)
    elif sign == "pause":
        for left in (x - 5, x + 1):
            pen.fill(Box(round(left), round(y) - 6, 4, 12), colour)
    else:
        side = 1 if sign == "step" else -1
        pen.polygon([(x - 6 * side, y - 6), (x - 6 * side, y + 6), (x + 4 * side, y)], colour)
        pen.fill(Box(round(x + (4 if side > 0 else -6)), round(y) - 6, 2, 12), colour)


def toggle(ui: Ui, name: str, box: Box, on: bool) -> bool:
    """Draw a switch in the middle of a box's right end; gives back whether it is on now."""
    switch = Box(box.right - TOGGLE[0], box.centery - TOGGLE[1] // 2, *TOGGLE)
    touch = ui.control(name, switch, radius=TOGGLE[1] / 2, arrows=True)
    if touch.activated or (touch.steps > 0 and not on) or (touch.steps < 0 and on):
        on = not on
    ui.pen.rounded(switch, TOGGLE[1] / 2, ACCENT if on else RAISED, None if on else OUTLINE)
    ui.pen.disc((switch.right - 11 if on else switch.left + 11, switch.centery), 8, GROUND if on else DIM)
    return on


def segments_width(pen: Pen, options: Sequence[str]) -> int:
    """How wide a choice between a few words is."""
    return sum(pen.width_of(option, 15, True) + 24 for option in options) + 8


def segments(ui: Ui, name: str, box: Box, options: Sequence[str], chosen: int) -> int:
    """Draw a choice between a few words that ends at a box's right; gives back which one is chosen now."""
    wide = segments_width(ui.pen, options)
    frame = Box(box.right - wide, box.centery - SEGMENT // 2, wide, SEGMENT)
    touch = ui.control(name, frame, radius=RADIUS, arrows=True)
    chosen = max(0, min(len(options) - 1, chosen + touch.steps))
    ui.pen.rounded(frame, RADIUS, GROUND, OUTLINE)
    left = frame.left + 4
    for number, option in enumerate(options):
        part = Box(left, frame.top + 3, ui.pen.width_of(option, 15, True) + 24, SEGMENT - 6)
        if touch.activated and part.collidepoint(ui.pointer):
            chosen = number
        left = part.right
    left = frame.left + 4
    for number, option in enumerate(options):
        part = Box(left, frame.top + 3, ui.pen.width_of(option, 15, True) + 24, SEGMENT - 6)
        if number == chosen:
            ui.pen.rounded(part, 6, RAISED, OUTLINE)
        colour = STRONG if number == chosen else DIM
        ui.pen.text(option, part.center, 15, number == chosen, colour, align=0.5)
        left = part.right
    return chosen


def slider(ui: Ui, name: str, box: Box, value: float, step: float = 0.05) -> float:
    """Draw a slider over the width of a box; gives back its value now, from 0 to 1."""
    area = Box(box.left, box.centery - 12, box.width, 24)
    touch = ui.control(name, area, radius=12, arrows=True)
    if touch.pressed or (touch.activated and touch.hovered):
        value = (ui.pointer[0] - box.left) / max(1, box.width)
    value = max(0.0, min(1.0, value + step * touch.steps))
    ui.pen.track(Box(box.left, box.centery - 2, box.width, 4), value)
    ui.pen.disc((box.left + round(value * box.width), box.centery), 8, WHITE)
    return value


def stepper(ui: Ui, name: str, box: Box, value: int, least: int, most: int) -> int:
    """Draw a whole number with a smaller and a larger one beside it; digits can be typed. Gives back what it is now."""
    touch = ui.control(name, box, radius=RADIUS, arrows=True)
    third = 36
    value += touch.steps
    if touch.activated and ui.pointer[0] < box.left + third and touch.hovered:
        value -= 1
    elif touch.activated and ui.pointer[0] > box.right - third and touch.hovered:
        value += 1
    if touch.focused:
        value = typed_number(ui, value)
    value = max(least, min(most, value))
    ui.pen.rounded(box, RADIUS, mixed(RAISED, WHITE, LIGHTER) if touch.hovered else RAISED, OUTLINE)
    for centre, sign, possible in ((box.left + 18, "−", value > least), (box.right - 18, "+", value < most)):
        ui.pen.text(sign, (centre, box.centery), 18, True, TEXT if possible else FAINT, align=0.5)
    ui.pen.text(f"{value}", box.center, 16, True, STRONG, align=0.5)
    return value


def typed_number(ui: Ui, value: int) -> int:
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


def row(ui: Ui, name: str, box: Box, *, selected: bool = False, group: str = "") -> Touch:
    """Draw the ground of a row that can be chosen: raised if it is selected or focused."""
    touch = ui.control(name, box, radius=RADIUS, group=group)
    if selected or touch.focused or touch.hovered:
        ui.pen.rounded(box, RADIUS, RAISED if selected or touch.focused else mixed(PANEL, RAISED, 0.5))
    return touch
