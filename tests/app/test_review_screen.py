"""Tests of the review screen, driven by events."""

from pathlib import Path
from typing import Any

import pytest

from tests.app.drawn_texts import record_texts
from tests.app.saved_games import play_random_game, play_random_keys, save_game_file
from tests.app.window_driver import WindowDriver
from tetrion import Replay, load_agent
from tetrion.agents import WeightedAgent
from tetrion.app.screens.review_screen import ReviewScreen, describe_move
from tetrion.evaluation.replay_review import GRADES, Review, format_points, review_replay

AGENT = "dellacherie"


def open_review(driver: WindowDriver, **options: Any) -> Any:
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


def test_review_is_that_of_review_replay_in_words_and_numbers(driver: WindowDriver, random_replay: Replay) -> None:
    screen, expected = open_review(driver, replay=random_replay), review_directly(random_replay)
    assert screen.grader.review.moves == expected.moves
    assert screen.grader.costliest == expected.get_costliest_moves(5)
    assert screen.grader.bars == list(expected.moves)
    assert screen.move_number == expected.get_costliest_moves()[0].number  # the costliest move is shown first
    for size in ((800, 640), (1000, 760), (1280, 800)):
        driver.resize(*size)
        driver.run_frames(3)
        texts = " ".join(drawn.text for drawn in record_texts(driver))
        for grade, count in expected.grade_counts.items():
            assert f"{grade.capitalize()} {count}" in texts
        assert f"Move {screen.move_number}: blunder" in texts
        assert f"in {AGENT}'s evaluation; a random placement loses" in texts


def test_moves_can_be_chosen_and_the_page_saved(driver: WindowDriver, random_replay: Replay, folders: Path) -> None:
    screen = open_review(driver, replay=random_replay)
    costliest = [move.number for move in screen.grader.costliest]
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
    assert screen.move_number == next(move.number for move in screen.grader.moves[1:] if move.has_cost)
    driver.click("chart", x=0.5)
    assert screen.move_number == 11
    driver.press("S")
    driver.run_until(lambda: "Saved" in driver.window.notice)
    assert f"Graded by {AGENT}" in (folders / "data" / "pages" / "you-standard-0-lines.html").read_text("utf-8")
    driver.press("P")
    replay_screen: Any = driver.screen
    driver.run_until(lambda: replay_screen.playback)
    assert (replay_screen.title, replay_screen.playback.moves_made) == ("Replay", 10)


def test_another_agent_regrades_the_game(driver: WindowDriver, random_replay: Replay) -> None:
    screen = open_review(driver, replay=random_replay)
    for agent in ("du", "random-keys"):
        driver.click("agent")
        driver.run_frames(2)
        driver.type(agent)
        driver.press("Enter")
        driver.run_until(lambda: screen.grader.agent == screen.agent != AGENT and screen.grader.is_done)
        if agent == "du":
            assert tuple(screen.grader.moves) == review_directly(random_replay, "du").moves
    assert screen.agent == "random-keys"
    assert "not a weighted agent" in " ".join(drawn.text for drawn in record_texts(driver))


def test_game_with_keys_is_graded_from_a_file(driver: WindowDriver) -> None:
    game = play_random_keys(actions=120)
    screen = open_review(driver, file=str(save_game_file(game, "you")), agent="")
    assert screen.agent != ""  # chosen for the rules
    assert len(screen.grader.moves) == game.pieces


def test_move_descriptions(random_replay: Replay) -> None:
    moves = review_directly(random_replay).moves
    costly = next(move for move in moves if move.points_lost)
    headline, advice, loss = describe_move(costly, AGENT)
    assert headline == f"Move {costly.number}: {costly.grade}"
    assert costly.grade in GRADES[1:]
    assert advice == f"{AGENT} would play at the dotted outline."
    assert loss.startswith(f"Lost {format_points(costly.points_lost or 0)} in {AGENT}'s evaluation; a random placement")
    best = next(move for move in moves if move.is_best and move.best_placement == move.placement)
    expected = (f"Move {best.number}: best", f"{AGENT} would play here too.", "Nothing lost.")
    assert describe_move(best, AGENT) == expected
    assert [format_points(points) for points in (12.44, 9.0, 0.123, 1234.5)] == ["12.4", "9", "0.12", "1,234.5"]
