"""Keys and gamepads: assigning keys in the settings, and the events of gamepads in games and menus."""

from typing import Any

import pygame

from tests.app.drawn_texts import record_texts
from tests.app.play_games import get_game, start_game
from tests.app.window_driver import WindowDriver
from tetrion.app.screens.play_screen import GAME_PAUSED, GAME_RUNNING, PlayScreen
from tetrion.app.window_settings import DEFAULT_KEYS, load_settings
from tetrion.board import Placement

# Settings.


def open_keys(driver: WindowDriver) -> None:
    driver.open_screen("settings", tab="Keys")
    driver.run_frames(2)


def get_keys(driver: WindowDriver, action: str) -> tuple[str, ...]:
    return driver.window.settings.keys[action]


def shows_text(driver: WindowDriver, text: str) -> bool:
    return text in {drawn.text for drawn in record_texts(driver)}


def test_keys_are_added_moved_and_removed_with_the_mouse(driver: WindowDriver) -> None:
    open_keys(driver)
    for key in ("Esc", "X"):  # X is a key of this action already
        driver.click("set rotate add")
        assert shows_text(driver, "Press a key")
        driver.press(key)
        assert not shows_text(driver, "Press a key")
        assert driver.window.settings.keys == DEFAULT_KEYS
        assert driver.screen.title == "Settings"
    for key, message in (
        ("X", "X now means Move left; Rotate still has ↑, Pad A."),
        ("R", "R now means Move left; Restart has no key now."),
    ):
        driver.click("set left add")
        driver.press(key)
        assert driver.window.notice == message
        driver.run_frames()
    driver.click("set rotate key up")
    assert get_keys(driver, "left") == (*DEFAULT_KEYS["left"], "x", "r")
    assert get_keys(driver, "rotate") == ("pad a",)
    assert load_settings() == (driver.window.settings, "")


def test_keys_are_added_removed_and_reset_with_the_keyboard(driver: WindowDriver) -> None:
    driver.window.change_settings(keys={**DEFAULT_KEYS, "left": ("j",), "right": ("l", "left"), "hint": ()})
    open_keys(driver)
    driver.press("→")
    assert driver.window.ui.focus == "set left add", "not a key to remove"
    driver.window.ui.focus = "set restart key r"
    driver.press("→", "Enter", "F5")
    assert get_keys(driver, "restart") == ("r", "f5")
    driver.run_frames()
    driver.press("←", "Del")
    driver.run_frames()
    driver.press("←", "Enter")
    assert get_keys(driver, "restart") == ()
    assert driver.window.notice == "R was removed; Restart has no key now. Backspace restores its keys."
    driver.window.ui.focus = "set left key j"
    driver.press("Backspace")
    assert get_keys(driver, "left") == DEFAULT_KEYS["left"]
    assert get_keys(driver, "right") == ("l",), "← belongs to the default of another action"
    driver.run_frames()
    driver.click("set reset keys")
    assert driver.window.settings.keys == DEFAULT_KEYS


# Gamepads.


def post(driver: WindowDriver, event_type: int, **attributes: Any) -> None:
    pygame.event.post(pygame.event.Event(event_type, **{"instance_id": 3, **attributes}))
    driver.run_frames()


def press_button(driver: WindowDriver, button: int) -> None:
    post(driver, pygame.CONTROLLERBUTTONDOWN, button=button)
    post(driver, pygame.CONTROLLERBUTTONUP, button=button)


def get_piece(screen: PlayScreen) -> Placement:
    piece = get_game(screen).falling_piece
    assert piece is not None
    return piece


def test_gamepad_plays_a_game(driver: WindowDriver) -> None:
    screen = start_game(driver, "standard", seed=7)
    start = get_piece(screen).column
    press_button(driver, pygame.CONTROLLER_BUTTON_DPAD_LEFT)
    assert get_piece(screen).column == start - 1
    press_button(driver, pygame.CONTROLLER_BUTTON_A)
    assert get_piece(screen).rotation != 0
    press_button(driver, pygame.CONTROLLER_BUTTON_B)
    assert get_piece(screen).rotation == 0
    press_button(driver, pygame.CONTROLLER_BUTTON_DPAD_UP)
    assert get_game(screen).pieces == 1
    press_button(driver, pygame.CONTROLLER_BUTTON_Y)
    assert screen.has_hints
    press_button(driver, pygame.CONTROLLER_BUTTON_START)
    assert screen.state == GAME_PAUSED
    press_button(driver, pygame.CONTROLLER_BUTTON_A)
    assert screen.state == GAME_RUNNING, "A uses the focused button, Continue"


def test_stick_and_held_direction_move_until_the_gamepad_is_removed(driver: WindowDriver) -> None:
    screen = start_game(driver, "standard", seed=7)
    start = get_piece(screen).column
    for values, column in (((9000, 25000, 28000, 21000), start + 1), ((0, -32768, 0), start)):
        for value in values:  # beyond the threshold, and still held slightly below it
            post(driver, pygame.CONTROLLERAXISMOTION, axis=pygame.CONTROLLER_AXIS_LEFTX, value=value)
        assert get_piece(screen).column == column
    post(driver, pygame.CONTROLLERBUTTONDOWN, button=pygame.CONTROLLER_BUTTON_DPAD_LEFT)
    driver.run_frames(12)
    assert shows_text(driver, "Pad A"), "the legend shows the device that was used last"
    post(driver, pygame.CONTROLLERDEVICEREMOVED)
    stopped = get_piece(screen).column
    assert stopped < start - 1
    driver.run_frames(20)
    assert get_piece(screen).column == stopped
    driver.press("x")
    assert not shows_text(driver, "Pad A")


def test_gamepad_moves_in_menus_and_gets_other_actions_in_the_settings(driver: WindowDriver) -> None:
    driver.run_frames(2)
    press_button(driver, pygame.CONTROLLER_BUTTON_DPAD_DOWN)
    press_button(driver, pygame.CONTROLLER_BUTTON_A)
    driver.run_frames(2)
    assert driver.screen.title == "Watch"
    press_button(driver, pygame.CONTROLLER_BUTTON_B)
    assert driver.screen.title == "Menu"
    driver.run_frames(2)
    post(driver, pygame.CONTROLLERBUTTONDOWN, button=pygame.CONTROLLER_BUTTON_DPAD_DOWN)
    driver.run_frames(60)
    assert driver.window.ui.focus == "Quit", "a held direction moves on"
    post(driver, pygame.CONTROLLERBUTTONUP, button=pygame.CONTROLLER_BUTTON_DPAD_DOWN)
    open_keys(driver)
    driver.click("set drop add")
    press_button(driver, pygame.CONTROLLER_BUTTON_A)
    assert get_keys(driver, "drop") == ("space", "pad up", "pad a")
    assert driver.window.notice == "Pad A now means Hard drop; Rotate still has ↑, X."
    screen = start_game(driver, "standard", seed=7)
    press_button(driver, pygame.CONTROLLER_BUTTON_A)
    assert get_game(screen).pieces == 1
