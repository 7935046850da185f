"""Modern games on the play screen: hold, queue, action text, garbage meter, start levels and ends."""

import json

import pygame
import pytest

from tests.app.drawn_texts import WINDOW_SIZES, check_texts
from tests.app.play_games import finish_game, get_game, get_human_game, start_game
from tests.app.saved_games import play_agent_game, save_game_file
from tests.app.screen_scenes import start_match
from tests.app.window_driver import WindowDriver
from tetrion.app.game_storage import list_replay_files
from tetrion.app.picker_options import list_rules_options
from tetrion.app.screens.play_screen import GAME_PAUSED, PlayScreen
from tetrion.app.window_settings import get_settings_path, load_settings
from tetrion.board import Board, Placement
from tetrion.drawing.board_animation import AnimatedBoard
from tetrion.drawing.game_facts import (
    BLOCK_OUT,
    LOCK_OUT,
    TOP_OUT,
    ActionText,
    VisiblePieces,
    describe_action,
    describe_end,
    list_attack_figures,
    name_clear,
)
from tetrion.drawing.palette import NEGATIVE
from tetrion.drawing.pen import Box, Pen
from tetrion.drawing.side_panels import draw_garbage_meter
from tetrion.game import Game
from tetrion.position import Position
from tetrion.replay import Replay
from tetrion.stack import LockedPiece, Stack

T_SPIN_DOUBLE = ["..#.......", "##...#####", "###.######"]
TETRIS = ["#########."] * 4
GARBAGE_RULES = "guideline:garbage_rows=3,garbage_interval=1,garbage_delay=1"


def start_position(driver: WindowDriver, board: list[str], piece: str, combo: int, back_to_back: int) -> PlayScreen:
    position = Position.from_board(
        Board.from_text(board), piece, next="OOOOO", rules="guideline", combo=combo, back_to_back=back_to_back
    )
    screen = driver.open_screen("play", game=Game.from_position(position))
    assert isinstance(screen, PlayScreen)
    return screen


def test_new_game_shows_an_empty_hold_box_and_a_queue_of_five(driver: WindowDriver) -> None:
    screen = start_game(driver, "guideline")
    texts = check_texts(driver)
    for text in ("Hold", "Empty", "Next", "Level", "T-spins", "Hard drop"):
        assert text in texts
    assert len(VisiblePieces.from_position(get_game(screen).position).next) == 5
    driver.window.close_screen()
    start_game(driver, "nes")
    assert "Hold" not in check_texts(driver)


def test_hold_exchanges_the_piece_once_per_piece(driver: WindowDriver) -> None:
    screen = start_game(driver, "guideline")
    game = get_game(screen)
    first, second = game.piece, game.next[0]
    driver.press("C")
    assert (game.position.hold, game.piece) == (first, second)
    assert "Used" in check_texts(driver)
    driver.press("C")
    assert (game.position.hold, game.piece) == (first, second)
    driver.press("Space")
    texts = check_texts(driver)
    assert "Used" not in texts
    assert "Empty" not in texts
    driver.press("C")
    assert game.piece == first


def test_half_turn_is_on_a_where_the_rules_have_it(driver: WindowDriver) -> None:
    screen = start_game(driver, "jstris", seed=1)
    before = get_game(screen).falling_piece
    driver.press("A")
    after = get_game(screen).falling_piece
    assert before is not None
    assert after is not None
    assert get_game(screen).events[-1][2] == "half"
    assert "Half turn" in check_texts(driver)
    driver.window.close_screen()
    start_game(driver, "guideline")
    assert "Half turn" not in check_texts(driver)


def test_held_rotation_key_turns_the_next_piece_unless_the_handling_is_off(driver: WindowDriver) -> None:
    for is_on, expected in ((None, 1), (False, 0)):
        driver.window.change_settings(initial_rotation=is_on)
        screen = start_game(driver, "guideline", seed=3)  # T, then I
        driver.hold("up")
        driver.press("Space")
        falling = get_game(screen).falling_piece
        assert falling is not None
        assert falling.rotation == expected
        driver.release("up")
        driver.window.close_screen()


def make_lock(piece: str, spin: str, lines: int) -> LockedPiece:
    return LockedPiece(Placement(piece, 0, 0, 0, "srs", spin), Stack(("#" * 9 + ".",)), tuple(range(lines)))


@pytest.mark.parametrize(
    ("piece", "spin", "lines", "name"),
    [
        ("T", "none", 0, ""),
        ("T", "none", 3, ""),
        ("I", "none", 4, "Tetris"),
        ("T", "full", 0, "T-spin"),
        ("T", "full", 1, "T-spin single"),
        ("T", "full", 2, "T-spin double"),
        ("T", "full", 3, "T-spin triple"),
        ("T", "mini", 0, "Mini T-spin"),
        ("T", "mini", 1, "Mini T-spin single"),
        ("S", "mini", 2, "Mini S-spin double"),
    ],
)
def test_clears_are_named(piece: str, spin: str, lines: int, name: str) -> None:
    assert name_clear(make_lock(piece, spin, lines)) == name


def test_action_text_of_every_kind() -> None:
    board = Board.from_text(T_SPIN_DOUBLE)
    position = Position.from_board(board, "T", next="I", rules="guideline", combo=3, back_to_back=1)
    placement = next(each for each in position.placements() if each.spin == "full" and each.row == 0)
    lock = Stack.from_board(board).lock_piece(placement)
    assert describe_action(lock, position.after(placement)) == ("T-spin double", "Back-to-back", "3 combo")
    position = Position.from_board(Board.from_text(TETRIS), "I", rules="guideline")
    placement = next(each for each in position.placements() if position.after(each).lines == 4)
    lock = Stack.from_board(position.board).lock_piece(placement)
    assert describe_action(lock, position.after(placement)) == ("Tetris", "Perfect clear")
    research = Position.from_board(Board.from_text(TETRIS), "I")
    assert describe_action(lock, research) == ()


def test_action_text_appears_at_the_lock_and_fades(driver: WindowDriver) -> None:
    screen = start_position(driver, TETRIS, "I", combo=1, back_to_back=1)
    driver.press("up", *["right"] * 5, "Space")
    action = get_human_game(screen).action
    assert action.lines == ("Tetris", "Back-to-back", "1 combo", "Perfect clear")
    texts = check_texts(driver)
    for line in action.lines:
        assert line in texts
    assert dict(list_attack_figures(get_game(screen)))["Tetrises"] == "1"
    assert action.get_strength(has_animation=True) == 1
    driver.run_frames(105)
    assert 0 < action.get_strength(has_animation=True) < 1
    assert action.get_strength(has_animation=False) == 1
    driver.run_frames(30)
    assert not action.lines


def test_later_lock_without_an_action_does_not_end_the_text() -> None:
    action = ActionText()
    position = Position.from_board(Board(), "T", rules="guideline")
    action.add_lock(make_lock("I", "none", 4), position)
    action.update(0.5)
    action.add_lock(make_lock("I", "none", 0), position)
    assert action.lines == ("Tetris",)


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


def test_pause_and_end_of_a_modern_game(driver: WindowDriver) -> None:
    screen = start_game(driver, "guideline")
    driver.press("P")
    assert screen.state == GAME_PAUSED
    assert "Paused" in check_texts(driver)
    driver.press("P")
    finish_game(driver, screen)
    driver.run_frames(2)
    assert BLOCK_OUT in check_texts(driver)
    assert Replay.load(list_replay_files()[0]).rules == get_game(screen).rules


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


def test_start_level_begins_at_that_of_the_rules_and_other_rules_keep_theirs(driver: WindowDriver) -> None:
    screen = driver.open_screen("play")
    assert str(screen.setup.rules) == "guideline"
    assert screen.setup.rules_text == "guideline"
    driver.press("Enter")
    assert get_game(screen).level == 1
    assert driver.window.settings.level == 0
    screen.setup.choose_rules("guideline:start_level=7")
    assert (screen.setup.rules_text, screen.setup.level) == ("guideline", 7)
    screen.setup.choose_rules("nes")
    assert str(screen.setup.rules) == "nes:start_level=7"


def test_guideline_is_offered_first_and_stored_rules_stay(driver: WindowDriver) -> None:
    assert [option.value for option in list_rules_options()][:3] == ["guideline", "nes", "standard"]
    get_settings_path().parent.mkdir(parents=True, exist_ok=True)
    get_settings_path().write_text(json.dumps({"version": 2, "play_rules": "medico"}))
    assert load_settings()[0].play_rules == "medico"


def test_hint_is_asked_again_when_hold_is_used(driver: WindowDriver) -> None:
    screen = start_game(driver, "guideline", seed=3)
    driver.press("H")
    driver.run_until(lambda: screen.hint)
    hint = screen.hint
    assert hint is not None
    driver.run_frames(2)
    assert ("Hold, then" in check_texts(driver)) == hint.hold
    driver.press("C")
    driver.run_until(lambda: screen.hint and not screen.hint.hold)


@pytest.mark.parametrize("size", WINDOW_SIZES)
def test_action_text_fits_at_every_window_size(driver: WindowDriver, size: tuple[int, int]) -> None:
    screen = start_game(driver, GARBAGE_RULES)
    driver.press("C", "Space", "C")
    driver.resize(*size)
    action = get_human_game(screen).action
    action.show(("Mini T-spin double", "Back-to-back", "12 combo", "Perfect clear"))
    driver.run_frames(2)
    check_texts(driver)


@pytest.mark.parametrize("screen_name", ["play", "versus"])
def test_action_text_is_shown_under_rules_without_hold(driver: WindowDriver, screen_name: str) -> None:
    rules = "guideline:hold=0,initial_hold=0"
    if screen_name == "play":
        action = get_human_game(start_game(driver, rules)).action
    else:
        action = start_match(driver, "you", "lee", rules=rules).match.players[0].action
    action.show(("Tetris", "Back-to-back"))
    for size in WINDOW_SIZES:
        driver.resize(*size)
        action.show(("Tetris", "Back-to-back"))
        texts = check_texts(driver)
        assert "Back-to-back" in texts
        assert "Hold" not in texts


@pytest.mark.parametrize("size", [(800, 640), *WINDOW_SIZES])
def test_finished_game_shows_its_figures(driver: WindowDriver, size: tuple[int, int]) -> None:
    screen = start_game(driver, "guideline")
    finish_game(driver, screen)
    driver.resize(*size)
    texts = check_texts(driver)
    for label, _ in list_attack_figures(get_game(screen)):
        assert label in texts


def test_minis_are_named_only_if_there_are_some() -> None:
    position = Position.from_board(Board.from_text(T_SPIN_DOUBLE), "T", next="OOOOO", rules="guideline")
    game = Game.from_position(position)
    game.place(next(each for each in game.placements() if each.spin == "full" and each.row == 0))
    assert dict(list_attack_figures(game))["T-spins"] == "1"


@pytest.mark.parametrize("screen_name", ["replay", "versus"])
def test_piece_that_spawns_above_the_board_is_drawn_in_its_top_rows(
    driver: WindowDriver, monkeypatch: pytest.MonkeyPatch, screen_name: str
) -> None:
    pieces: list[Placement] = []

    def record_piece(surface: object, origin: object, cell: int, board: AnimatedBoard, **options: object) -> None:
        if board.active:
            pieces.append(board.active)

    if screen_name == "replay":
        file = save_game_file(play_agent_game("dellacherie", "guideline", 12), "dellacherie")
        screen = driver.open_screen("replay", file=str(file), move=3)
        driver.run_until(lambda: screen.playback)
        monkeypatch.setattr("tetrion.drawing.board_animation.draw_animated_board", record_piece)
    else:
        start_match(driver, "lee", "dellacherie", rules="guideline").match.set_paused(True)
        monkeypatch.setattr("tetrion.app.screens.versus_screen.draw_animated_board", record_piece)
    driver.run_frames(3)
    assert pieces
    assert max(row for piece in pieces for _, row in piece.cells) < 20
