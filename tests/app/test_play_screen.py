"""The play screen, driven by keys: setup, saving, best scores, modes, modern games, and hints."""

from pathlib import Path

import pytest

from tests.app.drawn_texts import check_texts
from tests.app.play_games import finish_game, get_falling_piece, get_game, get_human_game, press_at_once, start_game
from tests.app.window_driver import FRAME_SECONDS, WindowDriver
from tests.cli.command_runner import tetrion_here
from tetrion.app.game_storage import BEST_SCORES_FILE, list_replay_files, load_best_scores, select_best_scores
from tetrion.app.games.human_rules import MODES
from tetrion.app.games.played_game import format_time
from tetrion.app.screens.play_screen import GAME_OVER, GAME_RUNNING, GAME_SETUP, PlayScreen
from tetrion.app.window_settings import load_settings
from tetrion.engine.rules import Rules
from tetrion.replay import Replay

FAST_LINES = "standard:randomiser=only-O"  # rules under which `clear_lines` plays
SMALL_RACE = "guideline:start_garbage=2,randomiser=only-I"  # one I fills the gaps of both rows
KEYS_READ_AGAIN = 40  # frames after the end of a game


def focus(driver: WindowDriver, name: str) -> None:
    driver.window.ui.request_focus(name)
    driver.run_frames(2)


def choose_rules(driver: WindowDriver, text: str) -> None:
    """Type rules into the list of their field."""
    focus(driver, "rules")
    driver.press("Space")
    driver.type(text)
    driver.press("Enter")
    driver.run_frames(2)


# Setup.


def test_choices_of_the_setup_are_used_and_remembered(driver: WindowDriver) -> None:
    screen = driver.open_screen("play")
    assert driver.window.ui.focus == "start"
    focus(driver, "mode")
    driver.press("→")
    assert "Clear 40 lines as fast as you can. Rules" in check_texts(driver)
    focus(driver, "garbage")
    driver.press("Space", "Enter")
    assert (screen.state, str(get_game(screen).rules)) == (GAME_RUNNING, "guideline:garbage_rows=1")
    assert get_human_game(screen).mode.name == "sprint"
    driver.press("Esc", "Q")
    screen = driver.open_screen("play")
    assert screen.setup.mode.name == "sprint"
    focus(driver, "garbage")
    driver.press("Space")
    assert screen.setup.rules_text == "guideline"
    choose_rules(driver, "nes:start_level=9,preview=2")
    driver.press("↓")
    assert driver.window.ui.focus == "level"
    driver.press("→")
    focus(driver, "seed mode")
    driver.press("→", "Tab", *"1834", "Enter")
    rules = Rules.parse("nes:preview=2,start_level=10")
    assert (screen.state, get_game(screen).seed, get_game(screen).rules) == (GAME_RUNNING, 1834, rules)
    settings, _ = load_settings()
    assert (settings.play_rules, settings.play_mode) == (str(rules), "sprint")


def test_rules_that_cannot_start_are_explained(driver: WindowDriver) -> None:
    driver.window.change_settings(play_rules="gone", hint_agent="gone", play_mode="gone")
    assert "gone" in driver.open_screen("play").setup.rules_error
    screen = driver.open_screen("play", rules="nes:levle=3", start=True)
    assert (screen.state, driver.window.ui.focus) == (GAME_SETUP, "rules")
    assert "Did you mean 'start_level'" in check_texts(driver)
    choose_rules(driver, "nes")
    assert "start" in driver.window.ui.focusable_names
    assert "garbage" not in driver.window.ui.focusable_names, "these rules cannot have it"
    focus(driver, "mode")
    driver.press("→", "→", "→")
    assert "A cheese race has garbage, which the rules nes cannot have" in check_texts(driver)
    assert "start" not in driver.window.ui.focusable_names
    driver.press("←", "Enter")
    assert screen.state == GAME_RUNNING


# Games.


def test_human_game_replays_to_the_identical_board(driver: WindowDriver, tmp_path: Path) -> None:
    screen = start_game(driver, "nes", 1834)
    keys = ["left", "up", "right", "z", "down", "right", "right"]
    for step in range(36):
        key = keys[step % len(keys)]
        driver.hold(key)
        driver.run_frames(50 if key == "down" else step % 9, seconds=FRAME_SECONDS * (1 + step % 3))
        driver.release(key)
    game = get_game(screen)
    assert game.pieces >= 3
    assert {"keydown", "keyup", "press"} == {action for _, action, _ in game.events}
    Replay.from_game(game, "you").save(tmp_path / "game.json")
    again = Replay.load(tmp_path / "game.json").play()
    assert str(again.board) == str(game.board)
    assert (again.score, again.frames, again.falling_piece) == (game.score, game.frames, game.falling_piece)


@pytest.mark.parametrize("keys", [["R"], ["Esc", "Q"]], ids=["restart", "leave"])
def test_unfinished_game_is_saved_once_without_a_best_score(driver: WindowDriver, keys: list[str]) -> None:
    start_game(driver, "tetrais")
    driver.press("R")
    assert not list_replay_files(), "a game without a placed piece is not saved"
    driver.press("Space", "Space", "Space", "Esc")
    assert "If you leave, the game is kept in Replays; continue there." in check_texts(driver)
    driver.press("Esc", *keys)
    driver.run_frames(2)
    assert (driver.screen.title == "Menu") == ("Q" in keys)
    driver.quit()
    (saved_file,) = list_replay_files()
    replay = Replay.load(saved_file)
    assert (replay.agent, replay.result["pieces"]) == ("you", 3)
    assert load_best_scores()[0] == {}


def test_finished_game_shows_its_result_and_can_be_restarted(driver: WindowDriver, folders: Path) -> None:
    data = folders / "data"
    data.mkdir(exist_ok=True)
    (data / BEST_SCORES_FILE).write_text("{nonsense")
    screen = start_game(driver, "tetrais", 5)
    driver.run_frames(2)
    assert "damaged" in driver.window.notice
    assert any("{nonsense" in path.read_text() for path in data.iterdir() if path.is_file()), "it is set aside"
    finish_game(driver, screen)
    driver.run_frames(2)
    assert (screen.rank, screen.saved_file in list_replay_files()) == (1, True)
    score = get_game(screen).score
    assert load_best_scores()[0]["tetrais"][0].score == score > 0
    assert f"Game over 0 lines, {score} points Your best game" in check_texts(driver)
    driver.press("R")  # ignored directly after the end of the game
    assert screen.state == GAME_OVER
    driver.run_frames(KEYS_READ_AGAIN)
    driver.press("R")
    assert (screen.state, get_game(screen).pieces) == (GAME_RUNNING, 0)
    finish_game(driver, screen)
    driver.run_frames(KEYS_READ_AGAIN)
    assert screen.rank == 2
    assert f"Best {score}" in check_texts(driver)
    driver.press("Esc")
    assert driver.screen.title == "Menu"
    assert len(load_best_scores()[0]["tetrais"]) == 2


# Modes.


def drop_at(driver: WindowDriver, screen: PlayScreen, column: int) -> None:
    """Drop the falling piece with its leftmost cell in a column."""
    steps = column - min(x for x, _ in get_falling_piece(screen).cells)
    press_at_once(driver, *["right" if steps > 0 else "left"] * abs(steps), "Space")


def clear_lines(driver: WindowDriver, screen: PlayScreen, lines: int) -> None:
    """Clear lines with O pieces, two at a time."""
    for number in range(5 * lines // 2):
        drop_at(driver, screen, 2 * (number % 5))


def check_replay(screen: PlayScreen) -> None:
    """Check that the saved game leads to the same board at the same time."""
    assert screen.saved_file in list_replay_files()
    replay = Replay.load(screen.saved_file)
    assert replay.mode == get_human_game(screen).mode.name
    game, again = get_game(screen), replay.play()
    assert (again.stack, again.lines, again.score, again.frames) == (game.stack, game.lines, game.score, game.frames)


def test_sprint_ends_after_forty_lines_and_ranks_times(driver: WindowDriver) -> None:
    screen = start_game(driver, FAST_LINES, mode="sprint")
    for rank in (1, 2):
        driver.run_frames(30 * rank)
        clear_lines(driver, screen, 38)
        assert screen.state == GAME_RUNNING
        clear_lines(driver, screen, 2)
        assert (screen.state, screen.rank, get_game(screen).lines) == (GAME_OVER, rank, 40)
        driver.run_frames(KEYS_READ_AGAIN)
        pieces, time = get_game(screen).pieces, format_time(get_human_game(screen).seconds)
        texts = check_texts(driver)
        assert f"Finished {time}, {pieces} pieces" in texts
        assert ("Your best time" if rank == 1 else "Rank 2 of your best times") in texts
        check_replay(screen)
        driver.press("R")
    scores, _ = load_best_scores()
    assert list(scores) == [f"sprint {FAST_LINES}"]
    first, second = select_best_scores(scores, Rules.parse(FAST_LINES), MODES["sprint"])
    assert 0 < first.seconds < second.seconds
    assert f"Best {format_time(first.seconds)}" in check_texts(driver)


def test_blitz_ends_after_two_minutes(driver: WindowDriver) -> None:
    rules = f"{FAST_LINES},gravity=60000"
    screen = start_game(driver, rules, mode="blitz")
    clear_lines(driver, screen, 4)
    assert "2:00 left of 2:00" in check_texts(driver)
    driver.run_frames(59, 2.0)
    assert screen.state == GAME_RUNNING
    assert "0:02 left of 2:00" in check_texts(driver)
    driver.run_frames(3, 1.0)
    assert (screen.state, screen.rank, get_game(screen).frames) == (GAME_OVER, 1, 120_000)
    assert "Finished 4 lines, 4 points Your best game" in check_texts(driver)
    check_replay(screen)
    assert [best.score for best in load_best_scores()[0][f"blitz {rules}"]] == [4]
    screen = start_game(driver, "tetrais", mode="blitz")
    finish_game(driver, screen)
    assert screen.rank == 1, "a blitz that ends earlier counts"


def test_game_that_was_left_can_be_continued_without_a_rank(driver: WindowDriver) -> None:
    screen = start_game(driver, FAST_LINES, mode="sprint")
    clear_lines(driver, screen, 38)
    driver.press("Esc", "Q")
    (saved_file,) = list_replay_files()
    game = Replay.load(saved_file).play(3)
    game.key_down("left")
    screen = driver.open_screen("play", game=game)
    start = get_falling_piece(screen).column
    driver.run_frames(60)
    assert get_falling_piece(screen).column == start, "the key that was held is released"
    driver.press("Esc", "Q")
    assert list_replay_files() == [saved_file], "no piece was placed"
    screen = driver.open_screen("replay", file=str(saved_file))
    driver.run_until(lambda: screen.playback)
    driver.press("End", "C")
    driver.run_frames(2)
    assert isinstance(driver.screen, PlayScreen)
    assert "2 lines left 38 / 40" in check_texts(driver)
    clear_lines(driver, driver.screen, 2)
    assert driver.screen.state == GAME_OVER
    assert "A continued game does not count" in check_texts(driver)
    assert load_best_scores()[0] == {}
    check_replay(driver.screen)


def test_cheese_race_starts_with_garbage_and_ends_when_it_is_cleared(driver: WindowDriver) -> None:
    screen = start_game(driver, "guideline", mode="cheese")
    assert get_game(screen).position.garbage_height == 10
    texts = check_texts(driver)
    assert "10 rows of garbage left 0 / 10" in texts
    assert "Cheese race Guideline rules Seed 7" in texts
    board = get_game(screen).board
    driver.press("R")
    assert get_game(screen).board == board, "the same seed has the same rows"
    finish_game(driver, screen)
    texts = check_texts(driver)
    for text in ("Game over", "Cheese race not finished:", "No finished game with these rules yet."):
        assert text in texts
    check_replay(screen)
    screen = start_game(driver, SMALL_RACE, mode="cheese")
    for rank in (1, 2):
        press_at_once(driver, "up")
        drop_at(driver, screen, get_game(screen).stack.rows[0].index("."))
        press_at_once(driver, "Space", "Space")  # keys after the goal are not applied
        assert (get_game(screen).pieces, screen.state, screen.rank) == (1, GAME_OVER, rank)
        driver.run_frames(KEYS_READ_AGAIN)
        assert ("1 piece Your best time" in check_texts(driver)) == (rank == 1)
        check_replay(screen)
        driver.press("R")
    assert list(load_best_scores()[0]) == [f"cheese {Rules.parse(SMALL_RACE)}"]


def test_modes_on_the_command_line(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[dict[str, object]] = []
    monkeypatch.setattr("tetrion.cli.play_command.open_window", lambda screen, **options: opened.append(options))
    tetrion_here("play", "--mode", "sprint")
    assert (opened[0]["mode"], opened[0]["rules"]) == ("sprint", "")
    assert "Did you mean 'sprint'?" in tetrion_here("play", "--mode", "sprnt", expect=2).stderr
    cheese = ("--mode", "cheese", "--rules", "nes")
    assert "garbage, which the rules nes cannot have." in tetrion_here("play", *cheese, expect=2).stderr
    assert len(opened) == 1


# Modern games.


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
