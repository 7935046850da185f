"""Gamepads, by the events that SDL sends: games, menus, remapping, several devices, and removal while a key is held."""

from typing import Any

import pygame

from tests.app.drawn_texts import record_texts
from tests.app.play_games import get_game, start_game
from tests.app.window_driver import WindowDriver
from tetrion.app.gamepad import PAD_CODES, PAD_LABELS, Gamepads, find_stick_direction
from tetrion.app.screens.play_screen import GAME_PAUSED, GAME_RUNNING, PlayScreen
from tetrion.app.toolkit.ui import format_key_label, get_key_code, get_key_label, get_key_name
from tetrion.board import Placement


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


def test_controller_plays_a_game(driver: WindowDriver) -> None:
    screen = start_game(driver, "standard", seed=7)
    start = get_piece(screen).column
    press_button(driver, pygame.CONTROLLER_BUTTON_DPAD_LEFT)
    assert get_piece(screen).column == start - 1
    press_button(driver, pygame.CONTROLLER_BUTTON_DPAD_RIGHT)
    assert get_piece(screen).column == start
    press_button(driver, pygame.CONTROLLER_BUTTON_A)
    assert get_piece(screen).rotation != 0
    press_button(driver, pygame.CONTROLLER_BUTTON_B)
    assert get_piece(screen).rotation == 0
    assert screen.state == GAME_RUNNING
    press_button(driver, pygame.CONTROLLER_BUTTON_DPAD_UP)
    assert get_game(screen).pieces == 1
    press_button(driver, pygame.CONTROLLER_BUTTON_Y)
    assert screen.hint_provider.is_on
    press_button(driver, pygame.CONTROLLER_BUTTON_START)
    assert screen.state == GAME_PAUSED
    press_button(driver, pygame.CONTROLLER_BUTTON_START)
    assert screen.state == GAME_RUNNING
    press_button(driver, pygame.CONTROLLER_BUTTON_START)
    press_button(driver, pygame.CONTROLLER_BUTTON_A)
    assert screen.state == GAME_RUNNING, "A uses the focused button, Continue"


def test_held_direction_repeats_and_ends_when_the_gamepad_is_removed(driver: WindowDriver) -> None:
    screen = start_game(driver, "standard", seed=7)
    start = get_piece(screen).column
    post(driver, pygame.CONTROLLERBUTTONDOWN, button=pygame.CONTROLLER_BUTTON_DPAD_LEFT)
    driver.run_frames(12)
    assert "Pad A" in {drawn.text for drawn in record_texts(driver)}, "the legend shows the device that was used last"
    assert get_piece(screen).column < start - 1
    post(driver, pygame.CONTROLLERDEVICEREMOVED)
    stopped = get_piece(screen).column
    driver.run_frames(20)
    assert get_piece(screen).column == stopped
    driver.press("x")
    assert "Pad A" not in {drawn.text for drawn in record_texts(driver)}


def test_stick_moves_once_per_deflection(driver: WindowDriver) -> None:
    screen = start_game(driver, "standard", seed=7)
    start = get_piece(screen).column
    for value in (9000, 25000, 28000, 21000):  # beyond the threshold, and still held slightly below it
        post(driver, pygame.CONTROLLERAXISMOTION, axis=pygame.CONTROLLER_AXIS_LEFTX, value=value)
    assert get_piece(screen).column == start + 1
    for value in (0, -32768):
        post(driver, pygame.CONTROLLERAXISMOTION, axis=pygame.CONTROLLER_AXIS_LEFTX, value=value)
    assert get_piece(screen).column == start
    assert find_stick_direction(-0.9, -0.7, is_held=False) == "pad left", "it has one direction at a time"
    assert find_stick_direction(0.2, 0.9, is_held=False) == "pad down"


def test_parts_of_gamepads_hold_the_same_key() -> None:
    gamepads = Gamepads()

    def send(event_type: int, **attributes: Any) -> list[tuple[int, int]]:
        keys = gamepads.translate([pygame.event.Event(event_type, **attributes)])
        return [(key.type, key.key) for key in keys]

    left = {"button": pygame.CONTROLLER_BUTTON_DPAD_LEFT}
    stick = {"axis": pygame.CONTROLLER_AXIS_LEFTX, "instance_id": 2}
    trigger = {"axis": pygame.CONTROLLER_AXIS_TRIGGERLEFT, "instance_id": 2}
    assert send(pygame.CONTROLLERBUTTONDOWN, instance_id=1, **left) == [(pygame.KEYDOWN, PAD_CODES["pad left"])]
    assert send(pygame.CONTROLLERAXISMOTION, value=-32768, **stick) == []
    assert send(pygame.CONTROLLERBUTTONUP, instance_id=1, **left) == []
    assert send(pygame.CONTROLLERAXISMOTION, value=0, **stick) == [(pygame.KEYUP, PAD_CODES["pad left"])]
    assert send(pygame.CONTROLLERAXISMOTION, value=32767, **trigger) == [
        (pygame.KEYDOWN, PAD_CODES["pad left trigger"])
    ]
    assert send(pygame.CONTROLLERDEVICEREMOVED, instance_id=2) == [(pygame.KEYUP, PAD_CODES["pad left trigger"])]
    assert send(pygame.CONTROLLERDEVICEADDED, device_index=99) == [], "it was removed before it was opened"


def test_menus_are_used_with_a_gamepad(driver: WindowDriver) -> None:
    driver.run_frames(2)
    press_button(driver, pygame.CONTROLLER_BUTTON_DPAD_DOWN)
    assert driver.window.ui.focus == "Watch"
    press_button(driver, pygame.CONTROLLER_BUTTON_DPAD_UP)
    assert driver.window.ui.focus == "Play"
    press_button(driver, pygame.CONTROLLER_BUTTON_A)
    driver.run_frames(2)
    assert driver.screen.title == "Play"
    press_button(driver, pygame.CONTROLLER_BUTTON_B)
    assert driver.screen.title == "Menu"
    driver.run_frames(2)
    post(driver, pygame.CONTROLLERBUTTONDOWN, button=pygame.CONTROLLER_BUTTON_DPAD_DOWN)
    driver.run_frames(60)
    assert driver.window.ui.focus == "Quit", "a held direction moves on"


def test_button_is_added_in_the_settings_and_moves_from_another_action(driver: WindowDriver) -> None:
    driver.open_screen("settings", tab="Keys")
    driver.run_frames(2)
    driver.click("set drop add")
    press_button(driver, pygame.CONTROLLER_BUTTON_A)
    keys = driver.window.settings.keys
    assert keys["drop"] == ("space", "pad up", "pad a")
    assert "pad a" not in keys["rotate"]
    assert driver.window.notice == "Pad A now means Hard drop; Rotate still has ↑, X."
    screen = start_game(driver, "standard", seed=7)
    press_button(driver, pygame.CONTROLLER_BUTTON_A)
    assert get_game(screen).pieces == 1


def test_every_button_has_a_name_a_label_and_a_code(driver: WindowDriver) -> None:
    for name, label in PAD_LABELS.items():
        code = PAD_CODES[name]
        assert get_key_name(code) == name
        assert get_key_label(code) == format_key_label(name) == label
        assert get_key_code(label) == code
        assert pygame.key.name(code) == "", "no key of a keyboard has this code"
