"""The bottom of a setup panel with its Start button, and the key legend of setups."""

from tetrion.app.toolkit.controls import BUTTON_HEIGHT, compute_button_width, draw_button
from tetrion.app.toolkit.ui import Ui
from tetrion.drawing.pen import Box

SETUP_KEY_LEGEND = [(["Tab"], "Next control"), (["←", "→"], "Change"), (["Space"], "Open")]


def compute_start_box(ui: Ui, inside: Box) -> Box:
    """Return the box of the Start button: the right end of the last row of a setup panel."""
    width = compute_button_width(ui.pen, "Start", "Enter") + 32
    return Box(inside.right - width, inside.bottom - BUTTON_HEIGHT, width, BUTTON_HEIGHT)


def draw_start_button(ui: Ui, inside: Box, *, is_enabled: bool = True) -> bool:
    """Draw the Start button of a setup panel and return whether it was used, by Enter unless another control uses it.

    Start has the focus when the setup opens.
    """
    if not ui.focus:
        ui.request_focus("start")
    box = compute_start_box(ui, inside)
    return draw_button(ui, "start", box, "Start", key="Enter", is_primary=True, is_enabled=is_enabled)
