"""Tests of the layout of all screens: readable texts at every size, no empty panels, lists next to their fields."""

from typing import Any

import pygame
import pytest

from tests.app.drawn_texts import WINDOW_SIZES, check_texts, record_texts
from tests.app.screen_scenes import (
    PICKER_SCENES,
    SCENES,
    end_match,
    end_play,
    follow_evolution,
    open_no_replays,
    open_practice,
    open_replay,
    open_review,
    run_play,
    start_match,
)
from tests.app.window_driver import WindowDriver
from tetrion.app.screens.play_screen import PlayScreen
from tetrion.app.screens.versus_layout import compute_match_layout
from tetrion.app.toolkit.header_footer import compute_screen_area, wrap_evenly
from tetrion.drawing.game_facts import ActionText
from tetrion.drawing.line_charts import ChartLine, draw_chart
from tetrion.drawing.pen import Box, Pen

SMALLEST_SIZE = (800, 640)
SETTLING_FRAMES = 3  # until the layout has followed a new size
ALL_SIZES = (SMALLEST_SIZE, *WINDOW_SIZES, (1366, 728))
SCENES_WITH_OVERLAYS = ("versus paused", "versus over", "replays to delete")  # which cover texts


def read_texts(driver: WindowDriver, size: tuple[int, int]) -> list[str]:
    """Resize the window and return the texts that are drawn."""
    driver.resize(*size)
    driver.run_frames(SETTLING_FRAMES)
    return [drawn.text for drawn in record_texts(driver)]


@pytest.mark.parametrize("scene", [name for name in SCENES if name not in SCENES_WITH_OVERLAYS])
def test_texts_are_side_by_side_at_every_size(driver: WindowDriver, scene: str) -> None:
    SCENES[scene](driver)
    for size in ALL_SIZES:
        driver.resize(*size)
        driver.run_frames(SETTLING_FRAMES)
        check_texts(driver)


def find_action_texts(screen: Any) -> list[ActionText]:
    """Return the action texts that a screen of a modern game shows."""
    if match := getattr(screen, "match", None):
        return [player.action for player in match.players]
    for name in ("agent_game", "human_game", "practice_game"):
        if game := getattr(screen, name, None):
            return [game.action]
    return [screen.action]


@pytest.mark.parametrize(
    "scene",
    ["modern play", "modern watch", "modern match", "modern match of three", "modern replay", "modern practice"],
)
def test_action_text_is_shown_at_every_size(driver: WindowDriver, scene: str) -> None:
    SCENES[scene](driver)
    for size in ALL_SIZES:
        driver.resize(*size)
        texts = find_action_texts(driver.screen)
        for text in texts:
            text.show(("Mini T-spin double", "Back-to-back", "12 combo", "Perfect clear"))
        driver.run_frames(2)
        assert check_texts(driver).count("Mini T-spin double") == len(texts)


@pytest.mark.parametrize("scene", PICKER_SCENES)
def test_lists_leave_their_fields_visible(driver: WindowDriver, scene: str) -> None:
    PICKER_SCENES[scene](driver)
    picker = scene.partition("picker ")[2]
    for size in ALL_SIZES:
        texts = read_texts(driver, size)
        assert not any(text.startswith("Type to search") and text.endswith("…") for text in texts)
        ui = driver.window.ui
        options = [ui.get_box(name) for name in ui.focusable_names if name.startswith(picker)]
        outline = options[0].unionall(options[1:]).inflate(12, 0)
        assert ui.pen.area.contains(outline)
        assert not outline.colliderect(ui.get_box(picker))


def test_list_is_full_when_its_last_option_is_chosen(driver: WindowDriver) -> None:
    SCENES["play setup"](driver)
    driver.click("rules")
    driver.run_frames(2)
    driver.press("PgDn")
    driver.run_frames(2)
    names = driver.window.ui.focusable_names
    driver.press("PgUp")
    driver.run_frames(2)
    assert len(names) == len(driver.window.ui.focusable_names)


def test_low_charts_have_readable_ticks(driver: WindowDriver, monkeypatch: pytest.MonkeyPatch) -> None:
    heights: list[float] = []

    def record_height(pen: Pen, text: str, position: tuple[float, float], *args: Any, **options: Any) -> None:
        heights.append(position[1])

    monkeypatch.setattr(Pen, "draw_text", record_height)
    for height in (40, 60, 100, 300):
        heights.clear()
        lines = [ChartLine("", [0, 90, 30])]
        draw_chart(driver.window.ui.pen, Box(0, 0, 300, height), lines, show_end_labels=False)
        assert len(heights) >= 2
        distances = [abs(first - second) for first in heights for second in heights if first != second]
        assert min(distances) >= 13


def test_charts_of_a_finished_run_have_space(driver: WindowDriver, monkeypatch: pytest.MonkeyPatch) -> None:
    follow_evolution(driver)
    boxes: list[Box] = []

    def record_box(pen: Pen, box: Box, *args: Any, **options: Any) -> None:
        boxes.append(box.copy())

    monkeypatch.setattr("tetrion.app.screens.evolution_screen.draw_chart", record_box)
    for size in ALL_SIZES:
        boxes.clear()
        driver.resize(*size)
        driver.run_frames(SETTLING_FRAMES)
        assert boxes
        assert min(box.height for box in boxes) >= 40


@pytest.mark.parametrize("size", [(1280, 720), (1366, 728), (1280, 800)])
def test_play_shows_the_line_clears_at_usual_sizes(driver: WindowDriver, size: tuple[int, int]) -> None:
    run_play(driver)
    texts = read_texts(driver, size)
    assert {"Single", "Double", "Triple", "Tetris", "Soft drop", "Tetris rate", "Time"} <= set(texts)


def test_play_shows_the_figures_in_a_low_window(driver: WindowDriver) -> None:
    run_play(driver)
    texts = read_texts(driver, (1280, 650))
    assert "Single" not in texts
    assert {"Tetris rate", "Time"} <= set(texts)


def test_finished_game_shows_the_piece_statistics(driver: WindowDriver) -> None:
    end_play(driver)
    for size in ALL_SIZES:
        texts = read_texts(driver, size)
        assert {"Best scores", "Piece statistics"} <= set(texts)


def test_boards_grow_with_the_window() -> None:
    cell_sizes = []
    for size in ((800, 700), (900, 700), (1000, 760)):
        pen = Pen(pygame.Surface(size))
        cell_sizes.append(compute_match_layout(pen, compute_screen_area(pen), 10, 2).boards[0].cell_size)
    assert cell_sizes == sorted(cell_sizes)


@pytest.mark.parametrize("size", [(1280, 720), (1280, 800), (1366, 728), (1920, 1080)])
def test_match_shows_stack_heights_in_wide_windows(driver: WindowDriver, size: tuple[int, int]) -> None:
    start_match(driver)
    assert read_texts(driver, size).count("Stack height") == 2


def test_empty_list_of_games_has_no_empty_panel(driver: WindowDriver, monkeypatch: pytest.MonkeyPatch) -> None:
    open_no_replays(driver)
    boxes: list[Box] = []
    draw_panel = Pen.draw_panel

    def record_panel(pen: Pen, box: Box, *args: Any, **options: Any) -> Box:
        boxes.append(box)
        return draw_panel(pen, box, *args, **options)

    monkeypatch.setattr(Pen, "draw_panel", record_panel)
    driver.resize(1000, 760)
    boxes.clear()
    driver.run_frames()
    assert len(boxes) == 1


def test_replay_shows_all_kinds_of_clears(driver: WindowDriver) -> None:
    open_replay(driver)
    for size in ALL_SIZES:
        assert {"Single", "Double", "Triple", "Tetris"} <= set(read_texts(driver, size))


def test_review_counts_the_costliest_moves(driver: WindowDriver) -> None:
    open_review(driver)
    for size in ALL_SIZES:
        texts = read_texts(driver, size)
        count = sum(text == "evaluation" for text in texts)
        number = {2: "two", 3: "three", 4: "four", 5: "five"}[count]
        assert f"The {number} costliest moves" in texts


def test_thinking_is_complete_in_practice(driver: WindowDriver) -> None:
    open_practice(driver)
    for size in ALL_SIZES:
        driver.resize(*size)
        driver.run_frames(SETTLING_FRAMES)
        texts = record_texts(driver)
        assert not any(drawn.text.endswith("…") for drawn in texts)
        footer_top = driver.window.ui.pen.height - 60
        features = [drawn for drawn in texts if drawn.text == "Column transitions"]
        assert all(drawn.box.bottom + 16 < footer_top for drawn in features)


def test_overlay_separates_its_text_from_its_buttons(driver: WindowDriver) -> None:
    end_match(driver)
    for size in ALL_SIZES:
        driver.resize(*size)
        driver.run_frames(SETTLING_FRAMES)
        last_line = next(drawn for drawn in record_texts(driver) if drawn.text.endswith("0 lines."))
        assert len(last_line.text.split()) > 1
        assert driver.window.ui.get_box("overlay Next game").top - last_line.box.bottom >= 20


def test_paragraphs_end_without_a_single_word(driver: WindowDriver) -> None:
    pen = driver.window.ui.pen
    text = "random and random (2) have 0 points and 0 lines."
    for width in range(120, 400, 10):
        lines = wrap_evenly(pen, text, width, 15)
        assert " ".join(lines) == text
        assert len(lines) == len(pen.wrap_text(text, width, 15))
        assert len(lines) == 1 or len(lines[-1].split()) > 1


def test_first_typed_digit_replaces_a_number(driver: WindowDriver) -> None:
    screen = driver.open_screen("play", rules="standard", seed=123)
    assert isinstance(screen, PlayScreen)
    driver.click("seed")
    driver.type("42")
    driver.run_frames()
    assert screen.setup.seed.number == 42
    driver.press("Tab")
    driver.click("seed")
    driver.press("Backspace")
    driver.type("5")
    driver.run_frames()
    assert screen.setup.seed.number == 45
