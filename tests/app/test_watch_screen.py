"""Watching an agent: its buttons and keys, its speed, its mistakes, and what is kept of its games."""

import json
import time
from math import inf
from pathlib import Path
from typing import Any

import pygame
import pytest

from app.window_driver import WindowDriver
from tetrion.app.game_storage import list_replay_files
from tetrion.app.screens.watch_screen import WatchScreen
from tetrion.app.toolkit.speed_slider import AGENT_SPEEDS, change_speed, find_speed_index, format_speed
from tetrion.app.window_settings import load_settings
from tetrion.replay import Replay

SIZES = [(800, 700), (1000, 760), (1280, 800), (1920, 1080)]
BROKEN = """
class Broken:
    def choose(self, position):
        raise ValueError("no idea")
"""
HANGING = """
import time
class Hanging:
    def choose(self, position):
        time.sleep(600)
"""


def watch(driver: WindowDriver, **options: Any) -> WatchScreen:
    screen = driver.open_screen("watch", **options)
    assert isinstance(screen, WatchScreen)
    return screen


def pieces(screen: WatchScreen) -> int:
    assert screen.agent_game is not None
    return screen.agent_game.game.pieces


def decided(screen: WatchScreen) -> bool:
    return screen.agent_game is not None and screen.agent_game.current_decision is not None


def test_it_opens_with_the_trained_agent_and_makes_one_move_at_a_time(driver: WindowDriver) -> None:
    driver.press("2")
    driver.run_frames(2)
    screen = driver.screen
    assert isinstance(screen, WatchScreen)
    assert screen.options.agent == "gavrilov"
    assert screen.agent_game
    assert screen.agent_game.rules.name == "gavrilov"
    assert driver.window.ui.focus == "next"
    driver.run_until(lambda: decided(screen))
    driver.run_frames(12, 0.1)
    assert pieces(screen) == 0
    driver.press("N")
    driver.run_until(lambda: pieces(screen) == 1)
    driver.run_until(lambda: decided(screen))
    driver.click("next")
    driver.run_until(lambda: pieces(screen) == 2)
    driver.run_frames(12, 0.1)
    assert pieces(screen) == 2


def test_autoplay_goes_on_and_takes_the_next_move_away(driver: WindowDriver) -> None:
    screen = watch(driver, agent="dellacherie", rules="standard")
    driver.press("Space")
    assert screen.autoplay
    driver.run_frames()
    assert "next" not in driver.window.ui.focusable_names
    driver.run_until(lambda: pieces(screen) >= 3)
    driver.press("Space")
    now = pieces(screen)
    driver.run_frames(12, 0.1)
    assert pieces(screen) == now
    assert "next" in driver.window.ui.focusable_names
    driver.press("R")
    assert pieces(screen) == 0
    assert len(list_replay_files()) == 1, "what was played is kept"


def test_plus_and_minus_and_the_slider_change_the_speed(driver: WindowDriver) -> None:
    screen = watch(driver, agent="dellacherie", rules="standard")
    assert screen.speed == 2
    driver.type("+")
    assert screen.speed == 3
    driver.type("--")
    assert screen.speed == 1
    driver.click("speed", x=0.99)
    assert screen.speed == inf
    driver.press("←")
    assert screen.speed == AGENT_SPEEDS[-2]
    driver.click("speed", x=0)
    assert screen.speed == 0.5
    words = [format_speed(speed) for speed in (0.5, 1, 4, 2000, inf)]
    assert words == [
        "1 move in 2 s",
        "1 move per second",
        "4 moves per second",
        "2,000 moves per second",
        "As fast as possible",
    ]
    assert format_speed(4, short=True) == "4 per second"
    assert [AGENT_SPEEDS[find_speed_index(speed)] for speed in AGENT_SPEEDS] == list(AGENT_SPEEDS)
    assert change_speed(inf, 1) == inf
    assert change_speed(0.5, -1) == 0.5


def test_thousands_of_moves_a_second_end_in_a_replay_and_a_restart(driver: WindowDriver) -> None:
    screen = watch(driver, agent="lowest", rules="standard", seed=5, auto=True)
    screen.speed = inf
    driver.run_until(lambda: screen.agent_game and screen.agent_game.game.is_over)
    driver.run_frames(2)
    assert driver.window.ui.focusable_names == ["overlay Restart", "overlay Menu"]
    (kept,) = list_replay_files()
    replay = Replay.load(kept)
    assert (replay.agent, replay.seed) == ("lowest", 5)
    assert screen.agent_game
    assert len(replay.placements) == screen.agent_game.game.pieces
    screen.autoplay = False
    driver.press("R")
    assert pieces(screen) == 0
    assert len(list_replay_files()) == 1, "once"
    driver.run_frames(3)
    assert "restart" in driver.window.ui.focusable_names


def test_q_quits_at_any_time_and_keeps_the_game(driver: WindowDriver) -> None:
    screen = watch(driver, agent="dellacherie", rules="standard", auto=True)
    driver.run_until(lambda: pieces(screen) == 2, 0.1)
    driver.hold("Q")
    assert not driver.window.is_running
    assert len(list_replay_files()) == 1


def test_q_quits_on_the_overlay_too(driver: WindowDriver) -> None:
    screen = watch(driver, agent="lowest", rules="standard", auto=True)
    screen.speed = inf
    driver.run_until(lambda: screen.agent_game and screen.agent_game.game.is_over)
    driver.run_frames(2)
    driver.hold("Q")
    assert not driver.window.is_running


def test_escape_leaves_the_overlay_too(driver: WindowDriver) -> None:
    screen = watch(driver, agent="lowest", rules="standard", auto=True)
    screen.speed = inf
    driver.run_until(lambda: screen.agent_game and screen.agent_game.game.is_over)
    driver.run_frames(2)
    driver.press("Esc")
    assert driver.screen.title == "Menu"


def test_closing_in_the_middle_of_a_sprint_keeps_the_game(driver: WindowDriver) -> None:
    screen = watch(driver, agent="dellacherie", rules="standard", auto=True)
    screen.speed = 1000
    driver.run_until(lambda: pieces(screen) > 30)
    driver.quit()
    assert not driver.window.is_running
    (kept,) = list_replay_files()
    assert len(Replay.load(kept).placements) > 30


def test_who_plays_is_chosen_at_once_and_remembered(driver: WindowDriver) -> None:
    screen = watch(driver)
    driver.press("A")
    driver.run_frames()
    assert driver.window.ui.focus == "agent"
    driver.press("Enter")
    driver.type("dellach")
    driver.press("Enter")
    driver.run_frames()
    assert screen.options.agent == "dellacherie"
    assert screen.agent_game
    assert screen.agent_game.rules.name == "standard"
    driver.press("Tab", "Enter")
    driver.type("tetrais:preview=2")
    driver.press("Enter")
    driver.run_frames()
    assert str(screen.agent_game.rules) == "tetrais:preview=2"
    driver.press("Tab")
    driver.type("12")
    driver.press("→")
    assert screen.options.seed == 13
    driver.press("Esc")
    driver.run_frames(2)
    assert not screen.setup.is_open
    assert driver.screen is screen
    settings = load_settings()[0]
    assert (settings.watch_agent, settings.watch_rules, settings.watch_seed) == ("dellacherie", "tetrais:preview=2", 13)
    driver.press("Esc")
    assert driver.screen is not screen
    assert watch(driver).options == screen.options


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"agent": "nobody"}, "no agent named 'nobody'"),
        ({"agent": "medico:depth=3"}, "needs 2 next pieces"),
        ({"agent": "du", "rules": "nonsense"}, "nonsense"),
        ({"agent": "missing.json"}, "missing.json"),
    ],
)
def test_a_mistake_is_told_in_words_and_another_choice_helps(
    driver: WindowDriver, options: dict[str, str], words: str
) -> None:
    screen = watch(driver, **options)
    driver.run_frames(2)
    assert words in screen.problem
    assert driver.window.ui.focusable_names == ["overlay Restart", "overlay Menu"]
    driver.press("R")
    driver.run_frames(2)
    assert words in screen.problem
    driver.press("A")
    driver.run_frames(2)
    assert screen.setup.is_open
    driver.press("Esc")
    driver.run_frames(2)
    driver.click("overlay Menu")
    assert driver.screen is not screen


def test_an_agent_that_raises_is_told_of_and_the_menu_stays_usable(driver: WindowDriver, tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text(BROKEN)
    screen = watch(driver)
    pygame.event.post(pygame.event.Event(pygame.DROPFILE, file=str(tmp_path / "broken.py")))
    driver.run_frames(2)
    assert screen.options.agent.endswith("broken.py:Broken")
    driver.run_until(lambda: screen.agent_game and screen.agent_game.problem)
    assert screen.agent_game
    assert "no idea" in screen.agent_game.problem
    driver.run_frames(2)
    driver.press("R")
    driver.run_until(lambda: screen.agent_game and screen.agent_game.problem)
    driver.run_frames(2)
    driver.press("Tab", "Enter")
    driver.run_frames(2)
    assert driver.screen.title == "Menu"


def test_a_hanging_agent_holds_nothing_up(driver: WindowDriver, tmp_path: Path) -> None:
    (tmp_path / "hanging.py").write_text(HANGING)
    screen = watch(driver, agent=f"{tmp_path / 'hanging.py'}:Hanging", auto=True)
    driver.run_until(
        lambda: screen.agent_game and screen.agent_game.background_agent.agent and screen.agent_game.is_thinking
    )
    begun = time.perf_counter()
    driver.run_frames(5)
    driver.press("Esc")
    assert driver.screen is not screen
    assert time.perf_counter() - begun < 2


@pytest.mark.parametrize("agent", ["gavrilov", "random-keys"])
def test_it_is_drawn_at_any_size_in_any_state(driver: WindowDriver, agent: str) -> None:
    screen = watch(driver, agent=agent, auto=True)
    for size in SIZES:
        driver.resize(*size)
        screen.speed = 30
        driver.run_until(lambda: pieces(screen) >= 2, 0.05)
        driver.press("T")
        driver.run_frames(2)
        screen.speed = inf
        driver.run_frames(6)
        driver.press("T", "A")
        driver.run_frames(2)
        driver.press("Esc")
        driver.lose_focus()
        driver.press("R")
        area = driver.window.ui.pen.area
        assert all(area.contains(driver.window.ui.get_box(name)) for name in driver.window.ui.focusable_names)
    assert screen.autoplay, "nobody has to be there"


def test_modes_are_shown_and_keys_as_they_are_pressed(driver: WindowDriver) -> None:
    screen = watch(driver, agent="medico")
    driver.run_until(lambda: decided(screen))
    seat = screen.agent_game
    assert seat
    assert seat.decision
    assert seat.decision.mode == "scoring"
    driver.press("N")
    seen = set()
    while pieces(screen) == 0:
        driver.run_frames()
        seen.add(seat.keys_pressed)
    assert seen == set(range(len(seat.decision.steps) + 1))


def test_settings_without_a_seed_still_hold(folders: Path) -> None:
    path = folders / "config" / "settings.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps({"watch_agent": "du", "watch_seed": -1}))
    settings, told = load_settings()
    assert (settings.watch_agent, settings.watch_seed) == ("du", 0)
    assert "watch_seed" in told
