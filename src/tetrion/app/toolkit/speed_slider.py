"""How fast an agent is watched: from a move in two seconds to as fast as it can."""

from math import inf, isinf

from tetrion.app.toolkit.controls import draw_slider
from tetrion.app.toolkit.ui import Ui
from tetrion.drawing.palette import DIM_TEXT, NORMAL_TEXT
from tetrion.drawing.pen import Box

AGENT_SPEEDS = (0.5, 1, 2, 3, 4, 6, 8, 12, 16, 24, 30, 60, 125, 250, 500, 1000, 2000, 4000, 8000, inf)  # moves a second
_SPEED_GAP = 16


def format_speed(speed: float, short: bool = False) -> str:
    """A speed as it is read."""
    if isinf(speed):
        return "Fastest" if short else "As fast as it can"
    if speed < 1:
        return f"1 in {1 / speed:g} s" if short else f"1 move in {1 / speed:g} s"
    if short:
        return f"{speed:,g} a second"
    return f"{speed:,.0f} move{'s'[: speed != 1]} a second"


def find_speed_index(speed: float) -> int:
    """Which of SPEEDS is nearest below a speed."""
    return max((place for place, known in enumerate(AGENT_SPEEDS) if known <= speed), default=0)


def change_speed(speed: float, steps: int) -> float:
    """The speed so many steps faster."""
    return AGENT_SPEEDS[max(0, min(len(AGENT_SPEEDS) - 1, find_speed_index(speed) + steps))]


def draw_speed_slider(
    ui: Ui, box: Box, speed: float, short: bool = False, max_speed: float = inf, with_label: bool = True
) -> float:
    """Draw a slider with its name and what it says in words; gives back the speed now, at most the fastest one."""
    pen, speeds = ui.pen, [known for known in AGENT_SPEEDS if known <= max_speed]
    words = max(pen.measure_text(format_speed(known, short)) for known in speeds)
    name = pen.measure_text("Speed") + _SPEED_GAP if with_label else 10
    track = Box(box.left + name, box.top, min(200, box.width - name - words - _SPEED_GAP), box.height)
    if track.width < 40:  # the words stay
        pen.draw_text(format_speed(speed, short), (box.left, box.centery), 16, False, NORMAL_TEXT)
        return speed
    if with_label:
        pen.draw_text("Speed", (box.left, box.centery), 16, False, DIM_TEXT)
    last = len(speeds) - 1
    share = draw_slider(ui, "speed", track, min(last, find_speed_index(speed)) / last, 1 / last)
    pen.draw_text(format_speed(speed, short), (track.right + _SPEED_GAP, box.centery), 16, False, NORMAL_TEXT)
    return speeds[round(share * last)]
