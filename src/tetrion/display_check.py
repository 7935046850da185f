"""Check that a window can be opened. Imports pygame only when it is called."""

import os
import sys

from tetrion.errors import TetrionError

_DISPLAY_VARIABLES = ("SDL_VIDEODRIVER", "DISPLAY", "WAYLAND_DISPLAY")
_INVISIBLE_DRIVERS = ("dummy", "offscreen")  # the fallbacks of SDL if there is no display


class NoDisplayError(TetrionError):
    """No display is available for a window; `remedy` is the last sentence of the message."""

    def __init__(self, reason: str, remedy: str) -> None:
        super().__init__(f"There is no display to open a window on ({reason}). {remedy}")


def check_display(remedy: str) -> None:
    """Raise NoDisplayError if no display is available; `remedy` is a sentence that says what works without one."""
    import pygame

    if sys.platform.startswith("linux") and not any(os.environ.get(name) for name in _DISPLAY_VARIABLES):
        raise NoDisplayError("DISPLAY is not set", remedy)
    try:
        pygame.display.init()
    except pygame.error as error:
        raise NoDisplayError(str(error), remedy) from None
    if pygame.display.get_driver() in _INVISIBLE_DRIVERS and not os.environ.get("SDL_VIDEODRIVER"):
        pygame.display.quit()
        raise NoDisplayError("the display does not respond", remedy)
