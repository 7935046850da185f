"""Windows below the minimum size, which tiling window managers may give."""

import pygame
import pytest

from tests.app.screen_scenes import ALL_SCENES
from tests.app.window_driver import WindowDriver
from tetrion.app.window_canvas import compute_canvas_size, fit_canvas
from tetrion.app.window_placement import MIN_WINDOW_SIZE

SMALL_SIZES = ((640, 480), (400, 300), (200, 150), (50, 50), (1, 1))
LARGE_SIZES = ((800, 2160), (3840, 640), (3840, 2160))
NARROW_SIZES = ((1, 1200), (3840, 1), (500, 1000), (1900, 300))


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


@pytest.mark.parametrize("size", [MIN_WINDOW_SIZE, (1280, 800), (3840, 2160)])
def test_larger_windows_are_not_scaled(size: tuple[int, int]) -> None:
    assert compute_canvas_size(size) == size


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


def test_cells_can_be_drawn_in_a_small_window(driver: WindowDriver) -> None:
    screen = driver.open_screen("practice", rules="standard")
    driver.resize(640, 480)
    driver.click("board", x=0.55, y=0.98)
    assert screen.practice_game.stack.rows == (".....#....",)


def test_window_grows_again(driver: WindowDriver) -> None:
    driver.resize(1, 1)
    driver.resize(1280, 800)
    assert driver.window.surface is driver.window.native_window.get_surface()
