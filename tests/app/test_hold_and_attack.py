"""Modern games on the play screen: action text, garbage meter, and why they end."""

import pygame

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

GARBAGE_RULES = "guideline:garbage_rows=3,garbage_interval=1,garbage_delay=1"


def test_clears_and_their_combos_are_named() -> None:
    for piece, spin, lines, name in (
        ("T", "none", 3, ""),
        ("I", "none", 4, "Tetris"),
        ("T", "full", 0, "T-spin"),
        ("S", "mini", 2, "Mini S-spin double"),
    ):
        placement = Placement(piece, 0, 0, 0, "srs", spin)
        assert name_clear(LockedPiece(placement, Stack(("#" * 9 + ".",)), tuple(range(lines)))) == name
    board = Board.from_text(["..#.......", "##...#####", "###.######"])
    position = Position.from_board(board, "T", next="I", rules="guideline", combo=3, back_to_back=1)
    placement = max(position.placements(), key=lambda each: (each.spin == "full", position.after(each).lines))
    lock = Stack.from_board(board).lock_piece(placement)
    assert describe_action(lock, position.after(placement)) == ("T-spin double", "Back-to-back", "3 combo")
    assert describe_action(lock, Position.from_board(board, "T")) == (), "the research rules have no names"


def test_action_text_appears_at_the_lock_and_fades(driver: WindowDriver) -> None:
    board = Board.from_text(["#########."] * 4)
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
    action = get_human_game(start_game(driver, "guideline:hold=0,initial_hold=0")).action
    action.show(("Mini T-spin double", "Back-to-back", "12 combo", "Perfect clear"))
    assert "Back-to-back" in check_texts(driver), "it is on the board, as there is no hold"


def count_meter_pixels(position: Position) -> int:
    pygame.display.init()
    surface = pygame.Surface((120, 440))
    draw_garbage_meter(Pen(surface), Box(60, 10, 40, 408), 20, position)
    return sum(surface.get_at((52, y)) == pygame.Color(NEGATIVE) for y in range(440))


def test_garbage_meter_fills_and_the_rows_rise(driver: WindowDriver) -> None:
    screen = start_game(driver, GARBAGE_RULES)
    game = get_game(screen)
    driver.press("Space")
    assert game.position.garbage == ((3, 1),)
    assert count_meter_pixels(game.position) == 0, "the rows cannot rise yet"
    driver.press("Space")
    assert game.position.due_garbage == 3
    driver.press("Space")
    assert get_human_game(screen).tracker.stack == game.stack
    assert game.stack.rows[0].count("#") == 9
    assert "Garbage received" in check_texts(driver)
    waiting = vars(Position.from_board(Board(), "T", rules=GARBAGE_RULES))
    heights = [count_meter_pixels(Position(**{**waiting, "garbage": ((rows, 0),)})) for rows in (1, 3, 40)]
    assert heights == [18, 58, 404]


def test_ends_of_modern_games_have_reasons(driver: WindowDriver) -> None:
    wall = Board.from_text(["######...."] * 20)
    game = Game.from_position(Position.from_board(wall, "O", next="OO", rules="guideline"))
    assert describe_end(game) == ""
    game.place(next(each for each in game.placements() if each.row == 20))
    assert describe_end(game) == LOCK_OUT
    game = Game("guideline:garbage_rows=8,garbage_interval=1,garbage_cap=20", 3)
    while not game.is_over:
        game.place(min(game.placements(), key=lambda each: each.row))
    assert describe_end(game) == TOP_OUT
    screen = start_game(driver, "guideline")
    finish_game(driver, screen)
    for size in ((800, 640), (1280, 800)):
        driver.resize(*size)
        texts = check_texts(driver)
        for text in (BLOCK_OUT, *dict(list_attack_figures(get_game(screen)))):
            assert text in texts
