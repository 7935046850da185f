"""Opening the window on one of its screens, or saying why there is none."""

import os
import sys
from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any

from tetrion.errors import TetrionError

if TYPE_CHECKING:
    from tetrion.app.screen import Screen
    from tetrion.app.window import Window

SCREENS = {  # where each is, and its class
    "play": ("play", "PlayScreen"),
    "watch": ("watch", "WatchScreen"),
    "versus": ("versus", "VersusScreen"),
    "evolution": ("evolution", "EvolutionScreen"),
    "replays": ("replays", "ReplaysScreen"),
    "replay": ("replay", "ReplayScreen"),
    "review": ("review", "ReviewScreen"),
    "practice": ("practice", "PracticeScreen"),
    "settings": ("settings", "SettingsScreen"),
}


class NoDisplayError(TetrionError):
    """There is nothing to show a window on."""


def open_window(screen: str = "menu", **options: Any) -> None:
    """Open the window's menu, or with it one of SCREENS in front, until it is closed."""
    from tetrion.app.settings import load_settings
    from tetrion.app.sound import Sound

    check_display()
    settings, told = load_settings()
    from tetrion.app.screens.menu import MenuScreen
    from tetrion.app.window import Window

    try:
        import pygame

        window = Window(settings, Sound())
    except pygame.error as problem:
        raise NoDisplayError(no_display(str(problem))) from None
    window.open(MenuScreen(window))
    if screen != "menu":
        window.go(screen, **options)
    if told:
        window.tell(told)
    sys.setswitchinterval(0.001)  # whoever decides beside the window holds it up no longer than that
    window.run()


def made(window: "Window", screen: str, **options: Any) -> "Screen":
    """A screen by its name."""
    module, name = SCREENS[screen]
    make: Callable[..., Screen] = getattr(import_module(f"tetrion.app.screens.{module}"), name)
    return make(window, **options)


def check_display() -> None:
    """Make sure that there is something to show a window on."""
    driver = os.environ.get("SDL_VIDEODRIVER", "")
    if sys.platform.startswith("linux") and not driver:
        if not os.environ.get("DISPLAY") and not os.environ.get("WAYLAND_DISPLAY"):
            raise NoDisplayError(no_display("DISPLAY is not set"))


def no_display(reason: str) -> str:
    """What a person is told where there is no display."""
    return (
        f"There is no display to open a window on ({reason}). Without one, `tetrion watch AGENT --text` plays in the "
        "terminal, and `tetrion record AGENT --out game.mp4` writes a video."
    )
