"""A game graded before a person's eyes, by real events."""

from pathlib import Path
from typing import Any

import pytest

from app.saved_games import play_random_game, play_random_keys, save_game_file
from app.window_driver import WindowDriver
from tetrion import Replay, load_agent
from tetrion.agents import WeightedAgent
from tetrion.app.replays.replay_grading import describe_move, format_move_cost, get_better_placement
from tetrion.app.screens.review_screen import ReviewScreen
from tetrion.evaluation.replay_review import Review, format_points, review_replay

AGENT = "dellacherie"


def graded(driver: WindowDriver, **options: Any) -> ReviewScreen:
    screen = driver.open_screen("review", **{"agent": AGENT, **options})
    assert isinstance(screen, ReviewScreen)
    driver.run_until(lambda: screen.grader and screen.grader.is_done)
    driver.run_frames(2)
    return screen


def by_hand(replay: Replay, name: str = AGENT) -> Review:
    agent = load_agent(name)
    assert isinstance(agent, WeightedAgent)
    return review_replay(replay, agent)


@pytest.fixture(scope="module")
def chance() -> Replay:
    return Replay.from_game(play_random_game(20), "you")


def test_the_grades_are_those_of_the_review(driver: WindowDriver, chance: Replay) -> None:
    screen, expected = graded(driver, replay=chance), by_hand(chance)
    assert screen.grader is not None
    known = screen.grader.summary
    assert tuple(screen.grader.moves) == expected.moves
    assert (known.best_move_share, known.mean_loss) == (expected.best_move_share, expected.mean_points_lost)
    assert [move.number for move in known.costliest] == [move.number for move in expected.get_costliest_moves(5)]
    assert list(known.max_losses) == [move.points_lost or 0.0 for move in expected.moves]
    assert screen.move_number == known.costliest[0].number  # what was worst is seen first


def test_moves_by_keys_rows_and_chart(driver: WindowDriver, chance: Replay) -> None:
    screen = graded(driver, replay=chance)
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
    lossy = [move.number for move in screen.grader.moves if move.points_lost]
    assert screen.move_number == next(number for number in lossy if number > 1)
    driver.click("seek", x=0.99)
    assert screen.move_number == 20
    driver.click("chart", x=0.5)
    assert screen.move_number == 11
    for size in ((800, 700), (1920, 1080)):
        driver.resize(*size)
        assert driver.screen is screen
    driver.press("P")
    again: Any = driver.screen
    driver.run_until(lambda: again.playback)
    assert (again.title, again.playback.moves) == ("Replay", 10)
    driver.press("Esc")
    assert driver.screen is screen
    driver.quit()
    assert not driver.window.is_running


def test_another_agent_grades_anew(driver: WindowDriver, chance: Replay) -> None:
    screen = graded(driver, replay=chance)
    first = screen.grader
    driver.click("agent")
    driver.type("du")
    driver.press("Enter")
    driver.run_frames(2)
    assert screen.agent == "du"
    assert screen.grader is not first
    assert screen.grader is not None
    driver.run_until(lambda: screen.grader and screen.grader.is_done)
    assert tuple(screen.grader.moves) == by_hand(chance, "du").moves


def test_an_agent_that_cannot_grade_says_so(driver: WindowDriver, chance: Replay) -> None:
    screen = graded(driver, replay=chance, agent="random-keys")
    assert screen.grader is not None
    assert "not a weighted agent" in screen.grader.problem
    driver.press("→", "N", "→")
    assert screen.move_number == 3
    driver.press("Esc")
    assert driver.screen is not screen


def test_a_game_with_keys_from_a_file(driver: WindowDriver) -> None:
    game = play_random_keys(actions=120)
    screen = graded(driver, file=str(save_game_file(game, "you")), agent="")
    assert screen.agent != ""  # the one made for the rules
    assert screen.grader is not None
    assert len(screen.grader.moves) == game.pieces


def test_a_file_that_is_none_is_told(driver: WindowDriver, tmp_path: Path) -> None:
    screen: Any = driver.open_screen("review", file=str(tmp_path / "nowhere.json"))
    driver.run_until(lambda: screen.loading.done)
    driver.run_frames(2)
    assert "cannot be read" in screen.loading.problem
    driver.press("Esc")
    assert driver.screen is not screen


def test_moves_in_words(chance: Replay) -> None:
    moves = by_hand(chance).moves
    lossy = next(move for move in moves if move.points_lost)
    headline, words = describe_move(lossy, AGENT)
    assert headline == f"Move {lossy.number}: lost {format_points(lossy.points_lost or 0)} points."
    assert AGENT in words
    assert get_better_placement(lossy) == lossy.best_placement
    assert format_move_cost(lossy).startswith("−")
    best = next(move for move in moves if move.is_best and move.best_placement == move.placement)
    assert describe_move(best, AGENT) == (f"Move {best.number}: nothing lost.", f"{AGENT} would play here too.")
    assert get_better_placement(best) is None
    assert [format_points(points) for points in (12.44, 9.0, 0.123, 1234.5)] == ["12.4", "9", "0.12", "1,234.5"]
