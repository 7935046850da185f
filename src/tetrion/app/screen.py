"""What every screen is: something that hears events, lets time pass and is drawn anew sixty times a second."""

from typing import TYPE_CHECKING

import pygame

from tetrion.app.toolkit.ui import Ui

if TYPE_CHECKING:
    from tetrion.app.window import Window


class Screen:
    """A screen of the window. Nothing in it may take long: games that agents play and training go on beside it."""

    title = ""
    has_music = False  # whether the tune plays

    def __init__(self, window: "Window") -> None:
        self.window = window

    def handle_event(self, event: pygame.event.Event) -> bool:
        """Hear an event before the controls do; tells whether it is used up."""
        return False

    def update(self, seconds: float) -> None:
        """Let time pass."""

    def draw(self, ui: Ui) -> None:
        """Draw everything and do what its controls ask for."""

    def on_focus_lost(self) -> None:
        """The window has lost the focus: pause."""

    def on_return(self) -> None:
        """The screen is in front again, after another one has been left."""

    def on_leave(self) -> None:
        """The screen is left or the window closed: keep what must be kept, and end what goes on beside it."""
