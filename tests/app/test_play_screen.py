"""Tests of the play screen, driven by events: setup, saving, best scores, hints."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.app.play_games import finish_game, get_column, get_game, get_human_game, start_game
from tests.app.window_driver import FRAME_SECONDS, WindowDriver
from tetrion.app.game_storage import BEST_SCORES_FILE, list_replay_files, load_best_scores
from tetrion.app.games.human_game import compute_level_progress
from tetrion.app.games.human_rules import DEFAULT_PLAY_RULES, describe_unusual_controls
from tetrion.app.games.key_input import GAME_OVER_KEY_DELAY
from tetrion.app.screens.play_screen import (
    GAME_OVER,
    GAME_RUNNING,
    GAME_SETUP,
    PlayScreen,
)
from tetrion.app.window_settings import WindowSettings, load_settings, save_settings
from tetrion.board import Board
from tetrion.drawing.pen import Pen
from tetrion.engine.presets import PRESETS
from tetrion.engine.rules import Rules
from tetrion.game import Game
from tetrion.position import Position, uses_levels
from tetrion.replay import Replay


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
    assert len(list_replay_files()) == 1, "both games had the same seed and the same placements"


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
    assert not screen.setup.seed.is_given
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


@pytest.mark.parametrize(
    ("rules", "agent"), [("guideline", "modern-1"), ("tetrio", "modern-1"), ("nes", "dellacherie")]
)
def test_hints_come_from_an_agent_for_the_rules(driver: WindowDriver, rules: str, agent: str) -> None:
    screen = driver.open_screen("play", rules=rules, start=True)
    assert isinstance(screen, PlayScreen)
    assert screen.hint_provider.adviser.name == agent
    assert driver.window.settings.hint_agent == "automatic"


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
    assert practice.practice_game.position.rules.name == DEFAULT_PLAY_RULES


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


def test_setup_says_what_is_unusual_about_the_controls(driver: WindowDriver, monkeypatch: pytest.MonkeyPatch) -> None:
    texts: list[str] = []
    draw_text = Pen.draw_text

    def record_text(self: Pen, text: str, *arguments: Any, **options: Any) -> Any:
        texts.append(text)
        return draw_text(self, text, *arguments, **options)

    monkeypatch.setattr(Pen, "draw_text", record_text)
    for rules in PRESETS:
        driver.resize(800, 700)
        screen = driver.open_screen("play", rules=rules)
        texts.clear()
        driver.run_frames()
        shown = " ".join(texts)
        assert describe_unusual_controls(screen.setup.rules) in shown, "it is cut"
        assert " Random Given " in shown
        driver.window.close_screen()
