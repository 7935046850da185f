"""Screen shown until the engine is loaded."""

from typing import Any

from tetrion.app.engine_loading import describe_compilation, get_engine_loader
from tetrion.app.launcher import make_screen
from tetrion.app.screen import Screen
from tetrion.app.toolkit.frame import draw_frame
from tetrion.app.toolkit.ui import Ui
from tetrion.app.window import Window
from tetrion.drawing.layout import place, split_column
from tetrion.drawing.palette import DIM_TEXT, NEGATIVE, STRONG_TEXT


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
        pen, loader = ui.pen, get_engine_loader()
        frame = draw_frame(ui, self.title)
        middle = place(frame.content, 560, 128)
        headline, text, bar, hint = split_column(middle, [32, 32, 32, 32])
        if loader.problem:
            pen.draw_text("The engine cannot be loaded.", headline.center, 18, True, NEGATIVE, align=0.5)
            pen.draw_paragraph(loader.problem, text.midleft, middle.width, 15)
        else:
            opening = f"{self.title} opens soon: {loader.describe_part(self.target_screen)}"
            pen.draw_text(opening, headline.center, 18, True, STRONG_TEXT, align=0.5)
            pen.draw_text(describe_compilation(), text.center, 15, False, DIM_TEXT, align=0.5)
            pen.draw_bar(place(bar, 320, 6), loader.compute_share(self.target_screen))
            sooner = "Settings" if self.target_screen == "play" else "Play and Settings"
            esc_hint = f"Esc returns to the menu; {sooner} can be used sooner."
            pen.draw_text(esc_hint, hint.center, 14, False, DIM_TEXT, align=0.5)
        if frame.is_closed:
            self.window.close_screen()
