"""A form: labelled fields in a panel, one below the other, with a Start button; and the field for a seed."""

from collections.abc import Sequence
from random import randrange
from types import TracebackType
from typing import NamedTuple, Self

from tetrion.app.toolkit.controls import (
    BUTTON_HEIGHT,
    ButtonSpec,
    compute_segments_width,
    draw_buttons,
    draw_segments,
    draw_stepper,
)
from tetrion.app.toolkit.ui import Ui, wrap_long_text
from tetrion.drawing.layout import Box, flexible, inset, place, split_row
from tetrion.drawing.palette import BOARD_OUTLINE, DIM_TEXT, NEGATIVE, PANEL, STRONG_TEXT
from tetrion.engine.randomisers import MAX_SEED

FORM_KEY_LEGEND = [(["↑", "↓"], "Next field"), (["←", "→"], "Change"), (["Space"], "Open"), (["Enter"], "Start")]
_PADDING = 24
_GAP = 12
_TEXT_LINE_HEIGHT = 20
_SEED_MODES = ("Random", "Given")
_SEED_FIELD_WIDTH = 320
_RANDOM_SEED_COUNT = 1_000_000  # short numbers, so that they can be read and typed


class Form:
    """Fields of a panel from top to bottom, for use in a `with` statement.

    Up and Down move between the fields, Space opens or changes them, and Enter starts from every field.
    """

    def __init__(self, ui: Ui, box: Box, title: str = "", *, label_width: int = 112) -> None:
        self.ui = ui
        self.inside = inset(box, _PADDING, _PADDING - 4)
        self._label_width = label_width
        self._context = ui.form(title or "form")
        ui.pen.fill_rounded(box, 12, PANEL, BOARD_OUTLINE)
        if title:
            ui.pen.draw_text(title, (self.inside.left, self.inside.top + 12), 18, True, STRONG_TEXT)
            self.skip(40)

    def __enter__(self) -> Self:
        self._context.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._context.__exit__(kind, error, traceback)

    def skip(self, height: int) -> Box:
        """Return the next `height` units of the form, below which it continues."""
        box = Box(self.inside.left, self.inside.top, self.inside.width, height)
        self.inside = Box(box.left, box.bottom, box.width, self.inside.bottom - box.bottom)
        return box

    def add_field(self, label: str, height: int = BUTTON_HEIGHT) -> Box:
        """Draw the label of a field and return the box of its control."""
        label_box, field = split_row(self.skip(height), [self._label_width, flexible()])
        self.ui.pen.draw_text(label, label_box.midleft, 16, False, DIM_TEXT)
        self.skip(_GAP)
        return field

    def add_text(self, text: str, colour: str = DIM_TEXT, *, lines: int, is_indented: bool = True) -> None:
        """Draw a text in the space of a number of lines, by default below the controls instead of the labels."""
        box = self.skip(_TEXT_LINE_HEIGHT * lines + _GAP)
        left = box.left + (self._label_width if is_indented else 0)
        self.ui.pen.draw_paragraph(text, (left, box.top + 10), box.right - left, 14, colour, max_lines=lines)

    def add_separator(self) -> None:
        """Draw a line between two parts of the form."""
        box = self.skip(_GAP)
        self.ui.pen.draw_separator(box.left, box.top, box.width)

    def draw_start(
        self, *, is_enabled: bool = True, problem: str = "", buttons: Sequence[ButtonSpec] = (), other_focus: str = ""
    ) -> str:
        """Draw the Start button at the lower right, further buttons left of it, and why the form cannot start.

        Return "start", the name of another button that was used, or "". Start has the focus when the form opens; while
        it is disabled, the control with the name `other_focus`.
        """
        ui = self.ui
        if not ui.focus and (is_enabled or other_focus):
            ui.request_focus("start" if is_enabled else other_focus)
        row = place(self.inside, self.inside.width, BUTTON_HEIGHT, 0, 1)
        start = ButtonSpec("start", "Start", "Enter", is_primary=True, is_enabled=is_enabled, width=128)
        used, rest = draw_buttons(ui, row, [start], align=1)
        if buttons:
            other, rest = draw_buttons(ui, rest, buttons, align=1)
            used = used or other
        above = Box(self.inside.left, self.inside.top, self.inside.width, row.top - 8 - self.inside.top)
        draw_problem(ui, problem, above if above.height >= 2 * _TEXT_LINE_HEIGHT else rest)
        return used


def draw_problem(ui: Ui, problem: str, box: Box) -> None:
    """Draw the reason why something cannot start; a tooltip has the whole text if it does not fit into the box."""
    if not problem:
        return
    lines = wrap_long_text(ui.pen, problem, box.width)
    shown = lines[: max(1, box.height // _TEXT_LINE_HEIGHT)]
    if len(shown) < len(lines):
        shown[-1] = ui.pen.truncate_text(f"{shown[-1]} {lines[len(shown)]}", box.width, 14)
        ui.add_tooltip(box, problem)
    for number, line in enumerate(shown):
        ui.pen.draw_text(line, (box.left, box.top + _TEXT_LINE_HEIGHT * number + 10), 14, False, NEGATIVE)


class SeedChoice(NamedTuple):
    """The choice between a random seed and a given one; `number` is the given seed."""

    is_given: bool
    number: int

    @classmethod
    def from_seed(cls, seed: int | None) -> Self:
        """Return the choice of a given seed, or of a random one for None."""
        return cls(seed is not None, seed or 0)

    def choose_seed(self) -> int:
        """Return the given seed, or a new random one."""
        return self.number if self.is_given else randrange(_RANDOM_SEED_COUNT)


def compute_next_seed(seed: int) -> int:
    """Return the seed of the next game; the largest seed is followed by 0."""
    return (seed + 1) % (MAX_SEED + 1)


def draw_seed_field(ui: Ui, box: Box, choice: SeedChoice) -> SeedChoice:
    """Draw the controls "seed mode" and, for a given seed, "seed"; return the new choice."""
    width = compute_segments_width(ui.pen, _SEED_MODES)
    mode, number, _ = split_row(box, [width, flexible(), max(0, box.width - _SEED_FIELD_WIDTH)], 12)
    is_given = bool(draw_segments(ui, "seed mode", mode, _SEED_MODES, int(choice.is_given)))
    if not is_given:
        return SeedChoice(False, choice.number)
    return SeedChoice(True, draw_stepper(ui, "seed", number, choice.number, max_value=MAX_SEED))
