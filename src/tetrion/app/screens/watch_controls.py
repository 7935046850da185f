"""Header and footer of the watch screen: chips, the state of autoplay, buttons, speed and keys."""

from collections.abc import Sequence
from typing import NamedTuple

from tetrion.app.toolkit.controls import BUTTON_HEIGHT, compute_button_width, draw_button
from tetrion.app.toolkit.header_footer import (
    CHIP_GAP,
    ScreenArea,
    compute_key_legend_width,
    draw_key_legend,
    fit_chip_widths,
)
from tetrion.app.toolkit.speed_slider import draw_speed_slider
from tetrion.app.toolkit.ui import Ui
from tetrion.drawing.palette import ACCENT, BOARD_OUTLINE, DIM_TEXT, FAINT_TEXT, NORMAL_TEXT, WHITE, mix_colours
from tetrion.drawing.pen import Box, Pen

_AUTOPLAY_STATES = ("Autoplay off", "Autoplay on")
_CHIP_IMPORTANCE = ("agent", "seed", "rules")  # where there is little space, the last ones are left out
_MIN_SLIDER_SPACE = 56 + 120 + 170
_WATCH_KEYS = ((("T",), "Thinking"), (("A",), "Agent"), (("Q",), "Quit"))


class WatchChip(NamedTuple):
    """A label in the header; `name` is the field of the setup that it opens."""

    name: str
    text: str

    @property
    def has_dot(self) -> bool:
        """Whether the chip has a dot, as that of the agent."""
        return self.name == "agent"


def draw_watch_header(
    ui: Ui, screen_area: ScreenArea, title: str, chips: Sequence[WatchChip], *, autoplay: bool
) -> str:
    """Draw the state of autoplay and the chips at the right of the header; return the name of the chip that was used.

    If the space is too small, the longest chips are cut, with their full text in a tooltip, or left out, rules first.
    """
    pen = ui.pen
    middle = 24 if screen_area.is_compact else 28
    right = screen_area.content.right - pen.measure_keycap("Esc") - 8 - pen.measure_text("Menu", 14) - 16
    left = screen_area.content.left + 34 + 16
    left += pen.measure_text(title if screen_area.is_compact else f"Tetrion / {title}", 17, True) + 16
    state_width = max(pen.measure_text(state, 14) for state in _AUTOPLAY_STATES) + 16 + 16
    shown = fit_chips(pen, chips, right - left - state_width)
    used = ""
    for chip, width in reversed(shown):
        used = chip.name if draw_watch_chip(ui, chip, width, right, middle) else used
        right -= width + CHIP_GAP
    draw_autoplay_state(pen, right - 8, middle, autoplay)
    return used


def fit_chips(pen: Pen, chips: Sequence[WatchChip], space: int) -> list[tuple[WatchChip, int]]:
    """Return the chips that fit into a width, and their widths."""
    by_importance = sorted(chips, key=lambda chip: _CHIP_IMPORTANCE.index(chip.name))
    widths = fit_chip_widths([pen.measure_chip(chip.text, chip.has_dot) for chip in by_importance], space)
    fitted = dict(zip(by_importance, widths, strict=False))
    return [(chip, fitted[chip]) for chip in chips if chip in fitted]


def draw_watch_chip(ui: Ui, chip: WatchChip, width: int, right: int, middle: int) -> bool:
    """Draw a chip that ends at `right`, its text truncated to a width; return whether it was used."""
    box = Box(right - width, middle - 14, width, 28)
    control = ui.add_control(f"{chip.name} chip", box, radius=14)
    ui.pen.draw_chip(right, middle, chip.text, chip.has_dot, max_width=width)
    if width < ui.pen.measure_chip(chip.text, chip.has_dot):
        ui.add_tooltip(box, chip.text, control.is_focused)
    if control.is_hovered:
        ui.pen.draw_outline(box, 14, mix_colours(BOARD_OUTLINE, WHITE, 0.3), 1)
    return control.is_activated


def draw_autoplay_state(pen: Pen, right: int, middle: int, is_on: bool) -> None:
    """Draw whether autoplay is on (Medico's game displays the same), so that the text ends at `right`."""
    text = _AUTOPLAY_STATES[is_on]
    pen.draw_text(text, (right, middle), 14, False, NORMAL_TEXT if is_on else DIM_TEXT, align=1)
    pen.draw_disc((right - pen.measure_text(text, 14) - 12, middle), 4, ACCENT if is_on else FAINT_TEXT)


def draw_watch_footer(
    ui: Ui, screen_area: ScreenArea, speed: float, *, autoplay: bool, can_move: bool
) -> tuple[str, float]:
    """Draw the buttons, the speed slider and the key legend; return the button that was used, or "", and the speed."""
    footer = screen_area.footer
    used, left = draw_watch_buttons(ui, footer, autoplay, can_move)
    legend_width = compute_key_legend_width(ui.pen, _WATCH_KEYS, True)
    has_legend = not screen_area.is_compact and legend_width + _MIN_SLIDER_SPACE + 48 <= footer.right - left
    right = footer.right - (legend_width + 24 if has_legend else 0)
    slider_left = left + (58 if has_legend else 12)
    slider_box = Box(slider_left, footer.top, right - slider_left, footer.height)
    is_compact = screen_area.is_compact
    speed = draw_speed_slider(ui, slider_box, speed, short=is_compact, with_label=not is_compact)
    if has_legend:
        draw_key_legend(ui, footer, _WATCH_KEYS, align=1)
    return used, speed


def draw_watch_buttons(ui: Ui, footer: Box, autoplay: bool, can_move: bool) -> tuple[str, int]:
    """Draw the buttons; return the name of the one that was used, or "", and the next free x."""
    pen = ui.pen
    used = ""
    left = footer.left
    # wide enough for both labels, so that nothing moves when autoplay changes
    auto_width = max(compute_button_width(pen, label, "Space", "play") for label in ("Autoplay", "Pause")) + 8
    for name, label, key, icon, width in (
        ("next", "Next move", "N", "step", compute_button_width(pen, "Next move", "N", "step") + 8),
        ("auto", "Pause" if autoplay else "Autoplay", "Space", "pause" if autoplay else "play", auto_width),
        ("restart", "Restart", "R", "", compute_button_width(pen, "Restart", "R") + 8),
    ):
        box = Box(left, footer.centery - BUTTON_HEIGHT // 2, width, BUTTON_HEIGHT)
        is_enabled = name == "restart" or (can_move and not (autoplay and name == "next"))
        is_primary = name == ("auto" if autoplay else "next")
        if draw_button(ui, name, box, label, key=key, icon=icon, is_primary=is_primary, is_enabled=is_enabled):
            used = name
        left = box.right + 12
    return used, left
