"""The size and position of the window: no larger than the desktop, and as at the last start."""

import ctypes
import re
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pygame

from tetrion.app.window_settings import WindowSettings

DEFAULT_WINDOW_SIZE = (1280, 800)
MIN_WINDOW_SIZE = (800, 640)
_DECORATION_SIZE = (8, 40)  # pixels for borders and the title bar
_TASK_BAR_HEIGHT = 48  # pixels, where SDL does not report the usable area
_SDL_FILE_PATTERN = re.compile(r"(/.*/libSDL2-2[^/]*)$")  # in the list of loaded libraries

Size = tuple[int, int]


class WindowPlacement(NamedTuple):
    """The size of the window while it is not maximised, its position, and whether it is maximised."""

    size: Size
    position: Size | int = pygame.WINDOWPOS_CENTERED
    is_maximised: bool = False
    min_size: Size = MIN_WINDOW_SIZE
    previous_size: Size | None = None  # before the last change of the size

    def after_event(self, event: pygame.event.Event, size: Size) -> "WindowPlacement":
        """Return the placement after an event of the window, which now has a size.

        Some systems report the size of a maximised window before they report that it is maximised.
        """
        if event.type == pygame.WINDOWMAXIMIZED:
            normal_size = self.previous_size if self.previous_size and self.size == size else self.size
            return self._replace(is_maximised=True, size=normal_size, previous_size=None)
        if event.type == pygame.WINDOWRESTORED:
            return self._replace(is_maximised=False)
        if event.type == pygame.WINDOWRESIZED and not self.is_maximised and size != self.size:
            return self._replace(size=size, previous_size=self.size)
        return self

    def make_settings(self) -> dict[str, Any]:
        """Return the settings from which the next start takes the size."""
        return {"window_width": self.size[0], "window_height": self.size[1], "is_maximised": self.is_maximised}


def choose_window_placement(settings: WindowSettings) -> WindowPlacement:
    """Return the placement of a new window: the last size or the default size, centred, within the desktop."""
    area = get_usable_area()
    max_width = area.width - _DECORATION_SIZE[0]
    max_height = area.height - _DECORATION_SIZE[1]
    min_size = min(MIN_WINDOW_SIZE[0], max_width), min(MIN_WINDOW_SIZE[1], max_height)
    width = min(max_width, max(min_size[0], settings.window_width or DEFAULT_WINDOW_SIZE[0]))
    height = min(max_height, max(min_size[1], settings.window_height or DEFAULT_WINDOW_SIZE[1]))
    left = area.left + (area.width - width) // 2
    top = area.top + _DECORATION_SIZE[1] + (max_height - height) // 2
    return WindowPlacement((width, height), (left, top), settings.is_maximised, min_size)


def get_usable_area() -> pygame.Rect:
    """Return the area of the first display without task bars, in pixels of the desktop."""
    if area := read_usable_bounds():
        return area
    width, height = pygame.display.get_desktop_sizes()[0]
    return pygame.Rect(0, 0, width, height - _TASK_BAR_HEIGHT)


def read_usable_bounds() -> pygame.Rect | None:
    """Return the usable bounds that SDL reports, or None; pygame does not give access to them."""
    try:
        sdl = ctypes.CDLL(find_sdl_library())
        rect = (ctypes.c_int * 4)()
        if sdl.SDL_GetDisplayUsableBounds(0, rect) == 0 and rect[2] > 0 and rect[3] > 0:
            return pygame.Rect(*rect)
    except (OSError, AttributeError):
        pass
    return None


def find_sdl_library() -> str:
    """Return the name of the SDL library that pygame has loaded; another copy would not know the display."""
    if sys.platform == "win32":
        return "SDL2.dll"
    if sys.platform == "darwin":
        folder = Path(str(pygame.__file__)).parent / ".dylibs"
        return str(next(iter(sorted(folder.glob("libSDL2-2*"))), "libSDL2.dylib"))
    libraries = map(_SDL_FILE_PATTERN.search, Path("/proc/self/maps").read_text("utf-8", "replace").splitlines())
    return next((match[1] for match in libraries if match), "libSDL2-2.0.so.0")
