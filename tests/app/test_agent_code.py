"""The question before Python code of an agent runs in the window."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.app.drawn_texts import record_texts
from tests.app.saved_games import play_random_game, save_game_file
from tests.app.window_driver import WindowDriver
from tetrion.app.screens.play_screen import GAME_PAUSED
from tetrion.app.window_settings import load_settings

AGENT_FILE = "mine.json"
AGENT_CLASS = "mine.py:Mine"
TRACE = Path("ran.txt")
QUESTION_BUTTONS = ["overlay Cancel", "overlay Run code"]
MODULE = """
import pathlib
import tetrion

pathlib.Path(__file__).with_name("ran.txt").touch()

@tetrion.feature(max_value=280)
def gaps(outcome):
    return sum(outcome.heights) - outcome.filled_cells

class Mine:
    def choose(self, position):
        return position.placements()[0]
"""


@pytest.fixture(autouse=True)
def agents(folders: Path) -> None:
    """Write a module with a feature and a class, which leaves a trace when it runs, and an agent file that names it."""
    Path("mine.py").write_text(MODULE, encoding="utf-8")
    content = {"format": 1, "kind": "linear", "features": "mine.py", "weights": {"gaps": -1, "holes": -2}}
    Path(AGENT_FILE).write_text(json.dumps(content), encoding="utf-8")


def find_question(driver: WindowDriver) -> list[str]:
    return [name for name in driver.window.ui.focusable_names if name in QUESTION_BUTTONS]


def wait_for_question(driver: WindowDriver) -> None:
    driver.run_until(lambda: find_question(driver) == QUESTION_BUTTONS)
    driver.run_frames(2)
    assert driver.window.ui.focus == "overlay Cancel"
    assert not TRACE.exists()


def accept(driver: WindowDriver, is_used: Callable[[], object]) -> None:
    driver.click("overlay Run code")
    driver.run_until(is_used)
    assert not find_question(driver)


def make_watch_check(screen: Any) -> Callable[[], object]:
    return lambda: screen.agent_game and screen.agent_game.decision


def test_code_of_an_agent_file_runs_only_if_allowed_which_is_remembered(driver: WindowDriver) -> None:
    screen = driver.open_screen("watch", agent=AGENT_FILE)
    wait_for_question(driver)
    texts = " ".join(drawn.text for drawn in record_texts(driver))
    assert "can do anything on this computer" in texts
    assert str(TRACE.absolute().with_name("mine.py")) in texts.replace(" ", "")
    driver.press("Esc")
    driver.run_frames(5)
    assert "was not allowed" in screen.problem
    assert "`" not in screen.problem
    driver.click("overlay Restart")
    wait_for_question(driver)
    accept(driver, make_watch_check(screen))
    assert TRACE.exists()
    driver.window.close_screen()
    driver.run_until(make_watch_check(driver.open_screen("watch", agent=AGENT_FILE)))
    assert not find_question(driver)


def test_class_in_the_setup_or_dropped_is_used_after_consent(driver: WindowDriver) -> None:
    driver.open_screen("watch")
    driver.drop(Path("mine.py").absolute())
    wait_for_question(driver)
    driver.window.close_screen()
    driver.run_frames(3)
    assert not find_question(driver)
    screen = driver.open_screen("watch")
    driver.press("A")
    driver.run_frames()
    driver.click("agent")
    driver.type(AGENT_CLASS)
    driver.press("Enter")
    driver.click("start")
    wait_for_question(driver)
    driver.press("Enter")  # the focus is on Cancel
    driver.run_frames(2)
    assert "was not allowed" in screen.setup.problem
    assert load_settings()[0].watch_agent != AGENT_CLASS
    driver.click("start")
    wait_for_question(driver)
    accept(driver, make_watch_check(screen))
    assert load_settings()[0].watch_agent == AGENT_CLASS


def open_versus(driver: WindowDriver, agent: str) -> Callable[[], object]:
    screen = driver.open_screen("versus", players=("lee", agent), rules="standard")
    return lambda: screen.setup.validation.result


def open_practice(driver: WindowDriver, agent: str) -> Callable[[], object]:
    screen = driver.open_screen("practice", rules="standard", agent=agent)
    driver.press("H")
    return lambda: screen.practice_game.advice


def open_play(driver: WindowDriver, agent: str) -> Callable[[], object]:
    driver.window.change_settings(hint_agent=agent)
    screen = driver.open_screen("play", rules="standard", start=True, seed=1)
    driver.press("H")

    def has_hint() -> object:
        if screen.state == GAME_PAUSED and not find_question(driver):
            driver.press("P")  # the game pauses while the question is shown
        return screen.hint

    return has_hint


def open_review(driver: WindowDriver, agent: str) -> Callable[[], object]:
    file = save_game_file(play_random_game(), "you")
    screen = driver.open_screen("review", file=str(file), agent=agent)
    return lambda: screen.grader and screen.grader.is_done and screen.grader.moves


@pytest.mark.parametrize("open_agent", [open_versus, open_practice, open_play, open_review])
def test_code_is_asked_about_on_every_screen(
    driver: WindowDriver, open_agent: Callable[..., Callable[[], Any]]
) -> None:
    is_used = open_agent(driver, AGENT_FILE if open_agent is open_review else AGENT_CLASS)  # a class cannot grade
    wait_for_question(driver)
    driver.press("Q", "A", "T", "←")  # keys of the screen below
    driver.run_frames(10)
    assert find_question(driver)
    assert not is_used()
    accept(driver, is_used)
