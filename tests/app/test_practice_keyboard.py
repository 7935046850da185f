"""Tests of the practice screen with the keyboard alone: the focus, drawing cells, and returning to the board."""

import pygame
import pytest

from tests.app.drawn_texts import WINDOW_SIZES, check_texts
from tests.app.practice_games import draw_stroke, get_cell_pixel, get_free_piece, open_practice
from tests.app.window_driver import WindowDriver
from tetrion.app.screens.menu_screen import MenuScreen
from tetrion.app.screens.practice_screen import PracticeScreen
from tetrion.drawing.palette import ACCENT, WHITE
from tetrion.stack import Stack

TABS_FROM_THE_BOARD = ["piece T", "next L", "gravity", "rules", "agent", "ask", "moves", "let it play", "back", "board"]


def press_tab_until(driver: WindowDriver, name: str) -> None:
    for _ in range(len(driver.window.ui.focusable_names)):
        if driver.window.ui.focus == name:
            return
        driver.press("Tab")
    raise AssertionError(f"Tab does not reach {name}")


def reopen(driver: WindowDriver, **options: str) -> PracticeScreen:
    """Leave the practice screen with Esc and open it again."""
    driver.press("Esc")
    driver.run_frames(2)
    assert not isinstance(driver.screen, PracticeScreen)
    screen = driver.open_screen("practice", **options)
    assert isinstance(screen, PracticeScreen)
    return screen


# The focus.


def test_board_has_the_focus_and_comes_before_the_panels(driver: WindowDriver) -> None:
    open_practice(driver, rules="gavrilov")
    ui = driver.window.ui
    assert ui.focus == "board"
    visited = []
    for _ in TABS_FROM_THE_BOARD:
        driver.press("Tab")
        visited.append(ui.focus)
    assert visited == TABS_FROM_THE_BOARD
    driver.press("Tab")
    driver.press("Tab", mod=pygame.KMOD_SHIFT)
    assert ui.focus == "board"


@pytest.mark.parametrize("size", WINDOW_SIZES)
def test_focus_ring_surrounds_the_board(driver: WindowDriver, size: tuple[int, int]) -> None:
    driver.resize(*size)
    open_practice(driver)
    driver.run_frames(12)  # the former screen fades
    ui = driver.window.ui
    box = ui.get_box("board")
    assert ui.pen.area.contains(box.inflate(8, 8))
    others = [ui.get_box(name) for name in ui.focusable_names if name != "board"]
    assert not [other for other in others if other.colliderect(box)]
    side = ui.pen.to_pixel_point((box.left - 4, box.centery))
    colours = [driver.window.surface.get_at((side[0] + offset, side[1])) for offset in range(-2, 3)]
    assert pygame.Color(ACCENT) in colours


def test_game_keys_move_the_piece_only_while_the_board_has_the_focus(driver: WindowDriver) -> None:
    screen = open_practice(driver)
    start = get_free_piece(screen).piece_state
    driver.press("←")
    assert get_free_piece(screen).piece_state[1] == start[1] - 1
    for name in ("piece T", "gravity", "moves", "undo", "back"):
        if name == "undo":
            draw_stroke(driver, screen, [(0, 0)])
        press_tab_until(driver, name)
        before = get_free_piece(screen).piece_state
        driver.press("←", "→", "↑", "↓", "X")
        assert get_free_piece(screen).piece_state == before, name
    press_tab_until(driver, "board")
    driver.press("→")
    assert get_free_piece(screen).piece_state[1] == start[1]


@pytest.mark.parametrize("key", ["Space", "Enter"])
def test_pieces_are_chosen_in_their_group(driver: WindowDriver, key: str) -> None:
    screen = open_practice(driver, piece="T", rules="gavrilov")
    driver.press("Tab")
    assert driver.window.ui.focus == "piece T", "Tab enters at the chosen piece"
    driver.press("←", key)
    assert screen.practice_board.piece == "O"
    assert screen.practice_board.pieces == 0, "Space does not drop the piece"
    driver.press("Tab")
    assert driver.window.ui.focus == "next L"
    driver.press("←", key)
    assert (screen.practice_board.piece, screen.practice_board.next) == ("O", "J")
    driver.press("I")
    assert (screen.practice_board.piece, screen.practice_board.next) == ("O", "I")
    assert driver.window.ui.focus == "next I"
    driver.press("Tab", mod=pygame.KMOD_SHIFT)
    driver.press("Z")
    assert screen.practice_board.piece == "Z"
    assert driver.window.ui.focus == "piece Z"


def test_number_receives_digits_and_letters_choose_pieces(driver: WindowDriver) -> None:
    screen = open_practice(driver)
    press_tab_until(driver, "moves")
    driver.press("Backspace", "3")
    assert screen.practice_agent.moves == 13
    assert screen.practice_board.piece == "T"
    driver.press("J")
    assert screen.practice_board.piece == "J"
    driver.press("→")
    assert screen.practice_agent.moves == 14
    driver.press("Tab")
    driver.press("1")
    assert screen.practice_board.piece == "I"


def test_click_returns_the_focus_to_the_board(driver: WindowDriver) -> None:
    screen = open_practice(driver)
    driver.click("piece O")
    assert driver.window.ui.focus == "board"
    start = get_free_piece(screen).piece_state
    driver.press("←")
    assert get_free_piece(screen).piece_state != start
    driver.click("moves")
    assert driver.window.ui.focus == "moves"
    driver.press("Tab")
    driver._post_event(pygame.MOUSEBUTTONUP, pos=(1, 1), button=pygame.BUTTON_WHEELDOWN)
    assert driver.window.ui.focus == "let it play", "the wheel is not a click"


# Drawing.


def test_cells_are_drawn_and_erased_with_the_cursor(driver: WindowDriver) -> None:
    screen = open_practice(driver)
    piece = get_free_piece(screen).piece_state
    driver.press("E", "→", "Space", "↑", "→", "Enter")
    assert screen.practice_board.stack.rows == (".#........", "..#.......")
    driver.press("Space")
    assert screen.practice_board.stack == Stack((".#........",))
    assert screen.practice_board.pieces == 0
    assert get_free_piece(screen).piece_state == piece
    driver.press("Z", mod=pygame.KMOD_CTRL)
    assert screen.practice_board.stack.rows == (".#........", "..#.......")
    driver.press("E", "↓")
    assert get_free_piece(screen).piece_state[2] == piece[2] - 1, "the arrows move the piece again"
    driver.press("E")
    assert screen.practice_game.cursor == (2, 1), "the cursor is where it was"


def test_held_space_draws_a_line_as_one_step(driver: WindowDriver) -> None:
    screen = open_practice(driver)
    driver.press("E")
    driver.hold("Space")
    driver.press("→", "→", "↑")
    driver._post_event(
        pygame.MOUSEMOTION, pos=get_cell_pixel(driver, screen, 9, 9), rel=(0, 0), buttons=(0, 0, 0)
    )  # the stroke does not follow the mouse
    driver.release("Space")
    driver.press("→")
    assert screen.practice_board.stack.rows == ("###.......", "..#.......")
    driver.press("Z", mod=pygame.KMOD_CTRL)
    assert not screen.practice_board.stack.rows


def test_held_arrow_moves_the_cursor_to_the_border(driver: WindowDriver) -> None:
    screen = open_practice(driver)
    driver.press("E")
    for key, cell in (("→", (9, 0)), ("↑", (9, screen.practice_board.rules.height - 1)), ("←", (0, 19)), ("↓", (0, 0))):
        driver.hold(key)
        driver.run_frames(80)
        driver.release(key)
        assert screen.practice_game.cursor == cell


def test_problems_of_drawing_are_explained(driver: WindowDriver) -> None:
    screen = open_practice(driver)
    driver.press("E")
    driver.hold("Space")
    driver.press(*["→"] * 9)
    driver.release("Space")
    assert screen.practice_board.stack.rows == ("#########.",)
    assert "Leave a gap" in screen.practice_game.problem
    column, row = get_free_piece(screen).placement.cells[0]
    driver.press(*["↑"] * row, *["←"] * (9 - column), "Space")
    assert screen.practice_board.stack.rows == ("#########.",)
    assert "covers this cell" in screen.practice_game.problem


@pytest.mark.parametrize("key", ["Esc", "E"])
def test_drawing_ends_without_leaving_the_screen(driver: WindowDriver, key: str) -> None:
    screen = open_practice(driver)
    driver.press("E", "Space", key)
    driver.run_frames(2)
    assert driver.screen is screen
    assert screen.practice_game.cursor is None
    driver.press("Esc")
    assert isinstance(driver.screen, MenuScreen)


def test_end_drawing_in_the_header_does_not_leave_the_screen(driver: WindowDriver) -> None:
    screen = open_practice(driver)
    driver.press("E")
    driver.click("back")
    assert driver.screen is screen
    assert screen.practice_game.cursor is None
    assert driver.window.ui.focus == "board"


def test_drawing_ends_when_another_control_gets_the_focus(driver: WindowDriver) -> None:
    screen = open_practice(driver)
    driver.press("E")
    driver.hold("Space")
    driver.press("Tab", "→")
    assert screen.practice_game.cursor is None
    assert screen.practice_board.stack.rows == ("#.........",)
    driver.press("E")
    assert driver.window.ui.focus == "board"
    assert screen.practice_game.cursor is not None


def test_piece_does_not_fall_while_cells_are_drawn(driver: WindowDriver) -> None:
    screen = open_practice(driver)
    screen.practice_game.gravity = 20
    driver.press("E")
    before = get_free_piece(screen).piece_state
    driver.run_frames(30)
    assert get_free_piece(screen).piece_state == before
    driver.press("E")
    driver.run_frames(30)
    assert get_free_piece(screen).piece_state != before


def test_another_key_draws_if_the_game_uses_e(driver: WindowDriver) -> None:
    driver.window.change_settings(keys={**driver.window.settings.keys, "rotate": ("e",)})
    screen = open_practice(driver)
    driver.press("E")
    assert get_free_piece(screen).piece_state[0] == 1
    assert screen.practice_game.cursor is None
    driver.press("F")
    assert screen.practice_game.cursor is not None


@pytest.mark.parametrize("size", WINDOW_SIZES)
def test_cursor_and_its_keys_are_shown(driver: WindowDriver, size: tuple[int, int]) -> None:
    driver.resize(*size)
    screen = open_practice(driver, rules="gavrilov")
    text = check_texts(driver)
    assert "Left mouse button or E: draw cells." in text
    assert "E Draw" in text
    driver.press("E")
    text = check_texts(driver)
    assert "Space Fill or erase" in text
    assert "Esc End drawing" in text
    assert "hold it and move to draw a line." in text
    x, y = get_cell_pixel(driver, screen, 0, 0)
    half = screen._board_area.cell_size // 2
    driver.run_frames(12)  # the former screen fades
    assert pygame.Color(WHITE) in [driver.window.surface.get_at((x - half + offset, y)) for offset in range(5)]


# Returning.


def test_practice_survives_leaving_the_screen(driver: WindowDriver) -> None:
    screen = open_practice(driver, piece="S", rules="medico")
    draw_stroke(driver, screen, [(0, 0), (5, 0)])
    driver.press("→", "↓")
    screen.practice_game.gravity = 1
    screen.practice_agent.moves = 7
    screen.practice_agent._change_agent("lee")
    piece = get_free_piece(screen).piece_state
    screen = reopen(driver)
    assert screen.practice_board.stack.rows == ("######....",)
    assert screen.practice_board.piece == "S"
    assert screen.rules_text == "medico"
    assert get_free_piece(screen).piece_state[:2] == piece[:2]
    assert screen.practice_game.gravity == 1
    assert (screen.practice_agent.adviser.agent, screen.practice_agent.moves) == ("lee", 7)
    driver.press("Z", mod=pygame.KMOD_CTRL)
    assert not screen.practice_board.stack.rows, "the history survives too"


def test_practice_with_the_same_rules_keeps_the_board_and_the_agent(driver: WindowDriver) -> None:
    screen = driver.open_screen("practice", rules="nes", agent="dellacherie")
    draw_stroke(driver, screen, [(0, 0)])
    screen.practice_agent._change_agent("lee")
    screen = reopen(driver, rules="nes", agent="dellacherie")
    assert screen.practice_board.stack.rows == ("#.........",)
    assert screen.practice_agent.adviser.agent == "lee", "nothing else is asked for than before"
    screen = reopen(driver, rules="nes", agent="gavrilov")
    assert screen.practice_board.stack.rows == ("#.........",)
    assert screen.practice_agent.adviser.agent == "gavrilov"


def test_practice_with_other_rules_begins_with_an_empty_board(driver: WindowDriver) -> None:
    screen = driver.open_screen("practice", rules="nes")
    draw_stroke(driver, screen, [(0, 0)])
    screen = reopen(driver, rules="medico")
    assert screen.rules_text == "medico"
    assert not screen.practice_board.stack.rows
    driver.press("Z", mod=pygame.KMOD_CTRL)
    assert screen.rules_text == "nes"
    assert screen.practice_board.stack.rows == ("#.........",)
    screen = reopen(driver, rules="nonsense")
    assert "nonsense" in screen.practice_game.problem
    assert screen.practice_board.stack.rows == ("#.........",)


def test_agent_that_plays_stops_when_the_screen_is_left(driver: WindowDriver) -> None:
    screen = open_practice(driver)
    driver.click("let it play")
    driver.run_until(lambda: screen.practice_board.pieces == 1, seconds=0.1)
    screen = reopen(driver)
    assert screen.practice_board.pieces == 1
    assert screen.practice_agent.moves_left == 0
    assert not screen.is_moving
    driver.press("A")
    driver.run_until(lambda: screen.practice_agent.get_advice(screen.practice_board))


def test_practice_that_crashed_is_not_kept(driver: WindowDriver, monkeypatch: pytest.MonkeyPatch) -> None:
    screen = open_practice(driver)
    draw_stroke(driver, screen, [(0, 0)])
    monkeypatch.setattr(screen, "update", lambda seconds: 1 / 0)
    driver.run_frames(2)
    assert isinstance(driver.screen, MenuScreen)
    assert not driver.open_screen("practice").practice_board.stack.rows
