"""Tests of the watch screen: buttons and keys, speed, mode, layout, saved games."""

import time
from itertools import pairwise
from math import inf
from pathlib import Path
from typing import Any

import pygame
import pytest

from tests.app.window_driver import WindowDriver
from tetrion.agents import load_weighted_agent
from tetrion.agents.code_consent import consent_to_path
from tetrion.app.game_storage import MIN_UNFINISHED_AGENT_PIECES, list_replay_files
from tetrion.app.games.move_animation import merge_soft_drops
from tetrion.app.screens.game_panels import describe_mode_switch
from tetrion.app.screens.watch_controls import WatchChip, fit_chips
from tetrion.app.screens.watch_panels import WatchPanels
from tetrion.app.screens.watch_screen import WatchScreen
from tetrion.app.toolkit.speed_slider import AGENT_SPEEDS, change_speed, find_speed_index, format_speed
from tetrion.drawing import thinking_panel
from tetrion.drawing.pen import Box, Pen
from tetrion.replay import Replay
from tetrion.stack import Stack

SIZES = [(800, 700), (900, 700), (1000, 760), (1280, 720), (1280, 800), (1366, 768), (1920, 1080)]
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


def test_screen_opens_with_the_default_agent_which_plays_at_once(driver: WindowDriver) -> None:
    driver.press("2")
    driver.run_frames(2)
    screen = driver.screen
    assert isinstance(screen, WatchScreen)
    assert screen.options.agent == "gavrilov"
    assert screen.agent_game
    assert screen.agent_game.rules.name == "gavrilov"
    assert driver.window.ui.focus == "auto"
    driver.run_until(lambda: count_pieces(screen) >= 2)


def test_paused_screen_makes_single_moves(driver: WindowDriver) -> None:
    screen = open_watch(driver, auto=False)
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
    assert screen.autoplay
    assert "next" not in driver.window.ui.focusable_names
    driver.run_until(lambda: count_pieces(screen) >= MIN_UNFINISHED_AGENT_PIECES, 0.1)
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
    driver.run_until(lambda: count_pieces(screen) == MIN_UNFINISHED_AGENT_PIECES, 0.1)
    driver.press("Q")
    assert driver.screen.title == "Menu"
    assert len(list_replay_files()) == 1


def test_q_quits_from_the_overlay(driver: WindowDriver) -> None:
    screen = open_watch(driver, agent="lowest", rules="standard", auto=True)
    screen.speed = inf
    driver.run_until(lambda: screen.agent_game and screen.agent_game.game.is_over)
    driver.run_frames(2)
    driver.press("Q")
    assert driver.screen.title == "Menu"


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


def test_hanging_agent_does_not_block_the_window(driver: WindowDriver, tmp_path: Path) -> None:
    (tmp_path / "hanging.py").write_text(HANGING)
    consent_to_path(tmp_path / "hanging.py")
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
    screen = open_watch(driver, agent="medico", auto=False)
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


def find_shown_modes(driver: WindowDriver, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Draw a frame with all panels and return the texts of the badges."""
    badges: list[str] = []
    monkeypatch.setattr(Pen, "draw_badge", lambda pen, box, text, **options: badges.append(text))
    screen: Any = driver.screen
    screen.panels = WatchPanels()
    driver.run_frames()
    return badges


@pytest.mark.parametrize("size", [*SIZES, (980, 640), (1280, 640)])
def test_mode_is_shown_at_every_window_size(
    driver: WindowDriver, size: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    driver.resize(*size)
    screen = open_watch(driver, agent="medico", auto=False)
    driver.run_until(lambda: has_decided(screen))
    assert find_shown_modes(driver, monkeypatch) == ["Scoring"]


def test_mode_is_that_of_the_shown_position_during_and_after_fast_play(
    driver: WindowDriver, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent = load_weighted_agent("medico:threshold=30")
    screen = open_watch(driver, agent="medico:threshold=30", rules="medico:height=9")
    screen.speed = inf
    agent_game = screen.agent_game
    assert agent_game
    while not agent_game.game.is_over:
        driver.run_frames()
        assert agent_game.mode == agent.get_mode_name(agent_game.position)
    driver.run_frames(3)
    assert agent_game.position.board.measure_features()["aggregate_height"] >= 30
    assert find_shown_modes(driver, monkeypatch) == ["Recovery"]


def test_speed_is_not_measured_after_the_end(driver: WindowDriver) -> None:
    screen = open_watch(driver, agent="lowest", rules="standard", seed=5)
    screen.speed = 60
    agent_game = screen.agent_game
    assert agent_game
    driver.run_until(lambda: agent_game.game.is_over)
    driver.run_frames(2)
    rate = agent_game.moves_per_second
    assert rate
    later = time.perf_counter() + 1000
    monkeypatch = pytest.MonkeyPatch()
    monkeypatch.setattr("tetrion.app.games.agent_game.perf_counter", lambda: later)
    driver.run_frames(3)
    monkeypatch.undo()
    assert agent_game.moves_per_second == rate


def test_change_of_mode_is_described_with_the_name_of_the_feature() -> None:
    second = load_weighted_agent("medico").second_mode
    assert second
    assert describe_mode_switch(second) == "Recovery if aggregate height is 100 or more"


@pytest.mark.parametrize("size", SIZES)
def test_small_boards_of_the_thinking_panel_stay_in_their_rows(
    driver: WindowDriver, size: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    rows: list[tuple[Box, int]] = []
    draw = thinking_panel.draw_small_board

    def record_row(pen: Pen, row: thinking_panel.PlacementRow, stack: Stack) -> None:
        draw(pen, row, stack)
        rows.append((row.box, thinking_panel.measure_small_board(pen)))

    monkeypatch.setattr(thinking_panel, "draw_small_board", record_row)
    driver.resize(*size)
    screen = open_watch(driver, agent="medico", auto=False)
    driver.run_until(lambda: has_decided(screen))
    screen.panels = WatchPanels()
    driver.run_frames()
    assert len(rows) >= 3
    # the boards are square, and the frame of the best placement is four units lower than its row
    assert all(box.height - 4 > board_size for box, board_size in rows)


@pytest.mark.parametrize("size", SIZES)
def test_chips_use_the_free_space_and_do_not_overlap(driver: WindowDriver, size: tuple[int, int]) -> None:
    driver.resize(*size)
    pen = driver.window.ui.pen
    rules = "standard:height=18,preview=2,randomiser=bag,game_over=entry"
    screen = open_watch(driver, agent="dellacherie", rules=rules, seed=123_456_789)
    boxes = [driver.window.ui.get_box(f"{name} chip") for name in ("agent", "rules", "seed")]
    assert all(first.right < second.left for first, second in pairwise(boxes))
    assert boxes[-1].right < driver.window.ui.get_box("back").left
    natural = [pen.measure_chip(chip.text, chip.has_dot) for chip in screen._make_chips()]
    if size[0] >= 1280:
        assert [box.width for box in boxes] == natural, "a chip is truncated although there is space"
    else:
        assert boxes[0].width == natural[0]
        assert boxes[2].width == natural[2]


def test_chips_that_would_be_unreadable_are_left_out() -> None:
    pen = Pen(pygame.Surface((800, 700)))
    chips = [WatchChip("agent", "a" * 60), WatchChip("rules", "b" * 60), WatchChip("seed", "Seed 5")]
    shown = {space: [chip.name for chip, _ in fit_chips(pen, chips, space)] for space in (2000, 300, 220, 100)}
    assert shown == {
        2000: ["agent", "rules", "seed"],
        300: ["agent", "rules", "seed"],
        220: ["agent", "seed"],
        100: ["agent"],
    }
    for space in (2000, 300, 220, 100):
        fitted = fit_chips(pen, chips, space)
        assert sum(width for _, width in fitted) + 8 * (len(fitted) - 1) <= space
