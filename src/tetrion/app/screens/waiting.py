"""What is seen until the engine can play, or a replay is read."""

from typing import Any

from tetrion.app.readiness import PREPARING, engine
from tetrion.app.replays.loading import Loading
from tetrion.app.screen import Screen
from tetrion.app.start import made
from tetrion.app.toolkit.chrome import frame
from tetrion.app.toolkit.ui import Ui
from tetrion.app.window import Window
from tetrion.drawing.palette import ACCENT, BAD, DIM, RAISED, STRONG
from tetrion.drawing.pen import Box, Pen

WIDE, PERIOD = 240, 1.6  # units, seconds


class WaitingScreen(Screen):
    """Waits for the engine and then gives way to the screen that was asked for."""

    def __init__(self, window: Window, screen: str, options: dict[str, Any]) -> None:
        super().__init__(window)
        self.screen, self.options = screen, options
        self.title = screen.capitalize()
        self.waited = 0.0

    def update(self, seconds: float) -> None:
        """Give way as soon as that is possible."""
        self.waited += seconds
        if engine().ready:
            self.window.replace(made(self.window, self.screen, **self.options))

    def draw(self, ui: Ui) -> None:
        """Say what is waited for."""
        room, leave = frame(ui, self.title)
        x, y = room.content.center
        if problem := engine().problem:
            ui.pen.text("The engine cannot be loaded.", (x, y - 40), 18, True, BAD, align=0.5)
            ui.pen.paragraph(problem, (x - 260, y), 520, 15, DIM)
        else:
            ui.pen.text(engine().words, (x, y - 20), 18, True, STRONG, align=0.5)
            track = Box(x - WIDE // 2, y + 10, WIDE, 4)
            ui.pen.rounded(track, 2, RAISED)
            share = abs((self.waited / PERIOD) % 2 - 1) if self.window.settings.moves else 0.5
            ui.pen.rounded(Box(track.left + round(share * (WIDE - 60)), track.top, 60, 4), 2, ACCENT)
        if leave:
            self.window.back()


def draw_loading(pen: Pen, box: Box, loading: Loading) -> None:
    """Say in the middle of a box what takes a while."""
    words = PREPARING if loading.preparing else loading.words
    pen.text("Loading", (box.centerx, box.centery - 16), 18, True, STRONG, align=0.5)
    pen.text(words, (box.centerx, box.centery + 14), 16, False, DIM, align=0.5)
