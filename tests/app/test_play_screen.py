"""Tests of the play screen, driven by events: keys, pause, saving, best scores, hints."""

import json
from pathlib import Path
from typing import Any

import pygame
import pytest

from tests.app.window_driver import FRAME_SECONDS, WindowDriver
from tetrion.app.game_storage import BEST_SCORES_FILE, list_replay_files, load_best_scores
from tetrion.app.games.board_animator import BoardAnimator
from tetrion.app.games.human_game import HumanGame, compute_level_progress
from tetrion.app.games.human_rules import DEFAULT_PLAY_RULES
from tetrion.app.games.key_input import GAME_OVER_KEY_DELAY
from tetrion.app.screens.play_screen import (
    GAME_OVER,
    GAME_PAUSED,
    GAME_RUNNING,
    GAME_SETUP,
    PlayScreen,
)
from tetrion.app.window_settings import WindowSettings, load_settings, save_settings
from tetrion.board import Board
from tetrion.drawing.entry_rows import count_entry_rows
from tetrion.drawing.palette import get_piece_colours
from tetrion.drawing.pen import FittedBoard
from tetrion.engine.presets import PRESETS
from tetrion.engine.rules import Rules
from tetrion.game import Game
from tetrion.position import Position, uses_levels
from tetrion.replay import Replay


def start_game(driver: WindowDriver, rules: str = "standard", seed: int = 7, **options: object) -> PlayScreen:
    screen = driver.open_screen("play", rules=rules, seed=seed, start=True, **options)
    assert isinstance(screen, PlayScreen)
    assert screen.state == GAME_RUNNING
    return screen


def get_game(screen: PlayScreen) -> Game:
    return get_human_game(screen).game


def get_human_game(screen: PlayScreen) -> HumanGame:
    assert screen.human_game is not None
    return screen.human_game


def finish_game(driver: WindowDriver, screen: PlayScreen) -> None:
    for _ in range(40):
        driver.press("Space")
        if screen.state == GAME_OVER:
            return
    raise AssertionError("the game did not end after 40 hard drops")


def get_column(screen: PlayScreen) -> int:
    falling = get_game(screen).falling_piece
    assert falling is not None
    return falling.column


def test_human_game_replays_to_the_identical_board(driver: WindowDriver, tmp_path: Path) -> None:
    screen = start_game(driver, "nes", 1834)
    keys = ["left", "up", "right", "z", "down", "right", "right"]
    for step in range(36):
        key = keys[step % len(keys)]
        driver.hold(key)
        driver.run_frames(step % 9, seconds=FRAME_SECONDS * (1 + step % 3))
        if step % 4 == 0:
            driver.hold("down")
            driver.run_frames(20)
            driver.release("down")
        driver.release(key)
    game = get_game(screen)
    assert game.pieces >= 3
    Replay.from_game(game, "you").save(tmp_path / "game.json")
    again = Replay.load(tmp_path / "game.json").play()
    assert str(again.board) == str(game.board)
    assert (again.score, again.frames, again.falling_piece) == (game.score, game.frames, game.falling_piece)
    assert {"keydown", "keyup", "press"} == {action for _, action, _ in game.events}


def test_held_key_repeats_as_defined_by_the_rules(driver: WindowDriver) -> None:
    screen = start_game(driver, "standard")
    start = get_column(screen)
    driver.hold("left")
    assert get_column(screen) == start - 1
    driver.run_frames(8)
    assert get_column(screen) == start - 1, "DAS is 170 ms"
    driver.run_frames(12)
    assert get_column(screen) == 0
    driver.release("left")
    driver.press("Esc", "Esc")

    screen = start_game(driver, "gavrilov")
    start = get_column(screen)
    driver.hold("left")
    driver.run_frames(30)
    assert get_column(screen) == start - 1, "these rules have no key repeat"
    driver.release("left")


def test_key_press_within_one_frame_counts(driver: WindowDriver) -> None:
    screen = start_game(driver)
    start = get_column(screen)
    for kind in (pygame.KEYDOWN, pygame.KEYUP, pygame.KEYDOWN, pygame.KEYUP):
        pygame.event.post(pygame.event.Event(kind, key=pygame.K_LEFT, mod=0, unicode=""))
    driver.run_frames()
    assert get_column(screen) == start - 2
    driver.run_frames(40)
    assert get_column(screen) == start - 2


def test_keys_missing_from_the_rules_do_nothing(driver: WindowDriver) -> None:
    screen = start_game(driver, "nes")
    before = get_game(screen).pieces, get_column(screen)
    driver.press("Space")
    assert (get_game(screen).pieces, get_column(screen)) == before
    labels = [label for _, label in screen._make_legend(get_game(screen).rules.keys.split("+"))]
    assert "Hard drop" not in labels
    assert "Rotate back" in labels


def test_custom_keys_are_used_and_shown(driver: WindowDriver) -> None:
    driver.window.change_settings(keys={**driver.window.settings.keys, "left": ("j",), "hint": ("g",)})
    screen = start_game(driver)
    start = get_column(screen)
    driver.press("J")
    assert get_column(screen) == start - 1
    driver.press("left", "A")
    assert get_column(screen) == start - 1
    assert screen._make_legend(["left"])[0][0][0] == "J"


def test_pause_releases_keys_and_stops_time(driver: WindowDriver) -> None:
    screen = start_game(driver)
    driver.hold("right")
    driver.press("P")
    assert screen.state == GAME_PAUSED
    before = get_game(screen).frames, get_column(screen)
    driver.run_frames(60)
    driver.release("right")
    assert (get_game(screen).frames, get_column(screen)) == before
    assert get_game(screen).events[-1][1:] == ("keyup", "right")
    driver.press("P")
    assert screen.state == GAME_RUNNING
    driver.run_frames(30)
    assert get_column(screen) == before[1]
    assert get_game(screen).frames > before[0]


def test_losing_the_focus_pauses_and_a_click_continues(driver: WindowDriver) -> None:
    screen = start_game(driver)
    driver.lose_focus()
    assert screen.state == GAME_PAUSED
    driver.run_frames(2)
    driver.click("overlay Continue")
    assert screen.state == GAME_RUNNING


def test_restart_saves_the_running_game(driver: WindowDriver) -> None:
    screen = start_game(driver, seed=3)
    driver.press("R")
    assert not list_replay_files(), "a game without a placed piece is not saved"
    driver.press("Space", "Space", "R")
    assert get_game(screen).pieces == 0
    (saved_file,) = list_replay_files()
    assert Replay.load(saved_file).result["pieces"] == 2


@pytest.mark.parametrize("way_to_leave", ["Esc", "close"])
def test_leaving_a_running_game_saves_it_once(driver: WindowDriver, way_to_leave: str) -> None:
    start_game(driver)
    driver.press("Space", "Space", "Space")
    if way_to_leave == "Esc":
        driver.press("Esc", "Esc")
        assert driver.screen.title == "Menu"
    driver.quit()
    (saved_file,) = list_replay_files()
    assert Replay.load(saved_file).agent == "you"


def test_finished_game_shows_its_result_and_can_be_restarted(driver: WindowDriver) -> None:
    screen = start_game(driver, "tetrais", 5)
    finish_game(driver, screen)
    driver.run_frames(2)
    assert screen.rank == 1
    assert screen.saved_file in list_replay_files()
    score = get_game(screen).score
    assert load_best_scores()[0]["tetrais"][0].score == score > 0
    assert screen._describe_result(get_human_game(screen)) == [f"0 lines, {score} points", "Your best game"]
    driver.press("↓", "R")  # ignored directly after the end of the game
    assert (screen.state, driver.window.ui.focus) == (GAME_OVER, "overlay Play again")
    driver.run_frames(round(GAME_OVER_KEY_DELAY / FRAME_SECONDS))
    driver.press("R")
    assert screen.state == GAME_RUNNING
    assert get_game(screen).pieces == 0
    assert screen._make_summary(get_human_game(screen)).best_score == score
    finish_game(driver, screen)
    driver.run_frames(2)
    assert screen.rank == 2
    driver.click("overlay Menu")
    assert driver.screen.title == "Menu"
    assert len(load_best_scores()[0]["tetrais"]) == 2
    assert len(list_replay_files()) == 2


def test_damaged_best_scores_file_is_set_aside(driver: WindowDriver, folders: Path) -> None:
    data = folders / "data"
    data.mkdir(parents=True, exist_ok=True)
    (data / BEST_SCORES_FILE).write_text("{nonsense")
    screen = start_game(driver, "tetrais")
    driver.run_frames(2)
    assert "damaged" in driver.window.notice
    finish_game(driver, screen)
    assert json.loads((data / BEST_SCORES_FILE).read_text())["tetrais"]
    assert any("{nonsense" in path.read_text() for path in data.iterdir() if path.is_file())


def test_setup_by_keyboard_is_saved(driver: WindowDriver) -> None:
    screen = driver.open_screen("play")
    assert isinstance(screen, PlayScreen)
    assert screen.state == GAME_SETUP
    assert driver.window.ui.focus == "start"
    driver.click("rules")
    driver.type("nes:start_level=9,preview=2")
    driver.press("Enter")
    driver.run_frames(2)
    assert (screen.setup.rules_text, screen.setup.level) == ("nes:preview=2", 9)
    driver.click("level", x=0.95)
    driver.click("start")
    assert screen.state == GAME_RUNNING
    assert str(get_game(screen).rules) == "nes:preview=2,start_level=10"
    assert len(get_game(screen).next) == 2
    settings, _ = load_settings()
    assert (settings.play_rules, settings.level) == ("nes:preview=2", 10)


def test_invalid_rules_show_an_error_and_cannot_start(driver: WindowDriver) -> None:
    screen = driver.open_screen("play", rules="nes:levle=3", start=True)
    assert isinstance(screen, PlayScreen)
    assert screen.state == GAME_SETUP
    assert "levle" in screen.setup.rules_error
    assert "start" not in driver.window.ui.focusable_names
    driver.click("rules")
    driver.type("medico")
    driver.press("Enter")
    driver.run_frames(2)
    assert not screen.setup.rules_error
    assert "start" in driver.window.ui.focusable_names


def test_seed_can_be_typed(driver: WindowDriver) -> None:
    screen = driver.open_screen("play", rules="standard")
    assert isinstance(screen, PlayScreen)
    assert screen.setup.seed is None
    driver.click("seed mode", x=0.8)
    driver.run_frames(2)
    driver.click("seed")
    driver.press("Backspace")
    for digit in "1834":
        driver.press(digit)
    driver.click("start")
    assert screen.state == GAME_RUNNING
    assert get_game(screen).seed == 1834


def test_unknown_rules_in_the_settings_do_not_close_the_screen(driver: WindowDriver) -> None:
    save_settings(WindowSettings(play_rules="gone", hint_agent="gone"))
    driver.window.change_settings(play_rules="gone", hint_agent="gone")
    screen = driver.open_screen("play")
    assert isinstance(screen, PlayScreen)
    assert "gone" in screen.setup.rules_error
    driver.press("Esc")
    assert driver.screen.title == "Menu"


def test_hint_is_shown_for_each_piece(driver: WindowDriver) -> None:
    screen = start_game(driver)
    assert screen.hint is None
    driver.press("H")
    driver.run_until(lambda: screen.hint)
    first = screen.hint
    assert first in get_game(screen).placements()
    driver.press("Space")
    driver.run_until(lambda: screen.hint)
    assert screen.hint is not first
    assert screen.hint in get_game(screen).placements()
    driver.click("hint")
    assert screen.hint is None


def test_unknown_hint_agent_shows_an_error_and_the_game_continues(driver: WindowDriver) -> None:
    driver.window.change_settings(hint_agent="dellachery")
    screen = start_game(driver)
    driver.press("H")
    driver.run_until(lambda: screen.hint_provider.problem)
    assert "dellacherie" in screen.hint_provider.problem
    pieces = get_game(screen).pieces
    driver.press("Space")
    assert get_game(screen).pieces == pieces + 1


def test_game_of_a_replay_can_be_continued(driver: WindowDriver) -> None:
    game = Game("standard", 3)
    for _ in range(5):
        game.place(game.placements()[0])
    replay = Replay.from_game(game, "other player")
    screen = driver.open_screen("play", game=replay.play(3))
    assert isinstance(screen, PlayScreen)
    assert screen.state == GAME_RUNNING
    assert get_game(screen).pieces == 3
    driver.press("Space")
    driver.press("Esc", "Esc")
    (saved_file,) = list_replay_files()
    assert Replay.load(saved_file).placements[:3] == replay.placements[:3]
    assert "standard" not in load_best_scores()[0], "a continued game does not count as a best score"


def test_continued_game_without_a_new_piece_is_not_saved_again(driver: WindowDriver) -> None:
    game = Game("nes", 3)
    game.key_down("left")
    game.place(game.placements()[0])
    screen = driver.open_screen("play", game=game)
    assert isinstance(screen, PlayScreen)
    assert screen.state == GAME_RUNNING
    start = get_column(screen)
    driver.run_frames(60)
    assert get_column(screen) == start, "the held key of the saved game is released"
    driver.press("Esc", "Esc")
    assert not list_replay_files()


def test_game_can_start_from_a_position(driver: WindowDriver) -> None:
    board = Board.from_text(["#########."])
    screen = driver.open_screen(
        "play", game=Game.from_position(Position.from_board(board, "I", next="L", rules="gavrilov"))
    )
    assert isinstance(screen, PlayScreen)
    assert screen.state == GAME_RUNNING
    assert str(get_game(screen).board) == str(Board(board.columns, 24))
    assert get_game(screen).piece == "I"


def test_next_piece_can_move_during_the_line_clear_animation(driver: WindowDriver) -> None:
    board = Board.from_text(["#########."])
    screen = driver.open_screen(
        "play", game=Game.from_position(Position.from_board(board, "I", next="", rules="standard"))
    )
    assert isinstance(screen, PlayScreen)
    assert screen.state == GAME_RUNNING
    driver.press("up")
    driver.hold("right")
    driver.run_frames(40)
    driver.release("right")
    driver.press("Space")
    assert get_human_game(screen).board_animator.is_clearing
    assert get_game(screen).falling_piece is not None
    assert get_game(screen).lines == 1
    start = get_column(screen)
    driver.press("left")
    assert get_column(screen) == start - 1
    driver.run_frames(30)
    assert not get_human_game(screen).board_animator.is_clearing


def test_every_state_is_drawn_at_every_window_size(driver: WindowDriver) -> None:
    for size in ((800, 700), (1000, 760), (1920, 1080), (640, 480), (1300, 480)):
        driver.open_screen("play", rules="nes")
        driver.resize(*size)
        assert {"rules", "level", "seed mode", "hint agent", "start", "practice"} <= set(
            driver.window.ui.focusable_names
        )
        driver.press("Esc")
        screen = start_game(driver, "standard:height=10,preview=6")
        driver.press("P")
        driver.run_frames(2)
        assert driver.window.ui.focus == "overlay Continue"
        driver.press("P", "Space", "Esc", "Esc")
        assert get_human_game(screen).is_saved
        assert driver.screen.title == "Menu"


def test_move_and_hard_drop_within_one_frame(driver: WindowDriver) -> None:
    screen = start_game(driver, "gavrilov")
    for key in (pygame.K_LEFT, pygame.K_SPACE):
        pygame.event.post(pygame.event.Event(pygame.KEYDOWN, key=key, mod=0, unicode=""))
        pygame.event.post(pygame.event.Event(pygame.KEYUP, key=key, mod=0))
    driver.run_frames(3)
    assert driver.screen is screen
    assert get_game(screen).falling_piece == get_game(screen).ghost


def test_level_progress() -> None:
    nes = Rules.parse("nes")
    assert compute_level_progress(nes, 34) == (4, 4, 10)
    assert compute_level_progress(Rules.parse("nes:start_level=18"), 0) == (19, 0, 130)
    assert compute_level_progress(Rules.parse("gavrilov"), 5) is None
    assert [uses_levels(Rules.parse(name)) for name in ("nes", "tetrais", "gavrilov", "standard")] == [1, 1, 0, 0]


def test_game_without_given_rules_has_the_default_rules_of_people(driver: WindowDriver) -> None:
    screen = driver.open_screen("play", start=True)
    assert str(get_game(screen).rules) == DEFAULT_PLAY_RULES
    driver.window.close_screen()
    practice = driver.open_screen("practice")
    assert practice.rules_text == DEFAULT_PLAY_RULES


def test_every_key_of_an_action_works_and_the_action_ends_with_the_last_one(driver: WindowDriver) -> None:
    screen = start_game(driver)
    start = get_column(screen)
    driver.press("A")
    driver.press("left")
    assert get_column(screen) == start - 2
    driver.press("D", "right")
    assert get_column(screen) == start
    driver.hold("right")
    driver.hold("D")
    driver.release("right")
    assert get_game(screen).events[-1][1:] == ("keydown", "right"), "D still holds the action"
    driver.release("D")
    assert get_game(screen).events[-1][1:] == ("keyup", "right")
    rotations = []
    for key in ("X", "W", "left ctrl", "Z"):
        driver.press(key)
        falling = get_game(screen).falling_piece
        assert falling is not None
        rotations.append(falling.rotation)
    assert rotations[0] != rotations[1]
    assert rotations[2] == rotations[0]
    assert rotations[3] == 0


def test_escape_pauses_a_running_game_and_leaves_a_paused_one(driver: WindowDriver) -> None:
    screen = start_game(driver)
    driver.press("Esc")
    assert (screen.state, driver.screen) == (GAME_PAUSED, screen)
    driver.run_frames(2)
    assert driver.window.ui.focusable_names == ["overlay Continue", "overlay Restart", "overlay Menu"]
    driver.press("Esc")
    assert driver.screen.title == "Menu"
    screen = start_game(driver)
    driver.click("back")
    assert screen.state == GAME_PAUSED
    driver.press("P")
    keys = {action: names for action, names in driver.window.settings.keys.items() if action != "pause"}
    driver.window.change_settings(keys={**keys, "pause": ("p",)})
    driver.press("Esc")
    assert driver.screen.title == "Menu", "Esc is no longer a key of the game"


def test_action_without_a_key_is_not_shown(driver: WindowDriver) -> None:
    driver.window.change_settings(keys=dict.fromkeys(driver.window.settings.keys, ()))
    screen = start_game(driver)
    assert screen._make_legend(["rotate", "drop"]) == []
    driver.click("back")
    assert driver.screen.title == "Menu"


def test_start_is_at_the_bottom_right_and_enter_starts_unless_another_control_uses_it(driver: WindowDriver) -> None:
    screen = driver.open_screen("play", rules="nes")
    assert isinstance(screen, PlayScreen)
    ui = driver.window.ui
    start, others = ui.get_box("start"), ("rules", "level", "seed mode", "hint agent", "practice")
    assert all(start.right >= ui.get_box(name).right and start.bottom >= ui.get_box(name).bottom for name in others)
    ui.focus = "rules"
    driver.press("Enter")
    driver.run_frames(2)
    assert screen.setup._rules_picker.is_open
    driver.press("Esc")
    driver.run_frames(2)
    assert screen.state == GAME_SETUP
    ui.focus = "level"
    driver.press("Enter")
    assert screen.state == GAME_RUNNING


def test_finished_game_with_score_zero_is_a_best_score(driver: WindowDriver) -> None:
    screen = start_game(driver, "standard", 5)
    finish_game(driver, screen)
    driver.run_frames(2)
    assert get_game(screen).score == 0
    (best,) = load_best_scores()[0]["standard"]
    assert (best.score, best.lines, screen.rank) == (0, 0, 1)
    assert screen._make_summary(get_human_game(screen)).best_scores == [best]


@pytest.mark.parametrize("way", ["R", "Esc"])
def test_game_that_is_given_up_is_saved_without_a_best_score(driver: WindowDriver, way: str) -> None:
    start_game(driver, "tetrais", 5)
    driver.press("Space", "Space", *((way,) if way == "R" else (way, way)))
    assert len(list_replay_files()) == 1
    assert load_best_scores()[0] == {}


def test_keys_held_at_the_end_of_the_game_are_ignored_until_they_are_released(driver: WindowDriver) -> None:
    screen = start_game(driver, "tetrais", 5)
    driver.hold("down")
    finish_game(driver, screen)
    driver.run_frames(60)
    driver.hold("down")  # as a system sends it while a key is held
    driver.run_frames(60)
    assert driver.window.ui.focus == "overlay Play again"
    driver.release("down")
    driver.press("down")
    assert driver.window.ui.focus == "overlay Review"


def test_key_pressed_directly_after_the_end_never_reaches_the_overlay(driver: WindowDriver) -> None:
    screen = start_game(driver, "tetrais", 5)
    finish_game(driver, screen)
    driver.hold("Space")
    driver.run_frames(60)
    assert screen.state == GAME_OVER
    driver.hold("Space")
    driver.run_frames(2)
    assert screen.state == GAME_OVER, "it is the same press"
    driver.release("Space")
    driver.press("Space")
    assert screen.state == GAME_RUNNING


def test_keys_held_when_the_game_is_paused_are_ignored(driver: WindowDriver) -> None:
    screen = start_game(driver)
    driver.hold("down")
    driver.hold("P")
    driver.run_frames(2)
    driver.hold("down")
    driver.hold("P")
    driver.run_frames(60)
    assert (screen.state, driver.window.ui.focus) == (GAME_PAUSED, "overlay Continue")
    driver.release("P")
    driver.press("P")
    assert screen.state == GAME_RUNNING


def test_chosen_key_repeat_is_part_of_the_replay_and_not_of_the_best_scores(driver: WindowDriver) -> None:
    driver.window.change_settings(das=50, arr=10)
    screen = start_game(driver, "tetrais", 5)
    start = get_column(screen)
    driver.hold("left")
    driver.run_frames(2)
    assert get_column(screen) == start - 1
    driver.run_frames(5)
    assert get_column(screen) == 0
    driver.release("left")
    finish_game(driver, screen)
    (saved_file,) = list_replay_files()
    replay = Replay.load(saved_file)
    assert str(replay.rules) == "tetrais:das=50,arr=10"
    assert replay.play().board == get_game(screen).board
    assert list(load_best_scores()[0]) == ["tetrais"]
    assert driver.window.settings.play_rules == "tetrais"


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
