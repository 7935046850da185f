"""The pages of the settings: adding, removing, moving and resetting keys, and the arrow keys between the rows."""

import pygame
import pytest

from tests.app.drawn_texts import check_texts, record_texts
from tests.app.window_driver import WindowDriver
from tetrion.app.toolkit.ui import get_key_code, get_key_label
from tetrion.app.window_settings import DEFAULT_KEYS, MAX_KEYS_PER_ACTION, load_settings


def open_keys(driver: WindowDriver) -> None:
    driver.open_screen("settings", tab="Keys")
    driver.run_frames(2)


def get_keys(driver: WindowDriver, action: str) -> tuple[str, ...]:
    return driver.window.settings.keys[action]


def test_key_is_added_and_removed_with_the_mouse(driver: WindowDriver) -> None:
    open_keys(driver)
    driver.click("set rotate add")
    driver.press("I")
    assert get_keys(driver, "rotate") == (*DEFAULT_KEYS["rotate"], "i")
    driver.run_frames()
    driver.click("set rotate key up")
    assert get_keys(driver, "rotate") == ("x", "pad a", "i")
    assert load_settings() == (driver.window.settings, "")


def test_key_is_added_and_removed_with_the_keyboard(driver: WindowDriver) -> None:
    open_keys(driver)
    driver.press("→")
    assert driver.window.ui.focus == "set left add", "not a key to remove"
    driver.window.ui.focus = "set restart key r"
    driver.press("→", "Enter", "F5")
    assert get_keys(driver, "restart") == ("r", "f5")
    driver.run_frames()
    driver.press("←", "Del")
    assert get_keys(driver, "restart") == ("r",)
    driver.run_frames()
    driver.press("←", "Enter")
    assert get_keys(driver, "restart") == ()
    assert driver.window.notice == "R was removed; Restart has no key now. Backspace restores its keys."
    driver.press("↑")
    assert driver.window.ui.focus == "set pause add"


def test_key_of_another_action_moves_with_a_sentence(driver: WindowDriver) -> None:
    open_keys(driver)
    for key, message in (
        ("X", "X now means Move left; Rotate still has ↑, Pad A."),
        ("R", "R now means Move left; Restart has no key now."),
    ):
        driver.click("set left add")
        driver.press(key)
        assert driver.window.notice == message
        driver.run_frames()
    assert get_keys(driver, "left") == (*DEFAULT_KEYS["left"], "x", "r")
    assert get_keys(driver, "rotate") == ("up", "pad a")


@pytest.mark.parametrize("key", ["Esc", "X"])
def test_escape_and_a_key_of_the_same_action_change_nothing(driver: WindowDriver, key: str) -> None:
    open_keys(driver)
    driver.click("set rotate add")
    assert "Press a key" in {drawn.text for drawn in record_texts(driver)}
    driver.press(key)
    assert "Press a key" not in {drawn.text for drawn in record_texts(driver)}
    assert driver.window.settings.keys == DEFAULT_KEYS
    assert driver.screen.title == "Settings"


def test_any_named_key_can_be_assigned_up_to_a_limit(driver: WindowDriver) -> None:
    driver.window.change_settings(keys={**DEFAULT_KEYS, "restart": tuple("12")})
    open_keys(driver)
    for code, name in ((ord("ö"), "ö"), (ord("ß"), "ß"), (pygame.K_KP1, "[1]"), (pygame.K_7, "7"), (0, "")):
        driver.click("set restart add")
        pygame.event.post(pygame.event.Event(pygame.KEYDOWN, key=code, mod=0, unicode=""))
        driver.run_frames(2)
        assert not name or get_key_code(get_key_label(code)) == code
    assert driver.window.notice == "This key cannot be used. Press another one."
    assert get_keys(driver, "restart") == ("1", "2", "ö", "ß", "[1]", "7")
    assert load_settings() == (driver.window.settings, "")
    driver.click("set restart add")
    driver.press("8")
    assert len(get_keys(driver, "restart")) == MAX_KEYS_PER_ACTION
    assert str(MAX_KEYS_PER_ACTION) in driver.window.notice


def test_backspace_resets_an_action_and_a_button_resets_all(driver: WindowDriver) -> None:
    driver.window.change_settings(keys={**DEFAULT_KEYS, "left": ("j",), "right": ("l", "left"), "hint": ()})
    open_keys(driver)
    driver.window.ui.focus = "set left key j"
    driver.press("Backspace")
    assert get_keys(driver, "left") == DEFAULT_KEYS["left"]
    assert get_keys(driver, "right") == ("l",), "← belongs to the default of another action"
    driver.run_frames()
    driver.click("set reset keys")
    assert driver.window.settings.keys == DEFAULT_KEYS


@pytest.mark.parametrize("size", [(800, 640), (1100, 700), (1280, 800)])
def test_many_keys_fit(driver: WindowDriver, size: tuple[int, int]) -> None:
    driver.resize(*size)
    longest = ("left shift", "right shift", "backspace", "pad left shoulder", "page down", "caps lock")
    driver.window.change_settings(keys={**DEFAULT_KEYS, "left": longest}, play_rules="standard")
    open_keys(driver)
    check_texts(driver)
    ui = driver.window.ui
    boxes = [ui.get_box(name) for name in ui.focusable_names if name.startswith("set ")]
    assert all(ui.pen.area.contains(box) for box in boxes)
    assert not [box for number, box in enumerate(boxes) if box.collidelist(boxes[number + 1 :]) >= 0]


@pytest.mark.parametrize(("size", "enter"), [((1280, 800), "→"), ((800, 640), "↓")])
def test_arrows_move_between_the_tab_and_the_rows_of_its_page(
    driver: WindowDriver, size: tuple[int, int], enter: str
) -> None:
    driver.resize(*size)
    driver.open_screen("settings", tab="Sound")
    driver.run_frames(2)
    assert driver.window.ui.focus == "tab Sound"
    for key, focus in ((enter, "sounds"), ("↓", "music"), ("↓", "music_volume"), ("↓", "music_volume")):
        driver.press(key)
        assert driver.window.ui.focus == f"set {focus}"
    driver.press("→")
    assert driver.window.settings.music_volume == 0.4, "the arrows change a setting that has the focus"
    driver.press("Backspace", "↑", "↑", "↑")
    assert driver.window.settings.music_volume == 0.35
    assert driver.window.ui.focus == "tab Sound"
    driver.press("Enter")
    assert driver.window.ui.focus == "set sounds"
