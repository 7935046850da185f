"""Tests of the setup of the evolution screen: the list of runs, and problems that are shown before Start."""

import os
from pathlib import Path

import pygame
import pytest

from tests.app.drawn_texts import WINDOW_SIZES, check_texts, record_texts
from tests.app.screen_scenes import SMALL_RUN
from tests.app.window_driver import WindowDriver
from tetrion.agents.run_folders import CONFIG_FILE
from tetrion.app.evolution.followed_run import FollowedRun
from tetrion.app.evolution.run_copies import find_folder_problem
from tetrion.app.game_storage import get_runs_folder
from tetrion.app.screens.evolution_runs import list_runs
from tetrion.app.screens.evolution_screen import EvolutionScreen
from tetrion.errors import RunError
from tetrion.training.recipe import Recipe
from tetrion.training.trainer import create_run

LOW_WINDOW = (800, 640)
RUN_PROBLEM = "This is a run already. Choose another folder, or resume the run."


@pytest.fixture
def seven_runs(folders: Path) -> list[str]:
    """Create seven runs and return their names, newest first."""
    names = [f"run-{number}" for number in range(7)]
    for number, name in enumerate(names):
        folder = create_run(Recipe.load("gavrilov", SMALL_RUN), get_runs_folder() / name)
        os.utime(folder / CONFIG_FILE, (1000 + number, 1000 + number))
    return names[::-1]


def open_setup(driver: WindowDriver, size: tuple[int, int] = LOW_WINDOW) -> EvolutionScreen:
    screen: EvolutionScreen = driver.open_screen("evolution")
    driver.resize(*size)
    driver.run_frames(10)
    return screen


def get_shown_runs(driver: WindowDriver) -> list[str]:
    return [name for name in driver.window.ui.focusable_names if name.startswith("run ")]


def focus(driver: WindowDriver, name: str) -> None:
    driver.window.ui.request_focus(name)
    driver.run_frames(2)


def test_list_of_runs_scrolls_with_the_keys_of_lists(driver: WindowDriver, seven_runs: list[str]) -> None:
    screen = open_setup(driver)
    assert [run.name for run in screen.setup.runs] == seven_runs
    assert get_shown_runs(driver) == ["run 0", "run 1"]
    assert "1–2 of 7" in check_texts(driver)
    focus(driver, "run 0")
    for key, focused in (
        ("↓", 1),
        ("↓", 2),
        ("End", 6),
        ("↓", 6),
        ("PgUp", 4),
        ("↑", 3),
        ("PgDn", 5),
        ("Home", 0),
        ("↑", 0),
    ):
        driver.press(key)
        driver.run_frames(2)
        assert driver.window.ui.focus == f"run {focused}", key
    driver.press("End")
    driver.run_frames(2)
    assert "6–7 of 7" in check_texts(driver)
    driver.press("Enter")
    assert isinstance(screen.session, FollowedRun)
    assert screen.session.folder.name == seven_runs[-1]


def test_wheel_scrolls_the_runs_and_keeps_the_focus_visible(driver: WindowDriver, seven_runs: list[str]) -> None:
    open_setup(driver)
    focus(driver, "run 0")
    pygame.event.post(pygame.event.Event(pygame.MOUSEWHEEL, x=0, y=-1))
    driver.run_frames(2)
    assert get_shown_runs(driver) == ["run 3", "run 4"]
    assert driver.window.ui.focus == "run 3"
    pygame.event.post(pygame.event.Event(pygame.MOUSEWHEEL, x=0, y=5))
    driver.run_frames(2)
    assert get_shown_runs(driver) == ["run 0", "run 1"]
    driver.click("recipe")
    driver.run_frames(2)
    pygame.event.post(pygame.event.Event(pygame.MOUSEWHEEL, x=0, y=-1))
    driver.run_frames(2)
    driver.press("Esc")
    driver.run_frames(2)
    assert get_shown_runs(driver) == ["run 0", "run 1"], "the wheel belongs to the open list of recipes"


def test_list_keys_have_no_effect_on_the_runs_without_their_focus(driver: WindowDriver, seven_runs: list[str]) -> None:
    open_setup(driver)
    assert driver.window.ui.focus == "start"
    driver.press("End", "PgDn", "↓")
    assert driver.window.ui.focus == "start"
    assert get_shown_runs(driver) == ["run 0", "run 1"]


def test_no_range_is_shown_if_all_runs_are_visible(driver: WindowDriver, seven_runs: list[str]) -> None:
    open_setup(driver, (1280, 800))
    text = check_texts(driver)
    assert "of 7" not in text
    assert "Open or resume a run" in text
    assert len(get_shown_runs(driver)) == len(list_runs()) == 7


def test_folder_with_a_run_is_refused_before_start(driver: WindowDriver, seven_runs: list[str], tmp_path: Path) -> None:
    screen = open_setup(driver)
    other_run = create_run(Recipe.load("gavrilov", SMALL_RUN), tmp_path / "elsewhere" / "mine")
    for folder in (get_runs_folder() / "run-1", other_run):
        screen.setup.chosen_folder = str(folder)
        for size in (LOW_WINDOW, *WINDOW_SIZES):
            driver.resize(*size)
            driver.run_frames(10)
            assert RUN_PROBLEM in check_texts(driver)
            assert "start" not in driver.window.ui.focusable_names
    assert driver.window.ui.focus == "folder"
    assert [run.folder for run in screen.setup.runs].count(other_run) == 1, "the list has every run it speaks of"
    assert len(screen.setup.runs) == 8
    screen.setup.chosen_folder = str(tmp_path / "new")
    driver.run_frames(2)
    assert RUN_PROBLEM not in check_texts(driver)
    driver.click("start")
    assert screen.session is not None


def test_folders_that_cannot_be_used_are_explained(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "letter.txt").write_text("", encoding="utf-8")
    assert find_folder_problem(tmp_path / "new" / "run") == ""
    assert find_folder_problem(tmp_path / "file") == "This is a file. Choose another folder."
    assert find_folder_problem(tmp_path / "file" / "run").endswith("file is a file. Choose another folder.")
    assert find_folder_problem(tmp_path / "full") == "This is not empty and not a run. Choose another folder."
    monkeypatch.setattr("tetrion.app.evolution.run_copies.os.access", lambda path, mode: path != tmp_path)
    assert find_folder_problem(tmp_path / "new" / "run") == f"{tmp_path} is read-only. Choose another folder."


def test_unknown_recipe_is_explained_in_the_words_of_the_window(driver: WindowDriver) -> None:
    screen = open_setup(driver)
    screen.setup.recipe = "gavrilow"
    for size in (LOW_WINDOW, *WINDOW_SIZES):
        driver.resize(*size)
        driver.run_frames(10)
        text = check_texts(driver)
        assert "Unknown recipe 'gavrilow'. Did you mean 'gavrilov'?" in text
        assert "`" not in text
    assert "start" not in driver.window.ui.focusable_names
    assert driver.window.ui.focus == "recipe"


def test_long_error_of_a_recipe_file_is_shown_in_full(driver: WindowDriver) -> None:
    screen = open_setup(driver)
    path = f"{'/folder' * 20}/mine.toml"
    screen.setup.recipe = path
    driver.run_frames(2)
    text = check_texts(driver)
    assert "cannot be read: No such file or directory." in text
    assert path in text.replace(" ", ""), "a path is broken, not cut"


def test_error_of_a_run_is_shown_in_the_words_of_the_window(
    driver: WindowDriver, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*args: object) -> None:
        raise RunError("mine cannot be written: Disk full. Choose another `out`.")

    screen = open_setup(driver)
    monkeypatch.setattr("tetrion.app.screens.evolution_screen.create_run", refuse)
    driver.press("Enter")
    driver.run_frames(10)
    assert screen.problem
    text = " ".join(drawn.text for drawn in record_texts(driver))
    assert "mine cannot be written: Disk full." in text
    assert "`out`" not in text
