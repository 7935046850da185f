"""Tests of the setup of a match: rules of the players, problems, the focus, and the choices of the session."""

from pathlib import Path

import pytest

from tests.app.drawn_texts import WINDOW_SIZES, check_texts
from tests.app.window_driver import WindowDriver
from tetrion.app.screens.menu_screen import MenuScreen
from tetrion.app.screens.review_screen import ReviewScreen
from tetrion.app.screens.versus_screen import VersusScreen
from tetrion.app.screens.versus_setup import make_match_rules_options

LOW_WINDOW = (800, 640)
LEE_RULES = "standard:preview=1,randomiser=bag"


def open_setup(driver: WindowDriver, players: tuple[str, ...] = ()) -> VersusScreen:
    """Open the setup, choose players, and wait until they are checked."""
    screen: VersusScreen = driver.open_screen("versus")
    if players:
        screen.setup.players = list(players)
        driver.run_frames(2)
    wait_for_check(driver, screen)
    return screen


def wait_for_check(driver: WindowDriver, screen: VersusScreen) -> None:
    """Wait until the current players and rules are checked."""
    setup = screen.setup
    driver.run_until(
        lambda: setup.validation.request == (tuple(setup.players), setup.rules) and setup.validation.is_done
    )
    driver.run_frames(2)
    driver.run_until(lambda: setup.validation.is_done)
    driver.run_frames(2)


@pytest.mark.parametrize("players", [("dellacherie", "lee"), ("dellacherie", "lee", "gavrilov", "medico")])
def test_different_rules_are_explained_in_full(driver: WindowDriver, players: tuple[str, ...]) -> None:
    screen = open_setup(driver, players)
    for size in (LOW_WINDOW, *WINDOW_SIZES):
        driver.resize(*size)
        driver.run_frames(10)
        text = check_texts(driver)
        assert f"The players were made for different rules: dellacherie for standard, lee for {LEE_RULES}" in text
        assert "Choose the rules. " in f"{text} "
        assert "…" not in text
        assert "--rules" not in text
        assert "`" not in text
    assert "start" not in driver.window.ui.focusable_names
    screen.setup.rules = LEE_RULES
    wait_for_check(driver, screen)
    assert "start" in driver.window.ui.focusable_names


def test_default_rules_are_described_as_they_are_chosen(driver: WindowDriver) -> None:
    assert make_match_rules_options()[0].description == "the rules that all agents were made for"
    screen = open_setup(driver, ("dellacherie", "el-tetris"))
    result = screen.setup.validation.result
    assert result
    assert str(result.rules) == "standard"
    assert "the agents' rules: standard" in check_texts(driver)


def test_added_player_of_other_rules_keeps_the_rules_and_says_so(driver: WindowDriver) -> None:
    screen = open_setup(driver)
    driver.click("add")
    wait_for_check(driver, screen)
    assert screen.setup.players == ["you", "lee", "dellacherie"]
    assert screen.setup.rules == LEE_RULES
    assert driver.window.notice == f"Rules: {LEE_RULES} for all players. dellacherie was made for other rules."
    assert screen.setup.validation.result


def test_added_player_of_the_same_rules_changes_nothing(driver: WindowDriver) -> None:
    screen = open_setup(driver, ("el-tetris", "du"))
    driver.click("add")
    wait_for_check(driver, screen)
    assert screen.setup.players == ["el-tetris", "du", "dellacherie"]
    assert screen.setup.rules == ""
    assert driver.window.notice == ""


def test_players_can_be_added_faster_than_they_are_checked(driver: WindowDriver) -> None:
    screen: VersusScreen = driver.open_screen("versus")
    driver.click("add")
    driver.click("add")
    wait_for_check(driver, screen)
    assert screen.setup.players == ["you", "lee", "dellacherie", "gavrilov"]
    assert screen.setup.rules == LEE_RULES


def test_focus_follows_players_that_are_added_or_removed(driver: WindowDriver, tmp_path: Path) -> None:
    screen = open_setup(driver, ("lowest", str(tmp_path / "none.json")))
    assert screen.setup.validation.problem
    for number in (3, 4):
        driver.window.ui.request_focus("add")
        driver.run_frames(2)
        driver.press("Enter")
        wait_for_check(driver, screen)
        assert driver.window.ui.focus == f"player {number}"
    assert "start" not in driver.window.ui.focusable_names
    driver.press("Tab")
    assert driver.window.ui.focus == "remove 4"
    driver.press("Enter")
    wait_for_check(driver, screen)
    assert driver.window.ui.focus == "player 3"
    driver.click("remove 1")
    wait_for_check(driver, screen)
    assert driver.window.ui.focus == "player 1"


def test_problem_gives_the_focus_to_a_player(driver: WindowDriver, tmp_path: Path) -> None:
    screen: VersusScreen = driver.open_screen("versus", players=("lowest", str(tmp_path / "none.json")))
    wait_for_check(driver, screen)
    assert driver.window.ui.focus == "player 1"


def test_agents_are_slow_by_default_if_a_person_plays(driver: WindowDriver) -> None:
    screen = open_setup(driver)
    assert screen.setup.speed == 1
    assert "1 move per second" in check_texts(driver)
    screen.setup.players = ["dellacherie", "el-tetris"]
    wait_for_check(driver, screen)
    assert screen.setup.speed == 4
    driver.click("speed", x=0.99)
    screen.setup.players = ["you", "lee"]
    wait_for_check(driver, screen)
    assert screen.setup.speed == 30, "a chosen speed stays"


def test_setup_begins_with_the_last_choices_of_the_session(driver: WindowDriver) -> None:
    screen = open_setup(driver, ("dellacherie", "lowest"))
    screen.setup.rules = "standard-10x10"
    driver.click("speed", x=0.99)
    driver.click("timing", x=0.9)
    wait_for_check(driver, screen)
    driver.press("Esc")
    assert isinstance(driver.screen, MenuScreen)
    again = open_setup(driver)
    assert again.setup is not screen.setup
    assert again.setup.players == ["dellacherie", "lowest"]
    assert (again.setup.rules, again.setup.speed, again.setup.is_synchronised) == ("standard-10x10", 30, False)
    assert again.match is None, "remembered players do not start a match"
    driver.press("Esc")
    given: VersusScreen = driver.open_screen("versus", players=("you", "lee"), rules="", seed=1)
    driver.run_until(lambda: given.match)
    assert given.match
    assert (given.match.settings.players, given.match.settings.speed) == (("you", "lee"), 1)
    assert str(given.match.rules) == LEE_RULES, "given players come with their own rules"


def test_result_of_a_person_can_be_reviewed(driver: WindowDriver) -> None:
    screen: VersusScreen = driver.open_screen(
        "versus", players=("you", "lowest"), rules="standard:height=5,gravity=20", seed=7, speed=30
    )
    driver.run_until(lambda: screen.match and screen.match.is_over)
    driver.run_frames(60)
    assert screen.match
    human = screen.match.human_player
    assert human is not None
    labels = [name for name in driver.window.ui.focusable_names if name.startswith("overlay")]
    assert labels == [f"overlay {label}" for label in ("Next game", "Play again", "Review", "Change players", "Menu")]
    driver.click("overlay Review")
    driver.run_until(lambda: isinstance(driver.screen, ReviewScreen))
    review = driver.screen
    assert isinstance(review, ReviewScreen)
    assert review.file == str(human.saved_file)
    driver.press("Esc")
    assert driver.screen is screen


def test_person_who_is_out_can_review_while_agents_still_play(driver: WindowDriver) -> None:
    screen: VersusScreen = driver.open_screen(
        "versus", players=("you", "dellacherie"), rules="standard:gravity=1", seed=7, speed=0.5
    )
    driver.run_until(lambda: screen.match and not screen.match.waiting_message)
    assert screen.match
    human = screen.match.human_player
    assert human is not None
    driver.press("P")
    assert "overlay Continue" in driver.window.ui.focusable_names
    assert "overlay Review" not in driver.window.ui.focusable_names
    driver.press("P")
    driver.run_until(lambda: human.is_out)
    assert not screen.match.is_over
    driver.run_frames(2)
    driver.press("P")
    driver.run_frames(2)
    assert "overlay Review" in driver.window.ui.focusable_names


def test_result_of_agents_has_no_review(driver: WindowDriver) -> None:
    screen: VersusScreen = driver.open_screen(
        "versus", players=("random", "random"), rules="standard:height=5", seed=7, speed=30
    )
    driver.run_until(lambda: screen.match and screen.match.is_over, 0.2)
    driver.run_frames(2)
    assert "overlay Next game" in driver.window.ui.focusable_names
    assert "overlay Review" not in driver.window.ui.focusable_names
