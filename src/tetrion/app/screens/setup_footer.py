"""The bottom of a setup panel with its Start button and the reason why it cannot start, and the legend of setups."""

from tetrion.app.toolkit.controls import BUTTON_HEIGHT, compute_button_width, draw_button
from tetrion.app.toolkit.tooltip import wrap_long_text
from tetrion.app.toolkit.ui import Ui
from tetrion.drawing.palette import NEGATIVE
from tetrion.drawing.pen import Box

SETUP_KEY_LEGEND = [(["Tab"], "Next control"), (["←", "→"], "Change"), (["Space"], "Open")]
_PROBLEM_SIZE = 15
_PROBLEM_LINE_HEIGHT = 21


def compute_start_box(ui: Ui, inside: Box) -> Box:
    """Return the box of the Start button: the right end of the last row of a setup panel."""
    width = compute_button_width(ui.pen, "Start", "Enter") + 32
    return Box(inside.right - width, inside.bottom - BUTTON_HEIGHT, width, BUTTON_HEIGHT)


def draw_start_button(ui: Ui, inside: Box, *, is_enabled: bool = True, other_focus: str = "") -> bool:
    """Draw the Start button of a setup panel and return whether it was used, by Enter unless another control uses it.

    Start has the focus when the setup opens; while it is disabled, the control with the name `other_focus` has it.
    """
    if not ui.focus and (is_enabled or other_focus):
        ui.request_focus("start" if is_enabled else other_focus)
    box = compute_start_box(ui, inside)
    return draw_button(ui, "start", box, "Start", key="Enter", is_primary=True, is_enabled=is_enabled)


def measure_problem(ui: Ui, problem: str, width: int) -> int:
    """Return the height of the reason why a setup cannot start, in lines of a width; 0 without a reason."""
    return _PROBLEM_LINE_HEIGHT * len(wrap_long_text(ui.pen, problem, width, _PROBLEM_SIZE)) if problem else 0


def draw_problem(ui: Ui, problem: str, box: Box) -> int:
    """Draw the reason why a setup cannot start from the top of a box, and return its height.

    If the box is too small, the last line ends with an ellipsis, and a tooltip has the whole text.
    """
    if not problem:
        return 0
    lines = wrap_long_text(ui.pen, problem, box.width, _PROBLEM_SIZE)
    shown = lines[: max(1, box.height // _PROBLEM_LINE_HEIGHT)]
    if len(shown) < len(lines):
        shown[-1] = ui.pen.truncate_text(f"{shown[-1]} {lines[len(shown)]}", box.width, _PROBLEM_SIZE)
        ui.add_tooltip(box, problem)
    for number, line in enumerate(shown):
        middle = box.top + _PROBLEM_LINE_HEIGHT * number + _PROBLEM_LINE_HEIGHT // 2
        ui.pen.draw_text(line, (box.left, middle), _PROBLEM_SIZE, False, NEGATIVE)
    return _PROBLEM_LINE_HEIGHT * len(shown)
