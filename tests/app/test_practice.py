"""Practice: steps played by the engine, boards that are drawn and pasted, keys, advice, and returning to it."""

from pathlib import Path
from random import Random

import pygame
import pytest

from tests.app.drawn_texts import check_texts
from tests.app.window_driver import WindowDriver
from tetrion.app.games.background_agent import describe_advice
from tetrion.app.games.human_rules import HumanControls, count_entry_rows
from tetrion.app.screens.practice_screen import MAX_GRAVITY, PracticeGame, PracticeScreen, free_rules
from tetrion.app.window_settings import DEFAULT_KEYS
from tetrion.board import Board, Cell, Placement
from tetrion.engine.rules import PRESETS, Rules
from tetrion.game import Game
from tetrion.position import Position

T_SPIN_DOUBLE = ("..#.......", "##...#####", "###.######")
WELL = "\n".join(["#########."] * 4)


def make_game(*board: str, rules: str = "guideline", hold: str = "", combo: int = 0) -> PracticeGame:
    parsed = Rules.parse(rules)
    position = Position.from_board(
        Board.from_text(board, parsed.rows), "T", "IOSZJ"[: parsed.preview], parsed, hold=hold, combo=combo
    )
    return PracticeGame(position, "dellacherie", HumanControls(dict.fromkeys(DEFAULT_KEYS, ())), lambda name: None)


def press(game: PracticeGame, *keys: str) -> None:
    for key in keys:
        game.human_game.game.press(key)
    game.update(0.0)


def open_practice(driver: WindowDriver, board: str = "", piece: str = "T", rules: str = "standard") -> PracticeScreen:
    screen: PracticeScreen = driver.open_screen("practice", rules=rules, board=board)
    screen.practice_game.choose_piece(piece)
    driver.run_frames()
    return screen


def reopen(driver: WindowDriver, **options: str) -> PracticeScreen:
    """Leave the practice screen with Esc and open it again."""
    driver.press("Esc")
    driver.run_frames(2)
    assert driver.screen.title == "Menu"
    screen: PracticeScreen = driver.open_screen("practice", **options)
    return screen


def get_piece(screen: PracticeScreen) -> Placement:
    assert screen.practice_game.piece is not None
    return screen.practice_game.piece


def press_with_ctrl(driver: WindowDriver, key: str) -> None:
    driver.press(key, mod=pygame.KMOD_LCTRL)
    driver.run_frames(2)


def draw_stroke(driver: WindowDriver, screen: PracticeScreen, cells: list[Cell], button: int = 1) -> None:
    """Press the mouse button on the first cell, drag over the others, and release it."""
    pen, box, rules = driver.window.ui.pen, driver.window.ui.get_box("board"), screen.practice_game.position.rules
    size = box.width / 10, box.height / (rules.height + count_entry_rows(rules))
    pixels = [pen.to_pixel_point((box.left + (x + 0.5) * size[0], box.bottom - (y + 0.5) * size[1])) for x, y in cells]
    pygame.event.post(pygame.event.Event(pygame.MOUSEBUTTONDOWN, pos=pixels[0], button=button))
    for pixel in pixels[1:]:
        pygame.event.post(pygame.event.Event(pygame.MOUSEMOTION, pos=pixel, rel=(0, 0), buttons=(1, 0, 0)))
    pygame.event.post(pygame.event.Event(pygame.MOUSEBUTTONUP, pos=pixels[-1], button=button))
    driver.run_frames(2)


# Steps of the engine.


@pytest.mark.parametrize("rules", ["guideline", "tetrio"])
def test_keys_lead_to_every_placement_with_its_spin(rules: str) -> None:
    game = make_game(*T_SPIN_DOUBLE, rules=rules, combo=1)
    position = game.position
    for placement in position.placements():
        if placement.hold:
            continue
        press(game, *position.find_keys(placement), "drop")
        assert game.human_game.game.placements_made[-1] == placement
        after, expected = game.position, position.after(placement)
        for name in ("board", "piece", "lines", "combo", "back_to_back", "attack"):
            assert getattr(after, name) == getattr(expected, name)
        game.go_to_step(-1)
        assert game.position == position


@pytest.mark.parametrize("rules", ["guideline", "nes", "gavrilov", "becker", "medico"])
def test_nothing_falls_or_locks_without_gravity_or_a_hard_drop(rules: str) -> None:
    game = make_game(rules=rules)
    start = game.piece
    game.update(10.0)
    assert game.piece == start
    press(game, *["down"] * 40)
    game.update(10.0)
    assert game.piece == game.human_game.game.ghost, "the piece rests"
    assert game.position.pieces == 0
    press(game, "drop")
    assert game.position.pieces == 1
    assert sum(row.count("T") for row in game.stack.rows) == 4
    game.set_gravity(MAX_GRAVITY)
    for _ in range(40):
        game.update(0.1)
    assert game.position.pieces > 1


@pytest.mark.parametrize("rules", [*PRESETS, "gavrilov:movement=steered", "becker:movement=timed"])
def test_every_placement_of_an_agent_is_legal_in_practice(rules: str) -> None:
    random, game = Random(1), Game(rules, 5)
    free = free_rules(game.rules, 0)
    while not game.is_over and game.pieces < 15:
        position = game.position
        free_position = Position.from_board(
            position.board, position.piece or "", position.next, free, hold=position.hold, combo=position.combo
        )
        assert set(game.placements()) <= set(free_position.placements())
        game.place(random.choice(game.placements()))


def test_steps_are_undone_and_redone_with_the_pieces_of_their_cells() -> None:
    game = make_game()
    press(game, "drop")
    first = game.stack
    press(game, "left", "drop")
    second = game.position
    game.go_to_step(-1)
    assert game.stack == first
    game.go_to_step(1)
    assert (game.position, game.has_step(1)) == (second, False)
    game.go_to_step(-1)
    game.go_to_step(-1)
    assert (game.has_step(-1), game.stack.rows) == (False, ())
    game.choose_piece("O")
    game.choose_piece("S", as_next=True)
    assert (game.position.piece, game.position.next, game.has_step(1)) == ("O", "SOSZJ", False)
    game.restart_piece()
    game.go_to_step(-1)
    assert game.position.next == "IOSZJ", "the piece that starts again is no step"


# The screen.


def test_keys_are_those_of_play_while_the_board_has_the_focus(driver: WindowDriver) -> None:
    screen = open_practice(driver, rules="guideline")
    start = get_piece(screen)
    for _ in range(5):
        driver.press("Tab", "↑")
        assert driver.window.ui.focus != "board"
        assert get_piece(screen) == start
    driver.click("piece T")
    assert driver.window.ui.focus == "board", "after a click, the keys move the piece"
    driver.press("↑", "←", "↓")
    moved = get_piece(screen)
    assert (moved.rotation, moved.row) == (1, start.row - 2)
    driver.press("Z")
    assert get_piece(screen).column == start.column - 1
    driver.press("R")
    assert get_piece(screen) == start
    driver.press("C")
    assert screen.practice_game.position.hold == "T"
    driver.press("Space")
    assert screen.practice_game.position.pieces == 1
    driver.window.change_settings(keys={**driver.window.settings.keys, "rotate": ("e",)})
    screen = reopen(driver)
    driver.press("E")
    assert get_piece(screen).rotation == 1


def test_mouse_draws_and_erases_with_undo_and_redo(driver: WindowDriver) -> None:
    screen = open_practice(driver)
    game = screen.practice_game
    draw_stroke(driver, screen, [(0, 0), (5, 0), (5, 2)])
    assert game.format_board() == ".....#....\n.....#....\n######...."
    draw_stroke(driver, screen, [(1, 0), (3, 0)], button=3)
    assert game.format_board().endswith("#...##....")
    press_with_ctrl(driver, "Z")
    assert game.format_board().endswith("######....")
    driver.click("clear")
    assert game.format_board() == ".........."
    driver.run_frames(2)
    driver.click("undo")
    press_with_ctrl(driver, "Z")
    press_with_ctrl(driver, "Y")
    assert game.format_board().endswith("######....")
    driver.click("board", x=-0.02)
    assert game.format_board().endswith("######...."), "a click outside the board draws nothing"
    draw_stroke(driver, screen, [(0, 0), (9, 0)])
    assert game.format_board().endswith("#########.")
    assert "Leave one cell of it empty" in check_texts(driver)


def test_board_is_pasted_copied_and_dropped(driver: WindowDriver, tmp_path: Path) -> None:
    screen = open_practice(driver)
    pygame.scrap.put_text("#...\n")
    press_with_ctrl(driver, "V")
    assert "10 cells" in check_texts(driver), "the problem is shown"
    pygame.scrap.put_text(WELL)
    press_with_ctrl(driver, "V")
    assert screen.practice_game.format_board() == WELL
    driver.press("Space")
    press_with_ctrl(driver, "C")
    assert pygame.scrap.get_text() == screen.practice_game.format_board() != WELL
    file = tmp_path / "board.txt"
    file.write_text(f"..#.......\n{WELL}\n")
    driver.drop(file)
    assert screen.practice_game.stack.rows[4] == "..#......."
    file.write_bytes(b"\xff\xff")
    driver.drop(file)
    assert "board.txt is not a board" in check_texts(driver)


def test_advice_is_shown_and_placed_and_its_agent_plays_until_it_is_stopped(driver: WindowDriver) -> None:
    screen = open_practice(driver, WELL, "I")
    game = screen.practice_game
    driver.press("H")
    driver.run_until(lambda: game.advice)
    texts = check_texts(driver)
    assert "dellacherie would play at the dotted outline." in texts
    assert "The five best of 17" in texts
    driver.press("Enter")
    assert (game.position.lines, game.stack.rows) == (4, ())
    assert game.advice is None
    driver.click("let it play")
    driver.run_until(lambda: game.position.pieces == 3, seconds=0.1)
    driver.press("←")
    assert not game.is_agent_playing
    driver.run_frames(10, seconds=0.1)
    assert game.position.pieces == 3
    hold = Placement("L", 0, 3, 0, "srs", hold=True)
    assert describe_advice("lee", hold) == "lee would use hold and play L at the dotted outline."


def test_practice_survives_leaving_the_screen_unless_other_rules_are_asked_for(driver: WindowDriver) -> None:
    screen = open_practice(driver, piece="S", rules="medico")
    draw_stroke(driver, screen, [(0, 0), (5, 0)])
    screen.practice_game.gravity = 1
    screen.practice_game.change_agent("lee")
    driver.click("let it play")
    driver.run_until(lambda: screen.practice_game.position.pieces == 1, seconds=0.1)
    game = reopen(driver, rules="medico").practice_game
    assert (game.position.pieces, game.gravity, game.adviser.given_agent) == (1, 1, "lee")
    assert not game.is_agent_playing
    press_with_ctrl(driver, "Z")
    assert (game.position.piece, game.stack.rows) == ("S", ("######....",))
    game = reopen(driver, rules="nes", agent="du").practice_game
    assert (game.position.rules.name, game.stack.rows, game.adviser.given_agent) == ("nes", (), "du")
    press_with_ctrl(driver, "Z")
    assert (game.position.rules.name, game.stack.rows) == ("medico", ("######....",))
    assert "nonsense" in reopen(driver, rules="nonsense").practice_game.problem
    driver.press("Esc")
    driver.open_screen("play", rules="medico")
    driver.click("practice")
    driver.run_frames(2)
    assert driver.screen.title == "Practice"
