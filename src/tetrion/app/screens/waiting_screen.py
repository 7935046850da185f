"""Screen shown until the engine is loaded."""

from typing import Any

from tetrion.app.engine_loading import describe_compilation, get_engine_loader
from tetrion.app.launcher import make_screen
from tetrion.app.screen import Screen
from tetrion.app.toolkit.header_footer import draw_header_footer
from tetrion.app.toolkit.ui import Ui
from tetrion.app.window import Window
from tetrion.drawing.palette import ACCENT, DIM_TEXT, NEGATIVE, RAISED_PANEL, STRONG_TEXT
from tetrion.drawing.pen import Box

_BAR_WIDTH = 320  # units


class WaitingScreen(Screen):
    """Screen that waits for the engine and then opens the requested screen."""

    def __init__(self, window: Window, screen: str, options: dict[str, Any]) -> None:
        super().__init__(window)
        self.target_screen = screen
        self.target_options = options
        self.title = screen.capitalize()
        get_engine_loader().load_first_for(screen)

    @property
    def is_moving(self) -> bool:
        """Whether the engine is being loaded."""
        return not get_engine_loader().problem

    def update(self, seconds: float) -> None:
        """Open the requested screen as soon as the parts of the engine that it needs are loaded."""
        if get_engine_loader().is_ready_for(self.target_screen):
            self.window.replace_screen(make_screen(self.window, self.target_screen, **self.target_options))

    def draw(self, ui: Ui) -> None:
        """Draw what is being loaded, or an error."""
        screen_area, should_close = draw_header_footer(ui, self.title)
        pen, loader = ui.pen, get_engine_loader()
        x, y = screen_area.content.center
        if loader.problem:
            pen.draw_text("The engine cannot be loaded.", (x, y - 40), 18, True, NEGATIVE, align=0.5)
            pen.draw_paragraph(loader.problem, (x - 260, y), 520, 15, DIM_TEXT)
        else:
            headline = f"{self.title} opens soon: {loader.describe_part(self.target_screen)}"
            pen.draw_text(headline, (x, y - 48), 18, True, STRONG_TEXT, align=0.5)
            text = pen.truncate_text(describe_compilation(), screen_area.content.width, 15)
            pen.draw_text(text, (x, y - 14), 15, False, DIM_TEXT, align=0.5)
            track = Box(x - _BAR_WIDTH // 2, y + 16, _BAR_WIDTH, 6)
            pen.fill_rounded(track, 3, RAISED_PANEL)
            width = max(6, round(_BAR_WIDTH * loader.compute_share(self.target_screen)))
            pen.fill_rounded(Box(track.left, track.top, width, 6), 3, ACCENT)
            sooner = "Settings" if self.target_screen == "play" else "Play and Settings"
            hint = f"Esc returns to the menu; {sooner} can be used sooner."
            pen.draw_text(hint, (x, y + 48), 14, False, DIM_TEXT, align=0.5)
        if should_close:
            self.window.close_screen()
