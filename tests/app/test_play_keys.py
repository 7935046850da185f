"""Tests of the keys on the play screen: several keys per action, key repeat, pause, and keys held at the end."""

import pygame

from tests.app.play_games import finish_game, get_column, get_game, start_game
from tests.app.window_driver import WindowDriver
from tetrion.app.game_storage import list_replay_files, load_best_scores
from tetrion.app.screens.play_screen import (
    GAME_OVER,
    GAME_PAUSED,
    GAME_RUNNING,
)
from tetrion.app.window_settings import DEFAULT_KEYS
from tetrion.replay import Replay


def test_held_key_repeats_as_defined_by_the_rules(driver: WindowDriver) -> None:
    screen = start_game(driver, "standard")
    start = get_column(screen)
    driver.hold("left")
    assert get_column(screen) == start - 1
    driver.run_frames(8)
    assert get_column(screen) == start - 1, "DAS is 170 ms"
    driver.run_frames(12)
    assert get_column(screen) == 0
    driver.release("left")
    driver.press("Esc", "Esc")

    screen = start_game(driver, "gavrilov")
    start = get_column(screen)
    driver.hold("left")
    driver.run_frames(30)
    assert get_column(screen) == start - 1, "these rules have no key repeat"
    driver.release("left")


def test_key_press_within_one_frame_counts(driver: WindowDriver) -> None:
    screen = start_game(driver)
    start = get_column(screen)
    for kind in (pygame.KEYDOWN, pygame.KEYUP, pygame.KEYDOWN, pygame.KEYUP):
        pygame.event.post(pygame.event.Event(kind, key=pygame.K_LEFT, mod=0, unicode=""))
    driver.run_frames()
    assert get_column(screen) == start - 2
    driver.run_frames(40)
    assert get_column(screen) == start - 2


def test_keys_missing_from_the_rules_do_nothing(driver: WindowDriver) -> None:
    screen = start_game(driver, "nes")
    before = get_game(screen).pieces, get_column(screen)
    driver.press("Space")
    assert (get_game(screen).pieces, get_column(screen)) == before
    labels = [label for _, label in screen._make_legend(get_game(screen).rules.keys.split("+"))]
    assert "Hard drop" not in labels
    assert "Rotate back" in labels


def test_custom_keys_are_used_and_shown(driver: WindowDriver) -> None:
    driver.window.change_settings(keys={**driver.window.settings.keys, "left": ("j",), "hint": ("g",)})
    screen = start_game(driver)
    start = get_column(screen)
    driver.press("J")
    assert get_column(screen) == start - 1
    driver.press("left", "A")
    assert get_column(screen) == start - 1
    assert screen._make_legend(["left"])[0][0][0] == "J"


def test_pause_releases_keys_and_stops_time(driver: WindowDriver) -> None:
    screen = start_game(driver)
    driver.hold("right")
    driver.press("P")
    assert screen.state == GAME_PAUSED
    before = get_game(screen).frames, get_column(screen)
    driver.run_frames(60)
    driver.release("right")
    assert (get_game(screen).frames, get_column(screen)) == before
    assert get_game(screen).events[-1][1:] == ("keyup", "right")
    driver.press("P")
    assert screen.state == GAME_RUNNING
    driver.run_frames(30)
    assert get_column(screen) == before[1]
    assert get_game(screen).frames > before[0]


def test_losing_the_focus_pauses_and_a_click_continues(driver: WindowDriver) -> None:
    screen = start_game(driver)
    driver.lose_focus()
    assert screen.state == GAME_PAUSED
    driver.run_frames(2)
    driver.click("overlay Continue")
    assert screen.state == GAME_RUNNING


def test_move_and_hard_drop_within_one_frame(driver: WindowDriver) -> None:
    screen = start_game(driver, "gavrilov")
    for key in (pygame.K_LEFT, pygame.K_SPACE):
        pygame.event.post(pygame.event.Event(pygame.KEYDOWN, key=key, mod=0, unicode=""))
        pygame.event.post(pygame.event.Event(pygame.KEYUP, key=key, mod=0))
    driver.run_frames(3)
    assert driver.screen is screen
    assert get_game(screen).falling_piece == get_game(screen).ghost


def test_every_key_of_an_action_works_and_the_action_ends_with_the_last_one(driver: WindowDriver) -> None:
    driver.window.change_settings(keys={**DEFAULT_KEYS, "left": ("left", "j"), "right": ("right", "d")})
    screen = start_game(driver)
    start = get_column(screen)
    driver.press("J")
    driver.press("left")
    assert get_column(screen) == start - 2
    driver.press("D", "right")
    assert get_column(screen) == start
    driver.hold("right")
    driver.hold("D")
    driver.release("right")
    assert get_game(screen).events[-1][1:] == ("keydown", "right"), "D still holds the action"
    driver.release("D")
    assert get_game(screen).events[-1][1:] == ("keyup", "right")
    rotations = []
    for key in ("X", "up", "left ctrl", "Z"):
        driver.press(key)
        falling = get_game(screen).falling_piece
        assert falling is not None
        rotations.append(falling.rotation)
    assert rotations[0] != rotations[1]
    assert rotations[2] == rotations[0]
    assert rotations[3] == 0


def test_escape_pauses_a_running_game_and_leaves_a_paused_one(driver: WindowDriver) -> None:
    screen = start_game(driver)
    driver.press("Esc")
    assert (screen.state, driver.screen) == (GAME_PAUSED, screen)
    driver.run_frames(2)
    assert driver.window.ui.focusable_names == ["overlay Continue", "overlay Restart", "overlay Menu"]
    driver.press("Esc")
    assert driver.screen.title == "Menu"
    screen = start_game(driver)
    driver.click("back")
    assert screen.state == GAME_PAUSED
    driver.press("P")
    keys = {action: names for action, names in driver.window.settings.keys.items() if action != "pause"}
    driver.window.change_settings(keys={**keys, "pause": ("p",)})
    driver.press("Esc")
    assert driver.screen.title == "Menu", "Esc is no longer a key of the game"


def test_action_without_a_key_is_not_shown(driver: WindowDriver) -> None:
    driver.window.change_settings(keys=dict.fromkeys(driver.window.settings.keys, ()))
    screen = start_game(driver)
    assert screen._make_legend(["rotate", "drop"]) == []
    driver.click("back")
    assert driver.screen.title == "Menu"


def test_keys_held_at_the_end_of_the_game_are_ignored_until_they_are_released(driver: WindowDriver) -> None:
    screen = start_game(driver, "tetrais", 5)
    driver.hold("down")
    finish_game(driver, screen)
    driver.run_frames(60)
    driver.hold("down")  # as a system sends it while a key is held
    driver.run_frames(60)
    assert driver.window.ui.focus == "overlay Play again"
    driver.release("down")
    driver.press("down")
    assert driver.window.ui.focus == "overlay Review"


def test_key_pressed_directly_after_the_end_never_reaches_the_overlay(driver: WindowDriver) -> None:
    screen = start_game(driver, "tetrais", 5)
    finish_game(driver, screen)
    driver.hold("Space")
    driver.run_frames(60)
    assert screen.state == GAME_OVER
    driver.hold("Space")
    driver.run_frames(2)
    assert screen.state == GAME_OVER, "it is the same press"
    driver.release("Space")
    driver.press("Space")
    assert screen.state == GAME_RUNNING


def test_keys_held_when_the_game_is_paused_are_ignored(driver: WindowDriver) -> None:
    screen = start_game(driver)
    driver.hold("down")
    driver.hold("P")
    driver.run_frames(2)
    driver.hold("down")
    driver.hold("P")
    driver.run_frames(60)
    assert (screen.state, driver.window.ui.focus) == (GAME_PAUSED, "overlay Continue")
    driver.release("P")
    driver.press("P")
    assert screen.state == GAME_RUNNING


def test_chosen_key_repeat_is_part_of_the_replay_and_not_of_the_best_scores(driver: WindowDriver) -> None:
    driver.window.change_settings(das=50, arr=10)
    screen = start_game(driver, "tetrais", 5)
    start = get_column(screen)
    driver.hold("left")
    driver.run_frames(2)
    assert get_column(screen) == start - 1
    driver.run_frames(5)
    assert get_column(screen) == 0
    driver.release("left")
    finish_game(driver, screen)
    (saved_file,) = list_replay_files()
    replay = Replay.load(saved_file)
    assert str(replay.rules) == "tetrais:das=50,arr=10"
    assert replay.play().board == get_game(screen).board
    assert list(load_best_scores()[0]) == ["tetrais"]
    assert driver.window.settings.play_rules == "tetrais"


def test_rotation_key_held_at_the_spawn_rotates_the_next_piece(driver: WindowDriver) -> None:
    """Initial rotation; in rules without it a held rotation key acts once."""
    for rules, turned in (("guideline:randomiser=only-T", 1), ("guideline:randomiser=only-T,initial_rotation=0", 0)):
        screen = start_game(driver, rules)
        driver.hold("x")
        driver.press("Space")
        falling = get_game(screen).falling_piece
        assert falling is not None
        assert falling.rotation == turned
        driver.release("x")
        driver.press("Esc", "Esc")


def test_hold_key_exchanges_the_piece(driver: WindowDriver) -> None:
    screen = start_game(driver, "guideline")
    before = get_game(screen).position
    driver.press("C")
    assert get_game(screen).position.hold == before.piece
    assert get_game(screen).piece == before.next[0]
