"""Modes of Play, driven by keys: sprint, blitz and cheese race, their goals, replays and best lists."""

import pytest

from tests.app.drawn_texts import check_texts
from tests.app.play_games import (
    FAST_LINES,
    clear_lines,
    drop_at,
    finish_game,
    get_falling_piece,
    get_game,
    get_human_game,
    press_at_once,
    start_game,
)
from tests.app.window_driver import WindowDriver
from tests.cli.command_runner import tetrion_here
from tetrion.app.game_storage import list_replay_files, load_best_scores, select_best_scores
from tetrion.app.games.human_rules import MODES
from tetrion.app.screens.play_screen import GAME_OVER, GAME_RUNNING, PlayScreen, format_time
from tetrion.engine.rules import Rules
from tetrion.replay import Replay

SMALL_RACE = "guideline:start_garbage=2,randomiser=only-I"  # one I fills the gaps of both rows
KEYS_READ_AGAIN = 40  # frames after the end of a game


def check_replay(screen: PlayScreen) -> None:
    """Check that the saved game leads to the same board at the same time."""
    assert screen.saved_file in list_replay_files()
    replay = Replay.load(screen.saved_file)
    assert replay.mode == get_human_game(screen).mode.name
    game, again = get_game(screen), replay.play()
    assert (again.stack, again.lines, again.score, again.frames) == (game.stack, game.lines, game.score, game.frames)


def finish_race(driver: WindowDriver, screen: PlayScreen) -> None:
    """Clear the two rows of `SMALL_RACE`."""
    gap = get_game(screen).stack.rows[0].index(".")
    press_at_once(driver, "up")
    assert len({x for x, _ in get_falling_piece(screen).cells}) == 1
    drop_at(driver, screen, gap)
    press_at_once(driver, "Space", "Space")  # keys after the goal are not applied
    assert (get_game(screen).pieces, screen.state) == (1, GAME_OVER)


def test_sprint_ends_after_forty_lines_and_ranks_times(driver: WindowDriver) -> None:
    screen = start_game(driver, FAST_LINES, mode="sprint")
    clear_lines(driver, screen, 4)
    assert "36 lines left 4 / 40" in check_texts(driver)
    driver.press("R")
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


@pytest.mark.parametrize("mode", ["sprint", "cheese"])
def test_race_that_is_not_finished_has_no_rank(driver: WindowDriver, mode: str) -> None:
    screen = start_game(driver, "guideline", mode=mode)
    finish_game(driver, screen)
    texts = check_texts(driver)
    assert "Game over" in texts
    assert f"{MODES[mode].label} not finished:" in texts
    assert "No finished game with these rules yet." in texts
    assert load_best_scores()[0] == {}
    check_replay(screen)


def test_blitz_ends_after_two_minutes(driver: WindowDriver) -> None:
    rules = f"{FAST_LINES},gravity=60000"
    screen = start_game(driver, rules, mode="blitz")
    clear_lines(driver, screen, 4)
    assert "2:00 left of 2:00" in check_texts(driver)
    driver.run_frames(236, 0.5)
    assert screen.state == GAME_RUNNING
    assert "0:02 left of 2:00" in check_texts(driver)
    driver.run_frames(6, 0.5)
    assert (screen.state, screen.rank, get_game(screen).frames) == (GAME_OVER, 1, 120_000)
    assert "Finished 4 lines, 4 points Your best game" in check_texts(driver)
    assert not get_game(screen).is_over
    check_replay(screen)
    assert [best.score for best in load_best_scores()[0][f"blitz {rules}"]] == [4]
    screen = start_game(driver, "tetrais", mode="blitz")
    finish_game(driver, screen)
    assert screen.rank == 1, "a blitz that ends earlier counts"


def test_sprint_that_was_left_can_be_continued_without_a_rank(driver: WindowDriver) -> None:
    screen = start_game(driver, FAST_LINES, mode="sprint")
    clear_lines(driver, screen, 38)
    driver.press("Esc", "Q")
    (saved_file,) = list_replay_files()
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


def test_cheese_race_starts_with_garbage_and_ends_when_it_is_cleared(driver: WindowDriver) -> None:
    screen = start_game(driver, "guideline", mode="cheese")
    assert get_game(screen).position.garbage_height == 10
    texts = check_texts(driver)
    assert "10 rows of garbage left 0 / 10" in texts
    assert "Cheese race Guideline rules Seed 7" in texts
    board = get_game(screen).board
    driver.press("R")
    assert get_game(screen).board == board, "the same seed has the same rows"
    screen = start_game(driver, SMALL_RACE, mode="cheese")
    finish_race(driver, screen)
    assert screen.rank == 1
    driver.run_frames(KEYS_READ_AGAIN)
    assert "1 piece Your best time" in check_texts(driver)
    check_replay(screen)
    driver.press("R")
    finish_race(driver, screen)
    assert screen.rank == 2
    assert list(load_best_scores()[0]) == [f"cheese {Rules.parse(SMALL_RACE)}"]


def test_modes_on_the_command_line(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[dict[str, object]] = []
    monkeypatch.setattr("tetrion.cli.play_command.open_window", lambda screen, **options: opened.append(options))
    tetrion_here("play", "--mode", "sprint")
    assert (opened[0]["mode"], opened[0]["rules"]) == ("sprint", "")
    for arguments, message in (
        (["--mode", "sprnt"], "Unknown mode 'sprnt'. Did you mean 'sprint'?"),
        (["--mode", "cheese", "--rules", "nes"], "A cheese race has garbage, which the rules nes cannot have."),
    ):
        assert message in tetrion_here("play", *arguments, expect=2).stderr
    assert len(opened) == 1
