"""The size of the window: within the desktop, remembered between starts, and usable below the minimum."""

import pygame
import pytest

from tests.app.screen_scenes import ALL_SCENES
from tests.app.window_driver import WindowDriver
from tetrion.app.screens.menu_screen import MenuScreen
from tetrion.app.sound import Sound
from tetrion.app.window import Window
from tetrion.app.window_settings import WindowSettings, load_settings
from tetrion.app.window_size import MIN_WINDOW_SIZE, choose_window_size, compute_canvas_size, fit_canvas

SMALL_SIZES = ((640, 480), (400, 300), (200, 150), (50, 50), (1, 1))
LARGE_SIZES = ((800, 2160), (3840, 640), (3840, 2160))
NARROW_SIZES = ((1, 1200), (3840, 1), (500, 1000), (1900, 300))


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
    for saved in ((5000, 4000), (10, 10)):
        size, min_size = choose_window_size(WindowSettings(window_width=saved[0], window_height=saved[1]))
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
    settings, message = load_settings()
    assert (settings.window_width, settings.window_height, settings.is_maximised, message) == (1300, 660, False, "")
    use_desktop(monkeypatch, 1024, 720)
    assert open_and_close() == (1016, 640)


def test_maximised_state_is_remembered_with_the_size_before_it(monkeypatch: pytest.MonkeyPatch) -> None:
    use_desktop(monkeypatch, 1920, 1080)
    open_and_close(size=(1000, 700))
    open_and_close(pygame.WINDOWMAXIMIZED, size=(1900, 1000))
    settings = load_settings()[0]
    assert (settings.window_width, settings.window_height, settings.is_maximised) == (1000, 700, True)
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
    for size in (*SMALL_SIZES[::2], *LARGE_SIZES):
        driver.resize(*size)
        assert driver.window.native_window.get_surface().size == size
        assert driver.screen is screen, driver.window.notice


@pytest.mark.parametrize("size", [*SMALL_SIZES, *NARROW_SIZES])
def test_canvas_has_the_minimum_size_and_fits_the_window(size: tuple[int, int]) -> None:
    canvas = compute_canvas_size(size)
    assert all(length >= minimum for length, minimum in zip(canvas, MIN_WINDOW_SIZE, strict=True))
    assert canvas[0] * canvas[1] <= 4 * MIN_WINDOW_SIZE[0] * MIN_WINDOW_SIZE[1]
    area = fit_canvas(canvas, size)
    assert pygame.Rect(0, 0, *size).contains(area)
    assert area.width == size[0] or area.height == size[1]
    for larger in (MIN_WINDOW_SIZE, (1280, 800), (3840, 2160)):
        assert compute_canvas_size(larger) == larger, "it is not scaled"


@pytest.mark.parametrize("size", [(640, 480), (400, 300), (1900, 300), (300, 1200)])
def test_clicks_hit_the_right_control_in_small_windows(driver: WindowDriver, size: tuple[int, int]) -> None:
    driver.resize(*size)
    for name in ("Settings", "Practice"):
        driver.click(name)
        driver.run_frames(2)
        assert driver.screen.title == name
        driver.press("Esc")
        driver.run_frames(2)


def test_margins_of_a_small_window_have_no_control(driver: WindowDriver) -> None:
    driver.resize(3840, 100)
    pygame.event.post(pygame.event.Event(pygame.MOUSEMOTION, pos=(2, 50), rel=(0, 0), buttons=(0, 0, 0)))
    driver.run_frames()
    assert driver.window.ui.pointer[0] < 0


def test_window_grows_again(driver: WindowDriver) -> None:
    driver.resize(1, 1)
    driver.resize(1280, 800)
    assert driver.window.surface is driver.window.native_window.get_surface()
