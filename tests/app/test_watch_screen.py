"""Tests of the watch screen: buttons and keys, speed, errors of agents, saved games."""

import json
import time
from math import inf
from pathlib import Path
from typing import Any

import pygame
import pytest

from tests.app.window_driver import WindowDriver
from tetrion.app.game_storage import list_replay_files
from tetrion.app.games.move_animation import merge_soft_drops
from tetrion.app.screens.watch_screen import WatchScreen
from tetrion.app.toolkit.speed_slider import AGENT_SPEEDS, change_speed, find_speed_index, format_speed
from tetrion.app.window_settings import load_settings
from tetrion.drawing.pen import Box, Pen
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


def open_watch(driver: WindowDriver, **options: Any) -> WatchScreen:
    screen = driver.open_screen("watch", **options)
    assert isinstance(screen, WatchScreen)
    return screen


def count_pieces(screen: WatchScreen) -> int:
    assert screen.agent_game is not None
    return screen.agent_game.game.pieces


def has_decided(screen: WatchScreen) -> bool:
    return screen.agent_game is not None and screen.agent_game.current_decision is not None


def test_screen_opens_with_the_default_agent_and_makes_single_moves(driver: WindowDriver) -> None:
    driver.press("2")
    driver.run_frames(2)
    screen = driver.screen
    assert isinstance(screen, WatchScreen)
    assert screen.options.agent == "gavrilov"
    assert screen.agent_game
    assert screen.agent_game.rules.name == "gavrilov"
    assert driver.window.ui.focus == "next"
    driver.run_until(lambda: has_decided(screen))
    driver.run_frames(12, 0.1)
    assert count_pieces(screen) == 0
    driver.press("N")
    driver.run_until(lambda: count_pieces(screen) == 1)
    driver.run_until(lambda: has_decided(screen))
    driver.click("next")
    driver.run_until(lambda: count_pieces(screen) == 2)
    driver.run_frames(12, 0.1)
    assert count_pieces(screen) == 2


def test_autoplay_makes_moves_and_disables_the_next_button(driver: WindowDriver) -> None:
    screen = open_watch(driver, agent="dellacherie", rules="standard")
    driver.press("Space")
    assert screen.autoplay
    driver.run_frames()
    assert "next" not in driver.window.ui.focusable_names
    driver.run_until(lambda: count_pieces(screen) >= 3)
    driver.press("Space")
    piece_count = count_pieces(screen)
    driver.run_frames(12, 0.1)
    assert count_pieces(screen) == piece_count
    assert "next" in driver.window.ui.focusable_names
    driver.press("R")
    assert count_pieces(screen) == 0
    assert len(list_replay_files()) == 1, "restarting saves the game"


@pytest.mark.parametrize("size", [*SIZES, (980, 760)])
def test_state_of_autoplay_is_shown_at_every_window_size(
    driver: WindowDriver, size: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    boxes = dict[str, Box]()
    draw_text = Pen.draw_text

    def record_text(pen: Pen, text: str, position: tuple[float, float], *options: Any, **named_options: Any) -> None:
        draw_text(pen, text, position, *options, **named_options)
        width = pen.measure_text(text, 14)
        boxes[text] = Box(round(position[0] - width * named_options.get("align", 0)), round(position[1]) - 8, width, 16)

    driver.resize(*size)
    rules = "standard:height=18,preview=2,randomiser=bag,game_over=entry"
    screen = open_watch(driver, agent="dellacherie", rules=rules, seed=123_456_789_012_345)
    monkeypatch.setattr(Pen, "draw_text", record_text)
    for is_on, shown, hidden in ((False, "Autoplay off", "Autoplay on"), (True, "Autoplay on", "Autoplay off")):
        screen.autoplay = is_on
        boxes.clear()
        driver.run_frames()
        assert hidden not in boxes
        assert driver.window.ui.pen.area.contains(boxes[shown])
        controls = [driver.window.ui.get_box(name) for name in driver.window.ui.focusable_names]
        assert boxes[shown].collidelist([*controls, boxes["Watch"]]) == -1, "something is drawn over it"


def test_keys_and_slider_change_the_speed(driver: WindowDriver) -> None:
    screen = open_watch(driver, agent="dellacherie", rules="standard")
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
    texts = [format_speed(speed) for speed in (0.5, 1, 4, 2000, inf)]
    assert texts == [
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


def test_game_at_unlimited_speed_is_saved_and_can_be_restarted(driver: WindowDriver) -> None:
    screen = open_watch(driver, agent="lowest", rules="standard", seed=5, auto=True)
    screen.speed = inf
    driver.run_until(lambda: screen.agent_game and screen.agent_game.game.is_over)
    driver.run_frames(2)
    assert driver.window.ui.focusable_names == ["overlay Restart", "overlay Menu"]
    (saved_file,) = list_replay_files()
    replay = Replay.load(saved_file)
    assert (replay.agent, replay.seed) == ("lowest", 5)
    assert screen.agent_game
    assert len(replay.placements) == screen.agent_game.game.pieces
    screen.autoplay = False
    driver.press("R")
    assert count_pieces(screen) == 0
    assert len(list_replay_files()) == 1, "the game is saved once"
    driver.run_frames(3)
    assert "restart" in driver.window.ui.focusable_names


def test_q_quits_and_saves_the_game(driver: WindowDriver) -> None:
    screen = open_watch(driver, agent="dellacherie", rules="standard", auto=True)
    driver.run_until(lambda: count_pieces(screen) == 2, 0.1)
    driver.hold("Q")
    assert not driver.window.is_running
    assert len(list_replay_files()) == 1


def test_q_quits_from_the_overlay(driver: WindowDriver) -> None:
    screen = open_watch(driver, agent="lowest", rules="standard", auto=True)
    screen.speed = inf
    driver.run_until(lambda: screen.agent_game and screen.agent_game.game.is_over)
    driver.run_frames(2)
    driver.hold("Q")
    assert not driver.window.is_running


def test_escape_closes_the_screen_from_the_overlay(driver: WindowDriver) -> None:
    screen = open_watch(driver, agent="lowest", rules="standard", auto=True)
    screen.speed = inf
    driver.run_until(lambda: screen.agent_game and screen.agent_game.game.is_over)
    driver.run_frames(2)
    driver.press("Esc")
    assert driver.screen.title == "Menu"


def test_closing_the_window_during_fast_play_saves_the_game(driver: WindowDriver) -> None:
    screen = open_watch(driver, agent="dellacherie", rules="standard", auto=True)
    screen.speed = 1000
    driver.run_until(lambda: count_pieces(screen) > 30)
    driver.quit()
    assert not driver.window.is_running
    (saved_file,) = list_replay_files()
    assert len(Replay.load(saved_file).placements) > 30


def test_chosen_agent_rules_and_seed_are_saved(driver: WindowDriver) -> None:
    screen = open_watch(driver)
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
    assert open_watch(driver).options == screen.options


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"agent": "unknown"}, "Unknown agent 'unknown'"),
        ({"agent": "medico:depth=3"}, "needs 2 next pieces"),
        ({"agent": "du", "rules": "nonsense"}, "nonsense"),
        ({"agent": "missing.json"}, "missing.json"),
    ],
)
def test_invalid_choice_shows_an_error_and_can_be_changed(
    driver: WindowDriver, options: dict[str, str], message: str
) -> None:
    screen = open_watch(driver, **options)
    driver.run_frames(2)
    assert message in screen.problem
    assert driver.window.ui.focusable_names == ["overlay Restart", "overlay Menu"]
    driver.press("R")
    driver.run_frames(2)
    assert message in screen.problem
    driver.press("A")
    driver.run_frames(2)
    assert screen.setup.is_open
    driver.press("Esc")
    driver.run_frames(2)
    driver.click("overlay Menu")
    assert driver.screen is not screen


def test_failing_agent_shows_an_error_and_the_menu_stays_usable(driver: WindowDriver, tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text(BROKEN)
    screen = open_watch(driver)
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


def test_hanging_agent_does_not_block_the_window(driver: WindowDriver, tmp_path: Path) -> None:
    (tmp_path / "hanging.py").write_text(HANGING)
    screen = open_watch(driver, agent=f"{tmp_path / 'hanging.py'}:Hanging", auto=True)
    driver.run_until(
        lambda: screen.agent_game and screen.agent_game.background_agent.agent and screen.agent_game.is_thinking
    )
    start = time.perf_counter()
    driver.run_frames(5)
    driver.press("Esc")
    assert driver.screen is not screen
    assert time.perf_counter() - start < 2


@pytest.mark.parametrize("agent", ["gavrilov", "random-keys"])
def test_every_state_is_drawn_at_every_window_size(driver: WindowDriver, agent: str) -> None:
    screen = open_watch(driver, agent=agent, auto=True)
    for size in SIZES:
        driver.resize(*size)
        screen.speed = 30
        driver.run_until(lambda: count_pieces(screen) >= 2, 0.05)
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
    assert screen.autoplay, "autoplay continues without the focus"


def test_mode_and_pressed_keys_are_shown(driver: WindowDriver) -> None:
    screen = open_watch(driver, agent="medico")
    driver.run_until(lambda: has_decided(screen))
    agent_game = screen.agent_game
    assert agent_game
    assert agent_game.decision
    assert agent_game.decision.mode == "scoring"
    driver.press("N")
    key_counts = set()
    while count_pieces(screen) == 0:
        driver.run_frames()
        key_counts.add(agent_game.keys_pressed)
    assert key_counts == set(range(len(merge_soft_drops(agent_game.decision.find_keys())) + 1))


def test_settings_with_an_invalid_seed_use_the_default_seed(folders: Path) -> None:
    path = folders / "config" / "settings.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps({"watch_agent": "du", "watch_seed": -1}))
    settings, message = load_settings()
    assert (settings.watch_agent, settings.watch_seed) == ("du", 0)
    assert "watch_seed" in message
