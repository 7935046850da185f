"""Modern games on the play screen: queue, action text, garbage meter, and why they end."""

import pygame
import pytest

from tests.app.drawn_texts import check_texts
from tests.app.play_games import continue_game, finish_game, get_game, get_human_game, start_game
from tests.app.window_driver import WindowDriver
from tetrion.board import Board, Placement
from tetrion.drawing.palette import NEGATIVE
from tetrion.drawing.pen import Box, Pen
from tetrion.drawing.side_panels import draw_garbage_meter
from tetrion.game import Game
from tetrion.game_facts import (
    BLOCK_OUT,
    LOCK_OUT,
    TOP_OUT,
    describe_action,
    describe_end,
    list_attack_figures,
    name_clear,
)
from tetrion.position import Position
from tetrion.stack import LockedPiece, Stack

T_SPIN_DOUBLE = ["..#.......", "##...#####", "###.######"]
TETRIS = ["#########."] * 4
GARBAGE_RULES = "guideline:garbage_rows=3,garbage_interval=1,garbage_delay=1"


def make_lock(piece: str, spin: str, lines: int) -> LockedPiece:
    return LockedPiece(Placement(piece, 0, 0, 0, "srs", spin), Stack(("#" * 9 + ".",)), tuple(range(lines)))


def test_clears_are_named() -> None:
    locks = [("T", "none", 3), ("I", "none", 4), ("T", "full", 0), ("T", "full", 3), ("S", "mini", 2)]
    names = [name_clear(make_lock(*lock)) for lock in locks]
    assert names == ["", "Tetris", "T-spin", "T-spin triple", "Mini S-spin double"]


@pytest.mark.parametrize(
    ("rows", "piece", "combo", "lines"),
    [
        (T_SPIN_DOUBLE, "T", 3, ("T-spin double", "Back-to-back", "3 combo")),
        (TETRIS, "I", 0, ("Tetris", "Perfect clear")),
    ],
)
def test_action_text_of_every_kind(rows: list[str], piece: str, combo: int, lines: tuple[str, ...]) -> None:
    board = Board.from_text(rows)
    position = Position.from_board(board, piece, next="I", rules="guideline", combo=combo, back_to_back=int(combo > 0))
    placement = max(position.placements(), key=lambda each: (each.spin == "full", position.after(each).lines))
    lock = Stack.from_board(board).lock_piece(placement)
    assert describe_action(lock, position.after(placement)) == lines
    assert describe_action(lock, Position.from_board(board, piece)) == (), "the research rules have no names"


def test_action_text_appears_at_the_lock_and_fades(driver: WindowDriver) -> None:
    board = Board.from_text(TETRIS)
    position = Position.from_board(board, "I", next="OOOOO", rules="guideline", combo=1, back_to_back=1)
    screen = continue_game(driver, Game.from_position(position))
    driver.press("up", *["right"] * 5, "Space")
    action = get_human_game(screen).action
    assert action.lines == ("Tetris", "Back-to-back", "1 combo", "Perfect clear")
    texts = check_texts(driver)
    assert all(line in texts for line in action.lines)
    assert dict(list_attack_figures(get_game(screen)))["Tetrises"] == "1"
    driver.run_frames(60)
    driver.press("Space")
    driver.run_frames(45)
    assert action.lines, "another lock without an action does not end the text"
    assert 0 < action.get_strength(has_animation=True) < action.get_strength(has_animation=False) == 1
    driver.run_frames(30)
    assert not action.lines


def count_meter_pixels(position: Position) -> int:
    pygame.display.init()
    surface = pygame.Surface((120, 440))
    pen = Pen(surface)
    draw_garbage_meter(pen, Box(60, 10, 40, 408), 20, position)
    colour = pygame.Color(NEGATIVE)
    return sum(surface.get_at((52, y)) == colour for y in range(440))


def test_garbage_meter_fills_and_the_rows_rise(driver: WindowDriver) -> None:
    screen = start_game(driver, GARBAGE_RULES)
    game = get_game(screen)
    assert not game.position.garbage
    driver.press("Space")
    assert game.position.garbage == ((3, 1),)
    assert count_meter_pixels(game.position) == 0, "the rows cannot rise yet"
    driver.press("Space")
    assert game.position.due_garbage == 3
    assert count_meter_pixels(game.position) > 0, "they rise when the next piece locks"
    driver.press("Space")
    tracker = get_human_game(screen).tracker
    assert game.garbage_rises
    assert tracker.stack == game.stack
    assert game.stack.rows[0].count("#") == 9
    waiting = Position.from_board(Board(), "T", rules=GARBAGE_RULES)
    assert count_meter_pixels(waiting) == 0
    heights = [count_meter_pixels(Position(**{**vars(waiting), "garbage": ((rows, 0),)})) for rows in (1, 3, 40)]
    assert heights == [18, 58, 404]
    assert "Garbage received" in check_texts(driver)


def test_ends_of_modern_games_have_reasons() -> None:
    game = Game("guideline", 7)
    while not game.is_over:
        game.press("drop")
    assert describe_end(game) == BLOCK_OUT
    wall = ["######...."] * 20
    game = Game.from_position(Position.from_board(Board.from_text(wall), "O", next="OO", rules="guideline"))
    placement = next(each for each in game.placements() if each.row == 20)
    game.place(placement)
    assert game.is_over
    assert describe_end(game) == LOCK_OUT
    game = Game("guideline:garbage_rows=8,garbage_interval=1,garbage_cap=20", 3)
    while not game.is_over:
        game.place(min(game.placements(), key=lambda each: each.row))
    assert describe_end(game) == TOP_OUT
    assert describe_end(Game("guideline")) == ""
    assert describe_end(Game("standard")) == ""


def test_action_text_is_on_the_board_under_rules_without_hold(driver: WindowDriver) -> None:
    action = get_human_game(start_game(driver, "guideline:hold=0,initial_hold=0")).action
    action.show(("Mini T-spin double", "Back-to-back", "12 combo", "Perfect clear"))
    texts = check_texts(driver)
    assert "Back-to-back" in texts
    assert "Hold" not in texts


@pytest.mark.parametrize("size", [(800, 640), (1280, 800)])
def test_finished_game_shows_its_figures(driver: WindowDriver, size: tuple[int, int]) -> None:
    screen = start_game(driver, "guideline")
    finish_game(driver, screen)
    driver.resize(*size)
    texts = check_texts(driver)
    assert BLOCK_OUT in texts or LOCK_OUT in texts
    for label, _ in list_attack_figures(get_game(screen)):
        assert label in texts
