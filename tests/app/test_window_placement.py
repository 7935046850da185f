"""The size of the window: within the desktop, and remembered between starts."""

import pygame
import pytest

from tests.app.window_driver import WindowDriver
from tetrion.app import window_placement
from tetrion.app.sound import Sound
from tetrion.app.screens.menu_screen import MenuScreen
from tetrion.app.window import Window
from tetrion.app.window_size import MIN_WINDOW_SIZE, WindowPlacement, choose_window_placement, get_usable_area
from tetrion.app.window_settings import WindowSettings, load_settings


@pytest.fixture
def desktop(monkeypatch: pytest.MonkeyPatch) -> pygame.Rect:
    """A desktop of 1366×768 pixels with a bar of 40 pixels at the top."""
    area = pygame.Rect(0, 40, 1366, 728)
    monkeypatch.setattr(window_placement, "read_usable_bounds", lambda: area)
    return area


@pytest.mark.parametrize("desktop_size", [(1280, 720), (1366, 768), (1920, 1080), (1024, 600)])
@pytest.mark.parametrize("saved", [(0, 0), (1000, 760), (5000, 4000), (10, 10)])
def test_new_window_is_within_the_desktop(
    monkeypatch: pytest.MonkeyPatch, desktop_size: tuple[int, int], saved: tuple[int, int]
) -> None:
    area = pygame.Rect(0, 30, desktop_size[0], desktop_size[1] - 30)
    monkeypatch.setattr(window_placement, "read_usable_bounds", lambda: area)
    placement = choose_window_placement(WindowSettings(window_width=saved[0], window_height=saved[1]))
    assert isinstance(placement.position, tuple)
    window = pygame.Rect(placement.position, placement.size)
    assert area.contains(window)
    assert window.top - area.top >= 24, "the title bar needs space"
    assert abs(window.centerx - area.centerx) <= 1
    if desktop_size[1] > 700:
        assert window.width >= MIN_WINDOW_SIZE[0]
        assert window.height >= MIN_WINDOW_SIZE[1]


def test_default_size_is_used_where_it_fits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(window_placement, "read_usable_bounds", lambda: pygame.Rect(0, 0, 1920, 1080))
    assert choose_window_placement(WindowSettings()).size == (1280, 800)


def test_space_for_a_task_bar_is_left_if_sdl_reports_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(window_placement, "find_sdl_library", lambda: "/no/such/library")
    monkeypatch.setattr(pygame.display, "get_desktop_sizes", lambda: [(1366, 768)])
    assert get_usable_area() == pygame.Rect(0, 0, 1366, 720)


def open_and_close(*events: pygame.event.Event, size: tuple[int, int] | None = None) -> tuple[int, int]:
    """Start the window with the saved settings, resize it, send events, close it, and return its first size."""
    window = Window(load_settings()[0], Sound())
    window.open_screen(MenuScreen(window))
    first_size = window.native_window.size
    if size:
        window.native_window.size = size
    pygame.event.get()
    window.run_frame(events, 0.1)
    window.close()
    return first_size


def make_resize_event(size: tuple[int, int]) -> pygame.event.Event:
    return pygame.event.Event(pygame.WINDOWRESIZED, x=size[0], y=size[1])


def test_size_is_remembered(desktop: pygame.Rect) -> None:
    assert open_and_close(make_resize_event((1000, 660)), size=(1000, 660)) == (1280, 688)
    assert open_and_close() == (1000, 660)
    settings, message = load_settings()
    assert (settings.window_width, settings.window_height, settings.is_maximised, message) == (1000, 660, False, "")


def test_saved_size_is_limited_by_a_smaller_desktop(desktop: pygame.Rect, monkeypatch: pytest.MonkeyPatch) -> None:
    open_and_close(make_resize_event((1300, 680)), size=(1300, 680))
    monkeypatch.setattr(window_placement, "read_usable_bounds", lambda: pygame.Rect(0, 0, 1024, 720))
    assert open_and_close() == (1016, 680)


def test_maximised_state_is_remembered(desktop: pygame.Rect) -> None:
    open_and_close(pygame.event.Event(pygame.WINDOWMAXIMIZED))
    assert load_settings()[0].is_maximised
    open_and_close(pygame.event.Event(pygame.WINDOWMINIMIZED), pygame.event.Event(pygame.WINDOWRESTORED))
    assert load_settings()[0].is_maximised, "the window was minimised and has returned"
    open_and_close(pygame.event.Event(pygame.WINDOWRESTORED))
    assert not load_settings()[0].is_maximised


@pytest.mark.parametrize("is_reported_first", [False, True])
def test_size_before_maximising_is_remembered(is_reported_first: bool) -> None:
    placement = WindowPlacement((1000, 700))
    maximised = pygame.event.Event(pygame.WINDOWMAXIMIZED)
    resized = make_resize_event((1366, 700))
    for event in (maximised, resized) if is_reported_first else (resized, maximised):
        placement = placement.after_event(event, (1366, 700))
    assert (placement.size, placement.is_maximised) == ((1000, 700), True)
    placement = placement.after_event(pygame.event.Event(pygame.WINDOWRESTORED), (1000, 700))
    assert (placement.size, placement.is_maximised) == ((1000, 700), False)


def test_full_screen_does_not_change_the_remembered_size(desktop: pygame.Rect) -> None:
    window = Window(WindowSettings(full_screen=True), Sound())
    window.open_screen(MenuScreen(window))
    window.run_frame([make_resize_event((1366, 768))], 0.1)
    assert window.placement.size == (1280, 688)
    window.close()


def test_given_size_is_not_remembered(driver: WindowDriver) -> None:
    driver.resize(900, 700)
    driver.close()
    assert load_settings() == (WindowSettings(), "")
