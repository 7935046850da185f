"""Tests of the setup of the evolution screen: the settings of a recipe, its problems, and the list of runs."""

import os

import pygame
import pytest

from tests.app.drawn_texts import WINDOW_SIZES, check_texts
from tests.app.screen_scenes import SMALL_RUN
from tests.app.window_driver import WindowDriver
from tetrion.agents.run_folders import CONFIG_FILE
from tetrion.app.evolution.run_session import FollowedRun, LiveTraining
from tetrion.app.game_storage import get_runs_folder
from tetrion.app.screens.evolution_screen import EvolutionScreen, list_main_settings
from tetrion.training.folder_locks import lock_folder
from tetrion.training.recipe import Recipe
from tetrion.training.run import Run
from tetrion.training.trainer import create_run

SIZES = ((800, 640), *WINDOW_SIZES)


def open_setup(driver: WindowDriver, size: tuple[int, int] = (800, 640)) -> EvolutionScreen:
    screen: EvolutionScreen = driver.open_screen("evolution")
    driver.resize(*size)
    driver.run_frames(10)
    return screen


def focus(driver: WindowDriver, name: str) -> None:
    driver.window.ui.request_focus(name)
    driver.run_frames(2)


@pytest.mark.parametrize(
    ("recipe", "labels"),
    {
        "gavrilov": ["Population", "Generations", "Mutation rate", "Mutation step"],
        "modern-1": ["Population", "Generations", "First step size"],
        "cross-entropy": ["Population", "Generations", "First step size"],
        "harmony": ["Memory size", "Generations"],
        "tetrais-q": ["Episodes", "Learning rate"],
        "record": ["Iterations", "Learning rate"],
    }.items(),
)
def test_main_settings_of_each_learner_are_shown(driver: WindowDriver, recipe: str, labels: list[str]) -> None:
    screen = open_setup(driver)
    screen.setup.recipe_name = recipe
    settings = list_main_settings(Recipe.load(recipe))
    assert [setting.label for setting in settings] == labels
    for size in SIZES:
        driver.resize(*size)
        driver.run_frames(2)
        text = check_texts(driver)
        assert all(setting.label in text and setting.meaning in text for setting in settings)


def test_changed_settings_go_into_the_recipe_of_the_run(driver: WindowDriver) -> None:
    screen = open_setup(driver)
    assert driver.window.ui.focus == "start"
    focus(driver, "genetic.population")
    driver.type("12")
    driver.press("→", "↓")
    assert driver.window.ui.focus == "stop.generations"
    driver.press("←", "↓")
    assert driver.window.ui.focus == "genetic.mutation_rate"
    driver.press("Space")
    driver.run_frames(2)
    driver.type("0.25")
    driver.press("Enter")
    driver.run_frames(3)
    text = check_texts(driver)
    assert "recipe: 50" in text
    assert "recipe: 30" in text
    driver.press("Enter")
    assert isinstance(screen.session, LiveTraining)
    recipe = Run(screen.session.folder).recipe
    assert screen.session.folder == get_runs_folder() / "gavrilov-0"
    assert recipe == Recipe.load("gavrilov", {"population": 13, "generations": 29, "mutation_rate": 0.25})


def test_other_recipe_has_its_own_settings(driver: WindowDriver) -> None:
    screen = open_setup(driver)
    focus(driver, "genetic.population")
    driver.press("→", "←")
    assert screen.setup.changes == {}
    driver.press("→")
    assert screen.setup.changes == {"genetic.population": 51}
    focus(driver, "recipe")
    driver.press("Space")
    driver.run_frames(2)
    driver.type("modern-1")
    driver.press("Enter")
    driver.run_frames(3)
    assert screen.setup.recipe == Recipe.load("modern-1")


@pytest.mark.parametrize(
    ("recipe", "changes", "problem"),
    [
        ("gavrilow", {}, "Unknown recipe 'gavrilow'. Did you mean 'gavrilov'?"),
        (f"{'/folder' * 20}/mine.toml", {}, "cannot be read: No such file or directory."),
        ("gavrilov", {"genetic.population": 3}, "genetic.tournament_size must be at most the population (3); given 5."),
        (
            "gavrilov",
            {"genetic.mutation_rate": "x"},
            "genetic.mutation_rate must be a number from 0.0 to 1.0; given 'x'.",
        ),
    ],
)
def test_problem_is_explained_before_start(
    driver: WindowDriver, recipe: str, changes: dict[str, object], problem: str
) -> None:
    screen = open_setup(driver)
    screen.setup.recipe_name = recipe
    screen.setup.changes = changes
    for size in SIZES:
        driver.resize(*size)
        driver.run_frames(10)
        text = check_texts(driver)
        assert problem in text
        assert "`" not in text
        assert recipe in text.replace(" ", ""), "a path is broken, not cut"
        assert "start" not in driver.window.ui.focusable_names


def test_list_of_runs_scrolls_with_the_keys_and_the_wheel(driver: WindowDriver) -> None:
    names = [f"run-{number}" for number in range(9)]
    for number, name in enumerate(names):
        folder = create_run(Recipe.load("gavrilov", SMALL_RUN), get_runs_folder() / name)
        os.utime(folder / CONFIG_FILE, (1000 - number, 1000 - number))
    screen = open_setup(driver)
    ui = driver.window.ui

    def list_shown() -> list[str]:
        return [name for name in ui.focusable_names if name.startswith("run ")]

    assert [folder.name for folder in screen.setup.run_list.folders] == names
    assert list_shown() == ["run 0", "run 1", "run 2"]
    driver.press("End", "PgDn")
    assert ui.focus == "start"
    assert list_shown() == ["run 0", "run 1", "run 2"], "the list does not have the focus"
    focus(driver, "run 0")
    for key, focused in (("↓", 1), ("End", 8), ("↓", 8), ("PgUp", 5), ("↑", 4), ("PgDn", 7), ("Home", 0), ("↑", 0)):
        driver.press(key)
        driver.run_frames(2)
        assert ui.focus == f"run {focused}", key
    pygame.event.post(pygame.event.Event(pygame.MOUSEWHEEL, x=0, y=-1))
    driver.run_frames(2)
    assert list_shown() == ["run 3", "run 4", "run 5"]
    assert ui.focus == "run 3"
    driver.press("End")
    driver.run_frames(2)
    driver.press("Enter")
    assert isinstance(screen.session, FollowedRun)
    assert screen.session.folder.name == names[-1]


def test_status_of_runs_is_clear(driver: WindowDriver) -> None:
    small_recipe = Recipe.load("gavrilov", SMALL_RUN)
    for status in ("created", "running", "stopped"):
        folder = create_run(small_recipe, get_runs_folder() / status)
        meta = (folder / "meta.json").read_text("utf-8")
        (folder / "meta.json").write_text(meta.replace('"created"', f'"{status}"'), encoding="utf-8")
    broken = create_run(small_recipe, get_runs_folder() / "broken")
    (broken / CONFIG_FILE).write_text("[", encoding="utf-8")
    open_setup(driver, (1280, 800))
    text = check_texts(driver)
    for status in ("not started", "interrupted", "stopped"):
        assert f"0 of 2 generations, {status}" in text
    assert "broken damaged" in text
    with lock_folder(get_runs_folder() / "running"):
        open_setup(driver, (1280, 800))
        assert "0 of 2 generations, training" in check_texts(driver)
