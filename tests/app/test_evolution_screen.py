"""Tests of the evolution screen: training a run, stopping and resuming it, browsing its generations."""

import json
import shutil
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.app.drawn_texts import record_texts
from tests.app.screen_scenes import follow_modern_evolution, run_modern_evolution
from tests.app.window_driver import WindowDriver
from tests.cli.command_runner import tetrion_here
from tests.training.small_recipes import read_run_files
from tetrion.app.evolution.evolution_session import SessionState
from tetrion.app.evolution.followed_run import FollowedRun
from tetrion.app.evolution.live_training import LiveTraining
from tetrion.app.evolution.playback_control import UNLIMITED_SPEED
from tetrion.app.screens import evolution_screen
from tetrion.app.screens.evolution_result import RunResult
from tetrion.app.screens.evolution_screen import EVOLUTION_SPEEDS, EvolutionScreen
from tetrion.app.screens.evolution_tiles import _FITNESS_UNITS
from tetrion.drawing.pen import Box
from tetrion.training.fitness import FITNESS_DESCRIPTIONS
from tetrion.training.recipe import Recipe
from tetrion.training.run import META_FILE, METRICS_FILE, Run
from tetrion.training.trainer import create_run, resume, train

SMALL_CHANGES = (
    "population=24",
    "games.max_pieces=[60]",
    "generations=4",
    "validation.games=2",
    "validation.max_pieces=60",
    "validation.final_games=4",
)


@pytest.fixture(scope="module")
def finished_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a finished run."""
    folder = tmp_path_factory.mktemp("runs") / "done"
    train(Recipe.load("gavrilov", SMALL_CHANGES), folder, workers=1)
    return folder


def open_evolution(driver: WindowDriver, **options: object) -> EvolutionScreen:
    """Open the evolution screen and wait until boards or an error are shown."""
    screen: EvolutionScreen = driver.open_screen("evolution", **options)
    if screen.session:
        driver.run_until(
            lambda: screen.session is None or screen.session.generation_player.boards is not None or screen.problem
        )
    return screen


def get_training(screen: EvolutionScreen) -> LiveTraining:
    assert isinstance(screen.session, LiveTraining)
    return screen.session


def test_run_can_be_paused_skipped_paged_and_stopped(
    driver: WindowDriver, finished_run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    screen = open_evolution(driver, recipe="gavrilov", changes=SMALL_CHANGES, out="mine")
    session = get_training(screen)
    assert session.generation == 1
    driver.press("Space")
    assert screen.playback_control.is_paused
    time.sleep(0.2)
    boards = session.make_snapshot().boards
    driver.run_frames(20)
    assert session.make_snapshot().boards is boards
    driver.press("Space")
    assert not screen.playback_control.is_paused
    driver.click("speed", x=0.02)
    assert screen.playback_control.speed == EVOLUTION_SPEEDS[0]
    driver.press("→", "→")  # the slider has the focus, so the page does not change
    assert screen.playback_control.speed == EVOLUTION_SPEEDS[2]
    assert screen.grid.page == 0
    driver.press("+")
    assert screen.playback_control.speed == EVOLUTION_SPEEDS[3]
    driver.press("Tab", "→")
    assert screen.grid.page == 1
    assert list(screen.grid.get_page_range(24)) == [20, 21, 22, 23]
    driver.press("→")
    assert screen.grid.page == 0
    driver.click("page ←")
    assert screen.grid.page == 1
    driver.resize(800, 700)
    assert screen.grid.tiles_per_page == 9
    driver.click("charts", x=0.8)
    assert screen.panels.selected_chart == 1
    driver.resize(1920, 1080)
    assert screen.grid.tiles_per_page == 20
    driver.press("G")
    driver.run_until(lambda: session.generation == 2)
    driver.run_until(lambda: screen.has_agent)
    opened_screens: list[object] = []
    monkeypatch.setattr(
        evolution_screen,
        "make_screen",
        lambda window, name, **options: opened_screens.append((name, options)) or screen,
    )
    monkeypatch.setattr(driver.window, "open_screen", lambda screen: None)
    driver.press("B")
    assert opened_screens == [("watch", {"agent": "mine"})]
    driver.press("S")
    assert "mine-after-1" in driver.window.notice
    driver.press("Esc")
    assert screen.session is session
    assert session.state is SessionState.STOPPED
    assert "Training stopped. 1 generation of 4 is saved in mine" in driver.window.notice
    for folder in ("mine", "mine-after-1"):
        resume(folder, workers=1)
        assert read_run_files(Path(folder)) == read_run_files(finished_run)


def test_music_starts_pauses_and_stops_with_the_run(driver: WindowDriver) -> None:
    screen = open_evolution(driver)
    driver.run_frames(2)
    assert not driver.window.sound.is_music_on, "nothing runs on the setup"
    screen.setup.recipe_cache["gavrilov"] = Recipe.load("gavrilov", SMALL_CHANGES)
    driver.press("Enter")
    driver.run_until(lambda: driver.window.sound.is_music_playing)
    driver.press("Space")
    assert screen.playback_control.is_paused
    driver.run_until(lambda: not driver.window.sound.is_music_playing)
    driver.press("Space")
    driver.run_until(lambda: driver.window.sound.is_music_playing)
    driver.press("Space")
    driver.run_until(lambda: not driver.window.sound.is_music_playing)
    driver.press("Esc")
    assert driver.screen.title == "Menu"
    driver.run_until(lambda: not driver.window.sound.is_music_on)
    driver.open_screen("watch", agent="dellacherie")
    driver.run_until(lambda: driver.window.sound.is_music_playing)


def test_music_of_a_paused_run_plays_while_its_best_agent_is_watched(driver: WindowDriver, finished_run: Path) -> None:
    screen = open_evolution(driver, run=str(finished_run))
    driver.run_until(lambda: screen.has_agent and driver.window.sound.is_music_playing)
    screen.playback_control.is_paused = True
    driver.run_until(lambda: not driver.window.sound.is_music_playing)
    driver.press("B")
    assert driver.screen.title == "Watch"
    driver.run_until(lambda: driver.window.sound.is_music_playing)
    driver.press("Esc")
    assert driver.screen is screen
    driver.run_until(lambda: not driver.window.sound.is_music_playing)


def test_music_stops_when_training_has_finished(driver: WindowDriver) -> None:
    screen = open_evolution(driver, recipe="gavrilov", changes=SMALL_CHANGES, out="mine")
    driver.run_until(lambda: driver.window.sound.is_music_playing)
    screen.playback_control.speed = UNLIMITED_SPEED
    driver.run_until(lambda: screen.is_finished)
    driver.run_until(lambda: not driver.window.sound.is_music_on)


def test_run_has_no_music_if_the_settings_turn_it_off(driver: WindowDriver, finished_run: Path) -> None:
    driver.window.change_settings(music=False)
    screen = open_evolution(driver, run=str(finished_run))
    driver.run_frames(5)
    assert screen.has_music
    assert not driver.window.sound.is_music_on
    driver.window.change_settings(music=True)
    driver.run_until(lambda: driver.window.sound.is_music_playing)


def test_finished_run_can_be_browsed_by_generation(driver: WindowDriver) -> None:
    screen = open_evolution(driver)
    assert screen.session is None
    screen.setup.recipe_cache["gavrilov"] = Recipe.load("gavrilov", SMALL_CHANGES)
    driver.press("Enter")
    session = get_training(screen)
    assert session.folder == get_driver_data_folder() / "runs" / "gavrilov-0"
    driver.press("Tab")
    screen.playback_control.speed = UNLIMITED_SPEED
    driver.run_until(lambda: session.state is SessionState.FINISHED)
    driver.run_frames(2)
    assert screen.panels.result is not None
    assert screen.panels.result.title == "Result on 4 held-out games"
    assert screen.panels.result.unit == "lines per game"
    assert screen.panels.result.interval.startswith("95 % interval ")
    assert screen.panels.result.reason.startswith("The agent of generation ")
    driver.click("browse")
    followed = screen.session
    assert isinstance(followed, FollowedRun)
    driver.run_until(lambda: driver.window.ui.focus in ("pause", "again"))
    driver.run_until(lambda: followed.generation == 4)
    driver.run_until(lambda: followed.state is SessionState.GAMES_OVER)
    driver.run_frames(2)
    assert driver.window.ui.focus == "again", "Pause is disabled after the games"
    driver.press("PgUp", "PgUp")
    driver.run_until(lambda: followed.generation == 2 and followed.state is SessionState.GAMES_OVER)
    assert followed.generation_player.boards is not None
    assert (
        followed.generation_player.boards.fitness.tolist() == Run(followed.folder).load_population(1).fitness.tolist()
    )
    driver.press("PgDn")
    driver.run_until(lambda: followed.generation == 3)
    driver.press("R")
    driver.run_frames(2)
    driver.press("Esc")
    assert driver.window.is_running


def get_driver_data_folder() -> Path:
    from tetrion.user_folders import get_data_folder

    return get_data_folder()


@pytest.mark.parametrize("width", [800, 810, 1280])
def test_waiting_for_the_compiler_is_explained_inside_the_area_of_the_boards(
    driver: WindowDriver, finished_run: Path, monkeypatch: pytest.MonkeyPatch, width: int
) -> None:
    driver.resize(width, 700)
    screen = open_evolution(driver, run=str(finished_run))
    assert screen.session
    snapshot = replace(screen.session.make_snapshot(), boards=None, state=SessionState.PREPARING)
    monkeypatch.setattr(screen.session, "make_snapshot", lambda: snapshot)
    message = "Compiling the engine for this machine, first use only: placements, about 120 s left."
    monkeypatch.setattr(evolution_screen, "describe_compilation", lambda: message)
    areas: list[Box] = []
    lay_out = screen.grid.lay_out

    def record_area(*args: Any) -> Box:
        areas.append(lay_out(*args))
        return areas[-1]

    monkeypatch.setattr(screen.grid, "lay_out", record_area)
    lines = [drawn for drawn in record_texts(driver) if len(drawn.text) > 10 and drawn.text in message]
    assert " ".join(drawn.text for drawn in lines) == message
    assert all(areas[-1].inflate(-20, 0).contains(line.box) for line in lines)


def test_stopped_run_can_be_resumed(driver: WindowDriver, finished_run: Path) -> None:
    screen = open_evolution(driver, recipe="gavrilov", changes=SMALL_CHANGES, out="mine")
    driver.press("G")
    driver.run_until(lambda: get_training(screen).generation == 2)
    driver.press("Esc")
    screen = open_evolution(driver, run="mine")
    assert isinstance(screen.session, FollowedRun)
    assert "Not finished" in screen.make_chips()
    for size in ((800, 700), (1000, 720), (1280, 800)):
        driver.resize(*size)
        assert driver.screen is screen
        assert "resume" in driver.window.ui.focusable_names
    driver.press("T")
    session = get_training(screen)
    screen.playback_control.speed = UNLIMITED_SPEED
    driver.run_until(lambda: session.is_over)
    assert session.state is SessionState.FINISHED, session.message
    assert read_run_files(Path("mine")) == read_run_files(finished_run)


def test_run_of_another_version_can_be_resumed_anyway(driver: WindowDriver) -> None:
    folder = create_run(Recipe.load("gavrilov", SMALL_CHANGES), "runs/older")
    meta = json.loads((folder / META_FILE).read_text())
    meta["versions"]["tetrion"] = "0.0.1"
    (folder / META_FILE).write_text(json.dumps(meta))
    screen = driver.open_screen("evolution")
    assert [(run.name, run.status) for run in screen.setup.runs] == [("older", "0 of 4, not started")]
    driver.click("run 0")
    driver.run_until(lambda: screen.session.state is SessionState.GAMES_OVER)
    driver.press("T")
    driver.run_until(lambda: screen.session.state is SessionState.FAILED)
    driver.run_frames(2)
    driver.click("overlay Resume anyway")
    screen.playback_control.speed = UNLIMITED_SPEED
    driver.run_until(lambda: screen.session.state is SessionState.FINISHED)


def test_run_that_cannot_be_opened_shows_an_error(driver: WindowDriver, finished_run: Path, tmp_path: Path) -> None:
    damaged = tmp_path / "damaged"
    shutil.copytree(finished_run, damaged)
    (damaged / METRICS_FILE).write_text("nonsense")
    screen = open_evolution(driver, run=str(damaged))
    assert screen.session is None
    assert "damaged" in screen.problem
    driver.click("overlay Back")
    assert screen.problem == ""
    assert "start" in driver.window.ui.focusable_names
    screen.setup.recipe = "gavrilow"
    driver.run_frames(2)
    assert "start" not in driver.window.ui.focusable_names  # an unknown recipe cannot be started
    screen = open_evolution(driver, run=str(tmp_path / "nowhere"))
    assert screen.problem
    driver.press("Esc")
    assert screen.problem == ""
    driver.press("Esc")
    assert driver.screen is not screen


def test_closing_the_window_stops_and_saves_the_run(driver: WindowDriver) -> None:
    screen = open_evolution(driver, recipe="gavrilov", changes=SMALL_CHANGES, out="mine")
    driver.press("G")
    driver.run_until(lambda: get_training(screen).generation == 2)
    driver.lose_focus()  # training continues in the background
    assert not screen.playback_control.is_paused
    driver.quit()
    assert not driver.window.is_running
    assert Run("mine").meta["status"] == "stopped"
    assert Run("mine").generation_count == 1


def test_command_reports_errors_before_the_window_opens(finished_run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[dict[str, object]] = []
    monkeypatch.setattr("tetrion.app.launcher.open_window", lambda screen, **options: opened.append(options))
    assert "Did you mean 'gavrilov'?" in tetrion_here("evolve", "gavrilow", expect=2).stderr
    assert "genetic.population" in tetrion_here("evolve", "gavrilov", "--set", "genetic.popluation=3", expect=2).stderr
    assert "omit --seed" in tetrion_here("evolve", str(finished_run), "--seed", "3", expect=2).stderr
    assert "has no config.toml" in tetrion_here("evolve", str(finished_run / "population"), expect=2).stderr
    error = tetrion_here("evolve", "gavrilov", "--out", str(finished_run), expect=2).stderr
    assert f"Open it with tetrion evolve {finished_run}" in error
    assert opened == []
    tetrion_here("evolve", str(finished_run))
    tetrion_here("evolve", "gavrilov", "--seed", "7", "--set", "population=9")
    assert opened == [
        {"run": str(finished_run)},
        {"recipe": "gavrilov", "seed": 7, "changes": ("population=9",), "out": str(Path("runs/gavrilov-7"))},
    ]


def test_damaged_run_and_unknown_home_folder_do_not_close_the_screen(driver: WindowDriver) -> None:
    Path("runs/broken").mkdir(parents=True)
    Path("runs/broken/config.toml").write_text("[", encoding="utf-8")
    screen = open_evolution(driver)
    assert [(run.name, run.status) for run in screen.setup.runs] == [("broken", "damaged")]
    screen.setup.chosen_folder = "~unknown-user/here"
    driver.run_frames(2)
    assert driver.screen is screen


def test_q_learner_run_finishes_and_is_drawn(driver: WindowDriver) -> None:
    changes = (
        "episodes=4",
        "q-learning.max_pieces=30",
        "validation.final_games=3",
        "validation.every=0",
        "validation.max_pieces=50",
    )
    screen = open_evolution(driver, recipe="tetrais-q", changes=changes, out="q")
    session = get_training(screen)
    screen.playback_control.speed = UNLIMITED_SPEED
    driver.run_until(lambda: session.is_over)
    assert session.state is SessionState.FINISHED, session.message
    for size in ((800, 700), (1280, 800)):
        driver.resize(*size)
    assert "candidates" not in " ".join(screen.make_chips())


def test_result_of_a_modern_run_is_its_attack(driver: WindowDriver) -> None:
    follow_modern_evolution(driver)
    screen = driver.screen
    assert isinstance(screen, EvolutionScreen)
    assert isinstance(screen.panels.result, RunResult)
    assert screen.panels.result.unit == "attack per piece"
    assert screen.panels.result.best_in_training.endswith("rows of attack")


def test_every_fitness_has_a_unit_on_the_tiles(driver: WindowDriver) -> None:
    run_modern_evolution(driver)
    assert driver.screen.title == "Evolution", driver.window.notice
    assert set(_FITNESS_UNITS) == set(FITNESS_DESCRIPTIONS)
