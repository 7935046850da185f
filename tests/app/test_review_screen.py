"""Tests of the review screen, driven by events."""

from pathlib import Path
from typing import Any

import pytest

from tests.app.saved_games import play_random_game, play_random_keys, save_game_file
from tests.app.window_driver import WindowDriver
from tetrion import Replay, load_agent
from tetrion.agents import WeightedAgent
from tetrion.app.replays.replay_grading import describe_move, format_move_cost, get_better_placement
from tetrion.app.screens.review_panels import draw_tiny_board
from tetrion.app.screens.review_screen import ReviewScreen
from tetrion.drawing.pen import Pen
from tetrion.evaluation.replay_review import (
    LOSS_EXPLANATION,
    SHORT_LOSS_EXPLANATION,
    Review,
    format_points,
    review_replay,
)

AGENT = "dellacherie"
SIZES = [(800, 700), (900, 700), (1000, 760), (1280, 720), (1280, 800), (1366, 768), (1920, 1080)]


def open_review(driver: WindowDriver, **options: Any) -> ReviewScreen:
    screen = driver.open_screen("review", **{"agent": AGENT, **options})
    assert isinstance(screen, ReviewScreen)
    driver.run_until(lambda: screen.grader and screen.grader.is_done)
    driver.run_frames(2)
    return screen


def review_directly(replay: Replay, name: str = AGENT) -> Review:
    agent = load_agent(name)
    assert isinstance(agent, WeightedAgent)
    return review_replay(replay, agent)


@pytest.fixture(scope="module")
def random_replay() -> Replay:
    return Replay.from_game(play_random_game(20), "you")


def test_grades_equal_those_of_review_replay(driver: WindowDriver, random_replay: Replay) -> None:
    screen, expected = open_review(driver, replay=random_replay), review_directly(random_replay)
    assert screen.grader is not None
    summary = screen.grader.summary
    assert tuple(screen.grader.moves) == expected.moves
    assert (summary.best_move_share, summary.mean_loss) == (expected.best_move_share, expected.mean_points_lost)
    assert [move.number for move in summary.costliest] == [move.number for move in expected.get_costliest_moves(5)]
    assert list(summary.max_losses) == [move.points_lost or 0.0 for move in expected.moves]
    assert screen.move_number == summary.costliest[0].number  # the costliest move is shown first


def test_moves_can_be_chosen_by_keys_rows_and_chart(driver: WindowDriver, random_replay: Replay) -> None:
    screen = open_review(driver, replay=random_replay)
    assert screen.grader is not None
    costliest = [move.number for move in screen.grader.summary.costliest]
    driver.press("Home", "→", "→", "←")
    assert screen.move_number == 2
    driver.press("End", "→")
    assert screen.move_number == 20
    driver.click("costly 3")
    assert screen.move_number == costliest[2]
    driver.press("↓")
    driver.run_frames(2)
    assert screen.move_number == costliest[3]
    driver.press("Home", "N")
    costly = [move.number for move in screen.grader.moves if move.points_lost]
    assert screen.move_number == next(number for number in costly if number > 1)
    driver.click("seek", x=0.99)
    assert screen.move_number == 20
    driver.click("chart", x=0.5)
    assert screen.move_number == 11
    for size in ((800, 700), (1920, 1080)):
        driver.resize(*size)
        assert driver.screen is screen
    driver.press("P")
    replay_screen: Any = driver.screen
    driver.run_until(lambda: replay_screen.playback)
    assert (replay_screen.title, replay_screen.playback.moves_made) == ("Replay", 10)
    driver.press("Esc")
    assert driver.screen is screen
    driver.quit()
    assert not driver.window.is_running


def test_another_agent_regrades_the_game(driver: WindowDriver, random_replay: Replay) -> None:
    screen = open_review(driver, replay=random_replay)
    first = screen.grader
    driver.click("agent")
    driver.type("du")
    driver.press("Enter")
    driver.run_frames(2)
    assert screen.agent == "du"
    assert screen.grader is not first
    assert screen.grader is not None
    driver.run_until(lambda: screen.grader and screen.grader.is_done)
    assert tuple(screen.grader.moves) == review_directly(random_replay, "du").moves


def test_agent_that_cannot_grade_shows_an_error(driver: WindowDriver, random_replay: Replay) -> None:
    screen = open_review(driver, replay=random_replay, agent="random-keys")
    assert screen.grader is not None
    assert "not a weighted agent" in screen.grader.problem
    driver.press("→", "N", "→")
    assert screen.move_number == 3
    driver.press("Esc")
    assert driver.screen is not screen


def test_game_with_keys_is_graded_from_a_file(driver: WindowDriver) -> None:
    game = play_random_keys(actions=120)
    screen = open_review(driver, file=str(save_game_file(game, "you")), agent="")
    assert screen.agent != ""  # chosen for the rules
    assert screen.grader is not None
    assert len(screen.grader.moves) == game.pieces


def test_missing_file_shows_an_error(driver: WindowDriver, tmp_path: Path) -> None:
    screen: Any = driver.open_screen("review", file=str(tmp_path / "nowhere.json"))
    driver.run_until(lambda: screen.loader.is_done)
    driver.run_frames(2)
    assert "cannot be read" in screen.loader.problem
    driver.press("Esc")
    assert driver.screen is not screen


def test_move_descriptions(random_replay: Replay) -> None:
    moves = review_directly(random_replay).moves
    costly = next(move for move in moves if move.points_lost)
    headline, text = describe_move(costly, AGENT)
    assert headline == f"Move {costly.number}: lost {format_points(costly.points_lost or 0)} in {AGENT}'s evaluation."
    assert AGENT in text
    assert get_better_placement(costly) == costly.best_placement
    assert format_move_cost(costly).startswith("−")
    best = next(move for move in moves if move.is_best and move.best_placement == move.placement)
    assert describe_move(best, AGENT) == (f"Move {best.number}: nothing lost.", f"{AGENT} would play here too.")
    assert get_better_placement(best) is None
    assert [format_points(points) for points in (12.44, 9.0, 0.123, 1234.5)] == ["12.4", "9", "0.12", "1,234.5"]


@pytest.mark.parametrize("size", SIZES)
def test_screen_explains_what_a_loss_is(
    driver: WindowDriver, random_replay: Replay, size: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    driver.resize(*size)
    screen = open_review(driver, replay=random_replay)
    texts: list[str] = []
    monkeypatch.setattr(Pen, "draw_text", lambda pen, text, *arguments, **options: texts.append(text))
    driver.run_frames()
    assert driver.screen is screen
    assert (LOSS_EXPLANATION in texts) + (SHORT_LOSS_EXPLANATION in texts) == 1
    assert "evaluation" in texts
    assert not [text for text in texts if "points" in text and "not game points" not in text]


@pytest.mark.parametrize("size", SIZES)
def test_small_boards_stay_in_their_rows(driver: WindowDriver, random_replay: Replay, size: tuple[int, int]) -> None:
    driver.resize(*size)
    screen = open_review(driver, replay=random_replay)
    assert screen.grader
    ui = driver.window.ui
    rows = [name for name in ui.focusable_names if name.startswith("costly ")]
    assert len(rows) >= 3
    picture = draw_tiny_board(ui.pen, screen.grader.summary.costliest[0])
    assert all(picture.height <= ui.pen.to_pixel_rect(ui.get_box(name)).height for name in rows)
