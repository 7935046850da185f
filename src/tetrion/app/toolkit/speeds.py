"""How fast an agent is watched: from a move in two seconds to as fast as it can."""

from math import inf, isinf

from tetrion.app.toolkit.controls import slider
from tetrion.app.toolkit.ui import Ui
from tetrion.drawing.palette import DIM, TEXT
from tetrion.drawing.pen import Box

SPEEDS = (0.5, 1, 2, 3, 4, 6, 8, 12, 16, 24, 30, 60, 125, 250, 500, 1000, 2000, 4000, 8000, inf)  # moves a second
GAP = 16


def speed_words(speed: float, short: bool = False) -> str:
    """A speed as it is read."""
    if isinf(speed):
        return "Fastest" if short else "As fast as it can"
    if speed < 1:
        return f"1 in {1 / speed:g} s" if short else f"1 move in {1 / speed:g} s"
    if short:
        return f"{speed:,g} a second"
    return f"{speed:,.0f} move{'s'[: speed != 1]} a second"


def place_of(speed: float) -> int:
    """Which of SPEEDS is nearest below a speed."""
    return max((place for place, known in enumerate(SPEEDS) if known <= speed), default=0)


def changed(speed: float, steps: int) -> float:
    """The speed so many steps faster."""
    return SPEEDS[max(0, min(len(SPEEDS) - 1, place_of(speed) + steps))]


def speed_slider(
    ui: Ui, box: Box, speed: float, short: bool = False, fastest: float = inf, named: bool = True
) -> float:
    """Draw a slider with its name and what it says in words; gives back the speed now, at most the fastest one."""
    pen, speeds = ui.pen, [known for known in SPEEDS if known <= fastest]
    words = max(pen.width_of(speed_words(known, short)) for known in speeds)
    name = pen.width_of("Speed") + GAP if named else 10
    track = Box(box.left + name, box.top, min(200, box.width - name - words - GAP), box.height)
    if track.width < 40:  # the words stay
        pen.text(speed_words(speed, short), (box.left, box.centery), 16, False, TEXT)
        return speed
    if named:
        pen.text("Speed", (box.left, box.centery), 16, False, DIM)
    last = len(speeds) - 1
    share = slider(ui, "speed", track, min(last, place_of(speed)) / last, 1 / last)
    pen.text(speed_words(speed, short), (track.right + GAP, box.centery), 16, False, TEXT)
    return speeds[round(share * last)]
