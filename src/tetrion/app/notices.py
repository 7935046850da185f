"""Notices: short messages of the window in a strip of their own, with buttons for a file that they name."""

import os
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tetrion.app.toolkit.controls import draw_shortened_text
from tetrion.app.toolkit.ui import Ui
from tetrion.drawing.layout import Box, inset, place, split_row
from tetrion.drawing.palette import (
    BOARD_OUTLINE,
    DIM_TEXT,
    NORMAL_TEXT,
    PANEL,
    RAISED_PANEL,
    STRONG_TEXT,
    WHITE,
    mix_colours,
)

_SECONDS = 7.0
_SECONDS_WITH_FILE = 20.0  # there must be time to use the buttons
_TEXT_SIZE = 14
_CONTROL_PREFIX = "notice "
MessageFunction = Callable[..., None]  # shows a notice with the arguments of `NoticeBar.show`


@dataclass
class Notice:
    """A message, the file or folder that it names, and how long it has been shown."""

    text: str
    file: Path | None = None
    age: float = 0.0
    is_drawn: bool = False  # whether it has been visible

    @property
    def is_over(self) -> bool:
        """Whether it has been shown long enough."""
        return self.age > (_SECONDS_WITH_FILE if self.file else _SECONDS)


class NoticeBar:
    """The current notice; threads may show notices too.

    A notice ends after some seconds, with its close button, with Esc while it has the focus, or when the screen on
    which it was visible is left. One that is shown while a screen is left belongs to the next screen.
    """

    def __init__(self) -> None:
        self.current: Notice | None = None
        self._is_held = False  # whether the pointer or the focus is on it, so that it does not end

    @property
    def must_be_redrawn(self) -> bool:
        """Whether a notice is new or over."""
        return self.current is not None and (not self.current.is_drawn or self.current.is_over)

    def show(self, text: str, file: Path | None = None) -> None:
        """Show a notice instead of the current one; the path of its file is shortened to its last two parts."""
        if file:
            text = text.replace(str(file), str(Path(*file.parts[-2:])))
        self.current = Notice(text, file)

    def leave_screen(self) -> None:
        """End the notice if it was visible on the screen that is left."""
        if self.current and self.current.is_drawn:
            self.current = None

    def update(self, seconds: float) -> None:
        """Advance by `seconds`, unless the notice is being used."""
        if self.current and not self._is_held:
            self.current.age += seconds

    def draw(self, ui: Ui) -> None:
        """Draw the notice in the area that the screen has for it, and act on its buttons."""
        notice = self.current
        self._is_held = False
        if notice is None or notice.is_over:
            self.current = None if notice is self.current else self.current  # a thread may have shown another one
            return
        notice.is_drawn = True
        with ui.top_layer():
            used = self._draw_strip(ui, ui.notice_area or place(ui.pen.area, ui.pen.width - 48, 28, y=0.01), notice)
        if used == "close" and notice is self.current:
            self.current = None
        elif used and notice.file:
            is_file_wanted = used == "open" or notice.file.is_dir()
            open_path(notice.file if is_file_wanted else notice.file.parent, self.show)

    def _draw_strip(self, ui: Ui, area: Box, notice: Notice) -> str:
        """Draw a strip that is as wide as its content; return the name of the button that was used, or ""."""
        pen = ui.pen
        buttons = {"close": "×"}
        if notice.file:
            buttons = ({} if notice.file.is_dir() else {"open": "Open"}) | {"folder": "Show folder"} | buttons
        widths = [pen.measure_text(label, _TEXT_SIZE, True) + 20 for label in buttons.values()]
        other_width = sum(widths) + 6 * len(widths) + 20
        text_width = min(pen.measure_text(notice.text, _TEXT_SIZE) + 1, area.width - other_width)
        strip = place(area, text_width + other_width, area.height)
        pen.fill_rounded(strip, 8, PANEL, BOARD_OUTLINE)
        text, *boxes = split_row(inset(strip, 10, 2), [text_width, *widths], 6)
        is_focused = ui.focus.startswith(_CONTROL_PREFIX)
        self._is_held = is_focused or strip.collidepoint(ui.pointer)
        draw_shortened_text(
            ui, notice.text, text.midleft, text_width, size=_TEXT_SIZE, colour=STRONG_TEXT, is_focused=is_focused
        )
        used = ""
        for (name, label), box in zip(buttons.items(), boxes, strict=True):
            is_close = name == "close"
            key = "Esc" if is_close and is_focused else ""
            state = ui.add_control(f"{_CONTROL_PREFIX}{name}", box, radius=6, key=key, group="notice")
            if state.is_hovered or not is_close:
                fill = mix_colours(RAISED_PANEL, WHITE, 0.06 * state.is_hovered)
                pen.fill_rounded(box, 6, fill, None if is_close else BOARD_OUTLINE)
            colour = DIM_TEXT if is_close and not state.is_hovered else NORMAL_TEXT
            pen.draw_text(label, box.center, _TEXT_SIZE + 3 * is_close, not is_close, colour, align=0.5)
            used = name if state.is_activated else used
        return used


def open_path(path: Path, on_error: Callable[[str], None]) -> None:
    """Open a file or a folder with its default program, without waiting; `on_error` gets a message if that fails."""
    program = "open" if sys.platform == "darwin" else "xdg-open"
    environment = dict(os.environ)
    if getattr(sys, "frozen", False):  # PyInstaller sets the path of its libraries and keeps the user's value
        environment["LD_LIBRARY_PATH"] = environment.get("LD_LIBRARY_PATH_ORIG", "")

    def run_program() -> None:
        try:
            if sys.platform == "win32":
                os.startfile(path)
                return
            done = subprocess.run(
                [program, str(path)],
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
                check=False,
            )
        except FileNotFoundError:
            on_error(f"{path.name} cannot be opened: the program {program} is not installed.")
        except OSError as error:
            on_error(f"{path.name} cannot be opened: {error.strerror}.")
        else:
            if done.returncode:
                on_error(f"{path.name} cannot be opened: {program} found no program for it.")

    threading.Thread(target=run_program, name="tetrion-open", daemon=True).start()
