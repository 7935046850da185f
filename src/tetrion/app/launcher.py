"""Opening the window on one of its screens, or saying why there is none."""

import os
import sys
import threading
from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any

from tetrion.errors import TetrionError

if TYPE_CHECKING:
    from tetrion.app.screen import Screen
    from tetrion.app.window import Window

SCREEN_CLASSES = {  # where each is, and its class
    "play": ("play_screen", "PlayScreen"),
    "watch": ("watch_screen", "WatchScreen"),
    "versus": ("versus_screen", "VersusScreen"),
    "evolution": ("evolution_screen", "EvolutionScreen"),
    "replays": ("replays_screen", "ReplaysScreen"),
    "replay": ("replay_screen", "ReplayScreen"),
    "review": ("review_screen", "ReviewScreen"),
    "practice": ("practice_screen", "PracticeScreen"),
    "settings": ("settings_screen", "SettingsScreen"),
}

_DISPLAY_VARIABLES = ("SDL_VIDEODRIVER", "DISPLAY", "WAYLAND_DISPLAY")
_SAVING_THREADS = ("tetrion-save-game", "tetrion-ReplayPageWriter")  # threads that write what must be kept
_THREAD_JOIN_SECONDS = 0.2  # seconds for threads that are about to end
_INVISIBLE_DRIVERS = ("dummy", "offscreen")  # what SDL takes where nothing else works


class NoDisplayError(TetrionError):
    """There is nothing to show a window on."""


def open_window(screen: str = "menu", **options: Any) -> None:
    """Open the window's menu, or with it one of SCREENS in front, until it is closed."""
    from tetrion.app.audio.sound import Sound
    from tetrion.app.window_settings import load_settings

    check_display()
    settings, told = load_settings()
    from tetrion.app.screens.menu_screen import MenuScreen
    from tetrion.app.window import Window

    window = Window(settings, Sound())
    window.open_screen(MenuScreen(window))
    if screen != "menu":
        window.open_screen_by_name(screen, **options)
    if told:
        window.show_message(told)
    sys.setswitchinterval(0.001)  # whoever decides beside the window holds it up no longer than that
    window.run()
    exit_process()


def exit_process() -> None:
    """End the program without waiting for what nobody needs any more, once everything that must be kept is kept.

    A thread that compiles or asks an agent that hangs would hold up the end for long, or break it.
    """
    others = [thread for thread in threading.enumerate() if thread is not threading.current_thread()]
    for thread in others:
        thread.join(None if thread.name in _SAVING_THREADS else _THREAD_JOIN_SECONDS)
    if any(thread.is_alive() for thread in others):
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(0)


def make_screen(window: "Window", screen: str, **options: Any) -> "Screen":
    """A screen by its name."""
    module, name = SCREEN_CLASSES[screen]
    make: Callable[..., Screen] = getattr(import_module(f"tetrion.app.screens.{module}"), name)
    return make(window, **options)


def check_display() -> None:
    """Make sure that there is something to show a window on."""
    import pygame

    if sys.platform.startswith("linux") and not any(os.environ.get(name) for name in _DISPLAY_VARIABLES):
        raise NoDisplayError(format_no_display("DISPLAY is not set"))
    try:
        pygame.display.init()
    except pygame.error as problem:
        raise NoDisplayError(format_no_display(str(problem))) from None
    if pygame.display.get_driver() in _INVISIBLE_DRIVERS and not os.environ.get("SDL_VIDEODRIVER"):
        pygame.display.quit()
        raise NoDisplayError(format_no_display("it does not answer"))


def format_no_display(reason: str) -> str:
    """What a person is told where there is no display."""
    return (
        f"There is no display to open a window on ({reason}). Without one, `tetrion watch AGENT --text` plays in the "
        "terminal, and `tetrion record AGENT --out game.mp4` writes a video."
    )
