"""Gamepads, by the events that SDL sends: games, menus, remapping, several devices, and removal while a key is held."""

from typing import Any

import pygame
import pytest

from tests.app.window_driver import WindowDriver
from tetrion.app.gamepad import PAD_CODES, PAD_LABELS, Gamepads, find_stick_direction
from tetrion.app.screens.play_screen import GAME_PAUSED, GAME_RUNNING, PlayScreen
from tetrion.app.toolkit.ui import format_key_label, get_key_code, get_key_label, get_key_name


def post(driver: WindowDriver, event_type: int, **attributes: Any) -> None:
    pygame.event.post(pygame.event.Event(event_type, **{"instance_id": 3, **attributes}))
    driver.run_frames()


def press_button(driver: WindowDriver, button: int) -> None:
    post(driver, pygame.CONTROLLERBUTTONDOWN, button=button)
    post(driver, pygame.CONTROLLERBUTTONUP, button=button)


def start_game(driver: WindowDriver, rules: str = "standard") -> PlayScreen:
    screen = driver.open_screen("play", rules=rules, seed=7, start=True)
    assert isinstance(screen, PlayScreen)
    return screen


def get_column(screen: PlayScreen) -> int:
    assert screen.human_game is not None
    assert screen.human_game.game.falling_piece is not None
    return screen.human_game.game.falling_piece.column


def get_rotation(screen: PlayScreen) -> int:
    assert screen.human_game is not None
    assert screen.human_game.game.falling_piece is not None
    return screen.human_game.game.falling_piece.rotation


def count_pieces(screen: PlayScreen) -> int:
    assert screen.human_game is not None
    return screen.human_game.game.pieces


def test_controller_plays_a_game(driver: WindowDriver) -> None:
    screen = start_game(driver)
    start = get_column(screen)
    press_button(driver, pygame.CONTROLLER_BUTTON_DPAD_LEFT)
    assert get_column(screen) == start - 1
    press_button(driver, pygame.CONTROLLER_BUTTON_DPAD_RIGHT)
    assert get_column(screen) == start
    press_button(driver, pygame.CONTROLLER_BUTTON_A)
    rotated = get_rotation(screen)
    assert rotated != 0
    press_button(driver, pygame.CONTROLLER_BUTTON_B)
    assert get_rotation(screen) == 0
    assert screen.state == GAME_RUNNING
    press_button(driver, pygame.CONTROLLER_BUTTON_DPAD_UP)
    assert count_pieces(screen) == 1
    press_button(driver, pygame.CONTROLLER_BUTTON_Y)
    assert screen.hint_provider.is_on


def test_held_direction_repeats_and_ends_when_the_gamepad_is_removed(driver: WindowDriver) -> None:
    screen = start_game(driver)
    start = get_column(screen)
    post(driver, pygame.CONTROLLERBUTTONDOWN, button=pygame.CONTROLLER_BUTTON_DPAD_LEFT)
    driver.run_frames(12)
    moved = get_column(screen)
    assert moved < start - 1
    post(driver, pygame.JOYDEVICEREMOVED)
    stopped = get_column(screen)
    driver.run_frames(20)
    assert get_column(screen) == stopped


def test_stick_moves_once_per_deflection(driver: WindowDriver) -> None:
    screen = start_game(driver)
    start = get_column(screen)
    for value in (9000, 25000, 28000, 21000):  # beyond the threshold, and still held slightly below it
        post(driver, pygame.CONTROLLERAXISMOTION, axis=pygame.CONTROLLER_AXIS_LEFTX, value=value)
    assert get_column(screen) == start + 1
    post(driver, pygame.CONTROLLERAXISMOTION, axis=pygame.CONTROLLER_AXIS_LEFTX, value=0)
    post(driver, pygame.CONTROLLERAXISMOTION, axis=pygame.CONTROLLER_AXIS_LEFTX, value=-32768)
    assert get_column(screen) == start


def test_stick_has_one_direction_at_a_time() -> None:
    assert find_stick_direction(0.5, 0.0, is_held=False) == ""
    assert find_stick_direction(0.5, 0.0, is_held=True) == "pad right"
    assert find_stick_direction(-0.9, -0.7, is_held=False) == "pad left"
    assert find_stick_direction(0.2, -0.9, is_held=False) == "pad up"
    assert find_stick_direction(0.2, 0.9, is_held=False) == "pad down"


def test_joystick_without_a_mapping_plays_too(driver: WindowDriver) -> None:
    screen = start_game(driver)
    start = get_column(screen)
    post(driver, pygame.JOYHATMOTION, hat=0, value=(-1, 0))
    post(driver, pygame.JOYHATMOTION, hat=0, value=(0, 0))
    assert get_column(screen) == start - 1
    post(driver, pygame.JOYAXISMOTION, axis=0, value=1.0)
    post(driver, pygame.JOYAXISMOTION, axis=0, value=0.0)
    assert get_column(screen) == start
    post(driver, pygame.JOYBUTTONDOWN, button=0)
    post(driver, pygame.JOYBUTTONUP, button=0)
    assert get_rotation(screen) != 0
    post(driver, pygame.JOYBUTTONDOWN, button=31)  # a button without a name
    assert screen.state == GAME_RUNNING


def test_joystick_events_of_a_mapped_controller_are_ignored() -> None:
    gamepads = Gamepads()
    gamepads._mapped_instances.add(3)
    button = pygame.event.Event(pygame.JOYBUTTONDOWN, instance_id=3, button=0)
    mapped = pygame.event.Event(pygame.CONTROLLERBUTTONDOWN, instance_id=3, button=pygame.CONTROLLER_BUTTON_A)
    assert [event.key for event in gamepads.translate([button, mapped])] == [PAD_CODES["pad a"]]


def test_device_that_is_removed_before_it_is_opened_is_ignored() -> None:
    assert Gamepads().translate([pygame.event.Event(pygame.JOYDEVICEADDED, device_index=99)]) == []


def test_two_gamepads_hold_the_same_key() -> None:
    gamepads = Gamepads()

    def send(event_type: int, instance: int) -> list[int]:
        button = pygame.CONTROLLER_BUTTON_DPAD_LEFT
        event = pygame.event.Event(event_type, instance_id=instance, button=button)
        return [key.type for key in gamepads.translate([event])]

    assert send(pygame.CONTROLLERBUTTONDOWN, 1) == [pygame.KEYDOWN]
    assert send(pygame.CONTROLLERBUTTONDOWN, 2) == []
    assert send(pygame.CONTROLLERBUTTONUP, 1) == []
    assert send(pygame.CONTROLLERBUTTONUP, 2) == [pygame.KEYUP]


def test_menus_are_used_with_a_gamepad(driver: WindowDriver) -> None:
    driver.run_frames(2)
    assert driver.window.ui.focus == "Watch"
    press_button(driver, pygame.CONTROLLER_BUTTON_DPAD_UP)
    assert driver.window.ui.focus == "Play"
    press_button(driver, pygame.CONTROLLER_BUTTON_A)
    driver.run_frames(2)
    assert driver.screen.title == "Play"
    press_button(driver, pygame.CONTROLLER_BUTTON_B)
    assert driver.screen.title == "Menu"


def test_held_direction_moves_through_a_menu(driver: WindowDriver) -> None:
    driver.run_frames(2)
    post(driver, pygame.CONTROLLERBUTTONDOWN, button=pygame.CONTROLLER_BUTTON_DPAD_DOWN)
    driver.run_frames(60)
    assert driver.window.ui.focus == "Quit"
    post(driver, pygame.CONTROLLERBUTTONUP, button=pygame.CONTROLLER_BUTTON_DPAD_DOWN)


def test_start_pauses_and_continues(driver: WindowDriver) -> None:
    screen = start_game(driver)
    press_button(driver, pygame.CONTROLLER_BUTTON_START)
    assert screen.state == GAME_PAUSED
    press_button(driver, pygame.CONTROLLER_BUTTON_START)
    assert screen.state == GAME_RUNNING
    press_button(driver, pygame.CONTROLLER_BUTTON_START)
    press_button(driver, pygame.CONTROLLER_BUTTON_A)
    assert screen.state == GAME_RUNNING, "A uses the focused button, Continue"


def test_match_is_paused_with_start(driver: WindowDriver) -> None:
    screen = driver.open_screen("versus", players=("you", "lowest"), rules="standard", seed=3)
    driver.run_until(lambda: screen.match is not None and not screen.match.waiting_message)
    press_button(driver, pygame.CONTROLLER_BUTTON_START)
    assert screen.match.is_paused
    driver.run_frames(2)
    press_button(driver, pygame.CONTROLLER_BUTTON_START)
    assert not screen.match.is_paused


def test_legend_shows_the_device_that_was_used_last(driver: WindowDriver) -> None:
    screen = start_game(driver)
    press_button(driver, pygame.CONTROLLER_BUTTON_DPAD_LEFT)
    assert screen._make_legend(["rotate"])[1] == (["Pad A"], "Rotate")
    driver.press("right")
    assert screen._make_legend(["rotate"])[1] == (["↑"], "Rotate")


def test_button_is_added_in_the_settings_and_moves_from_another_action(driver: WindowDriver) -> None:
    driver.open_screen("settings", tab="Keys")
    driver.run_frames(2)
    driver.click("set add drop")
    press_button(driver, pygame.CONTROLLER_BUTTON_A)
    keys = driver.window.settings.keys
    assert keys["drop"] == ("space", "pad up", "pad a")
    assert "pad a" not in keys["rotate"]
    assert driver.window.notice == "Pad A now means Hard drop; Rotate still has ↑, X."
    screen = start_game(driver)
    press_button(driver, pygame.CONTROLLER_BUTTON_A)
    assert count_pieces(screen) == 1


@pytest.mark.parametrize("name", PAD_LABELS)
def test_every_button_has_a_name_a_label_and_a_code(driver: WindowDriver, name: str) -> None:
    code = PAD_CODES[name]
    assert get_key_name(code) == name
    assert get_key_label(code) == format_key_label(name) == PAD_LABELS[name]
    assert get_key_code(PAD_LABELS[name]) == code
    assert pygame.key.name(code) == "", "no key of a keyboard has this code"
