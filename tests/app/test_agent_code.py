"""The question before Python code of an agent runs in the window."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pygame
import pytest

from tests.app.drawn_texts import record_texts
from tests.app.saved_games import play_random_game, save_game_file
from tests.app.window_driver import WindowDriver
from tetrion.agents.code_consent import consent_to_path, has_consent
from tetrion.app.agent_code import wrap_path
from tetrion.app.screens.play_screen import GAME_PAUSED
from tetrion.app.window_settings import load_settings

QUESTION_BUTTONS = ["overlay Cancel", "overlay Run code"]
FEATURE_MODULE = """
import pathlib
import tetrion

pathlib.Path(__file__).with_name("ran.txt").write_text("ran", encoding="utf-8")


@tetrion.feature(max_value=280)
def gaps(outcome):
    return sum(outcome.heights) - outcome.filled_cells
"""
AGENT_CLASS = """
import pathlib

pathlib.Path(__file__).with_name("ran.txt").write_text("ran", encoding="utf-8")


class Mine:
    def choose(self, position):
        return position.placements()[0]
"""


@pytest.fixture
def agent_file(tmp_path: Path) -> Path:
    """An agent file with a module of features, which leaves a trace when it runs."""
    folder = tmp_path / "agents"
    folder.mkdir()
    (folder / "features.py").write_text(FEATURE_MODULE, encoding="utf-8")
    path = folder / "mine.json"
    content = {"format": 1, "kind": "linear", "features": "features.py", "weights": {"gaps": -1, "holes": -2}}
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


@pytest.fixture
def agent_class(tmp_path: Path) -> str:
    """A Python class, which leaves a trace when it runs."""
    path = tmp_path / "mine.py"
    path.write_text(AGENT_CLASS, encoding="utf-8")
    return f"{path}:Mine"


def has_run(folder: Path) -> bool:
    return (folder / "ran.txt").exists()


def find_question(driver: WindowDriver) -> list[str]:
    return [name for name in driver.window.ui.focusable_names if name in QUESTION_BUTTONS]


def wait_for_question(driver: WindowDriver) -> None:
    driver.run_until(lambda: find_question(driver) == QUESTION_BUTTONS)
    driver.run_frames(2)
    assert driver.window.ui.focus == "overlay Cancel"


def accept(driver: WindowDriver) -> None:
    driver.click("overlay Run code")
    driver.run_frames(2)
    assert not find_question(driver)


# Watch.


def test_code_of_an_agent_file_runs_only_if_allowed(driver: WindowDriver, agent_file: Path) -> None:
    screen = driver.open_screen("watch", agent=str(agent_file))
    wait_for_question(driver)
    texts = " ".join(drawn.text for drawn in record_texts(driver))
    assert "can do anything on this computer" in texts
    assert str(agent_file.with_name("features.py")) in texts.replace(" ", "")
    driver.press("Esc")
    driver.run_frames(5)
    assert not find_question(driver)
    assert "was not allowed" in screen.problem
    assert not has_run(agent_file.parent)
    driver.click("overlay Restart")
    wait_for_question(driver)
    accept(driver)
    driver.run_until(lambda: screen.agent_game and screen.agent_game.decision)
    assert has_run(agent_file.parent)
    assert not screen.problem


def test_consent_is_remembered(driver: WindowDriver, agent_file: Path) -> None:
    driver.open_screen("watch", agent=str(agent_file))
    wait_for_question(driver)
    accept(driver)
    assert has_consent(agent_file.with_name("features.py"))
    driver.window.close_screen()
    screen = driver.open_screen("watch", agent=str(agent_file))
    driver.run_until(lambda: screen.agent_game and screen.agent_game.decision)
    assert not find_question(driver)


def test_changed_code_is_asked_about_again(driver: WindowDriver, agent_file: Path) -> None:
    driver.open_screen("watch", agent=str(agent_file))
    wait_for_question(driver)
    accept(driver)
    driver.window.close_screen()
    with agent_file.with_name("features.py").open("a", encoding="utf-8") as file:
        file.write("\nprint('changed')\n")
    driver.open_screen("watch", agent=str(agent_file))
    wait_for_question(driver)


def test_class_that_was_named_on_the_command_line_runs_at_once(driver: WindowDriver, agent_class: str) -> None:
    consent_to_path(Path(agent_class.rpartition(":")[0]))
    screen = driver.open_screen("watch", agent=agent_class)
    driver.run_until(lambda: screen.agent_game and screen.agent_game.decision)
    assert not find_question(driver)


def test_class_in_the_setup_is_used_after_consent(driver: WindowDriver, agent_class: str, tmp_path: Path) -> None:
    screen = driver.open_screen("watch")
    driver.press("A")
    driver.run_frames()
    driver.press("Enter")
    driver.type(agent_class)
    driver.press("Enter")
    driver.click("start")
    wait_for_question(driver)
    driver.press("Q", "A", "T")  # keys of the screen below
    assert find_question(driver)
    driver.press("Enter")  # the focus is on Cancel
    driver.run_frames(2)
    assert screen.setup.is_open
    assert "was not allowed" in screen.setup.problem
    assert load_settings()[0].watch_agent != agent_class
    assert not has_run(tmp_path)
    driver.click("start")
    wait_for_question(driver)
    driver.press("↓", "Enter")
    driver.run_frames(2)
    assert not screen.setup.is_open
    driver.run_until(lambda: screen.agent_game and screen.agent_game.decision)
    assert load_settings()[0].watch_agent == agent_class


def test_stored_agent_with_code_is_asked_about(driver: WindowDriver, agent_class: str, tmp_path: Path) -> None:
    driver.window.change_settings(watch_agent=agent_class)
    screen = driver.open_screen("watch")
    wait_for_question(driver)
    assert not has_run(tmp_path)
    accept(driver)
    driver.run_until(lambda: screen.agent_game and screen.agent_game.decision)


def test_dropped_class_is_asked_about(driver: WindowDriver, agent_class: str, tmp_path: Path) -> None:
    driver.open_screen("watch")
    pygame.event.post(pygame.event.Event(pygame.DROPFILE, file=str(tmp_path / "mine.py")))
    wait_for_question(driver)
    driver.press("Esc")
    assert not has_run(tmp_path)


def test_screen_that_is_left_takes_its_question_with_it(driver: WindowDriver, agent_class: str) -> None:
    driver.open_screen("watch", agent=agent_class)
    wait_for_question(driver)
    driver.window.close_screen()
    driver.run_frames(3)
    assert driver.screen.title == "Menu"
    assert not find_question(driver)
    driver.click("Settings")
    assert driver.screen.title == "Settings"


# Other screens.


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


@pytest.mark.parametrize("open_agent", [open_versus, open_practice, open_play])
@pytest.mark.parametrize("kind", ["agent_file", "agent_class"])
def test_code_is_asked_about_on_every_screen(
    driver: WindowDriver, request: pytest.FixtureRequest, open_agent: Callable[..., Callable[[], Any]], kind: str
) -> None:
    agent = str(request.getfixturevalue(kind))
    folder = Path(agent.removesuffix(":Mine")).parent
    is_used = open_agent(driver, agent)
    wait_for_question(driver)
    assert not has_run(folder)
    assert not is_used()
    accept(driver)
    driver.run_until(is_used)
    assert not find_question(driver)


def test_code_of_a_grader_is_asked_about(driver: WindowDriver, agent_file: Path) -> None:
    file = save_game_file(play_random_game(), "you")
    screen = driver.open_screen("review", file=str(file), agent=str(agent_file))
    wait_for_question(driver)
    assert not has_run(agent_file.parent)
    accept(driver)
    driver.run_until(lambda: screen.grader and screen.grader.is_done)
    assert not screen.grader.problem
    assert len(screen.grader.moves) == len(screen.grader.replay.placements)


def test_game_pauses_while_the_question_is_shown(driver: WindowDriver, agent_class: str) -> None:
    open_play(driver, agent_class)
    wait_for_question(driver)
    screen: Any = driver.screen
    frames = screen.human_game.game.frames
    driver.press("←", "Space")
    driver.run_frames(30)
    assert screen.state == GAME_PAUSED
    assert screen.human_game.game.frames == frames


# The path.


def test_long_path_is_shortened_in_the_middle(driver: WindowDriver) -> None:
    pen = driver.window.ui.pen
    path = Path("/" + "/".join(f"folder-{number}" for number in range(200))) / "evil\n\u202ename.py"
    lines = wrap_path(pen, path, 480)
    text = "".join(lines)
    assert text.startswith("/folder-0/folder-1/")
    assert "…" in text
    assert text.endswith("name.py")
    assert "\u202e" not in text
    assert len(lines) <= 8
    assert all(pen.measure_text(line, 15) <= 480 for line in lines)


@pytest.mark.parametrize("size", [(800, 640), (1280, 800), (640, 480)])
def test_question_fits_the_window(driver: WindowDriver, tmp_path: Path, size: tuple[int, int]) -> None:
    driver.resize(*size)
    driver.open_screen("settings")
    driver.window.ask_about_code(tmp_path / ("x" * 280) / "mine.py", lambda: None)
    driver.run_frames(2)
    ui = driver.window.ui
    boxes = [drawn.box for drawn in record_texts(driver)] + [ui.get_box(name) for name in QUESTION_BUTTONS]
    assert all(ui.pen.area.contains(box) for box in boxes)
