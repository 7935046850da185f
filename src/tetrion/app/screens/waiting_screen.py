"""Screen shown until the engine is loaded, and the loading message of replays."""

from typing import Any

from tetrion.app.engine_loading import COMPILING_ENGINE, get_engine_loader
from tetrion.app.launcher import make_screen
from tetrion.app.replays.replay_loading import ReplayLoader
from tetrion.app.screen import Screen
from tetrion.app.toolkit.header_footer import draw_header_footer
from tetrion.app.toolkit.ui import Ui
from tetrion.app.window import Window
from tetrion.drawing.palette import ACCENT, DIM_TEXT, NEGATIVE, RAISED_PANEL, STRONG_TEXT
from tetrion.drawing.pen import Box, Pen

_BAR_WIDTH = 240  # units
_BAR_PERIOD_SECONDS = 1.6


class WaitingScreen(Screen):
    """Screen that waits for the engine and then opens the requested screen."""

    def __init__(self, window: Window, screen: str, options: dict[str, Any]) -> None:
        super().__init__(window)
        self.target_screen = screen
        self.target_options = options
        self.title = screen.capitalize()
        self.waited_seconds = 0.0

    @property
    def is_moving(self) -> bool:
        """Whether the engine is being loaded."""
        return not get_engine_loader().problem

    def update(self, seconds: float) -> None:
        """Open the requested screen as soon as the engine is ready."""
        self.waited_seconds += seconds
        if get_engine_loader().is_ready:
            self.window.replace_screen(make_screen(self.window, self.target_screen, **self.target_options))

    def draw(self, ui: Ui) -> None:
        """Draw what is being loaded, or an error."""
        screen_area, should_close = draw_header_footer(ui, self.title)
        x, y = screen_area.content.center
        if problem := get_engine_loader().problem:
            ui.pen.draw_text("The engine cannot be loaded.", (x, y - 40), 18, True, NEGATIVE, align=0.5)
            ui.pen.draw_paragraph(problem, (x - 260, y), 520, 15, DIM_TEXT)
        else:
            ui.pen.draw_text(get_engine_loader().status_text, (x, y - 20), 18, True, STRONG_TEXT, align=0.5)
            track = Box(x - _BAR_WIDTH // 2, y + 10, _BAR_WIDTH, 4)
            ui.pen.fill_rounded(track, 2, RAISED_PANEL)
            share = (
                abs((self.waited_seconds / _BAR_PERIOD_SECONDS) % 2 - 1) if self.window.settings.has_animation else 0.5
            )
            ui.pen.fill_rounded(Box(track.left + round(share * (_BAR_WIDTH - 60)), track.top, 60, 4), 2, ACCENT)
        if should_close:
            self.window.close_screen()


def draw_loading(pen: Pen, box: Box, loader: ReplayLoader) -> None:
    """Draw the loading progress of a replay in the middle of a box."""
    text = COMPILING_ENGINE if loader.is_compiling else loader.progress_text
    pen.draw_text("Loading", (box.centerx, box.centery - 16), 18, True, STRONG_TEXT, align=0.5)
    pen.draw_text(text, (box.centerx, box.centery + 14), 16, False, DIM_TEXT, align=0.5)
