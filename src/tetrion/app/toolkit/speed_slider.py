"""The slider for the speed of an agent, from one move in two seconds to unlimited."""

from collections.abc import Callable, Sequence
from math import inf, isinf

from tetrion.app.toolkit.controls import draw_slider
from tetrion.app.toolkit.ui import Ui
from tetrion.drawing.palette import DIM_TEXT, NORMAL_TEXT
from tetrion.drawing.pen import Box

# Moves per second.
AGENT_SPEEDS = (0.5, 1, 2, 3, 4, 6, 8, 12, 16, 24, 30, 60, 125, 250, 500, 1000, 2000, 4000, 8000, inf)
_SPEED_GAP = 16


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
    """Return the index of the highest of some speeds that is not above a speed."""
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
