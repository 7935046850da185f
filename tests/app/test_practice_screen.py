"""Practice, driven by events: pieces moved freely, boards drawn with the mouse, agents asked; nothing is too odd."""

import pygame
import pytest

from app.window_driver import WindowDriver
from tetrion.app.games.practice_board import FreePiece, PracticeBoard, UndoHistory
from tetrion.app.screens.practice_screen import PracticeScreen
from tetrion.board import Board
from tetrion.drawing.board_drawing import get_cell_position, get_frame_width
from tetrion.drawing.stack import Stack
from tetrion.engine.pieces import PIECES
from tetrion.engine.presets import PRESETS
from tetrion.engine.rules import Rules
from tetrion.errors import TetrionError
from tetrion.game import Game
from tetrion.position import Position
from tetrion.replay import Replay

WELL = Board.from_text(["#########."] * 4, rows=8)


def opened(
    driver: WindowDriver, board: Board | None = None, piece: str = "T", rules: str = "standard"
) -> PracticeScreen:
    position = Position.from_board(board or Board(rows=4), piece, next="L" * Rules.parse(rules).preview, rules=rules)
    screen = driver.open_screen("practice", position=position)
    assert isinstance(screen, PracticeScreen)
    return screen


def free_of(screen: PracticeScreen) -> FreePiece:
    assert screen.free_piece is not None
    return screen.free_piece


def pixel(driver: WindowDriver, screen: PracticeScreen, column: int, row: int) -> tuple[int, int]:
    fitted = screen._board_area
    x, y = get_cell_position(
        driver.window.ui.pen.to_pixel_point(fitted.box.topleft),
        fitted.cell_size,
        screen.practice_board.rules.height,
        column,
        row,
    )
    return x + fitted.cell_size // 2, y + fitted.cell_size // 2


def drawn(driver: WindowDriver, screen: PracticeScreen, cells: list[tuple[int, int]], button: int = 1) -> None:
    """Press on the first cell, drag over the others, let go."""
    down, *others = [pixel(driver, screen, *cell) for cell in cells]
    driver._post_event(pygame.MOUSEBUTTONDOWN, pos=down, button=button)
    for place in others:
        driver._post_event(pygame.MOUSEMOTION, pos=place, rel=(0, 0), buttons=(1, 0, 0))
    driver._post_event(pygame.MOUSEBUTTONUP, pos=(others or [down])[-1], button=button)


def test_a_piece_is_moved_freely_and_dropped(driver: WindowDriver) -> None:
    screen = opened(driver)
    start = free_of(screen).piece_state
    driver.press("↓", "↓", "←", "↑")
    assert free_of(screen).piece_state == (0, start[1] - 1, start[2] - 1)
    driver.press("X")
    assert free_of(screen).piece_state[0] == 1
    driver.press("Z")
    assert free_of(screen).piece_state[0] == 0
    driver.run_frames(40)
    assert free_of(screen).piece_state[2] == start[2] - 1, "without gravity nothing falls"
    driver.press("Space")
    assert screen.practice_board.pieces == 1
    assert sum(row.count("T") for row in screen.practice_board.stack.rows) == 4


def test_a_held_arrow_repeats_until_something_is_in_the_way(driver: WindowDriver) -> None:
    screen = opened(driver)
    driver.hold("→")
    driver.run_frames(40)
    driver.release("→")
    assert free_of(screen).move_by_key("right") is None
    driver.hold("↓")
    driver.run_frames(75)
    driver.lose_focus()
    assert free_of(screen).is_resting
    driver.hold("↑")
    driver.run_frames(75)
    driver.release("↑")
    assert free_of(screen).top_row == screen.practice_board.rules.height - 1


def test_a_place_that_no_key_of_the_game_leads_to(driver: WindowDriver) -> None:
    cave = Board.from_text(["##########"[:9] + ".", "#.........", "#........."])
    screen = opened(driver, cave, "O")
    for row in (0, 1):
        assert screen.practice_board.stack.get_cell(1, row) == "."
    free = FreePiece(screen.practice_board, (0, 5, 0))
    assert screen.practice_board.fits(free.placement)
    screen.free_piece = free
    driver.run_frames()
    driver.press("Space")
    assert screen.practice_board.stack.get_cell(5, 0) == "O"


def test_gravity_lets_the_piece_fall_and_rest(driver: WindowDriver) -> None:
    screen = opened(driver)
    driver.click("gravity", x=0.5)
    assert 8 <= screen.gravity <= 12
    assert driver.window.ui.focus == ""
    before = free_of(screen).piece_state[2]
    driver.run_frames(20)
    assert free_of(screen).piece_state[2] < before
    driver.run_until(lambda: screen.practice_board.pieces, seconds=0.1)
    assert screen.practice_board.pieces >= 1


def test_pieces_are_chosen_by_click_number_and_letter(driver: WindowDriver) -> None:
    screen = opened(driver, rules="gavrilov")
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
    assert screen.practice_board.piece == "S", "the key turns the piece back"
    driver.press("Space")
    assert screen.practice_board.piece == "I"


def test_the_mouse_draws_and_erases_and_steps_are_taken_back(driver: WindowDriver) -> None:
    screen = opened(driver)
    drawn(driver, screen, [(0, 0), (5, 0), (5, 3)])
    assert screen.practice_board.board == Board.from_text([".....#....", ".....#....", ".....#....", "######...."])
    drawn(driver, screen, [(1, 0), (3, 0)], button=3)
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


def test_a_full_row_is_refused_in_words(driver: WindowDriver) -> None:
    screen = opened(driver)
    drawn(driver, screen, [(0, 0), (9, 0)])
    assert screen.practice_board.stack.rows == ("#########.",)
    assert "leave a gap" in driver.window.notice


def test_the_piece_stays_out_of_what_is_drawn(driver: WindowDriver) -> None:
    screen = opened(driver)
    cell = free_of(screen).placement.cells[0]
    drawn(driver, screen, [cell])
    assert not screen.practice_board.stack.rows
    assert free_of(screen)


def test_the_mouse_outside_of_the_board_draws_nothing(driver: WindowDriver) -> None:
    screen = opened(driver)
    x, y = pixel(driver, screen, 0, 0)
    driver.click_at(((x - screen._board_area.cell_size) / driver.window.ui.pen.scale, y))
    assert not screen.practice_board.stack.rows
    assert screen.practice_board.pieces == 0
    assert get_frame_width(screen._board_area.cell_size) > 0


def test_an_agent_is_asked_and_its_choice_is_placed(driver: WindowDriver) -> None:
    screen = opened(driver, WELL, "I")
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


def test_an_agent_plays_some_moves_and_all_are_taken_back(driver: WindowDriver) -> None:
    screen = opened(driver)
    screen.practice_agent.moves = 3
    driver.run_frames(2)
    driver.click("let it play")
    driver.run_until(lambda: screen.practice_board.pieces == 3, seconds=0.1)
    driver.run_frames(10, seconds=0.1)
    assert screen.practice_board.pieces == 3
    for _ in range(3):
        driver.press("Z", mod=pygame.KMOD_CTRL)
    assert not screen.practice_board.stack.rows


def test_mistakes_of_agents_and_rules_are_told(driver: WindowDriver) -> None:
    screen = driver.open_screen("practice", rules="nonsense", agent="dellachery")
    assert isinstance(screen, PracticeScreen)
    assert "nonsense" in driver.window.notice
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
    assert "height" in driver.window.notice


def test_a_tower_to_the_top_is_no_end(driver: WindowDriver) -> None:
    for rules in ("standard", "tetrais", "nes", "gavrilov"):
        tower_to_the_top(driver, rules)


def tower_to_the_top(driver: WindowDriver, rules: str) -> None:
    rows = Rules.parse(rules).height
    tower = Board(tuple([(1 << rows) - 1] * 9 + [0]), rows)
    screen = opened(driver, tower, "O", rules)
    driver.run_frames(2)
    assert screen._make_warning()
    driver.press("Space", "←", "↓", "↑", "X", "Z", "3")
    screen.gravity = 20
    driver.run_frames(5, seconds=0.2)
    driver.press("A")
    driver.run_until(lambda: screen.practice_agent.adviser.problem or not screen.practice_agent.adviser.is_thinking)
    driver.run_frames(2)
    driver.click("clear")
    screen.gravity = 0
    driver.run_frames()
    assert screen.free_piece is not None
    assert not screen._make_warning()
    driver.press("Esc")
    assert driver.screen.title == "Menu"


def test_any_size_is_drawn(driver: WindowDriver) -> None:
    screen = opened(driver, WELL, "I", "gavrilov:height=10,preview=3")
    for size in ((800, 700), (1000, 760), (1920, 1080), (640, 480), (1300, 480)):
        driver.resize(*size)
        assert {"piece I", "next L", "gravity", "rules", "agent", "ask", "moves"} <= set(
            driver.window.ui.focusable_names
        )
        assert screen._board_area.cell_size > 5


def test_other_rules_keep_what_fits(driver: WindowDriver) -> None:
    screen = opened(driver, WELL, "I", "standard")
    driver.click("rules")
    driver.type("nes:height=8,preview=2")
    driver.press("Enter")
    driver.run_frames(2)
    assert screen.practice_board.stack == Stack.from_board(WELL, 8)
    assert (screen.practice_board.piece, len(screen.practice_board.next)) == ("I", 2)


@pytest.mark.parametrize("rules", PRESETS)
def test_pieces_move_as_in_the_game(rules: str) -> None:
    """A piece that the bench moves by the game's keys is where the game has it."""
    for piece in PIECES:
        game = Game.from_position(
            Position.from_board(Board(rows=4), piece, rules=f"{rules}:gravity=0,lock_delay=gravity")
        )
        entered = game.falling_piece
        assert entered is not None
        bench = PracticeBoard(game.rules, Stack(height=game.rules.height), piece, "")
        free = FreePiece(bench, (0, entered.column, entered.row))
        for key in ("rotate", "left", "left", "rotate", "right", "rotate", "left", "rotate"):
            game.press(key)
            free = free.move_by_key(key) or free
            assert free.placement == game.falling_piece


def test_a_bench_refuses_what_sticks_out_and_knows_its_steps() -> None:
    bench = PracticeBoard.empty(Rules.parse("standard"), 3)
    high = FreePiece(bench, (0, 0, 19)).placement
    with pytest.raises(TetrionError, match="stick out"):
        bench.place_piece(high, 0)
    history = UndoHistory(bench)
    history.push(bench)
    assert not history.can_undo
    history.push(bench.with_cell(0, 0, True))
    assert history.undo()
    assert not history.undo()
    assert history.current == bench
    assert history.redo()
    assert bench.with_cell(3, 5, False) == bench, "an empty cell stays one"


def test_practice_is_a_choice_inside_play(driver: WindowDriver) -> None:
    driver.open_screen("play", rules="medico")
    driver.click("practice")
    driver.run_frames(2)
    assert isinstance(driver.screen, PracticeScreen)
    assert driver.screen.practice_board.rules.name == "medico"
    driver.press("Esc")
    assert driver.screen.title == "Play"


def test_what_the_agent_plays_is_what_the_game_plays() -> None:
    game = Game("standard", 4)
    bench = PracticeBoard.from_position(game.position)
    for _ in range(30):
        placement = game.placements()[-1]
        game.place(placement)
        bench, _ = bench.place_piece(placement, 0)
        assert bench.board == game.board
        assert bench.lines == game.lines
        bench = PracticeBoard(bench.rules, bench.stack, game.piece, "", bench.lines, bench.pieces)
        if game.is_over:
            break
    assert Replay.from_game(game).placements
