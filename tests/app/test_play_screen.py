"""Play, driven by events: a person's game is the engine's game, and nothing of it is lost."""

import json
from pathlib import Path

import pygame
import pytest

from app.window_driver import FRAME_SECONDS, WindowDriver
from tetrion.app.game_storage import BEST_SCORES_FILE, list_replay_files, load_best_scores
from tetrion.app.games.human_game import HumanGame, compute_level_progress
from tetrion.app.screens.play_screen import (
    GAME_OVER,
    GAME_OVER_KEY_DELAY,
    GAME_PAUSED,
    GAME_RUNNING,
    GAME_SETUP,
    PlayScreen,
)
from tetrion.app.window_settings import WindowSettings, load_settings, save_settings
from tetrion.board import Board
from tetrion.engine.rules import Rules
from tetrion.game import Game
from tetrion.position import Position, uses_levels
from tetrion.replay import Replay


def begun(driver: WindowDriver, rules: str = "standard", seed: int = 7, **options: object) -> PlayScreen:
    screen = driver.open_screen("play", rules=rules, seed=seed, start=True, **options)
    assert isinstance(screen, PlayScreen)
    assert screen.state == GAME_RUNNING
    return screen


def game_of(screen: PlayScreen) -> Game:
    return playing_of(screen).game


def playing_of(screen: PlayScreen) -> HumanGame:
    assert screen.human_game is not None
    return screen.human_game


def ended(driver: WindowDriver, screen: PlayScreen) -> None:
    for _ in range(40):
        driver.press("Space")
        if screen.state == GAME_OVER:
            return
    raise AssertionError("the game does not end")


def column(screen: PlayScreen) -> int:
    falling = game_of(screen).falling_piece
    assert falling is not None
    return falling.column


def test_a_persons_game_replays_to_the_identical_board(driver: WindowDriver, tmp_path: Path) -> None:
    screen = begun(driver, "nes", 1834)
    keys = ["left", "up", "right", "z", "down", "right", "right"]
    for turn in range(36):
        key = keys[turn % len(keys)]
        driver.hold(key)
        driver.run_frames(turn % 9, seconds=FRAME_SECONDS * (1 + turn % 3))
        if turn % 4 == 0:
            driver.hold("down")
            driver.run_frames(20)
            driver.release("down")
        driver.release(key)
    game = game_of(screen)
    assert game.pieces >= 3
    Replay.from_game(game, "you").save(tmp_path / "game.json")
    again = Replay.load(tmp_path / "game.json").play()
    assert str(again.board) == str(game.board)
    assert (again.score, again.frames, again.falling_piece) == (game.score, game.frames, game.falling_piece)
    assert {"keydown", "keyup", "press"} == {action for _, action, _ in game.events}


def test_a_held_key_repeats_as_the_rules_say(driver: WindowDriver) -> None:
    screen = begun(driver, "standard")
    start = column(screen)
    driver.hold("left")
    assert column(screen) == start - 1
    driver.run_frames(8)
    assert column(screen) == start - 1, "it waits 170 ms"
    driver.run_frames(12)
    assert column(screen) == 0
    driver.release("left")
    driver.press("Esc")

    screen = begun(driver, "gavrilov")
    start = column(screen)
    driver.hold("left")
    driver.run_frames(30)
    assert column(screen) == start - 1, "a press is a step"
    driver.release("left")


def test_a_press_within_one_frame_counts(driver: WindowDriver) -> None:
    screen = begun(driver)
    start = column(screen)
    for kind in (pygame.KEYDOWN, pygame.KEYUP, pygame.KEYDOWN, pygame.KEYUP):
        pygame.event.post(pygame.event.Event(kind, key=pygame.K_LEFT, mod=0, unicode=""))
    driver.run_frames()
    assert column(screen) == start - 2
    driver.run_frames(40)
    assert column(screen) == start - 2


def test_keys_that_the_rules_do_not_have_do_nothing(driver: WindowDriver) -> None:
    screen = begun(driver, "nes")
    before = game_of(screen).pieces, column(screen)
    driver.press("Space")
    assert (game_of(screen).pieces, column(screen)) == before
    words = [meaning for _, meaning in screen._make_legend(game_of(screen).rules.keys.split("+"))]
    assert "Hard drop" not in words
    assert "Rotate back" in words


def test_own_keys_are_used_and_shown(driver: WindowDriver) -> None:
    driver.window.change_settings(keys={**driver.window.settings.keys, "left": "a", "hint": "g"})
    screen = begun(driver)
    start = column(screen)
    driver.press("A")
    assert column(screen) == start - 1
    driver.press("left")
    assert column(screen) == start - 1
    assert screen._make_legend(["left"])[0][0][0] == "A"


def test_pause_lets_go_and_time_stands_still(driver: WindowDriver) -> None:
    screen = begun(driver)
    driver.hold("right")
    driver.press("P")
    assert screen.state == GAME_PAUSED
    before = game_of(screen).frames, column(screen)
    driver.run_frames(60)
    driver.release("right")
    assert (game_of(screen).frames, column(screen)) == before
    assert game_of(screen).events[-1][1:] == ("keyup", "right")
    driver.press("P")
    assert screen.state == GAME_RUNNING
    driver.run_frames(30)
    assert column(screen) == before[1]
    assert game_of(screen).frames > before[0]


def test_losing_the_focus_pauses_and_the_mouse_goes_on(driver: WindowDriver) -> None:
    screen = begun(driver)
    driver.lose_focus()
    assert screen.state == GAME_PAUSED
    driver.run_frames(2)
    driver.click("overlay Continue")
    assert screen.state == GAME_RUNNING


def test_restart_keeps_the_game_that_was_running(driver: WindowDriver) -> None:
    screen = begun(driver, seed=3)
    driver.press("R")
    assert not list_replay_files(), "nothing was placed"
    driver.press("Space", "Space", "R")
    assert game_of(screen).pieces == 0
    (kept,) = list_replay_files()
    assert Replay.load(kept).result["pieces"] == 2


@pytest.mark.parametrize("how", ["Esc", "close"])
def test_leaving_in_the_middle_keeps_the_game_once(driver: WindowDriver, how: str) -> None:
    begun(driver)
    driver.press("Space", "Space", "Space")
    if how == "Esc":
        driver.press("Esc")
        assert driver.screen.title == "Menu"
    driver.quit()
    (kept,) = list_replay_files()
    assert Replay.load(kept).agent == "you"


def test_a_game_ends_with_its_result_and_again(driver: WindowDriver) -> None:
    screen = begun(driver, "tetrais", 5)
    ended(driver, screen)
    driver.run_frames(2)
    assert screen.rank == 1
    assert screen.saved_file in list_replay_files()
    score = game_of(screen).score
    assert load_best_scores()[0]["tetrais"][0].score == score > 0
    assert screen._describe_result(playing_of(screen)) == [f"0 lines, {score} points", "Your best game"]
    driver.press("↓", "R")  # meant for the game, which has just ended
    assert (screen.state, driver.window.ui.focus) == (GAME_OVER, "overlay Play again")
    driver.run_frames(round(GAME_OVER_KEY_DELAY / FRAME_SECONDS))
    driver.press("R")
    assert screen.state == GAME_RUNNING
    assert game_of(screen).pieces == 0
    assert screen._get_best_score() == score
    ended(driver, screen)
    driver.run_frames(2)
    assert screen.rank == 2
    driver.click("overlay Menu")
    assert driver.screen.title == "Menu"
    assert len(load_best_scores()[0]["tetrais"]) == 2
    assert len(list_replay_files()) == 2


def test_a_damaged_file_of_best_scores_is_set_aside(driver: WindowDriver, folders: Path) -> None:
    data = folders / "data"
    data.mkdir(parents=True, exist_ok=True)
    (data / BEST_SCORES_FILE).write_text("{nonsense")
    screen = begun(driver, "tetrais")
    driver.run_frames(2)
    assert "damaged" in driver.window.notice
    ended(driver, screen)
    assert json.loads((data / BEST_SCORES_FILE).read_text())["tetrais"]
    assert any("{nonsense" in path.read_text() for path in data.iterdir() if path.is_file())


def test_choices_by_keyboard_are_kept(driver: WindowDriver) -> None:
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
    assert str(game_of(screen).rules) == "nes:preview=2,start_level=10"
    assert len(game_of(screen).next) == 2
    settings, _ = load_settings()
    assert (settings.play_rules, settings.level) == ("nes:preview=2", 10)


def test_mistaken_rules_are_told_and_cannot_start(driver: WindowDriver) -> None:
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


def test_a_given_seed_is_typed(driver: WindowDriver) -> None:
    screen = driver.open_screen("play", rules="standard")
    assert isinstance(screen, PlayScreen)
    assert screen.setup.seed is None
    driver.click("pieces", x=0.8)
    driver.run_frames(2)
    driver.click("seed")
    driver.press("Backspace")
    for digit in "1834":
        driver.press(digit)
    driver.click("start")
    assert screen.state == GAME_RUNNING
    assert game_of(screen).seed == 1834


def test_settings_that_name_unknown_rules_are_no_end(driver: WindowDriver) -> None:
    save_settings(WindowSettings(play_rules="gone", hint_agent="gone"))
    driver.window.change_settings(play_rules="gone", hint_agent="gone")
    screen = driver.open_screen("play")
    assert isinstance(screen, PlayScreen)
    assert "gone" in screen.setup.rules_error
    driver.press("Esc")
    assert driver.screen.title == "Menu"


def test_the_hint_comes_for_each_piece(driver: WindowDriver) -> None:
    screen = begun(driver)
    assert screen.hint is None
    driver.press("H")
    driver.run_until(lambda: screen.hint)
    first = screen.hint
    assert first in game_of(screen).placements()
    driver.press("Space")
    driver.run_until(lambda: screen.hint)
    assert screen.hint is not first
    assert screen.hint in game_of(screen).placements()
    driver.click("hint")
    assert screen.hint is None


def test_a_hint_by_nobody_is_told_and_the_game_goes_on(driver: WindowDriver) -> None:
    driver.window.change_settings(hint_agent="dellachery")
    screen = begun(driver)
    driver.press("H")
    driver.run_until(lambda: screen.hint_provider.problem)
    assert "dellacherie" in screen.hint_provider.problem
    pieces = game_of(screen).pieces
    driver.press("Space")
    assert game_of(screen).pieces == pieces + 1


def test_a_replays_game_goes_on(driver: WindowDriver) -> None:
    game = Game("standard", 3)
    for _ in range(5):
        game.place(game.placements()[0])
    replay = Replay.from_game(game, "somebody")
    screen = driver.open_screen("play", game=replay.play(3))
    assert isinstance(screen, PlayScreen)
    assert screen.state == GAME_RUNNING
    assert game_of(screen).pieces == 3
    driver.press("Space")
    driver.press("Esc")
    (kept,) = list_replay_files()
    assert Replay.load(kept).placements[:3] == replay.placements[:3]
    assert "standard" not in load_best_scores()[0], "the others' points are not the person's"


def test_a_replays_game_without_a_move_is_not_kept_again(driver: WindowDriver) -> None:
    game = Game("nes", 3)
    game.key_down("left")
    game.place(game.placements()[0])
    screen = driver.open_screen("play", game=game)
    assert isinstance(screen, PlayScreen)
    assert screen.state == GAME_RUNNING
    start = column(screen)
    driver.run_frames(60)
    assert column(screen) == start, "nobody holds the key any more"
    driver.press("Esc")
    assert not list_replay_files()


def test_a_position_is_played_from(driver: WindowDriver) -> None:
    board = Board.from_text(["#########."])
    screen = driver.open_screen(
        "play", game=Game.from_position(Position.from_board(board, "I", next="L", rules="gavrilov"))
    )
    assert isinstance(screen, PlayScreen)
    assert screen.state == GAME_RUNNING
    assert str(game_of(screen).board) == str(Board(board.columns, 24))
    assert game_of(screen).piece == "I"


def test_full_rows_move_and_the_next_piece_does_not_wait(driver: WindowDriver) -> None:
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
    assert playing_of(screen).board_animator.is_clearing
    assert game_of(screen).falling_piece is not None
    assert game_of(screen).lines == 1
    start = column(screen)
    driver.press("left")
    assert column(screen) == start - 1
    driver.run_frames(30)
    assert not playing_of(screen).board_animator.is_clearing


def test_any_size_and_state_is_drawn(driver: WindowDriver) -> None:
    for size in ((800, 700), (1000, 760), (1920, 1080), (640, 480), (1300, 480)):
        driver.open_screen("play", rules="nes")
        driver.resize(*size)
        assert {"rules", "level", "pieces", "hint agent", "start", "practice"} <= set(driver.window.ui.focusable_names)
        driver.press("Esc")
        screen = begun(driver, "standard:height=10,preview=6")
        driver.press("P")
        driver.run_frames(2)
        assert driver.window.ui.focus == "overlay Continue"
        driver.press("P", "Space", "Esc")
        assert playing_of(screen).is_saved
        assert driver.screen.title == "Menu"


def test_a_piece_that_moves_aside_and_drops_within_one_frame(driver: WindowDriver) -> None:
    screen = begun(driver, "gavrilov")
    for key in (pygame.K_LEFT, pygame.K_SPACE):
        pygame.event.post(pygame.event.Event(pygame.KEYDOWN, key=key, mod=0, unicode=""))
        pygame.event.post(pygame.event.Event(pygame.KEYUP, key=key, mod=0))
    driver.run_frames(3)
    assert driver.screen is screen
    assert game_of(screen).falling_piece == game_of(screen).ghost


def test_the_way_to_the_next_level() -> None:
    nes = Rules.parse("nes")
    assert compute_level_progress(nes, 34) == (4, 4, 10)
    assert compute_level_progress(Rules.parse("nes:start_level=18"), 0) == (19, 0, 130)
    assert compute_level_progress(Rules.parse("gavrilov"), 5) is None
    assert [uses_levels(Rules.parse(name)) for name in ("nes", "tetrais", "gavrilov", "standard")] == [1, 1, 0, 0]
