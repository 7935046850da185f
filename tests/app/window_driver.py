"""A window that is driven as a person would: by events, frame by frame."""

import time
from collections.abc import Callable
from typing import Any

import pygame

from tetrion.app.audio.sound import Sound
from tetrion.app.engine_loading import get_engine_loader
from tetrion.app.launcher import make_screen
from tetrion.app.screen import Screen
from tetrion.app.screens.menu_screen import MenuScreen
from tetrion.app.toolkit.ui import get_key_code
from tetrion.app.window import Window
from tetrion.app.window_settings import load_settings

FRAME_SECONDS = 1 / 60
MAX_WAIT_SECONDS = 300.0  # seconds for what is done beside the window; the engine may have to be compiled


class WindowDriver:
    """A window in a test; keys are named as on keycaps ("Space", "←", "N") or by pygame ("left")."""

    def __init__(self, size: tuple[int, int] = (1280, 800)) -> None:
        get_engine_loader().wait()
        settings, told = load_settings()
        self.window = Window(settings, Sound(), size)
        self.window.open_screen(MenuScreen(self.window))
        if told:
            self.window.show_message(told)
        self.run_frames()

    def open_screen(self, screen: str, **options: Any) -> Any:
        """Put a screen in front."""
        self.window.open_screen(make_screen(self.window, screen, **options))
        self.run_frames(2)
        return self.window.screen

    @property
    def screen(self) -> Screen:
        return self.window.screen

    def run_frames(self, count: int = 1, seconds: float = FRAME_SECONDS) -> None:
        """Let frames pass, each of so much time; what is done beside the window gets none of it by itself."""
        for _ in range(count):
            if self.window.is_running:
                self.window.run_frame(pygame.event.get(), seconds)

    def run_until(self, condition: Callable[[], object], seconds: float = FRAME_SECONDS) -> None:
        """Let frames pass until something has happened; fails when it does not for minutes."""
        end = time.monotonic() + MAX_WAIT_SECONDS
        while not condition():
            assert time.monotonic() < end, f"did not happen: {condition}"
            self.run_frames(1, seconds)
            time.sleep(0.001)

    def press(self, *keys: str, mod: int = 0) -> None:
        """Press keys one after another and let them go, a frame each."""
        for key in keys:
            self.hold(key, mod=mod)
            self.release(key)

    def hold(self, key: str, mod: int = 0) -> None:
        self._post_event(pygame.KEYDOWN, key=find_key_code(key), mod=mod, unicode=key.lower() if len(key) == 1 else "")

    def release(self, key: str) -> None:
        self._post_event(pygame.KEYUP, key=find_key_code(key), mod=0)

    def type(self, words: str) -> None:
        """Type a text."""
        for sign in words:
            self._post_event(pygame.KEYDOWN, key=0, mod=0, unicode=sign)

    def click(self, name: str, x: float = 0.5, y: float = 0.5, button: int = 1) -> None:
        """Click on a control by its name, at a share of its width and height."""
        box = self.window.ui.get_box(name)
        self.click_at((box.left + x * box.width, box.top + y * box.height), button)

    def click_at(self, place: tuple[float, float], button: int = 1) -> None:
        """Click at a place, in units of the layout."""
        at = self.window.ui.pen.to_pixel_point(place)
        self._post_event(pygame.MOUSEMOTION, pos=at, rel=(0, 0), buttons=(0, 0, 0))
        self._post_event(pygame.MOUSEBUTTONDOWN, pos=at, button=button)
        self._post_event(pygame.MOUSEBUTTONUP, pos=at, button=button)
        self.run_frames()

    def resize(self, wide: int, high: int) -> None:
        """Give the window another size."""
        self.window.native_window.minimum_size = (1, 1)  # whatever a system may do
        self.window.native_window.size = (wide, high)
        self.run_frames(2)

    def lose_focus(self) -> None:
        self._post_event(pygame.WINDOWFOCUSLOST)

    def quit(self) -> None:
        """Close the window as its frame's button does."""
        self._post_event(pygame.QUIT)

    def close(self) -> None:
        if self.window.is_running:
            self.window.close()

    def _post_event(self, kind: int, **what: Any) -> None:
        pygame.event.post(pygame.event.Event(kind, **what))
        self.run_frames()


def find_key_code(key: str) -> int:
    """The code of a key by either of its names."""
    return get_key_code(key) if len(key) == 1 or key[0].isupper() else pygame.key.key_code(key)
