"""The base class of all screens: a screen handles events, advances in time and is redrawn when something changes."""

from typing import TYPE_CHECKING

import pygame

from tetrion.app.toolkit.ui import Ui

if TYPE_CHECKING:
    from tetrion.app.window import Window


class Screen:
    """A screen of the window. None of its methods may take long: agents and training run in background threads."""

    title = ""
    has_music = False  # whether music plays on this screen

    def __init__(self, window: "Window") -> None:
        self.window = window

    @property
    def is_moving(self) -> bool:
        """Whether the screen changes without input, so that it must be redrawn 60 times per second.

        It is also redrawn for a second after each event and after each movement; shorter animations need not be
        reported.
        """
        return True

    def handle_event(self, event: pygame.event.Event) -> bool:
        """Handle an event before the controls do; return True if the controls must not receive it."""
        return False

    def update(self, seconds: float) -> None:
        """Advance the screen by `seconds`."""

    def draw(self, ui: Ui) -> None:
        """Draw everything and act on the controls that were used."""

    def on_focus_lost(self) -> None:
        """Pause when the window loses the focus."""

    def on_return(self) -> None:
        """Refresh when the screen in front of this one is closed."""

    def on_leave(self) -> None:
        """Save data and stop background work when the screen or the window is closed."""
