"""Header and footer of the watch screen: chips, the state of autoplay, buttons, speed and keys."""

from collections.abc import Sequence
from typing import NamedTuple

from tetrion.app.toolkit.controls import BUTTON_HEIGHT, compute_button_width, draw_button
from tetrion.app.toolkit.header_footer import ScreenArea, compute_key_legend_width, draw_key_legend
from tetrion.app.toolkit.speed_slider import draw_speed_slider
from tetrion.app.toolkit.ui import Ui
from tetrion.drawing.palette import ACCENT, BOARD_OUTLINE, DIM_TEXT, FAINT_TEXT, NORMAL_TEXT, WHITE, mix_colours
from tetrion.drawing.pen import Box, Pen

_AUTOPLAY_STATES = ("Autoplay off", "Autoplay on")
_CHIP_GAP = 8
_MIN_CHIP_WIDTH = 88  # a chip that would be narrower is left out
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

    Chips take the free space; if it is too small, the longest ones are truncated, and chips that would become
    unreadable are left out, the rules first.
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
        right -= width + _CHIP_GAP
    draw_autoplay_state(pen, right - 8, middle, autoplay)
    return used


def fit_chips(pen: Pen, chips: Sequence[WatchChip], space: int) -> list[tuple[WatchChip, int]]:
    """Return the chips that fit into a width, and their widths."""
    widths = {chip: pen.measure_chip(chip.text, chip.has_dot) for chip in chips}
    for name in ("", "rules", "seed"):  # what is left out, one after another
        widths = {chip: width for chip, width in widths.items() if chip.name != name}
        available = space - _CHIP_GAP * (len(widths) - 1)
        limit = find_width_limit(list(widths.values()), available)
        if limit >= _MIN_CHIP_WIDTH or sum(widths.values()) <= available:
            break
    return [(chip, min(width, max(limit, _MIN_CHIP_WIDTH))) for chip, width in widths.items()]


def find_width_limit(widths: Sequence[int], available: int) -> int:
    """Return the largest limit so that widths reduced to it fit into the available width."""
    remaining = available
    for count, width in zip(range(len(widths), 0, -1), sorted(widths), strict=True):
        if width * count > remaining:
            return remaining // count
        remaining -= width
    return max(widths)


def draw_watch_chip(ui: Ui, chip: WatchChip, width: int, right: int, middle: int) -> bool:
    """Draw a chip that ends at `right`, its text truncated to a width; return whether it was used."""
    box = Box(right - width, middle - 14, width, 28)
    control = ui.add_control(f"{chip.name} chip", box, radius=14)
    ui.pen.draw_chip(right, middle, chip.text, chip.has_dot, max_width=width)
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
