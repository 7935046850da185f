"""Tests of what the watch screen plays: chosen options, seeds, the next game, and agents that cannot be loaded."""

import json
from math import inf
from pathlib import Path
from typing import Any

import pygame
import pytest

from tests.app.window_driver import WindowDriver
from tetrion.agents.code_consent import consent_to_path
from tetrion.app.game_storage import MIN_UNFINISHED_AGENT_PIECES, list_replay_files
from tetrion.app.screens.review_screen import ReviewScreen
from tetrion.app.screens.watch_screen import WatchScreen
from tetrion.app.window_settings import load_settings
from tetrion.engine.randomisers import MAX_SEED
from tetrion.replay import Replay

BROKEN = """
class Broken:
    def choose(self, position):
        raise ValueError("no idea")
"""
ERROR_BUTTONS = ["overlay Choose another agent", "overlay Restart", "overlay Menu"]
END_BUTTONS = ["overlay Next game", "overlay Restart", "overlay Review", "overlay Menu"]


def open_watch(driver: WindowDriver, **options: Any) -> WatchScreen:
    screen = driver.open_screen("watch", **options)
    assert isinstance(screen, WatchScreen)
    return screen


def finish_game(driver: WindowDriver, screen: WatchScreen) -> None:
    screen.speed = inf
    driver.run_until(lambda: screen.agent_game and screen.agent_game.game.is_over)
    driver.run_frames(3)


def find_overlay_buttons(driver: WindowDriver) -> list[str]:
    return [name for name in driver.window.ui.focusable_names if name.startswith("overlay ")]


def save_settings_file(folder: Path, **settings: Any) -> None:
    path = folder / "config" / "settings.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(settings))


# The setup.


def test_choices_are_used_and_saved_when_start_is_pressed(driver: WindowDriver) -> None:
    screen = open_watch(driver, auto=False)
    before = screen.options
    driver.press("A")
    driver.run_frames()
    assert driver.window.ui.focus == "agent"
    driver.press("Enter")
    driver.type("dellach")
    driver.press("Enter")
    driver.run_frames()
    driver.press("Tab", "Enter")
    driver.type("tetrais:preview=2")
    driver.press("Enter")
    driver.run_frames()
    driver.press("Tab", "Tab")
    driver.type("12")
    driver.press("→")
    assert screen.options == before, "nothing changes before Start"
    assert load_settings()[0].watch_agent == "gavrilov"
    driver.press("Enter")
    driver.run_frames(2)
    assert not screen.setup.is_open
    assert screen.options == ("dellacherie", "tetrais:preview=2", 13)
    assert screen.agent_game
    assert str(screen.agent_game.rules) == "tetrais:preview=2"
    assert (screen.agent_game.game.seed, screen.agent_game.name) == (13, "dellacherie")
    settings = load_settings()[0]
    assert (settings.watch_agent, settings.watch_rules, settings.watch_seed) == ("dellacherie", "tetrais:preview=2", 13)
    driver.press("Esc")
    assert driver.screen is not screen
    assert open_watch(driver).options == ("dellacherie", "tetrais:preview=2", 14)


def test_escape_and_cancel_close_the_setup_without_a_change(driver: WindowDriver) -> None:
    screen = open_watch(driver, agent="du", seed=4)
    game = screen.agent_game
    for closes_by_key in (True, False):
        driver.click("seed chip")
        driver.run_frames(2)
        assert driver.window.ui.focus == "seed"
        driver.type("7")
        if closes_by_key:
            driver.press("Esc")
        else:
            driver.click("cancel")
        driver.run_frames(2)
        assert not screen.setup.is_open
        assert (driver.screen, screen.options.seed, screen.agent_game) == (screen, 4, game)


def test_random_seed_can_be_chosen(driver: WindowDriver, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tetrion.app.toolkit.seed_field.randrange", lambda count: 4321 % count)
    screen = open_watch(driver, agent="du", seed=4)
    driver.click("seed chip")
    driver.run_frames(2)
    driver.click("seed mode", x=0.2)
    driver.run_frames()
    assert "seed" not in driver.window.ui.focusable_names
    driver.click("start")
    driver.run_frames(2)
    assert (screen.setup.is_open, screen.options.seed) == (False, 4321)


def test_misspelt_agent_is_reported_in_the_setup_and_not_saved(driver: WindowDriver) -> None:
    screen = open_watch(driver, auto=False)
    before, game = screen.options, screen.agent_game
    driver.press("A", "Enter")
    driver.type("dellacherei")
    driver.press("Enter")
    driver.run_frames(2)
    driver.click("start")
    driver.run_frames(2)
    assert screen.setup.is_open
    assert "Did you mean 'dellacherie'?" in screen.setup.problem
    assert (screen.options, screen.agent_game, screen.problem) == (before, game, "")
    assert load_settings()[0].watch_agent == "gavrilov"
    driver.click("agent")
    driver.type("dellacherie")
    driver.press("Enter")
    driver.run_frames(2)
    assert not screen.setup.problem
    driver.click("start")
    driver.run_frames(2)
    assert load_settings()[0].watch_agent == "dellacherie"


# Agents that cannot be loaded.


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"agent": "unknown"}, "Unknown agent 'unknown'"),
        ({"agent": "medico:depth=3"}, "needs 2 next pieces"),
        ({"agent": "du", "rules": "nonsense"}, "nonsense"),
        ({"agent": "missing.json"}, "missing.json"),
    ],
)
def test_error_state_offers_another_agent_first(driver: WindowDriver, options: dict[str, str], message: str) -> None:
    screen = open_watch(driver, **options)
    driver.run_frames(2)
    assert message in screen.problem
    assert find_overlay_buttons(driver) == ERROR_BUTTONS
    assert driver.window.ui.focus == ERROR_BUTTONS[0]
    driver.press("R")
    driver.run_frames(2)
    assert message in screen.problem
    driver.press("Enter")
    driver.run_frames(2)
    assert screen.setup.is_picking, "the list of agents is open"
    driver.type("dellacherie")
    driver.press("Enter")
    driver.run_frames(2)
    driver.click("rules")
    driver.press("Home", "PgUp", "PgUp", "Enter")
    driver.run_frames(2)
    driver.click("start")
    driver.run_frames(2)
    assert (screen.problem, screen.agent_name) == ("", "dellacherie")
    assert find_overlay_buttons(driver) == []


@pytest.mark.parametrize("chip", ["agent chip", "rules chip", "seed chip"])
def test_header_and_footer_can_be_used_in_the_error_state(driver: WindowDriver, chip: str) -> None:
    screen = open_watch(driver, agent="unknown")
    driver.run_frames(2)
    driver.click("speed", x=0.99)
    assert screen.speed == inf
    driver.click(chip)
    driver.run_frames(2)
    assert (screen.setup.is_open, driver.window.ui.focus) == (True, chip.removesuffix(" chip"))
    driver.press("Esc")
    driver.run_frames(2)
    for _ in driver.window.ui.focusable_names:
        driver.press("Tab")
        if driver.window.ui.focus == chip:
            break
    driver.press("Enter")
    driver.run_frames(2)
    assert screen.setup.is_open
    driver.press("Esc", "Esc")
    assert driver.screen.title == "Menu"


def test_restart_loads_an_agent_again_that_could_not_be_loaded(driver: WindowDriver, folders: Path) -> None:
    screen = open_watch(driver, agent="mine.json")
    assert screen.problem
    (folders / "mine.json").write_text(
        json.dumps({"format": 1, "kind": "linear", "name": "mine", "weights": {"holes": -1}})
    )
    driver.click("restart")
    driver.run_frames(2)
    assert (screen.problem, screen.agent_name) == ("", "mine")


@pytest.mark.parametrize(("stored", "rules"), [("runs/deleted", ""), ("dellacherei", "nes"), ("du", "nonsense")])
def test_stored_choice_that_cannot_be_loaded_is_replaced_by_the_default_agent(
    folders: Path, stored: str, rules: str
) -> None:
    save_settings_file(folders, watch_agent=stored, watch_rules=rules)
    driver = WindowDriver()
    screen = open_watch(driver)
    assert (screen.problem, screen.options.agent, screen.options.rules) == ("", "gavrilov", "")
    assert stored in driver.window.notice
    assert "gavrilov" in driver.window.notice
    assert load_settings()[0].watch_agent == "gavrilov"
    driver.close()


def test_dropped_file_is_saved_only_if_it_can_be_loaded(driver: WindowDriver, tmp_path: Path) -> None:
    screen = open_watch(driver)
    (tmp_path / "empty.json").write_text("{")
    driver._post_event(pygame.DROPFILE, file=str(tmp_path / "empty.json"))
    driver.run_frames(2)
    assert "empty.json" in screen.problem
    assert load_settings()[0].watch_agent == "gavrilov"
    (tmp_path / "broken.py").write_text(BROKEN)
    consent_to_path(tmp_path / "broken.py")
    driver._post_event(pygame.DROPFILE, file=str(tmp_path / "broken.py"))
    driver.run_frames(2)
    assert load_settings()[0].watch_agent == screen.options.agent == f"{tmp_path / 'broken.py'}:Broken"
    assert not screen.problem


def test_failing_agent_shows_an_error_and_the_menu_stays_usable(driver: WindowDriver, tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text(BROKEN)
    consent_to_path(tmp_path / "broken.py")
    screen = open_watch(driver, agent=f"{tmp_path / 'broken.py'}:Broken")
    driver.run_until(lambda: screen.agent_game and screen.agent_game.problem)
    assert screen.agent_game
    assert "no idea" in screen.agent_game.problem
    driver.run_frames(2)
    assert find_overlay_buttons(driver) == ERROR_BUTTONS
    driver.press("R")
    driver.run_until(lambda: screen.agent_game and screen.agent_game.problem)
    driver.run_frames(2)
    driver.press("↓", "↓", "Enter")
    driver.run_frames(2)
    assert driver.screen.title == "Menu"


def test_settings_with_an_invalid_seed_use_the_default_seed(folders: Path) -> None:
    save_settings_file(folders, watch_agent="du", watch_seed=-1)
    settings, message = load_settings()
    assert (settings.watch_agent, settings.watch_seed) == ("du", 0)
    assert "watch_seed" in message


# Seeds and the end of a game.


def test_every_opening_without_a_seed_shows_the_next_seed(driver: WindowDriver) -> None:
    seeds = []
    for options in ({}, {"agent": "du"}, {"seed": 77}, {}):
        seeds.append(open_watch(driver, **options).options.seed)
        driver.press("Esc")
        driver.run_frames(2)
    assert seeds == [1, 2, 77, 78]
    driver.window.change_settings(watch_seed=MAX_SEED)
    assert open_watch(driver).options.seed == 0


def test_next_game_has_the_next_seed_and_restart_the_same_one(driver: WindowDriver) -> None:
    screen = open_watch(driver, agent="lowest", rules="standard", seed=5)
    finish_game(driver, screen)
    assert find_overlay_buttons(driver) == END_BUTTONS
    assert driver.window.ui.focus == END_BUTTONS[0]
    screen.speed = 2
    driver.press("Enter")
    assert screen.agent_game
    assert (screen.options.seed, screen.agent_game.game.seed, screen.agent_game.game.is_over) == (6, 6, False)
    finish_game(driver, screen)
    driver.press("N")
    assert screen.agent_game.game.seed == 7
    finish_game(driver, screen)
    screen.speed = 2
    driver.press("R")
    assert (screen.options.seed, screen.agent_game.game.seed, screen.agent_game.game.is_over) == (7, 7, False)
    finish_game(driver, screen)
    assert sorted(Replay.load(path).seed for path in list_replay_files()) == [5, 6, 7]
    assert load_settings()[0].watch_seed == 7


def test_end_of_a_game_takes_the_focus_from_the_footer(driver: WindowDriver) -> None:
    screen = open_watch(driver, agent="lowest", rules="standard", seed=5)
    driver.click("speed", x=0)
    assert driver.window.ui.focus == "speed"
    finish_game(driver, screen)
    assert driver.window.ui.focus == END_BUTTONS[0]
    driver.click("rules chip")
    driver.run_frames(2)
    assert screen.setup.is_open


def test_review_shows_the_saved_game(driver: WindowDriver) -> None:
    screen = open_watch(driver, agent="lowest", rules="standard", seed=5)
    finish_game(driver, screen)
    driver.press("V")
    review = driver.screen
    assert isinstance(review, ReviewScreen)
    (saved_file,) = list_replay_files()
    assert review.file == str(saved_file)
    driver.run_until(lambda: review.loader.is_done)
    assert review.loader.replay == Replay.load(saved_file)
    driver.press("Esc")
    driver.run_frames(2)
    assert driver.screen is screen
    assert find_overlay_buttons(driver) == END_BUTTONS


def test_game_that_is_left_at_once_is_not_saved(driver: WindowDriver) -> None:
    screen = open_watch(driver, agent="dellacherie", rules="standard")
    driver.run_until(lambda: screen.agent_game and screen.agent_game.game.pieces > 0, 0.1)
    driver.press("Esc")
    assert list_replay_files() == []
    screen = open_watch(driver, agent="dellacherie", rules="standard")
    driver.run_until(lambda: screen.agent_game and screen.agent_game.game.pieces >= MIN_UNFINISHED_AGENT_PIECES, 0.1)
    driver.press("Esc")
    assert len(list_replay_files()) == 1
