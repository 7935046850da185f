"""The play screen, driven by keys: setup, saving, best scores, hints, and the panels of all rules."""

from pathlib import Path

import pytest

from tests.app.drawn_texts import check_texts
from tests.app.play_games import continue_game, finish_game, get_column, get_game, get_human_game, start_game
from tests.app.window_driver import FRAME_SECONDS, WindowDriver
from tetrion.app.game_storage import BEST_SCORES_FILE, list_replay_files, load_best_scores
from tetrion.app.games.human_game import compute_level_progress
from tetrion.app.games.human_rules import describe_unusual_controls
from tetrion.app.games.key_input import GAME_OVER_KEY_DELAY
from tetrion.app.screens.play_screen import GAME_OVER, GAME_RUNNING, GAME_SETUP, PlayScreen
from tetrion.app.window_settings import load_settings
from tetrion.board import Board
from tetrion.engine.presets import PRESETS
from tetrion.engine.rules import Rules
from tetrion.game import Game
from tetrion.position import Position
from tetrion.replay import Replay


def open_setup(driver: WindowDriver, **options: object) -> PlayScreen:
    screen = driver.open_screen("play", **options)
    assert isinstance(screen, PlayScreen)
    assert screen.state == GAME_SETUP
    return screen


def focus(driver: WindowDriver, name: str) -> None:
    """Move the focus to a control with Tab."""
    for _ in range(20):
        if driver.window.ui.focus == name:
            return
        driver.press("Tab")
    raise AssertionError(f"Tab does not reach {name}")


def choose(driver: WindowDriver, name: str, text: str) -> None:
    """Type a value into the list of a field."""
    focus(driver, name)
    driver.press("Space")
    driver.type(text)
    driver.press("Enter")
    driver.run_frames(2)


# Setup.


def test_setup_by_keyboard_is_saved(driver: WindowDriver) -> None:
    screen = open_setup(driver)
    assert driver.window.ui.focus == "start"
    choose(driver, "rules", "nes:start_level=9,preview=2")
    driver.press("↓")
    assert driver.window.ui.focus == "level"
    driver.press("→")
    focus(driver, "seed mode")
    driver.press("→", "Tab", *"1834", "Enter")
    game = get_game(screen)
    assert (screen.state, game.seed) == (GAME_RUNNING, 1834)
    assert game.rules == Rules.parse("nes:preview=2,start_level=10")
    settings, _ = load_settings()
    assert (settings.play_rules, settings.play_mode) == (str(game.rules), "marathon")


def test_mode_and_garbage_are_chosen_by_keys_and_remembered(driver: WindowDriver) -> None:
    screen = open_setup(driver)
    focus(driver, "mode")
    driver.press("→")
    assert "Clear 40 lines as fast as you can. Rules" in check_texts(driver)
    focus(driver, "garbage")
    driver.press("Space", "Enter")
    assert screen.state == GAME_RUNNING
    assert str(get_game(screen).rules) == "guideline:garbage_rows=1"
    assert get_human_game(screen).mode.name == "sprint"
    driver.press("Esc", "Q")
    screen = open_setup(driver)
    assert screen.setup.mode.name == "sprint"
    focus(driver, "garbage")
    driver.press("Space")
    assert screen.setup.rules_text == "guideline"


def test_rules_that_cannot_start_are_explained(driver: WindowDriver) -> None:
    screen = driver.open_screen("play", rules="nes:levle=3", start=True)
    assert (screen.state, driver.window.ui.focus) == (GAME_SETUP, "rules")
    assert "Did you mean 'start_level'" in check_texts(driver)
    choose(driver, "rules", "nes")
    assert "start" in driver.window.ui.focusable_names
    assert "garbage" not in driver.window.ui.focusable_names, "these rules cannot have it"
    focus(driver, "mode")
    driver.press("→", "→", "→")
    assert "A cheese race has garbage, which the rules nes cannot have" in check_texts(driver)
    assert "start" not in driver.window.ui.focusable_names
    driver.press("←", "Enter")
    assert screen.state == GAME_RUNNING


def test_unknown_rules_in_the_settings_do_not_close_the_screen(driver: WindowDriver) -> None:
    driver.window.change_settings(play_rules="gone", hint_agent="gone", play_mode="gone")
    screen = open_setup(driver)
    assert "gone" in screen.setup.rules_error
    driver.press("Esc")
    assert driver.screen.title == "Menu"


@pytest.mark.parametrize(
    ("rules", "level", "expected"), [("", None, 1), ("guideline", 0, 1), ("nes", 5, 5), ("standard", 5, 0)]
)
def test_start_level_is_at_least_the_lowest_one_of_the_rules(
    driver: WindowDriver, rules: str, level: int | None, expected: int
) -> None:
    assert get_game(start_game(driver, rules, level=level)).level == expected


def test_setup_says_what_is_unusual_about_the_controls(driver: WindowDriver) -> None:
    for size in ((800, 640), (1280, 800)):
        driver.resize(*size)
        for name in PRESETS:
            open_setup(driver, rules=name)
            assert describe_unusual_controls(Rules.from_preset(name)) in check_texts(driver), "it is cut"
            driver.window.close_screen()


# Games.


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


@pytest.mark.parametrize("way_to_leave", ["restart", "leave", "close the window"])
def test_unfinished_game_is_saved_once_without_a_best_score(driver: WindowDriver, way_to_leave: str) -> None:
    screen = start_game(driver, "tetrais")
    driver.press("R")
    assert not list_replay_files(), "a game without a placed piece is not saved"
    driver.press("Space", "Space", "Space")
    if way_to_leave == "restart":
        driver.press("R")
        assert get_game(screen).pieces == 0
    else:
        driver.press("Esc")
        assert "If you leave, the game is kept in Replays; continue there." in check_texts(driver)
    if way_to_leave == "leave":
        driver.press("Q")
        assert driver.screen.title == "Menu"
    driver.quit()
    (saved_file,) = list_replay_files()
    replay = Replay.load(saved_file)
    assert (replay.agent, replay.result["pieces"]) == ("you", 3)
    assert load_best_scores()[0] == {}


def test_finished_game_shows_its_result_and_can_be_restarted(driver: WindowDriver) -> None:
    screen = start_game(driver, "tetrais", 5)
    finish_game(driver, screen)
    driver.run_frames(2)
    assert (screen.rank, screen.saved_file in list_replay_files()) == (1, True)
    score = get_game(screen).score
    assert load_best_scores()[0]["tetrais"][0].score == score > 0
    assert f"Game over 0 lines, {score} points Your best game" in check_texts(driver)
    driver.press("↓", "R")  # ignored directly after the end of the game
    assert (screen.state, driver.window.ui.focus) == (GAME_OVER, "overlay Play again")
    driver.run_frames(round(GAME_OVER_KEY_DELAY / FRAME_SECONDS))
    driver.press("R")
    assert (screen.state, get_game(screen).pieces) == (GAME_RUNNING, 0)
    finish_game(driver, screen)
    driver.run_frames(40)
    assert screen.rank == 2
    assert f"Best {score}" in check_texts(driver)
    driver.press("Esc")
    assert driver.screen.title == "Menu"
    assert len(load_best_scores()[0]["tetrais"]) == 2
    assert len(list_replay_files()) == 1, "both games had the same seed and the same placements"


def test_damaged_best_scores_file_is_set_aside(driver: WindowDriver, folders: Path) -> None:
    data = folders / "data"
    data.mkdir(parents=True, exist_ok=True)
    (data / BEST_SCORES_FILE).write_text("{nonsense")
    screen = start_game(driver, "standard", 5)
    driver.run_frames(2)
    assert "damaged" in driver.window.notice
    finish_game(driver, screen)
    (best,) = load_best_scores()[0]["standard"]
    assert (best.score, screen.rank) == (0, 1), "a score of 0 counts"
    assert any("{nonsense" in path.read_text() for path in data.iterdir() if path.is_file())


def test_level_progress() -> None:
    nes = Rules.parse("nes")
    assert compute_level_progress(nes, 34) == ("6 lines to level 4", "4 / 10", 0.4)
    assert compute_level_progress(Rules.parse("nes:start_level=18"), 0) == ("130 lines to level 19", "0 / 130", 0)
    assert compute_level_progress(Rules.parse("gavrilov"), 5) is None


def test_game_of_a_replay_can_be_continued(driver: WindowDriver) -> None:
    game = Game("standard", 3)
    for _ in range(5):
        game.place(game.placements()[0])
    replay = Replay.from_game(game, "other player")
    game = replay.play(3)
    game.key_down("left")
    screen = continue_game(driver, game)
    start = get_column(screen)
    driver.run_frames(60)
    assert get_column(screen) == start, "the key that was held is released"
    driver.press("Esc", "Q")
    assert not list_replay_files(), "no piece was placed"
    screen = continue_game(driver, replay.play(3))
    finish_game(driver, screen)
    (saved_file,) = list_replay_files()
    assert Replay.load(saved_file).placements[:3] == replay.placements[:3]
    assert "A continued game does not count" in check_texts(driver)
    assert load_best_scores()[0] == {}


def test_game_from_a_position_is_animated_and_not_kept(driver: WindowDriver) -> None:
    """The next piece can move while full rows are shown."""
    board = Board.from_text(["#########."])
    screen = continue_game(driver, Game.from_position(Position.from_board(board, "I", next="", rules="standard")))
    driver.press("up")
    driver.hold("right")
    driver.run_frames(40)
    driver.release("right")
    driver.press("Space")
    assert get_human_game(screen).board_animator.is_clearing
    assert get_game(screen).lines == 1
    start = get_column(screen)
    driver.press("left")
    assert get_column(screen) == start - 1
    driver.run_frames(30)
    assert not get_human_game(screen).board_animator.is_clearing
    driver.press("Esc")
    assert "If you leave, the game is lost: it began with a position." in check_texts(driver)


# Hints.


def test_hint_is_shown_for_each_piece(driver: WindowDriver) -> None:
    screen = start_game(driver, "guideline", seed=3)
    assert screen.hint is None
    driver.press("H")
    driver.run_until(lambda: screen.hint)
    first = screen.hint
    assert first is not None
    assert ("Hold, then" in check_texts(driver)) == first.hold
    driver.press("C")
    driver.run_until(lambda: screen.hint and not screen.hint.hold)
    driver.press("Space")
    driver.run_until(lambda: screen.hint)
    assert screen.hint in get_game(screen).placements()
    driver.click("hint")
    assert screen.hint is None


@pytest.mark.parametrize(
    ("rules", "agent"), [("guideline", "modern-1"), ("tetrio", "modern-1"), ("nes", "dellacherie")]
)
def test_hints_come_from_an_agent_for_the_rules(driver: WindowDriver, rules: str, agent: str) -> None:
    assert start_game(driver, rules).adviser.name == agent
    assert f"Ask {agent} where to play." in check_texts(driver)


def test_unknown_hint_agent_shows_an_error_and_the_game_continues(driver: WindowDriver) -> None:
    driver.window.change_settings(hint_agent="dellachery")
    screen = start_game(driver)
    driver.press("H")
    driver.run_until(lambda: screen.adviser.problem)
    driver.run_frames()
    assert "dellacherie" in check_texts(driver)
    pieces = get_game(screen).pieces
    driver.press("Space")
    assert get_game(screen).pieces == pieces + 1
