"""The person in a match: pause keys, keys held at the end, the rows in which pieces spawn, and the key repeat."""

import pygame
import pytest

from tests.app.window_driver import WindowDriver
from tetrion.app.games.versus_match import VersusMatch
from tetrion.app.screens.versus_screen import VersusScreen
from tetrion.drawing.palette import get_piece_colours


def start_match(driver: WindowDriver, rules: str, *players: str) -> tuple[VersusScreen, VersusMatch]:
    screen: VersusScreen = driver.open_screen(
        "versus", players=players or ("you", "lowest"), rules=rules, seed=7, speed=30
    )
    driver.run_until(lambda: screen.match is not None and not screen.match.waiting_message)
    driver.run_frames(10)  # the fade from the menu
    assert screen.match is not None
    return screen, screen.match


def test_escape_pauses_the_match_of_a_person_and_then_leads_to_the_menu(driver: WindowDriver) -> None:
    screen, match = start_match(driver, "standard")
    driver.press("Esc")
    assert match.is_paused
    assert driver.screen is screen
    driver.run_frames(2)
    driver.press("Esc")
    assert driver.screen.title == "Menu"


def test_escape_leads_from_a_match_of_agents_to_the_menu(driver: WindowDriver) -> None:
    start_match(driver, "standard", "lowest", "dellacherie")
    driver.press("Esc")
    assert driver.screen.title == "Menu"


def test_keys_held_at_the_end_of_a_match_are_ignored_until_they_are_released(driver: WindowDriver) -> None:
    _, match = start_match(driver, "standard:height=5,gravity=20")
    driver.hold("down")
    driver.run_until(lambda: match.is_over)
    driver.run_frames(60)
    driver.hold("down")  # as a system sends it while a key is held
    driver.run_frames(60)
    assert driver.window.ui.focus == "overlay Next game"
    driver.release("down")
    driver.press("down")
    assert driver.window.ui.focus == "overlay Menu"


def test_key_pressed_long_after_the_end_of_a_match_is_used_at_once(driver: WindowDriver) -> None:
    _, match = start_match(driver, "standard:height=5,gravity=20")
    driver.run_until(lambda: match.is_over)
    driver.press("down")
    assert driver.window.ui.focus == "overlay Next game", "still intended for the game"
    driver.run_frames(60)
    driver.press("down")
    assert driver.window.ui.focus == "overlay Menu"


@pytest.mark.parametrize("rules", ["standard", "gavrilov", "hindi"])
def test_piece_of_a_person_is_visible_where_it_spawns(driver: WindowDriver, rules: str) -> None:
    driver.window.change_settings(ghost=False)
    screen, match = start_match(driver, rules)
    screen.start_next_game()
    assert screen.match is not match
    driver.run_frames(1, seconds=0.0)
    assert screen.match is not None
    player = screen.match.human_player
    assert player is not None
    assert player.game.frames == 0
    colour = pygame.Color(get_piece_colours("tetrion")[player.game.piece])
    board = driver.window.surface.subsurface((300, 156, 250, 560))
    assert pygame.mask.from_threshold(board, colour, (1, 1, 1, 255)).count() > 400


def test_key_repeat_of_a_person_applies_to_the_person_alone(driver: WindowDriver) -> None:
    driver.window.change_settings(das=90, arr=20)
    _, match = start_match(driver, "standard")
    assert [str(player.game.rules) for player in match.players] == ["standard:das=90,arr=20", "standard"]
