"""The keys of the settings screen: adding, removing, moving and resetting keys, by mouse and by keyboard."""

import pytest

from tests.app.drawn_texts import record_texts
from tests.app.window_driver import WindowDriver
from tetrion.app.screens.settings_screen import SettingsScreen
from tetrion.app.window_settings import DEFAULT_KEYS, MAX_KEYS_PER_ACTION, load_settings

SIZES = [(800, 700), (900, 700), (1000, 760), (1280, 720), (1280, 800), (1366, 768), (1920, 1080)]


def open_keys(driver: WindowDriver) -> SettingsScreen:
    screen = driver.open_screen("settings", tab="Keys")
    assert isinstance(screen, SettingsScreen)
    driver.run_frames(2)
    return screen


def get_keys(driver: WindowDriver, action: str) -> tuple[str, ...]:
    return driver.window.settings.keys[action]


def test_key_is_added_and_removed_with_the_mouse(driver: WindowDriver) -> None:
    open_keys(driver)
    driver.click("set add rotate")
    driver.press("I")
    assert driver.window.settings.keys["rotate"] == (*DEFAULT_KEYS["rotate"], "i")
    driver.run_frames()
    driver.click("set key rotate up")
    assert driver.window.settings.keys["rotate"] == ("x", "pad a", "i")
    assert load_settings() == (driver.window.settings, "")


def test_key_is_added_and_removed_with_the_keyboard(driver: WindowDriver) -> None:
    open_keys(driver)
    driver.window.ui.focus = "set key restart r"
    driver.press("→")
    assert driver.window.ui.focus == "set add restart"
    driver.press("Enter", "F5")
    assert get_keys(driver, "restart") == ("r", "f5")
    driver.run_frames()
    driver.press("←", "Del")
    assert get_keys(driver, "restart") == ("r",)
    driver.run_frames()
    driver.press("←", "Enter")
    assert get_keys(driver, "restart") == ()
    assert driver.window.notice == "R was removed; Restart has no key now. Backspace restores its keys."
    driver.press("↑")
    assert driver.window.ui.focus == "set add pause"


def test_key_of_another_action_moves_with_a_sentence(driver: WindowDriver) -> None:
    open_keys(driver)
    driver.click("set add left")
    driver.press("X")
    keys = driver.window.settings.keys
    assert keys["left"] == (*DEFAULT_KEYS["left"], "x")
    assert keys["rotate"] == ("up", "pad a")
    assert driver.window.notice == "X now means Move left; Rotate still has ↑, Pad A."
    driver.run_frames()
    driver.click("set add left")
    driver.press("R")
    assert driver.window.notice == "R now means Move left; Restart has no key now."


def test_escape_cancels_and_a_key_of_the_same_action_changes_nothing(driver: WindowDriver) -> None:
    screen = open_keys(driver)
    for key in ("Esc", "X"):
        driver.click("set add rotate")
        assert screen.keys_page.action_awaiting_key == "rotate"
        driver.press(key)
        assert not screen.keys_page.action_awaiting_key
        assert driver.window.settings.keys == DEFAULT_KEYS
        assert driver.screen is screen
        driver.run_frames()


def test_action_has_a_limited_number_of_keys(driver: WindowDriver) -> None:
    driver.window.change_settings(keys={**DEFAULT_KEYS, "left": tuple("123456")})
    open_keys(driver)
    driver.click("set add left")
    driver.press("7")
    assert driver.window.settings.keys["left"] == tuple("123456")
    assert str(MAX_KEYS_PER_ACTION) in driver.window.notice


def test_backspace_resets_an_action_and_a_button_resets_all(driver: WindowDriver) -> None:
    driver.window.change_settings(keys={**DEFAULT_KEYS, "left": ("j",), "right": ("l", "left"), "hint": ()})
    open_keys(driver)
    driver.window.ui.focus = "set key left j"
    driver.press("Backspace")
    keys = driver.window.settings.keys
    assert keys["left"] == DEFAULT_KEYS["left"]
    assert keys["right"] == ("l",), "← belongs to the default of another action"
    driver.run_frames()
    driver.click("set reset keys")
    assert driver.window.settings.keys == DEFAULT_KEYS


@pytest.mark.parametrize("size", SIZES)
def test_keys_fit_at_every_window_size(driver: WindowDriver, size: tuple[int, int]) -> None:
    driver.resize(*size)
    longest = ("left shift", "right shift", "backspace", "pad left shoulder", "page down", "caps lock")
    driver.window.change_settings(keys={**DEFAULT_KEYS, "left": longest}, play_rules="standard")
    open_keys(driver)
    ui = driver.window.ui
    boxes = {name: ui.get_box(name) for name in ui.focusable_names if name.startswith("set ")}
    page_left = next(drawn.box.left for drawn in record_texts(driver) if drawn.text == "Move right")
    assert boxes["set key left left shift"].left > page_left + ui.pen.measure_text("Move right", 16, True)
    for name, box in boxes.items():
        assert ui.pen.area.contains(box), name
        overlapping = [other for other, other_box in boxes.items() if other != name and box.colliderect(other_box)]
        assert not overlapping, name
