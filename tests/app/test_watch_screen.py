"""Tests of the watch screen: setup, seeds, buttons and keys, panels at every size, saved games, and errors."""

import json
import time
from functools import partial
from math import inf
from pathlib import Path
from typing import Any

import pytest

from tests.app.drawn_texts import record_texts
from tests.app.window_driver import WindowDriver
from tetrion.agents.code_consent import consent_to_path
from tetrion.app.game_storage import MIN_UNFINISHED_AGENT_PIECES, list_replay_files
from tetrion.app.games.agent_game import AgentGame
from tetrion.app.screens.watch_screen import WatchScreen
from tetrion.app.toolkit.controls import AGENT_SPEEDS
from tetrion.app.window_settings import load_settings
from tetrion.replay import Replay

AGENT_CODE = "import time\nclass Mine:\n    def choose(self, position):\n        {}\n"
BROKEN = AGENT_CODE.format("raise ValueError('no idea')")
HANGING = AGENT_CODE.format("time.sleep(600)")
ERROR_BUTTONS = ["overlay Choose another agent", "overlay Restart", "overlay Menu"]
END_BUTTONS = ["overlay Next game", "overlay Restart", "overlay Review", "overlay Menu"]


def open_watch(driver: WindowDriver, **options: Any) -> WatchScreen:
    screen = driver.open_screen("watch", **options)
    assert isinstance(screen, WatchScreen)
    return screen


def get_game(screen: WatchScreen) -> AgentGame:
    assert screen.agent_game is not None
    return screen.agent_game


def count_pieces(screen: WatchScreen) -> int:
    return get_game(screen).game.pieces


def wait_for_decision(driver: WindowDriver, screen: WatchScreen) -> None:
    driver.run_until(lambda: get_game(screen).current_decision)


def finish_game(driver: WindowDriver, screen: WatchScreen) -> None:
    screen.speed = inf
    driver.run_until(lambda: get_game(screen).game.is_over)
    driver.run_frames(3)


def write_agent(folder: Path, code: str) -> str:
    """Write a Python agent that may run, and return its name."""
    (folder / "mine.py").write_text(code)
    consent_to_path(folder / "mine.py")
    return f"{folder / 'mine.py'}:Mine"


def find_overlay_buttons(driver: WindowDriver) -> list[str]:
    return [name for name in driver.window.ui.focusable_names if name.startswith("overlay ")]


def list_texts(driver: WindowDriver) -> list[str]:
    return [drawn.text for drawn in record_texts(driver)]


def choose(driver: WindowDriver, picker: str, text: str) -> None:
    """Open the list of a picker by keys, and choose what matches a text."""
    ui = driver.window.ui
    while ui.focus != picker:
        driver.press("Tab")
    driver.press("Space")
    driver.run_frames(2)
    driver.type(text)
    driver.press("Enter")
    driver.run_frames(2)


def test_paused_screen_makes_single_moves_and_its_speed_can_be_changed(driver: WindowDriver) -> None:
    screen = open_watch(driver, auto=False)
    assert driver.window.ui.focus == "next"
    for number, make_move in enumerate((partial(driver.press, "N"), partial(driver.click, "next"))):
        wait_for_decision(driver, screen)
        driver.run_frames(12, 0.1)
        assert count_pieces(screen) == number
        make_move()
        driver.run_until(lambda: count_pieces(screen) > number)  # noqa: B023
    driver.type("+")
    assert screen.speed == 3
    driver.type("--")
    assert screen.speed == 1
    driver.click("speed", x=0.99)
    assert screen.speed == inf
    driver.press("←")
    assert screen.speed == AGENT_SPEEDS[-2]


def test_autoplay_continues_in_the_background_and_longer_games_are_saved(driver: WindowDriver) -> None:
    screen = open_watch(driver, agent="dellacherie", rules="standard")
    assert "next" not in driver.window.ui.focusable_names
    assert "Autoplay on" in list_texts(driver)
    driver.lose_focus()
    driver.run_until(lambda: count_pieces(screen) >= MIN_UNFINISHED_AGENT_PIECES, 0.1)
    driver.press("Space")
    piece_count = count_pieces(screen)
    driver.run_frames(12, 0.1)
    assert count_pieces(screen) == piece_count
    assert "next" in driver.window.ui.focusable_names
    assert "Autoplay off" in list_texts(driver)
    driver.press("R", "Space")
    assert len(list_replay_files()) == 1, "restarting saves the game"
    driver.run_until(lambda: count_pieces(screen) == 1, 0.1)
    driver.press("Q")
    assert driver.screen.title == "Menu"
    assert len(list_replay_files()) == 1, "a game that is left at once is not saved"


def test_hanging_agent_does_not_block_the_window(driver: WindowDriver, tmp_path: Path) -> None:
    screen = open_watch(driver, agent=write_agent(tmp_path, HANGING))
    driver.run_until(lambda: get_game(screen).background_agent.agent and get_game(screen).is_thinking)
    start = time.perf_counter()
    driver.run_frames(5)
    driver.press("R")
    assert not get_game(screen).problem
    driver.press("Esc")
    assert driver.screen is not screen
    assert time.perf_counter() - start < 2


# The setup.


def test_choices_are_used_and_saved_when_start_is_pressed_unless_one_is_misspelled(driver: WindowDriver) -> None:
    screen = open_watch(driver, auto=False)
    before = screen.options, screen.agent_game
    driver.press("A")
    driver.run_frames()
    assert driver.window.ui.focus == "agent"
    choose(driver, "agent", "dellacherei")
    driver.press("Enter")
    driver.run_frames(2)
    assert screen.setup
    assert "Did you mean 'dellacherie'?" in " ".join(list_texts(driver))
    choose(driver, "agent", "dellacherie")
    assert "Did you mean" not in " ".join(list_texts(driver))
    choose(driver, "rules", "tetrais:preview=2")
    driver.press("↓")
    driver.type("12")
    driver.press("→")
    assert (screen.options, screen.agent_game) == before, "nothing changes before Start"
    assert load_settings()[0].watch_agent == "gavrilov"
    driver.press("↑", "↑", "Enter")
    driver.run_frames(2)
    assert screen.setup is None
    assert screen.options == ("dellacherie", "tetrais:preview=2", 13)
    game = get_game(screen)
    assert (game.name, str(game.rules), game.game.seed) == screen.options
    driver.press("Esc")
    assert open_watch(driver).options == ("dellacherie", "tetrais:preview=2", 14)


# Agents that cannot be loaded.


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"agent": "unknown"}, "Unknown agent 'unknown'"),
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
    driver.press("Enter")
    driver.run_frames(3)
    assert "agent outside" in driver.window.ui.usable_controls, "the list of agents is open"
    driver.type("dellacherie")
    driver.press("Enter")
    driver.run_frames(2)
    driver.click("rules")
    driver.run_frames(2)
    driver.press("Home", "Enter")
    driver.run_frames(2)
    driver.click("start")
    driver.run_frames(2)
    assert (screen.problem, screen.options.agent) == ("", "dellacherie")
    assert find_overlay_buttons(driver) == []


@pytest.mark.parametrize(("stored", "rules"), [("runs/deleted", ""), ("du", "nonsense")])
def test_stored_choice_that_cannot_be_loaded_is_replaced_by_the_default_agent(
    folders: Path, stored: str, rules: str
) -> None:
    path = folders / "config" / "settings.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"watch_agent": stored, "watch_rules": rules}))
    driver = WindowDriver()
    screen = open_watch(driver)
    assert (screen.problem, screen.options.agent, screen.options.rules) == ("", "gavrilov", "")
    assert stored in driver.window.notice
    assert "gavrilov" in driver.window.notice
    assert load_settings()[0].watch_agent == "gavrilov"
    driver.close()


def test_dropped_agent_is_saved_if_it_can_be_loaded_and_its_error_is_shown(
    driver: WindowDriver, tmp_path: Path
) -> None:
    screen = open_watch(driver)
    (tmp_path / "empty.json").write_text("{")
    driver.drop(tmp_path / "empty.json")
    assert "empty.json" in screen.problem
    assert load_settings()[0].watch_agent == "gavrilov"
    agent = write_agent(tmp_path, BROKEN)
    driver.drop(tmp_path / "mine.py")
    assert load_settings()[0].watch_agent == screen.options.agent == agent
    assert not screen.problem
    driver.run_until(lambda: "no idea" in get_game(screen).problem)
    driver.run_frames(2)
    assert find_overlay_buttons(driver) == ERROR_BUTTONS
    driver.press("↓", "↓", "Enter")
    driver.run_frames(2)
    assert driver.screen.title == "Menu"


# Seeds, and the end of a game.


def test_next_game_restart_and_review_at_the_end_of_a_game(driver: WindowDriver) -> None:
    screen = open_watch(driver, agent="lowest", rules="standard", seed=5)
    driver.click("speed", x=0)
    finish_game(driver, screen)
    assert find_overlay_buttons(driver) == END_BUTTONS
    assert driver.window.ui.focus == END_BUTTONS[0], "the end takes the focus from the footer"
    screen.speed = 2
    driver.press("Enter")
    game = get_game(screen)
    assert (screen.options.seed, game.game.seed, game.game.is_over) == (6, 6, False)
    finish_game(driver, screen)
    driver.press("N")
    finish_game(driver, screen)
    screen.speed = 2
    driver.press("R")
    assert (screen.options.seed, game.game.seed, game.game.is_over) == (7, 7, False)
    finish_game(driver, screen)
    driver.press("V")
    driver.run_frames(2)
    assert driver.screen.title == "Review"
    driver.press("Esc")
    driver.run_frames(2)
    assert (driver.screen, find_overlay_buttons(driver)) == (screen, END_BUTTONS)
    replays = [Replay.load(path) for path in list_replay_files()]
    assert sorted(replay.seed for replay in replays) == [5, 6, 7], "each game is saved once"
    assert {replay.agent for replay in replays} == {"lowest"}
    assert load_settings()[0].watch_seed == 7
