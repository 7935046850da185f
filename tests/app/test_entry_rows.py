"""The rows above the board: a piece is visible from its first frame, and the layout stays the same."""

from itertools import cycle
from typing import Any

import pygame
import pytest

from tests.app.play_games import get_game, start_game
from tests.app.window_driver import WindowDriver
from tetrion.drawing.board_animation import BoardAnimator
from tetrion.drawing.palette import get_piece_colours
from tetrion.drawing.pen import FittedBoard, Pen
from tetrion.engine.rules import PRESETS


@pytest.fixture
def drawn_boards(monkeypatch: pytest.MonkeyPatch) -> list[pygame.Rect]:
    """The boards with the rows above them, one per frame, in pixels."""
    boards: list[pygame.Rect] = []
    draw = BoardAnimator.draw

    def record_board(self: BoardAnimator, pen: Pen, fitted: FittedBoard, *arguments: Any, **options: Any) -> None:
        board = pen.to_pixel_rect(fitted.box)
        rows_height = fitted.entry_rows * fitted.cell_size
        boards.append(pygame.Rect(board.left, board.top - rows_height, board.width, board.height + rows_height))
        draw(self, pen, fitted, *arguments, **options)

    monkeypatch.setattr(BoardAnimator, "draw", record_board)
    return boards


@pytest.mark.parametrize(("rules", "size"), list(zip(PRESETS, cycle([(800, 700), (1280, 800)]), strict=False)))
def test_piece_is_visible_from_the_first_frame(
    driver: WindowDriver, drawn_boards: list[pygame.Rect], rules: str, size: tuple[int, int]
) -> None:
    driver.window.change_settings(ghost=False, motion="reduced")
    driver.resize(*size)
    for seed in range(2):
        game = get_game(start_game(driver, rules, seed))
        picture = driver.window.surface.subsurface(drawn_boards[-1].clip(driver.window.surface.get_rect()))
        colour = pygame.Color(get_piece_colours("tetrion")[game.piece])
        pixels = pygame.mask.from_threshold(picture, colour, (1, 1, 1, 255)).count()
        assert pixels > 2 * (picture.width // 10) ** 2, "the whole piece is drawn"
        first = drawn_boards[-1]
        driver.run_frames(20 if seed == 0 else 0)
        assert drawn_boards[-1] == first, "the layout does not change"
        driver.window.close_screen()
