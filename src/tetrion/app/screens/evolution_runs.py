"""The list of existing runs in the setup of the evolution screen."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from tetrion.agents.run_folders import CONFIG_FILE
from tetrion.app.crash_log import log_crash
from tetrion.app.game_storage import list_run_folders
from tetrion.app.toolkit.controls import draw_selectable_row
from tetrion.app.toolkit.scrolling import draw_scroll_bar, read_row_steps, scroll_by_wheel, scroll_to_row
from tetrion.app.toolkit.ui import Ui
from tetrion.drawing.palette import DIM_TEXT, FAINT_TEXT, NORMAL_TEXT, STRONG_TEXT
from tetrion.drawing.pen import PANEL_TITLE_OFFSET, Box
from tetrion.errors import TetrionError
from tetrion.lab.run_summary import describe_status
from tetrion.training.run import Run

_ROW_HEIGHT = 44
_ROW_GAP = 4
_BOTTOM_SPACE = 8  # of the padding of the panel, that the last row may use
_ROW_PREFIX = "run "  # of the names of the controls


@dataclass(frozen=True)
class RunListEntry:
    """Entry in the list of existing runs; its status is read when it is first shown."""

    folder: Path

    @property
    def name(self) -> str:
        """Name of the folder."""
        return self.folder.name

    @cached_property
    def status(self) -> str:
        """Progress of the run and whether it is finished."""
        try:
            run = Run(self.folder)
            return f"{run.generation_count:,} of {run.recipe.planned_steps:,}, {describe_status(run)}"
        except (TetrionError, OSError):
            return "damaged"
        except Exception as error:  # no run may take the list with it
            log_crash(error)
            return "damaged"


class RunList:
    """The runs that can be opened or resumed, newest first, in a list that scrolls."""

    def __init__(self) -> None:
        self.runs = list_runs()
        self.first_row = 0
        self._visible_rows = 1

    def include(self, folder: Path) -> None:
        """Put a run of another folder at the top of the list, unless the list has it."""
        if folder.absolute() not in [run.folder.absolute() for run in self.runs]:
            self.runs.insert(0, RunListEntry(folder))
            self.first_row = 0

    def draw(self, ui: Ui, box: Box, *, can_scroll: bool = True) -> Path | None:
        """Draw the list in a panel; return the folder of the run that is opened, if any."""
        pen = ui.pen
        inside = pen.draw_panel(box, "Runs")
        self._visible_rows = max(1, (inside.height + _ROW_GAP + _BOTTOM_SPACE) // _ROW_HEIGHT)
        if can_scroll:
            self._handle_input(ui)
        self.first_row = max(0, min(self.first_row, len(self.runs) - self._visible_rows))
        part_position = (inside.right, box.top + PANEL_TITLE_OFFSET)
        pen.draw_text(self._describe_visible_part(), part_position, 14, False, FAINT_TEXT, align=1)
        if not self.runs:
            text = "No runs yet. Runs of this program and runs in the folder runs/ appear here."
            pen.draw_paragraph(text, (inside.left, inside.top + 10), inside.width, 15, DIM_TEXT)
        opened = None
        for number in range(self.first_row, min(len(self.runs), self.first_row + self._visible_rows)):
            top = inside.top + (number - self.first_row) * _ROW_HEIGHT
            row = Box(inside.left - 8, top, inside.width + 16, _ROW_HEIGHT - _ROW_GAP)
            if self._draw_row(ui, row, number):
                opened = self.runs[number].folder
        bar_box = Box(box.right - 7, inside.top, 4, self._visible_rows * _ROW_HEIGHT - _ROW_GAP)
        draw_scroll_bar(pen, bar_box, self.first_row, self._visible_rows, len(self.runs))
        return opened

    def _describe_visible_part(self) -> str:
        """Return which runs are visible, or what the list is for if all of them are."""
        if len(self.runs) <= self._visible_rows:
            return "Open or resume a run" if self.runs else ""
        first = self.first_row + 1
        last = self.first_row + self._visible_rows
        return f"{first if first == last else f'{first}–{last}'} of {len(self.runs):,}"

    def _handle_input(self, ui: Ui) -> None:
        """Scroll with the wheel, and move the focus with the list keys if a run has it."""
        self.first_row = scroll_by_wheel(ui, self.first_row, self._visible_rows, len(self.runs))
        focused = self._find_focused_row(ui)
        if focused is None:
            return
        row = focused
        for step in read_row_steps(ui, self._visible_rows):
            row = max(0, min(len(self.runs) - 1, row + step))
            self.first_row = scroll_to_row(self.first_row, self._visible_rows, row)
        row = max(self.first_row, min(row, self.first_row + self._visible_rows - 1))  # the wheel may have hidden it
        if row != focused:
            ui.request_focus(f"{_ROW_PREFIX}{row}")

    def _find_focused_row(self, ui: Ui) -> int | None:
        """Return the number of the run that has the focus, or None."""
        number = ui.focus.removeprefix(_ROW_PREFIX)
        is_row = ui.focus.startswith(_ROW_PREFIX) and number.isdigit() and int(number) < len(self.runs)
        return int(number) if is_row else None

    def _draw_row(self, ui: Ui, row: Box, number: int) -> bool:
        """Draw the name and the status of a run; return whether it is opened."""
        run = self.runs[number]
        control = draw_selectable_row(ui, f"{_ROW_PREFIX}{number}", row, group="runs")
        name_width = row.width - ui.pen.measure_text(run.status, 14) - 32
        name = ui.pen.truncate_text(run.name, name_width, 16, True)
        colour = STRONG_TEXT if control.is_focused else NORMAL_TEXT
        ui.pen.draw_text(name, (row.left + 8, row.centery), 16, True, colour)
        ui.pen.draw_text(run.status, (row.right - 8, row.centery), 14, False, DIM_TEXT, align=1)
        return control.is_activated


def list_runs() -> list[RunListEntry]:
    """List the runs in the data folder and in the current folder, newest first."""
    return [RunListEntry(folder) for folder in list_run_folders(CONFIG_FILE)]
