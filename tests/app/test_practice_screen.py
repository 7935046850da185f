"""Tests of the practice screen, driven by events: moving pieces, drawing boards, asking agents."""

import pygame
import pytest

from tests.app.practice_games import draw_stroke, get_cell_pixel, get_free_piece, open_practice
from tests.app.window_driver import WindowDriver
from tetrion.app.games.practice_board import FreePiece, PracticeBoard, UndoHistory
from tetrion.app.screens.practice_screen import PracticeScreen
from tetrion.board import Board
from tetrion.drawing.board_drawing import get_frame_width
from tetrion.engine.piece_motion import PieceState
from tetrion.engine.pieces import PIECES
from tetrion.engine.presets import PRESETS
from tetrion.engine.rules import Rules
from tetrion.errors import TetrionError
from tetrion.game import Game
from tetrion.position import Position
from tetrion.replay import Replay
from tetrion.stack import Stack

WELL = Board.from_text(["#########."] * 4, rows=8)


def test_piece_moves_freely_and_drops(driver: WindowDriver) -> None:
    screen = open_practice(driver)
    start = get_free_piece(screen).piece_state
    driver.press("↓", "↓", "←", "↑")
    assert get_free_piece(screen).piece_state == (0, start[1] - 1, start[2] - 1)
    driver.press("X")
    assert get_free_piece(screen).piece_state[0] == 1
    driver.press("Z")
    assert get_free_piece(screen).piece_state[0] == 0
    driver.run_frames(40)
    assert get_free_piece(screen).piece_state[2] == start[2] - 1, "the piece does not fall without gravity"
    driver.press("Space")
    assert screen.practice_board.pieces == 1
    assert sum(row.count("T") for row in screen.practice_board.stack.rows) == 4


def test_held_arrow_repeats_until_the_piece_is_blocked(driver: WindowDriver) -> None:
    screen = open_practice(driver)
    driver.hold("→")
    driver.run_frames(40)
    driver.release("→")
    assert get_free_piece(screen).move_by_key("right") is None
    driver.hold("↓")
    driver.run_frames(75)
    driver.lose_focus()
    assert get_free_piece(screen).is_resting
    driver.hold("↑")
    driver.run_frames(75)
    driver.release("↑")
    assert get_free_piece(screen).top_row == screen.practice_board.rules.height - 1


def test_piece_can_be_placed_where_no_key_of_the_game_leads(driver: WindowDriver) -> None:
    cave = Board.from_text(["##########"[:9] + ".", "#.........", "#........."])
    screen = open_practice(driver, cave, "O")
    for row in (0, 1):
        assert screen.practice_board.stack.get_cell(1, row) == "."
    free_piece = FreePiece(screen.practice_board, PieceState(0, 5, 0))
    assert screen.practice_board.fits(free_piece.placement)
    screen.practice_game.free_piece = free_piece
    driver.run_frames()
    driver.press("Space")
    assert screen.practice_board.stack.get_cell(5, 0) == "O"


def test_gravity_moves_and_locks_the_piece(driver: WindowDriver) -> None:
    screen = open_practice(driver)
    driver.click("gravity", x=0.5)
    assert 8 <= screen.practice_game.gravity <= 12
    assert driver.window.ui.focus == "board"
    before = get_free_piece(screen).piece_state[2]
    driver.run_frames(20)
    assert get_free_piece(screen).piece_state[2] < before
    driver.run_until(lambda: screen.practice_board.pieces, seconds=0.1)
    assert screen.practice_board.pieces >= 1


def test_piece_can_be_chosen_by_click_number_or_letter(driver: WindowDriver) -> None:
    screen = open_practice(driver, rules="gavrilov")
    driver.click("piece O")
    assert screen.practice_board.piece == "O"
    driver.click("next I")
    assert screen.practice_board.next == "I"
    for number, letter in enumerate(PIECES, 1):
        driver.press(str(number))
        assert screen.practice_board.piece == letter
    driver.press("S")
    assert screen.practice_board.piece == "S"
    driver.press("Z")
    assert screen.practice_board.piece == "S", "Z rotates the piece"
    driver.press("Space")
    assert screen.practice_board.piece == "I"


def test_mouse_draws_and_erases_with_undo_and_redo(driver: WindowDriver) -> None:
    screen = open_practice(driver)
    draw_stroke(driver, screen, [(0, 0), (5, 0), (5, 3)])
    assert screen.practice_board.board == Board.from_text([".....#....", ".....#....", ".....#....", "######...."])
    draw_stroke(driver, screen, [(1, 0), (3, 0)], button=3)
    assert screen.practice_board.stack.rows[0] == "#...##...."
    driver.press("Z", mod=pygame.KMOD_CTRL)
    assert screen.practice_board.stack.rows[0] == "######...."
    driver.press("Z", mod=pygame.KMOD_CTRL)
    assert not screen.practice_board.stack.rows
    driver.press("Z", mod=pygame.KMOD_CTRL)
    driver.press("Y", mod=pygame.KMOD_CTRL)
    assert screen.practice_board.stack.rows[0] == "######...."
    driver.run_frames(2)
    driver.click("clear")
    assert not screen.practice_board.stack.rows
    driver.run_frames(2)
    driver.click("undo")
    assert screen.practice_board.stack.rows[0] == "######...."


def test_full_row_cannot_be_drawn(driver: WindowDriver) -> None:
    screen = open_practice(driver)
    draw_stroke(driver, screen, [(0, 0), (9, 0)])
    assert screen.practice_board.stack.rows == ("#########.",)
    assert "Leave a gap" in screen.practice_game.problem
    assert not driver.window.notice
    draw_stroke(driver, screen, [(0, 1)])
    assert not screen.practice_game.problem


def test_cells_of_the_current_piece_cannot_be_drawn(driver: WindowDriver) -> None:
    screen = open_practice(driver)
    cell = get_free_piece(screen).placement.cells[0]
    draw_stroke(driver, screen, [cell])
    assert not screen.practice_board.stack.rows
    assert get_free_piece(screen)
    assert "covers this cell" in screen.practice_game.problem


def test_click_outside_the_board_draws_nothing(driver: WindowDriver) -> None:
    screen = open_practice(driver)
    x, y = get_cell_pixel(driver, screen, 0, 0)
    driver.click_at(((x - screen._board_area.cell_size) / driver.window.ui.pen.scale, y))
    assert not screen.practice_board.stack.rows
    assert screen.practice_board.pieces == 0
    assert get_frame_width(screen._board_area.cell_size) > 0


def test_agent_advice_can_be_placed(driver: WindowDriver) -> None:
    screen = open_practice(driver, WELL, "I")
    driver.press("A")
    driver.run_until(lambda: screen.practice_agent.get_advice(screen.practice_board))
    advice = screen.practice_agent.get_advice(screen.practice_board)
    assert advice is not None
    assert {column for column, _ in advice.cells} == {9}
    decision = screen.practice_agent.adviser.decision
    assert decision is not None
    assert decision.explanation is not None
    assert len(decision.explanation.candidates) == 5
    driver.run_frames(2)
    driver.press("P")
    assert (screen.practice_board.lines, screen.practice_board.stack.rows) == (4, ())
    assert screen.practice_agent.get_advice(screen.practice_board) is None


def test_moves_of_the_agent_can_be_undone(driver: WindowDriver) -> None:
    screen = open_practice(driver)
    screen.practice_agent.moves = 3
    driver.run_frames(2)
    driver.click("let it play")
    driver.run_until(lambda: screen.practice_board.pieces == 3, seconds=0.1)
    driver.run_frames(10, seconds=0.1)
    assert screen.practice_board.pieces == 3
    for _ in range(3):
        driver.press("Z", mod=pygame.KMOD_CTRL)
    assert not screen.practice_board.stack.rows


def test_unknown_agents_and_rules_show_an_error(driver: WindowDriver) -> None:
    screen = driver.open_screen("practice", rules="nonsense", agent="dellachery")
    assert isinstance(screen, PracticeScreen)
    assert "nonsense" in screen.practice_game.problem
    assert screen.practice_board.rules == Rules.parse("standard")
    driver.press("A")
    driver.run_until(lambda: screen.practice_agent.adviser.problem)
    assert "dellacherie" in screen.practice_agent.describe_status(screen.practice_board)[0]
    driver.click("agent")
    driver.type("dellacherie:depth=2")
    driver.press("Enter")
    driver.run_frames(2)
    driver.press("A")
    driver.run_until(lambda: screen.practice_agent.adviser.problem)
    assert "depth=2" in screen.practice_agent.adviser.problem
    driver.click("rules")
    driver.type("standard:height=99")
    driver.press("Enter")
    assert screen.practice_board.rules == Rules.parse("standard")
    assert "height" in screen.practice_game.problem


def test_board_filled_to_the_top_is_usable(driver: WindowDriver) -> None:
    for rules in ("standard", "tetrais", "nes", "gavrilov"):
        check_full_board(driver, rules)


def check_full_board(driver: WindowDriver, rules: str) -> None:
    rows = Rules.parse(rules).height
    tower = Board(tuple([(1 << rows) - 1] * 9 + [0]), rows)
    screen = open_practice(driver, tower, "O", rules)
    driver.run_frames(2)
    assert screen.practice_game.warning
    driver.press("Space", "←", "↓", "↑", "X", "Z", "3")
    screen.practice_game.gravity = 20
    driver.run_frames(5, seconds=0.2)
    driver.press("A")
    driver.run_until(lambda: screen.practice_agent.adviser.problem or not screen.practice_agent.adviser.is_thinking)
    driver.run_frames(2)
    driver.click("clear")
    screen.practice_game.gravity = 0
    driver.run_frames()
    assert screen.practice_game.free_piece is not None
    assert not screen.practice_game.warning
    driver.press("Esc")
    assert driver.screen.title == "Menu"


def test_controls_are_reachable_at_every_window_size(driver: WindowDriver) -> None:
    screen = open_practice(driver, WELL, "I", "gavrilov:height=10,preview=3")
    for size in ((800, 700), (1000, 760), (1920, 1080), (640, 480), (1300, 480)):
        driver.resize(*size)
        assert {"piece I", "next L", "gravity", "rules", "agent", "ask", "moves"} <= set(
            driver.window.ui.focusable_names
        )
        assert screen._board_area.cell_size > 5


def test_changing_rules_preserves_the_board_and_the_piece(driver: WindowDriver) -> None:
    screen = open_practice(driver, WELL, "I", "standard")
    driver.click("rules")
    driver.type("nes:height=8,preview=2")
    driver.press("Enter")
    driver.run_frames(2)
    assert screen.practice_board.stack == Stack.from_board(WELL, 8)
    assert (screen.practice_board.piece, len(screen.practice_board.next)) == ("I", 2)


@pytest.mark.parametrize("rules", PRESETS)
def test_free_piece_moves_as_in_the_game(rules: str) -> None:
    """Compare a free piece with the piece of a game after each of the same keys."""
    for piece in PIECES:
        game = Game.from_position(
            Position.from_board(Board(rows=4), piece, rules=f"{rules}:gravity=0,lock_delay=gravity,lock_resets=0")
        )
        spawned = game.falling_piece
        assert spawned is not None
        practice_board = PracticeBoard(game.rules, Stack(height=game.rules.height), piece, "")
        free_piece = FreePiece(practice_board, PieceState(0, spawned.column, spawned.row))
        for key in ("rotate", "left", "left", "rotate", "right", "rotate", "left", "rotate"):
            game.press(key)
            free_piece = free_piece.move_by_key(key) or free_piece
            assert free_piece.placement == game.falling_piece


def test_practice_board_rejects_placements_above_the_top_and_undoes_changes() -> None:
    practice_board = PracticeBoard.empty(Rules.parse("standard"), 3)
    placement = FreePiece(practice_board, PieceState(0, 0, 19)).placement
    with pytest.raises(TetrionError, match="stick out"):
        practice_board.place_piece(placement, 0)
    history = UndoHistory(practice_board)
    history.push(practice_board)
    assert not history.can_undo
    history.push(practice_board.with_cell(0, 0, True))
    assert history.undo()
    assert not history.undo()
    assert history.current == practice_board
    assert history.redo()
    assert practice_board.with_cell(3, 5, False) == practice_board, "erasing an empty cell changes nothing"


def test_practice_opens_from_the_play_screen(driver: WindowDriver) -> None:
    driver.open_screen("play", rules="medico")
    driver.click("practice")
    driver.run_frames(2)
    assert isinstance(driver.screen, PracticeScreen)
    assert driver.screen.practice_board.rules.name == "medico"
    driver.press("Esc")
    assert driver.screen.title == "Play"


def test_practice_board_places_pieces_as_the_game_does() -> None:
    game = Game("standard", 4)
    practice_board = PracticeBoard.from_position(game.position)
    for _ in range(30):
        placement = game.placements()[-1]
        game.place(placement)
        practice_board, _ = practice_board.place_piece(placement, 0)
        assert practice_board.board == game.board
        assert practice_board.lines == game.lines
        practice_board = PracticeBoard(
            practice_board.rules, practice_board.stack, game.piece, "", practice_board.lines, practice_board.pieces
        )
        if game.is_over:
            break
    assert Replay.from_game(game).placements
