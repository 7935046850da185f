"""A window that tests drive with input events, frame by frame."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pygame

from tetrion.app.engine_loading import get_engine_loader
from tetrion.app.launcher import make_screen
from tetrion.app.screens.menu_screen import MenuScreen
from tetrion.app.sound import Sound
from tetrion.app.toolkit.ui import get_key_code
from tetrion.app.window import Screen, Window
from tetrion.app.window_settings import load_settings

FRAME_SECONDS = 1 / 60
MAX_WAIT_SECONDS = 300.0  # for background work; the engine may have to be compiled


class WindowDriver:
    """A window in a test; keys are named by their labels ("Space", "←", "N") or by pygame ("left")."""

    def __init__(self, size: tuple[int, int] = (1280, 800)) -> None:
        get_engine_loader().wait()
        settings, message = load_settings()
        self.window = Window(settings, Sound(), size)
        self.window.open_screen(MenuScreen(self.window))
        if message:
            self.window.show_message(message)
        self.run_frames()

    def open_screen(self, screen: str, **options: Any) -> Any:
        """Open a screen by its name and return it."""
        self.window.open_screen(make_screen(self.window, screen, **options))
        self.run_frames(2)
        return self.window.screen

    @property
    def screen(self) -> Screen:
        return self.window.screen

    def run_frames(self, count: int = 1, seconds: float = FRAME_SECONDS) -> None:
        """Run frames of `seconds` each; background threads run in real time."""
        for _ in range(count):
            if self.window.is_running:
                self.window.run_frame(pygame.event.get(), seconds)

    def run_until(self, condition: Callable[[], object], seconds: float = FRAME_SECONDS) -> None:
        """Run frames until a condition is true; fail after five minutes."""
        end = time.monotonic() + MAX_WAIT_SECONDS
        while not condition():
            assert time.monotonic() < end, f"condition not met: {condition}"
            self.run_frames(1, seconds)
            time.sleep(0.001)

    def press(self, *keys: str, mod: int = 0) -> None:
        """Press and release keys one after another, with one frame per event."""
        for key in keys:
            self.hold(key, mod=mod)
            self.release(key)

    def tap(self, key: str, mod: int = 0) -> None:
        """Press and release a key within one frame."""
        pygame.event.post(make_key_press(key, mod))
        self.release(key)

    def hold(self, key: str, mod: int = 0) -> None:
        pygame.event.post(make_key_press(key, mod))
        self.run_frames()

    def release(self, key: str) -> None:
        self._post_event(pygame.KEYUP, key=find_key_code(key), mod=0)

    def type(self, text: str) -> None:
        """Type a text."""
        for character in text:
            self._post_event(pygame.KEYDOWN, key=0, mod=0, unicode=character)

    def click(self, name: str, x: float = 0.5, y: float = 0.5, button: int = 1) -> None:
        """Click on a control; `x` and `y` are shares of its width and height."""
        box = self.window.ui.get_box(name)
        self.click_at((box.left + x * box.width, box.top + y * box.height), button)

    def click_at(self, point: tuple[float, float], button: int = 1) -> None:
        """Click at a point in layout units."""
        pixel = self.window.ui.pen.to_pixel_point(point)
        self._post_event(pygame.MOUSEMOTION, pos=pixel, rel=(0, 0), buttons=(0, 0, 0))
        self._post_event(pygame.MOUSEBUTTONDOWN, pos=pixel, button=button)
        self._post_event(pygame.MOUSEBUTTONUP, pos=pixel, button=button)
        self.run_frames()

    def resize(self, width: int, height: int) -> None:
        """Resize the window, even below its minimum size."""
        self.window.native_window.minimum_size = (1, 1)
        self.window.native_window.size = (width, height)
        self.run_frames(2)

    def drop(self, path: Path) -> None:
        """Drop a file onto the window."""
        self._post_event(pygame.DROPFILE, file=str(path))
        self.run_frames(2)

    def lose_focus(self) -> None:
        self._post_event(pygame.WINDOWFOCUSLOST)

    def turn_wheel(self, steps: int) -> None:
        self._post_event(pygame.MOUSEWHEEL, x=0, y=steps)

    def quit(self) -> None:
        """Close the window as its title bar button does."""
        self._post_event(pygame.QUIT)

    def close(self) -> None:
        if self.window.is_running:
            self.window.close()

    def _post_event(self, event_type: int, **attributes: Any) -> None:
        pygame.event.post(pygame.event.Event(event_type, **attributes))
        self.run_frames()


def make_key_press(key: str, mod: int) -> pygame.event.Event:
    """Return the event of a key that is pressed with modifiers."""
    unicode = key.lower() if len(key) == 1 and key.isascii() else ""
    return pygame.event.Event(pygame.KEYDOWN, key=find_key_code(key), mod=mod, unicode=unicode)


def find_key_code(key: str) -> int:
    """Return the code of a key by its label or its pygame name."""
    return get_key_code(key) if len(key) == 1 or key[0].isupper() else pygame.key.key_code(key)
