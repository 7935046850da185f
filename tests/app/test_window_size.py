"""The size of the window: within the desktop, remembered between starts, and usable below the minimum."""

import pygame
import pytest

from tests.app.screen_scenes import ALL_SCENES
from tests.app.window_driver import WindowDriver
from tetrion.app.screens.menu_screen import MenuScreen
from tetrion.app.sound import Sound
from tetrion.app.window import Window, choose_window_size
from tetrion.app.window_settings import WindowSettings, load_settings

UNUSUAL_SIZES = ((640, 480), (200, 160), (80, 64), (1, 1), (300, 1200), (1900, 300), (3840, 640), (3840, 2160))


def use_desktop(monkeypatch: pytest.MonkeyPatch, *size: int) -> None:
    monkeypatch.setattr(pygame.display, "get_desktop_sizes", lambda: [size])


@pytest.mark.parametrize(
    ("desktop", "expected"),
    [((1920, 1080), (1280, 800)), ((1366, 768), (1280, 688)), ((1280, 720), (1272, 640)), ((1024, 600), (1016, 520))],
)
def test_new_window_fits_the_desktop(
    monkeypatch: pytest.MonkeyPatch, desktop: tuple[int, int], expected: tuple[int, int]
) -> None:
    use_desktop(monkeypatch, *desktop)
    assert choose_window_size(WindowSettings())[0] == expected
    for width, height in ((5000, 4000), (10, 10)):
        size, min_size = choose_window_size(WindowSettings(window_width=width, window_height=height))
        assert all(least <= length < limit for least, length, limit in zip(min_size, size, desktop, strict=True))


def open_and_close(*event_types: int, size: tuple[int, int] | None = None) -> tuple[int, int]:
    """Start the window with the saved settings, resize it, send events, close it, and return its first size."""
    window = Window(load_settings()[0], Sound())
    window.open_screen(MenuScreen(window))
    first_size = window.native_window.size
    if size:
        window.native_window.size = size
    pygame.event.get()
    window.run_frame([pygame.event.Event(event_type) for event_type in event_types], 0.1)
    window.close()
    return first_size


def test_size_is_remembered_and_limited_by_a_smaller_desktop(monkeypatch: pytest.MonkeyPatch) -> None:
    use_desktop(monkeypatch, 1366, 768)
    assert open_and_close(size=(1300, 660)) == (1280, 688)
    assert open_and_close() == (1300, 660)
    assert load_settings() == (WindowSettings(window_width=1300, window_height=660), "")
    use_desktop(monkeypatch, 1024, 720)
    assert open_and_close() == (1016, 640)


def test_maximised_state_is_remembered_with_the_size_before_it(monkeypatch: pytest.MonkeyPatch) -> None:
    use_desktop(monkeypatch, 1920, 1080)
    open_and_close(size=(1000, 700))
    open_and_close(pygame.WINDOWMAXIMIZED, size=(1900, 1000))
    assert load_settings()[0] == WindowSettings(window_width=1000, window_height=700, is_maximised=True)
    open_and_close(pygame.WINDOWMINIMIZED, pygame.WINDOWRESTORED)
    assert load_settings()[0].is_maximised, "the window was minimised and has returned"
    open_and_close(pygame.WINDOWRESTORED)
    assert not load_settings()[0].is_maximised


def test_full_screen_and_a_given_size_are_not_remembered(driver: WindowDriver) -> None:
    driver.resize(900, 700)
    driver.close()
    assert load_settings() == (WindowSettings(), "")
    window = Window(WindowSettings(full_screen=True), Sound())
    window.open_screen(MenuScreen(window))
    window.close()
    assert load_settings()[0].window_width == 0


@pytest.mark.parametrize("scene", ALL_SCENES)
def test_all_scenes_are_drawn_at_unusual_sizes(driver: WindowDriver, scene: str) -> None:
    ALL_SCENES[scene](driver)
    screen = driver.screen
    for size in UNUSUAL_SIZES:
        driver.resize(*size)
        assert driver.window.native_window.get_surface().size == size
        assert driver.screen is screen, driver.window.notice
    driver.resize(1280, 800)
    assert driver.window.surface is driver.window.native_window.get_surface(), "the window does not grow again"


@pytest.mark.parametrize("size", [(640, 480), (400, 300), (1900, 300), (300, 1200)])
def test_clicks_hit_the_right_control_in_small_windows(driver: WindowDriver, size: tuple[int, int]) -> None:
    driver.resize(*size)
    for name in ("Settings", "Practice"):
        driver.click(name)
        driver.run_frames(2)
        assert driver.screen.title == name
        driver.press("Esc")
        driver.run_frames(2)
