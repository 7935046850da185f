"""Tests of the evolution screen: its setup, and runs that are trained, stopped, resumed and browsed."""

import json
import time
from pathlib import Path

import pytest

from tests.app.drawn_texts import check_texts
from tests.app.screen_scenes import SMALL_RUN
from tests.app.window_driver import WindowDriver
from tests.training.small_recipes import read_run_files
from tetrion.agents.run_folders import CONFIG_FILE
from tetrion.app.game_storage import get_runs_folder
from tetrion.app.run_session import UNLIMITED_SPEED, FollowedRun, LiveTraining, SessionState
from tetrion.app.screens.evolution_screen import EvolutionScreen
from tetrion.training.folder_locks import lock_folder
from tetrion.training.recipe import Recipe
from tetrion.training.run import META_FILE, Run
from tetrion.training.trainer import create_run, resume, train

SIZES = ((800, 640), (1000, 760), (1280, 800))
SMALL_CHANGES = ("population=24", "games.max_pieces=[60]", "generations=4", *SMALL_RUN[3:])


@pytest.fixture(scope="module")
def finished_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a finished run."""
    folder = tmp_path_factory.mktemp("runs") / "done"
    train(Recipe.load("gavrilov", SMALL_CHANGES), folder, workers=1)
    return folder


def open_evolution(driver: WindowDriver, **options: object) -> EvolutionScreen:
    """Open the evolution screen and wait until boards or an error are shown."""
    screen: EvolutionScreen = driver.open_screen("evolution", **options)
    driver.run_until(lambda: screen.session is None or screen.session.boards is not None or screen.problem)
    driver.run_frames(2)
    return screen


def start_small_run(driver: WindowDriver) -> tuple[EvolutionScreen, LiveTraining]:
    screen = open_evolution(driver, recipe="gavrilov", changes=SMALL_CHANGES, out="mine")
    assert isinstance(screen.session, LiveTraining)
    return screen, screen.session


def focus(driver: WindowDriver, name: str) -> None:
    driver.window.ui.request_focus(name)
    driver.run_frames(2)


# Runs.


def test_run_can_be_paused_skipped_paged_stopped_and_resumed(driver: WindowDriver, finished_run: Path) -> None:
    screen, session = start_small_run(driver)
    driver.press("Space")
    time.sleep(0.2)
    boards = session.boards
    driver.run_frames(20)
    assert session.boards is boards, "the run is paused"
    driver.press("Space")
    driver.click("speed", x=0.02)
    driver.press("→", "→")  # the slider has the focus, so the page does not change
    assert (screen.playback_control.is_paused, screen.playback_control.speed, screen.view.page) == (False, 2, 0)
    driver.press("+")
    assert screen.playback_control.speed == 3
    driver.press("Tab", "→")
    assert "21–24 of 24" in check_texts(driver)
    driver.press("→")
    assert "1–20 of 24" in check_texts(driver)
    driver.click("page ←")
    driver.resize(800, 700)
    assert "10–18 of 24" in check_texts(driver)
    driver.press("G")
    driver.run_until(lambda: session.generation == 2 and session.has_agent)
    assert not screen.playback_control.is_fast_forward, "only one generation is skipped"
    driver.press("S")
    assert "mine-after-1" in driver.window.notice
    driver.press("Esc")
    assert session.state is SessionState.STOPPED
    assert "Training stopped after 1 generation of 4. The run is in mine" in driver.window.notice
    resume("mine-after-1", workers=1)
    screen = open_evolution(driver, run="mine")
    for size in SIZES:
        driver.resize(*size)
        assert "Not finished" in check_texts(driver)
        assert "resume" in driver.window.ui.focusable_names
    driver.press("T")
    screen.playback_control.speed = UNLIMITED_SPEED
    driver.run_until(lambda: screen.session is not None and screen.session.is_over)
    for folder in ("mine", "mine-after-1"):
        assert read_run_files(Path(folder)) == read_run_files(finished_run)


def test_finished_run_is_explained_and_can_be_browsed(driver: WindowDriver) -> None:
    screen, session = start_small_run(driver)
    screen.playback_control.speed = UNLIMITED_SPEED
    driver.run_until(lambda: session.state is SessionState.FINISHED and screen.view.result)
    result = screen.view.result
    assert result
    figures = (f"{result.number} lines per game", result.interval, f"{result.best_label} {result.best}")
    for size in SIZES:
        driver.resize(*size)
        text = check_texts(driver)
        for part in (*figures, "Result on 4 held-out games", "is kept", "partly luck", "Finished. Saved as mine"):
            assert part in text
    driver.click("browse")
    followed = screen.session
    assert isinstance(followed, FollowedRun)
    driver.run_until(lambda: followed.generation == 4 and followed.state is SessionState.GAMES_OVER)
    driver.run_frames(2)
    assert driver.window.ui.focus == "again", "Pause is disabled after the games"
    driver.press("PgUp", "PgUp")
    driver.run_until(lambda: followed.generation == 2 and followed.state is SessionState.GAMES_OVER)
    driver.press("PgDn")
    driver.run_until(lambda: followed.generation == 3)


def test_run_of_another_version_can_be_resumed_anyway(driver: WindowDriver) -> None:
    folder = create_run(Recipe.load("gavrilov", SMALL_CHANGES), "runs/older")
    meta = json.loads((folder / META_FILE).read_text())
    meta["versions"]["tetrion"] = "0.0.1"
    (folder / META_FILE).write_text(json.dumps(meta))
    screen = driver.open_screen("evolution")
    driver.click("run 0")
    driver.run_until(lambda: screen.session.state is SessionState.GAMES_OVER)
    driver.press("T")
    driver.run_until(lambda: screen.session.state is SessionState.FAILED)
    driver.run_frames(2)
    driver.click("overlay Resume anyway")
    screen.playback_control.speed = UNLIMITED_SPEED
    driver.run_until(lambda: screen.session.state is SessionState.FINISHED)


@pytest.mark.parametrize(
    ("recipe", "changes", "figures"),
    [
        ("tetrais-q", ("episodes=4", "q-learning.max_pieces=30"), "4 of 4 Lines"),
        ("record", ("td.iterations=4", "td.updates=50", "td.games=8"), "4 of 4 Fitness"),
    ],
)
def test_learners_without_a_population_are_drawn(
    driver: WindowDriver, recipe: str, changes: tuple[str, ...], figures: str
) -> None:
    validation = ("validation.final_games=3", "validation.every=0", "validation.max_pieces=50")
    screen = driver.open_screen("evolution", recipe=recipe, changes=(*changes, *validation), out="mine")
    session = screen.session
    screen.playback_control.speed = UNLIMITED_SPEED
    driver.run_until(lambda: session.generation_count)
    assert "Loading" not in check_texts(driver)
    driver.run_until(lambda: session.is_over)
    assert session.state is SessionState.FINISHED, session.message
    assert figures in check_texts(driver)
    driver.click("browse")
    driver.run_until(lambda: screen.session.is_resting)
    driver.run_frames(2)
    assert figures in check_texts(driver)


# The setup.


def test_changed_settings_go_into_the_recipe_of_the_run(driver: WindowDriver) -> None:
    screen = open_evolution(driver)
    screen.setup.changes = {"genetic.elitism": 1}  # of the recipe that was chosen before
    focus(driver, "recipe")
    for text in ("hindi", "gavrilov"):
        driver.press("Space")
        driver.run_frames(2)
        driver.type(text)
        driver.press("Enter")
        driver.run_frames(2)
    focus(driver, "genetic.population")
    driver.press("→", "←")
    assert screen.setup.changes == {}
    driver.type("12")
    driver.press("→", "↓", "←", "↓", "Space")
    driver.run_frames(2)
    driver.type("0.25")
    driver.press("Enter")
    driver.click("seed mode", x=0.2)
    driver.run_frames(3)
    text = check_texts(driver)
    assert "recipe: 50" in text
    assert "recipe: 30" in text
    assert "seed" not in driver.window.ui.focusable_names
    seed = screen.setup.seed
    driver.press("Enter")
    assert isinstance(screen.session, LiveTraining)
    assert screen.session.folder == get_runs_folder() / f"gavrilov-{seed}"
    changes = {"population": 13, "generations": 29, "mutation_rate": 0.25}
    assert Run(screen.session.folder).recipe == Recipe.load("gavrilov", changes, seed=seed)


@pytest.mark.parametrize(
    ("recipe", "changes", "problem"),
    [
        ("gavrilow", {}, "Unknown recipe 'gavrilow'. Did you mean 'gavrilov'?"),
        (f"{'/folder' * 20}/mine.toml", {}, "cannot be read: No such file or directory."),
        ("gavrilov", {"genetic.population": 3}, "genetic.tournament_size must be at most the population (3); given 5."),
    ],
)
def test_problem_is_explained_before_start(
    driver: WindowDriver, recipe: str, changes: dict[str, object], problem: str
) -> None:
    screen = open_evolution(driver)
    screen.setup.recipe_name, screen.setup.changes = recipe, changes
    for size in SIZES:
        driver.resize(*size)
        driver.run_frames(10)
        text = check_texts(driver)
        assert problem in text
        assert recipe in text.replace(" ", ""), "a path is broken, not cut"
        assert "start" not in driver.window.ui.focusable_names


def test_status_of_runs_is_clear(driver: WindowDriver) -> None:
    small_recipe = Recipe.load("gavrilov", SMALL_RUN)
    for status in ("created", "running", "stopped"):
        folder = create_run(small_recipe, get_runs_folder() / status)
        meta = (folder / META_FILE).read_text("utf-8")
        (folder / META_FILE).write_text(meta.replace('"created"', f'"{status}"'), encoding="utf-8")
    broken = create_run(small_recipe, get_runs_folder() / "broken")
    (broken / CONFIG_FILE).write_text("[", encoding="utf-8")
    open_evolution(driver)
    text = check_texts(driver)
    for status in ("not started", "interrupted", "stopped"):
        assert f"0 of 2 generations, {status}" in text
    assert "broken damaged" in text
    with lock_folder(get_runs_folder() / "running"):
        open_evolution(driver)
        assert "0 of 2 generations, training" in check_texts(driver)
