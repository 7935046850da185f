"""Buttons, toggles, segmented choices, steppers, sliders, shortened texts, and the scrolling of lists."""

from collections.abc import Callable, Sequence
from math import inf, isinf
from typing import NamedTuple

import pygame

from tetrion.app.toolkit.ui import ControlState, Ui
from tetrion.drawing.layout import Box, inset, place, split_row
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
from tetrion.drawing.pen import ARROW_DIRECTIONS, Pen

BUTTON_HEIGHT = 40
BUTTON_GAP = 12
SEGMENT_HEIGHT = 36
CONTROL_RADIUS = 8
_HOVER_LIGHTENING = 0.06
_BUTTON_ICON_WIDTH = 22
_STEPPER_BUTTON_WIDTH = 36
# Moves per second.
AGENT_SPEEDS = (0.5, 1, 2, 3, 4, 6, 8, 12, 16, 24, 30, 60, 125, 250, 500, 1000, 2000, 4000, 8000, inf)
_SPEED_GAP = 16
_ROWS_PER_WHEEL_STEP = 3
_WHOLE_LIST = 10**9  # more rows than any list has


def draw_shortened_text(
    ui: Ui,
    text: str,
    position: tuple[float, float],
    width: float,
    *,
    size: float = 16,
    semibold: bool = False,
    colour: str = NORMAL_TEXT,
    align: float = 0,
    is_focused: bool = False,
) -> None:
    """Draw a text of at most `width` units; a tooltip shows the full text if it is cut.

    The tooltip appears on hover, and with `is_focused` if the text belongs to the focused control.
    """
    shown = ui.pen.truncate_text(text, width, size, semibold)
    ui.pen.draw_text(shown, position, size, semibold, colour, align=align)
    if shown != text:
        shown_width = ui.pen.measure_text(shown, size, semibold)
        height = round(1.4 * size)
        left = round(position[0] - align * shown_width)
        ui.add_tooltip(Box(left, round(position[1]) - height // 2, shown_width, height), text, is_focused)


def compute_button_width(pen: Pen, label: str, key: str = "", icon: str = "") -> int:
    """Return the width of a button that fits its content."""
    width = pen.measure_text(label, 16, True) + 28 if label else 24
    return width + (_BUTTON_ICON_WIDTH if icon else 0) + (pen.measure_keycap(key) + 14 if key else 0)


class ButtonSpec(NamedTuple):
    """A button: `key` is its shortcut, drawn as a keycap, `name` identifies it, and `width` is its smallest width."""

    name: str
    label: str
    key: str = ""
    icon: str = ""
    is_primary: bool = False
    is_enabled: bool = True
    width: int = 0


def draw_button(ui: Ui, box: Box, button: ButtonSpec, group: str = "") -> bool:
    """Draw a button and return whether it was just used."""
    name, label, key, icon, is_primary, is_enabled, _ = button
    state = ui.add_control(name, box, radius=CONTROL_RADIUS, key=key, is_enabled=is_enabled, group=group)
    fill = ACCENT if is_primary else RAISED_PANEL
    text_colour = ON_ACCENT if is_primary else STRONG_TEXT
    outline = ACCENT if is_primary else BOARD_OUTLINE
    if not is_enabled:
        fill = PANEL
        text_colour = FAINT_TEXT
        outline = BOARD_OUTLINE
    elif state.is_hovered:
        fill = mix_colours(fill, WHITE, _HOVER_LIGHTENING)
    drawn_box = box.move(0, 1) if state.is_pressed else box
    ui.pen.fill_rounded(drawn_box, CONTROL_RADIUS, fill, outline)
    width = compute_button_width(ui.pen, label, key, icon)
    left = drawn_box.left + max(0, (drawn_box.width - width) // 2) + (14 if label else 12)
    if icon:
        draw_icon(ui.pen, icon, (left + 6, drawn_box.centery), text_colour)
        left += _BUTTON_ICON_WIDTH
    if label in ARROW_DIRECTIONS:
        ui.pen.draw_arrow(drawn_box.center, ARROW_DIRECTIONS[label], text_colour)
    elif label:
        ui.pen.draw_text(label, (left, drawn_box.centery), 16, True, text_colour)
    if key:
        keycap_state = "on accent" if is_primary and is_enabled else "" if is_enabled else "dim"
        keycap_left = drawn_box.right - (drawn_box.width - width) // 2 - ui.pen.measure_keycap(key) - 12
        ui.pen.draw_keycap((keycap_left, drawn_box.centery), key, keycap_state)
    return state.is_activated


def draw_buttons(ui: Ui, box: Box, buttons: Sequence[ButtonSpec], align: float = 0) -> tuple[str, Box]:
    """Draw buttons side by side in the middle of a box; return the name of the one that was used, or "", and the rest.

    `align` is 0 for buttons at the left, with the rest of the box at their right, and 1 for the opposite.
    """
    widths = [
        max(button.width, compute_button_width(ui.pen, button.label, button.key, button.icon) + 8) for button in buttons
    ]
    used = ""
    for button, part in zip(buttons, split_row(box, widths, BUTTON_GAP, align), strict=True):
        if draw_button(ui, place(part, part.width, BUTTON_HEIGHT), button):
            used = button.name
    space = sum(widths) + BUTTON_GAP * len(widths)
    return used, Box(box.left + (space if align == 0 else 0), box.top, max(0, box.width - space), box.height)


def draw_icon(pen: Pen, icon: str, centre: tuple[float, float], colour: str) -> None:
    """Draw the icon "play", "pause", "step" (forwards) or "back" of a media player."""
    x, y = centre
    if icon == "play":
        pen.fill_polygon([(x - 5, y - 6), (x - 5, y + 6), (x + 6, y)], colour)
    elif icon == "pause":
        for left in (x - 5, x + 1):
            pen.fill(Box(round(left), round(y) - 6, 4, 12), colour)
    else:
        direction = 1 if icon == "step" else -1
        pen.fill_polygon([(x - 6 * direction, y - 6), (x - 6 * direction, y + 6), (x + 4 * direction, y)], colour)
        pen.fill(Box(round(x + (4 if direction > 0 else -6)), round(y) - 6, 2, 12), colour)


def draw_toggle(ui: Ui, name: str, box: Box, is_on: bool) -> bool:
    """Draw a toggle at the right end of a box and return its new state."""
    toggle = place(box, 40, 22, x=1)
    state = ui.add_control(name, toggle, radius=11, uses_arrows=True)
    if state.is_activated or (state.arrow_steps > 0) > is_on or (state.arrow_steps < 0 and is_on):
        is_on = not is_on
    ui.pen.fill_rounded(toggle, 11, ACCENT if is_on else RAISED_PANEL, None if is_on else BOARD_OUTLINE)
    x = toggle.right - 11 if is_on else toggle.left + 11
    ui.pen.draw_disc((x, toggle.centery), 8, BACKGROUND if is_on else DIM_TEXT)
    return is_on


def compute_segments_width(pen: Pen, options: Sequence[str]) -> int:
    """Return the width of a segmented choice."""
    return sum(pen.measure_text(option, 15, True) + 24 for option in options) + 8


def draw_segments(ui: Ui, name: str, box: Box, options: Sequence[str], selected: int) -> int:
    """Draw a segmented choice at the right end of a box and return the index of the selected option."""
    frame = place(box, compute_segments_width(ui.pen, options), SEGMENT_HEIGHT, x=1)
    state = ui.add_control(name, frame, radius=CONTROL_RADIUS, uses_arrows=True)
    ui.pen.fill_rounded(frame, CONTROL_RADIUS, BACKGROUND, BOARD_OUTLINE)
    segments = split_row(inset(frame, 4, 3), [ui.pen.measure_text(option, 15, True) + 24 for option in options])
    selected = max(0, min(len(options) - 1, selected + state.arrow_steps))
    if state.is_activated and (hit := Box(ui.pointer, (1, 1)).collidelist(segments)) >= 0:
        selected = hit
    for index, (option, segment) in enumerate(zip(options, segments, strict=True)):
        if index == selected:
            ui.pen.fill_rounded(segment, 6, RAISED_PANEL, BOARD_OUTLINE)
        colour = STRONG_TEXT if index == selected else DIM_TEXT
        ui.pen.draw_text(option, segment.center, 15, index == selected, colour, align=0.5)
    return selected


def draw_slider(ui: Ui, name: str, box: Box, value: float, step: float = 0.05) -> float:
    """Draw a slider over the width of a box and return its new value, from 0 to 1."""
    area = Box(box.left, box.centery - 12, box.width, 24)
    state = ui.add_control(name, area, radius=12, uses_arrows=True)
    if state.is_pressed or (state.is_activated and state.is_hovered):
        value = (ui.pointer[0] - box.left) / max(1, box.width)
    value = max(0.0, min(1.0, value + step * state.arrow_steps))
    ui.pen.draw_bar(Box(box.left, box.centery - 2, box.width, 4), value)
    ui.pen.draw_disc((box.left + round(value * box.width), box.centery), 8, WHITE)
    return value


def draw_stepper(
    ui: Ui,
    name: str,
    box: Box,
    value: int,
    *,
    min_value: int = 0,
    max_value: int,
    step: int = 1,
    unit: str = "",
    zero_text: str = "",
) -> int:
    """Draw an integer field with minus and plus buttons and return its new value; digits can be typed.

    The buttons and the arrow keys change the value by `step`; `unit` follows the number, and `zero_text` is shown
    instead of 0. The first digit that is typed after the field got the focus replaces the number, the others follow it.
    """
    state = ui.add_control(name, box, radius=CONTROL_RADIUS, uses_arrows=True)
    value += step * state.arrow_steps
    if state.is_activated and ui.pointer[0] < box.left + _STEPPER_BUTTON_WIDTH and state.is_hovered:
        value -= step
    elif state.is_activated and ui.pointer[0] > box.right - _STEPPER_BUTTON_WIDTH and state.is_hovered:
        value += step
    if state.is_focused:
        value = apply_typed_digits(ui, name, value)
    value = max(min_value, min(max_value, value))
    fill = mix_colours(RAISED_PANEL, WHITE, _HOVER_LIGHTENING) if state.is_hovered else RAISED_PANEL
    ui.pen.fill_rounded(box, CONTROL_RADIUS, fill, BOARD_OUTLINE)
    for x, symbol, can_change in ((box.left + 18, "−", value > min_value), (box.right - 18, "+", value < max_value)):
        ui.pen.draw_text(symbol, (x, box.centery), 18, True, NORMAL_TEXT if can_change else FAINT_TEXT, align=0.5)
    text = zero_text if zero_text and not value else f"{value}{unit}"
    ui.pen.draw_text(text, box.center, 16, True, STRONG_TEXT, align=0.5)
    return value


def apply_typed_digits(ui: Ui, name: str, value: int) -> int:
    """Return the number of a field after the digits and backspaces that were just typed."""
    for event in list(ui.keys):
        character = getattr(event, "unicode", "")
        if character.isascii() and character.isdigit():
            value = int(character) + (value * 10 if ui.edited_number == name else 0)
        elif event.key == pygame.K_BACKSPACE:
            value //= 10
        else:
            continue
        ui.edited_number = name
        ui.keys.remove(event)
    return value


def draw_selectable_row(ui: Ui, name: str, box: Box, *, is_selected: bool = False, group: str = "") -> ControlState:
    """Draw the background of a selectable row, raised if it is selected or focused, and return its state."""
    state = ui.add_control(name, box, radius=CONTROL_RADIUS, group=group, is_selected=is_selected)
    if is_selected or state.is_focused or state.is_hovered:
        is_raised = is_selected or state.is_focused
        ui.pen.fill_rounded(box, CONTROL_RADIUS, RAISED_PANEL if is_raised else mix_colours(PANEL, RAISED_PANEL, 0.5))
    return state


def format_speed(speed: float, short: bool = False) -> str:
    """Return the text for a speed in moves per second."""
    if isinf(speed):
        return "Fastest" if short else "As fast as possible"
    if speed < 1:
        return f"1 in {1 / speed:.3g} s" if short else f"1 move in {1 / speed:.3g} s"
    if short:
        return f"{speed:,g} per second"
    return f"{speed:,g} move{'s'[: speed != 1]} per second"


def find_speed_index(speed: float, speeds: Sequence[float] = AGENT_SPEEDS) -> int:
    """Return the index of the fastest of some speeds that does not exceed a speed."""
    return max((index for index, option in enumerate(speeds) if option <= speed), default=0)


def change_speed(speed: float, steps: int, speeds: Sequence[float] = AGENT_SPEEDS) -> float:
    """Return the speed that is a number of steps faster, or slower if `steps` is negative."""
    index = find_speed_index(speed, speeds)
    if steps < 0 and speeds[index] < speed:
        index += 1  # the first step down from a speed between two others leads to the lower one
    return speeds[max(0, min(len(speeds) - 1, index + steps))]


def draw_speed_slider(
    ui: Ui,
    box: Box,
    speed: float,
    *,
    short: bool = False,
    max_speed: float = inf,
    with_label: bool = True,
    all_speeds: Sequence[float] = AGENT_SPEEDS,
    format_text: Callable[[float, bool], str] = format_speed,
) -> float:
    """Draw a slider with its label and its value as text; return the speed, at most `max_speed`.

    A speed that is not one of `all_speeds` remains until the slider is moved.
    """
    speed = min(speed, max_speed)
    pen = ui.pen
    speeds = [option for option in all_speeds if option <= max_speed]
    text_width = max(pen.measure_text(format_text(option, short)) for option in speeds)
    label_width = pen.measure_text("Speed") + _SPEED_GAP if with_label else 10
    track_width = min(200, box.width - label_width - text_width - _SPEED_GAP)
    track = Box(box.left + label_width, box.top, track_width, box.height)
    if track.width < 40:  # only the text fits
        pen.draw_text(format_text(speed, short), (box.left, box.centery), 16, False, NORMAL_TEXT)
        return speed
    if with_label:
        pen.draw_text("Speed", (box.left, box.centery), 16, False, DIM_TEXT)
    last = len(speeds) - 1
    index = min(last, find_speed_index(speed, speeds))
    share = draw_slider(ui, "speed", track, index / last, 1 / last)
    pen.draw_text(format_text(speed, short), (track.right + _SPEED_GAP, box.centery), 16, False, NORMAL_TEXT)
    chosen = round(share * last)
    return speed if chosen == index else speeds[chosen]


# Scrolling.


def read_row_steps(ui: Ui, visible_rows: int) -> list[int]:
    """Return by how many rows each pressed list key moves the selection; PgUp and PgDn move by the visible rows."""
    steps = {
        pygame.K_UP: -1,
        pygame.K_DOWN: 1,
        pygame.K_PAGEUP: -visible_rows,
        pygame.K_PAGEDOWN: visible_rows,
        pygame.K_HOME: -_WHOLE_LIST,
        pygame.K_END: _WHOLE_LIST,
    }
    return [steps[event.key] for event in ui.keys if event.key in steps]


def scroll_to_row(first_row: int, visible_rows: int, row: int) -> int:
    """Return the first visible row after scrolling as little as possible to show a row."""
    return max(row - visible_rows + 1, min(first_row, row))


def scroll_by_wheel(ui: Ui, first_row: int, visible_rows: int, row_count: int) -> int:
    """Return the first visible row after the turns of the mouse wheel in this frame."""
    return max(0, min(row_count - visible_rows, first_row - _ROWS_PER_WHEEL_STEP * ui.wheel))


def draw_scroll_bar(pen: Pen, box: Box, first_row: int, visible_rows: int, row_count: int) -> None:
    """Draw which part of a list is visible, unless all of it is."""
    if row_count <= visible_rows:
        return
    pen.fill_rounded(box, 2, RAISED_PANEL)
    height = min(box.height, max(24, box.height * visible_rows // row_count))
    top = box.top + round((box.height - height) * first_row / (row_count - visible_rows))
    pen.fill_rounded(Box(box.left, top, box.width, height), 2, BOARD_OUTLINE)
