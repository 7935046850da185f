"""The practice screen in tests: opening it with a board, its piece, and strokes of the mouse."""

import pygame

from tests.app.window_driver import WindowDriver
from tetrion.app.games.practice_board import FreePiece
from tetrion.app.screens.practice_screen import PracticeScreen
from tetrion.board import Board
from tetrion.drawing.board_drawing import get_cell_position
from tetrion.engine.rules import Rules
from tetrion.position import Position


def open_practice(
    driver: WindowDriver, board: Board | None = None, piece: str = "T", rules: str = "standard"
) -> PracticeScreen:
    position = Position.from_board(board or Board(rows=4), piece, next="L" * Rules.parse(rules).preview, rules=rules)
    screen = driver.open_screen("practice", position=position)
    assert isinstance(screen, PracticeScreen)
    return screen


def get_free_piece(screen: PracticeScreen) -> FreePiece:
    assert screen.practice_game.free_piece is not None
    return screen.practice_game.free_piece


def get_cell_pixel(driver: WindowDriver, screen: PracticeScreen, column: int, row: int) -> tuple[int, int]:
    fitted = screen._board_area
    x, y = get_cell_position(
        driver.window.ui.pen.to_pixel_point(fitted.box.topleft),
        fitted.cell_size,
        screen.practice_board.rules.height,
        column,
        row,
    )
    return x + fitted.cell_size // 2, y + fitted.cell_size // 2


def draw_stroke(driver: WindowDriver, screen: PracticeScreen, cells: list[tuple[int, int]], button: int = 1) -> None:
    """Press the mouse button on the first cell, drag over the others, and release it."""
    first, *others = [get_cell_pixel(driver, screen, *cell) for cell in cells]
    driver._post_event(pygame.MOUSEBUTTONDOWN, pos=first, button=button)
    for pixel in others:
        driver._post_event(pygame.MOUSEMOTION, pos=pixel, rel=(0, 0), buttons=(1, 0, 0))
    driver._post_event(pygame.MOUSEBUTTONUP, pos=(others or [first])[-1], button=button)
