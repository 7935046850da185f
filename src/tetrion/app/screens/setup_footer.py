"""The bottom of a setup panel with its Start button, the choice of the seed, and the key legend of setups."""

from tetrion.app.toolkit.controls import (
    BUTTON_HEIGHT,
    compute_button_width,
    compute_segments_width,
    draw_button,
    draw_segments,
    draw_stepper,
)
from tetrion.app.toolkit.ui import Ui
from tetrion.drawing.pen import Box
from tetrion.engine.randomisers import MAX_SEED

SETUP_KEY_LEGEND = [(["Tab"], "Next control"), (["←", "→"], "Change"), (["Space"], "Open")]
SEED_MODES = ("Random", "Given")
SEED_FIELD_WIDTH = 320  # units, of the choice and the number


def compute_start_box(ui: Ui, inside: Box) -> Box:
    """Return the box of the Start button: the right end of the last row of a setup panel."""
    width = compute_button_width(ui.pen, "Start", "Enter") + 32
    return Box(inside.right - width, inside.bottom - BUTTON_HEIGHT, width, BUTTON_HEIGHT)


def draw_start_button(ui: Ui, inside: Box, *, is_enabled: bool) -> bool:
    """Draw the Start button of a setup panel and return whether it was used, by Enter unless another control uses it.

    Start has the focus when the setup opens.
    """
    if not ui.focus:
        ui.request_focus("start")
    box = compute_start_box(ui, inside)
    return draw_button(ui, "start", box, "Start", key="Enter", is_primary=True, is_enabled=is_enabled)


def draw_seed_choice(ui: Ui, box: Box, is_given: bool, seed: int) -> tuple[bool, int]:
    """Draw the choice between a random and a given seed; return whether it is given, and the given seed."""
    width = compute_segments_width(ui.pen, SEED_MODES)
    modes_box = Box(box.left, box.top, width, box.height)
    is_given = bool(draw_segments(ui, "seed mode", modes_box, SEED_MODES, int(is_given)))
    if is_given:
        number_width = min(box.width, SEED_FIELD_WIDTH) - width - 12
        number_box = Box(box.left + width + 12, box.centery - BUTTON_HEIGHT // 2, number_width, BUTTON_HEIGHT)
        seed = draw_stepper(ui, "seed", number_box, seed, max_value=MAX_SEED)
    return is_given, seed
