"""Tests of the rows above the board: a piece is visible from its first frame, and the layout stays the same."""

from typing import Any

import pygame
import pytest

from tests.app.play_games import get_game, start_game
from tests.app.window_driver import WindowDriver
from tetrion.app.games.human_rules import count_entry_rows
from tetrion.app.screens.play_screen import (
    PlayScreen,
)
from tetrion.drawing.board_animation import BoardAnimator
from tetrion.drawing.palette import get_piece_colours
from tetrion.drawing.pen import FittedBoard
from tetrion.engine.presets import PRESETS
from tetrion.engine.rules import Rules


@pytest.fixture
def drawn_boards(monkeypatch: pytest.MonkeyPatch) -> list[FittedBoard]:
    """The boards that are drawn, one per frame."""
    boards: list[FittedBoard] = []
    draw = BoardAnimator.draw

    def record_board(self: BoardAnimator, pen: Any, fitted: FittedBoard, *arguments: Any, **options: Any) -> None:
        boards.append(fitted)
        draw(self, pen, fitted, *arguments, **options)

    monkeypatch.setattr(BoardAnimator, "draw", record_board)
    return boards


def count_piece_pixels(driver: WindowDriver, fitted: FittedBoard, letter: str) -> int:
    """Return the number of pixels in the colour of a piece on a board and in the rows above it."""
    pen = driver.window.ui.pen
    area = pen.to_pixel_rect(fitted.box)
    height = fitted.entry_rows * fitted.cell_size
    area = pygame.Rect(area.left, area.top - height, area.width, area.height + height)
    colour = pygame.Color(get_piece_colours(pen.style.palette)[letter])
    picture = driver.window.surface.subsurface(area.clip(driver.window.surface.get_rect()))
    return pygame.mask.from_threshold(picture, colour, (1, 1, 1, 255)).count()


@pytest.mark.parametrize("size", [(800, 700), (1280, 800)])
@pytest.mark.parametrize("rules", PRESETS)
def test_piece_is_visible_from_the_first_frame(
    driver: WindowDriver, drawn_boards: list[FittedBoard], rules: str, size: tuple[int, int]
) -> None:
    driver.window.change_settings(ghost=False)
    driver.resize(*size)
    for seed in range(4):
        screen = PlayScreen(driver.window, rules=rules, seed=seed, start=True)
        driver.window.open_screen(screen)
        driver.window._previous_surface = None  # no fade from the menu
        driver.run_frames(1, seconds=0.0)
        game = get_game(screen)
        assert game.frames == 0
        fitted = drawn_boards[-1]
        cell_pixels = fitted.cell_size**2
        assert fitted.entry_rows == count_entry_rows(Rules.parse(rules))
        assert count_piece_pixels(driver, fitted, game.piece) > 2 * cell_pixels, "the whole piece is drawn"
        if seed == 0:
            driver.run_frames(60)
            assert drawn_boards[-1] == fitted, "the layout does not change"
        driver.window.close_screen()


def test_board_with_rows_above_it_fits_at_every_window_size(
    driver: WindowDriver, drawn_boards: list[FittedBoard]
) -> None:
    for size in ((800, 700), (900, 700), (1000, 760), (1280, 720), (1280, 800), (1366, 768), (1920, 1080)):
        driver.resize(*size)
        start_game(driver, "standard")
        box, pen = drawn_boards[-1].box, driver.window.ui.pen
        top = box.top - drawn_boards[-1].entry_rows * drawn_boards[-1].cell_size / pen.scale
        assert top >= 48
        assert box.bottom <= pen.height - 56
        driver.window.close_screen()
