"""Notices: short messages of the window in a strip of their own, with buttons for a file that they name."""

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from tetrion.app.system_files import open_file, show_in_folder
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
        """Show a notice instead of the current one."""
        self._notice = Notice(text, file)

    def close(self) -> None:
        """End the current notice."""
        self._notice = None

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
        if notice is None or notice.is_over:
            self._notice = None if notice is self._notice else self._notice
            self._is_held = False
            return
        notice.is_drawn = True
        area = ui.notice_area or Box(24, 8, ui.pen.width - 48, _DEFAULT_HEIGHT)
        with ui.top_layer():
            self._draw_strip(ui, area, notice)

    def _draw_strip(self, ui: Ui, area: Box, notice: Notice) -> None:
        """Draw a strip that is as wide as its content, in the middle of an area."""
        pen = ui.pen
        labels = {"open": "Open", "folder": "Show folder"} if notice.file else {}
        if notice.file and notice.file.is_dir():
            del labels["open"]
        button_widths = {name: pen.measure_text(label, _TEXT_SIZE, True) + 20 for name, label in labels.items()}
        button_widths["close"] = area.height
        buttons_width = sum(width + _BUTTON_GAP for width in button_widths.values())
        text_width = min(pen.measure_text(notice.text, _TEXT_SIZE), area.width - buttons_width - 32)
        strip = Box(0, area.top, text_width + buttons_width + 24, area.height)
        strip.centerx = area.centerx
        pen.fill_rounded(strip, 8, PANEL, BOARD_OUTLINE)
        is_focused = ui.focus.startswith(_CONTROL_PREFIX)
        left = strip.left + 14
        draw_shortened_text(
            ui,
            notice.text,
            (left, strip.centery),
            text_width + 1,
            size=_TEXT_SIZE,
            colour=STRONG_TEXT,
            is_focused=is_focused,
        )
        self._is_held = is_focused or strip.collidepoint(ui.pointer)
        left = strip.right - buttons_width
        for name, width in button_widths.items():
            box = Box(left, strip.top, width, strip.height)
            key = "Esc" if name == "close" and is_focused else ""
            if draw_notice_button(ui, name, box, labels.get(name, "×"), key):
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
