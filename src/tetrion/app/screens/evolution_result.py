"""Result panel of a finished run: its held-out games, the best in training, and which agent is kept."""

from pathlib import Path
from typing import NamedTuple

from tetrion.drawing.palette import ACCENT, DIM_TEXT, NORMAL_TEXT, STRONG_TEXT
from tetrion.drawing.pen import PANEL_PADDING, Box, Pen
from tetrion.errors import TetrionError
from tetrion.evaluation.number_format import format_number
from tetrion.lab.run_summary import (
    RESULT_UNITS,
    describe_best_in_training,
    describe_kept_agent,
    describe_selection,
    exceeds_result,
    find_best_in_training,
    format_best_in_training,
    get_headline_metric,
)
from tetrion.training.run import Run

_HEAD_HEIGHT = 78  # title and number
_ROW_HEIGHT = 24
_LINE_HEIGHT = 20
_SPACE_ABOVE_REASON = 8
_FONT_SIZE = 14
_NUMBER_SIZE = 24


class RunResult(NamedTuple):
    """Texts of the result panel of a finished run."""

    title: str
    number: str
    unit: str
    interval: str  # empty if it is unknown
    best_in_training: str
    best_in_training_step: str
    reason: str  # which agent is kept, and why the best in training differs from the result
    short_reason: str  # for low panels


def load_run_result(folder: Path) -> RunResult | str | None:
    """Return the texts about the result of a finished run, an error message if it is damaged, or None."""
    try:
        return read_run_result(Run(folder))
    except TetrionError as error:
        return str(error)
    except (ArithmeticError, LookupError, TypeError, ValueError, AttributeError) as error:
        return f"The result of {folder} is damaged: {error}."


def read_run_result(run: Run) -> RunResult | None:
    """Return the texts about the result of a finished run, or None."""
    result = run.result
    if not run.is_finished or result is None:
        return None
    best = find_best_in_training(run)
    if run.recipe.games.fitness == "attack":
        unit, summary = "attack per piece", result["held_out"]["modern"]["attack per piece"]
    else:
        metric = get_headline_metric(run)
        unit, summary = f"{RESULT_UNITS[metric]} per game", result["uncorrected"][metric]
    interval = summary["ci95"]
    luck = " The best in training is partly luck." if exceeds_result(run, result, best) else ""
    return RunResult(
        title=f"Result on {result['held_out']['games']:,} held-out games",
        number=format_number(summary["mean"]),
        unit=unit,
        interval=f"95 % interval {' to '.join(format_number(end) for end in interval)}" if interval else "",
        best_in_training=format_best_in_training(run, best),
        best_in_training_step=f"{run.step_name} {best.step:,}",
        reason=f"{describe_selection(run, result)} {describe_best_in_training(run, result, with_value=False)}",
        short_reason=f"{describe_kept_agent(run, result)}.{luck}",
    )


class ResultPanel:
    """Panel with the result of a run, which is not higher than `max_height` if its texts can be shortened so far."""

    def __init__(self, pen: Pen, width: int, max_height: int, result: RunResult, *, saved_as: str = "") -> None:
        self.result = result
        self._saved_as = f"Saved as {saved_as}." if saved_as else ""
        inside_width = width - 2 * PANEL_PADDING
        number_width = pen.measure_text(result.number, _NUMBER_SIZE, True) + 10
        unit_width = pen.measure_text(f"{result.unit}, {result.interval}", _FONT_SIZE)
        self._has_interval_below = bool(result.interval) and number_width + unit_width > inside_width
        self._lines: list[str] = []
        for reason in (result.reason, result.short_reason):
            self._lines = pen.wrap_text(f"{reason} {self._saved_as}".strip(), inside_width, _FONT_SIZE)
            if self.height <= max_height:
                break

    @property
    def height(self) -> int:
        """Height of the panel."""
        interval = _LINE_HEIGHT * self._has_interval_below
        reason = _SPACE_ABOVE_REASON + _LINE_HEIGHT * len(self._lines)
        return _HEAD_HEIGHT + interval + _ROW_HEIGHT + reason + PANEL_PADDING - 4

    def draw(self, pen: Pen, box: Box) -> None:
        """Draw the panel."""
        result = self.result
        inside = pen.draw_panel(box, result.title)
        pen.draw_text(result.number, (inside.left, box.top + 56), _NUMBER_SIZE, True, ACCENT)
        left = inside.left + pen.measure_text(result.number, _NUMBER_SIZE, True) + 10
        top = box.top + _HEAD_HEIGHT
        unit = result.unit
        if self._has_interval_below:
            pen.draw_text(result.interval, (inside.left, top + _LINE_HEIGHT // 2), _FONT_SIZE, False, DIM_TEXT)
            top += _LINE_HEIGHT
        elif result.interval:
            unit = f"{unit}, {result.interval}"
        pen.draw_text(unit, (left, box.top + 58), _FONT_SIZE, False, DIM_TEXT)
        self._draw_best_in_training(pen, Box(inside.left, top, inside.width, _ROW_HEIGHT))
        top += _ROW_HEIGHT + _SPACE_ABOVE_REASON
        for number, line in enumerate(self._lines):
            middle = top + _LINE_HEIGHT * number + _LINE_HEIGHT // 2
            pen.draw_text(line, (inside.left, middle), _FONT_SIZE, False, DIM_TEXT)

    def _draw_best_in_training(self, pen: Pen, row: Box) -> None:
        """Draw the best in training, with its generation if there is space for it."""
        label = "Best in training"
        value = self.result.best_in_training
        step = f", {self.result.best_in_training_step}"
        width = pen.measure_text(label, _FONT_SIZE) + 12 + pen.measure_text(value, _FONT_SIZE, True)
        step = step if width + pen.measure_text(step, _FONT_SIZE) <= row.width else ""
        pen.draw_text(label, row.midleft, _FONT_SIZE, False, DIM_TEXT)
        pen.draw_text(step, row.midright, _FONT_SIZE, False, NORMAL_TEXT, align=1)
        value_right = row.right - pen.measure_text(step, _FONT_SIZE)
        pen.draw_text(value, (value_right, row.centery), _FONT_SIZE, True, STRONG_TEXT, align=1)
