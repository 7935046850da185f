"""A game graded before a person's eyes, by real events."""

from pathlib import Path
from typing import Any

import pytest

from app.driving import Driver
from app.kept_games import by_chance, by_keys, kept
from tetrion import Replay, load
from tetrion.agents import DataAgent
from tetrion.app.replays.grading import better, cost_words, told
from tetrion.app.screens.review import ReviewScreen
from tetrion.evaluation.review import Review, points_words, review

AGENT = "dellacherie"


def graded(driver: Driver, **options: Any) -> ReviewScreen:
    screen = driver.open("review", **{"agent": AGENT, **options})
    assert isinstance(screen, ReviewScreen)
    driver.until(lambda: screen.grader and screen.grader.done)
    driver.frames(2)
    return screen


def by_hand(replay: Replay, name: str = AGENT) -> Review:
    agent = load(name)
    assert isinstance(agent, DataAgent)
    return review(replay, agent)


@pytest.fixture(scope="module")
def chance() -> Replay:
    return Replay.of(by_chance(20), "you")


def test_the_grades_are_those_of_the_review(driver: Driver, chance: Replay) -> None:
    screen, expected = graded(driver, replay=chance), by_hand(chance)
    assert screen.grader is not None
    known = screen.grader.summary
    assert tuple(screen.grader.moves) == expected.moves
    assert (known.share_best, known.mean_lost) == (expected.share_best, expected.mean_lost)
    assert [move.number for move in known.costliest] == [move.number for move in expected.costliest(5)]
    assert list(known.losses) == [move.lost or 0.0 for move in expected.moves]
    assert screen.number == known.costliest[0].number  # what was worst is seen first


def test_moves_by_keys_rows_and_chart(driver: Driver, chance: Replay) -> None:
    screen = graded(driver, replay=chance)
    assert screen.grader is not None
    costliest = [move.number for move in screen.grader.summary.costliest]
    driver.press("Home", "→", "→", "←")
    assert screen.number == 2
    driver.press("End", "→")
    assert screen.number == 20
    driver.click("costly 3")
    assert screen.number == costliest[2]
    driver.press("↓")
    driver.frames(2)
    assert screen.number == costliest[3]
    driver.press("Home", "N")
    lossy = [move.number for move in screen.grader.moves if move.lost]
    assert screen.number == next(number for number in lossy if number > 1)
    driver.click("seek", x=0.99)
    assert screen.number == 20
    driver.click("chart", x=0.5)
    assert screen.number == 11
    for size in ((800, 700), (1920, 1080)):
        driver.resize(*size)
        assert driver.screen is screen
    driver.press("P")
    again: Any = driver.screen
    driver.until(lambda: again.playback)
    assert (again.title, again.playback.moves) == ("Replay", 10)
    driver.press("Esc")
    assert driver.screen is screen
    driver.quit()
    assert not driver.window.running


def test_another_agent_grades_anew(driver: Driver, chance: Replay) -> None:
    screen = graded(driver, replay=chance)
    first = screen.grader
    driver.click("agent")
    driver.type("du")
    driver.press("Enter")
    driver.frames(2)
    assert screen.agent == "du"
    assert screen.grader is not first
    assert screen.grader is not None
    driver.until(lambda: screen.grader and screen.grader.done)
    assert tuple(screen.grader.moves) == by_hand(chance, "du").moves


def test_an_agent_that_cannot_grade_says_so(driver: Driver, chance: Replay) -> None:
    screen = graded(driver, replay=chance, agent="random-keys")
    assert screen.grader is not None
    assert "not made of numbers" in screen.grader.problem
    driver.press("→", "N", "→")
    assert screen.number == 3
    driver.press("Esc")
    assert driver.screen is not screen


def test_a_game_with_keys_from_a_file(driver: Driver) -> None:
    game = by_keys(actions=120)
    screen = graded(driver, file=str(kept(game, "you")), agent="")
    assert screen.agent != ""  # the one made for the rules
    assert screen.grader is not None
    assert len(screen.grader.moves) == game.pieces


def test_a_file_that_is_none_is_told(driver: Driver, tmp_path: Path) -> None:
    screen: Any = driver.open("review", file=str(tmp_path / "nowhere.json"))
    driver.until(lambda: screen.loading.done)
    driver.frames(2)
    assert "cannot be read" in screen.loading.problem
    driver.press("Esc")
    assert driver.screen is not screen


def test_moves_in_words(chance: Replay) -> None:
    moves = by_hand(chance).moves
    lossy = next(move for move in moves if move.lost)
    headline, words = told(lossy, AGENT)
    assert headline == f"Move {lossy.number}: lost {points_words(lossy.lost or 0)} points."
    assert AGENT in words
    assert better(lossy) == lossy.best
    assert cost_words(lossy).startswith("−")
    best = next(move for move in moves if move.is_best and move.best == move.made)
    assert told(best, AGENT) == (f"Move {best.number}: nothing lost.", f"{AGENT} would play here too.")
    assert better(best) is None
    assert [points_words(points) for points in (12.44, 9.0, 0.123, 1234.5)] == ["12.4", "9", "0.12", "1,234.5"]
