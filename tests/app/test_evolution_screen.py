"""Tests of the evolution screen: training a run, stopping and resuming it, browsing its generations."""

import json
import shutil
import time
from pathlib import Path

import pytest

from tests.app.drawn_texts import check_texts
from tests.app.screen_scenes import follow_modern_evolution
from tests.app.window_driver import WindowDriver
from tests.cli.command_runner import tetrion_here
from tests.training.small_recipes import read_run_files
from tetrion.app.evolution.generation_player import UNLIMITED_SPEED
from tetrion.app.evolution.run_session import FollowedRun, LiveTraining, SessionState
from tetrion.app.screens.evolution_screen import EvolutionScreen
from tetrion.training.fitness import FITNESS_DESCRIPTIONS, FITNESS_UNITS
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
    driver.run_until(lambda: screen.session is None or screen.session.boards is not None or screen.problem)
    return screen


def start_small_run(driver: WindowDriver) -> tuple[EvolutionScreen, LiveTraining]:
    screen = open_evolution(driver, recipe="gavrilov", changes=SMALL_CHANGES, out="mine")
    assert isinstance(screen.session, LiveTraining)
    return screen, screen.session


def test_run_can_be_paused_skipped_paged_stopped_and_resumed(driver: WindowDriver, finished_run: Path) -> None:
    screen, session = start_small_run(driver)
    assert session.generation == 1
    driver.press("Space")
    assert screen.playback_control.is_paused
    time.sleep(0.2)
    boards = session.boards
    driver.run_frames(20)
    assert session.boards is boards
    driver.press("Space")
    assert not screen.playback_control.is_paused
    driver.click("speed", x=0.02)
    assert screen.playback_control.speed == 0.5
    driver.press("→", "→")  # the slider has the focus, so the page does not change
    assert screen.playback_control.speed == 2
    assert screen.grid.page == 0
    driver.press("+")
    assert screen.playback_control.speed == 3
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
    driver.run_until(lambda: session.generation == 2 and screen.has_agent)
    driver.press("S")
    assert "mine-after-1" in driver.window.notice
    driver.press("Esc")
    assert session.state is SessionState.STOPPED
    assert "Training stopped. 1 generation of 4 is saved in mine" in driver.window.notice
    resume("mine-after-1", workers=1)
    screen = open_evolution(driver, run="mine")
    for size in ((800, 700), (1000, 720), (1280, 800)):
        driver.resize(*size)
        assert "Not finished" in check_texts(driver)
        assert "resume" in driver.window.ui.focusable_names
    driver.press("T")
    screen.playback_control.speed = UNLIMITED_SPEED
    driver.run_until(lambda: screen.session is not None and screen.session.is_over)
    for folder in ("mine", "mine-after-1"):
        assert read_run_files(Path(folder)) == read_run_files(finished_run)


def test_finished_run_can_be_browsed_by_generation(driver: WindowDriver) -> None:
    screen, session = start_small_run(driver)
    screen.playback_control.speed = UNLIMITED_SPEED
    driver.run_until(lambda: session.state is SessionState.FINISHED and screen.panels.result)
    texts = check_texts(driver)
    for text in ("Result on 4 held-out games", "lines per game", "95 % interval ", "The agent of generation "):
        assert text in texts
    assert "Finished. Saved as mine" in texts
    driver.click("browse")
    followed = screen.session
    assert isinstance(followed, FollowedRun)
    driver.run_until(lambda: driver.window.ui.focus in ("pause", "again"))
    driver.run_until(lambda: followed.generation == 4 and followed.state is SessionState.GAMES_OVER)
    driver.run_frames(2)
    assert driver.window.ui.focus == "again", "Pause is disabled after the games"
    driver.press("PgUp", "PgUp")
    driver.run_until(lambda: followed.generation == 2 and followed.state is SessionState.GAMES_OVER)
    assert followed.boards is not None
    assert followed.boards.fitness.tolist() == Run(followed.folder).load_population(1).fitness.tolist()
    driver.press("PgDn")
    driver.run_until(lambda: followed.generation == 3)
    driver.press("R")
    driver.run_frames(2)
    driver.press("Esc")
    assert driver.window.is_running


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
    screen = open_evolution(driver, run=str(tmp_path / "nowhere"))
    assert screen.problem
    driver.press("Esc")
    assert screen.problem == ""
    driver.press("Esc")
    assert driver.screen is not screen


def test_closing_the_window_stops_and_saves_the_run(driver: WindowDriver) -> None:
    screen, session = start_small_run(driver)
    driver.press("G")
    driver.run_until(lambda: session.generation == 2)
    driver.lose_focus()  # training continues in the background
    assert not screen.playback_control.is_paused
    driver.quit()
    assert not driver.window.is_running
    assert Run("mine").meta["status"] == "stopped"
    assert Run("mine").generation_count == 1


def test_q_learner_run_finishes_and_is_drawn(driver: WindowDriver) -> None:
    validation = ("validation.final_games=3", "validation.every=0", "validation.max_pieces=50")
    changes = ("episodes=4", "q-learning.max_pieces=30", *validation)
    screen = open_evolution(driver, recipe="tetrais-q", changes=changes, out="q")
    session = screen.session
    assert session is not None
    screen.playback_control.speed = UNLIMITED_SPEED
    driver.run_until(lambda: session.is_over)
    assert session.state is SessionState.FINISHED, session.message
    for size in ((800, 700), (1280, 800)):
        driver.resize(*size)
        assert "candidates" not in check_texts(driver)


def test_result_of_a_modern_run_is_its_attack(driver: WindowDriver) -> None:
    follow_modern_evolution(driver)
    text = check_texts(driver)
    assert "attack per piece" in text
    assert "rows of attack" in text
    assert set(FITNESS_UNITS) == set(FITNESS_DESCRIPTIONS)


# Music


def test_music_starts_pauses_and_stops_with_the_run(driver: WindowDriver) -> None:
    sound = driver.window.sound
    open_evolution(driver)
    driver.run_frames(2)
    assert not sound.is_music_on, "nothing runs on the setup"
    screen, session = start_small_run(driver)
    driver.press("G")
    driver.run_until(lambda: screen.has_agent and sound.is_music_playing)
    driver.press("Space")
    driver.run_until(lambda: not sound.is_music_playing)
    driver.press("B")
    assert driver.screen.title == "Watch"
    driver.run_until(lambda: sound.is_music_playing)
    driver.press("Esc")
    driver.run_until(lambda: not sound.is_music_playing)
    driver.press("Space")
    screen.playback_control.speed = UNLIMITED_SPEED
    driver.run_until(lambda: session.state is SessionState.FINISHED and not sound.is_music_on)


# Command


def test_command_reports_errors_before_the_window_opens(finished_run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[dict[str, object]] = []
    monkeypatch.setattr("tetrion.app.launcher.open_window", lambda screen, **options: opened.append(options))
    for arguments, message in {
        ("gavrilow",): "Did you mean 'gavrilov'?",
        ("gavrilov", "--set", "genetic.popluation=3"): "genetic.population",
        (str(finished_run), "--seed", "3"): "omit --seed",
        (str(finished_run / "population"),): "has no config.toml",
        ("gavrilov", "--out", str(finished_run)): f"Open it with tetrion evolve {finished_run}",
    }.items():
        assert message in tetrion_here("evolve", *arguments, expect=2).stderr
    assert opened == []
    tetrion_here("evolve", str(finished_run))
    tetrion_here("evolve", "gavrilov", "--seed", "7", "--set", "population=9")
    assert opened == [
        {"run": str(finished_run)},
        {"recipe": "gavrilov", "seed": 7, "changes": ("population=9",), "out": str(Path("runs/gavrilov-7"))},
    ]
