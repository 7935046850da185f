"""Notices: short messages of the window in a strip of their own, with buttons for a file that they name."""

import os
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from tetrion.app.toolkit.controls import draw_shortened_text
from tetrion.app.toolkit.ui import Ui
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
from tetrion.drawing.pen import Box

_NOTICE_SECONDS = 7.0
_FILE_NOTICE_SECONDS = 20.0  # there must be time to use the buttons
_DEFAULT_HEIGHT = 28
_TEXT_SIZE = 14
_BUTTON_GAP = 6
_CONTROL_PREFIX = "notice "


class MessageFunction(Protocol):
    """A function that shows a notice; `file` is the file that it names."""

    def __call__(self, message: str, file: Path | None = None) -> None:
        """Show a notice."""


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
        return self.age > (_FILE_NOTICE_SECONDS if self.file else _NOTICE_SECONDS)


class NoticeBar:
    """The current notice; threads may show notices too.

    A notice ends after some seconds, with its close button, with Esc while it has the focus, or when the screen on
    which it was visible is left. One that is shown while a screen is left belongs to the next screen.
    """

    def __init__(self) -> None:
        self._notice: Notice | None = None
        self._is_held = False  # whether the pointer or the focus is on it, so that it does not end

    @property
    def text(self) -> str:
        """The text of the current notice, or ""."""
        return self._notice.text if self._notice else ""

    @property
    def file(self) -> Path | None:
        """The file that the current notice names, or None."""
        return self._notice.file if self._notice else None

    @property
    def must_be_redrawn(self) -> bool:
        """Whether a notice is new or over."""
        return self._notice is not None and (not self._notice.is_drawn or self._notice.is_over)

    def show(self, text: str, file: Path | None = None) -> None:
        """Show a notice instead of the current one; the path of its file is shortened to its last two parts."""
        if file:
            text = text.replace(str(file), f"{file.parent.name}/{file.name}")
        self._notice = Notice(text, file)

    def leave_screen(self) -> None:
        """End the notice if it was visible on the screen that is left."""
        if self._notice and self._notice.is_drawn:
            self._notice = None

    def update(self, seconds: float) -> None:
        """Advance by `seconds`, unless the notice is being used."""
        if self._notice and not self._is_held:
            self._notice.age += seconds

    def draw(self, ui: Ui) -> None:
        """Draw the notice in the area that the screen has for it, and act on its buttons."""
        notice = self._notice
        if notice and notice.is_over:
            self._notice = None
        if self._notice is None:
            self._is_held = False
            return
        self._notice.is_drawn = True
        area = ui.notice_area or Box(24, 8, ui.pen.width - 48, _DEFAULT_HEIGHT)
        with ui.top_layer():
            self._draw_strip(ui, area, self._notice)

    def _draw_strip(self, ui: Ui, area: Box, notice: Notice) -> None:
        """Draw a strip that is as wide as its content, in the middle of an area."""
        pen = ui.pen
        labels = {"close": "×"}
        if notice.file:
            labels = {"folder": "Show folder", **labels}
            if not notice.file.is_dir():
                labels = {"open": "Open", **labels}
        widths = [pen.measure_text(label, _TEXT_SIZE, True) + 20 for label in labels.values()]
        buttons_width = sum(widths) + _BUTTON_GAP * len(widths)
        text_width = min(pen.measure_text(notice.text, _TEXT_SIZE), area.width - buttons_width - 24)
        strip = Box(0, area.top, text_width + buttons_width + 24, area.height)
        strip.centerx = area.centerx
        pen.fill_rounded(strip, 8, PANEL, BOARD_OUTLINE)
        is_focused = ui.focus.startswith(_CONTROL_PREFIX)
        self._is_held = is_focused or strip.collidepoint(ui.pointer)
        draw_shortened_text(
            ui,
            notice.text,
            (strip.left + 14, strip.centery),
            text_width + 1,
            size=_TEXT_SIZE,
            colour=STRONG_TEXT,
            is_focused=is_focused,
        )
        left = strip.right - buttons_width
        for (name, label), width in zip(labels.items(), widths, strict=True):
            key = "Esc" if name == "close" and is_focused else ""
            if draw_notice_button(ui, name, Box(left, strip.top, width, strip.height), label, key):
                self._run_action(name, notice)
            left += width + _BUTTON_GAP

    def _run_action(self, name: str, notice: Notice) -> None:
        if name == "open" and notice.file:
            open_file(notice.file, self.show)
        elif name == "folder" and notice.file:
            show_in_folder(notice.file, self.show)
        elif notice is self._notice:
            self._notice = None


def draw_notice_button(ui: Ui, name: str, box: Box, label: str, key: str) -> bool:
    """Draw a flat button of a notice and return whether it was just used; its shortcut `key` is not shown."""
    inside = box.inflate(0, -4)
    state = ui.add_control(f"{_CONTROL_PREFIX}{name}", inside, radius=6, key=key, group="notice")
    fill = mix_colours(RAISED_PANEL, WHITE, 0.06) if state.is_hovered else RAISED_PANEL
    is_close = name == "close"
    if not is_close or state.is_hovered:
        ui.pen.fill_rounded(inside, 6, fill, None if is_close else BOARD_OUTLINE)
    colour = NORMAL_TEXT if not is_close or state.is_hovered else DIM_TEXT
    ui.pen.draw_text(label, inside.center, _TEXT_SIZE + 3 * is_close, not is_close, colour, align=0.5)
    return state.is_activated


# Opening files with the programs of the system.


def open_file(path: Path, on_error: Callable[[str], None]) -> None:
    """Open a file or a folder with its default program, without waiting; `on_error` gets a message if that fails."""
    start_program(["open" if sys.platform == "darwin" else "xdg-open", str(path)], path, on_error)


def show_in_folder(path: Path, on_error: Callable[[str], None]) -> None:
    """Open the folder of a file, with the file selected where the system can do that; a folder is opened itself."""
    if path.is_dir():
        open_file(path, on_error)
    elif sys.platform == "darwin":
        start_program(["open", "-R", str(path)], path, on_error)
    elif sys.platform == "win32":
        subprocess.Popen(f'explorer /select,"{path}"')  # its exit code is 1 even after success
    else:
        open_file(path.parent, on_error)


def start_program(command: list[str], path: Path, on_error: Callable[[str], None]) -> None:
    """Run a command that opens a path in a thread; Windows has a function instead of a command."""

    def run_program() -> None:
        try:
            if sys.platform == "win32":
                os.startfile(path)
                return
            null = subprocess.DEVNULL
            done = subprocess.run(
                command,
                env=make_user_environment(),
                stdin=null,
                stdout=null,
                stderr=null,
                start_new_session=True,
                check=False,
            )
        except FileNotFoundError:
            on_error(f"{path.name} cannot be opened: the program {command[0]} is not installed.")
        except OSError as error:
            on_error(f"{path.name} cannot be opened: {error.strerror}.")
        else:
            if done.returncode:
                on_error(f"{path.name} cannot be opened: {command[0]} found no program for it.")

    threading.Thread(target=run_program, name="tetrion-open", daemon=True).start()


def make_user_environment() -> dict[str, str]:
    """Return the environment of the user, without the libraries of the standalone program.

    PyInstaller sets the path of libraries and keeps the user's value.
    """
    environment = dict(os.environ)
    if (original := environment.pop("LD_LIBRARY_PATH_ORIG", None)) is not None:
        environment["LD_LIBRARY_PATH"] = original
    elif getattr(sys, "frozen", False):
        environment.pop("LD_LIBRARY_PATH", None)
    return environment
